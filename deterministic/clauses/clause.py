"""A provision of a document, and what a reference means: the nouns that the builders make and the index answers with."""

import re
from collections.abc import Sequence
from typing import Literal

from deterministic.lexicon.records import record
from deterministic.lexicon.tables import lists


@record
class Clause:
    """A numbered or named provision; it contains its sub-clauses."""

    number: str
    """As the document numbers it, folded: "5.1(a)(i)", "2.01(b)", "article ii", "schedule 2 part 1", "parties", "recital b", "cover",
    "signature", "contents", "definition margin", "heading pricing"; a numbered paragraph of a schedule is "schedule 2 paragraph 3(a)"."""
    title: str
    """Heading words, "" when it has none."""
    start: int
    end: int
    """Range in the document's text."""
    numbering: int
    """Which numbering of the file: 0, 1, ...; an amendment with a conformed copy attached has two, every schedule has its own."""


_NAMES = {name: shown for name, (shown,) in lists("place_names")}


def clause_name(clause: Clause) -> str:
    """ "Clause 5.1(a)", "Schedule 2", "Parties"."""
    if (number := clause.number) in _NAMES:
        return _NAMES[number]
    if number[:1].isdigit():
        return f"Clause {number}"
    words = (word.partition("(") for word in number.split())
    return " ".join(
        (word.upper() if len(word) == 1 or re.fullmatch(r"[ivxlc]+|[a-z]-\d+", word) else word.capitalize()) + "".join(rest)
        for word, *rest in words
    )


def is_within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)


Status = Literal["found", "imprecise", "mentioned", "not_in_document", "empty"]


@record
class Resolution:
    """What a reference means in a document. "imprecise": the base clause is there, and nothing in it bears the paragraph's label.
    "mentioned": no such provision was found, but the text speaks of one, or has lines or headings that could be it. "not_in_document":
    neither. "empty": the reference names nothing."""

    status: Status
    clauses: tuple[Clause, ...] = ()
    """Every provision meant, in all numberings; for others than "found" those around it that are there."""
    is_coarse: bool = False
    """A top-level number alone (Clause 5, Article II), although that clause is divided."""


_ORDER: dict[Status, int] = {"found": 0, "imprecise": 1, "mentioned": 2, "not_in_document": 3, "empty": 4}


def together(found: Sequence[Resolution]) -> Resolution:
    """Several references: all their clauses. One of them that is nowhere beside one that exists makes the citation imprecise."""
    if len(found) < 2 or all(one.status != "found" for one in found):
        return min(found, key=lambda one: _ORDER[one.status], default=Resolution("empty"))
    clauses = tuple(dict.fromkeys(clause for one in found for clause in one.clauses if one.status == "found"))
    status: Status = "imprecise" if any(one.status == "not_in_document" for one in found) else "found"
    return Resolution(status, clauses, all(one.is_coarse for one in found))
