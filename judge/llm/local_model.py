"""A model on this machine: llama.cpp's server in this process, bound to loopback, for `--judge llama:default` or `llama:PATH`.

It proves the wire, not the verdict: a small model's judgements are worth nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from judge.llm.faults import Fault

DEFAULT_FILE = Path("models/SmolLM2-135M-Instruct.Q4_1.gguf")  # relative to the working folder; scripts/fetch_model.py puts it there
_CONTEXT = 8192
_MOST_TOKENS = 512
_ERRORS_ONLY = 1  # its log would stand between the lines of a run


class LocalServer:
    """A running llama.cpp server; `url` is its OpenAI-compatible base URL."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = f"{str(server.listening_address).rstrip('/')}/v1"

    @classmethod
    def start(cls, model: str) -> LocalServer:
        """Loads the model of `llama:default` or `llama:PATH`. Raises Fault (remedy stop) that says what is missing."""
        path = model_path(model)
        if not path.is_file():
            raise Fault("transport", "stop", f"no model file at {path}: `make model` fetches the default one")
        try:
            import xllamacpp  # type: ignore[import-untyped]
        except ImportError:
            raise Fault("transport", "stop", "a local model needs the extra: pip install 'loan-judge[local]'") from None
        wanted = xllamacpp.CommonParams()
        wanted.model.path = str(path)
        wanted.n_ctx, wanted.n_parallel, wanted.port = _CONTEXT, 1, 0
        wanted.n_predict = _MOST_TOKENS
        wanted.verbosity = _ERRORS_ONLY
        threads = max(1, (os.cpu_count() or 2) // 2)  # they spin: on busy cores all of them are five times slower than half of them
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
        return cls(xllamacpp.Server(wanted))

    def stop(self) -> None:
        """Ends the server and frees the model."""
        self._server = None


def model_path(model: str) -> Path:
    """The file that a `llama:` name means."""
    name = model.removeprefix("llama:")
    return DEFAULT_FILE if name in ("", "default") else Path(name).expanduser()


def content_mark(model: str) -> str:
    """What tells two files of one name apart, for the cache's key: size and time of change; nothing where there is no file."""
    path = model_path(model)
    return f" {path.stat().st_size} {path.stat().st_mtime_ns}" if path.is_file() else ""
