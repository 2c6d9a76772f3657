"""A case's own scoring table: what of it is refused, and which of its rows fits, by rule, by a judge, or within bounds."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs
from pydantic import TypeAdapter

from judge.capabilities.cases import Criterion
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.capabilities.scoring.dimensions import companion_of
from judge.capabilities.scoring.table import decisions_of, missed_by_gold
from judge.errors import InputError
from judge.inputs.index import Sources, index_cases
from judge.records import Answer, CriteriaResult, Decision, Question
from rubrics.contract import load_contract, parse_contract
from tests.capability_cases import NAME, PAGES, cite, codes, context, document
from tests.tables import entries, table

RIGHT = {"id": "c1", "when": "all right", "score": "1.0", "scope": "case"}
NO_TENOR = {"id": "c2", "when": "no tenor", "score": "0.5", "scope": "field", "item": "tenor"}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path / "in")


def sources(inputs: Inputs) -> Sources:
    folder = inputs.write()
    return Sources(batch=folder.folder / "batch.jsonl", gold=folder.folder / "gold.jsonl", documents=folder.folder / "documents")


def refused(inputs: Inputs, rows: Any, at: int = 0) -> str:
    inputs.gold[at]["criteria"] = rows
    with pytest.raises(InputError) as caught:
        index_cases(sources(inputs))
    return "\n".join(str(problem) for problem in caught.value.problems)


def test_a_table_is_read_with_its_case(inputs: Inputs) -> None:
    inputs.gold[0]["criteria"] = [RIGHT, {**NO_TENOR, "rule": {"findings": ["NOT_REPORTED"]}}]
    index = index_cases(sources(inputs))
    rows = index.load(index.entries[0]).criteria
    assert [(row.id, str(row.score), row.item) for row in rows] == [("c1", "1", None), ("c2", "1/2", "tenor")]
    assert rows[1].rule is not None and rows[1].rule.keys == {"findings": ("NOT_REPORTED",)}


@pytest.mark.parametrize(("rows", "said"), table("case_criteria", "a_wrong_table_is_refused_with_its_place"))
def test_a_wrong_table_is_refused_with_its_place(inputs: Inputs, rows: Any, said: str) -> None:
    assert said in refused(inputs, rows)


def test_a_question_has_rows_for_the_case_only(inputs: Inputs) -> None:
    assert "a case of document_qa has no field: give case" in refused(inputs, [RIGHT, {**NO_TENOR, "item": None}], at=1)


# ---- which row fits ----

QUESTION = "What is the commitment fee?"
FEE = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")
MARGIN = cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")
PAID = cite(3, "Clause 8.1(b)", "The accrued commitment fee is payable on the last day of each successive period of three Months")
GOLD = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "fee"}
GOOD = {"answer_correctness": "correct", "answer_accuracy": "all_right", "answer_scope": "within_scope", "quote_support": "supports"}


def row(name: str, score: str, rule: dict[str, list[str]] | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "when": f"condition of {name}", "score": score, "rule": rule, **more}


ONE = row("c1", "1.0", {"figure": ["equal"], "form": ["same"], "cites": ["Clause 8.1"], "quote": ["exact", "normalised"]})
TABLE = [
    ONE,
    row("c2", "0.75", {"figure": ["equal"], "cites": ["Clause 8.1(a)"]}),
    row("c3", "0.5", {"figure": ["equal"], "cited": ["no"]}),
    row("c4", "0", {"figure": ["nowhere"]}, hallucination=True),
    row("c5", "0", {"figure": ["different"]}),
]


def asked(capability: str, output: Any, gold: Any, rows: list[dict[str, Any]], contract: str = "companion", **case: Any) -> Context:
    criteria = TypeAdapter(tuple[Criterion, ...]).validate_json(json.dumps(rows))
    return replace(context(capability, output, gold, criteria=criteria, **case), contract=load_contract(contract))


def settled(one: Context, verdicts: dict[str, str] | None, by_item: dict[str, str] | None = None) -> tuple[list[Decision], list[Question]]:
    """The decisions, and the questions on rows. by_item: what a text of the output says -> the row that the judge chooses."""
    answers: dict[Question, Answer] = {}
    while True:
        decisions = decisions_of(capability_of(one.case.capability), replace(one, answers=answers))
        new = [q for d in decisions for q in d.questions if q not in answers]
        if verdicts is None or not new:
            return decisions, [q for q in answers if q.rubric == "case_criteria"]
        for question in new:
            output = dict(question.variables).get("output", "")
            chosen = next((name for text, name in (by_item or {}).items() if text in output), "cannot_determine")
            answers[question] = Answer(chosen if question.rubric == "case_criteria" else verdicts.get(question.rubric, "cannot_determine"))


def result_of(decisions: list[Decision]) -> CriteriaResult:
    found = decisions[0].item.criteria
    assert found is not None
    return found


def answered(said: str, citations: list[Any], rows: list[dict[str, Any]] = TABLE, **gold: Any) -> Context:
    return asked("document_qa", {"answer": said, "citations": citations}, GOLD | gold, rows, input={"question": QUESTION})


@pytest.mark.parametrize(("answer", "changes", "name", "score", "is_made_up"), table("case_criteria", "rules_in_their_order"))
def test_rules_in_their_order_decide_without_a_call(answer: str, changes: list[Any], name: str, score: float, is_made_up: bool) -> None:
    decisions, questions = settled(answered(answer, [FEE | change for change in changes]), GOOD)
    found = result_of(decisions)
    assert (found.rows, found.bounds, found.hallucinated, found.decided_by) == (
        {"@case": name},
        (score, score),
        is_made_up,
        "deterministic",
    )
    assert questions == []


def test_no_row_of_a_table_for_the_case_only_is_a_gap() -> None:
    decisions, questions = settled(answered("0.90 per cent. per annum", [MARGIN], TABLE[:2]), GOOD)
    assert result_of(decisions).bounds == (0, 0) and "CRITERIA_GAP" in codes(decisions[0].item) and questions == []


def test_a_page_that_cannot_be_read_leaves_what_is_nowhere_open() -> None:
    unread = document(pages=(*PAGES[:3], ""), states=("text", "text", "text", "scan"))
    found = result_of(settled(replace(answered("7.77%", [FEE]), documents={NAME: unread}), GOOD, {"7.77": "c5"})[0])
    assert found.rows == {"@case": "c5"} and found.decided_by == "llm"
    assert result_of(settled(replace(answered("7.77%", [FEE]), documents={NAME: unread}), None)[0]).bounds == (0, 0)


@pytest.mark.parametrize(("rule", "answer", "changes", "holds"), table("case_criteria", "keys"))
def test_every_key_of_a_rule(rule: dict[str, list[str]], answer: str, changes: list[Any], holds: bool) -> None:
    rows = [row("c1", "1.0", {"findings": ["NEVER"]}), row("c2", "0.25", rule)]
    decisions, questions = settled(answered(answer, [FEE | change for change in changes], rows), GOOD)
    assert result_of(decisions).rows == ({"@case": "c2"} if holds else {}) and questions == []


def test_rows_without_a_rule_are_one_question_with_those_that_are_still_possible() -> None:
    rows = [row("c1", "1.0"), row("c2", "0.5", {"cited": ["no"]}), row("c3", "0.25"), row("c4", "0.1", {"cited": ["yes"]}), row("c5", "0")]
    decisions, questions = settled(answered("0.9% p.a.", [FEE], rows), GOOD, {"0.9%": "c3"})
    assert [name for name, _ in questions[0].choices] == ["c1", "c3", "c4"]  # no citation missing, and what comes after the sure one is out
    assert dict(questions[0].variables)["rows"] == "c1: condition of c1\nc3: condition of c3\nc4: condition of c4"
    assert result_of(decisions).rows == {"@case": "c3"} and result_of(decisions).decided_by == "llm"
    assert result_of(settled(answered("0.9% p.a.", [FEE], rows), GOOD, {"0.9%": "none_of_these"})[0]).rows == {"@case": "c4"}
    assert result_of(settled(answered("0.9% p.a.", [FEE], rows), None)[0]).bounds == (Fraction(1, 10), 1)


# ---- rows for single items ----


BORROWER = cite(1, "Parties", "(1) LARKHILL WIND LIMITED, a company incorporated in England and Wales, as borrower (the “Borrower”)")
FIELDS = {
    "fields": {
        "borrower": {"value": "Larkhill Wind Limited", "citation": BORROWER},
        "commitment_fee": {"value": "0.90 per cent. per annum", "citation": FEE},
    }
}


def reported(value: str, citation: dict[str, Any] | None = FEE) -> dict[str, Any]:
    fee = {"status": "extracted", "value": value} | ({"citation": citation} if citation else {})
    return {"fields": {"borrower": {"status": "extracted", "value": "Larkhill Wind Limited", "citation": BORROWER}, "commitment_fee": fee}}


ITEM_ROWS = [
    row("c1", "1.0", {"outcome": ["correct"]}),
    row("c2", "0", {"outcome": ["hallucination"]}, hallucination=True),
    row("c3", "0.9", {"content": ["semantic_match"]}, scope="field"),
    row("c4", "0.6", {"cited": ["no"]}, scope="field", item="commitment_fee"),
]


@pytest.mark.parametrize(
    ("value", "citation", "rows", "score", "is_made_up"),
    [
        ("0.90 per cent. per annum", FEE, {"@case": "c1"}, Fraction(1), False),
        ("0.9% p.a.", FEE, {"fields.commitment_fee": "c3"}, (3 + Fraction(9, 10)) / 4, False),
        ("0.90 per cent. per annum", None, {"fields.commitment_fee": "c4"}, (3 + Fraction(6, 10)) / 4, False),
        ("2.40 per cent. per annum", FEE, {}, Fraction(3, 4), False),
        ("0.90 per cent. per annum", FEE | {"page": 88}, {"@case": "c2"}, Fraction(0), True),
    ],
)
def test_each_item_gets_the_first_row_that_fits_or_keeps_the_rubrics_score(
    value: str, citation: dict[str, Any] | None, rows: dict[str, str], score: Fraction, is_made_up: bool
) -> None:
    decisions, _ = settled(asked("loan_onboarding", reported(value, citation), FIELDS, ITEM_ROWS), {})
    found = result_of(decisions)
    assert (found.rows, found.bounds, found.hallucinated) == (rows, (score, score), is_made_up)


def test_an_item_with_full_marks_is_not_asked() -> None:
    rows = [row("c1", "1.0", {"outcome": ["correct"]}), row("c3", "0.8", scope="field")]
    decisions, questions = settled(asked("loan_onboarding", reported("0.9% p.a."), FIELDS, rows), {}, {"commitment_fee": "none_of_these"})
    assert [dict(q.variables)["output"].split(":")[0] for q in questions] == ["fields.commitment_fee"]
    assert result_of(decisions).bounds == ((3 + Fraction(3, 4)) / 4,) * 2 and result_of(decisions).rows == {}


def test_covenants_and_findings_are_plain_means() -> None:
    ratio = {"name": "Leverage Ratio", "type": "financial", "threshold": "shall not exceed 4.10:1", "testing_frequency": "quarterly"}
    quote = {"citation": cite(4, "Clause 14.1(a)", "the Leverage Ratio shall not exceed 4.10:1, tested quarterly on each Quarter Date")}
    gold = {"covenants": [ratio, ratio | {"name": "Interest Cover Ratio", "threshold": "shall not be less than 2.60:1"}]}
    rows = [row("c1", "1.0", {"outcome": ["correct"]}), row("c2", "0.3", {"findings": ["COVENANT_MISSED"]}, scope="covenant")]
    decisions, _ = settled(asked("covenant_monitoring", {"covenants": [ratio | quote]}, gold, rows), {})
    assert result_of(decisions).rows == {"covenants.Interest Cover Ratio": "c2"} and result_of(decisions).bounds == (Fraction(13, 20),) * 2
    term = {"term": "margin", "finding": "conforming", "deal_value": "240 bps", "benchmark_reference": "survey 2025"}
    said = {
        "benchmark": "LMA",
        "findings": [{**term, "finding": "deviation", "citation": cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")}],
    }
    truth = {"benchmark": "LMA", "jurisdiction": "English law", "findings": [term, term | {"term": "fee"}]}
    rows = [row("c1", "1.0", {"outcome": ["correct"]}), row("c2", "0.2", {"findings": ["FALSE_POSITIVE"]}, scope="finding", item="margin")]
    decisions, _ = settled(asked("benchmark_validation", said, truth, rows), {})
    assert (
        result_of(decisions).rows == {"findings.margin": "c2"} and result_of(decisions).bounds == (Fraction(1, 10),) * 2
    )  # the family is no item


def test_the_standards_contract_asks_nothing_about_rows() -> None:
    one = asked("loan_onboarding", reported("0.9% p.a."), FIELDS, [row("c1", "1.0")], "1.1")
    decisions, questions = settled(one, {})
    assert questions == [] and decisions[0].item.criteria is None and decisions[0].item.dimensions == {} and decisions[0].parts == {}


def test_rows_are_asked_once_nothing_else_is_open() -> None:
    rows = [row("c1", "1.0")]
    one = answered("The fee is 0.90 per cent., as it says there.", [FEE], rows, answer="0.90 per cent. a year, on what is undrawn")
    first = decisions_of(capability_of("document_qa"), one)
    assert {q.rubric for d in first for q in d.questions} >= {"answer_correctness"}
    assert "case_criteria" not in {q.rubric for d in first for q in d.questions}


def test_a_case_that_wins_and_one_that_is_only_reported() -> None:
    decisions, _ = settled(answered("0.9% p.a.", []), GOOD)
    items, scored = [d.item for d in decisions], capability_of(decisions[0].item.capability).scored
    wins = companion_of(items, load_contract("companion"), (Fraction(0), Fraction(0)), scored, has_gold=True)
    told = parse_contract('version = "mine"\nextends = "companion-1.0"\n[criteria]\nwins = false', "mine.toml")
    reported_only = companion_of(items, told, (Fraction(0), Fraction(0)), scored, has_gold=True)
    assert wins is not None and reported_only is not None
    assert wins.scores["score"] == (Fraction(1, 2),) * 2 and wins.scores["rubric"] == reported_only.scores["score"]
    assert reported_only.criteria == wins.criteria and "rubric" not in reported_only.scores


# ---- gold under its own table ----


@pytest.mark.parametrize(("gold", "rule", "missed"), table("case_criteria", "gold_as_an_output_meets_its_own_first_row"))
def test_gold_as_an_output_meets_its_own_first_row(gold: dict[str, Any], rule: dict[str, list[str]], missed: list[str]) -> None:
    one = answered("", [], [row("c1", "1.0", rule)], **gold)
    assert list(missed_by_gold(capability_of("document_qa"), one)) == missed


def test_gold_of_every_capability_is_an_output_of_it() -> None:
    gold = entries("case_criteria", "an_amendment")
    one = asked("loan_onboarding", {}, gold, [row("c1", "1.0", {"outcome": ["correct"]})])
    assert list(missed_by_gold(capability_of("loan_onboarding"), one)) == ["c1"]  # the amended margin has no citation in gold
    fee = {"fields": {"commitment_fee": gold["fields"]["commitment_fee"]}}
    one = asked("loan_onboarding", {}, fee, [row("c1", "1.0", {"outcome": ["correct"]})])
    assert list(missed_by_gold(capability_of("loan_onboarding"), one)) == []
