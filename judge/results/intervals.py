"""Confidence interval of a weighted mean over cases (clusters of items), from running sums, and of the difference of two runs by case."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import add
from statistics import NormalDist
from typing import Literal

from judge.records import Bounds


@dataclass(slots=True)
class ScoreSums:
    """What the interval of a capability score needs of all its cases. moments: sums of w^2, w^2 x, w^2 x^2 and w x, those of the worst
    scores and those of the best."""

    cases: int = 0
    weight: float = 0.0
    moments: tuple[list[float], list[float]] = field(default_factory=lambda: ([0.0] * 4, [0.0] * 4))

    def add(self, bounds: Bounds, weight: float | int | object) -> None:
        """Adds a case's [worst, best] score and its weight."""
        w = float(weight)  # type: ignore[arg-type]
        if w > 0:
            self.cases += 1
            self.weight += w
            for moments, x in zip(self.moments, map(float, bounds), strict=True):
                moments[:] = map(add, moments, (w * w, w * w * x, w * w * x * x, w * x))

    def interval(self, level: float) -> tuple[float, float] | None:
        """Interval of the mean at confidence `level` (0..1), clipped to 0..1; None below two cases. Cases are the independent units.
        Sandwich variance of a weighted mean, n/(n-1) * sum w^2 (x - m)^2 / (sum w)^2, with Student's t on n - 1 degrees of freedom. While
        items are open: from the lower end for the worst scores to the upper end for the best."""
        if self.cases < 2:
            return None
        low, high = (self._ends(moments, level) for moments in self.moments)
        return max(0.0, low[0]), min(1.0, high[1])

    def _ends(self, moments: Sequence[float], level: float) -> tuple[float, float]:
        squares, first, second, weighted = moments
        mean = weighted / self.weight
        spread = max(0.0, second - 2 * mean * first + mean * mean * squares)
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
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / (1 + step * d), 1 + step / c
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * result


Decision = Literal["no_regression", "regression", "cannot_tell"]
_POWER = 0.8
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """After minus before over paired cases, -1..1; two ends while items are open. interval None below two cases. needed: cases that would
    tell, None when it is decided or when no number of cases would."""

    cases: int
    before: tuple[float, float]
    after: tuple[float, float]
    change: tuple[float, float]
    interval: tuple[float, float] | None
    decision: Decision
    needed: int | None


@dataclass(frozen=True, slots=True)
class Pair:
    """One case in both runs: [worst, best] before and after, and its weight. is_linked: what is open is the same in both."""

    before: tuple[float, float]
    after: tuple[float, float]
    weight: float = 1.0
    is_linked: bool = False

    @property
    def change(self) -> tuple[float, float]:
        """Least and greatest difference, after minus before."""
        ends = (self.after[0] - self.before[0], self.after[1] - self.before[1])
        return (min(ends), max(ends)) if self.is_linked else (self.after[0] - self.before[1], self.after[1] - self.before[0])


def paired_difference(pairs: Sequence[Pair], *, margin: float, significance: float, strict: float | None = None) -> Difference:
    """The difference of paired cases. strict: the error rate at which a regression is called (`significance` unless given)."""
    if sum(p.weight for p in pairs) <= 0:
        return Difference(len(pairs), (0.0, 1.0), (0.0, 1.0), (-1.0, 1.0), None, "cannot_tell", None)
    before, after = (_mean([(getattr(p, side), p.weight) for p in pairs]) for side in ("before", "after"))
    low, high = (_spread([(p.change[end], p.weight) for p in pairs]) for end in (0, 1))
    worst, best = _decision(low, margin, significance, strict), _decision(high, margin, significance, strict)
    decision: Decision = worst if worst == best else "cannot_tell"
    ends = _ends(low, significance), _ends(high, significance)
    interval = (max(-1.0, ends[0][0]), min(1.0, ends[1][1])) if ends[0] and ends[1] else None
    needed = cases_needed(low, margin, significance) if decision == "cannot_tell" and low == high else None
    return Difference(len(pairs), before, after, (low.mean, high.mean), interval, decision, needed)


@dataclass(frozen=True, slots=True)
class Spread:
    """Weighted differences of cases: mean, standard error of the mean, standard deviation of one case, number of cases."""

    mean: float
    error: float
    deviation: float
    cases: int
    is_unchanged: bool


def _mean(bounds: Sequence[tuple[tuple[float, float], float]]) -> tuple[float, float]:
    weight = sum(w for _, w in bounds)
    return sum(b[0] * w for b, w in bounds) / weight, sum(b[1] * w for b, w in bounds) / weight


def _spread(differences: Sequence[tuple[float, float]]) -> Spread:
    """Sandwich variance of a weighted mean, n/(n-1) * sum w^2 (d - m)^2 / (sum w)^2."""
    weight, n = sum(w for _, w in differences), len(differences)
    mean = sum(d * w for d, w in differences) / weight
    squares = sum((w * (d - mean)) ** 2 for d, w in differences)
    error = math.sqrt(squares * n / (n - 1)) / weight if n > 1 else math.inf
    error = 0.0 if error < _EPSILON else error
    return Spread(mean, error, error * math.sqrt(n), n, all(abs(d) < _EPSILON for d, _ in differences))


def _ends(spread: Spread, significance: float) -> tuple[float, float] | tuple[()]:
    if spread.is_unchanged:
        return 0.0, 0.0
    if spread.cases < 2:
        return ()
    reach = student_t_quantile(1 - significance / 2, spread.cases - 1) * spread.error
    return spread.mean - reach, spread.mean + reach


def _decision(spread: Spread, margin: float, significance: float, strict: float | None) -> Decision:
    ends, strict_ends = _ends(spread, significance), _ends(spread, strict if strict is not None else significance)
    if not ends or not strict_ends:
        return "cannot_tell"
    if ends[0] >= -margin - _EPSILON:
        return "no_regression"
    return "regression" if strict_ends[1] < 0 and spread.mean < -margin else "cannot_tell"


def cases_needed(spread: Spread, margin: float, significance: float) -> int | None:
    """How many paired cases would tell with a power of 0.8, were the spread and the difference to stay as observed; None: no number would.
    The distance to bridge is the one to the nearest decision: from the margin where the difference is within it, from zero where not."""
    distance = spread.mean + margin if spread.mean >= -margin else -spread.mean
    if distance < _EPSILON or not math.isfinite(spread.deviation):
        return None
    z = NormalDist().inv_cdf(1 - significance / 2) + NormalDist().inv_cdf(_POWER)
    return max(spread.cases + 1, math.ceil((z * spread.deviation / distance) ** 2))
