"""From the settings of a run to those of its judge."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from judge.errors import UsageError
from judge.results.folder import BATCHES
from judge.settings import Settings

if TYPE_CHECKING:
    from judge.llm.address import Address

OFFLINE = "offline"


def is_offline(settings: Settings) -> bool:
    """Whether no model is asked."""
    return settings.judge == OFFLINE and not settings.panel


def judge_settings(settings: Settings) -> Settings:
    """The settings as the judge takes them. Batches need a place for answers: without a cache, the result folder."""
    own = {"no_cache": False, "cache_dir": settings.out / BATCHES, "shared_cache": None}
    return settings.model_copy(update=own) if settings.judge_mode == "batch" and settings.no_cache else settings


def _addresses(settings: Settings) -> "Mapping[str, Address]":
    """Where the models of a run are asked. Raises UsageError for a URL that is none, or not allowed."""
    if is_offline(settings):
        return {}
    from judge.llm.address import resolve_address

    return {model: resolve_address(settings, model, os.environ) for model in settings.models}


def check_keys(settings: Settings) -> None:
    """Refuses a run that no model can answer for want of a key; kept answers need none. Raises UsageError."""
    if any(a.kind == "openai" and a.api_key is None for a in _addresses(settings).values()):
        wanted = judge_settings(settings)
        if not (wanted.shared_cache or (wanted.answers and wanted.answers.exists())):
            raise UsageError("no API key: set OPENAI_API_KEY, or judge without a model (--judge offline); nothing was judged")


def endpoints(settings: Settings) -> list[str]:
    """Where the models of a run are asked, as far as that may be shown. Raises UsageError for a URL that is none, or not allowed."""
    return [f"{model} at {address.kind} {address.url}" for model, address in _addresses(settings).items()]
