"""A provider that enforces requests and tokens a minute, and questions asked of it through the judge's own limiter, on a virtual clock."""

import asyncio
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from virtual_time import VirtualLoop

from judge.llm.address import Address
from judge.llm.clock import Clock
from judge.llm.exchange import Endpoint, Shared
from judge.llm.faults import Fault
from judge.llm.prompt import Form
from judge.llm.redaction import Redactor
from judge.settings import Settings
from rubrics.rubric import shipped_rubric

MINUTE = 60.0


class Provider:
    """Answers after a second or two. Rejects a request that would make it more than the limit in the minute before it (a strict window:
    providers that let a bucket refill allow more). Tokens of a request are known when it arrives, as they are billed."""

    address = Address("compatible", "http://provider.test/v1", "provider.test")
    redactor = Redactor(())

    def __init__(self, clock: Clock, rpm: int, tpm: int, seed: int) -> None:
        self._clock, self._rpm, self._tpm = clock, rpm, tpm
        self._chance = random.Random(seed)
        self._window: deque[tuple[float, int]] = deque()
        self._tokens = 0
        self.accepted = self.rejected = self.tokens = self.most_requests = self.most_tokens = 0

    async def post(self, body: Mapping[str, Any], timeout: float) -> Any:
        """A completion. Raises Fault for a 429."""
        now = self._clock.monotonic()
        while self._window and self._window[0][0] <= now - MINUTE:
            self._tokens -= self._window.popleft()[1]
        asked = sum(len(m["content"]) for m in body["messages"]) // 4 + 60
        answered = self._chance.randint(60, 180)
        if len(self._window) + 1 > self._rpm or self._tokens + asked + answered > self._tpm:
            self.rejected += 1
            raise Fault("transport", "retry", "HTTP 429", wait=1.0, is_overload=True)
        self._window.append((now, asked + answered))
        self._tokens += asked + answered
        self.accepted, self.tokens = self.accepted + 1, self.tokens + asked + answered
        self.most_requests, self.most_tokens = max(self.most_requests, len(self._window)), max(self.most_tokens, self._tokens)
        await self._clock.sleep(self._chance.uniform(0.8, 2.5))
        message = {"role": "assistant", "content": '{"evidence": "", "reasoning": "", "verdict": "supports"}'}
        usage = {"prompt_tokens": asked, "completion_tokens": answered}
        return {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


@dataclass(frozen=True)
class Day:
    """What came of it. seconds: virtual; least_seconds: what the limits alone would take."""

    questions: int
    seconds: float
    least_seconds: float
    tokens: int
    rejected: int
    most_requests_a_minute: int
    most_tokens_a_minute: int

    @property
    def over(self) -> float:
        """By what share it took longer than the limits' own minimum."""
        return self.seconds / self.least_seconds - 1


def simulate(questions: int, *, rpm: int, tpm: int, concurrency: int, characters: tuple[int, int], seed: int = 7) -> Day:
    """Asks so many questions with prompts of `characters` (least, most), as many at once as `concurrency` allows."""
    loop = VirtualLoop()
    clock = loop.clock
    provider = Provider(clock, rpm, tpm, seed)
    shared = Shared(Settings(judge="m", concurrency=concurrency, rpm=rpm, tpm=tpm), clock)
    endpoint = Endpoint("m", provider, {}, None, shared)  # type: ignore[arg-type]
    form = Form.of(shipped_rubric("quote_support"))
    chance = random.Random(seed)
    sizes = [chance.randint(*characters) for _ in range(questions)]

    async def work(waiting: list[int]) -> None:
        while waiting:
            await endpoint.ask(form, [{"role": "user", "content": " " * waiting.pop()}])

    async def everything() -> float:
        waiting = list(sizes)
        await asyncio.gather(*(work(waiting) for _ in range(4 * concurrency)))
        return clock.monotonic()

    seconds = loop.run(everything())
    least = MINUTE * max(provider.accepted / rpm, provider.tokens / tpm)
    return Day(questions, seconds, least, provider.tokens, provider.rejected, provider.most_requests, provider.most_tokens)
