"""Benchmark gaps: units, direction, and the tolerance at its exact boundary."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.values.figures.gaps import Gap, compare_value, holds, judge_numbers, parse_gap, parse_value
from deterministic.values.stated import is_stated
from tests.tables import table

DEAL, BENCHMARK, GAP = "3.10 per cent. per annum", "2.75 per cent. per annum", "35 bps"


@pytest.mark.parametrize(("text", "size", "sort", "sign"), table("values_gaps", "gaps"))
def test_gaps(text: str, size: str, sort: str, sign: int) -> None:
    assert parse_gap(text) == Gap(Fraction(size), sort, sign)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "longer notice", "twice the usual period", "none", "30-40 bps", "1.5x the benchmark", "35"])
def test_gaps_in_words_have_no_size(text: str) -> None:
    assert parse_gap(text) is None


def test_what_is_stated() -> None:
    assert [is_stated(v) for v in (None, "", " None ", "n/a", "35 bps")] == [False, False, False, False, True]


def outcome(deal: str, benchmark: str, gap: str, gold_benchmark: str | None = BENCHMARK, gold_gap: str | None = GAP) -> str:
    return judge_numbers(deal, benchmark, gap, gold_benchmark, gold_gap, 20).outcome


@pytest.mark.parametrize(("benchmark", "gap", "expected"), table("values_gaps", "numbers_of_a_deviation"))
def test_numbers_of_a_deviation(benchmark: str, gap: str, expected: str) -> None:
    assert outcome(DEAL, benchmark, gap) == expected


def test_days_are_exact_and_words_open() -> None:
    three, seven = "three Business Days", "seven Business Days longer"
    assert outcome("ten Business Days", "3 Business Days", "7 Business Days", three, seven) == "right"
    assert outcome("ten Business Days", "five Business Days", "five Business Days longer", three, seven) == "wrong"
    assert outcome("ten Business Days", three, "six Business Days longer", three, seven) == "wrong"
    assert outcome("ten Business Days", three, "seven Business Days shorter", three, seven) == "wrong"
    verdict = judge_numbers("ten Business Days", three, "twice the usual period", three, seven, 20)
    assert (verdict.outcome, verdict.open_parts) == ("open", ("gap",))
    verdict = judge_numbers("absolute discretion", "no consent", "a veto", "reasonableness", "an unfettered veto", 20)
    assert (verdict.outcome, verdict.open_parts) == ("open", ("benchmark", "gap"))


@pytest.mark.parametrize(("gap", "expected"), table("values_gaps", "amounts_are_exact"))
def test_amounts_are_exact(gap: str, expected: str) -> None:
    assert outcome("£3.2m", "GBP 5 million", gap, "GBP 5,000,000", "GBP 1,800,000") == expected


def test_shares_and_majorities() -> None:
    assert (
        outcome("40% of the Margin", "35% of the Margin", "5 percentage points", "35 per cent. of the applicable Margin", "500 bps")
        == "right"
    )
    assert outcome("66 2/3 per cent.", "50%", "16.67 percentage points", "50 per cent.", "16.67 percentage points") == "right"


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_gaps", "values"))
def test_values(reported: str, gold: str, label: str) -> None:
    assert compare_value(reported, gold).label == label


@settings(max_examples=150, deadline=None)
@given(st.integers(100, 600), st.integers(100, 600), st.integers(-40, 40), st.integers(0, 40))
def test_the_tolerance_is_exact(deal: int, benchmark: int, off: int, tolerance: int) -> None:
    true_gap = abs(deal - benchmark)
    stated = abs(true_gap + off)
    verdict = judge_numbers(
        f"{deal / 100:.2f}%", f"{benchmark} bps", f"{stated / 100:.2f} percentage points", f"{benchmark} bps", f"{true_gap} bps", tolerance
    )
    assert verdict.outcome == ("right" if abs(stated - true_gap) <= tolerance else "wrong")


@settings(max_examples=150, deadline=None)
@given(st.integers(100, 600), st.integers(100, 600))
def test_a_stated_direction_is_the_deal_s(deal: int, benchmark: int) -> None:
    size = abs(deal - benchmark)
    for word, is_right in (("above", deal >= benchmark), ("below", deal <= benchmark)):
        verdict = judge_numbers(
            f"{deal} bps", f"{benchmark} bps", f"{size} bps {word} the benchmark", f"{benchmark} bps", f"{size} bps", 20
        )
        assert verdict.outcome == ("right" if is_right else "wrong")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789.,/ %bps()-+x:\n")), max_size=60), st.text(max_size=30))
def test_no_text_breaks_anything(first: str, second: str) -> None:
    parse_gap(first)
    parse_value(first)
    judge_numbers(first, second, first, second, second, 20)
    assert compare_value(first, first).label == "correct"


@pytest.mark.parametrize(
    ("deal", "benchmark", "gap", "gold_benchmark", "gold_gap", "expected"), table("values_gaps", "numbers_of_every_kind")
)
def test_numbers_of_a_deviation_of_every_kind(
    deal: str, benchmark: str, gap: str, gold_benchmark: str | None, gold_gap: str | None, expected: str
) -> None:
    assert outcome(deal, benchmark, gap, gold_benchmark, gold_gap) == expected


@pytest.mark.parametrize(("benchmark", "deal", "held"), table("values_gaps", "whether_a_benchmark_holds_the_deal"))
def test_whether_a_benchmark_holds_the_deal(benchmark: str, deal: str, held: bool | None) -> None:
    assert holds(benchmark, deal, 20) is held
