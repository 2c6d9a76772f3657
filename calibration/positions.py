"""Does the verdict depend on which candidate stands first? The same pair asked in both orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.estimate import Estimate
from calibration.labels import JUDGE, SWAPPED
from calibration.paired import mcnemar
from calibration.performance import share_of
from calibration.sample import Sample


@dataclass(frozen=True, slots=True)
class PositionFigures:
    """Both orders of the same items; a verdict names the candidate it chose, whichever order it stood in.

    accuracy: (original, swapped), unusable replies left out; average: their mean with an unusable reply counted wrong.
    both_right: right in both orders, over all labelled items. agreement: same verdict in both orders, over items usable in both.
    always_first, always_second: items where the judge chose the same place twice; p: exact test that the two are equally likely.
    """

    items: int
    original: Estimate
    swapped: Estimate
    average: float | None
    both_right: Estimate
    agreement: Estimate
    always_first: int
    always_second: int
    p: float


def measure_positions(sample: Sample, name: str = JUDGE) -> PositionFigures | None:
    """None where the file holds no verdicts in exchanged order. "First" is the first label of the label list."""
    other = SWAPPED if name == JUDGE else f"{name}/{SWAPPED}"
    if other not in sample.readings:
        return None
    first, second, truth = sample.reading(name), sample.reading(other), sample.truth
    asked = (truth >= 0) & (first != -1) & (second != -1)
    right = [(codes == truth) & asked for codes in (first, second)]
    both = asked & (first >= 0) & (second >= 0)
    to_first = int(np.count_nonzero(both & (first == 0) & (second == 1)))
    to_second = int(np.count_nonzero(both & (first == 1) & (second == 0)))
    n = int(asked.sum())
    return PositionFigures(
        n,
        share_of(sample, asked & (first >= 0), right[0]),
        share_of(sample, asked & (second >= 0), right[1]),
        float((right[0].sum() + right[1].sum()) / (2 * n)) if n else None,
        share_of(sample, asked, right[0] & right[1]),
        share_of(sample, both, first == second),
        to_first,
        to_second,
        mcnemar(to_first, to_second),
    )
