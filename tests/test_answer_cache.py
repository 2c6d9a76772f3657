"""The answer cache: JSON text only, nothing planted runs, nothing broken crashes, nothing stored is lost."""

import json
import pickle
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.llm.cache import AnswerCache, Explainer, JsonTextDisk, KeyMaker
from judge.llm.replies import Reply
from tests.tables import text

CHOICES = ("same", "different", "cannot_determine")
REPLY = Reply("same", "“evidence” \u0000 ≤", "because", "m-1", 0.5)
PARTS = {"model": "m", "texts": "abc"}


def opened(folder: Path, **changes: Any) -> AnswerCache:
    return AnswerCache(folder, **{"days": 30.0, "size_mb": 50.0, **changes})


def stored(folder: Path, key: str = "k") -> None:
    cache = opened(folder)
    cache.put(key, REPLY, PARTS)
    cache.close()


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    stored(tmp_path)
    cache = opened(tmp_path)
    assert cache.get("k", CHOICES) == REPLY and cache.get("other", CHOICES) is None
    assert cache.get("k", ("different", "cannot_determine")) is None  # no longer on the menu
    assert cache.all_parts() == [PARTS]
    cache.close()


def test_rows_are_readable_text(tmp_path: Path) -> None:
    stored(tmp_path)
    with sqlite3.connect(tmp_path / "cache.db") as database:
        ((raw, mode, filename, value),) = database.execute("SELECT raw, mode, filename, value FROM Cache").fetchall()
    assert (raw, mode, filename) == (1, 1, None) and json.loads(value)["verdict"] == "same"


class Planted:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return Path.touch, (self.target,)


def test_a_planted_pickle_runs_nothing(tmp_path: Path) -> None:
    folder, proof, victim = tmp_path / "cache", tmp_path / "ran", tmp_path / "victim"
    stored(folder)
    victim.write_text("keep me")
    bomb = pickle.dumps(Planted(proof))
    assert not proof.exists() and pickle.loads(bomb) is None and proof.exists()
    proof.unlink()
    rows = [  # raw, mode, filename, value: pickle in the row, in a file, as binary, and a file name to read or delete
        (1, 4, None, bomb),
        (1, 2, None, bomb),
        (1, 4, str(victim), None),
        (1, 2, "../victim", None),
        (1, 1, "../victim", None),
        (1, 1, None, bomb),
        (1, 1, None, "[1, 2"),
        (1, 1, None, '{"verdict": "same", "evidence": 1, "reasoning": "", "model": ""}'),
        (1, 1, None, '{"verdict": ["same"], "evidence": "", "reasoning": "", "model": "", "parts": {"texts": ["x"]}}'),
        (1, 1, None, '{"verdict": "same", "evidence": "", "reasoning": "", "model": "", "probability": NaN}'),
        (1, 1, None, '{"verdict": "same", "evidence": "", "reasoning": "", "model": "", "probability": 1e999}'),
        (1, 1, None, '{"verdict": "same", "evidence": "", "reasoning": "", "model": "", "probability": true}'),
        (1, 1, None, "[" * 100_000),
        (1, 1, None, '{"verdict": ' + "9" * 6000 + "}"),
    ]
    for row in rows:
        with sqlite3.connect(folder / "cache.db") as database:
            database.execute("UPDATE Cache SET raw = ?, mode = ?, filename = ?, value = ?", row)
        cache = opened(folder)
        assert cache.get("k", CHOICES) is None
        cache.put("k", REPLY, PARTS)
        Explainer(cache.all_parts())
        cache.close()
    with sqlite3.connect(folder / "cache.db") as database:
        database.execute("UPDATE Cache SET key = ?, raw = 0", (bomb,))
    cache = opened(folder)
    cache.all_parts()
    cache.close()
    assert not proof.exists() and victim.read_text() == "keep me"


def test_values_that_are_no_json_are_refused(tmp_path: Path) -> None:
    disk = JsonTextDisk(str(tmp_path))
    for bad in (float("nan"), {1, 2}, b"x", object()):
        with pytest.raises((ValueError, TypeError)):
            disk.store(bad, False)
    for key in (1, b"x", ("a",)):
        with pytest.raises(ValueError, match="text"):
            disk.put(key)


@pytest.mark.parametrize("harm", ["garbage", "truncated", "folder", "nothing"])
def test_a_corrupt_file_is_a_warning_and_no_crash(tmp_path: Path, harm: str, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "cache.db"
    stored(tmp_path)
    content = file.read_bytes()
    for rest in tmp_path.glob("cache.db*"):
        rest.unlink()
    if harm == "folder":
        file.mkdir()
    elif harm != "nothing":
        file.write_bytes(b"no database " * 500 if harm == "garbage" else content[: len(content) // 2])
    cache = opened(tmp_path)
    cache.put("k", REPLY, PARTS)
    found = cache.get("k", CHOICES)
    cache.close()
    assert found in (None, REPLY)
    assert (found is None) == (len(caplog.records) == 1)  # said once


def test_a_locked_file_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stored(tmp_path)
    lock = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    cache = opened(tmp_path)
    assert "cannot be used" in caplog.text
    assert cache.get("k", CHOICES) is None
    cache.put("k", REPLY, PARTS)
    cache.close()
    lock.close()


def test_old_answers_expire_and_the_size_is_kept(tmp_path: Path) -> None:
    cache = opened(tmp_path / "old", days=1e-9)
    cache.put("k", REPLY, PARTS)
    assert cache.get("k", CHOICES) is None
    cache.close()
    small = opened(tmp_path / "small", size_mb=0.3)
    for n in range(2000):
        small.put(f"k{n}", Reply("same", "x" * 400, "y", "m"), PARTS)
    kept = sum(small.get(f"k{n}", CHOICES) is not None for n in range(2000))
    assert 0 < kept < 1500 and small.get("k1999", CHOICES) is not None
    small.close()


WRITER = text("answer_cache", "a_writer")


def test_what_was_stored_survives_sigkill(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent
    )
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) >= 150:
            break
    child.send_signal(signal.SIGKILL)
    last = int(line)
    child.wait()
    cache = opened(tmp_path)
    assert all(cache.get(f"k{n}", CHOICES) is not None for n in range(last + 1))
    cache.close()


HEAD = {"endpoint": "compatible http://x/v1", "model": "m", "rubric": "r 1", "repeat": "0"}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=50), st.text(max_size=50))
def test_keys_tell_texts_apart(first: str, second: str) -> None:
    maker = KeyMaker(HEAD)
    assert (maker.key(first) == maker.key(second)) == (first == second)


def test_every_part_changes_the_key_and_is_named() -> None:
    key = KeyMaker(HEAD).key("text")
    stored_parts = KeyMaker(HEAD).parts("text")
    for name in HEAD:
        other = KeyMaker({**HEAD, name: "other"})
        assert other.key("text") != key
        assert Explainer([stored_parts]).why(other.parts("text")) == f"{name}: {HEAD[name]} -> other"
    assert Explainer([stored_parts]).why(KeyMaker(HEAD).parts("new")) == "texts: never asked before"
    assert Explainer([stored_parts]).why(stored_parts) == "expired or removed"
    assert "rubric: new or changed" in Explainer([]).why(stored_parts)


CUT_WHILE_USED = text("answer_cache", "cut_while_used")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("name", ["cache.db", "cache.db-wal"])
def test_a_cache_that_is_cut_while_it_is_used_ends_no_process(tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-c", CUT_WHILE_USED, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "filled\n"
        with (tmp_path / name).open("r+b") as file:
            file.truncate(4096 if name == "cache.db" else 0)
        said, _ = process.communicate("\n", timeout=60)
    assert (process.returncode, said) == (0, "over\n"), "a mapped file that is cut ends the process with SIGBUS"
