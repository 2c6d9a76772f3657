"""Items per processor second of the local and the Ray engine, offline. Usage: python benchmarks/scale/ray_throughput.py [--cases 4000]

Ray's processes are not children of the driver, so the processor time is what the whole machine was busy for during the run (/proc/stat),
less what it is busy for while nothing runs: for a machine that does nothing else.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.scale.scale_cases import write_batch

FIELDS = 16


def busy() -> float:
    """Seconds that all processors were not idle for since the machine started."""
    numbers = [int(n) for n in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return (sum(numbers[:8]) - numbers[3] - numbers[4]) / os.sysconf("SC_CLK_TCK")


def idle_rate(seconds: float = 5.0) -> float:
    """How many processors the machine keeps busy by itself."""
    before = busy()
    time.sleep(seconds)
    return (busy() - before) / seconds


def measure(folder: Path, arguments: list[str], engine: str, background: float) -> tuple[float, float]:
    """Wall and processor seconds of one run, documents known."""
    command = [sys.executable, "-c", "from judge.cli import main; main()", "run", *arguments, "--out", str(folder / f"out-{engine}")]
    command += ["--engine", engine, "--judge", "offline", "--fresh", "--display", "none", "--reports", "none"]
    started, before = time.perf_counter(), busy()
    code = subprocess.run(command, cwd=folder, env={**os.environ, "JUDGE_CACHE_DIR": str(folder / "cache")}, capture_output=True).returncode
    wall = time.perf_counter() - started
    if code not in (0, 1, 4):
        sys.exit(f"{engine}: exit code {code}")
    return wall, busy() - before - background * wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--documents", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = (write_batch(folder / str(count), count, options.documents) for count in (options.documents, options.cases))
        print(f"{options.cases} cases, {options.documents} documents, {os.cpu_count()} processors; busy by itself: ", end="")
        background = idle_rate()
        print(f"{background:.2f} processors\n\n| engine | wall | CPU | items per CPU second (start left out) |\n|---|---|---|---|")
        for engine in ("local", "ray"):
            measure(folder, few, engine, background)
            start = measure(folder, few, engine, background)
            wall, used = measure(folder, many, engine, background)
            items = FIELDS * (options.cases - options.documents)
            print(f"| {engine} | {wall:.1f} s | {used:.1f} s | {items / (used - start[1]):.0f} |", flush=True)


if __name__ == "__main__":
    main()
