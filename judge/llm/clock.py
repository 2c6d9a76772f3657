"""Time as the client sees it: one injectable object, so that tests wait for nothing."""

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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


_SWITCH_S = 0.001
"""How long the thread that looks at a case may compute before the loop gets its turn; Python's own 5 ms are paid several times a reply."""
_OBJECTS = 2_000
"""New objects after which circles are looked for among them: a millisecond's work. With many more, the pauses are those to be avoided."""

_is_on = False


@contextmanager
def short_pauses() -> Iterator[None]:
    """Turns between threads are short and collections small; the process's own settings come back at the end."""
    global _is_on
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(min(interval, _SWITCH_S))
    gc.set_threshold(_OBJECTS, 10, 10)
    _is_on = True
    try:
        yield
    finally:
        _is_on = False
        gc.unfreeze()
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)


def freeze_heap() -> None:
    """Lets later collections pass over all that stands now, modules most of all: a full one held the loop up for 50 to 100 ms. Called
    before the first call; what nobody holds any more still goes at once. Nothing outside `short_pauses`, whose end takes it back."""
    if _is_on:
        gc.collect()
        gc.freeze()
