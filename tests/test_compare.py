"""Comparing two runs: paired differences, flips, and the three answers of the baseline gate."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from result_folder_samples import verdict, write_results
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

from judge.report.wording import change_text
from judge.results.comparison import Comparison, compare_runs
from judge.results.intervals import Pair, cases_needed, paired_difference
from judge.results.reading import read_results
from tests.tables import table

MARGIN, SIGNIFICANCE = 0.02, 0.05


def pairs_of(before: list[float], after: list[float]) -> list[Pair]:
    return [Pair((a, a), (b, b)) for a, b in zip(before, after, strict=True)]


def difference(before: list[float], after: list[float]) -> Any:
    return paired_difference(pairs_of(before, after), margin=MARGIN, significance=SIGNIFICANCE)


def compare(tmp_path: Path, before: list[dict[str, Any]], after: list[dict[str, Any]], **runs: Any) -> Comparison:
    a = read_results(write_results(tmp_path / "a", before, run=runs.get("run_a")))
    b = read_results(write_results(tmp_path / "b", after, run=runs.get("run_b")))
    return compare_runs(a, b, margin=MARGIN, significance=SIGNIFICANCE)


def case(n: int, outcome: str, score: float) -> dict[str, Any]:
    return verdict(f"case-{n:03}", "fields.margin", outcome, score=score)


def test_equal_runs_have_no_regression_whatever_their_number(tmp_path: Path) -> None:
    lines = [case(0, "correct", 1.0)]
    found = compare(tmp_path, lines, lines)
    assert (found.decision, found.exit_code, found.flips) == ("no_regression", 0, [])


def test_a_loss_in_every_case_is_a_regression(tmp_path: Path) -> None:
    before = [case(n, "correct", 1.0) for n in range(12)]
    after = [case(n, "fail", 0.0) if n < 10 else case(n, "correct", 1.0) for n in range(12)]
    found = compare(tmp_path, before, after)
    assert (found.decision, found.exit_code) == ("regression", 1)
    assert (found.lost, found.gained) == (10, 0) and found.p == pytest.approx(2 / 2**10)


def test_one_flip_in_a_few_cases_cannot_tell_and_says_how_many_would(tmp_path: Path) -> None:
    before = [case(n, "correct", 1.0) for n in range(20)]
    found = compare(tmp_path, before, [case(0, "fail", 0.0), *before[1:]])
    needed = found.capabilities["loan_onboarding"].needed
    assert found.exit_code == 4 and needed is not None and needed > 20 and str(needed) in found.why


def test_a_small_loss_among_many_cases_is_none(tmp_path: Path) -> None:
    before = [1.0] * 2000
    assert difference(before, [0.9] * 20 + [1.0] * 1980).decision == "no_regression"


def test_open_items_leave_the_answer_open(tmp_path: Path) -> None:
    before = [case(n, "correct", 1.0) for n in range(10)]
    after = [verdict(f"case-{n:03}", "fields.margin", "undecided", score=None, bounds=[0, 1]) for n in range(10)]
    found = compare(tmp_path, before, after)
    assert found.exit_code == 4 and "undecided" in found.why and found.lost == 0


def test_items_open_in_both_runs_over_the_same_output_drop_out(tmp_path: Path) -> None:
    waiting = [verdict(f"case-{n:03}", "fields.tenor", "undecided", score=None, bounds=[0, 1]) for n in range(10)]
    before = [line for n, w in enumerate(waiting) for line in (case(n, "correct", 1.0), w)]
    assert compare(tmp_path / "same", before, before).decision == "no_regression"
    after = [{**line, "reported": "another"} if line["outcome"] == "undecided" else line for line in before]
    assert compare(tmp_path / "other", before, after).decision == "cannot_tell"
    worse = [line for n, w in enumerate(waiting) for line in (case(n, "fail", 0.0), w)]
    found = compare(tmp_path / "worse", before, worse)
    assert found.decision == "regression" and found.capabilities["loan_onboarding"].change == (-0.5, -0.5)


def test_mcnemar_vectors() -> None:
    from calibration.statistics.paired import mcnemar

    for b, c, p in ((9, 2, 0.0654296875), (15, 4, 0.0192108154296875), (0, 6, 0.03125)):
        assert mcnemar(b, c) == pytest.approx(p) == reference_mcnemar([[0, b], [c, 0]], exact=True).pvalue


def test_the_interval_is_students_over_cases() -> None:
    found = difference([1.0, 1.0, 0.5, 0.8], [0.9, 1.0, 0.4, 0.9])
    assert found.change[0] == pytest.approx(-0.025)
    assert found.interval == pytest.approx((-0.177348, 0.127348), abs=1e-6)  # -0.025 -/+ 3.182446 * 0.0957427 / 2


def test_weights_count() -> None:
    pairs = [Pair((1.0, 1.0), (0.0, 0.0), 3.0), Pair((0.0, 0.0), (1.0, 1.0), 1.0)]
    assert paired_difference(pairs, margin=MARGIN, significance=SIGNIFICANCE).change[0] == pytest.approx(-0.5)


def test_what_got_worse_without_being_right_before_is_counted_with_new_hallucinations(tmp_path: Path) -> None:
    pairs = [
        ("partial", "hallucination"),
        ("partial", "fail"),
        ("fail", "hallucination"),
        ("correct", "hallucination"),
        ("fail", "partial"),
    ]
    scores = {"correct": 1.0, "partial": 0.5, "fail": 0.0, "hallucination": 0.0}
    sides = [[case(n, pair[side], scores[pair[side]]) for n, pair in enumerate(pairs)] for side in (0, 1)]
    found = compare(tmp_path, *sides)
    assert [flip.kind for flip in found.flips] == ["worse", "worse", "worse", "lost", "better"]
    assert found.items_text == "1 lost, 3 worse, 0 gained, 1 better; 3 new hallucinations"


def test_a_rubric_that_one_run_alone_asked_is_no_other_judge(tmp_path: Path) -> None:
    lines, asked = [case(0, "correct", 1.0)], {"quote_support": {"hash": "a"}}
    runs = [
        {"judge": {"models": [{"model": "m", "endpoint": end}], "rubrics": given}}
        for end, given in (("x", asked), ("x", {**asked, "place": {}}))
    ]
    assert compare(tmp_path, lines, lines, run_a=runs[0], run_b=runs[1]).changed_inputs == ()
    runs[1]["judge"] |= {"models": [{"model": "m", "endpoint": "y"}], "rubrics": {"quote_support": {"hash": "b"}}}
    assert compare(tmp_path, lines, lines, run_a=runs[0], run_b=runs[1]).changed_inputs == ("judge: endpoint, rubrics differ",)


def test_changed_inputs_are_named(tmp_path: Path) -> None:
    lines = [case(0, "correct", 1.0)]
    found = compare(tmp_path, lines, lines, run_a={"judge": {"model": "m1"}}, run_b={"judge": {"model": "m2"}})
    assert any(said.startswith("judge:") and "model" in said for said in found.changed_inputs)


def test_other_accepted_deviations_are_named(tmp_path: Path) -> None:
    accepted = case(0, "fail", 0.0) | {"exception": {"who": "M. Tan", "why": "a notice", "expires": "2030-01-01"}}
    assert compare(tmp_path, [case(0, "fail", 0.0)], [accepted]).changed_inputs == ("accepted deviations: 0 and 1",)


def test_cases_of_one_run_only_are_told(tmp_path: Path) -> None:
    found = compare(tmp_path, [case(0, "correct", 1.0), case(1, "correct", 1.0)], [case(1, "correct", 1.0), case(2, "correct", 1.0)])
    assert (found.only_before, found.only_after, found.paired_cases) == (("case-000",), ("case-002",), 1)


def test_a_field_has_the_figure_of_its_gate(tmp_path: Path) -> None:
    before = [case(0, "correct", 1.0), case(1, "fail", 0.0), case(2, "correct", 1.0) | {"counts_for_field": "no"}]
    after = [case(0, "correct", 1.0), case(1, "partial", 0.5), case(2, "fail", 0.0) | {"counts_for_field": "no"}]
    field = compare(tmp_path, before, after).fields["loan_onboarding", "margin"]
    assert (field.cases, field.before, field.after) == (2, (0.5, 0.5), (0.75, 0.75))  # the third counts for its case alone


@pytest.mark.parametrize(("change", "text"), table("compare", "a_difference_is_cut_as_every_figure_is", tuples=True))
def test_a_difference_is_cut_as_every_figure_is(change: tuple[float, float] | None, text: str) -> None:
    assert change_text(change) == text


def test_runs_that_share_no_case_cannot_tell(tmp_path: Path) -> None:
    assert compare(tmp_path, [case(0, "correct", 1.0)], [case(1, "correct", 1.0)]).exit_code == 4


scores = st.lists(st.sampled_from([0.0, 0.5, 0.9, 1.0]), min_size=2, max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_swapping_the_runs_mirrors_the_difference(data: st.DataObject) -> None:
    before = data.draw(scores)
    after = data.draw(st.lists(st.sampled_from([0.0, 0.5, 0.9, 1.0]), min_size=len(before), max_size=len(before)))
    there, back = difference(before, after), difference(after, before)
    assert there.change[0] == pytest.approx(-back.change[0])
    assert not (there.decision == "regression" and back.decision == "regression")
    if there.needed is not None:
        assert there.needed > there.cases


def test_no_number_of_cases_would_tell_on_the_margin_itself() -> None:
    from judge.results.intervals import Spread

    assert cases_needed(Spread(-float(Fraction(1, 50)), 0.1, 0.5, 25, False), MARGIN, SIGNIFICANCE) is None
