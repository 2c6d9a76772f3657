"""The result folder on disk (docs/contract/formats.md): written as it happens, resumed after a kill, read back case by case.
verdicts.jsonl is the source of truth and only ever grows: all lines of one case are appended in one write, each saying how many items the
case has (`case_items`), so a case that was cut off is recognised. Everything else is rebuilt and put in place by an atomic rename."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from calibration.label_files.labels import moment
from calibration.strict_json import loads
from judge.disk import append, locked, open_atomically, read_json, to_json, write_atomically
from judge.errors import InputError, Problem, UsageError
from judge.inputs.table import IdIndex, Marks, Numbers
from judge.printing import quoted, say
from judge.records import RIGHT, Item, JudgedCase, NonOutcome, Said
from judge.results.decisions import binding, can_become, certified
from judge.results.growth import GROWTH, Growth
from judge.results.lines import CaseResult, JsonLine, asked_lines, case_of, fault_of, item_of, lines_of_case, wrong_part
from rubrics.named_file import lines_of, open_named

RUN, VERDICTS, CASES, SUMMARY, REVIEW = "run.json", "verdicts.jsonl", "cases.jsonl", "summary.json", "review.jsonl"
QUESTIONS = "questions.jsonl"  # what a model was asked and said, with all texts: people label a sample of it (`judge label`)
DRAWS = "draws.jsonl"  # which of these questions were drawn for people to label: ids, design, seed and time of each step
EXCEPTIONS = "gate-exceptions.jsonl"  # accepted deviations, as the gates were last applied with them
LABELS = "labels.jsonl"  # what people said, where no other file is named
OVERLAP = "overlap.json"  # how many people must agree, as last asked for
REVIEWERS = "reviewers.json"  # the names of who may decide, where a reviewers' file was given
BATCHES = "batches"  # folder: what a run in batch mode sent and waits for
SPENDING = "spending.jsonl"  # what the judge's calls cost, written as it happens
WRITTEN = (VERDICTS, QUESTIONS, DRAWS, SPENDING, CASES, SUMMARY, REVIEW)
SEAL = "seal"  # in run.json: hashes of all that the run wrote
REPORTS = "reports"  # in run.json: the names of the reports that were written
SIGN_OFF_PAGE = "sign-off.html"
REPORT_FILES = ("report.html", "junit.xml", "results.sarif", "summary.md", SIGN_OFF_PAGE)  # every report: a fresh run takes it away
REDACTED = "redacted"  # folder: the reports without the documents' texts
SYNC_BYTES = 1 << 20


def read_run(folder: Path) -> dict[str, Any]:
    """run.json of a result folder, its parts of the types that a run writes. Raises InputError."""
    found = read_json(folder / RUN)
    for key, value in found.items():
        kind = dict if key in _RUN_OBJECTS else str if key in _RUN_TEXTS else object
        parts = value if key == REPORTS else value.values() if key == "inputs" and isinstance(value, dict) else ()
        is_right = (isinstance(parts, list) or key != REPORTS) and all(isinstance(part, str) for part in parts)
        if key == "started_at" and isinstance(value, str):
            is_right = moment(value) is not None
        if not is_right or (value is not None and not isinstance(value, kind)):
            raise InputError([Problem(str(folder / RUN), None, key, f"is {quoted(value)}, which no run writes; start over with --fresh")])
    return found


@contextlib.contextmanager
def as_written(path: Path, what: str = "", remedy: str = "") -> Iterator[None]:
    """While values of a file that a run wrote are taken: one that was edited so that they cannot be is an InputError."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError) as error:
        message = f"{what}is not what a run writes ({fault_of(error)}){remedy}"
        raise InputError([Problem(str(path), None, "", message)]) from None


class ResultFolder:
    """One run's folder, open for appending. Use as a context manager; a second process is refused."""

    def __init__(self, path: Path) -> None:
        self.path, self.verdicts = path, path / VERDICTS
        self._verdicts: IO[bytes] | None = None
        self._growth = self._new_growth()
        self._lock = contextlib.ExitStack()
        self._unsynced = 0
        self._documents: Mapping[str, str] = {}  # the hash of each, by name
        self.before: dict[str, Any] = {}  # run.json of the run that is resumed
        self.kept: dict[str, list[bytes]] = {}  # people's lines of cases that are judged again

    def _new_growth(self) -> Growth:
        return Growth(self.path / VERDICTS, self.path / QUESTIONS)

    def __enter__(self) -> "ResultFolder":
        if self.path.resolve().parent == self.path.resolve():
            raise UsageError(f"{self.path}: a run's files do not go to the root of the disk; give a folder as --out")
        known = (*WRITTEN, RUN, GROWTH, EXCEPTIONS, LABELS, OVERLAP, REVIEWERS, BATCHES, REDACTED)
        if linked := [name for name in known if (self.path / name).is_symlink()]:
            raise UsageError(f"{self.path}: {', '.join(linked)} is a link; a run writes into its own files alone: take it away")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.enter_context(locked(self.path / ".lock", waits=False))
        except BlockingIOError:
            raise UsageError(f"{self.path}: another run is writing here, or a label page is open; wait, or give another --out") from None
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._verdicts is not None:
            self._sync()
            self._verdicts.close()
        self._lock.close()

    def start(self, run: Mapping[str, Any], *, is_fresh: bool) -> Marks:
        """Begins or resumes; returns the ids of finished cases. run: the content of run.json; its `identity` must equal that of the run
        that is in the folder, else UsageError names what changed."""
        if not (self.path / RUN).exists() and (held := [n for n in (*WRITTEN, *REPORT_FILES) if (self.path / n).exists()]):
            raise UsageError(f"{self.path}: holds {', '.join(held)} but no {RUN}, so no run wrote it; give another --out, or move it away")
        if is_fresh:
            reports = {*REPORT_FILES, *self._reports()}
            for name in (*WRITTEN, *reports, *(f"{REDACTED}/{name}" for name in reports), GROWTH, RUN):
                (self.path / name).unlink(missing_ok=True)
            shutil.rmtree(self.path / BATCHES, ignore_errors=True)
            if (self.path / LABELS).exists():
                taken = f"`judge label {self.path}` takes up what was said of items that come out as before"
                say(f"{self.path / LABELS} stays: {taken}; the rest is old")
        if (self.path / RUN).exists():
            self._take_up(run["identity"])
        kept, self._documents = self.kept_facts, run.get("documents") or {}
        (self.path / EXCEPTIONS).unlink(missing_ok=True)  # a run sums up anew, with its own
        write_atomically(self.path / RUN, [json.dumps({**run, **kept}, ensure_ascii=False, indent=1)])
        finished = self._repair() if self.verdicts.exists() else Marks()
        self._growth = self._new_growth()
        self._growth.note()
        self._verdicts = open_named(self.verdicts, "ab")
        return finished

    @property
    def kept_facts(self) -> dict[str, Any]:
        """What run.json keeps of the run that is resumed."""
        return {key: self.before[key] for key in ("run_id", REPORTS, "sign_off") if key in self.before}

    def _reports(self) -> list[str]:
        """The reports of the run that is in the folder, by its run.json: another version's too."""
        try:
            return [name for name in read_run(self.path).get(REPORTS) or () if Path(name).name == name]
        except (InputError, TypeError):
            return []  # none, or damaged: it is written anew

    def _take_up(self, identity: Mapping[str, Any]) -> None:
        """The run before: what it does not vouch for goes, so that it is judged again; a sealed one was held against its seal."""
        self.before = read_run(self.path)
        before = self.before.get("identity") or {}
        if changed := sorted(key for key in before.keys() | identity.keys() if before.get(key) != identity.get(key)):
            keeps = f"; `judge gate {self.path} --exceptions FILE` keeps the run" if changed == ["exceptions"] else ""
            raise UsageError(
                f"{self.path}: holds a run with other {', '.join(changed)}; start over with --fresh or give another --out{keeps}"
            )
        if self.before.get(SEAL) is not None:
            self._growth.note()
        elif left := self._growth.cut():
            say(f"{self.verdicts}: {left:,} bytes are not as the run before wrote them, or were cut off; their cases are judged again")

    def _repair(self) -> Marks:
        """Finished cases; lines of the others (cut off, provisional, with a judge error) are dropped so that they are judged again. What
        people said of those stays, and is repeated behind the new lines, because the last line counts."""
        finished = _finished_cases(self.verdicts)
        if len(finished) < finished.known or not _ends_whole(self.verdicts):
            with open_atomically(self.verdicts) as file:
                for case_id, raw, line, _ in scan(self.verdicts):
                    is_human = line.get("decided_by") == "human"
                    if case_id in finished or is_human:
                        file.write(raw.decode())
                    if case_id not in finished and is_human:
                        self.kept.setdefault(case_id, []).append(raw)
        return finished

    def append(self, case: JudgedCase) -> None:
        """Adds the lines of all items of one case in one write."""
        if self._verdicts is None or not case.items:
            return
        lines = lines_of_case(case, self._documents)
        data = "".join(to_json({**line, "case_items": len(lines)}) + "\n" for line in lines).encode()
        data += b"".join(self.kept.pop(case.items[0].case_id, ()))
        if asked := asked_lines(case):
            append(self.path / QUESTIONS, *asked, is_durable=False)
        self._verdicts.write(data)
        self._verdicts.flush()
        self._growth.note()
        self._unsynced += len(data)
        if self._unsynced >= SYNC_BYTES:
            self._sync()

    def _sync(self) -> None:
        if self._verdicts is not None and self._unsynced:
            os.fsync(self._verdicts.fileno())
            self._unsynced = 0


def scan(path: Path) -> Iterator[tuple[str, bytes, JsonLine, int]]:
    """(case id, bytes, line, offset) of every whole line. Raises InputError for a line that is no verdict; a torn last one is left out."""
    offset = 0
    for number, raw in enumerate(lines_of(path), 1):
        if raw.endswith(b"\n") and raw.strip():
            line = _read_line(path, raw, number)
            yield line["case_id"], raw, line, offset
        offset += len(raw)


def _read_line(path: Path, raw: bytes, number: int) -> JsonLine:
    """A line of the folder's own files, held against what a run writes: an edited file must not become a score. Raises InputError."""
    try:
        line = loads(raw)
        if path.name == VERDICTS:
            wrong = wrong_part(line)
        else:
            wrong = "" if isinstance(line, dict) and isinstance(line.get("case_id"), str) else "it has no case_id"
    except ValueError as error:
        wrong = f"it cannot be read: {error}"
    if wrong:
        raise InputError([Problem(str(path), number, "", f"is not a line that a run writes: {wrong}")])
    found: JsonLine = line
    return found


def _item(path: Path, line: JsonLine) -> Item:
    """Raises InputError for a line that was edited within one of its parts."""
    with as_written(path, f"case {quoted(line['case_id'])}, item {quoted(line['item'])}: "):
        return item_of(line)


def read_cases(folder: Path) -> Iterator[CaseResult]:
    """The lines of cases.jsonl. Raises InputError."""
    path = folder / CASES
    if not path.is_file():
        raise InputError([Problem(str(path), None, "", "is not there; is this a finished result folder of `judge run`?")])
    for case_id, _, line, _ in scan(path):
        with as_written(path, f"case {quoted(case_id)}: "):
            case = case_of(line)
        yield case


def _said(line: JsonLine) -> Said:
    others = tuple(_said(one) for one in line.get("others") or ())
    who, when, why, second = (str(line.get(key) or "") for key in ("who", "when", "why", "second"))
    return Said(line["outcome"], who, when, why, second, others)


_SETTLED = frozenset({"why_open", "open_point", "can_hallucinate", "exception"})  # without meaning once a person decides
_OPEN = (NonOutcome.UNDECIDED, NonOutcome.JUDGE_ERROR)


_RUN_OBJECTS = frozenset("inputs settings documents identity usage ending unreadable_documents timings judge sign_off".split())
_RUN_TEXTS = frozenset("started_at git_commit contract_version contract_file contract_hash documents_folder".split())


def _ends_whole(path: Path) -> bool:
    with open_named(path) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        return file.read(1) in (b"", b"\n")


def _finished_cases(path: Path) -> Marks:
    """Which cases are finished: all their lines are there, none provisional, and no judge error is the last word."""
    finished = Marks()
    errors: dict[str, set[tuple[str, str | None]]] = {}
    counted: dict[str, int] = {}
    for case_id, _, line, _ in scan(path):
        key = (line["item"], line.get("tranche"))
        if line["outcome"] == "judge_error":
            errors.setdefault(case_id, set()).add(key)
        elif case_id in errors:
            errors[case_id].discard(key)
        if "case_items" in line and line.get("decided_by") != "human":
            counted[case_id] = counted.get(case_id, 0) + 1
            is_whole = counted[case_id] >= line["case_items"] and not line.get("provisional")
            finished.mark(case_id, is_whole)
            if is_whole:
                del counted[case_id]
    for case_id in [case_id for case_id in finished if errors.get(case_id)]:
        finished.mark(case_id, False)
    return finished


class VerdictReader:
    """Reads verdicts.jsonl case by case in any order; keeps only where the lines stand."""

    def __init__(self, path: Path, label_scores: Mapping[str, Any]) -> None:
        self._path, self._label_scores = path, label_scores
        self._ids, self._starts = IdIndex(), Numbers()  # where a case's first run of lines begins
        self._later: dict[str, list[int]] = {}  # further runs of lines: people's verdicts
        self._file = open_named(path) if path.exists() else None
        before = ""
        for case_id, offset in _case_ids(path) if path.exists() else ():
            if case_id != before and case_id not in self._ids:
                self._ids.add(case_id)
                self._starts.append(offset)
            elif case_id != before:
                self._later.setdefault(case_id, []).append(offset)
            before = case_id

    def case(self, case_id: str) -> list[Item] | None:
        """The items of a case in the order first written, each as its last line has it. None for a case that was not judged."""
        if (number := self._ids.find(case_id)) is None:
            return None
        programs: dict[tuple[str, str | None], JsonLine] = {}
        said: dict[tuple[str, str | None], list[JsonLine]] = {}
        for line in self._lines(case_id, self._starts[number]):
            key = (line["item"], line.get("tranche"))
            if line.get("decided_by") == "human":
                said.setdefault(key, []).append(line)
            else:
                programs[key] = line
        items = {key: certified(_item(self._path, line)) for key, line in programs.items()}
        return [self._decided(item, programs[key], said[key]) if key in said else item for key, item in items.items()] or None

    def _decided(self, item: Item, line: JsonLine, said: Sequence[JsonLine]) -> Item:
        """An item with what people say of it: the last word on this very verdict counts, words on another one are shown as former ones."""
        contract, bound = self._contract_hash, [one for one in said if one.get("settles")]
        digest = binding(item, contract)
        former = tuple(_said(one) for one in bound if one["settles"] != digest)
        current = [one for one in said if one.get("settles", digest) == digest]
        item = replace(item, former=former)
        if not current or current[-1].get("withdrawn"):
            return item
        last = current[-1]
        score, label = self._score(last), last["outcome"]
        if item.is_waiting and (item.is_open if label in _OPEN else can_become(item, label, score)):
            return replace(_item(self._path, self._by_person(line, last, score)), before=item, settles=digest, former=former)
        return item if label in _OPEN or label == item.outcome else replace(item, correction=_said(last))

    @cached_property
    def _contract_hash(self) -> str:
        run = self._path.parent / RUN
        return str(read_run(run.parent).get("contract_hash") or "") if run.exists() else ""

    def _lines(self, case_id: str, start: int) -> Iterator[JsonLine]:
        for offset in (start, *self._later.get(case_id, ())):
            if self._file is None:
                return
            self._file.seek(offset)
            for raw in self._file:
                if not raw.strip():
                    continue
                if not raw.endswith(b"\n") or _id_written(raw) not in (case_id, None) or (line := self._line(raw))["case_id"] != case_id:
                    break
                yield line

    def _line(self, raw: bytes) -> JsonLine:
        try:
            return _read_line(self._path, raw, 0)
        except InputError:
            for _ in scan(self._path):  # which says the number of the line
                pass
            raise

    def _score(self, line: JsonLine) -> float | None:
        if line.get("score") is None and line["outcome"] in self._label_scores:
            return float(self._label_scores[line["outcome"]])
        score: float | None = line.get("score")
        return score

    def _by_person(self, before: JsonLine, line: JsonLine, score: float | None) -> JsonLine:
        """A person's verdict over the line that it replaces: what it does not say stays, what was open is settled."""
        before = {**before, **(before.get("uncertified") or {}), "uncertified": None}
        bounds = line.get("bounds") or ([score, score] if score is not None else before["bounds"])
        kept = {key: value for key, value in before.items() if line["outcome"] in _OPEN or key not in _SETTLED}
        found = kept.get("provenance")
        if score is not None and isinstance(found, dict) and found.get("open"):  # who calls an item right has looked at its citation
            closed = {key: value for key, value in found.items() if key != "open"}
            kept["provenance"] = {**closed, "complete": line["outcome"] in RIGHT}
        return {**kept, **{k: v for k, v in line.items() if v is not None}, "score": score, "bounds": bounds}

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()


def _case_ids(path: Path) -> Iterator[tuple[str, int]]:
    """(case id, offset) of every whole line."""
    offset = 0
    for number, raw in enumerate(lines_of(path), 1):
        if raw.endswith(b"\n") and raw.strip():
            yield _id_written(raw) or _read_line(path, raw, number)["case_id"], offset
        offset += len(raw)


_DECODER = json.JSONDecoder()


def _id_written(raw: bytes) -> str | None:
    """The case id of a line as we write it, without parsing what stands behind it; None for another line."""
    prefix = b'{"case_id": '
    try:
        text = raw[len(prefix) : len(prefix) + 4096].decode("utf-8", "replace")
        case_id = _DECODER.raw_decode(text)[0] if raw.startswith(prefix) else None
    except (ValueError, RecursionError):
        return None
    return case_id if isinstance(case_id, str) else None
