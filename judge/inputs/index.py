"""Batch, gold and documents folder -> cases. Pass 1 checks everything and keeps where each case stands; a case is read when it is judged.

Every problem of all inputs is reported at once, with file, line and JSON path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from judge.capabilities import Capability
from judge.capabilities.cases import Case
from judge.capabilities.criteria import criteria_faults
from judge.capabilities.registry import capability_of, is_known, names
from judge.errors import InputError, Problem
from judge.inputs.files import DocumentsFolder, files_of, places_of, read_entry
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.place import Place
from judge.inputs.problems import problems_of
from judge.inputs.table import CaseEntry, CaseSelection, CaseTable

MAX_PROBLEMS = 500
# Gold line's case id -> positions of the outputs that name it in their metadata
Named = dict[str, list[int]]
# Lines that were refused: case id ("" when it could not be read) -> capability, None when unknown. Their gold is checked, but not missed.
Refused = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the inputs are. gold None: `--no-gold`. is_partial: gold without output is allowed and counts as missed.

    gold_by: the key of a batch line's `metadata` that names the gold line of several outputs.
    """

    batch: Path
    gold: Path | None
    documents: Path
    is_partial: bool = False
    default_weight: Fraction = Fraction(1)
    gold_by: str = "case"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases are judged: the first `limit` of those that match."""

    limit: int | None = None
    case_glob: str | None = None
    capability: str | None = None


@dataclass(frozen=True, slots=True)
class CaseIndex:
    """Every case of valid inputs. hashes: SHA-256 of the batch's and gold's content.

    unused: gold lines that no output has or names, where outputs name their gold: a set of cases may be larger than a batch.
    """

    sources: Sources
    folder: DocumentsFolder
    entries: CaseTable
    hashes: dict[str, str]
    unused: tuple[str, ...] = ()

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
    named, unused = _add_batch(sources, folder, entries, wrong, problems), list[str]()
    if sources.gold is not None and len(problems) < MAX_PROBLEMS:
        hashes["gold"] = _hash(sources.gold, problems)
        unused = _add_gold(sources, sources.gold, entries, named, wrong, problems)
    if problems:
        raise InputError(_once_a_document(dict.fromkeys(problems))[:MAX_PROBLEMS])
    return CaseIndex(sources, folder, entries, hashes, tuple(unused))


def _once_a_document(problems: Iterable[Problem]) -> list[Problem]:
    """A document that many cases name is one problem, at the first of them."""
    alike: dict[object, list[Problem]] = {}
    for problem in problems:
        is_of_document = problem.path.startswith("document")
        alike.setdefault((problem.file, problem.message) if is_of_document else problem, []).append(problem)
    return [replace(f, message=f"{f.message} (named {len(rest) + 1} times)") if rest else f for f, *rest in alike.values()]


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
        problems.append(Problem(str(path), None, "", "the folder holds no .json files, and no .md files with cases"))
    return digest.hexdigest()


def _add_batch(sources: Sources, folder: DocumentsFolder, entries: CaseTable, wrong: Refused, problems: list[Problem]) -> Named:
    refused_at: dict[str, int] = {}
    named: Named = {}
    for place, data in places_of(sources.batch, problems):
        if (before := len(problems)) >= MAX_PROBLEMS:
            break
        raw = read_entry(place, data, problems)
        line: BatchLine | None = None if raw is None else _parse(raw, BatchLine, place, problems)
        if line is None:
            _refuse(raw, wrong, sources.gold_by)
            continue
        known = entries.ids.find(line.case_id)
        first = entries.batch.lines[known] if known is not None else refused_at.get(line.case_id)
        if first is not None:
            message = f"case {line.case_id!r} stands here and on line {first}: give every case an id of its own"
            problems.append(Problem(str(place.path), place.line, "case_id", message))
        _check_batch_line(line, place, folder, problems)
        if len(problems) > before:
            _refuse(raw, wrong, sources.gold_by)
            refused_at.setdefault(line.case_id, place.line)
            continue
        if (gold_id := _gold_id(line.metadata, sources.gold_by)) not in ("", line.case_id):
            named.setdefault(gold_id, []).append(len(entries))
        entries.add(line.case_id, line.capability, line.names, sources.default_weight, place, None)
    if problems and not len(entries):  # a file that cannot be read: nothing tells which cases it holds, and gold is not to blame
        wrong.setdefault("", None)
    return named


def _gold_id(metadata: Any, key: str) -> str:
    """The gold line that an output names; "" for none."""
    found = metadata.get(key) if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def _refuse(raw: dict[str, Any] | None, wrong: Refused, gold_by: str = "") -> None:
    """Remembers a line that cannot be read; the gold line that it names is not one too many."""
    capability = (raw or {}).get("capability")
    name = capability if isinstance(capability, str) and is_known(capability) else None
    wrong[str((raw or {}).get("case_id", ""))] = name
    if gold_id := _gold_id((raw or {}).get("metadata"), gold_by):
        wrong.setdefault(gold_id, name)


def _check_batch_line(line: BatchLine, place: Place, folder: DocumentsFolder, problems: list[Problem]) -> None:
    for n, name in enumerate(line.names):
        if message := folder.problem_of(name):
            path = "document" if line.document is not None else f"documents[{n}]"
            problems.append(Problem(str(place.path), place.line, path, message))
    capability = capability_of(line.capability)
    _parse(line.output, capability.output, place, problems, "output")
    _parse(line.input, capability.input, place, problems, "input")


def _add_gold(sources: Sources, path: Path, entries: CaseTable, named: Named, wrong: Refused, problems: list[Problem]) -> list[str]:
    """Joins gold to the cases; an empty batch is not gold's fault (it evaluates nothing). Returns the ids that no output has or names."""
    is_empty = not len(entries) and not wrong and not problems
    seen: dict[str, Place] = {}  # where gold's ids stand that no entry remembers
    shared: dict[str, tuple[Place, Fraction]] = {}
    unused: list[str] = []
    before = len(problems)
    for place, data in places_of(path, problems):
        if len(problems) >= MAX_PROBLEMS:
            return unused
        raw = read_entry(place, data, problems)
        line: GoldLine | None = None if raw is None else _parse(raw, GoldLine, place, problems)
        if line is None:
            _refuse(raw, wrong)
            continue
        known = entries.ids.find(line.case_id)
        first = entries.gold[known] if known is not None else seen.get(line.case_id)
        if first is not None:
            where = f"line {first.line}" if first.path == place.path else f"{first.path}:{first.line}"
            message = f"case {line.case_id!r} stands here and on {where}: keep one gold line"
            problems.append(Problem(str(place.path), place.line, "case_id", message))
            continue
        weight = line.weight if "weight" in line.model_fields_set else sources.default_weight
        if line.case_id in named and _is_gold_of(line, {entries.capability(n) for n in named[line.case_id]}, place, wrong, problems):
            shared[line.case_id] = (place, weight)
        if known is None and named and line.case_id not in wrong and not sources.is_partial:
            unused += [line.case_id] if line.case_id not in named else []
            seen[line.case_id] = place
        elif (known is None and line.case_id in named) or not _join(sources, line, place, weight, entries, wrong, problems, is_empty):
            seen[line.case_id] = place
    _share(entries, named, shared)
    if seen or shared or len(problems) == before or any(entries.gold.lines):  # else the file as a whole is the problem
        _report_missing(path, entries, named, wrong, problems)
    return unused


def _is_gold_of(line: GoldLine, capabilities: set[str], place: Place, wrong: Refused, problems: list[Problem]) -> bool:
    """Checks a gold line as that of every output that names it."""
    before = len(problems)
    for name in sorted(capabilities):
        _check_gold(line, capability_of(name), place, problems)
    if len(problems) > before:
        wrong.setdefault(line.case_id, None)
    return len(problems) == before


def _share(entries: CaseTable, named: Named, shared: Mapping[str, tuple[Place, Fraction]]) -> None:
    """Gives outputs the gold line that they name; one of their own id wins."""
    for gold_id, (place, weight) in shared.items():
        for position in named[gold_id]:
            if entries.gold[position] is None:
                entries.join(position, place, weight, gold_id)


def _report_missing(path: Path, entries: CaseTable, named: Named, wrong: Refused, problems: list[Problem]) -> None:
    """Outputs that no gold line belongs to."""
    missing = [n for n, line_number in enumerate(entries.gold.lines) if line_number == 0]
    gold_ids = {position: gold_id for gold_id, positions in named.items() for position in positions} if missing else {}
    for position in missing:
        entry, gold_id = entries[position], gold_ids.get(position, "")
        if entry.batch is not None and not {"", entry.case_id, gold_id} & wrong.keys():
            other = f", and neither has {gold_id!r}, which its metadata names" if gold_id else ""
            message = f"case {entry.case_id!r} has no gold line in {path}{other}: add one, or judge with --no-gold"
            problems.append(Problem(str(entry.batch.path), entry.batch.line, "case_id", message))


def _join(
    sources: Sources,
    line: GoldLine,
    place: Place,
    weight: Fraction,
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
    name = entries.capability(known) if known is not None else wrong.get(line.case_id) or _capability_of(line, place, problems)
    if name is not None:
        _check_gold(line, capability_of(name), place, problems)
    if name is None or len(problems) > before or is_refused:
        wrong.setdefault(line.case_id, name)
        return False
    if known is not None:
        entries.join(known, place, weight)
    else:
        entries.add(line.case_id, name, (), weight, None, place)
    return True


def _capability_of(line: GoldLine, place: Place, problems: list[Problem]) -> str | None:
    """The capability that a case file names, else the one whose gold has the most of the given keys; None and a problem where that is
    none, or more than one."""
    gold, told = line.gold, line.metadata.get("capability")
    if isinstance(told, str) and is_known(told):
        return told
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
