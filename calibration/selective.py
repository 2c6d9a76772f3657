"""Selective judging: let the judge decide only where it is sure enough, with a guarantee (calibration.md 3.7).

Source: Trust or Escalate, with its two leaks closed: a threshold that its own bound rejects is never given out, and the ladder of
thresholds is fixed beforehand. Cases, not rows, are independent: one row of each case, drawn by a seed before anything is looked at,
enters the bound, which is then the exact binomial one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.clusters import SEED, Codes
from calibration.intervals import upper_error_bound
from calibration.planning import labels_without_error

Floats = NDArray[np.float64]
LADDER = tuple(step / 100 for step in range(100, -1, -1))  # thresholds from the strictest down


@dataclass(frozen=True, slots=True)
class Rung:
    """One threshold: covered cases (confidence at or above it), errors among them, exact upper bound of the error rate."""

    threshold: float
    covered: int
    errors: int
    bound: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """The loosest threshold whose error is certified, or None: abstain from everything.

    With probability 1 - delta the error rate of what is at or above `threshold` is at most `risk`, for cases like these, one row a case.
    coverage: share of all rows at or above it, 0..1. abstained: (label, rows below it, rows) by the judge's label, the class mix.
    """

    threshold: float | None
    risk: float
    delta: float
    cases: int
    covered: int
    errors: int
    bound: float | None
    coverage: float
    abstained: tuple[tuple[str, int, int], ...]
    rungs: tuple[Rung, ...]
    reason: str


def draw_one_each(cluster: Codes, seed: int = SEED) -> Codes:
    """Indices of one row of each cluster, each row of a cluster equally likely."""
    order = np.random.default_rng(seed).permutation(len(cluster))
    _, first = np.unique(cluster[order], return_index=True)
    return np.sort(order[first])


def climb(confidence: Floats, is_wrong: NDArray[np.bool_], *, risk: float, delta: float) -> tuple[Rung, ...]:
    """The rungs of the ladder from the strictest on which a pass is possible, down to the first that fails (it is the last one given).

    Possible: it covers as many rows as pass without any error (59 for 5 % at 95 %). That number depends on risk and delta alone, so it
    is fixed beforehand as the walk demands; starting with fewer rows would end every walk at its first step.
    """
    least = labels_without_error(risk, delta)
    rungs: list[Rung] = []
    for threshold in LADDER:
        covered = confidence >= threshold
        n = int(np.count_nonzero(covered))
        if n < least:
            continue
        errors = int(np.count_nonzero(is_wrong & covered))
        rungs.append(Rung(threshold, n, errors, upper_error_bound(errors, n, delta)))
        if rungs[-1].bound > risk:
            break
    return tuple(rungs)


def certify(
    confidence: Floats,
    is_wrong: NDArray[np.bool_],
    cluster: Codes,
    label: list[str],
    *,
    risk: float,
    delta: float,
    seed: int = SEED,
) -> Certificate:
    """The certificate of rows with a confidence (0..1), a usable verdict and a human label. `label`: the judge's, for the class mix."""
    chosen = draw_one_each(cluster, seed)
    rungs = climb(confidence[chosen], is_wrong[chosen], risk=risk, delta=delta)
    kept = [rung for rung in rungs if rung.bound <= risk]
    best = kept[-1] if kept else None
    threshold = best.threshold if best else None
    below = confidence < (threshold if threshold is not None else np.inf)
    mix = tuple(
        (name, sum(b for b, own in zip(below.tolist(), label, strict=True) if own == name), label.count(name))
        for name in sorted(set(label))
    )
    return Certificate(
        threshold,
        risk,
        delta,
        len(chosen),
        best.covered if best else 0,
        best.errors if best else 0,
        best.bound if best else None,
        float(1 - below.mean()) if len(below) else 0.0,
        mix,
        rungs,
        _say(best, rungs, len(chosen), risk, delta),
    )


def _say(best: Rung | None, rungs: tuple[Rung, ...], cases: int, risk: float, delta: float) -> str:
    if best:
        return f"at or above {best.threshold:.2f} at most {risk:.1%} of verdicts are wrong, with {1 - delta:.0%} assurance"
    if not rungs:
        needed = labels_without_error(risk, delta)
        return f"at least {needed} cases must be covered to certify {risk:.1%}, there are {cases}: abstain from everything"
    top = rungs[0]
    return f"already at the strictest threshold {top.threshold:.2f} the bound is {top.bound:.1%}, above {risk:.1%}: abstain from everything"
