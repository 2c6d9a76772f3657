"""HTTP/1.1 below the SDK, for http and https: aiohttp, with hard bounds on what a server can send. Imported when a request goes out. The
SDK's own transport spends half of the client's CPU on its pool and grows slower with every connection."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2
from aiohttp.connector import Connection
from yarl import URL

MOST_BODY = 4 * 1024 * 1024  # bytes of one reply that is read whole; as JSON it is read on the loop
_MOST_HELD = 24 * 1024 * 1024  # bytes of all replies that are being read
_CONNECT_S, _IDLE_S = 15.0, 15.0  # a connection that was idle longer may have been dropped by the other side
_READ_AT_ONCE = 64 * 1024  # bytes


class Transport(httpx2.AsyncBaseTransport):
    """What the SDK's HTTP client sends through. The number of connections is that of the requests in flight, which the caller bounds.
    proxy: URL of a proxy, None for none. is_bulk: replies are files of any size, which the caller reads as they come."""

    def __init__(self, *, proxy: str | None = None, is_bulk: bool = False) -> None:
        self._proxy, self._is_bulk, self._held = proxy, is_bulk, 0
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One request, one response. Raises httpx2.TransportError."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw}
        headers["accept-encoding"] = "identity"  # compressed, a small body could fill the memory
        content = await request.aread()
        with _as_sdk_errors():
            response = await self._opened(request.url.scheme).request(
                request.method, _url(str(request.url)), headers=headers, data=content or None, allow_redirects=False, proxy=self._proxy
            )
            try:
                if response.headers.get("content-encoding", "identity").casefold() != "identity":
                    raise httpx2.RemoteProtocolError("a coding that was not asked for")
                if self._is_bulk:
                    return httpx2.Response(response.status, headers=_headers(response), stream=_Stream(response))
                return httpx2.Response(response.status, headers=_headers(response), content=await self._body(response))
            except BaseException:
                response.close()
                raise

    def _opened(self, scheme: str) -> aiohttp.ClientSession:
        if self._session is None:
            trusted = scheme == "http" or httpx2.create_ssl_context()  # reading the certificates takes a while
            connector = _Connector(limit=0, keepalive_timeout=_IDLE_S, ssl=trusted)
            options: dict[str, Any] = {"auto_decompress": False, "read_bufsize": _READ_AT_ONCE}
            options["timeout"] = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), **options)
        return self._session

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        parts, size = list[bytes](), 0
        try:
            async for part in response.content.iter_any():
                parts.append(part)
                size += len(part)
                self._held += len(part)
                if size > MOST_BODY or self._held > _MOST_HELD:
                    raise httpx2.RemoteProtocolError("a response that is too large")
            return b"".join(parts)
        finally:
            self._held -= size

    async def aclose(self) -> None:
        """Ends the kept connections."""
        if self._session is not None:
            await self._session.close()


class _Connector(aiohttp.TCPConnector):
    """Uses no kept connection again on which a server sent something unasked: it would be taken for the answer to the next question."""

    async def connect(self, *request: Any, **more: Any) -> Connection:
        while True:
            connection = await super().connect(*request, **more)
            if connection.protocol is None or not connection.protocol.should_close:
                return connection
            connection.close()


class _Stream(httpx2.AsyncByteStream):
    """The body of a response, as it comes."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_sdk_errors():
            async for part in self._response.content.iter_any():
                yield part

    async def aclose(self) -> None:
        self._response.close()


def _headers(response: aiohttp.ClientResponse) -> list[tuple[bytes, bytes]]:
    """Without cookies, and without a charset: JSON is UTF-8, and a server could name any codec there is."""
    told = [(name.lower(), value) for name, value in response.raw_headers]
    return [(name, value.partition(b";")[0] if name == b"content-type" else value) for name, value in told if name != b"set-cookie"]


@lru_cache(maxsize=8)
def _url(url: str) -> URL:
    return URL(url, encoded=True).with_user(None)  # it is in a header by now


_ERRORS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], type[httpx2.TransportError]], ...] = (  # the first that fits
    (aiohttp.ClientConnectorError, httpx2.ConnectError),
    (aiohttp.ConnectionTimeoutError, httpx2.ConnectTimeout),
    (aiohttp.ClientHttpProxyError, httpx2.ProxyError),
    (aiohttp.ClientResponseError, httpx2.RemoteProtocolError),
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), httpx2.UnsupportedProtocol),
    ((aiohttp.ClientError, OSError), httpx2.ReadError),
    (ValueError, httpx2.LocalProtocolError),
)


@contextmanager
def _as_sdk_errors() -> Iterator[None]:
    """aiohttp's errors as those that the SDK knows. A connect or proxy error means that nothing was sent."""
    try:
        yield
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise next(ours for theirs, ours in _ERRORS if isinstance(error, theirs))(str(error) or type(error).__name__) from error
