"""Agreements in text form rendered into PDFs with different tools: fonts, headers and footers, columns, hyphenation."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pymupdf

PAGE = pymupdf.paper_rect("a4")


def paragraphs(text: str) -> list[str]:
    """Paragraphs of an agreement's text: blank lines part them."""
    blocks = re.split(r"\n\s*\n", text.replace("\r", ""))
    return [" ".join(block.split()) for block in blocks if block.strip()]


def render_story(text: str, target: Path, title: str) -> None:
    """PyMuPDF's Story: a serif font, a header line and a page number on every page."""
    body = "".join(f"<p>{html.escape(p)}</p>" for p in paragraphs(text))
    story = pymupdf.Story(html=body, user_css="p {font-family: serif; font-size: 10.5px; text-align: justify; margin: 4px 0;}")
    writer = pymupdf.DocumentWriter(str(target))
    more = 1
    while more:
        device = writer.begin_page(PAGE)
        more, _ = story.place(pymupdf.Rect(60, 70, PAGE.x1 - 60, PAGE.y1 - 70))
        story.draw(device)
        writer.end_page()
    writer.close()
    with pymupdf.open(target) as pdf:
        for number, page in enumerate(pdf, 1):
            page.insert_text((60, 45), title, fontname="tiro", fontsize=8)
            page.insert_text((290, 805), str(number), fontname="tiro", fontsize=8)
        pdf.saveIncr()


def render_text_writer(text: str, target: Path, title: str) -> None:
    """PyMuPDF's text writer: Helvetica, lines broken by width, a three-line stamp at the foot."""
    pdf = pymupdf.open()
    font, size, width = pymupdf.Font("helv"), 9.5, 470.0
    page, writer, y = pdf.new_page(), None, 0.0
    for block in paragraphs(text):
        for line in _wrap(block, font, size, width):
            if writer is None or y > 770:
                if writer is not None:
                    _stamp(writer, page, title, len(pdf), font)
                    page = pdf.new_page()
                writer, y = pymupdf.TextWriter(page.rect), 70.0
            writer.append((62, y), line, font=font, fontsize=size)
            y += 12.5
        y += 5
    if writer is not None:
        _stamp(writer, page, title, len(pdf), font)
    pdf.save(target)


def _stamp(writer: pymupdf.TextWriter, page: pymupdf.Page, title: str, number: int, font: pymupdf.Font) -> None:
    for n, line in enumerate((title, "Execution Version", f"Page {number}")):
        writer.append((62, 800 + 10 * n), line, font=font, fontsize=7)
    writer.write_text(page)


def _wrap(block: str, font: pymupdf.Font, size: float, width: float) -> list[str]:
    lines, line = [], ""
    for word in block.split():
        longer = f"{line} {word}".strip()
        if line and font.text_length(longer, fontsize=size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


def render_columns(text: str, target: Path, title: str) -> None:
    """reportlab: two columns in Times, justified, with a header and a printed number that starts at 101."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    style = ParagraphStyle("body", fontName="Times-Roman", fontSize=8.5, leading=10.5, alignment=4, spaceAfter=4)
    frames = [Frame(45, 55, 245, 730, id="left"), Frame(305, 55, 245, 730, id="right")]

    def decorate(canvas: object, document: object) -> None:
        canvas.setFont("Times-Italic", 8)  # type: ignore[attr-defined]
        canvas.drawString(45, 805, title)  # type: ignore[attr-defined]
        canvas.drawCentredString(297, 35, f"- {100 + document.page} -")  # type: ignore[attr-defined]

    template = BaseDocTemplate(str(target), pagesize=A4, pageTemplates=[PageTemplate(frames=frames, onPage=decorate)])
    template.build([Paragraph(html.escape(p), style) for p in paragraphs(text)])


def render_hyphenated(text: str, target: Path, title: str) -> None:
    """reportlab: one column in Helvetica with words hyphenated at line ends and every line numbered at the margin's foot by page."""
    from reportlab.lib.pagesizes import LETTER
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(target), pagesize=LETTER)
    y, number = 0.0, 0
    for block in paragraphs(text):
        for line in _wrap_hyphenated(block, lambda t: stringWidth(t, "Helvetica", 10), 440):
            if number == 0 or y < 70:
                if number:
                    canvas.showPage()
                number, y = number + 1, 720.0
                canvas.setFont("Helvetica", 8)
                canvas.drawString(80, 755, f"{title}        {number}")
                canvas.setFont("Helvetica", 10)
            canvas.drawString(80, y, line)
            y -= 13
        y -= 6
    canvas.save()


def _wrap_hyphenated(block: str, width_of: Callable[[str], float], width: float) -> list[str]:
    lines, line = [], ""
    for word in block.split():
        longer = f"{line} {word}".strip()
        if width_of(longer) <= width:
            line = longer
            continue
        cut = len(word) // 2
        if word.isalpha() and len(word) > 8 and width_of(f"{line} {word[:cut]}-") <= width:
            lines.append(f"{line} {word[:cut]}-")
            line = word[cut:]
        else:
            lines.append(line)
            line = word
    return [text for text in [*lines, line] if text]


RENDERERS: dict[str, Callable[[str, Path, str], None]] = {
    "story": render_story,
    "text writer": render_text_writer,
    "two columns": render_columns,
    "hyphenated": render_hyphenated,
}
