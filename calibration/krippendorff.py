"""Agreement of any number of raters with missing values: Krippendorff's alpha and Fleiss' kappa (calibration.md 3.1).

Alpha takes raters as exchangeable: it is for people. A judge is compared with them separately.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.estimate import finite

Floats = NDArray[np.float64]
Distance = Literal["nominal", "ordinal"]


def coincidences(counts: Floats) -> Floats:
    """Per unit, the pairs of values of different raters, each weighted 1 / (m - 1): (units, K) counts give (units, K, K).

    A unit with fewer than two values gives zeros (it is not pairable). Coincidences of units add up, so clusters of units do too.
    """
    values = counts.sum(1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return np.where(values > 1, 1 / np.where(values > 1, values - 1, 1.0), 0.0)[:, None, None] * pairs


def alpha_of(tables: Floats, distance: Distance = "nominal") -> Floats:
    """Alpha of summed coincidences (..., K, K), at most 1; NaN where every pairable value is one and the same.

    The ordinal distances depend on how often each value occurs.
    """
    sums = tables.sum(-1)
    total = sums.sum(-1)
    middle = np.cumsum(sums, axis=-1) - sums / 2
    gaps = (middle[..., :, None] - middle[..., None, :]) ** 2 if distance == "ordinal" else 1 - np.eye(tables.shape[-1])
    expected = (sums[..., :, None] * sums[..., None, :] * gaps).sum((-2, -1))
    seen = (tables * gaps).sum((-2, -1))
    defined = expected > 0
    return np.where(defined, 1 - (total - 1) * seen / np.where(defined, expected, 1.0), np.nan)


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
