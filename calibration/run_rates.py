"""The accepted share of a run three ways, from the record of its judge: as judged, corrected for its errors, of the labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.correction import Rate, corrected_rate
from calibration.estimate import Estimate, undefined
from calibration.intervals import clustered_proportion, effective_size
from calibration.record import ClassRate, RubricRecord


@dataclass(frozen=True, slots=True)
class RunRate:
    """A run's accepted share for one rubric, three ways: as judged, corrected for the judge's errors, and of the labels alone."""

    raw: Estimate
    corrected: Estimate
    labels_only: Estimate


def correct_run(entry: RubricRecord, accepted: Sequence[float], asked: Sequence[float]) -> RunRate:
    """The rates of a run. accepted, asked: verdicts of each case that accept, and that were given at all.

    The corrected one is refused (`judge_too_weak`) where the lower bound of sensitivity + specificity is at most 1, and taken to transfer:
    sensitivity and specificity change with the mix of cases, which no record can know.
    """
    hits, sizes = np.asarray(accepted, float), np.asarray(asked, float)
    raw = clustered_proportion(hits, sizes)
    human = entry.human_rate
    labels = undefined("no_labels") if human is None or human.value is None else _estimate(human)
    parts = [_rate(rate) for rate in (entry.specificity, entry.sensitivity)]
    if raw.value is None or parts[0] is None or parts[1] is None:
        return RunRate(raw, undefined("no_items" if raw.value is None else "no_class_rates", n=raw.n, clusters=raw.clusters), labels)
    scored = Rate(raw.value, effective_size(hits, sizes), raw.clusters)
    return RunRate(raw, corrected_rate(scored, parts[0], parts[1], bounds_sum=lower_sum(entry.specificity, entry.sensitivity)), labels)


def _estimate(rate: ClassRate) -> Estimate:
    return Estimate(rate.value, rate.low, rate.high, rate.n, rate.clusters, "calibration labels, clustered Wilson")


def _rate(rate: ClassRate | None) -> Rate | None:
    if rate is None or rate.value is None or rate.effective_n is None:
        return None
    return Rate(rate.value, rate.effective_n, rate.clusters)


def lower_sum(first: ClassRate | Estimate | None, second: ClassRate | Estimate | None) -> float | None:
    """Lower bound of the sum of two independent shares, from their own lower bounds (MOVER); None where either is undefined."""
    if first is None or second is None or first.value is None or second.value is None or first.low is None or second.low is None:
        return None
    return first.value + second.value - float(np.hypot(first.value - first.low, second.value - second.low))
