"""Every path of the rules to `fail` and `hallucination`, each with its nearest right input (real_agreements.md R0.4).

A row is the function that decides, a wrong input with the label that it must get, and the nearest right one, which must get neither
label. The last test reads the rules' source: a new path without a row fails it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import judge.capabilities
from judge.records import Item
from tests.capability_cases import cite, context, judged
from tests.test_benchmark import FEE, FEE_QUOTE, MARGIN, NOVEL, QUOTE
from tests.test_covenants import COVER, LEVERAGE, bare
from tests.test_extraction import CITES, GOLD, right_output

Given = Callable[[], Item]


class Row(NamedTuple):
    path: str
    what: str
    wrong: Given
    label: str
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
        truth = {"benchmark": "LMA", "jurisdiction": "English law", "market": "European", **deal.pop("truth", {})}
        ctx = context("benchmark_validation", {**DEAL, **deal, "findings": reported}, {**truth, "findings": gold})
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
    text: str | None, gold: dict[str, Any] | None = None, claims: list[dict[str, Any]] | None = None, verdicts: dict[str, str] | None = None
) -> Given:
    def judge() -> Item:
        truth = RIGHT if gold is None else gold
        question = "What is the commitment fee?" if truth["answerable"] else "What are the hedging requirements?"
        output = None if text is None else {"answer": text, "citations": [CLAIM] if claims is None else claims}
        return judged(context("document_qa", output, truth, input={"question": question}), verdicts)["answer"]

    return judge


def amendment(reported: dict[str, Any], gold: dict[str, Any], item: str = "fields.margin", kind: str = "amendment") -> Given:
    def judge() -> Item:
        fields = {key: {"status": "unchanged"} for key in GOLD} | {"margin": reported}
        truth = {key: {"unchanged": True} for key in GOLD} | {"margin": gold}
        ctx = context("loan_onboarding", {"document_type": kind, "fields": fields}, {"document_type": "amendment", "fields": truth})
        return judged(ctx)[item]

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
ELSEWHERE = cite(3, "Clause 8.1(b)", "The accrued commitment fee is payable on the last day of each successive period of three Months")

ROWS = [
    # ---- onboarding
    Row(
        "onboarding.field_values.wrong_part",
        "a value that stands elsewhere",
        field("facility_amount", "£48,000,000"),
        "fail",
        field("facility_amount", "£64,000,000 (Total Commitments)"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a name that is not in the document",
        field("borrower", "Larkhill Dairies Limited (the Borrower)"),
        "hallucination",
        field("borrower", "Larkhill Wind Limited (the Borrower)"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a figure in words around it",
        field("margin", "SONIA + 2.45 per cent. per annum"),
        "hallucination",
        field("margin", "SONIA + 2.40 per cent. per annum"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "an all-figure date",
        field("maturity_date", "30/06/2032"),
        "hallucination",
        field("maturity_date", "30/06/2031"),
    ),
    Row(
        "onboarding.field_values.wrong_part",
        "a guarantor among right ones",
        field("guarantors", ["Larkhill Holdings plc (the Guarantor)", "Larkhill Midco Limited"]),
        "hallucination",
        field("guarantors", ["Larkhill Holdings plc (the Guarantor)", "each Additional Guarantor"]),
    ),
    Row(
        "onboarding.field_values.compared",
        "a name that a judge finds to be another's",
        field("borrower", "Larkhill Wind plc", verdict="not_equivalent"),
        "hallucination",
        field("borrower", "Larkhill Wind Ltd.", verdict="not_equivalent"),
    ),
    Row(
        "onboarding.field_values.content_part",
        "a failed extraction",
        field("margin", "EXTRACTION FAILED"),
        "fail",
        field("tenor", "not stated in the document"),
    ),
    Row("onboarding.field_values._not_reported", "not mentioned", field("tenor", None), "fail", field("tenor", None, status="absent")),
    Row(
        "onboarding.field_values._absent",
        "unchanged where nothing is",
        field("tenor", None, status="unchanged"),
        "fail",
        field("tenor", "N/A"),
    ),
    Row(
        "onboarding.field_values._present",
        "absent where something is",
        field("margin", None, status="absent"),
        "fail",
        field("mac_clause", None, status="absent"),
    ),
    Row(
        "onboarding.field_values._unchanged",
        "absent in an amendment",
        amendment({"status": "absent"}, {"unchanged": True}),
        "fail",
        amendment({"status": "extracted", "value": "unchanged - refer to original agreement"}, {"unchanged": True}),
    ),
    Row(
        "onboarding.field_values._amended",
        "unchanged where it is amended",
        amendment({"status": "unchanged"}, CHANGED),
        "fail",
        amendment(NEW | {"original_value": "see original agreement"}, CHANGED),
    ),
    Row(
        "onboarding.items._document_type",
        "no amendment flagged",
        amendment(NEW, CHANGED, "document_type", "primary_agreement"),
        "fail",
        amendment(NEW, CHANGED, "document_type"),
    ),
    Row(
        "onboarding.confidence.illegible_part",
        "sure of what cannot be read",
        field("facility_agent", "illegible", ILLEGIBLE, confidence="HIGH"),
        "fail",
        field("facility_agent", "illegible", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.confidence._not_read",
        "a name that is like nothing in its quote",
        field("facility_agent", "Cardew Trust Company Limited", {"value": "Ormsby Bank PLC", "legible": False}, **LOW),
        "fail",
        field("facility_agent", "Ormsby B4nk PLC", {"value": "Ormsby Bank PLC", "legible": False}, **LOW),
    ),
    Row(
        "onboarding.confidence._guessed",
        "a completed name",
        field("facility_agent", "Ormsby Bank PLC", ILLEGIBLE, **LOW),
        "fail",
        field("facility_agent", "Orms", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.confidence._guessed",
        "a name against what is visible",
        field("facility_agent", "Cardew Trust Company Limited", ILLEGIBLE, **LOW),
        "hallucination",
        field("facility_agent", "(illegible)", ILLEGIBLE, **LOW),
    ),
    Row(
        "onboarding.items._if_paired",
        "a tranche that a judge finds to be another",
        tranche("Facility A", "tranches.Bilateral line.facility_amount", "£40,000,000", verdict="not_equivalent", gold="Bilateral line"),
        "fail",
        tranche("Facility A", "tranches.Bilateral line.facility_amount", verdict="equivalent", gold="Bilateral line"),
    ),
    Row(
        "onboarding.items._label_part",
        "a label without counterpart",
        tranche("Accordion Facility Z", "tranches.+Accordion Facility Z", "£9,000,000"),
        "hallucination",
        tranche("Term Loan A", "tranches.Facility A.facility_amount"),
    ),
    Row("onboarding.items._invented_values", "an invented extra", extra_field("£77,000,000"), "hallucination", extra_field("£64 million")),
    # ---- covenants
    Row(
        "covenants.items._covenant_item",
        "missed",
        covenant({"name": "Capital Expenditure"}),
        "fail",
        covenant({"name": "Maximum Leverage"}),
    ),
    Row("covenants.items._type_part", "another class", covenant({"type": "negative"}), "fail", covenant({"type": "Financial covenant"})),
    Row(
        "covenants.items._threshold_part",
        "another figure",
        covenant({"threshold": "shall not exceed 4.20:1"}),
        "fail",
        covenant({"threshold": "4.10x or less"}),
    ),
    Row(
        "covenants.items._threshold_part",
        "the comparator turned round",
        covenant({"threshold": "at least 4.10:1"}),
        "fail",
        covenant({"threshold": "not more than 4.10:1"}),
    ),
    Row(
        "covenants.items._frequency_part",
        "two levels off",
        covenant({"testing_frequency": "annual"}),
        "fail",
        covenant({"testing_frequency": "each quarter"}),
    ),
    Row(
        "covenants.items._frequency_words",
        "words that a judge finds different",
        covenant({"testing_frequency": "when the moon is full"}, verdict="not_equivalent"),
        "fail",
        covenant({"testing_frequency": "on every test day"}, verdict="equivalent"),
    ),
    Row(
        "covenants.case_flags.invented_threshold",
        "an extra covenant's figure",
        extra_covenant({"threshold": "not less than 7.77:1"}),
        "hallucination",
        extra_covenant({"threshold": "at least 2.60x"}),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag of the case passed over",
        case_flag([], []),
        "fail",
        case_flag([], [{"kind": "cross_default", "threshold": "GBP 3.2m", "citation": LEVERAGE["citation"]}]),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag of the case with another figure",
        case_flag([{"kind": "cross_default", "threshold": "£2,300,000", "citation": LEVERAGE["citation"]}], []),
        "fail",
        case_flag([{"kind": "cross_default", "threshold": "£3,200,000", "citation": CROSS}], []),
    ),
    Row(
        "covenants.flags.flag_part",
        "a flag passed over",
        covenant({}, {"flags": [{"kind": "cross_default", "threshold": "£3,200,000"}]}),
        "fail",
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
        covenant(
            {"flags": [{"kind": "grace_period", "days": "4 Business Days", "citation": LEVERAGE["citation"]}]},
            {"flags": [{"kind": "grace_period", "days": "four Business Days"}]},
        ),
    ),
    # ---- benchmark terms
    Row(
        "benchmark.items._family_item",
        "no output",
        lambda: judged(context("benchmark_validation", None, {"benchmark": "LMA", "findings": []}))["benchmark"],
        "fail",
        benchmark("benchmark", [], []),
    ),
    Row(
        "benchmark.items._ambiguous_part",
        "an ambiguity not flagged",
        benchmark("benchmark", [], [], **WRONG_DEAL),
        "fail",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="English law", **WRONG_DEAL),
    ),
    Row(
        "benchmark.items._foreign_law",
        "a law that is none of the mixed ones",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="New York law", **WRONG_DEAL),
        "fail",
        benchmark("benchmark", [], [], benchmark=None, jurisdiction_ambiguous=True, jurisdiction="laws of England", **WRONG_DEAL),
    ),
    Row(
        "benchmark.items._applied_part",
        "another family",
        benchmark("benchmark", [], [], benchmark="APLMA"),
        "fail",
        benchmark("benchmark", [], [], benchmark="Loan Market Association"),
    ),
    Row(
        "benchmark.items._words_part",
        "another market",
        benchmark("benchmark", [], [], market="APAC"),
        "fail",
        benchmark("benchmark", [], [], market="the European loan market"),
    ),
    Row("benchmark.items._finding_item", "silence", benchmark("findings.margin", [], [MARGIN]), "fail", margin(term="Margin")),
    Row("benchmark.items._deviation", "a deviation missed", margin(finding="conforming"), "fail", margin(gap="0.30 per cent.")),
    Row("benchmark.items._conforming", "a false positive", fee(finding="deviation", gap="0 bps"), "fail", fee(benchmark_value="90 bps")),
    Row(
        "benchmark.items._conforming_values",
        "a benchmark that does not hold the deal",
        fee(benchmark_value="120-150 bps"),
        "fail",
        fee(benchmark_value="80 to 100 bps"),
    ),
    Row(
        "benchmark.items._not_comparable",
        "a novel term flagged",
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"finding": "deviation", "citation": QUOTE}], [NOVEL]),
        "fail",
        benchmark("findings.wind_yield_ratchet", [NOVEL | {"term": "Wind yield ratchet", "citation": QUOTE}], [NOVEL]),
    ),
    Row(
        "benchmark.items._family_part",
        "a finding in another family",
        benchmark("findings.margin", [MARGIN | {"citation": QUOTE}], [MARGIN], benchmark="LSTA"),
        "fail",
        benchmark("findings.margin", [MARGIN | {"citation": QUOTE}], [MARGIN], benchmark="LMA (Loan Market Association)"),
    ),
    Row(
        "benchmark.items._value_parts",
        "another deal value",
        margin(deal_value="2.80 per cent. per annum", gap="70 bps"),
        "fail",
        margin(deal_value="240 basis points"),
    ),
    Row(
        "benchmark.items._value_words",
        "words that a judge finds different",
        margin(("semantic_match", "not_equivalent"), benchmark_value="what the market pays"),
        "fail",
        margin(("semantic_match", "equivalent"), benchmark_value="the survey's median"),
    ),
    Row(
        "benchmark.items._gap_words",
        "a gap in words that a judge finds different",
        margin(("benchmark_gap", "different_gap"), gap="a veto of holders of 25 %"),
        "fail",
        margin(("benchmark_gap", "same_gap"), gap="a good quarter per cent. wider"),
    ),
    Row(
        "benchmark.items._reference_part",
        "another family's reference",
        margin(benchmark_reference="LSTA Pricing Review 2025"),
        "fail",
        margin(benchmark_reference="LMA pricing review 2025, table 4"),
    ),
    # ---- answers
    Row("qa.items.judge", "no answer", answer(None), "fail", answer("0.90% p.a.")),
    Row(
        "qa.items._answerable",
        "a refusal of what is there",
        answer("The document does not contain information about the commitment fee.", claims=[]),
        "fail",
        answer("90 bps per annum"),
    ),
    Row("qa.items._correctness", "another figure", answer("1.90% p.a."), "fail", answer("The commitment fee is 0.9 per cent. a year.")),
    Row(
        "qa.items._manner",
        "a qualification left out",
        answer("It is one per cent.", RIGHT | {"qualified": True}, verdicts={"answer_correctness": "correct", "uncertainty": "missing"}),
        "fail",
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
        answer("0.90% p.a.", verdicts={"answer_scope": "outside_scope"}),
    ),
    Row(
        "qa.items._sections",
        "a required section not cited",
        answer("0.90% p.a.", claims=[cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")]),
        "fail",
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
        "qa.items._unanswerable",
        "an answer where there is none",
        answer("Hedging is a matter for the Borrower.", NOWHERE, []),
        "fail",
        answer(REFUSAL, NOWHERE, []),
    ),
    Row(
        "qa.items._refusal_part",
        "a claim behind the place",
        answer(f"{REFUSAL} If this information is required, it may be found in the hedging letter, which asks for one half.", NOWHERE, []),
        "fail",
        answer(f"“{REFUSAL} If this information is required, it may be found in the hedging letter, which is omitted.”", NOWHERE, []),
    ),
    Row(
        "qa.items._figures_part",
        "an invented figure",
        answer("It must hedge 65 per cent. of the Loans.", NOWHERE, []),
        "hallucination",
        answer(REFUSAL, NOWHERE, []),
    ),
    Row(
        "qa.items._figures_part",
        "an invented rating",
        answer("The Borrower is rated Baa1.", NOWHERE, []),
        "hallucination",
        answer(REFUSAL, NOWHERE, []),
    ),
    # ---- provenance
    Row(
        "provenance._location_part",
        "another place without the value",
        field("borrower", "Larkhill Wind Limited", citation=cite(4, "Clause 22.1", CITES["borrower"]["quote"])),
        "fail",
        field("borrower", "Larkhill Wind Limited", citation=cite(1, "parties", CITES["borrower"]["quote"])),
    ),
    Row(
        "provenance._paraphrase_part",
        "a quote that a judge finds invented",
        answer("0.90% p.a.", claims=[cite(9, "Clause 99.9", "a fee that nobody ever agreed on")]),
        "hallucination",
        answer("0.90% p.a.", claims=[cite(3, "Clause 8.1(a)", "A FEE computed at the rate of 0.90 per cent. per annum")]),
    ),
    Row(
        "provenance._support_part",
        "a quote about something else",
        field(
            "margin", "2.40 per cent. per annum", verdict="does_not_support", citation=cite(4, "Clause 22.1", "are governed by English law")
        ),
        "fail",
        field("margin", "240 bps"),
    ),
    Row(
        "provenance.invented_parts",
        "an invented citation beside absent",
        field("tenor", None, status="absent", citation=cite(44, "Clause 99", "the tenor is nine years")),
        "hallucination",
        field("tenor", None, status="absent", citation=cite(4, "Clause 22.1", "are governed by English law")),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path.split('.')[-1]}: {row.what}")
def test_the_wrong_input_gets_its_label_and_the_nearest_right_one_neither(row: Row) -> None:
    assert row.wrong().outcome == row.label
    assert row.right().outcome not in ("fail", "hallucination")


def test_every_path_to_a_zero_has_a_row() -> None:
    """A path is a function of the rules that closes a part as a fail or a hallucination."""
    told = {(row.path, label) for row in ROWS for label in ("fail", "hallucination")}
    assert {path for path in _paths() if (path, "fail") not in told} == set()


FOR_DIMENSIONS = frozenset(
    {"qa.dimensions", "onboarding.degrees"}
)  # parts for a rubric's dimensions alone: no item's label comes from them


def _paths() -> Iterator[str]:
    root = Path(judge.capabilities.__file__).parent
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for function in ast.walk(ast.parse(file.read_text())) if module not in FOR_DIMENSIONS else ():
            if isinstance(function, ast.FunctionDef) and any(map(_closes_as_zero, ast.walk(function))):
                yield f"{module}.{function.name}"


def _closes_as_zero(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("closed", "replace")):
        return False
    labels = (part for argument in (*node.args, *(k.value for k in node.keywords)) for part in ast.walk(argument))
    return any(isinstance(p, ast.Attribute) and p.attr in ("FAIL", "HALLUCINATION") for p in labels)
