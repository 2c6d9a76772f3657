"""The data that the page's script reads: plain JSON values with short keys, every text bounded."""

from __future__ import annotations

import json
from typing import Any

from deterministic.documents.documents import PageImage
from judge.capabilities.open_points import cause_words
from judge.capabilities.registry import capability_of, field_of, is_known, title_of
from judge.printing import shown_lines
from judge.records import Answer, Item, Provenance
from judge.report.companion_text import case_text, dimension_lines
from judge.report.page_cuts import Cuts, Passage, View
from judge.report.wording import DECIDERS, OUTCOME_ORDER, OUTCOME_TITLES, correction_text, former_text
from judge.results.decisions import point_of
from judge.results.lines import CaseResult
from judge.results.reading import Results

_VALUE_MOST, _NAME_MOST = 4000, 300
Payload = dict[str, Any]


def page_payload(results: Results, cuts: Cuts, *, is_redacted: bool = False) -> Payload:
    """Everything that the lists and the opened items show."""
    numbers = {case.case_id: n for n, case in enumerate(results.cases)}
    leaves = {key: n for n, key in enumerate(cuts.leaves)}
    return {
        "redacted": is_redacted,
        "titles": OUTCOME_TITLES,
        "deciders": DECIDERS,
        "capabilities": {name: title_of(name) for name in dict.fromkeys(case.capability for case in results.cases)},
        "order": OUTCOME_ORDER,
        "cases": [_case(case) for case in results.cases],
        "items": [_item(n, item, numbers, cuts, leaves) for n, item in enumerate(results.items) if item.case_id in numbers],
        "pages": [_page(doc, page, leaf) for (doc, page), leaf in cuts.leaves.items()],
    }


def _page(doc: str, page: int, leaf: PageImage) -> Payload:
    name = shown_lines(doc, _NAME_MOST)
    return {"doc": name, "page": page, "w": leaf.width, "h": leaf.height, "pw": leaf.page_width, "ph": leaf.page_height}


def _case(case: CaseResult) -> Payload:
    return {
        "id": shown_lines(case.case_id, _NAME_MOST),
        "cap": case.capability,
        "s": case.score,
        "b": case.bounds,
        "h": case.is_hallucinated,
        "o": dict(case.outcomes),
        **({"co": shown_lines(text, 2000)} if (text := case_text(case)) else {}),
    }


def _item(n: int, item: Item, cases: dict[str, int], cuts: Cuts, leaves: dict[tuple[str, int], int]) -> Payload:
    return {
        "n": n,
        "c": cases[item.case_id],
        "i": shown_lines(item.item, _NAME_MOST),
        "t": shown_lines(item.tranche or "", _NAME_MOST),
        "f": shown_lines(field_of(item), _NAME_MOST),
        "o": item.outcome,
        "s": item.score,
        "b": item.bounds,
        "w": round(float(item.weight), 4),
        "by": item.decided_by,
        "who": item.who,
        "r": shown_lines(item.rule, _NAME_MOST),
        "why": shown_lines(item.reason),
        "rep": shown_lines(item.reported, _VALUE_MOST),
        "gold": shown_lines(item.gold, _VALUE_MOST),
        "doc": shown_lines(item.document, _NAME_MOST),
        "open": cause_words(item.why_open),
        "conf": item.confidence,
        "dis": _dispute(item),
        "x": [shown_lines(text) for text in item.exception] if item.exception else None,
        "fi": [[code, shown_lines(detail)] for code, detail in item.findings],
        "rub": item.rubric,
        "qu": shown_lines(item.question),
        "no": shown_lines(item.note, _NAME_MOST),
        "md": [[shown_lines(str(key), _NAME_MOST), shown_lines(_plain(value))] for key, value in item.metadata.items()],
        "pt": point_of(item),
        "me": _meaning(item),
        "j": _answer(item.judge) if item.judge else None,
        **({"di": list(dimension_lines(item.capability, item.dimensions))} if item.dimensions else {}),
        "p": [_cited(cited, cuts.passages.get((n, k)), cuts.views.get((n, k), ()), leaves) for k, cited in enumerate(item.citations[:20])],
    }


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _dispute(item: Item) -> list[str]:
    """What people say of the item without settling it: a correction, decisions on an earlier state of it."""
    said = [] if item.correction is None else [f"{correction_text(item.correction)}. {item.correction.why}".strip()]
    return [shown_lines(text) for text in (*said, *map(former_text, item.former))]


def _meaning(item: Item) -> str:
    """What the item's label means, with the section of the standard."""
    labels = capability_of(item.capability).labels if is_known(item.capability) else {}
    return next((text for label, text in labels.items() if label == item.outcome), "")


def _answer(answer: Answer) -> Payload:
    evidence, reasoning = shown_lines(answer.evidence), shown_lines(answer.reasoning or answer.error_detail)
    verdict = answer.verdict or answer.error or ""
    return {"m": answer.model, "v": verdict, "e": evidence, "r": reasoning, "c": answer.confidence, "votes": answer.votes}


def _cited(cited: Provenance, passage: Passage | None, views: tuple[View, ...], leaves: dict[tuple[str, int], int]) -> Payload:
    claim = cited.claim
    found: Payload = {
        "o": cited.outcome,
        "ok": cited.outcome in ("exact", "normalised"),
        "q": shown_lines(cited.quote or "", _VALUE_MOST),
        "p": cited.page or "",
        "sec": shown_lines(cited.section or "", _NAME_MOST),
        "pf": cited.pages_found[:20],
        "sf": [shown_lines(s, _NAME_MOST) for s in cited.sections_found[:20]],
        "m": cited.match,
        "d": shown_lines(cited.document, _NAME_MOST),
        "cl": [
            shown_lines(claim.document, _NAME_MOST),
            shown_lines(str(claim.page), 60),
            shown_lines(claim.section, _NAME_MOST),
            shown_lines(claim.quote),
        ],
    }
    if passage is not None and passage.changes:
        found["diff"] = [[op, shown_lines(text)] for op, text in passage.changes]
    elif passage is not None:
        found["ctx"] = [shown_lines(passage.before), shown_lines(passage.found), shown_lines(passage.after)]
    if views:
        found["views"] = [_view(view, leaves) for view in views]
    return found


def _view(view: View, leaves: dict[tuple[str, int], int]) -> Payload:
    marks = [[kind, *(round(v, 1) for v in (x0, y0, x1 - x0, y1 - y0))] for kind, (_, x0, y0, x1, y1) in view.marks]
    return {"img": leaves[view.document, view.page], "role": view.role, "rects": marks}
