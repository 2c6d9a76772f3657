"""The writers of the layout bench: the same agreement as eight kinds of PDF that people meet, each with the true page of every word.

Six are set by `layout_pages` in the manner of a program (labels in a column of their own as Word does it, a vendor's stamp, two columns, …);
LibreOffice and Chromium write their own pages, and where each word stands is read from them with pdfium, which the product reads no text with.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pymupdf
import pypdfium2
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks.layout_model import Agreement, Block, letters
from benchmarks.layout_pages import Marked, Pages, Run, Style, paint, put, set_pages

WORD = Style()
SECONDS = 240


class MissingWriter(Exception):
    """The program that a writer needs is not installed."""


@dataclass(slots=True)
class Truth:
    """Where things stand in one PDF.

    `words`: block -> physical page of each word (a block that could not be located is not in it). `numberings`: name -> what each physical
    page is called in it, "" for nothing. `old`: block -> number of the page on which each word stood before the text was set anew.
    `struck`: block -> the block's wording before the change.
    """

    words: dict[int, list[int]]
    numberings: dict[str, list[str]]
    old: dict[int, list[str]] = field(default_factory=dict)
    struck: dict[int, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Truth:
        read = json.loads(path.read_text(encoding="utf-8"))
        numbers = {name: {int(n): value for n, value in read[name].items()} for name in ("words", "old", "struck")}
        return cls(numberings=read["numberings"], **numbers)


# ---- pages set here ----


def write_word(agreement: Agreement, target: Path) -> Truth:
    """As Word saves it: labels in a hanging column, the page number alone at the foot beside a document mark; PDF labels as printed."""
    pages = set_pages(agreement, WORD)
    paint(pages, WORD, str(target), _word_foot(pages))
    _set_labels(target, pages.printed)
    return Truth(pages.words, {"printed": pages.printed, "label": pages.printed})


def _word_foot(pages: Pages) -> Callable[[Canvas, int], None]:
    def foot(canvas: Canvas, number: int) -> None:
        put(canvas, 294, 806, pages.printed[number - 1], size=9)
        put(canvas, 72, 820, "LDN-4410872/7", size=7)

    return foot


def write_stamped(agreement: Agreement, target: Path) -> Truth:
    """A filing as Prince prints it: a vendor's stamp of two lines with a page count of its own beside the printed number."""
    style = Style(is_hanging=False, font="Helvetica", size=9.5, leading=12.5, left=60)
    pages = set_pages(agreement, style)
    shift = 40 if len(agreement.name) % 2 else 0
    count = len(pages.runs)
    stamp = [str(number + shift) for number in range(1, count + 1)]

    def foot(canvas: Canvas, number: int) -> None:
        put(canvas, 60, 40, agreement.title, "Helvetica", 8)
        put(canvas, 292, 796, pages.printed[number - 1], "Helvetica", 9)
        put(canvas, 60, 815, "Source: Example Filings Inc., exhibit as filed, 12/03/2024", "Helvetica", 7)
        put(canvas, 60, 825, f"PDF page {stamp[number - 1]} of {count + shift}", "Helvetica", 7)

    paint(pages, style, str(target), foot)
    return Truth(pages.words, {"printed": pages.printed, "stamp": stamp})


def write_columns(agreement: Agreement, target: Path) -> Truth:
    """Two columns; the printed numbers go on from another volume (- 101 -), and the PDF's labels are A-1, A-2."""
    style = Style(columns=2, left=45, top=60, size=8.5, leading=10.5, is_hanging=False, indent=24)
    pages = set_pages(agreement, style)
    printed = [str(100 + number) for number in range(1, len(pages.runs) + 1)]

    def foot(canvas: Canvas, number: int) -> None:
        put(canvas, 45, 36, agreement.title, "Times-Italic")
        put(canvas, 282, 806, f"- {printed[number - 1]} -")

    paint(pages, style, str(target), foot)
    labels = [f"A-{number}" for number in range(1, len(pages.runs) + 1)]
    with pymupdf.open(target) as pdf:
        pdf.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": 1}])
        pdf.saveIncr()
    return Truth(pages.words, {"printed": printed, "label": labels})


def write_redline(agreement: Agreement, target: Path) -> Truth:
    """A comparison: struck words in red and inserted ones in blue, in one block of three."""
    chance = random.Random(f"redline {agreement.name}")
    marked, struck = {}, {}
    for n, block in enumerate(agreement.blocks):
        if block.kind == "text" and len(block.words) >= 12 and chance.random() < 0.33:
            marked[n], struck[n] = _changed(block, chance)
    pages = set_pages(agreement, WORD, marked)

    def foot(canvas: Canvas, number: int) -> None:
        put(canvas, 360, 40, "Comparison of versions 3 and 4 dated 2 May 2025", size=8)
        put(canvas, 294, 806, pages.printed[number - 1], size=9)

    paint(pages, WORD, str(target), foot)
    return Truth(pages.words, {"printed": pages.printed}, struck=struck)


_BEFORE = "thirty days;the Original Lender;five per cent.;reasonable;not;each Hedge Counterparty;prior written;31 March 2021;two;EUR 4,250,000".split(";")


def _changed(block: Block, chance: random.Random) -> tuple[list[Marked], str]:
    """The words of a block with a change in their midst, and the wording before it."""
    words = block.words
    at, size = chance.randint(3, len(words) - 5), chance.randint(0, 2)
    old = chance.choice(_BEFORE).split()
    before = [*words[:at], *old, *words[at + size :]]
    plain: list[Marked] = [(word, "") for word in words]
    return [*plain[:at], *((word, "del") for word in old), *((word, "ins") for word, _ in plain[at : at + size]), *plain[at + size :]], " ".join(before)


def write_scan(agreement: Agreement, target: Path) -> Truth:
    """Pages as grey pictures over which somebody's text recognition has laid invisible text with one word in sixty misread."""
    pages = set_pages(agreement, WORD)
    paint(pages, WORD, str(clean := target.with_suffix(".clean.pdf")), _word_foot(pages))
    chance = random.Random(f"scan {agreement.name}")
    read = Pages([[_misread(run, chance) for run in runs] for runs in pages.runs], pages.words, pages.printed)
    with pymupdf.open(clean) as source:

        def picture(canvas: Canvas, number: int) -> None:
            shot = source[number - 1].get_pixmap(dpi=72, colorspace=pymupdf.csGRAY).tobytes("jpeg", jpg_quality=40)
            canvas.drawImage(ImageReader(io.BytesIO(shot)), 0, 0, WORD.width, WORD.height)

        paint(read, WORD, str(target), lambda canvas, number: None, before=picture, is_hidden=True)
    clean.unlink()
    return Truth(pages.words, {"printed": pages.printed})


_MISREAD = [("rn", "m"), ("l", "1"), ("O", "0"), ("e", "c"), ("h", "b"), ("i", "l"), ("5", "S"), ("8", "B"), ("a", "á"), ("cl", "d"), ("m", "rn")]


def _misread(run: Run, chance: random.Random) -> Run:
    words = run.text.split(" ")
    for n, word in enumerate(words):
        if chance.random() < 1 / 60:
            usable = [(right, wrong) for right, wrong in _MISREAD if right in word]
            if usable:
                words[n] = word.replace(*chance.choice(usable), 1)
    return Run(run.x, run.y, " ".join(words), run.font, run.size, run.mark)


def write_reflowed(agreement: Agreement, target: Path) -> Truth:
    """A text set anew on other pages that keeps its old page numbers, each alone on a line where the old page ended."""
    before = set_pages(agreement, Style(bottom=700, is_hanging=False))
    flowed, origin = _with_old_numbers(agreement, before)
    style = Style(width=612, height=1008, left=54, top=54, bottom=954, font="Helvetica", size=10, leading=12.5, is_hanging=False)
    pages = set_pages(flowed, style)
    paint(pages, style, str(target), lambda canvas, number: None)
    words: dict[int, list[int]] = {}
    for new, old in origin.items():
        words.setdefault(old, []).extend(pages.words[new])
    numbers = {n: [before.printed[page - 1] for page in found] for n, found in before.words.items()}
    return Truth(words, {}, old=numbers)


def _with_old_numbers(agreement: Agreement, before: Pages) -> tuple[Agreement, dict[int, int]]:
    """The blocks cut at the old page ends with the number between, and for each new block the one it comes from."""
    flowed, origin, page = Agreement(agreement.name, agreement.title), {}, 1
    for n, block in enumerate(agreement.blocks):
        if block.kind in ("page", "contents"):
            continue
        found, start = before.words[n], 0
        for k, at in enumerate(found):
            while page < at:
                if k > start:
                    origin[len(flowed.blocks)] = n
                    flowed.blocks.append(Block(block.kind, " ".join(block.words[start:k]), block.label if not start else "", block.level))
                    start = k
                if before.printed[page - 1].isdigit():
                    flowed.add("heading" if n % 2 else "text", before.printed[page - 1])
                page += 1
        origin[len(flowed.blocks)] = n
        text = block.text if not start else " ".join(block.words[start:])
        flowed.blocks.append(Block(block.kind, text, block.label if not start else "", block.level))
    return flowed, origin


def _set_labels(target: Path, printed: list[str]) -> None:
    """PDF page labels that say what the pages print."""
    with pymupdf.open(target) as pdf:
        rules, before = [], ""
        for n, shown in enumerate(printed):
            kind = "D" if shown.isdigit() else "r" if shown else ""
            if n == 0 or kind != before or shown == "1":
                rules.append({"startpage": n, "prefix": "" if kind else "Cover", "style": kind, "firstpagenum": 1})
            before = kind
        pdf.set_page_labels(rules)
        pdf.saveIncr()


# ---- programs ----


def write_chromium(agreement: Agreement, target: Path) -> Truth:
    """Chromium's print of a web page: date and title above, address and n/m below; every second one printed without its first page."""
    page = target.with_suffix(".html")
    page.write_text(_html(agreement), encoding="utf-8")
    program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
    if program is None:
        raise MissingWriter("chromium is not installed")
    profile = target.with_suffix(".profile")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--print-to-pdf={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    shutil.rmtree(profile, ignore_errors=True)
    with pymupdf.open(target) as pdf:
        first = 2 if len(agreement.name) % 2 and agreement.blocks[0].kind == "cover" else 1
        count = len(pdf)
        if first == 2:
            pdf.delete_page(0)
            pdf.save(whole := target.with_suffix(".rest.pdf"), garbage=3, deflate=True)
    if first == 2:
        whole.replace(target)
    numbers = [str(n) for n in range(first, count + 1)]
    return Truth(_located(agreement, target, r"^\d+/\d+/\d+, \d+:\d+ [AP]M.*$|^file:.*$|^\d+/\d+$"), {"browser n/m": numbers})


def _html(agreement: Agreement) -> str:
    """The agreement as a web page: labels in a box of their own, rows as tables."""
    parts = [
        f"<!doctype html><meta charset='utf-8'><title>{html.escape(agreement.title)}</title><style>body{{font:11pt Georgia,serif}}"
        "h3{text-align:center}p{margin:6px 0}.l{display:inline-block;min-width:36px}.n{break-after:page}td{padding-right:24px}</style>"
    ]
    for block in agreement.blocks:
        text, label = html.escape(block.text), html.escape(block.label)
        if block.kind == "page":
            parts.append("<div class='n'></div>")
        elif block.kind == "contents":
            entries = (f"<tr><td>{html.escape(b.entry)}</td><td>{n // 14 + 1}</td></tr>" for n, b in enumerate(agreement.blocks) if b.entry)
            parts.append(f"<h3>TABLE OF CONTENTS</h3><table>{''.join(entries)}</table>")
        elif block.kind in ("cover", "heading"):
            parts.append(f"<h3>{text}</h3>")
        elif block.kind == "row":
            parts.append("<table><tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in block.text.split(" | ")) + "</tr></table>")
        else:
            shown = f"<span class='l'>{label}</span> " if label else ""
            body = f"<b>{text}</b>" if block.kind == "title" else text
            parts.append(f"<p style='margin-left:{30 * block.level}px'>{shown}{body}</p>")
    return "\n".join(parts)


def write_libreoffice(agreement: Agreement, target: Path) -> Truth:
    """LibreOffice Writer: hanging labels behind a tab, true tables, a title in the header and the page number in the footer, from 1 behind the contents."""  # noqa: E501
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise MissingWriter("LibreOffice is not installed")
    source = target.with_suffix(".fodt")
    source.write_text(_fodt(agreement), encoding="utf-8")
    profile = target.with_suffix(".profile")
    command = [program, "--headless", f"-env:UserInstallation={profile.resolve().as_uri()}", "--convert-to", "pdf", "--outdir", str(target.parent), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    shutil.rmtree(profile, ignore_errors=True)
    words = _located(agreement, target, rf"^{re.escape(agreement.title)}$|^\d{{1,3}}$|^[ivx]+$")
    return Truth(words, {"printed": _foot_numbers(target)})


def _foot_numbers(path: Path) -> list[str]:
    """The number that stands alone on the last line of each page."""
    pdf = pypdfium2.PdfDocument(path)
    lasts = [([line.strip() for line in _page_text(page).splitlines() if line.strip()] or [""]) for page in pdf]
    numbered = [next((line for line in (lines[-1], lines[0]) if re.fullmatch(r"\d{1,3}|[ivx]+", line)), "") for lines in lasts]
    pdf.close()
    return numbered


_STYLE = """<style:style style:name="{name}" style:family="paragraph"{master}><style:paragraph-properties fo:margin-left="{left}cm"
 fo:text-indent="{indent}cm" fo:margin-bottom="0.2cm"{more}><style:tab-stops><style:tab-stop style:position="0cm"/></style:tab-stops></style:paragraph-properties>
<style:text-properties fo:font-size="10.5pt" style:font-name="Liberation Serif"{weight}/></style:style>"""


def _fodt(agreement: Agreement) -> str:
    bold, centre = ' fo:font-weight="bold"', ' fo:text-align="center"'
    styles = [
        _STYLE.format(name=f"L{level}", master="", left=level * 1.25 + 1.25, indent=-1.25, more="", weight="") for level in range(6)
    ] + [_STYLE.format(name=f"P{level}", master="", left=level * 1.25, indent=0, more="", weight="") for level in range(6)]
    styles += [
        _STYLE.format(name="T", master="", left=1.25, indent=-1.25, more=' fo:keep-with-next="always"', weight=bold),
        _STYLE.format(name="H", master="", left=0, indent=0, more=centre + ' fo:keep-with-next="always"', weight=bold),
        _STYLE.format(name="Body", master=' style:master-page-name="Body"', left=0, indent=0, more=' style:page-number="1"', weight=""),
        _STYLE.format(name="Front", master=' style:master-page-name="Front"', left=0, indent=0, more=' style:page-number="1"', weight=""),
        _STYLE.format(name="Break", master="", left=0, indent=0, more=' fo:break-before="page"', weight=""),
    ]
    number = '<text:p text:style-name="H"><text:page-number text:select-page="current"/></text:p>'
    head = f'<text:p text:style-name="P0">{html.escape(agreement.title)}</text:p>'
    layouts = "".join(
        f'<style:page-layout style:name="{name}"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2.2cm" style:num-format="{form}"/>'
        f'<style:header-style><style:header-footer-properties fo:min-height="0.8cm"/></style:header-style><style:footer-style><style:header-footer-properties fo:min-height="0.8cm"/></style:footer-style></style:page-layout>'
        for name, form in (("PF", "i"), ("PB", "1"))
    )
    masters = '<style:master-page style:name="Standard" style:page-layout-name="PB"/>' + "".join(
        f'<style:master-page style:name="{name}" style:page-layout-name="{layout}"><style:header>{head}</style:header><style:footer>{number}</style:footer></style:master-page>'
        for name, layout in (("Front", "PF"), ("Body", "PB"))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" '
        'office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:automatic-styles>{''.join(styles)}{layouts}</office:automatic-styles><office:master-styles>{masters}</office:master-styles>"
        f"<office:body><office:text>{''.join(_fodt_blocks(agreement))}</office:text></office:body></office:document>"
    )


def _fodt_blocks(agreement: Agreement) -> Iterator[str]:
    following = "Body" if agreement.blocks[0].kind != "cover" else ""
    if following:
        yield f'<text:p text:style-name="{following}"/>'
    for n, block in enumerate(agreement.blocks):
        text, label = html.escape(block.text), html.escape(block.label)
        if block.kind == "page":
            is_front = n + 1 < len(agreement.blocks) and agreement.blocks[n + 1].kind == "contents"
            style = "Front" if is_front else "Body" if agreement.blocks[n - 1].kind == "contents" else "Break"
            yield f'<text:p text:style-name="{style}"/>'
        elif block.kind == "contents":
            yield '<text:p text:style-name="H">TABLE OF CONTENTS</text:p>'
            for k, entry in enumerate(agreement.blocks):
                if entry.entry:
                    yield f'<text:p text:style-name="P0">{html.escape(entry.entry)}<text:tab/>{k // 14 + 1}</text:p>'
        elif block.kind in ("cover", "heading"):
            yield f'<text:p text:style-name="H">{text}</text:p>'
        elif block.kind == "row":
            cells = "".join(f'<table:table-cell><text:p text:style-name="P0">{html.escape(cell)}</text:p></table:table-cell>' for cell in block.text.split(" | "))
            yield f"<table:table><table:table-column table:number-columns-repeated=\"{block.text.count(' | ') + 1}\"/><table:table-row>{cells}</table:table-row></table:table>"
        else:
            style = "T" if block.kind == "title" else f"L{block.level}" if label else f"P{block.level}"
            yield f'<text:p text:style-name="{style}">{label}{"<text:tab/>" if label else ""}{text}</text:p>'


# ---- where the words of a program's PDF stand ----


def _page_text(page: pypdfium2.PdfPage) -> str:
    text: str = page.get_textpage().get_text_range()
    return text.replace("\ufffe", "").replace("\r\n", "\n")


def _located(agreement: Agreement, path: Path, running: str) -> dict[int, list[int]]:
    """The page of every word of each block that is found behind the block before it, by letters and digits alone; running lines are left out."""
    pdf = pypdfium2.PdfDocument(path)
    whole, starts = "", []
    for page in pdf:
        starts.append(len(whole))
        whole += letters(re.sub(running, " ", _page_text(page), flags=re.M))
    pdf.close()
    found: dict[int, list[int]] = {}
    at = 0
    for n, block in enumerate(agreement.blocks):
        wanted = letters(block.text)
        place = whole.find(wanted, at)
        if not wanted or place < 0 or (place > at + 12_000 and found):
            continue
        at, offset, pages = place + len(wanted), place, []
        for word in block.words:
            pages.append(sum(start <= offset for start in starts))
            offset += len(letters(word))
        found[n] = pages
    return found


WRITERS: dict[str, Callable[[Agreement, Path], Truth]] = {
    "word": write_word,
    "libreoffice": write_libreoffice,
    "chromium": write_chromium,
    "stamped": write_stamped,
    "columns": write_columns,
    "scan": write_scan,
    "redline": write_redline,
    "reflowed": write_reflowed,
}


def rendered(agreement: Agreement, writer: str, folder: Path) -> tuple[Path, Truth]:
    """The PDF of an agreement by a writer and its truth, from the folder or made now. Raises `MissingWriter`."""
    target = folder / f"{agreement.name}-{writer}.pdf"
    noted = target.with_suffix(".truth.json")
    if not noted.exists():
        truth = WRITERS[writer](agreement, target)
        truth.save(noted)
    return target, Truth.load(noted)
