"""The transport on a loopback server that sends raw bytes: every form of a response, connections kept and given up, nothing mixed up."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.llm.wire import DirectTransport, parse_head

Talk = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\n"


class Peer:
    """A server that reads a request whole and lets `talk` write what it likes; keeps requests and counts connections."""

    def __init__(self, talk: Talk) -> None:
        self.talk, self.requests, self.connections = talk, list[bytes](), 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
                body = await reader.readexactly(length)
                self.requests.append(head + body)
                await self.talk(body, writer)
                if writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def sends(*parts: bytes, close: bool = False) -> Talk:
    """Writes the parts one after the other, so that they arrive apart."""

    async def talk(_: bytes, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.002)
        if close:
            writer.close()

    return talk


def with_peer(talk: Talk, use: Callable[[httpx2.AsyncClient, str], Awaitable[Any]]) -> tuple[Any, Peer]:
    async def run() -> tuple[Any, Peer]:
        peer = Peer(talk)
        server = await asyncio.start_server(peer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            async with httpx2.AsyncClient(transport=DirectTransport(), timeout=None) as client:
                return await asyncio.wait_for(use(client, f"http://127.0.0.1:{port}/v1/x?y=1"), 5), peer
        finally:
            server.close()

    return asyncio.run(run())


async def post(client: httpx2.AsyncClient, url: str) -> httpx2.Response:
    return await client.post(url, json={"q": "ä"}, headers={"authorization": "Bearer k"})


def test_the_request_as_it_goes_over_the_wire() -> None:
    _, peer = with_peer(sends(OK + b"content-length: 2\r\n\r\n{}"), post)
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/x?y=1 HTTP/1.1\r\n") and b"\r\nHost: 127.0.0.1:" in head and b"Bearer k" in head
    assert body == '{"q":"ä"}'.encode()


@pytest.mark.parametrize(
    "parts",
    [
        (OK + b"content-length: 5\r\n\r\nhello",),
        (OK[:9], OK[9:] + b"Content-Le", b"ngth: 5\r\n\r", b"\nhel", b"lo"),
        (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n", b"3;x=y\r\nl", b"lo\r\n0\r\nTrailer: 1\r\n\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + OK + b"content-length: 5\r\n\r\nhello"),
    ],
)
def test_every_form_of_a_response_keeps_the_connection(parts: tuple[bytes, ...]) -> None:
    async def twice(client: httpx2.AsyncClient, url: str) -> list[str]:
        return [(await post(client, url)).text for _ in range(2)]

    texts, peer = with_peer(sends(*parts), twice)
    assert texts == ["hello"] * 2 and peer.connections == 1


@pytest.mark.parametrize(
    ("parts", "close"),
    [
        ((OK + b"content-length: 5\r\nConnection: close\r\n\r\nhello",), False),
        ((OK + b"\r\nhel", b"lo"), True),
        ((b"HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello",), False),
        ((OK + b"content-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n",), False),
    ],
)
def test_a_connection_that_is_not_clean_is_not_used_again(parts: tuple[bytes, ...], close: bool) -> None:
    async def twice(client: httpx2.AsyncClient, url: str) -> list[str]:
        return [(await post(client, url)).text for _ in range(2)]

    texts, peer = with_peer(sends(*parts, close=close), twice)
    assert texts == ["hello"] * 2 and peer.connections == 2


def test_a_kept_connection_that_the_server_closed_is_replaced() -> None:
    async def twice(client: httpx2.AsyncClient, url: str) -> list[int]:
        first = await post(client, url)
        await asyncio.sleep(0.05)
        return [first.status_code, (await post(client, url)).status_code]

    statuses, peer = with_peer(sends(OK + b"content-length: 2\r\n\r\n{}", close=True), twice)
    assert statuses == [200, 200] and peer.connections == 2


@pytest.mark.parametrize(
    "parts",
    [
        (b"",),
        (b"HTTP/1.1 200",),
        (OK + b"content-length: 9\r\n\r\nhello",),
        (OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n",),
        (OK + b"transfer-encoding: chunked\r\n\r\n-2\r\n",),
        (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nheXX0\r\n\r\n",),
        (OK + b"content-length: 5\r\ncontent-length: 6\r\n\r\nhello",),
        (OK + b"content-length: 99999999999999\r\n\r\n",),
        (OK + b"content-length: -1\r\n\r\n",),
        (OK + b"transfer-encoding: gzip, chunked\r\n\r\n",),
        (OK + b"transfer-encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",),
        (OK + b"transfer-encoding: chunked\r\n\r\n1_0\r\n",),
        (b"HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n",),
        (b"SSH-2.0-OpenSSH\r\n\r\n",),
        (OK + b"no colon here\r\n\r\n",),
        (OK + b"x: y" * 40_000,),
    ],
)
def test_a_broken_response_is_a_transport_error(parts: tuple[bytes, ...]) -> None:
    with pytest.raises(httpx2.TransportError):
        with_peer(sends(*parts, close=True), post)


def test_requests_at_once_get_their_own_responses() -> None:
    async def echo(body: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.001 * (body[-2] % 7))
        writer.write(OK + b"content-length: %d\r\n\r\n%s" % (len(body), body))

    async def many(client: httpx2.AsyncClient, url: str) -> list[str]:
        replies = await asyncio.gather(*(client.post(url, content=f"number {n}!") for n in range(60)))
        again = await asyncio.gather(*(client.post(url, content=f"number {n}!") for n in range(60)))
        return [reply.text for reply in [*replies, *again]]

    texts, peer = with_peer(echo, many)
    assert texts == [f"number {n}!" for n in range(60)] * 2 and peer.connections <= 60


def test_a_cancelled_request_leaves_no_connection_behind_for_others() -> None:
    async def slow(body: bytes, writer: asyncio.StreamWriter) -> None:
        if b"slow" in body:
            await asyncio.sleep(0.05)
        writer.write(OK + b"content-length: %d\r\n\r\n%s" % (len(body), body))

    async def use(client: httpx2.AsyncClient, url: str) -> str:
        await client.post(url, content="first")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await client.post(url, content="slow")
        return (await client.post(url, content="third")).text

    text, peer = with_peer(slow, use)
    assert text == "third" and peer.connections == 2


def test_compression_is_neither_asked_for_nor_taken() -> None:
    with pytest.raises(httpx2.RemoteProtocolError, match="not asked for"):
        with_peer(sends(OK + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"), post)
    _, peer = with_peer(sends(OK + b"content-length: 2\r\n\r\n{}"), post)
    assert b"accept-encoding: identity" in peer.requests[0].lower() and b"gzip" not in peer.requests[0].lower()


def test_it_speaks_plain_http_only() -> None:
    async def run() -> None:
        async with httpx2.AsyncClient(transport=DirectTransport()) as client:
            await client.get("https://127.0.0.1:9/")

    with pytest.raises(httpx2.UnsupportedProtocol):
        asyncio.run(run())


def test_nobody_listening_is_a_connect_error() -> None:
    async def run() -> None:
        async with httpx2.AsyncClient(transport=DirectTransport()) as client:
            await client.get("http://127.0.0.1:9/")

    with pytest.raises(httpx2.ConnectError):
        asyncio.run(run())


def test_a_header_value_cannot_end_its_line() -> None:
    async def forged(client: httpx2.AsyncClient, url: str) -> None:
        await client.post(url, headers={"authorization": "Bearer k\r\nx-forged: 1"})

    with pytest.raises(httpx2.LocalProtocolError):
        with_peer(sends(OK + b"content-length: 0\r\n\r\n"), forged)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_no_head_at_all_makes_more_than_a_protocol_error(data: bytes) -> None:
    for head in (data, b"HTTP/1.1 200 OK\r\n" + data):
        try:
            found = parse_head(head)
        except httpx2.RemoteProtocolError:
            continue
        assert 0 <= found.status <= 999
