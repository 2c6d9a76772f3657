"""A quote in words of its own: a rewording of what stands at the cited place, or invented?

The share of its content words that stand together there decides whether it is worth a question; a figure that does not stand there
contradicts. The share is the contract's and was chosen from data (docs/quotes.md). Rules: real_agreements.md R1, "Rewordings".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from deterministic.documents.documents import Document
from deterministic.lexicon.phrases import FUNCTION_WORDS, SYNONYMS
from deterministic.quotes.places import Range, word_index
from deterministic.quotes.quote_match import QuoteMatch, occurrence
from deterministic.quotes.tokens import Token, tokenize
from deterministic.quotes.windows import candidate_windows

_LONGEST = 12_000
"""Characters of a place that are looked at whole; of a longer one the stretches that share most rare words with the quote."""
_STRETCH, _SHORTEST_STRETCH = 2, 30
"""The words stand together when they do so within twice as many content words as the quote has, and at least within this many."""
_ENDINGS = re.compile(r"(?<=\w{3})(?:ations?|ments?|ings?|ance|ence|able|ible|ally|ies|ied|ion|ions|ed|es|er|ly|al|s|y|e)$")
_SILENT_KINDS = frozenset({"negation", "limit", "modal", "connective", "quantifier", "sign"})


def retold(document: Document, quote: str, best: QuoteMatch, places: Sequence[Range], share: float) -> QuoteMatch:
    """ "open" at the cited place when at least `share` (0..1) of the quote's content words stand together in a place, else `best`."""
    ranges = [piece for place in places for piece in _pieces(document, quote, place)]
    top, (start, end) = best_place(document, quote, ranges)
    if top < share or end <= start:
        return best
    place = (occurrence(document, start, end),)
    there = {token.meaning for piece in ranges for token in _tokens_of(document, piece) if token.kind == "number"}
    figures = [t for t in tokenize(quote) if t.kind == "number" and any(c.isdigit() for c in t.folded)]
    if added := [t.folded for t in figures if t.meaning not in there]:
        return QuoteMatch(
            "not_found", place, best.similarity, "", (("ALTERED_QUOTE", f"the quote says {added[0]}, the document does not say it there"),)
        )
    return QuoteMatch("open", place, best.similarity, document.text[start:end])


def _pieces(document: Document, quote: str, place: Range) -> list[Range]:
    low, high = place
    if high - low <= _LONGEST:
        return [place]
    return candidate_windows(word_index(document), quote, within=place, most=3)


def best_place(document: Document, quote: str, ranges: Sequence[Range]) -> tuple[float, Range]:
    """(share of the quote's content words, 0..1, the stretch that has them); the first of equally good ones, (0, (0, 0)) for none."""
    given = [stem(token.folded) for token in tokenize(quote) if _says_something(token)]
    wanted, length = frozenset(given), max(_SHORTEST_STRETCH, _STRETCH * len(given))
    best: tuple[float, Range] = (0.0, (0, 0))
    for piece in dict.fromkeys(ranges):
        words = [(stem(t.folded), piece[0] + t.start, piece[0] + t.end) for t in _tokens_of(document, piece) if _says_something(t)]
        hits = [(n, word, start, end) for n, (word, start, end) in enumerate(words) if word in wanted]
        inside: Counter[str] = Counter()
        first = 0
        for n, word, _, end in hits:
            inside[word] += 1
            while hits[first][0] <= n - length:
                inside[hits[first][1]] -= 1
                first += 1
            share = sum(count > 0 for count in inside.values()) / len(wanted)
            if share > best[0] + 1e-9:
                best = share, (hits[first][2], end)
    return best


def _tokens_of(document: Document, piece: Range) -> tuple[Token, ...]:
    return document.cached(("quotes: tokens", piece), lambda: tuple(tokenize(document.text[piece[0] : piece[1]])))


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that say something, folded by the lexicon: synonyms are one."""
    return frozenset(stem(token.folded) for token in tokenize(text) if _says_something(token))


def _says_something(token: Token) -> bool:
    if token.kind in _SILENT_KINDS or token.folded in FUNCTION_WORDS:
        return False
    return len(token.folded) > 2 or token.kind == "number"


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    rows = SYNONYMS.get(word)
    return f"={min(rows)}" if rows else _ENDINGS.sub("", word)
