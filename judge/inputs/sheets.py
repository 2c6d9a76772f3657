"""A sheet as rows: CSV (comma, semicolon or tab) or the first sheet of an Excel file, with the line that a person sees beside it."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from judge.errors import InputError, Problem
from rubrics.named_file import read_named

Cell = str | int | float | bool | None
EXCEL = (".xlsx", ".xlsm")
_MOST_UNPACKED = 256 * 1024 * 1024  # bytes; a small file can hold a large one


@dataclass(frozen=True, slots=True)
class Row:
    """One row. line: as the spreadsheet numbers it, from 1; cells by column title, None for an empty one."""

    line: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Titles in order, rows without the empty ones."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read_sheet(path: Path) -> Sheet:
    """Reads a CSV or Excel file with a line of titles. Raises InputError naming file and line."""
    try:
        lines = list(_excel_lines(path) if path.suffix.lower() in EXCEL else _csv_lines(path))
    except OSError as error:
        raise _wrong(path, None, f"cannot be read: {error.strerror or error}") from None
    if not lines:
        raise _wrong(path, 1, "is empty; the first line holds the column titles")
    titles = [str(title).strip() if title is not None else "" for title in lines[0][1]]
    if repeated := sorted({title for title in titles if title and titles.count(title) > 1}):
        raise _wrong(path, lines[0][0], f"two columns are titled {repeated[0]!r}")
    rows = (Row(line, _by_title(titles, cells)) for line, cells in lines[1:])
    return Sheet(path, tuple(filter(None, titles)), tuple(row for row in rows if any(c is not None for c in row.cells.values())))


def _by_title(titles: Sequence[str], cells: Sequence[Cell]) -> dict[str, Cell]:
    return {title: cell for title, cell in zip(titles, [*cells, *[None] * len(titles)], strict=False) if title}


def _csv_lines(path: Path) -> Iterator[tuple[int, Sequence[Cell]]]:
    try:
        text = read_named(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(path, None, f"is not UTF-8 at byte {error.start}; save it as `CSV UTF-8`, or as .xlsx") from None
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(keepends=True), delimiter=max(",;\t", key=first.count), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _wrong(path, line, f"is no CSV: {error}") from None
        yield line, [cell if cell.strip() else None for cell in cells]


def _excel_lines(path: Path) -> Iterator[tuple[int, Sequence[Cell]]]:
    """Cells as a person sees them; what a formula gives is taken from what Excel stored, and a formula without it stays its own text."""
    try:
        rows, results = _excel_cells(path)
    except OSError:
        raise
    except Exception as error:  # the one place that calls the Excel library: whatever it raises is a fact about the file
        raise _wrong(path, None, f"is no Excel file that can be read: {error}") from None
    for line, cells in rows:
        values = results[line - 1] if results else ()
        yield line, [_shown(cell, value) for cell, value in zip_longest(cells, values[: len(cells)])]


def _excel_cells(path: Path) -> tuple[list[tuple[int, Sequence[Any]]], list[Sequence[Any]]]:
    """(line, cells) of the lines with any, and where a formula is among them all lines with what the formulas gave."""
    from zipfile import ZipFile

    from openpyxl import load_workbook

    with ZipFile(path) as parts:
        if sum(part.file_size for part in parts.infolist()) > _MOST_UNPACKED:
            raise ValueError("it is too large once unpacked")
    written = load_workbook(path, read_only=True)
    lines: Iterator[tuple[int, Sequence[Any]]] = enumerate(written.worksheets[0].iter_rows(), 1)
    rows = [(line, cells) for line, cells in lines if any(c.value is not None for c in cells)]
    written.close()
    results: list[Sequence[Any]] = []  # a second reading, for what the formulas gave
    if any(cell.data_type == "f" for _, cells in rows for cell in cells):
        stored = load_workbook(path, read_only=True, data_only=True)
        results = list(stored.worksheets[0].iter_rows(values_only=True))
        stored.close()
    return rows, results


def _shown(cell: Any, stored: Any) -> Cell:
    value = cell.value if stored is None else stored
    if value is None or isinstance(value, str):
        return value if value and value.strip() else None
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ", timespec="minutes")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value, cell.number_format or "")
    return str(value)


def _number(value: int | float, form: str) -> Cell:
    """A percentage is stored as a share: 0.0275 under the format 0.00% is what a person sees as 2.75%."""
    if "%" in form:
        digits = len(form.partition(".")[2].partition("%")[0]) if "." in form else 0
        return f"{value * 100:.{digits}f}%"
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _wrong(path: Path, line: int | None, message: str) -> InputError:
    return InputError([Problem(str(path), line, "", message)])
