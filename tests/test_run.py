"""The loop, with capabilities and a judge of the test's own."""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs, many

from judge.capabilities.context import Context
from judge.capabilities.decisions import bounds, by_verdict, closed, decided_by, non_outcome
from judge.capabilities.registry import LOADED, capability_of
from judge.engines.assignment import Control
from judge.engines.loop import Work, judge_cases
from judge.errors import BudgetReached, EndpointError
from judge.inputs.documents import DocumentStore
from judge.inputs.index import CaseIndex, Sources, index_cases
from judge.records import NOT_REQUIRED, Answer, Decision, Item, NonOutcome, Outcome, Part, Question
from judge.results.lines import JsonLine, verdict_line
from rubrics.contract import load_contract

CONTRACT = load_contract()


def decision(context: Context, part: Part) -> Decision:
    outcome: Outcome | NonOutcome = non_outcome(part) if part.is_open else part.best
    worst, best = map(float, bounds(part, CONTRACT.label_scores))
    score = None if part.is_open else best
    item = Item(context.case.case_id, "document_qa", "answer", None, outcome, score, (worst, best),
                      Fraction(1), NOT_REQUIRED, decided_by(part), part.rule, part.reason, why_open=part.why_open)  # fmt: skip
    return Decision(item, part.questions)


def two_questions(context: Context) -> list[Decision]:
    """Asks whether it is right, and only if so whether it is clean; case q-3 crashes, q-4 needs nobody."""
    if context.case.case_id == "q-3":
        raise ZeroDivisionError("planted")
    if context.case.case_id == "q-4":
        return [decision(context, closed(Outcome.CORRECT, "by rule", "r"))]
    second = Question.of("answer_scope", answer=context.case.case_id)
    good, bad = closed(Outcome.CORRECT, "good", "r"), closed(Outcome.FAIL, "bad", "r")
    clean = partial(by_verdict, context.answers, second, {"within_scope": good, "outside_scope": bad}, "clean?", "r")
    first = Question.of("answer_correctness", answer=context.case.case_id)
    part = by_verdict(context.answers, first, {"correct": clean, "incorrect": bad}, "right?", "r")
    return [decision(context, part)]


class Judge:
    """Says yes to everything, counts, and can be told to fail."""

    def __init__(self, fault: Exception | None = None, after: int = 10**9, remembered: bool = False) -> None:
        self.asked: list[Question] = []
        self.fault, self.after, self.remembered = fault, after, remembered
        self.in_flight = self.most_in_flight = 0

    def answer(self, question: Question) -> Answer:
        return Answer({"answer_correctness": "correct", "answer_scope": "within_scope"}[question.rubric], model="m")

    def free_answer(self, question: Question) -> Answer | None:
        return self.answer(question) if self.remembered else None

    async def ask(self, question: Question) -> Answer:
        if self.fault is not None and len(self.asked) >= self.after:
            raise self.fault
        self.asked.append(question)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        return self.answer(question)


class Lines(list[list[JsonLine]]):
    """A sink that keeps the lines of each case."""

    def append(self, case: Any) -> None:
        super().append([verdict_line(item) for item in case.items])

    def of(self, case_id: str) -> JsonLine:
        return next(lines[0] for lines in self if lines[0]["case_id"] == case_id)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaseIndex]:
    monkeypatch.setitem(LOADED, "document_qa", replace(capability_of("document_qa"), judge=two_questions))
    inputs = many(Inputs(tmp_path / "in"), 6)
    yield index_cases(Sources(inputs.folder / "batch.jsonl", inputs.folder / "gold.jsonl", inputs.folder / "documents"))


def run(index: CaseIndex, judge: Judge | None, control: Control | None = None, **options: Any) -> Lines:
    store = DocumentStore(index.folder, cache_dir=None)
    work = Work(index, index.select(), store, CONTRACT, **options)
    lines = Lines()
    asyncio.run(judge_cases(work, lines, control or Control(), judge))
    return lines


def test_replays_until_no_question_is_open(index: CaseIndex) -> None:
    judge = Judge()
    lines = run(index, judge)
    assert [lines.of(f"q-{n}")["outcome"] for n in (0, 1, 2, 4, 5)] == ["correct"] * 5
    assert len(judge.asked) == len(set(judge.asked)) == 8 and judge.most_in_flight > 1
    assert lines.of("q-0")["decided_by"] == "llm" and lines.of("q-4")["decided_by"] == "deterministic"


def test_remembered_answers_need_no_task_and_no_call(index: CaseIndex) -> None:
    judge = Judge(remembered=True)
    assert run(index, judge).of("q-5")["outcome"] == "correct" and judge.asked == []


def test_offline_says_so_and_guesses_nothing(index: CaseIndex) -> None:
    line = run(index, None).of("q-0")
    assert (line["outcome"], line["score"], line["bounds"], line["why_open"]) == ("undecided", None, [0.0, 1.0], "offline")
    assert "undecided: offline" in line["reason"] and "provisional" not in line


def test_a_crash_in_one_case_is_said_and_ends_nothing(index: CaseIndex, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(index, Judge())
    line = lines.of("q-3")
    assert (line["item"], line["outcome"], line["score"], line["bounds"]) == ("internal_error", "judge_error", None, [0.0, 1.0])
    assert "ZeroDivisionError: planted" in line["reason"] and "case q-3" in capsys.readouterr().err
    assert len(lines) == 6


def test_documents_are_closed_behind_their_last_case_though_its_questions_are_still_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOADED, "document_qa", replace(capability_of("document_qa"), judge=two_questions))
    inputs = many(Inputs(tmp_path), 6, agreements=3)
    index = index_cases(Sources(inputs.folder / "batch.jsonl", inputs.folder / "gold.jsonl", inputs.folder / "documents"))
    store, lines = DocumentStore(index.folder, cache_dir=None, max_characters=1), Lines()
    store.chunk = 1
    asyncio.run(judge_cases(Work(index, index.select(), store, CONTRACT), lines, Control(), Judge()))
    assert [lines.of(f"q-{n}")["outcome"] for n in range(6) if n != 3] == ["correct"] * 5
    assert not any(store.has(names) for names in index.select().by_documents())


def test_the_budget_ends_asking_and_what_is_open_is_provisional(index: CaseIndex) -> None:
    control = Control()
    lines = run(index, Judge(BudgetReached("spent"), after=3), control)
    assert control.is_budget_reached and len(lines) == 6
    open_lines = [lines.of(f"q-{n}") for n in (0, 1, 2, 5) if lines.of(f"q-{n}")["outcome"] == "undecided"]
    assert open_lines and all(x["provisional"] and x["why_open"] == "budget" for x in open_lines)
    assert "provisional" not in lines.of("q-4")


def test_an_unusable_endpoint_stops_the_run_and_writes_no_half_case(index: CaseIndex) -> None:
    control = Control()
    lines = run(index, Judge(EndpointError("no such model"), after=2), control)
    assert control.endpoint_error == "no such model"
    assert all(x[0]["outcome"] in ("correct", "judge_error") for x in lines) and len(lines) < 6


def test_a_stop_finishes_what_is_in_flight_and_begins_nothing(index: CaseIndex) -> None:
    control = Control()
    control.advance = lambda: setattr(control, "is_stopping", True)
    lines = run(index, None, control)
    assert len(lines) == 1


def test_answers_without_a_record_stay_but_do_not_count_for_the_gates(index: CaseIndex) -> None:
    lines = run(index, Judge(), covers=lambda question, answer: question.rubric != "answer_scope")
    assert lines.of("q-0")["outcome"] == "correct"
    assert lines.of("q-0")["uncertified"]["outcome"] == "undecided" and lines.of("q-0")["uncertified"]["bounds"] == [0.0, 1.0]
    assert "uncertified" not in lines.of("q-4")
    assert all("uncertified" not in x[0] for x in run(index, Judge(), covers=lambda question, answer: True))


def test_replies_are_taken_while_a_case_is_looked_at(index: CaseIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look at the second case ends only when the first case's reply has been taken."""
    taken, waited = threading.Event(), []

    class Slow(Judge):
        async def ask(self, question: Question) -> Answer:
            found = await super().ask(question)
            taken.set()
            return found

    def patient(context: Context) -> list[Decision]:
        if context.case.case_id == "q-1":
            waited.append(taken.wait(20))
        return two_questions(context)

    monkeypatch.setitem(LOADED, "document_qa", replace(capability_of("document_qa"), judge=patient))
    lines = run(index, Slow())
    assert len(lines) == 6 and waited and all(waited)


def test_a_document_that_cannot_be_read_is_a_finding_not_the_end(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path / "in")
    (inputs.folder / "documents" / "broken.pdf").write_bytes(b"no pdf at all")
    for line in inputs.batch:
        line["document"] = "broken.pdf"
    index = index_cases(Sources(inputs.write().folder / "batch.jsonl", inputs.folder / "gold.jsonl", inputs.folder / "documents"))
    lines = run(index, None)
    assert len(lines) == 2
    for case in lines:
        assert all(any(f["code"] == "DOCUMENT_UNREADABLE" for f in line["findings"]) for line in case)
        assert all(line["outcome"] != "hallucination" for line in case)


def test_same_inputs_give_the_same_lines(index: CaseIndex) -> None:
    first, second = (sorted(json.dumps(x) for x in run(index, Judge())) for _ in range(2))
    assert first == second
