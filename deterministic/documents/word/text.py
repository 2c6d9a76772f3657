"""A Word file as one text with its clauses: paragraphs and tables in order with Word's own numbers, then notes, then running lines.
Word files have no pages: how many there are depends on the program and the printer. The text is one stretch; what it says where a page was
cut the last time is only a hint. Tracked changes are read as they will be when accepted; what they delete stays as struck text. Runs in a
child process only."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, pairwise
from typing import Any

from deterministic.clauses.clause import Clause
from deterministic.clauses.provisions import build_provisions
from deterministic.documents.kinds import TRACKED, ReadingError
from deterministic.documents.page_numbers import find_counts, number_lines
from deterministic.documents.parsed_document import UNSEEN, parsed
from deterministic.documents.reading import SUPERSCRIPTS
from deterministic.documents.running_lines import starts_of
from deterministic.documents.word.container import Container, Element, child, forms_of, is_on, value
from deterministic.documents.word.numbering import Counter, Lists, Styles
from deterministic.documents.word.paragraphs import Piece, Reader, close_fields, mark_change, trimmed
from deterministic.documents.word.sight import DOUBTFUL, HIDDEN, STRUCK, Sight, stronger

_Line = list[list[Piece]]
"""One line of the text: a paragraph, or a row of a table with its cells."""


@dataclass(slots=True)
class WordText:
    """`body`: `full` without running lines. `main`: how much of it is no note. `notes`: (offset of the reference, start and end of the
    note). `unseen`: large pictures and embedded documents, whose words are not read. `original`: numbers before the tracked changes."""

    full: str = ""
    body: str = ""
    main: int = 0
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    hints: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    notes: list[tuple[int, int, int]] = field(default_factory=list)
    original: set[str] = field(default_factory=set)
    unseen: int = 0
    is_tracked: bool = False


def _row_lines(cells: Sequence[Sequence[_Line]]) -> Iterator[_Line]:
    """Cells of one paragraph each share a line; a longer cell keeps its own lines."""
    for is_short, group in groupby(cells, lambda cell: len(cell) == 1 and len(cell[0]) == 1):
        lines = [line for cell in group for line in cell]
        yield from [[line[0] for line in lines]] if is_short else lines


class _Writer:
    """Puts lines one below the other and notes where what stands."""

    def __init__(self, text: WordText) -> None:
        self._text = text
        self._parts: list[str] = []
        self.at = 0
        self.references: dict[str, int] = {}
        """Where each note is referred to for the first time."""

    @property
    def text(self) -> str:
        return "".join(self._parts).removesuffix("\n")

    def write(self, line: _Line) -> None:
        for column, cell in enumerate(line):
            self._write("\t" if column else "", "")
            for piece in cell:
                if piece.event in ("page", "break"):
                    (self._text.hints if piece.event == "page" else self._text.breaks).append(self.at)
                elif piece.event:
                    self.references.setdefault(piece.event, self.at)
                self._write(piece.text, piece.mark)
        if any(piece.text for piece in chain.from_iterable(line)) or len(line) > 1:
            self._write("\n", "")

    def _write(self, text: str, mark: str) -> None:
        spans, last = self._text.spans, self._parts[-1][-1:] if self._parts else ""
        is_struck_before = bool(spans) and spans[-1][1:] == (self.at, STRUCK)
        if is_struck_before != (mark == STRUCK) and last.isalnum() and text[:1].isalnum():
            # Old and new word stay apart; the space goes with the old one, so that the new text is whole without it.
            if mark == STRUCK:
                text = f" {text}"
            else:
                self._write(" ", STRUCK)
        if mark and text:
            start = spans.pop()[0] if spans and spans[-1][1:] == (self.at, mark) else self.at
            spans.append((start, self.at + len(text), mark))
        if text:
            self._parts.append(text)
            self.at += len(text)


_CHANGES = frozenset("w:ins w:del w:moveFrom w:moveTo w:cellIns w:cellDel".split())
_BLOCKS = frozenset("w:sdt w:sdtContent w:customXml w:ins w:moveTo w:smartTag".split())
"""What stands around paragraphs without a say of its own."""


def read_word(path: str) -> WordText:
    """The text of a Word file. Raises `ReadingError`."""
    with closing(Container(path)) as container:
        try:
            return _Document(container).read()
        except RecursionError:
            raise ReadingError("too_large", "is nested more deeply than a Word file can be") from None


class _Document:
    def __init__(self, container: Container) -> None:
        self._parts = list(container.relations(container.main))
        self._container = container
        self._root = close_fields(container.xml(container.main))
        self._styles = styles = Styles(next(self._part("styles"), None))
        lists = Lists(next(self._part("numbering"), None), styles)
        self._sight = Sight(self._root, next(self._part("theme"), None))
        self._lists = lists
        self._reader = Reader(styles, self._sight)
        if child(self._root, "w:background") is not None:
            self._reader.ground = None
        self._living, self._before = Counter(lists), Counter(lists)
        notes = ((kind, note) for kind in ("footnote", "endnote") for part in self._part(f"{kind}s") for note in part)
        self._note_texts = {f"{kind} {note.get('w:id', '')}": note for kind, note in notes}
        self._note_numbers: dict[str, str] = {}
        self._counted = {"footnote": 0, "endnote": 0}
        self._waiting: list[Piece] = []
        """What a paragraph holds whose end was deleted: it goes on in the next one."""
        self._label = Piece("")
        self._text = WordText()

    def _part(self, *kinds: str) -> Iterator[Element]:
        return (close_fields(self._container.xml(part.path)) for part in self._parts if part.kind in kinds)

    def read(self) -> WordText:
        text, writer = self._text, _Writer(self._text)
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

    def _running_lines(self) -> Iterator[_Line]:
        seen = set()
        for part in self._part("header", "footer"):
            for line in [*self._blocks(part, ""), *self._rest()]:
                shown = "\t".join("".join(piece.text for piece in cell) for cell in line)
                if shown.strip() and shown not in seen:
                    seen.add(shown)
                    yield line

    def _blocks(self, elements: Element | Sequence[Element], mark: str) -> Iterator[_Line]:
        """The lines of paragraphs and tables, in order."""
        for element in elements:
            if (tag := element.tag) == "w:p":
                yield from self._paragraph(element, mark)
            elif tag == "w:tbl":
                yield from self._rows(element, mark)
            elif tag == "w:altChunk":
                self._text.unseen += 1
            elif tag in ("w:del", "w:moveFrom"):
                yield from self._blocks(element, STRUCK)
            elif tag == "mc:AlternateContent":
                for form, is_shown in forms_of(element):
                    yield from self._blocks(form, mark if is_shown else HIDDEN)
            elif tag in _BLOCKS:
                yield from self._blocks(element, mark)

    def _paragraph(self, element: Element, mark: str) -> Iterator[_Line]:
        found, place = self._reader.read(element, mark), self._lists.place_of(element)
        change = "w:del" if mark == STRUCK else mark_change(element)
        self._text.unseen += found.pictures
        before = "" if change == "w:ins" else self._before.next(place)
        pieces = [piece if not piece.event or piece.text or piece.event == "page" else self._noted(piece) for piece in found.pieces]
        if change == "w:del" and not found.living.strip():
            yield from self._line(pieces, Piece(before), STRUCK)
        elif change == "w:del":
            self._label = self._label if self._label.text else self._numbered(element, place, found.style)
            self._waiting += pieces
        else:
            label = self._label if self._label.text else self._numbered(element, place, found.style)
            if before and before != label.text:
                self._text.original.add(before.rstrip("."))
            yield from self._line([*self._waiting, *pieces], label)
            self._waiting, self._label = [], Piece("")
        for box, own in found.boxes:
            yield from self._on_ground(None, "", self._blocks(box, stronger(mark, own)))

    def _on_ground(self, ground: int | None, table_style: str, lines: Iterator[_Line]) -> list[_Line]:
        """Lines of a cell or box, on a ground of this colour (None: not known) and in the style of its table."""
        reader = self._reader
        before = reader.ground, reader.table_style
        reader.ground, reader.table_style = ground, table_style
        kept = list(lines)
        reader.ground, reader.table_style = before
        return kept

    def _numbered(self, paragraph: Element, place: tuple[str, int] | None, style: str) -> Piece:
        """The number of a paragraph; it looks as its level says, and else as the end of the paragraph."""
        look, end = self._lists.look_of(place), child(paragraph, "w:pPr")
        mark = "" if look is None else self._reader.mark_of(look, style)
        if look is not None and end is not None and not mark and not is_on(end, "w:rPr", "w:specVanish"):
            mark = DOUBTFUL if self._reader.mark_of(end, style) else ""
        return Piece(self._living.next(place), mark)

    def _line(self, pieces: list[Piece], label: Piece, mark: str = "") -> Iterator[_Line]:
        pieces = pieces if mark else trimmed(pieces)
        if any(piece.text.strip() for piece in pieces):
            number = [Piece(f"{label.text} ", mark or label.mark)] if label.text else []
            yield [[*number, *pieces]]
        elif pieces and not mark:
            yield [[replace(piece, text="") for piece in pieces]]

    def _rest(self) -> Iterator[_Line]:
        """What still waits for the next paragraph where there is none."""
        pieces, label = self._waiting, self._label
        self._waiting, self._label = [], Piece("")
        yield from self._line(pieces, label)

    def _noted(self, piece: Piece) -> Piece:
        """A reference to a note with its mark, a raised number; the mark of its own stands in the text."""
        if not piece.event.startswith(("footnote", "endnote")):
            return piece
        kind, name, *own = piece.event.split()
        if (key := f"{kind} {name}") not in self._note_numbers:
            self._counted[kind] += not own
            self._note_numbers[key] = "" if own else str(self._counted[kind])
        return Piece(self._note_numbers[key].translate(SUPERSCRIPTS), piece.mark, key)

    def _hides(self, look: Element, ground: int | None) -> bool:
        """Whether what a style says of some cells hides their letters."""
        ground = self._sight.shaded(child(look, "w:tcPr", "w:shd"), ground)
        return bool(self._sight.of_letters(lambda tag, read: read(look, "w:rPr", tag), ground))

    def _rows(self, table: Element, mark: str) -> Iterator[_Line]:
        style, of_table = value(table, "w:tblPr", "w:tblStyle") or "", child(table, "w:tblPr", "w:shd")
        is_shaded = any(True for _, definition in self._styles.chain(style) for _ in definition.iter("w:shd"))
        mark = stronger(mark, self._sight.of_table(table))
        looks = [one for _, definition in self._styles.chain(style) for one in definition if one.tag == "w:tblStylePr"]
        rows = list(_inside(table, "w:tr"))
        for row in rows:
            struck = STRUCK if child(row, "w:trPr", "w:del") is not None else stronger(mark, self._sight.of_row(row))
            cells, row_cells = [], list(_inside(row, "w:tc"))
            for cell in row_cells:
                own = STRUCK if child(cell, "w:tcPr", "w:cellDel") is not None else struck
                shade = next((one for one in (child(cell, "w:tcPr", "w:shd"), of_table) if one is not None), None)
                ground = None if shade is None and is_shaded else self._sight.shaded(shade, self._reader.ground)
                is_at = {"firstRow": row is rows[0], "lastRow": row is rows[-1]}
                is_at |= {"firstCol": cell is row_cells[0], "lastCol": cell is row_cells[-1]}
                if any(is_at.get(one.get("w:type", ""), True) and self._hides(one, ground) for one in looks):
                    own = stronger(DOUBTFUL, own)
                lines = self._on_ground(ground, style, chain(self._blocks(cell, own), self._rest()))
                cells.append([line for line in lines if any(p.text.strip() or p.event for p in chain.from_iterable(line))])
            yield from _row_lines([cell for cell in cells if cell])


def _inside(element: Element, tag: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also those in content controls."""
    for inner in element:
        if inner.tag == tag:
            yield inner
        elif inner.tag in _BLOCKS:
            yield from _inside(inner, tag)


_NUMBER = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)")


def parse_word(path: str, *, characters: int) -> dict[str, Any]:
    """A Word file as `parsed` gives it, with one page for the whole text and an unreadable one for each large picture. Raises
    `ReadingError`."""
    text = read_word(path)
    if len(text.full) > characters:
        raise ReadingError("too_large", f"holds more than {characters} characters of text")
    if not text.body.strip():
        raise ReadingError("corrupt", "holds no text that can be read: where its pages are pictures, save it as PDF, which OCR reads")
    clauses, listed = _provisions(text)
    notes = "m" if text.spans else ""
    shown = [0, *text.hints, len(text.body)]
    earlier = [(start, end, str(n), True) for n, (start, end) in enumerate(pairwise(shown), 1)] if text.hints else []
    notices = [f"{TRACKED} it holds tracked changes, read as accepted"] if text.is_tracked else []
    pages = [(text.full, text.body, "", (), "text", notes), *[UNSEEN] * text.unseen]
    return parsed(pages, notices, clauses, listed, earlier, "none")


def marked_word(path: str) -> dict[str, Any]:
    """As `page_images.find_marked`, of the whole text."""
    text = read_word(path)
    return {"text": text.full, "spans": [list(span) for span in text.spans]}


def _provisions(text: WordText) -> tuple[list[Clause], set[str]]:
    """Provisions of the text as it will be, those that are struck out beside them, and notes as parts of the provisions that refer to them.
    Numbers that only the text before the changes has are as good as mentioned: nobody invents them."""
    main = text.body[: text.main]
    struck = [(start, end) for start, end, mark in text.spans if mark == STRUCK and end <= len(main)]
    starts = sorted({0, *text.breaks, *text.hints})
    living, lines = main, main.split("\n")
    at = starts_of(lines)
    counted = [one.at for count in find_counts(number_lines([lines], [{}]), [lines], [{}]) for one in count.lines]
    for start, end in [*struck, *((at[n], at[n] + len(lines[n])) for n in counted)]:  # the pages of an earlier print are no clauses
        living = living[:start] + " " * (end - start) + living[end:]
    clauses, listed = build_provisions(living, starts)
    found = list(clauses)
    if struck:
        found += [c for c in build_provisions(main, starts)[0] if any(start <= c.start < end for start, end in struck)]
        heads = (start for start, _ in struck if main[start - 1 : start] in ("", "\n"))
        text.original |= {match[1] for start in heads if (match := _NUMBER.match(main, start))}
    for reference, start, end in text.notes:
        around = [clause for clause in clauses if clause.start <= reference < clause.end]
        # An outer provision begins a little earlier, so that the inner one is still the inner one.
        found += [replace(clause, start=max(0, start - n), end=end) for n, clause in enumerate(reversed(around))]
    found.sort(key=lambda clause: (clause.start, -clause.end, clause.number))
    return found, {*listed, *text.original}
