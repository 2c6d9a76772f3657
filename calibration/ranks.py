"""Rank correlations of two lists of numbers (ordinal labels, scores). They ignore a constant offset, so they never gate anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def midranks(values: ArrayLike) -> Floats:
    """Ranks 1..n; equal values share the mean of their ranks."""
    data = np.asarray(values, float)
    _, place, counts = np.unique(data, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], float)
