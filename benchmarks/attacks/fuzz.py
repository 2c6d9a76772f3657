"""Damaged inputs of every kind that the program reads: none may end in a traceback, an internal error, more than 10 s or 1 GB.

    python -m benchmarks.attacks.fuzz [--count 100000] [--seed 1] [--kind NAME ...] [--only N] [--slice 2000]

Every input is made from its seed, kind and number alone: `--kind pdfs --only 4711` makes that one again, with its traceback. Inputs run in
processes of `--slice` inputs each, so that a crash of an interpreter ends one slice and is counted.
"""

import argparse
import json
import math
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

MOST_S, MOST_WALL_S, MOST_MB = 10, 60, 1024  # processor time of this process; the wall, for what waits or works in a child


class TooSlow(BaseException):
    """Past every `except Exception` of the program."""


def _alarm(*_: object) -> None:
    raise TooSlow


def _fault_of(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "benchmarks" not in f.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "the harness"
    ours = next(
        (
            f"{Path(f.filename).name}:{f.lineno}"
            for f in reversed(frames)
            if "site-packages" not in f.filename and "/lib/" not in f.filename
        ),
        "",
    )
    return f"{type(error).__name__} at {place} from {ours}: {str(error)[:120]}"


def run_slice(name: str, seed: int, start: int, count: int, *, is_loud: bool = False) -> None:
    """Runs inputs and prints one JSON line a fault, then the slowest time and the memory."""
    from benchmarks.attacks.fuzz_kinds import KINDS, Ground, one_input

    kind = next(one for one in KINDS if one.__name__ == name)
    signal.signal(signal.SIGALRM, _alarm)
    signal.signal(signal.SIGPROF, _alarm)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    slowest, base = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        for number in range(start, start + count):
            began = time.perf_counter()
            signal.setitimer(signal.ITIMER_PROF, MOST_S if number > start else MOST_WALL_S)  # the first one also makes what is damaged
            signal.setitimer(signal.ITIMER_REAL, MOST_WALL_S)
            try:
                fault = one_input(kind, ground, Random(f"{name}:{seed}:{number}"))
            except TooSlow as error:
                fault = f"more than {MOST_S} s: {_fault_of(error)}"
            except BaseException as error:
                fault = _fault_of(error)
                if is_loud:
                    traceback.print_exc()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.setitimer(signal.ITIMER_REAL, 0)
            used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024
            if used > MOST_MB and used > base:
                fault = fault or f"memory: {used} MB"
            base = max(base, used)
            slowest = max(slowest, time.perf_counter() - began) if number > start else 0.0
            if fault:
                print(json.dumps({"number": number, "fault": fault}), flush=True)
    print(json.dumps({"slowest": round(slowest, 2), "mb": base}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slice", type=int, default=2000)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--only", type=int)
    parser.add_argument("--run-slice", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run_slice:
        name, start, count = given.run_slice
        return run_slice(name, given.seed, int(start), int(count))
    if given.only is not None:
        return run_slice(given.kind[0], given.seed, given.only, 1, is_loud=True)
    from benchmarks.attacks.fuzz_kinds import KINDS

    wanted = {kind.__name__: share for kind, share in KINDS.items() if not given.kind or kind.__name__ in given.kind}
    total = 0
    for name, share in wanted.items():
        count = math.ceil(given.count * share / sum(wanted.values()))
        faults, first, slowest, memory, began = Counter[str](), dict[str, int](), 0.0, 0, time.perf_counter()
        for start in range(0, count, given.slice):
            size = min(given.slice, count - start)
            part = ["--seed", str(given.seed), "--run-slice", name, str(start), str(size)]
            command = [sys.executable, "-m", "benchmarks.attacks.fuzz", *part]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=60 + size * MOST_S)
                lines, code, said = run.stdout.splitlines(), run.returncode, run.stderr[-300:]
            except subprocess.TimeoutExpired:
                lines, code, said = [], -1, "the slice did not end"
            for line in map(json.loads, lines):
                if "fault" in line:
                    faults[line["fault"]] += 1
                    first.setdefault(line["fault"], line["number"])
                else:
                    slowest, memory = max(slowest, line["slowest"]), max(memory, line["mb"])
            if code != 0:
                faults[f"a slice ended with {code}: {said}"] += 1
                first.setdefault(f"a slice ended with {code}: {said}", start)
        total += count
        took = time.perf_counter() - began
        print(
            f"{name:16} {count:>7} inputs, {sum(faults.values()):>4} faults, slowest {slowest:.2f} s, most {memory} MB, {took:.0f} s",
            flush=True,
        )
        for fault, times in faults.most_common(20):
            print(f"    {times} x {fault} (first: --only {first[fault]})", flush=True)
    print(f"{total} inputs")


if __name__ == "__main__":
    main()
