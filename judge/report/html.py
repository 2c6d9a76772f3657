"""report.html: one self-contained file. Summary as HTML, items as JSON that the page's own script draws when they are looked at.

A content security policy in the file forbids every request and every script but the one whose hash it names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from judge.capabilities import TIER1_FIELDS
from judge.capabilities.registry import capability_of, is_known, title_of
from judge.printing import shown_lines
from judge.records import Item
from judge.report import wording
from judge.report.about import JUDGE_HEAD, about, judge_rows, limits, open_count
from judge.report.companion_text import capability_text
from judge.report.page_cuts import Cuts, attention_order, cut_pages, encoded
from judge.report.payload import page_payload
from judge.report.pdf_pages import PdfPages
from judge.report.rendering import asset, json_text, rendered_page, source_hash
from judge.report.suspicions import Suspicion, gold_suspects, root_causes
from judge.results.decisions import point_of
from judge.results.lines import CapabilityScore, Gate
from judge.results.reading import Results
from judge.results.statistics import FieldScore, confidence_audit, field_scores, list_coverage
from rubrics.contract import Contract

IMAGE_BUDGET = 12_000_000
_LISTED = 50
_LINKED = 12  # items that one cause links to
_FILTERS = (
    ("outcome", "Outcome"),
    ("capability", "Capability"),
    ("field", "Field"),
    ("document", "Document"),
    ("rule", "Rule"),
    ("decider", "Decided by"),
)


@dataclass(frozen=True, slots=True)
class _Group:
    """One list of items to follow up, those with the same cause and reason together. total: items; causes: entries before the cut."""

    title: str
    hint: str
    total: int
    causes: int
    entries: Sequence[Mapping[str, Any]]


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
        results=results,
        about=about(results),
        limits=list(limits(results)),
        opening=wording.headline(results),
        reasons=wording.reasons(results),
        redacted=is_redacted,
        level=f"{level:.0%}",
        tiles=_tiles(results),
        judge=(JUDGE_HEAD, judge_rows(results.run)),
        blocks=_blocks(results, contract, level),
        outcome_order=wording.OUTCOME_ORDER,
        audit=audit,
        hitl=_hitl(results.items),
        follow_up=_follow_up(results),
        filters=_FILTERS,
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
    """What the run cost; unknown where calls were made at no known price."""
    if "usd" not in usage or usage.get("unpriced_calls"):
        return "unknown" if usage.get("judge_calls") else "0.00 USD"
    return f"{usage['usd']:.2f} USD"


def _blocks(results: Results, contract: Contract, level: float) -> list[dict[str, Any]]:
    fields = field_scores(results.items, level)
    gates = {(g.name, g.scope): g for g in results.gates if g.result != "not_applicable"}
    return [_block(c, results, [f for f in fields if f.capability == c.name], gates, contract, level) for c in results.capabilities]


def _block(
    capability: CapabilityScore,
    results: Results,
    fields: Sequence[FieldScore],
    gates: Mapping[tuple[str, str], Gate],
    contract: Contract,
    level: float,
) -> dict[str, Any]:
    """What the Scores section shows of one capability."""
    outcomes: Counter[str] = Counter()
    for case in results.cases:
        outcomes.update(case.outcomes if case.capability == capability.name else {})
    gate = gates.get(("capability_score", capability.name))
    own = TIER1_FIELDS in capability_of(capability.name).gates if is_known(capability.name) else False
    return {
        "title": title_of(capability.name),
        "score": capability,
        "threshold": gate and gate.threshold,
        "companion": capability_text(capability),
        "outcomes": outcomes,
        "fields": [_field_row(f, contract, gates.get((TIER1_FIELDS, f.field)) if own else None) for f in fields],
        "coverage": list(list_coverage(results.items, capability.name, level)),
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
    return (
        f"Human review: missing where the confidence needs it on {wording.counted(missing, 'item')}, asked for without need on "
        f"{wording.counted(unneeded, 'item')}; confident on an illegible passage on {wording.counted(over, 'item')}."
    )


def _follow_up(results: Results) -> list[_Group]:
    items = results.items
    numbers = {item.key: n for n, item in enumerate(items)}
    open_items = [Suspicion(items[n], point_of(items[n])) for n in attention_order(items) if items[n].is_waiting]
    heavy = sorted(open_items, key=lambda s: -s.item.weight)
    disputed = [Suspicion(i, wording.correction_text(i.correction)) for i in items if i.correction is not None]
    former = [Suspicion(i, "; ".join(map(wording.former_text, i.former))) for i in items if i.former]
    excepted = [Suspicion(i, f"{i.exception.who}, until {i.exception.expires}") for i in items if i.exception is not None]
    return [
        _group(
            "Hallucinations and their root causes",
            "Zero tolerance: each needs a root cause before a re-run.",
            root_causes(results),
            numbers,
        ),
        _group("Open items", "A gate waits for these, the heaviest first; `judge label` settles them.", heavy, numbers),
        _group(
            "Corrections", "Verdicts of the program that people dispute; they count only where the contract lets them.", disputed, numbers
        ),
        _group("Earlier decisions", "On another output, gold, citation or contract than this one: not applied.", former, numbers),
        _group("Gold may be wrong", "The document is on the side of the reported value, or lacks gold's.", gold_suspects(items), numbers),
        _group("Accepted exceptions", "Deviations that a person accepted; outcomes and scores stay as they are.", excepted, numbers),
    ]


def _group(title: str, hint: str, found: Sequence[Suspicion], numbers: Mapping[tuple[str, str, str | None], int]) -> _Group:
    by_cause: dict[tuple[str, str], list[Item]] = {}
    for s in found:
        text = s.item.exception.why if s.item.exception and title.startswith("Accepted") else s.item.reason
        by_cause.setdefault((shown_lines(s.cause, 200), shown_lines(text, 400)), []).append(s.item)
    entries = [
        {
            "cause": cause,
            "text": text,
            "links": [(numbers[item.key], shown_lines(item.case_id, 120), shown_lines(item.title, 120)) for item in items[:_LINKED]],
            "more": max(0, len(items) - _LINKED),
        }
        for (cause, text), items in list(by_cause.items())[:_LISTED]
    ]
    return _Group(title, hint, len(found), len(by_cause), entries)


def _run_facts(run: Mapping[str, Any], prefix: str = "", most: int = 80) -> list[tuple[str, str]]:
    """run.json as pairs of a dotted key and a text."""
    facts: list[tuple[str, str]] = []
    for key, value in run.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            facts += _run_facts(value, f"{name}.", most)
        else:
            told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            facts.append((shown_lines(name, 120), shown_lines(told, 200)))
    return facts[:most]
