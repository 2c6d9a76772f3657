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


@pytest.mark.parametrize("command", ["delete", "prune --days 0"])
def test_what_others_put_there_stays_and_no_link_is_followed(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cache, theirs = kept(tmp_path / "cache"), tmp_path / "theirs"
    theirs.mkdir()
    foreign = [cache / "documents" / "mine.txt", cache / "answers" / "mine.json", theirs / ("c" * 64 + ".json")]
    for one in foreign:
        one.write_text("mine")
    (cache / "documents" / ("d" * 64)).symlink_to(theirs)
    (cache / "documents" / ("e" * 64 + ".json")).symlink_to(foreign[0])
    os.mkfifo(cache / "documents" / ("f" * 64 + ".json"))
    assert execute(["cache", *command.split(), "--cache-dir", str(cache)]) == 0
    assert all(one.read_text() == "mine" for one in foreign) and not (cache / "documents" / ("ab" * 32) / "1.json").exists()
    for kind in ("link", "pipe"):
        place = tmp_path / kind / "documents"
        place.parent.mkdir()
        place.symlink_to(theirs) if kind == "link" else os.mkfifo(place)
        assert execute(["cache", *command.split(), "--cache-dir", str(place.parent)]) == 2 and foreign[2].exists()
        assert "no folder of its own" in capfd.readouterr().err


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
