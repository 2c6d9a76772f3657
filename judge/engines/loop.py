"""The only loop: cases in the order of their documents, questions asked together, answers replayed until nothing is open, lines appended. A
case that fails inside the program is one line that says so; it never ends the run and is never a verdict."""

import asyncio
import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Protocol

from deterministic.documents.parsing import Interrupted
from deterministic.lexicon.sketches import sketch_of
from judge.capabilities.registry import capability_of
from judge.engines.assignment import Control, Sink
from judge.errors import BudgetReached, EndpointError, InputError, Postponed
from judge.inputs.documents import ONCE_A_CASE
from judge.inputs.table import CaseEntry
from judge.printing import say, shown
from judge.records import INTERNAL_ERROR, NOT_REQUIRED, Answer, Decision, Finding, GateView, Item, JudgedCase, Key, NonOutcome, Question
from judge.results.exceptions import Exceptions
from rubrics.contract import Contract

if TYPE_CHECKING:
    from deterministic.documents.documents import Document
    from judge.capabilities.cases import Case
    from judge.capabilities.context import Context
    from judge.llm.judge import Judge

UNASKED = frozenset({"", "unasked"})


class Cases(Protocol):
    """Where a case is read from."""

    def load(self, entry: CaseEntry) -> "Case": ...


class Entries(Protocol):
    """The cases to judge, by their documents."""

    def by_documents(self) -> Mapping[tuple[str, ...], Iterable[CaseEntry]]: ...


class Documents(Protocol):
    """The documents of the cases in work (see DocumentStore)."""

    @property
    def chunk(self) -> int: ...
    def has(self, names: Iterable[str]) -> bool: ...
    def prefetch(self, names: Sequence[str]) -> None: ...
    def release(self, names: Iterable[str]) -> None: ...
    def documents(self, names: Sequence[str]) -> "Mapping[str, Document]": ...
    def findings(self, documents: "Mapping[str, Document]") -> tuple[Finding, ...]: ...


class Asker(Protocol):
    """The judge as the loop sees it. ask: raises EndpointError, BudgetReached or Postponed only; free_answer: what costs no call."""

    async def ask(self, question: Question) -> Answer: ...
    def free_answer(self, question: Question) -> Answer | None: ...


@dataclass(frozen=True, slots=True)
class Work:
    """Everything the loop needs. covers: whether an answer may count for the gates (calibration record); None when none is required.
    together: the judge, where it takes an item's next question along with the first."""

    index: Cases
    entries: Entries
    store: Documents
    contract: Contract
    covers: Callable[[Question, Answer], bool] | None = None
    exceptions: Exceptions | None = None
    together: "Judge | None" = None


@dataclass(slots=True)
class _Open:
    """A case in work, as far as it could be decided."""

    entry: CaseEntry
    context: "Context"
    decisions: list[Decision] = field(default_factory=list)
    answers: dict[Question, Answer] = field(default_factory=dict)
    is_left: bool = False  # stopped in the middle: to be judged again, nothing is written
    is_provisional: bool = False  # questions that the budget did not allow

    @property
    def questions(self) -> list[Question]:
        """What has no answer yet, each with the kinds of the case."""
        still = [q for q in dict.fromkeys(q for d in self.decisions for q in d.questions) if q not in self.answers]
        kinds = self.context.kinds if still else ()
        return [replace(question, kinds=kinds) for question in still]


async def judge_cases(work: Work, sink: Sink, control: Control, asker: Asker | None = None, in_flight: int = 64) -> None:
    """Judges the entries and appends each finished case to the sink. asker None: offline. Cases of one document come together, documents in
    the order in which the batch first names them. Raises InputError when an input was changed during the run."""
    await _Loop(work, sink, control, asker, in_flight).run()


class _Loop:
    """tasks: cases that are asked about."""

    def __init__(self, work: Work, sink: Sink, control: Control, asker: Asker | None, in_flight: int) -> None:
        self.work, self.sink, self.control, self.asker, self.in_flight = work, sink, control, asker, in_flight
        self.tasks: set[asyncio.Task[None]] = set()
        self._looking = asyncio.Lock()  # one case at a time is looked at beside the loop, since they share documents

    async def run(self) -> None:
        """Judges everything."""
        groups = self.work.entries.by_documents()
        order = list(groups)
        last = {name: n for n, documents in enumerate(order) for name in documents}
        try:
            for n, documents in enumerate(order):
                if self.control.is_over:
                    break
                await self._read(order[n:])
                for entry in groups[documents]:
                    if self.control.is_over:
                        break
                    await self._begin(entry)
                    await self._finish(self.in_flight - 1)
                self.work.store.release(name for name in documents if last[name] == n)
            await self._finish()
        except Interrupted:  # a file was being read: its cases wait for the next run, those that are asked about are finished
            await self._finish()
        finally:
            for task in self.tasks:
                task.cancel()

    async def _finish(self, left: int = 0) -> None:
        """Waits until no more than so many cases are asked about."""
        while len(self.tasks) > left:
            done, _ = await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
            self.tasks -= done
            for task in done:
                task.result()

    async def _read(self, groups: Sequence[tuple[str, ...]]) -> None:
        """Opens the documents of the next cases, enough to use all cores."""
        store, names = self.work.store, dict[str, None]()
        if store.has(groups[0]):
            return
        for group in groups:
            if len(names) < store.chunk:
                names |= dict.fromkeys(group)
        if self.tasks:  # whose replies must be taken meanwhile
            await asyncio.to_thread(store.prefetch, list(names))
        else:
            store.prefetch(list(names))

    async def _begin(self, entry: CaseEntry) -> None:
        """The first look at a case, as far as rules and remembered answers go; only a case whose questions need a call becomes a task."""
        from judge.capabilities.context import Context  # what judging needs is imported with the first case: a finished run judges none

        work, asker = self.work, self.asker
        try:
            case = _Open(entry, Context(work.index.load(entry), work.store.documents(entry.documents), work.contract))
            case.decisions = await self._decisions(case, {})
            while asker is not None and (found := {q: answer for q in case.questions if (answer := asker.free_answer(q)) is not None}):
                case.answers |= found
                case.decisions = await self._decisions(case, case.answers)
        except InputError:
            raise
        except Exception as error:
            self._close(internal_error(entry, error))
            return
        if asker is not None and case.questions:
            self.tasks.add(asyncio.create_task(self._carry_on(case, asker)))
            await asyncio.sleep(0)
        else:
            self._close(self._judged(case))

    async def _decisions(self, case: _Open, answers: Mapping[Question, Answer]) -> list[Decision]:
        """What rules and these answers say of a case; beside the loop while calls are in flight, whose replies must be taken meanwhile."""
        if not self.tasks:
            return _decided(case, answers)
        async with self._looking:
            return await asyncio.to_thread(_decided, case, answers)

    async def _carry_on(self, case: _Open, asker: Asker) -> None:
        try:
            await self._settle(case, asker)
        except Interrupted:
            return
        except Exception as error:
            self._close(internal_error(case.entry, error))
            return
        if not case.is_left:
            self._close(self._judged(case))

    async def _settle(self, case: _Open, asker: Asker) -> None:
        """Asks what is open, replays with the answers, and so on until no question is left or no more may be asked."""
        while questions := case.questions:
            case.is_left, case.is_provisional = self.control.is_over, self.control.is_budget_reached
            if case.is_left or case.is_provisional:
                return
            if (together := self.work.together) is not None:
                likely = case.answers | {question: together.likely(question) for question in questions}
                for question, then in _next_questions(case.decisions, await self._decisions(case, likely), likely):
                    together.bring(question, then)
            for question, answer in zip(questions, await asyncio.gather(*(self._ask(asker, q) for q in questions)), strict=True):
                if isinstance(answer, Answer):
                    case.answers[question] = answer
                case.is_left |= isinstance(answer, Postponed)
            if case.is_left:
                return
            case.decisions = await self._decisions(case, case.answers)

    async def _ask(self, asker: Asker, question: Question) -> Answer | Postponed | None:
        """The answer; None when the run must end (budget, endpoint), which `control` then says."""
        try:
            return await asker.ask(question)
        except Postponed as later:
            return later
        except BudgetReached:
            self.control.is_budget_reached = True
        except EndpointError as error:
            self.control.endpoint_error = self.control.endpoint_error or str(error)
        return None

    def _close(self, case: JudgedCase) -> None:
        """Hands over a case."""
        self.sink.append(case)
        self.control.advance()

    def _judged(self, case: _Open) -> JudgedCase:
        """The items of a case, with the engine's own additions."""
        try:
            findings, views, items = self.work.store.findings(case.context.documents), self._gate_views(case), []
            for n, decision in enumerate(case.decisions):
                item = _explained(decision, "budget" if case.is_provisional else "offline")
                if told := tuple(finding for finding in findings if n == 0 or finding.code not in ONCE_A_CASE):
                    item = replace(item, findings=(*item.findings, *told))
                if case.is_provisional or views is not None:
                    unknown = GateView(NonOutcome.UNDECIDED, (0.0, 1.0), True, item.provenance)
                    uncertified = None if views is None else views.get(item.key) or unknown
                    item = replace(item, is_provisional=case.is_provisional, uncertified=uncertified)
                items.append(item if self.work.exceptions is None else self.work.exceptions.apply(item))
        except Exception as error:
            return internal_error(case.entry, error)
        read = case.context.documents if case.answers else {}
        texts = {name: document.cached("sketch", partial(sketch_of, document.text)) for name, document in read.items()}
        return JudgedCase(tuple(items), case.answers, texts, case.entry.documents)

    def _gate_views(self, case: _Open) -> dict[Key, GateView] | None:
        """The items as they would be without the answers that no calibration record covers; None when no such answer was used."""
        if (covers := self.work.covers) is None:
            return None
        answers = {q: a for q, a in case.answers.items() if a.by == "deterministic" or covers(q, a)}
        if len(answers) == len(case.answers):
            return None
        items = [decision.item for decision in _decided(case, answers)]
        return {i.key: GateView(i.outcome, i.bounds, i.can_hallucinate, i.provenance, i.dimensions, i.criteria) for i in items}


def _decided(case: _Open, answers: Mapping[Question, Answer]) -> list[Decision]:
    from judge.capabilities.scoring.table import decisions_of

    return decisions_of(capability_of(case.entry.capability), replace(case.context, answers=answers))


def _next_questions(now: Sequence[Decision], later: Sequence[Decision], known: Container[Question]) -> Iterator[tuple[Question, Question]]:
    """Each open question with the one that its item puts next, both of one item alone."""
    following = {decision.item.key: decision.questions for decision in later}
    taken = set[Question]()
    for decision in now:
        for question, then in zip(decision.questions, following.get(decision.item.key, ()), strict=False):
            if then not in known and question not in taken and then not in taken:
                taken |= {question, then}
                yield question, then


def _explained(decision: Decision, why_unasked: str) -> Item:
    """The item with the cause that left it open in its reason."""
    item = decision.item
    if not item.is_open:
        return item
    why = why_unasked if item.why_open in UNASKED else item.why_open
    is_said = why in item.reason or "undecided:" in item.reason.casefold()
    reason = item.reason if is_said else f"{item.reason} (undecided: {why})"
    return replace(item, why_open=why, reason=reason)


def internal_error(entry: CaseEntry, error: Exception) -> JudgedCase:
    """A case that the program could not judge: open in every respect, counted as a judge error, and reported on standard error."""
    where = traceback.extract_tb(error.__traceback__)[-1] if error.__traceback__ else None
    place = f" ({where.filename.rpartition('/')[2]}:{where.lineno})" if where else ""
    message = f"internal error while judging: {type(error).__name__}: {error}{place}"
    say(f"case {shown(entry.case_id)}: {message}")
    item = Item(
        case_id=entry.case_id,
        capability=entry.capability,
        item=INTERNAL_ERROR,
        tranche=None,
        outcome=NonOutcome.JUDGE_ERROR,
        score=None,
        bounds=(0.0, 1.0),
        weight=Fraction(1),
        provenance=NOT_REQUIRED,
        decided_by="none",
        rule="internal error",
        reason=message,
        can_hallucinate=True,
        why_open=INTERNAL_ERROR,
    )
    return JudgedCase((item,), documents=entry.documents)
