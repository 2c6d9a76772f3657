"""From the settings of a run to those of its judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from judge.results.folder import BATCHES
from judge.settings import Settings

if TYPE_CHECKING:
    from judge.llm.settings import JudgeSettings

OFFLINE = "offline"


def is_offline(settings: Settings) -> bool:
    """Whether no model is asked."""
    return settings.judge == OFFLINE and not settings.panel


def judge_settings(settings: Settings) -> JudgeSettings:
    """The part of the settings that the judge looks at. Batches need a place for answers: without a cache, the result folder."""
    from judge.llm.settings import JudgeSettings

    found = JudgeSettings(
        model=settings.judge,
        panel=settings.panel,
        quorum=settings.quorum,
        repeats=settings.repeats,
        concurrency=settings.concurrency,
        rpm=settings.rpm,
        tpm=settings.tpm,
        budget_usd=settings.budget,
        max_retries=settings.max_retries,
        timeout_s=settings.timeout,
        deadline_s=settings.deadline,
        cache_dir=settings.cache_dir / "answers",
        use_cache=not settings.no_cache,
        explain_cache=settings.explain_cache,
        cache_days=settings.cache_days,
        cache_mb=settings.cache_mb,
        shared_cache_dir=settings.shared_cache,
        allow_endpoints=settings.allow_endpoint,
        base_url=settings.base_url,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        logprobs=settings.logprobs,
        price_file=settings.prices,
        rubric_paths=settings.rubrics,
    )
    if settings.judge_mode == "batch" and settings.no_cache:
        return replace(found, use_cache=True, cache_dir=settings.out / BATCHES / "answers", shared_cache_dir=None)
    return found
