"""Money under attack: an endpoint that counts what it is paid for, closes connections, cuts bodies and sends nothing; runs that are killed.

    python -m benchmarks.asking.money [faults kills] [--kills 20] [--cases 120]

`faults`: a budget below what all answers cost, every way of an endpoint to lose a reply, and SIGKILL at random moments. The endpoint's
count of paid requests times the price of one must stay within the budget plus the calls in flight, and what is noted in the
result folder must never be below what was paid.
`kills`: no faults. The verdicts must be those of a run that is left alone, and only what was in flight at a kill may be paid again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.commands.preparing.init import sample_files
from judge.results.spending import read_spending

DOCUMENT = "harbour-street-facility-agreement.pdf"
PRICE = 0.01  # USD a token, in and out
TOKENS = (2000, 100)
CALL = PRICE * sum(TOKENS)
IN_FLIGHT = 8
WAYS = ("whole", "whole", "whole", "cut body", "empty", "no reply", "server error", "rate limit", "no JSON", "trickle")

_REFUSALS = {"server error": b"500 Down", "rate limit": b"429 Slow", "rate limit long": b"429 Slow\r\nRetry-After: 300"}


class Endpoint:
    """Answers right, or in one of the ways that lose a reply. paid: requests for which a reply was made, also where it is lost."""

    def __init__(self, ways: tuple[str, ...], seed: int, latency_s: float) -> None:
        self.ways, self.draw, self.latency_s = ways, random.Random(seed), latency_s
        self.paid, self.asked, self.open = 0, 0, 0
        self.prompts, self.used = Counter[str](), Counter[str]()
        self.port, self._loop = 0, asyncio.new_event_loop()

    @contextlib.contextmanager
    def serving(self) -> Iterator[Endpoint]:
        """While it takes requests, on a thread of its own."""
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        yield self
        self._loop.call_soon_threadsafe(self._loop.stop)
        thread.join(5)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(int(one.split(b":")[1]) for one in head.lower().split(b"\r\n") if one.startswith(b"content-length"))
                body = json.loads(await reader.readexactly(length))
                self.asked += 1
                self.open += 1
                try:
                    await asyncio.sleep(self.latency_s * self.draw.uniform(0.5, 1.5))
                    if not await self._answer(writer, body):
                        break
                finally:
                    self.open -= 1
        writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, body: Any) -> bool:
        """Sends one reply; whether the connection goes on."""
        way = self.draw.choice(self.ways)
        self.used[way] += 1
        if way in _REFUSALS:
            self._send(writer, _REFUSALS[way], b'{"error": {"message": "later"}}')
            return True
        self.paid += 1
        self.prompts[re.sub(r"\b[0-9a-f]{12}\b", "", body["messages"][1]["content"])] += 1  # without the code of its fences
        if way == "no reply":
            return False
        data = b"<html>" if way == "no JSON" else json.dumps(_completion(body)).encode()
        if way == "trickle":
            whole = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data) + data
            for part in (whole[:20], whole[20:200], whole[200:]):
                writer.write(part)
                await asyncio.sleep(0.01)
            return True
        self._send(writer, b"200 OK", data, {"cut body": len(data) // 2, "empty": 0}.get(way, len(data)))
        await writer.drain()
        return way in ("whole", "no JSON")

    @staticmethod
    def _send(writer: asyncio.StreamWriter, status: bytes, data: bytes, sent: int | None = None) -> None:
        writer.write(b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(data)) + data[:sent])


def _completion(body: Any) -> Any:
    """The verdict depends on the matter alone."""
    choices = body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"]
    matter = re.search(r"Matter (\d+)", body["messages"][1]["content"])
    wanted = "within_scope" if "within_scope" in choices else choices[int(matter[1]) % len(choices) if matter else 0]
    content = json.dumps({"evidence": "", "reasoning": "constructed", "verdict": wanted})
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


class Runs:
    """A batch of questions that need a judge, in a folder, and runs of it."""

    def __init__(self, folder: Path, cases: int, endpoint: Endpoint) -> None:
        self.folder, self.endpoint = folder, endpoint
        sample = sample_files("first")
        question, truth = (json.loads(sample[name].splitlines()[1]) for name in ("batch.jsonl", "gold.jsonl"))
        (folder / "documents").mkdir(parents=True)
        (folder / "documents" / DOCUMENT).write_bytes(sample[f"documents/{DOCUMENT}"])
        lines = [json.loads(json.dumps({**question, "case_id": f"q-{n}"})) for n in range(cases)]
        for n, line in enumerate(lines):
            line["output"]["answer"] = f"Matter {n}: the payer has a working week to make good."
        (folder / "batch.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "gold.jsonl").write_text("".join(json.dumps({**truth, "case_id": f"q-{n}"}) + "\n" for n in range(cases)))
        (folder / "prices.toml").write_text(f'["m"]\ninput = {PRICE * 1e6}\noutput = {PRICE * 1e6}\n')

    def start(self, *more: str, command: str = "run") -> subprocess.Popen[bytes]:
        """A run in a process of its own."""
        files = [str(self.folder / name) for name in ("batch.jsonl", "gold.jsonl", "documents", "out", "cache", "prices.toml")]
        flags = ["--gold", files[1], "--documents", files[2], "--cache-dir", files[4], "--prices", files[5]]
        url = f"http://127.0.0.1:{self.endpoint.port}/v1"
        flags += ["--judge", "m", "--base-url", url, "--max-tokens", "200", "--concurrency", str(IN_FLIGHT)]
        flags += ["--out", files[3], "--display", "none", "--timeout", "60"] if command == "run" else []
        flags += ["--reports", "none"] if command == "run" and "--reports" not in more else []
        code = "import sys; from judge.cli import execute; sys.exit(execute(sys.argv[1:]))"
        arguments = [sys.executable, "-c", code, command, files[0], *flags, *more]
        return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def kill(self, after: int, *more: str) -> tuple[int | None, int]:
        """Starts a run and kills it when so many more requests have come: (exit code if it ended before, requests open at the kill)."""
        run, wanted = self.start(*more), self.endpoint.asked + after
        while self.endpoint.asked < wanted and run.poll() is None:
            time.sleep(0.002)
        code, open_ = run.poll(), self.endpoint.open
        run.send_signal(signal.SIGKILL)
        run.communicate()
        time.sleep(0.05)
        return code, open_

    @property
    def noted(self) -> float:
        """Dollars that the result folder says are gone, or may be."""
        usage = read_spending(self.folder / "out" / "spending.jsonl")
        return usage.usd + usage.lost_usd

    def verdicts(self) -> dict[str, Any]:
        """Outcome by case and item."""
        lines = map(json.loads, (self.folder / "out" / "verdicts.jsonl").read_text().splitlines())
        return {f"{line['case_id']} {line['item']}": (line["outcome"], line["score"]) for line in lines}


def faults(folder: Path, kills: int, cases: int) -> bool:
    """The cap over faults, kills and restarts."""
    endpoint = Endpoint(WAYS, 3, 0.03)
    draw, budget, least, open_sum = random.Random(4), 4.0 * cases * CALL, 1e9, 0
    with endpoint.serving():
        runs = Runs(folder, cases, endpoint)
        flags = ("--budget", str(budget), "--max-retries", "2")
        for _ in range(kills):
            _, open_ = runs.kill(draw.randrange(1, 12), *flags)
            open_sum += open_
            least = min(least, runs.noted - endpoint.paid * CALL)
        run = runs.start(*flags)
        run.communicate(timeout=300)
    over = endpoint.paid * CALL - budget
    print(
        f"{kills} kills, then a run to its end (exit {run.returncode}): {endpoint.asked} requests, {endpoint.paid} paid,"
        f" {dict(endpoint.used)}"
    )
    print(f"paid {endpoint.paid * CALL:.2f} USD of a budget of {budget:.2f} (over by {over:.2f}; in flight at most {IN_FLIGHT * CALL:.2f})")
    print(f"noted in the folder {runs.noted:.2f}; least noted minus paid after a kill {least:+.2f}")
    return over <= IN_FLIGHT * CALL and least >= -1e-6


def kills(folder: Path, kills: int, cases: int) -> bool:
    """Same verdicts, nothing paid twice but what was in flight."""
    endpoint = Endpoint(("whole",), 5, 0.03)
    draw, open_sum = random.Random(6), 0
    with endpoint.serving():
        alone = Runs(folder / "alone", cases, endpoint)
        alone.start().communicate(timeout=300)
        expected, needed = alone.verdicts(), endpoint.asked
        endpoint.prompts.clear()
        runs = Runs(folder / "killed", cases, endpoint)
        for _ in range(kills):
            open_sum += runs.kill(draw.randrange(2, max(3, 2 * needed // kills)))[1]
        run = runs.start()
        run.communicate(timeout=300)
    again = endpoint.prompts.total() - len(endpoint.prompts)
    is_same = runs.verdicts() == expected
    print(f"{kills} kills: exit {run.returncode}, {len(expected)} items, same verdicts as a run left alone: {is_same}")
    for key, verdict in expected.items() if not is_same else ():
        if (other := runs.verdicts().get(key)) != verdict:
            print(f"  {key}: {verdict} alone, {other} after the kills")
    print(f"{needed} requests are needed; paid again {again}; open at the kills {open_sum}, {kills * IN_FLIGHT} at most")
    return is_same and again <= kills * IN_FLIGHT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["faults", "kills"])
    parser.add_argument("--kills", type=int)
    parser.add_argument("--cases", type=int, default=120)
    given = parser.parse_args()
    is_right = True
    for name, part, count in (("faults", faults, 20), ("kills", kills, 35)):
        if name in given.parts:
            with tempfile.TemporaryDirectory() as folder:
                is_right &= part(Path(folder), given.kills or count, given.cases)
    print("held" if is_right else "BROKEN")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
