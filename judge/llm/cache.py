"""Answers that were paid for, kept on disk. Only validated replies are stored, as JSON text, each as it arrives.

The disk layer is our own: diskcache's would unpickle a row that somebody planted in the file. A cache that is locked, full, corrupt or
read-only is one warning and no cache, never a crash.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import diskcache  # type: ignore[import-untyped]

from judge.inputs.json_text import loads
from judge.llm.replies import Reply
from judge.printing import shown

log = logging.getLogger("judge.llm.cache")
_BROKEN = (sqlite3.Error, diskcache.Timeout, OSError, ValueError, RecursionError)
_RAW = 1  # diskcache's mode of a value that stands in the row as it is
_TIMEOUT_S = 2.0
_CULL_EVERY = 1000  # stores between two looks at the size limit


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
    """Replies by key. A miss, a broken row and a broken cache look alike: None."""

    def __init__(self, folder: Path, *, days: float, size_mb: float) -> None:
        self._expire, self._stores, self._warned = days * 86400.0, 0, False
        self._cache: Any = None
        try:
            self._cache = _open(folder, int(size_mb * 1e6))
        except _BROKEN as error:
            self._warn(error)

    @property
    def is_open(self) -> bool:
        """Whether answers are kept."""
        return self._cache is not None

    def get(self, key: str, choices: Collection[str]) -> Reply | None:
        """The reply stored under a key, if it is still one of the rubric's choices."""
        if self._cache is None:
            return None
        try:
            return reply_of(self._cache.get(key), choices)
        except _BROKEN as error:
            self._warn(error)
            return None

    def put(self, key: str, reply: Reply, parts: Mapping[str, str]) -> None:
        """Stores a validated reply with the parts of its key."""
        if self._cache is None:
            return
        try:
            self._cache.set(key, row_of(reply, parts), expire=self._expire)
            self._stores += 1
            if self._stores % _CULL_EVERY == 0:
                self._cache.cull()
        except _BROKEN as error:
            self._warn(error)

    def all_parts(self) -> list[dict[str, str]]:
        """The key parts of every stored reply, oldest first, for explaining a miss."""
        found = []
        if self._cache is not None:
            try:
                for key in self._cache:
                    row = self._cache.get(key)
                    parts = row.get("parts") if isinstance(row, dict) else None
                    if isinstance(parts, dict) and all(isinstance(part, str) for part in parts.values()):
                        found.append(parts)
            except _BROKEN as error:
                self._warn(error)
        return found

    def close(self) -> None:
        """Closes the file."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    def _warn(self, error: BaseException) -> None:
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
