"""How far people agree with each other, and the judge with them on the same items: the human ceiling (calibration.md 3.4)."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibration.measures.sample import Codes, Sample
from calibration.statistics.agreement import Distance, Statistic, alpha_of, coincidences, fleiss_kappa, kappa_of
from calibration.statistics.clusters import pair_tables, sum_by_cluster
from calibration.statistics.estimate import Estimate, clipped, undefined
from calibration.statistics.intervals import clustered_difference, clustered_proportion
from calibration.statistics.table_interval import of_tables, table_estimates, widen

Floats = NDArray[np.float64]
MOST_PAIRED = 12  # annotators whose pairs are listed one by one, those with most labels; alpha covers any number


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the items that both labelled."""

    first: str
    second: str
    accuracy: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Judge and people measured on the same doubly labelled items, each against the other annotators. human: mean agreement of a label with
    another person's; judge: of the judge's verdict with a person's; gap: judge minus human, paired by cluster. *_kappa: the same corrected
    for chance, over all pairs together."""

    items: int
    human: Estimate
    judge: Estimate
    gap: Estimate
    human_kappa: Estimate
    judge_kappa: Estimate
    kappa_gap: Estimate


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """counts: majority labels in label order. tied: items with labels but no majority; single, unlabelled: with one label, with none.
    pairs: of the annotators with most labels; unlisted: how many annotators are in none of them. versus: the judge with each of these."""

    annotators: tuple[str, ...]
    counts: tuple[int, ...]
    tied: int
    single: int
    unlabelled: int
    pairs: tuple[Pair, ...]
    unlisted: int
    versus: tuple[Pair, ...]
    alpha: Estimate
    alpha_ordinal: Estimate | None
    fleiss: float | None
    fleiss_reason: str | None
    ceiling: Ceiling


def _alpha(sample: Sample, counts: Floats, distance: Distance) -> Estimate:
    classes, rows = len(sample.labels), counts.sum(1) > 1
    if not rows.any():
        return undefined("no_overlap")
    by_cluster = sum_by_cluster(coincidences(counts[rows]).reshape(-1, classes * classes), sample.cluster[rows], sample.clusters)
    return _widened(partial(alpha_of, distance=distance), by_cluster.reshape(-1, classes, classes), int(rows.sum()))


def _widened(statistic: Statistic, tables: Floats, n: int) -> Estimate:
    """A statistic of (clusters, K, K) tables, widened as those of a confusion table are."""
    agreement = clustered_proportion(np.trace(tables, axis1=1, axis2=2), tables.sum((1, 2)))
    return clipped(widen(of_tables(statistic, tables, n), tables.sum(0), agreement, statistic), -1.0, 1.0)


def _pair(sample: Sample, first: tuple[str, Codes], second: tuple[str, Codes]) -> Pair:
    rows = (first[1] >= 0) & (second[1] >= 0)
    tables = pair_tables(first[1][rows], second[1][rows], len(sample.labels), sample.cluster[rows], sample.clusters)
    figures = table_estimates(("accuracy", "kappa"), tables)
    return Pair(first[0], second[0], figures["accuracy"], figures["kappa"])


def _listed(sample: Sample) -> list[tuple[str, Codes]]:
    """The annotators with most labels, in the order of their names."""
    count = (sample.humans >= 0).sum(1)
    rows = sorted(range(len(sample.annotators)), key=lambda row: (-int(count[row]), row))[:MOST_PAIRED]
    return [(sample.annotators[row], sample.humans[row]) for row in sorted(rows)]


def measure_ceiling(sample: Sample, counts: Floats) -> Ceiling:
    """The ceiling; every figure is None (`no_overlap`) where no item has two people and a usable verdict. Every item weighs 1, as pairs of
    judge with person and as pairs of person with other person."""
    classes, judge = len(sample.labels), sample.reading()
    rows = (counts.sum(1) > 1) & (judge >= 0)
    items, held = int(rows.sum()), counts[rows]
    if not items:
        return Ceiling(0, *[undefined("no_overlap")] * 6)
    pairs = np.zeros((items, 2, classes, classes))
    pairs[np.arange(items), 0, judge[rows]] = held
    pairs[:, 1] = coincidences(held)
    pairs /= held.sum(1)[:, None, None, None]
    more = np.trace(pairs[:, 0] - pairs[:, 1], axis1=1, axis2=2)  # by how much the judge's agreement of an item exceeds the people's
    columns = np.concatenate([pairs.reshape(items, -1), more.clip(0)[:, None], (-more).clip(0)[:, None]], axis=1)
    sums = sum_by_cluster(columns, sample.cluster[rows], sample.clusters)
    tables = sums[:, :-2].reshape(-1, 2, classes, classes)
    sizes = tables[:, 1].sum((1, 2))
    gap = clustered_difference(sums[:, -2], sums[:, -1], sizes)
    with_judge, human = (clustered_proportion(np.trace(tables[:, n], axis1=1, axis2=2), sizes) for n in (0, 1))
    judge_kappa, human_kappa = (_widened(kappa_of, tables[:, n], items) for n in (0, 1))
    return Ceiling(items, human, with_judge, gap, human_kappa, judge_kappa, _kappa_gap(tables, items, gap))


def _kappa_gap(both: Floats, items: int, gap: Estimate) -> Estimate:
    """Widened by the plain gap's interval divided by what chance leaves: few clusters may hold all the difference."""

    def value(tables: Floats) -> Floats:
        return kappa_of(tables[..., 0, :, :]) - kappa_of(tables[..., 1, :, :])

    found = of_tables(value, both, items)
    if found.value is None or found.low is None or found.high is None or gap.value is None or gap.low is None or gap.high is None:
        return found
    room = 1 - float(((both[:, 1].sum((0, 1)) / both[:, 1].sum()) ** 2).sum())
    low, high = (found.value + (end - gap.value) / room for end in (gap.low, gap.high))
    widened = replace(found, low=min(low, found.low), high=max(high, found.high), method=f"{found.method}; widened by the plain gap")
    return clipped(widened, -2.0, 2.0)


def measure_humans(sample: Sample, *, is_ordinal: bool = False) -> HumanAgreement:
    """Everything about the people's labels."""
    counts = np.stack([(sample.humans == code).sum(0) for code in range(len(sample.labels))], axis=1).astype(float)  # (n, K)
    sizes = counts.sum(1)
    listed, judge = _listed(sample), sample.reading()
    fixed = bool(len(sizes)) and bool(np.all(sizes == sizes[0])) and sizes[0] > 1
    return HumanAgreement(
        sample.annotators,
        tuple(np.bincount(sample.truth[sample.truth >= 0], minlength=len(sample.labels)).tolist()),
        int(np.count_nonzero((sizes > 0) & (sample.truth < 0))),
        int(np.count_nonzero(sizes == 1)),
        int(np.count_nonzero(sizes == 0)),
        tuple(_pair(sample, first, second) for first, second in combinations(listed, 2)),
        len(sample.annotators) - len(listed),
        tuple(_pair(sample, ("judge", judge), person) for person in listed) if np.any(judge >= 0) else (),
        _alpha(sample, counts, "nominal"),
        _alpha(sample, counts, "ordinal") if is_ordinal else None,
        fleiss_kappa(counts) if fixed else None,
        None if fixed else "not every item has the same number of labels, two or more",
        measure_ceiling(sample, counts),
    )
