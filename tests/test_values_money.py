"""Amounts of money in the notations of the loan market, and the labels of their comparison."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words  # type: ignore[import-untyped]

from deterministic.values.figures import money
from deterministic.values.figures.amounts import Money
from tests.tables import table

M = 10**6


@pytest.mark.parametrize(("text", "amount", "code"), table("values_money", "notations"))
def test_notations(text: str, amount: str, code: str) -> None:
    parsed = money.parse(text)
    assert isinstance(parsed, Money)
    assert (parsed.amount, parsed.codes[0], parsed.conflict) == (Fraction(amount), code, None)


def test_an_amount_without_currency_has_no_codes() -> None:
    assert money.parse("480,000,000") == money.parse("480000000") == Money(Fraction(480 * M))


@pytest.mark.parametrize("text", ["", "Clause 5.1", "Term Loan A", "USD", "the Total Commitments", "USD 5m and EUR 3m", "1,2,3", "B2"])
def test_what_is_no_single_amount_is_none(text: str) -> None:
    assert money.parse(text) is None


@pytest.mark.parametrize(("value", "expected"), table("values_money", "objects_and_numbers"))
def test_objects_and_numbers(value: object, expected: tuple[str, list[str]] | None) -> None:
    assert money.read(value) == (Money(Fraction(expected[0]), tuple(expected[1])) if expected else None)


@pytest.mark.parametrize("text", table("values_money", "not_read_whole"))
def test_an_amount_that_is_not_read_whole_is_never_invented(text: str) -> None:
    assert money.parts(text) == ()


def test_what_looks_like_an_amount_but_is_none() -> None:
    for text in table("values_money", "no_amounts"):
        assert money.scan(text) == (), text
    assert [m.value.amount for m in money.scan("fifty (50) dollars and (350,000) USD")] == [50, 350_000]


def _forms(amount: int, code: str) -> list[str]:
    western = f"{amount:,}"
    forms = [
        f"{code} {western}",
        f"{code}{western}",
        f"{western} {code}",
        f"{code} {western}.00",
        f"{code} {western.replace(',', ' ')}",
        f"{code} {amount}",
    ]
    forms += [f"{code} {num2words(amount)}", f"{code} {western.replace(',', '.')},00"]
    if amount % 1000 == 0:
        forms += [f"{code} {Fraction(amount, M).limit_denominator()}m"] if amount % M == 0 else [f"{code} {amount / M:.3f} million"]
    return forms


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=1000, max_value=10**11), st.sampled_from(["USD", "EUR", "SGD", "GBP", "JPY"]))
def test_every_notation_of_an_amount_is_that_amount_and_found_in_a_sentence(amount: int, code: str) -> None:
    expected = Money(Fraction(amount), (code,))
    for form in _forms(amount, code):
        assert money.parse(form) == expected, form
        assert money.supports(form, f"a loan of {code} {amount:,} to the Borrower"), form
        assert any(m.value == expected for m in money.scan(f"The Lenders make available {form}, as a loan.")), form
