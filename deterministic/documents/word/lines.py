"""The lines of a Word file's text: put one below the other, with what stands where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from deterministic.clauses.outline import LineLook
from deterministic.documents.word.paragraphs import STRUCK, Piece

_CELL = 100.0  # points that the columns of a table are set apart, to tell rows from headings; the true ones are not known


@dataclass(slots=True)
class Line:
    """One line of the text: a paragraph, or a row of a table with its cells."""

    cells: list[list[Piece]]
    is_bold: bool = False
    size: float = 0.0

    def pieces(self) -> Iterator[Piece]:
        """All cells, tabs between them."""
        for n, cell in enumerate(self.cells):
            yield from [Piece("\t"), *cell] if n else cell


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
    looks: list[LineLook] = field(default_factory=list)
    original: set[str] = field(default_factory=set)
    unseen: int = 0
    is_tracked: bool = False


def row_lines(cells: Sequence[Sequence[Line]]) -> Iterator[Line]:
    """Cells of one paragraph each share a line; a longer cell keeps its own lines."""
    together: list[Line] = []
    for cell in cells:
        if len(cell) == 1 and len(cell[0].cells) == 1:
            together += cell
        else:
            yield from _joined(together)
            yield from cell
            together = []
    yield from _joined(together)


def _joined(cells: Sequence[Line]) -> Iterator[Line]:
    if cells:
        yield Line([line.cells[0] for line in cells], cells[0].is_bold, cells[0].size)


class Writer:
    """Puts lines one below the other and notes where what stands."""

    def __init__(self, text: WordText) -> None:
        self._text = text
        self._parts: list[str] = []
        self.at = 0
        self._row = 0
        self.references: dict[str, int] = {}
        """Where each note is referred to for the first time."""

    @property
    def text(self) -> str:
        return "".join(self._parts).removesuffix("\n")

    def write(self, line: Line) -> None:
        self._row += 1
        for column, cell in enumerate(line.cells):
            self._write("\t" if column else "", "")
            if (shown := "".join(piece.text for piece in cell)).strip():
                self._text.looks.append(LineLook(self.at, shown, 0, column * _CELL, self._row * 10.0, line.is_bold, line.size))
            for piece in cell:
                if piece.event in ("page", "break"):
                    (self._text.hints if piece.event == "page" else self._text.breaks).append(self.at)
                elif piece.event:
                    self.references.setdefault(piece.event, self.at)
                self._write(piece.text, piece.mark)
        if line.cells and any(piece.text for piece in line.pieces()):
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
