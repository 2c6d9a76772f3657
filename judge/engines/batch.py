"""`--judge-mode batch`: rounds of looking at every open case, sending all questions that came up as batches, and looking again.
A round is the loop with an asker that writes questions down in place of asking them. Questions that only an answer brings up form the batch
of the next round."""

from dataclasses import replace

from judge.engines.assignment import Control, Sink
from judge.engines.loop import Asker, Work, judge_cases
from judge.errors import EndpointError, Postponed
from judge.inputs.table import CaseSelection, IdIndex
from judge.llm.batches import Batches
from judge.llm.judge import Judge
from judge.records import Answer, JudgedCase, Question


class BatchAsker:
    """Knows what batches have answered; writes down what they have not. falls_back: what a batch failed at is asked by a single call."""

    def __init__(self, judge: Judge, batches: Batches, *, falls_back: bool) -> None:
        self._judge, self._batches, self._falls_back = judge, batches, falls_back

    def free_answer(self, question: Question) -> Answer | None:
        """An answer from a rule, an earlier batch or the cache; a failed request is an answer with an error unless it is asked again."""
        return self._judge.free_answer(question) if self._falls_back else self._judge.free_answer(question, self._batches.failed)

    async def ask(self, question: Question) -> Answer:
        """Puts the question into the next batch and raises Postponed; BudgetReached when it may not be."""
        requests = self._judge.unanswered(question)
        if not requests or any(request.key in self._batches.failed for request in requests):
            return await self._judge.ask(question)
        for request in requests:
            self._batches.add(request)
        raise Postponed


class _Closed:
    """Passes cases on and remembers which cases they close."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self.ids = sink, IdIndex()

    def append(self, case: JudgedCase) -> None:
        self._sink.append(case)
        if case.items:
            self.ids.add(case.items[0].case_id)


async def judge_in_batches(
    work: Work, entries: CaseSelection, sink: Sink, control: Control, asker: Asker, batches: Batches, in_flight: int
) -> None:
    """Judges the entries in rounds. A run that is stopped leaves its batches where the next run finds them."""
    try:
        await batches.run()  # what an earlier run left
        while len(entries) and not control.is_over:
            closed = _Closed(sink)
            await judge_cases(replace(work, entries=entries), closed, control, asker, in_flight)
            entries = entries.among(closed.ids, is_in=False)
            if not batches.has_drafts or control.is_over:
                break
            await batches.run()
    except Postponed:  # the run ends while a batch is out
        pass
    except EndpointError as error:
        control.endpoint_error = control.endpoint_error or str(error)
