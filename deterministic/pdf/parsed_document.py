"""One PDF parsed to plain data: pages, clauses, notices. Runs in a child process; the result is what the cache keeps."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pymupdf

from deterministic.clauses.provisions import build_provisions
from deterministic.pdf.page_notes import MARKS, ORDERS, PageNotes
from deterministic.pdf.page_states import FEW_CHARACTERS, count_characters, page_state
from deterministic.pdf.pages import CUT
from deterministic.pdf.reading import ReadingError, is_memory, line_text, open_pdf, page_ink, release
from deterministic.pdf.running_lines import strip_running_lines

_TAIL = 2048
"""Bytes at the end of a file in which its end mark stands."""


def parse(path: str, *, pages: int, characters: int) -> dict[str, Any]:
    """JSON data: pages [[text, body or None when equal, label, printed, state, notes]], clauses [[number, title, start, end, numbering]],
    listed numbers of the contents pages, notices. Raises `ReadingError`."""
    release()
    pdf = open_pdf(path)
    try:
        if pdf.page_count > pages:
            raise ReadingError("too_large", f"has {pdf.page_count} pages, more than the limit of {pages}")
        return _content(pdf, characters)
    finally:
        pdf.close()
        pymupdf.TOOLS.store_shrink(100)


def _content(pdf: pymupdf.Document, characters: int) -> dict[str, Any]:
    texts: list[str] = []
    heights: list[list[float]] = []
    ink: list[tuple[float, bool]] = []
    labels: list[str] = []
    notes: list[str] = []
    noting = PageNotes(pdf)
    unread: set[int] = set()
    cut_short: set[int] = set()
    has_labels = bool(pdf.get_page_labels())
    total = 0
    for number in range(pdf.page_count):
        try:
            pymupdf.TOOLS.reset_mupdf_warnings()
            page = pdf.load_page(number)
            lines, noted = noting.read(page)
            if _ENDS_EARLY.search(pymupdf.TOOLS.mupdf_warnings()):
                cut_short.add(number)
            text, tops = "\n".join(map(line_text, lines)), [line["bbox"][1] for line in lines]
            ink.append(page_ink(page) if count_characters(text) < 2 * FEW_CHARACTERS else (0.0, True))
            labels.append(page.get_label() if has_labels else "")
        except Exception as error:
            if is_memory(error):
                raise MemoryError from None
            # One broken page must not hide the others; it is a page that could not be read.
            text, tops, noted = "", [], MARKS + ORDERS
            unread.add(number)
            del ink[number:], labels[number:]
            ink.append((0.0, True))
            labels.append("")
        total += len(text)
        if total > characters:
            raise ReadingError("too_large", f"holds more than {characters} characters of text")
        texts.append(text)
        notes.append(noted)
        heights.append(tops)
    if len(unread) == len(texts):
        raise ReadingError("corrupt", "none of its pages can be read")
    bodies, printed = strip_running_lines(texts, heights)
    states = [
        "garbled" if n in unread | cut_short else page_state(bodies[n] or texts[n], *ink[n], is_damaged=pdf.is_repaired)
        for n in range(len(texts))
    ]
    starts, at = [], 0
    for body in bodies:
        starts.append(at)
        at += len(body) + 1
    clauses, listed = build_provisions("\n".join(bodies), starts)
    return {
        "pages": [
            [text, None if text == body else body, labels[n], list(printed[n]), states[n], notes[n]]
            for n, (text, body) in enumerate(zip(texts, bodies, strict=True))
        ],
        "clauses": [[clause.number, clause.title, clause.start, clause.end, clause.numbering] for clause in clauses],
        "listed": sorted(listed),
        "notices": [
            *_damage(pdf, states),
            *(["form: it has form fields"] if pdf.is_form_pdf else []),
            *(f"page {number + 1} could not be read" for number in sorted(unread)[:20]),
            *(f"damaged: the content of page {number + 1} ends early" for number in sorted(cut_short)[:20]),
        ],
    }


_ENDS_EARLY = re.compile(r"premature end|unexpected end|truncated|zlib error|inflate|syntax error|cannot (?:find|load) object", re.I)
"""Messages of the PDF library: a stream or an object of the page is not all there."""


def _damage(pdf: pymupdf.Document, states: Sequence[str]) -> list[str]:
    """What is said of a file that the library had to rebuild. Where its end stands and every page has text, nothing seems lost."""
    if not pdf.is_repaired:
        return []
    with open(pdf.name, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _TAIL))
        has_end = b"%%EOF" in file.read()
    return ["damaged: the PDF library rebuilt it", *([] if has_end and "empty" not in states else [CUT])]
