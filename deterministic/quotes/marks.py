"""Hidden and struck-out text: what a reader of the page does not see, or sees as deleted, supports nothing.

It is looked for only on the pages that a quote touches. Rules: design/quotes.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from deterministic.documents.closer_looks import struck_or_hidden
from deterministic.documents.documents import Document, MarkedSpan
from deterministic.lexicon.folding import fold
from deterministic.quotes.places import full_text
from deterministic.quotes.quote_match import Occurrence, QuoteMatch

_FURTHER = 10
_LABEL = re.compile(r"\s*\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,2})[.)]\s*")
"""A struck-out label of a paragraph, beside the one that it has now: no wording."""
_CODES = {"hidden": "HIDDEN_TEXT", "struck": "DELETED_TEXT"}


def marked_ranges(document: Document, page: int) -> tuple[MarkedSpan, ...]:
    """Marked stretches of a page, as offsets into the document's text; those of running lines are left out."""
    return document.cached(("quotes: marked", page), lambda: tuple(_in_text(document, page)))


_ALL_STRUCK, _PAGES_ASKED = 0.9, 8
"""Share of a page's characters from which on all of it is struck out, and pages that tell whether a file is."""


def is_struck_throughout(document: Document) -> bool:
    """A file that is struck out from end to end is no redline (a filing marks whole columns so): its text is read as living."""

    def build() -> bool:
        told = [page.number for page in document.pages if page.text.strip()]
        asked = told[:: max(1, len(told) // _PAGES_ASKED)]
        return bool(asked) and all(_struck_share(document, number) > _ALL_STRUCK for number in asked)

    return document.cached("quotes: struck throughout", build)


def _struck_share(document: Document, page: int) -> float:
    found = struck_or_hidden(document, page)
    struck = sum(len(found.text[span.start : span.end].split()) for span in found.spans if span.kind == "struck")
    return struck / max(1, len(found.text.split()))


STRUCK_THROUGHOUT = "STRUCK_THROUGHOUT"
_TOLD = "a line runs through all text of this file; it is read as valid: see whether the file is a deleted version"


def _is_read_as_living(document: Document, page: int) -> bool:
    return _struck_share(document, page) > _ALL_STRUCK and is_struck_throughout(document)


def _in_text(document: Document, page: int) -> Iterator[MarkedSpan]:
    spans = struck_or_hidden(document, page).spans
    if _is_read_as_living(document, page):
        spans = tuple(span for span in spans if span.kind != "struck")
    if spans:
        full = full_text(document)
        base = full.page_offset(page)
        ranges = [(full.range(base + span.start, base + span.end), span.kind) for span in spans]
        yield from (MarkedSpan(start, end, kind) for (start, end), kind in ranges if start < end)


def check_marks(document: Document, match: QuoteMatch, page_hint: int | None) -> QuoteMatch:
    """A found quote without the places at which it leans on hidden or struck-out characters; a finding when there is no other place.

    Looked at are the places on the cited page, else the first one, and further ones only while none is clean.
    """
    if match.verdict in ("not_found", "unreadable", "missing") or not match.occurrences or document.path is None:
        return match
    cited = [place for place in match.occurrences if page_hint in place.pages]
    rest = [place for place in match.occurrences if page_hint not in place.pages]
    looked_at = cited or rest[:1]
    marked = {place: kind for place in looked_at if (kind := _kind(document, place))}
    if len(marked) == len(looked_at):
        for place in [place for place in rest if place not in marked][:_FURTHER]:
            kind = _kind(document, place)
            if kind is None:
                break
            marked[place] = kind
    if not marked:
        is_told = any(code == STRUCK_THROUGHOUT for code, _ in match.findings)
        is_living = not is_told and any(_is_read_as_living(document, number) for place in looked_at for number in place.pages)
        return replace(match, findings=(*match.findings, (STRUCK_THROUGHOUT, _TOLD))) if is_living else match
    clean = tuple(place for place in match.occurrences if place not in marked)
    if clean:
        return replace(match, occurrences=clean, window=document.text[clean[0].start : clean[0].end])
    kind = next(iter(marked.values()))
    page = "" if document.paging == "none" else f"page {match.occurrences[0].pages[0]}: "
    detail = f"{page}only {'hidden' if kind == 'hidden' else 'struck-out'} characters give the quote"
    return replace(match, findings=(*match.findings, (_CODES[kind], detail)))


def _kind(document: Document, place: Occurrence) -> str | None:
    """The kind of mark on a letter or digit of the place, None when there is none."""
    for number in place.pages:
        for span in marked_ranges(document, number):
            low, high = max(span.start, place.start), min(span.end, place.end)
            words = document.text[low:high]
            if low < high and fold(words) and not (span.kind == "struck" and _LABEL.fullmatch(words)):
                return span.kind
    return None
