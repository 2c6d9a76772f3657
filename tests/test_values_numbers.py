"""Figures, number words and scales: what is read, what is refused, and where a number ends."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words  # type: ignore[import-untyped]

from deterministic.lexicon.numbers import fold, parse_words, read_figure, scan_numbers
from tests.tables import table


@pytest.mark.parametrize(("figure", "value"), table("values_numbers", "figures"))
def test_a_figure_is_read_by_its_own_marks(figure: str, value: str) -> None:
    assert read_figure(figure) == Fraction(value)


@pytest.mark.parametrize("figure", ["1,2,3", "12.5.3", "1/0", "", "abc", "1.5,3", "1e9", "9" * 30, "1,23,45"])
def test_what_is_no_figure_is_none(figure: str) -> None:
    assert read_figure(figure) is None


def test_one_group_behind_a_point_is_thousands_only_for_amounts() -> None:
    assert read_figure("350.000") == 350
    assert read_figure("350.000", thousands_point=True) == 350_000
    assert read_figure("0.500", thousands_point=True) == Fraction(1, 2)


@pytest.mark.parametrize(("words", "value"), table("values_numbers", "words"))
def test_number_words(words: str, value: str) -> None:
    assert parse_words(words) == Fraction(value)


@pytest.mark.parametrize(
    "words", ["", "and", "twenty twenty nine", "five five", "third party", "hello", "point", "half", "two crore three crore"]
)
def test_what_is_no_number_in_words_is_none(words: str) -> None:
    assert parse_words(words) is None


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=0, max_value=10**12))
def test_words_of_the_oracle_are_read_back(number: int) -> None:
    assert parse_words(num2words(number)) == number


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=1, max_value=99_99_99_999))
def test_indian_words_of_the_oracle_are_read_back(number: int) -> None:
    assert parse_words(num2words(number, lang="en_IN")) == number


def _western(number: int) -> str:
    return f"{number:,}"


def _indian(number: int) -> str:
    head, tail = divmod(number, 1000)
    groups = []
    while head:
        head, group = divmod(head, 100)
        groups.append(f"{group:02}" if head else str(group))
    return ",".join([*reversed(groups), f"{tail:03}"])


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=1000, max_value=10**12))
def test_all_groupings_of_one_number_are_read_alike(number: int) -> None:
    western = _western(number)
    forms = [western, _indian(number), western.replace(",", " "), western.replace(",", "'"), western.replace(",", "\u202f"), str(number)]
    forms += [western.replace(",", ".") + ",00", western + ".00"]
    assert {form: read_figure(form) for form in forms} == dict.fromkeys(forms, Fraction(number))


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    read_figure(text)
    parse_words(text)
    for mention in scan_numbers(fold(text)):
        mention.value()
        mention.value(is_amount=True)
    assert len(fold(text)) == len(text)


def _found(text: str) -> list[Fraction | None]:
    return [m.value() for m in scan_numbers(fold(text))]


def test_numbers_end_at_their_tokens() -> None:
    assert _found("12.5 and 12.5.3 and 21/06/2029") == [Fraction(25, 2)]
    assert _found("in Clause 4.1, or 3 of them.") == [Fraction(41, 10), 3]
    assert [m.is_attached for m in scan_numbers("B2 and 2")] == [True, False]


def test_scale_words_belong_to_their_number() -> None:
    mention = scan_numbers("5 hundred thousand dollars")[0]
    assert mention.value() == 5
    assert mention.scale == 100_000
    assert [m.scale for m in scan_numbers("480m, 480 mm, 4.5bn, 3 cr, 2 lakh, 7 metres")] == [10**6, 10**6, 10**9, 10**7, 10**5, 1]


def test_runs_of_number_words_are_taken_apart() -> None:
    assert _found("one or two, and two and three") == [1, 2, 2, 3]
    assert _found("the third quarter of the second half") == []


def test_a_long_run_of_number_words_is_that_many_numbers() -> None:
    assert _found("one " * 2000) == [1] * 2000
