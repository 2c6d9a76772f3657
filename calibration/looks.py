"""Looking more than once at labels that grow: what each look may spend, so that all of them together err no more than one would.
Alpha spending (Lan and DeMets, Biometrika 70, 1983, 659-663): of the chance alpha to be wrong, the first SHARE is spent at the first step
of a draw, the same share of the rest at each further one. A step is paid for when it is drawn, whether or not anybody looks. The looks see
the same labels again, so their levels are found together, by integrating over the normal sums of independent parts (Armitage, McPherson and
Rowe, JRSS A 132, 1969, 235-244); the intervals so made are repeated confidence intervals (Jennison and Turnbull, JRSS B 51, 1989, 305-361):
all of them hold together."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.distributions import normal_below, normal_quantile

SHARE = 0.6
_STEP, _REACH = 0.04, 7.0


def level_of_look(sizes: Sequence[int], level: float) -> float:
    """The level of the interval at the last of these looks. sizes: labels drawn up to each step; level: of all looks together, 0..1."""
    grown = [size for n, size in enumerate(sizes) if size > 0 and (n == 0 or size > sizes[n - 1])]
    return _levels(tuple(grown), level)[-1] if len(grown) > 1 else 1 - SHARE * (1 - level) if grown else level


@lru_cache(maxsize=64)
def _levels(sizes: tuple[int, ...], level: float) -> tuple[float, ...]:
    """The level at each look. One side is worked out with half of alpha; two sides can err no more than twice that."""
    alpha = (1 - level) / 2
    grid = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)  # the standardised sum at a look
    bound = normal_quantile(1 - 2 * SHARE * alpha)
    density, levels = _normal(grid), [_two_sided(bound)]
    spent = SHARE * alpha
    for before, size in pairwise(sizes):
        inside = density * np.clip((bound - grid) / _STEP + 0.5, 0.0, 1.0)  # the cell of the bound in part
        keep, fresh = math.sqrt(before / size), math.sqrt(1 - before / size)
        spend = SHARE * (alpha - spent)
        spent += spend
        # P(not crossed before, sum at this look above b) for every b of the grid
        above = (inside * normal_below((keep * grid - grid[grid > 0][:, None]) / fresh)).sum(1) * _STEP
        bound = float(np.interp(-spend, -above, grid[grid > 0]))
        density = (inside * _normal((grid[:, None] - keep * grid) / fresh)).sum(1) * _STEP / fresh
        levels.append(_two_sided(bound))
    return tuple(levels)


def _two_sided(bound: float) -> float:
    return 1 - 2 * float(normal_below(np.array(-bound)))


def _normal(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
