"""Where each case stands in the batch file, relative to the root of the repository: what code scanning can open and link to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.errors import Problem
from judge.inputs.files import places_of
from judge.inputs.place import Place
from judge.results.reading import Results


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """One case's entry: file with forward slashes, first and last line from 1, column behind its last character (from 1)."""

    file: str
    line: int
    end_line: int
    end_column: int


def batch_places(results: Results, environment: Mapping[str, str] = os.environ) -> dict[str, BatchPlace]:
    """The place of every case. Without the batch at hand a case stands on the line that its position in the run gives."""
    named = Path(str((results.run.get("inputs") or {}).get("batch") or "batch.jsonl"))
    root = _root(named, environment)
    places = {case.case_id: BatchPlace(_relative(named, root), n, n, 2) for n, case in enumerate(results.cases, 1)}
    problems: list[Problem] = []  # a batch that cannot be read any more only leaves its cases where they are
    for place, data in places_of(named, problems) if named.exists() else ():
        case_id = _case_id(data)
        if case_id in places:
            places[case_id] = _place(place, data, root)
    return places


def _case_id(data: bytes) -> str:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ""
    return str(found.get("case_id", "")) if isinstance(found, dict) else ""


def _place(place: Place, data: bytes, root: Path) -> BatchPlace:
    lines = data.decode("utf-8", "replace").rstrip().split("\n")
    return BatchPlace(_relative(place.path, root), place.line, place.line + len(lines) - 1, len(lines[-1]) + 1)


def _root(batch: Path, environment: Mapping[str, str]) -> Path:
    """The root of the repository that the batch is in; the working folder outside of one."""
    if workspace := environment.get("GITHUB_WORKSPACE"):
        return Path(workspace).absolute()
    found = next((folder for folder in batch.absolute().parents if (folder / ".git").exists()), None)
    return found or Path.cwd()


def _relative(path: Path, root: Path) -> str:
    """The path from the root; the bare name of a file that is outside, since no viewer could open it."""
    try:
        return path.absolute().relative_to(root).as_posix()
    except ValueError:
        return path.name or "batch.jsonl"
