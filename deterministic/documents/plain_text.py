"""The lines of a page of plain text, cheaply: from the library's own printing of the page instead of an object for each of its spans.

A page is plain when its letters are drawn, opaque, of fonts that were seen to draw (`page_resources`), dark, of a usual size, and when no
figure in it may be raised. Whatever cannot be told cheaply is not plain: the page is read span by span (`reading.page_content`). Runs in a
child process only.
"""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pymupdf

Box = tuple[float, float, float, float]
_SMALLEST = 2.6  # points from which letters, rounded to tenths, can be read
_RAISED = 0.87  # share of a line's size, rounded up, below which a figure in it may be raised
LIGHT_GROUND = 225
"""Grey level (of 255) from which on a ground is light."""
DARK_TEXT = 160
"""Grey level (of 255) up to which text on a light ground is seen whatever the size of its letters."""

_LINE = re.compile(r'\n<line bbox="(\S+) (\S+) (\S+) (\S+)" wmode="0" dir="(\S+ \S+)" flags="\d+" text="([^"\n]*)"')
_DRAWING = re.compile(r'\n<vector bbox="(\S+) (\S+) (\S+) (\S+)" stroke="(\d)"[^>]* argb="[0-9a-f]{2}([0-9a-f]{6})"')
_STYLE = re.compile(r"font-size:([\d.]+)pt;color:#([0-9a-f]{6})")
_SIZE = re.compile(r"font-size:([\d.]+)pt")
_UPRIGHT = (1.0, 0.0)
_SIGN = re.compile(r"&#x([0-9a-f]+);")
_NAMED = (("&quot;", '"'), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffc-\uffff]")
"""Letters that stand for none, or for one that only a font knows."""


def grey(color: int) -> float:
    """Grey level (0-255) of an sRGB colour."""
    return 0.3 * (color >> 16 & 255) + 0.59 * (color >> 8 & 255) + 0.11 * (color & 255)


def is_drawing(is_behind_text: bool, is_stroked: bool, color: int) -> bool:
    """It can hide or strike out text: a light ground below all of it cannot."""
    return is_behind_text or is_stroked or grey(color) < LIGHT_GROUND


def plain_lines(textpage: pymupdf.TextPage) -> tuple[list[dict[str, Any]], list[str], list[Box]] | None:
    """Lines (box and direction alone), their texts, and the boxes of what is drawn (`reading.Content`). None where it is not plain."""
    styled = textpage.extractHTML()
    if not _is_plain(styled):
        return None
    left, top, right, bottom = textpage.rect
    lines: list[dict[str, Any]] = []
    texts: list[str] = []
    printed = _printed(textpage)
    for x0, y0, x1, y1, direction, text in _LINE.findall(printed):
        box = float(x0), float(y0), float(x1), float(y1)
        if not (left <= box[0] < box[2] <= right and top <= box[1] < box[3] <= bottom):
            return None
        lines.append({"bbox": box, "dir": _UPRIGHT if direction == "1 0" else tuple(map(float, direction.split()))})
        texts.append(_unescaped(text) if "&" in text else text)
    if not len(lines) == printed.count("\n<line ") == styled.count("\n<p ") or ODD.search("\n".join(texts)):
        return None
    return lines, texts, list(_drawn(printed))


def _drawn(printed: str) -> Iterator[Box]:
    first = printed.find("\n<line ")
    for drawing in _DRAWING.finditer(printed):
        x0, y0, x1, y1, is_stroked, color = drawing.groups()
        if is_drawing(drawing.start() > first, is_stroked == "1", int(color, 16)):
            yield float(x0), float(y0), float(x1), float(y1)


def _printed(textpage: pymupdf.TextPage) -> str:
    """The page as XML without its letters: an element for each line with its box, direction and text."""
    mupdf = pymupdf.mupdf
    buffer = mupdf.fz_new_buffer(1 << 14)
    out = mupdf.FzOutput(buffer)
    mupdf.fz_print_stext_page_as_xml_with_flags(out, textpage.this, 1, 0)
    out.fz_close_output()
    return bytes(buffer.fz_buffer_extract()).decode("utf-8", "replace")


def _unescaped(text: str) -> str:
    if "&#" in text:
        text = _SIGN.sub(lambda sign: chr(min(int(sign[1], 16), 0xFFFF)), text)  # none beyond is told from none at all
    for sign, letter in _NAMED:
        text = text.replace(sign, letter)
    return text


def _is_plain(styled: str) -> bool:
    """Every letter is dark and can be read, and no figure is much smaller than what stands beside it."""
    styles = set(_STYLE.findall(styled))
    sizes = {float(size) for size, _ in styles}
    if not sizes or min(sizes) < _SMALLEST or any(grey(int(color, 16)) > DARK_TEXT for _, color in styles):
        return False
    return not any(_may_be_raised(styled, size) for size in sizes if size < _RAISED * max(sizes) + 0.1)


def _may_be_raised(styled: str, size: float) -> bool:
    """A figure of this size stands in a line beside something larger."""
    for figure in re.finditer(rf"font-size:{size}pt[^>]*>[^<]*\d", styled):
        line = styled[styled.rfind("\n", 0, figure.start()) : styled.find("\n", figure.end())]
        if size < _RAISED * max(map(float, _SIZE.findall(line))) + 0.1:
            return True
    return False
