"""Does the judge give the same verdict again? The same items asked in repeated calls (calibration.md 3.9), and pairs in both orders. Has
it changed since, on the same frozen items (3.11)?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.label_files.labels import JUDGE, SWAPPED
from calibration.measures.performance import share_of
from calibration.measures.sample import MISSING, Flags, Sample, majority
from calibration.statistics.agreement import fleiss_kappa
from calibration.statistics.clusters import pair_tables, sum_by_cluster
from calibration.statistics.estimate import Estimate
from calibration.statistics.intervals import clustered_proportion
from calibration.statistics.paired import PairedChange, compare_pairs, mcnemar
from calibration.statistics.table_interval import table_estimates


@dataclass(frozen=True, slots=True)
class Retest:
    """runs: calls an item, the first included. unanimity: items where all usable runs agree. flip_rate: mean share of differing pairs.
    fleiss: over the items with every run usable. single, voted: accuracy of the first run and of the majority of the runs. A cached reply
    is no repeat; whoever records repeats has to bypass the cache."""

    runs: int
    items: int
    unanimity: Estimate
    flip_rate: Estimate
    fleiss: float | None
    single: Estimate
    voted: Estimate


def measure_retest(sample: Sample) -> Retest | None:
    """None where the file holds no repeats."""
    names = sorted((name for name in sample.readings if name.startswith("repeat:")), key=lambda name: (len(name), name))
    if not names:
        return None
    runs = np.stack([sample.reading(name) for name in (JUDGE, *names)])
    classes = len(sample.labels)
    counts = np.stack([(runs == code).sum(0) for code in range(classes)], axis=1).astype(float)
    sizes = counts.sum(1)
    rows = sizes > 1
    pairs = np.where(rows, sizes * (sizes - 1), 1.0)
    flips = 1 - (counts * (counts - 1)).sum(1) / pairs
    sums = sum_by_cluster(np.stack([flips * rows, rows.astype(float)], axis=1), sample.cluster, sample.clusters)
    whole = counts[sizes == len(runs)]
    labelled = sample.truth >= 0
    voted = majority(runs, classes)
    return Retest(
        len(runs),
        int(rows.sum()),
        share_of(sample, rows, counts.max(1) == sizes),
        clustered_proportion(sums[:, 0], sums[:, 1]),
        fleiss_kappa(whole) if len(whole) else None,
        share_of(sample, labelled & (runs[0] >= 0), runs[0] == sample.truth),
        share_of(sample, labelled & (voted >= 0), voted == sample.truth),
    )


@dataclass(frozen=True, slots=True)
class PositionFigures:
    """Both orders of the same items; a verdict names the candidate it chose, whichever order it stood in. accuracy: (original, swapped),
    unusable replies left out; average: their mean with an unusable reply counted wrong. both_right: right in both orders, over all labelled
    items. agreement: same verdict in both orders, over items usable in both. always_first, always_second: items where the judge chose the
    same place twice; p: exact test that the two are equally likely."""

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
    accepting = [sample.labels.index(label) for label in positive]
    good = np.isin(truth, accepting)

    def change(rows: Flags, first: Flags, second: Flags) -> PairedChange:
        return compare_pairs(first[rows], second[rows], sample.cluster[rows], sample.clusters)

    def side(wanted: bool) -> PairedChange:
        return change(asked & (good == wanted), *((np.isin(codes, accepting) == wanted) & (codes >= 0) for codes in (before, after)))

    both = asked & (before >= 0) & (after >= 0)
    tables = pair_tables(before[both], after[both], len(sample.labels), sample.cluster[both], sample.clusters)
    figures = table_estimates(("accuracy", "kappa"), tables)
    accepting_side, refusing_side = (side(True), side(False)) if positive else (None, None)
    right = change(asked, before == truth, after == truth)
    return Drift(old, new, int(asked.sum()), right, accepting_side, refusing_side, figures["accuracy"], figures["kappa"])
