import math

import numpy as np
import pytest
from scipy import stats

from judge.results.intervals import ScoreSums, student_t_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 9, 30, 500, 99_999])
@pytest.mark.parametrize("p", [0.75, 0.95, 0.975, 0.999])
def test_quantile_agrees_with_scipy(degrees: int, p: float) -> None:
    assert student_t_quantile(p, degrees) == pytest.approx(stats.t.ppf(p, degrees), rel=1e-7)


def sums(scores: list[float], weights: list[float] | None = None) -> ScoreSums:
    found = ScoreSums()
    for n, score in enumerate(scores):
        found.add((score, score), weights[n] if weights else 1)  # type: ignore[arg-type]
    return found


def test_equal_weights_give_the_textbook_interval() -> None:
    scores = [0.9, 0.7, 0.8, 1.0, 0.6, 0.85]
    low, high = stats.t.interval(0.95, len(scores) - 1, np.mean(scores), stats.sem(scores))
    assert sums(scores).interval(0.95) == pytest.approx((low, high))


def test_weights_count_and_scaling_them_does_not() -> None:
    scores, weights = [0.9, 0.5, 0.7], [3.0, 1.0, 2.0]
    mean = np.average(scores, weights=weights)
    error = math.sqrt(3 / 2 * sum(w * w * (x - mean) ** 2 for w, x in zip(weights, scores, strict=True))) / 6
    reach = stats.t.ppf(0.975, 2) * error
    found = sums(scores, weights).interval(0.95)
    assert found == pytest.approx((max(0, mean - reach), min(1, mean + reach)))
    assert sums(scores, [10 * w for w in weights]).interval(0.95) == pytest.approx(found)


def test_open_cases_widen_it_and_below_two_cases_there_is_none() -> None:
    found = sums([0.9, 0.8])
    closed = found.interval(0.95)
    found.add((0, 1), 1)
    widened = found.interval(0.95)
    assert closed and widened and widened[0] <= closed[0] and widened[1] >= closed[1]
    assert sums([0.5]).interval(0.95) is None and sums([0.5, 0.7], [1, 0]).interval(0.95) is None
