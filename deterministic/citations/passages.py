"""The text around a place: what a judge or a support check reads, and what the place is called."""

from __future__ import annotations

from collections.abc import Sequence

from deterministic.citations.section_claims import clause_name, deepest_clause
from deterministic.pdf.documents import Document
from deterministic.quotes.quote_match import Occurrence

LONGEST = 3000
"""Characters of a clause up to which it is given whole."""
AROUND = 600


def passage_at(document: Document, place: Occurrence) -> str:
    """The innermost clause that holds the place when it is short, else the place with its surroundings, cut at line ends."""
    clause = deepest_clause(document, place.start, place.end)
    low, high = (clause.start, clause.end) if clause else (0, len(document.text))
    if high - low > LONGEST:
        low, high = max(low, place.start - AROUND), min(high, place.end + AROUND)
        low = max(document.text.rfind("\n", 0, low) + 1, low - 200)
        stop = document.text.find("\n", high)
        high = stop if 0 <= stop <= high + 200 else high
    return document.text[low : min(high, low + LONGEST + 2 * AROUND)].strip()


def sections_at(document: Document, places: Sequence[Occurrence]) -> tuple[str, ...]:
    """Names of the innermost provisions at the places, each once: "Clause 5.1(a)", "Parties"."""
    clauses = (deepest_clause(document, place.start, place.end) for place in places[:20])
    return tuple(dict.fromkeys(clause_name(clause) for clause in clauses if clause is not None))
