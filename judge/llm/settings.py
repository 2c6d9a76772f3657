"""What a user can set about the judge."""

from pathlib import Path

from pydantic import Field

from judge.settings import Settings


class JudgeSettings(Settings):
    """The settings of a run as its judge takes them. cache_dir: of its answers, None for no cache. spending: a file that keeps what was
    spent, None for none."""

    cache_dir: Path | None = None  # type: ignore[assignment]
    spending: Path | None = None
    api_key: str | None = Field(default=None, repr=False)

    @property
    def models(self) -> tuple[str, ...]:
        """The voters: the panel, or the one model."""
        return self.panel or (self.judge,)
