"""The lines of a result folder and the nouns that they hold, each written and read in one place (docs/contract/formats.md).

Exact weights that no JSON number holds (3/7 of a tranche) stand beside the number as `weight_exact`, so a score computed from the file
is the same fraction as one computed in memory. Keys that hold their default are left out; unknown keys are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

from judge.records import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    NO_CLAIM,
    NOT_REQUIRED,
    Answer,
    Bounds,
    Claimed,
    CriteriaResult,
    DecidedBy,
    Excepted,
    Finding,
    GateView,
    Item,
    JudgedCase,
    NonOutcome,
    Outcome,
    Provenance,
)

Line = dict[str, Any]
GateResult = Literal["pass", "fail", "inconclusive", "not_applicable"]
INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One line of cases.jsonl; `score` is None while open items leave the bounds apart.

    gold_id: the case whose gold line several outputs share; "" for gold of the output's own id.
    """

    case_id: str
    capability: str
    score: float | None
    bounds: tuple[float, float]
    is_hallucinated: bool
    weight: Fraction
    outcomes: Mapping[str, int] = field(default_factory=dict)
    is_skipped: bool = False
    gold_id: str = ""
    companion: Mapping[str, Bounds] = field(default_factory=dict)  # under a contract with dimensions
    provenance_score: Mapping[str, Bounds] = field(default_factory=dict)
    criteria: CriteriaResult | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of the standard. value: None while the bounds are apart and no best estimate exists; threshold 0..1."""

    name: str
    scope: str
    value: float | None
    bounds: tuple[float, float] | None
    threshold: float
    result: GateResult
    value_with_exceptions: float | None = None
    is_by_exception: bool = False


@dataclass(frozen=True, slots=True)
class CapabilityScore:
    """Score of one capability over its cases."""

    name: str
    cases: int
    score: float | None
    bounds: tuple[float, float] | None
    interval: tuple[float, float] | None
    companion: Mapping[str, Bounds] = field(default_factory=dict)
    provenance_score: Mapping[str, Bounds] = field(default_factory=dict)


# ---- writing -----------------------------------------------------------------------------------------------------


def verdict_line(item: Item) -> Line:
    """The line of one item."""
    line: Line = {  # the keys of nearly every line one by one: a case has many
        "case_id": item.case_id,
        "capability": item.capability,
        "item": item.item,
        "tranche": item.tranche,
        "outcome": str(item.outcome),
        "score": item.score,
        "weight": float(item.weight),
        "provenance": _provenance_block(item.provenance),
        "decided_by": item.decided_by,
        "rule": item.rule,
        "reason": item.reason,
        "rubric": item.rubric or None,
        "judge": None if item.judge is None else _answer_block(item.judge),
        "bounds": list(item.bounds),
        "findings": [_finding_block(f) for f in item.findings],
    }
    return line | _present(
        provenances=[_provenance_block(p) for p in item.provenances],
        reported=item.reported,
        gold=item.gold,
        confidence=item.confidence,
        why_open=item.why_open,
        can_hallucinate=item.can_hallucinate,
        counts_for_field=None if item.counts_for_field else "no",
        unanswerable=item.is_unanswerable,
        weight_exact=_exact_weight(item.weight),
        hitl=item.hitl,
        question=item.question,
        note=item.note,
        open_point=item.open_point,
        uncertified=item.uncertified and _view_block(item, item.uncertified),
        provisional=item.is_provisional,
        exception=item.exception and item.exception._asdict(),
        dimensions=_scores_block(item.dimensions),
        criteria=item.criteria and criteria_block(item.criteria),
        who=item.who,
        when=item.when,
        why=item.why,
        settles=item.settles,
        metadata=dict(item.metadata) or None,
    )


def asked_lines(case: JudgedCase) -> list[Line]:
    """The lines of questions.jsonl: what a model was asked for a case, with all texts, and what it said."""
    return [
        {
            "case_id": case.items[0].case_id,
            "rubric": question.rubric,
            "inputs": dict(question.variables),
            **({"choices": dict(question.choices)} if question.choices else {}),
            "judge": _present(model=a.model, by=a.by, verdict=a.verdict, confidence=a.confidence, error=a.error),
        }
        for question, a in case.answers.items()
        if a.by != "deterministic"
    ]


def _same(noun: object, *names: str) -> Line:
    """What is called in a line as it is here."""
    return {name: getattr(noun, name) for name in names}


def _present(**values: Any) -> Line:
    return {key: value for key, value in values.items() if value is not None and value is not False and value != "" and value != []}


def _exact_weight(weight: Fraction) -> str | None:
    return None if exact(float(weight)) == weight else str(weight)


def score_block(bounds: Bounds) -> Line:
    """A score, null while it is open, and its bounds; exactly where no JSON number holds them."""
    low, high = bounds
    line: Line = {"score": float(low) if low == high else None, "bounds": [float(low), float(high)]}
    return line | _present(exact=None if all(exact(float(b)) == b for b in bounds) else [str(low), str(high)])


def _scores_block(scores: Mapping[str, Bounds]) -> Line | None:
    return {name: score_block(bounds) for name, bounds in scores.items()} or None


def composite_block(scores: Mapping[str, Bounds]) -> Line | None:
    """A composite with its dimensions beside it."""
    inner = {name: score_block(bounds) for name, bounds in scores.items() if name != "score"}
    return {**score_block(scores["score"]), **inner} if scores else None


def criteria_block(result: CriteriaResult) -> Line:
    """What a case's own scoring table says."""
    found = {"hallucinated": result.hallucinated, "rows": dict(result.rows), "decided_by": result.decided_by}
    return {**score_block(result.bounds), **found, **_present(can_hallucinate=result.can_hallucinate)}


def _finding_block(finding: Finding) -> Line:
    return {"code": finding.code, "detail": finding.detail}


def _provenance_block(p: Provenance) -> Line:
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
    return block | _present(
        document=p.document,
        spans=[list(s) for s in p.spans],
        not_required=not p.is_required,
        open=p.is_open,
        claim=_present(**p.claim._asdict()) or None,
    )


_SAID = ("model", "by", "verdict", "evidence", "reasoning", "error", "error_detail", "confidence")


def _answer_block(answer: Answer) -> Line:
    return _present(**_same(answer, *_SAID), votes=[list(v) for v in answer.votes], findings=[_finding_block(f) for f in answer.findings])


def _view_block(item: Item, view: GateView) -> Line | None:
    """What differs of the item for the gates."""
    now = {"outcome": str(view.outcome), "bounds": list(view.bounds), "can_hallucinate": view.can_hallucinate}
    before = {"outcome": str(item.outcome), "bounds": list(item.bounds), "can_hallucinate": item.can_hallucinate}
    changed: Line = {key: value for key, value in now.items() if value != before[key]}
    if view.provenance != item.provenance:
        changed["provenance"] = _provenance_block(view.provenance)
    if view.dimensions != item.dimensions:
        changed["dimensions"] = _scores_block(view.dimensions)
    if view.criteria != item.criteria:
        changed["criteria"] = view.criteria and criteria_block(view.criteria)
    return changed or None


def case_line(case: CaseResult) -> Line:
    """The line of cases.jsonl."""
    line: Line = {
        **_same(case, "case_id", "capability", "score"),
        "bounds": list(case.bounds),
        "hallucinated": case.is_hallucinated,
        "weight": float(case.weight),
        "outcomes": dict(case.outcomes),
    }
    return line | _present(
        weight_exact=_exact_weight(case.weight),
        skipped=case.is_skipped,
        case=case.gold_id,
        companion=composite_block(case.companion),
        provenance_score=composite_block(case.provenance_score),
        criteria=case.criteria and criteria_block(case.criteria),
        **case.counts,
    )


def gate_line(gate: Gate) -> Line:
    """The object of summary.json's `gates`."""
    line = _same(gate, "name", "scope", "value")
    line |= {"bounds": gate.bounds and list(gate.bounds), **_same(gate, "threshold", "result")}
    return line | _present(value_with_exceptions=gate.value_with_exceptions, by_exception=gate.is_by_exception)


# ---- reading -----------------------------------------------------------------------------------------------------


# keys whose value is the item's attribute of the same name; null is the default
_SAME = frozenset(
    "case_id capability item tranche score decided_by rule reason rubric reported gold why_open confidence hitl who when why".split()
) | {"can_hallucinate", "question", "note", "open_point", "settles"}


def item_of(line: Mapping[str, Any]) -> Item:
    """A line of verdicts.jsonl that `wrong_part` has nothing against. Raises ValueError, TypeError, KeyError for an edited inner part."""
    same = {key: value for key, value in line.items() if key in _SAME and value is not None}
    low, high = line.get("bounds") or (0.0, 1.0)
    provenance, judge, uncertified = line.get("provenance"), line.get("judge"), line.get("uncertified")
    block = _provenance(provenance) if provenance else NOT_REQUIRED
    if judge and "who" in judge:
        same.setdefault("who", judge["who"])
    return Item(
        **{"capability": "", "tranche": None, "score": None, "decided_by": "none", "rule": "", "reason": "", **same},
        outcome=OUTCOMES[line["outcome"]],
        bounds=(float(low), float(high)),
        weight=_weight(line),
        provenance=block,
        provenances=tuple(map(_provenance, line.get("provenances") or ())),
        judge=_answer(judge) if judge else None,
        findings=_findings(line),
        is_unanswerable="unanswerable" in line,
        counts_for_field="counts_for_field" not in line,
        uncertified=_view({**line, **uncertified}, block) if uncertified else None,
        is_provisional="provisional" in line,
        exception=Excepted(**line["exception"]) if line.get("exception") else None,
        dimensions=_scores_of(line.get("dimensions")),
        criteria=_criteria_of(line.get("criteria")),
        metadata=line.get("metadata") or {},
    )


def _scores_of(block: Mapping[str, Any] | None) -> dict[str, Bounds]:
    return {name: _bounds_of(value) for name, value in (block or {}).items()}


def _bounds_of(block: Mapping[str, Any]) -> Bounds:
    low, high = map(Fraction, block["exact"]) if "exact" in block else map(exact, block["bounds"])
    return low, high


def _criteria_of(block: Mapping[str, Any] | None) -> CriteriaResult | None:
    if not block:
        return None
    return CriteriaResult(
        _bounds_of(block), bool(block["hallucinated"]), dict(block["rows"]), block["decided_by"], "can_hallucinate" in block
    )


def _composite_of(block: Mapping[str, Any] | None) -> dict[str, Bounds]:
    if not block:
        return {}
    return {"score": _bounds_of(block), **{name: _bounds_of(value) for name, value in block.items() if isinstance(value, dict)}}


def _weight(line: Mapping[str, Any]) -> Fraction:
    return Fraction(line["weight_exact"]) if "weight_exact" in line else exact(line.get("weight") or 0)


def _findings(block: Mapping[str, Any]) -> tuple[Finding, ...]:
    return tuple(Finding(f["code"], f.get("detail") or "") for f in block.get("findings") or ())


def _provenance(block: Mapping[str, Any]) -> Provenance:
    if block.get("outcome", "not_required") == "not_required":
        return NOT_REQUIRED
    score, claim = block.get("score"), block.get("claim")
    same: dict[str, Any] = {name: block.get(name) for name in ("quote", "page", "section", "match")}
    return Provenance(
        outcome=block["outcome"],
        score=None if score is None else exact(score),
        complete=block.get("complete") is True,
        **same,
        pages_found=tuple(block.get("pages_found") or ()),
        sections_found=tuple(block.get("sections_found") or ()),
        document=block.get("document") or "",
        spans=tuple([(start, end) for start, end in block.get("spans") or ()]),
        is_required="not_required" not in block,
        is_open="open" in block,
        claim=Claimed(**claim) if claim else NO_CLAIM,
    )


def _answer(block: Mapping[str, Any]) -> Answer:
    said = {name: block[name] for name in _SAID if block.get(name) is not None}
    votes = tuple((str(voter), str(vote)) for voter, vote in block.get("votes") or ())
    return Answer(**{"verdict": None, **said}, votes=votes, findings=_findings(block))


def _view(line: Mapping[str, Any], own: Provenance) -> GateView:
    low, high = line["bounds"]
    provenance = _provenance(line["uncertified"]["provenance"]) if "provenance" in line["uncertified"] else own
    scores, criteria = _scores_of(line.get("dimensions")), _criteria_of(line.get("criteria"))
    return GateView(OUTCOMES[line["outcome"]], (float(low), float(high)), bool(line.get("can_hallucinate")), provenance, scores, criteria)


def case_of(line: Mapping[str, Any]) -> CaseResult:
    """A line of cases.jsonl."""
    return CaseResult(
        line["case_id"],
        line["capability"],
        _number(line.get("score")),
        _pair(line.get("bounds")) or (0.0, 1.0),
        bool(line.get("hallucinated")),
        _weight(line),
        {outcome: _count(count) for outcome, count in (line.get("outcomes") or {}).items()},
        bool(line.get("skipped")),
        str(line.get("case") or ""),
        _composite_of(line.get("companion")),
        _composite_of(line.get("provenance_score")),
        _criteria_of(line.get("criteria")),
        {name: line[name] for name in (FALSE_POSITIVES, FALSE_NEGATIVES) if name in line},
    )


def gate_of(line: Mapping[str, Any]) -> Gate:
    """One gate of summary.json. Raises ValueError, TypeError, KeyError, AttributeError for an edited one."""
    if (result := line.get("result", "not_applicable")) not in get_args(GateResult):
        raise ValueError(f"result is {result!r}")
    return Gate(
        str(line["name"]),
        str(line.get("scope", "all")),
        _number(line.get("value")),
        _pair(line.get("bounds")),
        float(_number(line["threshold"]) or 0.0),
        result,
        _number(line.get("value_with_exceptions")),
        bool(line.get("by_exception")),
    )


def capability_score_of(name: str, block: Mapping[str, Any]) -> CapabilityScore:
    """One capability of summary.json. Raises as `gate_of`."""
    return CapabilityScore(
        name,
        int(block.get("cases", 0)),
        _number(block.get("score")),
        _pair(block.get("bounds")),
        _pair(block.get("interval")),
        _composite_of(block.get("companion")),
        _composite_of(block.get("provenance_score")),
    )


def _count(value: Any) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{str(value)[:60]!r} is no count")
    return value


def _number(value: Any) -> float | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")):
        return value
    raise ValueError(f"{str(value)[:60]!r} is not a number")


def _pair(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    low, high = map(_number, value)
    if low is None or high is None:
        raise ValueError("an interval has two numbers")
    return float(low), float(high)


@lru_cache(maxsize=4096)
def exact(number: float | int) -> Fraction:
    """The fraction that a JSON number was written for: 0.9 is 9/10."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


OUTCOMES: Mapping[str, Outcome | NonOutcome] = {str(outcome): outcome for outcome in (*Outcome, *NonOutcome)}


# ---- what no run writes ------------------------------------------------------------------------------------------


def wrong_part(line: Any) -> str:
    """What of a parsed line of verdicts.jsonl no run writes; "" when it is one. Of a person's line only what stands there is looked at."""
    is_short = isinstance(line, dict) and line.get("decided_by") == "human"
    return _wrong(line, ("case_id", "item", "outcome") if is_short else ("case_id", "item", "outcome", "bounds", "weight"))


def wrong_case_part(line: Any) -> str:
    """The same for a line of cases.jsonl."""
    return _wrong(line, ("case_id", "capability", "weight"))


def _wrong(line: Any, needed: tuple[str, ...]) -> str:
    if not isinstance(line, dict):
        return "it is no object"
    for key in needed:
        if line.get(key) is None:
            return f"{key} is {line[key]!r}" if key in line else f"{key} is missing"
    for key, value in line.items():
        is_right = _PARTS.get(key)
        if is_right is not None and not (is_right(value) if value is not None else key not in _NEVER_NULL):
            return f"{key} is {str(value)[:60]!r}"
    return ""


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_bounds(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_share, value)) and value[0] <= value[1]


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _is_fraction(value: Any) -> bool:
    try:
        return isinstance(value, str) and Fraction(value) >= 0
    except (ValueError, ZeroDivisionError):
        return False


_DECIDERS = frozenset(get_args(DecidedBy))
_NEVER_NULL = frozenset({"weight_exact", "case_items", "provenances"})
_TEXTS = ("case_id", "item", "tranche", "capability", "rubric", "reason", "rule", "reported", "gold", "why_open")
_OBJECTS = ("provenance", "judge", "uncertified", "exception", "outcomes", "dimensions", "criteria")
_PARTS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys((*_TEXTS, "who", "when", "why", "second", "settles", "hitl"), lambda value: isinstance(value, str)),
    **dict.fromkeys(_OBJECTS, lambda value: isinstance(value, dict)),
    **dict.fromkeys(("findings", "provenances"), lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value)),
    "decided_by": lambda value: isinstance(value, str) and value in _DECIDERS,
    "outcome": lambda value: isinstance(value, str) and value in OUTCOMES,
    "bounds": _is_bounds,
    "weight": _is_weight,
    "weight_exact": _is_fraction,
    "score": _is_share,
    "case_items": lambda value: isinstance(value, int) and value > 0,
}
