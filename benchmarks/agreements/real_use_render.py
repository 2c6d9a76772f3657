#!/usr/bin/env python3
"""Renders three real agreements (plain texts of the ContraxSuite samples) into PDFs, each in another look. Deterministic.

    python render.py FOLDER_WITH_TEXTS OUT_FOLDER

physio-control-credit-agreement-1997.pdf
    Word print: paragraph labels in a hanging column, contents with dot leaders, page number at the foot (= physical page)
mbi-financial-credit-agreement-ex10-1.pdf
    browser print of an EDGAR page: title and date above, URL and "n/m" below; the page numbers of the printed original stay in the flow
weingarten-credit-agreement-2011.pdf
    justified, cover, contents numbered i, ii, body numbered from 1 (printed number = physical page less cover and contents)

Needs reportlab.
"""

import copy
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab import rl_config
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate, Frame, HRFlowable, PageBreak, PageTemplate, Paragraph, Preformatted, Spacer, Table

rl_config.invariant = 1
SPACE = re.compile(r"[ \t\u00a0]+")


def squeeze(text):
    return SPACE.sub(" ", text).strip()


def blocks(text):
    """Blocks of non-empty lines."""
    out, block = [], []
    for line in text.split("\n"):
        if squeeze(line):
            block.append(line.rstrip())
        elif block:
            out.append(block)
            block = []
    return out + ([block] if block else [])


class Doc(BaseDocTemplate):
    def __init__(self, path, title, margins, decorate, **kw):
        left, right, top, bottom = margins
        super().__init__(str(path), pagesize=letter, title=title, author="", **kw)
        frame = Frame(
            left,
            bottom,
            letter[0] - left - right,
            letter[1] - top - bottom,
            id="f",
            leftPadding=0,
            rightPadding=0,
            topPadding=0,
            bottomPadding=0,
        )
        self.addPageTemplates([PageTemplate(id="p", frames=[frame], onPage=decorate)])
        self.places = {}

    def afterFlowable(self, flowable):
        mark = getattr(flowable, "mark", None)
        if mark and mark not in self.places:
            self.places[mark] = self.page


class Marked(Paragraph):
    """Keeps its mark on the first part when it is split over pages."""

    mark = None

    def split(self, width, height):
        parts = super().split(width, height)
        if parts and self.mark:
            parts[0].mark = self.mark
        return parts


# ---------------------------------------------------------------- Physio-Control: Word print
LABEL = re.compile(r"^(\d{1,2}\.\d{1,2}|\([a-z]{1,4}\)|\(\d{1,2}\)|- -)\s+(.*)$", re.S)
TOCLINE = re.compile(r"^(\d+\.\d+)?\s*(.*?)(?:\s*\.\s?)*(?:\. \.|\s\.)\s+(\d+)$")


def physio(source, target):
    raw = source.read_text(encoding="utf-8", errors="replace")
    pages = raw.split("<PAGE>")
    cover, rest = pages[1], pages[2:]
    toc_end = next(i for i, p in enumerate(rest) if "1.1  ADJUSTED LIBOR RATE shall mean" in p)
    toc, body = rest[:toc_end], rest[toc_end:]
    base = {"fontName": "Times-Roman", "fontSize": 11, "leading": 13.4, "spaceAfter": 7}
    cover_style = ParagraphStyle(
        "c", parent=None, **{**base, "fontName": "Times-Bold", "fontSize": 13, "leading": 17, "spaceAfter": 22}, alignment=TA_CENTER
    )
    head = ParagraphStyle("h", **{**base, "fontName": "Times-Bold"}, alignment=TA_CENTER, spaceBefore=8, keepWithNext=1)
    plain = ParagraphStyle("p", **base)
    bullet = {"bulletFontName": "Times-Roman", "bulletFontSize": 11}
    section = ParagraphStyle("s", **base, **bullet, leftIndent=40, bulletIndent=0)
    para = ParagraphStyle("l", **base, **bullet, leftIndent=70, bulletIndent=40)
    sub = ParagraphStyle("l2", **base, **bullet, leftIndent=100, bulletIndent=70)
    pre = ParagraphStyle("pre", fontName="Courier", fontSize=7.6, leading=9.4, spaceAfter=8)
    tocstyle = ParagraphStyle("t", fontName="Times-Roman", fontSize=10, leading=12.2)

    # body blocks, joined over the old page breaks
    flow = []
    for page in body:
        for n, block in enumerate(blocks(page)):
            if n == 0 and flow and isinstance(flow[-1], list) and re.match(r"^[a-z]", block[0]) and not re.search(r"[.:;]$", flow[-1][-1]):
                flow[-1] = flow[-1] + block
            else:
                flow.append(block)

    def story(found):
        out = []
        for line in blocks(cover):
            out.append(Paragraph("<br/>".join(escape(squeeze(x)) for x in line), cover_style))
        out.insert(0, Spacer(1, 120))
        out.append(PageBreak())
        for page in toc:
            for block in blocks(page):
                for line in block:
                    m = TOCLINE.match(squeeze(line))
                    if m:
                        number, title = m.group(1) or "", re.sub(r"[ .]+$", "", m.group(2))
                        key = number or title
                        at = found.get(key, found.get(title, m.group(3)))
                        text = f"{number}  {title} " if number else f"{title} "
                        room = 430 - stringWidth(text, "Times-Roman", 10)
                        dots = ". " * max(3, int(room / stringWidth(". ", "Times-Roman", 10)))
                        out.append(Preformatted(f"{text}{dots} {at}", tocstyle))
                    else:
                        out.append(
                            Paragraph(
                                escape(squeeze(line)),
                                ParagraphStyle(
                                    "th",
                                    parent=tocstyle,
                                    fontName="Times-Bold",
                                    alignment=TA_CENTER if "TABLE" in line else TA_LEFT,
                                    spaceBefore=4,
                                ),
                            )
                        )
                out.append(Spacer(1, 4))
        out.append(PageBreak())
        for block in flow:
            joined = squeeze(" ".join(squeeze(x) for x in block))
            if re.match(r"^(EXHIBIT \d TO CREDIT AGREEMENT|PREPAYMENT FEE FACTOR SCHEDULE)", joined):
                out.append(PageBreak())
            if re.match(r"^ARTICLE \d+", joined) and len(joined) < 120:
                parts = [squeeze(x) for x in block]
                p = Marked("<br/>".join(map(escape, parts)), head)
                p.mark = re.sub(r"[ .]+$", "", " ".join(parts[1:])) or parts[0]
                out.append(p)
                continue
            wide = sum(1 for x in block if re.search(r"\S {3,}\S", x) and not re.match(r"^\s*\S+\s{2,}\S", x))
            if wide or any(re.search(r"_{6,}", x) for x in block):
                out.append(Preformatted("\n".join(x[:108] for x in block), pre))
                continue
            if not LABEL.match(joined) and len(block) <= 4 and all(x == x.upper() and len(x) < 60 for x in block):
                out.append(Paragraph("<br/>".join(escape(squeeze(x)) for x in block), head if len(block) == 1 else plain))
                continue
            m = LABEL.match(joined)
            if m:
                label, text = m.groups()
                style = (
                    section if re.match(r"\d", label) else sub if re.match(r"\((i|ii|iii|iv|v|vi|vii|viii|ix|x|\d+)\)$", label) else para
                )
                p = Marked(escape(text), style, bulletText="•" if label == "- -" else label)
                if re.match(r"\d", label):
                    p.mark = label
                out.append(p)
            else:
                out.append(Paragraph(escape(joined), plain))
        return out

    def decorate(canvas, doc):
        canvas.saveState()
        canvas.setFont("Times-Roman", 10)
        if doc.page > 1:
            canvas.drawCentredString(letter[0] / 2, 34, str(doc.page))
        canvas.restoreState()

    found = {}
    for _ in range(2):
        doc = Doc(target, "Credit Agreement", (80, 80, 68, 64), decorate)
        doc.build(story(found))
        found = {k: str(v) for k, v in doc.places.items()}


# ---------------------------------------------------------------- MBI Financial: EDGAR in a browser, printed
def mbi(source, target):
    raw = source.read_text(encoding="utf-8", errors="replace")
    base = {"fontName": "Times-Roman", "fontSize": 9.4, "leading": 11.2, "spaceAfter": 6}
    plain = ParagraphStyle("p", **base)
    first = ParagraphStyle("f", **base, firstLineIndent=22)
    ind = ParagraphStyle("i", **base, leftIndent=24, firstLineIndent=22)
    center = ParagraphStyle("c", **base, alignment=TA_CENTER)
    bold = ParagraphStyle("b", **{**base, "fontName": "Times-Bold"}, alignment=TA_CENTER)
    cell = ParagraphStyle("tc", fontName="Times-Roman", fontSize=9.4, leading=10.8)
    out, toc, in_toc, seen_body = [], [], False, False

    def flush():
        nonlocal toc
        if toc:
            out.append(
                Table(
                    [[Paragraph(escape(a), cell), Paragraph(b, cell)] for a, b in toc],
                    colWidths=[400, 60],
                    style=[
                        ("VALIGN", (0, 0), (-1, -1), "TOP"),
                        ("TOPPADDING", (0, 0), (-1, -1), 1),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
                    ],
                )
            )
            out.append(Spacer(1, 6))
        toc = []

    for block in blocks(raw):
        lines = [squeeze(x) for x in block]
        joined = " ".join(lines)
        if joined == "TABLE OF CONTENTS":
            in_toc = True
        if joined.startswith("THIS CREDIT AGREEMENT"):
            in_toc, seen_body = False, True
        if in_toc:
            while lines and len(lines) >= 2 and re.match(r"^(ARTICLE|SECTION)", lines[0]) and re.fullmatch(r"\d{1,2}", lines[1]):
                toc.append((lines[0], lines[1]))
                lines = lines[2:]
            if not lines:
                continue
            joined = " ".join(lines)
        flush()
        if re.fullmatch(r"\d{1,2}|i|ii", joined):
            out += [Paragraph(joined, center), HRFlowable(width="100%", thickness=1.2, color="#888888", spaceAfter=8)]
        elif not seen_body:
            out.append(Paragraph("<br/>".join(map(escape, lines)), bold if joined == joined.upper() else center))
        elif any("\t" in x for x in block):
            rows, name = [], ""
            for x in block:
                cells = [c for c in (squeeze(c) for c in x.split("\t")) if c]
                if len(cells) >= 2 or (cells and re.match(r"^\$?[\d,.]+$", cells[0])):
                    value = " ".join(c for c in cells[(0 if re.match(r"^\$?[\d,.]+$", cells[0]) else 1) :])
                    rows.append([name, cells[0] if value != " ".join(cells) else "", value])
                    name = ""
                else:
                    if name:
                        rows.append([name, "", ""])
                    name = " ".join(cells)
            if name:
                rows.append([name, "", ""])
            out.append(
                Table(
                    [[Paragraph(escape(c), cell) for c in r] for r in rows],
                    colWidths=[130, 220, 110],
                    style=[
                        ("VALIGN", (0, 0), (-1, -1), "TOP"),
                        ("TOPPADDING", (0, 0), (-1, -1), 0.5),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 0.5),
                    ],
                )
            )
        elif re.match(r"^(ARTICLE [IVX]+|Annex [AB]|Schedule \d|CREDIT AGREEMENT$)", joined) and len(joined) < 90:
            out.append(Paragraph("<br/>".join(map(escape, lines)), bold))
        elif (len(joined) < 70 and joined == joined.upper()) or (
            len(lines) > 1 and all(len(x) < 62 for x in lines) and not joined.startswith("“")
        ):
            out.append(Paragraph("<br/>".join(map(escape, lines)), plain))
        else:
            style = (
                ind
                if re.match(r"^(“|\([ivx]+\))", joined)
                else first
                if re.match(r"^(SECTION|\([a-z]+\)|THIS|Borrower has)", joined)
                else plain
            )
            out.append(Paragraph(escape(joined), style))
    flush()
    total = {"n": 0}

    def decorate(canvas, doc):
        canvas.saveState()
        canvas.setFont("Helvetica", 7.5)
        canvas.drawString(28, letter[1] - 22, "11/14/26, 9:41 AM")
        canvas.drawCentredString(letter[0] / 2 + 30, letter[1] - 22, "exv10w1")
        canvas.drawString(28, 18, "https://www.sec.gov/Archives/edgar/data/51511/000095013406024031/d42405exv10w1.htm")
        canvas.drawRightString(letter[0] - 28, 18, f"{doc.page}/{total['n']}")
        canvas.restoreState()

    for _ in range(2):
        doc = Doc(target, "exv10w1", (46, 46, 44, 42), decorate)
        doc.build(copy.deepcopy(out))
        total["n"] = doc.page


# ---------------------------------------------------------------- Weingarten: justified, printed numbers of its own
def weingarten(source, target):
    raw = source.read_text(encoding="utf-8", errors="replace")
    base = {"fontName": "Times-Roman", "fontSize": 11, "leading": 13.2, "spaceAfter": 7.5}
    just = ParagraphStyle("j", **base, alignment=TA_JUSTIFY, firstLineIndent=30)
    cont = ParagraphStyle("j0", **base, alignment=TA_JUSTIFY)
    sub = ParagraphStyle("j1", **base, alignment=TA_JUSTIFY, leftIndent=24, firstLineIndent=24)
    center = ParagraphStyle("c", **base, alignment=TA_CENTER)
    left = ParagraphStyle("l", **base)
    big = ParagraphStyle("big", fontName="Times-Roman", fontSize=12, leading=15, spaceAfter=14, alignment=TA_CENTER)
    cell = ParagraphStyle("tc", fontName="Times-Roman", fontSize=10.4, leading=12)
    start = raw.index("TABLE OF CONTENTS")
    begin = raw.index("This CREDIT AGREEMENT (")
    cover, contents, body = raw[:start], raw[start:begin], raw[begin:]
    out = [Spacer(1, 110)]
    for block in blocks(cover):
        out.append(Paragraph("<br/>".join(escape(squeeze(x)) for x in block), big))
    out.append(PageBreak())

    rows, pending = [], ""
    tail = []
    out.append(Paragraph("TABLE OF CONTENTS", ParagraphStyle("tt", parent=big)))
    for line in contents.split("\n")[1:]:
        text = squeeze(line)
        if not text or text in ("Page", "i", "ii", "iii", "(continued)") or text == "TABLE OF CONTENTS":
            continue
        m = re.match(r"^(.*?) (\d{1,2})$", text)
        if tail or re.match(r"^(SCHEDULES|EXHIBITS):", text):
            tail.append(text)
        elif m and (pending or m.group(1).startswith(("ARTICLE", "Section"))):
            rows.append([f"{pending} {m.group(1)}".strip(), m.group(2)])
            pending = ""
        else:
            pending = f"{pending} {text}".strip()
    out.append(
        Table(
            [
                [
                    Paragraph(escape(a), ParagraphStyle("x", parent=cell, leftIndent=0 if a.startswith("ARTICLE") else 24)),
                    Paragraph(b, cell),
                ]
                for a, b in rows
            ],
            colWidths=[400, 40],
            style=[("VALIGN", (0, 0), (-1, -1), "TOP"), ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)],
        )
    )
    out.append(Spacer(1, 10))
    for text in tail:
        out.append(Paragraph(escape(text), cell))
    out.append(PageBreak())

    ends = re.compile(r"[.;:,”)]$|\b(and|or)$")
    opens = re.compile(
        r"^(“|SECTION \d|\([a-zA-Z]{1,4}\) (?!of (this|the)\b|above|below)|ARTICLE [IVX]+|WHEREAS|NOW, THEREFORE|provided that|then, and)"
    )
    titles = (
        "(Definitions|The Credits|Representations and Warranties|Conditions|Affirmative Covenants|Negative Covenants|Events of Default|"
        "The Administrative Agent|Miscellaneous)"
    )
    inner = re.compile(r"(?<=[.;”]) (?=\([a-z]\) [A-Z])| (?=SECTION \d\.\d\d\.)|(?<=;) (?=\(e\) investments)")
    paged, chunk = [], []
    for line in body.split("\n"):
        if re.fullmatch(r"\d{1,2}", squeeze(line)):
            paged.append(("\n".join(chunk), squeeze(line)))
            chunk = []
        else:
            chunk.append(line)
    paged.append(("\n".join(chunk), ""))
    for index, (text, printed) in enumerate(paged):
        for n, block in enumerate(blocks(text)):
            if any("\t" in x for x in block):
                name, rows = "", []
                for x in block:
                    cells = [squeeze(c) for c in x.split("\t")]
                    cells = [c for c in cells if c]
                    if "\t" not in x:
                        name = f"{name} {squeeze(x)}".strip()
                    else:
                        cells2 = []
                        for c in cells:
                            if c in ("%", ")") and cells2:
                                cells2[-1] += c
                            else:
                                cells2.append(c)
                        rows.append([name, *cells2])
                        name = ""
                if name:
                    rows.append([name])
                if rows[0][0].startswith("Index Debt Ratings"):
                    rows = [["Index Debt Ratings:", "ABR Spread", "Eurodollar Spread"]] + [
                        [r[0].removeprefix("Spread "), *r[1:]] for r in rows[1:]
                    ]
                width = max(map(len, rows))
                rows = [r + [""] * (width - len(r)) for r in rows]
                out.append(
                    Table(
                        [[Paragraph(escape(c), cell) for c in r] for r in rows],
                        colWidths=[220] + [220 / max(1, width - 1)] * (width - 1),
                        style=[
                            ("VALIGN", (0, 0), (-1, -1), "TOP"),
                            ("TOPPADDING", (0, 0), (-1, -1), 1),
                            ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
                        ],
                    )
                )
                continue
            paras, current = [], []
            for line in (squeeze(x) for x in block):
                if current and opens.match(line) and (ends.search(current[-1])):
                    paras.append(" ".join(current))
                    current = [line]
                else:
                    current.append(line)
            paras.append(" ".join(current))
            better = []
            for p in paras:
                m = re.match(rf"^(ARTICLE [IVX]+)? ?{titles}(?= (SECTION \d|The Borrower represents|Until the|If any of))(.*)$", p)
                if m and (
                    m.group(1) or (p.startswith(m.group(2)) and len(paras) > 0 and (better == [] or better[-1].startswith("ARTICLE")))
                ):
                    better += [f"{m.group(1) or ''}\n{m.group(2)}".strip(), *[x for x in inner.split(m.group(4).strip()) if x]]
                else:
                    better += [x for x in inner.split(p) if x]
            paras = better
            for p in paras:
                if re.match(rf"^(ARTICLE [IVX]+\n)?{titles}$", p):
                    out.append(Paragraph(escape(p).replace("\n", "<br/>"), center))
                    continue
                if re.match(r"^ARTICLE [IVX]+$", p) or (
                    len(p) < 60 and paras == [p] and not re.search(r"[.;:,]$", p) and not p.startswith("“")
                ):
                    out.append(Paragraph(escape(p), center if len(p) < 50 else left))
                elif n == 0 and index and re.match(r"^[a-z(]", p) and not re.match(r"^\([a-z]{1,3}\)", p):
                    out.append(Paragraph(escape(p), cont))
                else:
                    out.append(Paragraph(escape(p), sub if re.match(r"^\([ivx]{2,}\)", p) else just))
        if index < len(paged) - 1:
            marker = Spacer(0, 0)
            marker.printed = printed
            out.append(marker)
            out.append(PageBreak())

    state = {}

    class Numbered(Doc):
        def afterFlowable(self, flowable):
            if hasattr(flowable, "printed"):
                self.printed[self.page] = flowable.printed

    printed_at = {}

    def decorate(canvas, doc):
        canvas.saveState()
        canvas.setFont("Times-Roman", 9.8)
        label = printed_at.get(doc.page)
        if doc.page > 1 and label is None and doc.page <= state.get("body", 0) - 1:
            label = ["i", "ii", "iii", "iv", "v", "vi"][doc.page - 2]
        if label:
            canvas.drawCentredString(letter[0] / 2, 40, label)
        canvas.restoreState()

    for _ in range(2):
        doc = Numbered(target, "Credit Agreement", (72, 72, 66, 62), decorate)
        doc.printed = {}
        doc.build(copy.deepcopy(out))
        printed_at = dict(doc.printed)
        state["body"] = min(printed_at)


if __name__ == "__main__":
    texts, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    physio(texts / "contraxsuite_1003088_1997-08-14_CREDIT_AGREEMENT.txt", out / "physio-control-credit-agreement-1997.pdf")
    mbi(texts / "contraxsuite_51511_2006-12-29_CREDIT_AGREEMENT.txt", out / "mbi-financial-credit-agreement-ex10-1.pdf")
    weingarten(texts / "contraxsuite_828916_2011-08-31_CREDIT_AGREEMENT.txt", out / "weingarten-credit-agreement-2011.pdf")
