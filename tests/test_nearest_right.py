"""Every path of the rules to `fail` and `hallucination`, each with its nearest right input (design/README.md).

A row is the function that decides, a wrong input with the label that it must get, and the nearest right one, which must get neither
label. The last tests read the rules' source: a new path, or a new reason of a known one, without a row fails them.
docs/development/nearest_right.md is the table of the rows; `python -m tests.test_nearest_right` writes it.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import judge.capabilities
from judge.capabilities.decisions import closed
from judge.records import Item, Part
from rubrics.contract import load_contract
from tests.capability_cases import PAGES, cite, context, document, judged
from tests.test_benchmark import FEE, FEE_QUOTE, MARGIN, NOVEL, QUOTE
from tests.test_covenants import COVER, LEVERAGE, bare
from tests.test_extraction import CITES, GOLD, right_output

Given = Callable[[], Item]


class Row(NamedTuple):
    path: str
    what: str
    wrong: Given
    label: str
    nearest: str
    right: Given


def field(key: str, value: Any, truth: dict[str, Any] | None = None, *, verdict: str | None = None, **more: Any) -> Given:
    """One field of an otherwise right output; value None: not mentioned."""

    def judge() -> Item:
        fields = right_output()
        if value is None and not more:
            del fields[key]
        else:
            cited = {"citation": CITES[key]} if key in CITES else {}
            fields[key] = {"status": "extracted", **cited, **({"value": value} if value is not None else {}), **more}
        gold = GOLD | ({key: truth} if truth is not None else {})
        verdicts = {"semantic_match": verdict, "quote_support": verdict} if verdict else None
        ctx = context("loan_onboarding", {"document_type": "primary_agreement", "fields": fields}, {"fields": gold})
        return judged(ctx, verdicts)[f"fields.{key}"]

    return judge


def covenant(
    changes: dict[str, Any], gold: dict[str, Any] | None = None, *, verdict: str | None = None, rubric: str = "semantic_match"
) -> Given:
    def judge() -> Item:
        ctx = context("covenant_monitoring", {"covenants": [LEVERAGE | changes]}, {"covenants": [bare(LEVERAGE) | (gold or {})]})
        return judged(ctx, {rubric: verdict} if verdict else None)["covenants.Leverage Ratio"]

    return judge


CROSS = cite(4, "Clause 16.2", "Any Financial Indebtedness of an Obligor in an aggregate amount of £3,200,000 or more is not paid when due")


def case_flag(top: list[dict[str, Any]], at_covenant: list[dict[str, Any]]) -> Given:
    """A cross default of the case, reported at the output's top level or at a covenant."""

    def judge() -> Item:
        output = {"covenants": [LEVERAGE | {"flags": at_covenant}], "flags": top}
        truth = {"covenants": [bare(LEVERAGE)], "flags": [{"kind": "cross_default", "threshold": "£3,200,000"}]}
        return judged(context("covenant_monitoring", output, truth))["flags.cross_default"]

    return judge


def extra_covenant(changes: dict[str, Any]) -> Given:
    def judge() -> Item:
        reported = [LEVERAGE, COVER | {"name": "Gearing Ratio"} | changes]
        return judged(context("covenant_monitoring", {"covenants": reported}, {"covenants": [bare(LEVERAGE)]}))["covenants.+Gearing Ratio"]

    return judge


DEAL = {"jurisdiction": "English law", "market": "European", "benchmark": "LMA"}


def benchmark(
    item: str, reported: list[dict[str, Any]], gold: list[dict[str, Any]], verdict: tuple[str, str] | None = None, **deal: Any
) -> Given:
    def judge() -> Item:
        truth = {"benchmark": "LMA", "jurisdiction": "English law", "market": "European", **deal.get("truth", {})}
        output = {**DEAL, **{key: value for key, value in deal.items() if key != "truth"}, "findings": reported}
        ctx = context("benchmark_validation", output, {**truth, "findings": gold})
        return judged(ctx, dict([verdict]) if verdict else None)[item]

    return judge


def margin(verdict: tuple[str, str] | None = None, **changes: Any) -> Given:
    return benchmark("findings.margin", [MARGIN | {"citation": QUOTE} | changes], [MARGIN], verdict)


def fee(**changes: Any) -> Given:
    return benchmark("findings.commitment_fee", [FEE | {"citation": FEE_QUOTE} | changes], [FEE])


CLAIM = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")
RIGHT = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "commitment fee"}
NOWHERE = {"answerable": False, "topic": "hedging requirements"}
REFUSAL = "The document does not contain information about the hedging requirements."


def answer(
    text: str | None,
    gold: dict[str, Any] | None = None,
    claims: list[dict[str, Any]] | None = None,
    verdicts: dict[str, str] | None = None,
    **more: Any,
) -> Given:
    def judge() -> Item:
        truth = RIGHT if gold is None else gold
        question = "What is the commitment fee?" if truth["answerable"] else "What are the hedging requirements?"
        output = None if text is None else {"answer": text, "citations": [CLAIM] if claims is None else claims}
        return judged(context("document_qa", output, truth, input={"question": question}, **more), verdicts)["answer"]

    return judge


def amendment(
    reported: dict[str, Any], gold: dict[str, Any], item: str = "fields.margin", kind: str = "amendment", verdict: str | None = None
) -> Given:
    def judge() -> Item:
        fields = {key: {"status": "unchanged"} for key in GOLD} | {"margin": reported}
        truth = {key: {"unchanged": True} for key in GOLD} | {"margin": gold}
        ctx = context("loan_onboarding", {"document_type": kind, "fields": fields}, {"document_type": "amendment", "fields": truth})
        return judged(ctx, {"semantic_match": verdict, "quote_support": "supports"} if verdict else None)[item]

    return judge


TOP = {key: value for key, value in GOLD.items() if key not in ("margin", "facility_amount")}


def tranche(label: str, item: str, amount: str = "£48,000,000", *, verdict: str | None = None, gold: str = "Facility A") -> Given:
    """One tranche beside gold's Facility A and Facility B."""

    def judge() -> Item:
        cited = {"citation": cite(2, "Clause 2.1(a)", "a sterling term loan facility in an aggregate amount equal to £48,000,000")}
        other = {"citation": cite(2, "Clause 2.1(b)", "a sterling revolving credit facility in an aggregate amount equal to £16,000,000")}
        second = {"label": "Facility B", "fields": {"facility_amount": {"status": "extracted", "value": "£16,000,000", **other}}}
        first = {"label": label, "fields": {"facility_amount": {"status": "extracted", "value": amount, **cited}}}
        fields = {k: v for k, v in right_output().items() if k in TOP}
        truth = [
            {"label": gold, "fields": {"facility_amount": {"value": "£48,000,000"}}},
            {"label": "Facility B", "fields": {"facility_amount": {"value": "£16,000,000"}}},
        ]
        ctx = context("loan_onboarding", {"fields": fields, "tranches": [first, second]}, {"fields": TOP, "tranches": truth})
        items = judged(ctx, {"semantic_match": verdict} if verdict else None)
        return items.get(item) or next(v for k, v in items.items() if k.startswith("tranches."))

    return judge


def extra_field(value: str) -> Given:
    """A margin of a tranche that gold has at the top."""

    def judge() -> Item:
        reported = {
            "label": "Facility A",
            "fields": {"facility_amount": {"status": "extracted", "value": value, "citation": CITES["facility_amount"]}},
        }
        truth = {"label": "Facility A", "fields": {"margin": GOLD["margin"]}}
        top = {k: v for k, v in GOLD.items() if k != "margin"}
        ctx = context("loan_onboarding", {"fields": right_output(), "tranches": [reported]}, {"fields": top, "tranches": [truth]})
        return judged(ctx)["tranches.Facility A.facility_amount"]

    return judge


WRONG_DEAL = {"truth": {"benchmark": None, "jurisdiction": "English law and Singapore law", "market": None, "jurisdiction_ambiguous": True}}
ILLEGIBLE = {"legible": False, "visible": "Orms"}
LOW = {"confidence": "LOW", "hitl": "block"}
NEW = {
    "status": "amended",
    "original_value": None,
    "new_value": "2.40 per cent. per annum",
    "effective_date": "unclear",
    "citation": CITES["margin"],
}
CHANGED = {"amended": {"original_value": None, "new_value": "2.40 per cent. per annum", "effective_date": None}}
SCANNED = (document(pages=(*PAGES, ""), states=("text",) * len(PAGES) + ("scan",)),)
LOOSE = cite(3, "Clause 8.1(a)", "a charge calculated using a rate of 0.90 per cent. per annum upon the Available Commitment")
ELSEWHERE = cite(3, "Clause 8.1(b)", "The accrued commitment fee is payable on the last day of each successive period of three Months")

ROWS = [
    # ---- onboarding
    Row(
        "onboarding.field_values.wrong_part",
        "a value that stands elsewhere",
        field("facility_amount", "£48,000,000"),
        "fail",
        'the total with "(Total Commitments)" behind it',
        field("facility_amount", "£64,000,000 (Total Commitments)"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a name that is not in the document",
        field("borrower", "Larkhill Dairies Limited (the Borrower)"),
        "hallucination",
        'the borrower\'s name with "(the Borrower)"',
        field("borrower", "Larkhill Wind Limited (the Borrower)"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a figure with the field's own name before it",
        field("margin", "Margin: 2.45 per cent. per annum"),
        "hallucination",
        "the right figure with the field's own name before it",
        field("margin", "Margin: 2.40 per cent. per annum"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "an all-figure date",
        field("maturity_date", "30/06/2032"),
        "hallucination",
        "the right day in figures",
        field("maturity_date", "30/06/2031"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a guarantor among right ones",
        field("guarantors", ["Larkhill Holdings plc (the Guarantor)", "Larkhill Midco Limited"]),
        "hallucination",
        'the right guarantor and "each Additional Guarantor"',
        field("guarantors", ["Larkhill Holdings plc (the Guarantor)", "each Additional Guarantor"]),
    ),
    Row(
        "onboarding.field_values.compared",
        "a name that a judge finds to be another's",
        field("borrower", "Larkhill Wind plc", verdict="not_equivalent"),
        "hallucination",
        "the legal form abbreviated",
        field("borrower", "Larkhill Wind Ltd.", verdict="not_equivalent"),
    ),
    Row(
        "onboarding.field_values.content_part",
        "a failed extraction",
        field("margin", "EXTRACTION FAILED"),
        "fail",
        '"not stated in the document" where nothing is',
        field("tenor", "not stated in the document"),
    ),
    Row(
        "onboarding.field_values._not_reported",
        "not mentioned",
        field("tenor", None),
        "fail",
        "absent, and said so",
        field("tenor", None, status="absent"),
    ),
    Row(
        "onboarding.field_values._absent",
        "unchanged where nothing is",
        field("tenor", None, status="unchanged"),
        "fail",
        '"N/A" where nothing is',
        field("tenor", "N/A"),
    ),
    Row(
        "onboarding.field_values._present",
        "absent where something is",
        field("margin", None, status="absent"),
        "fail",
        "absent where gold says no",
        field("mac_clause", None, status="absent"),
    ),
    Row(
        "onboarding.field_values._unchanged",
        "absent in an amendment",
        amendment({"status": "absent"}, {"unchanged": True}),
        "fail",
        '"unchanged - refer to original agreement" as a value',
        amendment({"status": "extracted", "value": "unchanged - refer to original agreement"}, {"unchanged": True}),
    ),
    Row(
        "onboarding.field_values._amended",
        "unchanged where it is amended",
        amendment({"status": "unchanged"}, CHANGED),
        "fail",
        '"see original agreement" as the original value',
        amendment(NEW | {"original_value": "see original agreement"}, CHANGED),
    ),
    Row(
        "onboarding.field_values._effective",
        "words that a judge reads as an assumed effective date",
        amendment(NEW | {"effective_date": "on the signing date"}, CHANGED, verdict="not_equivalent"),
        "fail",
        "words that the judge reads as no date",
        amendment(NEW | {"effective_date": "when the conditions are met"}, CHANGED, verdict="equivalent"),
    ),
    Row(
        "onboarding.items._document_type",
        "no amendment flagged",
        amendment(NEW, CHANGED, "document_type", "primary_agreement"),
        "fail",
        "flagged as an amendment",
        amendment(NEW, CHANGED, "document_type"),
    ),
    Row(
        "onboarding.confidence.illegible_part",
        "sure of what cannot be read",
        field("facility_agent", "illegible", ILLEGIBLE, confidence="HIGH"),
        "fail",
        "illegible, LOW and blocked",
        field("facility_agent", "illegible", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.confidence._not_read",
        "a name that is like nothing in its quote",
        field("facility_agent", "Cardew Trust Company Limited", {"value": "Ormsby Bank PLC", "legible": False}, **LOW),
        "fail",
        "the same name misread by one letter",
        field("facility_agent", "Ormsby B4nk PLC", {"value": "Ormsby Bank PLC", "legible": False}, **LOW),
    ),
    Row(
        "onboarding.confidence._guessed",
        "a completed name",
        field("facility_agent", "Ormsby Bank PLC", ILLEGIBLE, **LOW),
        "fail",
        "the visible part alone",
        field("facility_agent", "Orms", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.confidence._guessed",
        "a name against what is visible",
        field("facility_agent", "Cardew Trust Company Limited", ILLEGIBLE, **LOW),
        "hallucination",
        '"(illegible)"',
        field("facility_agent", "(illegible)", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.items._if_paired",
        "a tranche that a judge finds to be another",
        tranche("Facility A", "tranches.Bilateral line.facility_amount", "£40,000,000", verdict="not_equivalent", gold="Bilateral line"),
        "fail",
        "another name that the judge finds to be the tranche",
        tranche("Facility A", "tranches.Bilateral line.facility_amount", verdict="equivalent", gold="Bilateral line"),
    ),
    Row(
        "onboarding.extras._label_part",
        "a label without counterpart",
        tranche("Accordion Facility Z", "tranches.+Accordion Facility Z", "£9,000,000"),
        "hallucination",
        '"Term Loan A" for Facility A',
        tranche("Term Loan A", "tranches.Facility A.facility_amount"),
    ),
    Row(
        "decisions.nowhere_part",
        "an invented extra",
        extra_field("£77,000,000"),
        "hallucination",
        "an extra whose amount the document has",
        extra_field("£64 million"),
    ),
    # ---- covenants
    Row(
        "covenants.items._covenant_item",
        "missed",
        covenant({"name": "Capital Expenditure"}),
        "fail",
        '"Maximum Leverage"',
        covenant({"name": "Maximum Leverage"}),
    ),
    Row(
        "covenants.terms.type_part",
        "another class",
        covenant({"type": "negative"}),
        "fail",
        '"Financial covenant"',
        covenant({"type": "Financial covenant"}),
    ),
    Row(
        "covenants.terms.threshold_part",
        "another figure",
        covenant({"threshold": "shall not exceed 4.20:1"}),
        "fail",
        '"4.10x or less"',
        covenant({"threshold": "4.10x or less"}),
    ),
    Row(
        "covenants.terms.threshold_part",
        "the comparator turned round",
        covenant({"threshold": "at least 4.10:1"}),
        "fail",
        '"not more than"',
        covenant({"threshold": "not more than 4.10:1"}),
    ),
    Row(
        "covenants.terms.frequency_part",
        "two levels off",
        covenant({"testing_frequency": "annual"}),
        "fail",
        '"each quarter"',
        covenant({"testing_frequency": "each quarter"}),
    ),
    Row(
        "covenants.terms._frequency_words",
        "words that a judge finds different",
        covenant({"testing_frequency": "when the moon is full"}, verdict="not_equivalent"),
        "fail",
        "words that the judge finds equivalent",
        covenant({"testing_frequency": "on every test day"}, verdict="equivalent"),
    ),
    Row(
        "decisions.nowhere_part",
        "an extra covenant's figure",
        extra_covenant({"threshold": "not less than 7.77:1"}),
        "hallucination",
        'a limit of the document, as "at least 2.60x"',
        extra_covenant({"threshold": "at least 2.60x"}),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag of the case passed over",
        case_flag([], []),
        "fail",
        "the flag, reported at a covenant",
        case_flag([], [{"kind": "cross_default", "threshold": "GBP 3.2m", "citation": LEVERAGE["citation"]}]),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag of the case with another figure",
        case_flag([{"kind": "cross_default", "threshold": "£2,300,000", "citation": LEVERAGE["citation"]}], []),
        "fail",
        "the figure of the document with its place",
        case_flag([{"kind": "cross_default", "threshold": "£3,200,000", "citation": CROSS}], []),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag passed over",
        covenant({}, {"flags": [{"kind": "cross_default", "threshold": "£3,200,000"}]}),
        "fail",
        "the flag with its figure in other notation",
        covenant(
            {"flags": [{"kind": "cross_default", "threshold": "GBP 3.2m", "citation": LEVERAGE["citation"]}]},
            {"flags": [{"kind": "cross_default", "threshold": "£3,200,000"}]},
        ),
    ),
    Row(
        "covenants.flags._wrong",
        "a flag's other figure",
        covenant(
            {"flags": [{"kind": "grace_period", "days": 5, "citation": LEVERAGE["citation"]}]},
            {"flags": [{"kind": "grace_period", "days": "four Business Days"}]},
        ),
        "fail",
        '"4 Business Days" for "four Business Days"',
        covenant(
            {"flags": [{"kind": "grace_period", "days": "4 Business Days", "citation": LEVERAGE["citation"]}]},
            {"flags": [{"kind": "grace_period", "days": "four Business Days"}]},
        ),
    ),
    # ---- benchmark terms
    Row(
        "benchmark.family.family_item",
        "no output",
        lambda: judged(context("benchmark_validation", None, {"benchmark": "LMA", "findings": []}))["benchmark"],
        "fail",
        "an output without findings",
        benchmark("benchmark", [], []),
    ),
    Row(
        "benchmark.family._ambiguous_part",
        "an ambiguity not flagged",
        benchmark("benchmark", [], [], **WRONG_DEAL),
        "fail",
        "the ambiguity flagged, nothing applied",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="English law", **WRONG_DEAL),
    ),
    Row(
        "benchmark.family._foreign_law",
        "a law that is none of the mixed ones",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="New York law", **WRONG_DEAL),
        "fail",
        "one of the mixed laws",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="laws of England", **WRONG_DEAL),
    ),
    Row(
        "benchmark.family.applied_family",
        "another family",
        benchmark("benchmark", [], [], benchmark="APLMA"),
        "fail",
        "the family by its full name",
        benchmark("benchmark", [], [], benchmark="Loan Market Association"),
    ),
    Row(
        "benchmark.family._deal_parts",
        "another market",
        benchmark("benchmark", [], [], market="APAC"),
        "fail",
        '"the European loan market"',
        benchmark("benchmark", [], [], market="the European loan market"),
    ),
    Row(
        "benchmark.items._finding_item",
        "silence",
        benchmark("findings.margin", [], [MARGIN]),
        "fail",
        "the term with a capital letter",
        margin(term="Margin"),
    ),
    Row(
        "benchmark.items._deviation",
        "a deviation missed",
        margin(finding="conforming"),
        "fail",
        "the gap as a percentage",
        margin(gap="0.30 per cent."),
    ),
    Row(
        "benchmark.items._conforming",
        "a false positive",
        fee(finding="deviation", gap="0 bps"),
        "fail",
        "the benchmark value in basis points",
        fee(benchmark_value="90 bps"),
    ),
    Row(
        "benchmark.items._conforming_values",
        "a benchmark that does not hold the deal",
        fee(benchmark_value="120-150 bps"),
        "fail",
        "a range that holds the deal's value",
        fee(benchmark_value="80 to 100 bps"),
    ),
    Row(
        "benchmark.items._not_comparable",
        "a novel term flagged",
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"finding": "deviation", "citation": QUOTE}], [NOVEL]),
        "fail",
        "the novel term, in words",
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"term": "Wind yield ratchet", "citation": QUOTE}], [NOVEL]),
    ),
    Row(
        "benchmark.family.applied_family",
        "a finding in another family",
        benchmark("findings.margin", [MARGIN | {"citation": QUOTE}], [MARGIN], benchmark="LSTA"),
        "fail",
        "the family with its full name in brackets",
        benchmark("findings.margin", [MARGIN | {"citation": QUOTE}], [MARGIN], benchmark="LMA (Loan Market Association)"),
    ),
    Row(
        "benchmark.items._value_parts",
        "another deal value",
        margin(deal_value="2.80 per cent. per annum", gap="70 bps"),
        "fail",
        "the deal value in basis points",
        margin(deal_value="240 basis points"),
    ),
    Row(
        "benchmark.items._value_words",
        "words that a judge finds different",
        margin(("semantic_match", "not_equivalent"), benchmark_value="what the market pays"),
        "fail",
        "words that the judge finds equivalent",
        margin(("semantic_match", "equivalent"), benchmark_value="the survey's median"),
    ),
    Row(
        "benchmark.items._gap_words",
        "a gap in words that a judge finds different",
        margin(("benchmark_gap", "different_gap"), gap="a veto of holders of 25 %"),
        "fail",
        "words that the judge finds to be the same gap",
        margin(("benchmark_gap", "same_gap"), gap="a good quarter per cent. wider"),
    ),
    Row(
        "benchmark.items._reference_part",
        "another reference by the judge",
        margin(("benchmark_reference", "wrong_reference"), benchmark_reference="LSTA Pricing Review 2025"),
        "fail",
        "the accepted reference in small letters",
        margin(benchmark_reference="LMA pricing review 2025, table 4"),
    ),
    # ---- answers
    Row("qa.items.judge", "no answer", answer(None), "fail", '"0.90% p.a."', answer("0.90% p.a.")),
    Row(
        "qa.items._answerable",
        "a refusal of what is there",
        answer("The document does not contain information about the commitment fee.", claims=[]),
        "fail",
        '"90 bps per annum"',
        answer("90 bps per annum"),
    ),
    Row(
        "qa.items._correctness",
        "another figure",
        answer("1.90% p.a."),
        "fail",
        "the figure in a sentence",
        answer("The commitment fee is 0.9 per cent. a year."),
    ),
    Row(
        "qa.items._correctness",
        "words that the judge finds to say nothing specific",
        answer("This depends on the circumstances.", verdicts={"answer_correctness": "non_answer"}),
        "fail",
        "a sentence that the judge finds right",
        answer(
            "The fee is 0.90% p.a.", verdicts={"answer_correctness": "correct", "answer_scope": "within_scope", "quote_support": "supports"}
        ),
    ),
    Row(
        "qa.items._manner",
        "a qualification left out",
        answer("It is one per cent.", RIGHT | {"qualified": True}, verdicts={"answer_correctness": "correct", "uncertainty": "missing"}),
        "fail",
        "the qualified answer itself",
        answer("0.90 per cent. per annum", RIGHT | {"qualified": True}, verdicts={"uncertainty": "missing"}),
    ),
    Row(
        "qa.items._scope",
        "a claim beyond the document",
        answer(
            "0.90% p.a., as is usual.",
            verdicts={"answer_correctness": "correct", "answer_scope": "outside_scope", "quote_support": "supports"},
        ),
        "fail",
        "the bare value",
        answer("0.90% p.a.", verdicts={"answer_scope": "outside_scope"}),
    ),
    Row(
        "qa.citing.section_parts",
        "a required section not cited",
        answer("0.90% p.a.", claims=[cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")]),
        "fail",
        "the required section by its base clause",
        answer(
            "0.90% p.a.",
            claims=[
                cite(
                    3,
                    "Clause 8.1",
                    "The Borrower shall pay to the Facility Agent a fee computed at the rate of 0.90 per cent. per annum",
                )
            ],
        ),
    ),
    Row(
        "qa.items.unanswerable",
        "an answer where there is none",
        answer("Hedging is a matter for the Borrower.", NOWHERE, []),
        "fail",
        "the mandated refusal",
        answer(REFUSAL, NOWHERE, []),
    ),
    Row(
        "qa.items._refusal_part",
        "a claim behind the refusal",
        answer(f"{REFUSAL} The hedging letter asks for one half.", NOWHERE, []),
        "fail",
        "a refusal that says where else to look",
        answer(f"“{REFUSAL} If this information is required, it may be found in the hedging letter.”", NOWHERE, []),
    ),
    Row(
        "qa.items._figures_part",
        "an invented figure",
        answer("It must hedge 65 per cent. of the Loans.", NOWHERE, []),
        "hallucination",
        "the mandated refusal",
        answer(REFUSAL, NOWHERE, []),
    ),
    # ---- provenance
    Row(
        "provenance._location_part",
        "another place without the value",
        field("borrower", "Larkhill Wind Limited", citation=cite(4, "Clause 22.1", CITES["borrower"]["quote"])),
        "fail",
        "the same quote at the parties, where it stands",
        field("borrower", "Larkhill Wind Limited", citation=cite(1, "parties", CITES["borrower"]["quote"])),
    ),
    Row(
        "provenance._paraphrase_part",
        "a quote that a judge finds invented",
        answer("0.90% p.a.", claims=[cite(9, "Clause 99.9", "a fee that nobody ever agreed on")]),
        "hallucination",
        "the quote in capitals",
        answer("0.90% p.a.", claims=[cite(3, "Clause 8.1(a)", "A FEE computed at the rate of 0.90 per cent. per annum")]),
    ),
    Row(
        "provenance._support_part",
        "a quote about something else",
        field(
            "margin", "2.40 per cent. per annum", verdict="does_not_support", citation=cite(4, "Clause 22.1", "are governed by English law")
        ),
        "fail",
        "a quote that states the value in other notation",
        field("margin", "240 bps"),
    ),
    Row(
        "provenance.invented_parts",
        "an invented citation beside absent",
        field("tenor", None, status="absent", citation=cite(44, "Clause 99", "the tenor is nine years")),
        "hallucination",
        "a real citation beside absent",
        field("tenor", None, status="absent", citation=cite(4, "Clause 22.1", "are governed by English law")),
    ),
    # ---- reasons of the same rules that the rows above do not give
    Row(
        "onboarding.field_values._absent",
        "said to be there and illegible",
        field("tenor", "[illegible]"),
        "fail",
        '"none stated in the Agreement"',
        field("tenor", "none stated in the Agreement"),
    ),
    Row(
        "onboarding.confidence.illegible_part",
        "not mentioned",
        field("facility_agent", None, ILLEGIBLE),
        "fail",
        "the visible part with an ellipsis",
        field("facility_agent", "Orms…", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.confidence.illegible_part",
        "illegible, reported as absent",
        field("facility_agent", None, ILLEGIBLE, status="absent", confidence="MEDIUM", hitl="flag"),
        "fail",
        "absent, LOW and blocked",
        field("facility_agent", None, ILLEGIBLE, status="absent", **LOW),
    ),
    Row(
        "covenants.terms.type_part",
        "no class stated",
        covenant({"type": None}),
        "fail",
        "the class in capitals",
        covenant({"type": "FINANCIAL"}),
    ),
    Row(
        "covenants.terms.type_part",
        "a class that a judge finds different",
        covenant({"type": "operational"}, verdict="different", rubric="covenant_type_adjacency"),
        "fail",
        "another word that the judge finds to be the class",
        covenant({"type": "ratio test"}, verdict="same", rubric="covenant_type_adjacency"),
    ),
    Row(
        "covenants.terms.threshold_part",
        "words that a judge finds different",
        covenant({"threshold": "as low as is prudent"}, verdict="not_equivalent"),
        "fail",
        "words that the judge finds equivalent",
        covenant({"threshold": "the level of the certificate"}, verdict="equivalent"),
    ),
    Row(
        "covenants.terms.frequency_part",
        "no frequency for a test",
        covenant({"testing_frequency": None}),
        "fail",
        "no frequency where there is no test",
        covenant({"testing_frequency": None}, {"testing_frequency": "none"}),
    ),
    Row(
        "covenants.terms.frequency_part",
        "on event for each quarter",
        covenant({"testing_frequency": "on_event"}),
        "fail",
        '"on each Quarter Date"',
        covenant({"testing_frequency": "on each Quarter Date"}),
    ),
    Row(
        "benchmark.family._ambiguous_part",
        "a benchmark applied to a mixed deal without disclosure",
        benchmark("benchmark", [MARGIN | {"citation": QUOTE}], [], jurisdiction_ambiguous=True, **WRONG_DEAL),
        "fail",
        "a benchmark applied and disclosed in every finding",
        benchmark(
            "benchmark",
            [MARGIN | {"citation": QUOTE, "disclosure": "law and market differ; LMA applied"}],
            [],
            jurisdiction_ambiguous=True,
            **WRONG_DEAL,
        ),
    ),
    Row("benchmark.items._deviation", "a part missing", margin(gap=None), "fail", "the gap with a percent sign", margin(gap="0.30%")),
    Row(
        "benchmark.items._conforming",
        "a standard term called not comparable",
        fee(finding="not_comparable"),
        "fail",
        'the standard term with "none" as gap',
        fee(gap="none"),
    ),
    Row(
        "benchmark.items._conforming",
        "conformity without a reference",
        fee(benchmark_reference=None),
        "fail",
        "the reference alone, without a benchmark value",
        fee(benchmark_value=None),
    ),
    Row(
        "benchmark.items._conforming_values",
        "another deal value",
        fee(deal_value="1.90 per cent. per annum"),
        "fail",
        "the deal value in basis points",
        fee(deal_value="90 bps p.a."),
    ),
    Row(
        "benchmark.items._conforming_values",
        "a gap beside an affirmation",
        fee(gap="100 bps"),
        "fail",
        "a gap of nothing",
        fee(gap="0 bps"),
    ),
    Row(
        "benchmark.items._conforming_values",
        "another benchmark value",
        fee(benchmark_value="1.60 per cent. per annum"),
        "fail",
        "the benchmark value with a percent sign",
        fee(benchmark_value="0.90%"),
    ),
    Row(
        "benchmark.items._not_comparable",
        "a novel term called conforming",
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"finding": "conforming", "citation": QUOTE}], [NOVEL]),
        "fail",
        'the novel term with "n/a" as gap',
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"gap": "n/a", "citation": QUOTE}], [NOVEL]),
    ),
    Row(
        "qa.items._figures_part",
        "a figure that no readable page has",
        answer("It must hedge 65 per cent. of the Loans.", NOWHERE, [], documents=SCANNED),
        "fail",
        "the mandated refusal on the same document",
        answer(REFUSAL, NOWHERE, [], documents=SCANNED),
    ),
    Row(
        "provenance._paraphrase_part",
        "a rewording at the right place that a judge finds invented",
        answer("0.90% p.a.", claims=[LOOSE], verdicts={"quote_paraphrase": "fabricated"}),
        "hallucination",
        "the same rewording, which the judge finds to be one",
        answer("0.90% p.a.", claims=[LOOSE], verdicts={"quote_paraphrase": "paraphrase", "quote_support": "supports"}),
    ),
    Row(
        "provenance.absent",
        "no citation at all",
        field("margin", "240 bps", citation=None),
        "fail",
        "a citation without a page",
        field("margin", "240 bps", citation=QUOTE | {"page": None}),
    ),
    Row(
        "provenance._location_part",
        "a document that the case does not have",
        field("margin", "240 bps", citation=QUOTE | {"document": "side-letter.pdf"}),
        "fail",
        "the document's name without its extension",
        field("margin", "240 bps", citation=QUOTE | {"document": QUOTE["document"].removesuffix(".pdf")}),
    ),
    Row(
        "provenance._location_part",
        "an altered quote",
        field("margin", "240 bps", citation=QUOTE | {"quote": "“Margin” means 2.45 per cent. per annum."}),
        "hallucination",
        "the quote with its clause before it and straight quotation marks",
        field("margin", "240 bps", citation=QUOTE | {"quote": 'Clause 1.1: "Margin" means 2.40 per cent per annum'}),
    ),
    Row(
        "provenance._location_part",
        "a clause that does not exist",
        field("margin", "240 bps", citation=QUOTE | {"section": "Clause 97.1"}),
        "hallucination",
        "the clause with its title and term",
        field("margin", "240 bps", citation=QUOTE | {"section": "Definitions (Clause 1.1), “Margin”"}),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path.split('.')[-1]}: {row.what}")
def test_the_wrong_input_gets_its_label_and_the_nearest_right_one_neither(row: Row) -> None:
    assert row.wrong().outcome == row.label
    assert row.right().outcome not in ("fail", "hallucination")


def test_every_path_to_a_zero_has_a_row() -> None:
    """A path is a function of the rules that closes a part as a fail or a hallucination; each of its labels has a row."""
    told = {(row.path, row.label) for row in ROWS}
    assert {(path, label) for path, label, *_ in _sites()} - told == set()
    assert {path for path, _ in told} - {path for path, *_ in _sites()} == {"provenance.absent"}  # whose label is the contract's


def test_every_reason_for_a_zero_is_given_by_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call in the rules that closes a part as a zero is reached when the wrong inputs are judged."""
    reached: set[tuple[str, int]] = set()

    def recording(*arguments: Any, **more: Any) -> Part:
        frame = sys._getframe(1)
        reached.add((frame.f_globals["__name__"], frame.f_lineno))
        return closed(*arguments, **more)

    for info in pkgutil.walk_packages(judge.capabilities.__path__, "judge.capabilities."):
        module = importlib.import_module(info.name)
        if getattr(module, "closed", None) is closed:
            monkeypatch.setattr(module, "closed", recording)
    for row in ROWS:
        row.wrong()
    missed = [
        f"{path}, line {first}"
        for path, _, first, last in _sites("closed")
        if not reached & {(f"judge.capabilities.{path.rsplit('.', 1)[0]}", line) for line in range(first, last + 1)}
    ]
    assert missed == []


def test_every_word_of_a_citation_that_costs_everything_has_a_row() -> None:
    """Labels that the contract gives to provenance words are in no call of the rules."""
    zeros = {(word, label) for word, label in load_contract().provenance_labels.items() if label in ("fail", "hallucination")}
    items = [row.wrong() for row in ROWS if row.path.startswith("provenance.")]
    assert zeros <= {(str(item.provenance.outcome), str(item.outcome)) for item in items}


def test_the_page_lists_every_row() -> None:
    assert PAGE.read_text("utf-8") == page()


PAGE = Path(__file__).parents[1] / "docs" / "development" / "nearest_right.md"
HEAD = """# Zeros and their nearest right inputs

Every path of the rules to `fail` and `hallucination`: the function that decides, a wrong input, its label, and the nearest right input,
which must get neither. Written by `python -m tests.test_nearest_right`. The test of a row is
`tests/test_nearest_right.py::test_the_wrong_input_gets_its_label_and_the_nearest_right_one_neither[FUNCTION: WRONG INPUT]`. Three more
tests read the source: a new function, a new reason within one, or a new word of a citation that costs everything fails them until it has
a row.

| function | wrong input | label | nearest right input |
|---|---|---|---|
"""


def page() -> str:
    return HEAD + "".join(f"| `{row.path}` | {row.what} | {row.label} | {row.nearest} |\n" for row in ROWS)


NOT_OF_AN_ITEM = frozenset(
    {"qa.items._accuracy_shades", "qa.dimensions.imports_part", "onboarding.items._degree", "benchmark.items._facts"}
)
"""Parts for a rubric's dimensions alone: no item's label comes from them."""


def _sites(*names: str) -> Iterator[tuple[str, str, int, int]]:
    """The calls that close a part as a zero: function, label, first and last line."""
    root = Path(judge.capabilities.__file__).parent
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for function in ast.walk(ast.parse(file.read_text())):
            is_rule = isinstance(function, ast.FunctionDef) and f"{module}.{function.name}" not in NOT_OF_AN_ITEM
            for node in ast.walk(function) if is_rule else ():
                for label in _zeros(node, names or ("closed", "replace")):
                    yield f"{module}.{function.name}", label, node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]


def _zeros(node: ast.AST, names: tuple[str, ...]) -> set[str]:
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in names):
        return set()
    parts = (part for argument in (*node.args, *(k.value for k in node.keywords)) for part in ast.walk(argument))
    return {p.attr.lower() for p in parts if isinstance(p, ast.Attribute) and p.attr in ("FAIL", "HALLUCINATION")}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
