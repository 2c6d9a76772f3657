"""Right outputs and the faults planted in them, read from data/: a base is a document (with the others of its deal) and its outputs.

`NAME.cases.jsonl`: the document on the first line, then a right output with its gold a line, as a careful reader took
it out of the agreement. `NAME.planted.jsonl`: a fault, or another right notation, a line: what changes in which case,
the item that carries it and the label that the standard gives it. The labels follow from how a fault was made; that a
wrong value stands elsewhere or nowhere was looked up by plain text search. They were written by program before the
rules of today. Four kinds were relabelled after a run, by docs/design, not before it: an invented rating and an amended amount
with words beside it may fail, an ellipsis over a limiter needs no finding, a schedule by a name that is not there no provenance word.
"""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.planted.word_file import write_agreement
from deterministic.documents.documents import Document, open_document

DATA = Path(__file__).parent / "data"
SAMPLE = Path(__file__).parents[2] / "judge" / "samples" / "deal" / "documents"
NEEDS_SOURCES = ("profrac",)
"""Bases whose agreements are third parties' and not part of the repository."""


@dataclass(frozen=True)
class BaseCase:
    """One right output with its gold, as they would stand in the input files."""

    case_id: str
    capability: str
    documents: tuple[str, ...]
    input: dict[str, Any]
    output: dict[str, Any]
    gold: dict[str, Any]


@dataclass(frozen=True)
class Planted:
    """One output with one fault, or right in another notation, and what the standard makes of the item that carries it.
    expected: the label by construction, several ("fail or hallucination") where the standard leaves them, "full" where nothing may be lost.
    code: a finding that must be there, "" when none is asked for. provenance: the overall word, "" when it is not fixed. verdicts: what a
    judge says to questions that the right output does not raise (rubric -> verdict). touches_others: the fault changes other items too."""

    group: str
    kind: str
    base: str
    case: BaseCase
    item: str
    expected: str
    code: str = ""
    provenance: str = ""
    tranche: str | None = None
    touches_others: bool = False
    verdicts: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.expected.split(" or "))


@dataclass(frozen=True)
class Base:
    """Documents, right outputs of all capabilities on them, and what was planted."""

    name: str
    documents: Mapping[str, Document]
    cases: Mapping[str, BaseCase]
    planted: tuple[Planted, ...]

    def slice(self, most: int) -> Iterator[Planted]:
        """At most so many of each kind, the first ones of the file: the same every time."""
        counts: dict[tuple[str, str], int] = {}
        for one in self.planted:
            key = (one.group, one.kind)
            counts[key] = counts.get(key, 0) + 1
            if counts[key] <= most:
                yield one


def read_base(name: str, cache: Path, sources: Path | None = None) -> Base:
    """A base by its name. `sources`: the folder of the agreements that the repository does not hold."""
    head, *cases = _lines(DATA / f"{name}.cases.jsonl")
    paths = [_document(head, document, cache, sources) for document in head["documents"]]
    read = {line["case_id"]: BaseCase(**{**line, "documents": tuple(line["documents"])}) for line in cases}
    planted = tuple(_planted(name, read, line) for line in _lines(DATA / f"{name}.planted.jsonl"))
    return Base(name, {path.name: open_document(path, cache_dir=cache) for path in paths}, read, planted)


def _document(head: Mapping[str, Any], name: str, cache: Path, sources: Path | None) -> Path:
    if name.endswith(".docx"):
        cache.mkdir(parents=True, exist_ok=True)
        return write_agreement(cache / name)
    if head["name"] not in NEEDS_SOURCES:
        return SAMPLE / name
    if sources is None:
        raise ValueError(f"the base {head['name']} needs the folder of its agreement")
    return sources / name


def _planted(base: str, cases: Mapping[str, BaseCase], line: dict[str, Any]) -> Planted:
    case, changes = cases[line.pop("case")], line.pop("changes")
    documents = tuple(line.pop("documents", case.documents))
    parts = {name: _changed(getattr(case, name), changes.get(name, ())) for name in ("input", "output", "gold")}
    return Planted(base=base, case=BaseCase(case.case_id, case.capability, documents, **parts), **line)


def _changed(content: Any, changes: Any) -> Any:
    """A copy with each [path, value] set; a [path] alone is taken out."""
    copy = deepcopy(content)
    for path, *value in changes:
        *steps, last = path
        holder = copy
        for step in steps:
            holder = holder[step]
        if value:
            holder[last] = value[0]
        else:
            del holder[last]
    return copy


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
