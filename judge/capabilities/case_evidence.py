"""The ground truth citations of a case file, and the value that each of them belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.capabilities.case_markdown import Faults, Line, plain
from judge.capabilities.wording import fold_text
from judge.errors import did_you_mean
from judge.printing import quoted

_LABEL = re.compile(r"(?:\*\*|__)(?P<label>.+?):?(?:\*\*|__):?")
_PAGE = re.compile(r",\s*(?:physical\s+)?(?:pages?|pp?\.)\s*(?P<page>[^,]+?)\s*(?:,|$)", re.IGNORECASE)
HOW = 'write `> "quote"`, then `> Source: file, page N, clause`'


@dataclass(frozen=True, slots=True)
class Evidence:
    """One citation. label: the value that it is given for, "" where none is named."""

    line: int
    label: str
    quote: str
    document: str
    page: int | str | None
    section: str | None

    def place(self, documents: Sequence[str]) -> dict[str, Any]:
        """The citation as gold has it, with its quote, which gold leaves out in the end."""
        found = {"document": self.document if len(documents) > 1 else None, "page": self.page, "section": self.section, "quote": self.quote}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(slots=True)
class Target:
    """A value that can be cited. names: what a label may call it; rank: how well a quote shows it, 0 not at all.

    place: the object of gold that its citations go to, None for one that has no value to cite.
    """

    name: str
    names: frozenset[str]
    place: dict[str, Any] | None
    rank: Callable[[str], int] = field(default=lambda quote: 0)


def citations(lines: Sequence[Line], documents: Sequence[str], faults: Faults) -> list[Evidence]:
    """All citations in their order; a label holds up to the next one."""
    found: list[Evidence] = []
    label, quote = "", list[Line]()
    for line in (*lines, Line(0, "**end**")):
        number, text = line
        if text.startswith(">"):
            inner = text.lstrip("> ").strip()
            if inner.casefold().startswith("source:"):
                found += _evidence(number, label, quote, inner[len("source:") :].strip(), documents, faults)
                quote = []
            elif inner:
                quote.append(Line(number, inner))
            continue
        if quote and text:
            faults.add(quote[0].number, "source", f"the quote has no source: {HOW}")
            quote = []
        if match := _LABEL.fullmatch(text):
            label = plain(match["label"])
        elif text and not re.match(r"none\b", text, re.IGNORECASE):
            faults.add(number, "citation", f"{quoted(text)} is neither **item** nor a quote: {HOW}")
    return found


def _evidence(line: int, label: str, quote: Sequence[Line], source: str, documents: Sequence[str], faults: Faults) -> Iterator[Evidence]:
    named = next((name for name in documents if source.casefold().startswith(name.casefold())), None)
    if not quote:
        faults.add(line, "quote", f"the source has no quote: {HOW}")
    if named is None:
        if documents:
            given = quoted(source.partition(",")[0])
            faults.add(line, "source", f"{given} is not the document of this case ({', '.join(documents)}): {HOW}")
        return
    rest = source[len(named) :].strip()
    page = _PAGE.match(rest)
    section = (rest[page.end() :] if page else rest).strip(" ,") or None
    if rest and not rest.startswith(","):
        faults.add(line, "source", f"{quoted(rest)} after the file: {HOW}")
        return
    if not rest.strip(" ,"):
        faults.add(line, "source", f"names neither page nor clause: {HOW}")
    number = page["page"] if page else None
    yield Evidence(
        line=quote[0].number if quote else line,
        label=label,
        quote=" ".join(part.text for part in quote),
        document=named,
        page=int(number) if number is not None and number.isascii() and number.isdigit() else number,
        section=section,
    )


def attach(found: Sequence[Evidence], targets: Sequence[Target], documents: Sequence[str], faults: Faults) -> None:
    """Gives every citation to its value: the one that its label names, else the one that its quote shows best, if that is one."""
    given: dict[int, list[dict[str, Any]]] = {}
    for one in found:
        target = _labelled(one, targets, faults) if one.label else _shown_by(one, targets, faults)
        if target is not None and target.place is None:
            faults.add(one.line, "citation", f"{target.name} has no value that could be cited: take the citation out, or give the value")
        elif target is not None:
            given.setdefault(id(target.place), []).append(one.place(documents))
    for target in targets:
        if target.place is not None and (places := given.pop(id(target.place), None)):
            target.place.update({"citation": places[0]} if len(places) == 1 else {"citations": places})


def _labelled(one: Evidence, targets: Sequence[Target], faults: Faults) -> Target | None:
    named = [target for target in targets if fold_text(one.label) in target.names]
    if len(named) != 1:
        names = [target.name for target in targets]
        what = "more than one value" if named else "no value of this case"
        faults.add(one.line, "citation", f"{quoted(one.label)} names {what}{did_you_mean(one.label, names)}")
    return named[0] if len(named) == 1 else None


def _shown_by(one: Evidence, targets: Sequence[Target], faults: Faults) -> Target | None:
    ranks = [target.rank(one.quote) if target.place is not None else 0 for target in targets]
    best = [target for target, rank in zip(targets, ranks, strict=True) if rank and rank == max(ranks)]
    if len(best) != 1:
        what = f"shows more than one value ({', '.join(t.name for t in best)})" if best else "shows no value of this case"
        faults.add(one.line, "citation", f"the quote {what}: write **item** above it")
    return best[0] if len(best) == 1 else None
