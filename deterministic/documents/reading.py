"""Reads a PDF with PyMuPDF: the text of each page from one walk over its spans. Runs in a child process only.
The walk that makes the text is also the one that gives the rectangles of a quote (`page_images`), so offsets agree."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
import os
import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from deterministic.documents.kinds import ReadingError, files_of, grey, kind_of, one_line, raise_if_memory
from deterministic.documents.page_states import has_common_words

TEXT_FLAGS = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
"""A glyph without Unicode stays U+FFFD, so that it is seen as unreadable, instead of a number dressed up as a letter."""

Box = tuple[float, float, float, float]
LIGHT_GROUND = 225
"""Grey level (of 255) from which on a ground is light."""
UNKNOWN = "\ufffd"
SUPERSCRIPTS = str.maketrans("0123456789()+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾⁺⁻")
_MARK = re.compile(r"^\s*\(?\d{1,3}\)?\s*$")


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of them."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def silence() -> None:
    """MuPDF writes its messages to standard output, where the answers go."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)


def open_pdf(path: str) -> pymupdf.Document:
    """The opened PDF. Raises `ReadingError`."""
    pdf = _opened(path, "cannot be read as PDF", filetype="pdf")
    if pdf.needs_pass:
        raise ReadingError("encrypted", "is encrypted; save a copy without password")
    if pdf.page_count == 0:
        raise ReadingError("corrupt", "has no pages")
    _rewrite_memberships(pdf)
    return pdf


_POINTER = re.compile(r"(\d+) 0 R")
_POLICIES = {"/AllOn": "[/And {}]", "/AnyOff": "[/Not [/And {}]]", "/AllOff": "[/Not [/Or {}]]"}
_EXPRESSION = re.compile(r"[\[\]]|/\w+|\d+(?= 0 R)")


def _rewrite_memberships(pdf: pymupdf.Document) -> None:
    """What is shown with several layers (OCMD) is told anew in the two forms that the library understands: shown with any of some layers,
    with none of them. Source: ISO 32000-1, 8.11.2.2."""

    def groups(number: int, key: str) -> set[int]:
        kind, text = pdf.xref_get_key(number, key)
        told = pdf.xref_object(int(text.split()[0]), compressed=True) if kind == "xref" else text
        return set(map(int, _POINTER.findall(told if told.startswith("[") else text)))

    catalog = pdf.pdf_catalog()
    if not (known := groups(catalog, "OCProperties/OCGs")):
        return
    is_off = pdf.xref_get_key(catalog, "OCProperties/D/BaseState")[1] == "/OFF"
    off = known - groups(catalog, "OCProperties/D/ON") if is_off else groups(catalog, "OCProperties/D/OFF")
    for number in range(1, pdf.xref_length()):
        if pdf.xref_get_key(number, "Type")[1] != "/OCMD":
            continue
        policy, expression = (pdf.xref_get_key(number, key)[1] for key in ("P", "VE"))
        members = groups(number, "VE" if expression.startswith("[") else "OCGs") & known
        if not expression.startswith("["):
            expression = _POLICIES.get(policy, "").format(" ".join(f"{one} 0 R" for one in members))
        if members and expression:
            named = " ".join(f"{one} 0 R" for one in sorted(members & off or members))
            how = "" if _holds(expression, off) else f"/OCGs [{named}]" if members & off else f"/P /AllOff /OCGs [{named}]"
            pdf.update_object(number, f"<< /Type /OCMD {how} >>")


def _holds(expression: str, off: set[int]) -> bool:
    """Whether an expression of visibility holds: "[/And 5 0 R [/Not 6 0 R]]"."""
    open_lists: list[list[Any]] = [[]]
    for token in _EXPRESSION.findall(expression):
        if token == "[":
            open_lists.append([])
        elif token == "]" and len(open_lists) > 1:
            how, *parts = open_lists.pop() or ["/And"]
            open_lists[-1].append({"/Or": any(parts), "/Not": not any(parts)}.get(how, all(parts)))
        elif token != "]":
            open_lists[-1].append(token if token[0] == "/" else int(token) not in off)
    return bool(open_lists[0][0])


def _opened(path: str, message: str, **how: str) -> pymupdf.Document:
    try:
        return pymupdf.open(path, **how)
    except Exception as error:
        raise_if_memory(error)
        raise ReadingError("corrupt", f"{message} ({one_line(error)})") from None


class Images:
    """The frames of one image file, or of the files of a folder one after the other. Raises `ReadingError` for a file that is no image."""

    def __init__(self, path: str) -> None:
        self._files = [_opened(str(file), f"the image {file.name} cannot be read") for file in files_of(Path(path))]
        self._frames = [(file, number) for file in self._files for number in range(file.page_count)]
        self.page_count = len(self._frames)

    def load_page(self, number: int) -> pymupdf.Page:
        """A page, from 0."""
        file, frame = self._frames[number]
        page: pymupdf.Page = file.load_page(frame)
        return page

    def close(self) -> None:
        for file in self._files:
            file.close()


_kept: tuple[tuple[str, int, int], pymupdf.Document | Images] | None = None


def keep_open(path: str) -> pymupdf.Document | Images:
    """The PDF or the images; the last file stays open, so that closer looks at several of its pages share its fonts."""
    global _kept
    status = os.stat(path)
    key = (path, status.st_mtime_ns, status.st_size)
    if _kept is None or _kept[0] != key:
        release()
        if (kind := kind_of(Path(path))) == "zip":
            raise ReadingError("unsupported", "has no pages to look at")
        _kept = (key, Images(path) if kind == "image" else open_pdf(path))
    return _kept[1]


def release() -> None:
    """Closes the file that was kept open."""
    global _kept
    if _kept is not None:
        kept, _kept = _kept[1], None
        kept.close()


class Content(NamedTuple):
    """A page as the library gives it."""

    lines: list[dict[str, Any]]
    """In stored order; those of a plain page (`PlainText`) have a box and a direction alone."""
    texts: list[str]
    """Of the lines, raised digits as superscripts."""
    drawn: list[Box]
    """The boxes of what is drawn on the page, light grounds below all text left out."""
    shapes: list[Box]
    """Those of them that are no rectangles."""
    flags: int
    """Those that give these lines."""


def page_content(page: pymupdf.Page, textpage: pymupdf.TextPage | None = None) -> Content:
    """The lines of a page and what is drawn on it, from one walk."""
    lines, drawn, shapes = _lines(textpage or walk(page))
    texts = [line_text(line) for line in lines]
    if "".join(texts).count(UNKNOWN) > 0.2 * sum(len(text) + 1 for text in texts):
        # Some files use character codes that are letters all the same; they are taken where they make words.
        flags = TEXT_FLAGS | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
        known, *_ = _lines(walk(page, flags))
        coded = [line_text(line) for line in known]
        if has_common_words("\n".join(coded)):
            return Content(known, coded, drawn, shapes, flags)
    return Content(lines, texts, drawn, shapes, TEXT_FLAGS)


def walk(page: pymupdf.Page, flags: int = TEXT_FLAGS) -> pymupdf.TextPage:
    """What one walk over the page finds; drawings are put behind the text that they stand in, where they do not break its lines."""
    return page.get_textpage(flags=flags | pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_LAZY_VECTORS)


def _lines(textpage: pymupdf.TextPage) -> tuple[list[dict[str, Any]], list[Box], list[Box]]:
    lines: list[dict[str, Any]] = []
    drawn: list[Box] = []
    shapes: list[Box] = []
    for block in textpage.extractDICT()["blocks"]:
        if not block["type"]:
            lines += block["lines"]
        elif is_drawing(bool(lines), block["stroked"], block["color"]):
            drawn.append(block["bbox"])
            if not block["isrect"]:
                shapes.append(block["bbox"])
    return lines, drawn, shapes


def is_drawing(is_behind_text: bool, is_stroked: bool, color: int) -> bool:
    """It can hide or strike out text: a light ground below all of it cannot."""
    return is_behind_text or is_stroked or grey(color) < LIGHT_GROUND


def line_text(line: dict[str, Any]) -> str:
    """Text of a line; a raised footnote number is written in superscript digits (same length)."""
    spans = line["spans"]
    texts = [span["text"] for span in spans]
    if len(texts) > 1 and len({span["size"] for span in spans}) > 1 and any(text.strip(" ()").isdecimal() for text in texts):
        texts = _with_superscripts(spans, texts)
    text = "".join(texts)
    # Odd line breaks would shift the lines.
    return text.replace("\n", " ").replace("\r", " ") if "\n" in text or "\r" in text else text


def _with_superscripts(spans: list[dict[str, Any]], texts: list[str]) -> list[str]:
    size = max((span["size"] for span in spans if span["text"].strip()), default=0.0)
    found = list(texts)
    for n, (span, text) in enumerate(zip(spans, texts, strict=True)):
        if span["size"] < 0.86 * size and _MARK.match(text) and _is_raised(spans, n, size):
            after = "".join(texts[n + 1 : n + 2]).lstrip()
            if not after.startswith(("/", "⁄")):  # the numerator of a fraction is raised too
                found[n] = text.translate(SUPERSCRIPTS)
    return found


def walk_lines(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Lines of a "dict" or "rawdict" extraction, in stored order."""
    for block in content["blocks"]:
        yield from block.get("lines", ())


def _is_raised(spans: list[dict[str, Any]], n: int, size: float) -> bool:
    """Baseline at least a tenth of the line's size above that of a neighbour in the line's size (y grows downwards)."""
    full = [span["origin"][1] for span in spans[max(0, n - 2) : n + 3] if span["size"] >= 0.95 * size and span["text"].strip()]
    return bool(full) and spans[n]["origin"][1] < min(full) - 0.1 * size


_STYLE = re.compile(r'<span style="[^"]*"')
_SPAN = re.compile(r"font-size:([\d.]+)pt[^>]*>([^<]*)")
_SIZE = re.compile(r"font-size:([\d.]+)")
_FIGURE = re.compile(r"\d|&#x")
_ENTITY = re.compile("&[^;]+;")
_LEVEL = (1.0, 0.0)
_LINE = re.compile(r'\n<line bbox="([^"]+)" wmode="0" dir="([^"]+)" flags="\d+" text="([^"\n]*)"')
_DRAWING = re.compile(r'\n<vector bbox="([^"]+)" stroke="(\d)" rectangle="(\d)"[^>]* argb="[0-9a-f]{2}([0-9a-f]{6})"')
_ODD_SIGN = re.compile(r"&#x(?:[01]?[0-9a-f]|7f|[89][0-9a-f]|d[89a-f]..|e...|f[0-8]..|fff[c-f]|[0-9a-f]{5,});")
"""Letters that stand for none, or for one that only a font knows."""


class PlainText:
    """Reads the plain pages of one file from the library's own printing instead of an object for each of their spans. A page read span by
    span on which every letter is drawn, dark and of a usual size teaches its styles (font, size, colour). A page with no other style has
    the same lines either way, if no figure in it may be raised."""

    def __init__(self) -> None:
        self._styles: set[str] = set()

    def learn(self, textpage: pymupdf.TextPage) -> None:
        """The styles of a page on which every letter was seen to be plain."""
        self._styles |= _styles_of(_styled(textpage))

    def read(self, textpage: pymupdf.TextPage) -> Content | None:
        """The page, its lines with a box and a direction alone; None for one that has to be read span by span."""
        styled = _styled(textpage) if self._styles else ""
        styles = _styles_of(styled)
        if not styles or not styles <= self._styles:
            return None
        sizes = list(map(float, _SIZE.findall("".join(styles))))
        if min(sizes) < _low(max(sizes)) and any(map(_may_be_raised, styled.split("\n"))):
            return None
        printed = _printed(textpage, pymupdf.mupdf.fz_print_stext_page_as_xml_with_flags, 1, 0)  # without its letters
        found = _LINE.findall(printed)
        if not 0 < len(found) == printed.count("\n<line ") == styled.count("\n<p ") or _ODD_SIGN.search(printed):
            return None
        boxes = _boxes([corners for corners, _, _ in found])
        (left, top, right, bottom), page = around(boxes), textpage.rect
        is_inside = page.x0 <= left and right <= page.x1 and page.y0 <= top and bottom <= page.y1
        if not is_inside or any(x0 >= x1 or y0 >= y1 for x0, y0, x1, y1 in boxes):
            return None
        ways = [_LEVEL if way == "1 0" else tuple(map(float, way.split())) for _, way, _ in found]
        lines = [{"bbox": box, "dir": way} for box, way in zip(boxes, ways, strict=True)]
        texts = _unescaped("\n".join([text for _, _, text in found])).split("\n")
        first = printed.find("\n<line ")
        drawings = [one for one in _DRAWING.finditer(printed) if is_drawing(one.start() > first, one[2] == "1", int(one[4], 16))]
        drawn, shapes = (_boxes([one[1] for one in some]) for some in (drawings, [one for one in drawings if one[3] == "0"]))
        return Content(lines, texts, drawn, shapes, TEXT_FLAGS)


def _boxes(corners: Sequence[str]) -> list[Box]:
    numbers = map(float, " ".join(corners).split())
    return list(zip(numbers, numbers, numbers, numbers, strict=True))


def _styled(textpage: pymupdf.TextPage) -> str:
    """The page as HTML: a paragraph for each line, an element for each of its styles, bold and italic told in the style."""
    html = _printed(textpage, pymupdf.mupdf.fz_print_stext_page_as_html, 0)
    return html.replace('<i><span style="', '<span style="i;').replace('<b><span style="', '<span style="b;')


def _styles_of(styled: str) -> set[str]:
    return set(_STYLE.findall(styled))


def _may_be_raised(line: str) -> bool:
    """A figure stands beside something larger."""
    if line.count("font-size") < 2:
        return False
    spans = [(float(size), text) for size, text in _SPAN.findall(line)]
    low = _low(max(spans)[0])
    return any(size < low and _FIGURE.search(text) for size, text in spans)


def _low(size: float) -> float:
    """The size below which a figure beside letters of this one may be raised: rounded up, as sizes are printed with one decimal."""
    return 0.87 * size + 0.1


def _unescaped(text: str) -> str:
    """Without the entities of markup, of which a page has few different ones."""
    for entity in sorted(set(_ENTITY.findall(text)), key="&amp;".__eq__):
        text = text.replace(entity, unescape(entity))
    return text


def _printed(textpage: pymupdf.TextPage, how: Callable[..., object], *options: int) -> str:
    """The page as the library prints it. As XML: an element for each line with its box, direction and text."""
    buffer = pymupdf.mupdf.fz_new_buffer(1 << 14)
    out = pymupdf.mupdf.FzOutput(buffer)
    how(out, textpage.this, *options)
    out.fz_close_output()
    return bytes(buffer.fz_buffer_extract()).decode("utf-8", "replace")


_MOST_RULES = 60  # drawings up to which straight lines and rectangles are rules, borders or grounds; more of them may be drawn letters


def page_ink(page: pymupdf.Page) -> tuple[float, bool]:
    """Share (0-1) of the page that images cover, and whether anything but rules, borders and plain areas is drawn on it."""
    left, top, right, bottom = page.rect
    area = (right - left) * (bottom - top) or 1.0
    share, drawings, has_ink = 0.0, 0, False
    for kind, (x0, y0, x1, y1) in page.get_bboxlog():
        if x1 < left or x0 > right or y1 < top or y0 > bottom:
            continue
        drawings += "path" in kind
        has_ink = has_ink or "path" not in kind
        if is_image(kind):
            share += max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, bottom) - max(y0, top)) / area
    if drawings and not has_ink:
        has_ink = drawings > _MOST_RULES or not all(is_rule(item) for drawing in page.get_cdrawings() for item in drawing["items"])
    return min(share, 1.0), has_ink


def is_image(kind: str) -> bool:
    """Of an entry of `Page.get_bboxlog`."""
    return "image" in kind or "img" in kind


def is_rule(item: tuple[Any, ...]) -> bool:
    """A rectangle, or a line that runs level or upright."""
    if item[0] != "l":
        return bool(item[0] == "re")
    (x0, y0), (x1, y1) = item[1], item[2]
    return bool(abs(x1 - x0) < 1 or abs(y1 - y0) < 1)


SYMBOLS = re.compile(r"dingbats|wingdings|webdings|^symbol", re.I)


def is_in_symbols(lines: list[dict[str, Any]]) -> bool:
    """Most letters of the lines are set in a font of symbols: a reader sees none of them."""
    spans = [span for line in lines for span in line.get("spans", ())]
    if not (symbols := {font for font in {span["font"] for span in spans} if SYMBOLS.search(font)}):
        return False
    letters = [sum(map(str.isalpha, span["text"])) for span in spans]
    return 2 * sum(count for span, count in zip(spans, letters, strict=True) if span["font"] in symbols) > sum(letters)
