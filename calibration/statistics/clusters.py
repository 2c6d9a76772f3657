"""Intervals of any statistic of summed counts, by leaving out one cluster at a time.
A statistic is a function of totals that add up over clusters (confusion cells, coincidences, sums). So a cluster is one row of numbers, and
clusters with equal rows are kept once, with their number: 100,000 single-row clusters cost no more than nine."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.distributions import t_quantile
from calibration.statistics.estimate import LEVEL, Estimate, finite, undefined
from calibration.statistics.intervals import degrees_of_freedom

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
OfTotals = Callable[[Floats], Floats]

SEED = 20250601


@dataclass(frozen=True, slots=True)
class Totals:
    """Clusters as rows of numbers that add up: `rows` (U, D) the different ones, `times` (U,) how many clusters are like each."""

    rows: Floats
    times: NDArray[np.int64]

    @property
    def clusters(self) -> int:
        return int(self.times.sum())

    @property
    def degrees(self) -> float:
        """Degrees of freedom of an error measured by these clusters; their sizes are what their rows add up to."""
        return degrees_of_freedom(np.repeat(np.abs(self.rows).sum(1), self.times))

    @property
    def sum(self) -> Floats:
        return np.asarray(self.times @ self.rows, float)


@dataclass(frozen=True, slots=True)
class Cases:
    """A value added up over the rows of each case, and the number of its rows: the mean over rows is sum / size, the error is by case."""

    sums: Floats
    sizes: Floats

    @property
    def mean(self) -> float:
        """Mean over rows."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def pulls(self) -> Floats:
        """How far each case pulls the mean from where it is; the values' own deviations where every case has one row."""
        return (self.sums - self.mean * self.sizes) / float(self.sizes.mean())


def totals_of(rows: Floats) -> Totals:
    """Totals from one row of numbers a cluster; clusters that hold nothing (all zeros) are left out."""
    held = rows[np.any(rows != 0, axis=1)]
    if not len(held):
        return Totals(np.zeros((0, rows.shape[1])), np.zeros(0, np.int64))
    different, times = np.unique(held, axis=0, return_counts=True)
    return Totals(different, times.astype(np.int64))


def sum_by_cluster(values: Floats, cluster: Codes, clusters: int) -> Floats:
    """(clusters, D) sums of (n, D) values."""
    columns = [np.bincount(cluster, weights=column, minlength=clusters) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((clusters, 0))


def sums_and_sizes(values: NDArray[np.generic], cluster: Codes, clusters: int) -> tuple[Floats, Floats]:
    """The sum of values and the number of rows of each cluster."""
    sums = np.asarray(np.bincount(cluster, weights=values, minlength=clusters), float)
    return sums, np.bincount(cluster, minlength=clusters).astype(float)


def pair_tables(first: Codes, second: Codes, classes: int, cluster: Codes, clusters: int, weights: Floats | None = None) -> Floats:
    """(clusters, K, K) counts of pairs of labels by cluster: rows the first, columns the second."""
    cells = (cluster * classes + first) * classes + second
    return np.bincount(cells, weights=weights, minlength=clusters * classes**2).reshape(clusters, classes, classes).astype(float)


def estimate(totals: Totals, statistic: OfTotals, *, n: int, level: float = LEVEL) -> Estimate:
    """A statistic of the summed totals with its interval by cluster: the delete-one-cluster jackknife with t. statistic: (..., D) -> (...),
    NaN where undefined. Undefined: value None, reason `single_class`, `no_items`."""
    if (groups := totals.clusters) == 0:
        return undefined("no_items", n=n)
    if (value := finite(float(statistic(totals.sum)))) is None:
        return undefined("single_class", n=n, clusters=groups)
    if groups == 1:
        return Estimate(value, n=n, clusters=1, reason="one_cluster")
    if (error := jackknife_error(totals, statistic)) is None:
        return Estimate(value, n=n, clusters=groups, reason="undefined_without_one_cluster")
    half = t_quantile(level, totals.degrees) * error
    return Estimate(value, value - half, value + half, n, groups, f"cluster jackknife, t({totals.degrees:.4g})", None, level)


def jackknife_error(totals: Totals, statistic: OfTotals) -> float | None:
    """Standard error from leaving out one cluster at a time; None where a part without one cluster has no value."""
    groups = totals.clusters
    parts = statistic(totals.sum - totals.rows)
    if groups < 2 or not np.all(np.isfinite(parts)):
        return None
    centre = float(totals.times @ parts) / groups
    return float(np.sqrt((groups - 1) / groups * (totals.times @ (parts - centre) ** 2)))
