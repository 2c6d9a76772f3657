"""Is the judge's confidence worth anything? Calibration error, Brier score, AUROC, risk against coverage (calibration.md 3.8)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.measures.sample import Sample
from calibration.statistics.clusters import SEED, Codes, sum_by_cluster, sums_and_sizes
from calibration.statistics.distributions import t_quantile
from calibration.statistics.estimate import LEVEL, Estimate, clipped, finite, undefined
from calibration.statistics.intervals import clustered_mean, clustered_proportion, degrees_of_freedom, leveraged_variance

Floats = NDArray[np.float64]
BINS = 10
FLAT = 1e-9  # an interval narrower than this has no width
MOST_POINTS = 200


def midranks(values: ArrayLike) -> Floats:
    """Ranks 1..n; equal values share the mean of their ranks."""
    data = np.asarray(values, float)
    _, place, counts = np.unique(data, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place], float)


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of one stretch of confidence (low, high]: their number, mean confidence and accuracy with its interval by cluster."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: Estimate


def equal_width_edges(bins: int = BINS) -> Floats:
    """0, 1/bins, ..., 1. A value belongs to the bin whose upper edge it does not exceed; 0 to the first."""
    return np.linspace(0.0, 1.0, bins + 1)


def equal_mass_edges(confidence: Floats, bins: int = BINS) -> Floats:
    """Edges that put about as many rows into each bin; equal values are never parted, so there may be fewer bins."""
    inner = np.quantile(confidence, np.arange(1, bins) / bins, method="lower")
    return np.unique(np.concatenate([[0.0], inner, [1.0]]))


def _place(confidence: Floats, edges: Floats) -> Codes:
    return np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, len(edges) - 2)


def bin_errors(confidence: Floats, correct: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """(share of rows, |mean confidence - accuracy|) of each bin that holds rows."""
    place, bins = _place(confidence, edges), len(edges) - 1
    counts = np.bincount(place, minlength=bins)
    gaps = np.bincount(place, weights=confidence - correct, minlength=bins)
    held = counts > 0
    return counts[held] / len(confidence), np.abs(gaps[held]) / counts[held]


def calibration_error(confidence: ArrayLike, correct: ArrayLike, edges: Floats | None = None) -> float | None:
    """Expected calibration error, 0..1: mean |confidence - accuracy| over the bins, weighted by rows; ten equal-width ones by default."""
    c, y = np.asarray(confidence, float), np.asarray(correct, float)
    if not len(c):
        return None
    share, gap = bin_errors(c, y, equal_width_edges() if edges is None else edges)
    return float(share @ gap)


def largest_calibration_error(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """The worst bin's |confidence - accuracy|, ten equal-width bins."""
    c, y = np.asarray(confidence, float), np.asarray(correct, float)
    return float(bin_errors(c, y, equal_width_edges())[1].max()) if len(c) else None


def null_calibration_error(confidence: Floats, edges: Floats, *, runs: int = 500, seed: int = SEED) -> tuple[float, float]:
    """Mean and 95 % quantile of the calibration error if the confidence were exactly right: what chance alone gives at this size."""
    generator = np.random.default_rng(seed)
    place, bins = _place(confidence, edges), len(edges) - 1
    errors = np.empty(runs)
    for run in range(runs):
        gaps = np.bincount(place, weights=confidence - (generator.random(len(confidence)) < confidence), minlength=bins)
        errors[run] = np.abs(gaps).sum() / len(confidence)
    return float(errors.mean()), float(np.quantile(errors, 0.95))


def log_loss(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Mean negative log-likelihood; None when a verdict held certain (0 or 1) was the other way, where it is infinite."""
    c, y = np.asarray(confidence, float), np.asarray(correct, float)
    said = np.where(y > 0.5, c, 1 - c)
    return finite(float(-np.log(said).mean())) if len(c) and np.all(said > 0) else None


def auroc(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Chance that a right verdict has more confidence than a wrong one, ties half; None when all are right or all wrong."""
    c, y = np.asarray(confidence, float), np.asarray(correct, float) > 0.5
    right, wrong = int(y.sum()), int((~y).sum())
    if not right or not wrong:
        return None
    return (float(midranks(c)[y].sum()) - right * (right + 1) / 2) / (right * wrong)


def clustered_auroc(confidence: Floats, correct: Floats, cluster: Codes, clusters: int, level: float = LEVEL) -> Estimate:
    """AUROC with Obuchowski's (1997) error for clustered rows, on the logit scale with t."""
    y = correct > 0.5
    value, groups = auroc(confidence, correct), len(np.unique(cluster))
    if value is None:
        return undefined("single_class", n=len(y), clusters=groups)
    right, wrong = int(y.sum()), int((~y).sum())
    all_ranks = midranks(confidence)
    part = np.empty(len(y))
    part[y] = (all_ranks[y] - midranks(confidence[y])) / wrong
    part[~y] = 1 - (all_ranks[~y] - midranks(confidence[~y])) / right
    weight = np.where(y, 1 / right, 1 / wrong)
    influence = sum_by_cluster(((part - value) * weight)[:, None], cluster, clusters)[:, 0]
    if groups < 2 or value in (0.0, 1.0):
        return Estimate(value, n=len(y), clusters=groups, reason="one_cluster" if groups < 2 else "separable")
    sizes = [np.bincount(cluster[rows], minlength=clusters).astype(float) for rows in (y, ~y)]
    error = max(math.sqrt(leveraged_variance(influence, held + 1e-9)) for held in sizes)  # a case may hold most of either
    degrees = min(degrees_of_freedom(held) for held in sizes)
    odds, half = math.log(value / (1 - value)), t_quantile(level, degrees) * error / (value * (1 - value))
    low, high = (1 / (1 + math.exp(min(700.0, -edge))) for edge in (odds - half, odds + half))  # beyond 700 it is 0 to all digits
    return Estimate(value, low, high, len(y), groups, f"clustered (Obuchowski), logit, t({degrees:.4g})", None, level)


def clustered_brier(confidence: Floats, correct: Floats, cluster: Codes, clusters: int) -> Estimate:
    """The Brier score with its interval by cluster. Where all rows score the same, the error says nothing: that of a share stands in."""
    scores = sums_and_sizes((confidence - correct) ** 2, cluster, clusters)
    found = clipped(clustered_mean(*scores), 0.0, 1.0)
    is_flat = found.low is not None and found.high is not None and found.high - found.low < FLAT
    return clustered_proportion(*scores) if is_flat else found


def reliability(confidence: Floats, correct: Floats, cluster: Codes, clusters: int, edges: Floats) -> tuple[Bin, ...]:
    """The bins of the reliability diagram that hold rows."""
    place = _place(confidence, edges)

    def one(number: int, rows: NDArray[np.bool_]) -> Bin:
        accuracy = clustered_proportion(*sums_and_sizes(correct[rows], cluster[rows], clusters))
        return Bin(float(edges[number]), float(edges[number + 1]), int(rows.sum()), float(confidence[rows].mean()), accuracy)

    return tuple(one(number, place == number) for number in np.unique(place).tolist())


def risk_coverage(confidence: Floats, correct: Floats) -> tuple[tuple[float, float], ...]:
    """(coverage, error rate among the covered) at each distinct confidence, the surest first; both 0..1."""
    levels, place = np.unique(-confidence, return_inverse=True)
    covered = np.cumsum(np.bincount(place, minlength=len(levels)))
    wrong = np.cumsum(np.bincount(place, weights=1 - correct, minlength=len(levels)))
    return tuple((float(n / len(confidence)), float(k / n)) for n, k in zip(covered, wrong, strict=True))


def area_under_risk_coverage(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Mean error rate over all coverages, 0 (best) to 1; rows of equal confidence enter together."""
    c, y = np.asarray(confidence, float), np.asarray(correct, float)
    if not len(c):
        return None
    coverage, risk = np.array(risk_coverage(c, y)).T
    return float(np.diff(coverage, prepend=0.0) @ risk)


@dataclass(frozen=True, slots=True)
class ConfidenceAudit:
    """ece: ten equal-width bins (low, high]; ece_mass: ten bins of equal size. chance_ece, chance_ece_high: mean and 95 % quantile of the
    former if the confidence were exactly right. largest: worst bin. curve: (coverage, error rate), thinned to MOST_POINTS."""

    n: int
    clusters: int
    ece: float | None
    ece_mass: float | None
    chance_ece: float
    chance_ece_high: float
    largest: float | None
    brier: Estimate
    log_loss: float | None
    auroc: Estimate
    area: float | None
    bins: tuple[Bin, ...]
    curve: tuple[tuple[float, float], ...]


def audit_confidence(sample: Sample) -> ConfidenceAudit | None:
    """None where no row has a confidence."""
    rows = (sample.truth >= 0) & (sample.reading() >= 0) & np.isfinite(sample.confidence)
    if not rows.any():
        return None
    sure, cluster = sample.confidence[rows], sample.cluster[rows]
    correct = (sample.reading() == sample.truth)[rows].astype(float)
    width, mass = equal_width_edges(), equal_mass_edges(sure)
    chance = null_calibration_error(sure, width)
    curve = risk_coverage(sure, correct)
    step = max(1, -(-len(curve) // MOST_POINTS))
    return ConfidenceAudit(
        int(rows.sum()),
        len(np.unique(cluster)),
        calibration_error(sure, correct, width),
        calibration_error(sure, correct, mass),
        *chance,
        largest_calibration_error(sure, correct),
        clustered_brier(sure, correct, cluster, sample.clusters),
        log_loss(sure, correct),
        clustered_auroc(sure, correct, cluster, sample.clusters),
        area_under_risk_coverage(sure, correct),
        reliability(sure, correct, cluster, sample.clusters, width),
        (*curve[: len(curve) - 1 : step], curve[-1]),
    )
