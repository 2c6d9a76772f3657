"""Covenant thresholds: value, comparator, range, step-down, days."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values.comparison import Comparison
from deterministic.values.thresholds import compare_days, compare_part, compare_threshold, occurs, parse, supports


def compare(reported: str | None, gold: str | None, is_verbatim: bool = False) -> Comparison:
    return compare_threshold(reported, gold, is_verbatim=is_verbatim)


@pytest.mark.parametrize(
    ("reported", "gold", "is_verbatim", "label", "code"),
    [
        ("shall not exceed 4.00:1", "shall not exceed 4.00:1", True, "correct", None),
        ("4.00:1", "shall not exceed 4.00:1", True, "correct", None),
        (">= 2.75x", "shall not be less than 2.75:1", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("not more than 0.60:1", "shall not exceed 0.60:1", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("SGD 40 million", "shall not exceed SGD 40,000,000", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("70%", "shall not exceed 70 per cent.", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("within 120 days", "not later than one hundred and twenty (120) days after the close of such Fiscal Year", False, "open", None),
        ("1.10:1 to 1.30:1", "shall be at least 1.20:1", False, "partial", "THRESHOLD_RANGE"),
        ("1.20:1 to 1.40:1", "shall not be less than 1.20:1", False, "partial", "THRESHOLD_RANGE"),
        ("1.00:1 to 1.20:1", "shall not be less than 1.20:1", True, "partial", "THRESHOLD_RANGE"),
        ("1.00-1.20x", "shall not be less than 1.20:1", True, "partial", "THRESHOLD_RANGE"),
        ("50 to 60%", "shall not exceed 55 per cent.", False, "partial", "THRESHOLD_RANGE"),
        ("30-60 days", "within 90 days", False, "open", None),
        ("GBP 6,500,000 to GBP 8,000,000", "shall not exceed GBP 6,000,000", False, "wrong", None),
        ("EUR 5,000,000 to EUR 8,000,000", "shall not exceed GBP 6,000,000", False, "wrong", None),
        ("shall not be less than 4.25:1", "shall not exceed 4.25:1", False, "wrong", "COMPARATOR_TURNED"),
        (
            "shall not permit Liquidity to exceed $30m",
            "shall not permit Liquidity to be less than $30,000,000",
            False,
            "wrong",
            "COMPARATOR_TURNED",
        ),
        ("1.55:1.00", "1.25:1.00", True, "wrong", None),
        ("$25,000,000", "shall not permit Liquidity to be less than $30,000,000", True, "open", None),
        ("USD 40,000,000", "shall not exceed SGD 40,000,000", True, "wrong", None),
        ("40,000,000", "shall not exceed SGD 40,000,000", True, "partial", "CURRENCY_MISSING"),
        ("within 45 days", "within 120 days after the close of such Fiscal Year", True, "open", None),
        ("within 120 Business Days", "within 120 days", False, "wrong", None),
        ("within 60 days of each quarter end", "within 60 days of the financial year end", False, "open", None),
        ("would exceed 3.50:1", "shall not exceed 3.50:1", False, "open", None),
        ("adequate insurance", "insurance customary in the trade", True, "open", None),
        (None, None, False, "correct", None),
        ("none", None, False, "correct", None),
        (None, "4.00:1", False, "wrong", "THRESHOLD_MISSING"),
        ("4.00:1", None, True, "wrong", None),
    ],
)
def test_labels(reported: str | None, gold: str | None, is_verbatim: bool, label: str, code: str | None) -> None:
    result = compare(reported, gold, is_verbatim)
    assert result.label == label
    assert code is None or code in result.codes


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("15 Business Days", 15, "open"),
        ("5 Business Days", 15, "wrong"),
        (20, 20, "correct"),
        (3, 20, "wrong"),
        ("ten (10) Business Days", "10 Business Days", "correct"),
        (10, "10 Business Days", "partial"),
        (10, "10 days", "correct"),
        (10, "15 days", "wrong"),
        (14, "two weeks", "correct"),
        ("within five Business Days of its due date", "5 Business Days", "open"),
        ("5 Business Days, or 10 Business Days for tax", "5 Business Days", "open"),
        ("15 days", "15 Business Days", "wrong"),
        ("promptly", 15, "open"),
    ],
)
def test_grace_days(reported: object, gold: object, label: str) -> None:
    assert compare_days(reported, gold).label == label


CAP = "the greater of $30,000,000 and 4.5% of Consolidated Total Assets"


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("US$15m", "USD 15,000,000", "correct"),
        ("USD 10,000,000", "USD 15,000,000", "wrong"),
        ("£5,600,000", "EUR 5,600,000", "wrong"),
        ("5.25x", "5.25:1", "correct"),
        ("5.25:1", "5.75:1", "wrong"),
        ({"amount": 15_000_000, "currency": "USD"}, "USD 15,000,000", "correct"),
        (CAP, CAP, "correct"),
        ("the greater of $30m and 4.5% of Consolidated Total Assets", CAP, "open"),
        ("$30m", CAP, "open"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "value", "comparator"),
    [
        ("shall not exceed 4.00:1", "4", "max"),
        ("4.0x", "4", ""),
        ("four (4.00) to one", "4", ""),
        ("1.45 to 1.00", "29/20", ""),
        ("not less than 2.5", "5/2", "min"),
        (">= 2.75x", "11/4", "min"),
        ("≤ 4.0×", "4", "max"),
        ("minimum of USD 50,000,000", "50000000", "min"),
        ("less than 70 per cent.", "7/10", "below"),
        ("1.2x or more", "6/5", "min"),
        ("within 120 days", "120", "max"),
    ],
)
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
