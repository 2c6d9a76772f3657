"""Ctrl-C while files are read, disks that are full or read-only, clocks that jump: nothing false is written, nothing written is lost."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from engine_samples import DOCUMENT, Inputs, many

from deterministic.documents.documents import open_document, open_documents
from deterministic.documents.parsing import Interrupted, Worker, interrupt_reading
from judge.commands.preparing.init import sample_files
from judge.engines import session
from judge.llm.cache import AnswerCache
from judge.llm.clock import Clock
from judge.llm.faults import server_wait
from judge.llm.replies import Reply
from judge.printing import Progress

SLOW = "import sys, time; sys.stdin.readline(); time.sleep(600)"


@pytest.fixture
def slow_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Processes that never answer in the place of those that open PDFs; set when one was asked."""
    started, popen = threading.Event(), subprocess.Popen

    def start(command: Any, **how: Any) -> Any:
        if "deterministic.documents.parsing_child" not in command:
            return popen(command, **how)
        process = popen([sys.executable, "-c", SLOW], **how)
        started.set()
        return process

    monkeypatch.setattr("deterministic.documents.parsing.subprocess.Popen", start)
    monkeypatch.setattr("deterministic.documents.parsing._shared", {})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # as a process has it that starts
    yield started
    signal.signal(signal.SIGINT, before)


def after(event: threading.Event, call: Any) -> None:
    def wait() -> None:
        event.wait(30)
        time.sleep(0.3)
        call()

    threading.Thread(target=wait, daemon=True).start()


def test_reading_that_is_interrupted_says_nothing_of_the_file(tmp_path: Path, slow_reading: threading.Event) -> None:
    paths = [tmp_path / f"{n}.pdf" for n in range(4)]
    for path in paths:
        path.write_bytes(sample_files("first")[f"documents/{DOCUMENT}"])
    after(slow_reading, interrupt_reading)
    with pytest.raises(Interrupted):
        open_documents(paths)
    assert not issubclass(Interrupted, Exception), "no `except Exception` may take it for a fact about the file"


def test_ctrl_c_while_a_file_is_read_writes_no_verdict(
    tmp_path: Path, slow_reading: threading.Event, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = many(Inputs(tmp_path / "in"), 3)
    after(slow_reading, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert inputs.run("--ocr", "off") == 130
    assert not inputs.verdicts() and "finishing what is in flight" in capsys.readouterr().err
    monkeypatch.undo()
    assert inputs.run("--ocr", "off") == 4  # a quote is for the judge to support (design/support.md)
    assert len(inputs.verdicts()) == 3


def test_ctrl_c_while_check_reads_a_file(tmp_path: Path, slow_reading: threading.Event) -> None:
    inputs = many(Inputs(tmp_path / "in"), 3)
    after(slow_reading, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert inputs.run(command="check") == 130


def test_a_worker_reads_again_after_an_interrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(sample_files("first")[f"documents/{DOCUMENT}"])
    with closing(Worker(1 << 30)) as worker:
        worker.interrupt()
        found = worker.ask("parse", cpu_seconds=60, wall_seconds=60.0, path=str(path), pages=10, characters=10**6)
    assert len(found["pages"]) == 2 and open_document(path).sha256


def limited(code: str, inputs: Inputs, size: int) -> subprocess.CompletedProcess[str]:
    """A run in a process that may write files of so many bytes at most, as on a disk that fills up."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    command = [sys.executable, "-c", code, *inputs.arguments()]
    unwritten = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # byte code cut off at the limit would break every later import
    root = Path(__file__).parent.parent
    return subprocess.run(command, cwd=root, env=unwritten, capture_output=True, text=True, preexec_fn=limit, check=False)


RUN = "import sys; from judge.cli import execute; sys.exit(execute(sys.argv[1:]))"


@pytest.mark.parametrize("size", [0, 1, 700, 3000, 9000, 20_000])
def test_a_disk_that_is_full_ends_in_one_line_and_the_run_goes_on(tmp_path: Path, size: int) -> None:
    inputs = many(Inputs(tmp_path / "in"), 12)
    done = limited(RUN, inputs, size)
    assert done.returncode in (4, 2, 3) and "Traceback" not in done.stderr and "internal error" not in done.stderr, done.stderr
    assert done.returncode == 4 or done.stderr.startswith("judge: error: ")
    assert inputs.run() == 4 and {line["outcome"] for line in inputs.verdicts()} == {"undecided"}  # support is for the judge


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = many(Inputs(tmp_path / "in"), 1)
    for place in ("/proc/nowhere/out", "/dev/full/out", str(inputs.folder / "batch.jsonl")):
        assert inputs.run("--out", place) == 2
        told = capsys.readouterr().err
        assert told.startswith("judge: error: ") and len(told.splitlines()) == 1


def test_standard_output_on_a_full_disk_is_one_line(tmp_path: Path) -> None:
    inputs = many(Inputs(tmp_path / "in"), 1)
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", RUN, *inputs.arguments("--json")]
        done = subprocess.run(command, cwd=Path(__file__).parent.parent, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3 and done.stderr.startswith("judge: error: ") and "Traceback" not in done.stderr, done.stderr
    assert inputs.run() == 4


def test_waits_do_not_follow_a_clock_that_jumps() -> None:
    for wall in (-1e9, 0.0, 1.7e9, 1e12):
        clock = Clock(monotonic=lambda: 5.0, wall=lambda wall=wall: wall)
        for told in (
            "Wed, 31 Dec 9999 23:59:59 GMT",
            "Mon, 01 Jan 0001 00:00:00 GMT",
            "Mon, 01 Jan 0001 00:00:00 +2359",
            "Thu, 99 Foo 2026",
        ):
            wait = server_wait({"retry-after": told}, clock)
            assert wait is None or wait >= 0.0


def test_a_clock_that_jumps_back_loses_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1.7e9]
    monkeypatch.setattr("diskcache.core.time.time", lambda: now[0])
    for moment in (1.7e9, 1.6e9, 1.7e9 + 1000):
        now[0] = moment
        cache = AnswerCache(tmp_path / "cache", days=30, size_mb=10)
        cache.put(str(moment), Reply("supports", "", "", "m", None), {})
        assert cache.get(str(moment), ("supports",)) is not None
        cache.close()
    cache = AnswerCache(tmp_path / "cache", days=30, size_mb=10)
    assert cache.get(str(1.7e9), ("supports",)) is not None
    cache.close()


def test_an_interrupt_of_a_large_run_reads_no_verdict_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = many(Inputs(tmp_path / "in"), 12)
    monkeypatch.setattr(session, "SUMMED_AT_ONCE", 3)
    advanced = Progress.advance

    def interrupt(progress: Progress) -> None:
        advanced(progress)
        if progress.done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Progress, "advance", interrupt)
    monkeypatch.setattr(session, "summarise", lambda *_, **__: pytest.fail("the verdicts were read again"))
    assert inputs.run() == 130 and not (inputs.out / "summary.json").exists()
    monkeypatch.undo()
    assert inputs.run() in (0, 1, 4) and inputs.summary()["counts"]["skipped"] == 0
