"""What people may decide of an item, and what it makes of it: the one view of what is open, which is the gates' (docs/contract/formats.md).
A person settles what is open, within what the item can still be. Whatever else a person says of an item is a correction, kept beside the
program's verdict. A decision is bound to what it settles: on anything else it is a former one."""

import datetime
import hashlib
import json
from dataclasses import fields, replace

from judge.capabilities.open_points import point_of_cause
from judge.records import RIGHT, GateView, Item, NonOutcome, Outcome
from rubrics.contract import Contract

UNCOVERED = "uncovered"
_SEEN = tuple(one.name for one in fields(GateView))


def certified(item: Item) -> Item:
    """The item as the gates see it: without a judge's verdict that no calibration record covers; what the judge said stays beside it."""
    if (view := item.uncertified) is None:
        return item
    seen = replace(item, uncertified=None, **{name: getattr(view, name) for name in _SEEN})
    if seen.outcome is not NonOutcome.UNDECIDED or item.outcome is NonOutcome.UNDECIDED:
        is_closed = isinstance(seen.outcome, Outcome) and seen.bounds[0] == seen.bounds[1]
        return replace(seen, score=seen.bounds[0] if is_closed else None)
    reason, point = "The judge's verdict does not count: no calibration record lets it count.", point_of_cause(UNCOVERED, item.rubric)
    return replace(seen, score=None, decided_by="none", reason=reason, why_open=UNCOVERED, open_point=point)


def binding(item: Item, contract: str) -> str:
    """What a decision on this verdict of the program is bound to: another output, gold or verdict gives another;
    behind it the documents that it was judged on. contract: its hash."""
    shown = [item.question, item.reported, item.gold, [cited.claim for cited in item.citations]]
    verdict = [str(item.outcome), item.bounds, item.can_hallucinate, item.rule]
    text = json.dumps([contract, item.capability, *item.key, shown, verdict], ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return f"{digest}-{item.documents_hash}" if item.documents_hash else digest


def changed_since(settles: str, now: str) -> str:
    """What became another between a decision that is bound to `settles` and an item whose decisions are bound to `now`."""
    (before, _, documents), (present, _, judged) = settles.partition("-"), now.partition("-")
    if before != present:
        return "output, gold, citation, contract or verdict changed"
    return "the document changed" if documents and judged else "an older version kept no mark of the document"


def corrected(item: Item, contract: Contract) -> Item:
    """The item as the gates count it: as two people corrected it, under a contract that lets corrections count."""
    if (said := item.correction) is None or not said.is_confirmed or not contract.gates.corrections_count:
        return item
    outcome = Outcome(said.label)
    score = float(contract.label_scores[outcome])
    provenance = replace(item.provenance, is_open=False, complete=outcome in RIGHT) if item.provenance.is_required else item.provenance
    return replace(
        item, outcome=outcome, score=score, bounds=(score, score), can_hallucinate=False, decided_by="human", provenance=provenance
    )


def point_of(item: Item) -> str:
    """What a person must answer, where a gate waits for an item; "" for every other."""
    if not item.is_waiting:
        return ""
    if item.is_open:
        return item.open_point or point_of_cause(item.why_open)
    return "Is it in the document, or invented?" if item.can_hallucinate else "Its label stands: is its citation right and complete?"


def can_become(item: Item, label: str, score: float | None) -> bool:
    """Whether an item that a gate waits for can still get this label, or keep it. score: the contract's of it."""
    if label == Outcome.HALLUCINATION and item.can_hallucinate:
        return True
    if not item.is_open or label == Outcome.HALLUCINATION:
        return label == item.outcome
    if item.weight == 0:
        return label == NonOutcome.EXTRA
    is_conforming = item.item.startswith("findings.") and item.gold.startswith("conforming")
    best = Outcome.GROUNDED_REFUSAL if item.is_unanswerable else Outcome.TRUE_NEGATIVE if is_conforming else Outcome.CORRECT
    if item.gold and label in (Outcome.CORRECT, Outcome.GROUNDED_REFUSAL, Outcome.TRUE_NEGATIVE) and label != best:
        return False
    return score is not None and item.bounds[0] <= score <= item.bounds[1]


def utc_now() -> str:
    """The time that a run ends, a label or a decision is given at."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
