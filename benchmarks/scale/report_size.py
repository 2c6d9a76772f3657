"""Builds report.html for 10,000 items on 625 cases and measures time, memory and size against the limits of the product.

    python benchmarks/scale/report_size.py [--items 10000]

Every item cites one of twelve 40-page PDFs made here; one in nine fails, so that the image budget is used to its end. Exit 1 when a limit
is passed: 20 s, 1 GiB, 25 MB.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pymupdf

ITEMS_A_CASE, DOCUMENTS, PAGES = 16, 12, 40
SECONDS, MEMORY, SIZE = 20.0, 1 << 30, 25_000_000
FIELDS = ("borrower", "margin", "tenor", "currency", "governing_law", "facility_amount", "maturity_date", "commitment_fee")


def make_documents(folder: Path) -> None:
    """Twelve agreements of forty pages of clause text."""
    folder.mkdir()
    for n in range(DOCUMENTS):
        pdf: Any = pymupdf.open()  # type: ignore[no-untyped-call]
        for page in range(1, PAGES + 1):
            lines = [
                f"{page}.{k} The Borrower shall pay instalment {n}-{page}-{k} of the Loan on each Interest Payment Date."
                for k in range(1, 40)
            ]
            pdf.new_page().insert_text((60, 72), "\n".join(lines), fontsize=9)
        pdf.save(folder / name_of(n))


def name_of(number: int) -> str:
    """File name of a document."""
    return f"agreement-{number:02}.pdf"


def verdict_lines(items: int, texts: dict[str, str]) -> list[dict[str, Any]]:
    """One line of verdicts.jsonl an item."""
    return [verdict_line(n, texts) for n in range(items)]


def verdict_line(n: int, texts: dict[str, str]) -> dict[str, Any]:
    """An item whose quote stands on a page of its document."""
    document, page, k = n % DOCUMENTS, n * 7 % PAGES + 1, n % 30 + 5
    quote = f"The Borrower shall pay instalment {document}-{page}-{k} of the Loan on each Interest Payment Date."
    start = texts[name_of(document)].index(quote)
    is_wrong = n % 9 == 0
    claim = {"document": name_of(document), "page": page, "section": f"Clause {page}.{k}", "quote": quote}
    block = {"outcome": "exact", "score": 1.0, "complete": True, "quote": "exact", "page": "right", "section": "right", "match": 100.0}
    found = {
        "pages_found": [page],
        "sections_found": [f"Clause {page}.{k}"],
        "document": name_of(document),
        "spans": [[start, start + len(quote)]],
    }
    return {
        "case_id": f"case-{n // ITEMS_A_CASE:05}",
        "capability": "loan_onboarding",
        "item": f"fields.{FIELDS[n % ITEMS_A_CASE % len(FIELDS)]}",
        "tranche": None if n % ITEMS_A_CASE < len(FIELDS) else "Facility A",
        "outcome": "fail" if is_wrong else "correct",
        "score": 0.0 if is_wrong else 1.0,
        "bounds": [0.0, 0.0] if is_wrong else [1.0, 1.0],
        "weight": 1.0,
        "provenance": {**block, **found, "claim": claim},
        "decided_by": "deterministic",
        "rule": "1.1 Fail" if is_wrong else "1.1 Correct",
        "reason": f"Reported 'instalment {document}-{page}-{k}'; the document states 'instalment {document}-{page}-{k + is_wrong}'.",
        "rubric": None,
        "judge": None,
        "findings": [],
        "reported": f"instalment {document}-{page}-{k}",
        "gold": f"instalment {document}-{page}-{k + is_wrong}",
        "confidence": 0.5 + n % 50 / 100,
    }


def write_folder(folder: Path, documents: Path, lines: list[dict[str, Any]]) -> None:
    """A result folder around the verdict lines."""
    folder.mkdir()
    write_lines(folder / "verdicts.jsonl", lines)
    cases: dict[str, list[float]] = {}
    for line in lines:
        cases.setdefault(line["case_id"], []).append(line["score"])
    write_lines(folder / "cases.jsonl", [case_line(case_id, scores) for case_id, scores in cases.items()])
    score = sum(line["score"] for line in lines) / len(lines)
    capability = {"cases": len(cases), "score": score, "bounds": [score, score], "interval": [score, score]}
    gate = {
        "name": "capability_score",
        "scope": "loan_onboarding",
        "value": score,
        "bounds": [score, score],
        "threshold": 0.85,
        "result": "pass",
    }
    summary = {
        "verdict": "pass",
        "exit_code": 0,
        "contract_version": "1.0",
        "capabilities": {"loan_onboarding": capability},
        "gates": [gate],
    }
    (folder / "summary.json").write_text(json.dumps({**summary, "counts": {"items": len(lines)}, "usage": {}}), "utf-8")
    (folder / "run.json").write_text(json.dumps({"documents_folder": str(documents)}), "utf-8")


def case_line(case_id: str, scores: list[float]) -> dict[str, Any]:
    """One line of cases.jsonl."""
    score, wrong = sum(scores) / len(scores), scores.count(0.0)
    outcomes = {"fail": wrong, "correct": len(scores) - wrong}
    line = {"case_id": case_id, "capability": "loan_onboarding", "score": score, "bounds": [score, score], "weight": 1}
    return {**line, "hallucinated": False, "outcomes": outcomes}


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """JSON Lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def main() -> int:
    """Builds, measures, compares with the limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    items = parser.parse_args().items
    from deterministic.documents.documents import open_document
    from judge.report.files import ReportOptions, write_reports
    from rubrics.contract import load_contract

    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        make_documents(root / "documents")
        cache = root / "cache"
        texts = {name_of(n): open_document(root / "documents" / name_of(n), cache_dir=cache).text for n in range(DOCUMENTS)}
        write_folder(root / "results", root / "documents", verdict_lines(items, texts))
        started = time.perf_counter()
        report = write_reports(root / "results", load_contract(), ReportOptions(cache_dir=cache))[0]
        seconds, size = time.perf_counter() - started, report.stat().st_size
        images = report.read_text("utf-8").count('class="page"')
    memory = 1024 * sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{items:,} items: all four files in {seconds:.1f} s; report.html has {size / 1e6:.1f} MB with {images} page images")
    print(f"memory: {memory / 2**20:.0f} MiB at most, the PDF worker included")
    return int(seconds > SECONDS or memory > MEMORY or size > SIZE)


if __name__ == "__main__":
    sys.exit(main())
