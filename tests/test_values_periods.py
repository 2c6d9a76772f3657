"""Periods: number words, units that convert and units that do not, running text."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words  # type: ignore[import-untyped]

from deterministic.lexicon.numbers import parse_cardinal, parse_ordinal
from deterministic.values import Surroundings
from deterministic.values.time import periods
from tests.tables import table

NOTHING = Surroundings()


@pytest.mark.parametrize(("text", "amount", "unit"), table("values_periods", "notations_of_a_length"))
def test_notations_of_a_length(text: str, amount: int, unit: Any) -> None:
    assert periods.parse(text) == periods.Period(Fraction(amount), unit)


@pytest.mark.parametrize(
    "text", ["", "sixty (50) months", "5 years (50 months)", "3 months and 5 days", "up to 5 years", "until maturity", "P3M2D", "USD 5"]
)
def test_what_is_no_single_length(text: str) -> None:
    assert periods.parse(text) is None


TEXT = """within three
Business Days; a period of five years (the 364-day
line), every twelve (12) months, 12 (twelve) months, thirty days’ notice,
10.5 months"""


def test_a_scan_finds_lengths_on_token_boundaries() -> None:
    found = [(mention.value.amount, mention.value.unit) for mention in periods.scan(TEXT)]
    assert found == [
        (3, "business_day"),
        (60, "month"),
        (364, "day"),
        (12, "month"),
        (12, "month"),
        (30, "day"),
        (Fraction(21, 2), "month"),
    ]


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 9999))
def test_number_words_read_back(number: int) -> None:
    assert parse_cardinal(num2words(number).replace(",", "")) == number


@pytest.mark.parametrize("text", ["two ten", "five twenty", "hundred hundred", "twenty twenty nine", "", "and"])
def test_malformed_number_words_are_no_number(text: str) -> None:
    assert parse_cardinal(text) is None


@settings(max_examples=31, deadline=None)
@given(st.integers(1, 31))
def test_ordinals_read_back(day: int) -> None:
    assert parse_ordinal(num2words(day, to="ordinal")) == day


UNITS = {"months": "month", "years": "month", "days": "day", "weeks": "day", "Business Days": "business_day"}


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 400), st.sampled_from(sorted(UNITS)), st.booleans())
def test_written_lengths_read_back_and_stand_in_text(number: int, unit: str, in_words: bool) -> None:
    text = f"{num2words(number).replace(',', '')} ({number}) {unit}" if in_words else f"{number} {unit}"
    period = periods.parse(text)
    assert period is not None and period.unit == UNITS[unit]
    assert periods.supports(text, f"not later than {text} after the date")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.sampled_from(sorted(UNITS)), st.integers(1, 60), st.sampled_from(sorted(UNITS)))
def test_comparison_of_lengths_is_symmetric(one: int, unit: str, other: int, second: str) -> None:
    first, last = f"{one} {unit}", f"{other} {second}"
    assert periods.compare(first, last, (), NOTHING).label == periods.compare(last, first, (), NOTHING).label
