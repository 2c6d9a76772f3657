"""A value is read whole: with anything guarded beside it, it is never equal, nor is any other value; closed lists hold nothing guarded."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.lexicon import labels
from deterministic.lexicon.guarded import words_of
from deterministic.values import KINDS, Surroundings
from deterministic.values.figures import gaps, money, rates
from deterministic.values.figures.thresholds import compare_threshold
from deterministic.values.time import periods
from deterministic.values.words import frame_of, same_words, without_list_mark
from tests.tables import entries
from tests.test_values_rates import parse

RIGHT: dict[str, tuple[str, str, str]] = entries("values_whole", "right", tuples=True)
MARKS = ("correct", "semantic_match")
GUARDED = sorted(
    words_of("negation", "exception", "condition", "limit", "approximation", "direction", "party", "month") - {"may", "non", "ca", "in"}
)
SIGNS = ["-", "+", "<", ">", "≤", "≥", "±", "~", "☐", "☒"]
AROUND = {kind: Surroundings(labels=labels.LABELS.get(field, ())) for kind, (_, field, _) in RIGHT.items()}


def label(kind: str, reported: Any, gold: Any = None) -> str:
    return KINDS[kind].compare(reported, RIGHT[kind][0] if gold is None else gold, (), AROUND[kind]).label


@pytest.mark.parametrize("kind", KINDS)
def test_no_reason_compares_a_text_with_itself(kind: str) -> None:
    values = [
        "$5m",
        "dollars",
        "14 May 2031",
        "03/04/2031",
        "Y",
        "4.00:1",
        "x",
        {"amount": 5, "currency": "GBP"},
        {"amount": "5", "currency": "$"},
    ]
    for value in values:
        reason = KINDS[kind].compare(value, value, (), Surroundings(document_text="USD 5, AUD 6")).reason
        if not isinstance(value, str):
            assert reason.count(f"{value['currency']} {value['amount']}") < 2, reason
        assert reason.count(str(value)) < 2 or value == "x", reason
    assert "is what gold says, but the document" in compare_threshold("4.00:1", "4.00:1", is_verbatim=False).reason


@pytest.mark.parametrize("kind", RIGHT)
@settings(max_examples=80, deadline=None)
@given(word=st.sampled_from(GUARDED), is_before=st.booleans(), joint=st.sampled_from([" ", ", ", " (", " - "]))
def test_a_guarded_word_beside_a_right_value_is_never_equal(kind: str, word: str, is_before: bool, joint: str) -> None:
    own = {one for phrase in labels.LABELS.get(RIGHT[kind][1], ()) for one in phrase.split()}
    value = RIGHT[kind][0]
    closing = ")" if joint.endswith("(") else ""
    told = f"{word}{joint}{value}{closing}" if is_before else f"{value}{joint}{word}{closing}"
    if word not in own:
        assert label(kind, told) not in MARKS, told
        assert label(kind, value, told) not in MARKS, told


@pytest.mark.parametrize("kind", [kind for kind in RIGHT if kind != "binary"])
@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_or_box_before_a_right_value_is_never_equal(kind: str, sign: str) -> None:
    if sign != "-" or kind not in ("law", "party"):  # a dash before a word is punctuation
        assert label(kind, f"{sign}{RIGHT[kind][0]}") not in MARKS


@pytest.mark.parametrize("kind", RIGHT)
@pytest.mark.parametrize("mark", ["?", " (?)", "\u0336", "\u20dd", "\u202e"])
def test_a_value_that_is_doubted_or_struck_is_never_equal(kind: str, mark: str) -> None:
    assert label(kind, RIGHT[kind][0] + mark) == "open"


@pytest.mark.parametrize(("kind", "text"), [("money", "USD 4 5,000,000"), ("date", "1 4 May 2031"), ("period", "3 6 months")])
def test_half_of_a_number_is_not_looked_for(kind: str, text: str) -> None:
    assert KINDS[kind].parts(text) == ()


@pytest.mark.parametrize("kind", RIGHT)
def test_another_value_is_never_equal_and_the_field_s_own_name_says_nothing(kind: str) -> None:
    value, field, other = RIGHT[kind]
    assert label(kind, value) in MARKS and label(kind, other) not in MARKS
    for name in labels.LABELS.get(field, ()):
        if kind != "law":
            assert label(kind, f"{value} ({name})" if kind != "party" else f"{value}, as {name}") in MARKS, name


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_amounts_are_equal_only_to_themselves(one: int, other: int) -> None:
    found = money.compare(f"EUR {one:,}", f"{other} euros", (), Surroundings()).label
    assert (found in MARKS) == (one == other) and (found == "wrong") == (one != other)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 2000), st.integers(1, 2000), st.sampled_from(["", "-"]))
def test_rates_are_equal_only_to_themselves(one: int, other: int, sign: str) -> None:
    found = rates.compare(f"{sign}{one / 100:.2f}%", f"{other} bps", (), Surroundings()).label
    assert (found in MARKS) == (one == other and not sign) and (found == "wrong") == (one != other and not sign)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["EUR 5m", "2.5%", "5 years"]), st.text(max_size=30))
def test_what_is_parsed_is_the_whole_string(before: str, value: str, behind: str) -> None:
    text = f"{before} {value} {behind}"
    words = set(frame_of(f"{before} | {behind}", (), labels.ARTICLES | labels.OF_A_RATE | labels.OF_A_LENGTH))
    if any(word.isalpha() and len(word) > 3 for word in words):
        assert not (money.parse(text) and parse(text) and periods.parse(text))


def test_closed_lists_hold_nothing_guarded_but_the_kind_s_own() -> None:
    never = words_of("negation", "exception", "condition", "limit", "approximation", "currency", "number")
    for name, words in vars(labels).items():
        if isinstance(words, frozenset):
            assert not words & never, name
    roles = {"borrower", "guarantors", "facility_agent"}
    for field, phrases in labels.LABELS.items():
        told = {word for phrase in phrases for word in phrase.split()}
        assert not told & never, field
        assert field in roles or not told & words_of("party"), field


def test_signs_survive_where_texts_are_compared() -> None:
    for one, other in (("A+", "A-"), ("≥ 5", "≤ 5"), ("-0.75%", "0.75%"), ("☐ Term ☒ Revolving", "☒ Term ☐ Revolving"), ("(5)", "5")):
        assert not same_words(one, other) and same_words(one, one.upper())


def test_a_list_mark_is_no_part_of_a_name() -> None:
    assert [without_list_mark(mark + "Acme Limited") for mark in ("1. ", "(a) ", "- ", "• ", "12) ")] == ["Acme Limited"] * 5
    assert without_list_mark("A. P. Moller") == "A. P. Moller" and without_list_mark("3i Group plc") == "3i Group plc"


@pytest.mark.parametrize(
    ("gap", "sign"), [("45 bps above the benchmark", 1), ("45 bps higher than the benchmark", 1), ("minus 45 bps", -1), ("+45bps", 1)]
)
def test_the_side_of_a_gap_is_the_deal_s(gap: str, sign: int) -> None:
    found = gaps.parse_gap(gap)
    assert found is not None and (found.size, found.sign) == (45, sign)


@pytest.mark.parametrize(
    "gap", ["the benchmark is 45 bps higher", "not 45 bps above", "45 bps per month", "nearly 45 bps", "45 bps or more"]
)
def test_a_gap_with_anything_else_beside_it_is_unread(gap: str) -> None:
    assert gaps.parse_gap(gap) is None
