"""Has the judge changed? Two judges (or two versions of one) on the same frozen items (calibration.md 3.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.clusters import pair_tables
from calibration.estimate import Estimate
from calibration.paired import PairedChange, compare_pairs
from calibration.sample import MISSING, Flags, Sample
from calibration.table_interval import table_estimates


@dataclass(frozen=True, slots=True)
class Drift:
    """correctness: right under the old, right under the new judge, unusable counted wrong. sensitivity, specificity: the same within the
    accepting and the other items, None without `positive`. kappa, agreement: of the two judges' usable verdicts with each other."""

    old: str
    new: str
    items: int
    correctness: PairedChange
    sensitivity: PairedChange | None
    specificity: PairedChange | None
    agreement: Estimate
    kappa: Estimate


def measure_drift(sample: Sample, old: str, new: str, positive: Sequence[str] = ()) -> Drift:
    """The change from reading `old` to reading `new` on the items that both were asked and that have a majority label."""
    before, after, truth = sample.reading(old), sample.reading(new), sample.truth
    asked = (truth >= 0) & (before != MISSING) & (after != MISSING)
    good = np.isin(truth, [sample.labels.index(label) for label in positive])

    def change(rows: Flags) -> PairedChange:
        return compare_pairs((before == truth)[rows], (after == truth)[rows], sample.cluster[rows], sample.clusters)

    def accepted(rows: Flags, wanted: bool) -> PairedChange:
        accepting = [sample.labels.index(label) for label in positive]
        first, second = (((np.isin(codes, accepting) == wanted) & (codes >= 0))[rows] for codes in (before, after))
        return compare_pairs(first, second, sample.cluster[rows], sample.clusters)

    both = asked & (before >= 0) & (after >= 0)
    tables = pair_tables(before[both], after[both], len(sample.labels), sample.cluster[both], sample.clusters)
    figures = table_estimates(("accuracy", "kappa"), tables)
    return Drift(
        old,
        new,
        int(asked.sum()),
        change(asked),
        accepted(asked & good, True) if positive else None,
        accepted(asked & ~good, False) if positive else None,
        figures["accuracy"],
        figures["kappa"],
    )
