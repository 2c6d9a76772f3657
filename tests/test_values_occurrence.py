"""A whole document is searched in shorter ways than a quote; both ways find the same."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon import numbers
from deterministic.lexicon.searching import find_behind
from deterministic.values import KINDS
from deterministic.values.names import roles
from deterministic.values.time import periods
from tests.tables import table

PIECES = (
    *"2.75 275 1,125 1.125 350.000 1/8 ½ 0.00 -0- 40 25 5 USD EUR $ million bn % bps a an half hundred five Two twenty-five point".split(),
    *"and dollars months ( ) , - / one quarter L+ to".split(),
    *("2 1/2", "per cent.", "basis points", "of the Margin", "Business Days", "\n", "Margin (%)", "zero floor", "one year"),
)
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(("", " ", " ", "\n"))), max_size=14).map(
    lambda pieces: "".join(piece + gap for piece, gap in pieces)
)


@pytest.mark.parametrize(("kind", "value", "text"), table("values_occurrence", "what_a_document_writes_in_its_own_way_is_there"))
def test_what_a_document_writes_in_its_own_way_is_there(kind: str, value: str, text: str) -> None:
    document = Document.from_pages("a.pdf", [text])
    assert KINDS[kind].occurs(value, document)
    assert not KINDS[kind].occurs(value, Document.from_pages("a.pdf", ["The Borrower shall pay 3.35 % on USD 7,000,000."]))


@given(st.sampled_from(["RMB 32,800", "5 %", "SOFR + 2.5%", "31 May 2029", "12 months", "one-off fee of 3", "(2.5)%", "no. 7/2029", "1/3"]))
@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_in_the_document_is_never_missing(kind: str, value: str) -> None:
    assert KINDS[kind].missing(value, (Document.from_pages("a.pdf", [f"It says {value}; so."]),)) == ()


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@pytest.mark.parametrize(
    ("before", "pattern"),
    [(numbers._BEFORE_WORDS, numbers._WORDS_SCAN), (periods._BEFORE_NUMBER, periods._SCANNED)],
    ids=["words", "lengths"],
)
def test_a_number_is_found_where_it_can_begin(before: re.Pattern[str], pattern: re.Pattern[str], text: str) -> None:
    assert [m.span() for m in find_behind(before, pattern, text)] == [m.span() for m in pattern.finditer(text)]


def test_equal_numbers_are_not_one_value() -> None:
    """What is kept of a quote is kept by the value's own words: 1 and True are equal keys, and read in two ways."""
    text = "The Margin is 1 per cent."
    kind = KINDS["rate"]
    assert [kind.supports(value, text) for value in ("1 %", 1, True, "1 %", True)] == [True, True, False, True, False]
    kind = KINDS["conditions"]
    assert [kind.supports(("other", value), text) for value in (1, True, 1)] == [True, False, True]


def test_a_name_is_asked_for_in_each_role() -> None:
    text = "Acme Bank plc as security agent"
    assert [roles.is_only_other_role(text, "Acme Bank plc", field) for field in ("facility_agent", "lender", "facility_agent")] == [
        True,
        False,
        True,
    ]
