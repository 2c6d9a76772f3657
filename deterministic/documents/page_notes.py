"""What a page could hold beside its plain text, noted while it is parsed, so that only such pages are looked at closely later.
Four notes. `MARKS`: struck-out or hidden characters are possible (`page_images` tells). `ORDERS`: other readings may give the lines in
another order or other letters (`second_reading` tells). A note of these that is missing is a promise, one that is there only a suspicion:
whatever cannot be told cheaply is noted. `RECOGNISED`: the page is an image with the text of somebody's OCR under or over it. `PICTURED`: a
picture, or letters drawn as shapes, stand beside the text and may hold words of their own. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import pymupdf

from deterministic.documents.kinds import grey
from deterministic.documents.reading import SYMBOLS, Box, PlainText, is_image, is_rule, page_content, page_ink, walk

MARKS, ORDERS, RECOGNISED, PICTURED, TORN = "m", "o", "r", "p", "l"

_SCAN = 0.6  # share of the page that its images cover at least where the page is a scan

_LEAST_PICTURE = 0.01  # share of the page from which a picture can hold lines of text; a smaller one is a logo or a sign
_RUNNING = 3  # pages from which a picture of one size and place is a letterhead or a watermark
_LETTERING = 60  # curves and slanted lines of filled shapes from which they are taken for letters, if they are as wide as some words
_WORDS = 100.0  # points

_TINY = 2.5
_DARK = 160  # grey level (of 255) up to which text on a light ground is seen whatever the size of its letters
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffc-\uffff]")
"""Letters that stand for none, or for one that only a font knows."""
_THIN = 3.0  # points up to which a drawn box can strike words out but not cover them
_DRAWN = 16 | 32  # bits of a span's `char_flags`: filled, stroked
_NEAR = 4.0
_INK = 60  # grey levels (of 255)
_STATE = re.compile(
    r"/SMask ?(?!/None|\d+ \d+ R ?/|\d+ \d+ R ?>>)|/ca 0?(?:\.[0-3]\d*)?(?=[\s/>])|/BM ?/(?!Normal|Compatible|Multiply|Darken)"
)
_NO_INK = re.compile(r"/Separation ?/None\b|/DeviceN ?\[(?: ?/None)+ ?\]")
_FADED = re.compile(r"/ca(?! ?1(?:\.0*)?[\s/>])|/Font\b", re.I)
_SETS_STATE = re.compile(rb"gs(?<=[\s\0]gs)(?![^\s\0/\[(<%])")
_UNFILLED = [re.compile(rb"Tr(?<=[\s\0]Tr)(?<![\s\0]0[\s\0]Tr)(?![^\s\0/\[(<%])"), re.compile(rb"scn(?<![\d.][\s\0]scn)")]
"""Operators that make letters not be filled, or filled with a pattern."""
_CHOSEN = re.compile(rb"Tf")
_FONT = re.compile(rb"/([^\s\0()<>\[\]{}/%]+)[\s\0]+[-+.\d]+[\s\0]+Tf")
_FONT_OF = re.compile(r"/([^\s()<>\[\]{}/%]+) ?(\d+) 0 R")
_PREFIX = re.compile(r"^.{6}\+")
_NAME = 31  # letters of a font's name that the library keeps
_POINTER = re.compile(r"(\d+) 0 R")
_IS_STATE = re.compile(r"/Type ?/ExtGState|/(?:ca|CA|SMask|BM|SA|LW|OP|op|AIS) ?[^ ]")
_PICTURES = [re.compile(word + rb"(?<=[\s\0]" + word + rb")(?![^\s\0/\[(<%])") for word in (b"Do", b"sh", b"BI")]
"""Operators that paint a form or an image, a shading, an image in the content itself; each sought by its letters, which is fast."""
_CLIP = re.compile(rb"W\*?(?<=[\s\0]W\*|.[\s\0]W)(?=[\s\0])", re.S)
_RECTANGLE = re.compile(
    rb"(?<![\s\0][mlcvyh])(?<![\s\0]re)_(?:(?:N_){4}re_|(N)_(N)_m_(?:\1_(N)_l_(N)_\3_l_\4_\2|(N)_\2_l_\5_(N)_l_\1_\6)_l_(?:\1_\2_l_)?(?:h_)?)\Z".replace(
        b"_", rb"[\s\0]{1,3}"
    ).replace(b"N", rb"[-+.\d]{1,12}")
)
"""Matches "0 0 595 842 re " and "0 0 m 0 842 l 595 842 l 595 0 l h ", as the whole of a path."""
_BEFORE = 240  # bytes that hold a rectangle and the operator before it

Row = dict[str, Any]


class PageNotes:
    """Notes for the pages of one file; remembers which of its fonts were seen to draw anything."""

    def __init__(self, pdf: pymupdf.Document) -> None:
        self._pdf = pdf
        self._seen: dict[str, bool] = {}
        self._own: dict[int, tuple[str, str]] = {}
        self._resources: dict[tuple[str, str], str] = {}
        self._fonts: dict[str, dict[bytes, str]] = {}
        self._states: dict[str, list[str]] = {}
        self._cuts: dict[int, bool] = {}
        self._plain = PlainText()
        self._pictures: dict[int, set[tuple[int, ...]]] = {}

    @property
    def pictured(self) -> set[int]:
        """Indices of the pages read so far that show a picture which is not the same at the same place of several pages."""
        pages = Counter(picture for pictures in self._pictures.values() for picture in pictures)
        return {page for page, pictures in self._pictures.items() if any(pages[picture] < _RUNNING for picture in pictures)}

    def read(self, page: pymupdf.Page) -> tuple[list[Row], str, str, bool]:
        """The lines of a page (`reading.Content`), its text, its notes, "" for a plain one, and whether it may show pictures."""
        content = page.read_contents()
        has_pictures = any(pattern.search(content) for pattern in _PICTURES)
        is_more = bool(page.rotation or page.first_annot or page.first_widget)
        textpage = walk(page)
        is_plain = not (is_more or has_pictures) and self._is_filled(page, content)
        lines, texts, drawn, shapes, _ = (self._plain.read(textpage) if is_plain else None) or page_content(page, textpage)
        text = "\n".join(texts)
        recognised = RECOGNISED if lines and has_pictures and _is_recognised(page, lines) else ""
        if has_pictures and not recognised:
            self._pictures[page.number] = set(_pictures(page))
        recognised += PICTURED if _has_lettering(page, shapes, b"" if has_pictures else content) else ""
        if is_more:
            return lines, text, MARKS + ORDERS + recognised, True
        marks = MARKS if lines and self._may_hold_marks(page, content, lines, drawn, has_pictures) else ""
        if is_plain and self._are_usual(lines):
            self._plain.learn(textpage)
        return lines, text, marks + (ORDERS if _ODD.search(text) or _may_read_otherwise(page, lines) else "") + recognised, not is_plain

    def _is_filled(self, page: pymupdf.Page, content: bytes) -> bool:
        """The letters of the page's content are filled, opaque, with plain colours, in fonts of letters that were seen to draw."""
        chosen = _FONT.findall(content)
        if not chosen or len(chosen) != len(_CHOSEN.findall(content)) or any(pattern.search(content) for pattern in _UNFILLED):
            return False
        fonts = self._fonts_of(page.xref)
        names = {fonts.get(name, "") for name in chosen}
        states = self._states_of(page.xref) if _SETS_STATE.search(content) else ["-"]
        are_plain = all(self._seen.get(name) and not SYMBOLS.search(name) for name in names)
        return are_plain and states != [""] and not any(map(_FADED.search, states))

    def _fonts_of(self, number: int) -> dict[bytes, str]:
        """The names of a page's fonts as spans tell them, by their names in its content."""
        if (fonts := self._resource(number, "Font")) not in self._fonts:
            pointer = _POINTER.fullmatch(fonts)
            text = self._pdf.xref_object(int(pointer[1]), compressed=True) if pointer else fonts
            full = {name: self._pdf.xref_get_key(int(font), "BaseFont")[1].removeprefix("/") for name, font in _FONT_OF.findall(text)}
            self._fonts[fonts] = {name.encode(): _PREFIX.sub("", font[:_NAME]) for name, font in full.items()}
        return self._fonts[fonts]

    def _resource(self, number: int, kind: str) -> str:
        """Of a page or form, its own or inherited; "" for none."""
        if number not in self._own:
            own = self._pdf.xref_get_key(number, "Resources")
            self._own[number] = ("", own[1]) if own[0] != "null" else ("Parent/", self._pdf.xref_get_key(number, "Parent/Resources")[1])
        parent, resources = self._own[number]
        if (resources, kind) not in self._resources:  # most pages have the same
            sort, text = self._pdf.xref_get_key(number, f"{parent}Resources/{kind}")
            self._resources[resources, kind] = text if sort != "null" else ""
        return self._resources[resources, kind]

    def _are_usual(self, lines: Sequence[Row]) -> bool:
        """Lines read span by span, without unusual letters, in fonts that were seen to draw and whose letters are as high as the library's
        boxes of them (it makes those of low ones higher)."""
        spans = [span for line in lines for span in line.get("spans", ())]
        return (
            bool(spans)
            and not _has_unusual_letters(lines)
            and all(self._seen.get(font) for font in {span["font"] for span in spans})
            and all(span["ascender"] - span["descender"] > 1 for span in spans)
        )

    def _may_hold_marks(self, page: pymupdf.Page, content: bytes, lines: Sequence[Row], drawn: Sequence[Box], has_pictures: bool) -> bool:
        if _has_unusual_letters(lines) or _cuts_shapes(content):
            return True
        forms = [form[0] for form in self._pdf.get_page_xobjects(page.number)] if has_pictures else []
        self._cuts |= {form: _cuts_shapes(self._pdf.xref_stream(form) or b"") for form in forms if form not in self._cuts}
        if any(self._cuts[form] for form in forms):
            return True
        if any(_STATE.search(state) for number in (page.xref, *forms) for state in self._states_of(number)) or self.may_paint_nothing(page):
            return True
        rows = sorted((line["bbox"] for line in lines), key=itemgetter(3))
        painted = [box for kind, box in page.get_bboxlog() if "shade" in kind or is_image(kind)] if has_pictures else []
        return any(_hides(box, rows) for box in drawn) or any(_overlap(rows, box) for box in painted) or not self._draws(page, lines)

    def may_paint_nothing(self, page: pymupdf.Page) -> bool:
        """It knows a colour that leaves no ink, which the library paints all the same."""
        forms = (form[0] for form in self._pdf.get_page_xobjects(page.number))
        return any(_NO_INK.search(told) for number in (page.xref, *forms) for told in self._states_of(number, "ColorSpace"))

    def _states_of(self, number: int, kind: str = "ExtGState") -> list[str]:
        """What sets the graphics of a page or form: masks, nearly transparent paint or blending can make drawn text vanish."""
        if (states := self._resource(number, kind)) not in self._states:
            known, waiting = {states: states}, _POINTER.findall(states)
            while waiting:
                if (pointer := waiting.pop()) not in known:  # a state that points to itself ends here
                    known[pointer] = self._pdf.xref_object(int(pointer), compressed=True)
                    waiting += [] if _IS_STATE.search(known[pointer]) else _POINTER.findall(known[pointer])
            self._states[states] = list(known.values())
        return self._states[states]

    def _draws(self, page: pymupdf.Page, lines: Sequence[Row]) -> bool:
        """Every font of the page was seen to leave ink once: some fonts draw nothing for any letter."""
        spans = [span for line in lines for span in line.get("spans", ())]  # none on a plain page, whose fonts were seen before
        draws, shown = True, None
        for font in {span["font"] for span in spans}:
            if not self._seen.get(font):
                box = next((s["bbox"] for s in spans if s["font"] == font and sum(map(str.isalnum, s["text"])) >= 2), None)
                if box is not None:
                    shown = shown or page.get_displaylist()
                    zoom, clip = pymupdf.Matrix(1.6, 1.6), pymupdf.Rect(box)
                    samples = shown.get_pixmap(matrix=zoom, clip=clip, colorspace=pymupdf.csGRAY, alpha=False).samples or b"\0"
                    self._seen[font] = font not in self._seen and max(samples) - min(samples) >= _INK
                    draws = draws and self._seen[font]
        return draws


def _cuts_shapes(content: bytes) -> bool:
    """What is painted is cut to more than one rectangle at once, or to another shape: text that the library sees inside can be cut away."""
    return any(not _RECTANGLE.search(b" q " + content[max(0, cut.start() - _BEFORE) : cut.start()]) for cut in _CLIP.finditer(content))


def _is_recognised(page: pymupdf.Page, lines: Sequence[Row]) -> bool:
    """Images cover the page, and most of its letters are not drawn (render mode 3) or lie under an image."""
    if page_ink(page)[0] < _SCAN:
        return False
    spans = [span for line in lines for span in line["spans"]]
    undrawn = sum(len(span["text"]) for span in spans if not span["char_flags"] & _DRAWN)
    kinds = [kind for kind, _ in page.get_bboxlog()]
    last_image = max(n for n, kind in enumerate(kinds) if is_image(kind))
    texts = [n for n, kind in enumerate(kinds) if "text" in kind]
    is_under = bool(texts) and 2 * sum(n < last_image for n in texts) > len(texts)
    return is_under or 2 * undrawn > sum(len(span["text"]) for span in spans)


def _pictures(page: pymupdf.Page) -> Iterator[tuple[int, ...]]:
    """Size and place of the pictures on a page that are large enough for lines of text."""
    for picture in page.get_image_info():
        x0, y0, x1, y1 = pymupdf.Rect(picture["bbox"]) & page.rect
        if x1 > x0 and y1 > y0 and (x1 - x0) * (y1 - y0) >= _LEAST_PICTURE * abs(page.rect):
            yield picture["width"], picture["height"], *map(round, (x0, y0, x1, y1))


def _has_lettering(page: pymupdf.Page, shapes: Sequence[Box], content: bytes) -> bool:
    """Filled shapes that are no rules and boxes, enough of them and wide enough to be words. content: all that draws them, where known."""
    if all(min(x1 - x0, y1 - y0) <= _THIN for x0, y0, x1, y1 in shapes):
        return False
    if content and sum(map(content.split().count, (b"c", b"v", b"y", b"l", b"h", b"s", b"b", b"b*"))) < _LETTERING:
        return False
    filled = [drawing for drawing in page.get_cdrawings() if "f" in drawing["type"]]
    letters = [(d["rect"], count) for d in filled if (count := sum(not is_rule(item) for item in d["items"]))]
    is_wide = bool(letters) and max(box[2] for box, _ in letters) - min(box[0] for box, _ in letters) >= _WORDS
    return is_wide and sum(count for _, count in letters) >= _LETTERING


def _has_unusual_letters(lines: Sequence[Row]) -> bool:
    """Tiny, light, transparent or undrawn letters."""
    for span in (span for line in lines for span in line.get("spans", ())):
        is_light = span["color"] and grey(span["color"]) > _DARK
        is_unusual = is_light or 0 < span["size"] < _TINY or span["alpha"] < 255 or not span["char_flags"] & _DRAWN
        if is_unusual and not span["text"].isspace():
            return True
    return False


def _overlap(rows: Sequence[Box], box: Box, *, is_thin: bool = False) -> bool:
    """A line (`rows`: their boxes by lower edge) shares an area with the box; of a thin one only what passes through the middle of the
    letters counts."""
    x0, y0, x1, y1 = box
    for left, top, right, bottom in rows[bisect_left(rows, y0, key=itemgetter(3)) :]:
        height = bottom - top
        low, high = (top + 0.2 * height, bottom - 0.15 * height) if is_thin else (top, bottom)
        if y1 >= low and y0 <= high and x0 < right and x1 > left:
            return True
    return False


def _hides(box: Box, rows: Sequence[Box]) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    if width <= _THIN and height > width:
        return False
    return _overlap(rows, box, is_thin=height <= _THIN)


def _may_read_otherwise(page: pymupdf.Page, lines: Sequence[Row]) -> bool:
    """Rotated text, lines out of their order on the page, or columns."""
    middle = page.rect.width / 2
    last_top = last_left = float("-inf")
    rights = 0
    for line in lines:
        x0, top, x1, bottom = line["bbox"]
        if line["dir"] != (1.0, 0.0):
            return True
        is_same_row = abs(top - last_top) < 0.5 * (bottom - top)
        if (is_same_row and x0 < last_left) or (not is_same_row and top < last_top):
            return True
        last_top, last_left = top, x0
        if x0 < middle - _NEAR and x1 > middle + _NEAR:
            rights = 0
        elif x1 > middle + _NEAR:
            rights += 1
        elif rights > 1:
            return True
    return False
