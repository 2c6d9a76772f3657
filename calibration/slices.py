"""Each kind of items by itself: rubric, capability, document kind, language, model. A pooled rate hides a kind on which the judge is
blind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.estimate import Estimate
from calibration.labels import LabelledItem
from calibration.objections import Objection, Rules
from calibration.performance import share_of
from calibration.sample import UNUSABLE_CODE, Sample


@dataclass(frozen=True, slots=True)
class SliceCheck:
    """One side of one kind. kind, value: what makes the slice; side: what is counted; state: `pass`, `fail` (even the upper end is below
    the floor), `open` (the rate is), `few` (too few labels to say)."""

    kind: str
    value: str
    side: str
    rate: Estimate
    floor: float
    state: str


def slice_checks(sample: Sample, positive: Sequence[str], rules: Rules) -> tuple[SliceCheck, ...]:
    """Every slice of the distinct, drawn items, by kind and value; without accepting labels the share of right verdicts."""
    accepting = [sample.labels.index(label) for label in positive]
    judge, truth = sample.reading(), sample.truth
    answered = (truth >= 0) & ((judge >= 0) | (judge == UNUSABLE_CODE))
    good, said = np.isin(truth, accepting), np.isin(judge, accepting)
    sides = [("failures caught", ~good, ~said & (judge >= 0)), ("passes recognised", good, said)]
    if not positive:
        sides = [("right verdicts", truth >= 0, judge == truth)]
    found = []
    for kind, value in sorted({pair for item in sample.items for pair in slices_of_item(item)}):
        rows = np.array([(kind, value) in slices_of_item(item) for item in sample.items], bool)
        if rows.all():
            continue
        for side, own, right in sides:
            rate = share_of(sample, answered & rows & own, right, rules.level)
            found.append(SliceCheck(kind, value, side, rate, rules.slice_floor, _state(rate, rules)))
    return tuple(found)


def slices_of_item(item: LabelledItem) -> tuple[tuple[str, str], ...]:
    """What the file says of it, and the model that answered."""
    named = dict(item.slices)
    return tuple({**({"model": item.model} if item.model else {}), **named}.items())


def _state(rate: Estimate, rules: Rules) -> str:
    if rate.value is None or rate.n < rules.slice_least:
        return "few"
    if rate.value >= rules.slice_floor:
        return "pass"
    return "fail" if rate.high is not None and rate.high < rules.slice_floor else "open"


def against_slices(checks: Sequence[SliceCheck]) -> list[Objection]:
    """Slices below their floor."""
    return [
        Objection(
            "fail" if check.state == "fail" else "open",
            f"{check.kind} {check.value!r}: {check.side} {check.rate.value or 0:.1%} of {check.rate.n} labels, "
            f"the floor of a slice is {check.floor:.0%}",
        )
        for check in checks
        if check.state in ("fail", "open")
    ]


def slice_notes(checks: Sequence[SliceCheck]) -> list[str]:
    """Slices of which nothing can be said, in one sentence."""
    few = list(dict.fromkeys(f"{check.kind} {check.value!r}" for check in checks if check.state == "few"))
    more = f" and {len(few) - 6} more" if len(few) > 6 else ""
    return [f"too few labels to say anything of {', '.join(few[:6])}{more}"] if few else []
