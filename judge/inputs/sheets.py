"""A sheet as rows: CSV (comma, semicolon, tab or bar) or a sheet of an Excel file, with the line that a person sees beside it."""

import csv
import datetime
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, Any, BinaryIO

from judge.errors import InputError, Problem, did_you_mean
from rubrics.named_file import open_named, read_named

Cell = str | int | float | bool | None
EXCEL = (".xlsx", ".xlsm")
_MOST_UNPACKED = 256 * 1024 * 1024  # bytes; a small file can hold a large one
_CELLS = ("xl/worksheets/", "xl/sharedStrings", "xl/media/")  # parts that grow with what a sheet holds, and pictures, which are not read
_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_MOST_BESIDES, _MOST_DENSE = 4 * 1024 * 1024, 100  # bytes of all other parts, which are slow to read; bytes for one packed byte
_MOST_ROWS = 1_048_576  # Excel's own limit; a cell far down fills all the rows above it
_MOST_CELLS = 10_000_000  # empty ones before the last of a row count too
_MOST_ABOVE = 30  # lines in which the titles are looked for
_ERRORS = ("#REF!", "#N/A", "#NAME?", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
csv.field_size_limit(_MOST_UNPACKED)  # a text of any length that a file may have
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SEPARATOR = re.compile(r"sep=(.)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One row. line: as the spreadsheet numbers it, from 1; cells by column title, None for an empty one."""

    line: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Titles in order, rows without the empty ones; notes: what else the file holds and is not read."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def fold_title(title: str) -> str:
    """A title as it is compared: letter case, hard spaces and white space around it make no other column."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def read_sheet(path: Path, key: str = "", titles: Collection[str] = (), name: str = "") -> Sheet:
    """Reads a CSV or Excel file with a line of titles: the first line of the first sheet, or the line with the column `key` and most of
    `titles` among the first lines of any sheet, or of the sheet `name`. Raises InputError naming file and line."""
    try:
        chosen, skipped, notes = _table(path, fold_title(key), {fold_title(title) for title in titles}, name)
        is_excel = path.suffix.lower() in EXCEL
        lines = list(_excel_lines(path, chosen) if is_excel else _csv_lines(path))[skipped:]
    except OSError as error:
        raise _wrong(path, None, f"cannot be read: {error.strerror or error}") from None
    if not lines:
        raise _wrong(path, 1, "is empty; the first line holds the column titles")
    heads = [str(title).strip() if title is not None else "" for title in lines[0][1]]
    folded = [fold_title(title) for title in heads]
    times = Counter(folded)
    if repeated := sorted({title for title, as_compared in zip(heads, folded, strict=True) if title and times[as_compared] > 1}):
        raise _wrong(path, lines[0][0], f"two columns are titled {repeated[0]!r}")
    for line, beyond in ((line, [c for c in cells[len(heads) :] if c is not None]) for line, cells in lines[1:]):
        if beyond and not is_excel:
            told = f"has more cells than there are titles ({str(beyond[0])[:40]!r}): put a text with a separator in quotation marks"
            raise _wrong(path, line, told)
        notes += (f"line {line}: {str(beyond[0])[:40]!r}, beside the titles, is left out",) if beyond else ()
    titled = ((line, zip_longest(heads, cells[: len(heads)])) for line, cells in lines[1:])
    rows = (Row(line, {title: cell for title, cell in row if title}) for line, row in titled)
    return Sheet(path, tuple(filter(None, heads)), tuple(row for row in rows if any(c is not None for c in row.cells.values())), notes)


def _table(path: Path, key: str, titles: set[str], name: str) -> tuple[str, int, tuple[str, ...]]:
    """The sheet to read ("" for the first), how many filled lines stand above its titles, and what is left out for it."""
    if not (key or titles or name):
        return "", 0, ()
    starts = _excel_starts(path) if path.suffix.lower() in EXCEL else {"": [*islice(_csv_lines(path), _MOST_ABOVE)]}
    if name and name not in starts:
        raise _wrong(path, None, f"has no sheet {name!r}{did_you_mean(name, list(starts))}")
    fitting = []
    for sheet, lines in starts.items():
        for n, (_, cells) in enumerate(lines):
            found = {fold_title(str(cell)) for cell in cells if cell is not None}
            if name in ("", sheet) and (key in found if key else titles & found):
                fitting.append((len(titles & found), sheet, n))
    best = [entry for entry in fitting if entry[0] == max(fitting)[0]]
    if len({sheet for _, sheet, _ in best}) > 1:
        raise _wrong(path, None, f"the sheets {' and '.join(repr(s) for _, s, _ in best)} fit alike; name one: [case] sheet = ...")
    if not best:
        return name, 0, tuple(f"sheet {s!r} begins with {_beginning(lines)}" for s, lines in starts.items() if s and s != name)
    _, sheet, above = best[0]
    notes = [f"sheet {other!r} is left out" for other in starts if other != sheet]
    return sheet, above, (*notes, *([f"line {line}, above the titles, is left out" for line, _ in starts[sheet][:above]]))


def _beginning(lines: Sequence[tuple[int, Sequence[Cell]]]) -> str:
    return ", ".join(str(cell) for cell in (lines[0][1] if lines else ()) if cell is not None)[:200] or "nothing"


def _csv_lines(path: Path) -> Iterator[tuple[int, Sequence[Cell]]]:
    data = read_named(path)
    try:
        text = data.decode("utf-16" if data[:2] in _UTF16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(path, None, f"is not UTF-8 at byte {error.start}; save it as `CSV UTF-8`, or as .xlsx") from None
    lines = text.splitlines(keepends=True)
    said = _SEPARATOR.fullmatch(lines[0]) if lines else None  # Excel's own first line
    lines = lines[1:] if said else lines
    first = lines[0] if lines else ""
    reader = csv.reader(lines, delimiter=said[1] if said else max(",;\t|", key=first.count), strict=True)
    while True:
        line = reader.line_num + 1 + bool(said)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _wrong(path, line, f"is no CSV: {error}") from None
        yield line, [cell if cell.strip() else None for cell in cells]


def _excel_starts(path: Path) -> dict[str, list[tuple[int, Sequence[Any]]]]:
    """The first lines of every sheet by its name."""
    from openpyxl import load_workbook

    starts: dict[str, list[tuple[int, Sequence[Any]]]] = {}
    with _opened(path) as file:
        book = load_workbook(file, read_only=True, data_only=True)
        for sheet in book.worksheets:
            lines = islice(_bounded(sheet, values_only=True), _MOST_ABOVE)
            starts[sheet.title] = [(n, cells) for n, cells in lines if any(cell is not None for cell in cells)]
        book.close()
    return starts


def _excel_lines(path: Path, name: str) -> Iterator[tuple[int, Sequence[Cell]]]:
    """Cells as a person sees them; what a formula gives is taken from what Excel stored. Raises InputError for a formula without it
    and for a cell that holds an error."""
    with _opened(path) as file:
        rows, results = _excel_cells(file, name)
    for line, cells in rows:
        values = results[line - 1] if results else ()
        pairs = list(zip_longest(cells, values[: len(cells)]))
        for cell, value in pairs:
            is_formula = cell.data_type == "f"
            if cell.data_type == "e" or (is_formula and value in _ERRORS):
                raise _wrong(path, line, f"cell {cell.coordinate}{_of(name)} holds the error {cell.value if value is None else value}")
            if is_formula and value is None:
                raise _wrong(path, line, f"cell {cell.coordinate}{_of(name)} holds a formula without its result: save the file in Excel")
            if isinstance(found := cell.value if value is None else value, float) and not math.isfinite(found):
                raise _wrong(path, line, f"cell {cell.coordinate} holds a number that is too large or none: {found}")
        yield line, [_cell_of(cell, value) for cell, value in pairs]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """An Excel file, for its library: whatever that raises is a fact about the file."""
    try:
        with open_named(path) as file:
            _checked(file)
            yield file
    except OSError:
        raise
    except Exception as error:
        why = error if type(error) is ValueError else "its parts are not as Excel writes them"
        raise _wrong(path, None, f"is no Excel file that can be read: {why}") from None


def _checked(file: BinaryIO) -> None:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        parts = archive.infolist()
        besides = sum(part.file_size for part in parts if not part.filename.startswith(_CELLS))
        is_dense = any(part.file_size > max(_MOST_BESIDES, _MOST_DENSE * part.compress_size) for part in parts)
        if is_dense or besides > _MOST_BESIDES or sum(part.file_size for part in parts) > _MOST_UNPACKED:
            raise ValueError("it is too large once unpacked")
        for part in parts:
            if part.filename.startswith(_CELLS[0]) and part.filename.endswith(".xml"):
                with archive.open(part) as stream:
                    _checked_order(stream, part.filename)


def _checked_order(stream: IO[bytes], name: str) -> None:
    """The Excel library leaves out, without a word, a row that is not behind the one before it, and a cell behind the last of its row."""
    from xml.parsers.expat import ParserCreate

    row, cell = 0, (0, "")

    def begun(tag: str, said: Mapping[str, str]) -> None:
        nonlocal row, cell
        if tag == f"{_SPREADSHEET} row":
            before, row, cell = row, int(float(said.get("r", row + 1))), (0, "")
            if row <= before:
                raise ValueError(f"{name}: row {row} is written behind row {before}" if before else f"{name}: there is no row {row}")
        elif tag == f"{_SPREADSHEET} c" and "r" in said:
            column = said["r"].strip("$0123456789").upper()
            if (len(column), column) <= cell:
                raise ValueError(f"{name}: cell {said['r']} is written behind column {cell[1]}")
            cell = (len(column), column)

    parser = ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = begun
    parser.ParseFile(stream)


def _bounded(sheet: Any, *, values_only: bool = False) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows of a sheet by number. Raises ValueError where there are too many; what the file says of its size counts for nothing."""
    sheet.reset_dimensions()
    left = _MOST_CELLS
    for line, cells in enumerate(sheet.iter_rows(values_only=values_only), 1):
        left -= len(cells)
        if line > _MOST_ROWS or left < 0:
            raise ValueError(f"a sheet with more than {_MOST_ROWS:,} rows or {_MOST_CELLS:,} cells")
        yield line, cells


def _excel_cells(file: BinaryIO, name: str) -> tuple[list[tuple[int, Sequence[Any]]], list[Sequence[Any]]]:
    """(line, cells) of the lines with any, and where a formula is among them all lines with what the formulas gave."""
    from openpyxl import load_workbook

    written = load_workbook(file, read_only=True)
    lines = _bounded(written[name] if name else written.worksheets[0])
    rows = [(line, cells) for line, cells in lines if any(c.value is not None for c in cells)]
    written.close()
    results: list[Sequence[Any]] = []  # a second reading, for what the formulas gave
    if any(cell.data_type == "f" for _, cells in rows for cell in cells):
        stored = load_workbook(file, read_only=True, data_only=True)
        lines = _bounded(stored[name] if name else stored.worksheets[0])
        results = [["" if c.value is None and c.data_type == "str" else c.value for c in cells] for _, cells in lines]
        stored.close()
    return rows, results


def _cell_of(cell: Any, stored: Any) -> Cell:
    value = cell.value if stored is None else stored
    if value is None or isinstance(value, str):
        return value if value and value.strip() else None
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(sep=" ", timespec="minutes")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bool):
        return value
    return _number(value, cell.number_format or "") if isinstance(value, int | float) else str(value)


def _number(value: int | float, form: str) -> Cell:
    """A percentage is stored as a share: 0.0275 under the format 0.00% is what a person sees as 2.75%."""
    if "%" in form:
        digits = len(form.partition(".")[2].partition("%")[0]) if "." in form else 0
        return f"{value * 100:.{digits}f}%"
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _of(sheet: str) -> str:
    return f" of the sheet {sheet!r}" if sheet else ""


def _wrong(path: Path, line: int | None, message: str) -> InputError:
    return InputError([Problem(str(path), line, "", message)])
