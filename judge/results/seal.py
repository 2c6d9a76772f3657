"""The seal of a result folder: hashes of all that a run wrote, in run.json. It is no signature; it shows what was changed since.
Files that only grow (verdicts, labels, questions) are sealed as far as they went: what people said since may stand behind."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, NonNegativeInt, ValidationError

from judge.disk import write_atomically
from judge.errors import InputError, Problem
from judge.results.folder import (
    CASES,
    DRAWS,
    EXCEPTIONS,
    OVERLAP,
    QUESTIONS,
    REPORTS,
    REVIEWERS,
    RUN,
    SEAL,
    SPENDING,
    SUMMARY,
    VERDICTS,
    WRITTEN,
    read_run,
    scan,
)
from judge.results.growth import GROWTH, Prefix

GONE = "is gone"
_READ = frozenset({RUN, VERDICTS, QUESTIONS, CASES, SUMMARY, EXCEPTIONS})  # what gates, reports and calibration records are made of
_GONE_ON_WITH = frozenset({RUN, VERDICTS, QUESTIONS, SPENDING})  # what a run that is taken up again goes on from


class _File(BaseModel):
    bytes: NonNegativeInt
    sha256: str


class _Seal(BaseModel):
    run: str
    files: dict[str, _File]


def seal(folder: Path, reports: Iterable[str] = (), told: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Seals the files of a run as they are now. reports: names of those that were written; told: what else run.json keeps from now on."""
    if not (folder / RUN).exists():
        return
    run = read_run(folder)
    kept = _changed_labels(folder, run.pop(SEAL, None))
    run |= told
    if names := sorted({*run.get(REPORTS, ()), *reports}):
        run[REPORTS] = names
    _write(folder, run, _run_hash(run), {name: _sealed(folder / name) for name in _files(folder, run)} | kept)
    (folder / GROWTH).unlink(missing_ok=True)


def seal_labels(folder: Path, wanted: str = "") -> None:
    """Seals what people labelled, of which questions and how often it was used, as far as it went; of all else the seal stays. wanted: one
    of these files, "" for all."""
    if (folder / RUN).exists() and (found := (run := read_run(folder)).pop(SEAL, None)) is not None:
        names = (name for name in _files(folder, run) if _grows_after(name) and wanted in ("", name))
        fresh = {name: _sealed(folder / name) for name in names} | _changed_labels(folder, found)
        _write(folder, run, found["run"], {**found["files"], **fresh})


def _changed_labels(folder: Path, found: Any) -> dict[str, Any]:
    """The seals of label files that are not what they were: lines are added to such a file and never changed, so that no later seal may
    hide it."""
    with contextlib.suppress(ValidationError):
        files = _Seal.model_validate(found).files
        labels = {n: file for n, file in files.items() if _is_label_file(n) and n.endswith(".jsonl") and (folder / n).is_file()}
        return {n: file.model_dump() for n, file in labels.items() if hash_of(folder / n, file.bytes) != file.sha256}
    return {}


def _sealed(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": hash_of(path)}


def _write(folder: Path, run: dict[str, Any], hashed: str, files: Mapping[str, Any]) -> None:
    run[SEAL] = {"run": hashed, "files": files}
    write_atomically(folder / RUN, [json.dumps(run, ensure_ascii=False, indent=1, default=str)])


def reseal(folder: Path, reports: Iterable[str] = (), told: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Seals a folder anew that was sealed, as its run alone does for the first time: what nobody vouched for gets no seal."""
    if (folder / RUN).exists() and read_run(folder).get(SEAL) is not None:
        seal(folder, reports, told)


def broken(folder: Path) -> Iterator[tuple[str, str]]:
    """(file, what is wrong) of every file that is not as it was sealed; a folder without a seal has nothing to be held against."""
    run = read_run(folder)
    if (found := run.pop(SEAL, None)) is None:
        return
    try:
        sealed = _Seal.model_validate(found)
    except ValidationError:
        yield RUN, "was changed"  # no run writes such a seal
        return
    if _run_hash(run) != sealed.run:
        yield RUN, "was changed"
    for name, file in sealed.files.items():
        path = folder / name
        if not path.is_file():
            yield name, GONE
        elif hash_of(path, file.bytes) != file.sha256:
            yield name, "was changed"
        elif path.stat().st_size > file.bytes and not (_grows_after(name) or _are_peoples(path, file.bytes)):
            yield name, "has more behind what was sealed"
    for name in _files(folder, run):
        if name not in sealed.files and not _grows_after(name):
            yield name, "was not there when the folder was sealed"


def check_seal(folder: Path, *, with_labels: bool = False) -> None:
    """Raises InputError where what gates, reports and calibration records are made of is not what the run wrote. with_labels: nor what
    people said at its page."""
    if (run := read_run(folder)).get(SEAL) is None and "ending" in run:
        raise InputError([Problem(str(folder / RUN), None, "", "has no seal: the same `judge run` goes on with the folder and seals it")])
    advice = "no gate, report or record is made of it: see `judge verify`, and judge again"
    _refuse_broken(folder, lambda name: name in _READ or (with_labels and _grows_after(name)), advice)


def check_going_on(folder: Path) -> None:
    """Raises InputError where a run that is to be taken up again is not as it was sealed."""
    if (folder / RUN).exists():
        advice = "no run goes on from it: put the files back as they were, or judge again with --fresh or another --out"
        _refuse_broken(folder, _GONE_ON_WITH.__contains__, advice)


def _refuse_broken(folder: Path, is_wanted: Callable[[str], bool], advice: str) -> None:
    by = {True: "it was labelled", False: "the run wrote it"}
    found = [(name, f"{what} since {by[_grows_after(name)]}") for name, what in broken(folder) if is_wanted(name)]
    if found:
        raise InputError([*(Problem(str(folder / name), None, "", told) for name, told in found), Problem(str(folder), None, "", advice)])


def decided_since(folder: Path) -> bool:
    """Whether people decided items since the folder was sealed, so that gates and reports are those of before."""
    with contextlib.suppress(ValidationError):
        sealed = _Seal.model_validate(read_run(folder).get(SEAL) if (folder / RUN).exists() else None).files.get(VERDICTS)
        return sealed is not None and (folder / VERDICTS).stat().st_size > sealed.bytes
    return False


def _is_label_file(name: str) -> bool:
    return name.startswith("labels") and name.endswith((".jsonl", ".jsonl.uses"))


def _grows_after(name: str) -> bool:
    """Whether labelling writes it into a finished run: what people said, and what was drawn for them to say it of."""
    return name == DRAWS or _is_label_file(name)


def _are_peoples(path: Path, start: int) -> bool:
    return path.name == VERDICTS and all(line.get("decided_by") == "human" for _, _, line, offset in scan(path) if offset >= start)


def _files(folder: Path, run: Mapping[str, Any]) -> list[str]:
    known = {*WRITTEN, EXCEPTIONS, OVERLAP, REVIEWERS, *run.get(REPORTS, ())}
    return sorted(one.name for one in folder.iterdir() if one.is_file() and (one.name in known or _is_label_file(one.name)))


def _run_hash(run: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(run, sort_keys=True, default=str).encode("utf-8", "backslashreplace")).hexdigest()


def hash_of(path: Path, size: int | None = None) -> str:
    """SHA-256 of a file, or of its first bytes. Raises OSError."""
    return Prefix(path).at(size)
