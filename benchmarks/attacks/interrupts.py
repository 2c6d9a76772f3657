"""Ctrl-C in every state: how long a command takes to end, and what it leaves. The signal goes to the process group, as from a terminal.

    python -m benchmarks.attacks.interrupts [--pages 3000]

States: a file is parsed (run, check), the endpoint asked to wait, a call is in flight (the second Ctrl-C ends it: the first lets what is
paid for come in), cases are decided by rules alone, reports are written. The same command must then go on to the verdicts of a run that was
left alone.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks.asking.money import DOCUMENT, Endpoint, Runs
from judge.commands.preparing.init import sample_files

CASES = 12


def large_pdf(pages: int) -> bytes:
    """The sample with many pages of text behind it."""
    document, dense = pymupdf.open(stream=sample_files("first")[f"documents/{DOCUMENT}"]), pymupdf.open()
    page = dense.new_page()
    for row in range(60):
        page.insert_text(
            (40, 40 + 12 * row), f"{row}.1 The Borrower shall repay instalment {row} on its due date, and pay interest.", fontsize=9
        )
    for _ in range(pages):
        document.insert_pdf(dense)
    return document.tobytes()


def wait_for(until: Callable[[], bool], run: subprocess.Popen[bytes], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not until() and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def interrupted(run: subprocess.Popen[bytes], times: int = 1, between_s: float = 0.3) -> tuple[float, str]:
    """(seconds from the last Ctrl-C to the end, what was said)."""
    for n in range(times):
        time.sleep(between_s * (n > 0))
        began = time.monotonic()
        os.killpg(run.pid, signal.SIGINT)
    told = run.communicate(timeout=120)[1].decode()
    assert "Traceback" not in told and "internal error" not in told, told
    return time.monotonic() - began, told


def has_child(pid: int) -> bool:
    """Whether the process that opens PDFs runs."""
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "args="], capture_output=True, text=True, check=False).stdout
    return "parsing_child" in found


def states(folder: Path, pages: int) -> dict[str, tuple[float, Any]]:
    """State -> (seconds to the end, exit code)."""
    found: dict[str, tuple[float, Any]] = {}
    endpoint = Endpoint(("whole",), 1, 0.02)
    with endpoint.serving():
        alone = Runs(folder / "alone", CASES, endpoint)
        alone.start().communicate(timeout=300)
        expected = alone.verdicts()

        def state(
            name: str, ready: Callable[[Runs, subprocess.Popen[bytes]], bool], *, times: int = 1, command: str = "run", **how: Any
        ) -> None:
            endpoint.ways, endpoint.latency_s = how.get("ways", ("whole",)), how.get("latency_s", 0.02)
            runs = Runs(folder / name.replace(" ", "-"), CASES, endpoint)
            if how.get("is_large"):
                (runs.folder / "documents" / DOCUMENT).write_bytes(large_pdf(pages))
            run = runs.start(*how.get("flags", ()), command=command)
            wait_for(lambda: ready(runs, run), run)
            time.sleep(how.get("later_s", 0.3))
            seconds, _ = interrupted(run, times)
            found[name] = seconds, run.returncode
            print(f"{name:18} ended after {seconds:5.2f} s, exit {run.returncode}", flush=True)
            endpoint.ways, endpoint.latency_s = ("whole",), 0.02
            if command == "run":
                (runs.folder / "documents" / DOCUMENT).write_bytes(sample_files("first")[f"documents/{DOCUMENT}"])
                runs.start("--fresh").communicate(timeout=300) if how.get("is_large") else runs.start(*how.get("flags", ())).communicate(
                    timeout=300
                )
                is_same = runs.verdicts() == expected or "offline" in str(how.get("flags"))
                found[name] = seconds, f"{run.returncode}, then {'the same verdicts' if is_same else 'OTHER VERDICTS'}"

        def is_asked(runs: Runs, run: Any) -> bool:
            return endpoint.open > 0

        state("parsing", lambda runs, run: has_child(run.pid), is_large=True, later_s=2.0)
        state("parsing in check", lambda runs, run: has_child(run.pid), is_large=True, later_s=2.0, command="check")
        state("told to wait", is_asked, ways=("rate limit long",), later_s=1.0)
        state("calling, first", is_asked, latency_s=1.0)
        state("calling, second", is_asked, latency_s=30.0, times=2)
        written = "verdicts.jsonl"
        state("writing", lambda runs, run: (runs.folder / "out" / written).exists() and (runs.folder / "out" / written).stat().st_size > 0)
        state("reports", lambda runs, run: (runs.folder / "out" / "summary.json").exists(), flags=("--reports", "all"), later_s=0.0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, (seconds, code) in states(Path(folder), given.pages).items():
            print(f"{name:18} ended after {seconds:5.2f} s, exit {code}")


if __name__ == "__main__":
    sys.exit(main())
