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
    ("text", "value", "direction"),
    [
        ("shall not exceed 4.00:1", "4", "max"),
        ("4.0x", "4", ""),
        ("4.00 times", "4", ""),
        ("four times", "4", ""),
        ("four to one", "4", ""),
        ("four (4.00) to one", "4", ""),
        ("1.45 to 1.00", "29/20", ""),
        ("not less than 2.5", "5/2", "min"),
        ("at least 1.20:1", "6/5", "min"),
        (">= 2.75x", "11/4", "min"),
        ("≤ 4.0×", "4", "max"),
        ("minimum of USD 50,000,000", "50000000", "min"),
        ("shall not exceed 70 per cent.", "7/10", "max"),
        ("must not at any time be greater than 4:1", "4", "max"),
        ("is not and does not fall below 1.10:1", "11/10", "min"),
        ("shall not permit Liquidity to be less than $30,000,000", "30000000", "min"),
        ("shall not permit Liquidity to exceed $30,000,000", "30000000", "max"),
        ("1.2x or more", "6/5", "min"),
        ("within 120 days", "120", "max"),
        ("not later than one hundred and twenty (120) days after the close of such Fiscal Year", "120", "max"),
        ("Interest Cover of 2.5:1 for each Relevant Period of 12 months", "5/2", ""),
    ],
)
def test_one_level(text: str, value: str, direction: str) -> None:
    parsed = parse(text)
    assert parsed is not None
    assert len(parsed.levels) == 1
    assert (parsed.levels[0].value, parsed.levels[0].direction, parsed.is_range) == (Fraction(value), direction, False)


def test_ranges_and_steps() -> None:
    for text in ("3.50:1 to 4.00:1", "between 3.50:1 and 4.00:1", "3.5x - 4.0x"):
        parsed = parse(text)
        assert parsed is not None
        assert (parsed.is_range, [level.value for level in parsed.levels]) == (True, [Fraction(7, 2), 4])
    steps = parse("4.50:1 until 31 December 2026 and 4.00:1 thereafter")
    assert steps is not None
    assert [(level.value, len(level.days)) for level in steps.levels] == [(Fraction(9, 2), 1), (4, 0)]


@pytest.mark.parametrize(
    ("reported", "gold", "is_verbatim", "label", "code"),
    [
        ("shall not exceed 4.00:1", "shall not exceed 4.00:1", True, "correct", None),
        ("4.00:1", "shall not exceed 4.00:1", True, "correct", None),
        (">= 2.75x", "shall not be less than 2.75:1", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("not more than 0.60:1", "shall not exceed 0.60:1", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("SGD 40 million", "shall not exceed SGD 40,000,000", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("70%", "shall not exceed 70 per cent.", False, "partial", "THRESHOLD_NOT_VERBATIM"),
        ("within 120 days", "not later than one hundred and twenty (120) days after the close of such Fiscal Year", False, "partial", None),
        ("1.10:1 to 1.30:1", "shall be at least 1.20:1", False, "partial", "THRESHOLD_RANGE"),
        ("1.20:1 to 1.40:1", "shall not be less than 1.20:1", False, "partial", "THRESHOLD_RANGE"),
        ("1.00:1 to 1.20:1", "shall not be less than 1.20:1", True, "partial", "THRESHOLD_RANGE"),
        ("1.00-1.20x", "shall not be less than 1.20:1", True, "partial", "THRESHOLD_RANGE"),
        ("50 to 60%", "shall not exceed 55 per cent.", False, "partial", "THRESHOLD_RANGE"),
        ("30-60 days", "within 90 days", False, "wrong", None),
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
        ("$25,000,000", "shall not permit Liquidity to be less than $30,000,000", True, "wrong", None),
        ("USD 40,000,000", "shall not exceed SGD 40,000,000", True, "wrong", None),
        ("40,000,000", "shall not exceed SGD 40,000,000", True, "partial", "CURRENCY_MISSING"),
        ("within 45 days", "within 120 days after the close of such Fiscal Year", True, "wrong", None),
        ("within 120 Business Days", "within 120 days", False, "wrong", None),
        ("within 60 days of each quarter end", "within 60 days of the financial year end", False, "wrong", None),
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


STEPS = "4.50:1 until 31 December 2026 and 4.00:1 thereafter"


@pytest.mark.parametrize(
    ("reported", "gold", "is_verbatim", "label"),
    [
        (STEPS, "4.50:1", True, "correct"),
        (STEPS, "4.50:1", False, "partial"),
        ("4.00:1", "4.50:1", True, "wrong"),
        ("4.50:1, later 4.00:1", "4.50:1", False, "partial"),
        ("4.50x up to 31 Dec 2026, then 4.00x", STEPS, False, "partial"),
        ("4.50:1 until 31 December 2027 and 4.00:1 thereafter", STEPS, False, "wrong"),
        ("4.00:1 until 31 December 2026 and 4.50:1 thereafter", STEPS, False, "wrong"),
        ("4.50:1", STEPS, True, "partial"),
        ("4.25:1", STEPS, True, "wrong"),
    ],
)
def test_step_downs(reported: str, gold: str, is_verbatim: bool, label: str) -> None:
    assert compare(reported, gold, is_verbatim).label == label


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("15 Business Days", 15, "correct"),
        ("5 Business Days", 15, "wrong"),
        (20, 20, "correct"),
        (3, 20, "wrong"),
        ("ten (10) Business Days", "10 Business Days", "correct"),
        (10, "10 Business Days", "partial"),
        (10, "10 days", "correct"),
        (10, "15 days", "wrong"),
        (14, "two weeks", "correct"),
        ("within five Business Days of its due date", "5 Business Days", "correct"),
        ("5 Business Days, or 10 Business Days for tax", "5 Business Days", "open"),
        ("15 days", "15 Business Days", "wrong"),
        ("promptly", 15, "open"),
    ],
)
def test_grace_days(reported: object, gold: object, label: str) -> None:
    assert compare_days(reported, gold).label == label


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("US$15m", "USD 15,000,000", "correct"),
        ("USD 10,000,000", "USD 15,000,000", "wrong"),
        ("£5,600,000", "EUR 5,600,000", "wrong"),
        ("5.25x", "5.25:1", "correct"),
        ("5.25:1", "5.75:1", "wrong"),
        ({"amount": 15_000_000, "currency": "USD"}, "USD 15,000,000", "correct"),
        (
            "the greater of $30m and 4.5% of Consolidated Total Assets",
            "the greater of $30,000,000 and 4.5% of Consolidated Total Assets",
            "correct",
        ),
        ("$30m", "the greater of $30,000,000 and 4.5% of Consolidated Total Assets", "partial"),
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
    ("reported", "gold", "label"),
    [
        ("no later than 1 January 2008", "no later than January 1, 2008", "correct"),
        ("on or before January 1, 2008", "no later than January 1, 2008", "correct"),
        ("no earlier than January 1, 2008", "no later than January 1, 2008", "wrong"),
        ("on or after January 1, 2008", "by January 1, 2008", "wrong"),
        ("no later than January 1, 2009", "no later than January 1, 2008", "wrong"),
        ("before January 1, 2008", "no later than January 1, 2008", "open"),
        ("no later than 30 days after January 1, 2008", "no later than January 1, 2008", "open"),
    ],
)
def test_a_day_until_which_is_not_one_from_which_on(reported: str, gold: str, label: str) -> None:
    assert compare_part(reported, gold).label == label


BEFORE = ("before", "prior to", "preceding", "in advance of", "ahead of")
AFTER = ("after", "following", "from", "subsequent to")
EVENTS = (("the end of each Fiscal Year", "FYE"), ("each Quarter Date", "each Quarter Date"), ("the Completion Date", "Completion"))


@given(
    st.sampled_from(BEFORE),
    st.sampled_from(AFTER),
    st.sampled_from(EVENTS),
    st.sampled_from(("{} days", "{} Business Days", "{} months", "{}d", "no later than {} days", "within {} days")),
    st.integers(2, 360),
    st.booleans(),
    st.booleans(),
)
def test_the_other_side_of_an_event_never_gets_marks(
    before: str, after: str, event: tuple[str, str], form: str, length: int, is_short: bool, is_turned: bool
) -> None:
    period = form.format(length)
    pair = f"{period} {before} {event[is_short]}", f"{period} {after} {event[0]}"
    reported, gold = pair[::-1] if is_turned else pair
    for is_verbatim in (True, False):
        assert compare(reported, gold, is_verbatim).label == "wrong"
    assert compare(gold, gold, True).label == "correct"
    assert compare_days(reported, gold).label == "wrong"


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("20d post", "within 20 days after the Test Date", "partial"),  # a word that is not read
        ("20 days", "not later than 20 days before each Test Date", "partial"),  # no word for the side
        ("20 days prior to FYE", "not later than 20 days before the end of each Fiscal Year", "partial"),
        ("20 days from FQE", "within 20 days following the end of each Fiscal Quarter", "partial"),
        ("20d after FQE", "within 20 days after the end of each Fiscal Year", "wrong"),
        ("on the 20th day after FYE", "20 days before the end of each financial year", "wrong"),
        ("EUR 5,000,000 in the preceding 12 months", "EUR 5,000,000 in the 12 months following Completion", "wrong"),
        ("20 days' prior notice", "20 days after notice", "open"),  # the same, said from the other end
        ("20 days before Completion", "20 days after receipt of the request", "open"),
        ("20 days before or after FYE", "20 days after FYE", "partial"),
    ],
)
def test_sides_of_an_event(reported: str, gold: str, label: str) -> None:
    assert compare(reported, gold).label == label


def test_the_sentence_tells_the_side_that_gold_leaves_out() -> None:
    sentence = "It shall deliver a budget not later than 20 days before the start of each Fiscal Year."
    assert compare_threshold("20 days after", "20 days", is_verbatim=False, sentences=(sentence,)).label == "open"
    assert compare_threshold("20 days prior", "20 days", is_verbatim=False, sentences=(sentence,)).label == "partial"
    assert compare_threshold("20 days after", "20 days", is_verbatim=False).label == "partial"


TRIGGERED = "If more than 40 per cent. is drawn, the Borrower shall ensure that Drawn Leverage shall not exceed 1.75:1."


@pytest.mark.parametrize(
    ("reported", "gold", "sentence", "label"),
    [
        # what is denied or a default: the comparator is the other one
        ("breached if higher than 3.50:1", "shall not be less than 3.50:1", "", "wrong"),
        ("breached if lower than 3.50:1", "shall not be less than 3.50:1", "", "partial"),
        ("default where 4.50:1 or lower", "shall not exceed 4.50:1", "", "wrong"),
        ("if > 4.50x: default", "shall not exceed 4.50:1", "", "partial"),
        ("greater than 4.50 to 1.00 (not permitted)", "not greater than 4.50 to 1.00", "", "partial"),
        ("less than 4.50 to 1.00 (not permitted)", "not greater than 4.50 to 1.00", "", "wrong"),
        ("exceeding 4.50x is prohibited", "shall not exceed 4.50:1", "", "partial"),
        ("prohibited: below 4.50x", "shall not exceed 4.50:1", "", "wrong"),
        ("less than 1.25 (breach)", "shall not be less than 1.25 to 1.00", "", "partial"),
        ("exceeding 1.25 (breach)", "shall not be less than 1.25 to 1.00", "", "wrong"),
        ("max. 4.50x (higher is a breach)", "shall not exceed 4.50:1", "", "open"),
        ("below 1.10x", "event of default if below 1.10x", "", "open"),
        ("default if < 1.10x", "less than 1.10x", "It shall be an Event of Default if Cover is less than 1.10x", "open"),
        ("default if not above 4.50x", "shall not exceed 4.50:1", "", "open"),
        ("no higher than 4.50:1", "shall not exceed 4.50:1", "", "partial"),
        ("max. 4.50:1 during a Covenant Trigger Event", "shall not exceed 4.50:1", "", "partial"),
        # the level beside gold's
        ("shall not exceed 1.75:1 if more than 35% is drawn", "shall not exceed 1.75:1", TRIGGERED, "open"),
        ("shall not exceed 1.75:1 if more than 40% is drawn", "shall not exceed 1.75:1", TRIGGERED, "partial"),
        ("shall not be greater than 4.25:1 (4.75:1 after an acquisition)", "to be greater than 4.25:1", "", "open"),
        ("shall not be greater than 4.25:1 (4.75:1 after an acquisition)", "to be greater than 4.00:1", "", "wrong"),
        # counted over something else
        ("max. $22,000,000 in any Fiscal Quarter", "not exceeding $22,000,000 in any Fiscal Year", "", "open"),
        ("max. $22,000,000 over the life of the facility", "not exceeding $22,000,000 in any Fiscal Year", "", "open"),
        ("max. $22,000,000 per fiscal year", "not exceeding $22,000,000 in any Fiscal Year", "", "partial"),
        ("$22,000,000 per FY", "not exceeding $22,000,000", "Expenditures in any Fiscal Year shall not exceed $22,000,000.", "partial"),
        ("at least 80% of the gross assets", "at least 80 per cent. of Adjusted EBITDA", "", "open"),
        ("minimum 80% of Adjusted EBITDA", "at least 80 per cent. of Adjusted EBITDA", "", "partial"),
        # from the other end of the period
        ("within 30 days after the end of each Financial Year", "within 30 days after the start of each Financial Year", "", "open"),
        ("within 30 days of the beginning of each Financial Year", "within 30 days after the start of each Financial Year", "", "partial"),
    ],
)
def test_what_an_equal_value_says_beside_it(reported: str, gold: str, sentence: str, label: str) -> None:
    assert compare_threshold(reported, gold, is_verbatim=False, sentences=(sentence,) if sentence else ()).label == label


@pytest.mark.parametrize(
    ("reported", "gold", "quote", "usual", "label"),
    [
        ("shall not exceed 3.00:1", "3.00:1", "for which Interest Cover shall not be less than 3.00:1", "", "open"),
        ("minimum 3.00:1", "3.00:1", "for which Interest Cover shall not be less than 3.00:1", "", "correct"),
        ("less than $20,000,000", "$20,000,000", "any payment in respect of Material Indebtedness", "min", "open"),
        ("in excess of $20 million", "$20,000,000", "any payment in respect of Material Indebtedness", "min", "correct"),
        ("less than £5,000,000", "£5,000,000", "the aggregate amount is less than £5,000,000", "min", "correct"),
        ("GBP 8,000,000 per Obligor", "GBP 8,000,000", "does not exceed GBP 8,000,000", "max", "open"),
        ("up to GBP 8,000,000", "GBP 8,000,000", "does not exceed GBP 8,000,000", "max", "correct"),
        ("$10,000,000 in any Fiscal Quarter", "$10,000,000 in any Fiscal Year", "", "max", "open"),
        ("$10 million per Fiscal Year", "$10,000,000 in any Fiscal Year", "", "max", "correct"),
        ("more than £5,000,000 (breach)", "more than £5,000,000 (breach)", "", "min", "correct"),
        ("more than £5,000,000 (event of default)", "more than £5,000,000", "", "min", "open"),
        ("£100,000 for any one lease", "£100,000", "any one lease does not exceed £100,000", "max", "correct"),
    ],
)
def test_what_an_equal_part_of_a_flag_says_beside_it(reported: str, gold: str, quote: str, usual: str, label: str) -> None:
    assert compare_part(reported, gold, (quote,), usual).label == label


def test_the_quote_tells_the_unit_of_days_that_gold_leaves_out() -> None:
    quote = "continues unremedied for 30 days after notice"
    assert compare_days("30 Business Days", 30, (quote,)).label == compare_days("30 days before notice", 30, (quote,)).label == "open"
    assert compare_days("thirty (30) days", 30, (quote,)).label == compare_days(30, 30, (quote,)).label == "correct"
    assert compare_days("30 Business Days", 30, ("within 30 Business Days of notice",)).label == "correct"


STEPPED = "The Borrower shall not permit Leverage to be greater than the ratio set forth below opposite such period."
STEPS = "through June 30, 2025 4.75 to 1.00; through June 30, 2026 4.25 to 1.00; thereafter 3.75 to 1.00"


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("≤4.75x to 6/30/25; ≤4.25x to 6/30/26; ≤3.75x thereafter", STEPS, "partial"),
        ("≥4.75x to 6/30/25; ≥4.25x to 6/30/26; ≥3.75x thereafter", STEPS, "wrong"),
        ("4.75x through Q2 2025, 4.25x through Q2 2026, then 3.75x", STEPS, "partial"),
        ("4.75x through Q2 2026, 4.25x through Q2 2027, then 3.75x", STEPS, "open"),  # of other years
        ("to be greater than 4.75 to 1.00", STEPS, "partial"),  # the sentence's own words
        ("to be greater than 4.25 to 1.00", "4.25 to 1.00", "partial"),
        ("through June 30, 2025 4.75 to 1.00; through June 30, 2027 4.25 to 1.00; thereafter 3.75 to 1.00", STEPS, "wrong"),
        (
            "1 May 2025 to 1 May 2027 4.75:1; 2 May 2026 to 1 May 2027 4.25:1",
            "1 May 2025 to 1 May 2026 4.75:1; 2 May 2026 to 1 May 2027 4.25:1",
            "open",
        ),
        ("floor of 4.25x", "4.25 to 1.00", "wrong"),
        ("4.25x cap", "4.25 to 1.00", "partial"),
        ("4.25x, above 100% usage", "4.25 to 1.00", "open"),  # the comparator of another figure
        ("4.25:1 (minimum usage of 100%)", "shall not be greater than 4.25 to 1.00", "open"),
        ("4.25:1 (minimum)", "shall not be greater than 4.25 to 1.00", "wrong"),
        ("usage above 100%: 4.25x", "shall not be greater than 4.25 to 1.00", "open"),
        ("at least 4.25x, above 100% usage", "shall not be greater than 4.25 to 1.00", "wrong"),
        ("at least 4.75x, then 4.25x", "no more than 4.75x, then 4.25x", "wrong"),
    ],
)
def test_steps_and_comparators_beside_the_sentence(reported: str, gold: str, label: str) -> None:
    assert compare_threshold(reported, gold, is_verbatim=False, sentences=(STEPPED,)).label == label
