"""Batch, gold and documents folder -> cases. Pass 1 checks everything and keeps where each case stands; a case is read when it is judged.
Every problem of all inputs is reported at once, with file, line and JSON path."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from judge.capabilities import Capability
from judge.capabilities.cases import Case, criteria_faults
from judge.capabilities.registry import capability_of, is_known, names
from judge.errors import InputError, Problem
from judge.inputs.files import DocumentsFolder, files_of, places_of, read_entry
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.problems import problems_of
from judge.inputs.table import CaseEntry, CaseSelection, CaseTable, Place
from judge.records import grouped
from rubrics.named_file import open_named

MAX_PROBLEMS = 500


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the inputs are. gold None: `--no-gold`. is_partial: gold without output is allowed and counts as missed. gold_by: the key of a
    batch line's `metadata` that names the gold line of several outputs. only: which cases are judged, by how many, ids and capability:
    the others need no gold."""

    batch: Path
    gold: Path | None
    documents: Path
    is_partial: bool = False
    default_weight: Fraction = Fraction(1)
    gold_by: str = "case"
    only: tuple[int | None, str | None, str | None] = (None, None, None)


def _chosen(table: CaseTable, limit: int | None, case_glob: str | None, capability: str | None) -> Iterator[int]:
    named = (n for n in range(len(table)) if case_glob is None or fnmatchcase(table.ids.texts[n], case_glob))
    return islice((n for n in named if capability in (None, table.capabilities[n])), limit)


@dataclass(frozen=True, slots=True)
class CaseIndex:
    """Every case of valid inputs. hashes: SHA-256 of the batch's and gold's content. unused: gold lines that no output has or names, where
    outputs name their gold: a set of cases may be larger than a batch."""

    sources: Sources
    folder: DocumentsFolder
    entries: CaseTable
    hashes: dict[str, str]
    unused: tuple[str, ...] = ()

    def select(self, limit: int | None = None, case_glob: str | None = None, capability: str | None = None) -> CaseSelection:
        """The cases to judge, in the batch's order: the first `limit` of those that match."""
        return CaseSelection(self.entries, _chosen(self.entries, limit, case_glob, capability))

    def load(self, entry: CaseEntry) -> Case:
        """Reads one case. Raises InputError when a file was changed meanwhile."""
        return read_case(entry, entry.batch.read() if entry.batch else b"", entry.gold.read() if entry.gold else b"")


def read_case(entry: CaseEntry, batch: bytes, gold: bytes) -> Case:
    """A checked case from the bytes of its two entries. Raises InputError when they are not what was checked."""
    problems: list[Problem] = []
    line = read_line(entry.batch, batch, BatchLine, problems) if entry.batch else None
    truth = read_line(entry.gold, gold, GoldLine, problems) if entry.gold else None
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


def read_line(place: Place, raw: bytes, model: type[BaseModel], problems: list[Problem]) -> Any:
    """An entry as its model has it; None and problems where it is none."""
    data = read_entry(place, raw, problems)
    return None if data is None else _parse(data, model, place, problems)


def _parse(data: Any, model: type[BaseModel], place: Place, problems: list[Problem], *prefix: str) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems.extend(problems_of(error, data, model, str(place.path), place.line, prefix))
        return None


def _once_a_document(problems: Iterable[Problem]) -> list[Problem]:
    """A document that many cases name is one problem, at the first of them."""
    alike = grouped(((one.file, one.message) if one.path.startswith("document") else one, one) for one in problems)
    return [replace(f, message=f"{f.message} (named {len(rest) + 1} times)") if rest else f for f, *rest in alike.values()]


def _hash(path: Path, problems: list[Problem]) -> str:
    digest = hashlib.sha256()
    try:
        for file in (file for file in files_of(path) if file.is_file()):  # others are reported where the entries are read
            digest.update(file.name.encode() if path.is_dir() else b"")
            with open_named(file) as stream:
                while chunk := stream.read(1 << 20):
                    digest.update(chunk)
    except OSError:
        pass  # reported where the entries are read
    if path.is_dir() and not files_of(path):
        problems.append(Problem(str(path), None, "", "the folder holds no .json files, and no .md files with cases"))
    return digest.hexdigest()


def _gold_id(metadata: Any, key: str) -> str:
    """The gold line that an output names; "" for none."""
    found = metadata.get(key) if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


@dataclass(slots=True)
class _Checked:
    """The inputs as far as they are checked. named: gold line's case id -> positions of the outputs that name it in their metadata.
    wrong: lines that were refused: case id ("" when it could not be read) -> capability, None when unknown; their gold is checked, but
    not missed. unused: ids of gold that no output has or names."""

    sources: Sources
    folder: DocumentsFolder
    problems: list[Problem]
    entries: CaseTable = field(default_factory=CaseTable)
    named: dict[str, list[int]] = field(default_factory=dict)
    wrong: dict[str, str | None] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    def _fault(self, place: Place, path: str, message: str) -> None:
        self.problems.append(Problem(str(place.path), place.line, path, message))

    def add_batch(self) -> None:
        """Checks every output and takes the right ones as cases."""
        entries, problems = self.entries, self.problems
        refused_at: dict[str, int] = {}
        for place, data in places_of(self.sources.batch, problems):
            if (before := len(problems)) >= MAX_PROBLEMS:
                break
            raw = read_entry(place, data, problems) or {}
            line: BatchLine | None = _parse(raw, BatchLine, place, problems) if len(problems) == before else None
            if line is None:
                self._refuse(raw)
                continue
            known = entries.ids.find(line.case_id)
            first = entries.batch.lines[known] if known is not None else refused_at.get(line.case_id)
            if first is not None:
                self._fault(place, "case_id", f"case {line.case_id!r} stands here and on line {first}: give every case an id of its own")
            self._check_output(line, place)
            if len(problems) > before:
                self._refuse(raw)
                refused_at.setdefault(line.case_id, place.line)
                continue
            if (gold_id := _gold_id(line.metadata, self.sources.gold_by)) not in ("", line.case_id):
                self.named.setdefault(gold_id, []).append(len(entries))
            entries.add(line.case_id, line.capability, line.names, self.sources.default_weight, place, None)
        if problems and not len(entries):  # a file that cannot be read: nothing tells which cases it holds, and gold is not to blame
            self.wrong.setdefault("", None)

    def _refuse(self, raw: Mapping[str, Any], *, is_gold: bool = False) -> None:
        """Remembers a line that cannot be read; the gold line that an output names is not one too many."""
        capability = raw.get("capability")
        name = capability if isinstance(capability, str) and is_known(capability) else None
        self.wrong[str(raw.get("case_id", ""))] = name
        if not is_gold and (gold_id := _gold_id(raw.get("metadata"), self.sources.gold_by)):
            self.wrong.setdefault(gold_id, name)

    def _check_output(self, line: BatchLine, place: Place) -> None:
        for n, name in enumerate(line.names):
            if message := self.folder.problem_of(name):
                self._fault(place, "document" if line.document is not None else f"documents[{n}]", message)
        capability = capability_of(line.capability)
        _parse(line.output, capability.output, place, self.problems, "output")
        _parse(line.input, capability.input, place, self.problems, "input")

    def add_gold(self, path: Path) -> None:
        """Joins gold to the cases; an empty batch is not gold's fault (it evaluates nothing)."""
        entries, named, wrong, problems = self.entries, self.named, self.wrong, self.problems
        is_empty = not len(entries) and not wrong and not problems
        seen: dict[str, Place] = {}  # where gold's ids stand that no entry remembers
        shared: dict[str, tuple[Place, Fraction]] = {}  # gold lines that outputs name
        before = len(problems)
        for place, data in places_of(path, problems):
            if len(problems) >= MAX_PROBLEMS:
                return
            raw = read_entry(place, data, problems)
            line: GoldLine | None = None if raw is None else _parse(raw, GoldLine, place, problems)
            if line is None:
                self._refuse(raw or {}, is_gold=True)
                continue
            known = entries.ids.find(line.case_id)
            first = entries.gold[known] if known is not None else seen.get(line.case_id)
            if first is not None:
                where = f"line {first.line}" if first.path == place.path else f"{first.path}:{first.line}"
                self._fault(place, "case_id", f"case {line.case_id!r} stands here and on {where}: keep one gold line")
                continue
            weight = line.weight if "weight" in line.model_fields_set else self.sources.default_weight
            if line.case_id in named and self._is_gold_of_named(line, place):
                shared[line.case_id] = (place, weight)
            if known is None and named and line.case_id not in wrong and not self.sources.is_partial:
                self.unused += [line.case_id] if line.case_id not in named else []
                seen[line.case_id] = place
            elif (known is None and line.case_id in named) or not self._join(line, place, weight, is_empty=is_empty):
                seen[line.case_id] = place
        for gold_id, (place, weight) in shared.items():  # an output's line of its own id wins
            for position in named[gold_id]:
                if entries.gold[position] is None:
                    entries.join(position, place, weight, gold_id)
        if seen or shared or len(problems) == before or any(entries.gold.lines):  # else the file as a whole is the problem
            self._report_missing(path)

    def _is_gold_of_named(self, line: GoldLine, place: Place) -> bool:
        """Checks a gold line as that of every output that names it."""
        before = len(self.problems)
        for name in sorted({self.entries.capabilities[n] for n in self.named[line.case_id]}):
            self._check_gold(line, capability_of(name), place)
        if len(self.problems) > before:
            self.wrong.setdefault(line.case_id, None)
        return len(self.problems) == before

    def _report_missing(self, path: Path) -> None:
        """Outputs that no gold line belongs to."""
        missing = [n for n in _chosen(self.entries, *self.sources.only) if self.entries.gold.lines[n] == 0]
        gold_ids = {position: gold_id for gold_id, positions in self.named.items() for position in positions} if missing else {}
        for position in missing:
            entry, gold_id = self.entries[position], gold_ids.get(position, "")
            if entry.batch is not None and not {"", entry.case_id, gold_id} & self.wrong.keys():
                other = f", and neither has {gold_id!r}, which its metadata names" if gold_id else ""
                message = f"case {entry.case_id!r} has no gold line in {path}{other}: add one, or judge with --no-gold"
                self._fault(entry.batch, "case_id", message)

    def _join(self, line: GoldLine, place: Place, weight: Fraction, *, is_empty: bool) -> bool:
        """Checks a gold line and gives it to its case; False when no case took it."""
        known = self.entries.ids.find(line.case_id)
        is_refused = known is None and line.case_id in self.wrong
        if known is None and not is_refused and not self.sources.is_partial:
            if not is_empty and "" not in self.wrong:
                message = f"gold for case {line.case_id!r}, which the batch does not hold: remove it, or allow it with --partial"
                self._fault(place, "case_id", message)
            return False
        before = len(self.problems)
        name = self.entries.capabilities[known] if known is not None else self.wrong.get(line.case_id) or self._capability_of(line, place)
        if name is not None:
            self._check_gold(line, capability_of(name), place)
        if name is None or len(self.problems) > before or is_refused:
            self.wrong.setdefault(line.case_id, name)
            return False
        if known is not None:
            self.entries.join(known, place, weight)
        else:
            self.entries.add(line.case_id, name, (), weight, None, place)
        return True

    def _capability_of(self, line: GoldLine, place: Place) -> str | None:
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
        self._fault(place, "gold", message)
        return None

    def _check_gold(self, line: GoldLine, capability: Capability, place: Place) -> None:
        if (parsed := _parse(line.gold, capability.gold, place, self.problems, "gold")) is not None:
            for path, message in [*capability.gold_gaps(parsed), *criteria_faults(line.criteria, capability, parsed)]:
                self._fault(place, path, message)


def index_cases(sources: Sources) -> CaseIndex:
    """Checks all inputs. Raises InputError with every problem found (the first 500)."""
    problems: list[Problem] = []
    if not sources.documents.is_dir():
        problems.append(Problem(str(sources.documents), None, "", "is not a folder; give the folder of the PDFs with --documents"))
    checked = _Checked(sources, DocumentsFolder(sources.documents), problems)
    hashes = {"batch": _hash(sources.batch, problems)}
    checked.add_batch()
    if sources.gold is not None and len(problems) < MAX_PROBLEMS:
        hashes["gold"] = _hash(sources.gold, problems)
        checked.add_gold(sources.gold)
    if problems:
        raise InputError(_once_a_document(dict.fromkeys(problems))[:MAX_PROBLEMS])
    return CaseIndex(sources, checked.folder, checked.entries, hashes, tuple(checked.unused))
