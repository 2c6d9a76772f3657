"""Standard section 4 as tables: right answers, required sections, qualified language, grounded refusals."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.capabilities.qa import QaGold, QaOutput
from judge.capabilities.qa.items import compare_answer
from judge.capabilities.qa.refusals import read_refusal
from judge.inputs.documents import stand_in
from judge.records import NonOutcome, Outcome
from rubrics import load_contract
from tests.capability_cases import NAME, cite, codes, context, judged, replayed
from tests.tables import table

FEE_QUOTE = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")
PAID_QUOTE = cite(3, "Clause 8.1(b)", "The accrued commitment fee is payable on the last day of each successive period of three Months")
QUESTION = "What is the commitment fee?"
RIGHT = "0.90 per cent. per annum on the Available Commitment."
GOLD: dict[str, Any] = {"answerable": True, "answer": RIGHT, "topic": "commitment fee", "required_sections": ["Clause 8.1(a)"]}
GOOD = {"answer_correctness": "correct", "answer_scope": "within_scope", "uncertainty": "reflected", "quote_support": "supports"}


def asked(answer: str, citations: list[dict[str, Any]], gold: dict[str, Any] | None, question: str = QUESTION):
    return context("document_qa", {"answer": answer, "citations": citations}, gold, input={"question": question})


def judged_answer(answer: str, citations: list[dict[str, Any]], gold: dict[str, Any] | None = None, verdicts: dict[str, str] | None = None):
    return judged(asked(answer, citations, GOLD | (gold or {})), GOOD | (verdicts or {}))["answer"]


def test_an_accepted_answer_with_its_figure_in_the_quote_needs_no_judge():
    decisions, questions = replayed(asked(RIGHT, [FEE_QUOTE], GOLD), {})
    assert decisions[0].item.outcome == Outcome.CORRECT and questions == []


@pytest.mark.parametrize("answer", ["£48,000,000 and £16,000,000", "£48,000,000 and £17,000,000"])
def test_of_an_answer_with_several_values_each_quote_is_asked_about(answer):
    quotes = [
        cite(2, "Clause 2.1(a)", "a sterling term loan facility in an aggregate amount equal to £48,000,000"),
        cite(2, "Clause 2.1(b)", "a sterling revolving credit facility in an aggregate amount equal to £16,000,000"),
    ]
    gold = {"answerable": True, "answer": "£48,000,000 and £16,000,000", "topic": "facility", "required_sections": ["Clause 2.1"]}
    _, questions = replayed(asked(answer, quotes, gold, "How large are the facilities?"), {})
    assert sum(question.rubric == "quote_support" for question in questions) == 2


@pytest.mark.parametrize(("capability", "gold", "item", "told"), table("qa", "what_gold_asks_for_stands_where_a_person_decides"))
def test_what_gold_asks_for_stands_where_a_person_decides(capability, gold, item, told):
    shown = judged(context(capability, None, gold, input={"question": QUESTION}))[item].gold
    assert shown.splitlines()[1:] == told


QUOTES = {"fee": FEE_QUOTE, "paid": PAID_QUOTE}


@pytest.mark.parametrize(("answer", "cited", "gold", "verdicts", "outcome"), table("qa", "answers"))
def test_answers(answer, cited, gold, verdicts, outcome):
    citations = [QUOTES[name] | changes for name, changes in cited]
    assert judged_answer(answer, citations, gold, verdicts).outcome == outcome


@pytest.mark.parametrize("answer", table("qa", "refusing_what_is_answerable_fails_without_a_judge"))
def test_refusing_what_is_answerable_fails_without_a_judge(answer):
    decisions, questions = replayed(asked(answer, [], GOLD), {})
    item = decisions[0].item
    assert item.outcome == Outcome.FAIL and "REFUSED_ANSWERABLE" in codes(item) and questions == []
    assert not item.provenance.is_required


@pytest.mark.parametrize("answer", table("qa", "an_answer_that_also_says_what_is_absent_is_for_the_judge"))
def test_an_answer_that_also_says_what_is_absent_is_for_the_judge(answer):
    assert judged_answer(answer, [FEE_QUOTE]).outcome == Outcome.CORRECT


def test_gold_may_call_for_words_that_read_like_a_refusal():
    text = "The document does not contain information about a commitment fee."
    assert judged_answer(text, [FEE_QUOTE], {"accepted": [text]}).outcome == Outcome.CORRECT


def test_a_judge_failure_on_one_question_leaves_the_answer_open():
    item = judged_answer("The fee is 0.9%, as is usual.", [FEE_QUOTE], {}, {"answer_correctness": "cannot_determine"})
    assert item.outcome is NonOutcome.UNDECIDED and item.bounds == (0, 1)


# ---- refusals ----------------------------------------------------------------------------------------------------

HEDGING = {"answerable": False, "topic": "hedging requirements"}
REFUSALS = table("qa", "refusals")


@pytest.mark.parametrize(("answer", "citations", "outcome", "code"), REFUSALS)
def test_refusals(answer, citations, outcome, code):
    ctx = asked(answer, citations, HEDGING, "What are the hedging requirements?")
    item = judged(ctx, {"refusal_quality": "generic"})["answer"]
    assert item.outcome == outcome and item.is_unanswerable
    assert code is None or code in codes(item)


def test_a_topic_in_other_words_is_for_the_judge():
    ctx = asked("The document does not contain information about any duty to enter into swaps.", [], HEDGING, "What must be hedged?")
    assert judged(ctx, {"refusal_quality": "grounded"})["answer"].outcome == Outcome.GROUNDED_REFUSAL
    assert judged(ctx)["answer"].outcome is NonOutcome.UNDECIDED


@pytest.mark.parametrize("answer", table("qa", "answers_are_no_refusals"))
def test_answers_are_no_refusals(answer):
    assert not read_refusal(answer, "What is the fee?", "fee", load_contract().qa).is_refusal


def test_without_gold_an_answer_stays_open_and_a_refusal_owes_no_citation():
    item = judged(asked(RIGHT, [FEE_QUOTE], None), {})["answer"]
    assert (item.why_open, item.provenance.complete) == ("no_reference", True)
    refusal = judged(asked("The document does not contain information about fees.", [], None), {})["answer"]
    assert refusal.why_open == "no_reference" and not refusal.provenance.is_required


def test_a_reason_without_gold_names_its_cause_as_pipelines_read_it() -> None:
    item = judged(asked(RIGHT, [FEE_QUOTE], None), {})["answer"]
    assert "no_reference" in item.reason


# ---- decided without a judge -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("named", "outcome"), table("qa", "a_refusal_of_another_topic_is_for_the_judge"))
def test_a_refusal_of_another_topic_is_for_the_judge(named: str, outcome: object) -> None:
    gold = {"answerable": False, "topic": "guarantor of the Advance"}
    ctx = asked(f"The document does not contain information about {named}.", [], gold, "Who guarantees the Advance?")
    assert judged(ctx)["answer"].outcome == outcome


@pytest.mark.parametrize(("answer", "quote", "outcome"), table("qa", "a_name_in_a_quote_of_the_required_section_is_for_the_judge"))
def test_a_name_in_a_quote_of_the_required_section_is_for_the_judge(answer: str, quote: str, outcome: object) -> None:
    gold = {"answerable": True, "answer": answer, "required_sections": ["Parties"]}
    assert judged(asked(answer, [cite(1, "Parties", quote)], gold, "Who stands in?"))["answer"].outcome == outcome


def test_no_required_section_is_missing_from_a_document_that_cannot_be_read() -> None:
    unread = stand_in(NAME)
    for section in ("cl. 8.1(a)", "Clause 8"):
        case = context(
            "document_qa",
            {"answer": RIGHT, "citations": [{**FEE_QUOTE, "section": section}]},
            GOLD,
            documents=(unread,),
            input={"question": QUESTION},
        )
        assert judged(case)["answer"].outcome is NonOutcome.UNDECIDED


WHOLE = table("qa", "whole")
BESIDE = "not no over under up to at least drawn Facility of Lender each until from per annum cap floor unless".split()


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(WHOLE), st.sampled_from(BESIDE), st.booleans())
def test_a_word_beside_a_value_leaves_the_answer_to_the_judge(value: str, word: str, is_behind: bool) -> None:
    answer = f"{value} {word}" if is_behind else f"{word} {value}"
    gold = QaGold(answerable=True, answer=value)
    assert compare_answer(QaOutput(answer=answer), gold) != "equal"


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(WHOLE), st.sampled_from(WHOLE))
def test_one_whole_value_is_another_or_the_same(mine: str, true: str) -> None:
    found = compare_answer(QaOutput(answer=mine), QaGold(answerable=True, answer=true))
    assert found == "equal" if mine == true else found in ("different", "open") or {mine, true} == set(WHOLE[:2])


@pytest.mark.parametrize(("answer", "gold"), table("qa", "signs_boxes_and_letters_survive_every_folding"))
def test_signs_boxes_and_letters_survive_every_folding(answer: str, gold: str) -> None:
    assert compare_answer(QaOutput(answer=answer), QaGold(answerable=True, answer=gold)) != "equal"
