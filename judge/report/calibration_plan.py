"""How many labels a calibration takes, in words: before the first label, and from what is labelled already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibration.needed import NOTHING, Need, World, needed_for_bar, needed_for_width, world_of
from calibration.pool import first_labels

if TYPE_CHECKING:
    from judge.calibrate.assess import Calibration
    from rubrics.contract import Contract

SIDES = ("failures caught (specificity)", "passes recognised (sensitivity)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked before the first label. precision: half width of the interval; rate: to be expected; per_case: labels of a class in one
    case; alike: intra-class correlation within cases. All but per_case 0..1."""

    precision: float
    rate: float
    per_case: float
    alike: float

    @property
    def world(self) -> World:
        """What cases are like; whole numbers of labels around per_case."""
        below = int(self.per_case)
        above = round((self.per_case - below) * 100)
        sizes = [float(below)] * (100 - above) + [float(below + 1)] * above
        return World(self.rate, np.array(sizes), self.alike if self.per_case > 1 else 0.0)


def plan_text(wanted: Wanted, contract: Contract) -> str:
    """The plan before any label."""
    rules, level = contract.calibration, float(contract.calibration.confidence_level)
    shape = f"{wanted.per_case:g} labels of a class in a case, {wanted.alike:g} alike" if wanted.per_case > 1 else "one label a case"
    lines = [f"If the judge's true rate is {wanted.rate:.1%} ({shape}):", ""]
    narrow = needed_for_width(wanted.precision, wanted.world, level)
    lines.append(f"  plus or minus {100 * wanted.precision:g} points: {_said(narrow)}, of each class")
    for side, bar in zip(SIDES, (rules.specificity_bar, rules.sensitivity_bar), strict=True):
        lines.append(f"  {side} above the bar of {float(bar):.0%}: {_said(needed_for_bar(NOTHING, float(bar), wanted.world, level))}")
    lines += ["", "Drawn by the verdicts of a run, one question an agreement, labels of both classes together:"]
    bars = float(rules.specificity_bar), float(rules.sensitivity_bar)
    for failing in FAILING:
        first = first_labels(wanted.rate, failing, bars, level)
        said = f"{first} labels: judge label RUN --for-calibration RUBRIC --sample {first}" if first else "no number can be promised"
        lines.append(f"  {failing:.0%} of the outputs should be refused: {said}")
    return "\n".join([*lines, "", _FOOT])


FAILING = (0.1, 0.2, 0.5)
_FOOT = (
    "Each number suffices in nine of ten calibrations. A class is what should be accepted, or what should be refused: a rare class needs\n"
    "many items until so many of it are found, unless they are drawn by the verdicts of a run. A first step can be smaller (80): the\n"
    "calibration then says how many more it takes, and the command."
)


def further_text(result: Calibration, precision: float) -> str:
    """What is still needed, from the labels of a pilot."""
    lines = []
    for assessment in result.assessments:
        lines += [assessment.rubric or "labels", f"  {assessment.trust.sentence}"]
        for check in assessment.trust.checks:
            world = world_of(check.seen) if check.by_case else None
            narrow = needed_for_width(precision, world) if world else None
            wide = f"; plus or minus {100 * precision:g} points: {_said(narrow)} in all" if world else ""
            lines.append(f"  {check.name}: {_further(check.state, check.labels_needed, check.cases_needed)}{wide}")
    return "\n".join([*lines, "", _FOOT])


def _said(need: Need | None) -> str:
    return f"{need.labels} labels in {need.cases} cases" if need else "no number of labels can be promised"


def _further(state: str, labels: int | None, cases: int | None) -> str:
    if state == "pass":
        return "clears its bar, nothing more is needed"
    if state == "fail":
        return "is below its bar, more labels will not help"
    return f"{labels} more labels in {cases} further cases" if labels else "no number of labels can be promised"
