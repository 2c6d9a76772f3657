"""HTTP/1.1 below the SDK for plain http without a proxy (a model server beside this program): one request a connection at a time,
connections kept, nothing else. No TLS, no proxy, no compression, no redirect.

The SDK's own transport spends half of the client's CPU on its pool and grows slower with every connection. It is the one that is used for
https and where a proxy stands in between (client.py). Imported only when a request goes out.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx2

_MOST_HEAD, _MOST_BODY = 64 * 1024, 16 * 1024 * 1024  # bytes of a response's head and body
_IDLE_S = 15.0  # a connection that was idle longer is not used again: the other side may have dropped it
_FORBIDDEN = (b"\r", b"\n", b"\0")
_CONNECT_S = 15.0
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)(?: |$)")
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,8}")
Origin = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Head:
    """A response's head. length: bytes of the body, None when the end of the connection ends it."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    length: int | None
    is_chunked: bool
    is_last: bool  # the server closes the connection


def parse_head(data: bytes) -> Head:
    """The head of a response, without the blank line. Raises httpx2.RemoteProtocolError."""
    lines = data.split(b"\r\n")
    if (said := _STATUS_LINE.match(lines[0])) is None:
        raise httpx2.RemoteProtocolError("the server does not speak HTTP/1.1")
    headers = tuple(_header(line) for line in lines[1:])
    named: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        named.setdefault(name.lower(), []).append(value)
    status = int(said[1])
    coding = b",".join(named.get(b"transfer-encoding", [])).lower().strip()
    if coding not in (b"", b"chunked") or b",".join(named.get(b"content-encoding", [])).lower() not in (b"", b"identity"):
        raise httpx2.RemoteProtocolError("a coding that was not asked for")  # compressed, a small body could fill the memory
    options = b",".join(named.get(b"connection", [])).lower()
    is_last = b"close" in options or (lines[0].startswith(b"HTTP/1.0") and b"keep-alive" not in options)
    return Head(status, headers, _length(status, named.get(b"content-length", [])), bool(coding), is_last)


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not name or name != name.strip() or any(bad in value for bad in _FORBIDDEN):
        raise httpx2.RemoteProtocolError("a malformed header line")
    return name, value.strip(b" \t")


def _length(status: int, values: Sequence[bytes]) -> int | None:
    if status < 200 or status in (204, 304):
        return 0
    if not values:
        return None
    if len(set(values)) > 1 or not values[0].isdigit() or int(values[0]) > _MOST_BODY:
        raise httpx2.RemoteProtocolError("a malformed or too large Content-Length")
    return int(values[0])


class Connection(asyncio.Protocol):
    """One connection. After any error it must be closed."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._is_over = False
        self._failure: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None
        self.used_at = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        self._wake()

    def eof_received(self) -> None:
        self._is_over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_over, self._failure = True, exc
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    @property
    def is_usable(self) -> bool:
        """Whether another request may be sent: open, nothing unread, not idle for long."""
        return not self._is_over and not self._data and time.monotonic() - self.used_at < _IDLE_S

    def close(self) -> None:
        """Ends it without waiting."""
        if self._transport is not None:
            self._transport.abort()

    async def exchange(self, request: bytes) -> tuple[Head, bytes]:
        """Sends a request, returns head and body of the response. Raises httpx2.TransportError."""
        assert self._transport is not None
        self._transport.write(request)
        head = await self._head()
        while head.status < 200:  # an interim answer: the real one follows
            head = await self._head()
        if head.is_chunked:
            body = await self._chunks()
        elif head.length is None:
            body = await self._rest()
        else:
            body = await self._take(head.length)
        self.used_at = time.monotonic()
        return head, body

    async def _head(self) -> Head:
        return parse_head(await self._until(b"\r\n\r\n", _MOST_HEAD))

    async def _chunks(self) -> bytes:
        body = bytearray()
        while True:
            size = (await self._until(b"\r\n", 1024)).partition(b";")[0].strip()
            if not _CHUNK_SIZE.fullmatch(size):
                raise httpx2.RemoteProtocolError("a malformed chunk")
            if (count := int(size, 16)) == 0:
                while await self._until(b"\r\n", _MOST_HEAD):  # trailers, of no interest
                    pass
                return bytes(body)
            if len(body) + count > _MOST_BODY:
                raise httpx2.RemoteProtocolError("a response that is too large")
            body += await self._take(count)
            if await self._take(2) != b"\r\n":
                raise httpx2.RemoteProtocolError("a malformed chunk")

    async def _rest(self) -> bytes:
        while not self._is_over:
            await self._more()
            if len(self._data) > _MOST_BODY:
                raise httpx2.RemoteProtocolError("a response that is too large")
        return await self._take(len(self._data))

    async def _until(self, mark: bytes, most: int) -> bytes:
        """What stands before the mark, which is dropped."""
        while (end := self._data.find(mark)) < 0:
            if len(self._data) > most:
                raise httpx2.RemoteProtocolError("a response head that is too large")
            await self._more()
        found = bytes(self._data[:end])
        del self._data[: end + len(mark)]
        return found

    async def _take(self, count: int) -> bytes:
        while len(self._data) < count:
            await self._more()
        found = bytes(self._data[:count])
        del self._data[:count]
        return found

    async def _more(self) -> None:
        if self._is_over:
            raise httpx2.RemoteProtocolError(f"the connection was closed before the response was complete{_told(self._failure)}")
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None


def _told(failure: BaseException | None) -> str:
    return f" ({type(failure).__name__})" if failure else ""


class DirectTransport(httpx2.AsyncBaseTransport):
    """What the SDK's HTTP client sends through. The number of connections is that of the requests in flight, which the caller bounds."""

    def __init__(self) -> None:
        self._idle: dict[Origin, list[Connection]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One request, one response, read in full. Raises httpx2.TransportError."""
        url = request.url
        if url.scheme != "http":
            raise httpx2.UnsupportedProtocol(f"{url.scheme} is not spoken here")
        origin = (url.host, url.port or 80)
        message = _message(request, await request.aread())
        connection = self._kept(origin) or await self._connect(origin)
        try:
            head, body = await connection.exchange(message)
        except BaseException:
            connection.close()
            raise
        if head.is_last or (head.length is None and not head.is_chunked) or not connection.is_usable:
            connection.close()
        else:
            self._idle.setdefault(origin, []).append(connection)
        return httpx2.Response(head.status, headers=list(head.headers), content=body)

    def _kept(self, origin: Origin) -> Connection | None:
        idle = self._idle.get(origin, [])
        while idle:
            if (connection := idle.pop()).is_usable:
                return connection
            connection.close()
        return None

    async def _connect(self, origin: Origin) -> Connection:
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, connection = await asyncio.get_running_loop().create_connection(Connection, *origin)
        except TimeoutError:
            raise httpx2.ConnectTimeout(f"no connection within {_CONNECT_S:g} s") from None
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        return connection

    async def aclose(self) -> None:
        """Ends the kept connections."""
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()
        await asyncio.sleep(0)


def _message(request: httpx2.Request, body: bytes) -> bytes:
    """A request as it goes over the wire. Raises httpx2.LocalProtocolError for a header that would end its line."""
    headers = [(name, b"identity" if name.lower() == b"accept-encoding" else value) for name, value in request.headers.raw]
    if any(bad in part for name, value in headers for part in (name, value) for bad in _FORBIDDEN):
        raise httpx2.LocalProtocolError("a header value has a line break in it")
    lines = b"".join(b"%s: %s\r\n" % (name, value) for name, value in headers)
    return b"%s %s HTTP/1.1\r\n%s\r\n%s" % (request.method.encode(), request.url.raw_path, lines, body)
