"""Time as the client sees it: one injectable object, so that tests wait for nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from judge.errors import Postponed


@dataclass(frozen=True, slots=True)
class Clock:
    """monotonic: seconds for waits and deadlines; wall: seconds since the epoch, for HTTP dates; sleep: waits that many seconds."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Stop:
    """An orderly end: every wait and every sleep by `clock` ends at once, and whoever would wait or send raises Postponed."""

    def __init__(self, clock: Clock) -> None:
        self.is_set = False
        self.clock = replace(clock, sleep=lambda seconds: self.wait(asyncio.ensure_future(clock.sleep(seconds))))
        self._waited_for: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """Ends what waits."""
        self.is_set = True
        for future in self._waited_for:
            future.cancel()

    def check(self) -> None:
        """Raises Postponed when it is over."""
        if self.is_set:
            raise Postponed

    async def wait(self, future: asyncio.Future[None]) -> None:
        """Waits for a future that nobody else waits for."""
        if self.is_set:
            future.cancel()
        self._waited_for.add(future)
        try:
            await future
        except asyncio.CancelledError:
            self.check()
            raise
        finally:
            self._waited_for.discard(future)
