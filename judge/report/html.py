"""report.html: one self-contained file. Summary as HTML, items as JSON that the page's own script draws when they are looked at.
A content security policy in the file forbids every request and every script but the one whose hash it names."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from deterministic.documents.documents import PageImage
from judge.capabilities import TIER1_FIELDS
from judge.capabilities.open_points import cause_words
from judge.capabilities.registry import capability_of, field_of, is_known, title_of
from judge.printing import shown_lines
from judge.records import Answer, Item, Key, Provenance, grouped
from judge.report import wording
from judge.report.about import open_count
from judge.report.page_cuts import Cuts, Passage, View, attention_order, cut_pages, encoded
from judge.report.pdf_pages import PdfPages
from judge.report.rendering import asset, json_text, rendered_page, source_hash
from judge.report.suspicions import Suspicion, gold_suspects, root_causes
from judge.report.wording import DECIDERS, OUTCOME_ORDER, OUTCOME_TITLES, WORDS, correction_text, former_text
from judge.results.decisions import point_of
from judge.results.lines import CaseResult, Gate
from judge.results.reading import Results
from judge.results.statistics import FieldScore, confidence_audit, field_scores, list_coverage
from rubrics.contract import Contract

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
    said = {"co": shown_lines(text, 2000)} if (text := wording.case_text(case)) else {}
    found = {"id": shown_lines(case.case_id, _NAME_MOST), "cap": case.capability, "s": case.score, "b": case.bounds}
    return {**found, "h": case.is_hallucinated, "o": dict(case.outcomes), **said}


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
        "md": [[shown_lines(str(key), _NAME_MOST), shown_lines(_as_text(value))] for key, value in item.metadata.items()],
        "pt": point_of(item),
        "me": _meaning(item),
        "j": _answer(item.judge) if item.judge else None,
        **({"di": list(wording.dimension_lines(item.capability, item.dimensions))} if item.dimensions else {}),
        "p": [_cited(cited, cuts.passages.get((n, k)), cuts.views.get((n, k), ()), leaves) for k, cited in enumerate(item.citations[:20])],
    }


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _dispute(item: Item) -> list[str]:
    """What people say of the item without settling it: a correction, decisions on an earlier state of it."""
    said = [] if item.correction is None else [f"{correction_text(item.correction)}. {item.correction.why}".strip()]
    return [shown_lines(text) for text in (*said, *map(former_text, item.former))]


def _meaning(item: Item) -> str:
    labels = capability_of(item.capability).labels if is_known(item.capability) else {}
    return next((text for label, text in labels.items() if label == item.outcome), "")


def _answer(answer: Answer) -> Payload:
    evidence, reasoning = shown_lines(answer.evidence), shown_lines(answer.reasoning or answer.error_detail)
    verdict = answer.verdict or answer.error or ""
    return {"m": answer.model, "v": verdict, "e": evidence, "r": reasoning, "c": answer.confidence, "votes": answer.votes}


def _cited(cited: Provenance, passage: Passage | None, views: tuple[View, ...], leaves: dict[tuple[str, int], int]) -> Payload:
    claim = cited.claim
    claimed = ((claim.document, _NAME_MOST), (claim.page, 60), (claim.section, _NAME_MOST), (claim.quote, 1200))
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
        "cl": [shown_lines(text, most) for text, most in claimed],
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


IMAGE_BUDGET = 12_000_000
_LISTED = 50
_LINKED = 12  # items that one cause links to


def report_html(
    results: Results, contract: Contract, pages: PdfPages | None, *, is_redacted: bool = False, image_budget: int = IMAGE_BUDGET
) -> str:
    """The whole page. pages: where page images come from, None when the documents are not at hand; image_budget: bytes."""
    cuts = Cuts() if pages is None else cut_pages(results.items, pages, image_budget)
    script = asset("report.js")
    level = float(contract.intervals.confidence_level)
    audit = confidence_audit(results.items, contract.confidence, level)
    return rendered_page(
        "report.html.j2",
        asset("report.css"),
        f"loan-judge, report of run {results.run.get('run_id', '')}",
        results=results,
        redacted=is_redacted,
        level=f"{level:.0%}",
        tiles=_tiles(results),
        blocks=list(_blocks(results, contract, level)),
        audit=audit,
        hitl=_hitl(results.items),
        follow_up=_follow_up(results),
        run_facts=_run_facts(results.run),
        data=json_text(page_payload(results, cuts, is_redacted=is_redacted)),
        images=[json_text(encoded(leaf)) for leaf in cuts.leaves.values()],
        script=Markup(script),
        script_hash=source_hash(script),
    )


def _tiles(results: Results) -> list[tuple[str, str, str]]:
    counts, usage = results.counts, results.usage
    hallucinated, waiting = counts.get("hallucinated", 0), open_count(results)
    return [
        ("Cases", f"{len(results.cases):,}", ""),
        ("Items", f"{counts.get('items', len(results.items)):,}", ""),
        ("Hallucinations", f"{hallucinated:,}", "alarm" if hallucinated else ""),
        ("Open", f"{waiting:,}", "wait" if waiting else ""),
        ("Judge calls", f"{int(usage.get('judge_calls', 0)):,}", ""),
        ("From cache", f"{int(usage.get('cached', 0)):,}", ""),
        ("Cost", _cost(usage), ""),
    ]


def _cost(usage: Mapping[str, float]) -> str:
    if "usd" not in usage or usage.get("unpriced_calls"):
        return "unknown" if usage.get("judge_calls") else "0.00 USD"
    return f"{usage['usd']:.2f} USD"


def _blocks(results: Results, contract: Contract, level: float) -> Iterator[dict[str, Any]]:
    fields = field_scores(results.items, level)
    gates = {(g.name, g.scope): g for g in results.gates if g.result != "not_applicable"}
    for capability in results.capabilities:
        name, outcomes = capability.name, Counter[str]()
        for case in results.cases:
            outcomes.update(case.outcomes if case.capability == name else {})
        gate = gates.get(("capability_score", name))
        own = gates if is_known(name) and TIER1_FIELDS in capability_of(name).gates else {}
        yield {
            "title": title_of(name),
            "score": capability,
            "threshold": gate and gate.threshold,
            "companion": wording.capability_text(capability),
            "outcomes": outcomes,
            "fields": [_field_row(f, contract, own.get((TIER1_FIELDS, f.field))) for f in fields if f.capability == name],
            "coverage": list(list_coverage(results.items, name, level)),
        }


def _field_row(score: FieldScore, contract: Contract, gate: Gate | None) -> tuple[FieldScore, int | str, float | None]:
    """A field's score, tier and threshold. A field with a gate shows the gate's figure: one field has one score everywhere."""
    rule = contract.fields.get(score.field)
    if gate is not None and gate.bounds is not None:
        score = replace(score, score=gate.value, bounds=gate.bounds)
    return score, rule.tier if rule else "", gate.threshold if gate else None


def _hitl(items: Sequence[Item]) -> str:
    codes = [code for item in items for code, _ in item.findings]
    missing, unneeded, over = (codes.count(c) for c in ("HITL_MISSING", "HITL_UNNEEDED", "OVERCONFIDENT_ILLEGIBLE"))
    if not missing + unneeded + over:
        return ""
    return str(WORDS["sentences"]["human_review"]).format(*(wording.counted(n, "item") for n in (missing, unneeded, over)))


def _follow_up(results: Results) -> list[Payload]:
    items = results.items
    numbers = {item.key: n for n, item in enumerate(items)}
    open_items = [Suspicion(items[n], point_of(items[n])) for n in attention_order(items) if items[n].is_waiting]
    groups: dict[str, Sequence[Suspicion]] = {
        "hallucinations": root_causes(results),
        "open": sorted(open_items, key=lambda s: -s.item.weight),
        "corrections": [Suspicion(i, wording.correction_text(i.correction)) for i in items if i.correction is not None],
        "former": [Suspicion(i, "; ".join(map(wording.former_text, i.former))) for i in items if i.former],
        "gold": gold_suspects(items),
        "excepted": [Suspicion(i, f"{i.exception.who}, until {i.exception.expires}") for i in items if i.exception is not None],
    }
    return [_group(name, found, numbers) for name, found in groups.items()]


def _group(name: str, found: Sequence[Suspicion], numbers: Mapping[Key, int]) -> Payload:
    """One list of items to follow up, those with the same cause and reason together; causes: entries before the cut."""
    told = ((s, s.item.exception.why if s.item.exception and name == "excepted" else s.item.reason) for s in found)
    by_cause = grouped(((shown_lines(s.cause, 200), shown_lines(text, 400)), s.item) for s, text in told)
    entries: list[Payload] = []
    for (cause, text), items in list(by_cause.items())[:_LISTED]:
        links = [(numbers[item.key], shown_lines(item.case_id, 120), shown_lines(item.title, 120)) for item in items[:_LINKED]]
        entries.append({"cause": cause, "text": text, "links": links, "more": max(0, len(items) - _LINKED)})
    title, hint = WORDS["follow_up"][name]
    return {"title": title, "hint": hint, "total": len(found), "causes": len(by_cause), "entries": entries}


def _run_facts(run: Mapping[str, Any], prefix: str = "", most: int = 80) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    for key, value in run.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            facts += _run_facts(value, f"{name}.", most)
        else:
            told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            facts.append((shown_lines(name, 120), shown_lines(told, 200)))
    return facts[:most]
