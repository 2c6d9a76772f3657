"""Standard section 1 as tables: presence, values, fabrication, amendments, tranches, confidence, without a PDF or a model."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from judge.capabilities.decisions import TEXT_LENGTH, shown_text
from judge.capabilities.onboarding.gold import gold_faults
from judge.capabilities.onboarding.tranches import pair_tranches
from judge.records import NonOutcome, Outcome
from tests.capability_cases import AGREEMENT, PAGES, cite, codes, context, document, judged, replayed
from tests.tables import entries, table

GOLD: dict[str, Any] = entries("extraction", "gold")
CITES: dict[str, dict[str, Any]] = entries("extraction", "cites")
YES = {"quote_support": "supports"}


def right_output() -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, truth in GOLD.items():
        if truth.get("absent"):
            fields[key] = {"status": "absent"}
        else:
            fields[key] = {"status": "extracted", "value": truth["value"]}
            if key in CITES:
                fields[key]["citation"] = copy.deepcopy(CITES[key])
    return fields


def judged_field(
    key: str, field: dict[str, Any] | None, truth: dict[str, Any] | None = None, verdicts: dict[str, str] | None = None, **kw: Any
):
    """One field altered in an otherwise right output: its verdict line. `quote_support` says yes unless told otherwise."""
    fields, gold = right_output(), copy.deepcopy(GOLD)
    if field is None:
        del fields[key]
    else:
        fields[key] = {"status": "extracted", **({"citation": CITES[key]} if key in CITES else {}), **field}
    if truth is not None:
        gold[key] = truth
    output = {"document_type": "primary_agreement", "fields": fields}
    ctx = context("loan_onboarding", output, {"fields": gold}, **kw)
    return judged(ctx, YES | (verdicts or {}))[f"fields.{key}"]


def test_a_right_output_is_right_and_asks_only_what_rules_cannot_tell():
    placed = {key: truth | ({"citation": CITES[key]} if key in CITES else {}) for key, truth in GOLD.items()}
    output = {"document_type": "primary_agreement", "fields": right_output()}
    decisions, asked = replayed(context("loan_onboarding", output, {"fields": placed}), YES)
    assert {d.item.item: d.item.outcome for d in decisions if d.item.outcome is not Outcome.CORRECT} == {}
    assert [q.rubric for q in asked] == []  # gold's places, and the quote's own formula, which shows that there is a negative pledge
    assert sum(d.item.weight for d in decisions) == Fraction(3 * 5) + Fraction(3, 2) * 3 + 8


PRESENCE = table("extraction", "presence")


GUARANTORS = table("extraction", "guarantors")


@pytest.mark.parametrize(("value", "outcome"), GUARANTORS)
def test_guarantors_in_one_text_are_a_list(value, outcome):
    quotes = [CITES["guarantors"], CITES["facility_agent"]]
    item = judged_field(
        "guarantors", {"value": value, "citations": quotes, "citation": None}, {"value": ["Larkhill Holdings plc", "Ormsby Bank PLC"]}
    )
    assert item.outcome == outcome


@pytest.mark.parametrize("value", ["TBC", "not specified", "Unknown", "[●]"])
def test_a_value_that_states_nothing_fails_without_a_judge(value):
    item = judged_field("borrower", {"value": value})
    assert (item.outcome, item.decided_by) == (Outcome.FAIL, "deterministic")


@pytest.mark.parametrize(("truth", "field", "outcome", "code"), PRESENCE)
def test_presence(truth, field, outcome, code):
    item = judged_field("guarantors", field, truth)
    assert item.outcome == outcome
    assert code is None or code in codes(item)


VALUES = table("extraction", "values")


@pytest.mark.parametrize(("key", "value", "outcome"), VALUES)
def test_values(key, value, outcome):
    verdicts = {"semantic_match": "not_equivalent"}
    assert judged_field(key, {"value": value}, verdicts=verdicts).outcome == outcome


def test_the_judge_decides_only_what_no_rule_does():
    wording = {"value": "repayable in twelve instalments of equal size, two in every year"}
    assert judged_field("repayment_schedule", wording, verdicts={"semantic_match": "equivalent"}).outcome == Outcome.SEMANTIC_MATCH
    undecided = judged_field("repayment_schedule", {"value": "as agreed between the parties"}, verdicts={})
    assert undecided.outcome is NonOutcome.UNDECIDED and undecided.score is None and undecided.bounds == (0, Fraction(3, 4))


def test_a_derived_value_is_never_hallucinated_by_value():
    derived = {"value": "72 months", "derived": True}
    assert judged_field("tenor", {"value": "84 months", "citation": CITES["maturity_date"]}, derived).outcome == Outcome.FAIL
    assert (
        judged_field("tenor", {"value": "84 months", "citation": CITES["maturity_date"]}, {"value": "72 months"}).outcome
        == Outcome.HALLUCINATION
    )


def test_a_wrong_value_in_an_unreadable_document_is_a_fail_that_may_yet_be_a_hallucination():
    scan = document(pages=(*PAGES, ""), states=("text",) * len(PAGES) + ("scan",))
    item = judged_field("margin", {"value": "2.45 per cent. per annum"}, documents=(scan,))
    assert item.outcome == Outcome.FAIL and item.can_hallucinate and "UNVERIFIED_VALUE" in codes(item)


# ---- provenance of a field ---------------------------------------------------------------------------------------

CITATIONS = table("extraction", "citations")


@pytest.mark.parametrize(("citation", "outcome", "word"), CITATIONS)
def test_what_a_citation_makes_of_a_right_value(citation, outcome, word):
    item = judged_field("margin", {"value": GOLD["margin"]["value"], "citation": citation})
    assert (item.outcome, item.provenance.outcome) == (outcome, word)
    assert item.provenance.complete == (word == "exact")


def test_a_verbatim_quote_that_does_not_hold_the_value_is_for_the_judge():
    field = {"value": GOLD["margin"]["value"], "citation": CITES["commitment_fee"]}
    refused = judged_field("margin", field, verdicts={"quote_support": "does_not_support"})
    assert (refused.outcome, refused.provenance.outcome, refused.decided_by) == (Outcome.FAIL, "unsupported", "llm")


def test_whether_a_defined_term_supports_what_its_definition_says_is_for_the_judge():
    field = {"value": GOLD["margin"]["value"], "citation": CITES["reference_rate"]}
    for verdict, outcome in (("does_not_support", Outcome.FAIL), ("supports", Outcome.CORRECT)):
        item = judged_field("margin", field, verdicts={"quote_support": verdict})
        assert (item.outcome, item.decided_by) == (outcome, "llm")


def test_a_party_quoted_only_in_another_role_goes_to_the_judge():
    quote = cite(1, "Parties", "CARDEW TRUST COMPANY LIMITED as security agent")
    truth = {"value": "Cardew Trust Company Limited"}
    field = {"value": "Cardew Trust Company Limited", "citation": quote}
    item = judged_field("facility_agent", field, truth, verdicts={"quote_support": "does_not_support"})
    assert (item.outcome, item.decided_by) == (Outcome.FAIL, "llm")


def test_one_good_citation_is_enough_unless_another_is_invented():
    good, wrong_page = CITES["margin"], cite(3, "Clause 1.1", CITES["margin"]["quote"])
    invented = cite(2, "Clause 1.1", "“Margin” means 3.15 per cent. per annum.")
    value = GOLD["margin"]["value"]

    def outcome(*citations):
        fields = right_output()
        fields["margin"] = {"status": "extracted", "value": value, "citations": list(citations)}
        item = judged(context("loan_onboarding", {"fields": fields}, {"fields": GOLD}), YES)["fields.margin"]
        return item.outcome, item.provenance.outcome, len(item.provenances)

    assert outcome(wrong_page, good) == (Outcome.CORRECT, "exact", 2)
    assert outcome(good, invented) == (Outcome.HALLUCINATION, "not_found", 2)
    assert outcome() == (Outcome.FAIL, "absent", 0)


# ---- confidence (standard 1.6) -----------------------------------------------------------------------------------

HITL = table("extraction", "hitl")


@pytest.mark.parametrize(("confidence", "hitl", "code"), HITL)
def test_review_must_fit_the_confidence(confidence, hitl, code):
    item = judged_field("margin", {"value": GOLD["margin"]["value"], "confidence": confidence, "hitl": hitl})
    assert item.outcome == Outcome.CORRECT
    assert codes(item) & {"HITL_MISSING", "HITL_UNNEEDED"} == ({code} if code else set())


ILLEGIBLE = table("extraction", "illegible")


@pytest.mark.parametrize(("field", "outcome"), ILLEGIBLE)
def test_an_illegible_field_is_judged_by_what_the_system_knew(field, outcome):
    assert judged_field("margin", field, {"value": "2.40 per cent. per annum", "legible": False}).outcome == outcome


LOST = {"legible": False, "missing_page": 12}
GIVEN_UP = {"confidence": "LOW", "hitl": "block"}


@pytest.mark.parametrize(("field", "truth", "outcome", "found"), table("extraction", "what_cannot_be_read"))
def test_what_cannot_be_read_is_said_and_the_lost_page_named(field, truth, outcome, found) -> None:
    reported = {"status": "extracted", **field, **GIVEN_UP}
    fields = right_output() | {"margin": reported}
    item = judged(context("loan_onboarding", {"fields": fields}, {"fields": GOLD | {"margin": truth}}), YES)["fields.margin"]
    assert item.outcome == outcome and codes(item) - {"HITL_MISSING", "HITL_UNNEEDED"} == set(found)


@pytest.mark.parametrize(("truth", "shown"), table("extraction", "gold_as_the_report_shows_it"))
def test_gold_as_the_report_shows_it(truth, shown) -> None:
    key = "mac_clause" if truth.get("value") is True else "margin"
    item = judged(context("loan_onboarding", {"fields": right_output()}, {"fields": GOLD | {key: truth}}))[f"fields.{key}"]
    assert item.gold == shown


@pytest.mark.parametrize(("old", "date", "shown"), table("extraction", "an_amendment_as_the_report_shows_it"))
def test_an_amendment_as_the_report_shows_it(old, date, shown) -> None:
    change = {"original_value": old, "new_value": "2.40 %", "effective_date": date}
    output = {"document_type": "amendment", "fields": {"margin": {"status": "amended", **change}}}
    gold = {"document_type": "amendment", "fields": {"margin": {"amended": change}}}
    item = judged(context("loan_onboarding", output, gold))["fields.margin"]
    assert (item.reported, item.gold) == (shown, shown)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (None, None),
        (True, "Y"),
        (False, "N"),
        (("Larkhill Holdings plc", True), "Larkhill Holdings plc; Y"),
        ({"amount": 5, "currency": "GBP"}, "GBP 5"),
        ({"amount": 5, "currency": None}, "5"),
        ({"rate": 5}, '{"rate": 5}'),
        ("x" * 5000, "x" * TEXT_LENGTH + " [...]"),
        (("a bill of sale",) * 50, "; ".join(["a bill of sale"] * 37) + "; [...]"),
    ],
)
def test_a_value_as_a_short_text(shown, text) -> None:
    assert shown_text(shown) == text


@pytest.mark.parametrize(("amended", "place"), table("extraction", "every_value_of_an_amendments_gold_is_looked_for"))
def test_every_value_of_an_amendments_gold_is_looked_for(amended, place) -> None:
    right = {"original_value": None, "new_value": "2.40 per cent. per annum", "effective_date": "12 May 2025"}
    gold = {"document_type": "amendment", "fields": {"margin": {"amended": right | amended}}}
    one = context("loan_onboarding", None, gold)
    found = [where for where, _ in gold_faults(one.case, one.documents, one.contract)]
    assert found == [f"gold.fields.margin.amended.{name}" for name in place]


INVENTED = cite(3, "Clause 7.1", "the Margin is 9.75 per cent. per annum")


@pytest.mark.parametrize(("truth", "outcome"), [({"legible": False}, "fail"), (LOST, "hallucination")])
def test_a_quote_of_a_passage_that_nobody_can_read_is_no_invention_but_one_of_a_lost_page_is(truth, outcome) -> None:
    fields = right_output() | {"margin": {"status": "extracted", "value": "9.75 per cent.", "confidence": "HIGH", "citation": INVENTED}}
    item = judged(context("loan_onboarding", {"fields": fields}, {"fields": GOLD | {"margin": truth}}), YES)["fields.margin"]
    assert item.outcome == outcome and not (outcome == "fail" and item.can_hallucinate)


def test_where_no_page_can_be_read_a_guess_for_a_lost_page_may_be_invented() -> None:
    blank = document(pages=("", "", ""), states=("scan",) * 3)
    fields = right_output() | {"margin": {"status": "extracted", "value": "9.75 per cent.", "confidence": "HIGH", "citation": INVENTED}}
    truth = {"fields": GOLD | {"margin": LOST}}
    item = judged(context("loan_onboarding", {"fields": fields}, truth, documents=(blank,)))["fields.margin"]
    assert item.outcome == "fail" and item.can_hallucinate


# ---- amendments (standard 1.4) -----------------------------------------------------------------------------------

AMENDED = {
    "amended": {"original_value": "2.40 per cent. per annum", "new_value": "0.90 per cent. per annum", "effective_date": "2025-05-12"}
}
FULL = entries("extraction", "full")


@pytest.mark.parametrize(("change", "field", "outcome", "code"), table("extraction", "amendments"))
def test_amendments(change, field, outcome, code):
    """Gold and a right report, each with what a row changes; a field with a status or value of its own, or none, stands for the report."""
    truth = {"unchanged": True} if change == "unchanged" else {"amended": AMENDED["amended"] | change}
    if field is not None and not {"status", "value"} & set(field):
        field = FULL | field | {"citation": CITES["commitment_fee"]}
    item = judged_field("margin", field, truth)
    assert item.outcome == outcome
    assert code is None or code in codes(item)
    assert item.counts_for_field == ("unchanged" not in truth)


@pytest.mark.parametrize(
    ("said", "truth", "outcome"), table("extraction", "the_document_type_is_an_item_where_an_amendment_is_claimed_or_true")
)
def test_the_document_type_is_an_item_where_an_amendment_is_claimed_or_true(said, truth, outcome):
    items = judged(context("loan_onboarding", {"document_type": said, "fields": {}}, {"document_type": truth, "fields": GOLD}), YES)
    assert (items["document_type"].outcome, items["document_type"].weight) == (outcome, 3)
    plain = judged(context("loan_onboarding", {"fields": {}}, {"fields": GOLD}), YES)
    assert "document_type" not in plain


# ---- tranches (standard 1.5) -------------------------------------------------------------------------------------


def tranche_case(tranches: list[dict[str, Any]], verdicts: dict[str, str] | None = YES, **top: Any):
    fields, gold = right_output(), copy.deepcopy(GOLD)
    del fields["facility_amount"], gold["facility_amount"]
    for field in fields.values():
        field["shared"] = True
    for key, field in top.items():
        fields[key] = fields[key] | field
    truth = {"fields": gold, "tranches": [
        {"label": "Facility A", "fields": {"facility_amount": {"value": "£48,000,000"}}},
        {"label": "Facility B", "fields": {"facility_amount": {"value": "£16,000,000"}}},
    ]}  # fmt: skip
    return judged(context("loan_onboarding", {"fields": fields, "tranches": tranches}, truth), verdicts)


def tranche(label: str, amount: str) -> dict[str, Any]:
    letter = "a" if amount == "£48,000,000" else "b"
    quote = "in an aggregate amount equal to £48,000,000" if letter == "a" else "in an aggregate amount equal to £16,000,000"
    return {
        "label": label,
        "fields": {"facility_amount": {"status": "extracted", "value": amount, "citation": cite(2, f"Clause 2.1({letter})", quote)}},
    }


def test_tranches_share_the_weight_of_their_field():
    items = tranche_case([tranche("facility  a", "£48,000,000"), tranche("Facility B", "£16,000,000")])
    a, b = items["tranches.Facility A.facility_amount"], items["tranches.Facility B.facility_amount"]
    assert (a.outcome, b.outcome) == (Outcome.CORRECT, Outcome.CORRECT)
    assert (a.weight, b.weight, a.tranche) == (Fraction(3, 2), Fraction(3, 2), "Facility A")


@pytest.mark.parametrize(("label", "outcome"), table("extraction", "a_label_pairs_by_rule_only_if_it_is_read_whole", tuples=True))
def test_a_label_pairs_by_rule_only_if_it_is_read_whole(label, outcome):
    items = tranche_case([tranche(label, "£48,000,000"), tranche("Facility B", "£16,000,000")], None)
    assert items["tranches.Facility A.facility_amount"].outcome == outcome


def test_labels_with_a_bracket_that_gold_names_are_paired_one_by_one():
    numbers = (1, 2, 3)
    output = {"fields": {}, "tranches": [{"label": f"Tranche {n} (Vessel {n})", "fields": {}} for n in numbers]}
    gold = {"fields": {}, "tranches": [{"label": f"Tranche {n}", "fields": {}} for n in numbers]}
    for aliases, asked in (([f"Vessel {n} Tranche" for n in numbers], 0), ([f"Ship {n} Tranche" for n in numbers], 3)):
        for tranche_gold, alias in zip(gold["tranches"], aliases, strict=True):
            tranche_gold["aliases"] = [alias]
        case = context("loan_onboarding", output, gold)
        found = pair_tranches(case, case.case.output.tranches, case.case.gold.tranches)
        assert (found.pairs, len(found.questions)) == ({0: 0, 1: 1, 2: 2}, asked)


def test_another_tranches_amount_is_partial_and_a_missing_tranche_fails():
    items = tranche_case([tranche("Facility A", "£16,000,000")])
    assert items["tranches.Facility A.facility_amount"].outcome == Outcome.PARTIAL
    assert items["tranches.Facility B.facility_amount"].outcome == Outcome.FAIL


def test_a_tranche_that_gold_lacks_is_extra_and_an_invented_one_a_hallucination():
    both = [tranche("Facility A", "£48,000,000"), tranche("Facility B", "£16,000,000")]
    extra = tranche_case([*both, {"label": "Security", "fields": {}}])["tranches.+Security"]
    assert extra.outcome is NonOutcome.EXTRA and "EXTRA_TRANCHE" in codes(extra) and extra.weight == 0
    assert tranche_case([*both, {"label": "Facility Q", "fields": {}}])["tranches.+Facility Q"].outcome == Outcome.HALLUCINATION


SUBLIMITS = tuple(table("extraction", "sublimits"))


def sublimit(
    label: str, amount: str | None, quote: str | None = None, key: str = "facility_amount", *, verdicts: dict[str, str] | None = None
) -> Any:
    field: dict[str, Any] = {"status": "extracted", "value": amount}
    if quote is not None:
        field["citation"] = cite(1, "Clause 1", quote)
    output = {"fields": {}, "tranches": [{"label": label, "fields": {key: field} if amount else {}}]}
    gold = {"fields": {}, "tranches": [{"label": "Revolving Credit Facility", "fields": {"currency": {"absent": True}}}]}
    items = judged(context("loan_onboarding", output, gold, documents=(document(pages=SUBLIMITS),)), verdicts)
    return items[f"tranches.+{label}"]


CREDITS, SAME_DAY = "all Documentary Credits shall at no time exceed EUR 12,500,000", "Same day advances may be drawn up to EUR 7,000,000"


@pytest.mark.parametrize(("label", "field"), table("extraction", "a_descriptive_label_that_no_quote_shows_stays_open", tuples=True))
def test_a_descriptive_label_that_no_quote_shows_stays_open(label, field):
    item = sublimit(label, *field)
    assert (item.outcome, item.can_hallucinate, item.decided_by) == (NonOutcome.EXTRA, True, "none")


@pytest.mark.parametrize("label", ["Facility D", "Term Loan C", "TLB", "Tranche 2"])
def test_a_letter_or_number_that_no_tranche_of_the_document_has_is_invented(label):
    assert sublimit(label, None).outcome == Outcome.HALLUCINATION
    margin = ("2.35 per cent. per annum", "Advances under the revolving credit facility bear 2.35 per cent. per annum", "margin")
    assert sublimit(label, *margin).outcome == Outcome.HALLUCINATION  # said of another tranche


def test_another_tranches_amount_shows_no_further_tranche():
    both = [tranche("Facility A", "£48,000,000"), tranche("Facility B", "£16,000,000")]
    assert tranche_case([*both, tranche("Facility D", "£48,000,000")])["tranches.+Facility D"].outcome == Outcome.HALLUCINATION
    item = tranche_case([*both, tranche("Mezzanine line", "£48,000,000")])["tranches.+Mezzanine line"]
    assert (item.outcome, item.can_hallucinate) == (NonOutcome.EXTRA, True)


def test_a_tranche_reported_twice_is_an_extra_of_its_own():
    both = [tranche("Facility A", "£48,000,000"), tranche("Facility B", "£16,000,000")]
    items = tranche_case([*both, tranche("Facility A", "£48,000,000")])
    second = items["tranches.+Facility A#2"]
    assert codes(second) == {"DUPLICATE_TRANCHE"} and second.outcome is NonOutcome.EXTRA and second.weight == 0
    assert items["tranches.Facility A.facility_amount"].outcome == Outcome.CORRECT


def test_a_shared_field_must_be_noted_as_shared():
    both = [tranche("Facility A", "£48,000,000"), tranche("Facility B", "£16,000,000")]
    item = tranche_case(both, margin={"shared": False})["fields.margin"]
    assert item.outcome == Outcome.PARTIAL and "SHARED_NOT_NOTED" in codes(item)
    assert tranche_case(both, tenor={"shared": None})["fields.tenor"].outcome == Outcome.CORRECT
    for scope, outcome in ((["facility a", "Facility B"], "correct"), (["Facility A"], "partial")):
        assert tranche_case(both, margin={"shared": None, "scope": scope})["fields.margin"].outcome == outcome


# ---- without gold ------------------------------------------------------------------------------------------------


def test_without_gold_only_what_the_document_shows_is_decided():
    fields = right_output()
    fields["borrower"]["value"] = "Thornycroft Mining Inc."
    fields["margin"]["citation"]["quote"] = "“Margin” means 3.15 per cent. per annum."
    fields["currency"] = {"status": "extracted", "value": "GBP"}
    items = judged(context("loan_onboarding", {"fields": fields}), YES)
    assert items["fields.borrower"].outcome == Outcome.HALLUCINATION
    assert items["fields.margin"].outcome == Outcome.HALLUCINATION
    assert items["fields.governing_law"].outcome is NonOutcome.UNDECIDED and items["fields.governing_law"].why_open == "no_reference"
    assert items["fields.currency"].bounds == (0, 0)


def test_the_document_has_the_clauses_that_the_tables_cite():
    assert {c.number for c in AGREEMENT.clauses.clauses} >= {"1.1", "2.1(a)", "5.1", "8.1(a)", "14.2", "22.1", "parties"}


def test_what_an_ellipsis_leaves_out_supports_nothing() -> None:
    omitting = cite(2, "Clause 2.1", "a sterling term loan ... in an aggregate amount equal to")
    field, truth = {"value": "£48,000,000", "citation": omitting}, {"value": "£48,000,000"}
    assert judged_field("facility_amount", field, truth, {"quote_support": "does_not_support"}).outcome is Outcome.FAIL
    holding = cite(2, "Clause 2.1", "a sterling term loan facility ... equal to £48,000,000")
    item = judged_field("facility_amount", {**field, "citation": holding}, truth, {"quote_support": "does_not_support"})
    assert (item.outcome, item.provenance.outcome) == (Outcome.CORRECT, "normalised")


def test_a_term_defined_below_a_table_does_not_stand_for_the_table() -> None:
    table = "SCHEDULE 3\nRepayment\n14 May 2030\n£9,250,000\n14 May 2031\n£7,100,000\n"
    tail = f"{table}SCHEDULE 4\nForm of Request\nFacilities Agreement dated 12 May 2025 (the “Deal”)\n5\n"
    deal = document(pages=(*PAGES[:3], PAGES[3].replace("arising out of it", "arising out of the Deal"), tail))
    law = cite(4, "Clause 22.1", "arising out of the Deal are governed by English law")
    field, truth = {"value": "2031-05-14", "citation": law}, {"value": "2031-05-14"}
    item = judged_field("maturity_date", field, truth, {"quote_support": "does_not_support"}, documents=(deal,))
    assert (item.outcome, item.provenance.outcome) == (Outcome.FAIL, "unsupported")


@pytest.mark.parametrize(("value", "is_failure"), table("extraction", "a_failed_extraction_is_told_apart_from_a_wrong_value"))
def test_a_failed_extraction_is_told_apart_from_a_wrong_value(value: str, is_failure: bool) -> None:
    found = judged_field("governing_law", {"value": value})
    assert found.outcome == Outcome.FAIL and ("EXTRACTION_FAILED" in codes(found)) == is_failure
