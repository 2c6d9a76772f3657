"""Is this shown? What a reader of a Word file sees of letters, paragraphs, rows and boxes, told from their properties in one place.
HIDDEN: nobody sees it. DOUBTFUL: only a layout tells, which Word makes (off the page, letters upon each other, a box that may grow)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from deterministic.documents.kinds import CONTRAST, grey
from deterministic.documents.word.container import Element, child, is_on, number, value

STRUCK, HIDDEN, DOUBTFUL = "struck", "hidden", "doubtful"
WHITE = 0xFFFFFF
_READABLE = 2.0  # points of height from which letters can be read
_NARROW = 10  # per cent of a letter's own width
_TWIP, _EMU = 20, 12_700  # of a point
_LARGEST = 1584.0  # points: of a page that Word knows
_MARGIN = 144.0  # points that a box may stand beside the text and still be on the page
_HIGHLIGHTS = {"white": WHITE, "yellow": 0xFFFF00, "black": 0, "lightGray": 0xC0C0C0, "darkGray": 0x808080, "cyan": 0xFFFF, "green": 0xFF00}
_HIGHLIGHTS |= {"magenta": 0xFF00FF, "red": 0xFF0000, "blue": 0xFF, "darkRed": 0x800000, "darkBlue": 0x80, "darkGreen": 0x8000}
_HIGHLIGHTS |= {"darkYellow": 0x808000, "darkCyan": 0x8080, "darkMagenta": 0x800080}
_THEME = {"background1": "lt1", "light1": "lt1", "bg1": "lt1", "text1": "dk1", "dark1": "dk1", "tx1": "dk1"}
_THEME |= {"background2": "lt2", "light2": "lt2", "bg2": "lt2", "text2": "dk2", "dark2": "dk2", "tx2": "dk2"}
_HEX = re.compile("[0-9A-Fa-f]{6}")
_STYLE = re.compile(r"(?:^|;)\s*([\w-]+)\s*:\s*([^;]*)")
_LENGTH = re.compile(r"\s*([-+]?[\d.]+)\s*(pt|in|cm|mm|pc|pi|px)?\s*")
_POINTS = {"in": 72.0, "cm": 28.35, "mm": 2.835, "pc": 12.0, "pi": 12.0, "px": 0.75}

Read = Callable[[str, Callable[..., Any]], Any]
"""A property of letters by its tag, as they have it from themselves or their styles."""


def stronger(around: str, own: str) -> str:
    """The mark of what stands in something that has one itself."""
    return own if around in ("", DOUBTFUL) and own else around


def points(text: str | None, default: float = 0.0, unit: float = _TWIP) -> float:
    """A length in points; a bare number counts units, of which `unit` are a point. `default` for none or another text."""
    found = _LENGTH.fullmatch(text or "")
    try:
        return default if found is None else float(found[1]) * (_POINTS.get(found[2], 1.0) if found[2] else 1 / unit)
    except ValueError:
        return default


PROPERTIES = ("w:spacing", "w:ind", "w:framePr")
"""Of a paragraph: those that can move it away or make it flat."""


class Sight:
    """Tells it for one file, of which these are the main part and the theme. Where a picture or shape stands behind the text, the ground of
    the text is not sure."""

    def __init__(self, root: Element, theme: Element | None) -> None:
        schemes = [color for scheme in theme.iter("clrScheme") for color in scheme] if theme is not None else []
        told = {color.tag: str(one.get("lastClr") or one.get("val")) for color in schemes for one in color}
        self._theme = {"lt1": WHITE, "dk1": 0} | {name: int(text, 16) for name, text in told.items() if _HEX.fullmatch(text)}
        sizes = list(root.iter("w:pgSz"))
        self._width = min(_LARGEST, max((points(size.get("w:w")) for size in sizes), default=0.0) or _LARGEST)
        self._height = min(_LARGEST, max((points(size.get("w:h")) for size in sizes), default=0.0) or _LARGEST)
        self._has_backdrop = any(one.get("behindDoc") in ("1", "true") or "z-index:-" in one.get("style", "") for one in root.iter())

    # ---- letters

    def of_letters(self, read: Read, ground: int | None) -> str:
        """Of letters on a ground of this colour; None is one that is not known."""
        if read("w:vanish", is_on):
            return HIDDEN
        is_complex = read("w:rtl", is_on) or read("w:cs", is_on)
        size = points(read("w:szCs" if is_complex else "w:sz", value), 10.0, 2)
        if size < _READABLE or number(read("w:w", value), 100) < _NARROW:
            return HIDDEN
        ground = self.shaded(read("w:shd", child), ground)
        if (name := read("w:highlight", value)) not in (None, "none"):
            ground = _HIGHLIGHTS.get(name)
        if not any(_is_seen(color, clear, ground) for color, clear in self._paints(read)):
            return DOUBTFUL if self._has_backdrop or read("textOutline", child) is not None else HIDDEN
        is_piled = points(read("w:spacing", value)) <= -size / 2 or points(read("w:fitText", value), _LARGEST) < _READABLE
        return DOUBTFUL if is_piled or abs(points(read("w:position", value), 0.0, 2)) > _MARGIN else ""

    def _paints(self, read: Read) -> Iterator[tuple[int | None, float]]:
        """Colour (None: Word chooses it, or it is not known) and share that is seen through of what fills letters, of a gradient all."""
        if (fill := read("textFill", child)) is None:
            color = read("w:color", child)
            yield (None if color is None else self.color(color, "w:val", "w:theme"), 0.0)
            return
        for paint in (one for one in fill.iter() if one.tag in ("srgbClr", "schemeClr", "sysClr", "prstClr", "hslClr", "scrgbClr")):
            clear = sum(number(one.get("val"), 0) for one in paint if one.tag == "alpha") / 100_000
            is_plain = all(one.tag == "alpha" for one in paint)
            text, own = paint.get("val", ""), None
            if paint.tag == "srgbClr" and _HEX.fullmatch(text):
                own = int(text, 16)
            elif paint.tag == "schemeClr":
                own = self._theme.get(_THEME.get(text, text))
            yield (own if is_plain else None, clear)

    def color(self, element: Element, name: str, theme: str) -> int | None:
        """An sRGB colour; None where Word chooses it, mixes it, or takes it from a theme that does not tell it."""
        if (named := element.get(f"{theme}{'Color' if theme == 'w:theme' else ''}")) is None:
            return int(text, 16) if _HEX.fullmatch(text := element.get(name, "")) else None
        if (own := self._theme.get(_THEME.get(named, named))) is None:
            return None
        shade, tint = (_share(element.get(f"{theme}{kind}")) for kind in ("Shade", "Tint"))
        parts = [round(255 - (255 - (own >> at & 255) * shade) * tint) for at in (16, 8, 0)]
        return parts[0] << 16 | parts[1] << 8 | parts[2]

    def shaded(self, shade: Element | None, below: int | None) -> int | None:
        """The colour behind letters: of their shading, or what is below one that is clear."""
        if shade is None or shade.get("w:val") == "nil":
            return below
        if shade.get("w:val", "clear") != "clear":
            return None
        is_clear = {shade.get("w:fill"), shade.get("w:themeFill")} <= {None, "auto"}
        return below if is_clear else self.color(shade, "w:fill", "w:themeFill")

    # ---- what holds letters

    def of_part(self, formula: Element, part: Element) -> str:
        """Of a part of a formula: a phantom, what is crossed out, a degree or limit that is hidden."""
        properties = child(formula, f"{formula.tag}Pr")
        settings = {one.tag: one.get("m:val", "1") not in ("0", "false", "off") for one in (() if properties is None else properties)}
        if formula.tag == "m:phant":
            return HIDDEN if not settings.get("m:show", True) else DOUBTFUL
        if formula.tag == "m:borderBox":
            return STRUCK if any(is_set for tag, is_set in settings.items() if tag.startswith("m:strike")) else ""
        return HIDDEN if settings.get(f"{part.tag}Hide") else ""

    def of_paragraph(self, get: Callable[[str, str], str | None]) -> str:
        """`get`: an attribute of a property, as the paragraph has it from itself or its styles."""
        if get("w:spacing", "w:lineRule") == "exact" and points(get("w:spacing", "w:line"), 12.0) < _READABLE:
            return HIDDEN
        indent = points(get("w:ind", "w:left") or get("w:ind", "w:start"))
        frame = {name: points(get("w:framePr", f"w:{name}"), default) for name, default in zip("xywh", (0.0, 0.0, 99.0, 99.0), strict=True)}
        is_small = min(frame["w"], frame["h"]) < _READABLE and (get("w:framePr", "w:hRule") == "exact" or frame["w"] < _READABLE)
        return DOUBTFUL if is_small or self._is_off(indent, 0.0, 0.0) or self._is_off(frame["x"], frame["y"], _MARGIN) else ""

    def of_row(self, row: Element) -> str:
        height = child(row, "w:trPr", "w:trHeight")
        is_flat = height is not None and height.get("w:hRule") == "exact" and points(height.get("w:val"), 99.0) < _READABLE
        return HIDDEN if is_flat or is_on(row, "w:trPr", "w:hidden") else ""

    def of_table(self, table: Element) -> str:
        """Off the page, or with columns of a fixed width in which no letter stands."""
        place, indent, layout = (child(table, "w:tblPr", f"w:{name}") for name in ("tblpPr", "tblInd", "tblLayout"))
        grid = child(table, "w:tblGrid")
        x, y = (points(place.get(f"w:tblp{way}")) if place is not None else 0.0 for way in "XY")
        width = max((points(one.get("w:w"), 99.0) for one in grid if one.tag == "w:gridCol"), default=99.0) if grid is not None else 99.0
        is_flat = layout is not None and layout.get("w:type") == "fixed" and width < _READABLE
        shift = points(indent.get("w:w")) if indent is not None else 0.0
        return DOUBTFUL if is_flat or self._is_off(x, y, _MARGIN) or self._is_off(shift, 0.0, _MARGIN) else ""

    def of_box(self, element: Element) -> str:
        """Of an element around the text of a box: a drawing, a shape, a group, each by its own properties."""
        style = {name.lower(): text.strip().lower() for name, text in _STYLE.findall(element.get("style", ""))}
        named = next((one for one in element if one.tag in ("docPr", "cNvPr")), None)
        is_off = named is not None and named.get("hidden") in ("1", "true")
        if is_off or style.get("visibility") == "hidden" or style.get("display") == "none":
            return HIDDEN
        size = child(element, "extent") if child(element, "extent") is not None else child(element, "spPr", "xfrm", "ext")
        lengths = [points(size.get(name), 99.0, _EMU) for name in ("cx", "cy")] if size is not None else []
        lengths += [points(style[name], 99.0, 1.0) for name in ("width", "height") if name in style]
        if lengths and min(lengths) < _READABLE:
            can_grow = any(one.tag == "spAutoFit" or "fit-shape-to-text:t" in one.get("style", "") for one in element.iter())
            return DOUBTFUL if can_grow or min(lengths) else HIDDEN
        places = [points(one.text, 0.0, _EMU) for way in "HV" if (one := child(element, f"position{way}", "posOffset")) is not None]
        places = places or [points(style.get(f"margin-{way}") or style.get(way), 0.0, 1.0) for way in ("left", "top")]
        is_off = any(self._is_off(at, 0.0, _MARGIN + size) for at, size in zip(places, lengths or (0.0, 0.0), strict=False))
        return DOUBTFUL if is_off else ""

    def _is_off(self, x: float, y: float, room: float) -> bool:
        """Beyond the page, to the left and above by more than `room`."""
        return x >= self._width or y >= self._height or min(x, y) < -max(room, _MARGIN)


def _is_seen(color: int | None, clear: float, ground: int | None) -> bool:
    contrast = 255.0 if color is None or ground is None else abs(grey(color) - grey(ground))
    return contrast * (1 - clear) >= CONTRAST


def _share(text: str | None) -> float:
    return int(text, 16) / 255 if text is not None and re.fullmatch("[0-9A-Fa-f]{1,2}", text) else 1.0
