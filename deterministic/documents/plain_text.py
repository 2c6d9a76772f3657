"""The lines of a page that is set like pages before it, from the library's own printing instead of an object for each of its spans.

A page read span by span (`reading.page_content`) on which every letter is drawn, dark and of a usual size teaches its styles (font, size,
colour). A page with no other style has the same lines either way, if no figure in it may be raised. Runs in a child process only.
"""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from html import unescape

import pymupdf

from deterministic.documents.reading import TEXT_FLAGS, Box, Content, is_drawing

_STYLE = re.compile(r'<span style="[^"]*"')
_SPAN = re.compile(r"font-size:([\d.]+)pt[^>]*>([^<]*)")
_FIGURE = re.compile(r"\d|&#x")
_RAISED = 0.87  # share of a line's size, rounded up, below which a figure in it may be raised
_LEVEL = (1.0, 0.0)
_LINE = re.compile(r'\n<line bbox="(\S+) (\S+) (\S+) (\S+)" wmode="0" dir="(\S+ \S+)" flags="\d+" text="([^"\n]*)"')
_DRAWING = re.compile(r'\n<vector bbox="(\S+) (\S+) (\S+) (\S+)" stroke="(\d)" rectangle="(\d)"[^>]* argb="[0-9a-f]{2}([0-9a-f]{6})"')
_ODD_SIGN = re.compile(r"&#x(?:[01]?[0-9a-f]|7f|[89][0-9a-f]|d[89a-f]..|e...|f[0-8]..|fff[c-f]|[0-9a-f]{5,});")
"""Letters that stand for none, or for one that only a font knows."""


class PlainText:
    """Reads the plain pages of one file."""

    def __init__(self) -> None:
        self._styles: set[str] = set()

    def learn(self, textpage: pymupdf.TextPage) -> None:
        """The styles of a page on which every letter was seen to be plain."""
        self._styles |= _styles_of(_styled(textpage))

    def read(self, textpage: pymupdf.TextPage) -> Content | None:
        """The page, its lines with a box and a direction alone; None for one that has to be read span by span."""
        styled = _styled(textpage) if self._styles else ""
        styles = _styles_of(styled)
        if not styles or not styles <= self._styles or (len(styles) > 1 and any(map(_may_be_raised, styled.split("\n")))):
            return None
        printed = _printed(textpage)
        left, top, right, bottom = textpage.rect
        lines, texts = [], []
        for x0, y0, x1, y1, direction, text in _LINE.findall(printed):
            box = float(x0), float(y0), float(x1), float(y1)
            if not (left <= box[0] < box[2] <= right and top <= box[1] < box[3] <= bottom):
                return None
            lines.append({"bbox": box, "dir": _LEVEL if direction == "1 0" else tuple(map(float, direction.split()))})
            texts.append(unescape(text) if "&" in text else text)
        if not len(lines) == printed.count("\n<line ") == styled.count("\n<p ") or _ODD_SIGN.search(printed):
            return None
        first = printed.find("\n<line ")
        drawn: list[Box] = []
        shapes: list[Box] = []
        for drawing in _DRAWING.finditer(printed):
            x0, y0, x1, y1, stroke, rectangle, color = drawing.groups()
            if is_drawing(drawing.start() > first, stroke == "1", int(color, 16)):
                drawn.append((float(x0), float(y0), float(x1), float(y1)))
                shapes += drawn[-1:] if rectangle == "0" else []
        return Content(lines, texts, drawn, shapes, TEXT_FLAGS)


def _styled(textpage: pymupdf.TextPage) -> str:
    """The page as HTML: a paragraph for each line, an element for each of its styles, bold and italic told in the style."""
    html: str = textpage.extractHTML()
    return html.replace('<i><span style="', '<span style="i;').replace('<b><span style="', '<span style="b;')


def _styles_of(styled: str) -> set[str]:
    return set(_STYLE.findall(styled))


def _may_be_raised(line: str) -> bool:
    """A figure stands beside something larger."""
    if line.count("font-size") < 2:
        return False
    spans = [(float(size), text) for size, text in _SPAN.findall(line)]
    low = _RAISED * max(spans)[0] + 0.1
    return any(size < low and _FIGURE.search(text) for size, text in spans)


def _printed(textpage: pymupdf.TextPage) -> str:
    """The page as XML without its letters: an element for each line with its box, direction and text."""
    mupdf = pymupdf.mupdf
    buffer = mupdf.fz_new_buffer(1 << 14)
    out = mupdf.FzOutput(buffer)
    mupdf.fz_print_stext_page_as_xml_with_flags(out, textpage.this, 1, 0)
    out.fz_close_output()
    return bytes(buffer.fz_buffer_extract()).decode("utf-8", "replace")
