"""The transport on a loopback server that sends raw bytes: every form of a response, connections kept and given up, nothing mixed up,
and no server that can fill the memory."""

import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from judge_stub import settings

from judge.llm.address import proxy_of, resolve_address
from judge.llm.transport import Transport
from tests.tables import table, text

CERTIFICATE = Path(__file__).parent / "data" / "tls" / "certificate.pem"
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


def with_peer(
    talk: Talk, use: Callable[[httpx2.AsyncClient, str], Awaitable[Any]], scheme: str = "http", **options: Any
) -> tuple[Any, Peer]:
    async def run() -> tuple[Any, Peer]:
        peer, context = Peer(talk), None
        if scheme == "https":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE, CERTIFICATE.with_name("key.pem"))
        server = await asyncio.start_server(peer, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        try:
            async with httpx2.AsyncClient(transport=Transport(**options), timeout=None) as client:
                return await asyncio.wait_for(use(client, f"{scheme}://127.0.0.1:{port}/v1/x?y=1"), 5), peer
        finally:
            server.close()

    return asyncio.run(run())


async def post(client: httpx2.AsyncClient, url: str) -> httpx2.Response:
    return await client.post(url, json={"q": "ä"}, headers={"authorization": "Bearer k"})


def test_the_request_as_it_goes_over_the_wire() -> None:
    _, peer = with_peer(sends(OK + b"content-length: 2\r\n\r\n{}"), post)
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/x?y=1 HTTP/1.1\r\n") and b"\r\nhost: 127.0.0.1:" in head.lower() and b"Bearer k" in head
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
        ((OK + b"content-length: 5\r\n\r\nhello" + OK + b"content-length: 5\r\n\r\nother",), False),
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


@pytest.mark.parametrize("late", [b"", OK + b"content-length: 5\r\n\r\nother", OK[:9], b"\r\n", b"junk"])
def test_what_was_sent_unasked_is_no_answer_to_the_next_question(late: bytes) -> None:
    async def talk(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"content-length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(late)

    async def use(client: httpx2.AsyncClient, url: str) -> list[str]:
        texts = []
        for n in range(3):
            texts.append((await client.post(url, content=f"number {n}")).text)
            await asyncio.sleep(0.05)
        return texts

    assert with_peer(talk, use)[0] == ["number 0", "number 1", "number 2"]


@pytest.mark.parametrize("response", [*table("transport", "broken_responses"), OK.decode() + "x: y" * 40_000])
def test_a_broken_response_is_a_transport_error(response: str) -> None:
    with pytest.raises(httpx2.TransportError):
        with_peer(sends(response.encode(), close=True), post)


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


def test_nobody_listening_is_a_connect_error() -> None:
    async def run() -> None:
        async with httpx2.AsyncClient(transport=Transport()) as client:
            await client.get("http://127.0.0.1:9/")

    with pytest.raises(httpx2.ConnectError):
        asyncio.run(run())


def test_a_header_value_cannot_end_its_line() -> None:
    async def forged(client: httpx2.AsyncClient, url: str) -> None:
        await client.post(url, headers={"authorization": "Bearer k\r\nx-forged: 1"})

    with pytest.raises(httpx2.LocalProtocolError):
        with_peer(sends(OK + b"content-length: 0\r\n\r\n"), forged)


def test_the_user_of_a_url_is_sent_as_a_header_alone() -> None:
    async def named(client: httpx2.AsyncClient, url: str) -> None:
        await client.post(url.replace("//", "//me:pass@"))

    _, peer = with_peer(sends(OK + b"content-length: 2\r\n\r\n{}"), named)
    assert b"authorization: basic bwu6cgfzcw==" in peer.requests[0].lower() and b"me:pass" not in peer.requests[0]


def test_cookies_are_not_kept() -> None:
    async def twice(client: httpx2.AsyncClient, url: str) -> None:
        for _ in range(2):
            await post(client, url)

    _, peer = with_peer(sends(OK + b"set-cookie: a=b; Path=/\r\ncontent-length: 2\r\n\r\n{}"), twice)
    assert b"cookie" not in peer.requests[1].lower()


@pytest.mark.parametrize("charset", ["base64", "rot13", "zlib", "hex", "utf-16", "nonsense"])
def test_a_servers_charset_means_nothing(charset: str) -> None:
    body = '{"a": "ä"}'.encode()
    head = b"HTTP/1.1 500 No\r\ncontent-type: application/json; charset=%s\r\ncontent-length: %d\r\n\r\n" % (charset.encode(), len(body))
    response, _ = with_peer(sends(head + body), post)
    assert response.json() == {"a": "ä"} and response.text == body.decode()


def test_a_redirect_is_not_followed() -> None:
    response, peer = with_peer(sends(b"HTTP/1.1 307 Go\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n"), post)
    assert response.status_code == 307 and len(peer.requests) == 1


def test_https_with_the_certificates_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = sends(OK + b"content-length: 2\r\n\r\n{}")
    with pytest.raises(httpx2.ConnectError, match="certificate"):
        with_peer(talk, post, "https")
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    assert with_peer(talk, post, "https")[0].text == "{}"


def test_a_proxy_is_asked_for_http_and_opens_a_tunnel_for_https() -> None:
    """The proxy answers itself: that is enough to see what it was asked."""

    async def far(client: httpx2.AsyncClient, url: str) -> httpx2.Response:
        return await client.get("http://far.test/v1/x")

    async def tunnel(client: httpx2.AsyncClient, url: str) -> None:
        await client.get("https://far.test/v1/x")

    async def port(use: Any, talk: Talk) -> tuple[Any, Peer]:
        peer = Peer(talk)
        server = await asyncio.start_server(peer, "127.0.0.1", 0)
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            async with httpx2.AsyncClient(transport=Transport(proxy=f"http://me:pass@{place}"), timeout=None) as client:
                return await use(client, ""), peer
        finally:
            server.close()

    response, peer = asyncio.run(port(far, sends(OK + b"content-length: 2\r\n\r\n{}")))
    assert response.text == "{}" and peer.requests[0].startswith(b"GET http://far.test/v1/x HTTP/1.1")
    assert b"proxy-authorization: basic bwu6cgfzcw==" in peer.requests[0].lower()
    with pytest.raises(httpx2.ProxyError, match="407"):
        asyncio.run(port(tunnel, sends(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n")))


def test_a_bulk_reply_is_read_as_it_comes() -> None:
    async def lines(client: httpx2.AsyncClient, url: str) -> list[str]:
        async with client.stream("GET", url) as response:
            return [line async for line in response.aiter_lines()]

    talk = sends(OK + b"transfer-encoding: chunked\r\n\r\n3\r\na\nb\r\n", b"2\r\nc\n\r\n0\r\n\r\n")
    assert with_peer(talk, lines, is_bulk=True)[0] == ["a", "bc"]
    with pytest.raises(httpx2.TransportError):
        with_peer(sends(OK + b"content-length: 9\r\n\r\nhello", close=True), lines, is_bulk=True)


ENDLESS = text("transport", "a_server_that_never_ends")


@pytest.mark.parametrize("at_once", [1, 8])
def test_no_server_fills_the_memory(at_once: int) -> None:
    """The client in a process of its own, the server in another: no kind of endless reply takes 64 MB."""
    command = [sys.executable, "-c", ENDLESS, str(at_once)]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True, timeout=120)
    found = json.loads(done.stdout)
    assert all(told and not any(one.isdigit() for one in told) for told, _ in found.values()), found
    assert max(grown for _, grown in found.values()) < 64, found


@pytest.mark.parametrize(("url", "env", "proxy"), table("transport", "which_proxy_the_environment_names"))
def test_which_proxy_the_environment_names(url: str, env: dict[str, str], proxy: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(resolve_address(settings(base_url=url), "m", {})) == proxy
