"""Currencies: codes, names, symbols, and which dollar a bare `$` is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.currencies import NAMES, SYMBOLS, iso_codes
from deterministic.values import currency
from deterministic.values.comparison import Surroundings
from tests.tables import table

ONE_DOLLAR = "a facility of $5,000,000 in US Dollars"
SEVERAL = "a US Dollar facility of US$480,000,000 with a fee of HK$ 400,000"


def label(reported: object, gold: object, text: str = "", accepted: tuple[str, ...] = ()) -> str:
    return currency.compare(reported, gold, accepted, Surroundings(document_text=text)).label


@pytest.mark.parametrize(("text", "codes"), table("values_currency", "forms_of_a_currency", tuples=True))
def test_forms_of_a_currency(text: str, codes: tuple[str, ...]) -> None:
    parsed = currency.parse(text)
    assert parsed is not None
    assert parsed.codes == codes


@pytest.mark.parametrize("text", ["", "XAU", "XXX", "XTS", "money", "ZZZ", "USD and EUR", "Singapore Dollars (USD)", "sum"])
def test_what_is_no_single_currency_is_none(text: str) -> None:
    assert currency.parse(text) is None


def test_the_code_is_correct_and_a_name_or_symbol_a_semantic_match() -> None:
    assert label("USD", "USD") == "correct"
    assert label("USD", "US Dollars") == "correct"
    assert label("US Dollars", "USD", SEVERAL) == "semantic_match"
    assert label("US Dollars", "US Dollars", SEVERAL) == "semantic_match"
    assert label("US$", "USD", SEVERAL) == "semantic_match"
    assert label("usd", "USD") == "semantic_match"
    assert label("RMB", "CNY") == "semantic_match"


def test_another_currency_is_wrong_and_an_unknown_word_open() -> None:
    assert label("EUR", "USD") == "wrong"
    assert label("HKD", "USD", SEVERAL) == "wrong"
    assert label("HK$", "USD", SEVERAL) == "wrong"
    assert label("the Base Currency", "USD") == "open"


def test_a_bare_dollar_counts_by_the_dollars_of_the_document() -> None:
    assert label("$", "USD", SEVERAL) == "partial"
    assert label("$", "USD", ONE_DOLLAR) == "semantic_match"
    assert label("$", "SGD", SEVERAL) == "partial"
    assert label("$", "EUR", ONE_DOLLAR) == "wrong"


def test_other_shared_signs_count_by_the_currencies_of_the_document() -> None:
    assert label("Rupees", "INR", "INR and nothing else") == "semantic_match"
    assert label("Rupees", "INR", "INR and Sri Lankan Rupees") == "partial"
    assert label("¥", "JPY", "JPY 5,000") == "semantic_match"
    assert label("¥", "JPY", "JPY 5,000 or RMB 60") == "partial"
    assert label("¥", "USD", "JPY 5,000") == "wrong"


def test_words_and_company_forms_are_no_currencies() -> None:
    text = "ALL PARTIES: Acme Pte. Ltd. (ACME PTE LTD) has won the Real Property; TRY AGAIN; PTE 84-14; 5 ft"
    assert currency.scan(text) == ()
    assert [m.value.codes for m in currency.scan("TRY 5,000 and 30 million won")] == [("TRY",), ("KRW",)]


def test_a_quote_shows_several_currencies_when_it_names_all() -> None:
    assert currency.supports("GBP or EUR", "Loans in Sterling or (subject to Clause 4.3) euro")
    assert not currency.supports("GBP or EUR", "Loans in Sterling")
    assert currency.parts("GBP / EUR") == ("GBP", "EUR")


def test_an_accepted_alternative_is_a_semantic_match() -> None:
    assert label("SGD", "USD", "", ("SGD",)) == "semantic_match"


def test_occurrence_and_support() -> None:
    document = Document.from_pages("a.pdf", ["Rs. 5,00,000 and HK$ 400, euros, and a Eurodollar loan. TRY again."])
    assert [currency.occurs(c, document) for c in ("INR", "HKD", "EUR", "HK$")] == [True] * 4
    assert [currency.occurs(c, document) for c in ("USD", "GBP", "CNY")] == [False] * 3
    assert currency.supports("INR", "not exceeding ₹ 4,50,00,00,000")
    assert currency.supports("USD", "USD480m")
    assert not currency.supports("USD", "the Eurodollars of Usdan")
    assert currency.supports("USD", "dollars in lawful money of the United States")


def test_every_row_of_the_tables_names_known_codes() -> None:
    assert {code for codes in [*SYMBOLS.values(), *NAMES.values()] for code in codes} <= iso_codes()


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_comparison_and_equal_texts_never_differ(first: str, second: str) -> None:
    assert currency.compare(first, first, (), Surroundings()).label not in ("wrong", "partial") or "$" in first or len(first.strip()) <= 6
    currency.compare(first, second, (), Surroundings(document_text=second))
    currency.scan(first)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted({*NAMES, *(s for s in SYMBOLS if not s[0].isalpha())})))
def test_the_scan_finds_what_the_parser_reads(form: str) -> None:
    parsed = currency.parse(form)
    assert parsed is not None
    assert any(m.value.codes == parsed.codes for m in currency.scan(f"Each payment is made in {form} 5 on the day."))


@pytest.mark.parametrize(("text", "label"), table("values_currency", "dollar_that_is_only_an_option"))
def test_under_the_law_of_a_us_state_a_dollar_that_is_only_an_option_is_no_rival(text: str, label: str) -> None:
    assert currency.compare("$", "USD", (), Surroundings(document_text=text)).label == label
