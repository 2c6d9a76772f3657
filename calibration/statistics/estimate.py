"""The frozen result of every statistic: a value with its interval, or None with a reason; and Wilson's interval of one proportion.
Without an array library: reports are built in runs that must start fast."""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic as it is printed. value: the point estimate, or None when it is undefined (then `reason` says why; never NaN, never a
    stand-in). low, high: ends of the interval, None when there is none. n: rows used. clusters: independent cases among them. method: how
    the interval was made ("" when there is none). level: its nominal coverage, 0..1. effective_n: how many independent rows a clustered
    proportion is worth, degrees: of freedom of its error; None elsewhere."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    method: str = ""
    reason: str | None = None
    level: float = LEVEL
    effective_n: float | None = None
    degrees: float | None = None


def undefined(reason: str, *, n: int = 0, clusters: int = 0) -> Estimate:
    """An estimate that does not exist; `reason` is a stable word (`single_class`, `no_items`, ...) or a plain sentence."""
    return Estimate(None, n=n, clusters=clusters, reason=reason)


def finite(value: float) -> float | None:
    """The number, or None for NaN and the infinities: the border between numpy's arithmetic and frozen results."""
    return float(value) if math.isfinite(value) else None


def clipped(estimate: Estimate, low: float, high: float) -> Estimate:
    """The same estimate with its interval cut to the range that the statistic can take."""
    if estimate.low is None or estimate.high is None:
        return estimate
    return replace(estimate, low=min(max(estimate.low, low), high), high=max(min(estimate.high, high), low))


def wilson(successes: float, n: float, level: float = LEVEL, *, quantile: float | None = None) -> tuple[float, float]:
    """Wilson's score interval, 0..1. `n` may be an effective number; `quantile` replaces the normal one. (0, 1) when n is 0."""
    if n <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2) if quantile is None else quantile
    share = min(max(successes / n, 0.0), 1.0)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))
