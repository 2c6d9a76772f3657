"""A quote that is farther from every place than a few edits: is there anything of it in the document at all?
Invented is said by rule only where a figure of it is not in the document, or its content words stand together nowhere; all else is the
question. The share is the contract's and was chosen from data (docs/development/measurements.md). Rules: design/quotes.md."""

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from sys import intern

from deterministic.documents.documents import Document
from deterministic.lexicon.calendar import TIME_UNITS
from deterministic.lexicon.folding import fold
from deterministic.lexicon.searching import find_all
from deterministic.lexicon.stems import LITTLE, stem
from deterministic.quotes.places import Range, full_text, keyed_body, word_index
from deterministic.quotes.quote_match import QuoteMatch, occurrence
from deterministic.quotes.tokens import EITHER, Token, tokenize
from deterministic.quotes.windows import candidate_windows

_LONGEST = 12_000
"""Characters of a place that are looked at whole; of a longer one the stretches that share most rare words with the quote."""
_STRETCH, _SHORTEST_STRETCH = 2, 30
"""The words stand together when they do so within twice as many content words as the quote has, and at least within this many."""


def farther_away(document: Document, quote: str, best: QuoteMatch, places: Sequence[Range], share: float, *, is_like: bool) -> QuoteMatch:
    """ "open" where a judge has something to compare, else `not_found`. `share` (0..1): of the quote's content words that stand together.
    `places`: where to look. `is_like`: `best` is a place whose letters are like those of the quote."""
    if stranger := _nowhere(document, quote):
        said = f"the quote says {stranger}, the document does not say it anywhere"
        return QuoteMatch("not_found", best.occurrences, best.similarity, best.window, (("ALTERED_QUOTE", said),))
    ranges = [piece for place in places for piece in _pieces(document, quote, place)]
    top, (start, end) = best_place(document, quote, ranges)
    if top >= share and end > start and not is_like:
        return QuoteMatch("open", (occurrence(document, start, end),), best.similarity, document.text[start:end])
    return QuoteMatch("open" if is_like else "not_found", best.occurrences, best.similarity, best.window)


_LONGEST_IN_WORDS = 3
"""Digits of a number that somebody writes in words without a scale."""


def _nowhere(document: Document, quote: str) -> str:
    """A figure of the quote, or a length of time, that the document has in no notation; "" where there is none."""
    tokens = tokenize(quote)
    for n, token in enumerate(tokens):
        if token.kind != "number" or token.bracket in ("enumerator", EITHER):
            continue
        length = _length(token, tokens[n + 1]) if n + 1 < len(tokens) else None
        raw = quote[token.start : token.end]
        if length not in _lengths(document, length[0]) if length else _is_strange(document, token, raw):
            return quote[token.start : tokens[n + 1].end if length else token.end]
    return ""


def _is_strange(document: Document, token: Token, raw: str) -> bool:
    digits = re.findall(r"[1-9](?:[\d.,' ]*[1-9])?", raw)  # what "350,000,000", "350m" and "350.00" share
    keys = (keyed_body(document).key, full_text(document).keyed.key)  # a page's number is a figure of its running lines
    if not digits or all(any(fold(part) in key for key in keys) for part in digits):
        return False
    is_short = token.meaning.isdecimal() and len(token.meaning) <= _LONGEST_IN_WORDS
    return not is_short or token.meaning not in _numbers(document)


Length = tuple[str, Fraction]
"""(basic unit, how many of them): ("day", 14) of two weeks."""
_BEFORE = 48
"""Characters before a unit in which its number stands."""


def _length(number: Token, unit: Token) -> Length | None:
    """A length of time of more than one unit; of a single one ("a year", "annual") there are too many wordings."""
    if (
        unit.kind != "unit"
        or unit.meaning not in TIME_UNITS
        or number.meaning in ("1", "half")
        or not re.fullmatch(r"\d{1,9}", number.meaning)
    ):
        return None
    kind, factor = TIME_UNITS[unit.meaning]
    return kind, int(number.meaning) * factor


def _lengths(document: Document, kind: str) -> frozenset[Length]:
    """Every length of time of the document in a basic unit: each number that stands shortly before the unit."""

    def build() -> frozenset[Length]:
        words = sorted((w.split()[-1] for w, (basic, _) in TIME_UNITS.items() if basic == kind and len(w) > 2), key=len, reverse=True)
        found: set[Length] = set()
        for match in find_all(re.compile(rf"(?i)\b(?:{'|'.join(words)})s?\b"), document.text):
            *before, unit = tokenize(document.text[max(0, match.start() - _BEFORE) : match.end()])
            found.update(length for token in before if token.kind == "number" and (length := _length(token, unit)))
        return frozenset(found)

    return document.cached(("quotes: lengths", kind), build)


def _numbers(document: Document) -> frozenset[str]:
    """Every number of the document by its value; built once, and only where a small figure's digits are not in the text."""
    return document.cached("quotes: numbers", lambda: frozenset(t.meaning for t in tokenize(document.text) if t.kind == "number"))


def _pieces(document: Document, quote: str, place: Range) -> list[Range]:
    low, high = place
    return [place] if high - low <= _LONGEST else candidate_windows(word_index(document), quote, within=place, most=3)


def best_place(document: Document, quote: str, ranges: Sequence[Range]) -> tuple[float, Range]:
    """(share of the quote's content words, 0..1, the stretch that has them); the first of equally good ones, (0, (0, 0)) for none."""
    given = [stem(token.folded) for token in tokenize(quote) if _says_something(token)]
    wanted, length = frozenset(given), max(_SHORTEST_STRETCH, _STRETCH * len(given))
    best: tuple[float, Range] = (0.0, (0, 0))
    for piece in dict.fromkeys(ranges):
        words, limits = _words_of(document, piece)
        hits = [(n, word) for n, word in enumerate(words) if word in wanted]
        inside: Counter[str] = Counter()
        first = 0
        for n, word in hits:
            inside[word] += 1
            while hits[first][0] <= n - length:
                inside[hits[first][1]] -= 1
                first += 1
            if (share := sum(count > 0 for count in inside.values()) / len(wanted)) > best[0] + 1e-9:
                best = share, (limits[2 * hits[first][0]], limits[2 * n + 1])
    return best


def _words_of(document: Document, piece: Range) -> tuple[tuple[str, ...], Sequence[int]]:
    """The content words of a piece, and where each begins and ends: as numbers, since the tokens of a long run would fill its memory."""

    def build() -> tuple[tuple[str, ...], Sequence[int]]:
        found = [token for token in tokenize(document.text[piece[0] : piece[1]]) if _says_something(token)]
        return tuple(intern(stem(one.folded)) for one in found), array("l", (piece[0] + at for one in found for at in (one.start, one.end)))

    return document.cached(("quotes: words of", piece), build)


_SILENT_KINDS = frozenset({"negation", "limit", "modal", "connective", "quantifier", "sign"})


def _says_something(token: Token) -> bool:
    if token.kind in _SILENT_KINDS or token.folded in LITTLE:
        return False
    return len(token.folded) > 2 or token.kind == "number"
