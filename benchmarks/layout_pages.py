"""Sets the blocks of an agreement on pages and notes on which page each word comes to stand. Lengths are points, y runs down the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from reportlab.lib.colors import black, blue, red
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from benchmarks.layout_model import Agreement, Block

Marked = tuple[str, str]
"""A word and how it is marked: "" living, "ins" inserted, "del" struck out (it is no word of the agreement)."""


@dataclass(frozen=True, slots=True)
class Style:
    """A page form. `is_hanging`: labels stand in a column of their own, away from their words."""

    width: float = 595.0
    height: float = 842.0
    left: float = 72.0
    top: float = 72.0
    bottom: float = 772.0
    columns: int = 1
    gap: float = 18.0
    font: str = "Times"
    size: float = 10.5
    leading: float = 13.5
    is_hanging: bool = True
    indent: float = 36.0

    @property
    def column(self) -> float:
        return (self.width - 2 * self.left - (self.columns - 1) * self.gap) / self.columns


@dataclass(frozen=True, slots=True)
class Run:
    """Words in one line that are drawn at once."""

    x: float
    y: float
    text: str
    font: str
    size: float
    mark: str = ""


@dataclass(slots=True)
class Pages:
    """Set pages: the runs of each, and the physical page (from 1) of every word of every block."""

    runs: list[list[Run]] = field(default_factory=list)
    words: dict[int, list[int]] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    """The page number that each page prints, "" for none: none on covers, Roman on contents pages, from 1 behind them."""


def set_pages(agreement: Agreement, style: Style, marked: dict[int, list[Marked]] | None = None) -> Pages:
    """The agreement on pages; the contents pages name the printed pages (a first pass finds them)."""
    first = _Setter(style, {}, marked or {}).run(agreement.blocks)
    numbers = {n: first.printed[pages[0] - 1] for n, pages in first.words.items() if pages}
    return _Setter(style, numbers, marked or {}).run(agreement.blocks)


class _Setter:
    def __init__(self, style: Style, numbers: dict[int, str], marked: dict[int, list[Marked]]) -> None:
        self.style, self.numbers, self.marked = style, numbers, marked
        self.pages = Pages()
        self.column, self.y = 0, style.top
        self.counting, self.number = "decimal", 0

    def run(self, blocks: Sequence[Block]) -> Pages:
        self.blocks = blocks
        self.counting = "none" if blocks[0].kind == "cover" else "decimal"
        self._new_page()
        for n, block in enumerate(blocks):
            if block.kind == "page":
                if n and blocks[n - 1].kind == "contents":
                    self.counting, self.number = "decimal", 0
                self._new_page()
            elif block.kind == "contents":
                # The page that was opened for the contents counts in Roman numbers.
                self.counting, self.number = "roman", 1
                self.pages.printed[-1] = "i"
                self._contents()
            else:
                self._block(n, block)
        return self.pages

    # ---- pages and lines ----

    def _new_page(self) -> None:
        self.pages.runs.append([])
        self.number += 1
        roman = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"]
        shown = {"none": "", "decimal": str(self.number), "roman": roman[min(self.number, 8) - 1]}
        self.pages.printed.append(shown[self.counting])
        self.column, self.y = 0, self.style.top

    def _room(self, lines: int = 1) -> None:
        if self.y + lines * self.style.leading <= self.style.bottom:
            return
        if self.column + 1 < self.style.columns:
            self.column, self.y = self.column + 1, self.style.top
        else:
            self._new_page()

    @property
    def _x(self) -> float:
        return self.style.left + self.column * (self.style.column + self.style.gap)

    def _draw(self, x: float, text: str, font: str, size: float, mark: str = "") -> None:
        self.pages.runs[-1].append(Run(self._x + x, self.y, text, font, size, mark))

    # ---- blocks ----

    def _contents(self) -> None:
        style = self.style
        self._draw(style.column / 2 - 30, "CONTENTS", style.font + "-Bold", style.size)
        self.y += 2 * style.leading
        for n, block in enumerate(self.blocks):
            if not block.entry:
                continue
            self._room()
            number = self.numbers.get(n, "0")
            if style.is_hanging:
                head, _, title = block.entry.partition(" ")
                self._draw(0, head, _roman(style), style.size)
                self._draw(90 if len(head) > 5 else 48, title[:60], _roman(style), style.size)
                self._draw(style.column - 14, number, _roman(style), style.size)
            else:
                title = block.entry[: 60 if style.columns == 1 else 36]
                dots = (
                    int(
                        (style.column - stringWidth(title + number, _roman(style), style.size))
                        / stringWidth(".", _roman(style), style.size)
                    )
                    - 3
                )
                self._draw(0, f"{title} {'.' * max(3, dots)} {number}", _roman(style), style.size)
            self.y += style.leading

    def _block(self, n: int, block: Block) -> None:
        style = self.style
        words = self.marked.get(n) or [(word, "") for word in block.words]
        self.pages.words[n] = []
        if block.kind == "row":
            self._row(n, block)
            return
        is_bold = block.kind in ("heading", "title")
        font, size = (style.font + "-Bold" if is_bold else _roman(style)), style.size + (4 if block.kind == "cover" else 0)
        is_apart = style.is_hanging and 0 < len(block.label) <= 5
        start = block.level * style.indent * (0.5 if style.columns > 1 else 1)
        body = start + (style.indent if is_apart or (block.kind == "text" and not block.label and style.is_hanging and block.level) else 0)
        if block.label and not is_apart:
            words = [(block.label, "label"), *words]
        if block.kind in ("heading", "title"):
            self.y += style.leading * 0.5
            self._room(3)
        lines = list(_wrap(words, style.column - body, font, size))
        for k, line in enumerate(lines):
            self._room()
            if k == 0 and is_apart:
                self._draw(start, block.label, font, size)
            width = stringWidth(" ".join(word for word, _ in line), font, size)
            self._line(n, line, (style.column - width) / 2 if block.kind in ("cover", "heading") else body, font, size)
            self.y += style.leading + (6 if block.kind == "cover" else 0)
        self.y += style.leading * 0.4

    def _line(self, n: int, line: list[Marked], x: float, font: str, size: float) -> None:
        space = stringWidth(" ", font, size)
        k = 0
        while k < len(line):
            end = k
            while (
                end < len(line)
                and (line[end][1] in ("ins", "del")) == (line[k][1] in ("ins", "del"))
                and (line[end][1] == line[k][1] or line[k][1] not in ("ins", "del"))
            ):
                end += 1
            text = " ".join(word for word, _ in line[k:end])
            self._draw(x, text, font, size, line[k][1] if line[k][1] in ("ins", "del") else "")
            x += stringWidth(text, font, size) + space
            k = end
        self.pages.words[n] += [len(self.pages.runs) for _, mark in line if mark in ("", "ins")]

    def _row(self, n: int, block: Block) -> None:
        style, cells = self.style, block.text.split(" | ")
        narrow = 0.08 if cells[0].strip(".").isdigit() or cells[0] == "No." else 1 / len(cells)
        edges = [0.0, *(narrow + (1 - narrow) * k / max(1, len(cells) - 1) for k in range(len(cells) - 1))]
        wrapped = [
            [
                " ".join(w for w, _ in line)
                for line in _wrap([(w, "") for w in cell.split()], style.column * (edge_end - edge) - 4, _roman(style), style.size)
            ]
            for cell, edge, edge_end in zip(cells, edges, [*edges[1:], 1.0], strict=True)
        ]
        self._room(max(map(len, wrapped)))
        for lines, edge in zip(wrapped, edges, strict=True):
            for k, line in enumerate(lines):
                self.pages.runs[-1].append(Run(self._x + edge * style.column, self.y + k * style.leading, line, _roman(style), style.size))
        self.pages.words[n] = [len(self.pages.runs)] * len(block.words)
        self.y += style.leading * (max(map(len, wrapped)) + 0.3)


def _roman(style: Style) -> str:
    return "Times-Roman" if style.font == "Times" else style.font


def _wrap(words: Sequence[Marked], width: float, font: str, size: float) -> Iterator[list[Marked]]:
    line: list[Marked] = []
    used = 0.0
    for word, mark in words:
        more = stringWidth(word + " ", font, size)
        if line and used + more > width:
            yield line
            line, used = [], 0.0
        line.append((word, mark))
        used += more
    if line:
        yield line


Decorate = Callable[[Canvas, int], None]
"""Draws header and footer of a physical page (from 1) with `put`."""


def put(canvas: Canvas, x: float, y: float, text: str, font: str = "Times-Roman", size: float = 8.0) -> None:
    """Text at y points below the top of the page."""
    canvas.setFont(font, size)
    canvas.drawString(x, canvas._pagesize[1] - y, text)  # type: ignore[attr-defined]


def paint(pages: Pages, style: Style, target: str, decorate: Decorate, *, before: Decorate | None = None, is_hidden: bool = False) -> None:
    """The pages as PDF. `before` draws below the text (a scan's picture); hidden text is in render mode 3."""
    canvas = Canvas(target, pagesize=(style.width, style.height), invariant=1, pageCompression=1)
    for number, runs in enumerate(pages.runs, 1):
        if before:
            before(canvas, number)
        for run in runs:
            _paint_run(canvas, run, style, is_hidden)
        decorate(canvas, number)
        canvas.showPage()
    canvas.save()


def _paint_run(canvas: Canvas, run: Run, style: Style, is_hidden: bool) -> None:
    y = style.height - run.y
    canvas.setFillColor({"ins": blue, "del": red}.get(run.mark, black))
    text = canvas.beginText(run.x, y)
    text.setFont(run.font, run.size)
    if is_hidden:
        text.setTextRenderMode(3)
    text.textOut(run.text)
    canvas.drawText(text)
    if run.mark:
        canvas.setStrokeColor(blue if run.mark == "ins" else red)
        canvas.setLineWidth(0.6)
        level = y - 1.5 if run.mark == "ins" else y + run.size * 0.27
        canvas.line(run.x, level, run.x + stringWidth(run.text, run.font, run.size), level)
    canvas.setFillColor(black)
