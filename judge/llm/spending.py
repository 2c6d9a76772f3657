"""What judging cost: calls, tokens and money, in total and per rubric; capped, and kept in a file that outlives a kill.

A line is written before a call may cost anything and one when it is known what it cost, so a file that ends anywhere still holds all that
was paid. A reservation without an end counts in full: nobody knows what became of the call.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from judge.errors import BudgetReached, InputError, Problem


@dataclass(slots=True)
class Spent:
    """Counts of one rubric, or of a run.

    judge_calls: paid requests, every one that came back as a completion. cached: answers that cost nothing because they were known.
    usd: of the calls with a known price; unpriced_calls: those without one. lost_usd: the most that calls without a reply can have cost.
    """

    judge_calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    lost_usd: float = 0.0

    def add(self, cost: Cost) -> None:
        """One request."""
        self.judge_calls += not cost.is_lost
        self.input_tokens += cost.input_tokens
        self.output_tokens += cost.output_tokens
        self.usd += 0.0 if cost.is_lost else cost.usd or 0.0
        self.lost_usd += cost.usd or 0.0 if cost.is_lost else 0.0
        self.unpriced_calls += cost.usd is None


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request cost. usd: None when the model has no price. is_lost: no reply came, and `usd` is the most that it can have been."""

    rubric: str
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    is_lost: bool = False


@dataclass(slots=True)
class Usage(Spent):
    """A run's total; `rubrics` has the same by rubric id."""

    rubrics: dict[str, Spent] = field(default_factory=dict)

    def count(self, cost: Cost) -> None:
        """Counts one request."""
        for spent in (self, self.rubrics.setdefault(cost.rubric, Spent())):
            spent.add(cost)

    def recalled(self, rubric: str) -> None:
        """Counts one answer from the cache, or shared with a question in flight."""
        self.cached += 1
        self.rubrics.setdefault(rubric, Spent()).cached += 1


class Budget:
    """A hard cap in dollars over everything that `usage` has, earlier runs of the same file included.

    Every attempt reserves the most that it can cost before it is sent; what it did cost takes the place of that.
    """

    def __init__(self, cap: float | None, file: Path | None = None) -> None:
        """Raises InputError for a file that no run wrote."""
        self.cap, self.reserved = cap, 0.0
        self.usage = read_spending(file)
        self._file = -1 if file is None else _rewritten(file, self.usage)
        self._number = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def spent(self) -> float:
        """Dollars that are gone, or may be."""
        return self.usage.usd + self.usage.lost_usd

    def check(self, usd: float) -> None:
        """Raises BudgetReached when so much more would pass the cap."""
        if self.cap is not None and self.spent + usd > self.cap:
            raise BudgetReached(f"the budget of {self.cap:g} USD is reached: {self.spent:.4f} spent, the next call may cost {usd:.4f}")

    async def reserve(self, rubric: str, usd: float) -> int:
        """Reserves, waiting for requests in flight where their reservations stand in the way. Raises BudgetReached."""
        while self.cap is not None and self.spent + self.reserved + usd > self.cap:
            self.check(usd)
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.reserved += usd
        self._number += 1
        self._write({"reserved": self._number, "rubric": rubric, "usd": usd})
        return self._number

    def settle(self, number: int, reserved: float, cost: Cost | None) -> None:
        """The attempt is over and did cost that; None: nothing."""
        self.reserved = max(0.0, self.reserved - reserved)
        self.count(cost, number)
        for place in self._waiting:
            if not place.done():
                place.set_result(None)
        self._waiting.clear()

    def count(self, cost: Cost | None, number: int = 0) -> None:
        """Counts what was paid."""
        if cost is not None:
            self.usage.count(cost)
        self._write({"settled": number, **(asdict(cost) if cost else {})})

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file >= 0:
            os.write(self._file, json.dumps(line).encode() + b"\n")

    def close(self) -> None:
        """Ends the file."""
        if self._file >= 0:
            self._write({"usage": asdict(self.usage)})
            os.close(self._file)
            self._file = -1


def read_spending(file: Path | None) -> Usage:
    """What a file says was spent; nothing when there is none. Raises InputError for a file that no run wrote."""
    usage, open_ = Usage(), dict[int, Cost]()
    if file is None or not file.exists():
        return usage
    try:
        for text in file.read_bytes().split(b"\n")[:-1]:  # what does not end in a line end was not written whole
            line = json.loads(text)
            if "usage" in line:
                rubrics = {name: Spent(**spent) for name, spent in line["usage"].pop("rubrics").items()}
                usage, open_ = Usage(**line["usage"], rubrics=rubrics), {}
            elif "reserved" in line:
                open_[line["reserved"]] = Cost(line["rubric"], usd=line["usd"], is_lost=True)
            else:
                open_.pop(line.pop("settled"), None)
                if line:
                    usage.count(Cost(**line))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        told = f"is not what a run writes ({type(error).__name__}); start over with --fresh"
        raise InputError([Problem(str(file), None, "", told)]) from None
    for cost in open_.values():
        if cost.usd:
            usage.count(cost)
    return usage


def _rewritten(file: Path, usage: Usage) -> int:
    """The file, open for appending, with its sum in place of all lines."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps({"usage": asdict(usage)}) + "\n", "utf-8")
    temporary.replace(file)
    return os.open(file, os.O_WRONLY | os.O_APPEND)


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
