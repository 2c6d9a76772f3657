"""Covenant thresholds: value, comparator, range, step-down, days."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values.comparison import Comparison
from deterministic.values.figures.thresholds import compare_days, compare_part, compare_threshold, occurs, parse, supports
from tests.tables import table


def compare(reported: str | None, gold: str | None, is_verbatim: bool = False) -> Comparison:
    return compare_threshold(reported, gold, is_verbatim=is_verbatim)


@pytest.mark.parametrize(("reported", "gold", "is_verbatim", "label", "code"), table("values_thresholds", "labels"))
def test_labels(reported: str | None, gold: str | None, is_verbatim: bool, label: str, code: str | None) -> None:
    result = compare(reported, gold, is_verbatim)
    assert result.label == label
    assert code is None or code in result.codes


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_thresholds", "grace_days"))
def test_grace_days(reported: object, gold: object, label: str) -> None:
    assert compare_days(reported, gold).label == label


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_thresholds", "parts_of_flags"))
def test_parts_of_flags(reported: object, gold: object, label: str) -> None:
    assert compare_part(reported, gold).label == label


def test_occurrence_and_support() -> None:
    text = "the Leverage Ratio shall not exceed 4.00:1, and Net Worth shall not be less than SGD 150,000,000 (see Clause 14.2)"
    document = Document.from_pages("a.pdf", [text])
    for value in ("4.0x", "shall not exceed 4.00:1", "SGD 150m"):
        assert occurs(value, document)
        assert supports(value, text)
    for value in ("4.25:1", "SGD 15m", "USD 150m", "14.2%"):
        assert not occurs(value, document)
        assert not supports(value, text)


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=1, max_value=1999), st.integers(min_value=1, max_value=1999))
def test_ratios_compare_by_value_in_every_notation(first: int, second: int) -> None:
    ones = [f"{first / 100:.2f}:1", f"{first / 100:.2f}x", f"{first / 100:.2f} to 1.00", f"{first}%", f"at most {first / 100:.2f} times"]
    other = f"shall not exceed {second / 100:.2f}:1"
    assert {compare(one, other, True).label for one in ones} == ({"correct"} if first == second else {"wrong"})
    assert all(supports(one, f"Leverage {ones[0]} or lower") for one in ones)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789.,:x %$()-\n")), max_size=80), st.text(max_size=40))
def test_no_text_breaks_anything(first: str, second: str) -> None:
    parse(first)
    supports(first, second)
    compare(first, second)
    compare_days(first, second)
    assert compare(first, first, True).label == "correct"


@pytest.mark.parametrize(("text", "value", "comparator"), table("values_thresholds", "a_whole_string_is_one_level"))
def test_a_whole_string_is_one_level(text: str, value: str, comparator: str) -> None:
    parsed = parse(text)
    assert parsed is not None
    assert ([level.value for level in parsed.levels], parsed.comparator, parsed.beside) == ([Fraction(value)], comparator, ())


@pytest.mark.parametrize("text", ["3.50:1 to 4.00:1", "between 3.50:1 and 4.00:1", "3.5x - 4.0x"])
def test_a_range_has_two_ends(text: str) -> None:
    parsed = parse(text)
    assert parsed is not None
    assert [level.value for level in parsed.levels] == [Fraction(7, 2), 4]


BESIDE = "if unless except above until per tested drawn net not only EBITDA Lender before breach prohibited each without".split()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BESIDE), st.booleans(), st.integers(1, 9))
def test_a_word_beside_a_threshold_leaves_it_to_the_judge_or_makes_it_wrong(word: str, is_behind: bool, number: int) -> None:
    value = f"shall not exceed {number}.00:1"
    text = f"{value} {word}" if is_behind else f"{word} {value}"
    assert compare(text, value, is_verbatim=True).label in ("open", "wrong")
    assert compare_part(text, value).label in ("open", "wrong")


@settings(max_examples=60, deadline=None)
@given(
    *[st.sampled_from(["shall not exceed {}", "≥ {}", "at least {}", "≤ {}", "less than {}", "more than {}", "min. {}", "{} or less"])] * 2
)
def test_a_comparator_that_is_turned_or_stricter_gets_no_marks(one: str, other: str) -> None:
    mine, true = (parse(form.format("2.50x")) for form in (one, other))
    assert mine is not None
    assert true is not None
    label = compare(one.format("2.50x"), other.format("2.50x"), is_verbatim=True).label
    assert (label == "correct") is (mine.comparator == true.comparator and (one == other or "less than" not in one + other))
