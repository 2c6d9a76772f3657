"""Rank correlations of two lists of numbers (ordinal labels, scores). They ignore a constant offset, so they never gate anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.estimate import finite

Floats = NDArray[np.float64]


def midranks(values: ArrayLike) -> Floats:
    """Ranks 1..n; equal values share the mean of their ranks."""
    data = np.asarray(values, float)
    _, place, counts = np.unique(data, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], float)


def pearson(first: ArrayLike, second: ArrayLike) -> float | None:
    """Linear correlation, -1..1; None with fewer than two pairs or when either list is constant."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    if len(a) < 2 or np.all(a == a[0]) or np.all(b == b[0]):
        return None
    x, y = a - a.mean(), b - b.mean()
    return finite(float(x @ y / np.sqrt((x @ x) * (y @ y))))


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Pearson's correlation of the mid-ranks; None as there."""
    return pearson(midranks(first), midranks(second))


def _concordance(first: Floats, second: Floats) -> tuple[float, Floats]:
    """Concordant minus discordant pairs, and the table of the distinct values: K x L counts, so n may be large where K, L are small."""
    table, _, _ = np.histogram2d(_codes(first), _codes(second), bins=[np.arange(len(np.unique(x)) + 1) - 0.5 for x in (first, second)])
    below = table[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
    beside = table[::-1].cumsum(0)[::-1].cumsum(1)
    concordant = float((table[:-1, :-1] * below[1:, 1:]).sum())
    discordant = float((table[:-1, 1:] * beside[1:, :-1]).sum())
    return concordant - discordant, table


def _codes(values: Floats) -> NDArray[np.intp]:
    return np.unique(values, return_inverse=True)[1]


def kendall_tau_b(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's tau-b (ties corrected), -1..1; None when either list is constant."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    if len(a) < 2:
        return None
    score, table = _concordance(a, b)
    pairs = len(a) * (len(a) - 1) / 2
    tied = [float((side * (side - 1) / 2).sum()) for side in (table.sum(1), table.sum(0))]
    bottom = (pairs - tied[0]) * (pairs - tied[1])
    return finite(score / float(np.sqrt(bottom))) if bottom > 0 else None


def kendall_tau_c(first: ArrayLike, second: ArrayLike) -> float | None:
    """Stuart's tau-c, for tables that are not square; None when either list is constant."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    if len(a) < 2:
        return None
    score, table = _concordance(a, b)
    smaller = min(table.shape)
    return finite(2 * score * smaller / (len(a) ** 2 * (smaller - 1))) if smaller > 1 else None
