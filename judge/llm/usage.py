"""What judging cost: calls, tokens and money, in total and per rubric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Spent:
    """Counts of one rubric, or of all. usd is None when a model has no price."""

    judge_calls: int = 0  # paid requests: every attempt that the endpoint answered with a completion
    cached: int = 0  # answers that came from the cache
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0


@dataclass(slots=True)
class Usage(Spent):
    """The total, `rubrics` the same by rubric id."""

    rubrics: dict[str, Spent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking would cost. usd is None when a model has no price; `rubrics` are calls by rubric id."""

    calls: int
    cached: int
    settled: int  # decided by a rule, no call
    input_tokens: int
    output_tokens: int
    usd: float | None
    rubrics: Mapping[str, int]
