"""What is data and no code: the command line's texts, the texts of the prompt, the ways of speaking to a judge, the words of endpoints."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(package: str, name: str) -> dict[str, Any]:
    """A TOML file beside the modules of a package, to be read only: it is parsed once."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))
