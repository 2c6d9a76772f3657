"""What a user can set about the judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Every setting of the judge; None means "not set by the user", and is then not sent.

    model: name at the endpoint, or `llama:default` / `llama:PATH` for a local model file.
    panel: models that vote in place of `model`; quorum: least number of valid votes, None for more than half.
    repeats: how often every question is asked of every model (1: once), each with its own place in the cache.
    concurrency: most requests in flight; rpm, tpm: requests and tokens a minute at most.
    budget_usd: hard cap on money; timeout_s: one attempt; deadline_s: one question with all its attempts.
    max_retries: after the first attempt. cache_dir: None for no cache; cache_days, cache_mb: expiry and size limit;
    shared_cache_dir: a folder with answers that other machines use too.
    explain_cache: say at every miss which part of the key changed. logprobs: ask for log-probabilities.
    allow_endpoints: hosts that may be called, empty for any; rubric_paths: files or folders that override or add rubrics.
    """

    model: str
    panel: tuple[str, ...] = ()
    quorum: int | None = None
    repeats: int = 1
    concurrency: int = 16
    rpm: float | None = None
    tpm: float | None = None
    budget_usd: float | None = None
    max_retries: int = 5
    timeout_s: float = 60.0
    deadline_s: float = 600.0
    cache_dir: Path | None = None
    use_cache: bool = True
    explain_cache: bool = False
    cache_days: float = 365.0
    cache_mb: float = 2048.0
    shared_cache_dir: Path | None = None
    allow_endpoints: tuple[str, ...] = ()
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    logprobs: bool = False
    price_file: Path | None = None
    rubric_paths: tuple[Path, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The voters: the panel, or the one model."""
        return self.panel or (self.model,)
