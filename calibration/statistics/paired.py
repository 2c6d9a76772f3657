"""Paired change on the same items, and many tests at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import Codes, sum_by_cluster
from calibration.statistics.distributions import binomial_at_most
from calibration.statistics.estimate import LEVEL, Estimate
from calibration.statistics.intervals import clustered_difference, clustered_mean


def mcnemar(lost: int, gained: int) -> float:
    """The exact two-sided p of McNemar's test, 0..1: are `lost` and `gained` items equally likely? 1.0 when there are none."""
    return min(1.0, 2 * binomial_at_most(min(lost, gained), lost + gained, 0.5)) if lost + gained else 1.0


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjusted p values, in the given order."""
    values, count = np.asarray(p_values, float), len(p_values)
    order, adjusted = np.argsort(values), np.ones(count)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, np.arange(count, 0, -1) * values[order]))
    return tuple(adjusted.tolist())


def benjamini_yekutieli(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values of Benjamini and Yekutieli (false discovery rate under any dependence), in the given order."""
    values, count = np.asarray(p_values, float), len(p_values)
    harmonic, order, adjusted = float((1 / np.arange(1, count + 1)).sum()), np.argsort(-values), np.ones(count)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(values[order] * count * harmonic / np.arange(count, 0, -1)))
    return tuple(adjusted.tolist())


@dataclass(frozen=True, slots=True)
class PairedChange:
    """Two yes/no readings of the same items. change: second minus first share, -1..1, interval by cluster. lost: yes became no; gained: no
    became yes. p: exact McNemar over items (clusters ignored, as the test is defined)."""

    before: float | None
    after: float | None
    change: Estimate
    lost: int
    gained: int
    p: float


def compare_pairs(before: NDArray[np.bool_], after: NDArray[np.bool_], cluster: Codes, clusters: int, level: float = LEVEL) -> PairedChange:
    """The paired change of two yes/no readings; without items its estimates are None."""
    lost, gained = int(np.count_nonzero(before & ~after)), int(np.count_nonzero(~before & after))
    if not len(before):
        return PairedChange(None, None, clustered_mean([], []), 0, 0, 1.0)
    columns = np.stack([~before & after, before & ~after, np.ones(len(before), bool)], axis=1).astype(float)
    gains, losses, sizes = sum_by_cluster(columns, cluster, clusters).T
    change = clustered_difference(gains, losses, sizes, level)
    return PairedChange(float(before.mean()), float(after.mean()), change, lost, gained, mcnemar(lost, gained))
