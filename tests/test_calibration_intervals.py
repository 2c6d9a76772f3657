"""Intervals, corrections, selection, confidence and planning: published vectors, independent libraries, properties."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from calibration.measures import confidence, selective
from calibration.statistics import clusters, correction, estimate, intervals, needed, paired, pool
from calibration.statistics.estimate import Estimate

VECTORS = json.loads((Path(__file__).parent / "data" / "calibration_vectors.json").read_text())


def rate(value: float, size: float, clusters: int) -> Estimate:
    return Estimate(value, n=round(size), clusters=clusters, effective_n=size)


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", VECTORS["proportion_intervals_95"])
def test_proportion_intervals(name: str) -> None:
    hits, n = map(int, name.split("/"))
    wanted = VECTORS["proportion_intervals_95"][name]
    assert estimate.wilson(hits, n) == close(tuple(wanted["wilson"]))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_proportion_intervals_equal_statsmodels(pair: tuple[int, int], level: float) -> None:
    hits, n = pair
    for ours, method in ((estimate.wilson(hits, n, level), "wilson"),):
        theirs = proportion_confint(hits, n, alpha=1 - level, method=method)
        assert ours == close(tuple(theirs))
        assert 0 <= ours[0] <= hits / n <= ours[1] <= 1
        assert ours[0] < ours[1], "never of zero width"


def test_one_sided_bounds() -> None:
    for name, wanted in VECTORS["one_sided_upper_bound_errors"].items():
        k, n, delta = (float(part.split("=")[1]) for part in name.split(","))
        assert intervals.upper_error_bound(int(k), int(n), delta) == close(wanted)
    assert intervals.upper_error_bound(5, 5, 0.05) == 1.0


def cluster_vector() -> tuple[np.ndarray, np.ndarray]:
    cases = VECTORS["cluster_mean"]["cases"].values()
    return np.array([float(sum(case)) for case in cases]), np.array([float(len(case)) for case in cases])


def test_clustered_mean() -> None:
    vector = VECTORS["cluster_mean"]
    sums, sizes = cluster_vector()
    found = intervals.clustered_mean(sums, sizes)
    assert found.value == close(vector["mean"])
    assert math.sqrt(intervals.clustered_variance(sums, sizes, corrected=False)) == close(vector["se_cluster_CR0"])
    assert math.sqrt(intervals.clustered_variance(sums, sizes)) == close(vector["se_cluster_CR1"])
    assert (found.n, found.clusters) == (13, 5)


def test_clustered_proportion_with_single_rows_is_wilson_with_t() -> None:
    hits = np.array([1.0] * 18 + [0.0] * 2)
    found = intervals.clustered_proportion(hits, np.ones(20))
    wanted = estimate.wilson(18, 20, quantile=2.093024054408263)
    assert (found.low, found.high) == close(wanted)


def test_perfect_rows_of_few_cases_are_worth_no_more_than_the_cases() -> None:
    found = intervals.clustered_proportion(np.full(10, 9.0), np.full(10, 9.0))
    assert found.value == 1.0 and found.high == 1.0 and found.low is not None and found.low < 0.72
    assert intervals.clustered_proportion([], []).reason == "no_items"
    assert intervals.clustered_proportion([3], [4]).reason == "one_cluster"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30))
def test_clustered_proportion_properties(rows: list[tuple[int, int]]) -> None:
    hits = np.array([float(min(a, b)) for a, b in rows])
    sizes = np.array([float(max(a, b)) for a, b in rows])
    found = intervals.clustered_proportion(hits, sizes)
    if found.value is None or found.low is None or found.high is None:
        assert found.reason in ("no_items", "one_cluster")
        return
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high > found.low
    assert found.effective_n is not None and found.effective_n <= found.n + 1e-9
    mirrored = intervals.clustered_proportion(sizes - hits, sizes)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)


def test_mcnemar_and_multiplicity() -> None:
    for name, wanted in VECTORS["mcnemar_exact"].items():
        lost, gained = (int(part.split("=")[1]) for part in name.split(","))
        assert paired.mcnemar(lost, gained) == close(wanted)
        assert paired.mcnemar(lost, gained) == close(statsmodels_mcnemar([[5, lost], [gained, 5]], exact=True).pvalue)
    assert paired.mcnemar(0, 0) == 1.0
    vector = VECTORS["benjamini_yekutieli_q05"]
    assert paired.benjamini_yekutieli(vector["p"]) == close(tuple(vector["adjusted"]))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_values_equal_statsmodels(p_values: list[float]) -> None:
    assert paired.holm(p_values) == close(tuple(multipletests(p_values, method="holm")[1]))
    assert paired.benjamini_yekutieli(p_values) == close(tuple(multipletests(p_values, method="fdr_by")[1]))


@pytest.mark.parametrize("vector", VECTORS["rogan_gladen"])
def test_rogan_gladen(vector: dict[str, float]) -> None:
    rates = (rate(vector["p"], vector["n"], 9), rate(vector["specificity"], vector["m0"], 9), rate(vector["sensitivity"], vector["m1"], 9))
    for level, key in ((0.95, "ci95"), (0.9, "ci90")):
        found = correction.corrected_rate(*rates, level=level, is_t=False)
        assert found.value == close(vector["theta"])
        assert (found.low, found.high) == close(tuple(vector[key]))


def test_rogan_gladen_refuses_a_weak_judge() -> None:
    rates = rate(0.4, 100, 100), rate(0.55, 40, 40), rate(0.5, 40, 40)
    assert correction.corrected_rate(*rates, bounds_sum=0.9).reason == "judge_too_weak"
    assert correction.corrected_rate(rate(0.4, 100, 9), rate(0.4, 40, 9), rate(0.5, 40, 9)).reason == "judge_too_weak"


def test_allocation() -> None:
    for vector in VECTORS["calibration_allocation"]:
        found = correction.allocate_labels(vector["m"], vector["p"], vector["q0_pilot"], vector["q1_pilot"], vector["m_pilot"])
        assert list(found) == vector["m0_m1"]


def one_row_each(values: Sequence[float]) -> clusters.Cases:
    return clusters.Cases(np.asarray(values, float), np.ones(len(values)))


def test_prediction_powered_inference() -> None:
    vector = VECTORS["ppi_mean"]
    rest = [1.0] * 160 + [0.0] * 40
    for is_tuned, name in ((False, "ppi_lam1"), (True, "ppi_plusplus")):
        parts = (one_row_each(values) for values in (vector["Y"], vector["Yhat"], rest))
        found = correction.prediction_powered(*parts, is_tuned=is_tuned, is_t=False)
        assert found.value == close(vector[f"{name}_point"])
        assert (found.low, found.high) == close(tuple(vector[f"{name}_ci95"]))


def test_prediction_powered_inference_without_judge_variation_is_labels_only() -> None:
    found = correction.prediction_powered(*(one_row_each(values) for values in ([1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1])))
    assert found.value == close(0.75)
    assert found.low == 0.0, "four labels alone reach from below 0 to above 1"
    assert found.high == close(1.0), "a share is cut at 1"


def test_confidence_figures() -> None:
    vector = VECTORS["confidence_calibration"]
    sure, right = vector["conf"], vector["correct"]
    assert confidence.calibration_error(sure, right) == close(vector["ece_10_equal_width_bins_lo_open_hi_closed"])
    assert confidence.largest_calibration_error(sure, right) == close(vector["mce"])
    rows = np.arange(len(right))
    assert confidence.clustered_brier(np.array(sure), np.array(right), rows, len(rows)).value == close(vector["brier"])
    assert confidence.log_loss(sure, right) == close(vector["log_loss"])
    assert confidence.auroc(sure, right) == close(vector["auroc_of_confidence"])
    assert confidence.log_loss([1.0, 1.0], [1, 0]) is None
    assert confidence.auroc([0.4, 0.6], [1, 1]) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 19), st.booleans()), min_size=2, max_size=60))
def test_confidence_equals_scikit_learn(rows: list[tuple[int, bool]]) -> None:
    sure, right = np.array([a / 20 for a, _ in rows]), np.array([float(b) for _, b in rows])
    assert confidence.clustered_brier(sure, right, np.arange(len(right)), len(right)).value == close(brier_score_loss(right, sure))
    assert confidence.log_loss(sure, right) == close(sklearn_log_loss(right, sure, labels=[0, 1]))
    if 0 < right.sum() < len(right):
        assert confidence.auroc(sure, right) == close(roc_auc_score(right, sure))
        own = confidence.clustered_auroc(sure, right, np.arange(len(right)), len(right))
        assert own.value == close(roc_auc_score(right, sure))
    for edges in (confidence.equal_width_edges(), confidence.equal_mass_edges(sure)):
        share, gap = confidence.bin_errors(sure, right, edges)
        assert share.sum() == close(1.0) and np.all(gap <= 1)
    curve = confidence.risk_coverage(sure, right)
    assert curve[-1] == (1.0, close(1 - right.mean()))


def test_a_constant_confidence_has_no_error_and_no_use() -> None:
    right = [1.0] * 7 + [0.0] * 3
    assert confidence.calibration_error([0.7] * 10, right) == close(0.0)
    assert confidence.auroc([0.7] * 10, right) == 0.5


def test_selection_never_gives_out_a_threshold_that_its_bound_rejects() -> None:
    generator = np.random.default_rng(3)
    n = 300
    sure = generator.random(n)
    wrong = generator.random(n) < 0.4
    found = selective.certify(sure, wrong, np.arange(n), ["a"] * n, risk=0.05, delta=0.05)
    assert found.threshold is None and found.coverage == 0.0
    assert "abstain from everything" in found.reason


def test_selection_certifies_where_the_sure_are_right() -> None:
    sure = np.array([0.95] * 100 + [0.6] * 100)
    wrong = np.array([False] * 100 + [True, False] * 50)
    found = selective.certify(sure, wrong, np.arange(200), ["a"] * 200, risk=0.05, delta=0.05)
    assert found.threshold == 0.95 and found.coverage == 0.5, "never below the lowest confidence seen"
    assert found.bound is not None and found.bound <= 0.05
    assert found.abstained == (("a", 100, 200),)
    few = selective.certify(sure[:50], wrong[:50], np.arange(50), ["a"] * 50, risk=0.05, delta=0.05)
    assert few.threshold is None and "at least 59 cases" in few.reason


def test_selection_counts_cases_and_not_rows() -> None:
    cluster = np.repeat(np.arange(30), 10)
    found = selective.certify(np.full(300, 0.9), np.zeros(300, bool), cluster, ["a"] * 300, risk=0.05, delta=0.05)
    assert found.cases == 30 and found.threshold is None


def test_planning() -> None:
    vector = VECTORS["sample_size"]
    assert needed.detectable_change(200) == close(vector["mde_proportion_n200_p0.5_power0.8"])
    assert needed.labels_without_error(0.05) == vector["n_zero_errors_95pct_to_exclude_5pct"]
    assert needed.detectable_change(0) is None


def lognormal_cases(generator: np.random.Generator, cases: int, sigma: float) -> np.ndarray:
    return np.maximum(1, np.rint(np.exp(generator.normal(np.log(5) - sigma**2 / 2, sigma, cases)))).astype(int)


def test_degrees_of_freedom_follow_the_sizes_of_the_cases() -> None:
    assert intervals.degrees_of_freedom(np.full(12, 7.0)) == close(11)
    assert intervals.degrees_of_freedom(np.array([99.0, 1.0])) == intervals.LEAST_DEGREES, "one case holds nearly all"
    assert intervals.degrees_of_freedom(np.array([4.0, 2.0, 2.0])) == close(64 / 24 - 1)


@pytest.mark.parametrize(("sigma", "cases"), [(1.0, 20), (1.5, 60)])
def test_shares_are_covered_where_cases_are_of_unequal_size(sigma: float, cases: int) -> None:
    generator = np.random.default_rng(5)
    covered = trusted = 0
    for _ in range(300):
        sizes = lognormal_cases(generator, cases, sigma)
        hits = generator.binomial(sizes, generator.beta(0.8 * 7 / 3, 0.2 * 7 / 3, cases))  # intra-class correlation 0.3
        found = intervals.clustered_proportion(hits, sizes)
        covered += bool((found.low or 0) <= 0.8 <= (found.high or 1))
        trusted += bool((found.low or 0) >= 0.8)
    assert covered >= 279 and trusted <= 10, "at least 93 %, and at most 3.5 % above a bar that the rate just meets"


def test_weights_of_any_spread_have_an_interval() -> None:
    found = intervals.clustered_proportion([1e9, 0.0], [1e9, 1e-9], weighting=intervals.Weighting(np.array([1e18, 1e-18]), 1e9, 2))
    assert found.value == 1.0 and found.low is not None and found.low < 0.1, "one heavy row shows next to nothing"


def test_a_flat_brier_score_has_an_interval() -> None:
    found = confidence.clustered_brier(np.full(40, 0.9), np.ones(40), np.arange(40), 40)
    assert found.value == close(0.01) and found.low is not None and found.high is not None and found.high - found.low > 0.05


def test_prediction_powered_inference_is_of_rows_and_not_of_case_means() -> None:
    sums, sizes = np.array([8.0, 0.0, 1.0]), np.array([8.0, 1.0, 1.0])
    human, judge = clusters.Cases(sums, sizes), clusters.Cases(np.array([8.0, 0.0, 0.0]), sizes)
    pool = clusters.Cases(np.array([1.0, 0.0]), np.array([2.0, 2.0]))
    labelled_only = correction.prediction_powered(
        human, clusters.Cases(np.full(3, 1.0) * sizes, sizes), clusters.Cases(np.ones(2), np.ones(2))
    )
    assert labelled_only.value == close(0.9), "9 of 10 rows, whatever their case"
    plain = correction.prediction_powered(human, judge, pool, is_tuned=False)
    assert plain.value == close(0.25 + (9 - 8) / 10)


def test_selection_holds_where_large_cases_are_harder() -> None:
    """38 rows with 6.8 % errors were certified at 5 % while one row a case was counted."""
    generator, certified, violated = np.random.default_rng(3), 0, 0
    for _ in range(60):
        sizes = lognormal_cases(generator, 150, 1.0)
        cluster = np.repeat(np.arange(150), sizes)
        wrong = generator.random(len(cluster)) < np.clip(0.02 * sizes / 5, 0, 0.5)[cluster]
        found = selective.certify(np.full(len(cluster), 0.9), wrong, cluster, ["a"] * len(cluster), risk=0.05, delta=0.1)
        truth = 0.02 * np.exp(1.0)  # the error rate of a row: sizes weigh by their squares
        certified += found.threshold is not None
        violated += found.threshold is not None and truth > 0.05
    assert violated <= 9, f"{violated} of 60 certified a risk of {truth:.3f} at 0.05"


def test_a_constant_confidence_certifies_nothing_below_itself() -> None:
    found = selective.certify(np.full(200, 0.98), np.zeros(200, bool), np.arange(200), ["a"] * 200, risk=0.05, delta=0.05)
    assert found.threshold == 0.98
    untrusted = selective.certify(
        np.full(200, 0.98), np.zeros(200, bool), np.arange(200), ["a"] * 200, risk=0.05, delta=0.05, is_trusted=False
    )
    assert untrusted.threshold is None and "not trusted" in untrusted.reason


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=2, max_size=30))
def test_planning_asks_the_interval_of_the_gate(rows: list[tuple[int, int]]) -> None:
    hits, sizes = (np.array(values, float) for values in zip(*((min(a, b), b) for a, b in rows), strict=True))
    low, high = needed.ends(hits, sizes)
    found = intervals.clustered_proportion(hits, sizes)
    assert (found.low, found.high) == (pytest.approx(max(0.0, float(low)), abs=1e-9), pytest.approx(min(1.0, float(high)), abs=1e-9))


@pytest.mark.parametrize(("rate", "alike"), [(0.97, 0.0), (0.92, 0.0), (0.95, 0.3)])
def test_the_promised_number_of_labels_suffices(rate: float, alike: float) -> None:
    world = needed.World(rate, np.ones(1) if alike == 0 else np.array([1.0, 3.0, 5.0]), alike)
    found = needed.needed_for_bar(needed.NOTHING, 0.8, world)
    assert found is not None
    hits, sizes = needed.draw(world, found.cases, 500, np.random.default_rng(77))
    assert np.mean(needed.ends(hits, sizes)[0] >= 0.8) >= 0.9
    assert needed.needed_for_bar(needed.NOTHING, 0.8, needed.World(0.8, np.ones(1), 0.0)) is None


@pytest.mark.parametrize("count", [2, 3, 10, 40, 400])
@pytest.mark.parametrize("is_right", [True, False])
def test_a_pool_of_one_verdict_shows_no_rate_for_certain(count: int, is_right: bool) -> None:
    drawn = pool.Pool({"yes": (1,) * count}, (count,), {"yes": count}, {}, 0.95, ("yes",))
    right = np.full(count, float(is_right))
    found = pool.rate_in(drawn, pool.Rows(np.zeros(count, int), np.arange(count), right, 1 - right, count), 0.95, own=np.array([is_right]))
    wilson = intervals.clustered_proportion(right, np.ones(count))
    assert found.low is not None and found.high is not None and wilson.low is not None and wilson.high is not None
    assert found.high - found.low > 0.5 * (wilson.high - wilson.low) and found.value == float(is_right)


def test_auroc_of_few_unequal_cases_is_an_interval_and_no_overflow() -> None:
    cluster = np.array([0] * 60 + [1, 2])
    right = np.array([1.0, 0.0] * 31)
    found = confidence.clustered_auroc(np.linspace(0.1, 0.9, 62), right, cluster, 3)
    assert found.low is not None and found.high is not None and 0 <= found.low < 0.2 and 0.8 < found.high <= 1
