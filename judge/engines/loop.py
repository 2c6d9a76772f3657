"""The only loop: cases in the order of their documents, questions asked together, answers replayed until nothing is open, lines appended.

A case that fails inside the program is one line that says so; it never ends the run and is never a verdict.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from deterministic.documents.parsing import Interrupted
from judge.capabilities import Capability
from judge.capabilities.registry import capability_of
from judge.engines.assignment import Control, Sink
from judge.errors import BudgetReached, EndpointError, InputError, Postponed
from judge.inputs.documents import ONCE_A_CASE
from judge.inputs.table import CaseEntry
from judge.printing import say, shown
from judge.records import NOT_REQUIRED, Answer, Decision, Finding, GateView, Item, JudgedCase, Key, NonOutcome, Question
from judge.results.exceptions import Exceptions
from judge.results.lines import INTERNAL_ERROR
from rubrics.contract import Contract

if TYPE_CHECKING:
    from deterministic.documents.documents import Document
    from judge.capabilities.cases import Case
    from judge.capabilities.context import Context

UNASKED = frozenset({"", "unasked"})


class Cases(Protocol):
    """Where a case is read from."""

    def load(self, entry: CaseEntry) -> Case: ...


class Entries(Protocol):
    """The cases to judge, by their documents."""

    def by_documents(self) -> Mapping[tuple[str, ...], Iterable[CaseEntry]]: ...
    def __len__(self) -> int: ...


class Documents(Protocol):
    """The documents of the cases in work (see DocumentStore)."""

    @property
    def chunk(self) -> int: ...
    def has(self, names: Iterable[str]) -> bool: ...
    def prefetch(self, names: Sequence[str]) -> None: ...
    def documents(self, names: Sequence[str]) -> Mapping[str, Document]: ...
    def findings(self, names: Iterable[str]) -> tuple[Finding, ...]: ...


class Asker(Protocol):
    """The judge as the loop sees it."""

    async def ask(self, question: Question) -> Answer:
        """The answer; raises EndpointError, BudgetReached or Postponed only."""
        ...

    def recall(self, question: Question) -> Answer | None:
        """The answer if it costs no call."""
        ...


class Together(Protocol):
    """A judge that takes an item's next question along with the first."""

    def likely(self, question: Question) -> Answer: ...
    def bring(self, question: Question, then: Question) -> None: ...


@dataclass(frozen=True, slots=True)
class Work:
    """Everything the loop needs. covers: whether an answer may count for the gates (calibration record); None when none is required."""

    index: Cases
    entries: Entries
    store: Documents
    contract: Contract
    covers: Callable[[Question, Answer], bool] | None = None
    exceptions: Exceptions | None = None
    together: Together | None = None


@dataclass(slots=True)
class Settled:
    """A case as far as it could be decided."""

    decisions: list[Decision]
    answers: dict[Question, Answer] = field(default_factory=dict)
    is_left: bool = False  # stopped in the middle: to be judged again, nothing is written
    is_provisional: bool = False  # questions that the budget did not allow


async def judge_cases(work: Work, sink: Sink, control: Control, asker: Asker | None = None, in_flight: int = 64) -> None:
    """Judges the entries and appends each finished case to the sink. asker None: offline.

    Cases of one document come together, documents in the order in which the batch first names them. Raises InputError when an input was
    changed during the run.
    """
    groups = work.entries.by_documents()
    order = list(groups)
    tasks: set[asyncio.Task[None]] = set()
    try:
        for n, documents in enumerate(order):
            if control.is_over:
                break
            if not work.store.has(documents):
                names = _next_documents(work.store, order[n:])
                await (asyncio.to_thread(work.store.prefetch, names) if tasks else _now(work.store, names))
            for entry in groups[documents]:
                if control.is_over:
                    break
                await _begin(work, entry, sink, control, asker, tasks)
                while len(tasks) >= in_flight:
                    await _finish_some(tasks)
        await _finish_all(tasks)
    except Interrupted:  # a file was being read: its cases wait for the next run, those that are asked about are finished
        await _finish_all(tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _now(store: Documents, names: Sequence[str]) -> None:
    store.prefetch(names)


async def _finish_all(tasks: set[asyncio.Task[None]]) -> None:
    while tasks:
        await _finish_some(tasks)


async def _finish_some(tasks: set[asyncio.Task[None]]) -> None:
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    tasks -= done
    for task in done:
        task.result()


def _next_documents(store: Documents, groups: Sequence[tuple[str, ...]]) -> list[str]:
    """The documents of the next cases, enough to use all cores."""
    names: dict[str, None] = {}
    for group in groups:
        if len(names) >= store.chunk:
            break
        names.update(dict.fromkeys(group))
    return list(names)


async def _begin(work: Work, entry: CaseEntry, sink: Sink, control: Control, asker: Asker | None, tasks: set[asyncio.Task[None]]) -> None:
    """The first look at a case; only a case whose questions need a call becomes a task."""
    from judge.capabilities.context import Context  # what judging needs is imported with the first case: a finished run judges none

    try:
        context = Context(work.index.load(entry), work.store.documents(entry.documents), work.contract)
        settled = await _recalled(capability_of(entry.capability), context, asker, control if tasks else None)
    except InputError:
        raise
    except Exception as error:
        _close(work, entry, sink, control, error)
        return
    if asker is not None and _questions(settled):
        tasks.add(asyncio.create_task(_carry_on(work, entry, context, sink, control, asker, settled)))
        await asyncio.sleep(0)
    else:
        _close(work, entry, sink, control, settled, context)


async def _decisions(capability: Capability, context: Context, control: Control | None) -> list[Decision]:
    """What rules and answers say of a case. `control`: given while calls are in flight, whose replies must be taken meanwhile."""
    from judge.capabilities.scoring.table import decisions_of

    if control is None:
        return decisions_of(capability, context)
    async with control.looking:
        return await asyncio.to_thread(lambda: decisions_of(capability, context))


async def _recalled(capability: Capability, context: Context, asker: Asker | None, control: Control | None) -> Settled:
    """A case decided as far as rules and remembered answers go."""
    settled = Settled(await _decisions(capability, context, control))
    while asker is not None and (questions := _questions(settled)):
        found = {q: answer for q in questions if (answer := asker.recall(q)) is not None}
        if not found:
            break
        settled.answers |= found
        settled.decisions = await _decisions(capability, replace(context, answers=settled.answers), control)
    return settled


async def _carry_on(work: Work, entry: CaseEntry, context: Context, sink: Sink, control: Control, asker: Asker, settled: Settled) -> None:
    try:
        await settle(capability_of(entry.capability), context, asker, control, settled, work.together)
    except Interrupted:
        return
    except Exception as error:
        _close(work, entry, sink, control, error)
        return
    if not settled.is_left:
        _close(work, entry, sink, control, settled, context)


def _questions(settled: Settled) -> list[Question]:
    return [q for q in dict.fromkeys(q for d in settled.decisions for q in d.questions) if q not in settled.answers]


async def settle(
    capability: Capability, context: Context, asker: Asker, control: Control, settled: Settled, together: Together | None = None
) -> None:
    """Asks what is open, replays with the answers, and so on until no question is left or no more may be asked."""
    while questions := _questions(settled):
        settled.is_left = control.is_over
        settled.is_provisional = control.is_budget_reached
        if settled.is_left or settled.is_provisional:
            return
        if together is not None:
            likely = settled.answers | {question: together.likely(question) for question in questions}
            later = await _decisions(capability, replace(context, answers=likely), control)
            for question, then in _next_questions(settled.decisions, later, likely):
                together.bring(question, then)
        for question, answer in zip(questions, await asyncio.gather(*(_ask(asker, q, control) for q in questions)), strict=True):
            if isinstance(answer, Answer):
                settled.answers[question] = answer
            settled.is_left |= isinstance(answer, Postponed)
        if settled.is_left:
            return
        settled.decisions = await _decisions(capability, replace(context, answers=settled.answers), control)


def _next_questions(now: Sequence[Decision], later: Sequence[Decision], known: Container[Question]) -> Iterator[tuple[Question, Question]]:
    """Each open question with the one that its item puts next, both of one item alone."""
    following = {decision.item.key: decision.questions for decision in later}
    taken = set[Question]()
    for decision in now:
        for question, then in zip(decision.questions, following.get(decision.item.key, ()), strict=False):
            if then not in known and question not in taken and then not in taken:
                taken |= {question, then}
                yield question, then


async def _ask(asker: Asker, question: Question, control: Control) -> Answer | Postponed | None:
    """The answer; None when the run must end (budget, endpoint), which `control` then says."""
    try:
        return await asker.ask(question)
    except Postponed as later:
        return later
    except BudgetReached:
        control.is_budget_reached = True
    except EndpointError as error:
        control.endpoint_error = control.endpoint_error or str(error)
    return None


def _close(
    work: Work, entry: CaseEntry, sink: Sink, control: Control, outcome: Settled | Exception, context: Context | None = None
) -> None:
    """Hands over a case."""
    if isinstance(outcome, Settled) and context is not None:
        try:
            case = judged_case(work, entry, outcome, context, "budget" if outcome.is_provisional else "offline")
        except Exception as error:
            case = internal_error(entry, error)
    else:
        case = internal_error(entry, outcome if isinstance(outcome, Exception) else RuntimeError("no result"))
    sink.append(case)
    control.advance()


def judged_case(work: Work, entry: CaseEntry, settled: Settled, context: Context, why_unasked: str) -> JudgedCase:
    """The items of a case, with the engine's own additions."""
    findings = work.store.findings(entry.documents)
    views = _gate_views(work, entry, settled, context)
    items = []
    for n, decision in enumerate(settled.decisions):
        item = _explained(decision, why_unasked)
        if told := tuple(finding for finding in findings if n == 0 or finding.code not in ONCE_A_CASE):
            item = replace(item, findings=(*item.findings, *told))
        if settled.is_provisional or views is not None:
            unknown = GateView(NonOutcome.UNDECIDED, (0.0, 1.0), True, item.provenance)
            uncertified = None if views is None else views.get(item.key) or unknown
            item = replace(item, is_provisional=settled.is_provisional, uncertified=uncertified)
        items.append(item if work.exceptions is None else work.exceptions.apply(item))
    return JudgedCase(tuple(items), settled.answers)


def _explained(decision: Decision, why_unasked: str) -> Item:
    """The item with the cause that left it open in its reason."""
    item = decision.item
    if not item.is_open:
        return item
    why = why_unasked if item.why_open in UNASKED else item.why_open
    is_said = why in item.reason or "undecided:" in item.reason.casefold()
    reason = item.reason if is_said else f"{item.reason} (undecided: {why})"
    return replace(item, why_open=why, reason=reason)


def _gate_views(work: Work, entry: CaseEntry, settled: Settled, context: Context) -> dict[Key, GateView] | None:
    """The items as they would be without the answers that no calibration record covers; None when no such answer was used."""
    if work.covers is None:
        return None
    answers = {q: a for q, a in settled.answers.items() if a.by == "deterministic" or work.covers(q, a)}
    if len(answers) == len(settled.answers):
        return None
    from judge.capabilities.scoring.table import decisions_of

    items = [d.item for d in decisions_of(capability_of(entry.capability), replace(context, answers=answers))]
    return {i.key: GateView(i.outcome, i.bounds, i.can_hallucinate, i.provenance, i.dimensions, i.criteria) for i in items}


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
    return JudgedCase((item,))
