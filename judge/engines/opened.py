"""A judge as a run asks it: with the calibration record that its answers need, and the confidence below which they are none."""

import asyncio
import datetime
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from judge.calibrate.certification import Certification, read_records
from judge.engines.assignment import Account, Control
from judge.engines.judge_choice import judge_settings
from judge.engines.loop import Asker
from judge.engines.replay import Replies
from judge.errors import BudgetReached, EndpointError
from judge.llm.judge import Judge
from judge.records import Answer, Finding, Question
from judge.results.folder import SPENDING
from judge.settings import Settings
from rubrics.contract import load_contract
from rubrics.rubric import read_rubrics
from rubrics.verdicts import CANNOT_DETERMINE

if TYPE_CHECKING:
    from calibration.decision.record import Record

BELOW_THRESHOLD = "BELOW_CERTIFIED_THRESHOLD"
_LOOK_S = 0.2  # between two looks whether the run is to end


@dataclass(frozen=True, slots=True)
class CertifiedAsker:
    """A judge whose verdicts become `cannot_determine` below the certified confidence, and all of them where the record is void."""

    judge: Asker
    threshold: Certification

    async def ask(self, question: Question) -> Answer:
        """As the judge's, but only certified verdicts."""
        return self._certified(question, await self.judge.ask(question))

    def free_answer(self, question: Question) -> Answer | None:
        """As the judge's, but only certified verdicts."""
        answer = self.judge.free_answer(question)
        return None if answer is None else self._certified(question, answer)

    def _certified(self, question: Question, answer: Answer) -> Answer:
        if answer.verdict is None or answer.by == "deterministic" or self.threshold.decides(question, answer):
            return answer
        finding = Finding(BELOW_THRESHOLD, f"{question.rubric} said {answer.verdict} with confidence {answer.confidence}")
        return replace(answer, verdict=CANNOT_DETERMINE, findings=(*answer.findings, finding))


@dataclass(frozen=True, slots=True)
class OpenJudge:
    """An opened judge. certification: None when no record is required; threshold: the record with certified confidences,
    None for none."""

    judge: Judge
    certification: Certification | None
    threshold: Certification | None

    def asker(self, asker: Asker | None = None) -> Asker:
        """What the loop asks, the judge or another asker of its answers; below the certified confidence they are none."""
        return CertifiedAsker(asker or self.judge, self.threshold) if self.threshold else asker or self.judge

    def account(self) -> Account:
        """What it took, with the judge's fingerprint."""
        uncovered = {rubric: why for one in (self.threshold, self.certification) if one for rubric, why in one.reasons.items()}
        return Account(asdict(self.judge.usage), dict(self.judge.fingerprint()), uncovered)


@asynccontextmanager
async def open_judge(settings: Settings, control: Control | None = None) -> AsyncIterator[OpenJudge]:
    """Opens the judge of the settings, to be stopped with the run. Raises UsageError, ContractError."""
    required, threshold = (read_records(paths) if paths else None for paths in (settings.require_calibrated, settings.certified_threshold))
    async with Judge.open(judge_settings(settings), settings.out / SPENDING) as judge:
        watch = asyncio.create_task(_stop_with(control, judge)) if control else None
        try:
            yield OpenJudge(judge, *(_certification(record, judge, settings) if record else None for record in (required, threshold)))
        finally:
            if watch is not None:
                watch.cancel()


def _certification(record: "Record", judge: Judge, settings: Settings) -> Certification:
    from judge.calibrate.choices import accepting_of, rules_text

    known = read_rubrics(settings.rubrics)

    def accepting(rubric: str) -> tuple[str, ...] | None:
        found = accepting_of(rubric, known)
        return None if found is None else found[1]

    return Certification(record, judge.fingerprint, datetime.date.today(), rules_text(load_contract(settings.contract)), accepting)


async def _stop_with(control: Control, judge: Judge) -> None:
    """Ends what waits once a person has stopped the run."""
    while not control.is_stopping:
        await asyncio.sleep(_LOOK_S)
    judge.stop()


class ClusterJudge:
    """Asks the judge for a whole cluster: what the one actor does. Imports no Ray."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        os.environ.update(environment)
        self._settings, self._stack = settings, AsyncExitStack()
        self._opening = asyncio.Lock()
        self._open: Any = None

    async def _opened(self) -> Any:
        async with self._opening:
            if self._open is None:
                self._open = await self._stack.enter_async_context(open_judge(self._settings))
        return self._open

    async def ask(self, questions: Sequence[Question]) -> Replies:
        """All answers that can be had."""
        opened = await self._opened()
        asker = opened.asker()
        found = await asyncio.gather(*(_answered(asker, question) for question in questions))
        answers = {q: a for q, a in zip(questions, found, strict=True) if isinstance(a, Answer)}
        uncovered = None
        if opened.certification is not None:
            uncovered = frozenset(q for q, a in answers.items() if a.by != "deterministic" and not opened.certification.covers(q, a))
        errors = [str(error) for error in found if isinstance(error, EndpointError)]
        is_spent = any(isinstance(error, BudgetReached) for error in found)
        ours = (Answer, EndpointError, BudgetReached)
        failures = {q: f"{type(e).__name__}: {e}" for q, e in zip(questions, found, strict=True) if not isinstance(e, ours)}
        return Replies(answers, uncovered, is_spent, errors[0] if errors else "", failures)

    async def account(self) -> Account:
        """What the judging took. Ends the judge."""
        account: Account = (await self._opened()).account()
        await self._stack.aclose()
        return account


async def _answered(asker: Any, question: Question) -> Answer | Exception:
    """The answer; what is raised comes with the other answers, which are paid for."""
    try:
        found: Answer = asker.free_answer(question) or await asker.ask(question)
        return found
    except Exception as error:
        return error
