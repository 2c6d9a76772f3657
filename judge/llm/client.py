"""The only door to the network: one request in, one completion out, every failure a Fault.

The SDK is imported when the first request goes.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from judge.llm.address import Address, proxy_of
from judge.llm.clock import Clock
from judge.llm.faults import Fault
from judge.llm.redaction import Redactor
from judge.llm.retries import server_wait

T = TypeVar("T")
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "exceeded your current quota", "credit balance")
_TOO_LONG = ("context_length_exceeded", "exceed_context_size", "maximum context length", "context window", "too many tokens")
_SHAPES = ("response_format", "json_schema", "json_object", "tool_choice", "tools", "functions", "guided", "grammar", "structured output")
_NOT_SENT = ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol", "LocalProtocolError")  # httpx's names
_LATER = (408, 409, 425, 429)


class Client:
    """Sends request bodies to one endpoint. `transport` replaces the network in tests (an httpx transport)."""

    def __init__(self, address: Address, *, clock: Clock, transport: Any = None) -> None:
        self.address, self.redactor = address, Redactor(address.secrets)
        self._clock, self._transport = clock, transport
        self._sdk: Any = None
        self._files_sdk: Any = None
        self._server: Any = None  # a local model's server, which lives as long as the client
        self._opening = asyncio.Lock()

    async def post(self, body: Mapping[str, Any], timeout: float) -> Any:
        """The completion as JSON values, within `timeout` seconds in all. Raises Fault."""
        import openai

        if self._sdk is None:
            async with self._opening:
                if self._sdk is None:
                    self._sdk = await self._open()
        try:
            async with asyncio.timeout(timeout):
                return self.redactor.value(await self._sdk.post("/chat/completions", cast_to=object, body=body))
        except (TimeoutError, openai.OpenAIError, ValueError, RecursionError) as error:
            raise self._fault(error, body, timeout) from None

    async def manage(self, request: Callable[[Any], Awaitable[T]], timeout: float) -> T:
        """A call of the SDK's files and batches, which move whole files and so go through the SDK's own transport. Raises Fault."""
        import openai

        if self._files_sdk is None:
            self._files_sdk = await self._open(is_bulk=True)
        try:
            async with asyncio.timeout(timeout):
                return self._redacted(await request(self._files_sdk))
        except (TimeoutError, openai.OpenAIError, ValueError, RecursionError) as error:
            raise self._fault(error, {}, timeout) from None

    def _redacted(self, made: T) -> T:
        """An object of the SDK without secrets."""
        from openai import BaseModel

        return made.construct(**self.redactor.value(made.to_dict(mode="json"))) if isinstance(made, BaseModel) else made

    def _fault(self, error: Exception, body: Mapping[str, Any], timeout: float) -> Fault:
        """What an error means. Redacted before anything is cut, since a part of a key is not found again."""
        import openai

        clean = self.redactor.text
        if isinstance(error, TimeoutError):
            return Fault("timeout", "retry", f"no reply within {timeout:.3g} s", may_be_billed=True)
        if isinstance(error, openai.APIStatusError):
            error.body, error.code, error.param = (self.redactor.value(told) for told in (error.body, error.code, error.param))
            error.message = clean(error.message)
            return _status_fault(error, body, self._clock)
        if isinstance(error, openai.APIConnectionError):
            reason, is_unsent = _one_line(clean(_reason(error))), type(error.__cause__).__name__ in _NOT_SENT
            told = "cannot be reached" if is_unsent else "ended the connection"
            return Fault("transport", "retry", f"{self.address.host} {told}: {reason}", subject="connection", may_be_billed=not is_unsent)
        return Fault("transport", "retry", f"the reply of {self.address.host} cannot be read: {_one_line(clean(str(error)))}")

    async def _open(self, *, is_bulk: bool = False) -> Any:
        import openai

        transport = self._transport
        if transport is None:
            from judge.llm.transport import Transport

            transport = Transport(proxy=proxy_of(self.address), is_bulk=is_bulk)
        options = {"transport": transport, "timeout": None, "follow_redirects": False}
        http = openai.DefaultAsyncHttpxClient(**options)
        key = self.address.api_key
        if self.address.kind == "azure":
            return openai.AsyncAzureOpenAI(api_key=key, max_retries=0, timeout=None, http_client=http)
        if key is None and self.address.kind == "openai":
            raise Fault("quota", "stop", "no API key: set OPENAI_API_KEY (or --judge offline to judge without a model)")
        url = self.address.secret_url
        if self.address.kind == "llama":
            from judge.llm.local_model import LocalServer

            self._server = await asyncio.to_thread(LocalServer.start, self.address.url)
            url = self._server.url
        return openai.AsyncOpenAI(api_key=key or "none", base_url=url, max_retries=0, timeout=None, http_client=http)

    async def close(self) -> None:
        """Ends connections and a local model's server."""
        for sdk in (self._sdk, self._files_sdk):
            if sdk is not None:
                await sdk.close()
        if self._server is not None:
            self._server.stop()


def _status_fault(error: Any, body: Mapping[str, Any], clock: Clock) -> Fault:
    """What an HTTP error status means for the request and for the run."""
    status, code = int(error.status_code), str(getattr(error, "code", None) or "")
    said = _one_line(_message_of(error))
    told = f"{code} {said} {json.dumps(error.body, default=str) if error.body else ''}".casefold()
    if status in (402, 429) and (status == 402 or any(sign in told for sign in _NO_QUOTA)):
        return Fault("quota", "stop", f"the endpoint's quota is used up: {said}")
    if status in _LATER or status >= 500:
        wait = server_wait({name.lower(): value for name, value in error.response.headers.items()}, clock)
        return Fault("transport", "retry", f"HTTP {status}: {said}", wait=wait, is_overload=status in (429, 503, 529))
    if status in (401, 403):
        return Fault("transport", "stop", f"the endpoint refuses the API key (HTTP {status}): {said}")
    if status == 404:
        return Fault("transport", "stop", f"unknown model or URL (HTTP 404): {said}")
    if status < 400:
        return Fault("transport", "stop", f"the endpoint redirects (HTTP {status}), which is not followed; set the final base URL")
    return _bad_request(status, code, str(getattr(error, "param", None) or ""), said, told, body)


def _message_of(error: Any) -> str:
    """The server's own words; the SDK's message has the whole body in it."""
    body = error.body
    own = body.get("message") if isinstance(body, Mapping) else body
    return str(own or error.message or "")


def _bad_request(status: int, code: str, parameter: str, said: str, told: str, body: Mapping[str, Any]) -> Fault:
    if "content_filter" in told or "content management policy" in told:
        return Fault("content_filter", "give_up", f"the endpoint's content filter rejects the prompt: {said}")
    if status == 413 or any(sign in told for sign in _TOO_LONG):
        return Fault("truncated", "give_up", f"the prompt is longer than the model takes: {said}")
    optional = [name for name in body if name not in ("model", "messages", "response_format", "tools", "tool_choice")]
    for name in optional:
        if parameter == name or (not parameter and re.search(rf"\b{name}\b", told)):
            return Fault("schema", "adapt", f"the endpoint rejects {name}: {said}", subject=name)
    asks_shape = "response_format" in body or "tools" in body
    if asks_shape and (parameter.split(".")[0].split("[")[0] in _SHAPES or any(sign in told for sign in _SHAPES)):
        return Fault("schema", "adapt", f"the endpoint does not take this form of answer: {said}", subject="mode")
    return Fault("transport", "stop", f"the endpoint rejects the request (HTTP {status}{', ' + code if code else ''}): {said}")


def _reason(error: BaseException) -> str:
    cause = error.__cause__
    return f"{type(cause).__name__}: {cause}" if cause is not None else str(error)


def _one_line(text: str) -> str:
    """One bounded line without anything that looks like a key."""
    text = re.sub(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{6,}", "[key]", " ".join(text.split()))
    return text[:300]
