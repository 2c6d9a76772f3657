"""One PDF parsed to plain data: pages, clauses, notices. Runs in a child process; the result is what the cache keeps."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pymupdf

from deterministic.clauses.clause import Clause
from deterministic.clauses.provisions import build_provisions
from deterministic.documents.kinds import ReadingError, raise_if_memory
from deterministic.documents.page_notes import MARKS, ORDERS, PICTURED, TORN, PageNotes
from deterministic.documents.page_numbers import Reach
from deterministic.documents.page_states import FEW_CHARACTERS, has_few_characters, page_state
from deterministic.documents.pages import CUT, Paging
from deterministic.documents.reading import Images, is_in_symbols, open_pdf, page_ink, release
from deterministic.documents.running_lines import find_running_lines, starts_of

UNSEEN = ("", None, "", (), "scan", "")
"""A page that shows something and has no text."""
_TAIL = 2048  # bytes at the end of a file in which its end mark stands


def parsed(
    pages: Sequence[Sequence[Any]],
    notices: Sequence[str],
    clauses: Sequence[Clause] = (),
    listed: Iterable[str] = (),
    earlier: Sequence[Reach] = (),
    paging: Paging = "physical",
) -> dict[str, Any]:
    """JSON data: pages [[text, body or None when equal, label, printed, state, notes]], earlier pages [[start, end, number, is sure]],
    clauses [[number, title, start, end, numbering]], listed numbers of the contents pages, notices."""
    rows = [[clause.number, clause.title, clause.start, clause.end, clause.numbering] for clause in clauses]
    return {"paging": paging, "pages": pages, "earlier": earlier, "clauses": rows, "listed": sorted(listed), "notices": notices}


def parse(path: str, *, pages: int, characters: int) -> dict[str, Any]:
    """A PDF as `parsed` gives it. Raises `ReadingError`."""
    release()
    pdf = open_pdf(path)
    try:
        if pdf.page_count > pages:
            raise ReadingError("too_large", f"has {pdf.page_count} pages, more than the limit of {pages}")
        return _content(pdf, characters)
    finally:
        pdf.close()
        pymupdf.TOOLS.store_shrink(100)


class _Read(NamedTuple):
    """A page as it is read first. `ink`: as `page_ink` gives it, looked at where there is little text."""

    text: str = ""
    tops: Sequence[float] = ()
    ink: tuple[float, bool] = (0.0, True)
    label: str = ""
    notes: str = MARKS + ORDERS
    is_cut_short: bool = False
    is_in_symbols: bool = False


_UNREAD = _Read()
"""One broken page must not hide the others; it is a page that could not be read."""


def _read(pdf: pymupdf.Document, number: int, noting: PageNotes, has_labels: bool) -> _Read:
    try:
        pymupdf.TOOLS.reset_mupdf_warnings()
        page = pdf.load_page(number)
        rect, crop = page.rect, page.cropbox
        if (rect.width, rect.height) != (crop.width, crop.height):
            (width, height), (short, long) = (sorted((one.width, one.height)) for one in (rect, crop & page.mediabox))
            if abs(width * long - height * short) > 0.02 * height * long:
                return _UNREAD  # for a box without area the library takes a sheet of its own
        lines, text, notes, may_show_pictures = noting.read(page)
        is_cut_short = bool(_ENDS_EARLY.search(pymupdf.TOOLS.mupdf_warnings()))
        ink = page_ink(page) if has_few_characters(text, 2 * FEW_CHARACTERS if may_show_pictures else 1) else (0.0, True)
        label = page.get_label() if has_labels else ""
        return _Read(text, [line["bbox"][1] for line in lines], ink, label, notes, is_cut_short, is_in_symbols(lines))
    except Exception as error:
        raise_if_memory(error)
        return _UNREAD


def _content(pdf: pymupdf.Document, characters: int) -> dict[str, Any]:
    noting, has_labels = PageNotes(pdf), bool(pdf.get_page_labels())
    read: list[_Read] = []
    total = 0
    for number in range(pdf.page_count):
        read.append(_read(pdf, number, noting, has_labels))
        total += len(read[-1].text)
        if total > characters:
            raise ReadingError("too_large", f"holds more than {characters} characters of text")
    unread = [n for n, page in enumerate(read) if page is _UNREAD]
    cut_short = [n for n, page in enumerate(read) if page.is_cut_short]
    if len(unread) == len(read):
        raise ReadingError("corrupt", "none of its pages can be read")
    texts, pictured = [page.text for page in read], noting.pictured
    running = find_running_lines(texts, [page.tops for page in read])
    bodies = running.bodies(texts)
    starts = starts_of(bodies)[:-1]
    clauses, listed = build_provisions("\n".join(bodies), starts)
    pages: list[list[Any]] = []
    for n, (page, body) in enumerate(zip(read, bodies, strict=True)):
        is_torn = page is _UNREAD or page.is_cut_short
        state = "garbled" if is_torn or page.is_in_symbols else page_state(body or page.text, *page.ink, is_damaged=pdf.is_repaired)
        notes = page.notes + PICTURED * (n in pictured) + TORN * is_torn
        pages.append([page.text, None if page.text == body else body, page.label, list(running.printed[n]), state, notes])
    notices = [
        *_damage(pdf, any(page[4] == "empty" for page in pages)),
        *(["form: it has form fields"] if pdf.is_form_pdf else []),
        *(f"page {number + 1} could not be read" for number in unread[:20]),
        *(f"damaged: the content of page {number + 1} ends early" for number in cut_short[:20]),
    ]
    return parsed(pages, notices, clauses, listed, running.earlier_pages(texts))


_ENDS_EARLY = re.compile(r"premature end|unexpected end|truncated|zlib error|inflate|syntax error|cannot (?:find|load) object", re.I)
"""Messages of the PDF library: a stream or an object of the page is not all there."""


def _damage(pdf: pymupdf.Document, has_empty: bool) -> list[str]:
    """What is said of a file that the library had to rebuild. Where its end stands and every page has text, nothing seems lost."""
    if not pdf.is_repaired:
        return []
    with open(pdf.name, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _TAIL))
        has_end = b"%%EOF" in file.read()
    return ["damaged: the PDF library rebuilt it", *([] if has_end and not has_empty else [CUT])]


_CUT_IMAGE = re.compile(r"premature end|unexpected end|truncated|not enough|corrupt", re.I)
_PREVIEW = 20  # dots per inch at which a page is drawn to see whether its image is whole


def parse_images(path: str, *, pages: int) -> dict[str, Any]:
    """The same of image files (TIFF, PNG, JPEG): pages that show something and have no text. A frame that ends early may hide what stood
    on it."""
    images = Images(path)
    try:
        if images.page_count > pages:
            raise ReadingError("too_large", f"has {images.page_count} pages, more than the limit of {pages}")
        broken = [number for number in range(images.page_count) if not _is_whole(images, number)]
    finally:
        images.close()
    notices = [*(f"damaged: the image of page {number + 1} ends early" for number in broken[:20]), *([CUT] if broken else [])]
    return parsed([UNSEEN] * images.page_count, notices)


def _is_whole(images: Images, number: int) -> bool:
    try:
        pymupdf.TOOLS.reset_mupdf_warnings()
        images.load_page(number).get_pixmap(dpi=_PREVIEW)
    except Exception as error:
        raise_if_memory(error)
        return False
    return not _CUT_IMAGE.search(pymupdf.TOOLS.mupdf_warnings())
