"""Speed and dependability of the judge client against the shared mock judge, beside the floors. One command:

    python benchmarks/asking/judge_client.py [speed schemes cached faults kills] [--bench ../shared/bench]
        [--mock-python PYTHON] [--before FOLDER]

`--mock-python` is an interpreter with uvloop, httptools and orjson (what the mock server needs). `--before`: another checkout, whose client
`schemes` measures in turn with this one. Everything runs on loopback; figures are
CPU seconds of whole processes, so that other work on the machine disturbs them little, and walls, which it does disturb.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PORT = 8177
VERDICTS = "YANB"  # equivalent, partially_equivalent, not_equivalent, cannot_determine: the order of the rubric's choices
FAULTS = {"p429": 0.05, "p500": 0.02, "p_badjson": 0.01, "p_truncate": 0.01, "p_hang": 0.005, "retry_after": 1}


class Bench:
    """A folder with the driver's scripts and ours, and the virtual environments that the driver expects."""

    def __init__(self, folder: Path, source: Path, mock_python: str, before: Path | None) -> None:
        self.folder, self.mock_python, self.before = folder, mock_python, before
        for script in (*source.glob("*.py"), HERE / "peer_ours.py", HERE / "mock_tls.py"):
            shutil.copy(script, folder)
        if before:
            shutil.copy(before / "benchmarks" / "asking" / "peer_ours.py", folder / "peer_before.py")
        for name, python in (("mock", mock_python), ("bare", sys.executable), ("ours", sys.executable)):
            (folder / "venvs").mkdir(exist_ok=True)
            (folder / "venvs" / name).symlink_to(Path(python).parent.parent)
        path = f"{HERE.parents[1]}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self.env = {**os.environ, "VENVS": str(folder / "venvs"), "PYTHONPATH": path, "OPENAI_API_KEY": "x"}
        self.env["OPENAI_BASE_URL"] = f"http://127.0.0.1:{PORT}/v1"

    def items(self, count: int) -> Path:
        """A file of seeded items."""
        path = self.folder / f"items_{count}.jsonl"
        if not path.exists():
            made = subprocess.run(
                [sys.executable, "make_items.py", str(count)], cwd=self.folder, capture_output=True, text=True, check=True
            )
            path.write_text(made.stdout)
        return path

    def driver(self, peers: list[str], do: str, latency_ms: int) -> list[dict[str, Any]]:
        """Rows of the shared driver."""
        rows = self.folder / f"rows_{latency_ms}.jsonl"
        command = [sys.executable, "bench.py", *peers, "--do", do, "--items", str(self.items(1000)), "--results", str(rows)]
        command += ["--latency-ms", str(latency_ms), "--port", str(PORT + 1)]
        subprocess.run(command, cwd=self.folder, env=self.env, check=True, stdout=subprocess.DEVNULL)
        return [json.loads(line) for line in rows.read_text().splitlines()]

    @contextmanager
    def mock(self, latency_ms: int) -> Iterator[None]:
        """The mock server, ended by its own handle."""
        with self.server([self.mock_python, "mock_openai.py", "--port", str(PORT), "--latency-ms", str(latency_ms)]):
            yield

    @contextmanager
    def tls_mock(self, latency_ms: int) -> Iterator[str]:
        """The mock server over TLS with a certificate made for it, whose file is yielded."""
        certificate, key = str(self.folder / "certificate.pem"), str(self.folder / "key.pem")
        made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
        subprocess.run([*made.split(), "-out", certificate, "-keyout", key], check=True, capture_output=True)
        with self.server([self.mock_python, "mock_tls.py", str(PORT), str(latency_ms), certificate, key]):
            yield certificate

    @contextmanager
    def server(self, command: list[str]) -> Iterator[None]:
        """A server that prints a line when it is ready."""
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            server.stdout.readline()
            try:
                yield
            finally:
                server.terminate()

    def start(self, items: Path, *arguments: str, **env: str) -> subprocess.Popen[bytes]:
        """Our peer script, started."""
        command = [sys.executable, env.pop("peer", "peer_ours.py"), "--items", str(items), *arguments]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.folder, env={**self.env, **env}, stdout=quiet, stderr=quiet)

    def run(self, items: Path, *arguments: str, **env: str) -> tuple[float, float, dict[str, str]]:
        """Wall and CPU seconds of one run of our peer script, and its results by item."""
        out = self.folder / "out.jsonl"
        out.unlink(missing_ok=True)
        started = time.monotonic()
        child = self.start(items, "--out", str(out), *arguments, **env)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return time.monotonic() - started, used.ru_utime + used.ru_stime, _results(out)


def _results(out: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    return {line["id"]: str(line.get("score", line.get("error"))).strip("'") for line in lines}


def tell(path: str, values: dict[str, Any] | None = None) -> Any:
    """Posts to the mock server (a GET for /stats)."""
    data = None if path == "/stats" else json.dumps(values or {}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data)) as reply:
        return json.load(reply)


def expected(item_id: str) -> str:
    """The verdict that the mock draws for an item: by the hash of its number, so evenly from all choices."""
    digest = hashlib.blake2b(item_id.removeprefix("ITEM-").encode(), digest_size=6).digest()
    return VERDICTS[int.from_bytes(digest, "big") % 4]


def told(results: dict[str, str], count: int) -> str:
    """How many verdicts are the drawn one, another one, or none."""
    right = sum(results.get(i) == expected(i) for i in results)
    failed = sum(verdict not in VERDICTS for verdict in results.values())
    other, missing = len(results) - right - failed, count - len(results)
    return f"{right} of {count} the drawn verdict, {other} another one, {failed} errors, {missing} missing"


def speed(bench: Bench) -> None:
    """CPU and wall beside the SDK's low-level post and raw aiohttp."""
    for latency_ms, do in ((100, "startup,cold50,cold200"), (1000, "startup,cold50")):
        rows = bench.driver(
            ["bare:openai_post", "bare:aiohttp", "ours"] if latency_ms == 100 else ["bare:openai_post", "ours"], do, latency_ms
        )
        start = {row["peer"]: row for row in rows if row["what"] == "startup"}
        for row in rows:
            if row["what"] == "startup":
                print(f"{row['peer']:18} start-up {row['cpu']:.2f} s CPU")
                continue
            before, limit = start[row["peer"]], row["ideal"]
            print(
                f"{row['peer']:18} c={row['c']:<4} {latency_ms} ms: {(row['cpu'] - before['cpu']) * 1000:.0f} us CPU an item,"
                f" wall {row['wall']:.2f} s,"
                f" adj/limit {row['adj'] / limit:.2f} whole, {(row['adj'] - before['adj']) / limit:.2f} without start-up,"
                f" requests {row['req']}, peak {row['rss_mb']} MB, {row['ptok'] // 1000} tokens an item, load {row['load']}"
            )


def schemes(bench: Bench, times: int = 3) -> None:
    """CPU an item over http and https, in turn with another checkout's; the least of a few runs, without start-up."""
    items, trees = bench.items(1000), {"now": HERE.parents[1], **({"before": bench.before} if bench.before else {})}
    for scheme in ("http", "https"):
        with bench.tls_mock(100) if scheme == "https" else bench.mock(100) as certificate:
            env = {
                "OPENAI_BASE_URL": f"{scheme}://127.0.0.1:{PORT}/v1",
                "SSL_CERT_FILE": certificate or os.environ.get("SSL_CERT_FILE", ""),
            }
            env = {name: value for name, value in env.items() if value}
            for calls in (50, 200):
                used: dict[str, list[float]] = {name: [] for name in trees}
                for _ in range(times):
                    for name, tree in trees.items():
                        env["peer"] = "peer_before.py" if name == "before" else "peer_ours.py"
                        start = bench.run(items, "--startup", PYTHONPATH=str(tree), **env)[1]
                        _, cpu, results = bench.run(items, "-c", str(calls), PYTHONPATH=str(tree), **env)
                        assert len(results) == 1000 and all(verdict in VERDICTS for verdict in results.values()), results
                        used[name].append((cpu - start) * 1000)
                told = ", ".join(f"{name} {min(took):.0f} ({', '.join(f'{one:.0f}' for one in took)})" for name, took in used.items())
                share = f"; now {min(used['now']) / min(used['before']):.2f} of before" if bench.before else ""
                print(f"{scheme:5} c={calls:<3} us CPU an item: {told}{share}", flush=True)


def cached(bench: Bench) -> None:
    """A re-run of which every answer is known."""
    for count in (1000, 10_000):
        items, folder = bench.items(count), bench.folder / f"cache_{count}"
        with bench.mock(0):
            bench.run(items, "-c", "50", "--cache", str(folder))
            asked = tell("/stats")["requests"]
            start = min(bench.run(items, "--startup", "--variant", "lean", "--cache", str(folder))[1] for _ in range(3))
            wall, cpu, results = bench.run(items, "-c", "50", "--cache", str(folder))
            more = tell("/stats")["requests"] - asked
        size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
        print(f"cached {count}: start-up {start:.2f} s CPU, run {cpu:.2f} s CPU ({cpu - start:.2f} beyond start-up), wall {wall:.2f} s,")
        print(f"  {more} requests, {told(results, count)}, cache {size:.1f} MB")


def faults(bench: Bench) -> None:
    """5 % 429 with Retry-After 1, 2 % 500, 1 % malformed, 1 % truncated, 0.5 % hanging; verdicts drawn from all choices."""
    items = bench.items(1000)
    with bench.mock(100):
        clean_wall, _, clean = bench.run(items, "-c", "50", "--variant", "impatient")
        print(f"clean: wall {clean_wall:.2f} s, {tell('/stats')['requests']} requests, {told(clean, 1000)}")
        for seed in (7, 8, 9):
            tell("/reset")
            tell("/config", {**FAULTS, "seed": seed})
            wall, _, results = bench.run(items, "-c", "50", "--variant", "impatient")
            stats = tell("/stats")
            print(
                f"faults, seed {seed}: wall {wall:.2f} s ({wall / clean_wall:.2f} times), {stats['requests']} requests,"
                f" {told(results, 1000)}"
            )
            print(f"  sent: {stats['faults']}; same as clean: {results == clean}")


def kills(bench: Bench, times: int = 20) -> None:
    """SIGKILL at random moments, the same command again each time; then a run that is left alone."""
    items, folder, draw = bench.items(1000), bench.folder / "killed", random.Random(3)
    with bench.mock(100):
        repaid_arrived = most_lost = killed = 0
        while killed < times:
            shutil.rmtree(folder, ignore_errors=True)
            tell("/reset")
            for _ in range(4):  # four kills a batch, so that they fall all over it
                stored = _stored(folder)
                child = bench.start(items, "-c", "50", "--cache", str(folder))
                wanted = len(stored) + draw.randrange(10, 260)
                while tell("/stats")["paid_items"] < wanted and child.poll() is None:
                    time.sleep(0.01)
                child.send_signal(signal.SIGKILL)
                child.wait()
                killed += 1
                time.sleep(0.2)
                stats = tell("/stats")
                most_lost = max(most_lost, stats["paid_items"] - len(_stored(folder)))
            arrived = len(_stored(folder))
            asked = tell("/stats")["requests"]
            _, _, results = bench.run(items, "-c", "50", "--cache", str(folder))
            again = tell("/stats")["requests"] - asked
            repaid_arrived += again - (1000 - arrived)
            print(f"after 4 kills: {arrived} answers kept, {again} requests for the other {1000 - arrived}; {told(results, 1000)}")
        print(
            f"{killed} kills: paid again of what had arrived {repaid_arrived};"
            f" at most {most_lost} answers lost by all kills of a batch (50 in flight)"
        )


def _stored(folder: Path) -> set[str]:
    """Keys in the answer cache."""
    if not (folder / "cache.db").exists():
        return set()
    with sqlite3.connect(folder / "cache.db") as database:
        return {key for (key,) in database.execute("SELECT key FROM Cache")}


PARTS = {"speed": speed, "schemes": schemes, "cached": cached, "faults": faults, "kills": kills}


def main() -> None:
    parser = argparse.ArgumentParser(description=ast.get_docstring(ast.parse(Path(__file__).read_text())))
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--bench", type=Path, default=HERE.parents[2] / "shared" / "bench")
    parser.add_argument("--mock-python", default=sys.executable)
    parser.add_argument("--before", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), given.bench, given.mock_python, given.before)
        for part in given.parts or PARTS:
            print(f"== {part} (load {os.getloadavg()[0]:.1f})", flush=True)
            PARTS[part](bench)


if __name__ == "__main__":
    main()
