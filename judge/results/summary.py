"""A finished or interrupted run, read back from its verdicts: case lines, summary, review list, and what a person should see first."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from judge.records import SEVERITY, CaseResult, Outcome
from judge.results.exceptions import Exceptions
from judge.results.folder import CASES, REVIEW, SUMMARY, VERDICTS, VerdictReader, open_atomically, to_json, write_atomically
from judge.results.gates import Ending, Gate, Ruling, Tally, rule
from judge.results.lines import OPEN, Line, exact, judged
from rubrics.contract import Contract

if TYPE_CHECKING:
    from judge.calibrate.rates import RateTally

SCHEMA_VERSION = 1
WORST_SHOWN = 12
OPEN_SHOWN = 6
HITL_CODES = frozenset({"HITL_MISSING", "HITL_UNNEEDED"})

RANKS: Mapping[str, int] = {str(outcome): rank for outcome, rank in SEVERITY.items()}

CasePlan = tuple[str, str, Fraction]  # case id, capability, weight


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run says. document: the content of summary.json; worst: what a person should see first; open_items: some undecided lines;
    open_reasons: cause -> number of undecided items."""

    document: Mapping[str, Any]
    ruling: Ruling
    gates: tuple[Gate, ...]
    worst: tuple[Line, ...]
    open_items: tuple[Line, ...]
    open_reasons: Mapping[str, int]


@dataclass(slots=True)
class _Review:
    """Collects the worst lines and the reasons of open ones, in the batch's order."""

    heap: list[tuple[int, Fraction, int, Line]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    open_items: list[Line] = field(default_factory=list)
    count: int = 0

    def see(self, line: Line) -> None:
        """Looks at one line."""
        self.count += 1
        if line["outcome"] in OPEN:
            self.reasons[str(line.get("why_open") or line["outcome"])] += 1
            if len(self.open_items) < OPEN_SHOWN:
                self.open_items.append(line)
        rank = RANKS.get(line["outcome"], -1)
        if rank >= SEVERITY[Outcome.PARTIAL]:
            entry = (rank, exact(line["weight"]), -self.count, line)
            (heapq.heappush if len(self.heap) < WORST_SHOWN else heapq.heappushpop)(self.heap, entry)

    @property
    def worst(self) -> tuple[Line, ...]:
        """Worst first; of equals the heavier, then the earlier."""
        return tuple(entry[3] for entry in sorted(self.heap, key=lambda e: e[:3], reverse=True))


def summarise(
    folder: Path,
    plan: Iterable[CasePlan],
    contract: Contract,
    ending: Ending,
    *,
    has_gold: bool,
    usage: Mapping[str, Any] | None = None,
    exceptions: Exceptions | None = None,
    rates: RateTally | None = None,
) -> Summary:
    """Reads the verdicts in the batch's order, rebuilds cases.jsonl, review.jsonl and summary.json, and rules.

    rates: of a calibration record, to show what the judge accepted beside the rates corrected for its errors.
    """
    tally, review = Tally(contract, has_gold), _Review()
    reader = VerdictReader(folder / VERDICTS, contract.label_scores)
    judged_cases, excepted_cases = set[str](), exceptions.case_ids if exceptions else set[str]()

    def case_lines(reviews: IO[str]) -> Iterator[str]:
        for case_id, capability, weight in plan:
            lines = reader.case(case_id)
            if lines is None:
                tally.add_skipped(capability, weight)
                yield to_json(_skipped_line(case_id, capability, weight)) + "\n"
                continue
            if exceptions is not None:
                if case_id in excepted_cases:
                    judged_cases.add(case_id)
                lines = [exceptions.apply(line) for line in lines]
            for line in lines:
                review.see(line)
                if rates is not None:
                    rates.see(line)
            reviews.writelines(to_json(entry) + "\n" for line in lines if (entry := review_line(line)))
            yield to_json(case_line(tally.add_case(case_id, capability, weight, [judged(line) for line in lines]))) + "\n"

    try:
        with open_atomically(folder / REVIEW) as reviews:
            write_atomically(folder / CASES, case_lines(reviews))
    finally:
        reader.close()
    if exceptions is not None:
        exceptions.check(judged_cases)
    gates = tuple(tally.gates())
    ruling = rule(tally, gates, ending)
    document = _document(tally, gates, ruling, contract, dict(usage or {}))
    if rates is not None:
        document["rates"] = rates.document()
    write_atomically(folder / SUMMARY, [to_json(document)])
    return Summary(document, ruling, gates, review.worst, tuple(review.open_items), dict(review.reasons.most_common()))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _pair(bounds: Sequence[Fraction | float] | None) -> list[float] | None:
    return None if bounds is None else [float(b) for b in bounds]


def case_line(case: CaseResult) -> Line:
    """The line of cases.jsonl."""
    line: Line = {
        "case_id": case.case_id,
        "capability": case.capability,
        "score": _number(case.score),
        "bounds": _pair(case.bounds),
        "hallucinated": case.hallucinated,
        "weight": float(case.weight),
        "outcomes": dict(case.outcomes),
    }
    return line if exact(line["weight"]) == case.weight else {**line, "weight_exact": str(case.weight)}


def _skipped_line(case_id: str, capability: str, weight: Fraction) -> Line:
    bounds = (Fraction(0), Fraction(1))
    return {**case_line(CaseResult(case_id, capability, None, bounds, False, weight)), "skipped": True}


def review_line(line: Line) -> Line | None:
    """What a person must look at: undecided items, judge errors, hallucinations (for root cause), HITL; None for all else."""
    why = []
    if line["outcome"] in OPEN:
        why.append(line.get("why_open") or line["outcome"])
    if line["outcome"] == "hallucination":
        why.append("hallucination")
    codes = {finding["code"] for finding in line.get("findings", ()) if isinstance(finding, dict)}
    why += sorted(codes & HITL_CODES)
    if line.get("hitl") in ("flag", "block"):
        why.append(f"hitl_{line['hitl']}")
    if not why:
        return None
    kept = ("case_id", "capability", "item", "tranche", "outcome", "bounds", "reason", "rule", "reported", "gold", "findings")
    return {**{key: line[key] for key in kept if key in line}, "why": why, "pages": (line.get("provenance") or {}).get("pages_found", [])}


def _document(tally: Tally, gates: Sequence[Gate], ruling: Ruling, contract: Contract, usage: dict[str, Any]) -> dict[str, Any]:
    counts = {key: tally.counts[key] for key in ("items", "scored", "undecided", "judge_error", "hallucinated", "extra", "internal_error")}
    empty_usage = {"judge_calls": 0, "cached": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "schema_version": SCHEMA_VERSION,
        "contract_version": contract.version,
        "verdict": ruling.verdict,
        "exit_code": ruling.exit_code,
        "why": ruling.why,
        "capabilities": {name: _capability(tally, name, contract) for name in sorted(tally.scores)},
        "gates": [gate_line(gate) for gate in gates],
        "counts": {**counts, "cases": tally.cases.total(), "skipped": tally.skipped},
        "usage": empty_usage | usage,
    }


def _capability(tally: Tally, name: str, contract: Contract) -> dict[str, Any]:
    bounds = tally.plain.capabilities[name].bounds if tally.has_gold else None
    interval = tally.scores[name].interval(float(contract.intervals.confidence_level)) if bounds else None
    score = bounds[0] if bounds and bounds[0] == bounds[1] else None
    return {"cases": tally.cases[name], "score": _number(score), "bounds": _pair(bounds), "interval": _pair(interval)}


def gate_line(gate: Gate) -> dict[str, Any]:
    """The object of summary.json's `gates`."""
    line = {
        "name": gate.name,
        "scope": gate.scope,
        "value": _number(gate.value),
        "bounds": _pair(gate.bounds),
        "threshold": float(gate.threshold),
        "result": gate.result,
    }
    if gate.value_with_exceptions is not None:
        line["value_with_exceptions"] = float(gate.value_with_exceptions)
    if gate.is_by_exception:
        line["by_exception"] = True
    return line
