"""What models write around and into right quotes, and the nearest wrong quote of each kind (design/quotes.md)."""

import pytest

from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import QuoteMatch
from tests.tables import table, text

PAGES = text("quote_forms", "pages").split("\n----\n")
DOCUMENT = Document.from_pages("a.pdf", PAGES)


def find(quote: str, page: int | None = None, document: Document = DOCUMENT) -> QuoteMatch:
    return find_quote(document, quote, page_hint=page, lower=70)


def codes(match: QuoteMatch) -> set[str]:
    return {code for code, _ in match.findings}


FULL = table("quote_forms", "full")


@pytest.mark.parametrize("quote", FULL)
def test_full_marks(quote: str) -> None:
    match = find(quote)
    assert match.is_verbatim, match
    assert not codes(match)


ALTERED = table("quote_forms", "altered")


@pytest.mark.parametrize("quote", ALTERED)
def test_altered(quote: str) -> None:
    match = find(quote)
    assert match.verdict == "not_found", match
    assert codes(match) == {"ALTERED_QUOTE"}


@pytest.mark.parametrize(("quote", "found"), table("quote_forms", "partial"))
def test_partial(quote: str, found: list[str]) -> None:
    match = find(quote)
    assert match.verdict == "paraphrased", match
    assert codes(match) == set(found)


QUESTIONS = table("quote_forms", "questions")


@pytest.mark.parametrize("quote", QUESTIONS)
def test_a_question(quote: str) -> None:
    assert find(quote, 2 if "Parent" in quote or "Obligor" in quote else 1).verdict == "open"


@pytest.mark.parametrize("quote", ["N/A", "None", "not found", "Not provided in this section", "null", "-", "the", "is", "1", "of the"])
def test_no_quote(quote: str) -> None:
    assert find(quote).verdict == "missing"


def test_a_reference_to_another_place_is_told_and_costs_nothing() -> None:
    match = find("Clause 2.1: The Parent shall supply a certificate signed by two directors", 1)
    assert match.verdict == "normalised"
    assert codes(match) == {"QUOTE_REFERENCE"}


def test_a_retelling_with_another_figure_is_altered() -> None:
    match = find("The Company has to pay the Agent 4.75 per cent. of the commitments as a fee when it is asked to", 1)
    assert match.verdict == "not_found"


def test_a_sentence_of_another_deal_is_invented() -> None:
    assert find("The Issuer will redeem the Notes at the Make-Whole Amount upon a Rating Decline", 1).verdict == "not_found"


def test_every_place_on_the_cited_page_counts_however_often_the_words_stand() -> None:
    document = Document.from_pages("many.pdf", ["The sum is due on demand.\n" * 150 for _ in range(4)])
    found = find("The sum is due on demand.", 4, document)
    assert sum(4 in place.pages for place in found.occurrences) == document.pages[3].body.count("due") > 100


def test_a_quote_of_many_thousand_characters_that_differs_is_a_question() -> None:
    sentences = [f"In year {n} the Borrower shall repay an amount of USD {1_000 + 7 * n} to Lender number {n}." for n in range(200)]
    document = Document.from_pages("long.pdf", ["\n".join(sentences)])
    whole = " ".join(sentences)
    assert find(whole, 1, document).is_verbatim
    assert find(whole.replace("USD 1700", "USD 1900"), 1, document).verdict == "open"
