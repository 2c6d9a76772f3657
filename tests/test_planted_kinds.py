"""Kinds that the table of planted faults showed, each with relatives: what was wrong got marks, or what was right lost them."""

from typing import Any

import pytest

from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import Surroundings
from deterministic.values.stated import is_stated
from deterministic.values.time import dates
from judge.capabilities.qa.refusals import read_refusal
from judge.records import Outcome
from rubrics.contract import load_contract
from tests.capability_cases import cite, codes, context, document, judged
from tests.tables import table
from tests.test_extraction import judged_field

AGREEMENT = Document.from_pages("a.pdf", table("planted_kinds", "agreement"))


@pytest.mark.parametrize(("quote", "verdicts"), table("planted_kinds", "signs_and_named_places_around_a_quote"))
def test_signs_and_named_places_around_a_quote(quote: str, verdicts: list[str]) -> None:
    assert find_quote(AGREEMENT, quote, page_hint=1, lower=70).verdict in verdicts


@pytest.mark.parametrize("text", table("planted_kinds", "a_text_that_says_where_nothing_is_stated_states_nothing"))
def test_a_text_that_says_where_nothing_is_stated_states_nothing(text: str) -> None:
    assert not is_stated(text)


@pytest.mark.parametrize("text", ["None stated in the agreement is above 5%", "none of it, provided in Clause 4.1"])
def test_a_text_that_goes_on_with_a_figure_states_something(text: str) -> None:
    assert is_stated(text)


@pytest.mark.parametrize("names", [["N/A"], ["unknown"], ["not stated", "-"]])
def test_a_list_of_placeholders_reports_nothing_and_invents_nobody(names: list[str]) -> None:
    item = judged_field("guarantors", {"value": names})
    assert item.outcome == Outcome.FAIL and "NOTHING_REPORTED" in codes(item)


@pytest.mark.parametrize(("value", "outcome"), table("planted_kinds", "an_amount_that_rounds_golds_is_wrong_and_not_invented"))
def test_an_amount_that_rounds_golds_is_wrong_and_not_invented(value: str, outcome: str) -> None:
    pages = ("2.1 The Facility\nA loan of £39,015,759 is made available to the Borrower.",)
    quote = cite(1, "Clause 2.1", "A loan of £39,015,759 is made available to the Borrower.")
    item = judged_field(
        "facility_amount", {"value": value, "citation": quote}, {"value": "£39,015,759"}, documents=(document(pages=pages),)
    )
    assert str(item.outcome) == outcome


@pytest.mark.parametrize(("value", "label"), table("planted_kinds", "a_day_with_its_name_is_the_day"))
def test_a_day_with_its_name_is_the_day(value: str, label: str) -> None:
    own = Surroundings(labels=("Termination Date", "Final Maturity Date"))  # the field's own labels may stand beside the value (L2)
    assert dates.compare(value, "2031-05-14", (), own).label == label


@pytest.mark.parametrize(("answer", "code"), table("planted_kinds", "a_statement_behind_a_quoted_refusal_is_a_claim"))
def test_a_statement_behind_a_quoted_refusal_is_a_claim(answer: str, code: str) -> None:
    assert read_refusal(answer, "What hedging is required?", "hedging", load_contract().qa).code == code


def _two_tranches(scope: list[str]) -> Any:
    pages = ("2.1 The Facilities\n(a) a term loan facility of £48,000,000; and\n(b) a revolving credit facility at a fee of 0.90%.",)
    fee = {"status": "extracted", "value": "0.90%", "citation": cite(1, "Clause 2.1(b)", "at a fee of 0.90%"), "scope": scope}
    labels = ("Term Loan (Facility A)", "RCF (Facility B)")
    output = {"fields": {"commitment_fee": fee}, "tranches": [{"label": label, "fields": {}} for label in labels]}
    tops = {"commitment_fee": {"value": "0.90%", "scope": ["Facility B"]}}
    gold = {
        "fields": tops,
        "tranches": [{"label": label, "fields": {"currency": {"absent": True}}} for label in ("Facility A", "Facility B")],
    }
    return judged(context("loan_onboarding", output, gold, documents=(document(pages=pages),)))["fields.commitment_fee"]


@pytest.mark.parametrize(("scope", "is_right"), table("planted_kinds", "a_scope_names_a_tranche_by_what_the_output_calls_it"))
def test_a_scope_names_a_tranche_by_what_the_output_calls_it(scope: list[str], is_right: bool) -> None:
    assert ("TRANCHE_SCOPE_WRONG" not in codes(_two_tranches(scope))) is is_right


def test_a_label_of_which_one_word_is_nowhere_is_invented() -> None:
    pages = ("2.1 The Facilities\nA revolving credit facility and an acquisition facility are made available.",)
    output = {"fields": {}, "tranches": [{"label": label, "fields": {}} for label in ("Acquisition Facility Zeta", "RCF (EUR 60m)")]}
    found = judged(context("loan_onboarding", output, {"fields": {}, "tranches": []}, documents=(document(pages=pages),)))
    assert found["tranches.+Acquisition Facility Zeta"].outcome == Outcome.HALLUCINATION
    assert found["tranches.+RCF (EUR 60m)"].outcome == "extra"
