"""An event loop on which waiting takes no time: a sleep moves the clock, in the order in which the sleeps end. Nothing else changes."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from judge.llm.clock import Clock

T = TypeVar("T")


class _NoWaiting(selectors.SelectSelector):
    """Never waits: what the loop would have waited is added to the time."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found and timeout:
            self.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop; `clock` is its time for the judge's limiters."""

    def __init__(self) -> None:
        self._no_waiting = _NoWaiting()
        super().__init__(self._no_waiting)
        self._clock_resolution = 1e-9
        self.clock = Clock(self.time, lambda: 1_700_000_000.0 + self.time(), asyncio.sleep)

    def time(self) -> float:
        return self._no_waiting.now

    def run_in_executor(self, executor: Any, function: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """At once: no wait may pass while a thread is at work."""
        done = self.create_future()
        try:
            done.set_result(function(*arguments))
        except Exception as error:
            done.set_exception(error)
        return done

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs to the end and closes the loop."""
        try:
            return self.run_until_complete(main)
        finally:
            self.close()
