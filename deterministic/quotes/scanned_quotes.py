"""A quote on pages whose text layer cannot be read, in the text that OCR gives of them. Rules: judging.md section 1.4.

Recognition errs in single characters. So only a quote that is the recognised text up to the folding rules is found; any difference
leaves the question as open as it was, since nobody knows whether the quote or the recognition is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from deterministic.lexicon.folding import fold, unwrap
from deterministic.pdf.documents import Document
from deterministic.pdf.ocr import recognised_text
from deterministic.quotes.joins import split_ellipsis
from deterministic.quotes.places import KeyedText, verbatim_readings
from deterministic.quotes.quote_match import FULL, Occurrence, QuoteMatch

MOST_PAGES = 10
"""Pages that are recognised for one quote: the cited one and those nearest to it (a page takes seconds)."""
_AROUND = 1200
"""Characters of the recognised text around the quote that are shown to whoever judges what it supports."""

READ_BY_OCR = "READ_BY_OCR"


def find_on_scans(document: Document, quote: str, best: QuoteMatch, page_hint: int | None) -> QuoteMatch:
    """`best`, or the quote where OCR reads it: `normalised` with READ_BY_OCR. Nothing is done without OCR or an unreadable page.

    A quote with an ellipsis inside stays as it is: whether its parts stand within one clause cannot be told without a text layer.
    """
    parts = split_ellipsis(quote)
    if document.ocr is None or document.path is None or len(parts) != 1 or not _is_worth_it(document, best, page_hint):
        return best
    plain = unwrap(parts[0]) if fold(unwrap(parts[0])) else parts[0]
    for pages, keyed in _texts(document, best, page_hint):
        found = next((reading for reading in verbatim_readings(keyed, plain) if reading.wording in FULL), None)
        if found is not None:
            start, last = document.page_starts[pages[0] - 1], document.pages[pages[-1] - 1]
            place = Occurrence(start, document.page_starts[pages[-1] - 1] + len(last.body), pages)
            around = keyed.text[max(0, found.start - _AROUND) : found.end + _AROUND].strip()
            detail = f"page {' and '.join(map(str, pages))}: the text is recognised from the page's image"
            return QuoteMatch("normalised", (place,), 100.0, plain, ((READ_BY_OCR, detail),), recognised=around)
    return best


def _is_worth_it(document: Document, best: QuoteMatch, page_hint: int | None) -> bool:
    """It could not be read, or something like it stands elsewhere while the cited page cannot be read."""
    is_cited_unreadable = page_hint in document.unreadable_pages
    return best.verdict == "unreadable" or (best.verdict in ("paraphrased", "open") and is_cited_unreadable)


def _texts(document: Document, best: QuoteMatch, page_hint: int | None) -> Iterator[tuple[tuple[int, ...], KeyedText]]:
    """Texts of unreadable pages, the cited one first and then the nearest, alone and with neighbours, for quotes across a break."""
    anchor = page_hint or (best.occurrences[0].pages[0] if best.occurrences and best.occurrences[0].pages else 1)
    numbers = sorted(document.unreadable_pages, key=lambda n: (abs(n - anchor), n))[:MOST_PAGES]
    known = {page.number for page in document.pages if page.state == "text"}
    for number in numbers:
        text = _page_text(document, number)
        known.add(number)
        if fold(text):
            yield (number,), KeyedText.of(text)
            for pages in ((number - 1, number), (number, number + 1)):
                if known.issuperset(pages):
                    yield pages, KeyedText.of("\n".join(_page_text(document, n) for n in pages))


def _page_text(document: Document, number: int) -> str:
    """The body of a readable page, the recognised text of any other."""
    page = document.pages[number - 1]
    ocr, path = document.ocr, document.path
    if page.state == "text" or ocr is None or path is None:
        return page.body
    return document.cached(("recognised", number), lambda: recognised_text(ocr, path, document.sha256, number))
