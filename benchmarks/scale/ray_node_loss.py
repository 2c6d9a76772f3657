"""A cluster loses a node in the middle of a run: python benchmarks/scale/ray_node_loss.py --mock-python PYTHON [--bench ../shared/bench]

Three Ray nodes on this machine, 2,000 questions over 50 documents against the mock endpoint; when a third of the cases are judged, a node
that is working is killed. Compared with a run of the local engine: verdicts, requests an item at the endpoint, judge calls that were paid.
`--mock-python` is an interpreter with uvloop, httptools and orjson.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from scale_cases import write_batch

PORT = 8179
LATENCY_MS = 100


def stats(path: str = "stats", data: bytes | None = None) -> dict[str, Any]:
    """What the mock endpoint counted."""
    with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{PORT}/{path}", data=data), timeout=10) as reply:
        return dict(json.load(reply))


def start_mock(python: str, bench: Path) -> subprocess.Popen[bytes]:
    """Starts the mock endpoint and waits until it answers."""
    server = subprocess.Popen([python, str(bench / "mock_openai.py"), "--port", str(PORT), "--latency-ms", str(LATENCY_MS)])
    for _ in range(100):
        try:
            stats()
            return server
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the mock endpoint did not start")


def judged(out: Path, arguments: list[str], *more: str) -> dict[str, Any]:
    """One run in this process; its verdicts by case, its usage, its wall and what the endpoint saw."""
    from judge.cli import execute

    stats("reset", b"{}")
    start = time.perf_counter()
    common = ["--judge", "mock", "--concurrency", "16", "--cache-dir", f"{out}-cache", "--display", "none", "--reports", "none"]
    code = execute(["run", *arguments, "--out", str(out), *common, *more])
    wall = time.perf_counter() - start
    lines = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    verdicts = sorted(lines, key=lambda line: (line["case_id"], line["item"], line["tranche"] or ""))
    usage = json.loads((out / "summary.json").read_text())["usage"]
    return {"code": code, "wall_s": round(wall, 1), "verdicts": verdicts, "calls": usage["judge_calls"], "seen": stats()}


def looking(node: Any) -> int:
    """How many looks a node is working on: workers of its raylet that have taken the task's name."""
    raylet = node.all_processes["raylet"][0].process.pid
    count = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            is_child = int(status.read_text().rpartition(")")[2].split()[1]) == raylet
            count += is_child and b"ray::replay_with" in status.with_name("cmdline").read_bytes()
        except OSError:
            continue
    return count


def kill_a_worker_node(cluster: Any, nodes: list[Any], out: Path, when: int, told: dict[str, Any]) -> None:
    """Waits until so many cases are written, then takes a node away in the middle of a look, without warning."""
    path = out / "verdicts.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < when:
        time.sleep(0.02)
    until = time.monotonic() + 20
    while not (busy := next((node for node in nodes if looking(node)), None)) and time.monotonic() < until:
        time.sleep(0.002)
    told["looks_cut_off"] = looking(busy) if busy else 0
    cluster.remove_node(busy or nodes[0], allow_graceful=False)
    told["cases_written_at_the_kill"] = path.read_bytes().count(b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mock-python", required=True)
    parser.add_argument("--bench", type=Path, default=Path("../shared/bench"))
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=50)
    given = parser.parse_args()
    os.environ |= {"OPENAI_BASE_URL": f"http://127.0.0.1:{PORT}/v1", "OPENAI_API_KEY": "x", "RAY_USAGE_STATS_ENABLED": "0"}
    server = start_mock(given.mock_python, given.bench)
    try:
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), given.cases, given.documents)
    finally:
        server.terminate()


def compare(folder: Path, cases: int, documents: int) -> None:
    """Runs both engines and prints what differs."""
    arguments = write_batch(folder, cases, documents, "question")
    local = judged(folder / "local", arguments)
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    told: dict[str, Any] = {}
    try:
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        arm = (cluster, nodes, folder / "ray", cases // 3, told)
        killer = threading.Thread(target=kill_a_worker_node, args=arm, daemon=True)
        killer.start()
        far = judged(folder / "ray", arguments, "--engine", "ray")
        killer.join(60)
    finally:
        ray.shutdown()
        cluster.shutdown()
    for name, run in (("local", local), ("ray", far)):
        seen = run["seen"]
        counted = {key: seen[key] for key in ("requests", "distinct_items", "per_item", "paid_items", "max_concurrency")}
        print(json.dumps({"engine": name, "exit_code": run["code"], "wall_s": run["wall_s"], "judge_calls": run["calls"], **counted}))
    print(json.dumps(told))
    same = far["verdicts"] == local["verdicts"]
    ids = {line["case_id"] for line in far["verdicts"]}
    print(f"same verdicts: {same}; cases lost: {cases - len(ids)}; verdict lines: {len(far['verdicts'])} and {len(local['verdicts'])}")
    once = far["seen"]["requests"] == far["calls"] == local["calls"]
    print(f"nothing paid twice: {once}")
    sys.exit(0 if same and once and len(ids) == cases else 1)


if __name__ == "__main__":
    main()
