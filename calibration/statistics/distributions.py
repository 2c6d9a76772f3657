"""Quantiles and tails of the few distributions that are needed: the only importer of scipy (scipy.stats would cost 0.8 s at start)."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtr, ndtri, stdtr, stdtrit  # type: ignore[import-untyped]

Degrees = TypeVar("Degrees", float, NDArray[np.float64])


def normal_quantile(level: float) -> float:
    """The two-sided standard normal quantile of a level in (0, 1): 1.959964 for 0.95."""
    return float(ndtri(0.5 + level / 2))


def t_quantile(level: float, degrees: Degrees) -> Degrees:
    """The two-sided quantile of Student's t for one number of degrees or many; degrees > 0, not necessarily whole."""
    found = stdtrit(degrees, 0.5 + level / 2)
    return np.asarray(found, float) if isinstance(degrees, np.ndarray) else float(found)


def normal_below(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(Z <= value) for the standard normal."""
    return np.asarray(ndtr(values), float)


PRIOR = 0.6
"""0.5 is Jeffreys' interval, 1 Clopper and Pearson's; chosen so that false trust stays under 3 % with looking (docs/use/calibration.md)."""


def beta_ends(hits: NDArray[np.float64], sizes: NDArray[np.float64], level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A two-sided beta interval of each proportion, between Jeffreys' and Clopper and Pearson's (Brown, Cai and DasGupta, Statistical
    Science 16, 2001); hits and sizes need not be whole. (0, 1) where a size is 0."""
    tail, rest = (1 - level) / 2, np.maximum(sizes - hits, 0.0)
    low, high = betaincinv(hits + 1 - PRIOR, rest + PRIOR, tail), betaincinv(hits + PRIOR, rest + 1 - PRIOR, 1 - tail)
    return np.where(hits <= 1e-9, 0.0, low), np.where(rest <= 1e-9, 1.0, high)


def t_below(value: float, degrees: float) -> float:
    """P(T <= value) for Student's t."""
    return float(stdtr(degrees, value))


def beta_quantile(share: float, a: float, b: float) -> float:
    """The quantile of the beta distribution at `share`, 0..1."""
    return float(betaincinv(a, b, share))


def binomial_at_most(successes: int, n: int, rate: float) -> float:
    """P(X <= successes) for n tries at `rate`."""
    return 1.0 if successes >= n else 0.0 if successes < 0 else float(bdtr(successes, n, rate))
