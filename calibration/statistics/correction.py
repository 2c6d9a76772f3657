"""The true rate behind a judge's rate: Rogan-Gladen, prediction-powered inference, labels only (calibration.md 3.6)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import Cases
from calibration.statistics.distributions import normal_quantile, t_quantile
from calibration.statistics.estimate import LEVEL, Estimate, undefined, wilson
from calibration.statistics.intervals import degrees_of_freedom, leveraged_variance

Floats = NDArray[np.float64]


def corrected_rate(
    scored: Estimate,
    specificity: Estimate,
    sensitivity: Estimate,
    *,
    level: float = LEVEL,
    bounds_sum: float | None = None,
    is_t: bool = True,
) -> Estimate:
    """Rogan and Gladen's corrected pass rate with both sources of noise, clipped to 0..1. theta = (p + q0 - 1) / (q0 + q1 - 1). The
    interval is that of "How to Correctly Report LLM-as-a-Judge Evaluations", with effective sizes for clusters. bounds_sum: lower bound of
    sensitivity + specificity; at most 1 refuses (`judge_too_weak`), as the error explodes there. is_t: t with the fewest degrees of freedom
    of the three (cases - 1 where none are known) in place of the normal quantile."""
    parts = (scored, specificity, sensitivity)
    clusters, n = min(part.clusters for part in parts), round(scored.effective_n or scored.n)
    if scored.value is None or specificity.value is None or sensitivity.value is None:
        return undefined("no_items", n=n, clusters=clusters)
    if (gain := specificity.value + sensitivity.value - 1) <= 0 or (bounds_sum is not None and bounds_sum <= 1):
        return undefined("judge_too_weak", n=n, clusters=clusters)
    theta = min(max((scored.value + specificity.value - 1) / gain, 0.0), 1.0)
    if is_t and clusters < 2:
        return Estimate(theta, n=n, clusters=clusters, reason="one_cluster")
    degrees = min(part.clusters - 1 if part.degrees is None else part.degrees for part in parts)
    quantile = t_quantile(level, degrees) if is_t else normal_quantile(level)
    centre, half = _corrected_interval(parts, quantile)
    low, high = max(0.0, min(1.0, centre - half)), min(1.0, max(0.0, centre + half))
    name = f"t({degrees:.4g})" if is_t else "z"
    return Estimate(theta, low, high, n, clusters, f"Rogan-Gladen, both noise sources, {name}", None, level)


def lower_sum(first: Estimate | None, second: Estimate | None) -> float | None:
    """Lower bound of the sum of two independent shares, from their own lower bounds (MOVER); None where either is undefined."""
    if first is None or second is None or first.value is None or second.value is None or first.low is None or second.low is None:
        return None
    return first.value + second.value - math.hypot(first.value - first.low, second.value - second.low)


def _corrected_interval(parts: Sequence[Estimate], z: float) -> tuple[float, float]:
    sizes = [part.effective_n or 0.0 for part in parts]
    hits = [size * (part.value or 0.0) for size, part in zip(sizes, parts, strict=True)]
    n, m0, m1 = sizes[0] + z * z, sizes[1] + 2, sizes[2] + 2
    p, q0, q1 = (hits[0] + z * z / 2) / n, (hits[1] + 1) / m0, (hits[2] + 1) / m1
    if (gain := q0 + q1 - 1) <= 0:
        return 0.5, math.inf
    theta = (p + q0 - 1) / gain
    shift = 2 * z * z * (theta * q1 * (1 - q1) / m1 - (1 - theta) * q0 * (1 - q0) / m0)
    noise = p * (1 - p) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m0 + theta**2 * q1 * (1 - q1) / m1
    return theta + shift, z * math.sqrt(noise) / gain


def allocate_labels(total: int, rate: float, specificity: float, sensitivity: float, pilot: int) -> tuple[int, int]:
    """How to split `total` labels into (failures, passes) so that the corrected rate is sharpest. rate: the judge's pass rate, 0..1.
    specificity, sensitivity: from a pilot of `pilot` labels of each class."""
    ratio = (pilot * (1 - specificity) + 1) / (pilot * (1 - sensitivity) + 1)
    passes = round(total / (1 + (1 / rate - 1) * math.sqrt(ratio)))
    passes = min(max(passes, 1), total - 1)
    return total - passes, passes


def prediction_powered(
    human: Cases, judge: Cases, judge_unlabelled: Cases, *, is_tuned: bool = True, is_t: bool = True, level: float = LEVEL
) -> Estimate:
    """Mean of the human value over all rows, from few labelled and many merely judged cases (PPI; tuned: PPI++). human, judge: of the same
    labelled rows. It is the rate that the raw and the corrected one are of, over rows and not over case means; the errors are by case.
    Valid only where the labelled cases are a random sample of all. Undefined (`no_items`) with fewer than two labelled or unlabelled
    cases."""
    n, many = len(human.sums), len(judge_unlabelled.sums)
    if n < 2 or many < 2:
        return undefined("no_items", n=n, clusters=n)
    factor = _tuning(human, judge, judge_unlabelled) if is_tuned else 1.0
    rest = Cases(human.sums - factor * judge.sums, human.sizes)
    value = factor * judge_unlabelled.mean + rest.mean
    error = math.sqrt(factor**2 * _variance(judge_unlabelled, is_t) + _variance(rest, is_t))
    degrees = degrees_of_freedom(human.sizes)
    quantile = t_quantile(level, degrees) if is_t else normal_quantile(level)
    name = f"PPI{'++' if is_tuned else ''}, lambda {factor:.3f}, {f't({degrees:.4g})' if is_t else 'z'}"
    low, high = value - quantile * error, value + quantile * error
    if is_t:
        name, (low, high) = f"{name}; widened by Wilson", _as_share(value, error, low, high, degrees + 1, quantile)
    return Estimate(value, low, high, round(human.sizes.sum()), n, name, None, level)


def _variance(cases: Cases, is_t: bool) -> float:
    """Of the mean over rows, by case; without t the plain one of the published formula."""
    if not is_t:
        return float((cases.pulls**2).mean()) / len(cases.pulls)
    return leveraged_variance(cases.sums - cases.mean * cases.sizes, cases.sizes) / float(cases.sizes.sum()) ** 2


def _as_share(value: float, error: float, low: float, high: float, n: float, quantile: float) -> tuple[float, float]:
    """The hull of an interval and of Wilson's at the number of rows that the error is worth, cut to 0..1. n: cases, as of one size. Near 0
    or 1 the mean of few cases is skewed and its error too small; Wilson's interval leans the right way. That number is drawn towards half
    of itself as the rarer answer gets rarer, for the error is then itself unsure."""
    share = min(max(value, 0.0), 1.0)
    size = share * (1 - share) / error**2 if error > 0 and 0 < share < 1 else n
    rarer = n * min(share, 1 - share)
    size *= (rarer + 1) / (rarer + 2)
    wilson_low, wilson_high = wilson(share * size, size, quantile=quantile)
    return max(0.0, min(low, wilson_low)), min(1.0, max(high, wilson_high))


def _tuning(human: Cases, judge: Cases, unlabelled: Cases) -> float:
    """The power-tuning factor, clipped to 0..1; 0 (labels only) when the judge never varies."""
    everything = Cases(np.concatenate([judge.sums, unlabelled.sums]), np.concatenate([judge.sizes, unlabelled.sizes]))
    if (spread := float((everything.pulls**2).sum()) / (len(everything.sums) - 1)) <= 0:
        return 0.0
    covariance = float((human.pulls * judge.pulls).mean())
    return min(max(covariance / ((1 + len(human.sums) / len(unlabelled.sums)) * spread), 0.0), 1.0)
