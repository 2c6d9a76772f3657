"""The kinds of input that the fuzz harness damages: each makes one input out of a random source and gives it to the code that reads it.

A kind is a function (Ground, Random) -> None. Errors that the program raises on purpose are what should happen; the runner takes every
other exception, a traceback or an internal error on standard error, for a fault.
"""

import asyncio
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import socket
import sqlite3
import threading
import time
import zipfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import httpx2

from benchmarks.attacks.fuzz_mutations import TEXTS, VALUES, changed, damaged, odd, spoiled_json, spoiled_lines
from judge.cli import execute
from judge.errors import BudgetReached, JudgeError

SAMPLE = Path(__file__).parents[2] / "judge" / "samples" / "deal"
QUESTION = {"field": "Charge", "claim": "0.7", "quote": "The grower pays.", "passage": ""}
COMPLETION = {
    "id": "c", "object": "chat.completion", "created": 0, "model": "stub-1",
    "choices": [{"index": 0, "finish_reason": "stop", "logprobs": {"content": [{"token": "supports", "logprob": -0.1, "top_logprobs": []}]},
                 "message": {"role": "assistant", "content": '{"evidence": "Charge", "reasoning": "They agree.", "verdict": "supports"}'}}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
}  # fmt: skip
HEADERS = ("retry-after", "retry-after-ms", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "content-encoding", "location",
           "content-type", "x-should-retry", "set-cookie")  # fmt: skip
HEADER_VALUES = ("0", "-1", "1e99", "Wed, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 +2359",
    "99999999999999999999", "6m0s", "9" * 400,
                 "gzip", "application/json; charset=base64", "application/json; charset=rot13", "text/html", "http://[bad",
                 "nan", "²")  # fmt: skip


class Ground:
    """A folder of valid files to damage."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        self.lines = {name: [json.loads(one) for one in (SAMPLE / f"{name}.jsonl").read_text().splitlines()] for name in ("batch", "gold")}
        self.gold_of = {line["case_id"]: line for line in self.lines["gold"]}

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    @cached_property
    def results(self) -> Path:
        """A finished result folder."""
        out, chosen = self.folder / "results", self.lines["batch"][:: len(self.lines["batch"]) // 8]
        batch = str(self.write("chosen.jsonl", b"".join(json.dumps(line).encode() + b"\n" for line in chosen)))
        golds = [self.gold_of[line["case_id"]] for line in chosen if line["case_id"] in self.gold_of]
        gold = str(self.write("chosen-gold.jsonl", b"".join(json.dumps(line).encode() + b"\n" for line in golds)))
        arguments = ["run", batch, "--gold", gold, "--documents", str(SAMPLE / "documents"), "--out", str(out), "--display", "none"]
        execute([*arguments, "--cache-dir", str(self.cache), "--judge", "offline", "--reports", "none"])
        return out

    @cached_property
    def store(self) -> Any:
        from judge.inputs.documents import DocumentStore
        from judge.inputs.files import DocumentsFolder

        return DocumentStore(DocumentsFolder(SAMPLE / "documents"), cache_dir=self.cache)

    @cached_property
    def pdfs(self) -> list[bytes]:
        """Small PDFs: the samples', and one with much that PDFs can have."""
        import pymupdf

        rich = pymupdf.open()
        for n in range(3):
            page = rich.new_page()
            page.insert_text((72, 72), f"{n}. The Margin is 2.5 per cent.\nClause {n}.1 Law", fontname="helv")
            page.insert_link({"kind": pymupdf.LINK_GOTO, "from": pymupdf.Rect(72, 72, 90, 90), "page": 0})
            page.add_strikeout_annot(pymupdf.Rect(72, 60, 120, 80))
            page.add_text_annot((200, 200), "note")
        rich.set_toc([[1, "One", 1], [2, "Two", 2]])
        rich.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "r", "firstpagenum": 1}])
        return [rich.tobytes(), *(p.read_bytes() for p in sorted((SAMPLE / "documents").glob("*.pdf")) if p.stat().st_size < 60_000)]


def cases(ground: Ground, draw: Random) -> None:
    """Batch and gold, read and judged by rules alone."""
    from judge.engines.assignment import Control
    from judge.engines.loop import Work, judge_cases
    from judge.inputs.index import Sources, index_cases
    from judge.results.lines import verdict_line
    from rubrics.contract import load_contract

    batch = draw.sample(ground.lines["batch"], draw.choice((1, 1, 2)))
    gold = [ground.gold_of[line["case_id"]] for line in batch if line["case_id"] in ground.gold_of]
    which = draw.randrange(3)
    texts = [spoiled_lines(lines, draw) if hit else b"".join(json.dumps(one).encode() + b"\n" for one in lines)
             for lines, hit in ((batch, which != 1), (gold, which != 0))]  # fmt: skip
    paths = [ground.write(name, text) for name, text in zip(("b.jsonl", "g.jsonl"), texts, strict=True)]
    index = index_cases(Sources(paths[0], paths[1] if draw.random() < 0.95 else None, SAMPLE / "documents", draw.random() < 0.1))

    class Sink:
        def append(self, case: Any) -> None:
            json.dumps([verdict_line(item) for item in case.items], ensure_ascii=False, allow_nan=False).encode()

    work = Work(index, index.select(), ground.store, load_contract())
    asyncio.run(judge_cases(work, Sink(), Control()))


def whole_runs(ground: Ground, draw: Random) -> None:
    """The whole command with reports."""
    line = draw.choice([one for one in ground.lines["batch"] if one["case_id"] in ground.gold_of])
    batch = ground.write("b.jsonl", json.dumps(changed(line, draw)).encode("utf-8", "surrogatepass"))
    gold = ground.write("g.jsonl", json.dumps(ground.gold_of[line["case_id"]]).encode())
    arguments = ["run", str(batch), "--gold", str(gold), "--documents", str(SAMPLE / "documents"), "--out", str(ground.folder / "out")]
    _command([*arguments, "--cache-dir", str(ground.cache), "--judge", "offline", "--reports", "all", "--display", "plain", "--fresh"])


def _command(arguments: list[str]) -> None:
    try:
        code = execute(arguments)
    except OSError:  # which JUDGE_TRACEBACK lets through, and is one line otherwise
        return
    assert code in (0, 1, 2, 3, 4, 5, 6, 130), code  # 130: a folder that says that its run was interrupted


def labels(ground: Ground, draw: Random) -> None:
    """Labels for `judge calibrate`, as JSON Lines."""
    from calibration.label_files.labels import read_json_lines

    lines = [json.loads(one) for one in (SAMPLE.parent / "labels.jsonl").read_text().splitlines()[:6]]
    read_json_lines(ground.write("labels.jsonl", spoiled_lines(lines, draw)))


def label_sheets(ground: Ground, draw: Random) -> None:
    """Labels as CSV, by the command."""
    rows = [
        "item,case,ann,bob,judge,conf",
        *(f"i{n},c{n // 2},{draw.choice('ab')},{draw.choice('ab')},{draw.choice('ab')},0.{n}" for n in range(8)),
    ]
    path = ground.write("labels.csv", damaged("\n".join(rows).encode(), draw))
    map_file = ground.write("map.toml", b'item = "item"\nconfidence_column = "conf"\n')
    flags = [
        "--human",
        "ann,bob",
        "--judge-column",
        "judge",
        "--out",
        str(ground.folder / "cal"),
        "--map",
        str(map_file),
        "--cluster",
        "case",
    ]
    _command(["calibrate", str(path), *flags])


def records(ground: Ground, draw: Random) -> None:
    """Calibration records."""
    from judge.calibrate.certification import read_records

    path = ground.folder / "cal-base" / "record.json"
    if not path.exists():
        execute(["calibrate", str(SAMPLE.parent / "labels.jsonl"), "--out", str(path.parent)])
    read_records([ground.write("record.json", spoiled_json(json.loads(path.read_text()), draw))])


def contracts(ground: Ground, draw: Random) -> None:
    """Contracts, own rubrics, settings, prices, maps: TOML."""
    from importlib import resources

    from judge.convert.map_file import read_map
    from judge.llm.tokens import load_prices
    from judge.settings import resolve
    from rubrics.contract import load_contract
    from rubrics.rubric import read_rubrics

    shipped = resources.files("rubrics")
    kinds: list[tuple[str, bytes, Callable[[Path], Any]]] = [
        ("c.toml", shipped.joinpath("contract-1.2.toml").read_bytes(), load_contract.__wrapped__),
        ("r.toml",
        sorted(p for p in shipped.iterdir() if p.name.endswith(".toml") and "contract" not in p.name)[0].read_bytes(),
        lambda p: read_rubrics([p])),
        ("judge.toml", b'judge = "m"\nrpm = 60\nbudget = 1.5\npanel = ["a", "b"]\nallow_endpoint = ["x"]\n',
        lambda p: resolve({}, p.parent, {})),
        ("pyproject.toml", b'[tool.judge]\njudge = "m"\nrpm = 60\nout = "x"\n', lambda p: resolve({}, p.parent, {})),
        (".env", b"JUDGE_RPM=60\nOPENAI_API_KEY='x y'\n# c\n", lambda p: resolve({}, p.parent, {})),
        ("p.toml", b'["m"]\ninput = 1.0\noutput = 2.0\n', load_prices),
        ("m.toml", b'capability = "loan_onboarding"\n[case]\nid = "Deal"\n[fields.borrower]\nvalue = "B"\npage = "P"\n', read_map),
    ]  # fmt: skip
    name, data, read = draw.choice(kinds)
    folder = ground.folder / "toml"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / name
    path.write_bytes(damaged(data, draw))
    read(path)


def result_folders(ground: Ground, draw: Random) -> None:
    """Edited result folders under every command that reads one."""
    out = ground.folder / "edited"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ground.results, out)
    for _ in range(draw.choice((1, 1, 2))):
        path = draw.choice([p for p in sorted(out.iterdir()) if p.is_file() and p.suffix in (".json", ".jsonl")])
        text = path.read_bytes()
        if path.suffix == ".jsonl" and text.strip():
            kept = _values(text.splitlines())
            path.write_bytes(spoiled_lines(kept, draw) if kept else damaged(text, draw))
        else:
            kept = _values([text])
            path.write_bytes(spoiled_json(kept[0], draw) if kept else damaged(text, draw))
    commands = [
        ["gate", str(out), "--display", "plain"], ["gate", str(out), "--json", "--display", "none"], ["compare",
        str(ground.results), str(out)],
        ["compare", str(out), str(ground.results), "--json"], ["report", str(out), "--cache-dir", str(ground.cache)],
        ["history", str(out), str(ground.results), "--out", str(ground.folder / "h.html")], ["export", str(out), "--to",
        str(ground.folder / "i.csv")],
        ["export", str(out), "--to", str(ground.folder / "i.xlsx")],
    ]  # fmt: skip
    weights = (6, 4, 6, 4, 1, 3, 3, 1)
    _command(draw.choices(commands, weights)[0])


def _values(texts: list[bytes]) -> list[Any]:
    try:
        return [json.loads(text) for text in texts]
    except (ValueError, RecursionError):  # damaged before
        return []


def sheets(ground: Ground, draw: Random) -> None:
    """Sheets with decisions, and exports of other systems."""
    from judge.convert.cases import convert
    from judge.convert.map_file import read_map
    from judge.inputs.sheets import read_sheet

    base = ground.folder / "items.xlsx"
    if not base.exists():
        execute(["export", str(ground.results), "--to", str(base)])
        execute(["export", str(ground.results), "--to", str(base.with_suffix(".csv"))])
    suffix = draw.choice((".xlsx", ".csv", ".json"))
    if suffix == ".json":
        path = ground.write("x.json", spoiled_json([{"Deal": "d1", "B": "Acme", "P": 1}, {"Deal": "d2", "B": None, "P": "2"}], draw))
    else:
        path = ground.write(f"x{suffix}", damaged(base.with_suffix(suffix).read_bytes(), draw))
    mapping = ground.write(
        "map.toml", b'capability = "loan_onboarding"\n[case]\nid = "case"\n[fields.borrower]\nvalue = "reported"\npage = "page"\n'
    )
    convert(path, read_map(mapping), draw.choice(("batch", "gold"))) if draw.random() < 0.5 or suffix == ".json" else read_sheet(path)


def case_files(ground: Ground, draw: Random) -> None:
    """Cases in Markdown."""
    from judge.inputs.case_files import read_case_file

    data = draw.choice(CASE_PAGES).encode()
    if draw.random() < 0.6:
        cells = list(re.finditer(rb"[^|\n]+", data))
        at = draw.choice(cells)
        text = str(odd(draw)).encode("utf-8", "surrogatepass")
        data = data[: at.start()] + (text if draw.random() < 0.6 else draw.choice(cells)[0]) + data[at.end() :]
    else:
        data = damaged(data, draw)
    path = ground.write("LO-001.md", data)
    found = read_case_file(path, data)
    json.dumps([str(problem) for problem in found.problems], ensure_ascii=False).encode()


_CASE_END = """
## Ground truth citation

**borrower**

> BRANDT KABEL GMBH as borrower
>
> Source: brandt-loan.pdf, page 3, Parties

## Scoring criteria

| Condition | Score | Rule |
|---|---|---|
| all fields right and cited | 1.0 | |
| a party that is nowhere in the agreement | 0 for the case, hallucination | figure: equal; cites: Clause 2.1 |
| a field in another notation | 0.75 for the field | |
"""
CASE_PAGES = (
    """# LO-001: a plain term loan

Capability: loan_onboarding · Difficulty: standard

## Input

**Document:** brandt-loan.pdf; second.pdf

**Task:** Extract the sixteen fields, each with a citation.

## Expected output

| Field | Expected value | Confidence | HITL required | Applies to |
|---|---|---|---|---|
| borrower | Brandt Kabel GmbH | HIGH | no | — |
| guarantors | absent | HIGH | no | — |
| margin | illegible, visible: 2.1 | LOW | yes | Facility A |
| facility_amount | MISSING — page 12 is not in the scan | LOW | yes | — |

### Facility A

| Field | Expected value |
|---|---|
| facility_type | term loan |
"""
    + _CASE_END,
    """# LO-001: a question

Capability: document_qa · Difficulty: edge case

## Input

**Document:** brandt-loan.pdf

**Question:** Within how many days may a failure to pay be remedied?

## Expected output

Within five Business Days.
"""
    + _CASE_END,
)


def small_files(ground: Ground, draw: Random) -> None:
    """Accepted exceptions, spending files, the label file of a folder, notes of batches."""
    import datetime

    from judge.labelling.label_file import LabelFile
    from judge.results.exceptions import read_exceptions
    from judge.results.spending import read_spending

    line = {"case_id": "lo-right", "item": "fields.margin", "who": "Ann", "why": "agreed", "until": "2030-01-01"}
    label = {
        "item_id": "a",
        "rubric": "r",
        "labels": [{"annotator": "Ann", "label": "x", "at": "2026-01-01T00:00:00+00:00"}],
        "inputs": {"a": "b"},
    }
    money = [{"usage": {"judge_calls": 1, "usd": 0.1, "rubrics": {"r": {"judge_calls": 1}}}}, {"reserved": 1, "rubric": "r", "usd": 0.1},
             {"settled": 1, "rubric": "r", "spent": {"judge_calls": 1, "usd": 0.05}}]  # fmt: skip
    kind = draw.randrange(3)
    if kind == 0:
        read_exceptions(ground.write("e.jsonl", spoiled_lines([line], draw)), {"lo-right"}, datetime.date(2026, 1, 1))
    elif kind == 1:
        list(LabelFile(ground.write("l.jsonl", spoiled_lines([label, label], draw))).labels())
    else:
        read_spending(ground.write("spending.jsonl", spoiled_lines(money, draw)))


def caches(ground: Ground, draw: Random) -> None:
    """Planted rows of the answer cache, damaged cache files, shared caches, and texts of documents."""
    from judge.llm.cache import AnswerCache, SharedCache, row_of
    from judge.llm.replies import Reply

    folder = ground.folder / "answers"
    row = row_of(Reply("supports", "Charge", "They agree.", "m", 0.9), {"texts": "t", "rubric": "r"})
    text = spoiled_json(row, draw)
    if draw.random() < 0.1:
        shutil.rmtree(folder, ignore_errors=True)
    cache = AnswerCache(folder, days=30, size_mb=10)
    cache.put("key", Reply("supports", "Charge", "They agree.", "m", 0.9), {"texts": "t"})
    with contextlib.suppress(sqlite3.Error), sqlite3.connect(folder / "cache.db", timeout=1) as database:
        value: Any = text.decode("utf-8", "replace") if draw.random() < 0.7 else draw.choice((text, None, 5, 0.5))
        database.execute(
            "UPDATE Cache SET value = ?, mode = ?, raw = ?", (value, draw.choice((1, 1, 1, 2, 3, 4, 99)), draw.choice((1, 1, 0)))
        )
    shared = SharedCache(folder, days=30, size_mb=10, shared=ground.folder / "shared")
    name = "ab" * 32
    (ground.folder / "shared" / "ab").mkdir(parents=True, exist_ok=True)
    (ground.folder / "shared" / "ab" / f"{name}.json").write_bytes(spoiled_json(row, draw))
    for one in ("key", name):
        shared.get(one, ("supports", "contradicts"))
    cache.all_parts()
    shared.close()
    cache.close()
    if draw.random() < 0.05:
        (folder / "cache.db").write_bytes(damaged((folder / "cache.db").read_bytes(), draw))
        AnswerCache(folder, days=30, size_mb=10).close()


def cached_texts(ground: Ground, draw: Random) -> None:
    """Kept texts of documents that were edited."""
    from deterministic.documents.documents import open_document

    pdf, cache = ground.folder / "kept.pdf", ground.folder / "texts"
    if not pdf.exists():
        pdf.write_bytes(ground.pdfs[0])
        open_document(pdf, cache_dir=cache)
        ground.kept = {p: p.read_bytes() for p in sorted(cache.rglob("*.json"))}
    for path, data in ground.kept.items():
        spoiled = spoiled_json(json.loads(data.partition(b"\n")[2]), draw)  # behind the hash that it then has, or what it had
        path.write_bytes(draw.choice([hashlib.sha256(spoiled).hexdigest().encode() + b"\n" + spoiled, data[:65] + spoiled]))
    found = open_document(pdf, cache_dir=cache)
    json.dumps([found.text, [page.label for page in found.pages]], ensure_ascii=True)


def pdfs(ground: Ground, draw: Random) -> None:
    """PDF files, with the looks that a run takes at them."""
    from deterministic.documents.closer_looks import alternative_texts, page_image, quote_rectangles, struck_or_hidden
    from deterministic.documents.documents import open_document

    path = ground.write("x.pdf", _spoiled_pdf(draw.choice(ground.pdfs), draw))
    found = open_document(path, cache_dir=None)
    if draw.random() < 0.3:
        numbers = list(range(1, len(found.pages) + 1))[:3]
        alternative_texts(found, numbers)
        for number in numbers[:1]:
            struck_or_hidden(found, number)
            page_image(path, number)
        quote_rectangles(found, 0, min(20, len(found.text)))


def word_files(ground: Ground, draw: Random) -> None:
    """Word files: damaged parts in a whole container, or a damaged container."""
    from deterministic.documents.closer_looks import struck_or_hidden
    from deterministic.documents.documents import open_document

    texts = dict(WORD_PARTS)
    name = draw.choice(list(texts))
    texts[name] = _spoiled_xml(texts[name], draw)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as parts:
        for part, text in texts.items():
            if draw.random() > 0.02:
                parts.writestr(part, text)
    data = packed.getvalue()
    found = open_document(ground.write("x.docx", damaged(data, draw) if draw.random() < 0.2 else data), cache_dir=None)
    struck_or_hidden(found, 1)


def _spoiled_xml(text: bytes, draw: Random) -> bytes:
    """Often an attribute or an element, since most damage to the bytes only ends the parser."""
    if draw.random() < 0.6:
        found = list(re.finditer(rb'"[^"]*"|<[^>]+>|>[^<]+<', text))
        at = draw.choice(found)
        new = draw.choice(
            (
                b'"99999999999999999999"',
                b'"-1"',
                b'""',
                b'"\xc2\xb2"',
                b'"%9999"',
                b"<w:p>" * 400,
                at[0] * 50,
                b"",
                b'"' + b"9" * 5000 + b'"',
            )
        )
        return text[: at.start()] + new + text[at.end() :]
    return damaged(text, draw)


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD_PARTS = {
    "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" '
    b'ContentType="application/xml"/><Override PartName="/word/document.xml" '
    b'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships {_RELATIONS}>'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'.encode(),
    "word/_rels/document.xml.rels": f'<Relationships {_RELATIONS}><Relationship Id="r1" Type="{_OFFICE}/numbering" Target="numbering.xml"/>'
    f'<Relationship Id="r2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'.encode(),
    "word/document.xml": f"<w:document {_W}><w:body>"
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r>'
    '<w:t>Payment</w:t></w:r></w:p>'
    '<w:p><w:r><w:t xml:space="preserve">The Borrower shall repay </w:t></w:r><w:del w:id="1"><w:r>'
    '<w:delText>USD 1</w:delText></w:r></w:del>'
    '<w:ins w:id="2"><w:r><w:rPr><w:strike/><w:vanish w:val="1"/></w:rPr><w:t>USD 2</w:t></w:r></w:ins><w:r>'
    '<w:sym w:font="Symbol" w:char="F0B7"/></w:r></w:p>'
    '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>Margin</w:t></w:r></w:p></w:tc><w:tc>'
    '<w:p><w:r><w:t>2.5%</w:t>'
    '<w:br w:type="page"/></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>'.encode(),
    "word/numbering.xml": f'<w:numbering {_W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
    f'<w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'.encode(),
    "word/styles.xml": f'<w:styles {_W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
    f'<w:basedOn w:val="Normal"/>'
    '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:styleId="Normal"><w:basedOn w:val="Heading1"/>'
    '</w:style></w:styles>'.encode(),
}  # fmt: skip


def _spoiled_pdf(data: bytes, draw: Random) -> bytes:
    """Often in a number or a name of a dictionary, since a flipped byte within a compressed stream only ends the stream."""
    if draw.random() < 0.4:
        words = [
            b"/Kids",
            b"/Count",
            b"/Length",
            b"/Type",
            b"/Parent",
            b"/Contents",
            b"/MediaBox",
            b"/Root",
            b"/Prev",
            b"/Size",
            b"/Font",
            b"obj",
            b"R",
        ]
        word = draw.choice([one for one in words if one in data] or [b"obj"])
        at = data.find(word, draw.randrange(len(data)))
        tail = draw.choice(
            (b" -1", b" 99999999999", b" [0 0 0 0]", b" [1e99 -1e99 0 nan]", b" 1 0 R", b" null", b" <<>>", b"", b" 2147483647")
        )
        return (
            data if at < 0 else data[:at] + (word if draw.random() < 0.8 else b"") + tail + data[at + len(word) + draw.choice((0, 2, 5)) :]
        )
    return damaged(data, draw)


def replies(ground: Ground, draw: Random) -> None:
    """What an endpoint can send back, under the SDK."""
    from judge.llm.clock import Clock
    from judge.llm.judge import Judge
    from judge.records import Question
    from judge.settings import Settings

    now = [1000.0]

    async def sleep(seconds: float) -> None:
        now[0] += min(seconds, 1e9)

    async def handle(request: httpx2.Request) -> httpx2.Response:
        status = draw.choice((200, 200, 200, 200, 201, 204, 302, 400, 401, 404, 408, 422, 429, 429, 500, 502, 503, 529))
        body = spoiled_json(
            COMPLETION if status < 300 else {"error": {"message": draw.choice(TEXTS), "code": odd(draw), "param": odd(draw)}}, draw
        )
        given = {draw.choice(HEADERS): draw.choice(HEADER_VALUES) for _ in range(draw.choice((0, 0, 1, 2)))}
        given = {"content-type": "application/json", **given}
        given.pop("content-encoding", None)  # is refused by the real transport, which also takes a charset away
        given["content-type"] = given["content-type"].partition(";")[0]
        return httpx2.Response(status, content=body, headers=[(name.encode(), value.encode("utf-8")) for name, value in given.items()])

    async def ask() -> None:
        settings = Settings(judge="stub", base_url="http://stub.test/v1", no_cache=True, deadline=100.0, max_retries=2)
        clock = Clock(lambda: now[0], lambda: 1.7e9 + now[0], sleep)
        network = {"environ": {"OPENAI_API_KEY": "sk-secret-123456"}, "clock": clock}
        async with Judge.open(settings, **network, transport=httpx2.MockTransport(handle)) as judge:
            for n in range(10):
                answer = await judge.ask(Question.of("quote_support", **{**QUESTION, "claim": f"0.{n}"}))
                json.dumps(
                    [answer.verdict, answer.error_detail, answer.evidence, answer.reasoning], ensure_ascii=False, allow_nan=False
                ).encode()

    asyncio.run(ask())


def wires(ground: Ground, draw: Random) -> None:
    """Raw bytes on a socket under the real transport."""
    from judge.llm.transport import Transport

    body = json.dumps(COMPLETION).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    whole = draw.choice((
        head + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n",
        head + b"Connection: close\r\n\r\n" + body,
    ))  # fmt: skip
    data = damaged(whole[: len(head) + 60], draw) + whole[len(head) + 60 :] if draw.random() < 0.7 else damaged(whole, draw)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(data)
            await writer.drain()
        writer.close()

    async def ask() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        transport = Transport()
        try:
            async with asyncio.timeout(3):
                request = httpx2.Request("POST", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", content=b"{}")
                await transport.handle_async_request(request)
        finally:
            await transport.aclose()
            server.close()

    with contextlib.suppress(httpx2.TransportError, TimeoutError):
        asyncio.run(ask())


def label_requests(ground: Ground, draw: Random) -> None:
    """Requests to the label server."""
    server = ground.__dict__.get("server") or _label_server(ground)
    body = {"annotator": "Ann", "task": 0, "choice": "correct", "note": "n", "text": "t"}
    path = draw.choice(
        ("/api/label", "/api/skip", "/api/undo", "/", "/api/state?annotator=Ann&task=0", "/api/page?task=0&document=x.pdf&page=1")
    )
    if draw.random() < 0.5:
        path = path.replace("0", draw.choice(("²", "-1", "9" * 400, "%00", "٣", "1e3"))).replace(
            "Ann", draw.choice(("%ff", "%00", "x" * 500))
        )
    sent = spoiled_json(body, draw) if draw.random() < 0.8 else json.dumps({**body, "task": draw.choice(VALUES)}).encode()
    place = f"Host: 127.0.0.1:{server.server_port}\r\nX-Judge-Token: {server.token}\r\n"
    head = f"{draw.choice(('POST', 'POST', 'GET'))} {path} HTTP/1.1\r\n{place}"
    length = draw.choice((str(len(sent)),) * 9 + ("9" * 5000, "-1", "²", "0"))
    data = f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n".encode() + sent
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(damaged(data, draw) if draw.random() < 0.15 else data)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while connection.recv(65536):
                pass


def _label_server(ground: Ground) -> Any:
    from judge.labelling.label_file import LabelFile
    from judge.labelling.server import LabelServer
    from judge.labelling.session import LabelSession
    from judge.labelling.tasks import item_task
    from judge.results.reading import contract_of_run, read_results

    items = read_results(ground.results, contract_of_run(ground.results).label_scores).items[:20]
    ground.server = LabelServer(LabelSession([item_task(item) for item in items], LabelFile(ground.folder / "served.jsonl")), None)
    threading.Thread(target=ground.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    time.sleep(0.05)
    return ground.server


def command_lines(ground: Ground, draw: Random) -> None:
    """Options with odd values."""
    flags = ("--limit", "--case", "--rpm", "--tpm", "--budget", "--temperature", "--seed", "--panel", "--quorum",
    "--repeats", "--base-url", "--judge",
             "--max-judge-errors", "--contract", "--rubrics", "--require-calibrated", "--exceptions", "--prices",
             "--baseline", "--deadline", "--timeout",
             "--concurrency", "--allow-endpoint", "--max-tokens", "--ocr", "--gold", "--out", "--documents", "--capability")  # fmt: skip
    values = (
        *(text for text in TEXTS if "\0" not in text),
        "http://[bad/v1",
        "http://x\r\ny/v1",
        "ftp://x",
        "http://",
        "/dev/null",
        "/dev/zero",
        "nan",
        "inf",
    )
    batch, gold = str(SAMPLE / "batch.jsonl"), str(SAMPLE / "gold.jsonl")
    arguments = [
        "check",
        batch,
        "--gold",
        gold,
        "--documents",
        str(SAMPLE / "documents"),
        "--cache-dir",
        str(ground.cache),
        "--case",
        "nothing-*",
    ]
    for _ in range(draw.choice((1, 1, 2))):
        arguments += [draw.choice(flags), draw.choice(values)]
    _command(arguments)


# kind -> share of the inputs
KINDS: dict[Callable[[Ground, Random], None], float] = {
    cases: 10, whole_runs: 0.1, labels: 22, label_sheets: 1, records: 14, contracts: 16, result_folders: 3, sheets: 2.5, small_files: 20,
    caches: 3, cached_texts: 2, pdfs: 3, word_files: 2, case_files: 3, replies: 1.5, wires: 1.5, label_requests: 1, command_lines: 0.1,
}  # fmt: skip


def expected_errors() -> tuple[type[Exception], ...]:
    """What the program raises on purpose."""
    from calibration.decision.record import RecordError
    from calibration.label_files.labels import LabelFileError
    from deterministic.documents.documents import DocumentError
    from rubrics.contract import ContractFileError
    from rubrics.rubric import RubricFileError

    return (JudgeError, BudgetReached, ContractFileError, RubricFileError, LabelFileError, RecordError, DocumentError)


def one_input(kind: Callable[[Ground, Random], None], ground: Ground, draw: Random) -> str:
    """What is wrong with how an input is taken; "" where nothing is. Raises what the program should not raise."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    traced = mock.patch.dict(os.environ, JUDGE_TRACEBACK="1")
    with traced, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(*expected_errors()):
        kind(ground, draw)
    err.flush()
    told = err.buffer.getvalue().decode()
    return next((line for line in told.splitlines() if "internal error" in line or "Traceback" in line), "")
