"""Text of a page's image by Tesseract, which the PDF library holds; only its data files are needed. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pymupdf
from numpy.typing import NDArray

from deterministic.documents.page_numbers import number_of
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
    return _with_number(text, page, language, data) if text.strip() else ""


def _with_number(text: str, page: pymupdf.Page, language: str, data: str) -> str:
    """The text with the page number at the page's edge that recognition has overlooked."""
    lines = [line for line in text.split("\n") if line.strip()]
    if any(map(number_of, (*lines[:1], *lines[-1:]))):
        return text
    number, is_head = _number_at_edge(page, language, data)
    if not number:
        return text
    return f"{number}\n{text}" if is_head else f"{text.rstrip()}\n{number}\n"


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


# ---- numbers at the edge of a page ----

_STRIP, _MARGIN = 0.08, 0.015
"""Shares of the page's height and width: the strip at its edge that is looked at, and what is left out as the shadow of a border."""
_DPI = 200
_DARK = 140  # grey level (of 255) below which a dot is ink
_LARGEST = (150, 80)  # width and height, in dots, of a number at most
_TIMES, _GAP, _FEWEST = 8, 60, 4


def _number_at_edge(page: pymupdf.Page, language: str, data: str) -> tuple[str, bool]:
    """The page number that stands alone and whether it stands at the head; "" for none that is read alike again and again. Recognition
    overlooks a single figure in white space, so it is cut out, set several times beside itself and read again."""
    for is_head in (False, True):
        ink = _strip(page, is_head)
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        if rows.size:
            cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            if cut.shape[1] <= _LARGEST[0] and cut.shape[0] <= _LARGEST[1] and (number := _read_number(cut, language, data)):
                return number, is_head
    return "", False


def _strip(page: pymupdf.Page, is_head: bool) -> NDArray[np.bool_]:
    """Where there is ink at the edge; a dot counts with most of its neighbours, so that specks are none."""
    left, top, right, bottom = page.rect
    side, end, height = _MARGIN * (right - left), _MARGIN * (bottom - top), _STRIP * (bottom - top)
    clip = (left + side, top + end, right - side, top + height) if is_head else (left + side, bottom - height, right - side, bottom - end)
    zoom = _DPI / 72
    image = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=pymupdf.Rect(clip), colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(image.samples, np.uint8).reshape(image.height, image.stride)[:, : image.width]
    dark = np.pad((grey < _DARK).astype(np.int8), 1)
    around = sum(np.roll(np.roll(dark, y, 0), x, 1) for y in (-1, 0, 1) for x in (-1, 0, 1))
    found: NDArray[np.bool_] = np.asarray(around)[1:-1, 1:-1] >= 5
    return found


def _read_number(cut: NDArray[np.bool_], language: str, data: str) -> str:
    row = np.pad(np.tile(np.pad(cut, ((0, 0), (0, _GAP))), _TIMES), _GAP)
    samples = np.repeat(np.where(row, 0, 255).astype(np.uint8), 3)  # grey images give no text
    image = pymupdf.Pixmap(pymupdf.csRGB, row.shape[1], row.shape[0], samples.tobytes(), False)
    image.set_dpi(_DPI, _DPI)
    recognised = pymupdf.open("pdf", image.pdfocr_tobytes(language=language, tessdata=data, compress=False))
    words = Counter(re.findall(r"\w+", recognised.load_page(0).get_text()))
    recognised.close()
    word, count = words.most_common(1)[0] if words else ("", 0)
    return word if word.isdecimal() and len(word) < 5 and count >= _FEWEST and 2 * count > words.total() else ""
