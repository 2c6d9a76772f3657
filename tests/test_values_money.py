"""Amounts of money in the notations of the loan market, and the labels of their comparison."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words  # type: ignore[import-untyped]

from deterministic.documents.documents import Document
from deterministic.values import money
from deterministic.values.amounts import Money
from deterministic.values.comparison import Comparison, Surroundings
from tests.tables import table

M = 10**6


def compare(reported: object, gold: object, *, accepted: tuple[object, ...] = (), **surroundings: object) -> Comparison:
    return money.compare(reported, gold, accepted, Surroundings(**surroundings))  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"amount": 480 * M, "currency": "USD"}, Money(Fraction(480 * M), ("USD",))),
        ({"amount": 0.1, "currency": "EUR"}, Money(Fraction(1, 10), ("EUR",))),
        ({"amount": "480m", "currency": "US$"}, Money(Fraction(480 * M), ("USD",))),
        ({"amount": 5, "currency": None}, Money(Fraction(5))),
        ({"amount": 5, "currency": "nonsense"}, None),
        ({"amount": True, "currency": "USD"}, None),
        ({"amount": float("inf"), "currency": "USD"}, None),
        ({"amount": 1e300, "currency": "USD"}, None),
        ({"currency": "USD"}, None),
        (480 * M, Money(Fraction(480 * M))),
        (None, None),
        (["USD 5"], None),
    ],
)
def test_objects_and_numbers(value: object, expected: Money | None) -> None:
    assert money.read(value) == expected


def test_same_characters_are_correct_and_another_notation_a_semantic_match() -> None:
    gold = "US$480,000,000"
    assert compare(gold, gold).label == "correct"
    for form in ("USD 480m", "USD 480 million", "Four hundred and eighty million US dollars", "480,000,000 US dollars", "USD 48,00,00,000"):
        assert compare(form, gold).label == "semantic_match", form
    assert compare("$500M", "USD 500,000,000").label == "semantic_match"


def test_the_source_s_own_characters_are_correct() -> None:
    quotes = ("in an aggregate amount of USD\n480,000,000.",)
    assert compare("USD 480,000,000", "US$480,000,000", quotes=quotes).label == "correct"
    assert compare("USD 80,000,000", "US$480,000,000", quotes=quotes).label == "wrong"
    assert compare("480,000,000", "US$480,000,000", quotes=quotes).label == "partial"


def test_objects_compare_typed() -> None:
    assert compare({"amount": 480 * M, "currency": "USD"}, "US$480,000,000").label == "correct"
    assert compare("USD 480m", {"amount": 480 * M, "currency": "USD"}).label == "correct"
    assert compare({"amount": 480 * M, "currency": "US Dollars"}, "US$480,000,000").label == "semantic_match"
    assert compare({"amount": 480 * M}, "US$480,000,000").label == "partial"


def test_partly_right_amounts() -> None:
    assert compare("480,000,000", "US$480,000,000").label == "partial"
    assert compare("USD 120m", "USD 300,000,000", siblings=("USD 120,000,000",)).label == "partial"
    assert compare("USD 15m", "USD 300,000,000", siblings=("USD 120,000,000",)).label == "wrong"
    assert compare("EUR 120m", "USD 300,000,000", siblings=("USD 120,000,000",)).label == "wrong"
    assert compare("$480m", "USD 480,000,000", document_text="US$480,000,000 and HK$5").label == "partial"


def test_the_right_amount_in_another_currency_is_wrong_but_marked() -> None:
    result = compare("EUR 480m", "US$480,000,000")
    assert (result.label, result.codes) == ("wrong", ("WRONG_CURRENCY",))


def test_gold_s_bare_dollar_is_the_document_s_dollar() -> None:
    assert compare("USD 30m", "$30,000,000", document_text="$30,000,000").label == "semantic_match"
    assert compare("SGD 30m", "$30,000,000", document_text="$30,000,000").label == "open"
    assert compare("SGD 30m", "$30,000,000", document_text="$ means US Dollars").label == "wrong"
    assert compare("SGD 30m", "$30,000,000", document_text="$ means Singapore Dollars").label == "semantic_match"


def test_words_and_figures_that_differ_are_read_by_nobody() -> None:
    text = "fifty million dollars ($55,000,000)"
    for gold in ("USD 50,000,000", "USD 55,000,000", "USD 60,000,000"):
        assert compare(text, gold).label == "open"
    assert (compare(text, text).label, compare(text, text).codes) == ("correct", ("WORDS_AND_FIGURES_DIFFER",))
    assert money.parts(text) == money.parts("£55,000,000 (fifty million pounds)") == ()


@pytest.mark.parametrize("text", ["GBP 1.505 × 10^8", "£'000 150,500", "US$'000 150,500", "USD 90m per Lender", "USD 90m (EUR 80m) for A"])
def test_an_amount_that_is_not_read_whole_is_never_invented(text: str) -> None:
    assert money.parts(text) == ()


def test_what_no_rule_reads_is_open() -> None:
    assert compare("the Total Commitments", "USD 5m").label == "open"
    assert compare("the Total Commitments", "the Total Commitments").label == "correct"
    assert compare(None, "USD 5m").label == "open"


CAP = "the greater of $75,000,000 and 3.0% of Consolidated Total Assets"


@pytest.mark.parametrize(("reported", "label"), table("values_money", "a_composite_cap_needs_both_limbs"))
def test_a_composite_cap_needs_both_limbs(reported: str, label: str) -> None:
    assert compare(reported, CAP).label == label


LIMITED = "Revolving Commitments of $90,000,000, of which the L/C Sublimit is $12,000,000 and the Swing Line Sublimit $8,000,000"


@pytest.mark.parametrize(("reported", "label"), table("values_money", "an_amount_with_its_sublimits_is_not_read"))
def test_an_amount_with_its_sublimits_is_not_read(reported: str, label: str) -> None:
    assert money.compare(reported, "USD 90,000,000", (), Surroundings(document_text=LIMITED)).label == label
    assert money.parts(reported) == ()  # not read whole: nothing of it is invented


LONG_CAP = "the greater of (x) $75,000,000 and (y) 3.0% of the assets of the Company and its Subsidiaries"


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_money", "a_limb_in_its_own_words_is_a_part_of_the_cap"))
def test_a_limb_in_its_own_words_is_a_part_of_the_cap(reported: str, gold: str, label: str) -> None:
    assert compare(reported, gold).label == label


def test_occurrence_in_any_equivalent_form() -> None:
    text = "The Facility is ₹ 4,50,00,00,000 (Rupees four hundred and fifty crore only)."
    text += "\nReserve\n32,75,00,000\nUS$48 million and EUR 7,500,000."
    document = Document.from_pages("a.pdf", [text])
    for value in (
        "INR 450 crore",
        "INR 4,500,000,000",
        "INR 32.75 crore",
        "USD 48,000,000",
        "EUR 7.5m",
        {"amount": 48 * M, "currency": "USD"},
    ):
        assert money.occurs(value, document), value
    for value in ("INR 45 crore", "USD 8,000,000", "GBP 32.75 crore", "EUR 48m", "USD 4,500,000,000", "EUR 75m"):
        assert not money.occurs(value, document), value
    assert money.occurs("the greater of USD 48m and EUR 7.5m", document)


def test_tokens_are_whole() -> None:
    assert not money.supports("USD 80,000,000", "US$480,000,000")
    assert not money.supports("USD 480", "US$480,000,000")
    assert not money.supports("USD 350,000", "USD 350,000,000")
    assert not money.supports("USD 10", "Clause 10 USD 5,000,000")


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


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=1, max_value=10**9), st.integers(min_value=1, max_value=10**9), st.sampled_from(["USD", "EUR"]))
def test_equality_is_symmetric(first: int, second: int, code: str) -> None:
    one, other = f"{code} {first:,}", f"{second:,} {code}"
    labels = {compare(one, other).label, compare(other, one).label}
    assert labels == ({"semantic_match"} if first == second else {"wrong"})


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789.,' $€USDm()-\n")), max_size=80), st.text(max_size=30))
def test_no_text_breaks_anything(first: str, second: str) -> None:
    money.parse(first)
    money.scan(first)
    money.supports(first, second)
    assert compare(first, first).label in ("correct", "open")
    compare(first, second, document_text=first, siblings=(second,), quotes=(first,))
