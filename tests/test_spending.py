"""Money and time over kills and restarts: the endpoint counts what it was paid for, and the result folder knows it too."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from batch_server import completion
from engine_samples import Inputs, open_answers
from loopback import Handler, answering
from test_batch_mode import right

Reply = Callable[["Paid", dict[str, Any]], None]
PRICE = 0.01  # USD a token, in and out


class Paid(Handler):
    def do_POST(self) -> None:
        body = self.asked()
        with self.server.lock:
            self.server.asked += 1
            number = self.server.asked
        self.server.reply(self, body, number)

    def send(self, status: int, body: Any, headers: Mapping[str, str] | None = None, cut: int | None = None) -> None:
        with self.server.lock:
            self.server.paid += status == 200
        super().send(status, body, headers, cut)
        if cut is not None:
            self.hang_up()

    def hang_up(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Paid)
    server.daemon_threads, server.block_on_close = True, False
    server.lock, server.asked, server.paid = threading.Lock(), 0, 0
    server.reply = lambda handler, body, number: handler.send(*right(body))
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with answering(server):
        yield server


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    (tmp_path / "prices.toml").write_text(f'["m"]\ninput = {PRICE * 1e6}\noutput = {PRICE * 1e6}\n')
    return open_answers(tmp_path / "in", 12)


def flags(inputs: Inputs, *more: str) -> tuple[str, ...]:
    return ("--judge", "m", "--prices", str(inputs.folder.parent / "prices.toml"), "--max-tokens", "200", "--concurrency", "4", *more)


CALL = PRICE * 2100  # what the endpoint's usage says a reply costs


def spent(inputs: Inputs) -> float:
    usage = inputs.summary()["usage"]
    return float(usage["usd"] + usage["lost_usd"])


def cut_body(handler: Paid, body: dict[str, Any], number: int) -> None:
    handler.send(*right(body), cut=40)


def empty(handler: Paid, body: dict[str, Any], number: int) -> None:
    with handler.server.lock:
        handler.server.paid += 1
    handler.hang_up()


def no_json(handler: Paid, body: dict[str, Any], number: int) -> None:
    handler.send(200, "gateway")


@pytest.mark.parametrize("reply", [cut_body, empty, no_json])
def test_what_never_came_whole_is_paid_for_and_the_cap_holds_over_restarts(reply: Reply, endpoint: Any, inputs: Inputs) -> None:
    endpoint.reply = reply
    budget = 40 * CALL
    for _ in range(4):
        inputs.run(*flags(inputs, "--budget", str(budget), "--max-retries", "2"))
    # each at what its texts come to, which is less than this endpoint counts
    assert endpoint.paid > 0 and endpoint.paid * CALL * 0.75 <= budget + 4 * CALL
    if (inputs.out / "summary.json").exists():
        assert spent(inputs) <= budget


def test_a_restart_does_not_spend_the_budget_anew(endpoint: Any, inputs: Inputs) -> None:
    budget = 7 * CALL
    codes = [inputs.run(*flags(inputs, "--budget", str(budget))) for _ in range(3)]
    assert codes == [6, 6, 6] and 0 < endpoint.paid * CALL <= budget and spent(inputs) == pytest.approx(endpoint.paid * CALL)
    inputs.run(*flags(inputs, "--budget", str(100 * CALL)))
    assert inputs.summary()["usage"]["judge_calls"] == endpoint.paid and spent(inputs) == pytest.approx(endpoint.paid * CALL)
    inputs.run(*flags(inputs, "--budget", str(100 * CALL), "--fresh"))
    assert spent(inputs) == 0  # started over, and every answer was in the cache


def started(inputs: Inputs, *more: str) -> subprocess.Popen[bytes]:
    code = "import sys; from judge.cli import execute; sys.exit(execute(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *inputs.arguments(*flags(inputs, *more))]
    return subprocess.Popen(command, cwd=Path(__file__).parent.parent, stderr=subprocess.PIPE, start_new_session=True)


def waited(until: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_killed_again_and_again_nothing_paid_is_forgotten(endpoint: Any, inputs: Inputs) -> None:
    """Without a cache beside the folder, so that a killed run's answers that are not written are paid again; the cap holds all the same."""
    draw, budget = random.Random(5), 60 * CALL

    def slow(handler: Paid, body: dict[str, Any], number: int) -> None:
        time.sleep(0.02)
        handler.send(*right(body))

    endpoint.reply = slow
    for _ in range(4):
        before = endpoint.asked
        run = started(inputs, "--budget", str(budget), "--no-cache")
        most = draw.randrange(1, 12)
        waited(lambda run=run, before=before, most=most: endpoint.asked >= before + most or run.poll() is not None)
        run.kill()
        run.communicate()
    inputs.run(*flags(inputs, "--budget", str(budget), "--no-cache"))
    assert endpoint.paid * CALL <= budget + 4 * CALL
    usage = inputs.summary()["usage"]
    lost = endpoint.paid - round(usage["usd"] / CALL)  # calls that were paid and of which a killed run kept no reply
    assert usage["lost_usd"] >= lost * CALL * 0.75  # each at what its texts come to, which is less than this endpoint counts


@pytest.mark.parametrize(
    "state",
    [
        lambda handler, body, number: handler.send(429, {"error": {"message": "later"}}, {"retry-after": "300"}),
        lambda handler, body, number: handler.send(*right(body)) if number < 4 else handler.send(429, {}, {"retry-after": "300"}),
    ],
)
def test_the_first_interrupt_ends_every_wait(state: Reply, endpoint: Any, inputs: Inputs) -> None:
    endpoint.reply = state
    run = started(inputs)
    waited(lambda: endpoint.asked >= 1 or run.poll() is not None)
    time.sleep(1.0)
    os.killpg(run.pid, signal.SIGINT)
    _, told = run.communicate(timeout=30)
    assert run.returncode == 130 and b"asks to wait 300 s" in told and b"Traceback" not in told
    endpoint.reply = lambda handler, body, number: handler.send(*right(body))
    assert inputs.run(*flags(inputs)) in (0, 1) and {line["outcome"] for line in inputs.verdicts()} == {"correct"}


def test_the_second_interrupt_ends_a_call_at_once(endpoint: Any, inputs: Inputs) -> None:
    endpoint.reply = lambda handler, body, number: time.sleep(30)
    run = started(inputs)
    waited(lambda: endpoint.asked >= 1 or run.poll() is not None)
    for _ in range(2):
        time.sleep(0.3)
        os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=20)
    assert run.returncode == 130


def test_another_endpoint_is_another_run(endpoint: Any, inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    inputs.run(*flags(inputs, "--limit", "2"))
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://localhost:{endpoint.server_port}/v1")
    assert inputs.run(*flags(inputs, "--limit", "2")) == 2 and "judge endpoint" in capsys.readouterr().err


def test_a_query_of_the_base_url_goes_with_every_request(endpoint: Any, inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []

    def note(handler: Paid, body: dict[str, Any], number: int) -> None:
        paths.append(handler.path)
        handler.send(200, completion("correct" if "correct" in json.dumps(body["response_format"]) else "within_scope"))

    endpoint.reply = note
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{endpoint.server_port}/v1/?api-version=1&tenant=blue-heron")
    inputs.run(*flags(inputs, "--limit", "1"))
    assert paths and set(paths) == {"/v1/chat/completions?api-version=1&tenant=blue-heron"}
    assert "blue-heron" not in (inputs.out / "run.json").read_text()
