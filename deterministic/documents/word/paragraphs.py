"""What a paragraph of a Word file says: its words as a reader sees them, which of them are struck out or hidden, and what it points to."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from deterministic.documents.word.container import Element, child, forms_of, is_on, number, value
from deterministic.documents.word.numbering import Styles
from deterministic.documents.word.sight import HIDDEN, PROPERTIES, STRUCK, WHITE, Sight, stronger

_DELETED, _INSERTED = ("w:del", "w:moveFrom"), ("w:ins", "w:moveTo")
_SKIPPED = frozenset(
    "w:pPr w:rPr w:instrText w:delInstrText w:tblPr w:tblGrid w:trPr w:tcPr w:sdtPr w:sdtEndPr w:sectPr w:fldData w:rt w:ffData "
    "w:rPrChange m:ctrlPr m:fPr m:rPr w:customXmlPr w:smartTagPr".split()
)
_CHARACTERS = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_SYMBOLS = {
    "symbol": dict(zip(b"-\xa3\xb0\xb1\xb3\xb4\xb7\xb8\xb9\xbb\xbc\xd7\xde", "−≤°±≥×•÷≠≈…⋅⇒", strict=True)),
    "wingdings": dict(zip(b"\x6c\x6e\x6f\x71\x78\xa7\xa8\xd8\xfc\xfd\xfe", "●■☐☐☒▪☐➢✓☒☑", strict=True)),
}
"""Signs of the two fonts that have codes of their own instead of letters; the low byte of the code."""
_UNKNOWN = "\ufffd"
_PAGE_AREA = 595 * 842
_LARGE = 0.3  # share of a page (A4) from which a picture can hold text that a reader of the document sees and this one does not


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters. `mark`: as in `sight`. `event`: "page" for the beginning of a page as Word last laid it out, "break" for one
    that was set, "footnote 3", "endnote 1" for the reference to a note."""

    text: str
    mark: str = ""
    event: str = ""


@dataclass(slots=True)
class Paragraph:
    """`boxes`: the text boxes anchored in it, each a list of blocks with its mark. `pictures`: how many of its pictures are large."""

    pieces: list[Piece] = field(default_factory=list)
    boxes: list[tuple[Element, str]] = field(default_factory=list)
    pictures: int = 0
    style: str = ""

    @property
    def living(self) -> str:
        """Its words without those that are struck out."""
        return "".join(piece.text for piece in self.pieces if piece.mark != STRUCK)


def form_choice(field_begin: Element) -> str:
    """What Word shows of a form field of its older kind where a field begins: the chosen entry of a list, a check box; "" for another."""
    entries, box = child(field_begin, "w:ffData", "w:ddList"), child(field_begin, "w:ffData", "w:checkBox")
    if entries is not None:
        texts = [entry.get("w:val", "") for entry in entries if entry.tag == "w:listEntry"]
        chosen = value(entries, "w:result") or value(entries, "w:default") or "0"
        return texts[int(chosen)] if chosen.isdecimal() and int(chosen) < len(texts) else ""
    if box is None:
        return ""
    return "☒" if is_on(box, "w:checked" if child(box, "w:checked") is not None else "w:default") else "☐"


def mark_change(paragraph: Element) -> str:
    """Whether the end of the paragraph was deleted or inserted: "w:del", "w:ins" or ""."""
    properties = child(paragraph, "w:pPr", "w:rPr")
    if is_on(properties, "w:vanish") and is_on(properties, "w:specVanish"):
        return "w:del"  # a heading that runs on into the text behind it
    found = {element.tag for element in properties} if properties is not None else set()
    return "w:del" if found & set(_DELETED) else "w:ins" if found & set(_INSERTED) else ""


class Reader:
    """Reads paragraphs one after the other: a field may begin in one and end in another."""

    def __init__(self, styles: Styles, sight: Sight) -> None:
        self._styles = styles
        self._sight = sight
        self._fields: list[bool | None] = []
        """Of each open field whether its result has begun; what stands before is an instruction. None: its form has said it."""
        self._set_by_style: dict[tuple[str, str], object] = {}
        self._marks: dict[tuple[object, ...], str] = {}
        self.ground: int | None = WHITE
        """The colour of what paragraphs stand on; None: a box has one of its own."""
        self.table_style = ""

    def read(self, paragraph: Element, mark: str = "") -> Paragraph:
        """The paragraph; `mark` is that of what stands around it."""
        style = value(paragraph, "w:pPr", "w:pStyle") or self._styles.default
        found = Paragraph(style=style)
        grounds = [paragraph, *(definition for _, definition in self._styles.chain(style))]
        shade = next((one for ground in grounds if (one := child(ground, "w:pPr", "w:shd")) is not None), None)
        self._ground = self._sight.shaded(shade, self.ground)
        set_for_it = {tag: [one for ground in grounds if (one := child(ground, "w:pPr", tag)) is not None] for tag in PROPERTIES}
        mark = stronger(
            mark, self._sight.of_paragraph(lambda tag, name: next(filter(None, (one.get(name) for one in set_for_it[tag])), None))
        )
        found.pieces = [piece for piece in self._inline(paragraph, found, style, mark) if piece.text or piece.event]
        return found

    def _inline(self, element: Iterable[Element], found: Paragraph, style: str, mark: str) -> Iterator[Piece]:
        for inner in element:
            if (tag := inner.tag) in _SKIPPED:
                continue
            known = len(found.boxes)
            if tag in ("w:r", "m:r"):
                yield from self._inline(inner, found, style, stronger(mark, self.mark_of(inner, style)))
                if found.boxes[known:] and self._is_on(inner, style, "w:vanish"):
                    found.boxes[known:] = [(box, HIDDEN) for box, _ in found.boxes[known:]]
            elif tag == "w:fldChar":
                if (chosen := form_choice(inner)) and all(self._fields):
                    yield Piece(chosen, mark)
                if (kind := inner.get("w:fldCharType")) == "begin":
                    self._fields.append(None if chosen else False)
                elif self._fields and kind == "separate":
                    self._fields[-1] = None if self._fields[-1] is None else True
                elif self._fields and kind == "end":
                    self._fields.pop()
            elif tag in _DELETED:
                yield from self._inline(inner, found, style, STRUCK)
                found.boxes[known:] = [(box, STRUCK) for box, _ in found.boxes[known:]]
            elif tag == "mc:AlternateContent":
                for form, is_shown in forms_of(inner):
                    yield from self._inline(form, found, style, mark if is_shown else HIDDEN)
            elif tag == "w:txbxContent":
                found.boxes.append((inner, ""))
            else:
                yield from (piece for piece in self._characters(inner, found, style, mark) if all(self._fields))

    def _characters(self, element: Element, found: Paragraph, style: str, mark: str) -> Iterator[Piece]:
        """What a single element says, if it says anything by itself; else what stands in it."""
        if (tag := element.tag) in ("w:t", "w:delText", "m:t"):
            text = element.text or ""
            is_kept = tag == "m:t" or element.get("xml:space") == "preserve"
            yield Piece(re.sub(r"[\n\r]", " ", text if is_kept else text.strip(" \t\n\r")), mark)
        elif tag in _CHARACTERS:
            yield Piece(_CHARACTERS[tag], mark, "break" if element.get("w:type") == "page" else "")
        elif tag == "w:sym":
            yield Piece(_symbol(element), mark)
        elif tag == "w:lastRenderedPageBreak":
            yield Piece("", mark, "page")
        elif tag in ("w:footnoteReference", "w:endnoteReference"):
            has_own = element.get("w:customMarkFollows", "0") not in ("0", "false", "off")
            yield Piece("", mark, f"{tag[2:-9]} {element.get('w:id', '')}{' own' if has_own else ''}")
        elif tag == "m:num":
            yield from self._inline(element, found, style, mark)
            yield Piece("/", mark)
        elif tag in ("m:phant", "m:borderBox", "m:rad", "m:nary"):
            for part in element:
                yield from self._inline([part], found, style, stronger(mark, self._sight.of_part(element, part)))
        else:
            found.pictures += _is_large(element)
            known = len(found.boxes)
            yield from self._inline(element, found, style, mark)
            if found.boxes[known:] and (around := self._sight.of_box(element)):
                found.boxes[known:] = [(box, stronger(around, own)) for box, own in found.boxes[known:]]

    def mark_of(self, run: Element, style: str) -> str:
        """Of the letters of a run, or of what else has properties as one has: the number of a list, the end of a paragraph."""
        properties = child(run, "w:rPr")
        own = () if properties is None else tuple((one.tag, *one.attrib.items()) for one in properties)
        key = run.tag, own, style, self.table_style, self._ground
        if key not in self._marks or any(tag in ("textFill", "textOutline") for tag, *_ in own):
            is_struck = self._is_on(run, style, "w:strike") or self._is_on(run, style, "w:dstrike")
            is_struck = is_struck or (run.tag == "m:r" and any(tag in _DELETED for tag, *_ in own))
            unseen = self._sight.of_letters(lambda tag, read: self._set(run, style, tag, read), self._ground)
            self._marks[key] = unseen or (STRUCK if is_struck else "")
        return self._marks[key]

    def _is_on(self, run: Element, style: str, switch: str) -> bool:
        return bool(self._set(run, style, switch, is_on))

    def _set(self, run: Element, style: str, tag: str, read: Callable[..., Any]) -> Any:
        """A property of the run itself, of its style, the paragraph's or the table's, or of all text."""
        if (own := read(run, "w:rPr", tag)) is not None:
            return own
        for name in (value(run, "w:rPr", "w:rStyle") or "", style, self.table_style):
            if (name, tag) not in self._set_by_style:
                settings = (read(definition, "w:rPr", tag) for _, definition in self._styles.chain(name))
                self._set_by_style[name, tag] = next((one for one in settings if one is not None), None)
            if (set_by_style := self._set_by_style[name, tag]) is not None:
                return set_by_style
        return read(self._styles.defaults, "w:rPr", tag)


def close_fields(root: Element) -> Element:
    """The same part without the beginnings of fields that never end: what stands behind them is text and no instruction."""
    opened: list[Element] = []
    for mark in root.iter("w:fldChar"):
        if (kind := mark.get("w:fldCharType")) == "begin":
            opened.append(mark)
        elif kind == "end" and opened:
            opened.pop()
    for mark in opened:
        mark.set("w:fldCharType", "")
    return root


def trimmed(pieces: list[Piece]) -> list[Piece]:
    """Without line breaks at the end: a page break there ends the paragraph as its mark does."""
    kept = list(pieces)
    for n in range(len(kept) - 1, -1, -1):
        kept[n] = replace(kept[n], text=kept[n].text.rstrip("\n"))
        if kept[n].text:
            break
    return kept


def _symbol(element: Element) -> str:
    try:
        code = int(element.get("w:char", ""), 16)
    except ValueError:
        return _UNKNOWN
    font = element.get("w:font", "").casefold()
    for name, signs in _SYMBOLS.items():
        if font.startswith(name):
            return signs.get(code & 0xFF, _UNKNOWN)
    return _UNKNOWN if 0xE000 <= code <= 0xF8FF or not 0x20 <= code < 0x110000 or 0xD800 <= code < 0xE000 else chr(code)


_LENGTH = re.compile(r"(width|height):([\d.]+)(pt|in)")


def _is_large(element: Element) -> bool:
    """A picture, drawn (`extent`, in 1/12700 point) or of an older program (`style`, in points or inches), that covers much of a page."""
    if element.tag == "w:drawing":
        extent = next((inner for inner in element.iter() if inner.tag == "extent"), None)
        is_picture = any(inner.tag in ("blip", "chart", "relIds") for inner in element.iter())
        if extent is None or not is_picture:
            return False
        return number(extent.get("cx"), 0) / 12700 * number(extent.get("cy"), 0) / 12700 >= _LARGE * _PAGE_AREA
    if element.tag in ("w:pict", "w:object"):
        shape = next((inner for inner in element.iter() if any(i.tag == "imagedata" for i in inner) and inner.get("style")), None)
        lengths = _LENGTH.findall(shape.get("style", "")) if shape is not None else []
        sizes = {name: float(size) * (72 if unit == "in" else 1) for name, size, unit in lengths}
        return sizes.get("width", 0.0) * sizes.get("height", 0.0) >= _LARGE * _PAGE_AREA
    return False
