"""Locate a quote in a document and judge it: located first by key, judged second by the guarded comparison.

The order is fixed: the text as it is, without what a model wraps around a quote, with running lines, the parts of an ellipsis, the best
window, a second reading of the pages in question. "Not found" is said only after all of them, and never while a page that could hold the
quote cannot be read. Rules: judging.md section 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from deterministic.lexicon.folding import fold, unwrap
from deterministic.pdf.documents import Document
from deterministic.quotes.guards import Reading, Wording
from deterministic.quotes.joins import find_joined
from deterministic.quotes.marks import check_marks
from deterministic.quotes.places import keyed_body, running_line_readings, verbatim_readings, word_index
from deterministic.quotes.quote_match import FULL, Finding, Occurrence, QuoteMatch, QuoteVerdict, occurrence
from deterministic.quotes.rereading import read_again
from deterministic.quotes.rewording import compare_reworded
from deterministic.quotes.scanned_quotes import find_on_scans
from deterministic.quotes.windows import WordIndex, candidate_windows

__all__ = ["Finding", "Occurrence", "QuoteMatch", "QuoteVerdict", "find_part", "find_quote"]

_NEARLY = 2.0
"""Points of similarity within which two windows count as equally good, so that one without alterations is preferred."""


def find_quote(document: Document, quote: str, *, page_hint: int | None = None, lower: float, upper: float) -> QuoteMatch:
    """Where and how well a quote stands in a document.

    `page_hint` is the physical page that the citation names, None when it names none; it decides which pages are read a second time and
    whether an unreadable page leaves the question open. `lower` and `upper` (0..100) are the contract's similarity thresholds.
    """
    if not fold(quote):
        return QuoteMatch("missing")
    best = _find_single(document, quote)
    if not best.is_verbatim:
        joined = find_joined(document, quote, lambda part: find_part(document, part, page_hint, lower, upper))
        best = joined or settle(document, quote, best, page_hint, lower, upper)
    return find_on_scans(document, quote, check_marks(document, best, page_hint), page_hint)


def find_part(document: Document, quote: str, page_hint: int | None, lower: float, upper: float) -> QuoteMatch:
    """A quote without ellipses, or one part of a quote that has them."""
    best = _find_single(document, quote)
    return best if best.is_verbatim else settle(document, quote, best, page_hint, lower, upper)


def _find_single(document: Document, quote: str) -> QuoteMatch:
    readings = verbatim_readings(keyed_body(document), quote)
    plain = quote
    if not _has_full(readings):
        plain = unwrap(quote)
        if fold(plain) and plain != quote:
            readings = [*readings, *(replace(r, wording=_unwrapped(r)) for r in verbatim_readings(keyed_body(document), plain))]
    if not _has_full(readings):
        readings = [*readings, *running_line_readings(document, plain)]
    return from_readings(document, readings) if readings else QuoteMatch("not_found")


def _unwrapped(reading: Reading) -> Wording:
    return "normalised" if reading.wording == "exact" else reading.wording


def _has_full(readings: Sequence[Reading]) -> bool:
    return any(reading.wording in FULL for reading in readings)


def from_readings(document: Document, readings: Sequence[Reading]) -> QuoteMatch:
    """The best verdict of several readings with the same letters and digits; the places of that verdict only."""
    if full := [reading for reading in readings if reading.wording in FULL]:
        is_exact = [r.wording == "exact" and _is_undivided(document, r.start, r.end) for r in full]
        verdict: QuoteVerdict = "exact" if any(is_exact) else "normalised"
        return _match(document, verdict, full)
    if lost := [reading for reading in readings if reading.wording == "mark_lost"]:
        return _match(document, "paraphrased", lost, (("QUOTE_MARK_LOST", "; ".join(lost[0].details)),))
    return _match(document, "not_found", readings, (("ALTERED_QUOTE", "; ".join(readings[0].details)),))


def _match(document: Document, verdict: QuoteVerdict, readings: Sequence[Reading], findings: tuple[Finding, ...] = ()) -> QuoteMatch:
    places = tuple(occurrence(document, reading.start, reading.end) for reading in readings)
    first = readings[0]
    return QuoteMatch(verdict, places, max(r.similarity for r in readings), document.text[first.start : first.end], findings)


def _is_undivided(document: Document, start: int, end: int) -> bool:
    """No running line was taken out of the range: it lies on one page, or on pages without running lines."""
    pages = document.pages_of(start, end)
    return len(pages) == 1 or all(document.pages[n - 1].text.split() == document.pages[n - 1].body.split() for n in pages)


# --- not verbatim ------------------------------------------------------------------------------------------------------------------------


def settle(document: Document, quote: str, best: QuoteMatch, page_hint: int | None, lower: float, upper: float) -> QuoteMatch:
    """The verdict on a quote that does not stand letter for letter in the document's text."""
    plain = unwrap(quote) if fold(unwrap(quote)) else quote
    if not best.occurrences:
        best = best_window(document, plain, page_hint, lower, upper)
    if best.verdict == "paraphrased" and best.findings:
        return best
    again = read_again(document, plain, best, page_hint)
    if again is not None:
        return again
    return _unless_unreadable(document, best, page_hint, upper)


def _unless_unreadable(document: Document, best: QuoteMatch, page_hint: int | None, upper: float) -> QuoteMatch:
    """Nothing is invented while a page that could hold it cannot be read.

    An altered quote whose place was found on the readable cited page (or is nearly the same) is altered whatever stands elsewhere.
    """
    if best.verdict not in ("not_found", "open") or not document.unreadable_pages:
        return best
    is_cited_readable = page_hint is not None and page_hint not in document.unreadable_pages
    if best.verdict == "open" and is_cited_readable:
        return best
    is_altered = any(code == "ALTERED_QUOTE" for code, _ in best.findings) and best.similarity >= upper
    if is_altered and (page_hint is None or is_cited_readable):
        return best
    return replace(best, verdict="unreadable", findings=())


def best_window(document: Document, quote: str, page_hint: int | None, lower: float, upper: float) -> QuoteMatch:
    """The most similar place of the document, judged word by word."""
    index = word_index(document)
    windows = candidate_windows(index, quote)
    if page_hint is not None and 1 <= page_hint <= len(document.pages):
        first = document.page_starts[page_hint - 1]
        windows += candidate_windows(index, quote, within=(first, first + len(document.pages[page_hint - 1].body)), most=2)
    readings = [_compare_widely(index, quote, window, lower) for window in _likely(index.text, quote, dict.fromkeys(windows), lower)]
    if not readings:
        return QuoteMatch("not_found")
    readings = _one_a_place(readings)
    top = max(reading.similarity for reading in readings)
    near = [reading for reading in readings if reading.similarity >= top - _NEARLY]
    best = min(near, key=lambda r: (_RANK[r.wording], -r.similarity, r.start))
    return judge_reading(document, best, lower, upper)


_LIKELY = 3
"""Places that are compared word by word at most."""
_WITHIN = 15
"""Points of likeness, letter by letter, below the most alike place at which another one can still be the better one word by word."""


def _likely(text: str, quote: str, windows: Iterable[tuple[int, int]], lower: float) -> list[tuple[int, int]]:
    """The places worth a comparison word by word: letter by letter as alike as the most alike one, nearly. Always one, if there is any."""
    folded = quote.casefold()
    scored = sorted(((fuzz.partial_ratio(folded, text[slice(*w)].casefold()), w) for w in windows), key=lambda pair: (-pair[0], pair[1]))
    least = max(scored[0][0] - _WITHIN, lower - 2 * _WITHIN) if scored else 0.0
    return [window for n, (score, window) in enumerate(scored[:_LIKELY]) if n == 0 or score >= least]


_MARGIN = 240
"""Characters around a likely place that are compared too, so that its first and last words face what they replace."""


def _compare_widely(index: WordIndex, quote: str, window: tuple[int, int], lower: float) -> Reading:
    reading = compare_reworded(quote, index.text, *window, common=index.lower_case)
    if reading.similarity < lower:
        return _compare_narrowly(index, quote, window, lower) or reading
    start = index.text.find(" ", max(0, reading.start - _MARGIN), reading.start) if reading.start > _MARGIN else 0
    end = index.text.rfind(" ", reading.end, reading.end + _MARGIN) if reading.end + _MARGIN < len(index.text) else len(index.text)
    wider = compare_reworded(quote, index.text, max(start, 0), max(end, reading.end), common=index.lower_case)
    return wider if wider.similarity >= reading.similarity - _NEARLY * 3 else reading


_PIECE_END = re.compile(r"[;.:]\s+|\n(?=\s*\()")


def _compare_narrowly(index: WordIndex, quote: str, window: tuple[int, int], lower: float) -> Reading | None:
    """The quote against single sentences and paragraphs of a window: a neighbour that ends in the same words draws the word-by-word
    alignment of the whole window apart and hides the likeness. None when none is like it."""
    source = index.text[slice(*window)]
    ends = [0, *(match.end() for match in _PIECE_END.finditer(source)), len(source)]
    pieces = [(ends[n], ends[m]) for n in range(len(ends) - 1) for m in (n + 1, n + 2) if m < len(ends)]
    alike = [piece for piece in pieces if fuzz.ratio(quote.casefold(), source[slice(*piece)].casefold(), score_cutoff=lower)]
    readings = [compare_reworded(quote, index.text, window[0] + low, window[0] + high, common=index.lower_case) for low, high in alike]
    return min((r for r in readings if r.similarity >= lower), key=lambda r: (_RANK[r.wording], -r.similarity, r.start), default=None)


def _one_a_place(readings: Sequence[Reading]) -> list[Reading]:
    """Of readings of overlapping places the most similar; of equally good ones the stricter."""
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda r: (-r.similarity, -_RANK[r.wording], r.start)):
        if not any(reading.start < other.end and other.start < reading.end for other in kept):
            kept.append(reading)
    return kept


_RANK = {"exact": 0, "normalised": 0, "mark_lost": 1, "glyphs": 2, "reworded": 3, "altered": 4}


def judge_reading(document: Document, reading: Reading, lower: float, upper: float) -> QuoteMatch:
    """The verdict on a window: what is altered is never a matter of similarity, what is reworded is."""
    details = "; ".join(reading.details)
    if reading.similarity < lower:
        return _match(document, "not_found", [reading])
    if reading.wording in FULL:
        return _match(document, "normalised", [reading])
    if reading.wording == "glyphs":
        return _match(document, "unreadable", [reading])
    if reading.wording == "mark_lost":
        return _match(document, "paraphrased", [reading], (("QUOTE_MARK_LOST", details),))
    if reading.wording == "altered" or (reading.details and reading.similarity >= upper):
        return _match(document, "not_found", [reading], (("ALTERED_QUOTE", details),))
    return _match(document, "paraphrased" if reading.similarity >= upper else "open", [reading])
