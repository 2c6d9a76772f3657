"""The judge: one Question in, one Answer out; cached, deduplicated, limited, retried and counted below this door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from judge.llm.settings import JudgeSettings
from judge.llm.usage import Estimate, Usage
from judge.records import Answer, Question


class Judge:
    """Open it with `async with Judge.open(settings) as judge`; every method may be used from one event loop only."""

    usage: Usage

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: JudgeSettings) -> AsyncIterator[Judge]:
        """A judge that is ready to be asked; nothing is sent and the SDK is not imported until a question needs it.

        Raises UsageError for settings that cannot be met, ContractError for a rubric file that is wrong.
        """
        raise NotImplementedError
        yield cls()

    async def ask(self, question: Question) -> Answer:
        """The answer, from a rule, the cache, or the model. One item's failure is an Answer with `error`; it is never raised.

        Raises EndpointError (authentication, quota, bad request, unknown model, host not allowed) and BudgetReached: both end the run.
        """
        raise NotImplementedError

    def recall(self, question: Question) -> Answer | None:
        """The answer if no call is needed for it (a rule or the cache has it), else None. Never waits."""
        raise NotImplementedError

    def fingerprint(self) -> Mapping[str, Any]:
        """What run.json says of the judge, as JSON values: endpoints (host, kind, mode, dropped parameters), models as asked and as returned,
        per rubric the hash of prompt, schema and parameters. No secrets."""
        raise NotImplementedError


def estimate(questions: Iterable[Question], settings: JudgeSettings) -> Estimate:
    """Calls, tokens and money that asking would cost, after rules and cache. Sends nothing."""
    raise NotImplementedError


def preview(questions: Iterable[Question], settings: JudgeSettings) -> Iterable[str]:
    """For --dry-run: for every question that would be sent, its host, model and every text of the request. Sends nothing."""
    raise NotImplementedError
