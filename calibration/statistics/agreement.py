"""Agreement of two raters from their confusion table (calibration.md 3.1): rows the human, columns the judge; at the end that of any number
of raters with missing values, which takes them as exchangeable and is for people.
Each `*_of` function takes tables of shape (..., K, K) and gives NaN where the statistic is undefined, so that thousands of resampled tables
are one call. The functions without the suffix take one table and give a number or None; they are what other code should use."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.statistics.estimate import finite

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
Distance = Literal["nominal", "ordinal"]


def confusion(human: NDArray[np.intp], judge: NDArray[np.intp], classes: int) -> Floats:
    """Counts of pairs of codes 0..classes-1, shape (classes, classes)."""
    cells = np.bincount(human * classes + judge, minlength=classes * classes)
    return np.asarray(cells, float).reshape(classes, classes)


def disagreement_weights(classes: int, kind: str) -> Floats:
    """Distances of categories 0..K-1: `nominal` 0/1, `linear` |i-k|, `quadratic` (i-k)^2. The order is that of the label list."""
    steps = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))).astype(float)
    return {"nominal": (steps > 0).astype(float), "linear": steps, "quadratic": steps**2}[kind]


def _divide(top: Floats, bottom: Floats) -> Floats:
    defined = np.abs(bottom) > 1e-15
    return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)


def _shares(tables: Floats) -> tuple[Floats, Floats, Floats]:
    total = tables.sum((-2, -1))
    return _divide(tables, total[..., None, None]), _divide(tables.sum(-1), total[..., None]), _divide(tables.sum(-2), total[..., None])


def accuracy_of(tables: Floats) -> Floats:
    """Share of equal labels, 0..1."""
    return _divide(np.trace(tables, axis1=-2, axis2=-1), tables.sum((-2, -1)))


def kappa_of(tables: Floats, weights: str = "nominal") -> Floats:
    """Cohen's (weighted) kappa, -1..1; undefined when both raters use one and the same class only."""
    cells, rows, columns = _shares(tables)
    distance = disagreement_weights(tables.shape[-1], weights)
    seen = (cells * distance).sum((-2, -1))
    return 1 - _divide(seen, (rows[..., :, None] * columns[..., None, :] * distance).sum((-2, -1)))


def _chance_corrected(tables: Floats, chance: Floats) -> Floats:
    return _divide(accuracy_of(tables) - chance, 1 - chance)


def scott_of(tables: Floats) -> Floats:
    """Scott's pi, -1..1: chance from the two raters' mean shares."""
    _, rows, columns = _shares(tables)
    return _chance_corrected(tables, (((rows + columns) / 2) ** 2).sum(-1))


def gwet_of(tables: Floats, weights: str = "nominal") -> Floats:
    """Gwet's AC1 (nominal) or AC2 (linear, quadratic), at most 1: stays high where one class is rare."""
    cells, rows, columns = _shares(tables)
    classes = tables.shape[-1]
    distance = disagreement_weights(classes, weights)
    alike = 1 - distance / distance.max()
    mean = (rows + columns) / 2
    seen = (cells * alike).sum((-2, -1))
    chance = alike.sum() * (mean * (1 - mean)).sum(-1) / (classes * (classes - 1))
    return _divide(seen - chance, 1 - chance)


def mcc_of(tables: Floats) -> Floats:
    """Matthews' correlation for K classes (R_K), -1..1; undefined when either rater uses one class only."""
    _, rows, columns = _shares(tables)
    top = accuracy_of(tables) - (rows * columns).sum(-1)
    return _divide(top, np.sqrt((1 - (rows**2).sum(-1)) * (1 - (columns**2).sum(-1))))


def f1_of(tables: Floats, label: int) -> Floats:
    """2 TP / (2 TP + FP + FN); undefined when neither rater used the label."""
    return _divide(2 * tables[..., label, label], tables[..., label, :].sum(-1) + tables[..., :, label].sum(-1))


def balanced_accuracy_of(tables: Floats) -> Floats:
    """Mean recall over the classes that the human used."""
    support = tables.sum(-1)
    recalls = _divide(np.diagonal(tables, axis1=-2, axis2=-1), support)
    return _divide(np.where(support > 0, recalls, 0.0).sum(-1), (support > 0).sum(-1).astype(float))


STATISTICS: dict[str, Statistic] = {
    "accuracy": accuracy_of,
    "balanced_accuracy": balanced_accuracy_of,
    "kappa": kappa_of,
    "kappa_linear": lambda tables: kappa_of(tables, "linear"),
    "kappa_quadratic": lambda tables: kappa_of(tables, "quadratic"),
    "scott_pi": scott_of,
    "gwet_ac1": gwet_of,
    "gwet_ac2": lambda tables: gwet_of(tables, "quadratic"),
    "pabak": lambda tables: _chance_corrected(tables, np.full(tables.shape[:-2], 1 / tables.shape[-1])),  # Brennan's: chance 1/K
    "mcc": mcc_of,
}


def measure(name: str, table: ArrayLike) -> float | None:
    """One statistic of STATISTICS for one table, or None where it is undefined (`single_class`, no rows)."""
    cells = np.asarray(table, float)
    if cells.shape[-1] < 2 or is_single_class(cells):
        return finite(float(accuracy_of(cells))) if name == "accuracy" else None
    return finite(float(STATISTICS[name](cells)))


def is_single_class(table: Floats) -> bool:
    """Both raters gave one and the same label throughout: agreement beyond chance cannot be told."""
    return int(np.count_nonzero(table.sum(-1) + table.sum(-2))) < 2


def macro_f1(table: ArrayLike) -> float | None:
    """Mean F1 over the classes where it is defined; None when it is nowhere."""
    cells = np.asarray(table, float)
    values = [finite(float(f1_of(cells, code))) for code in range(cells.shape[0])]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def coincidences(counts: Floats) -> Floats:
    """Per unit, the pairs of values of different raters, each weighted 1 / (m - 1): (units, K) counts give (units, K, K). A unit with fewer
    than two values gives zeros (it is not pairable). Coincidences of units add up, so clusters of units do too."""
    values = counts.sum(1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return np.where(values > 1, 1 / np.where(values > 1, values - 1, 1.0), 0.0)[:, None, None] * pairs


def alpha_of(tables: Floats, distance: Distance = "nominal") -> Floats:
    """Alpha of summed coincidences (..., K, K), at most 1; NaN where every pairable value is one and the same. The ordinal distances depend
    on how often each value occurs."""
    sums = tables.sum(-1)
    total = sums.sum(-1)
    middle = np.cumsum(sums, axis=-1) - sums / 2
    gaps = (middle[..., :, None] - middle[..., None, :]) ** 2 if distance == "ordinal" else 1 - np.eye(tables.shape[-1])
    expected = (sums[..., :, None] * sums[..., None, :] * gaps).sum((-2, -1))
    seen = (tables * gaps).sum((-2, -1))
    defined = expected > 0
    return np.where(defined, 1 - (total - 1) * seen / np.where(defined, expected, 1.0), np.nan)


def fleiss_kappa(counts: ArrayLike) -> float | None:
    """Fleiss' kappa of (items, K) counts with the same number of raters (>= 2) for every item; None where undefined. Raises ValueError when
    the numbers of raters differ."""
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
