"""Where the value of a form field stands on its page: files hold the text of fields behind the page's own, far from their clauses."""

from __future__ import annotations

from deterministic.documents.closer_looks import alternative_texts
from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import Occurrence

_FORM = "form:"  # beginning of the notice of a document with form fields
_SHORTEST = 6


def on_the_page(document: Document, place: Occurrence) -> Occurrence:
    """The place of a quote in the row that a reader sees it in, by the words before it there; the place itself in other documents."""
    if not any(notice.startswith(_FORM) for notice in document.notices) or len(place.pages) != 1:
        return place
    number = place.pages[0]
    quoted = document.text[place.start : place.end].strip()
    rows = next((one.text for one in alternative_texts(document, [number]).get(number, ()) if one.source == "sorted"), "")
    row = next((line for line in rows.split("\n") if quoted and quoted in line), "")
    before = row.partition(quoted)[0].strip()
    at = document.text.find(before, document.page_starts[number - 1]) if len(before) >= _SHORTEST else -1
    if at < 0 or document.page_at(at) != number:
        return place
    return Occurrence(at + len(before) - 1, at + len(before), place.pages)
