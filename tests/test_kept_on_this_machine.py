"""`judge cache`: what is kept of documents and answers is shown with its age, pruned and deleted."""

import os
import sqlite3
import time
from pathlib import Path

import pytest

from judge.cli import execute
from judge.llm.cache import AnswerCache
from judge.llm.replies import Reply

DAY = 86_400


def kept(folder: Path) -> Path:
    """A page text and an answer of today, and one of each forty days old."""
    for name, age in (("1.json", 0), ("2.json", 40)):
        path = folder / "documents" / ("ab" * 32) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("what a page says")
        os.utime(path, (time.time() - age * DAY,) * 2)
    cache = AnswerCache(folder / "answers", days=365, size_mb=10)
    for key in ("new", "old"):
        cache.put(key, Reply("supports", "what the old answer quotes" if key == "old" else "e", "r", "m"), {})
    cache.close()
    with sqlite3.connect(folder / "answers" / "cache.db") as database:
        database.execute("UPDATE Cache SET store_time = ? WHERE key = 'old'", (time.time() - 40 * DAY,))
    return folder


def test_what_is_kept_is_shown_pruned_and_deleted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    where = ["--cache-dir", str(kept(tmp_path))]
    assert execute(["cache", "show", *where]) == 0
    said = capfd.readouterr().out
    assert "documents: texts of documents: 2 kept" in said and "answers: answers of judges" in said and said.count("0 to 40 days old") == 2
    assert execute(["cache", "prune", "--days", "30", *where]) == 0
    assert capfd.readouterr().out.splitlines() == ["documents: 1 deleted", "ocr: 0 deleted", "answers: 1 deleted"]
    assert not (tmp_path / "documents" / ("ab" * 32) / "2.json").exists()
    assert all(b"the old answer quotes" not in one.read_bytes() for one in (tmp_path / "answers").iterdir() if one.is_file())
    assert execute(["cache", "delete", "answers", *where]) == 0 and not (tmp_path / "answers").exists()
    assert execute(["cache", "prune", "--days", "x", *where]) == execute(["cache", "prune", *where]) == 2
    assert (tmp_path / "documents" / ("ab" * 32) / "1.json").exists()
