"""What `--dry-run` shows: every question that a case can lead to, whatever is answered."""

import random
from dataclasses import replace

import pytest
from capability_cases import NAME, context

from judge.capabilities.registry import capability_of
from judge.commands.runs.checking import branches
from judge.records import Answer, Question
from rubrics import load_contract
from rubrics.rubric import shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE

ANSWER = {
    "answer": "The Borrower repays it in the way that the agreement lays down, at the end.",
    "citations": [{"document": NAME, "page": 2, "section": "Clause 1.1", "quote": "“Final Maturity Date” means 30 June 2031."}],
}
GOLD = {"answerable": True, "answer": "In one amount, unless the Lenders agree otherwise.", "qualified": True}
STANDARD = context("document_qa", ANSWER, GOLD, input={"question": "How is it repaid?"})
CASES = {"standard": STANDARD, "companion": replace(STANDARD, contract=load_contract("companion"), memo={})}


def menu(question: Question) -> list[str]:
    """All verdicts of a question but that nothing can be told."""
    return [verdict for verdict in shipped_rubric(question.rubric).choices if verdict != CANNOT_DETERMINE]


@pytest.mark.parametrize("name", CASES)
def test_no_judge_is_asked_what_was_not_shown(name: str) -> None:
    case = CASES[name]
    capability = capability_of("document_qa")
    found, is_whole = branches(capability, case, menu)
    shown = {question: number for question, (_, number) in found.items()}
    assert is_whole and len(shown) > 2 and min(shown.values()) == 1 < max(shown.values()) + (name == "companion")
    assert all(items == ["answer"] for items, _ in found.values())
    for seed in range(40):
        chance, answers = random.Random(seed), dict[Question, Answer]()
        while new := [q for d in capability.judge(replace(case, answers=answers)) for q in d.questions if q not in answers]:
            assert set(new) <= shown.keys()
            answers |= {question: Answer(chance.choice([*menu(question), CANNOT_DETERMINE])) for question in new}
