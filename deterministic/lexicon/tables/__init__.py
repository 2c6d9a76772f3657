"""The tables of the lexicon, a text file each: one row a line, what begins with # is a remark."""

from importlib import resources


def rows(name: str) -> list[str]:
    """The rows of a table."""
    text = resources.files(__name__).joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
