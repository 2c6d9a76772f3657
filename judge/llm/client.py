"""The network below the SDK: one request in, one completion out, every failure a Fault, no secret in either. The SDK is imported when the
first request goes."""

import asyncio
import importlib
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from calibration.strict_json import no_key_twice
from judge.llm.address import Address, model_path, proxy_of
from judge.llm.clock import Clock, freeze_heap
from judge.llm.faults import Fault, one_line, status_fault
from judge.llm.redaction import RedactingFilter, Redactor

T = TypeVar("T")
_NOT_SENT = ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol", "LocalProtocolError")  # httpx's names
_LARGE = 20_000  # characters: some milliseconds
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
_CONTEXT, _MOST_TOKENS = 8192, 512  # of a local model
_ERRORS_ONLY = 1  # its log would stand between the lines of a run


async def aside(function: Callable[..., T], *arguments: Any, size: int) -> T:
    """What a function returns, from a thread where its input is so large (in characters) that everybody else would wait for it."""
    return function(*arguments) if size < _LARGE else await asyncio.to_thread(function, *arguments)


class Client:
    """Sends request bodies to one endpoint. `transport` replaces the network in tests (an httpx transport)."""

    def __init__(self, address: Address, *, clock: Clock, transport: Any = None) -> None:
        self.address, self.redactor = address, Redactor(address.secrets)
        self._clock, self._transport = clock, transport
        self._sdks: dict[bool, Any] = {}  # is it for whole files -> SDK client
        self._server: Any = None  # a local model's server, which lives as long as the client
        self._credential: Any = None  # what Azure tokens are fetched with
        self._opening = asyncio.Lock()
        self._filter = RedactingFilter(self.redactor)

    async def post(self, body: Mapping[str, Any], timeout: float) -> Any:
        """The completion as JSON values, within `timeout` seconds in all. Raises Fault."""

        async def completion(sdk: Any) -> Any:
            import httpx2

            reply = await sdk.post("/chat/completions", cast_to=httpx2.Response, body=body)
            if "json" not in reply.headers.get("content-type", ""):
                return reply.text
            return json.loads(reply.content, object_pairs_hook=no_key_twice)

        return await self._call(completion, body, timeout)

    async def manage(self, request: Callable[[Any], Awaitable[T]], timeout: float) -> T:
        """A call of the SDK's files and batches, which move whole files. `request` gives JSON values or None. Raises Fault."""
        return await self._call(request, {}, timeout, is_bulk=True)

    async def _call(self, request: Callable[[Any], Awaitable[T]], body: Mapping[str, Any], timeout: float, *, is_bulk: bool = False) -> T:
        import httpx2
        import openai

        try:
            async with asyncio.timeout(timeout):
                if is_bulk not in self._sdks:
                    async with self._opening:
                        if is_bulk not in self._sdks:
                            self._sdks[is_bulk] = await self._open(is_bulk)
                            freeze_heap()
                found = await request(self._sdks[is_bulk])
        except (TimeoutError, openai.OpenAIError, httpx2.TransportError, ValueError, RecursionError, LookupError) as error:
            raise self._fault(error, body, timeout) from None
        cleaned: T = await aside(self.redactor.value, found, size=len(str(found)))
        return cleaned

    def _fault(self, error: Exception, body: Mapping[str, Any], timeout: float) -> Fault:
        """What an error means. Redacted before anything is cut, since a part of a key is not found again."""
        import httpx2
        import openai

        host, clean = self.address.host, self.redactor.text
        if isinstance(error, TimeoutError):
            return Fault("timeout", "retry", f"no reply within {timeout:.3g} s (--timeout)", may_be_billed=True)
        if isinstance(error, openai.APIStatusError):
            told = self.redactor.value(error.body)
            return status_fault(error.status_code, error.response.headers, told, body, self._clock, clean(error.message))
        if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
            cause = error.__cause__ or error
            is_unsent = type(cause).__name__ in _NOT_SENT
            told = f"{'cannot be reached' if is_unsent else 'ended the connection'}: {one_line(clean(f'{type(cause).__name__}: {cause}'))}"
            return Fault("transport", "retry", f"{host} {told}", subject="connection", may_be_billed=not is_unsent)
        return Fault("transport", "retry", f"the reply of {host} cannot be read: {one_line(clean(str(error)))}", may_be_billed=True)

    async def _open(self, is_bulk: bool) -> Any:
        import openai

        for logger in _loggers():
            logger.addFilter(self._filter)
        address, transport = self.address, self._transport
        if transport is None:
            from judge.llm.transport import Transport

            transport = Transport(proxy=proxy_of(address), is_bulk=is_bulk)
        http = openai.DefaultAsyncHttpxClient(transport=transport, timeout=None, follow_redirects=False)
        options: dict[str, Any] = {"api_key": address.api_key, "max_retries": 0, "timeout": None, "http_client": http}
        if address.kind == "azure":
            if not address.has_secret_key:
                options["azure_ad_token_provider"] = self._azure_tokens()
            return openai.AsyncAzureOpenAI(**options)
        if address.api_key is None and address.kind == "openai":
            raise Fault("quota", "stop", "no API key: set OPENAI_API_KEY (or --judge offline to judge without a model)")
        url = address.secret_url
        if address.kind == "llama":
            self._server = self._server or await asyncio.to_thread(_local_server, address.url)
            url = f"{str(self._server.listening_address).rstrip('/')}/v1"
        return openai.AsyncOpenAI(**options | {"api_key": address.api_key or "none"}, base_url=url, default_query=dict(address.query))

    def _azure_tokens(self) -> Callable[[], Awaitable[str]]:
        """Fetches tokens of the signed-in identity, anew before they end; each is a secret."""
        try:
            azure: Any = importlib.import_module("azure.identity.aio")
        except ImportError:
            told = "an Azure endpoint without AZURE_OPENAI_API_KEY needs the extra: pip install 'loan-judge[azure]'"
            raise Fault("transport", "stop", told) from None
        self._credential = azure.DefaultAzureCredential()
        fetch = azure.get_bearer_token_provider(self._credential, _AZURE_SCOPE)

        async def token() -> str:
            try:
                found = str(await fetch())
            except Exception as error:  # of a library that is not always there
                raise Fault("transport", "stop", f"no Azure token: {one_line(self.redactor.text(str(error)))}") from None
            self.redactor.add(found)
            return found

        return token

    async def close(self) -> None:
        """Ends connections and a local model's server."""
        for ending in (*self._sdks.values(), self._credential):
            if ending is not None:
                await ending.close()
        for logger in _loggers():
            logger.removeFilter(self._filter)
        self._server = None


def _loggers() -> list[logging.Logger]:
    """Those of the libraries below, which are imported by now."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("openai", "httpx2", "httpcore2", "aiohttp")]
    return [logging.getLogger(name) for name in names]


def _local_server(model: str) -> Any:
    """llama.cpp's server in this process, bound to loopback, with the model of `llama:default` or `llama:PATH`. It proves the wire, not the
    verdict: a small model's judgements are worth nothing. Raises Fault (remedy stop) that says what is missing."""
    path = model_path(model)
    if not path.is_file():
        raise Fault("transport", "stop", f"no model file at {path}: `make model` fetches the default one")
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError:
        raise Fault("transport", "stop", "a local model needs the extra: pip install 'loan-judge[local]'") from None
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.n_ctx, wanted.n_parallel, wanted.port, wanted.n_predict = _CONTEXT, 1, 0, _MOST_TOKENS
    wanted.verbosity = _ERRORS_ONLY
    threads = max(1, (os.cpu_count() or 2) // 2)  # they spin: on busy cores all of them are five times slower than half of them
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError:
        raise Fault("transport", "stop", f"llama.cpp cannot load {path}: damaged, or of a kind that it does not know") from None


def content_mark(model: str) -> str:
    """What tells two files of one name apart, for the cache's key: size and time of change; nothing where there is no file."""
    path = model_path(model)
    return f" {path.stat().st_size} {path.stat().st_mtime_ns}" if path.is_file() else ""
