"""An export as cases: one record a case, with the rows or list elements that are its tranches, covenants or findings; and one grammar for
the places in it: `=text`, a column's title, or steps through JSON and through the rows of a long sheet.

borrower.name              keys; over a list, the values of all its elements
loans[0].amount            the first element (or loans.0.amount)
parties[role=borrower].name     the elements whose key holds this text: one as itself, several as a list
[Field=Margin].Value       of the rows of a case, those whose column `Field` says Margin
=financial                 the text itself; @stem and @file in it are the export's file name, without and with its ending"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from calibration.strict_json import loads
from judge.convert.map_file import ExportMap
from judge.errors import InputError, Problem, did_you_mean
from judge.inputs.sheets import EXCEL, Row, fold_title, read_sheet
from rubrics.named_file import read_named

NOTHING = object()  # the key is not there
_STEP = re.compile(r"(?P<key>[^.\[\]]*)(?P<selectors>(?:\[[^\]]*\])*)(?:\.|$)")
_SELECTOR = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Record:
    """One case. line: where it starts, None in JSON; place: its path in JSON; rows: its own in a sheet; data: what its keys hold."""

    file: Path
    line: int | None
    place: str
    data: Mapping[str, Any]
    rows: tuple[Row, ...] = ()

    def problem(self, path: str, message: str, line: int | None = None) -> Problem:
        """Something wrong with this case."""
        return Problem(str(self.file), line or self.line, f"{self.place}.{path}".strip("."), message)

    def constant(self, path: str) -> str:
        """What `=text` stands for."""
        return path[1:].replace("@stem", self.file.stem).replace("@file", self.file.name)


@dataclass(frozen=True, slots=True)
class Export:
    """The cases of an export, its column titles or leaf paths, and what else it holds."""

    records: tuple[Record, ...]
    names: tuple[str, ...]
    is_sheet: bool
    notes: tuple[str, ...] = ()

    def lacking(self, path: str, file: Path, label: str = "") -> Problem:
        """A path of the map that no case has, with the nearest that there is."""
        known = self.names if self.is_sheet else [*self.names, *dict.fromkeys(name.rpartition(".")[2] for name in self.names)]
        bare = path if self.is_sheet else ".".join(list(keys_of(path))[-1])
        near = did_you_mean(bare, known)
        said = (near if "did you mean" in near else "") or f"; there are {', '.join(self.names[:30])}"
        found = f" ({'; '.join(self.notes)})" if self.is_sheet and self.notes else ""
        return Problem(str(file), None, path, f"is in no {'row' if self.is_sheet else 'case'} of the export{said}{found}{label}")


def read_export(path: Path, mapping: ExportMap) -> Export:
    """Reads a sheet, a JSON file, or a folder of JSON files with a case or a list of cases each. Raises InputError."""
    is_sheet = path.suffix.lower() in (*EXCEL, ".csv", ".tsv", ".txt")
    other = [("list", "JSON; in a sheet each row is one", name) for name in mapping.lists] * is_sheet
    if mapping.case.sheet and path.suffix.lower() not in EXCEL:
        other.append(("sheet", "Excel", mapping.case.sheet))
    if other:
        found = [Problem(str(path), None, key, f"`{key}` ({name!r}) is for {what}; take it out of the map") for key, what, name in other]
        raise InputError(found)
    if is_sheet:
        titles = [p for p in mapping.paths if not p.startswith(("=", "["))]
        key = "" if mapping.case.id.startswith(("=", "[")) else mapping.case.id
        sheet = read_sheet(path, key, titles, mapping.case.sheet)
        rows = [Row(row.line, {fold_title(title): cell for title, cell in row.cells.items()}) for row in sheet.rows]
        export = Export((), sheet.columns, True, sheet.notes)
        known = {fold_title(title) for title in sheet.columns}
        named = (p for p in mapping.paths if not p.startswith("=") and p not in mapping.optional)
        wanted = dict.fromkeys(steps_of(p)[-1][0] if p.startswith("[") else p for p in named)  # a column behind a choice of rows
        if lacking := [export.lacking(name, path) for name in wanted if name and fold_title(name) not in known]:
            raise InputError(lacking)
        return Export(tuple(_by_case(path, rows, mapping)), sheet.columns, True, sheet.notes)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    records = tuple(record for file in files for record in _json_records(file, mapping))
    leaves = dict.fromkeys(leaf for record in records for leaf in _leaves(record.data, ()))
    return Export(records, tuple(".".join(leaf) for leaf in leaves), False)


def _by_case(path: Path, rows: Sequence[Row], mapping: ExportMap) -> Iterator[Record]:
    """Rows of one case id together, in the order of the first; what says something of the whole case must be the same on all of them."""
    column, problems = mapping.case.id, list[Problem]()
    groups: dict[str, list[Row]] = {}
    for row in rows:
        case_id = column if column.startswith("=") else row.cells.get(fold_title(column))
        if case_id is None:
            problems.append(Problem(str(path), row.line, column, "is empty: every row needs the id of its case"))
        else:
            groups.setdefault(str(case_id), []).append(row)
    shared = [name for name in mapping.case_paths if not name.startswith(("=", "["))]
    records = []
    for case_id, members in groups.items():
        data: dict[str, Any] = {}
        for name in shared:
            data[fold_title(name)], wrong = _agreed(str(path), name, members)
            problems += wrong
        records.append(Record(path, members[0].line, "", {**data, fold_title(column): case_id}, tuple(members)))
    if problems:
        raise InputError(problems)
    yield from records


def _agreed(file: str, name: str, rows: Sequence[Row]) -> tuple[Any, list[Problem]]:
    key = fold_title(name)
    if not (given := [(row.line, row.cells[key]) for row in rows if row.cells.get(key) is not None]):
        return (None if any(key in row.cells for row in rows) else NOTHING), []
    first_line, value = given[0]
    told = f"differs from {value!r} on line {first_line}, and is said of the whole case"
    return value, [Problem(file, line, name, f"{other!r} {told}") for line, other in given if other != value]


def _json_records(path: Path, mapping: ExportMap) -> Iterator[Record]:
    try:
        text = read_named(path)
        data: Any = [loads(line) for line in text.split(b"\n") if line.strip()] if path.suffix == ".jsonl" else loads(text)
    except (OSError, ValueError) as error:
        raise InputError([Problem(str(path), getattr(error, "line", None), "", f"cannot be read as JSON: {error}")]) from None
    found = look_up(data, mapping.case.list) if mapping.case.list else data
    if found is NOTHING:
        known = list(data) if isinstance(data, Mapping) else []
        raise InputError([Problem(str(path), None, mapping.case.list, f"is not in the file{did_you_mean(mapping.case.list, known)}")])
    for n, entry in enumerate(found if isinstance(found, list) else [found]):
        if not isinstance(entry, Mapping):
            raise InputError([Problem(str(path), None, f"{mapping.case.list}[{n}]", "is no object; case.list names the list of cases")])
        yield Record(path, None, f"{mapping.case.list}[{n}]", entry)


def _leaves(data: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of all values; positions in lists are left out, and an empty list or object holds none."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(data, list) and any(isinstance(value, Mapping) for value in data):
        for value in data:
            yield from _leaves(value, path)
    elif data != []:
        yield path


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(key, selectors) of every step."""
    found, at = [], 0
    while at < len(path):
        if (match := _STEP.match(path, at)) is None:
            return ((path, ()),)  # no path: a key with brackets of its own
        found.append((match["key"], tuple(_SELECTOR.findall(match["selectors"]))))
        at = match.end()
    return tuple(found)


def keys_of(path: str) -> Iterator[tuple[str, ...]]:
    """The keys that a path reads, without positions: its own, and those that its filters compare."""
    keys: list[str] = []
    for key, selectors in steps_of(path):
        keys += [key] if key and not key.isdigit() else []
        yield from ((*keys, name.strip()) for name, is_filter, _ in (s.partition("=") for s in selectors) if is_filter)
    yield tuple(keys)


def look_up(data: Any, path: str) -> Any:
    """A value by key or path; NOTHING when it is not there."""
    if isinstance(data, Mapping) and path in data:
        return data[path]
    values, is_many = [data], False
    for key, selectors in steps_of(path):
        for step in (key, *(f"[{selector}]" for selector in selectors)):
            found = [one for value in values for one in _step(value, step)] if step else values
            is_list = isinstance(next(iter(values), None), list)
            is_many |= len(found) > 1 or (is_list and step[:1] != "[" and not step.isdigit() and step != "")
            values = found
    return NOTHING if not values else list(values) if is_many else values[0]


def _step(value: Any, step: str) -> Iterator[Any]:
    if step.startswith("["):
        yield from _selected(value if isinstance(value, list) else [value], step[1:-1])
    elif isinstance(value, Mapping):
        yield from [value[step]] if step in value else []
    elif isinstance(value, list) and step.isdigit():
        yield from _selected(value, step)
    elif isinstance(value, list):
        yield from (one[step] for one in value if isinstance(one, Mapping) and step in one)


def _selected(values: list[Any], selector: str) -> Iterator[Any]:
    name, is_filter, wanted = selector.partition("=")
    if is_filter:
        yield from (one for one in values if isinstance(one, Mapping) and _folded(look_up(one, name.strip())) == _folded(wanted))
    elif selector.strip() in ("", "*"):
        yield from values
    elif len(selector) < 10 and selector.strip().removeprefix("-").isdecimal() and -len(values) <= int(selector) < len(values):
        yield values[int(selector)]


def _folded(value: Any) -> str:
    return " ".join(str(value).casefold().split())
