"""What looking in between costs: the level of each interval of a draw that grows, so that all of them hold together."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.distributions import normal_below, normal_quantile

FIRST_SHARE, SHARE = 0.5, 0.7
_STEP = 0.04
_GRID = np.arange(-7.0, 7.0 + _STEP / 2, _STEP)  # of standardised sums


def level_of_look(sizes: Sequence[int], level: float) -> float:
    """The level of the interval at the last of these looks. sizes: labels drawn up to each step; level: of all looks together, 0..1. Alpha
    spending (Lan and DeMets, Biometrika 70, 1983, 659-663): of the chance alpha to be wrong, FIRST_SHARE is spent at the first step of a
    draw, SHARE of the rest at each further one, for most draws end with the second. A step is paid for when it is drawn, whether or not
    anybody looks. The looks see the same labels again, so their levels are found together, by integrating over the normal sums of
    independent parts (Armitage, McPherson and Rowe, JRSS A 132, 1969, 235-244); the intervals so made are repeated confidence intervals
    (Jennison and Turnbull, JRSS B 51, 1989, 305-361): all of them hold together."""
    grown = tuple(size for n, size in enumerate(sizes) if size > 0 and (n == 0 or size > sizes[n - 1]))
    return 1 - 2 * float(normal_below(np.array(-_bound(grown, (1 - level) / 2)))) if grown else level


@lru_cache(maxsize=1024)
def _bound(sizes: tuple[int, ...], alpha: float) -> float:
    """Of the standardised sum at the last look. One side is worked out with half of alpha; two sides can err no more than twice that."""
    if len(sizes) == 1:
        return normal_quantile(1 - 2 * FIRST_SHARE * alpha)
    spend = SHARE * (1 - FIRST_SHARE) * (1 - SHARE) ** (len(sizes) - 2) * alpha
    inside, (keep, fresh) = _inside(sizes[:-1], alpha), _parts_of(sizes)
    near = _GRID[(normal_quantile(1 - 2 * alpha) - _STEP < _GRID) & (normal_quantile(1 - 2 * spend) + _STEP > _GRID)]
    # P(not crossed before, sum at this look above b) for every b that it can be
    above = (inside * normal_below((keep * _GRID - near[:, None]) / fresh)).sum(1) * _STEP
    return float(np.interp(-spend, -above, near))


@lru_cache(maxsize=256)
def _inside(sizes: tuple[int, ...], alpha: float) -> NDArray[np.float64]:
    """Density of the sum at the last look of what crossed no bound up to there."""
    if len(sizes) == 1:
        density = _normal(_GRID)
    else:
        keep, fresh = _parts_of(sizes)
        density = (_inside(sizes[:-1], alpha) * _normal((_GRID[:, None] - keep * _GRID) / fresh)).sum(1) * _STEP / fresh
    return np.asarray(density * np.clip((_bound(sizes, alpha) - _GRID) / _STEP + 0.5, 0.0, 1.0))  # the cell of the bound in part


def _parts_of(sizes: tuple[int, ...]) -> tuple[float, float]:
    """How much of the sum at the last look stood at the one before, and is fresh."""
    share = sizes[-2] / sizes[-1]
    return math.sqrt(share), math.sqrt(1 - share)


def _normal(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
