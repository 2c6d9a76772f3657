"""Judging some cases again with the answers known so far: what a worker does. Pure but for the documents it is handed; imports no Ray."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judge.capabilities.cases import Case
from judge.engines.assignment import Control
from judge.engines.loop import Documents, Work, judge_cases
from judge.errors import EndpointError, InputError, Postponed, Problem
from judge.inputs.index import read_case
from judge.inputs.table import CaseEntry
from judge.records import Answer, JudgedCase, Question
from rubrics.contract import Contract


@dataclass(frozen=True, slots=True)
class ShippedCase:
    """A case with the bytes of its entries in batch and gold (empty for none)."""

    entry: CaseEntry
    batch: bytes
    gold: bytes


@dataclass(frozen=True, slots=True)
class Replies:
    """Answers to questions. uncovered: those whose answers do not count for the gates; without a required record that is None.
    is_budget_reached, endpoint_error, failures: why questions have no answer."""

    answers: Mapping[Question, Answer] = field(default_factory=dict)
    uncovered: frozenset[Question] | None = None
    is_budget_reached: bool = False
    endpoint_error: str = ""
    failures: Mapping[Question, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The finished cases, the cases left, and the questions that they wait for. problems: inputs that changed."""

    cases: tuple[JudgedCase, ...] = ()
    left: tuple[ShippedCase, ...] = ()
    questions: tuple[Question, ...] = ()
    is_budget_reached: bool = False
    endpoint_error: str = ""
    problems: tuple[Problem, ...] = ()


class _Chunk:
    """The cases of one replay, as the loop wants them: all of the same documents."""

    def __init__(self, cases: Sequence[ShippedCase]) -> None:
        self._cases = {shipped.entry.case_id: shipped for shipped in cases}

    def load(self, entry: CaseEntry) -> Case:
        shipped = self._cases[entry.case_id]
        return read_case(entry, shipped.batch, shipped.gold)

    def by_documents(self) -> Mapping[tuple[str, ...], Iterable[CaseEntry]]:
        entries = [shipped.entry for shipped in self._cases.values()]
        return {entries[0].documents: entries} if entries else {}


class _Known:
    """Knows the answers that came; notes every other question."""

    def __init__(self, replies: Sequence[Replies]) -> None:
        self._answers = {question: answer for one in replies for question, answer in one.answers.items()}
        self._failures = {question: why for one in replies for question, why in one.failures.items()}
        self._endpoint_error = next((one.endpoint_error for one in replies if one.endpoint_error), "")
        self.questions: dict[Question, None] = {}

    def free_answer(self, question: Question) -> Answer | None:
        return self._answers.get(question)

    async def ask(self, question: Question) -> Answer:
        if question in self._failures:
            raise RuntimeError(self._failures[question])
        if self._endpoint_error:
            raise EndpointError(self._endpoint_error)
        self.questions.setdefault(question)
        raise Postponed


def replay(
    cases: Sequence[ShippedCase], documents: Documents, contract: Contract, replies: Sequence[Replies], *, is_offline: bool
) -> Replayed:
    """Judges cases of the same documents as far as the answers go."""
    chunk, known = _Chunk(cases), _Known(replies)
    finished: list[JudgedCase] = []
    control = Control(is_budget_reached=any(one.is_budget_reached for one in replies))
    uncovered = [one.uncovered for one in replies if one.uncovered is not None]
    covers = (lambda question, answer: not any(question in some for some in uncovered)) if uncovered else None
    work = Work(chunk, chunk, documents, contract, covers)
    try:
        asyncio.run(judge_cases(work, finished, control, None if is_offline else known))
    except InputError as error:
        return Replayed(problems=error.problems)
    closed = {case.items[0].case_id for case in finished}
    left = tuple(shipped for shipped in cases if shipped.entry.case_id not in closed)
    return Replayed(tuple(finished), left, tuple(known.questions), control.is_budget_reached, control.endpoint_error)
