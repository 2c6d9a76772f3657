"""What the gold of every capability is made and checked with: tasks for a person, and whether the documents have what gold says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from deterministic.pdf.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS
from judge.capabilities import Choice, Fault, GoldAnswer, GoldPath, GoldTask
from judge.capabilities.wording import has_words
from judge.cases import Citation, Cited
from judge.errors import shown

CONFIRM, CORRECT, ABSENT, NONE = "confirm", "correct", "absent", "none"
Documents = Mapping[str, Document]


def gold_task(path: GoldPath, question: str, shown: Any, choices: Sequence[Choice], cited: Cited | None = None) -> GoldTask:
    """A task of one reported thing."""
    return GoldTask(path, question, shown, tuple(choices), cited.claims if cited is not None else ())


def plain(model: BaseModel) -> Any:
    """A model as JSON values without what is not given."""
    return model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def pretty(value: Any) -> str:
    """JSON that a person reads and edits."""
    return json.dumps(value, ensure_ascii=False, indent=1)


def json_choices(draft: Any, absent: str) -> list[Choice]:
    """The choices for an object that was reported: right, corrected as JSON, or none such."""
    return [
        Choice(CONFIRM, "Right as reported"),
        Choice(CORRECT, "Right is (JSON, Ctrl+Enter saves)", needs_text=True, draft=pretty(draft)),
        Choice(ABSENT, absent),
    ]


def missing_choices(example: Any) -> list[Choice]:
    """The choices for what the output may have missed."""
    return [
        Choice(NONE, "Nothing is missing"),
        Choice(CORRECT, "Missing (a JSON list, Ctrl+Enter saves)", needs_text=True, draft=pretty([example])),
    ]


def chosen(reported: dict[str, Any], answer: GoldAnswer) -> dict[str, Any] | None:
    """The reported object, the person's own, or None for absent."""
    if answer.value == ABSENT:
        return None
    return dict(json.loads(answer.text)) if answer.value == CORRECT else reported


def added(answer: GoldAnswer) -> list[dict[str, Any]]:
    """What a person found missing."""
    return list(json.loads(answer.text)) if answer.value == CORRECT else []


def words_faults(text: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A figure or wording that must stand in the text: by its words, else by the amount, rate or ratio in it."""
    if text is None or any(has_words(document.text, text) for document in documents.values()):
        return
    if not any(KINDS[kind].occurs(text, document) for kind in ("money", "rate", "period", "date") for document in documents.values()):
        yield path, f"{shown(text)} stands nowhere in {named(documents)}"


def citation_faults(gold: Cited, path: str, documents: Documents) -> Iterator[Fault]:
    """Cited documents, pages, sections and quotes that are not there."""
    for n, claim in enumerate(gold.claims):
        place = f"{path}.citation" if gold.citation is not None else f"{path}.citations[{n}]"
        yield from _citation(claim, place, documents)


def _citation(claim: Citation, path: str, documents: Documents) -> Iterator[Fault]:
    if claim.document is not None and claim.document not in documents:
        yield f"{path}.document", f"{claim.document!r} is none of the case's documents ({named(documents)})"
        return
    searched = [documents[claim.document]] if claim.document else list(documents.values())
    if isinstance(claim.page, int) and not any(1 <= claim.page <= len(document.pages) for document in searched):
        yield f"{path}.page", f"there is no physical page {claim.page} in {named(documents)}"
    if claim.section and not any(d.clauses.find(claim.section).status in ("found", "empty") for d in searched):
        yield f"{path}.section", f"{claim.section!r} is no provision of {named(documents)}"
    if claim.quote and not any(_stands(document, claim) for document in searched):
        yield f"{path}.quote", f"the quote does not stand in {named(documents)}"


def _stands(document: Document, claim: Citation) -> bool:
    hint = claim.page if isinstance(claim.page, int) else None
    return find_quote(document, claim.quote or "", page_hint=hint, lower=100.0, upper=100.0).verdict in ("exact", "normalised")


def section_faults(section: str, name: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A provision that a document must have: the named one, or any of the case."""
    if name is not None and name not in documents:
        yield path, f"{name!r} is none of the case's documents ({named(documents)})"
        return
    searched = [documents[name]] if name else list(documents.values())
    if not any(document.clauses.find(section).status == "found" for document in searched):
        yield path, f"{section!r} is no provision of {named(documents)}"


def named(documents: Documents) -> str:
    """The documents by name, for a message."""
    return ", ".join(documents)
