"""How many labels are needed (calibration.md 3.12)."""

from __future__ import annotations

import math
from functools import lru_cache

from calibration.distributions import binomial_at_least, normal_quantile
from calibration.intervals import lower_success_bound

POWER = 0.8
MOST_LABELS = 100_000


def labels_without_error(error: float, delta: float = 0.05) -> int:
    """How many labels without a single error show an error rate below `error` at level 1 - delta: 59 for 5 % at 95 %."""
    return math.ceil(math.log(delta) / math.log(1 - error))


def fewest_right(n: int, bar: float, delta: float) -> int | None:
    """How many of n must be right for the exact one-sided lower bound to reach above `bar`; None when not even all suffice."""
    low, high = 0, n
    if lower_success_bound(n, n, delta) <= bar:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if lower_success_bound(middle, n, delta) > bar else (middle + 1, high)
    return low


@lru_cache(maxsize=256)
def labels_above_bar(rate: float, bar: float, *, power: float = POWER, delta: float = 0.05) -> tuple[int, int] | None:
    """(labels, right ones among them) for the exact lower bound to pass `bar` with the given power when the true rate is `rate`.

    The least number of labels at which the power is reached. None when rate <= bar, or when over 100,000 labels would be needed.
    """
    if rate <= bar:
        return None
    n = max(1, math.ceil(math.log(delta) / math.log(bar)) if bar > 0 else 1)
    while n <= MOST_LABELS:
        needed = fewest_right(n, bar, delta)
        if needed is not None and binomial_at_least(needed, n, rate) >= power:
            return n, needed
        n += 1 if n < 2000 else n // 200
    return None


def design_effect(size: float, correlation: float) -> float:
    """By how much clusters of `size` rows with this intra-class correlation inflate the number of labels: 1 + (size - 1) * correlation."""
    return 1 + (size - 1) * correlation


def detectable_change(n: float, rate: float = 0.5, *, power: float = POWER, level: float = 0.95) -> float | None:
    """The least change of a share at `rate` that n rows show with the given power (normal approximation); None without rows."""
    if n <= 0:
        return None
    return (normal_quantile(level) + normal_quantile(2 * power - 1)) * math.sqrt(rate * (1 - rate) / n)


def labels_for_half_width(half: float, rate: float, level: float = 0.95) -> int:
    """Labels for an interval of +- half around a share (Wald: for planning only)."""
    return math.ceil(normal_quantile(level) ** 2 * rate * (1 - rate) / half**2)
