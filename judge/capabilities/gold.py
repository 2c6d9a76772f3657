"""What all gold is made and checked with: forms that a person fills in, tasks, and whether the documents have what gold says."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel

from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.section_claims import read_section_claim
from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values.figures import amounts, currency
from deterministic.values.time import dates
from judge.capabilities import Choice, Fault, GoldAnswer, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.cases import Citation, Cited
from judge.capabilities.figures import FIGURES, invented_figures
from judge.capabilities.wording import has_words
from judge.printing import quoted

CellKind = Literal["text", "lines", "choice", "yes_no", "page", "amount", "currency", "date", "effective_date", "forms"]


@dataclass(frozen=True, slots=True)
class Input:
    """One line of a form. lines: a list, one a line; forms: a list of forms made of `inner`. options: (value, title) of a choice; value:
    what stands there at first; only_for: shown only where the choice `kind` is one of these; is_needed: must be filled in."""

    name: str
    title: str
    kind: CellKind = "text"
    options: tuple[tuple[str, str], ...] = ()
    value: Any = None
    inner: "tuple[Input, ...]" = ()
    only_for: tuple[str, ...] = ()
    is_needed: bool = False
    hint: str = ""


def place_inputs(documents: Sequence[str], *, is_needed: bool = True) -> tuple[Input, ...]:
    """Where the person saw it. The page opens with the one that is shown; Word files have none to give."""
    is_paged = not all(name.casefold().endswith(".docx") for name in documents)
    which = Input("document", "Document", "choice", tuple((name, name) for name in documents))
    page = Input("page", "Page", "page", is_needed=is_needed and is_paged, hint="the page on which you see it")
    section = Input("section", "Section", hint="for example Clause 5.1(a)")
    return (*((which,) if len(documents) > 1 else ()), page, section)


def filled(inputs: Sequence[Input], draft: Mapping[str, Any]) -> tuple[Input, ...]:
    """The form with a draft in it."""
    return tuple(replace(line, value=draft[line.name]) if draft.get(line.name) is not None else line for line in inputs)


def read_form(inputs: Sequence[Input], given: Any) -> dict[str, Any]:
    """What a person filled in, without what is empty; the place as a `citation`. Raises ValueError naming the first line that is wrong."""
    if not isinstance(given, Mapping):
        raise ValueError("the form is empty")
    names = [line.name for line in inputs]
    if strange := [name for name in given if name not in names]:
        raise ValueError(f"{strange[0]}: there is no such line in the form")
    found: dict[str, Any] = {}
    for line in inputs:
        if line.only_for and found.get("kind") not in line.only_for:
            continue
        if (value := _read(line, given.get(line.name))) is not None:
            found[line.name] = value
        elif line.is_needed:
            raise ValueError(f"{line.title}: fill this in{f' ({line.hint})' if line.hint else ''}")
    place = {name: found.pop(name) for name in ("document", "page", "section") if name in found}
    return found | ({"citation": place} if place else {})


def _read(line: Input, value: Any) -> Any:
    """The value of one line; None when it is empty."""
    if line.kind == "forms":
        if value and not isinstance(value, list):
            raise ValueError("fill in at least one form")
        return [read_form(line.inner, entry) for entry in value] if value else None
    if line.kind == "yes_no":
        return {"yes": True, "no": False, True: True, False: False}.get(value)
    if line.kind == "lines":
        entries = value.split("\n") if isinstance(value, str) else list(value or ())
        return [str(entry).strip() for entry in entries if str(entry).strip()] or None
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    if line.kind == "choice" and text not in {name for name, _ in line.options}:
        raise ValueError(f"{line.title}: {text!r} is none of the choices")
    if line.kind == "page":
        return int(text) if text.isascii() and text.isdigit() else text
    if problem := value_problem(line.kind, text):
        raise ValueError(f"{line.title}: {problem}")
    return text


def value_problem(kind: str, text: str) -> str:
    """Why a text is no amount, currency or date; "" where it is one, or where the kind is not checked."""
    rule = _CHECKS.get(kind)
    return "" if rule is None or rule[0](text) else f"{text!r} is not {rule[1]}"


def _is_amount(text: str) -> bool:
    """An amount, or words with one in them: gold may be "the higher of GBP 5m and 10 per cent. of EBITDA"."""
    return amounts.parse(text) is not None or any(mention.value.codes for mention in amounts.scan(text))


_CHECKS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "amount": (_is_amount, "an amount; write for example GBP 185,000,000"),
    "money": (_is_amount, "an amount; write for example GBP 185,000,000"),
    "currency": (lambda text: bool(currency.parts(text)), "a currency; write for example GBP"),
    "date": (lambda text: dates.parse(text) is not None, "a date; write for example 2031-05-14"),
    "effective_date": (
        lambda text: text in ("original", "unclear") or dates.parse(text) is not None,
        "a date; write for example 2031-05-14, or original, or unclear",
    ),
}


CONFIRM, CORRECT, ABSENT, NONE = "confirm", "correct", "absent", "none"
Documents = Mapping[str, Document]


def gold_task(path: GoldPath, question: str, shown: Any, choices: Sequence[Choice], cited: Cited | None = None) -> GoldTask:
    """A task of one reported thing."""
    return GoldTask(path, question, shown, tuple(choices), cited.claims if cited is not None else ())


def as_json(model: BaseModel) -> Any:
    """A model as JSON values without what is not given."""
    return model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def described(value: Any) -> str:
    """What was reported as lines that a person reads; citations are shown beside it."""
    if not isinstance(value, Mapping):
        return "\n".join(map(described, value)) if isinstance(value, list | tuple) else str(value)
    if value.keys() <= {"amount", "currency"}:
        amount = value.get("amount")
        return f"{value.get('currency') or ''} {f'{amount:,}' if isinstance(amount, int | float) else amount}".strip()
    given = {key: entry for key, entry in value.items() if key not in ("citation", "citations") and entry not in (None, [], ())}
    return "\n".join(_line(key, entry) for key, entry in given.items())


def _line(key: str, value: Any) -> str:
    name = key.replace("_", " ").capitalize()
    if isinstance(value, bool):
        return f"{name}: {'yes' if value else 'no'}"
    if not isinstance(value, list | tuple):
        return f"{name}: {described(value)}"
    entries = ("; ".join(described(entry).splitlines()) for entry in value)
    return "\n".join([f"{name}:", *(f"  {entry}" for entry in entries)])


def flat_place(found: dict[str, Any]) -> dict[str, Any]:
    """A reported object as its form has it: document, page and section of its first citation on lines of their own."""
    cited: Mapping[str, Any] = found.get("citation") or next(iter(found.get("citations") or ()), {})
    place = {key: cited[key] for key in ("document", "page", "section") if key in cited}
    return {**{key: value for key, value in found.items() if key not in ("citation", "citations")}, **place}


def form_choices(inputs: Sequence[Input], draft: Mapping[str, Any], absent: str = "", right: str = "Right as reported") -> list[Choice]:
    """The choices for an object that was reported: right, corrected in a form, or none such."""
    found = [Choice(CONFIRM, right), Choice(CORRECT, "Correct it", form=filled(inputs, draft))]
    return [*found, Choice(ABSENT, absent)] if absent else found


def missing_task(inputs: Sequence[Input], noun: str) -> GoldTask:
    """What the output may have missed."""
    several = Input("missing", f"Missing {noun}s", "forms", inner=tuple(inputs), is_needed=True)
    choices = [Choice(NONE, "Nothing is missing"), Choice(CORRECT, f"Add a missing {noun}", form=(several,))]
    return gold_task(("missing",), f"Which {noun}s of the document are missing?", None, choices)


def form_of(tasks: Sequence[GoldTask], path: GoldPath) -> tuple[Input, ...]:
    """The form of a task's correction."""
    return next(choice.form for task in tasks if task.path == path for choice in task.choices if choice.value == CORRECT)


def check_form(tasks: Sequence[GoldTask], path: GoldPath, text: str, models: Mapping[str, type[BaseModel]]) -> None:
    """Raises ValueError when a correction, or what was found missing, is no gold. models: by the first word of a task's path."""
    found = read_form(form_of(tasks, path), json.loads(text))
    for one in found["missing"] if path[0] == "missing" else [found]:
        models[path[0]].model_validate(one)


def chosen(reported: dict[str, Any], answer: GoldAnswer, form: Sequence[Input]) -> dict[str, Any] | None:
    """The reported object, the person's own, or None for absent. Raises ValueError for a form that is not filled in right."""
    if answer.value == ABSENT:
        return None
    return read_form(form, json.loads(answer.text)) if answer.value == CORRECT else reported


def added(answer: GoldAnswer, form: Sequence[Input]) -> list[dict[str, Any]]:
    """What a person found missing. Raises ValueError."""
    return list(read_form(form, json.loads(answer.text))["missing"]) if answer.value == CORRECT else []


def listed_tasks(
    kind: str, things: Sequence[Cited], ask: Callable[[Any], str], form: Sequence[Input], draft: Callable[[Any], Any], absent: str
) -> list[GoldTask]:
    """A task for each reported thing of a list of gold. draft: the thing as its form has it; absent: that there is none such."""
    choices = [form_choices(form, draft(one), absent) for one in things]
    return [gold_task((kind, str(n)), ask(one), as_json(one), choices[n], one) for n, one in enumerate(things)]


def listed_gold(kind: str, drafts: Sequence[dict[str, Any]], answers: GoldAnswers, form: Sequence[Input]) -> list[dict[str, Any]]:
    """What the answers make of the reported things of a list. Raises ValueError."""
    own = [{key: value for key, value in draft.items() if key not in ("confidence", "metadata")} for draft in drafts]  # the system's own
    found = (chosen(draft, answers[kind, str(n)], form) for n, draft in enumerate(own))
    return [one for one in found if one is not None]


def words_faults(text: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A figure or wording that must stand in the text: by its words, else by the amount, rate or ratio in it; of several figures in words
    of gold's own (a step-down, an alternative) each one."""
    if text is not None and not any(_holds(document, text) for document in documents.values()):
        yield path, f"{quoted(text)} is not in {named(documents)}"


_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*(?:\s+to\s+\d+(?:\.\d+)?)?%?")


def _holds(document: Document, text: str) -> bool:
    if has_words(document.text, text) or any(kind.occurs(text, document) for kind in FIGURES.values()):
        return True
    figures = _FIGURE.findall(text)
    return len(figures) > 1 and all(has_words(document.text, figure) for figure in figures)


def figure_doubts(text: str | None, path: str, documents: Documents, known: str = "") -> Iterator[Fault]:
    """The figures of gold's own words that stand neither in the documents nor in what is known."""
    for figure in invented_figures(text or "", known, documents.values()):
        yield path, f"{quoted(figure)} is not in {named(documents)}: right only where it is worked out from what stands there"


def citation_faults(gold: Any, path: str, documents: Documents) -> Iterator[Fault]:
    """Cited documents, pages, sections and quotes of gold that are not there, however deep they stand."""
    if isinstance(gold, Citation):
        yield from _citation(gold, path, documents)
    elif isinstance(gold, BaseModel | Mapping):
        for key, one in dict(iter(gold) if isinstance(gold, BaseModel) else gold).items():
            yield from citation_faults(one, f"{path}.{key}", documents)
    elif isinstance(gold, tuple):
        for n, one in enumerate(gold):
            yield from citation_faults(one, f"{path}[{n}]", documents)


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
    elif pages := _other_pages(claim, paged):
        yield f"{path}.page", f"page {claim.page} has no part of {'the quote' if claim.quote else claim.section}: page {pages} has"


def _is_missing(section: str, documents: Sequence[Document]) -> bool:
    """No document has the provision, said only where their numbering is sure of it."""
    return all(read_section_claim(section, document).word == "not_in_document" for document in documents)


def _stands(document: Document, claim: Citation) -> bool:
    hint = claim.page if isinstance(claim.page, int) else None
    return find_quote(document, claim.quote or "", page_hint=hint, lower=100.0).verdict in ("exact", "normalised")


def _other_pages(claim: Citation, documents: Sequence[Document]) -> str:
    """The pages on which the quote, or without one the provision, stands, where the cited page is none of them under any reading."""
    found: list[int] = []
    for document in documents if claim.page is not None else ():
        page, section = read_page_claim(claim.page, document), read_section_claim(claim.section, document)
        quoted_at = find_quote(document, claim.quote, lower=100.0).occurrences if claim.quote else ()
        clauses = section.clauses if section.word == "right" and not claim.quote else ()
        ranges = [(one.start, one.end) for one in quoted_at or clauses]
        for start, end in ranges:
            if page.word_at(pages := document.pages_of(start, end), start, end) != "wrong" or page.may_name(pages, start, end):
                return ""
            found += pages
    return ", ".join(map(str, dict.fromkeys(found)))


def named(documents: Documents) -> str:
    """The documents by name, for a message."""
    return ", ".join(documents)
