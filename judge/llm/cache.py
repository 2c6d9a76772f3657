"""Answers that were paid for, kept on disk. Only validated replies are stored, as JSON text, each as it arrives, by keys that name
everything an answer depends on. The disk layer is our own: diskcache's would unpickle a row that somebody planted in the file. A cache that
is locked, full, corrupt or read-only is one warning and no cache, never a crash."""

import json
import logging
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

import diskcache  # type: ignore[import-untyped]

from calibration.strict_json import loads
from judge.disk import write_atomically
from judge.llm.replies import Reply
from judge.printing import shown
from judge.records import grouped
from rubrics.named_file import read_named

log = logging.getLogger("judge.llm.cache")
_BROKEN = (sqlite3.Error, diskcache.Timeout, OSError, ValueError, RecursionError)
_RAW = 1  # diskcache's mode of a value that stands in the row as it is
_TIMEOUT_S = 2.0
_CULL_EVERY = 1000  # stores between two looks at the size limit
_MOST_BYTES = 4_000_000  # of one shared file; a larger one is not ours


class JsonTextDisk(diskcache.Disk):  # type: ignore[misc]
    """Keys are text, values JSON text in the row. Anything else is refused unread: no pickle, no file."""

    def put(self, key: Any) -> tuple[str, bool]:
        if not isinstance(key, str):
            raise ValueError("cache keys are text")
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        if not raw or not isinstance(key, str):
            raise ValueError("a cache row with a key that this program did not write")
        return key

    def store(self, value: Any, read: bool, key: Any = None) -> tuple[int, int, None, str]:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return len(text), _RAW, None, text

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode != _RAW or filename is not None or not isinstance(value, str):
            raise ValueError("a cache row with a value that this program did not write")
        return loads(value)

    def remove(self, file_path: Any) -> None:
        """Rows have no files; a planted name must not delete one."""


class AnswerCache:
    """Replies by key. A miss, a broken row and a broken cache look alike: None; so does that of no folder."""

    def __init__(self, folder: Path | None, *, days: float, size_mb: float) -> None:
        self._expire, self._stores, self._warned = days * 86400.0, 0, False
        self._cache: Any = None
        with self._tried():
            self._cache = folder and _open(folder, int(size_mb * 1e6))

    def get(self, key: str, choices: Collection[str]) -> Reply | None:
        """The reply stored under a key, if it is still one of the rubric's choices."""
        with self._tried():
            return None if self._cache is None else reply_of(self._cache.get(key), choices)
        return None

    def put(self, key: str, reply: Reply, parts: Mapping[str, str]) -> None:
        """Stores a validated reply with the parts of its key."""
        with self._tried():
            if self._cache is not None:
                self._cache.set(key, row_of(reply, parts), expire=self._expire)
                self._stores += 1
                if self._stores % _CULL_EVERY == 0:
                    self._cache.cull()

    def all_parts(self) -> list[dict[str, str]]:
        """The key parts of every stored reply, oldest first, for explaining a miss."""
        found = []
        with self._tried():
            for key in self._cache or ():
                row = self._cache.get(key)
                parts = row.get("parts") if isinstance(row, dict) else None
                if isinstance(parts, dict) and all(isinstance(part, str) for part in parts.values()):
                    found.append(parts)
        return found

    def close(self) -> None:
        """Closes the file."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    @contextmanager
    def _tried(self) -> Iterator[None]:
        try:
            yield
        except _BROKEN as error:
            if not self._warned:
                told = f"{type(error).__name__}: {error}"
                log.warning("the judge's cache cannot be used (%s); going on without it where it fails", shown(told))
                self._warned = True


def _open(folder: Path, size_limit: int) -> Any:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _probe(folder / "cache.db")
    cache = diskcache.Cache(
        str(folder),
        timeout=_TIMEOUT_S,
        disk=JsonTextDisk,
        size_limit=size_limit,
        cull_limit=0,
        eviction_policy="least-recently-stored",
        statistics=0,
        sqlite_mmap_size=0,  # a mapped file that is cut while it is read ends the process (SIGBUS)
    )
    cache.expire()
    return cache


def _probe(file: Path) -> None:
    """Raises at once for a file that is locked or no database; diskcache would wait a minute for a lock at opening."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise OSError(f"{file} is no file of its own")
    probe = sqlite3.connect(file, timeout=1.0)
    try:
        probe.execute("BEGIN IMMEDIATE")
        probe.rollback()
    finally:
        probe.close()


def row_of(reply: Reply, parts: Mapping[str, str]) -> dict[str, Any]:
    """A reply as it is stored, with the parts of its key."""
    return {name: value for name, value in asdict(reply).items() if name != "second"} | {"parts": dict(parts)}


def reply_of(row: Any, choices: Collection[str]) -> Reply | None:
    """A stored row as a reply; None for anything that is not exactly one."""
    if not isinstance(row, dict):
        return None
    verdict, evidence, reasoning, model = (row.get(name) for name in ("verdict", "evidence", "reasoning", "model"))
    probability = row.get("probability")
    is_share = probability is None or (type(probability) in (int, float) and 0 <= probability <= 1)
    if not (isinstance(evidence, str) and isinstance(reasoning, str) and isinstance(model, str) and is_share):
        return None
    return Reply(verdict, evidence, reasoning, model, probability) if isinstance(verdict, str) and verdict in choices else None


class SharedCache(AnswerCache):
    """The machine's cache, and behind it a folder that several machines share: one small file an answer, put in place by a rename, since
    a database needs locks that network file systems do not keep. What cannot be read or written there is one warning and no answer."""

    def __init__(self, folder: Path, *, days: float, size_mb: float, shared: Path) -> None:
        super().__init__(folder, days=days, size_mb=size_mb)
        self._shared, self._is_broken = shared, False

    def get(self, key: str, choices: Collection[str]) -> Reply | None:
        if (reply := super().get(key, choices)) is not None or self._is_broken:
            return reply
        if not self._file(key).exists():
            return None
        try:
            row = loads(read_named(self._file(key), _MOST_BYTES))
        except (OSError, ValueError, RecursionError) as error:
            self._say(error, is_broken=isinstance(error, OSError))
            return None
        if (reply := reply_of(row, choices)) is not None:
            parts = row.get("parts")
            super().put(key, reply, parts if isinstance(parts, dict) else {})
        return reply

    def put(self, key: str, reply: Reply, parts: Mapping[str, str]) -> None:
        super().put(key, reply, parts)
        if self._is_broken:
            return
        path = self._file(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, [json.dumps(row_of(reply, parts), ensure_ascii=False)])
        except OSError as error:
            self._say(error, is_broken=True)

    def _file(self, key: str) -> Path:
        return self._shared / key[:2] / f"{key}.json"

    def _say(self, error: Exception, *, is_broken: bool) -> None:
        told = f"{self._shared}: {type(error).__name__}: {error}"
        log.warning("the shared cache %s%s", shown(told), "; left out from here on" * is_broken)
        self._is_broken |= is_broken


class KeyMaker:
    """Keys in the cache of one model's answers in one form and repeat. Parts, in order: what explains a miss."""

    __slots__ = ("_head", "_parts")

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts = dict(parts)
        self._head = blake2b(json.dumps(list(self._parts.items())).encode(), digest_size=24)

    def key(self, user_text: str) -> str:
        """The key for the question's own texts (rendered with the placeholder, never with a fence code)."""
        digest = self._head.copy()
        digest.update(user_text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def parts(self, user_text: str) -> dict[str, str]:
        """Every part of the key, the texts by their own hash."""
        return {**self._parts, "texts": blake2b(user_text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()}


class Explainer:
    """Says at a miss which part of the key is new (--explain-cache)."""

    def __init__(self, stored: Sequence[Mapping[str, str]]) -> None:
        self._stored = stored
        self._by_texts = grouped((parts.get("texts", ""), parts) for parts in stored)

    def why(self, parts: Mapping[str, str]) -> str:
        """One line: the parts that differ from the nearest stored answer to the same texts."""
        if not (candidates := self._by_texts.get(parts["texts"], [])):
            same_rubric = any(stored.get("rubric") == parts["rubric"] for stored in self._stored)
            return "texts: never asked before" if same_rubric else "texts: never asked before; rubric: new or changed"
        nearest = min(candidates, key=lambda stored: sum(stored.get(name) != value for name, value in parts.items()))
        changed = [f"{name}: {nearest.get(name)} -> {value}" for name, value in parts.items() if nearest.get(name) != value]
        return "; ".join(changed) or "expired or removed"
