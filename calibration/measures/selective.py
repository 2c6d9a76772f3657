"""Selective judging: let the judge decide only where it is sure enough, with a guarantee (calibration.md 3.7).
Source: Trust or Escalate, with its two leaks closed: a threshold that its own bound rejects is never given out, and the ladder of
thresholds is fixed beforehand. The guarantee is of verdicts, not of cases: all rows enter, the exact bound is taken at the number of
independent rows that they are worth by case (Korn and Graubard), so that large hard cases count for what they hold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import Codes, sum_by_cluster
from calibration.statistics.distributions import t_quantile
from calibration.statistics.intervals import Weighting, degrees_of_freedom, effective_sizes, upper_error_bound
from calibration.statistics.needed import labels_without_error

Floats = NDArray[np.float64]
LADDER = tuple(step / 100 for step in range(100, -1, -1))  # thresholds from the strictest down


@dataclass(frozen=True, slots=True)
class Rung:
    """One threshold: verdicts at or above it, the cases they are of, errors among them, exact upper bound of the error rate."""

    threshold: float
    covered: int
    cases: int
    errors: int
    bound: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """The loosest threshold whose error is certified, or None: abstain from everything. With probability 1 - delta the error rate of the
    verdicts at or above `threshold` is at most `risk`, for cases like these. The threshold is never below the lowest confidence that was
    seen. cases: all of them; covered, errors: verdicts at or above the threshold, in covered_cases. coverage: share of all verdicts at or
    above it, 0..1. abstained: (label, rows below it, rows) by the judge's label, the class mix."""

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
    covered_cases: int = 0


def bound_by_case(is_wrong: NDArray[np.bool_], cluster: Codes, weights: Floats, delta: float) -> float:
    """The upper bound of the error rate over rows at level 1 - delta: Clopper and Pearson's at the effective number of rows. That number
    shrinks with the square of the t quantiles where few cases hold most rows (Korn and Graubard 1998)."""
    columns = np.stack([weights * is_wrong, weights, weights**2], axis=1).astype(float)
    errors, sizes, squares = sum_by_cluster(columns, cluster, int(cluster.max()) + 1).T
    held = sizes > 0
    errors, sizes, squares = errors[held], sizes[held], squares[held]
    is_weighted = bool(np.any(weights != weights[0]))
    rows = float(effective_sizes(errors, sizes, Weighting(squares, float(weights.max()), len(weights)) if is_weighted else None))
    if len(sizes) < 2 or rows <= 1:
        return 1.0
    level, degrees = 1 - 2 * delta, degrees_of_freedom(sizes)
    rows *= min(1.0, t_quantile(level, rows - 1) / t_quantile(level, degrees)) ** 2
    wrong = min(1.0, float(errors.sum() / sizes.sum())) * rows
    return upper_error_bound(wrong, rows, delta)


def equal_cases(cluster: Codes) -> float:
    """How many cases of one size these are worth: (sum n)^2 / sum n^2."""
    sizes = np.bincount(cluster).astype(float)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(cluster) else 0.0


def climb(
    confidence: Floats, is_wrong: NDArray[np.bool_], cluster: Codes, weights: Floats, *, risk: float, delta: float
) -> tuple[Rung, ...]:
    """The rungs of the ladder from the strictest on which a pass is possible, down to the first that fails (it is the last one given).
    Possible: it covers as many cases as pass without any error (59 for 5 % at 95 %). That depends on risk, delta and what is covered alone,
    so it is fixed beforehand as the walk demands; starting with fewer would end every walk at its first step."""
    least = labels_without_error(risk, delta)
    rungs: list[Rung] = []
    for threshold in LADDER:
        covered = confidence >= threshold
        if equal_cases(cluster[covered]) < least:
            continue
        bound = bound_by_case(is_wrong[covered], cluster[covered], weights[covered], delta)
        seen = float(confidence[covered].min())
        if rungs and seen == rungs[-1].threshold:
            continue
        errors, cases = int(np.count_nonzero(is_wrong & covered)), len(np.unique(cluster[covered]))
        rungs.append(Rung(seen, int(np.count_nonzero(covered)), cases, errors, bound))
        if bound > risk:
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
    weights: Floats | None = None,
    is_trusted: bool = True,
) -> Certificate:
    """The certificate of rows with a confidence (0..1) and a usable verdict; a row without a majority of people counts as wrong. label: the
    judge's, for the class mix. is_trusted: without trust in the judge there is no threshold."""
    weights = np.ones(len(confidence)) if weights is None else weights
    rungs = climb(confidence, is_wrong, cluster, weights, risk=risk, delta=delta) if is_trusted else ()
    best = next((rung for rung in reversed(rungs) if rung.bound <= risk), None)
    below = confidence < (best.threshold if best else np.inf)
    of_label = {name: np.array(label) == name for name in sorted(set(label))}
    return Certificate(
        best.threshold if best else None,
        risk,
        delta,
        len(np.unique(cluster)),
        best.covered if best else 0,
        best.errors if best else 0,
        best.bound if best else None,
        float(1 - below.mean()) if len(below) else 0.0,
        tuple((name, int(np.count_nonzero(below & own)), int(own.sum())) for name, own in of_label.items()),
        rungs,
        _say(best, rungs, equal_cases(cluster), risk, delta) if is_trusted else "the judge is not trusted: no threshold is certified",
        best.cases if best else 0,
    )


def _say(best: Rung | None, rungs: tuple[Rung, ...], cases: float, risk: float, delta: float) -> str:
    if best:
        return f"at or above {best.threshold:.4g} at most {risk:.1%} of verdicts are wrong, with {1 - delta:.0%} assurance"
    least = labels_without_error(risk, delta)
    why = f"at least {least} cases of one size must be covered to certify {risk:.1%}, these are worth {cases:.0f}"
    if rungs:
        why = f"already at the strictest threshold {rungs[0].threshold:.4g} the bound is {rungs[0].bound:.1%}, above {risk:.1%}"
    return f"{why}: abstain from everything"
