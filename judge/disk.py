"""Files as this program writes and reads its own: whole or not at all, by one writer at a time, in strict JSON."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from judge.errors import InputError, Problem
from judge.inputs.json_text import loads
from rubrics.named_file import read_named

to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
"""Compact JSON with real characters; NaN is refused (ValueError)."""


def write_atomically(path: Path, chunks: Iterable[str]) -> None:
    """Writes a whole file and renames it into place, so that a reader never sees half of it."""
    with open_atomically(path) as file:
        file.writelines(chunks)


@contextlib.contextmanager
def open_atomically(path: Path) -> Iterator[IO[str]]:
    """A file to write to that takes its place when it is whole; nothing changes when the body raises."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Keeps other processes away from what a lock file stands for. Raises BlockingIOError where another one has it and nobody `waits`."""
    while True:
        with path.open("a", encoding="utf-8") as lock:  # it may be somebody's link to a file: nothing of that is cut
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
            with contextlib.suppress(FileNotFoundError):  # who had it before took the file away: the next one has another
                if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                    try:
                        yield
                    finally:
                        path.unlink(missing_ok=True)
                    return


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a file that this program wrote. Raises InputError."""
    try:
        found = loads(read_named(path))
    except OSError as error:
        raise InputError([Problem(str(path), None, "", f"cannot be read ({error.strerror}); is this a result folder?")]) from None
    except ValueError as error:
        raise InputError([Problem(str(path), None, "", f"is not JSON: {error}")]) from None
    if not isinstance(found, dict):
        raise InputError([Problem(str(path), None, "", "is not a JSON object")])
    return found
