"""The guards of design/quotes.md at one place of the source: ‹ and › stand around the part that has the quote's letters and digits."""

import pytest

from deterministic.quotes.edges import denied_before
from deterministic.quotes.guards import Reading, compare_verbatim
from tests.tables import table


def read(marked: str, quote: str, words: str = "", *, is_inner: bool = False) -> Reading:
    """words: "loan*3" for a word that the document has three times."""
    counts = {word: int(number) for word, _, number in (entry.partition("*") for entry in words.split())}
    text, start, end = marked.replace("‹", "").replace("›", ""), marked.index("‹"), marked.index("›") - 1
    return compare_verbatim(quote, text, start, end, lambda word: counts.get(word, 0), is_inner=is_inner)


ROWS = table("quote_guards", "rows")


@pytest.mark.parametrize(("marked", "quote", "wording"), ROWS)
def test_wording_at_a_place(marked: str, quote: str, wording: str) -> None:
    found = read(marked, quote)
    assert found.wording == wording, found
    assert bool(found.details) == (wording in ("altered", "mark_lost", "doubtful")) and found.similarity == 100


@pytest.mark.parametrize(
    ("marked", "quote"), [("it is not ‹less than five›", "less than five"), ("No ‹fee is payable on it›", "fee is payable on it")]
)
def test_what_stands_before_a_further_part_of_an_ellipsis_is_judged_with_the_gap(marked: str, quote: str) -> None:
    assert read(marked, quote, is_inner=True).wording == "exact"


@pytest.mark.parametrize(("words", "wording"), table("quote_guards", "two_words_without_a_space_are_glued_where_the_document_has_each"))
def test_two_words_without_a_space_are_glued_where_the_document_has_each(words: str, wording: str) -> None:
    assert read("the ‹loan›agreement is", "loan", words).wording == wording


@pytest.mark.parametrize(("before", "denied"), table("quote_guards", "a_negation_right_before_a_place"))
def test_a_negation_right_before_a_place(before: str, denied: str) -> None:
    assert denied_before(f"{before}pay", len(before)) == (f"{denied} stands right before it in the source" if denied else "")
