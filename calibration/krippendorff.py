"""Agreement of any number of raters with missing values: Krippendorff's alpha, Fleiss' kappa and their kin (calibration.md 3.1).

Alpha takes raters as exchangeable: it is for people. A judge is compared with them separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.agreement import disagreement_weights
from calibration.estimate import finite

Floats = NDArray[np.float64]
Distance = Literal["nominal", "ordinal", "interval", "ratio"]


def coincidences(counts: Floats) -> Floats:
    """Per unit, the pairs of values of different raters, each weighted 1 / (m - 1): (units, K) counts give (units, K, K).

    A unit with fewer than two values gives zeros (it is not pairable). Coincidences of units add up, so clusters of units do too.
    """
    values = counts.sum(1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return np.where(values > 1, 1 / np.where(values > 1, values - 1, 1.0), 0.0)[:, None, None] * pairs


def _distances(sums: Floats, distance: Distance, values: Floats) -> Floats:
    """(..., K, K) squared distances; the ordinal ones depend on how often each value occurs."""
    if distance == "nominal":
        return disagreement_weights(len(values), "nominal")
    if distance == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2, float)
    if distance == "ratio":
        total = np.add.outer(values, values)
        return np.where(total == 0, 0.0, (np.subtract.outer(values, values) / np.where(total == 0, 1.0, total)) ** 2)
    middle = np.cumsum(sums, axis=-1) - sums / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2, float)


def alpha_of(tables: Floats, distance: Distance = "nominal", values: Sequence[float] | None = None) -> Floats:
    """Alpha of summed coincidences (..., K, K), at most 1; NaN where every pairable value is one and the same.

    values: what the categories measure (interval and ratio); their positions 0..K-1 when None.
    """
    scale = np.arange(tables.shape[-1], dtype=float) if values is None else np.asarray(values, float)
    sums = tables.sum(-1)
    total = sums.sum(-1)
    gaps = _distances(sums, distance, scale)
    expected = (sums[..., :, None] * sums[..., None, :] * gaps).sum((-2, -1))
    seen = (tables * gaps).sum((-2, -1))
    defined = expected > 0
    return np.where(defined, 1 - (total - 1) * seen / np.where(defined, expected, 1.0), np.nan)


def count_values(ratings: Sequence[Sequence[object]], values: Sequence[object]) -> Floats:
    """(units, K) how many raters gave each value, from rows of raters (None is missing)."""
    place = {value: code for code, value in enumerate(values)}
    counts = np.zeros((max((len(row) for row in ratings), default=0), len(values)))
    for row in ratings:
        for unit, value in enumerate(row):
            if value is not None:
                counts[unit, place[value]] += 1
    return counts


def alpha(ratings: Sequence[Sequence[float | None]], distance: Distance = "nominal") -> float | None:
    """Alpha of raters (rows) over units (columns), None is missing. None when fewer than two values occur or nothing is pairable."""
    values = sorted({value for row in ratings for value in row if value is not None})
    if len(values) < 2:
        return None
    table = coincidences(count_values(ratings, values)).sum(0)
    return finite(float(alpha_of(table, distance, values)))


def fleiss_kappa(counts: ArrayLike) -> float | None:
    """Fleiss' kappa of (items, K) counts with the same number of raters (>= 2) for every item; None where undefined.

    Raises ValueError when the numbers of raters differ.
    """
    table = np.asarray(counts, float)
    if not len(table):
        return None
    raters = table.sum(1)
    if np.any(raters != raters[0]):
        raise ValueError("Fleiss' kappa needs the same number of raters for every item: use alpha where labels are missing")
    if raters[0] < 2:
        return None
    seen = float((((table**2).sum(1) - raters) / (raters * (raters - 1))).mean())
    shares = table.sum(0) / table.sum()
    chance = float((shares**2).sum())
    return None if chance >= 1 else finite((seen - chance) / (1 - chance))
