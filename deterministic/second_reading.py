"""The second reading: before a quote counts as not found, the pages in question are read in other ways.

Other reading orders, unclipped text, form fields and annotations, a second reader, OCR where enabled. What only hidden or struck-out
characters give is found too, and told apart by the caller. Rules: judging.md section 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from deterministic import documents
from deterministic.documents import Document
from deterministic.places import KeyedText, verbatim_readings
from deterministic.quotes import Occurrence, QuoteMatch

_FULL = ("exact", "normalised")


def read_again(document: Document, quote: str, best: QuoteMatch, page_hint: int | None) -> QuoteMatch | None:
    """The quote in another reading of the cited page, its neighbours, or the pages of the best window; None when it stands in none."""
    reader = getattr(documents, "alternative_texts", None)
    pages = tuple(_pages_in_question(document, best, page_hint))
    if reader is None or not pages:
        return None
    texts = reader(document, pages)
    for page in pages:
        for alternative in texts.get(page, ()):
            readings = verbatim_readings(KeyedText.of(alternative.text), quote)
            if any(reading.wording in _FULL for reading in readings):
                start = document.page_starts[page - 1]
                place = Occurrence(start, start + len(document.pages[page - 1].body), (page,))
                return QuoteMatch("normalised", (place,), 100.0, quote, (("SECOND_READING", alternative.source),))
    return None


def _pages_in_question(document: Document, best: QuoteMatch, page_hint: int | None) -> Iterator[int]:
    wanted: list[int] = []
    if page_hint is not None:
        wanted += [page_hint, page_hint + 1, page_hint - 1]
    for occurrence in best.occurrences[:2]:
        wanted += occurrence.pages
    yield from dict.fromkeys(page for page in wanted if 1 <= page <= len(document.pages))
