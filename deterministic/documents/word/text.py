"""The text of a Word file: paragraphs and tables in order with Word's own numbers, then notes, then running lines. Runs in a child only.

Tracked changes are read as they will be when accepted; what they delete stays as struck text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from deterministic.documents.kinds import ReadingError
from deterministic.documents.word.container import Container, Element, child
from deterministic.documents.word.lines import Line, WordText, Writer, row_lines
from deterministic.documents.word.numbering import Counter, Lists, Styles
from deterministic.documents.word.paragraphs import STRUCK, SUPERSCRIPTS, Paragraph, Piece, Reader, close_fields, mark_change, trimmed

_CHANGES = frozenset("w:ins w:del w:moveFrom w:moveTo w:cellIns w:cellDel".split())
_BLOCKS = frozenset("w:sdt w:sdtContent w:customXml w:ins w:moveTo w:smartTag".split())
"""What stands around paragraphs without a say of its own."""


def read_word(path: str) -> WordText:
    """The text of a Word file. Raises `ReadingError`."""
    container = Container(path)
    try:
        return _Document(container).read()
    except RecursionError:
        raise ReadingError("too_large", "is nested more deeply than a Word file can be") from None
    finally:
        container.close()


class _Document:
    def __init__(self, container: Container) -> None:
        self._parts = list(container.relations(container.main))
        self._container = container
        self._root = close_fields(container.xml(container.main))
        styles = Styles(self._part("styles"))
        lists = Lists(self._part("numbering"), styles)
        self._place_of: Callable[[Element], tuple[str, int] | None] = lists.place_of
        self._reader = Reader(styles)
        self._reader.is_on_paper = child(self._root, "w:background") is None
        self._living, self._before = Counter(lists), Counter(lists)
        self._note_texts = {
            f"{kind} {note.get('w:id', '')}": note for kind in ("footnote", "endnote") for note in self._part(kind + "s") or ()
        }
        self._note_numbers: dict[str, str] = {}
        self._counted = {"footnote": 0, "endnote": 0}
        self._waiting: list[Piece] = []
        """What a paragraph holds whose end was deleted: it goes on in the next one."""
        self._label = ""
        self._text = WordText()

    def _part(self, kind: str) -> Element | None:
        return next((close_fields(self._container.xml(part.path)) for part in self._parts if part.kind == kind), None)

    def read(self) -> WordText:
        text, writer = self._text, Writer(self._text)
        for line in [*self._blocks(child(self._root, "w:body") or (), ""), *self._rest()]:
            writer.write(line)
        text.main = writer.at - 1 if writer.at else 0
        for name, reference in list(writer.references.items()):
            if (note := self._note_texts.get(name)) is not None:
                start = writer.at
                self._waiting = [Piece(self._note_numbers[name].translate(SUPERSCRIPTS) + " ")]
                for line in [*self._blocks(note, ""), *self._rest()]:
                    writer.write(line)
                text.notes.append((reference, start, max(start, writer.at - 1)))
        text.body = writer.text
        for line in self._running_lines():
            writer.write(line)
        text.full = writer.text
        text.is_tracked = any(element.tag in _CHANGES for element in self._root.iter())
        return text

    def _running_lines(self) -> Iterator[Line]:
        seen = set()
        for part in self._parts:
            if part.kind in ("header", "footer"):
                for line in [*self._blocks(close_fields(self._container.xml(part.path)), ""), *self._rest()]:
                    shown = "".join(piece.text for piece in line.pieces())
                    if shown.strip() and shown not in seen:
                        seen.add(shown)
                        yield line

    def _blocks(self, elements: Element | Sequence[Element], mark: str) -> Iterator[Line]:
        """The lines of paragraphs and tables, in order."""
        for element in elements:
            tag = element.tag
            if tag == "w:p":
                yield from self._paragraph(element, mark)
            elif tag == "w:tbl":
                yield from self._table(element, mark)
            elif tag == "w:altChunk":
                self._text.unseen += 1
            elif tag in ("w:del", "w:moveFrom"):
                yield from self._blocks(element, STRUCK)
            elif tag == "mc:AlternateContent":
                yield from self._blocks(next((form for form in element if form.tag == "mc:Choice"), element), mark)
            elif tag in _BLOCKS:
                yield from self._blocks(element, mark)

    def _paragraph(self, element: Element, mark: str) -> Iterator[Line]:
        found, place, change = self._reader.read(element, mark), self._place_of(element), "w:del" if mark else mark_change(element)
        self._text.unseen += found.pictures
        before = "" if change == "w:ins" else self._before.next(place)
        pieces = [piece if not piece.event or piece.text or piece.event == "page" else self._noted(piece) for piece in found.pieces]
        if change == "w:del" and not found.living.strip():
            yield from self._struck(found, pieces, before)
        elif change == "w:del":
            self._label = self._label or self._living.next(place)
            self._waiting += pieces
        else:
            label = self._label or self._living.next(place)
            if before and before != label:
                self._text.original.add(before.rstrip("."))
            yield from self._line([*self._waiting, *pieces], label, found)
            self._waiting, self._label = [], ""
        for box in found.boxes:
            yield from self._on_own_ground(self._blocks(box, mark))

    def _on_own_ground(self, lines: Iterator[Line]) -> Iterator[Line]:
        """Lines of a table or box, whose letters may be white on a colour that its style has."""
        before, self._reader.is_on_paper = self._reader.is_on_paper, False
        kept = list(lines)
        self._reader.is_on_paper = before
        yield from kept

    def _struck(self, found: Paragraph, pieces: list[Piece], number: str) -> Iterator[Line]:
        """A deleted paragraph, with the number that it had."""
        label = [Piece(f"{number} ", STRUCK)] if number else []
        if any(piece.text.strip() for piece in pieces):
            yield Line([[*label, *pieces]], found.is_bold, found.size)

    def _line(self, pieces: list[Piece], label: str, found: Paragraph) -> Iterator[Line]:
        pieces = trimmed(pieces)
        if any(piece.text.strip() for piece in pieces):
            yield Line([[*([Piece(f"{label} ")] if label else []), *pieces]], found.is_bold, found.size)
        elif pieces:
            yield Line([[replace(piece, text="") for piece in pieces]])

    def _rest(self) -> Iterator[Line]:
        """What still waits for the next paragraph where there is none."""
        pieces, label = self._waiting, self._label
        self._waiting, self._label = [], ""
        yield from self._line(pieces, label, Paragraph())

    def _noted(self, piece: Piece) -> Piece:
        """A reference to a note with its mark, a raised number; the mark of its own stands in the text."""
        if not piece.event.startswith(("footnote", "endnote")):
            return piece
        kind, name, *own = piece.event.split()
        key = f"{kind} {name}"
        if key not in self._note_numbers:
            self._counted[kind] += not own
            self._note_numbers[key] = "" if own else str(self._counted[kind])
        return Piece(self._note_numbers[key].translate(SUPERSCRIPTS), piece.mark, key)

    def _table(self, table: Element, mark: str) -> Iterator[Line]:
        yield from self._on_own_ground(self._rows(table, mark))

    def _rows(self, table: Element, mark: str) -> Iterator[Line]:
        for row in _inside(table, "w:tr"):
            struck = STRUCK if child(row, "w:trPr", "w:del") is not None else mark
            cells = []
            for cell in _inside(row, "w:tc"):
                own = STRUCK if child(cell, "w:tcPr", "w:cellDel") is not None else struck
                cells.append(
                    [line for line in [*self._blocks(cell, own), *self._rest()] if any(p.text.strip() or p.event for p in line.pieces())]
                )
            yield from row_lines([cell for cell in cells if cell])


def _inside(element: Element, tag: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also those in content controls."""
    for inner in element:
        if inner.tag == tag:
            yield inner
        elif inner.tag in _BLOCKS:
            yield from _inside(inner, tag)
