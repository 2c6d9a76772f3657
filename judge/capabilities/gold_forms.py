"""Forms in which a person writes gold: described once, drawn by the label page, read and checked here. Nobody types JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from deterministic.values import amounts, currency, dates

Kind = Literal["text", "lines", "choice", "yes_no", "page", "amount", "currency", "date", "effective_date", "forms"]


@dataclass(frozen=True, slots=True)
class Input:
    """One line of a form. lines: a list, one a line; forms: a list of forms made of `inner`.

    options: (value, title) of a choice; value: what stands there at first; only_for: shown only where the choice `kind` is one of these;
    is_needed: must be filled in.
    """

    name: str
    title: str
    kind: Kind = "text"
    options: tuple[tuple[str, str], ...] = ()
    value: Any = None
    inner: tuple[Input, ...] = ()
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
        value = _read(line, given.get(line.name))
        if value is not None:
            found[line.name] = value
        elif line.is_needed:
            raise ValueError(f"{line.title}: fill this in{f' ({line.hint})' if line.hint else ''}")
    place = {name: found.pop(name) for name in ("document", "page", "section") if name in found}
    return found | ({"citation": place} if place else {})


def read_forms(inputs: Sequence[Input], given: Any) -> list[dict[str, Any]]:
    """A list of filled-in forms. Raises ValueError."""
    if not isinstance(given, list) or not given:
        raise ValueError("fill in at least one form")
    return [read_form(inputs, entry) for entry in given]


def _read(line: Input, value: Any) -> Any:
    """The value of one line; None when it is empty."""
    if line.kind == "forms":
        return read_forms(line.inner, value) if value else None
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


def _is_date(text: str) -> bool:
    return dates.parse(text) is not None


def _is_effective_date(text: str) -> bool:
    return text in ("original", "unclear") or _is_date(text)


_CHECKS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "amount": (_is_amount, "an amount; write for example GBP 185,000,000"),
    "money": (_is_amount, "an amount; write for example GBP 185,000,000"),
    "currency": (lambda text: bool(currency.parts(text)), "a currency; write for example GBP"),
    "date": (_is_date, "a date; write for example 2031-05-14"),
    "effective_date": (_is_effective_date, "a date; write for example 2031-05-14, or original, or unclear"),
}
