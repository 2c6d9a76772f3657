"""Wilson's interval of one proportion, without an array library: reports are built in runs that must start fast."""

from __future__ import annotations

import math
from statistics import NormalDist

from calibration.estimate import LEVEL


def wilson(successes: float, n: float, level: float = LEVEL, *, quantile: float | None = None) -> tuple[float, float]:
    """Wilson's score interval, 0..1. `n` may be an effective number; `quantile` replaces the normal one. (0, 1) when n is 0."""
    if n <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2) if quantile is None else quantile
    share = min(max(successes / n, 0.0), 1.0)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))
