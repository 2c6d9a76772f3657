"""Closer looks at an opened document, only when asked for: other readings of a page, struck-out and hidden characters, its picture."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deterministic.documents import document_cache
from deterministic.documents.documents import DEFAULT_LIMITS, Document, DocumentError, ask, content_hash
from deterministic.documents.kinds import ReadingError
from deterministic.documents.pages import AlternativeText, MarkedSpan, MarkedText, Page, PageImage, PagePicture
from deterministic.documents.parsing import shared_worker
from deterministic.lexicon.folding import plain_letters

_LIMITS = replace(DEFAULT_LIMITS, cpu_seconds=20)
"""Of one closer look: the PDF library takes time that grows with the square of a single run of letters."""


def _look(document: Document, operation: str, **arguments: Any) -> Any:
    """Asks about a document's file; None when it has none or cannot be read any more (a closer look never fails a case), and for all but
    the marks of a Word file, which was read whole."""
    if document.path is None or (document.paging == "none" and operation != "marked"):
        return None
    try:
        return ask(shared_worker(_LIMITS.memory_bytes), operation, document.path, _LIMITS, **arguments)
    except DocumentError:
        return None


def alternative_texts(document: Document, page_numbers: Sequence[int], *, plain: bool = False) -> Mapping[int, tuple[AlternativeText, ...]]:
    """Second readings of some pages (physical numbers): other reading orders, text outside the page's clip, form fields and annotations, a
    second reader. Each page is read again once; a page without PDF has none. `plain`: only what can be new on a page that parsing noted as
    plain (text that was cut away)."""
    known: dict[int, tuple[AlternativeText, ...]] = document.cached(("second", plain), dict)
    missing = [n for n in dict.fromkeys(page_numbers) if 1 <= n <= len(document.pages) and n not in known]
    for n, readings in _second_readings(document, missing, plain).items():
        known[n] = tuple(AlternativeText(source, plain_letters(text)) for source, text in readings)
    return {n: known.get(n, ()) for n in page_numbers}


def _second_readings(document: Document, numbers: Sequence[int], is_plain: bool) -> Mapping[int, Sequence[tuple[str, str]]]:
    """Source and text of every second reading of the pages, from the disk where they were read again before."""
    entries = {n: document_cache.entry_of_reading(document.cache_dir, document.sha256, n, is_plain) for n in numbers}
    read = ((n, document_cache.read(entry, document_cache.are_readings)) for n, entry in entries.items())
    known = {n: kept["readings"] for n, kept in read if kept is not None}
    if not (missing := [n for n in numbers if n not in known]):
        return known
    found = _look(document, "alternatives", numbers=missing, is_plain=is_plain) or {}
    if document.cache_dir is not None and found and _is_unchanged(document):
        for n in missing:
            document_cache.write(entries[n], {"readings": found.get(str(n), ())})
    return known | {n: found.get(str(n), ()) for n in missing}


def _is_unchanged(document: Document) -> bool:
    """The file still has the content that was opened: what it says now is then true of that content."""
    try:
        return document.path is not None and content_hash(document.path) == document.sha256
    except (OSError, ReadingError):
        return False


def struck_or_hidden(document: Document, page_number: int) -> MarkedText:
    """The text of a page with its struck-out and its hidden characters marked; without PDF nothing is marked. The file is only looked at
    when parsing noted that the page could hold such characters."""

    def build() -> MarkedText:
        is_suspect = 1 <= page_number <= len(document.pages) and document.pages[page_number - 1].may_hold_marks
        found = _look(document, "marked", number=page_number) if is_suspect else None
        if found is None:
            return MarkedText(document.page_text(page_number), ())
        return MarkedText(plain_letters(found["text"]), tuple(MarkedSpan(start, end, kind) for start, end, kind in found["spans"]))

    return document.cached(("marked", page_number), build)


def quote_rectangles(document: Document, start: int, end: int) -> tuple[tuple[int, float, float, float, float], ...]:
    """Where the range [start, end) of the text stands: (page, x0, y0, x1, y1), one a line, in points from the page's top left corner."""

    def build() -> tuple[tuple[int, float, float, float, float], ...]:
        pages = [document.pages[number - 1] for number in document.pages_of(start, end) if 1 <= number <= len(document.pages)]
        starts = document.page_starts
        ranges = [[p.number, *span] for p in pages for span in _in_full_text(p, start - starts[p.number - 1], end - starts[p.number - 1])]
        found = _look(document, "rectangles", ranges=ranges) if ranges else None
        return tuple((int(row[0]), *map(float, row[1:])) for row in found or ())  # type: ignore[misc]

    return document.cached(("rectangles", start, end), build)  # one sentence is the evidence of many items


def _in_full_text(page: Page, start: int, end: int) -> list[tuple[int, int]]:
    """A range of a page's body as ranges of its full text; running lines in between are left out."""
    spans: list[tuple[int, int]] = []
    at, body_at = 0, 0
    body = page.body.split("\n")[::-1]
    for line in page.text.split("\n"):
        if body and line == body[-1]:
            low, high = max(start, body_at), min(end, body_at + len(line))
            if low < high:
                spans.append((at + low - body_at, at + high - body_at))
            body_at += len(body.pop()) + 1
        at += len(line) + 1
    return spans


def page_picture(document: Document, number: int) -> PagePicture | None:
    """A physical page as a picture for a model that reads pictures; None where the file has no such page or it cannot be drawn."""

    def build() -> PagePicture | None:
        found = _look(document, "picture", number=number) if 1 <= number <= len(document.pages) else None
        if found is None or not _is_unchanged(document):
            return None
        return PagePicture(number, found["kind"], found["width"], found["height"], bytes.fromhex(found["data"]))

    return document.cached(("picture", number), build)


def page_image(path: Path, page_number: int, *, dpi: int = 100) -> PageImage:
    """A physical page as grey PNG; the resolution is lowered for huge pages. Raises `DocumentError`."""
    found = ask(shared_worker(DEFAULT_LIMITS.memory_bytes), "image", Path(path), DEFAULT_LIMITS, number=page_number, dpi=dpi)
    return PageImage(bytes.fromhex(found["png"]), found["width"], found["height"], found["page_width"], found["page_height"])
