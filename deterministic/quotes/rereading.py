"""What is tried before a quote counts as not found: the page without its struck-out or hidden characters, and second readings of it.

Rules: judging.md section 1.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from deterministic.lexicon.folding import SILENT
from deterministic.pdf.documents import Document, MarkedSpan, alternative_texts
from deterministic.quotes.marks import marked_spans
from deterministic.quotes.places import KeyedText, full_text, verbatim_readings, word_index
from deterministic.quotes.quote_match import FULL, Occurrence, QuoteMatch, occurrence
from deterministic.quotes.windows import candidate_windows

_LIKE = 50.0
"""Similarity below which a place has nothing of the quote: with struck-out words in between it would still have more."""

_CLEAR = 90.0
_REORDERED = frozenset({"sorted", "columns", "upright"})
"""Readings that only put lines in another order. Where the first order already gives the sentence but for one altered word, another
order can only make that word by chance, from the line of a neighbouring column."""


def read_again(document: Document, quote: str, best: QuoteMatch, page_hint: int | None) -> QuoteMatch | None:
    """The quote in another reading of the cited page, its neighbours, or the pages of the best window; None when it stands in none."""
    pages = pages_in_question(document, best, page_hint)
    is_altered = best.similarity >= _CLEAR and any(code == "ALTERED_QUOTE" for code, _ in best.findings)
    return _in_alternatives(document, quote, pages, _REORDERED if is_altered else frozenset(), best.similarity < _LIKE)


def pages_in_question(document: Document, best: QuoteMatch, page_hint: int | None) -> list[int]:
    """The cited page and, where something like the quote stands, the pages of that place; physical numbers that exist."""
    wanted = [] if page_hint is None else [page_hint]
    if best.similarity >= _LIKE or page_hint is None:
        wanted += [page for place in best.occurrences[:2] for page in place.pages]
    return [page for page in dict.fromkeys(wanted) if 1 <= page <= len(document.pages)]


def without_struck(document: Document, quote: str, page: int | None) -> QuoteMatch | None:
    """A redlined copy runs deleted and new words together: a quote of the final wording leaves the deleted ones out and is right."""
    pages = (
        [page]
        if page is not None
        else [place for start, _ in candidate_windows(word_index(document), quote)[:2] for place in [document.page_at(start)]]
    )
    for number in dict.fromkeys(pages):
        spans = [span for span in marked_spans(document, number) if span.kind == "struck"] if 1 <= number <= len(document.pages) else []
        if not spans:
            continue
        final = document.cached(("quotes: final", number), lambda: _final_wording(document.page_text(number), spans))  # noqa: B023 - called at once
        full = [reading for reading in verbatim_readings(final, quote) if reading.wording in FULL]
        if full:
            starts = full_text(document)
            base = starts.page_offset(number)
            places = tuple(occurrence(document, starts.place(base + r.start), starts.place(base + r.end - 1) + 1) for r in full)
            return QuoteMatch("normalised", places, 100.0, document.text[places[0].start : places[0].end])
    return None


def _final_wording(text: str, struck: Sequence[MarkedSpan]) -> KeyedText:
    for span in struck:
        text = text[: span.start] + SILENT * (span.end - span.start) + text[span.end :]
    return KeyedText.of(text)


def _in_alternatives(document: Document, quote: str, pages: list[int], without: frozenset[str], is_unlike: bool) -> QuoteMatch | None:
    """`is_unlike`: nothing like the quote stands there, so on a plain page single letters read otherwise would not help."""
    plain = [number for number in pages if is_unlike and not document.pages[number - 1].may_read_otherwise]
    rest = [number for number in pages if number not in plain]
    texts = {**alternative_texts(document, plain, plain=True), **alternative_texts(document, rest)}
    for number in pages:
        for alternative in texts.get(number, ()):
            if alternative.source in without:
                continue
            keyed = document.cached(("quotes: second", number, alternative.source), lambda text=alternative.text: KeyedText.of(text))  # type: ignore[misc]
            if any(reading.wording in FULL for reading in verbatim_readings(keyed, quote)):
                start = document.page_starts[number - 1]
                place = Occurrence(start, start + len(document.pages[number - 1].body), (number,))
                return QuoteMatch("normalised", (place,), 100.0, quote, (("SECOND_READING", f"page {number}: {alternative.source}"),))
    return None
