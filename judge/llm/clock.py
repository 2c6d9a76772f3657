"""Time as the client sees it: one injectable object, so that tests wait for nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """monotonic: seconds for waits and deadlines; wall: seconds since the epoch, for HTTP dates; sleep: waits that many seconds."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
