"""What judging cost: calls, tokens and money, in total and per rubric; capped, and kept in a file that outlives a kill.
A line is written before a call may cost anything and one when it is known what it cost, so a file that ends anywhere still holds all that
was paid. A reservation without an end counts in full: nobody knows what became of the call."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.strict_json import loads
from judge.disk import write_atomically
from judge.errors import BudgetReached
from judge.results.folder import as_written
from rubrics.named_file import lines_of

if TYPE_CHECKING:
    import asyncio


@dataclass(slots=True)
class Spent:
    """Counts of one rubric, or of a run. judge_calls: paid requests, every one that came back as a completion. cached: answers that cost
    nothing because they were known. usd: of the calls with a known price; unpriced_calls: those without one. lost_usd: the most that calls
    without a reply can have cost."""

    judge_calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    lost_usd: float = 0.0

    def add(self, other: "Spent") -> None:
        """Adds counts to these."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


COUNTS = tuple(count.name for count in fields(Spent))


@dataclass(slots=True)
class Usage(Spent):
    """A run's total; `rubrics` has the same by rubric id."""

    rubrics: dict[str, Spent] = field(default_factory=dict)

    def count(self, rubric: str, spent: Spent) -> None:
        """Counts what a request for a rubric took."""
        self.add(spent)
        self.rubrics.setdefault(rubric, Spent()).add(spent)

    def from_cache(self, rubric: str) -> None:
        """Counts one answer from the cache, or shared with a question in flight."""
        self.cached += 1
        self.rubrics.setdefault(rubric, Spent()).cached += 1


class Budget:
    """A hard cap in dollars over everything that `usage` has, earlier runs of the same file included. Every attempt reserves the most that
    it can cost before it is sent; what it did cost takes the place of that."""

    def __init__(self, cap: float | None, file: Path | None = None) -> None:
        """Raises InputError for a file that no run wrote."""
        self.cap, self.reserved, self._flying = cap, 0.0, 0
        self.usage = read_spending(file)
        self._file, self._number = -1, 0
        if file is not None:
            write_atomically(file, [json.dumps({"usage": asdict(self.usage)}) + "\n"])
            self._file = os.open(file, os.O_WRONLY | os.O_APPEND)
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def spent(self) -> float:
        """Dollars that are gone, or may be."""
        return self.usage.usd + self.usage.lost_usd

    def check(self, usd: float) -> None:
        """Raises BudgetReached when so much more would pass the cap."""
        if self.cap is not None and self.spent + usd > self.cap:
            raise BudgetReached(f"the budget of {self.cap:g} USD is reached: {self.spent:.4f} spent, the next call may cost {usd:.4f}")

    async def reserve(self, rubric: str, usd: float, room: float = 1.0) -> int:
        """Reserves, waiting for requests in flight where their reservations stand in the way. Raises BudgetReached. room: how many times
        its reservation a request may cost after all; near the cap only one such is in flight."""
        while self.cap is not None and self.spent + (room if self._flying else 1.0) * (self.reserved + usd) > self.cap:
            self.check(usd)
            if not self._flying:
                break  # what is left of reservations is a rounding error
            import asyncio  # by then it is: only a run that makes calls waits for one

            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.reserved += usd
        self._flying += 1
        self._number += 1
        self._write({"reserved": self._number, "rubric": rubric, "usd": usd})
        return self._number

    def settle(self, number: int, rubric: str, reserved: float, spent: Spent | None) -> None:
        """The attempt is over and did take that; None: nothing."""
        self.reserved = max(0.0, self.reserved - reserved)
        self._flying -= 1
        self.count(rubric, spent, number)
        for place in self._waiting:
            if not place.done():
                place.set_result(None)
        self._waiting.clear()

    def count(self, rubric: str, spent: Spent | None, number: int = 0) -> None:
        """Counts what was paid."""
        if spent is not None:
            self.usage.count(rubric, spent)
        self._write({"settled": number, "rubric": rubric, "spent": spent and asdict(spent)})

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
    usage, lost = Usage(), dict[int, tuple[str, Spent]]()
    if file is None or not file.exists():
        return usage
    with as_written(file, remedy="; start over with --fresh"):
        for text in lines_of(file):
            if not text.endswith(b"\n"):  # a line without its end is none
                break
            line = loads(text)
            if "usage" in line:
                rubrics = {str(name): _spent(spent) for name, spent in line["usage"].pop("rubrics").items()}
                usage, lost = Usage(**asdict(_spent(line["usage"])), rubrics=rubrics), {}
            elif "reserved" in line:
                lost[line["reserved"]] = str(line["rubric"]), _spent({"lost_usd": line["usd"]})
            else:
                lost.pop(line["settled"], None)
                if line["spent"]:
                    usage.count(str(line["rubric"]), _spent(line["spent"]))
    for rubric, spent in lost.values():
        if spent.lost_usd:
            usage.count(rubric, spent)
    return usage


def _spent(counts: Mapping[str, Any]) -> Spent:
    """Counts of a line. Raises ValueError, TypeError for what is no count: a negative one would lift a budget."""
    if wrong := [name for name, count in counts.items() if not 0 <= count < math.inf]:
        raise ValueError(f"{wrong[0]} is {counts[wrong[0]]!r}")
    return Spent(**counts)
