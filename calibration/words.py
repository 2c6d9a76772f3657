"""What is data and no code, of calibration and of the engine: words, the texts of the command line and of the prompt."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(package: str, name: str) -> dict[str, Any]:
    """A TOML file beside the modules of a package, to be read only: it is parsed once."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))
