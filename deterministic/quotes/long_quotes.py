"""A long quote is compared piece by piece, so that its cost grows with its length and no faster. Rules: design/quotes.md."""

import re
from collections.abc import Callable, Iterator

from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import SEVERITY, Finding, QuoteMatch, occurrence

LONGEST = 1500
"""Characters up to which a quote is compared as a whole."""
_PIECE = 800
_MOST_COMPARED = 4
"""Pieces that do not stand letter for letter and are compared word by word; with more of them only a reader can tell."""


def find_long(document: Document, quote: str, find: Callable[[str], QuoteMatch]) -> QuoteMatch:
    """The verdict of the worst piece, at the place of the first and the last; what is invented or altered in one piece decides at once."""
    known: dict[str, QuoteMatch] = {}
    matches: list[QuoteMatch] = []
    compared = 0
    for piece in _pieces(quote):
        match = known.get(piece)
        if match is None:
            match = known[piece] = find(piece)
            compared += not match.is_verbatim
        matches.append(match)
        if match.verdict == "not_found" or compared > _MOST_COMPARED:
            break
    worst = min(matches, key=lambda match: SEVERITY[match.verdict])
    verdict = worst.verdict if compared <= _MOST_COMPARED or worst.verdict == "not_found" else "open"
    places = [match.occurrences[0] for match in matches if match.occurrences]
    start, end = (places[0].start, places[-1].end) if places else (0, 0)
    whole = occurrence(document, start, end) if end > start else None
    findings: tuple[Finding, ...] = tuple(dict.fromkeys(finding for match in matches for finding in match.findings))
    similarity = min(match.similarity for match in matches)
    return QuoteMatch("normalised" if verdict == "exact" else verdict, (whole,) if whole else (), similarity, worst.window, findings)


def _pieces(quote: str) -> Iterator[str]:
    """Pieces of about `_PIECE` characters, cut at the end of a sentence or a word."""
    at = 0
    while at < len(quote):
        stop = len(quote)
        if stop - at > _PIECE * 5 // 4:
            ends = [match.end() for match in re.finditer(r"[.;:]\s+", quote[at + _PIECE // 2 : at + _PIECE])]
            space = quote.rfind(" ", at + _PIECE // 2, at + _PIECE)
            stop = at + _PIECE // 2 + ends[-1] if ends else space + 1 if space > 0 else at + _PIECE
        yield quote[at:stop]
        at = stop
