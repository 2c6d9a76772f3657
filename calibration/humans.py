"""How far people agree with each other, and the judge with them on the same items: the human ceiling (calibration.md 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibration.agreement import accuracy_of, kappa_of
from calibration.clusters import RESAMPLES, SEED, Totals, count_cells, estimate, sum_by_cluster, totals_of
from calibration.estimate import Estimate, clipped, undefined
from calibration.krippendorff import alpha_of, coincidences, fleiss_kappa
from calibration.sample import Sample
from calibration.table_interval import table_estimates

Floats = NDArray[np.float64]
MOST_PAIRED = 6  # annotators whose pairs are listed one by one; alpha covers any number


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the items that both labelled."""

    first: str
    second: str
    accuracy: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Judge and people measured on the same doubly labelled items, each against the other annotators.

    human: mean agreement of a label with another person's; judge: of the judge's verdict with a person's; gap: judge minus human, paired
    by cluster. *_kappa: the same corrected for chance, over all pairs together.
    """

    items: int
    human: Estimate
    judge: Estimate
    gap: Estimate
    human_kappa: Estimate
    judge_kappa: Estimate
    kappa_gap: Estimate


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """counts: majority labels in label order. tied: items with labels but no majority; single, unlabelled: with one label, with none."""

    annotators: tuple[str, ...]
    counts: tuple[int, ...]
    tied: int
    single: int
    unlabelled: int
    pairs: tuple[Pair, ...]
    alpha: Estimate
    alpha_ordinal: Estimate | None
    fleiss: float | None
    fleiss_reason: str | None
    ceiling: Ceiling


def count_labels(sample: Sample) -> Floats:
    """(n, K) how many people gave each label."""
    return np.stack([(sample.humans == code).sum(0) for code in range(len(sample.labels))], axis=1).astype(float)


def _alpha(sample: Sample, counts: Floats, distance: str, resamples: int, seed: int) -> Estimate:
    classes = len(sample.labels)
    rows = counts.sum(1) > 1
    if not rows.any():
        return undefined("no_overlap")
    by_cluster = sum_by_cluster(coincidences(counts[rows]).reshape(-1, classes * classes), sample.cluster[rows], sample.clusters)
    totals = totals_of(by_cluster)

    def of_cells(cells: Floats) -> Floats:
        tables = cells.reshape(*cells.shape[:-1], classes, classes)
        return alpha_of(tables, "ordinal" if distance == "ordinal" else "nominal")

    return clipped(estimate(totals, of_cells, n=int(rows.sum()), resamples=resamples, seed=seed), -1.0, 1.0)


def _pairs(sample: Sample, resamples: int, seed: int) -> tuple[Pair, ...]:
    classes, found = len(sample.labels), []
    for a, b in combinations(range(min(len(sample.annotators), MOST_PAIRED)), 2):
        rows = (sample.humans[a] >= 0) & (sample.humans[b] >= 0)
        cells = sample.humans[a, rows] * classes + sample.humans[b, rows]
        tables = count_cells(cells, classes**2, sample.cluster[rows], sample.clusters).reshape(-1, classes, classes)
        figures = table_estimates(("accuracy", "kappa"), tables, resamples=resamples, seed=seed)
        found.append(Pair(sample.annotators[a], sample.annotators[b], figures["accuracy"], figures["kappa"]))
    return tuple(found)


def pooled_tables(sample: Sample, counts: Floats) -> tuple[Totals, int]:
    """Per cluster, two K x K tables side by side: judge with person, and person with other person, each pair of an item weighted equally.

    Only items with two people or more and a usable verdict; every item weighs 1 in both tables.
    """
    classes = len(sample.labels)
    judge = sample.reading()
    rows = (counts.sum(1) > 1) & (judge >= 0)
    held = counts[rows]
    size = held.sum(1)
    with_judge = np.zeros((len(held), classes, classes))
    with_judge[np.arange(len(held)), judge[rows]] = held / size[:, None]
    between = coincidences(held) / size[:, None, None]
    flat = np.concatenate([with_judge.reshape(-1, classes**2), between.reshape(-1, classes**2)], axis=1)
    return totals_of(sum_by_cluster(flat, sample.cluster[rows], sample.clusters)), int(rows.sum())


def measure_ceiling(sample: Sample, counts: Floats, resamples: int = RESAMPLES, seed: int = SEED) -> Ceiling:
    """The ceiling; every figure is None (`no_overlap`) where no item has two people and a usable verdict."""
    totals, items = pooled_tables(sample, counts)
    if not items:
        nothing = undefined("no_overlap")
        return Ceiling(0, nothing, nothing, nothing, nothing, nothing, nothing)
    classes = len(sample.labels)

    def part(cells: Floats, number: int) -> Floats:
        return cells[..., number * classes**2 : (number + 1) * classes**2].reshape(*cells.shape[:-1], classes, classes)

    def figure(statistic: str, of: str) -> Estimate:
        measure = accuracy_of if statistic == "accuracy" else kappa_of

        def value(cells: Floats) -> Floats:
            judge, human = measure(part(cells, 0)), measure(part(cells, 1))
            return judge - human if of == "gap" else judge if of == "judge" else human

        return clipped(
            estimate(totals, value, n=items, resamples=resamples, seed=seed), -2.0 if of == "gap" else -1.0, 2.0 if of == "gap" else 1.0
        )

    simple, corrected = (tuple(figure(name, of) for of in ("human", "judge", "gap")) for name in ("accuracy", "kappa"))
    return Ceiling(items, *simple, *corrected)


def measure_humans(sample: Sample, *, is_ordinal: bool = False, resamples: int = RESAMPLES, seed: int = SEED) -> HumanAgreement:
    """Everything about the people's labels."""
    counts = count_labels(sample)
    sizes = counts.sum(1)
    fixed = bool(len(sizes)) and bool(np.all(sizes == sizes[0])) and sizes[0] > 1
    return HumanAgreement(
        sample.annotators,
        tuple(np.bincount(sample.truth[sample.truth >= 0], minlength=len(sample.labels)).tolist()),
        int(np.count_nonzero((sizes > 0) & (sample.truth < 0))),
        int(np.count_nonzero(sizes == 1)),
        int(np.count_nonzero(sizes == 0)),
        _pairs(sample, resamples, seed),
        _alpha(sample, counts, "nominal", resamples, seed),
        _alpha(sample, counts, "ordinal", resamples, seed) if is_ordinal else None,
        fleiss_kappa(counts) if fixed else None,
        None if fixed else "not every item has the same number of labels, two or more",
        measure_ceiling(sample, counts, resamples, seed),
    )
