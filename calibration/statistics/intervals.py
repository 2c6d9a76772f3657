"""Intervals of proportions and means, by row and by cluster.
Rows of one case share its difficulty, so intervals by row cover far too little (measured on real labels: 62 to 86 % instead of 95 %). Every
interval that the product prints is therefore by cluster; where each row is its own cluster they are the textbook ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.distributions import beta_quantile, t_quantile
from calibration.statistics.estimate import LEVEL, Estimate, undefined, wilson

Floats = NDArray[np.float64]
LEAST_FREE = 0.05  # what is left of a mean without its largest cluster, at least
LEAST_DEGREES = 0.25  # below, t quantiles leave the range of numbers; the interval is 0..1 there anyway


def upper_error_bound(errors: float, n: float, delta: float) -> float:
    """The exact one-sided upper bound of an error rate at level 1 - delta; 1.0 when every item is an error or n (which
    may be an effective number) is 0."""
    return 1.0 if errors >= n else beta_quantile(1 - delta, errors + 1, n - errors)


def clustered_variance(sums: Floats, sizes: Floats, *, corrected: bool = True) -> float:
    """Variance of sum(sums)/sum(sizes) from the sums of residuals by cluster (CR0; times G/(G-1) when corrected: CR1)."""
    groups = int(np.count_nonzero(sizes > 0))
    total = float(sizes.sum())
    residuals = sums - sums.sum() / total * sizes
    variance = float((residuals**2).sum()) / total**2
    return variance * groups / (groups - 1) if corrected and groups > 1 else variance


def leveraged_variance(residuals: Floats, sizes: Floats) -> float:
    """Variance of a sum of residuals by cluster, each held against a mean made without its cluster (CR3, the jackknife). For clusters of
    one size it is CR1. Where they differ CR1 is too small, for a large cluster draws the mean to itself."""
    held = sizes > 0
    groups, leverage = int(np.count_nonzero(held)), sizes[held] / float(sizes.sum())
    return float(((residuals[held] / np.maximum(1 - leverage, LEAST_FREE)) ** 2).sum()) * (groups - 1) / groups


def clustered_mean(sums: Sequence[float] | Floats, sizes: Sequence[float] | Floats, level: float = LEVEL) -> Estimate:
    """Mean over rows with the cluster-robust error (CR3) and t with `degrees_of_freedom`. sums, sizes: total and number of rows of each
    cluster. Undefined without rows; without an interval for one cluster."""
    total, counts = np.asarray(sums, float), np.asarray(sizes, float)
    rows, groups = round(counts.sum()), int(np.count_nonzero(counts > 0))
    if groups == 0:
        return undefined("no_items")
    mean = float(total.sum() / counts.sum())
    if groups == 1:
        return Estimate(mean, n=rows, clusters=1, reason="one_cluster")
    degrees = degrees_of_freedom(counts)
    half = t_quantile(level, degrees) * math.sqrt(leveraged_variance(total - mean * counts, counts) / float(counts.sum()) ** 2)
    return Estimate(mean, mean - half, mean + half, rows, groups, f"cluster-robust, t({degrees:.4g})", None, level)


def degrees_of_freedom(sizes: Floats) -> float:
    """Degrees of freedom of an error that is measured by clusters: (sum n)^2 / sum n^2 - 1, which is G - 1 for G clusters of one size.
    Where one large cluster holds most of the rows there is hardly more than its own error to be measured, whatever G is."""
    squares = float((sizes**2).sum())
    return max(LEAST_DEGREES, float(sizes.sum()) ** 2 / squares - 1) if squares > 0 else LEAST_DEGREES


@dataclass(frozen=True, slots=True)
class Weighting:
    """What is known of weighted rows. squares: sums of squared weights by cluster (and by cell of a table); heaviest: largest weight in the
    whole sample; rows: plain number of rows."""

    squares: Floats
    heaviest: float
    rows: int


def effective_sizes(successes: Floats, sizes: Floats, weighting: Weighting | None = None) -> Floats:
    """The effective number of rows of each proportion; the last axis holds the clusters, at least one of which has rows. The observed
    design effect is itself unsure when the rarer answer stands in few clusters, and then mostly too small. It is therefore drawn towards
    its worst case (all rows of a cluster alike: sum n^2 / sum n) with weight 2 / (k + 2), k the clusters that hold the rarer answer (as
    many of one size as they are worth); with no such cluster the worst case stands, for clusters of one size their number. What this covers
    is measured in docs/use/calibration.md. weighting: for weighted rows; then the worst case is also that the rarer answer stands in the
    heaviest rows only, as it does where one class of rows was sampled thinly. None for unweighted rows."""
    total, squares = sizes.sum(-1), (sizes**2).sum(-1)
    groups = np.count_nonzero(sizes > 0, axis=-1)
    rows = total if weighting is None else total**2 / float(weighting.squares.sum())
    share = successes.sum(-1) / total
    worst = rows * squares / total**2
    if weighting is not None:
        worst = np.maximum(worst, rows * weighting.heaviest / total)
    residuals = successes - share[..., None] * sizes
    variance = (residuals**2).sum(-1) / total**2 * groups / np.maximum(groups - 1, 1)
    tolerance = 1e-12 * np.maximum(sizes, 1.0)
    held = [np.count_nonzero(values > tolerance, axis=-1) for values in (successes, sizes - successes)]
    rarer, spread = np.minimum(*held), share * (1 - share)
    is_mixed = (rarer > 0) & (spread > 0)
    observed = np.where(is_mixed, variance * rows / np.where(is_mixed, spread, 1.0), worst)
    k = rarer * total**2 / squares / groups
    effect = np.maximum(np.maximum(1.0, observed), (k * observed + 2 * worst) / (k + 2))
    is_single = np.asarray(weighting is None) & (sizes.max(-1) <= 1)
    return np.asarray(np.where(is_single, total, rows / effect), float)


def clustered_proportion(
    successes: Sequence[float] | Floats, sizes: Sequence[float] | Floats, level: float = LEVEL, *, weighting: Weighting | None = None
) -> Estimate:
    """A proportion with Wilson's interval at its effective size and t with `degrees_of_freedom` in place of z. successes, sizes: per
    cluster (weighted sums for weighted rows; then with their `weighting`). Clusters with size 0 do not count. Undefined (`no_items`)
    without rows; with one cluster there is a value and no interval."""
    hit, count = np.asarray(successes, float), np.asarray(sizes, float)
    groups = int(np.count_nonzero(count > 0))
    n = round(float(count.sum())) if weighting is None else weighting.rows
    if groups == 0:
        return undefined("no_items")
    share = min(1.0, float(hit.sum() / count.sum()))
    if groups == 1:
        return Estimate(share, n=n, clusters=1, reason="one_cluster")
    size = float(effective_sizes(hit, count, weighting))
    degrees = degrees_of_freedom(count)
    low, high = wilson(share * size, size, level, quantile=t_quantile(level, degrees))
    return Estimate(share, low, high, n, groups, f"clustered Wilson, effective n {size:.1f}, t({degrees:.4g})", None, level, size, degrees)


def clustered_difference(
    gained: Sequence[float] | Floats, lost: Sequence[float] | Floats, sizes: Sequence[float] | Floats, level: float = LEVEL
) -> Estimate:
    """Share gained minus share lost, -1..1, on paired rows: how many turned from no to yes, and from yes to no, by cluster. The hull of two
    intervals: the mean difference with its cluster-robust error (right when many rows turned), and the two clustered Wilson intervals put
    together (MOVER; right when few or none did, where the first has no width)."""
    up, down, count = (np.asarray(values, float) for values in (gained, lost, sizes))
    mean = clustered_mean(up - down, count, level)
    rise, fall = clustered_proportion(up, count, level), clustered_proportion(down, count, level)
    ends = (mean.value, mean.low, mean.high, rise.value, rise.low, rise.high, fall.value, fall.low, fall.high)
    if any(end is None for end in ends):
        return mean
    value, low, high, r, r_low, r_high, f, f_low, f_high = (float(end or 0.0) for end in ends)
    low = min(low, value - math.hypot(r - r_low, f_high - f))
    high = max(high, value + math.hypot(r_high - r, f - f_low))
    return replace(mean, low=max(-1.0, low), high=min(1.0, high), method=f"{mean.method}; widened by clustered Wilson on both shares")
