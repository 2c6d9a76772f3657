"""A judge endpoint without a network: an httpx transport that plays the server, and a clock on which waiting takes no time."""

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from judge.llm.clock import Clock
from judge.llm.judge import Judge
from judge.records import Question
from judge.settings import Settings

KEY = "sk-secret-123456"
GOOD = {"evidence": "Charge", "reasoning": "They agree.", "verdict": "supports"}
Reply = httpx2.Response | Exception | float  # a response, an exception to raise, or seconds to hang


def completion(
    content: Any, *, finish: str = "stop", model: str = "stub-1", tokens: tuple[int, int] = (100, 20), **message: Any
) -> httpx2.Response:
    """A chat completion whose content is the given text, or the JSON of the given object."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return httpx2.Response(
        200, json={"id": "c", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}
    )


def called(arguments: Any) -> httpx2.Response:
    """A completion that calls the answer function."""
    call = {"id": "call_1", "type": "function", "function": {"name": "answer", "arguments": json.dumps(arguments)}}
    return completion(None, finish="tool_calls", tool_calls=[call])


def error(status: int, message: str = "planned", *, code: str | None = None, param: str | None = None, **headers: str) -> httpx2.Response:
    """An error response as OpenAI words it; headers with underscores for dashes."""
    body = {"error": {"message": message, "type": "x", "code": code, "param": param}}
    return httpx2.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


class Server:
    """Answers from a list (the last entry again and again) or from a function of the request body; keeps every body."""

    def __init__(self, *replies: Reply, by: Callable[[dict[str, Any]], Reply] | None = None) -> None:
        self.replies, self.by = list(replies), by
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        self.in_flight = self.most_in_flight = 0

    @property
    def transport(self) -> httpx2.MockTransport:
        """What takes the place of the network."""
        return httpx2.MockTransport(self._handle)

    async def _handle(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.bodies.append(body)
        self.headers.append(request.headers)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(0)
            reply = self.by(body) if self.by else self.replies[min(len(self.bodies), len(self.replies)) - 1]
            if isinstance(reply, float):
                await asyncio.sleep(reply)
                reply = completion(GOOD)
            if isinstance(reply, Exception):
                raise reply
            return httpx2.Response(reply.status_code, content=reply.content, headers=reply.headers)
        finally:
            self.in_flight -= 1


class FakeTime:
    """Time that passes only by sleeping; `slept` has every wait."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, list[float]()
        self.clock = Clock(lambda: self.now, lambda: 1_700_000_000.0 + self.now, self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def settings(**changes: Any) -> Settings:
    """Settings for the stub endpoint, without a cache unless its folder is named."""
    return Settings(**{"judge": "stub", "base_url": "http://stub.test/v1", "no_cache": "cache_dir" not in changes, **changes})


@asynccontextmanager
async def opened(server: Server, time: FakeTime | None = None, key: str | None = KEY, **changes: Any) -> Any:
    """A judge that talks to the stub."""
    clock, environ = (time or FakeTime()).clock, {"OPENAI_API_KEY": key} if key else {}
    async with Judge.open(settings(**changes), environ=environ, clock=clock, transport=server.transport) as judge:
        yield judge


def question(quote: str = "The grower pays.", **changes: str) -> Question:
    """A question of quote_support, different for every quote."""
    return Question.of("quote_support", **{"field": "Charge", "claim": "0.7", "quote": quote, "passage": "", **changes})
