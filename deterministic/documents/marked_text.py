"""Struck-out and hidden characters of one page. Runs in a child process only, for the pages that a quote touches.
Struck: the PDF library sees a line, a thin rectangle or a StrikeOut annotation through the characters. Hidden: the page as it is rendered
shows nothing where the word stands (white on white, covered, invisible without an image below), or the letters are too small to read. A
layer of recognised text over a scan shows the scan, so it is not hidden."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pymupdf

from deterministic.documents.kinds import CONTRAST
from deterministic.documents.reading import Box, around, keep_open, page_content, walk_lines

STRUCK, FILLED, STROKED = 1, 16, 32
"""Bits of a span's `char_flags`."""
TINY = 2.0
"""Points under which letters cannot be read, on a page that is A4 or larger: a smaller page is shown larger."""
_PAGE = 842.0
NO_WIDTH = 0.3
"""Points under which a character takes no room."""
ZOOM = 1.6


def find_marked(path: str, number: int) -> dict[str, Any]:
    """{"text": full text of the page, "spans": [[start, end, "struck" or "hidden"]]}."""
    page = keep_open(path).load_page(number - 1)
    with _upright(page):
        return _marked(page)


def seen_text(page: pymupdf.Page, flags: int) -> str:
    """The text of a page, read with these flags wherever it stands, without the words that nobody sees."""
    with _upright(page):
        seen = _Seen(page)
        content = page.get_text("rawdict", flags=flags | pymupdf.TEXT_COLLECT_STYLES, clip=pymupdf.INFINITE_RECT())
        lines = (
            [word for span in line["spans"] for word in _words(span["chars"]) if not _is_hidden(span, word, seen)]
            for line in walk_lines(content)
        )
        return "\n".join("".join(character["c"] for word in line for character in word) for line in lines)


@contextmanager
def _upright(page: pymupdf.Page) -> Iterator[None]:
    """Without the page's rotation, so that text and image share their coordinates."""
    rotation = page.rotation
    page.set_rotation(0)
    try:
        yield
    finally:
        page.set_rotation(rotation)


def _marked(page: pymupdf.Page) -> dict[str, Any]:
    content = page_content(page)
    text = "\n".join(content.texts)
    drawn = [tuple(drawing["rect"]) for drawing in page.get_drawings()]
    seen = _Seen(page)
    strokes = [box for box in drawn if box[3] - box[1] <= 3.0 * seen.scale and box[2] - box[0] > box[3] - box[1]]
    marks: list[str] = []
    for line in walk_lines(page.get_text("rawdict", flags=content.flags | pymupdf.TEXT_COLLECT_STYLES)):
        for span in line["spans"]:
            if span["char_flags"] & STRUCK:
                marks += ["struck" if _is_crossed(character["bbox"], strokes) else "" for character in span["chars"]]
                continue
            for word in _words(span["chars"]):
                marks += ["hidden" if _is_hidden(span, word, seen) else ""] * len(word)
        marks.append("")
    return {"text": text, "spans": [list(span) for span in _runs(marks, text)]}


def _words(characters: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The characters in words; white space is a word of its own."""
    breaks = [n for n, (one, two) in enumerate(pairwise(characters), 1) if one["c"].isspace() or two["c"].isspace()]
    for start, end in pairwise([0, *breaks, len(characters)]):
        if start < end:
            yield characters[start:end]


def _is_hidden(span: dict[str, Any], word: list[dict[str, Any]], seen: "_Seen") -> bool:
    if not any(character["c"].isalnum() for character in word):
        return False
    box = around([character["bbox"] for character in word])
    if box[2] - box[0] < NO_WIDTH * seen.scale and all(character["c"] in "filt" for character in word):
        return False  # the rest of a ligature, whose one sign is the letter before
    is_undrawn = not span["char_flags"] & (FILLED | STROKED) and span.get("alpha", 255) == 0
    return not (seen.has_image(box) if is_undrawn or 0 < span["size"] < TINY * seen.scale else seen.has_contrast(box))


def _is_crossed(character: Box, strokes: Sequence[Box]) -> bool:
    """A stroke passes the centre of the character, which the library also flags where one only touches it; a page without strokes
    near by (an annotation strikes) leaves it to the library."""
    left, top, right, bottom = character
    height = bottom - top
    low, high = top + 0.2 * height, bottom - 0.15 * height
    near = [(x0, x1) for x0, y0, x1, y1 in strokes if y1 >= low and y0 <= high and x0 <= right + height and x1 >= left - height]
    return not near or any(x0 <= (left + right) / 2 <= x1 for x0, x1 in near)


class _Seen:
    """The page as a reader sees it."""

    def __init__(self, page: pymupdf.Page) -> None:
        width, height = page.rect.width, page.rect.height
        self.scale = min(1.0, max(width, height) / _PAGE)
        zoom = min(ZOOM / self.scale, (4_000_000 / max(width * height, 1.0)) ** 0.5)
        self._image = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
        self._samples = self._image.samples
        self._zoom = zoom
        self._images = [tuple(info["bbox"]) for info in page.get_image_info()]

    def has_image(self, box: Box) -> bool:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in self._images)

    def has_contrast(self, box: Box) -> bool:
        """Light and dark both occur in the middle of the box; a box off the page shows nothing."""
        inset = 0.2 * (box[3] - box[1])
        x0, y0 = max(0, int(box[0] * self._zoom)), max(0, int((box[1] + inset) * self._zoom))
        x1 = min(self._image.width, int(box[2] * self._zoom) + 1)
        y1 = min(self._image.height, int((box[3] - inset) * self._zoom) + 1)
        if x1 <= x0 or y1 <= y0:
            return False
        rows = [self._samples[y * self._image.stride + x0 : y * self._image.stride + x1] for y in range(y0, y1)]
        return max(map(max, rows)) - min(map(min, rows)) >= CONTRAST


def _runs(marks: list[str], text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of equally marked characters; white space between two of them belongs to the run."""
    start, kind, end = 0, "", 0
    for at, mark in enumerate(marks[: len(text)]):
        if kind and (mark == kind or (not mark and text[at].isspace())):
            end = at + 1 if mark else end
            continue
        if kind:
            yield start, end, kind
        start, kind, end = at, mark, at + 1
    if kind:
        yield start, end, kind
