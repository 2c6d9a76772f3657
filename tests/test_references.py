"""Spellings of references, and which provisions a text refers to (design/places.md)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.clauses.numerals import attachment_label, number_key
from deterministic.clauses.references import parse_reference
from deterministic.lexicon.spelling import roman_text, roman_value
from tests.tables import table


def numbers(text: str) -> list[str]:
    return [reference.number for reference in parse_reference(text)]


@pytest.mark.parametrize("text", table("references", "one_reference_in_many_spellings"))  # fmt: skip
def test_one_reference_in_many_spellings(text: str) -> None:
    assert numbers(text) == ["5.1(a)"]


@pytest.mark.parametrize(("text", "expected"), table("references", "what_a_reference_means"))
def test_what_a_reference_means(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


def test_a_bracketed_heading_is_kept_as_title() -> None:
    assert parse_reference("Clause 16.1 (Non-payment)")[0].title == "Non-payment"


@pytest.mark.parametrize(
    ("text", "key"), [("2.01", (2, 1)), ("2.1", (2, 1)), ("II.1", (2, 1)), ("ii", (2,)), ("two", (2,)), ("2.10", (2, 10)), ("x1", None)]
)
def test_numbers_in_one_key(text: str, key: tuple[int, ...] | None) -> None:
    assert number_key(text) == key


@pytest.mark.parametrize(("text", "label"), [("II", "2"), ("2", "2"), ("B - 1", "b-1"), ("C", "c"), ("Two", "2")])
def test_labels_of_attachments(text: str, label: str) -> None:
    assert attachment_label(text) == label


@given(st.integers(1, 399))
@settings(max_examples=60, deadline=None)
def test_roman_numerals_round_trip(value: int) -> None:
    assert roman_value(roman_text(value)) == value


@given(st.text(alphabet=st.sampled_from("Clause Sectn 0123456789.()abiIVX§–-“”ofdp,\xa0\n"), max_size=60) | st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_some_reference_or_none(text: str) -> None:
    assert all(reference.number for reference in parse_reference(text))
