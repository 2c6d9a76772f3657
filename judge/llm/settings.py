"""What a user can set about the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Every setting of the judge, named like those of a run; None means "not set by the user".

    model: name at the endpoint, or `llama:default` / `llama:PATH` for a local model file; panel: models that vote in place of it.
    parameters: what travels with every request (judge.settings.REQUEST_PARAMETERS); only what the user set.
    repeats: how often every question is asked of every model, each time with its own place in the cache.
    together: whether an item's next question goes along with its first (`Judge.bring`).
    budget: hard cap in US dollars; timeout: seconds of one attempt; deadline: of one question with all its attempts.
    cache_dir: None for no cache; shared_cache: a folder with answers that other machines use too. spending: keeps what was spent.
    allow_endpoint: hosts that may be called, empty for any; rubrics: files or folders that override or add rubrics.
    """

    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    panel: tuple[str, ...] = ()
    quorum: int | None = None
    repeats: int = 1
    together: bool = False
    concurrency: int = 16
    rpm: float | None = None
    tpm: float | None = None
    budget: float | None = None
    max_retries: int = 5
    timeout: float = 60.0
    deadline: float = 600.0
    cache_dir: Path | None = None
    no_cache: bool = False
    explain_cache: bool = False
    cache_days: float = 365.0
    cache_mb: float = 2048.0
    shared_cache: Path | None = None
    spending: Path | None = None
    allow_endpoint: tuple[str, ...] = ()
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    prices: Path | None = None
    rubrics: tuple[Path, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The voters: the panel, or the one model."""
        return self.panel or (self.model,)
