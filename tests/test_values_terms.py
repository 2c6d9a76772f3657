"""Yes/no, facility types, repayment schedules, conditions, frequencies, free text, and the table of kinds."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values import KINDS, Surroundings, binary, conditions, facility_types, frequency
from deterministic.values.words import contains_words
from tests.tables import table

NOTHING = Surroundings()


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_terms", "yes_and_no"))
def test_yes_and_no(reported: Any, gold: Any, label: str) -> None:
    assert binary.compare(reported, gold, (), NOTHING).label == label


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_terms", "facility_types"))
def test_facility_types(reported: str, gold: str, label: str) -> None:
    assert facility_types.compare(reported, gold, (), NOTHING).label == label


GOLD = ["Constitutional documents of each Obligor", "Board resolutions of each Obligor"]


@pytest.mark.parametrize(("reported", "label"), table("values_terms", "conditions_compare_as_a_set"))
def test_conditions_compare_as_a_set(reported: list[str], label: str) -> None:
    assert conditions.compare(reported, GOLD, (), NOTHING).label == label


def test_one_condition_in_the_quote_is_enough() -> None:
    assert conditions.supports(GOLD, "(a) the constitutional documents of each Obligor;")
    assert not conditions.supports(GOLD, "(a) a legal opinion;")


BESIDE = "if unless except until not no non interest Lender option waived of or per only every after prepayments".split()


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(BESIDE), st.booleans(), st.sampled_from(["quarterly", "semi-annual instalments", "bullet", "term loan", "RCF"]))
def test_a_word_beside_a_term_never_gets_marks(word: str, is_behind: bool, value: str) -> None:
    text = f"{value} {word}" if is_behind else f"{word} {value}"
    for kind in (KINDS["repayment"], facility_types):
        assert kind.compare(text, value, (), NOTHING).label in ("open", "wrong")
    assert frequency.parse(text) in (None, frequency.parse(value)) or word == "per"
    assert conditions.compare([text, GOLD[1]], [value, GOLD[1]], (), NOTHING).label == "open"


@pytest.mark.parametrize(("words", "rung"), table("values_terms", "free_text_normalises_to_a_rung"))
def test_free_text_normalises_to_a_rung(words: str, rung: str | None) -> None:
    assert frequency.parse(words) == rung


@pytest.mark.parametrize(("passage", "rungs"), table("values_terms", "the_frequencies_that_a_passage_states"))
def test_the_frequencies_that_a_passage_states(passage: str, rungs: list[str]) -> None:
    assert frequency.scan(passage) == set(rungs)


def test_free_text_stands_as_whole_words() -> None:
    assert contains_words("the “Permitted Liens”, if any", "permitted liens")
    assert not contains_words("unpermitted liens", "permitted liens")


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-5, 10**9), st.text(max_size=40), st.lists(st.text(max_size=15), max_size=3))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(KINDS)), VALUES, VALUES, st.text(max_size=60))
def test_no_kind_crashes_on_any_value(name: str, reported: Any, gold: Any, words: str) -> None:
    kind = KINDS[name]
    comparison = kind.compare(reported, gold, (gold,), Surroundings(quotes=(words,), document_text=words))
    assert comparison.label in ("correct", "semantic_match", "partial", "wrong", "open") and comparison.reason
    assert kind.occurs(reported, Document.from_pages("a.pdf", [words])) in (True, False)
    assert kind.supports(reported, words) in (True, False)
    frequency.parse(words)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.text(max_size=40))
def test_equal_values_are_never_wrong(name: str, value: str) -> None:
    if name not in ("binary", "date"):
        assert KINDS[name].compare(value, value, (), NOTHING).label != "wrong"


@pytest.mark.parametrize(
    ("kind", "reported", "gold", "label", "missing"), table("values_terms", "a_value_among_other_words_is_looked_for_by_what_it_names")
)
def test_a_value_among_other_words_is_looked_for_by_what_it_names(
    kind: str, reported: Any, gold: Any, label: str, missing: list[str]
) -> None:
    """Only informative parts are looked for (design/values.md), and a remark whose figure the document lacks leaves it open."""
    words = "Acme Limited may draw until the Termination Date. Governed by English law. Term SOFR. 21 June 2029. five years"
    assert KINDS[kind].compare(reported, gold, (), Surroundings(document_text=words)).label == label
    assert KINDS[kind].missing(reported, [Document.from_pages("a.pdf", [words])]) == tuple(missing)
