"""Memory and speed of whole `judge run` processes as batches grow: python benchmarks/scale/scale_memory.py [--cases 10000,100000]

Offline, a fresh cache of document texts a run, no reports (above 20,000 items `auto` builds none). Peak resident memory is that of the
judging process itself (not of the child that reads PDFs, nor of Ray's workers); CPU includes its children and those processes of a local
cluster that are alive at its end. One line of JSON a run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scale_cases import write_batch

RUN = """
import os, resource, sys
from pathlib import Path
from judge.cli import execute

def family():  # CPU seconds of all processes below this one, those of a local cluster included
    found, ticks = {}, os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(path.parent.name)] = int(parts[1]), sum(map(int, parts[11:15])) / ticks
    def below(pid):
        return any(found[pid][0] == top or (found[pid][0] in found and below(found[pid][0])) for top in [os.getpid()])
    return sum(seconds for pid, (parent, seconds) in found.items() if below(pid))

if "ray" in sys.argv:
    import ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
before = family()
code = execute(sys.argv[1:])
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
others = family() - before + (0 if "ray" in sys.argv else children.ru_utime + children.ru_stime)
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print("PEAK", int(status["VmHWM"].split()[0]), own.ru_utime + own.ru_stime, others, code)
"""


def measure(folder: Path, count: int, documents: int, engine: list[str]) -> dict[str, float]:
    """One run in a process of its own."""
    arguments = write_batch(folder, count, documents)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        more = ["--out", f"{place}/out", "--cache-dir", f"{place}/cache", "--display", "none", "--reports", "none", *engine]
        start = time.perf_counter()
        command = [sys.executable, "-c", RUN, "run", *arguments, *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "JUDGE_TRACEBACK": "1"})
        wall = time.perf_counter() - start
        found = [line.split() for line in done.stdout.splitlines() if line.startswith("PEAK")]
        if not found:
            raise SystemExit(done.stdout[-2000:] + done.stderr[-4000:])
        _, peak, own, children, code = found[0]
        counts = json.loads(Path(place, "out", "summary.json").read_text())["counts"]
        size = Path(place, "out", "verdicts.jsonl").stat().st_size
    cpu = float(own) + float(children)
    return {
        "cases": count,
        "items": counts["items"],
        "undecided": counts["undecided"],
        "exit_code": int(code),
        "peak_mb": round(int(peak) / 1024, 1),
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "own_cpu_s": round(float(own), 1),
        "cpu_ms_a_case": round(1000 * cpu / count, 2),
        "items_a_cpu_second": round(counts["items"] / cpu),
        "verdict_bytes_a_case": round(size / count),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default="10000,100000")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--engine", default="local")
    parser.add_argument("--folder", type=Path, help="where batches are kept between runs; default: a temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        runs = []
        for count in map(int, given.cases.split(",")):
            runs.append(measure(folder, count, given.documents, ["--engine", given.engine]))
            print(json.dumps(runs[-1]), flush=True)
        if len(runs) > 1:
            print(f"peak memory: {runs[-1]['peak_mb'] / runs[0]['peak_mb']:.2f} times that of the smallest run")
    print(f"children's peak: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
