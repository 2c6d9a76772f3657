"""Yes/no, facility types, repayment schedules, conditions, frequencies, free text, and the table of kinds."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values import KINDS, Surroundings
from deterministic.values.names import conditions, facility_types
from deterministic.values.time import frequency
from deterministic.values.words import contains_words
from tests.tables import table

NOTHING = Surroundings()


GOLD = ["Constitutional documents of each Obligor", "Board resolutions of each Obligor"]


@pytest.mark.parametrize(("kind", "reported", "gold", "beside", "label"), table("values_kinds", "compare"))
def test_a_value_compares_by_the_rule_of_its_kind(kind: str, reported: Any, gold: Any, beside: dict[str, Any], label: str) -> None:
    """beside: what is accepted, what surrounds the value, and the codes of the comparison."""
    around = {key: value if isinstance(value, str) else tuple(value) for key, value in beside.items() if key not in ("accepted", "codes")}
    found = KINDS[kind].compare(reported, gold, tuple(beside.get("accepted", ())), Surroundings(**around))
    assert found.label == label and ("codes" not in beside or list(found.codes) == beside["codes"])


@pytest.mark.parametrize(("kind", "value", "text", "how", "is_there"), table("values_kinds", "stands"))
def test_a_value_stands_in_a_text_in_any_form_on_whole_tokens(kind: str, value: Any, text: str, how: str, is_there: bool) -> None:
    assert how == "occurs" or KINDS[kind].supports(value, text) == is_there
    assert how == "supports" or KINDS[kind].occurs(value, Document.from_pages("a.pdf", [text])) == is_there


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
    assert isinstance(kind.parts(reported), tuple) and isinstance(kind.scan(words), tuple)
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
