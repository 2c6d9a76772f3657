"""How long the event loop waits at most while calls are in flight: a run against an endpoint on loopback, with a heartbeat in its loop.

    python -m benchmarks.asking.loop_delay [BATCH --gold GOLD --documents FOLDER] [--latency 0.05] [--late FILE]

Without BATCH, agreements of 110 pages are written, and cases of them with faults. A beat is a sleep of 5 ms; its delay is what it took
longer. Beside the wall delay, which other work on the machine lengthens too, stands the processor time that the whole process, and the
loop's own thread, spent between the two beats: no delay that the program causes itself is longer than the former. `--late`: where the
stacks of all threads are written whenever a beat is 60 ms late.
"""

import argparse
import asyncio
import contextlib
import faulthandler
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks.asking.money import Endpoint

BEAT_S, LATE_S = 0.005, 0.06
AGREEMENTS, CASES = 2, 60


def beats(
    judge: Callable[[Any], Awaitable[Any]], ask: Callable[..., Awaitable[Any]], late: io.TextIOWrapper | None
) -> tuple[Any, Any, list[Any]]:
    """The two functions with a heartbeat and a count of calls, and (wall, process, thread) of each beat between calls, in seconds."""
    open_calls, found = 0, list[tuple[float, float, float]]()

    async def counted(*arguments: Any) -> Any:
        nonlocal open_calls
        open_calls += 1
        try:
            return await ask(*arguments)
        finally:
            open_calls -= 1

    async def beat() -> None:
        while True:
            if late is not None:
                faulthandler.dump_traceback_later(LATE_S, file=late)
            was_open, began = open_calls, (time.perf_counter(), time.process_time(), time.thread_time())
            await asyncio.sleep(BEAT_S)
            wall, process, thread = (
                now - then for now, then in zip((time.perf_counter(), time.process_time(), time.thread_time()), began, strict=True)
            )
            if was_open and open_calls:
                found.append((wall - BEAT_S, process, thread))

    async def beaten(assignment: Any) -> Any:
        task = asyncio.create_task(beat())
        try:
            return await judge(assignment)
        finally:
            task.cancel()
            faulthandler.cancel_dump_traceback_later()

    return beaten, counted, found


def measured(arguments: list[str], late: str) -> None:
    """A run in this process; prints its beats as JSON."""
    from judge import cli, engines
    from judge.engines import loop

    with open(late, "w") if late else contextlib.nullcontext() as file:
        asks = loop._Loop
        engines._judge, asks._ask, found = beats(engines._judge, asks._ask, file)
        code = cli.execute(arguments)
    print(json.dumps({"code": code, "beats": found}))


def written(folder: Path) -> tuple[Path, Path, Path]:
    from benchmarks.scale.speed_documents import write_agreement, write_batch

    documents = folder / "documents"
    documents.mkdir()
    agreements = [write_agreement(documents / f"agreement-{n}.pdf", 110, n) for n in range(AGREEMENTS)]
    return (*write_batch(agreements, CASES, folder), documents)


def run_once(files: tuple[Path, Path, Path], folder: Path, port: int, late: str) -> dict[str, Any]:
    batch, gold, documents = map(str, files)
    flags = ["--gold", gold, "--documents", documents, "--out", str(folder / "out"), "--fresh", "--display", "none", "--reports", "none"]
    flags += ["--judge", "m", "--base-url", f"http://127.0.0.1:{port}/v1", "--no-cache"]
    command = [sys.executable, "-m", "benchmarks.asking.loop_delay", "--run", late, "run", batch, *flags]
    environment = {"JUDGE_CACHE_DIR": str(folder / "cache"), **os.environ, "OPENAI_API_KEY": "x"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        sys.exit(done.stderr)
    return json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[no-any-return]


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        return measured(sys.argv[3:], sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batch", type=Path, nargs="?")
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds that the endpoint takes for a reply")
    parser.add_argument("--late", default="", help="file for the stacks of late beats")
    given = parser.parse_args()
    endpoint = Endpoint(("whole",), 1, given.latency)
    with tempfile.TemporaryDirectory() as name, endpoint.serving():
        folder = Path(name)
        files = (given.batch, given.gold, given.documents) if given.batch else written(folder)
        found = run_once(files, folder, endpoint.port, given.late)
    print(f"exit {found['code']}, {endpoint.paid} calls, {len(found['beats'])} beats during calls; load {os.getloadavg()[0]:.1f}")
    for n, what in enumerate(("delay, wall", "processor time of the process", "processor time of the loop's thread")):
        longest = sorted((1000 * beat[n] for beat in found["beats"]), reverse=True)
        print(f"{what}: longest {', '.join(f'{ms:.0f}' for ms in longest[:5])} ms; 99 % {longest[len(longest) // 100]:.0f} ms")


if __name__ == "__main__":
    main()
