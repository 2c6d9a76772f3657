"""The page number that stands alone at the foot or head of a scan: recognition overlooks a single figure in white space, so it is cut
out, set several times beside itself and read again. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pymupdf
from numpy.typing import NDArray

_STRIP, _MARGIN = 0.08, 0.015
"""Shares of the page's height and width: the strip at its edge that is looked at, and what is left out as the shadow of a border."""
_DPI = 200
_DARK = 140
"""Grey level (of 255) below which a dot is ink."""
_LARGEST = (150, 80)
"""Width and height, in dots, of a number at most."""
_TIMES, _GAP, _FEWEST = 8, 60, 4


def number_at_edge(page: pymupdf.Page, language: str, data: str) -> tuple[str, bool]:
    """The number and whether it stands at the head; "" for none that is read alike again and again."""
    for is_head in (False, True):
        ink = _strip(page, is_head)
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        if rows.size:
            cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            if cut.shape[1] <= _LARGEST[0] and cut.shape[0] <= _LARGEST[1] and (number := _read(cut, language, data)):
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


def _read(cut: NDArray[np.bool_], language: str, data: str) -> str:
    row = np.pad(np.tile(np.pad(cut, ((0, 0), (0, _GAP))), _TIMES), _GAP)
    samples = np.repeat(np.where(row, 0, 255).astype(np.uint8), 3)  # grey images give no text
    image = pymupdf.Pixmap(pymupdf.csRGB, row.shape[1], row.shape[0], samples.tobytes(), False)
    image.set_dpi(_DPI, _DPI)
    recognised = pymupdf.open("pdf", image.pdfocr_tobytes(language=language, tessdata=data, compress=False))
    words = Counter(re.findall(r"\w+", recognised.load_page(0).get_text()))
    recognised.close()
    word, count = words.most_common(1)[0] if words else ("", 0)
    return word if word.isdecimal() and len(word) < 5 and count >= _FEWEST and 2 * count > words.total() else ""
