"""Writes the PDFs of the shipped sample from the texts beside it: a facilities agreement, an amendment and waiver letter, a fee letter.

Run it only when a text changes: `python scripts/build_sample.py` (needs the dev dependency reportlab; built-in fonts, so every machine
writes the same pages). All parties, banks and figures are invented.

A text is a list of paragraphs, each marked by its first word: H heading, C clause, S sub-clause, P plain, D definition, `>` paragraph (a),
`>>` paragraph (i), X schedule, Y part of a schedule, T table (one row a line, cells between bars), PAGE page break.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Spacer, Table
from reportlab.platypus.tableofcontents import TableOfContents

TEXTS = Path(__file__).parent / "sample_text"
TARGET = Path(__file__).parent.parent / "judge" / "samples" / "deal" / "documents"

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11.5, leading=16, alignment=TA_JUSTIFY, spaceAfter=9)
PLAIN = ParagraphStyle("plain", BODY, leftIndent=14 * mm)
ITEM = ParagraphStyle("item", BODY, leftIndent=24 * mm, bulletIndent=14 * mm)
SUB_ITEM = ParagraphStyle("sub_item", BODY, leftIndent=34 * mm, bulletIndent=24 * mm)
CLAUSE = ParagraphStyle("clause", BODY, fontName="Times-Bold", leftIndent=14 * mm, spaceBefore=8, keepWithNext=1)
HEADING = ParagraphStyle("heading", BODY, fontName="Times-Bold", alignment=TA_CENTER, spaceBefore=6, keepWithNext=1)
CELL = ParagraphStyle("cell", BODY, fontSize=10, leading=13, alignment=0, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head_cell", CELL, fontName="Times-Bold")
CONTENTS = ParagraphStyle("contents", BODY, spaceAfter=0, leading=15, rightIndent=8 * mm)
COVER = ParagraphStyle("cover", BODY, fontSize=14, leading=22, alignment=TA_CENTER, spaceAfter=14)


@dataclass(frozen=True, slots=True)
class Layout:
    """One PDF: its file name, running lines, and the lines of its cover page (none: a letter)."""

    source: str
    file: str
    header: str
    footer: str
    cover: tuple[str, ...] = ()
    has_contents: bool = False

    @property
    def front_pages(self) -> int:
        """Pages before the one that prints 1."""
        return 2 if self.has_contents else 0


LAYOUTS = (
    Layout(
        "agreement.txt",
        "tarnbrook-facilities-agreement.pdf",
        "Tarnbrook Facilities Agreement",
        "OB/TMT/2026-041 Execution version",
        (
            "DATED 14 MAY 2026",
            "GBP 185,000,000 AND EUR 60,000,000<br/>TERM AND REVOLVING FACILITIES AGREEMENT",
            "for<br/>TARNBROOK MARINE TERMINALS LIMITED<br/>as Company",
            "guaranteed by<br/>TARNBROOK PORTS GROUP PLC and others",
            "arranged by<br/>OSTERMOOR BANK PLC<br/>BANQUE LORRIGNY S.A.",
            "with<br/>OSTERMOOR BANK PLC<br/>acting as Facility Agent",
            "and<br/>QUAYSTONE SECURITY TRUSTEES LIMITED<br/>acting as Security Agent",
        ),
        has_contents=True,
    ),
    Layout("amendment.txt", "tarnbrook-amendment-letter.pdf", "Tarnbrook amendment and waiver letter", "OB/TMT/2027-009"),
    Layout("fee_letter.txt", "tarnbrook-fee-letter.pdf", "Tarnbrook fee letter", "OB/TMT/2026-042 Private and confidential"),
)


SCAN = "tarnbrook-fee-letter-scan.pdf"


def main() -> None:
    """Writes all PDFs of the sample."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for layout in LAYOUTS:
        build(layout, TARGET / layout.file)
        print(f"{layout.file}: {(TARGET / layout.file).stat().st_size} bytes")
    scan(TARGET / LAYOUTS[-1].file, TARGET / SCAN)


def scan(source: Path, target: Path) -> None:
    """The same pages as coarse grey pictures without a text layer, as from a fax: nothing in it can be searched."""
    with pymupdf.open(source) as pages, pymupdf.open() as pictures:
        for page in pages:
            picture = page.get_pixmap(dpi=70, colorspace=pymupdf.csGRAY)
            pictures.new_page(width=page.rect.width, height=page.rect.height).insert_image(page.rect, stream=picture.tobytes("png"))
        pictures.save(target, deflate=True, garbage=4, no_new_id=True)


def build(layout: Layout, target: Path) -> None:
    """Writes one PDF; the same text always gives the same bytes."""
    document = Pages(layout, target)
    document.multiBuild(list(story(layout, (TEXTS / layout.source).read_text("utf-8"))))


class Pages(BaseDocTemplate):
    """The page frame with running header and footer, and the entries of the contents page."""

    def __init__(self, layout: Layout, target: Path) -> None:
        super().__init__(
            str(target), pagesize=A4, invariant=1, title=layout.header, author="constructed sample", producer="scripts/build_sample.py"
        )
        self.layout = layout
        frame = Frame(25 * mm, 24 * mm, A4[0] - 50 * mm, A4[1] - 50 * mm, showBoundary=0)
        self.addPageTemplates([PageTemplate("front", [frame]), PageTemplate("body", [frame], onPage=self.draw_running_lines)])

    def draw_running_lines(self, canvas: Canvas, _: object) -> None:
        """Header, printed page number and reference."""
        canvas.setFont("Times-Roman", 9)
        canvas.drawRightString(A4[0] - 25 * mm, A4[1] - 17 * mm, self.layout.header)
        canvas.drawCentredString(A4[0] / 2, 15 * mm, str(canvas.getPageNumber() - self.layout.front_pages))
        canvas.drawString(25 * mm, 11 * mm, self.layout.footer)

    def afterFlowable(self, flowable: Flowable) -> None:
        """Notes each heading with its printed page for the contents page."""
        entry = getattr(flowable, "contents_entry", None)
        if entry:
            self.notify("TOCEntry", (0, entry, self.page - self.layout.front_pages))


def story(layout: Layout, text: str) -> Iterator[Flowable]:
    """The flowables of one document in reading order."""
    if layout.cover:
        yield Spacer(1, 30 * mm)
        yield from (Paragraph(line, COVER) for line in layout.cover)
        yield PageBreak()
    if layout.has_contents:
        yield Paragraph("CONTENTS", HEADING)
        contents = TableOfContents(dotsMinLevel=0)
        contents.levelStyles = [CONTENTS]
        yield contents
    yield NextPageTemplate("body")
    if layout.cover:
        yield PageBreak()
    for block in re.split(r"\n\s*\n", text.strip()):
        yield flowable_of(block)


def flowable_of(block: str) -> Flowable:
    """One marked paragraph as a flowable."""
    mark, _, rest = block.partition(" ")
    rest = typographic(rest.strip())
    if mark == "PAGE":
        return PageBreak()
    if mark == "T":
        return table_of(rest)
    if mark in ("C", "S"):
        number, _, title = rest.partition(" ")
        shown = f"{number}." if mark == "C" else number
        return with_entry(Paragraph(title, CLAUSE, bulletText=shown), f"{shown} {title}" if mark == "C" else "")
    if mark in ("H", "X", "Y"):
        number, _, title = rest.partition(" | ")
        return with_entry(Paragraph(f"{number}<br/>{title}" if title else number, HEADING), f"{number} {title}" if mark == "X" else "")
    if mark in (">", ">>"):
        number, _, words = rest.partition(" ")
        return Paragraph(words, ITEM if mark == ">" else SUB_ITEM, bulletText=number)
    return Paragraph(rest, {"P": PLAIN, "D": PLAIN}[mark])


def with_entry(paragraph: Paragraph, entry: str) -> Paragraph:
    """The paragraph, with its line for the contents page."""
    paragraph.contents_entry = entry
    return paragraph


def table_of(text: str) -> Table:
    """A table with a ruled head; cells are separated by bars."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    cells = [[Paragraph(cell, CELL if n else HEAD_CELL) for cell in row] for n, row in enumerate(rows)]
    widths = [150 * mm / len(rows[0])] * len(rows[0])
    style = [
        ("LINEBELOW", (0, 0), (-1, 0), 0.7, colors.black),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, colors.grey),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    return Table(cells, widths, repeatRows=1, style=style, spaceAfter=12)


def typographic(text: str) -> str:
    """Straight quotation marks and apostrophes as a law firm prints them; defined terms in bold."""
    text = re.sub(r'(^|[\s(/])"', r"\1“", text)
    text = text.replace('"', "”").replace("'", "’")
    return re.sub(r"“([^”]{2,60})”(?= means|\))", r"“<b>\1</b>”", text)


if __name__ == "__main__":
    main()
