"""All figures of the judge's confidence, for the rows that have one, a usable verdict and a majority label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.clusters import SEED
from calibration.confidence import (
    Bin,
    area_under_risk_coverage,
    calibration_error,
    clustered_auroc,
    clustered_brier,
    equal_mass_edges,
    equal_width_edges,
    largest_calibration_error,
    log_loss,
    null_calibration_error,
    reliability,
    risk_coverage,
)
from calibration.estimate import Estimate
from calibration.sample import Sample

MOST_POINTS = 200


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


def audit_confidence(sample: Sample, *, seed: int = SEED) -> ConfidenceAudit | None:
    """None where no row has a confidence."""
    rows = (sample.truth >= 0) & (sample.reading() >= 0) & np.isfinite(sample.confidence)
    if not rows.any():
        return None
    sure, cluster = sample.confidence[rows], sample.cluster[rows]
    correct = (sample.reading() == sample.truth)[rows].astype(float)
    width, mass = equal_width_edges(), equal_mass_edges(sure)
    chance = null_calibration_error(sure, width, seed=seed)
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
