"""When to try again and how long to wait: the one owner of retries (the SDK's own are off)."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from judge.llm.clock import Clock
from judge.llm.faults import Fault

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
_FIRST_S, _MOST_S = 0.5, 16.0  # backoff without a word from the server: doubled from the first to the most
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def server_wait(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Seconds that a response asks to wait: Retry-After in milliseconds, seconds or as an HTTP date, else the reset time of an
    exhausted limit ("6m0s"). None when it does not ask. Header names are lower case."""
    if (millis := _number(headers.get("retry-after-ms", ""))) is not None:
        return millis / 1000
    if (after := headers.get("retry-after", "").strip()) and (wait := _seconds(after, clock)) is not None:
        return wait
    resets = [_reset(headers, f"x-ratelimit-{{}}-{what}") for what in ("requests", "tokens")] + [_reset(headers, "ratelimit-{}")]
    return max((wait for wait in resets if wait is not None), default=None)


def _seconds(text: str, clock: Clock) -> float | None:
    if (number := _number(text)) is not None:
        return number
    if (duration := _duration(text)) is not None:
        return duration
    try:
        date = parsedate_to_datetime(text)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - clock.wall())
    except (ValueError, OverflowError, OSError):
        return None


def _reset(headers: Mapping[str, str], name: str) -> float | None:
    if headers.get(name.format("remaining"), "").strip() not in ("0", "0.0"):
        return None
    text = headers.get(name.format("reset"), "").strip()
    number = _number(text)
    return number if number is not None else _duration(text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _duration(text: str) -> float | None:
    parts = _DURATION.findall(text)
    if not parts or "".join(n + unit for n, unit in parts) != text:
        return None
    return sum(float(n) * _UNITS[unit] for n, unit in parts)


class Retries:
    """Tries again what may succeed later: as long as the server asked to wait, else a jittered, doubling time."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._most, self._clock = most, clock
        self._jitter = random.Random(7)  # spreads waits; no result depends on it

    async def run(self, attempt: Callable[[], Awaitable[T]], time_left: Callable[[], float]) -> T:
        """The attempt's result. Raises its last Fault: after `most` retries, or when the wait would pass the deadline."""
        try:
            return await attempt()
        except Fault as fault:
            if not _is_retriable(fault):
                raise
            first: list[Fault] = [fault]
        from tenacity import AsyncRetrying, retry_if_exception  # here, since most requests need no retries

        async def again() -> T:
            if first:
                raise first.pop()
            return await attempt()

        retrying = AsyncRetrying(
            stop=lambda state: state.attempt_number > self._most or self._wait(state) >= time_left(),
            wait=self._wait,
            retry=retry_if_exception(_is_retriable),
            sleep=self._clock.sleep,
            reraise=True,
        )
        return await retrying(again)

    def _wait(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        spread = self._jitter.random()
        if isinstance(fault, Fault) and fault.wait is not None:
            return fault.wait + 0.1 * spread
        return min(_MOST_S, _FIRST_S * 2.0 ** (state.attempt_number - 1)) * (0.5 + 0.5 * spread)


def _is_retriable(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.remedy == "retry"
