"""Item results as lines of verdicts.jsonl, and lines as the numbers that gates look at.

Exact weights that no JSON number holds (3/7 of a tranche) stand beside the number as `weight_exact`, so a score computed from the file
is the same fraction as one computed in memory. Keys that hold their default are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from judge.records import Answer, Bounds, Finding, ItemResult, NonOutcome, Outcome, Provenance, Question

Line = dict[str, Any]
OPEN = frozenset({"undecided", "judge_error"})
INTERNAL_ERROR = "internal_error"


def verdict_line(result: ItemResult) -> Line:
    """The line of one item (interface.md section 3)."""
    line: Line = {
        "case_id": result.case_id,
        "capability": result.capability,
        "item": result.item,
        "tranche": result.tranche,
        "outcome": str(result.outcome),
        "score": None if result.score is None else float(result.score),
        "weight": float(result.weight),
        "provenance": _provenance(result.provenance),
        "decided_by": result.decided_by,
        "rule": result.rule,
        "reason": result.reason,
        "rubric": result.rubric,
        "judge": None if result.judge is None else _answer(result.judge),
        "bounds": [float(result.bounds[0]), float(result.bounds[1])],
        "findings": [_finding(f) for f in result.findings],
    }
    line |= _present(
        provenances=[_provenance(p) for p in result.provenances],
        reported=result.reported,
        gold=result.gold,
        confidence=result.confidence,
        why_open=result.why_open,
        can_hallucinate=result.can_hallucinate,
        counts_for_field=None if result.counts_for_field else "no",
        unanswerable=result.is_unanswerable,
        weight_exact=None if exact(float(result.weight)) == result.weight else str(result.weight),
    )
    return line


def asked_lines(case_id: str, answers: Mapping[Question, Answer]) -> list[Line]:
    """The lines of questions.jsonl: what a model was asked for a case, with all texts, and what it said."""
    return [
        {
            "case_id": case_id,
            "rubric": question.rubric,
            "inputs": dict(question.variables),
            "judge": _present(model=a.model, by=a.by, verdict=a.verdict, confidence=a.confidence, error=a.error),
        }
        for question, a in answers.items()
        if a.by != "deterministic"
    ]


def _present(**values: Any) -> Line:
    return {key: value for key, value in values.items() if value not in (None, "", False, [], ())}


def _finding(finding: Finding) -> Line:
    return {"code": finding.code, "detail": finding.detail}


def _provenance(p: Provenance) -> Line:
    block: Line = {
        "outcome": p.outcome,
        "score": None if p.score is None else float(p.score),
        "complete": p.complete,
        "quote": p.quote,
        "page": p.page,
        "section": p.section,
        "pages_found": list(p.pages_found),
        "sections_found": list(p.sections_found),
        "match": p.match,
    }
    claim = p.claim
    return block | _present(
        document=p.document,
        spans=[list(s) for s in p.spans],
        not_required=not p.is_required,
        open=p.is_open,
        claim=claim and _present(document=claim.document, page=claim.page, section=claim.section, quote=claim.quote),
    )


def _answer(answer: Answer) -> Line:
    return _present(
        model=answer.model,
        by=answer.by,
        verdict=answer.verdict,
        evidence=answer.evidence,
        reasoning=answer.reasoning,
        error=answer.error,
        error_detail=answer.error_detail,
        confidence=answer.confidence,
        votes=[list(v) for v in answer.votes],
        findings=[_finding(f) for f in answer.findings],
    )


@lru_cache(maxsize=4096)
def exact(number: float | int) -> Fraction:
    """The fraction that a JSON number was written for: 0.9 is 9/10."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def wrong_part(line: Any) -> str:
    """What of a parsed line of verdicts.jsonl no run writes; "" when it is one. Of a person's line only what stands there is looked at."""
    if not isinstance(line, dict):
        return "it is no object"
    is_short = line.get("decided_by") == "human"
    for key, is_right in _PARTS.items():
        if key in line:
            if not is_right(line[key]) or (line[key] is None and key in _NEEDED and not is_short):
                return f"{key} is {str(line[key])[:60]!r}"
        elif key in _NEEDED and not (is_short and key in ("bounds", "weight")):
            return f"{key} is missing"
    return ""


def wrong_case_part(line: Any) -> str:
    """The same for a line of cases.jsonl."""
    if not isinstance(line, dict):
        return "it is no object"
    keys = ("case_id", "capability", "weight")
    return next((f"{key} is {str(line.get(key))[:60]!r}" for key in keys if not _PARTS[key](line.get(key))), "")


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_bounds(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_share, value)) and value[0] <= value[1]


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_fraction(value: Any) -> bool:
    try:
        return isinstance(value, str) and Fraction(value) >= 0
    except (ValueError, ZeroDivisionError):
        return False


def _none_or(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


def _is_known_outcome(value: Any) -> bool:
    return isinstance(value, str) and value in OUTCOMES


OUTCOMES = frozenset(map(str, (*Outcome, *NonOutcome)))
_NEEDED = frozenset({"case_id", "item", "outcome", "bounds", "weight"})
_PARTS: Mapping[str, Callable[[Any], bool]] = {
    "case_id": _is_text,
    "item": _is_text,
    "tranche": _none_or(_is_text),
    "outcome": _is_known_outcome,
    "bounds": _none_or(_is_bounds),
    "weight": _none_or(_is_weight),
    "weight_exact": _is_fraction,
    "score": _none_or(_is_share),
    "capability": _none_or(_is_text),
    "case_items": lambda value: isinstance(value, int) and value > 0,
    "provenance": _none_or(_is_object),
    "judge": _none_or(_is_object),
    "uncertified": _none_or(_is_object),
    "rubric": _none_or(_is_text),
    "reason": _none_or(_is_text),
    "rule": _none_or(_is_text),
    "findings": _none_or(lambda value: isinstance(value, list) and all(map(_is_object, value))),
    "provenances": lambda value: isinstance(value, list) and all(map(_is_object, value)),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What the gates need of one item. field: the key of a field item, None for all others; bounds are [worst, best]."""

    item: str
    tranche: str | None
    outcome: str
    bounds: Bounds
    weight: Fraction
    can_hallucinate: bool
    needs_provenance: bool
    is_complete: bool
    is_provenance_open: bool
    field: str | None
    is_unanswerable: bool
    is_excepted: bool

    @property
    def is_hallucinated(self) -> bool:
        """A fabricated output."""
        return self.outcome == "hallucination"


def judged(line: Mapping[str, Any]) -> Judged:
    """Reads a line back; `uncertified`, the view without answers that no calibration record covers, replaces what it names."""
    view = {**line, **(line.get("uncertified") or {})}
    provenance = view.get("provenance") or {}
    weight = view.get("weight_exact")
    return Judged(
        item=str(line["item"]),
        tranche=line.get("tranche"),
        outcome=str(view["outcome"]),
        bounds=(exact(view["bounds"][0]), exact(view["bounds"][1])),
        weight=Fraction(weight) if weight else exact(view["weight"]),
        can_hallucinate=bool(view.get("can_hallucinate")),
        needs_provenance=provenance.get("outcome", "not_required") != "not_required" and not provenance.get("not_required"),
        is_complete=bool(provenance.get("complete")),
        is_provenance_open=bool(provenance.get("open")),
        field=_field(str(line["item"])) if view.get("counts_for_field") != "no" else None,
        is_unanswerable=bool(view.get("unanswerable")),
        is_excepted=bool(line.get("exception")),
    )


def _field(item: str) -> str | None:
    """`borrower` of `fields.borrower` and of `tranches.Facility A.borrower`; None for an extra tranche and for everything else."""
    kind, _, rest = item.partition(".")
    if kind == "fields":
        return rest
    return rest.rpartition(".")[2] if kind == "tranches" and not rest.startswith("+") else None
