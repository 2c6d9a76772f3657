"""Tables of cases as data: tests/data/tables/FILE.txt; a table stands below `== its name`, a row on a line, its cells written as JSON."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "tables"


def table(file: str, name: str, *, tuples: bool = False) -> list[Any]:
    """The rows of a table; a row of one cell is that cell. With `tuples` the arrays in cells are tuples."""
    rows = [[_tuple(cell) if tuples else cell for cell in json.loads(f"[{line}]")] for line in _lines(file, name)]
    return [tuple(row) if len(row) > 1 else row[0] for row in rows]


def entries(file: str, name: str, *, tuples: bool = False) -> dict[str, Any]:
    """A table whose lines are names and what they stand for."""
    found = json.loads("{" + ",".join(_lines(file, name)) + "}")
    return {key: _tuple(value) if tuples else value for key, value in found.items()}


def text(file: str, name: str) -> str:
    """What stands below `== name` as it stands: a document, a file."""
    _, title, rest = ("\n" + (FOLDER / f"{file}.txt").read_text("utf-8")).partition(f"\n== {name}\n")
    assert title, f"{file}.txt has no table {name}"
    return rest.partition("\n== ")[0].removesuffix("\n")


def _lines(file: str, name: str) -> list[str]:
    return [line for line in text(file, name).split("\n") if line and not line.startswith("#")]


def _tuple(cell: Any) -> Any:
    return tuple(_tuple(part) for part in cell) if isinstance(cell, list) else cell
