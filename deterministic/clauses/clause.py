"""A provision of a document: the noun that the builders make and the index holds."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
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


def is_within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)
