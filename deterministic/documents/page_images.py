"""Images of pages: pictures, where on them a range of the text stands, and their text by Tesseract, which the PDF library holds.
Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from functools import lru_cache
from typing import Any

import pymupdf

from deterministic.documents.kinds import ReadingError
from deterministic.documents.ocr import find_data
from deterministic.documents.page_states import count_common_words
from deterministic.documents.pages import LONGEST, MOST_BYTES
from deterministic.documents.reading import Box, around, keep_open, page_content, walk_lines
from deterministic.documents.running_lines import starts_of

MAX_PIXELS = 6_000_000
"""A page of a million points must not become an image of a terabyte."""


def render(path: str, number: int, dpi: int) -> dict[str, Any]:
    """Grey PNG (hexadecimal) of a physical page with its size in pixels and in points."""
    page = _page(path, number)
    width, height = page.rect.width, page.rect.height
    image = _drawn(page, min(dpi / 72, (MAX_PIXELS / max(width * height, 1.0)) ** 0.5))
    return {"png": image.tobytes("png").hex(), "width": image.width, "height": image.height, "page_width": width, "page_height": height}


def _page(path: str, number: int) -> pymupdf.Page:
    pdf = keep_open(path)
    if not 1 <= number <= pdf.page_count:
        raise ReadingError("missing", f"has no page {number}")
    return pdf.load_page(number - 1)


def _drawn(page: pymupdf.Page, zoom: float) -> pymupdf.Pixmap:
    return page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)


_QUALITIES = (80, 60, 40)  # of a JPEG, where a PNG is larger
_SMALLEST = 400


def picture(path: str, number: int) -> dict[str, Any]:
    """A physical page as a grey picture (hexadecimal) within both bounds, PNG where small enough, else JPEG, else smaller."""
    page, longest = _page(path, number), LONGEST
    while True:
        image = _drawn(page, longest / max(page.rect.width, page.rect.height, 1.0))
        if max(image.width, image.height) > LONGEST:  # a pixel that rounding added
            longest -= 1
            continue
        for kind, quality in (("png", 0), *(("jpeg", one) for one in _QUALITIES)):
            data = image.tobytes("png") if kind == "png" else image.tobytes("jpeg", jpg_quality=quality)
            if len(data) <= MOST_BYTES:
                return {"data": data.hex(), "kind": kind, "width": image.width, "height": image.height}
        if longest <= _SMALLEST:
            raise ReadingError("too_large", f"page {number} is no picture within {MOST_BYTES} bytes")
        longest //= 2


def find_rectangles(path: str, ranges: list[list[int]]) -> list[list[float]]:
    """[page, start, end] in the full text of pages -> [page, x0, y0, x1, y1], one a line, in points of the page as it is shown."""
    pdf = keep_open(path)
    found: list[list[float]] = []
    for number in sorted({row[0] for row in ranges}):
        lines, matrix = _characters(pdf, number)
        for characters, at in zip(lines, starts_of(lines), strict=False):
            inside = ([box for box in characters[max(0, a - at) : max(0, b - at)] if box] for n, a, b in ranges if n == number)
            found += ([number, *(pymupdf.Rect(around(boxes)) * matrix)] for boxes in inside if boxes)
    return found


@lru_cache(maxsize=64)
def _characters(pdf: pymupdf.Document, number: int) -> tuple[list[list[Box | None]], pymupdf.Matrix]:
    """The box of each character of a page's lines, None for white space; several quotes of a page are often asked for in a row."""
    page = pdf.load_page(number - 1)
    lines = walk_lines(page.get_text("rawdict", flags=page_content(page).flags))
    boxes = [[c["bbox"] if c["c"].strip() else None for span in line["spans"] for c in span["chars"]] for line in lines]
    return boxes, page.rotation_matrix


_MOST_RECOGNISED = 20_000_000
"""An A3 page at 200 dpi has 8 million; a larger one is read at a lower resolution."""
_SMALLEST_IMAGE = 60  # dots of the shorter side of an image that can hold a page
_DPI, _PROBE = 200, 150  # dots per inch at which a page is read, and tried in the other directions
_FEW = 3  # common words, of three letters or more, from which a page is taken to lie as it should


def recognise(path: str, number: int) -> str:
    """Recognised text of a physical page, "" when nothing is recognised. Raises `ReadingError`. A page that gives hardly a common word is
    tried in the three other directions: it may lie on its side or head."""
    data = find_data()
    page = keep_open(path).load_page(number - 1)
    if not page.parent.is_pdf and max((min(one["width"], one["height"]) for one in page.get_image_info()), default=0) < _SMALLEST_IMAGE:
        return ""
    text = _read(page, _DPI, data)
    if (count := count_common_words(text, 3)) < _FEW:
        turned = {angle: count_common_words(_read(page, _PROBE, data, angle), 3) for angle in (90, 270, 180)}
        best = max(turned, key=turned.__getitem__)
        text = _read(page, _DPI, data, best) if turned[best] > max(count, _FEW - 1) else text
    return text if text.strip() else ""


def _read(page: pymupdf.Page, dpi: int, data: str, turned: int = 0) -> str:
    """The text of a page turned by some degrees."""
    most = (_MOST_RECOGNISED / max(page.rect.width * page.rect.height, 1.0)) ** 0.5 * 72
    dots = max(1, int(min(dpi if page.parent.is_pdf else _dots_of_image(page, dpi), most)))
    image = page.get_pixmap(matrix=pymupdf.Matrix(dots / 72, dots / 72).prerotate(turned), alpha=False)
    image.set_dpi(dpi, dpi)
    with pymupdf.open("pdf", image.pdfocr_tobytes(language="eng", tessdata=data, compress=False)) as recognised:
        return str(recognised.load_page(0).get_text("text", flags=0))


_SHORT_SIDE, _SHORTEST, _LONGEST = 8.0, 5.0, 12.0
"""Inches of the shorter side of a page: as it is taken to be where the image says something outside the two others."""


def _dots_of_image(page: pymupdf.Page, dpi: int) -> float:
    """Dots per inch for an image file, which may say anything or nothing of the size that it was printed in."""
    short = max(min(page.rect.width, page.rect.height) / 72, 0.01)
    return dpi if _SHORTEST <= short <= _LONGEST else dpi * _SHORT_SIDE / short
