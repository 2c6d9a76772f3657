"""Pages as a reader sees them: pictures, where on them a range of the text stands, their text by Tesseract, which the PDF library holds,
and struck-out and hidden characters, for the pages that a quote touches. Runs in a child process only.
Struck: the PDF library sees a line, a thin rectangle or a StrikeOut annotation through the characters. Hidden: the page as it is rendered
shows nothing where the word stands (white on white, covered, invisible without an image below), or the letters are too small to read. A
layer of recognised text over a scan shows the scan, so it is not hidden."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pymupdf

from deterministic.documents.kinds import CONTRAST, ReadingError
from deterministic.documents.ocr import find_data
from deterministic.documents.page_notes import PageNotes
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


STRUCK, FILLED, STROKED = 1, 16, 32
"""Bits of a span's `char_flags`."""
TINY = 2.0
"""Points under which letters cannot be read, on a page that is A4 or larger: a smaller page is shown larger."""
_PAGE = 842.0
NO_WIDTH = 0.3
"""Points under which a character takes no room."""
ZOOM = 1.6
_COVERS = ("fill-path", "fill-image", "fill-shade", "fill-imgmask")
_HALF = 0.5  # share of a letter that is covered


def find_marked(path: str, number: int) -> dict[str, Any]:
    """{"text": full text of the page, "spans": [[start, end, "struck", "hidden" or "doubtful"]]}."""
    page = keep_open(path).load_page(number - 1)
    with _upright(page):
        found = _marked(page)
    if PageNotes(page.parent).may_paint_nothing(page):
        found["spans"].append([0, len(found["text"]), "doubtful"])
    return found


def seen_text(page: pymupdf.Page, flags: int) -> str:
    """The text of a page, read with these flags wherever it stands, without the words that nobody sees."""
    with _upright(page):
        seen = _Seen(page)
        content = page.get_text("rawdict", flags=flags | pymupdf.TEXT_COLLECT_STYLES, clip=pymupdf.INFINITE_RECT())
        rows = (line["spans"] for line in walk_lines(content))
        lines = ([word for span in row for word in _words(span["chars"]) if not _is_hidden(span, word, seen)] for row in rows)
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
    covered = _covered(page, seen)
    strokes = [box for box in drawn if box[3] - box[1] <= 3.0 * seen.scale and box[2] - box[0] > box[3] - box[1]]
    marks: list[str] = []
    for line in walk_lines(page.get_text("rawdict", flags=content.flags | pymupdf.TEXT_COLLECT_STYLES)):
        for span in line["spans"]:
            if span["char_flags"] & STRUCK:
                marks += ["struck" if _is_crossed(character["bbox"], strokes) else "" for character in span["chars"]]
                continue
            for word in _words(span["chars"]):
                is_gone = _is_hidden(span, word, seen)
                marks += ["hidden" if is_gone or _key(one["c"], one["origin"]) in covered else "" for one in word]
        marks.append("")
    return {"text": text, "spans": [list(span) for span in _runs(marks, text)]}


def _key(letter: str, origin: Sequence[float]) -> tuple[str, int, int]:
    return letter, round(origin[0]), round(origin[1])


def _covered(page: pymupdf.Page, seen: "_Seen") -> set[tuple[str, int, int]]:
    """Letters of which something painted later covers more than half, where the page shows nothing any more, or other letters that are
    painted later still. What is painted through (a highlight) leaves the letters to be seen; the same letter painted again is one."""
    least = TINY * seen.scale
    covers = [(at, box) for at, (kind, box) in enumerate(page.get_bboxlog()) if kind in _COVERS]
    covers = [(at, box) for at, box in covers if min(box[2] - box[0], box[3] - box[1]) > least]
    if not covers:
        return set()
    traced = ((box, span["seqno"], _key(chr(code), origin)) for span in page.get_texttrace() for code, _, origin, box in span["chars"])
    letters = sorted(traced, key=lambda one: one[0][1])
    tops, tallest = [box[1] for box, _, _ in letters], max((box[3] - box[1] for box, _, _ in letters), default=0.0)
    over: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    for at, cover in covers:
        for n in range(bisect_left(tops, cover[1] - tallest), bisect_left(tops, cover[3])):
            box, painted, key = letters[n]
            if at > painted and key[0].isalnum() and _share(box, cover) > _HALF:
                over[n].append((at, cover))
    hidden = set[tuple[str, int, int]]()
    for n, found in over.items():
        box, _, key = letters[n]
        near = letters[bisect_left(tops, box[1] - tallest) : bisect_left(tops, box[3])]
        later = [(other, one) for other, at, one in near if at > found[0][0]]
        is_again = any(one[0] == key[0] and _share(box, other) > _HALF for other, one in later)
        is_replaced = sum(_share(box, other) for other, _ in later) > _HALF
        if not is_again and (is_replaced or not seen.has_contrast(_middle(_common(box, found[-1][1])))):
            hidden.add(key)
    return hidden


def _middle(box: Box) -> Box:
    """Without its sides, where the edge of a cover may lie."""
    inset = 0.2 * (box[2] - box[0])
    return box[0] + inset, box[1], box[2] - inset, box[3]


def _common(box: Box, other: Box) -> Box:
    return max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3])


def _share(box: Box, other: Box) -> float:
    """Of the box, the part that the other one covers."""
    x0, y0, x1, y1 = _common(box, other)
    return max(0.0, x1 - x0) * max(0.0, y1 - y0) / max((box[2] - box[0]) * (box[3] - box[1]), 1e-6)


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
