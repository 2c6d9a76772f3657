"""Rates: notations, equality, shares of the margin, grids, occurrence."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values import KINDS, rates
from deterministic.values.comparison import Comparison, Surroundings, as_text
from deterministic.values.rate_forms import Rate, RateGrid
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
    for rate in ("40%", "0.70 per cent. per annum"):  # which share of a margin a rate is, only the margin tells
        assert compare(rate, "40 % of the Margin").label == compare("40 % of the Margin", rate).label == "open"
    assert compare("40% of the Margin", "40 per cent. of the applicable Margin").label == "semantic_match"


def test_bare_numbers_and_words() -> None:
    assert parse("2.5") == Rate(Fraction(5, 2), "none")
    assert parse("0.025") == Rate(Fraction(1, 40), "none")
    for text in ("", "hello", "the Margin", "Clause 2.5", "more than"):
        assert parse(text) is None


@pytest.mark.parametrize(("reported", "label"), table("values_rates", "labels"))
def test_labels(reported: object, label: str) -> None:
    assert compare(reported, "2.75 per cent. per annum").label == label


def test_a_missing_unit_is_partial() -> None:
    assert compare("2.5", "250 bps").label == "partial"
    assert compare("250", "250 bps").label == "partial"
    assert compare("250 bps", "250").label == "semantic_match"


def test_the_source_s_own_characters_are_correct() -> None:
    assert compare("2.75% p.a.", "2.75 per cent. per annum", quotes=("Margin: 2.75% p.a.",)).label == "correct"
    assert compare("2.75% p.a.", "2.75 per cent. per annum", quotes=("Margin: 12.75% p.a.",)).label == "semantic_match"


GRID = "3.25% where Leverage is above 3.50:1; 2.75% where Leverage is 3.50:1 or less; 2.25% below 2.50:1"


@pytest.mark.parametrize(("reported", "label"), [(GRID, "correct")])
def test_a_part_of_a_margin_grid_is_partial(reported: str, label: str) -> None:
    assert compare(reported, GRID).label == label


def test_every_figure_of_a_grid_is_one_of_its_rates() -> None:
    grid = rates.read("3.00% if the LTV exceeds 60%; 2.50% otherwise")
    assert isinstance(grid, RateGrid)
    assert [level.value for level in grid.levels] == [3, 60, Fraction(5, 2)], "what it is, the frame says"


def test_ranges() -> None:
    grid = parse("2.25-2.75%")
    assert isinstance(grid, RateGrid)
    assert ([level.value for level in grid.levels], grid.is_range) == ([Fraction(9, 4), Fraction(11, 4)], True)
    assert compare("2.25 to 2.75%", "2.25% - 2.75%").label == "semantic_match"


def test_occurrence_in_any_equivalent_form() -> None:
    text = "“Margin” means 2.75 per cent. per annum. Fee: 110 basis points. Default: 1/2 of 1% more."
    text += " See Clause 12.5 and 4.10:1. 40 per cent. of the Margin."
    document = Document.from_pages("a.pdf", [text])
    for value in ("275 bps", "0.0275", "2.75", "1.10 per cent. per annum", "0.50%", "50 bps", "40% of the Margin"):
        assert rates.occurs(value, document), value
    for value in ("3.05 per cent. per annum", "2.5%", "12.5 %", "4.10%", "0.75%", "1%", "75 bps", "35% of the Margin"):
        assert not rates.occurs(value, document), value


def test_a_column_head_gives_the_unit() -> None:
    table = "Leverage Margin (% p.a.)\nabove 3.50:1\n3.25\n3.50:1 or less\n2.75\n"
    assert rates.supports("3.25 per cent. per annum", table)
    assert rates.supports("275 bps", table)
    assert not rates.supports("3.50%", table)
    assert not rates.supports("2.75%", "See Clause\n2.75\n")
    assert rates.supports("2.75%", "Margin (bps)\n325\n275")


def test_tokens_are_whole() -> None:
    assert not rates.supports("2.5%", "12.5%")
    assert not rates.supports("2.50 %", "12.50 %")
    assert not rates.supports("5%", "2.5%")
    assert not rates.supports("50 bps", "250 bps")


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


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789.,/ %bps()-+\n")), max_size=80), st.text(max_size=30))
def test_no_text_breaks_anything(first: str, second: str) -> None:
    parse(first)
    rates.scan(first)
    rates.supports(first, second)
    assert compare(first, first).label == ("correct" if as_text(first) else "open")
    compare(first, second, quotes=(first,))


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_rates", "a_grid_is_held_level_by_level_in_any_notation"))
def test_a_grid_is_held_level_by_level_in_any_notation(reported: str, gold: str, label: str) -> None:
    assert rates.compare(reported, gold, (), Surroundings()).label == label


def test_a_tables_cell_of_nil_is_the_rate_zero() -> None:
    assert rates.supports("0% / 2.0%", "LESS THAN 1.75 to 1   -0-   2.0%")
    assert not rates.supports("0% / 2.0%", "10-0-3   2.0%")


@pytest.mark.parametrize(("kind", "reported", "gold"), table("values_rates", "figures_with_an_opposite_word"))
def test_the_right_figures_with_an_opposite_word_are_not_right(kind: str, reported: str, gold: str) -> None:
    assert KINDS[kind].compare(reported, gold, (), Surroundings()).label == "open"
    assert KINDS[kind].compare(gold, gold, (), Surroundings()).label == "correct"
