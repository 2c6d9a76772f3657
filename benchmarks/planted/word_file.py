"""The sample's agreement as a Word file with a tracked deletion in Clause 21.3."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

TEXT = Path(__file__).parents[2] / "scripts" / "sample_text" / "agreement.txt"
KEPT, DELETED = "may be made by letter or electronic mail", "or by carrier pigeon at the risk of the sender"
"""Words of Clause 21.3, and what a tracked change has taken out behind them."""
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def write_agreement(path: Path) -> Path:
    """Writes the file; paragraphs, numbered clauses as text, and tables."""
    body, rows = [], []
    for line in [*_lines(TEXT.read_text(encoding="utf-8")), ("",)]:
        if len(line) > 1:
            rows.append("<w:tr>" + "".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in line) + "</w:tr>")
            continue
        body += [f"<w:tbl>{''.join(rows)}</w:tbl>"] if rows else []
        rows = []
        body.append(_paragraph(line[0]))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
        )
        relation = f'<Relationship Id="d" Type="{_OFFICE}" Target="word/document.xml"/>'
        file.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{relation}</Relationships>')
        file.writestr("word/document.xml", f'<w:document xmlns:w="{_W}"><w:body>{"".join(body)}</w:body></w:document>')
    return path


def _lines(text: str) -> Iterator[tuple[str, ...]]:
    """Paragraphs as one cell, rows of tables as several."""
    for block in re.split(r"\n\s*\n", text):
        mark, _, words = block.strip().partition(" ")
        if mark == "T":
            yield from (tuple(cell.strip() for cell in row.split("|")) for row in words.splitlines())
        elif mark in ("X", "Y"):
            yield from ((part.strip(),) for part in words.split("|"))
        elif mark not in ("PAGE", ""):
            yield (re.sub(r"^(\d+) ", r"\1. ", words) if mark == "C" else words,)


def _paragraph(text: str) -> str:
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    if KEPT in text:
        gone = f'<w:r><w:delText xml:space="preserve"> {DELETED}</w:delText></w:r>'
        head, tail = text.split(KEPT)
        first, last = (f'<w:r><w:t xml:space="preserve">{escape(part)}</w:t></w:r>' for part in (head + KEPT, tail))
        run = f'{first}<w:del w:id="1" w:author="a">{gone}</w:del>{last}'
    return f"<w:p>{run}</w:p>"
