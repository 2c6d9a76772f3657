"""Workers: child processes that open documents within limits, one request at a time each."""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from deterministic.documents.kinds import ReadingError

_ENVIRONMENT = "PATH LANG LC_ALL LD_LIBRARY_PATH TESSDATA_PREFIX SYSTEMROOT TMPDIR PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX".split()
"""Variables that a worker gets: no key of an API ever reaches the process that opens untrusted files."""


class Interrupted(BaseException):
    """A person stopped the program while a file was read: nothing is known about the file. Past every `except Exception`."""


class Worker:
    """One child process, started when first needed and again after a failure. Calls from several threads wait for one another."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._served = 0
        self._lock = threading.Lock()
        self._is_interrupted = False

    def ask(self, operation: str, *, cpu_seconds: int, wall_seconds: float, **arguments: Any) -> Any:
        """The result of an operation of `parsing_child`. Raises `ReadingError`."""
        request = {"operation": operation, "cpu_seconds": cpu_seconds, **arguments}
        with self._lock:
            self._is_interrupted = False
            _busy.add(self)
            try:
                return self._exchange(request, wall_seconds)
            except ReadingError as error:
                # A worker that has read many files holds memory; only a fresh one tells whether this file is too large.
                if error.cause != "memory" or self._served < 2:
                    raise
                self._stop()
                return self._exchange(request, wall_seconds)
            finally:
                _busy.discard(self)

    def close(self) -> None:
        with self._lock:
            self._stop()

    def interrupt(self) -> None:
        """Ends the process in the middle of a request, which raises `Interrupted`; from a signal handler or another thread."""
        self._is_interrupted = True
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()

    def _exchange(self, request: dict[str, Any], wall_seconds: float) -> Any:
        process = self._running()
        if self._is_interrupted:  # while it was started: who interrupted had no process to end
            self._stop()
            raise Interrupted
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(process, time.monotonic() + wall_seconds)
        except BrokenPipeError:
            line = None
        except BaseException:
            self._stop()
            raise
        if line is None:
            death = self._death()
            raise Interrupted if self._is_interrupted else death
        self._served += 1
        reply = json.loads(line)
        if "error" in reply:
            if reply["cause"] == "memory":
                self._stop()  # after a failed allocation the process is in an unknown state
            raise ReadingError(reply["cause"], reply["error"])
        return reply["result"]

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
        """One answer; None when the process ended. Raises `ReadingError` at the deadline."""
        assert process.stdout is not None
        handle = process.stdout.fileno()
        chunks = [b""]
        while not chunks[-1].endswith(b"\n"):
            if (left := deadline - time.monotonic()) <= 0 or not select.select([handle], [], [], left)[0]:
                raise ReadingError("timeout", "took longer to read than the limit allows")
            if not (chunk := os.read(handle, 1 << 20)):
                return None
            chunks.append(chunk)
        return b"".join(chunks)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self._process = None  # a forked process must not share its parent's pipes
        if self._process is None:
            root = str(Path(__file__).resolve().parents[2])
            environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            # -P: a file of the working folder, which may be anybody's, is never imported in place of a library
            environment |= {"PYTHONPATH": root, "OPENBLAS_NUM_THREADS": "1"}  # threads of a library would take address space
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "deterministic.documents.parsing_child", str(self._memory_bytes)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, bufsize=-1,
            )  # fmt: skip
            self._owner, self._served = os.getpid(), 0
        return self._process

    def _death(self) -> ReadingError:
        """Why the process ended without an answer."""
        assert self._process is not None
        code = self._process.wait()
        self._process = None
        if code == -getattr(signal, "SIGXCPU", 0):
            return ReadingError("timeout", "took more processor time to read than the limit allows")
        if code == -signal.SIGKILL:
            return ReadingError("memory", "reading it was ended by the system, most likely for its use of memory")
        return ReadingError("corrupt", "the PDF library crashed on it")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        with contextlib.suppress(OSError), process:
            process.kill()


_busy: set[Worker] = set()
_shared: dict[int, Worker] = {}
_shared_lock = threading.Lock()


def shared_worker(memory_bytes: int) -> Worker:
    """The worker that single requests of this process use; it ends with the process."""
    with _shared_lock:
        return _shared.setdefault(memory_bytes, Worker(memory_bytes))


def interrupt_reading() -> None:
    """Ends every request in progress with `Interrupted`."""
    for worker in tuple(_busy):
        worker.interrupt()


@atexit.register
def close_workers() -> None:
    """Ends the shared workers; they start again when needed."""
    for worker in _shared.values():
        worker.close()
