"""The guards of design/quotes.md at one place of the source: ‹ and › stand around the part that has the quote's letters and digits."""

from __future__ import annotations

import pytest

from deterministic.quotes.edges import denied_before
from deterministic.quotes.guards import Reading, compare_verbatim


def read(marked: str, quote: str, words: str = "", *, is_inner: bool = False) -> Reading:
    """words: "loan*3" for a word that the document has three times."""
    counts = {word: int(number) for word, _, number in (entry.partition("*") for entry in words.split())}
    text, start, end = marked.replace("‹", "").replace("›", ""), marked.index("‹"), marked.index("›") - 1
    return compare_verbatim(quote, text, start, end, lambda word: counts.get(word, 0), is_inner=is_inner)


ROWS = [
    ("in EUR million 12‹5 250 375› in all", "5 250 375", "altered"),
    ("It goes on and on before it comes to that, for the sake of length: in EUR million ‹125› 250 375 in all", "125", "exact"),
    ("It goes on and on before it comes to that, for the sake of length: the sum is ‹350› 000 in all", "350", "altered"),
    ("It goes on and on before it comes to that, for the sake of length: it is not ‹less than five›", "less than five", "altered"),
    ("un‹lawful here›", "lawful here", "altered"),
    ("‹5% in all› of it", "5 in all", "mark_lost"),
    ("‹12\n34 in all›", "1234 in all", "normalised"),
    ("a ‹sum of twenty-five here›", "sum of twentyfive here", "normalised"),
    ("a ‹row x 12 here›", "row x12 here", "normalised"),
    ("a ‹fee - 5 here›", "fee 5 here", "normalised"),
    ("a ‹+ 5 here›", "+ 5 here", "exact"),
    ("No ‹fee is payable by none of them›", "fee is payable by none of them", "exact"),
    ("No ‹fee is payable and never was›", "fee is payable and never was", "exact"),
    ("a fee of ‹5% or 4% in› all", "5% or 4 in", "mark_lost"),
    ("in EUR million ‹125› 250 375 in all", "125", "exact"),
    ("in EUR million 125 ‹250 375› in all", "250 375", "exact"),
    ("in EUR million 125 2‹50 375› in all", "50 375", "altered"),
    ("the sum of ‹350› 000 in all", "350", "altered"),
    ("the sum of 1 350‹ 000› in all", "000", "altered"),
    ("under ‹Section 5›.1 of it", "Section 5.", "exact"),
    ("under ‹Section 5›.1 of it", "Section 5", "altered"),
    ("a fee of ‹the 5›.1 of it", "the 5.", "mark_lost"),
    ("under Section ‹5›.1 of it", "5.", "exact"),
    ("a rate of 0.‹90›% a year", ".90%", "mark_lost"),
    ("a rate of 0.‹90›% a year", "90%", "altered"),
    ("it is not ‹less than five›", "less than five", "altered"),
    ("it is ‹not less› than five", "not less", "exact"),
    ("it is ‹not› less than five", "not", "exact"),
    ("that is un‹lawful here›", "lawful here", "altered"),
    ("it is non-\n‹compliant here›", "compliant here", "altered"),
    ("the Bun‹gled here›", "gled here", "mark_lost"),
    ("a sum of -‹5 here›", "5 here", "altered"),
    ("a sum of -‹5 here›", "-5 here", "exact"),
    ("a sum of a-‹5 here›", "5 here", "exact"),
    ("sum (−‹5 here›)", "5 here", "altered"),
    ("No ‹fee is payable on it›", "fee is payable on it", "altered"),
    ("No ‹fee payable on it›", "fee payable on it", "exact"),
    ("None of the ‹Lenders shall pay›", "Lenders shall pay", "altered"),
    ("No “‹fee is payable on it›”", "fee is payable on it", "altered"),
    ("No ‹fee which is payable on it›", "fee which is payable on it", "exact"),
    ("No ‹fee shall not be paid›", "fee shall not be paid", "exact"),
    ("No ‹a b c d e f g h i j k l m n is paid›", "a b c d e f g h i j k l m n is paid", "exact"),
    ("No ‹a b c d e f g h i j k l m is paid›", "a b c d e f g h i j k l m is paid", "altered"),
    ("the ‹Borr›ower pays", "Borr", "mark_lost"),
    ("the ‹Borr›ower pays", "Borr-", "normalised"),
    ("the ‹Borr›ower pays", "Borr…", "normalised"),
    ("the Borr‹ower pays›", "ower pays", "mark_lost"),
    ("the Borr‹ower pays›", "…ower pays", "normalised"),
    ("the ‹Borrower›Shall pay", "Borrower", "exact"),
    ("the ‹loan›agreement is", "loan", "mark_lost"),
    ("a fee of ‹5›% of it", "5%", "exact"),
    ("a fee of ‹5›% of it", "5", "exact"),
    ("a fee of ‹5 in all› of it", "5% in all", "altered"),
    ("a fee of ‹5% in all› of it", "5 in all", "mark_lost"),
    ("a fee of ‹0.85› per cent", "0.85%", "mark_lost"),
    ("a fee of EUR ‹5 in› all", "€5 in", "mark_lost"),
    ("not more than ‹5 in› all", "≤5 in", "mark_lost"),
    ("at least ‹5 in› all", "≥5 in", "mark_lost"),
    ("at least ‹5 in› all", "≤5 in", "altered"),
    ("more than ‹5 in› all", ">5 in", "mark_lost"),
    ("less than ‹5 in› all", "<5 in", "mark_lost"),
    ("a ‹sum of 4 here›", "sum of (4) here", "altered"),
    ("a ‹sum of (4) here›", "sum of 4 here", "mark_lost"),
    ("a ‹sum of (4,200) here›", "sum of 4,200 here", "mark_lost"),
    ("a ‹sum of 4,200 here›", "sum of (4,200) here", "altered"),
    ("a ‹sum of -4,200 here›", "sum of 4,200 here", "altered"),
    ("a ‹sum of 4,200 here›", "sum of -4,200 here", "altered"),
    ("a ‹sum of 12\n34 here›", "sum of 1234 here", "normalised"),
    ("a ‹sum of 12 34 here›", "sum of 1234 here", "altered"),
    ("a ‹sum of 1 2 3 here›", "sum of 123 here", "normalised"),
    ("a ‹sum of 1234 here›", "sum of 12 34 here", "altered"),
    ("a ‹sum of 12-34 here›", "sum of 1234 here", "altered"),
    ("a ‹sum of 12  34 here›", "sum of 1234 here", "normalised"),
    ("a ‹sum of 123 here›", "sum of 1 2 3 here", "normalised"),
    ("a ‹sum of 1.5 here›", "sum of 15 here", "altered"),
    ("a ‹sum of 1,500 here›", "sum of 1.500 here", "altered"),
    ("a ‹+5 -3 here›", "+5 +3 here", "altered"),
    ("a ‹plus 5 here›", "plus -5 here", "altered"),
    ("a ‹fee — 5 here›", "fee 5 here", "normalised"),
]


@pytest.mark.parametrize(("marked", "quote", "wording"), ROWS)
def test_wording_at_a_place(marked: str, quote: str, wording: str) -> None:
    found = read(marked, quote)
    assert found.wording == wording, found
    assert bool(found.details) == (wording in ("altered", "mark_lost")) and found.similarity == 100


@pytest.mark.parametrize(
    ("marked", "quote"), [("it is not ‹less than five›", "less than five"), ("No ‹fee is payable on it›", "fee is payable on it")]
)
def test_what_stands_before_a_further_part_of_an_ellipsis_is_judged_with_the_gap(marked: str, quote: str) -> None:
    assert read(marked, quote, is_inner=True).wording == "exact"


@pytest.mark.parametrize(
    ("words", "wording"),
    [
        ("loan*3 agreement*3", "exact"),
        ("loan*3 agreement*3 loanagreement*2", "exact"),
        ("loan*2 agreement*9", "mark_lost"),
        ("loan*9 agreement*2", "mark_lost"),
        ("loan*9 agreement*9 loanagreement*3", "mark_lost"),
    ],
)
def test_two_words_without_a_space_are_glued_where_the_document_has_each(words: str, wording: str) -> None:
    assert read("the ‹loan›agreement is", "loan", words).wording == wording


@pytest.mark.parametrize(
    ("before", "denied"),
    [("shall not ", "not"), ("without ", "without"), ("shall never  ", "never"), ("cannot ", ""), ("not to ", ""), ("no", "")],
)
def test_a_negation_right_before_a_place(before: str, denied: str) -> None:
    assert denied_before(f"{before}pay", len(before)) == (f"{denied} stands right before it in the source" if denied else "")
