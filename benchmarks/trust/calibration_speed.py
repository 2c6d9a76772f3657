"""How long `judge calibrate` takes for 100,000 labelled rows with its intervals by cluster, and how much memory.

Three shapes: every row a case of its own, ten rows a case, and three annotators with twenty rows a case. Run as a child process each, so
that the peak memory is that of one run.

    python benchmarks/trust/calibration_speed.py [--rows 100000]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LABELS = ("correct", "partial", "wrong")
SHAPES = {"1 row a case": (1, 1), "10 rows a case": (10, 1), "20 rows a case, 3 annotators": (20, 3)}


def write_rows(path: Path, rows: int, size: int, people: int) -> None:
    """A CSV of constructed rows: labels, a judge with errors, a confidence."""
    generator = np.random.default_rng(rows + size)
    truth = generator.integers(0, 3, rows)
    columns = [np.where(generator.random(rows) < 0.93, truth, generator.integers(0, 3, rows)) for _ in range(people)]
    judge = np.where(generator.random(rows) < 0.88, truth, generator.integers(0, 3, rows))
    sure = np.round(generator.uniform(0.5, 1.0, rows), 3)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("id,case," + ",".join(f"h{number}" for number in range(people)) + ",judge,sure\n")
        for row in range(rows):
            people_said = ",".join(LABELS[column[row]] for column in columns)
            stream.write(f"{row},{row // size},{people_said},{LABELS[judge[row]]},{sure[row]}\n")


def main() -> None:
    """Times each shape; prints seconds and the peak of the child processes so far in MiB."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        for name, (size, people) in SHAPES.items():
            path = Path(folder) / "labels.csv"
            write_rows(path, rows, size, people)
            flags = ["--human", ",".join(f"h{number}" for number in range(people)), "--judge-column", "judge", "--cluster", "case"]
            flags += ["--map", str(Path(folder) / "map.toml"), "--positive", "correct", "--out", str(Path(folder) / "out")]
            lines = 'confidence_column = "sure"\n' + ("epsilon = 0.1\n" if people > 1 else "")
            (Path(folder) / "map.toml").write_text(lines, "utf-8")
            started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [sys.executable, "-m", "judge.cli", "calibrate", str(path), *flags], capture_output=True, text=True, check=False
            )
            seconds = time.perf_counter() - started
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            peak, cpu = after.ru_maxrss / 1024, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times = f"{seconds:6.1f} s, {cpu:5.1f} s of processor time"
            print(f"{name:<32} {rows} rows: {times}, peak so far {peak:6.0f} MiB, exit {done.returncode}", flush=True)
            if done.returncode not in (0, 1, 4):
                sys.exit(done.stderr)


if __name__ == "__main__":
    main()
