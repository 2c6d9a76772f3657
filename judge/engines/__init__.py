"""A run from its settings to its summary (session), its loop, and where that runs: in this process, or as tasks of a Ray cluster
(ray_engine). Both take the same assignment; what judging needs is imported when there is something to judge."""

from contextlib import nullcontext
from dataclasses import replace

from judge.engines.assignment import Account, Assignment, Engine
from judge.engines.judge_choice import is_offline
from judge.results.folder import BATCHES


def engine_of(name: str) -> Engine:
    """The engine of a setting; only the chosen one is imported. Raises UsageError when its extra is not installed."""
    if name == "ray":
        from judge.engines.ray_engine import judge_on_cluster

        return judge_on_cluster
    return judge_here


def judge_here(assignment: Assignment) -> Account:
    """Judges the entries. Raises JudgeError."""
    if not len(assignment.prepared.entries):  # finished before: what judging needs is not imported
        return Account(trouble=assignment.store.trouble)
    import asyncio

    from judge.llm.clock import short_pauses

    with nullcontext() if is_offline(assignment.settings) else short_pauses():
        return asyncio.run(_judge(assignment))


async def _judge(given: Assignment) -> Account:
    from judge.engines.loop import Work, judge_cases

    settings, sink, control, trouble, prepared = given.settings, given.sink, given.control, given.store.trouble, given.prepared
    work = Work(prepared.index, prepared.entries, given.store, prepared.contract, exceptions=given.exceptions)
    if is_offline(settings):
        await judge_cases(work, sink, control)
        return Account(trouble=trouble)
    from judge.engines.opened import open_judge

    in_flight = 4 * settings.concurrency
    async with open_judge(settings, control) as opened:
        covers = opened.certification.covers if opened.certification else None
        work = replace(work, covers=covers, together=opened.judge if settings.together else None)
        if settings.judge_mode == "batch":
            from judge.engines.batch import BatchAsker, judge_in_batches
            from judge.llm.batches import Batches

            share = float(settings.batch_price)
            batches = Batches(opened.judge, settings.out / BATCHES, usd_share=share, poll_s=settings.batch_poll)
            asker = opened.asker(BatchAsker(opened.judge, batches, falls_back=settings.batch_fallback))
            await judge_in_batches(work, prepared.entries, sink, control, asker, batches, in_flight)
        else:
            await judge_cases(work, sink, control, opened.asker(), in_flight)
        return replace(opened.account(), trouble=trouble)
