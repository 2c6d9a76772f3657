"""The tables of words of calibration, words.toml."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """One of them, to be read only."""
    return dict(tomllib.loads(resources.files("calibration").joinpath("words.toml").read_text("utf-8"))[name])
