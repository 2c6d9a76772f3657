"""Confidence interval of a weighted mean over cases (clusters of items), from running sums."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from judge.records import Bounds


@dataclass(slots=True)
class _Moments:
    """Sums over cases of w^2, w^2 x, w^2 x^2 and w x."""

    squares: float = 0.0
    first: float = 0.0
    second: float = 0.0
    weighted: float = 0.0

    def add(self, x: float, weight: float) -> None:
        self.squares += weight * weight
        self.first += weight * weight * x
        self.second += weight * weight * x * x
        self.weighted += weight * x


@dataclass(slots=True)
class ScoreSums:
    """What the interval of a capability score needs of all its cases; one pair of moments for the worst and one for the best scores."""

    cases: int = 0
    weight: float = 0.0
    moments: tuple[_Moments, _Moments] = field(default_factory=lambda: (_Moments(), _Moments()))

    def add(self, bounds: Bounds, weight: float | int | object) -> None:
        """Adds a case's [worst, best] score and its weight."""
        w = float(weight)  # type: ignore[arg-type]
        if w > 0:
            self.cases += 1
            self.weight += w
            for moments, x in zip(self.moments, bounds, strict=True):
                moments.add(float(x), w)

    def interval(self, level: float) -> tuple[float, float] | None:
        """Interval of the mean at confidence `level` (0..1), clipped to 0..1; None below two cases.

        Cases are the independent units. Sandwich variance of a weighted mean, n/(n-1) * sum w^2 (x - m)^2 / (sum w)^2, with Student's t
        on n - 1 degrees of freedom. While items are open: from the lower end for the worst scores to the upper end for the best.
        """
        if self.cases < 2:
            return None
        low, high = (self._ends(moments, level) for moments in self.moments)
        return max(0.0, low[0]), min(1.0, high[1])

    def _ends(self, m: _Moments, level: float) -> tuple[float, float]:
        mean = m.weighted / self.weight
        spread = max(0.0, m.second - 2 * mean * m.first + mean * mean * m.squares)
        error = math.sqrt(self.cases / (self.cases - 1) * spread) / self.weight
        reach = student_t_quantile((1 + level) / 2, self.cases - 1) * error
        return mean - reach, mean + reach


def student_t_quantile(p: float, degrees: int) -> float:
    """Quantile of Student's t for 0.5 <= p < 1 by bisection on its distribution (no scipy: its import costs 0.25 s of every run)."""
    low, high = 0.0, 1.0
    while _t_distribution(high, degrees) < p:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_distribution(middle, degrees) < p else (low, middle)
    return (low + high) / 2


def _t_distribution(t: float, degrees: int) -> float:
    """P(T <= t) for t >= 0: 1 - I(degrees/(degrees + t^2); degrees/2, 1/2) / 2."""
    return 1 - _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I(x; a, b) by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 500):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + step * d), 1 + step / c
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * result
