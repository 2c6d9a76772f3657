"""Every formula against published vectors, against an independent library, and by properties."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, matthews_corrcoef, precision_recall_fscore_support
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from calibration.label_files.labels import LabelledItem
from calibration.measures.alternative_annotator import Contest, compare_with_annotators
from calibration.measures.performance import ClassRates, measure_reading
from calibration.measures.sample import build_sample, majority
from calibration.statistics import agreement
from calibration.statistics.estimate import finite
from tests.tables import entries

VECTORS = json.loads((Path(__file__).parent / "data" / "calibration_vectors.json").read_text())
TABLES = {name: VECTORS[name] for name in VECTORS if name.startswith("agreement_")}
FIGURES = entries("calibration_agreement", "figures")
near = pytest.approx


def close(value: float) -> object:
    return near(value, abs=1e-9)


def classes_of(table: list[list[int]]) -> tuple[ClassRates, ...]:
    """What a calibration says of each class, from a table of labels and verdicts."""
    cells = [(human, judge, n) for human, row in enumerate(table) for judge, count in enumerate(row) for n in range(count)]
    items = [LabelledItem(str(cell), str(cell), (("a", str(cell[0])),), (("judge", str(cell[1])),)) for cell in cells]
    return measure_reading(build_sample(items, [str(code) for code in range(len(table))]), "judge").classes


def alpha(ratings: list[list[float | None]], distance: agreement.Distance) -> float | None:
    """Alpha of raters (rows) over units (columns), None is missing."""
    values = sorted({value for row in ratings for value in row if value is not None})
    counts = np.array([[sum(row[unit] == value for row in ratings) for value in values] for unit in range(len(ratings[0]))], float)
    return finite(float(agreement.alpha_of(agreement.coincidences(counts).sum(0), distance)))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("figure", FIGURES)
def test_published_tables(name: str, figure: str) -> None:
    vector = TABLES[name]
    assert agreement.measure(figure, vector["table_rows_human_cols_judge"]) == close(vector[FIGURES[figure]])


@pytest.mark.parametrize("name", TABLES)
def test_per_class_figures_and_errors_of_kappa(name: str) -> None:
    vector = TABLES[name]
    for own in classes_of(vector["table_rows_human_cols_judge"]):
        wanted = vector["per_class"][own.label]
        assert own.recall.value == close(wanted["recall"])
        assert own.support == wanted["support"]
        if own.predicted:
            assert own.precision.value == close(wanted["precision"])
        assert own.f1 == close(wanted["f1"])


def test_precision_without_prediction_is_undefined_and_not_zero() -> None:
    never = classes_of([[118, 0], [2, 0]])[1]
    assert (never.precision.value, never.precision.reason) == (None, "never_given")
    assert never.recall.value == 0.0


@pytest.mark.parametrize("figure", sorted(set(agreement.STATISTICS) - {"accuracy"}))
def test_a_single_class_has_no_agreement_beyond_chance(figure: str) -> None:
    assert agreement.measure(figure, [[20, 0], [0, 0]]) is None
    assert agreement.measure("accuracy", [[20, 0], [0, 0]]) == 1.0


def test_one_sided_single_class_is_zero_kappa_and_undefined_mcc() -> None:
    assert agreement.measure("kappa", [[0, 0], [1, 19]]) == 0.0
    assert agreement.measure("mcc", [[0, 0], [1, 19]]) is None


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60)


@settings(max_examples=60, deadline=None)
@given(pairs)
def test_equal_to_scikit_learn(rows: list[tuple[int, int]]) -> None:
    human, judge = np.array(rows).T
    table = agreement.confusion(human, judge, 4)
    if agreement.is_single_class(table):
        return
    for figure, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        value = agreement.measure(figure, table)
        if value is not None:
            assert value == close(cohen_kappa_score(human, judge, labels=[0, 1, 2, 3], weights=weights))
    if (mcc := agreement.measure("mcc", table)) is not None:
        assert mcc == close(matthews_corrcoef(human, judge))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert agreement.measure("balanced_accuracy", table) == close(balanced_accuracy_score(human, judge))
    wanted = precision_recall_fscore_support(human, judge, labels=[0, 1, 2, 3], zero_division=0)
    for code, own in enumerate(classes_of(table.astype(int).tolist())):
        for ours, theirs in zip((own.precision.value, own.recall.value, own.f1), wanted, strict=False):
            assert ours is None or ours == close(theirs[code])


@settings(max_examples=60, deadline=None)
@given(pairs)
def test_properties(rows: list[tuple[int, int]]) -> None:
    human, judge = np.array(rows).T
    table = agreement.confusion(human, judge, 4)
    order = np.array([2, 0, 3, 1])
    for figure in ("accuracy", "kappa", "scott_pi", "gwet_ac1", "pabak", "mcc"):
        value = agreement.measure(figure, table)
        renamed = agreement.measure(figure, table[np.ix_(order, order)])
        turned = agreement.measure(figure, table.T)
        doubled = agreement.measure(figure, table * 2)
        if value is None:
            assert renamed is None and turned is None
            continue
        assert value <= 1 + 1e-12
        assert renamed == close(value), "names of classes do not matter"
        assert turned == close(value), "raters are interchangeable"
        assert doubled == close(value), "only shares count"
    perfect = np.diag(table.sum(1))
    if np.count_nonzero(table.sum(1)) > 1:
        assert agreement.measure("kappa", perfect) == close(1.0)


def test_kappa_equals_statsmodels() -> None:
    table = [[11, 3, 1, 0], [2, 9, 4, 1], [0, 3, 12, 4], [0, 1, 2, 17]]
    assert agreement.measure("kappa", np.array(table)) == close(cohens_kappa(np.array(table)).kappa)


@pytest.mark.parametrize("distance", ["nominal", "ordinal"])
def test_alpha_with_missing_labels(distance: agreement.Distance) -> None:
    vector = VECTORS["krippendorff_missing"]
    ratings = vector["rows_are_raters_null_is_missing"]
    assert alpha(ratings, distance) == close(vector[distance])


@pytest.mark.parametrize("distance", ["nominal", "ordinal"])
def test_alpha_equals_evalica(distance: agreement.Distance) -> None:
    import evalica
    import pandas as pd

    generator = np.random.default_rng(4)
    for _ in range(10):
        ratings = generator.integers(1, 5, size=(4, 15)).astype(float)
        ratings[generator.random(ratings.shape) < 0.25] = np.nan
        ours = alpha([[None if np.isnan(value) else float(value) for value in row] for row in ratings], distance)
        assert ours == close(evalica.alpha(pd.DataFrame(ratings), distance=distance).alpha)


def test_fleiss() -> None:
    vector = VECTORS["fleiss_kappa"]
    counts = np.array(vector["items_by_category_counts"])
    assert agreement.fleiss_kappa(counts) == close(vector["kappa"]) == close(statsmodels_fleiss(counts))
    with pytest.raises(ValueError, match="alpha where labels are missing"):
        agreement.fleiss_kappa([[2, 0], [1, 2]])


def test_alpha_is_undefined_without_variation_or_overlap() -> None:
    assert alpha([[1, 1], [1, 1]], "nominal") is None
    assert alpha([[1, None], [None, 2]], "nominal") is None
    assert agreement.fleiss_kappa([[3, 0], [3, 0]]) is None


def test_majority_leaves_level_votes_out() -> None:
    humans = np.array([[0, 0, 1, -1], [0, 1, 1, -1], [1, -1, 1, -1]])
    assert majority(humans, 2).tolist() == [0, -1, 1, -1]


def contest(humans: list[list[int]], **more: object) -> Contest:
    codes = np.array(humans)
    names = tuple(f"p{row}" for row in range(len(codes)))
    return Contest(names, codes, np.arange(codes.shape[1]), 0.1, **more)  # type: ignore[arg-type]


def test_the_annotator_test_by_distance_for_ordered_labels() -> None:
    """Minus RMSE: a label one step off is nearer than one three steps off, where exact match calls both equally wrong."""
    values = np.array([1.0, 2.0, 3.0, 4.0])
    first = contest([[0] * 40, [0] * 40, [3] * 40], values=values)
    assert first.score(np.zeros(40, int), np.array([[0] * 40, [3] * 40])) == pytest.approx(np.full(40, -np.sqrt(4.5)))
    near = compare_with_annotators(first, np.full(40, 1), ("1", "2", "3", "4"))
    exact = compare_with_annotators(contest([[0] * 40, [0] * 40, [3] * 40]), np.full(40, 1), ("1", "2", "3", "4"))
    assert near.score == "RMSE" and exact.score == "exact match"
    advantage = {duel.annotator: duel.advantage for duel in near.duels}
    assert advantage["p2"] == 1.0, "one step from the others, where p2 is three steps from them"
    assert {duel.annotator: duel.advantage for duel in exact.duels}["p2"] == 1.0 and near.rho is not None and exact.rho is not None
    assert near.rho >= exact.rho


def test_the_single_expert_variant_holds_all_against_the_expert() -> None:
    generator = np.random.default_rng(2)
    expert = generator.integers(0, 2, 200)
    sloppy = np.where(generator.random(200) < 0.25, 1 - expert, expert)
    judge = np.where(generator.random(200) < 0.03, 1 - expert, expert)
    found = compare_with_annotators(contest([expert.tolist(), sloppy.tolist()], expert=0), judge, ("no", "yes"))
    assert found.expert == "p0" and [duel.annotator for duel in found.duels] == ["p1"]
    assert found.is_passed and found.omega == 1.0
    turned = compare_with_annotators(contest([expert.tolist(), sloppy.tolist()], expert=0), 1 - judge, ("no", "yes"))
    assert not turned.is_passed and turned.omega == 0.0
