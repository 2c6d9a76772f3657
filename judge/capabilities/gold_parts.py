"""What the gold of every capability is made and checked with: tasks for a person, and whether the documents have what gold says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from deterministic.citations.section_claims import read_section_claim
from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS
from judge.capabilities import Choice, Fault, GoldAnswer, GoldPath, GoldTask
from judge.capabilities.cases import Citation, Cited
from judge.capabilities.gold_forms import Input, filled, read_form
from judge.capabilities.wording import has_words
from judge.printing import quoted

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


def described(value: Any) -> str:
    """What was reported as lines that a person reads; citations are shown beside it."""
    if not isinstance(value, Mapping):
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    given = {key: entry for key, entry in value.items() if key not in ("citation", "citations") and entry not in (None, [], ())}
    return "\n".join(_line(key, entry) for key, entry in given.items())


def _line(key: str, value: Any) -> str:
    name = key.replace("_", " ").capitalize()
    if isinstance(value, bool):
        return f"{name}: {'yes' if value else 'no'}"
    if not isinstance(value, list | tuple):
        return f"{name}: {value}"
    entries = ("; ".join(described(entry).splitlines()) for entry in value)
    return "\n".join([f"{name}:", *(f"  {entry}" for entry in entries)])


def flat_place(found: dict[str, Any]) -> dict[str, Any]:
    """A reported object as its form has it: document, page and section of its first citation on lines of their own."""
    cited: Mapping[str, Any] = found.get("citation") or next(iter(found.get("citations") or ()), {})
    place = {key: cited[key] for key in ("document", "page", "section") if key in cited}
    return {**{key: value for key, value in found.items() if key not in ("citation", "citations")}, **place}


def form_choices(inputs: Sequence[Input], draft: Mapping[str, Any], absent: str = "") -> list[Choice]:
    """The choices for an object that was reported: right, corrected in a form, or none such."""
    found = [Choice(CONFIRM, "Right as reported"), Choice(CORRECT, "Correct it", form=filled(inputs, draft))]
    return [*found, Choice(ABSENT, absent)] if absent else found


def missing_choices(inputs: Sequence[Input], noun: str) -> list[Choice]:
    """The choices for what the output may have missed."""
    several = Input("missing", f"Missing {noun}s", "forms", inner=tuple(inputs), is_needed=True)
    return [Choice(NONE, "Nothing is missing"), Choice(CORRECT, f"Add a missing {noun}", form=(several,))]


def form_of(tasks: Sequence[GoldTask], path: GoldPath) -> tuple[Input, ...]:
    """The form of a task's correction."""
    return next(choice.form for task in tasks if task.path == path for choice in task.choices if choice.value == CORRECT)


def chosen(reported: dict[str, Any], answer: GoldAnswer, form: Sequence[Input]) -> dict[str, Any] | None:
    """The reported object, the person's own, or None for absent. Raises ValueError for a form that is not filled in right."""
    if answer.value == ABSENT:
        return None
    return read_form(form, json.loads(answer.text)) if answer.value == CORRECT else reported


def added(answer: GoldAnswer, form: Sequence[Input]) -> list[dict[str, Any]]:
    """What a person found missing. Raises ValueError."""
    return list(read_form(form, json.loads(answer.text))["missing"]) if answer.value == CORRECT else []


def words_faults(text: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A figure or wording that must stand in the text: by its words, else by the amount, rate or ratio in it; of several figures in words
    of gold's own (a step-down, an alternative) each one."""
    if text is not None and not any(_holds(document, text) for document in documents.values()):
        yield path, f"{quoted(text)} is not in {named(documents)}"


_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*(?:\s+to\s+\d+(?:\.\d+)?)?%?")


def _holds(document: Document, text: str) -> bool:
    if has_words(document.text, text) or any(KINDS[kind].occurs(text, document) for kind in ("money", "rate", "period", "date")):
        return True
    figures = _FIGURE.findall(text)
    return len(figures) > 1 and all(has_words(document.text, figure) for figure in figures)


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
    paged = [document for document in searched if document.paging == "physical"]
    if isinstance(claim.page, int) and paged and not any(1 <= claim.page <= len(document.pages) for document in paged):
        yield f"{path}.page", f"there is no physical page {claim.page} in {named(documents)}"
    if claim.section and _is_missing(claim.section, searched):
        yield f"{path}.section", f"{claim.section!r} is no provision of {named(documents)}"
    if claim.quote and not any(_stands(document, claim) for document in searched):
        yield f"{path}.quote", f"the quote does not stand in {named(documents)}"


def _is_missing(section: str, documents: Sequence[Document]) -> bool:
    """No document has the provision, said only where their numbering is sure of it."""
    return all(read_section_claim(section, document).status == "fabricated" for document in documents)


def _stands(document: Document, claim: Citation) -> bool:
    hint = claim.page if isinstance(claim.page, int) else None
    return find_quote(document, claim.quote or "", page_hint=hint, lower=100.0).verdict in ("exact", "normalised")


def section_faults(section: str, name: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A provision that a document must have: the named one, or any of the case."""
    if name is not None and name not in documents:
        yield path, f"{name!r} is none of the case's documents ({named(documents)})"
        return
    searched = [documents[name]] if name else list(documents.values())
    if _is_missing(section, searched):
        yield path, f"{section!r} is no provision of {named(documents)}"


def named(documents: Documents) -> str:
    """The documents by name, for a message."""
    return ", ".join(documents)
