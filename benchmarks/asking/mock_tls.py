"""The shared mock server over TLS: `mock_tls.py PORT LATENCY_MS CERTIFICATE KEY`, copied beside mock_openai.py by judge_client.py."""

import asyncio
import signal
import ssl
import sys

import mock_openai
import uvloop


async def main() -> None:
    port, latency_ms, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    faults = dict.fromkeys(("p429", "p500", "p_badjson", "p_truncate", "p_hang"), 0.0)
    mock = mock_openai.Mock({"latency_ms": float(latency_ms), "seed": 7, "retry_after": 1, **faults})
    await loop.create_server(lambda: mock_openai.Conn(mock, loop), "127.0.0.1", int(port), ssl=context, backlog=2048)
    loop.add_signal_handler(signal.SIGTERM, over.set)
    print("ready", flush=True)
    await over.wait()


uvloop.run(main())
