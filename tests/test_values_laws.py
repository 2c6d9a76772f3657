"""Governing laws and reference rates: synonyms, what is wrong without a judge, what only the judge can tell."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.values import Surroundings
from deterministic.values.names import laws, reference_rates
from deterministic.values.names.laws import JURISDICTIONS
from tests.tables import table

NOTHING = Surroundings()


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


@pytest.mark.parametrize(("text", "family", "variant", "months"), table("values_laws", "reference_rates_are_read"))
def test_reference_rates_are_read(text: str, family: str, variant: str, months: int | None) -> None:
    rate = reference_rates.parse(text)
    assert rate is not None
    assert (rate.family, rate.variant, rate.tenor and rate.tenor.amount) == (family, variant, months)


@pytest.mark.parametrize("text", ["SOFR or EURIBOR", "the Benchmark", "6-month EURIBOR plus 2%", "1- or 3-month Term SOFR", "", "sofrania"])
def test_what_is_no_single_reference_rate(text: str) -> None:
    assert reference_rates.parse(text) is None


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["SOFR", "SONIA", "EURIBOR", "HIBOR", "SORA", "BBSY"]),
    st.sampled_from([1, 3, 6, 12]),
    st.sampled_from(["{n}-month {f}", "{f} ({n} months)", "{n}M {f}"]),
)
def test_written_rates_are_the_same_rate(family: str, months: int, form: str) -> None:
    text = form.format(n=months, f=family)
    assert reference_rates.compare(text, f"{months} month {family}", (), NOTHING).label == "semantic_match"


@pytest.mark.parametrize(("text", "key"), table("values_laws", "every_state_of_the_us_is_known_in_its_usual_forms"))
def test_every_state_of_the_us_is_known_in_its_usual_forms(text: str, key: str | None) -> None:
    assert laws.parse(text) == key
