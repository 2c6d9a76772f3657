"""compare.html: two runs side by side as one file without script: what got worse, better and other, with both values and reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from markupsafe import Markup

from judge.capabilities.registry import title_of
from judge.printing import shown
from judge.records import Item, Key
from judge.report.about import about
from judge.report.page_cuts import views_of
from judge.report.pages import Section, leaf_figure, page_html, report_link, unbroken
from judge.report.pdf_pages import PdfPages
from judge.report.rendering import part, template
from judge.report.wording import DECIDERS, OUTCOME_TITLES, WORDS, change_text, counted, span_text
from judge.results.comparison import Change, Comparison, counted_kinds
from judge.results.intervals import Difference
from judge.results.reading import Results

KIND = "comparison of two runs"
DECISIONS: Mapping[str, str] = WORDS["decisions"]


def comparison_text(found: Comparison) -> str:
    """What changed, most important first: changed inputs, the decision, capabilities, fields that moved, flipped items."""
    flips = sorted(found.flips, key=lambda flip: flip.rank)
    said = {"decision": DECISIONS[found.decision], "unpaired": _unpaired(found), "kinds": counted_kinds(found.changes)}
    text = template("compare.txt.j2").render(said, found=found, figures_of=figures_of, flips=flips)
    return text.rstrip("\n")


def _unpaired(found: Comparison) -> list[str]:
    sides = ((found.only_before, "first"), (found.only_after, "second"))
    told = ((f"{counted(len(cases), 'case')} only in the {where} run", cases) for cases, where in sides if cases)
    return [f"{what}: {shown(', '.join(cases[:10]))}{' …' if len(cases) > 10 else ''}" for what, cases in told]


def figures_of(d: Difference) -> tuple[str, ...]:
    """Cases, before, after, change and its interval."""
    return str(d.cases), span_text(d.before), span_text(d.after), change_text(d.change), change_text(d.interval)


def comparison_data(found: Comparison) -> dict[str, Any]:
    """The comparison as plain JSON values."""
    plain = "decision exit_code why changed_inputs paired_cases only_before only_after".split()
    return {
        **{name: getattr(found, name) for name in plain},
        "unpaired_items": found.unpaired_items,
        "capabilities": {name: asdict(d) for name, d in found.capabilities.items()},
        "fields": [{"capability": capability, "field": name, **asdict(d)} for (capability, name), d in found.fields.items()],
        "mcnemar": {"lost": found.lost, "gained": found.gained, "p": found.p},
        "worse": found.counted("worse"),
        "better": found.counted("better"),
        "new_hallucinations": found.inventions,
        "flips": [_flip_data(flip) for flip in found.flips],
        "changed": counted_kinds(found.changes),
        "changes": [asdict(change) for change in found.changes],
    }


def _flip_data(flip: Change) -> dict[str, Any]:
    outcomes = {name: side.outcome for name, side in (("before", flip.before), ("after", flip.after)) if side is not None}
    return {"case_id": flip.case_id, "item": flip.item, "tranche": flip.tranche, **outcomes, "kind": flip.kind}


_TONES = {"no_regression": "pass", "regression": "fail", "cannot_tell": "inconclusive"}
_HEAD = ("Name", "Cases", "Before", "After", "Change", "Interval")
_CHANGE_HEAD = ("Case", "Item", "Changed", "Before", "After", "Decided by")
_CHANGE_HINT = "Output, citation, gold, outcome and who decided, whether or not the outcome is another."
_SHOWN, _IMAGES, _TEXT = 300, 40, 400


def comparison_html(found: Comparison, before: Results, after: Results, pages: PdfPages | None, out: Path) -> str:
    """The whole page. pages: of the later run, for images; out: where the page will stand, for links to both reports."""
    sides = tuple({item.key: (n, item) for n, item in enumerate(results.items)} for results in (before, after))
    links = tuple(report_link(results.path, out) for results in (before, after))
    facts = [(name, a, b) for (name, a), (_, b) in zip(about(before), about(after), strict=True)]
    moved = [(name, difference) for (_, name), difference in found.fields.items() if difference.change != (0.0, 0.0)]
    sections = [
        Section("The two runs", ("What", "Before", "After"), facts),
        Section("What else changed", ("Between the runs",), [(said,) for said in found.changed_inputs]),
        Section("Capabilities", _HEAD, [(title_of(n), *map(unbroken, figures_of(d))) for n, d in found.capabilities.items()]),
        Section("Fields that moved", _HEAD, [(n, *map(unbroken, figures_of(d))) for n, d in moved]),
    ]
    images = _IMAGES
    for kind, hint in WORDS["flips"].items():
        flips = [flip for flip in found.flips if flip.kind == kind]
        blocks = []
        for flip in flips[:_SHOWN]:
            figure = _figure(flip, sides[1], pages) if images > 0 else Markup("")
            images -= bool(figure)
            blocks.append(_block(flip, sides, links, figure))
        sections.append(Section(kind.capitalize(), hint=hint, count=len(flips), html=blocks, left_out=_left_out(len(flips))))
    rows = [_changed(change, sides[1]) for change in found.changes]
    sections.append(Section("Every change", _CHANGE_HEAD, rows[:_SHOWN], _CHANGE_HINT, len(rows), left_out=_left_out(len(rows))))
    chance = f" Exact McNemar p = {found.p:.4g}." if found.paired_cases else ""
    lead = f"{found.why} Items: {found.items_text}.{chance}"
    return page_html(KIND, DECISIONS[found.decision], lead, sections, notes=_unpaired(found), tone=_TONES[found.decision])


def _left_out(count: int) -> str:
    return f"{counted(count - _SHOWN, 'item')} more: `judge compare --json` lists all." if count > _SHOWN else ""


Side = Mapping[Key, tuple[int, Item]]


def _changed(change: Change, side: Side) -> tuple[str, ...]:
    title = side[change.key][1].title if change.key in side else change.item
    texts, deciders = [], []
    for run in (change.before, change.after):
        shown = {"output": run.reported, "citation": run.cited, "gold": f"gold: {run.gold}"} if run is not None else {}
        parts = [OUTCOME_TITLES.get(run.outcome, run.outcome)] if run is not None else ["not there"]
        texts.append("; ".join(parts + [text[:_TEXT] or "nothing" for what, text in shown.items() if what in change.what]))
        deciders += [" ".join(filter(None, (DECIDERS.get(run.decided_by, run.decided_by), run.who)))] if run is not None else []
    return change.case_id, title, ", ".join(change.what), *texts, ", then ".join(dict.fromkeys(deciders))


def _block(flip: Change, sides: Sequence[Side], links: Sequence[str], figure: Markup) -> Markup:
    both = [(title, *side[flip.key], link) for title, side, link in zip(("Before", "After"), sides, links, strict=True)]
    return part("change", flip, both, figure)


def _figure(flip: Change, side: Side, pages: PdfPages | None) -> Markup:
    if pages is None:
        return Markup("")
    for cited in side[flip.key][1].citations:
        for view in views_of(cited, pages):
            if (leaf := pages.leaf(view.document, view.page)) is not None:
                return leaf_figure(view, leaf)
    return Markup("")
