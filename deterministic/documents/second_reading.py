"""Other readings of a page, tried before a quote is called absent. Runs in a child process only.
Columns and tables are stored in many orders, text may stand in form fields and notes, and another reader may know glyphs that the first one
does not. What no reader of the page sees (clipped away, off the page, in a layer that is off, in a hidden field) is a reading of its own,
so that a quote of it is told from an invented one and supports nothing."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any

import pymupdf

from deterministic.documents.kinds import raise_if_memory
from deterministic.documents.page_images import seen_text
from deterministic.documents.reading import TEXT_FLAGS, UNKNOWN, keep_open, line_text, walk_lines

BoxText = tuple[Any, str]
"""Box and text of a line or field."""
HIDDEN = "hidden"
_NEAR = 4.0
_SAME_ROW = 3.0  # points by which the lower edges of lines in one row may differ


def _in_rows(parts: Iterable[BoxText], height: Callable[[Any], float]) -> str:
    rows: list[list[BoxText]] = []
    for one in sorted(parts, key=lambda one: height(one[0])):
        if rows and height(one[0]) - height(rows[-1][-1][0]) <= _SAME_ROW:
            rows[-1].append(one)
        else:
            rows.append([one])
    return "\n".join(" ".join(text for _, text in sorted(row, key=lambda one: one[0][0])) for row in rows)


def _columns(read: "_Page") -> str:
    """Lines of the left half from top to bottom, then those of the right half; a line across the middle divides the page."""
    middle = read.page.rect.width / 2
    out: list[str] = []
    left: list[str] = []
    right: list[str] = []
    for (x0, _, x1, _), text in sorted(read.parts, key=lambda one: round(one[0][1])):
        if x0 < middle - _NEAR and x1 > middle + _NEAR:
            out += [*left, *right, text]
            left, right = [], []
        else:
            (left if x1 <= middle + _NEAR else right).append(text)
    return "\n".join([*out, *left, *right])


def _upright(read: "_Page") -> str:
    """Rotated text apart from upright text."""
    groups: dict[tuple[int, int], list[str]] = {}
    for line, (_, text) in zip(read.lines, read.parts, strict=True):
        groups.setdefault((round(line["dir"][0]), round(line["dir"][1])), []).append(text)
    return "\n".join("\n".join(texts) for _, texts in sorted(groups.items(), reverse=True))


_UNCLIPPED = TEXT_FLAGS & ~pymupdf.TEXT_MEDIABOX_CLIP & ~pymupdf.TEXT_CLIP
_CONCEALED = 2 | 32  # flags of a field or note: hidden, not viewed


class _Page:
    """A page with its extractions, each made once for all readings."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page

    @cached_property
    def stored(self) -> pymupdf.TextPage:
        return self.page.get_textpage(flags=TEXT_FLAGS)

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        return list(walk_lines(self.page.get_text("dict", textpage=self.stored)))

    @cached_property
    def parts(self) -> list[BoxText]:
        return [(line["bbox"], line_text(line)) for line in self.lines]

    @cached_property
    def text(self) -> str:
        return str(self.page.get_text("text", textpage=self.stored))

    @cached_property
    def unclipped(self) -> str:
        """With all that the library takes for clipped away."""
        return str(self.page.get_text("text", flags=_UNCLIPPED, clip=pymupdf.INFINITE_RECT()))


def _unclipped(read: _Page) -> str:
    """Also text that the library takes for clipped away although it is seen."""
    return "" if read.unclipped.split() == read.text.split() else seen_text(read.page, _UNCLIPPED)


def _hidden(read: _Page) -> str:
    """All text of the page with what no reader sees: cut away, off the page, in layers that are off, in hidden fields and notes."""
    fields = "\n".join(value for _, value in _values(read, is_concealed=True))
    notes = _of_notes(read, is_concealed=True)
    with _all_layers(read.page.parent) as is_changed:
        text = _Page(read.page).unclipped if is_changed else read.unclipped
    return "\n".join((text, fields, notes))


@contextmanager
def _all_layers(pdf: pymupdf.Document) -> Iterator[bool]:
    """Layers that are off by default are shown; whether there are any."""
    off = [layer["number"] for layer in pdf.layer_ui_configs() if not layer["on"]]
    for number in off:
        pdf.set_layer_ui_config(number, pymupdf.PDF_OC_ON)
    try:
        yield bool(off)
    finally:
        for number in off:
            pdf.set_layer_ui_config(number, pymupdf.PDF_OC_OFF)


def _codes(read: _Page) -> str:
    """The library's own text, raised figures among the others; character codes in place of glyphs without Unicode."""
    if UNKNOWN not in read.text:
        return read.text
    return str(read.page.get_text("text", flags=TEXT_FLAGS | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE))


def _values(read: _Page, *, is_concealed: bool) -> list[BoxText]:
    """The values of the form fields that are filled in."""
    shown = (widget for widget in read.page.widgets() if bool(widget._annot.flags & _CONCEALED) is is_concealed)
    return [(widget.rect, str(widget.field_value)) for widget in shown if widget.field_value not in (None, "", "Off")]


def _with_fields(read: _Page) -> str:
    """The page's rows with what stands in its form fields, each value in its place; "" for a page without."""
    if not (values := _values(read, is_concealed=False)):
        return ""
    # what the page's own text shows in a field's place is that field's value
    new = [one for one in values if not any(one[1].strip() in text and one[0].intersects(pymupdf.Rect(box)) for box, text in read.parts)]
    return _in_rows([*read.parts, *new], lambda box: (box[1] + box[3]) / 2) if new else ""


def _of_notes(read: _Page, *, is_concealed: bool = False) -> str:
    shown = (note for note in read.page.annots() if bool(note.flags & _CONCEALED) is is_concealed)
    return "\n".join(content for note in shown if (content := note.info.get("content", "").strip()))


_PLAIN: dict[str, Callable[[_Page], str]] = {"unclipped": _unclipped, HIDDEN: _hidden}
"""What can be new on pages that were noted as plain: text that was cut away or is not shown."""
_READINGS: dict[str, Callable[[_Page], str]] = {
    "sorted": lambda read: _in_rows(read.parts, lambda box: box[3]),
    "columns": _columns,
    "upright": _upright,
    "unclipped": _unclipped,
    "codes": _codes,
    "form field": _with_fields,
    "annotation": _of_notes,
    HIDDEN: _hidden,
}


def read_again(path: str, numbers: list[int], is_plain: bool = False) -> dict[str, list[tuple[str, str]]]:
    """Page number (as text, for JSON) -> (source, text) of each reading that gives any text, each text once."""
    pdf = keep_open(path)
    found: dict[str, list[tuple[str, str]]] = {}
    for number in numbers:
        page = _Page(pdf.load_page(number - 1))
        found[str(number)] = [(source, _attempt(reading, page)) for source, reading in (_PLAIN if is_plain else _READINGS).items()]
    for number, reading in () if is_plain else _second_reader(path, numbers):
        found[str(number)].append(reading)
    return {number: _distinct(readings) for number, readings in found.items()}


def _distinct(readings: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Readings with text, the first of those with the same words."""
    first: dict[str, tuple[str, str]] = {}
    for source, text in readings:
        if words := " ".join(text.split()):
            first.setdefault(words, (source, text))
    return list(first.values())


def _attempt(reading: Callable[[_Page], str], page: _Page) -> str:
    """A reading that fails is no reading; the others still count."""
    try:
        text = reading(page)
    except Exception as error:
        raise_if_memory(error)
        return ""
    return text if text.strip() else ""


@lru_cache(maxsize=1)
def _second(pdf: pymupdf.Document, path: str) -> Any:
    """The second reader's document, open as long as the first one's."""
    import pypdfium2  # type: ignore[import-untyped]

    return pypdfium2.PdfDocument(path)


def _second_reader(path: str, numbers: list[int]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Page number, source and text; the second reader shows every layer."""
    try:
        first: Any = keep_open(path)
        pdf, has_layers = _second(first, path), first.xref_get_key(first.pdf_catalog(), "OCProperties")[0] != "null"
        for number in numbers:
            text = pdf[number - 1].get_textpage().get_text_bounded().replace("\r\n", "\n")
            if text.strip():
                yield number, ("layers" if has_layers else "pypdfium2", text)
    except Exception as error:
        raise_if_memory(error)
        return  # a file that only the first reader opens
