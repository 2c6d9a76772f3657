# (markup stands on long lines)
"""Writers of the layout bench that are programs: Chromium prints a web page, LibreOffice Writer exports a document.

Where each word stands on their pages is read with pdfium, which the product reads no text with.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pypdfium2

from benchmarks.layout_model import Agreement, Truth, letters

SECONDS = 240


class MissingWriter(Exception):
    """The program that a writer needs is not installed."""


def write_chromium(agreement: Agreement, target: Path) -> Truth:
    """Chromium's print of a web page: date and title above, address and n/m below; every second one printed without its first page."""
    page = target.with_suffix(".html")
    page.write_text(_html(agreement), encoding="utf-8")
    program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
    if program is None:
        raise MissingWriter("chromium is not installed")
    profile = target.with_suffix(".profile")
    command = [
        program,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={profile}",
        f"--print-to-pdf={target}",
        page.as_uri(),
    ]
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
    """LibreOffice Writer: labels behind a tab, true tables, title in the header, page in the footer, from 1 behind the contents."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise MissingWriter("LibreOffice is not installed")
    source = target.with_suffix(".fodt")
    source.write_text(_fodt(agreement), encoding="utf-8")
    profile = target.with_suffix(".profile")
    command = [
        program,
        "--headless",
        f"-env:UserInstallation={profile.resolve().as_uri()}",
        "--convert-to",
        "pdf",
        "--outdir",
        str(target.parent),
        str(source),
    ]
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
 fo:text-indent="{indent}cm" fo:margin-bottom="0.2cm"{more}><style:tab-stops><style:tab-stop style:position="0cm"/></style:tab-stops>\
</style:paragraph-properties>
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
        f'<style:page-layout style:name="{name}"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" '
        f'fo:margin="2.2cm" style:num-format="{form}"/>'
        f'<style:header-style><style:header-footer-properties fo:min-height="0.8cm"/></style:header-style><style:footer-style>'
        f'<style:header-footer-properties fo:min-height="0.8cm"/></style:footer-style></style:page-layout>'
        for name, form in (("PF", "i"), ("PB", "1"))
    )
    masters = '<style:master-page style:name="Standard" style:page-layout-name="PB"/>' + "".join(
        f'<style:master-page style:name="{name}" style:page-layout-name="{layout}"><style:header>{head}</style:header><style:footer>'
        f"{number}</style:footer></style:master-page>"
        for name, layout in (("Front", "PF"), ("Body", "PB"))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" '
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
            cells = "".join(
                f'<table:table-cell><text:p text:style-name="P0">{html.escape(cell)}</text:p></table:table-cell>'
                for cell in block.text.split(" | ")
            )
            columns = f'<table:table-column table:number-columns-repeated="{block.text.count(" | ") + 1}"/>'
            yield f"<table:table>{columns}<table:table-row>{cells}</table:table-row></table:table>"
        else:
            style = "T" if block.kind == "title" else f"L{block.level}" if label else f"P{block.level}"
            yield f'<text:p text:style-name="{style}">{label}{"<text:tab/>" if label else ""}{text}</text:p>'


# ---- where the words of a program's PDF stand ----


def _page_text(page: pypdfium2.PdfPage) -> str:
    text: str = page.get_textpage().get_text_range()
    return text.replace("\ufffe", "").replace("\r\n", "\n")


def _located(agreement: Agreement, path: Path, running: str) -> dict[int, list[int]]:
    """The page of every word of each block that is found behind the block before it, by letters and digits alone; no running lines."""
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
        # A short text can stand anywhere again; a long one may be as far away as the contents pages are long.
        if not wanted or place < 0 or place > at + (8000 if len(wanted) > 40 else 400):
            continue
        at, offset, pages = place + len(wanted), place, []
        for word in block.words:
            pages.append(sum(start <= offset for start in starts))
            offset += len(letters(word))
        found[n] = pages
    return found
