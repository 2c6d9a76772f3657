"""HTTP servers on the loopback device: the label page, and what plays an endpoint."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any


class Handler(BaseHTTPRequestHandler):
    server: Any
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def asked(self) -> dict[str, Any]:
        return dict(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def send(self, status: int, body: Any, headers: Mapping[str, str] | None = None, cut: int | None = None) -> None:
        """Bytes as they are, anything else as JSON. cut: how many bytes of it leave."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[:cut])


@contextmanager
def answering(server: Any) -> Iterator[Any]:
    """The server answers until the block ends."""
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
