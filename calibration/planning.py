"""How many labels are needed (calibration.md 3.12)."""

from __future__ import annotations

import math

from calibration.distributions import normal_quantile

POWER = 0.8


def labels_without_error(error: float, delta: float = 0.05) -> int:
    """How many labels without a single error show an error rate below `error` at level 1 - delta: 59 for 5 % at 95 %."""
    return math.ceil(math.log(delta) / math.log(1 - error))


def detectable_change(n: float, rate: float = 0.5, *, power: float = POWER, level: float = 0.95) -> float | None:
    """The least change of a share at `rate` that n rows show with the given power (normal approximation); None without rows."""
    if n <= 0:
        return None
    return (normal_quantile(level) + normal_quantile(2 * power - 1)) * math.sqrt(rate * (1 - rate) / n)
