"""The only way from a cluster to the endpoint: what the one actor does. Imports no Ray."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from judge.engines import Account
from judge.engines.looking import Told
from judge.errors import BudgetReached, EndpointError
from judge.records import Answer, Question
from judge.settings import Settings


class Door:
    """Asks the judge for the whole cluster."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        os.environ.update(environment)
        self._settings, self._stack = settings, AsyncExitStack()
        self._opening = asyncio.Lock()
        self._asking: Any = None

    async def _opened(self) -> Any:
        from judge.engines.asking import open_asking

        async with self._opening:
            if self._asking is None:
                self._asking = await self._stack.enter_async_context(open_asking(self._settings))
        return self._asking

    async def ask(self, questions: Sequence[Question]) -> Told:
        """All answers that can be had."""
        asking = await self._opened()
        found = await asyncio.gather(*(_answered(asking.asker, question) for question in questions))
        answers = {q: a for q, a in zip(questions, found, strict=True) if isinstance(a, Answer)}
        uncovered = None
        if asking.certification is not None:
            uncovered = frozenset(q for q, a in answers.items() if a.by != "deterministic" and not asking.covers(q, a))
        errors = [str(error) for error in found if isinstance(error, EndpointError)]
        is_spent = any(isinstance(error, BudgetReached) for error in found)
        ours = (Answer, EndpointError, BudgetReached)
        failures = {q: f"{type(e).__name__}: {e}" for q, e in zip(questions, found, strict=True) if not isinstance(e, ours)}
        return Told(answers, uncovered, is_spent, errors[0] if errors else "", failures)

    async def account(self) -> Account:
        """What the judging took. Ends the judge."""
        account: Account = (await self._opened()).account()
        await self._stack.aclose()
        return account


async def _answered(asker: Any, question: Question) -> Answer | Exception:
    """The answer; what is raised is told with the other answers, which are paid for."""
    try:
        found: Answer = asker.recall(question) or await asker.ask(question)
        return found
    except Exception as error:
        return error
