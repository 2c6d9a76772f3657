"""The data that the page's script reads: plain JSON values with short keys, every text bounded."""

from __future__ import annotations

from typing import Any

from judge.capabilities.registry import capability_of, field_of, is_known, title_of
from judge.records import Answer, Item, Provenance
from judge.report.page_cuts import Cuts, Passage, View
from judge.report.wording import DECIDERS, OUTCOME_ORDER, OUTCOME_TITLES
from judge.results.lines import CaseResult
from judge.results.reading import Results

_VALUE_MOST, _TEXT_MOST, _NAME_MOST = 4000, 1200, 300
# Findings' details and a judge's words quote the document, so a redacted report has neither.
Payload = dict[str, Any]


def page_payload(results: Results, cuts: Cuts, *, redact: bool) -> Payload:
    """Everything that the lists and the opened items show."""
    numbers = {case.case_id: n for n, case in enumerate(results.cases)}
    leaves = {key: n for n, key in enumerate(cuts.leaves)}
    return {
        "redacted": redact,
        "titles": OUTCOME_TITLES,
        "deciders": DECIDERS,
        "capabilities": {name: title_of(name) for name in dict.fromkeys(case.capability for case in results.cases)},
        "order": OUTCOME_ORDER,
        "cases": [_case(case) for case in results.cases],
        "items": [_item(n, item, numbers, cuts, leaves, redact) for n, item in enumerate(results.items) if item.case_id in numbers],
        "pages": [
            {"doc": clip(doc, _NAME_MOST), "page": page, "w": leaf.width, "h": leaf.height, "pw": leaf.points_wide, "ph": leaf.points_high}
            for (doc, page), leaf in cuts.leaves.items()
        ],
    }


def clip(text: str, most: int = _TEXT_MOST) -> str:
    """A text of bounded length that says how much is missing."""
    return text if len(text) <= most else f"{text[:most]}… [{len(text) - most:,} more characters]"


def _case(case: CaseResult) -> Payload:
    return {
        "id": clip(case.case_id, _NAME_MOST),
        "cap": case.capability,
        "s": case.score,
        "b": case.bounds,
        "h": case.is_hallucinated,
        "o": dict(case.outcomes),
    }


def _item(n: int, item: Item, cases: dict[str, int], cuts: Cuts, leaves: dict[tuple[str, int], int], redact: bool) -> Payload:
    return {
        "n": n,
        "c": cases[item.case_id],
        "i": clip(item.item, _NAME_MOST),
        "t": clip(item.tranche or "", _NAME_MOST),
        "f": clip(field_of(item), _NAME_MOST),
        "o": item.outcome,
        "s": item.score,
        "b": item.bounds,
        "w": round(float(item.weight), 4),
        "by": item.decided_by,
        "who": item.who,
        "r": clip(item.rule, _NAME_MOST),
        "why": clip(item.reason),
        "rep": clip(item.reported, _VALUE_MOST),
        "gold": clip(item.gold, _VALUE_MOST),
        "doc": clip(item.document, _NAME_MOST),
        "open": item.why_open,
        "conf": item.confidence,
        "x": [clip(text) for text in item.exception] if item.exception else None,
        "fi": [[code, "" if redact else clip(detail)] for code, detail in item.findings],
        "rub": item.rubric,
        "qu": clip(item.question),
        "no": clip(item.note, _NAME_MOST),
        "pt": item.open_point,
        "me": "" if redact else _meaning(item),
        "j": _answer(item.judge, redact) if item.judge else None,
        "p": [
            _cited(cited, cuts.passages.get((n, k)), cuts.views.get((n, k), ()), leaves, redact)
            for k, cited in enumerate(item.citations[:20])
        ],
    }


def _meaning(item: Item) -> str:
    """What the item's label means, with the section of the standard."""
    labels = capability_of(item.capability).labels if is_known(item.capability) else {}
    return next((text for label, text in labels.items() if label == item.outcome), "")


def _answer(answer: Answer, redact: bool) -> Payload:
    evidence, reasoning = ("", "") if redact else (clip(answer.evidence), clip(answer.reasoning or answer.error_detail))
    verdict = answer.verdict or answer.error or ""
    return {"m": answer.model, "v": verdict, "e": evidence, "r": reasoning, "c": answer.confidence, "votes": answer.votes}


def _cited(
    cited: Provenance, passage: Passage | None, views: tuple[View, ...], leaves: dict[tuple[str, int], int], redact: bool
) -> Payload:
    claim = cited.claim
    found: Payload = {
        "o": cited.outcome,
        "ok": cited.outcome in ("exact", "normalised"),
        "q": cited.quote or "",
        "p": cited.page or "",
        "sec": cited.section or "",
        "pf": cited.pages_found[:20],
        "sf": [clip(s, _NAME_MOST) for s in cited.sections_found[:20]],
        "m": cited.match,
        "d": clip(cited.document, _NAME_MOST),
        "cl": [
            clip(claim.document, _NAME_MOST),
            clip(str(claim.page), 60),
            clip(claim.section, _NAME_MOST),
            "" if redact else clip(claim.quote),
        ],
    }
    if redact:
        return found
    if passage is not None and passage.changes:
        found["diff"] = [[op, clip(text)] for op, text in passage.changes]
    elif passage is not None:
        found["ctx"] = [passage.before, clip(passage.found), passage.after]
    if views:
        found["views"] = [_view(view, leaves) for view in views]
    return found


def _view(view: View, leaves: dict[tuple[str, int], int]) -> Payload:
    marks = [[kind, *(round(v, 1) for v in (x0, y0, x1 - x0, y1 - y0))] for kind, (_, x0, y0, x1, y1) in view.marks]
    return {"img": leaves[view.document, view.page], "role": view.role, "rects": marks}
