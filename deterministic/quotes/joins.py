"""Quotes with an ellipsis: parts that must all be found, in order, within one clause. Rules: judging.md section 1.4."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deterministic.clauses.index import Clause
from deterministic.lexicon.folding import fold
from deterministic.pdf.documents import Document
from deterministic.quotes.quote_match import Occurrence, QuoteMatch, occurrence

_ELLIPSIS = re.compile(r"[\[(]\s*(?:…|\.{3,}|\*{3,}|(?:\.\s){2,}\.)\s*[\])]|…|\.{3,}|(?:\.\s){2,}\.|(?<=\s)\*\s?\*\s?\*(?=\s)")
_NEAR = 6000
"""Characters within which parts belong together in a document without any clause numbering."""


def split_ellipsis(quote: str) -> list[str]:
    """The parts of a quote that an ellipsis joins; a single one when there is none."""
    return [part.strip() for part in _ELLIPSIS.split(quote) if fold(part)]


def find_joined(document: Document, quote: str, find: Callable[[str], QuoteMatch]) -> QuoteMatch | None:
    """The verdict on a quote with an ellipsis, None when it has none.

    Good parts in order within one clause are `normalised`, with the whole range as place. Good parts otherwise are `paraphrased` with
    JOIN_BROKEN, at the first part's place. A part that is not good is judged by itself and the worst counts, at the first part's place.
    """
    if not _ELLIPSIS.search(quote):
        return None
    parts = split_ellipsis(quote)
    matches = [find(part) for part in parts]
    if len(matches) == 1:
        return _softened(matches[0])
    worst = min(matches, key=lambda match: _severity(match))
    findings = tuple(dict.fromkeys(finding for match in matches for finding in match.findings))
    similarity = min(match.similarity for match in matches)
    if worst.is_verbatim:
        if chains := _chains(document, [match.occurrences for match in matches]):
            first = chains[0]
            return QuoteMatch("normalised", chains, similarity, document.text[first.start : first.end], findings)
        findings = (*findings, ("JOIN_BROKEN", "the parts stand in two clauses or in another order"))
        return QuoteMatch("paraphrased", matches[0].occurrences, similarity, _windows(matches), findings)
    places = matches[0].occurrences or worst.occurrences
    return QuoteMatch(worst.verdict, places, similarity, _windows(matches), findings)


def _severity(match: QuoteMatch) -> int:
    """What is surely invented outweighs what cannot be read."""
    return {"not_found": 0, "unreadable": 1, "missing": 1, "open": 2, "paraphrased": 3, "normalised": 4, "exact": 5}[match.verdict]


def _softened(match: QuoteMatch) -> QuoteMatch:
    """A quote that only begins or ends with an ellipsis: never `exact`."""
    if match.verdict != "exact":
        return match
    return QuoteMatch("normalised", match.occurrences, match.similarity, match.window, match.findings)


def _windows(matches: Sequence[QuoteMatch]) -> str:
    return " … ".join(match.window for match in matches if match.window)


def _chains(document: Document, places: Sequence[Sequence[Occurrence]]) -> tuple[Occurrence, ...]:
    """Every way, one for each place of the first part, to read the parts in order within one clause."""
    found = []
    for first in places[0]:
        end = first.end
        for following in places[1:]:
            after = min((p for p in following if p.start >= end), key=lambda p: p.start, default=None)
            if after is None:
                break
            end = after.end
        else:
            if is_one_clause(document, first.start, end):
                found.append(occurrence(document, first.start, end))
    return tuple(found)


def is_one_clause(document: Document, start: int, end: int) -> bool:
    """One clause (5.1, a schedule's part, the parties block) holds the range; a top-level number or exhibit that is divided is not one."""
    index = document.clauses
    if not index.clauses:
        return end - start <= _NEAR
    return any(not _is_divided(clause, index.clauses) for clause in index.at(start, end))


def _is_divided(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """An article, or an exhibit that is an agreement of its own, is no single clause: it has numbered clauses."""
    if re.match(r"\d+\.\d", clause.number):
        return False
    return any(clause.start <= other.start < clause.end and re.match(r"\d+\.\d", other.number) for other in clauses)
