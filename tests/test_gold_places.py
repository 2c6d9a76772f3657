"""What a quote from the place that gold cites shows of a value that no single sentence states, and what it does not."""

from typing import Any

import pytest

from deterministic.values.names.roles import is_only_other_role
from judge.capabilities.context import Context
from judge.capabilities.gold import citation_faults
from judge.capabilities.registry import capability_of
from tests.capability_cases import NAME, cite, context, document, replayed
from tests.tables import table, text

PAGES = tuple(text("gold_places", "pages").split("\n----\n"))
DOCUMENT = document(pages=PAGES)
MARGIN, LEVEL_2 = "definition of Applicable Margin", "Level II 1.50% 0.25%"
GRID = "1.25% / 1.50% / 1.75% (Levels I to III)"
STEPS = "4.00 to 1.00 as of June 30, 2027; 3.75 to 1.00 as of December 31, 2027; 3.50 to 1.00 as of June 30, 2028 and thereafter"


def asked_of(case: Context, rubric: str) -> str:
    """All texts of the one question of a rubric that a case leaves open."""
    decisions, _ = replayed(case)
    return "\n".join(text for d in decisions for q in d.questions if q.rubric == rubric for _, text in q.variables)


@pytest.mark.parametrize(("key", "value", "section", "quote", "rubric", "shown"), table("gold_places", "a_grid_and_words_on_the_facility"))
def test_a_grid_and_words_on_the_facility_are_asked_with_what_decides(
    key: str, value: str, section: str, quote: str, rubric: str, shown: str
) -> None:
    gold = {"margin": GRID, "facility_type": "revolving credit facility"}[key]
    claim = cite(2, section, quote, NAME)
    output = {"document_type": "primary_agreement", "fields": {key: {"status": "extracted", "value": value, "citation": claim}}}
    truth = {"fields": {key: {"value": gold, "citation": {"page": 2, "section": section}}}}
    assert shown in asked_of(context("loan_onboarding", output, truth, documents=(DOCUMENT,)), rubric)


@pytest.mark.parametrize("quote", table("gold_places", "a_row_of_a_step_down_is_asked_with_the_whole_table"))
def test_a_row_of_a_step_down_is_asked_with_the_whole_table(quote: str) -> None:
    covenant = {"name": "Leverage", "type": "financial", "threshold": STEPS, "testing_frequency": "none", "effective_date": "original"}
    output = {"covenants": [covenant | {"citation": cite(3, "6.1", quote, NAME)}]}
    truth = {"covenants": [covenant | {"citation": {"page": 3, "section": "6.1"}}]}
    shown = asked_of(context("covenant_monitoring", output, truth, documents=(DOCUMENT,)), "quote_support")
    assert "June 30, 2027 4.00 to 1.00" in shown and "thereafter 3.50 to 1.00" in shown and "financial covenant" not in shown


def test_the_lenders_party_hereto_are_another_entry_than_the_borrower_before_them() -> None:
    for others in (
        "the LENDERS party hereto",
        "the several Lenders from time to time parties hereto",
        "certain financial institutions named",
    ):
        assert not is_only_other_role(f"HOLLIS TOOLS, INC., {others} and QUARRY BANK, N.A., as Agent", "Hollis Tools, Inc.", "borrower")
    assert is_only_other_role("HOLLIS TOOLS, INC., as Lender", "Hollis Tools, Inc.", "borrower")


@pytest.mark.parametrize(("name", "gold", "lacking", "doubted"), table("gold_places", "what_the_documents_lack_of_gold"))
def test_what_the_documents_lack_of_gold_is_found_however_deep_it_stands(
    name: str, gold: Any, lacking: list[str], doubted: list[str]
) -> None:
    one, capability = context(name, {}, gold, documents=(DOCUMENT,)), capability_of(name)
    own = capability.gold_faults(one.case, one.documents, one.contract)
    found = [where.removeprefix("gold.") for where, _ in (*own, *citation_faults(one.case.gold, "gold", one.documents))]
    assert sorted(found) == sorted(lacking)
    assert [where.removeprefix("gold.") for where, _ in capability.gold_doubts(one.case, one.documents)] == doubted
