"""Currencies: codes, names, symbols, and which dollar a bare `$` is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.lexicon.currencies import NAMES, SYMBOLS, iso_codes
from deterministic.values.figures import currency
from tests.tables import table


@pytest.mark.parametrize(("text", "codes"), table("values_currency", "forms_of_a_currency", tuples=True))
def test_forms_of_a_currency(text: str, codes: tuple[str, ...]) -> None:
    parsed = currency.parse(text)
    assert parsed is not None
    assert parsed.codes == codes


@pytest.mark.parametrize("text", ["", "XAU", "XXX", "XTS", "money", "ZZZ", "USD and EUR", "Singapore Dollars (USD)", "sum"])
def test_what_is_no_single_currency_is_none(text: str) -> None:
    assert currency.parse(text) is None


def test_words_and_company_forms_are_no_currencies() -> None:
    text = "ALL PARTIES: Acme Pte. Ltd. (ACME PTE LTD) has won the Real Property; TRY AGAIN; PTE 84-14; 5 ft"
    assert currency.scan(text) == ()
    assert [m.value.codes for m in currency.scan("TRY 5,000 and 30 million won")] == [("TRY",), ("KRW",)]


def test_a_value_of_several_currencies_has_each_as_a_part() -> None:
    assert currency.parts("GBP / EUR") == ("GBP", "EUR")


def test_every_row_of_the_tables_names_known_codes() -> None:
    assert {code for codes in [*SYMBOLS.values(), *NAMES.values()] for code in codes} <= iso_codes()


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted({*NAMES, *(s for s in SYMBOLS if not s[0].isalpha())})))
def test_the_scan_finds_what_the_parser_reads(form: str) -> None:
    parsed = currency.parse(form)
    assert parsed is not None
    assert any(m.value.codes == parsed.codes for m in currency.scan(f"Each payment is made in {form} 5 on the day."))
