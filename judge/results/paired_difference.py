"""The difference of two runs over paired cases: estimate, interval, and a decision of non-inferiority with its sample size.

Weighted mean of the cases' differences, sandwich variance, Student's t. What the three decisions mean is said in comparison.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from judge.results.intervals import student_t_quantile

Decision = Literal["no_regression", "regression", "cannot_tell"]
_POWER = 0.8
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """After minus before over paired cases, -1..1; two ends while items are open. interval None below two cases.

    needed: cases that would tell, None when it is decided or when no number of cases would.
    """

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
    weight = sum(p.weight for p in pairs)
    if weight <= 0:
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

    The distance to bridge is the one to the nearest decision: from the margin where the difference is within it, from zero where not.
    """
    distance = spread.mean + margin if spread.mean >= -margin else -spread.mean
    if distance < _EPSILON or not math.isfinite(spread.deviation):
        return None
    z = NormalDist().inv_cdf(1 - significance / 2) + NormalDist().inv_cdf(_POWER)
    return max(spread.cases + 1, math.ceil((z * spread.deviation / distance) ** 2))
