"""Batch, gold and documents folder -> cases. Pass 1 checks everything and keeps where each case stands; a case is read when it is judged.

Every problem of all inputs is reported at once, with file, line and JSON path.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from judge.capabilities import Capability
from judge.capabilities.criteria import criteria_faults
from judge.capabilities.registry import capability_of, is_known, names
from judge.cases import Case
from judge.errors import InputError, Problem
from judge.inputs.files import DocumentsFolder, Place, files_of, places_of, read_entry
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.problems import problems_of
from judge.inputs.table import CaseEntry, CaseSelection, CaseTable

MAX_PROBLEMS = 500
# Lines that were refused: case id ("" when it could not be read) -> capability, None when unknown. Their gold is checked, but not missed.
Refused = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the inputs are. gold None: `--no-gold`. is_partial: gold without output is allowed and counts as missed."""

    batch: Path
    gold: Path | None
    documents: Path
    is_partial: bool = False
    default_weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases are judged: the first `limit` of those that match."""

    limit: int | None = None
    case_glob: str | None = None
    capability: str | None = None


@dataclass(frozen=True, slots=True)
class CaseIndex:
    """Every case of valid inputs. hashes: SHA-256 of the batch's and gold's content."""

    sources: Sources
    folder: DocumentsFolder
    entries: CaseTable
    hashes: dict[str, str]

    def select(self, selection: Selection) -> CaseSelection:
        """The cases to judge, in the batch's order."""
        table = self.entries
        chosen = (n for n in range(len(table)) if _is_selected(table, n, selection))
        return CaseSelection(table, chosen if selection.limit is None else islice(chosen, selection.limit))

    def load(self, entry: CaseEntry) -> Case:
        """Reads one case. Raises InputError when a file was changed meanwhile."""
        return read_case(entry, entry.batch.read() if entry.batch else b"", entry.gold.read() if entry.gold else b"")


def read_case(entry: CaseEntry, batch: bytes, gold: bytes) -> Case:
    """A checked case from the bytes of its two entries. Raises InputError when they are not what was checked."""
    problems: list[Problem] = []
    line = _read(entry.batch, batch, BatchLine, problems) if entry.batch else None
    truth = _read(entry.gold, gold, GoldLine, problems) if entry.gold else None
    if problems:
        raise InputError([replace(p, message=f"{p.message} (was the file changed during the run?)") for p in problems])
    capability = capability_of(entry.capability)
    return Case(
        case_id=entry.case_id,
        capability=entry.capability,
        documents=entry.documents,
        input=line.input if line else {},
        output=capability.output.model_validate(line.output) if line else None,
        gold=capability.gold.model_validate(truth.gold) if truth else None,
        has_gold=truth is not None,
        weight=entry.weight,
        criteria=(truth.criteria or ()) if truth else (),
        task=str(truth.metadata.get("task") or "") if truth else "",
        metadata=line.metadata if line else {},
    )


def _is_selected(table: CaseTable, position: int, selection: Selection) -> bool:
    is_named = selection.case_glob is None or fnmatchcase(table.ids.texts[position], selection.case_glob)
    return is_named and selection.capability in (None, table.capability(position))


def _read(place: Place, raw: bytes, model: type[Any], problems: list[Problem]) -> Any:
    data = read_entry(place, raw, problems)
    return None if data is None else _parse(data, model, place, problems)


def _parse(data: Any, model: type[BaseModel], place: Place, problems: list[Problem], *prefix: str) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems.extend(problems_of(error, data, model, str(place.path), place.line, prefix))
        return None


def index_cases(sources: Sources) -> CaseIndex:
    """Checks all inputs. Raises InputError with every problem found (the first 500)."""
    problems: list[Problem] = []
    if not sources.documents.is_dir():
        problems.append(Problem(str(sources.documents), None, "", "is not a folder; give the folder of the PDFs with --documents"))
    folder = DocumentsFolder(sources.documents)
    entries = CaseTable()
    wrong: Refused = {}
    hashes = {"batch": _hash(sources.batch, problems)}
    _add_batch(sources, folder, entries, wrong, problems)
    if sources.gold is not None:
        hashes["gold"] = _hash(sources.gold, problems)
        _add_gold(sources, sources.gold, entries, wrong, problems)
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return CaseIndex(sources, folder, entries, hashes)


def _hash(path: Path, problems: list[Problem]) -> str:
    digest = hashlib.sha256()
    try:
        for file in (file for file in files_of(path) if file.is_file()):  # others are reported where the entries are read
            digest.update(file.name.encode() if path.is_dir() else b"")
            with file.open("rb") as stream:
                while chunk := stream.read(1 << 20):
                    digest.update(chunk)
    except OSError:
        pass  # reported where the entries are read
    if path.is_dir() and not files_of(path):
        problems.append(Problem(str(path), None, "", "the folder holds no .json files"))
    return digest.hexdigest()


def _add_batch(sources: Sources, folder: DocumentsFolder, entries: CaseTable, wrong: Refused, problems: list[Problem]) -> None:
    refused_at: dict[str, int] = {}
    for place, data in places_of(sources.batch, problems):
        before = len(problems)
        raw = read_entry(place, data, problems)
        line: BatchLine | None = None if raw is None else _parse(raw, BatchLine, place, problems)
        if line is None:
            _refuse(raw, wrong)
            continue
        known = entries.ids.find(line.case_id)
        first = entries.batch.lines[known] if known is not None else refused_at.get(line.case_id)
        if first is not None:
            message = f"case {line.case_id!r} stands here and on line {first}: give every case an id of its own"
            problems.append(Problem(str(place.path), place.line, "case_id", message))
        _check_batch_line(line, place, folder, problems)
        if len(problems) > before:
            wrong[line.case_id] = line.capability
            refused_at.setdefault(line.case_id, place.line)
            continue
        entries.add(line.case_id, line.capability, line.names, sources.default_weight, place, None)


def _refuse(raw: dict[str, Any] | None, wrong: Refused) -> None:
    capability = (raw or {}).get("capability")
    wrong[str((raw or {}).get("case_id", ""))] = capability if isinstance(capability, str) and is_known(capability) else None


def _check_batch_line(line: BatchLine, place: Place, folder: DocumentsFolder, problems: list[Problem]) -> None:
    for n, name in enumerate(line.names):
        if message := folder.problem_of(name):
            path = "document" if line.document is not None else f"documents[{n}]"
            problems.append(Problem(str(place.path), place.line, path, message))
    capability = capability_of(line.capability)
    _parse(line.output, capability.output, place, problems, "output")
    _parse(line.input, capability.input, place, problems, "input")


def _add_gold(sources: Sources, path: Path, entries: CaseTable, wrong: Refused, problems: list[Problem]) -> None:
    """Joins gold to the cases; an empty batch is not gold's fault (it evaluates nothing)."""
    is_empty = not len(entries) and not wrong and not problems
    apart: dict[str, int] = {}  # lines of gold that no entry remembers
    for place, data in places_of(path, problems):
        raw = read_entry(place, data, problems)
        line: GoldLine | None = None if raw is None else _parse(raw, GoldLine, place, problems)
        if line is None:
            _refuse(raw, wrong)
            continue
        known = entries.ids.find(line.case_id)
        first = (entries.gold.lines[known] or None) if known is not None else apart.get(line.case_id)
        if first is not None:
            message = f"case {line.case_id!r} stands here and on line {first}: keep one gold line"
            problems.append(Problem(str(place.path), place.line, "case_id", message))
            continue
        if not _join(sources, line, place, entries, wrong, problems, is_empty):
            apart[line.case_id] = place.line
    for missing in (n for n, line_number in enumerate(entries.gold.lines) if line_number == 0):
        entry = entries[missing]
        if entry.case_id not in wrong and entry.batch is not None and "" not in wrong:
            message = f"case {entry.case_id!r} has no gold line in {path}: add one, or judge with --no-gold"
            problems.append(Problem(str(entry.batch.path), entry.batch.line, "case_id", message))


def _join(
    sources: Sources,
    line: GoldLine,
    place: Place,
    entries: CaseTable,
    wrong: Refused,
    problems: list[Problem],
    is_empty: bool,
) -> bool:
    """Checks a gold line and gives it to its case; False when no case took it."""
    known = entries.ids.find(line.case_id)
    is_refused = known is None and line.case_id in wrong
    if known is None and not is_refused and not sources.is_partial:
        if not is_empty and "" not in wrong:
            message = f"gold for case {line.case_id!r}, which the batch does not hold: remove it, or allow it with --partial"
            problems.append(Problem(str(place.path), place.line, "case_id", message))
        return False
    before = len(problems)
    name = entries.capability(known) if known is not None else wrong.get(line.case_id) or _capability_of(line.gold, place, problems)
    if name is not None:
        _check_gold(line, capability_of(name), place, problems)
    if name is None or len(problems) > before or is_refused:
        wrong.setdefault(line.case_id, name)
        return False
    weight = line.weight if "weight" in line.model_fields_set else sources.default_weight
    if known is not None:
        entries.join(known, place, weight)
    else:
        entries.add(line.case_id, name, (), weight, None, place)
    return True


def _capability_of(gold: dict[str, Any], place: Place, problems: list[Problem]) -> str | None:
    """The capability whose gold has the most of the given keys; None and a problem where that is none, or more than one."""
    counts = {name: len(gold.keys() & capability_of(name).gold.model_fields.keys()) for name in names()}
    best = [name for name, count in counts.items() if 0 < count == max(counts.values())]
    if len(best) == 1:
        return best[0]
    message = f"fits the gold of {' and of '.join(best) or 'no capability'}: without an output nothing says which capability is meant"
    problems.append(Problem(str(place.path), place.line, "gold", message))
    return None


def _check_gold(line: GoldLine, capability: Capability, place: Place, problems: list[Problem]) -> None:
    parsed = _parse(line.gold, capability.gold, place, problems, "gold")
    if parsed is not None:
        faults = [*capability.gold_gaps(parsed), *criteria_faults(line.criteria, capability, parsed)]
        problems.extend(Problem(str(place.path), place.line, path, message) for path, message in faults)
