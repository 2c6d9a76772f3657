"""Answers in a folder that several machines share: one small file an answer, put in place by a rename.

A database file needs locks that network file systems do not keep; files that are only ever made whole need none. The machine's own cache
stands before it, so a shared answer is read once. Two machines that ask the same question at the same moment both pay for it; the machines
of one cluster run never do, since there only one process asks.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from judge.inputs.json_text import loads
from judge.llm.cache import AnswerCache, reply_of, row_of
from judge.llm.replies import Reply
from judge.printing import shown
from rubrics.named_file import read_named

log = logging.getLogger("judge.llm.cache")
MOST_BYTES = 4_000_000  # of one file; a larger one is not ours


class SharedCache(AnswerCache):
    """The machine's cache, and behind it the folder. What cannot be read or written there is one warning and no answer, never a crash."""

    def __init__(self, own: AnswerCache, folder: Path) -> None:
        self._own, self._folder, self._is_broken = own, folder, False

    @property
    def is_open(self) -> bool:
        return True

    def get(self, key: str, choices: Collection[str]) -> Reply | None:
        if (reply := self._own.get(key, choices)) is not None or self._is_broken:
            return reply
        try:
            row = loads(read_named(self._file(key), MOST_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self._say(error, is_broken=isinstance(error, OSError))
            return None
        if (reply := reply_of(row, choices)) is not None:
            parts = row.get("parts")
            self._own.put(key, reply, parts if isinstance(parts, dict) else {})
        return reply

    def put(self, key: str, reply: Reply, parts: Mapping[str, str]) -> None:
        self._own.put(key, reply, parts)
        if self._is_broken:
            return
        path = self._file(key)
        temporary = path.with_name(f".{key}.{os.uname().nodename}.{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(row_of(reply, parts), ensure_ascii=False), "utf-8")
            temporary.replace(path)
        except OSError as error:
            self._say(error, is_broken=True)

    def all_parts(self) -> list[dict[str, str]]:
        return self._own.all_parts()

    def close(self) -> None:
        self._own.close()

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _say(self, error: Exception, *, is_broken: bool) -> None:
        told = f"{self._folder}: {type(error).__name__}: {error}"
        log.warning("the shared cache %s%s", shown(told), "; left out from here on" * is_broken)
        self._is_broken |= is_broken
