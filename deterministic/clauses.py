"""The clause index of a document: which numbered provisions there are, which contain a place, and what a reference means.

Rules: judging.md section 1.3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["found", "imprecise", "mentioned", "not_in_document", "empty"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered or named provision; it contains its sub-clauses."""

    number: str
    """Normalised: "5.1(a)(i)", "schedule 2 part i", "parties", "recital b", "cover", "signature", "article ii", "definition margin"."""
    title: str
    start: int
    end: int
    numbering: int
    """0, 1, ...: which numbering of the file (an amendment with a conformed copy has two)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference: `base` without bracketed letters ("5.1", "schedule 2"), `parts` the bracketed ones ("a", "i")."""

    base: str
    parts: tuple[str, ...] = ()
    title: str = ""

    @property
    def number(self) -> str:
        return self.base + "".join(f"({part})" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a reference means in a document."""

    status: Status
    clauses: tuple[Clause, ...] = ()
    is_coarse: bool = False


class ClauseIndex:
    """The clauses of one document."""

    def __init__(self, text: str, clauses: Sequence[Clause]) -> None:
        self._text = text
        self.clauses = tuple(clauses)
        self.has_numbering = any(clause.number[0].isdigit() for clause in clauses)

    def at(self, start: int, end: int) -> tuple[Clause, ...]:
        """Clauses that contain the range, outermost first."""
        found = [clause for clause in self.clauses if clause.start <= start and end <= clause.end]
        return tuple(sorted(found, key=lambda clause: (clause.start, -clause.end)))

    def find(self, reference: str) -> Resolution:
        references = parse_reference(reference)
        if not references:
            return Resolution("empty")
        numbers = {r.number for r in references} | {r.base for r in references if not r.parts}
        exact = tuple(clause for clause in self.clauses if clause.number in numbers)
        if exact:
            return Resolution("found", exact, all(clause.number.isdigit() for clause in exact))
        bases = tuple(clause for clause in self.clauses if clause.number in {r.base for r in references})
        if bases:
            return Resolution("imprecise", bases)
        return Resolution("mentioned" if self.is_mentioned(reference) else "not_in_document")

    def is_mentioned(self, reference: str) -> bool:
        """Referred to anywhere in the text."""
        return any(
            re.search(rf"(?i)(?:clause|section|article|schedule)s?\s+{re.escape(r.base)}\b", self._text) for r in parse_reference(reference)
        )


_REFERENCE = re.compile(r"(?i)(\d+(?:\.\d+)*)\.?\s*((?:\(\w{1,4}\)\s*)*)")


def parse_reference(text: str) -> tuple[Reference, ...]:
    """The references in a citation's section text."""
    folded = " ".join(text.split()).casefold()
    if named := re.search(r"(schedule|exhibit|annex|appendix|article)\s+([a-z0-9-]+)", folded):
        return (Reference(f"{named[1]} {named[2]}"),)
    if recital := re.search(r"recital\s*\(?([a-z])\)?", folded):
        return (Reference(f"recital {recital[1]}"),)
    if match := _REFERENCE.search(folded):
        return (Reference(match[1], tuple(re.findall(r"\((\w+)\)", match[2]))),)
    return (Reference(folded),) if folded else ()


_HEADING = re.compile(r"^[ \t]*(?:section\s+)?(\d+(?:\.\d+)*)\.?[ \t]*(?:\n|[ \t](?=\S))", re.I | re.M)


def build_index(text: str, page_starts: Sequence[int] = ()) -> ClauseIndex:
    """The index of a text: `page_starts` are the offsets of its pages."""
    heads = [(match[1], match.start()) for match in _HEADING.finditer(text)]
    clauses = []
    for n, (number, start) in enumerate(heads):
        end = next((at for other, at in heads[n + 1 :] if not other.startswith(number + ".")), len(text))
        title = text[start:end].split("\n", 2)
        clauses.append(Clause(number, title[1].strip() if len(title) > 1 else "", start, end, 0))
    return ClauseIndex(text, clauses)
