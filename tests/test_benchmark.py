"""Standard section 3 as tables: the family, deviations, true negatives, novel structures, the 20 bps rule at its boundary."""

from typing import Any

import pytest

from judge.records import NonOutcome, Outcome
from tests.capability_cases import cite, codes, context, judged, replayed
from tests.tables import entries, table

QUOTE = cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")
MARGIN: dict[str, Any] = entries("benchmark", "margin")
FEE: dict[str, Any] = entries("benchmark", "fee")
FEE_QUOTE = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum")
NOVEL: dict[str, Any] = {"term": "wind_yield_ratchet", "finding": "not_comparable"}
DEAL = {"jurisdiction": "English law", "market": "European", "benchmark": "LMA"}


def case(
    findings: list[dict[str, Any]], gold: list[dict[str, Any]], deal: dict[str, Any] | None = None, truth: dict[str, Any] | None = None
):
    return context(
        "benchmark_validation", {**DEAL, **(deal or {}), "findings": findings}, {"benchmark": "LMA", **(truth or {}), "findings": gold}
    )


def judged_margin(changes: dict[str, Any], verdicts: dict[str, str] | None = None, deal: dict[str, Any] | None = None):
    return judged(case([MARGIN | {"citation": QUOTE} | changes], [MARGIN], deal), verdicts or {})["findings.margin"]


def test_a_right_output_needs_no_judge():
    reported = [MARGIN | {"citation": QUOTE}, FEE | {"citation": FEE_QUOTE}]
    decisions, asked = replayed(case(reported, [MARGIN, FEE | {"citation": FEE_QUOTE}]), {})
    assert [d.item.outcome for d in decisions] == [Outcome.CORRECT, Outcome.CORRECT, Outcome.TRUE_NEGATIVE] and asked == []


@pytest.mark.parametrize(("value", "outcome"), table("benchmark", "a_benchmark_value_beside_an_affirmation_has_to_agree"))
def test_a_benchmark_value_beside_an_affirmation_has_to_agree(value, outcome):
    reported = FEE | {"citation": FEE_QUOTE, "benchmark_value": value}
    assert judged(case([reported], [FEE | {"citation": FEE_QUOTE}]), {})["findings.commitment_fee"].outcome == outcome


def test_a_stated_range_has_to_hold_golds_deal_value():
    reported = FEE | {"citation": FEE_QUOTE, "deal_value": None}
    gold = FEE | {"benchmark_value": None, "citation": FEE_QUOTE}
    for value, outcome in (("1.20 to 1.40 per cent.", "fail"), ("0.80 to 1.00 per cent.", "true_negative")):
        assert judged(case([reported | {"benchmark_value": value}], [gold]), {})["findings.commitment_fee"].outcome == outcome


def test_the_deal_value_is_exact_where_benchmark_and_gap_have_a_tolerance():
    assert judged_margin({"deal_value": "2.45 per cent. per annum", "gap": "35 bps"}).outcome == Outcome.FAIL
    assert judged_margin({"benchmark_value": "2.05 per cent. per annum", "gap": "35 bps"}).reason.startswith(
        "All parts are stated and right (rates within 20 bps)"
    )


def test_a_deal_value_in_words_is_asked_about_by_its_name():
    _, asked = replayed(case([MARGIN | {"citation": QUOTE, "deal_value": "the usual rate for wind farms"}], [MARGIN]), {})
    assert any("Deal value of the term 'margin'" in dict(question.variables).values() for question in asked)


def test_without_gold_a_finding_reported_twice_is_two_items():
    found = judged(context("benchmark_validation", {**DEAL, "findings": [MARGIN, FEE, MARGIN]}), {})
    assert {"findings.margin", "findings.margin#2", "findings.commitment_fee"} < set(found)


FAMILY = table("benchmark", "family")


@pytest.mark.parametrize(("deal", "truth", "outcome", "code"), FAMILY)
def test_the_family(deal, truth, outcome, code):
    item = judged(case([], [], deal, truth), {})["benchmark"]
    assert item.outcome == outcome
    assert code is None or code in codes(item)


def test_a_disclosed_benchmark_is_right_where_law_and_market_are_mixed():
    disclosed = [MARGIN | {"citation": QUOTE, "disclosure": "LMA applied for want of a clear market"}]
    deal, truth = {"jurisdiction_ambiguous": True}, {"benchmark": None, "jurisdiction_ambiguous": True}
    assert judged(case(disclosed, [], deal, truth), {})["benchmark"].outcome == Outcome.CORRECT


DEVIATIONS = table("benchmark", "deviations")


@pytest.mark.parametrize(("changes", "outcome"), DEVIATIONS)
def test_deviations_are_decided_without_a_judge(changes, outcome):
    item = judged_margin(changes)
    assert (item.outcome, item.decided_by) == (outcome, "deterministic")


def test_words_go_to_the_judge_and_half_right_is_wrong():
    gap = {"gap": "three tenths of what a bank would call a point"}
    assert judged_margin(gap, {"benchmark_gap": "same_gap"}).outcome == Outcome.CORRECT
    assert judged_margin(gap, {"benchmark_gap": "different_gap"}).outcome == Outcome.FAIL
    reference = {"benchmark_reference": "the LMA's yearly survey, fourth table"}
    assert judged_margin(reference, {"benchmark_reference": "right_reference"}).outcome == Outcome.CORRECT
    value = {"benchmark_value": "what the market pays"}
    assert judged_margin(value, {"semantic_match": "partially_equivalent"}).outcome == Outcome.FAIL
    assert judged_margin(value, {"semantic_match": "cannot_determine"}).outcome is NonOutcome.UNDECIDED


def test_the_wrong_family_fails_every_finding_and_an_imprecise_citation_makes_it_partial():
    assert judged_margin({}, deal={"benchmark": "LSTA"}).outcome == Outcome.FAIL
    assert judged_margin({"citation": QUOTE | {"page": 3}}).outcome == Outcome.PARTIAL
    assert judged_margin({"citation": FEE_QUOTE}, {"quote_support": "does_not_support"}).provenance.outcome == "unsupported"


OTHERS = [
    # gold, reported, outcome, finding
    (FEE, FEE | {"benchmark_reference": None}, "fail", None),
    (FEE, FEE | {"finding": "deviation", "gap": "10 bps"}, "fail", "FALSE_POSITIVE"),
    (FEE, FEE | {"finding": "not_comparable"}, "fail", None),
    (FEE, None, "fail", None),
    (NOVEL, NOVEL, "correct", None),
    (NOVEL, NOVEL | {"finding": "deviation"}, "fail", "FALSE_FLAG_NOVEL"),
    (NOVEL, NOVEL | {"finding": "conforming"}, "fail", None),
    (NOVEL, None, "fail", None),
]


@pytest.mark.parametrize(("gold", "reported", "outcome", "code"), OTHERS)
def test_true_negatives_and_novel_structures(gold, reported, outcome, code):
    findings = [] if reported is None else [reported | {"citation": FEE_QUOTE}]
    item = judged(case(findings, [gold]), {"quote_support": "supports"})[f"findings.{gold['term']}"]
    assert item.outcome == outcome
    assert code is None or code in codes(item)


def test_a_finding_that_gold_lacks_is_extra():
    item = judged(case([MARGIN | {"citation": QUOTE}], []), {})["findings.+margin"]
    assert item.outcome is NonOutcome.EXTRA and "EXTRA_FINDING" in codes(item) and item.provenance.complete


@pytest.mark.parametrize(("quote", "is_asked"), table("benchmark", "a_quote_shows_a_deal_value_beside_its_term"))
def test_a_quote_shows_a_deal_value_beside_its_term(quote: str, is_asked: bool) -> None:
    _, asked = replayed(case([MARGIN | {"citation": QUOTE | {"quote": quote}}], [MARGIN]), {})
    assert any(question.rubric == "quote_support" for question in asked) is is_asked
