"""What is wrong with a value of a file, in plain words in place of the checking library's."""

import json
import re
from importlib import resources
from typing import Any

WORDS = json.loads(resources.files("rubrics").joinpath("words.json").read_text("utf-8"))
"""What the checking library calls an error -> what is said; the tables of scores with their words."""


def message_of(entry: Any) -> str:
    """One entry of a validation error."""
    said = WORDS["errors"].get(entry["type"]) or str(entry["msg"])
    return re.sub("(?:Input |String )?should", "must", said.removeprefix("Value error, "))
