"""Nine cases with three outputs each, two also on Word files, and every score of a careful reader (tests/data/companion, all invented).

The judge answers from the reader's table; which row of a case's own table fits, he says in the scores.
QA-004-bad was rescored by docs/design after a run (a rating is no atom that can be invented); two rows of the answers were added with it.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from benchmarks.agreements.companion import Line, figures, is_met, read, row_chosen, scores_of
from deterministic.lexicon.folding import fold
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.capabilities.scoring.table import decisions_of
from judge.inputs.documents import DocumentStore
from judge.inputs.index import CaseIndex, Sources, index_cases
from judge.records import Answer, Question
from judge.results.gates import Tally
from judge.results.lines import case_line, case_of, item_of, verdict_line
from rubrics.contract import load_contract

pytestmark = pytest.mark.slow
WORLD = Path(__file__).parents[2] / "tests" / "data" / "companion"
CONTRACT = load_contract("companion")
SCORES = scores_of(WORLD / "scores.json")
TABLE = [(line["rubric"], [fold(text) for text in line["contains"]], line["verdict"]) for line in read(WORLD / "answers.jsonl")]


@cache
def world() -> tuple[CaseIndex, DocumentStore]:
    index = index_cases(Sources(WORLD / "outputs.jsonl", WORLD / "gold_by_case.jsonl", WORLD / "documents"))
    store = DocumentStore(index.folder, cache_dir=None)
    store.prefetch([file.name for file in (WORLD / "documents").iterdir()])
    return index, store


def told(case_id: str, question: Question) -> Answer:
    """What the reader says to a question."""
    given = dict(question.variables)
    if question.rubric == "case_criteria":
        return Answer(row_chosen(SCORES[case_id]["criteria"]["rows"], given["output"], [name for name, _ in question.choices]))
    text = fold("\n".join(given.values()))
    found = (verdict for rubric, words, verdict in TABLE if rubric == question.rubric and all(word in text for word in words))
    return Answer(next(found, "cannot_determine"))


def lines_of(case_id: str, *, is_offline: bool) -> tuple[Line, list[Line]]:
    """The case's line and those of its items, as a run would write them, read back and written again."""
    index, store = world()
    entry = next(entry for entry in index.entries if entry.case_id == case_id)
    context = Context(index.load(entry), store.documents(entry.documents), CONTRACT)
    answers: dict[Question, Answer] = {}
    while True:
        decisions = decisions_of(capability_of(entry.capability), replace(context, answers=answers))
        new = [q for d in decisions for q in d.questions if q not in answers]
        if is_offline or not new:
            break
        answers |= {question: told(case_id, question) for question in new}
    items = [json.loads(json.dumps(verdict_line(d.item))) for d in decisions]
    case = case_line(Tally(CONTRACT).add_case(case_id, entry.capability, Fraction(1), [item_of(line) for line in items]))
    assert case_line(case_of(json.loads(json.dumps(case)))) == case
    return case, items


def differences(case_id: str, *, is_offline: bool) -> Iterator[str]:
    case, items = lines_of(case_id, is_offline=is_offline)
    for name, wanted, got in figures(SCORES[case_id], case, items):
        if not is_met(wanted, got, is_open=is_offline):
            yield f"{name}: {wanted} wanted, {got} found"


@pytest.mark.parametrize("case_id", SCORES)
def test_every_score_is_the_readers(case_id: str) -> None:
    assert list(differences(case_id, is_offline=False)) == []


@pytest.mark.parametrize("case_id", SCORES)
def test_without_a_judge_every_score_lies_within_the_bounds(case_id: str) -> None:
    assert list(differences(case_id, is_offline=True)) == []
