"""Values as programs, recognisers and hostile outputs write them, through the rules that every field uses: see also test_quote_attacks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import has_lookalikes
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS, Surroundings
from deterministic.values.comparison import plain_value
from tests.tables import table

SOURCE = "The total is USD 500,000,000 and the Margin means 2.75 per cent. per annum for Acme Shipping Pte. Ltd. until 30 June 2029."
DOCUMENT = Document.from_pages("a.pdf", [SOURCE])
GOLD = {"money": "USD 500,000,000", "rate": "2.75%", "party": "Acme Shipping Pte. Ltd.", "date": "2029-06-30"}
MARKS = ("correct", "semantic_match")

RIGHT = table("value_attacks", "right")


@pytest.mark.parametrize(("kind", "text"), RIGHT)
def test_what_a_reader_sees_as_right_is_right_and_not_invented(kind: str, text: str) -> None:
    assert KINDS[kind].compare(text, GOLD[kind], (), Surroundings((SOURCE,), SOURCE)).label in MARKS
    assert KINDS[kind].missing(text, [DOCUMENT]) == ()
    assert KINDS[kind].supports(text, SOURCE)


WRONG = table("value_attacks", "wrong")


@pytest.mark.parametrize(("kind", "text"), WRONG)
def test_what_a_reader_sees_as_wrong_has_no_marks(kind: str, text: str) -> None:
    assert KINDS[kind].compare(text, GOLD[kind], (), Surroundings((), SOURCE)).label in ("wrong", "open")


@pytest.mark.parametrize(("kind", "text", "gold", "label"), table("value_attacks", "either"))
def test_a_figure_with_two_readings_or_a_minus_behind_it_is_settled_by_nobody(kind: str, text: Any, gold: Any, label: str) -> None:
    assert KINDS[kind].compare(text, gold, (), Surroundings((), SOURCE)).label == label


@pytest.mark.parametrize(("kind", "text"), table("value_attacks", "never_invented"))
def test_what_no_rule_reads_is_not_invented(kind: str, text: str) -> None:
    assert KINDS[kind].missing(text, [DOCUMENT]) == ()


def test_numbers_side_by_side_in_a_quoted_table_are_not_one() -> None:
    assert not KINDS["money"].supports("USD 185,500", "USD 185, 500") and KINDS["money"].supports("USD 185,500", "USD\u200b 185,500")


def test_a_text_with_other_letters_is_the_document_s() -> None:
    disguised = Document.from_pages("a.pdf", [SOURCE.replace("Acme", "Асmе").replace("2.75", "2·75")])
    assert KINDS["party"].missing("Acme Shipping Pte. Ltd.", [disguised]) == () == KINDS["rate"].missing("2.75%", [disguised])


@given(st.text(alphabet="\u200b\u202e\u2060\ufeffAcm 5", max_size=40))
def test_invisible_characters_leave_no_trace(text: str) -> None:
    seen = "".join(character for character in text if character in "Acm 5")
    assert plain_value([text, {"y": (text,)}]) == [seen, {"y": (seen,)}]


HOSTILE = ["а" * 100_000, "аb" * 50_000 + "я", "111, " * 20_000, "111, " * 20_000 + "x", "1 ," * 33_000, "5e5 " * 25_000]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_value_of_the_longest_length_costs_no_minutes(text: str) -> None:
    assert isinstance(plain_value(text), str)


ENDLESS = ("4" * 5000, *(mark.join(["444"] * 1500) for mark in ", .'"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_is_too_long_for_a_rule(kind: str) -> None:
    """Python turns no number of more than 4,300 digits into text."""
    for text in (
        form.format(number) for number in ENDLESS for form in ("{}", "USD {}", "{} %", "{} months", "{}:1", "1/{}", "{} March 2031")
    ):
        assert KINDS[kind].compare(text, GOLD.get(kind, SOURCE), (), Surroundings((), SOURCE)).label in ("wrong", "open", "partial")
        assert not KINDS[kind].supports(text, SOURCE)
        assert isinstance(KINDS[kind].missing(text, [DOCUMENT]), tuple)
        assert find_quote(DOCUMENT, f"is USD 500,000,000 and within {text} the Margin", page_hint=1, lower=70).verdict != "exact"


@pytest.mark.parametrize("text", ["Hаrbour", "Αcme", "Аcmе Shipping"])
def test_letters_that_look_alike_are_told(text: str) -> None:
    assert has_lookalikes(text) and not has_lookalikes("Société Générale, 2·75 %, Щит")
