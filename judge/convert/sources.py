"""An export as cases: one record a case, with the rows or list elements that are its tranches, covenants or findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.convert.map_file import ExportMap
from judge.errors import InputError, Problem
from judge.inputs.sheets import EXCEL, Row, read_sheet
from rubrics.named_file import read_named

NOTHING = object()  # the key is not there


@dataclass(frozen=True, slots=True)
class Record:
    """One case. line: where it starts, None in JSON; place: its path in JSON; rows: its own in a sheet; data: what its keys hold."""

    file: str
    line: int | None
    place: str
    data: Mapping[str, Any]
    rows: tuple[Row, ...] = ()

    def problem(self, path: str, message: str, line: int | None = None) -> Problem:
        """Something wrong with this case."""
        return Problem(self.file, line or self.line, f"{self.place}.{path}".strip("."), message)


@dataclass(slots=True)
class Used:
    """Which columns or JSON paths the map has read; `*` stands for any key of an object whose keys are labels."""

    paths: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, *parts: str) -> None:
        """Marks a path, given as dotted pieces."""
        self.paths.add(tuple(step for part in parts if part for step in part.split(".")))

    def covers(self, path: Sequence[str]) -> bool:
        """Whether a path or something above it was read."""
        return any(len(u) <= len(path) and all(a in ("*", b) for a, b in zip(u, path, strict=False)) for u in self.paths)


def look_up(data: Any, path: str) -> Any:
    """A value by column title or dotted path; NOTHING when it is not there."""
    if isinstance(data, Mapping) and path in data:
        return data[path]
    for part in path.split("."):
        if not isinstance(data, Mapping) or part not in data:
            return NOTHING
        data = data[part]
    return data


def read_records(path: Path, mapping: ExportMap) -> tuple[list[Record], list[str], bool]:
    """The cases of an export, its column titles or leaf paths, and whether it is a sheet. Raises InputError."""
    if path.suffix.lower() in (*EXCEL, ".csv", ".tsv", ".txt"):
        sheet = read_sheet(path)
        return list(_by_case(sheet.path, sheet.rows, mapping)), list(sheet.columns), True
    records = list(_json_records(path, mapping))
    leaves = dict.fromkeys(leaf for record in records for leaf in _leaves(record.data, ()))
    return records, [".".join(leaf) for leaf in leaves], False


def _by_case(path: Path, rows: Sequence[Row], mapping: ExportMap) -> Iterator[Record]:
    """Rows of one case id together, in the order of the first; what says something of the whole case must be the same on all of them."""
    column, problems = mapping.case.id, list[Problem]()
    groups: dict[str, list[Row]] = {}
    for row in rows:
        case_id = row.cells.get(column)
        if case_id is None:
            problems.append(Problem(str(path), row.line, column, "is empty: every row needs the id of its case"))
        else:
            groups.setdefault(str(case_id), []).append(row)
    shared = _case_columns(mapping)
    records = []
    for case_id, members in groups.items():
        data = {column: case_id}
        for name in shared:
            data[name], wrong = _agreed(str(path), name, members)
            problems += wrong
        records.append(Record(str(path), members[0].line, "", data, tuple(members)))
    if problems:
        raise InputError(problems)
    yield from records


def _case_columns(mapping: ExportMap) -> list[str]:
    """The columns that say something of a whole case."""
    maps = [mapping.case, *mapping.fields.values()]
    named = [v for m in maps for k, v in m.model_dump().items() if isinstance(v, str) and k not in ("split", "list")]
    return list(dict.fromkeys([*named, *mapping.input.values(), *mapping.output.values()]))


def _agreed(file: str, name: str, rows: Sequence[Row]) -> tuple[Any, list[Problem]]:
    given = [(row.line, row.cells[name]) for row in rows if row.cells.get(name) is not None]
    if not given:
        return (None if any(name in row.cells for row in rows) else NOTHING), []
    first_line, value = given[0]
    wrong = [
        Problem(file, line, name, f"{other!r} differs from {value!r} on line {first_line}, and is said of the whole case")
        for line, other in given
        if other != value
    ]
    return value, wrong


def _json_records(path: Path, mapping: ExportMap) -> Iterator[Record]:
    try:
        text = read_named(path).decode("utf-8-sig")
        is_lines = path.suffix == ".jsonl"
        data: Any = [json.loads(line) for line in text.split("\n") if line.strip()] if is_lines else json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError([Problem(str(path), getattr(error, "lineno", None), "", f"cannot be read as JSON: {error}")]) from None
    found = look_up(data, mapping.case.list) if mapping.case.list else data
    for n, entry in enumerate(found if isinstance(found, list) else [found]):
        if not isinstance(entry, Mapping):
            raise InputError([Problem(str(path), None, f"{mapping.case.list}[{n}]", "is no object; case.list names the list of cases")])
        yield Record(str(path), None, f"{mapping.case.list}[{n}]", entry)


def _leaves(data: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of all values; positions in lists are left out."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(data, list) and any(isinstance(value, Mapping) for value in data):
        for value in data:
            yield from _leaves(value, path)
    else:
        yield path
