"""Governing laws and reference rates: synonyms, what is wrong without a judge, what only the judge can tell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values import Surroundings, laws, reference_rates
from deterministic.values.laws import JURISDICTIONS

NOTHING = Surroundings()


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("Hong Kong Law", "Hong Kong law", "correct"),
        ("the laws of England and Wales", "English law", "semantic_match"),
        ("England & Wales", "English law", "semantic_match"),
        ("the law of the State of New York", "New York law", "semantic_match"),
        ("New York law, without regard to conflict of laws principles", "New York law", "semantic_match"),
        ("laws of the Hong Kong SAR", "Hong Kong law", "semantic_match"),
        ("laws of India", "Indian law", "semantic_match"),
        ("laws of the Hong Kong Special Administrative Region of the People's Republic of China", "Hong Kong law", "semantic_match"),
        ("the laws of the Province of Ontario and the federal laws of Canada applicable therein", "Ontario law", "semantic_match"),
        ("Dutch law", "laws of the Netherlands", "semantic_match"),
        ("Scottish law", "Scots law", "semantic_match"),
        ("the laws of the Grand Duchy of Luxembourg", "Luxembourg law", "semantic_match"),
        ("law of New South Wales", "the laws of the State of New South Wales, Australia", "semantic_match"),
        ("Georgia law", "the laws of the State of Georgia", "open"),
        ("laws of Georgia, United States", "the laws of the State of Georgia", "semantic_match"),
        ("Georgia law", "New York law", "wrong"),
        ("Georgia law", "Georgia", "semantic_match"),
        (
            "This Agreement and any non-contractual obligations arising out of or in connection with it are governed by English law",
            "laws of England",
            "semantic_match",
        ),
        ("Singapore law", "Hong Kong law", "wrong"),
        ("Scots law", "English law", "wrong"),
        ("New York law", "Delaware law", "wrong"),
        ("Australian law", "law of New South Wales", "open"),
        ("Chinese law", "Hong Kong law", "open"),
        ("UK law", "English law", "open"),
        ("English law / Singapore law", "English law", "open"),
        ("law of Ruritania", "English law", "open"),
        ("", "English law", "open"),
        (
            "The Agreement is governed by the laws of the State of California, without giving effect to conflict of laws principles.",
            "California law",
            "semantic_match",
        ),
        ("Cal. law", "California law", "semantic_match"),
        ("laws of Del.", "Delaware law", "semantic_match"),
        ("Colo. law", "California law", "wrong"),
        ("The Deed of Trust is governed by Nevada law, the Agreement by California law", "California law", "open"),
    ],
)
def test_laws_compare_by_the_rule(reported: str, gold: str, label: str) -> None:
    assert laws.compare(reported, gold, (), NOTHING).label == label


def test_the_documents_own_words_for_the_same_law_are_correct() -> None:
    surroundings = Surroundings(quotes=("governed by and construed in accordance with the laws of India.",))
    assert laws.compare("laws of India", "Indian law", (), surroundings).label == "correct"


TEXT = """This Agreement is governed by Hong
Kong law. THE NOTES SHALL BE GOVERNED BY THE LAWS OF THE STATE OF NEW YORK. A company incorporated in Singapore; applicable law;
the laws of England and Wales; any law of the Relevant Jurisdiction; French law."""


def test_a_law_occurs_where_it_or_its_place_is_named() -> None:
    document = Document.from_pages("a.pdf", [TEXT])
    assert [mention.value for mention in laws.scan(TEXT)] == ["hong kong", "new york", "england", "france"]
    assert laws.occurs("English law", document)
    assert laws.occurs("the law of the State of New York", document)
    assert laws.occurs("Singapore law", document)  # a place that is named: another law, and not out of the air (R0.2)
    assert not laws.occurs("Swiss law", document)
    assert not laws.occurs("law of Ruritania", document)
    assert laws.supports("laws of the Hong Kong SAR", TEXT)


@pytest.mark.parametrize("key", sorted(JURISDICTIONS))
def test_every_name_and_adjective_of_the_table_reads_as_its_jurisdiction(key: str) -> None:
    entry = JURISDICTIONS[key]
    texts = [f"the laws of {name}" for name in entry.names] + [f"{adjective.title()} law" for adjective in entry.adjectives]
    assert {laws.parse(text) for text in texts} == {key}
    assert all(laws.supports(text, f"shall be governed by {text}, and") for text in texts)


@pytest.mark.parametrize(
    ("text", "family", "variant", "months"),
    [
        ("3-month Term SOFR", "SOFR", "term", 3),
        ("Term SOFR (3 months)", "SOFR", "term", 3),
        ("3M Term SOFR", "SOFR", "term", 3),
        ("Term SOFR", "SOFR", "term", None),
        ("Daily Simple SOFR", "SOFR", "daily simple", None),
        ("six-month compounded SONIA", "SONIA", "compounded", 6),
        ("EURIBOR 6M", "EURIBOR", "", 6),
        ("€STR", "ESTR", "", None),
        ("fixed rate", "FIXED", "", None),
    ],
)
def test_reference_rates_are_read(text: str, family: str, variant: str, months: int | None) -> None:
    rate = reference_rates.parse(text)
    assert rate is not None
    assert (rate.family, rate.variant, rate.tenor and rate.tenor.amount) == (family, variant, months)


@pytest.mark.parametrize("text", ["SOFR or EURIBOR", "the Benchmark", "6-month EURIBOR plus 2%", "1- or 3-month Term SOFR", "", "sofrania"])
def test_what_is_no_single_reference_rate(text: str) -> None:
    assert reference_rates.parse(text) is None


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("3-month Term SOFR", "3-month Term SOFR", "correct"),
        ("3M Term SOFR", "3-month Term SOFR", "semantic_match"),
        ("Term SOFR", "3-month Term SOFR", "partial"),
        ("1-month Term SOFR", "3-month Term SOFR", "partial"),
        ("SONIA", "compounded SONIA", "partial"),
        ("SOFR", "Term SOFR", "partial"),
        ("Term SOFR", "Daily Simple SOFR", "wrong"),
        ("3-month SONIA", "3-month Term SOFR", "wrong"),
        ("HIBOR", "3-month Term SOFR", "wrong"),
        ("USD LIBOR", "GBP LIBOR", "wrong"),
        ("the Benchmark Rate", "3-month Term SOFR", "open"),
    ],
)
def test_reference_rates_compare_by_the_rule(reported: str, gold: str, label: str) -> None:
    assert reference_rates.compare(reported, gold, (), NOTHING).label == label


def test_reference_rates_stand_in_text() -> None:
    text = "“Base Rate” means TIBOR for a period of three months; a fixed charge; prime bank; Compounded\nSORA"
    document = Document.from_pages("a.pdf", [text])
    assert reference_rates.supports("3-month TIBOR", text)
    assert not reference_rates.supports("6-month TIBOR", text)
    assert reference_rates.occurs("compounded SORA", document)
    assert reference_rates.occurs("6M TIBOR", document)
    assert not reference_rates.occurs("Term SOFR", document)
    assert not reference_rates.occurs("fixed", document)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["SOFR", "SONIA", "EURIBOR", "HIBOR", "SORA", "BBSY"]),
    st.sampled_from([1, 3, 6, 12]),
    st.sampled_from(["{n}-month {f}", "{f} ({n} months)", "{n}M {f}"]),
)
def test_written_rates_are_the_same_rate(family: str, months: int, form: str) -> None:
    text = form.format(n=months, f=family)
    assert reference_rates.compare(text, f"{months} month {family}", (), NOTHING).label == "semantic_match"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_crashes(one: str, other: str) -> None:
    labels = ("correct", "semantic_match", "partial", "wrong", "open")
    assert laws.compare(one, other, (other,), Surroundings(quotes=(one,))).label in labels
    assert reference_rates.compare(one, other, (other,), Surroundings(quotes=(one,))).label in labels
    laws.supports(one, other)
    reference_rates.supports(one, other)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Washington State law", "washington"),
        ("the laws of the State of Oregon", "oregon"),
        ("Maryland law", "maryland"),
        ("Georgia law", "georgia"),
        ("the laws of the State of Georgia", "georgia us"),
    ],
)
def test_every_state_of_the_us_is_known_in_its_usual_forms(text: str, key: str | None) -> None:
    assert laws.parse(text) == key


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("LIBOR (Reuters LIBOR77)", "Adjusted LIBO Rate", "open"),
    ],
)
def test_an_agreements_own_names_and_screens_of_a_rate(reported: str, gold: str, label: str) -> None:
    assert reference_rates.compare(reported, gold, (), Surroundings(document_text="Reuters Screen LIBOR01 Page; 18%")).label == label


DOLLARS = "the rate on Reuters Screen LIBOR01 Page or Telerate Page 3750, adjusted for Statutory Reserves"


@pytest.mark.parametrize(
    ("reported", "gold", "text", "label"),
    [
        # the nearest wrong: another page, an adjustment that the document does not know, another rate
        ("Eurodollar Rate, as quoted on Telerate Page 3740", "LIBOR", DOLLARS, "open"),
        ("LIBOR, adjusted for reserve requirements", "LIBOR", "the rate on Reuters Screen LIBOR01 Page", "open"),
        ("Base Rate", "Eurodollar Base Rate", DOLLARS, "wrong"),
    ],
)
def test_a_rate_with_its_screen_and_in_the_desks_short_form(reported: str, gold: str, text: str, label: str) -> None:
    assert reference_rates.compare(reported, gold, (), Surroundings(document_text=text)).label == label


def test_a_screen_page_names_its_rate() -> None:
    assert reference_rates.supports("LIBOR", "the rate appearing on Reuters Screen LIBOR01 Page")
    assert not reference_rates.supports("EURIBOR", "the rate appearing on Reuters Screen LIBOR01 Page")
    assert reference_rates.supports("LIBOR", "the offered rate that appears on Telerate page 3750")
    assert not reference_rates.supports("LIBOR", "the offered rate that appears on Telerate page 248")


def test_a_quote_tells_which_georgia_is_meant() -> None:
    assert laws.supports("Georgia law", "This Agreement is governed by the laws of the State of Georgia.")
    assert laws.supports("Georgia", "governed by Georgia law") and not laws.supports("Georgia law", "the laws of the State of New York")
