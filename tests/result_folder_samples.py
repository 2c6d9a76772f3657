"""Result folders made by code, in the formats of docs/contract/formats.md, for the tests of reports, comparison and labelling."""

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deterministic.documents.documents import PageImage
from judge.report.page_cuts import Rectangle
from judge.results.seal import seal
from tests.tables import table

DOCUMENT = "acme-facility-agreement.pdf"
PAGES = (
    "THIS AGREEMENT is made between ACME SHIPPING PTE. LTD. as borrower and HARBOUR BANK LIMITED as agent.",
    "5.1 Margin. The Margin is 2.50 per cent. per annum. 5.2 The Commitment Fee is 0.40 per cent. per annum on undrawn amounts.",
    "7.1 Repayment. The Borrower shall repay the Loan in full on 21 June 2029.",
)
TEXT = "\n".join(PAGES)
OPEN_POINT = "Does the quote support the reported value?"


def verdict(
    case_id: str = "acme-001",
    item: str = "fields.borrower",
    outcome: str = "correct",
    *,
    score: float | None = 1.0,
    bounds: Sequence[float] | None = None,
    capability: str = "loan_onboarding",
    **extra: Any,
) -> dict[str, Any]:
    """One line of verdicts.jsonl."""
    line: dict[str, Any] = {
        "case_id": case_id,
        "capability": capability,
        "item": item,
        "tranche": None,
        "outcome": outcome,
        "score": score,
        "weight": 1.0,
        "provenance": {"outcome": "not_required", "score": None, "complete": False},
        "decided_by": "none" if score is None else "deterministic",
        "rule": "1.1 " + outcome.capitalize(),
        "reason": f"The reported value is {outcome}.",
        "rubric": None,
        "judge": None,
        "bounds": list(bounds) if bounds is not None else [score, score],
        "findings": [],
        "reported": "a value",
        "gold": "a value",
    }
    return {**line, **extra}


def provenance(words: str, *, page: int = 2, section: str = "Clause 5.1", found: str | None = None, **extra: Any) -> dict[str, Any]:
    """The provenance of a quote `words`; `found` is what stands in the document (the quote itself unless given)."""
    start = TEXT.index(found if found is not None else words)
    end = start + len(found if found is not None else words)
    stands = next(n for n in range(1, 4) if start < len("\n".join(PAGES[:n])))
    block: dict[str, Any] = {
        "outcome": "exact",
        "score": 1.0,
        "complete": True,
        "quote": "exact",
        "page": "right",
        "section": "right",
        "pages_found": [stands],
        "sections_found": [section],
        "match": 100.0,
        "document": DOCUMENT,
        "spans": [[start, end]],
        "claim": {"document": DOCUMENT, "page": page, "section": section, "quote": words},
    }
    return {**block, **extra}


def sample_lines() -> list[dict[str, Any]]:
    """A case with one of everything, a covenant case and a question."""
    return [verdict(**changes) for changes in table("result_folder", "sample")]


def write_results(
    folder: Path,
    lines: Sequence[Mapping[str, Any]] | None = None,
    *,
    verdict_word: str = "fail",
    run: Mapping[str, Any] | None = None,
    case_scores: Mapping[str, float] | None = None,
) -> Path:
    """Writes a whole result folder; cases and summary follow from the lines."""
    lines = sample_lines() if lines is None else lines
    folder.mkdir(parents=True, exist_ok=True)
    _write_lines(folder / "verdicts.jsonl", lines)
    cases = _cases(lines, case_scores or {})
    _write_lines(folder / "cases.jsonl", cases)
    _write_lines(folder / "review.jsonl", [line for line in lines if line["outcome"] in ("undecided", "judge_error", "hallucination")])
    (folder / "summary.json").write_text(json.dumps(_summary(lines, cases, verdict_word)), "utf-8")
    started = {"tool_version": "0.1.0", "contract": {"version": "1.0", "hash": "c0ffee"}, "judge": {"model": "judge-1"}, **(run or {})}
    (folder / "run.json").write_text(json.dumps(started), "utf-8")
    if "ending" in started:
        seal(folder)
    return folder


def _write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def _cases(lines: Sequence[Mapping[str, Any]], scores: Mapping[str, float]) -> list[dict[str, Any]]:
    by_case: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        by_case.setdefault(line["case_id"], []).append(line)
    return [_case(case_id, members, scores.get(case_id)) for case_id, members in by_case.items()]


def _case(case_id: str, lines: Sequence[Mapping[str, Any]], score: float | None) -> dict[str, Any]:
    weight = sum(line["weight"] for line in lines) or 1.0
    low, high = (sum(line["bounds"][end] * line["weight"] for line in lines) / weight for end in (0, 1))
    if any(line["outcome"] == "hallucination" for line in lines):
        low = high = 0.0
    if score is not None:
        low = high = score
    outcomes: dict[str, int] = {}
    for line in lines:
        outcomes[line["outcome"]] = outcomes.get(line["outcome"], 0) + 1
    return {
        "case_id": case_id,
        "capability": lines[0]["capability"],
        "score": low if low == high else None,
        "bounds": [low, high],
        "hallucinated": "hallucination" in outcomes,
        "weight": 1,
        "outcomes": outcomes,
    }


def _summary(lines: Sequence[Mapping[str, Any]], cases: Sequence[Mapping[str, Any]], word: str) -> dict[str, Any]:
    capabilities: dict[str, Any] = {}
    for name in dict.fromkeys(case["capability"] for case in cases):
        members = [case for case in cases if case["capability"] == name]
        low, high = (sum(case["bounds"][end] for case in members) / len(members) for end in (0, 1))
        capabilities[name] = {
            "cases": len(members),
            "score": low if low == high else None,
            "bounds": [low, high],
            "interval": [max(0.0, low - 0.1), min(1.0, high + 0.1)],
        }
    counts = {"items": len(lines), "scored": sum(line["score"] is not None for line in lines)}
    counts |= {name: sum(line["outcome"] == name for line in lines) for name in ("undecided", "judge_error")}
    counts["hallucinated"] = sum(line["outcome"] == "hallucination" for line in lines)
    return {
        "schema_version": 1,
        "contract_version": "1.0",
        "verdict": word,
        "exit_code": {"pass": 0, "fail": 1, "inconclusive": 4}.get(word, 1),
        "capabilities": capabilities,
        "gates": _gates(word, capabilities),
        "counts": counts,
        "usage": {"judge_calls": 3, "cached": 1, "input_tokens": 10, "output_tokens": 5, "usd": 0.01},
    }


def _gates(word: str, capabilities: Mapping[str, Any]) -> list[dict[str, Any]]:
    result = {"pass": "pass", "inconclusive": "inconclusive"}.get(word, "fail")
    scores = [
        {"name": "capability_score", "scope": name, "value": c["score"], "bounds": c["bounds"], "threshold": 0.85, "result": result}
        for name, c in capabilities.items()
    ]
    return [
        *scores,
        {"name": "hallucination_rate", "scope": "all", "value": 0.1, "bounds": [0.1, 0.1], "threshold": 0.0, "result": result},
        {
            "name": "grounded_refusal_accuracy",
            "scope": "document_qa",
            "value": None,
            "bounds": None,
            "threshold": 0.95,
            "result": "not_applicable",
        },
    ]


class FakePages:
    """Pages of the sample without a PDF: a line of text is 10 points high, a character 5 points wide."""

    def text(self, name: str) -> str | None:
        return TEXT if name == DOCUMENT else None

    def page_count(self, name: str) -> int:
        return len(PAGES) if name == DOCUMENT else 0

    def text_parts(self, name: str) -> tuple[tuple[int, int], ...]:
        return ()

    def leaf(self, name: str, page: int) -> PageImage | None:
        return PageImage(grey_png(200, 280), 200, 280, 595.0, 842.0) if name == DOCUMENT else None

    def rectangles(self, name: str, start: int, end: int) -> list[Rectangle]:
        starts = [0, len(PAGES[0]) + 1, len(PAGES[0]) + len(PAGES[1]) + 2]
        page = max(n for n, at in enumerate(starts) if at <= start)
        at = start - starts[page]
        return [
            (page + 1, 5.0 * (at % 110), 20.0 + 12 * (at // 110), 5.0 * (at % 110) + 5.0 * min(end - start, 90), 30.0 + 12 * (at // 110))
        ]

    def find(self, name: str, quote: str, page: int | None) -> list[tuple[int, int]]:
        at = TEXT.find(quote) if name == DOCUMENT and quote else -1
        return [(at, at + len(quote))] if at >= 0 else []


def grey_png(width: int, height: int) -> bytes:
    """A plain grey PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    rows = (b"\x00" + b"\xee" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
