"""How a judge's verdicts stand against the people's majority, by class and over all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.measures.sample import ABSTAINED, MISSING, UNUSABLE_CODE, Codes, Flags, Sample
from calibration.statistics.agreement import f1_of, macro_f1
from calibration.statistics.clusters import pair_tables, sum_by_cluster
from calibration.statistics.estimate import LEVEL, Estimate, finite, undefined
from calibration.statistics.intervals import Weighting, clustered_proportion
from calibration.statistics.pool import Rows, rate_in
from calibration.statistics.table_interval import table_estimates

Floats = NDArray[np.float64]
NOMINAL = ("accuracy", "balanced_accuracy", "kappa", "scott_pi", "gwet_ac1", "pabak", "mcc")
ORDINAL = ("kappa_linear", "kappa_quadratic", "gwet_ac2")


@dataclass(frozen=True, slots=True)
class ClassRates:
    """Recall and precision of one class with intervals, F1, and the number of rows of it by people and by the judge."""

    label: str
    recall: Estimate
    precision: Estimate
    f1: float | None
    support: int
    predicted: int


@dataclass(frozen=True, slots=True)
class Performance:
    """One reading against the majority. table: rows people, columns judge, plain counts of usable verdicts. unusable, abstained, missing:
    rows with a majority but no verdict. statistics: by name, unusable replies left out. accuracy_all: unusable counted wrong. sensitivity,
    specificity (and *_all): of the accepting labels against the rest, None without `positive`. base_rate: share of the accepting labels;
    baseline: best constant answer's (label, accuracy). coverage: share of the rows that got a verdict, abstentions and unusable ones being
    none."""

    reading: str
    table: tuple[tuple[int, ...], ...]
    n: int
    unusable: int
    abstained: int
    missing: int
    statistics: tuple[tuple[str, Estimate], ...]
    accuracy_all: Estimate
    coverage: Estimate
    classes: tuple[ClassRates, ...]
    macro_f1: float | None
    sensitivity: Estimate | None
    specificity: Estimate | None
    sensitivity_all: Estimate | None
    specificity_all: Estimate | None
    base_rate: Estimate | None
    baseline: tuple[str, float] | None

    def statistic(self, name: str) -> Estimate:
        return dict(self.statistics)[name]


def share_of(sample: Sample, rows: Flags, hits: Flags, level: float = LEVEL, *, by_verdict: bool = False) -> Estimate:
    """The (weighted) share of `hits` among `rows`, by cluster. by_verdict: `hits` follow from the judge's verdict alone."""
    if not rows.any():
        return undefined("no_items")
    if by_verdict and sample.pool is not None:
        return rate_in_pool(sample, np.asarray(rows & hits, float), np.asarray(rows & ~hits, float), hits, level)
    successes, sizes, weighting = _weighed(sample, rows, hits)
    return clustered_proportion(successes, sizes, level, weighting=weighting)


def rate_in_pool(sample: Sample, right: Floats, wrong: Floats, hits: Flags, level: float, *, with_lost: bool = False) -> Estimate:
    """The rate of drawn items. right, wrong: 0..1 a row; hits: what the judge's verdict makes of it; with_lost: drawn items that the file
    lacks are wrong."""
    assert sample.pool is not None
    names = sample.pool.strata
    stratum = np.array([names.index(item.stratum) for item in sample.items], np.intp)
    held = [hits[stratum == place] for place in range(len(names))]
    is_own = all(len(rows) == 0 or rows.all() or not rows.any() for rows in held)
    own = np.array([bool(len(rows)) and bool(rows.all()) for rows in held]) if is_own else None
    lost = np.array([sample.pool.lost.get(name, 0) for name in names], float) if with_lost else None
    count = int(np.count_nonzero(right + wrong))
    return rate_in(sample.pool, Rows(stratum, sample.cluster, right, wrong, count), level, own=own, lost=lost)


def _weighed(sample: Sample, rows: Flags, hits: Flags) -> tuple[Floats, Floats, Weighting | None]:
    """Weighted hits and rows of each cluster."""
    weight = sample.weights[rows]
    sums = sum_by_cluster(np.stack([weight * hits[rows], weight, weight**2], axis=1), sample.cluster[rows], sample.clusters)
    weighting = Weighting(sums[:, 2], float(sample.weights.max()), int(rows.sum())) if sample.is_weighted else None
    return sums[:, 0], sums[:, 1], weighting


def measure_reading(sample: Sample, name: str, positive: Sequence[str] = (), *, is_ordinal: bool = False) -> Performance:
    """All figures of one reading. positive: the labels that accept (one class against the rest), empty for none."""
    judge, truth = sample.reading(name), sample.truth
    labelled = truth >= 0
    usable = labelled & (judge >= 0)
    asked = labelled & (judge != MISSING)
    answered = asked & (judge != ABSTAINED)
    by_cluster = _tables(sample, usable, truth, judge, sample.weights if sample.is_weighted else None)
    plain = np.bincount(truth[usable] * len(sample.labels) + judge[usable], minlength=len(sample.labels) ** 2)
    names = (*NOMINAL, *(ORDINAL if is_ordinal else ()))
    weighting = None
    if sample.is_weighted:
        squares = _tables(sample, usable, truth, judge, sample.weights**2)
        weighting = Weighting(squares, float(sample.weights.max()), int(usable.sum()))
    statistics = table_estimates(names, by_cluster, weighting=weighting)
    accepting = [sample.labels.index(label) for label in positive]
    good, said = np.isin(truth, accepting), np.isin(judge, accepting)
    split = bool(accepting)
    return Performance(
        name,
        tuple(tuple(row) for row in plain.reshape(len(sample.labels), -1).tolist()),
        int(usable.sum()),
        int(np.count_nonzero(labelled & (judge == UNUSABLE_CODE))),
        int(np.count_nonzero(labelled & (judge == ABSTAINED))),
        int(np.count_nonzero(labelled & (judge == MISSING))),
        tuple(statistics.items()),
        share_of(sample, answered, judge == truth),
        share_of(sample, asked, judge >= 0),
        _classes(sample, usable, truth, judge, by_cluster.sum(0)),
        macro_f1(by_cluster.sum(0)) if usable.any() else None,
        share_of(sample, usable & good, said, by_verdict=True) if split else None,
        share_of(sample, usable & ~good, ~said, by_verdict=True) if split else None,
        share_of(sample, answered & good, said, by_verdict=True) if split else None,
        share_of(sample, answered & ~good, ~said & (judge >= 0), by_verdict=True) if split else None,
        share_of(sample, labelled, good) if split else None,
        _baseline(sample, usable),
    )


def _tables(sample: Sample, rows: Flags, human: Codes, judge: Codes, weights: Floats | None) -> Floats:
    own = None if weights is None else weights[rows]
    return pair_tables(human[rows], judge[rows], len(sample.labels), sample.cluster[rows], sample.clusters, own)


def _classes(sample: Sample, usable: Flags, truth: Codes, judge: Codes, table: Floats) -> tuple[ClassRates, ...]:
    found = []
    for code, label in enumerate(sample.labels):
        is_own, is_said = usable & (truth == code), usable & (judge == code)
        recall = share_of(sample, is_own, judge == code)
        precision = share_of(sample, is_said, truth == code)
        if precision.value is None:
            precision = replace(precision, reason="never_given")
        found.append(ClassRates(label, recall, precision, finite(float(f1_of(table, code))), int(is_own.sum()), int(is_said.sum())))
    return tuple(found)


def _baseline(sample: Sample, usable: Flags) -> tuple[str, float] | None:
    if not usable.any():
        return None
    shares = np.bincount(sample.truth[usable], weights=sample.weights[usable], minlength=len(sample.labels))
    best = int(shares.argmax())
    return sample.labels[best], float(shares[best] / shares.sum())
