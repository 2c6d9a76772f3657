"""What all kinds of values share: a value that stands in its own quote, accepted alternatives, the parts that can be invented."""

from typing import Any

import pytest

from deterministic.documents.documents import Document
from deterministic.values.comparison import (
    Comparison,
    Grammar,
    Kind,
    Label,
    Reading,
    Surroundings,
    as_items,
    as_text,
    best_of,
    raise_verbatim,
    unread_beside,
)
from deterministic.values.words import stands_in
from tests.tables import table


@pytest.mark.parametrize(("value", "quote", "stands"), table("values_comparison", "a_value_stands_in_a_quote_on_token_boundaries"))
def test_a_value_stands_in_a_quote_on_token_boundaries(value: str, quote: str, stands: bool) -> None:
    assert stands_in(value, "other words", quote, ignore_case=True) is stands
    assert not stands_in(value, ignore_case=True)


def test_letter_case_counts_where_the_kind_says_so() -> None:
    assert not stands_in("BANK", "the bank") and stands_in("bank", "the bank")


@pytest.mark.parametrize(("label", "raised"), [("semantic_match", "correct"), ("partial", "partial"), ("open", "open"), ("wrong", "wrong")])
def test_only_a_match_in_meaning_is_raised_by_its_own_quote(label: Label, raised: Label) -> None:
    found = raise_verbatim(Comparison(label, "it is.", ("CODE",)), "two years", Surroundings(("for two years",)), ignore_case=True)
    assert (found.label, found.codes) == (raised, ("CODE",))
    assert raise_verbatim(Comparison(label, "it is."), "two years", Surroundings(("for 2 years",)), ignore_case=True).label == label


def labels(table: dict[str, Label], *alternatives: str, reported: str = "five Acme") -> Label:
    return best_of(lambda mine, other: Comparison(table[other], f"{mine} against {other}"), reported, "gold", alternatives).label


@pytest.mark.parametrize(("gold", "alternative", "text", "label"), table("values_comparison", "accepted_alternatives"))
def test_accepted_alternatives(gold: Label, alternative: Label, text: str, label: Label) -> None:
    assert labels({"gold": gold, text: alternative}, text, reported="5 Acme") == label


def test_an_alternative_that_no_rule_reads_does_not_end_the_comparison() -> None:
    table: dict[str, Label] = {"gold": "wrong", "nothing alike": "open", "Acme five": "correct"}
    assert labels(table, "nothing alike", "Acme five", reported="Acme") == "semantic_match"
    assert labels({"gold": "wrong", "Acme": "open"}, "Acme", reported="the Acme of it") == "open", "without figures a name will do"


def test_a_long_word_beside_a_value_is_not_shown() -> None:
    found = unread_beside("5 %", "5 %", ("x" * 39, "y" * 40), ("z",))
    assert (found.label, "x" * 39 in found.reason, "y" in found.reason, "z" in found.reason) == ("open", True, False, True)


def test_a_part_is_missing_when_no_document_has_it() -> None:
    documents = [Document.from_pages(f"{n}.pdf", [text]) for n, text in enumerate(("alpha beta", "beta gamma"))]

    def occurs(value: Any, document: Document) -> bool:
        return value in document.text

    kind = Kind(lambda *_: Comparison("open", ""), occurs, lambda value, text: value in text, parts=lambda value: tuple(value.split()))
    assert kind.is_literal and kind.missing("alpha gamma delta", documents) == ("delta",) and kind.missing("beta", documents) == ()
    assert not Kind(kind.compare, occurs, kind.supports).is_literal


@pytest.mark.parametrize(("value", "text", "items"), table("values_comparison", "a_value_as_text"))
def test_a_value_as_text(value: Any, text: str, items: list[str]) -> None:
    assert as_text(value) == text and as_items(value) == tuple(items)


def read_colour(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """A kind of value for these tests: red and blue are read, other words stand beside them."""
    words = text.casefold().split()
    value = next((word for word in words if word in ("red", "blue")), None)
    return Reading(value, tuple(w for w in words if w not in ("red", "blue")))


def relate_colours(given: str, expected: str) -> Comparison:
    return Comparison("semantic_match", "equals", ("SAME",)) if given == expected else Comparison("wrong", "differs from")


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_comparison", "texts_are_read_whole_on_both_sides"))
def test_texts_are_read_whole_on_both_sides(reported: str, gold: str, label: str) -> None:
    grammar = Grammar("colour", read_colour, relate_colours)
    assert grammar.compare(reported, gold, (), Surroundings()).label == label


def test_letter_case_can_be_part_of_a_value() -> None:
    grammar = Grammar("colour", read_colour, relate_colours, ignore_case=False)
    assert grammar.compare("red", "RED", (), Surroundings()).label == "semantic_match"
    assert grammar.compare("red", "red", (), Surroundings()).label == "correct"
