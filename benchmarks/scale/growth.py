"""How the cost of a run grows with its input: sizes of inputs by kind, four steps each, processor seconds of the command and its readers.

    python -m benchmarks.scale.growth [--only NAME] [--scale 1.0]

The exponent is the slope of log(seconds - those of an empty run) between the second and the last step; 1.15 at most is the promise.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf

MOST = 1.15
NOISE = 0.3  # seconds, by which two runs of the same command differ
CODE = "from judge.cli import main; main()"
WORDS = "The Borrower shall repay the Loan together with accrued interest on each date which falls after the Utilisation Date".split()
QUESTION = {"capability": "document_qa", "document": "a.pdf", "input": {"question": "What does it owe?"}}
TRUE: dict[str, Any] = {"answerable": True, "answer": "It owes USD 45,000,000.", "required_sections": ["Clause 1.1"], "topic": "t"}


def clause(number: int) -> str:
    """A sentence that stands nowhere else."""
    return f"{number}.1 {' '.join(WORDS[number % 7 :])} and pay a fee of USD {1000 + number:,}.00 under Clause {number}."


def write_pdf(path: Path, clauses: int, per_page: int = 20, annotations: int = 0, parties: Sequence[str] = ()) -> None:
    """An agreement of so many clauses behind its parties, all annotations on its first page."""
    book = pymupdf.open()
    for start in range(0, len(parties), per_page):
        page = book.new_page()
        for row, name in enumerate(parties[start : start + per_page]):
            page.insert_text((40, 60 + 34 * row), f"({start + row + 1}) {name} as guarantor;", fontsize=6)
    for start in range(0, max(clauses, 1), per_page):
        page = book.new_page()
        for row, number in enumerate(range(start, min(start + per_page, clauses))):
            page.insert_text((40, 60 + 34 * row), clause(number + 1), fontsize=6)
    if annotations:  # written as they are: the library's own way to add one takes longer the more there are
        found = [book.get_new_xref() for _ in range(annotations)]
        for number, xref in enumerate(found):
            low = 60 + number % 600
            corners = f"40 {low} 300 {low} 40 {low + 6} 300 {low + 6}"
            box = f"40 {low} 300 {low + 6}"
            book.update_object(
                xref, f"<</Type/Annot/Subtype/Highlight/C[1 1 0]/Rect[{box}]/QuadPoints[{corners}]/Contents(note {number})>>"
            )
        book.xref_set_key(book[0].xref, "Annots", f"[{' '.join(f'{xref} 0 R' for xref in found)}]")
    book.save(path)


def lines(path: Path, *found: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in found), "utf-8")


def qa(folder: Path, output: dict[str, Any], gold: dict[str, Any] | None = None, cases: int = 1) -> list[str]:
    lines(folder / "b.jsonl", *({**QUESTION, "case_id": f"q{n}", "output": output} for n in range(cases)))
    lines(folder / "g.jsonl", *({"case_id": f"q{n}", "gold": gold or TRUE} for n in range(cases)))
    return RUN


RUN = ["run", "b.jsonl", "--gold", "g.jsonl", "--documents", ".", "--ocr", "off", "--out", "o", "--display", "none", "--reports", "none"]


def cited(*numbers: int) -> dict[str, Any]:
    found = [{"document": "a.pdf", "page": (n - 1) // 20 + 1, "section": f"Clause {n}.1", "quote": clause(n)} for n in numbers]
    return {"answer": "It owes USD 45,000,000.", "citations": found}


def document(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", size)
    return qa(folder, cited(1))


def pictures(folder: Path, size: int) -> list[str]:
    (folder / "a.pages").mkdir()
    image = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 600, 800)).tobytes("png")
    for number in range(size):
        (folder / "a.pages" / f"{number}.png").write_bytes(image)
    code = qa(folder, cited(1))
    (folder / "b.jsonl").write_text((folder / "b.jsonl").read_text().replace("a.pdf", "a.pages"))
    return code


def annotations(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", 20, annotations=size)
    return qa(folder, cited(1))


def quote(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", 4000)
    long = " ".join(clause(n) for n in range(1, size + 1))
    return qa(folder, {**cited(1), "citations": [{"document": "a.pdf", "page": 1, "section": "Clause 1.1", "quote": long}]})


def citations(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", 1000)
    return qa(folder, cited(*range(1, size + 1)))


def accepted(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", 20)
    answers = [f"It owes USD {number:,} in the year {number} under Clause {number}." for number in range(1, size + 1)]
    return qa(folder, {**cited(1), "answer": "Its debt is 45 million dollars."}, {**TRUE, "accepted": answers})


def extraction(folder: Path, output: dict[str, Any], gold: dict[str, Any], capability: str, parties: Sequence[str] = ()) -> list[str]:
    write_pdf(folder / "a.pdf", 1000, parties=parties)
    lines(folder / "b.jsonl", {"case_id": "c", "capability": capability, "document": "a.pdf", "input": {}, "output": output})
    lines(folder / "g.jsonl", {"case_id": "c", "gold": gold})
    return RUN


FIELDS = (
    "borrower guarantors facility_agent facility_amount currency facility_type tenor maturity_date margin reference_rate commitment_fee "
    "repayment_schedule governing_law conditions_precedent mac_clause negative_pledge"
).split()


def onboarding(folder: Path, output: dict[str, Any], gold: dict[str, Any], parties: Sequence[str] = ()) -> list[str]:
    """A case of these fields and tranches; every other field is absent."""
    out = {name: {"status": "absent", "confidence": 0.9, "hitl": "none"} for name in FIELDS} | output.pop("fields", {})
    true = {name: {"absent": True} for name in FIELDS} | gold.pop("fields", {})
    kind = {"document_type": "primary_agreement"}
    return extraction(folder, {**kind, "fields": out, **output}, {**kind, "fields": true, **gold}, "loan_onboarding", parties)


def extracted(value: Any, citation: dict[str, Any]) -> dict[str, Any]:
    return {"status": "extracted", "value": value, "confidence": 0.9, "hitl": "none", "citation": citation}


def tranches(folder: Path, size: int) -> list[str]:
    mine, true = [], []
    for n in range(1, size + 1):
        held = extracted(f"USD {1000 + n:,}.00", cited(n)["citations"][0])
        mine.append({"label": f"Facility {n}", "fields": {"facility_amount": held}})
        true.append({"label": f"Facility {n}", "fields": {"facility_amount": {"value": f"USD {1000 + n:,}"}}})
    return onboarding(folder, {"tranches": mine}, {"tranches": true})


def guarantors(folder: Path, size: int) -> list[str]:
    names = [f"{WORDS[n % len(WORDS)].title()} Number {n} Holdings" for n in range(size)]
    reported = [f"{name} Pte. Ltd." for name in names]
    field = extracted(reported, {"document": "a.pdf", "page": 1, "section": "Parties", "quote": f"(1) {reported[0]} as guarantor"})
    return onboarding(folder, {"fields": {"guarantors": field}}, {"fields": {"guarantors": {"value": names}}}, reported)


def covenants(folder: Path, size: int) -> list[str]:
    def one(n: int, word: str) -> dict[str, Any]:
        return {"name": f"{word} {WORDS[n % 19]} Ratio {n}", "type": "financial", "secondary_type": None, "threshold": f"at most {n}.00:1",
                "testing_frequency": "quarterly", "effective_date": "2026-03-31", "citation": cited(n)["citations"][0]}  # fmt: skip

    mine, true = ({"covenants": [one(n, word) for n in range(1, size + 1)]} for word in ("Net", "Gross"))
    return extraction(folder, mine, true, "covenant_monitoring")


def findings(folder: Path, size: int) -> list[str]:
    def one(n: int, word: str) -> dict[str, Any]:
        return {
            "term": f"{word} {WORDS[n % 19]} term {n}",
            "finding": "conforming",
            "benchmark_value": "as the LMA form",
            "deal_value": f"{n} days",
        }

    held = {"jurisdiction": "English law", "market": "European", "benchmark": "LMA", "jurisdiction_ambiguous": False}
    mine = [{**one(n, "Net"), "citation": cited(n)["citations"][0]} for n in range(1, size + 1)]
    true = [one(n, "Gross") for n in range(1, size + 1)]
    return extraction(folder, {**held, "findings": mine}, {**held, "findings": true}, "benchmark_validation")


def cases(folder: Path, size: int) -> list[str]:
    write_pdf(folder / "a.pdf", 20)
    return qa(folder, cited(1), cases=size)


def labels(folder: Path, size: int) -> list[str]:
    said = ("equivalent", "not_equivalent")
    found = [
        {"item_id": f"i{n}", "rubric": "semantic_match", "cluster_id": f"c{n // 5}", "judge": {"verdict": said[n % 3 == 0]},
         "label_source": "constructed", "labels": [{"annotator": who, "label": said[n % 4 == 0]} for who in "AB"]}
        for n in range(size)
    ]  # fmt: skip
    lines(folder / "l.jsonl", *found)
    return ["calibrate", "l.jsonl", "--out", "o"]


COSTS: dict[str, tuple[Callable[[Path, int], list[str]], tuple[int, ...]]] = {
    "clauses of a document": (document, (4000, 8000, 16000, 32000)),
    "pictures of a folder": (pictures, (100, 200, 400, 800)),
    "annotations": (annotations, (2000, 4000, 8000, 16000)),
    "clauses in a quote": (quote, (70, 140, 280, 560)),
    "citations": (citations, (100, 200, 400, 800)),
    "accepted answers": (accepted, (500, 1000, 2000, 4000)),
    "tranches": (tranches, (50, 100, 200, 400)),
    "guarantors": (guarantors, (50, 100, 200, 400)),
    "covenants": (covenants, (50, 100, 200, 400)),
    "findings": (findings, (50, 100, 200, 400)),
    "cases": (cases, (1000, 2000, 4000, 8000)),
    "labels": (labels, (10000, 20000, 40000, 80000)),
}


def seconds(arguments: list[str], folder: Path) -> tuple[float, int]:
    """Processor seconds of a command with its children, and its exit code."""
    environment = {**os.environ, "JUDGE_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen([sys.executable, "-P", "-c", CODE, *arguments], cwd=folder, env=environment, stdout=-3, stderr=-3)
    _, status, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)


def measured(make: Callable[[Path, int], list[str]], size: int) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as name:
        return seconds(make(Path(name), size), Path(name))


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    start = measured(lambda folder, size: document(folder, 1), 1)[0]
    print(f"start: {start:.1f} s\n| cost | sizes | seconds | exponent |\n|---|---|---|---|")
    for name, (make, sizes) in COSTS.items():
        if given.only and given.only not in name:
            continue
        sizes = tuple(round(size * given.scale) for size in sizes)
        found = [measured(make, size) for size in sizes]
        net = [max(took - start, 0.01) for took, _ in found]
        slope = math.log(net[-1] / max(net[1], NOISE)) / math.log(sizes[-1] / sizes[1]) if net[-1] > NOISE else 0.0
        codes = sorted({code for _, code in found} - {0, 1, 4})
        told = ", ".join(f"{took:.1f}" for took, _ in found)
        marks = f"{' !' if slope > MOST else ''}{f' codes {codes}' if codes else ''}"
        print(f"| {name} | {', '.join(map(str, sizes))} | {told} | {slope:.2f}{marks} |")


if __name__ == "__main__":
    main()
