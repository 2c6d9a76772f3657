"""Statistics of a confusion table with the interval that covers: the jackknife, widened by what accuracy alone could still be."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.agreement import STATISTICS, Statistic, is_single_class
from calibration.statistics.clusters import estimate, totals_of
from calibration.statistics.estimate import LEVEL, Estimate, clipped, undefined
from calibration.statistics.intervals import Weighting, clustered_proportion

Floats = NDArray[np.float64]
LOWEST = -1.0


def at_accuracy(table: Floats, share: float) -> Floats:
    """The table with its diagonal scaled to `share` of all rows and the rest to 1 - share; an empty part is spread by the margins."""
    diagonal = np.diag(np.diag(table))
    rest = table - diagonal
    if not rest.sum():
        expected = np.outer(table.sum(1), table.sum(0))
        rest = expected - np.diag(np.diag(expected))
    if not diagonal.sum() or not rest.sum():
        return table
    scaled = share * diagonal / diagonal.sum() + (1 - share) * rest / rest.sum()
    return np.asarray(table.sum() * scaled, float)


def widen(found: Estimate, table: Floats, accuracy: Estimate, statistic: Statistic) -> Estimate:
    """The hull of an interval and of the accuracy's interval carried through the statistic. Near perfect agreement few clusters
    hold an error, and any resampling is too narrow there (zero width when none does). Carrying the clustered Wilson interval of accuracy
    through the statistic, margins kept, repairs that; alone it would miss the margins' own noise."""
    if found.value is None or accuracy.low is None or accuracy.high is None or found.low is None or found.high is None:
        return found
    ends = [float(statistic(at_accuracy(table, share))) for share in (accuracy.low, accuracy.high)]
    known = [end for end in ends if np.isfinite(end)]
    low, high = min([found.low, found.value, *known]), max([found.high, found.value, *known])
    return replace(found, low=low, high=high, method=f"{found.method}; widened by clustered Wilson on accuracy")


def widen_mean_recall(found: Estimate, by_cluster: Floats, weighting: Weighting | None = None) -> Estimate:
    """The hull of an interval and of the classes' clustered Wilson intervals put together (MOVER): a rare class rules."""
    recalls = []
    for code in range(by_cluster.shape[-1]):
        own = replace(weighting, squares=weighting.squares[:, code].sum(1)) if weighting else None
        recalls.append(clustered_proportion(by_cluster[:, code, code], by_cluster[:, code].sum(1), weighting=own))
    known = [(r.value, r.low, r.high) for r in recalls if r.value is not None and r.low is not None and r.high is not None]
    if found.value is None or found.low is None or found.high is None or not known:
        return found
    below = float(np.sqrt(sum((value - low) ** 2 for value, low, _ in known))) / len(known)
    above = float(np.sqrt(sum((high - value) ** 2 for value, _, high in known))) / len(known)
    low, high = min(found.low, found.value - below), max(found.high, found.value + above)
    return replace(found, low=low, high=high, method=f"{found.method}; widened by clustered Wilson on each recall")


def table_estimates(
    names: Sequence[str], by_cluster: Floats, *, weighting: Weighting | None = None, level: float = LEVEL
) -> dict[str, Estimate]:
    """Statistics of STATISTICS, by name, from (clusters, K, K) tables. None with `single_class` where both raters know one class only.
    weighting: where the tables hold sums of weights."""
    groups, classes = by_cluster.shape[0], by_cluster.shape[-1]
    table = by_cluster.sum(0)
    n = round(float(table.sum())) if weighting is None else weighting.rows
    totals = totals_of(by_cluster.reshape(groups, classes * classes))
    of_all = replace(weighting, squares=weighting.squares.sum((1, 2))) if weighting else None
    accuracy = clustered_proportion(np.trace(by_cluster, axis1=1, axis2=2), by_cluster.sum((1, 2)), level, weighting=of_all)
    if not totals.clusters or classes < 2 or is_single_class(table):
        nothing = undefined("single_class" if totals.clusters else "no_items", n=n, clusters=totals.clusters)
        return {name: accuracy if name == "accuracy" else nothing for name in names}

    def one(name: str) -> Estimate:
        found = of_tables(STATISTICS[name], by_cluster, n, level=level)
        if name == "balanced_accuracy":
            return clipped(widen_mean_recall(found, by_cluster, weighting), 0.0, 1.0)
        return clipped(widen(found, table, accuracy, STATISTICS[name]), LOWEST, 1.0)

    return {name: accuracy if name == "accuracy" else one(name) for name in names}


def of_tables(statistic: Statistic, by_cluster: Floats, n: int, *, level: float = LEVEL) -> Estimate:
    """A statistic of one (..., K, K) table a cluster, or of several; not widened."""
    shape = by_cluster.shape[1:]

    def of_cells(cells: Floats) -> Floats:
        return statistic(cells.reshape(*cells.shape[:-1], *shape))

    return estimate(totals_of(by_cluster.reshape(len(by_cluster), -1)), of_cells, n=n, level=level)
