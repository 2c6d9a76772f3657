"""A comparison of two runs for people (plain text) and for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from judge.capabilities.registry import title_of
from judge.printing import shown
from judge.report.wording import change_text, counted, span_text
from judge.results.changes import counted_kinds
from judge.results.comparison import Comparison
from judge.results.paired_difference import Difference

DECISIONS = {"no_regression": "No regression", "regression": "Regression", "cannot_tell": "Cannot tell"}
_FLIPS_SHOWN = 40


def comparison_text(found: Comparison) -> str:
    """What changed, most important first: changed inputs, the decision, capabilities, fields that moved, flipped items."""
    return "\n".join(_lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    if found.changed_inputs:
        yield "Not only the outputs changed between the two runs:"
        yield from (f"  {shown(said)}" for said in found.changed_inputs)
        yield ""
    yield f"{DECISIONS[found.decision]}: {shown(found.why, 1000)}"
    yield from _unpaired(found)
    if found.capabilities:
        yield ""
        yield _row("capability", "cases", "before", "after", "change", "interval")
    for name, difference in found.capabilities.items():
        yield _row(title_of(name), *figures_of(difference))
    moved = {name: d for name, d in found.fields.items() if d.change != (0.0, 0.0)}
    if moved:
        yield ""
        yield _row("field", "cases", "before", "after", "change", "interval")
        for (_, name), difference in moved.items():
            yield _row(shown(name, 40), *figures_of(difference))
    yield ""
    chance = f"; exact McNemar p = {found.p:.4g}" if found.paired_cases else ""
    yield f"Items: {found.lost} lost, {found.gained} gained{chance}."
    yield from _flips(found)
    if found.changes:
        kinds = ", ".join(f"{kind}: {n}" for kind, n in counted_kinds(found.changes).items())
        yield f"{counted(len(found.changes), 'item')} changed between the runs ({kinds}); --json and --html list all with who decided them."


def _unpaired(found: Comparison) -> Iterator[str]:
    for cases, where in ((found.only_before, "first"), (found.only_after, "second")):
        if cases:
            yield f"{counted(len(cases), 'case')} only in the {where} run: {shown(', '.join(cases[:5]))}{' …' if len(cases) > 5 else ''}"


def _flips(found: Comparison) -> Iterator[str]:
    order = {"lost": 0, "gained": 1, "changed": 2}
    flips = sorted(found.flips, key=lambda f: (f.after != "hallucination", order[f.kind]))
    for flip in flips[:_FLIPS_SHOWN]:
        yield f"  {flip.kind:8} {shown(flip.case_id, 60)}  {shown(flip.item, 80)}: {flip.before} -> {flip.after}"
    if len(flips) > _FLIPS_SHOWN:
        yield f"  … and {len(flips) - _FLIPS_SHOWN} more (--json lists all)"


def figures_of(d: Difference) -> tuple[str, ...]:
    """Cases, before, after, change and its interval."""
    return str(d.cases), span_text(d.before), span_text(d.after), change_text(d.change), change_text(d.interval)


def _row(name: str, *cells: str) -> str:
    return f"{name:22}" + "".join(f"{cell:>18}" for cell in cells)


def comparison_data(found: Comparison) -> dict[str, Any]:
    """The comparison as plain JSON values."""
    return {
        "decision": found.decision,
        "exit_code": found.exit_code,
        "why": found.why,
        "changed_inputs": list(found.changed_inputs),
        "paired_cases": found.paired_cases,
        "only_before": list(found.only_before),
        "only_after": list(found.only_after),
        "unpaired_items": found.unpaired_items,
        "capabilities": {name: asdict(d) for name, d in found.capabilities.items()},
        "fields": [{"capability": capability, "field": name, **asdict(d)} for (capability, name), d in found.fields.items()],
        "mcnemar": {"lost": found.lost, "gained": found.gained, "p": found.p},
        "flips": [asdict(flip) for flip in found.flips],
        "changed": counted_kinds(found.changes),
        "changes": [asdict(change) for change in found.changes],
    }
