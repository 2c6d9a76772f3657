"""The sample's agreement as a Word file with a tracked deletion, and the faults that only such a file can have."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.mutation_bases import Base, BaseCase, PlainText, sample_base
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_quotes import Plant, planted, sites
from deterministic.documents.documents import open_document

TEXT = Path(__file__).parents[1] / "scripts" / "sample_text" / "agreement.txt"
PDF, WORD = "tarnbrook-facilities-agreement.pdf", "tarnbrook-facilities-agreement.docx"
KEPT, DELETED = "may be made by letter or electronic mail", "or by carrier pigeon at the risk of the sender"
"""Words of Clause 21.3, and what a tracked change has taken out behind them."""
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def word_base(cache: Path) -> Base:
    """The sample's right outputs on the agreement alone, with the Word file for the PDF and no pages of its own."""
    lines = list(_lines(TEXT.read_text(encoding="utf-8")))
    cache.mkdir(parents=True, exist_ok=True)
    path = _write(cache / WORD, lines)
    plain = PlainText(WORD, ("\n".join(cell for line in lines for cell in line),), ("",))
    base = sample_base(cache)
    cases = tuple(_for_word(case) for case in base.cases if case.documents == (PDF,))
    return Base("word", {WORD: open_document(path, cache_dir=cache)}, {WORD: plain}, cases, base.other_parties)


def _for_word(case: BaseCase) -> BaseCase:
    return BaseCase(f"word-{case.case_id}", case.capability, (WORD,), _renamed(case.output), _renamed(case.gold), case.input)


def _renamed(content: Any) -> Any:
    """Every citation names the Word file and page 1, which costs nothing there."""
    if isinstance(content, list):
        return [_renamed(one) for one in content]
    if not isinstance(content, dict):
        return WORD if content == PDF else deepcopy(content)
    found = {key: _renamed(one) for key, one in content.items()}
    return found | {"page": 1} if "page" in found else found


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


def _write(path: Path, lines: list[tuple[str, ...]]) -> Path:
    body, rows = [], []
    for line in [*lines, ("",)]:
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


# ---- faults --------------------------------------------------------------------------------------------------------


def deleted_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Words that a tracked change has taken out, quoted as living text."""
    for site in sites(case) if WORD in base.documents else ():
        parts = {"section": "Clause 21.3", "quote": f"{KEPT} {DELETED}"}
        yield planted("Word: deleted words quoted", base, case, site, "fail", parts, code="DELETED_TEXT", provenance="unsupported")


def page_of_a_word_file(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Whatever page is named costs nothing: it has none of its own."""
    for site in sites(case) if WORD in base.documents else ():
        for page in (None, 6, "p. 12"):
            yield planted("Word: a page, or none", base, case, site, "full", {"page": page})


WORD_KINDS: dict[str, Plant] = {"Word: deleted words quoted": deleted_words}
WORD_VARIANTS: dict[str, Plant] = {"Word: a page, or none": page_of_a_word_file}
