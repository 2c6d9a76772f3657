"""Text of a page's image by Tesseract, which the PDF library holds; only its data files are needed. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import pymupdf

from deterministic.documents.page_states import count_common_words
from deterministic.documents.reading import keep_open
from deterministic.documents.tesseract_data import find_data

MAX_PIXELS = 20_000_000
"""An A3 page at 200 dpi has 8 million; a larger one is read at a lower resolution."""
_SMALLEST = 60  # dots of the shorter side of an image that can hold a page
_PROBE = 150  # dots per inch at which a page is tried in the other directions
_FEW = 3  # common words, of three letters or more, from which a page is taken to lie as it should


def recognise(path: str, number: int, language: str, dpi: int) -> str:
    """Recognised text of a physical page, "" when nothing is recognised. Raises `ReadingError`.

    A page that gives hardly a common word is tried in the three other directions: it may lie on its side or head."""
    data = find_data(language)
    page = keep_open(path).load_page(number - 1)
    if not page.parent.is_pdf and max((min(one["width"], one["height"]) for one in page.get_image_info()), default=0) < _SMALLEST:
        return ""
    text = _read(page, language, dpi, data)
    if (count := count_common_words(text, 3)) < _FEW:
        turned = {angle: count_common_words(_read(page, language, _PROBE, data, angle), 3) for angle in (90, 270, 180)}
        best = max(turned, key=turned.__getitem__)
        text = _read(page, language, dpi, data, best) if turned[best] > max(count, _FEW - 1) else text
    return text if text.strip() else ""


def _read(page: pymupdf.Page, language: str, dpi: int, data: str, turned: int = 0) -> str:
    """The text of a page turned by some degrees."""
    most = (MAX_PIXELS / max(page.rect.width * page.rect.height, 1.0)) ** 0.5 * 72
    dots = max(1, int(min(dpi if page.parent.is_pdf else _dots_of_image(page, dpi), most)))
    image = page.get_pixmap(matrix=pymupdf.Matrix(dots / 72, dots / 72).prerotate(turned), alpha=False)
    image.set_dpi(dpi, dpi)
    recognised = pymupdf.open("pdf", image.pdfocr_tobytes(language=language, tessdata=data, compress=False))
    try:
        return str(recognised.load_page(0).get_text("text", flags=0))
    finally:
        recognised.close()


_SHORT_SIDE, _SHORTEST, _LONGEST = 8.0, 5.0, 12.0
"""Inches of the shorter side of a page: as it is taken to be where the image says something outside the two others."""


def _dots_of_image(page: pymupdf.Page, dpi: int) -> float:
    """Dots per inch for an image file, which may say anything or nothing of the size that it was printed in."""
    short = max(min(page.rect.width, page.rect.height) / 72, 0.01)
    return dpi if _SHORTEST <= short <= _LONGEST else dpi * _SHORT_SIDE / short
