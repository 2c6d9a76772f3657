"""Hidden and struck-out text: what a reader of the page does not see, or sees as deleted, supports nothing.

It is looked for only on the pages that a quote touches. Rules: judging.md section 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from deterministic.documents.documents import Document, MarkedSpan, struck_or_hidden
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


def _in_text(document: Document, page: int) -> Iterator[MarkedSpan]:
    if spans := struck_or_hidden(document, page).spans:
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
        return match
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
