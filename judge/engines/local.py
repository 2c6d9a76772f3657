"""The loop in this process."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from judge.engines import Account, Assignment
from judge.engines.judge_choice import is_offline
from judge.results.folder import BATCHES
from judge.run import Work, judge_cases


def judge_here(assignment: Assignment) -> Account:
    """Judges the entries. Raises JudgeError."""
    return asyncio.run(_judge(assignment))


async def _judge(given: Assignment) -> Account:
    settings, sink, control, trouble = given.settings, given.sink, given.control, given.store.trouble
    work = Work(given.index, given.entries, given.store, given.contract, exceptions=given.exceptions)
    if is_offline(settings) or not len(given.entries):
        await judge_cases(work, sink, control)
        return Account(trouble=trouble)
    from judge.engines.asking import open_asking

    in_flight = 4 * settings.concurrency
    async with open_asking(settings) as asking:
        work = replace(work, covers=asking.covers if asking.certification else None)
        if settings.judge_mode == "batch":
            from judge.engines.batch import BatchAsker, judge_in_batches
            from judge.llm.batches import Batches

            batches = Batches(
                asking.judge,
                settings.out / BATCHES,
                usd_share=float(settings.batch_price),
                poll_s=settings.batch_poll,
                is_over=lambda: control.is_over,
            )
            asker = asking.certified(BatchAsker(asking.judge, batches, falls_back=settings.batch_fallback))
            await judge_in_batches(work, given.entries, sink, control, asker, batches, in_flight)
        else:
            await judge_cases(work, sink, control, asking.asker, in_flight)
        account = asking.account()
        return Account(account.usage, account.fingerprint, account.uncovered, trouble)
