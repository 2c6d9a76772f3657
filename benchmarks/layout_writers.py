"""The writers of the layout bench: the same agreement as eight kinds of PDF that people meet, each with the true page of every word.

Six are set by `layout_pages` in the manner of a program (labels in a column of their own as Word does it, a stamp, two columns, …); the
others are programs (`layout_programs`).
"""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable
from pathlib import Path

import pymupdf
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks.layout_model import Agreement, Block, Truth
from benchmarks.layout_pages import Marked, Pages, Run, Style, paint, put, set_pages
from benchmarks.layout_programs import write_chromium, write_libreoffice

WORD = Style()

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


_BEFORE = (
    "thirty days;the Original Lender;five per cent.;reasonable;not;each Hedge Counterparty;prior written;31 March 2021;two;EUR 4,250,000"
).split(";")


def _changed(block: Block, chance: random.Random) -> tuple[list[Marked], str]:
    """The words of a block with a change in their midst, and the wording before it."""
    words = block.words
    at, size = chance.randint(3, len(words) - 5), chance.randint(0, 2)
    old = chance.choice(_BEFORE).split()
    before = [*words[:at], *old, *words[at + size :]]
    plain: list[Marked] = [(word, "") for word in words]
    return [
        *plain[:at],
        *((word, "del") for word in old),
        *((word, "ins") for word, _ in plain[at : at + size]),
        *plain[at + size :],
    ], " ".join(before)


def write_scan(agreement: Agreement, target: Path) -> Truth:
    """Pages as grey pictures over which somebody's text recognition has laid invisible text with one word in sixty misread."""
    pages = set_pages(agreement, WORD)
    for runs, shown in zip(pages.runs, pages.printed, strict=True):
        runs.append(Run(294, 806, shown, "Times-Roman", 9))
    paint(pages, WORD, str(clean := target.with_suffix(".clean.pdf")), lambda canvas, number: None)
    chance = random.Random(f"scan {agreement.name}")
    read = Pages([[_misread(run, chance) for run in runs] for runs in pages.runs], pages.words, pages.printed)
    with pymupdf.open(clean) as source:

        def picture(canvas: Canvas, number: int) -> None:
            shot = source[number - 1].get_pixmap(dpi=72, colorspace=pymupdf.csGRAY).tobytes("jpeg", jpg_quality=40)
            canvas.drawImage(ImageReader(io.BytesIO(shot)), 0, 0, WORD.width, WORD.height)

        paint(read, WORD, str(target), lambda canvas, number: None, before=picture, is_hidden=True)
    clean.unlink()
    return Truth(pages.words, {"printed": pages.printed})


_MISREAD = [
    ("rn", "m"),
    ("l", "1"),
    ("O", "0"),
    ("e", "c"),
    ("h", "b"),
    ("i", "l"),
    ("5", "S"),
    ("8", "B"),
    ("a", "á"),
    ("cl", "d"),
    ("m", "rn"),
]


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
    """The PDF of an agreement by a writer and its truth; made anew when its text is not the one in the folder. Raises `MissingWriter`."""
    printed = "\n".join(f"{block.kind}|{block.label}|{block.level}|{block.text}|{block.entry}" for block in agreement.blocks)
    target = folder / f"{agreement.name}-{writer}.pdf"
    noted = target.with_suffix(f".{hashlib.sha256(printed.encode()).hexdigest()[:12]}.json")
    if not noted.exists():
        WRITERS[writer](agreement, target).save(noted)
    return target, Truth.load(noted)
