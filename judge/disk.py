"""Files as this program writes and reads its own: whole or not at all, by one writer at a time, in strict JSON."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from calibration.strict_json import loads
from judge.errors import InputError, Problem, UsageError
from rubrics.named_file import MOST_LINE, open_named, read_named

to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
"""Compact JSON with real characters; NaN is refused (ValueError)."""


def write_atomically(path: Path, chunks: Iterable[str | bytes]) -> None:
    """Writes a whole file and renames it into place, so that a reader never sees half of it."""
    with open_atomically(path) as file:
        for chunk in chunks:
            if isinstance(chunk, bytes):
                file.buffer.write(chunk)
            else:
                file.write(chunk)


Check = Callable[[bytes], object]
"""Whether a file's content is what a command writes there."""


def begins(pattern: str) -> Check:
    """Content that begins so (a regular expression), as all that a command writes does."""
    return re.compile(pattern.encode(), re.DOTALL).match


def lines_with(*keys: str, among: Collection[str] | None = None) -> Check:
    """JSON Lines whose objects have these keys, the first one's value `among` those of the lines that are written now (None: any)."""

    def check(content: bytes) -> bool:
        try:
            lines = [loads(line) for line in content.split(b"\n") if line.strip()]
        except ValueError:
            return False
        return all(isinstance(line, dict) and line.keys() >= set(keys) and (among is None or str(line[keys[0]]) in among) for line in lines)

    return check


def write_named(path: Path, chunks: Iterable[str | bytes], is_ours: Check, inputs: Iterable[Path] = ()) -> None:
    """Writes a file that a person names. Raises UsageError where `check_named` does."""
    check_named(path, is_ours, inputs)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, chunks)


def check_named(path: Path, is_ours: Check, inputs: Iterable[Path] = ()) -> None:
    """Raises UsageError for a path that is one of the inputs, no regular file, or a file with something else than the command writes."""
    try:
        if not path.name or (os.path.lexists(path) and not path.is_file()):
            raise UsageError(f"{path}: is no regular file; give the name of a file to write")
        if not path.exists():
            return
        if any(one.exists() and one.samefile(path) for one in inputs):
            raise UsageError(f"{path}: is one of the files that are read; give another name")
        if (content := read_named(path)) and not is_ours(content):
            raise UsageError(f"{path}: is there and holds something else than this command writes; give another name, or take it away")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def append(path: Path, *lines: Mapping[str, Any], is_durable: bool = True) -> None:
    """Adds JSON lines behind those of a file that was read, whose last one goes where it was cut short. is_durable: on disk on return."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_named(path, "ab+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            file.seek(max(0, size - MOST_LINE))
            last = file.read().rpartition(b"\n")[2]
            try:
                loads(last)
                file.write(b"\n")
            except ValueError:
                file.truncate(size - len(last))
        for line in lines:
            file.write((json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "backslashreplace"))
        file.flush()
        if is_durable:
            os.fsync(file.fileno())


@contextlib.contextmanager
def open_atomically(path: Path) -> Iterator[TextIOWrapper]:
    """A file to write to that takes its place when it is whole; nothing changes when the body raises."""
    temporary = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}.tmp")  # machines may share a folder
    try:
        temporary.unlink(missing_ok=True)  # of a process of that number that was killed, or somebody's link
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
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
        with open_named(path, "ab") as lock:  # it may be somebody's link to a file: nothing of that is cut
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


def hash_text(value: object) -> str:
    """SHA-256 of a value's text."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def file_hashes(paths: Any) -> list[str]:
    """The hashes of files, or of all rubrics of a folder."""
    files = [f for path in paths for f in (sorted(path.glob("*.toml")) if path.is_dir() else [path]) if f.is_file()]
    try:
        return [hash_text(read_named(file)) for file in files]
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be read: {error.strerror}") from None
