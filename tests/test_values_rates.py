"""Rates: notations, equality, shares of the margin, grids, occurrence."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.values.comparison import Comparison, Surroundings
from deterministic.values.figures import rates
from deterministic.values.figures.rate_forms import Rate, RateGrid
from tests.tables import table


def compare(reported: object, gold: object, **surroundings: object) -> Comparison:
    return rates.compare(reported, gold, (), Surroundings(**surroundings))  # type: ignore[arg-type]


def parse(text: str) -> Rate | RateGrid | None:
    """The rate or range that the whole text is."""
    reading = rates.read_text(text)
    is_whole = reading.value.is_range if isinstance(reading.value, RateGrid) else not reading.unread
    return reading.value if is_whole else None


@pytest.mark.parametrize(("text", "value"), table("values_rates", "notations"))
def test_notations(text: str, value: str) -> None:
    parsed = parse(text)
    assert isinstance(parsed, Rate)
    assert (parsed.value, parsed.unit, parsed.share_of) == (Fraction(value), "percent", "")


def test_a_share_of_the_margin_is_a_type_of_its_own() -> None:
    for text in ("40 % of the Margin", "40 per cent. per annum of the applicable Margin", "40% of the Applicable Margin"):
        parsed = parse(text)
        assert isinstance(parsed, Rate)
        assert (parsed.value, parsed.share_of) == (Fraction(40), "margin")


def test_bare_numbers_and_words() -> None:
    assert parse("2.5") == Rate(Fraction(5, 2), "none")
    assert parse("0.025") == Rate(Fraction(1, 40), "none")
    for text in ("", "hello", "the Margin", "Clause 2.5", "more than"):
        assert parse(text) is None


def test_every_figure_of_a_grid_is_one_of_its_rates() -> None:
    grid = rates.read("3.00% if the LTV exceeds 60%; 2.50% otherwise")
    assert isinstance(grid, RateGrid)
    assert [level.value for level in grid.levels] == [3, 60, Fraction(5, 2)], "what it is, the frame says"


def test_ranges() -> None:
    grid = parse("2.25-2.75%")
    assert isinstance(grid, RateGrid)
    assert ([level.value for level in grid.levels], grid.is_range) == ([Fraction(9, 4), Fraction(11, 4)], True)


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=1, max_value=2500))
def test_every_notation_of_a_rate_is_that_rate_and_found_in_a_sentence(bps: int) -> None:
    percent = f"{bps / 100:.2f}"
    forms = [f"{percent}%", f"{percent} per cent. per annum", f"{bps} bps", f"{bps} basis points p.a.", f"{percent}00 % p.a."]
    for form in forms:
        parsed = parse(form)
        assert isinstance(parsed, Rate)
        assert parsed.value == Fraction(bps, 100), form
        assert rates.supports(form, f"interest accrues at {percent} per cent. per annum on the Loan")
        assert any(m.value.value == Fraction(bps, 100) for m in rates.scan(f"Interest is {form}, accruing daily."))
        assert compare(form, f"{bps} bps").label in ("semantic_match", "correct")
        assert compare(form, f"{bps + 1} bps").label == compare(f"{bps + 1} bps", form).label == "wrong"
    assert compare(str(Fraction(bps, 10_000).limit_denominator()) if bps == 2500 else f"{bps / 10_000:.4f}", f"{bps} bps").label in (
        "semantic_match",
        "wrong",
        "open",
    )
