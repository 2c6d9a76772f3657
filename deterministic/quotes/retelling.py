"""A quote in words of its own: a rewording of what stands at the cited place, or invented?

The share of its content words that stand there decides whether it is worth a question; a figure that does not stand there contradicts.
The share is the contract's and was chosen from data (docs/quotes.md). Rules: real_agreements.md R1, "Rewordings".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from deterministic.lexicon.phrases import FUNCTION_WORDS, SYNONYMS
from deterministic.pdf.documents import Document
from deterministic.quotes.places import Range
from deterministic.quotes.quote_match import QuoteMatch, occurrence
from deterministic.quotes.tokens import Token, tokenize

_LONGEST = 6000
"""Characters of a provision that are looked at as one place."""
_ENDINGS = re.compile(r"(?<=\w{3})(?:ations?|ments?|ings?|ance|ence|able|ible|ally|ies|ied|ion|ions|ed|es|er|ly|al|s|y|e)$")
_SILENT_KINDS = frozenset({"negation", "limit", "modal", "connective", "quantifier", "sign"})


def retold(document: Document, quote: str, best: QuoteMatch, places: Sequence[Range], share: float) -> QuoteMatch:
    """ "open" at the cited place when at least `share` (0..1) of the quote's content words stand in one of `places`, else `best`."""
    top, (start, end) = best_place(document, quote, places)
    if top < share or end <= start:
        return best
    place = (occurrence(document, start, end),)
    foreign = [t for t in tokenize(quote) if t.kind == "number" and any(c.isdigit() for c in t.folded)]
    there = {t.meaning for low, high in places for t in tokenize(document.text[low : min(high, low + 4 * _LONGEST)]) if t.kind == "number"}
    if added := [t.folded for t in foreign if t.meaning not in there]:
        return QuoteMatch("not_found", place, best.similarity, "", (("ALTERED_QUOTE", f"{added[0]} does not stand at the place"),))
    return QuoteMatch("open", place, best.similarity, document.text[start:end])


def best_place(document: Document, quote: str, places: Sequence[Range]) -> tuple[float, Range]:
    """(share of the quote's content words, 0..1, the place or provision in it that has most of them); the shortest of equally good ones."""
    wanted = content_words(quote)
    ranges = dict.fromkeys(piece for place in places for piece in _provisions(document, place))
    if not wanted or not ranges:
        return 0.0, (0, 0)
    scored = [(len(wanted & _words_of(document, piece)) / len(wanted), piece) for piece in ranges]
    return max(scored, key=lambda pair: (round(pair[0], 9), pair[1][0] - pair[1][1], -pair[1][0]))


def _provisions(document: Document, place: Range) -> list[Range]:
    """The place itself when it is short, and the provisions in it."""
    low, high = place
    inside = [(max(c.start, low), min(c.end, high)) for c in document.clauses.clauses if c.start < high and low < c.end]
    return [(a, b) for a, b in [place, *inside] if 0 < b - a <= _LONGEST]


def _words_of(document: Document, piece: Range) -> frozenset[str]:
    return document.cached(("quotes: content", piece), lambda: content_words(document.text[piece[0] : piece[1]]))


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that say something, folded by the lexicon: synonyms are one, numbers are their values."""
    return frozenset(_stem(token.folded) for token in tokenize(text) if _says_something(token))


def _says_something(token: Token) -> bool:
    if token.kind in _SILENT_KINDS or token.folded in FUNCTION_WORDS:
        return False
    return len(token.folded) > 2 or token.kind == "number"


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    rows = SYNONYMS.get(word)
    return f"={min(rows)}" if rows else _ENDINGS.sub("", word)
