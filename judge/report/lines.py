"""The lines of a result folder as frozen nouns, for reports, comparison and labelling; unknown keys are passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.capabilities.registry import groups_of

Key = tuple[str, str, str | None]
RIGHT = frozenset({"correct", "semantic_match", "true_negative", "grounded_refusal"})
OPEN = frozenset({"undecided", "judge_error"})
# Worst first; what a reader must look at comes before what is fine.
OUTCOME_ORDER = (
    "hallucination",
    "fail",
    "judge_error",
    "undecided",
    "partial",
    "extra",
    "semantic_match",
    "correct",
    "true_negative",
    "grounded_refusal",
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A citation as the judged system reported it; texts as given, "" when it gave none."""

    document: str = ""
    page: str = ""
    section: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """One judged citation. spans: offsets into the text of `document`; match 0..100 or None."""

    outcome: str = "not_required"
    score: float | None = None
    is_complete: bool = False
    quote: str = ""
    page: str = ""
    section: str = ""
    pages_found: tuple[int, ...] = ()
    sections_found: tuple[str, ...] = ()
    match: float | None = None
    document: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    claim: Claimed = Claimed()


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge or a person said of the item."""

    model: str = ""
    verdict: str = ""
    evidence: str = ""
    reasoning: str = ""
    confidence: float | None = None
    votes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Excepted:
    """An accepted deviation."""

    who: str
    why: str
    expires: str


@dataclass(frozen=True, slots=True)
class Item:
    """One line of verdicts.jsonl. score 0..1 or None; bounds [worst, best]; confidence 0..1, a band's name, or None."""

    case_id: str
    capability: str
    item: str
    tranche: str | None
    outcome: str
    score: float | None
    bounds: tuple[float, float]
    weight: float
    decided_by: str
    rule: str
    reason: str
    provenance: Cited = Cited()
    citations: tuple[Cited, ...] = ()
    rubric: str = ""
    judged: Judged | None = None
    findings: tuple[tuple[str, str], ...] = ()
    reported: str = ""
    gold: str = ""
    why_open: str = ""
    exception: Excepted | None = None
    confidence: float | str | None = None
    who: str = ""

    @property
    def key(self) -> Key:
        """Case, item, tranche: what one item is across lines and runs."""
        return self.case_id, self.item, self.tranche

    @property
    def title(self) -> str:
        """The item with its tranche, for people."""
        return f"{self.item} ({self.tranche})" if self.tranche and self.tranche not in self.item else self.item

    @property
    def field(self) -> str:
        """What the item is of: a field key, or the group that it belongs to."""
        head, _, rest = self.item.partition(".")
        if head == "fields":
            return rest
        if head == "tranches":
            return "extra tranche" if rest.startswith("+") else rest.rpartition(".")[2] or rest
        group = groups_of(self.capability).get(head)
        return group.noun if group else head

    @property
    def document(self) -> str:
        """The document that the item is about, "" when no citation names one."""
        return self.provenance.document or self.provenance.claim.document

    @property
    def is_open(self) -> bool:
        """No label yet."""
        return self.outcome in OPEN


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One line of cases.jsonl."""

    case_id: str
    capability: str
    score: float | None
    bounds: tuple[float, float]
    is_hallucinated: bool
    weight: float
    outcomes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of summary.json."""

    name: str
    scope: str
    value: float | None
    bounds: tuple[float, float] | None
    threshold: float | None
    result: str
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


def _pair(value: Any) -> tuple[float, float] | None:
    return (float(value[0]), float(value[1])) if isinstance(value, Sequence) and len(value) == 2 and None not in value else None


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def item_of(line: Mapping[str, Any]) -> Item:
    """One line of verdicts.jsonl."""
    provenance = _cited(line.get("provenance") or {})
    listed = line.get("provenances") or ()
    exception = line.get("exception")
    judge = line.get("judge")
    who = line.get("who") or (judge.get("who") if isinstance(judge, dict) else "")
    return Item(
        case_id=str(line.get("case_id", "")),
        capability=str(line.get("capability", "")),
        item=str(line.get("item", "")),
        tranche=line.get("tranche"),
        outcome=str(line.get("outcome", "undecided")),
        score=line.get("score"),
        bounds=_pair(line.get("bounds")) or (0.0, 1.0),
        weight=float(line.get("weight") or 0),
        decided_by=str(line.get("decided_by", "none")),
        rule=_text(line.get("rule")),
        reason=_text(line.get("reason")),
        provenance=provenance,
        citations=tuple(_cited(p) for p in listed) or (provenance,),
        rubric=_text(line.get("rubric")),
        judged=_judged(judge) if judge else None,
        findings=tuple(_finding(f) for f in line.get("findings") or ()),
        reported=_text(line.get("reported")),
        gold=_text(line.get("gold")),
        why_open=_text(line.get("why_open")),
        exception=Excepted(*(_text(exception.get(k)) for k in ("who", "why", "expires"))) if isinstance(exception, dict) else None,
        confidence=line.get("confidence"),
        who=_text(who),
    )


def _finding(found: Any) -> tuple[str, str]:
    return (found, "") if isinstance(found, str) else (_text(found.get("code")), _text(found.get("detail")))


def _cited(block: Mapping[str, Any]) -> Cited:
    claim = block.get("claim") or {}
    return Cited(
        outcome=str(block.get("outcome", "not_required")),
        score=block.get("score"),
        is_complete=bool(block.get("complete")),
        quote=_text(block.get("quote")),
        page=_text(block.get("page")),
        section=_text(block.get("section")),
        pages_found=tuple(int(p) for p in block.get("pages_found") or ()),
        sections_found=tuple(str(s) for s in block.get("sections_found") or ()),
        match=block.get("match"),
        document=_text(block.get("document")),
        spans=tuple((int(s[0]), int(s[1])) for s in block.get("spans") or ()),
        claim=Claimed(*(_text(claim.get(k)) for k in ("document", "page", "section", "quote"))),
    )


def _judged(block: Any) -> Judged:
    if not isinstance(block, Mapping):
        return Judged(model=_text(block))
    return Judged(
        model=_text(block.get("model")),
        verdict=_text(block.get("verdict") or block.get("error")),
        evidence=_text(block.get("evidence")),
        reasoning=_text(block.get("reasoning") or block.get("error_detail")),
        confidence=block.get("confidence"),
        votes=tuple((_text(v[0]), _text(v[1])) for v in block.get("votes") or () if len(v) == 2),
    )


def case_of(line: Mapping[str, Any]) -> CaseLine:
    """One line of cases.jsonl."""
    return CaseLine(
        str(line.get("case_id", "")),
        str(line.get("capability", "")),
        line.get("score"),
        _pair(line.get("bounds")) or (0.0, 1.0),
        bool(line.get("hallucinated")),
        float(line.get("weight", 1)),
        dict(line.get("outcomes") or {}),
    )


def gate_of(line: Mapping[str, Any]) -> Gate:
    """One gate of summary.json."""
    return Gate(
        str(line.get("name", "")),
        str(line.get("scope", "all")),
        line.get("value"),
        _pair(line.get("bounds")),
        line.get("threshold"),
        str(line.get("result", "not_applicable")),
        line.get("value_with_exceptions"),
        bool(line.get("by_exception")),
    )


def capability_of(name: str, block: Mapping[str, Any]) -> CapabilityScore:
    """One capability of summary.json."""
    return CapabilityScore(name, int(block.get("cases", 0)), block.get("score"), _pair(block.get("bounds")), _pair(block.get("interval")))
