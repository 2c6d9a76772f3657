"""How fast may be sent, and when again: concurrency that adapts, requests and tokens a minute, retries (the SDK's own are off). All on one
clock, for one event loop."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from judge.errors import Postponed
from judge.llm.clock import Clock, Stop
from judge.llm.faults import Fault
from judge.printing import shown

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
log = logging.getLogger("judge.llm")
_DECREASE = 0.7  # of the limit, once per time that the server asked to wait: many 429 of one moment are one message
_INCREASE = 4.0  # added to the limit per round of as many good replies as the limit
_EPOCH_S = 1.0  # how long an overload counts as one when the server does not say how long to wait
_REJECTIONS = 8  # so many rejections in one such time, and more of them than replies: everybody waits
_ROOM = 1 / 60  # share of a limit that is not used: half of it for what may go at once
_AT_ONCE = 1 / 120  # of a minute's worth
_NOTHING = 1e-6  # rounding
_FIRST_S, _MOST_S = 0.5, 16.0  # backoff without a word from the server: doubled from the first to the most


class Concurrency:
    """At most `limit` requests in flight: less after overload (one rejection slows all workers), up to `most` again with good replies."""

    def __init__(self, most: int, stop: Stop) -> None:
        self.most, self.limit, self.in_flight = most, float(most), 0
        self.paused_until = 0.0
        self._stop, self._clock = stop, stop.clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._epoch_end, self._rejected, self._served = 0.0, 0, 0
        self._said_until = 0.0

    async def enter(self) -> None:
        """Waits for a place. Raises Postponed when the run ends."""
        while True:
            self._stop.check()
            if (pause := self.paused_until - self._clock.monotonic()) > 0:
                await self._clock.sleep(pause)
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return
            else:
                await self._wait()

    async def _wait(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await self._stop.wait(place)
        except (asyncio.CancelledError, Postponed):
            if place.done() and not place.cancelled():
                self._wake()  # the place that this one was called for goes to the next
            raise

    def leave(self) -> None:
        """Gives the place back."""
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self.limit) - self.in_flight
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def succeeded(self) -> None:
        """A good reply came."""
        self._served += 1
        if self.limit < self.most:
            self.limit = min(float(self.most), self.limit + _INCREASE / self.limit)

    def say(self, wait: float, text: str) -> None:
        """A line about a wait; not a second one before it is over."""
        if (now := self._clock.monotonic()) >= self._said_until:
            self._said_until = now + wait
            log.warning("judge: %s", shown(text))

    def overloaded(self, wait: float | None) -> None:
        """The server rejected a request as one too many and asked to wait so many seconds (None: it did not say)."""
        now, pause = self._clock.monotonic(), _EPOCH_S if wait is None else wait
        if now >= self._epoch_end:
            self.limit = max(1.0, self.limit * _DECREASE)
            self._epoch_end, self._rejected, self._served = now + pause, 0, 0
        self._rejected += 1
        if self._rejected >= min(_REJECTIONS, self.most) and self._rejected > self._served:
            self.paused_until = max(self.paused_until, now + pause)


class Rates:
    """Requests and tokens a minute, taken together, without bursts. None: no limit.
    In no minute, wherever it begins, more than the limit: what may go at once and what flows in 60 seconds stay below it together, with
    some room for requests that the network brings closer to one another."""

    def __init__(self, rpm: float | None, tpm: float | None, clock: Clock) -> None:
        self._clock = clock
        self._requests = _Bucket(rpm, clock.monotonic()) if rpm else None
        self._tokens = _Bucket(tpm, clock.monotonic()) if tpm else None
        self._turn = asyncio.Lock()  # first come, first served: only then does the order of sending keep to the rate

    def alone(self, tokens: int) -> float:
        """Seconds in which the limits let one request of so many tokens go, with none beside it."""
        wanted = (self._requests, 1.0), (self._tokens, float(tokens))
        return max((amount / bucket.rate for bucket, amount in wanted if bucket), default=0.0)

    async def take(self, tokens: int) -> None:
        """Waits until one request of so many tokens may be sent."""
        wanted = [(bucket, amount) for bucket, amount in ((self._requests, 1.0), (self._tokens, float(tokens))) if bucket]
        if not wanted:
            return
        async with self._turn:
            for bucket, amount in wanted:
                bucket.give_back(-amount)
            try:
                while (wait := max(bucket.wait(self._clock.monotonic()) for bucket, _ in wanted)) > 0:
                    await self._clock.sleep(wait)
            except BaseException:
                for bucket, amount in wanted:
                    bucket.give_back(amount)
                raise

    def correct(self, taken: int, used: int) -> None:
        """The request used another number of tokens than was taken for it."""
        if self._tokens is not None:
            self._tokens.give_back(float(taken - used))


class _Bucket:
    """A token bucket that can be overdrawn: who takes more than there is waits until it has flowed in."""

    def __init__(self, per_minute: float, now: float) -> None:
        self.rate = per_minute * (1 - _ROOM) / 60.0
        self.capacity = max(1.0, per_minute * _AT_ONCE)
        self.level, self.at = self.capacity, now

    def wait(self, now: float) -> float:
        """Seconds until nothing is owed; 0.0 when nothing is."""
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now
        return 0.0 if self.level > -_NOTHING else -self.level / self.rate

    def give_back(self, amount: float) -> None:
        """Puts an amount back, or takes a negative one."""
        self.level = min(self.capacity, self.level + amount)


class Retries:
    """Tries again what may succeed later: as long as the server asked to wait, else a jittered, doubling time."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._most, self._clock = most, clock
        self._jitter = random.Random(7)  # spreads waits; no result depends on it

    async def run(self, attempt: Callable[[], Awaitable[T]], time_left: Callable[[], float]) -> T:
        """The attempt's result. Raises its last Fault: after `most` retries, or when the wait would pass the deadline."""
        from tenacity import AsyncRetrying, retry_if_exception  # with the first request

        retrying = AsyncRetrying(
            stop=lambda state: state.attempt_number > self._most or self._wait(state) >= time_left(),
            wait=self._wait,
            retry=retry_if_exception(lambda error: isinstance(error, Fault) and error.remedy == "retry"),
            sleep=self._clock.sleep,
            reraise=True,
        )
        return await retrying(attempt)

    def _wait(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        spread = self._jitter.random()
        if isinstance(fault, Fault) and fault.wait is not None:
            return fault.wait + 0.1 * spread
        return min(_MOST_S, _FIRST_S * 2.0 ** (state.attempt_number - 1)) * (0.5 + 0.5 * spread)
