"""What judging cost: calls, tokens and money, in total and per rubric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Spent:
    """Counts of one rubric, or of a run.

    judge_calls: paid requests, every one that came back as a completion. cached: answers that cost nothing because they were known.
    usd: of the calls with a known price; unpriced_calls: those without one.
    """

    judge_calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0

    def add_call(self, input_tokens: int, output_tokens: int, usd: float | None) -> None:
        """One paid request; usd None when the model has no price."""
        self.judge_calls += 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.usd += usd or 0.0
        self.unpriced_calls += usd is None


@dataclass(slots=True)
class Usage(Spent):
    """A run's total; `rubrics` has the same by rubric id."""

    rubrics: dict[str, Spent] = field(default_factory=dict)

    def paid(self, rubric: str, input_tokens: int, output_tokens: int, usd: float | None) -> None:
        """Counts one paid request."""
        for spent in (self, self.rubrics.setdefault(rubric, Spent())):
            spent.add_call(input_tokens, output_tokens, usd)

    def recalled(self, rubric: str) -> None:
        """Counts one answer from the cache, or shared with a question in flight."""
        self.cached += 1
        self.rubrics.setdefault(rubric, Spent()).cached += 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking would cost.

    calls: requests when nothing fails; cached, settled: questions that need none. usd None when a model has no price.
    rubrics: calls by rubric id. kept_tokens: of the input, what a provider that keeps prompt beginnings has seen before;
    usd_kept: the cost at its price for them.
    """

    calls: int
    cached: int
    settled: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    rubrics: Mapping[str, int]
    kept_tokens: int = 0
    usd_kept: float | None = None
