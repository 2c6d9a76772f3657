"""Judging through the provider's batch API, against a loopback server that speaks its endpoints."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from batch_server import BatchServer, Body, completion, serving
from engine_samples import Inputs, break_off, open_answers

from judge.llm.batches import Batches


def right(body: Body) -> tuple[int, Body]:
    """Correct, and within the document."""
    choices = body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"]
    wanted = next(c for c in ("correct", "within_scope", "supports", "reflected", "paraphrase") if c in choices)
    return 200, completion(wanted)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return open_answers(tmp_path / "in", 5)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving(right) as plays:
        yield plays


def judged(inputs: Inputs, *more: str) -> int:
    return inputs.run("--judge", "batch-model", "--judge-mode", "batch", "--batch-poll", "0.01", *more)


def outcomes(inputs: Inputs) -> list[str]:
    return sorted(line["outcome"] for line in inputs.verdicts())


def failing(first: int) -> Callable[[Body], tuple[int, Body]]:
    """Fails at the questions about one matter the first so many times."""
    seen = [0]

    def answer(body: Body) -> tuple[int, Body]:
        if "Matter 3" in json.dumps(body["messages"]) and seen[0] < first:
            seen[0] += 1
            return 400, {"error": {"message": "planned", "type": "x"}}
        return right(body)

    return answer


def test_questions_go_as_batches_round_by_round_and_every_case_is_settled(inputs: Inputs, server: BatchServer) -> None:
    assert judged(inputs) in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5 and not server.single
    assert all(line["decided_by"] == "llm" for line in inputs.verdicts())
    assert len(server.batches) >= 1 and len(server.asked) == inputs.summary()["usage"]["judge_calls"]
    assert all(batch["endpoint"] == "/v1/chat/completions" for batch in server.batches.values())


def test_the_verdicts_are_those_of_single_calls(inputs: Inputs, server: BatchServer) -> None:
    judged(inputs)
    batched = sorted(inputs.verdicts(), key=lambda line: line["case_id"])
    asked = len(server.asked)
    inputs.run("--judge", "batch-model", "--fresh", "--no-cache")
    assert sorted(inputs.verdicts(), key=lambda line: line["case_id"]) == batched
    assert len(server.single) == asked


def test_money_is_counted_at_the_share_of_the_price(inputs: Inputs, server: BatchServer, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["batch-model"]\ninput = 1000\noutput = 1000\n')
    judged(inputs, "--prices", str(prices))
    calls = inputs.summary()["usage"]["judge_calls"]
    assert inputs.summary()["usage"]["usd"] == pytest.approx(calls * 2.1 / 2)


def test_the_budget_holds_before_a_batch_is_sent(inputs: Inputs, server: BatchServer, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["batch-model"]\ninput = 1000\noutput = 1000\n')
    assert judged(inputs, "--prices", str(prices), "--budget", "2.5") == 6
    assert 0 < inputs.summary()["usage"]["usd"] <= 2.5 and len(server.asked) < 5
    assert inputs.summary()["counts"]["undecided"] > 0


def test_what_a_batch_failed_at_is_a_judge_error_and_asked_again_by_the_next_run(inputs: Inputs, server: BatchServer) -> None:
    server.answer = failing(1)
    assert judged(inputs) == 3
    assert outcomes(inputs).count("judge_error") == 1 and outcomes(inputs).count("correct") == 4
    paid = len(server.asked)
    assert judged(inputs) in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5 and not server.single
    assert all("Matter 3" in json.dumps(body) for body in server.asked[paid:])


def test_single_calls_take_over_when_asked_to(inputs: Inputs, server: BatchServer) -> None:
    server.answer = failing(1)
    assert judged(inputs, "--batch-fallback") in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5 and len(server.single) == 1


def test_an_expired_batch_keeps_what_it_answered(inputs: Inputs, server: BatchServer) -> None:
    server.is_expired = True
    assert judged(inputs) == 3
    assert outcomes(inputs).count("judge_error") >= 1
    server.is_expired = False
    judged(inputs)
    assert outcomes(inputs) == ["correct"] * 5


def test_an_answer_lost_at_creation_makes_no_second_batch(inputs: Inputs, server: BatchServer) -> None:
    server.lost = 1
    assert judged(inputs) in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5
    files = [batch["input_file_id"] for batch in server.batches.values()]
    assert len(files) == len(set(files)) and len(server.asked) == inputs.summary()["usage"]["judge_calls"]


def test_a_killed_run_goes_on_with_the_batches_that_it_sent(inputs: Inputs, server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    async def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Batches, "_wait", die)
        with pytest.raises(Killed):
            judged(inputs)
    sent = len(server.asked)
    assert sent == 5 and not inputs.verdicts()
    state = json.loads((inputs.out / "batches" / "batches.json").read_text())
    assert state[0]["batch_id"] == "batch-1"
    assert judged(inputs) in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5
    assert len(server.asked) == inputs.summary()["usage"]["judge_calls"]


def test_without_a_cache_answers_are_kept_in_the_result_folder(inputs: Inputs, server: BatchServer) -> None:
    judged(inputs, "--no-cache")
    assert outcomes(inputs) == ["correct"] * 5 and not (inputs.folder / "cache" / "answers").exists()


def test_a_provider_without_batches_is_said_and_nothing_is_judged(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert judged(inputs, "--max-retries", "0") == 3
    assert inputs.summary()["counts"]["cases"] == 0


def test_with_a_cluster_it_is_refused(inputs: Inputs) -> None:
    assert judged(inputs, "--engine", "ray") == 2


def test_a_parameter_that_a_batch_is_refused_for_is_left_out_in_the_next_round(inputs: Inputs, server: BatchServer) -> None:
    def answer(body: Body) -> tuple[int, Body]:
        if "temperature" in body:
            return 400, {"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}}
        return right(body)

    server.answer = answer
    assert judged(inputs, "--temperature", "0.5") in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5 and not server.single
    assert json.loads((inputs.out / "run.json").read_text())["judge"]["models"][0]["dropped"] == ["temperature"]


def test_a_form_of_answer_that_a_batch_is_refused_for_is_left_in_the_next_round(inputs: Inputs, server: BatchServer) -> None:
    def answer(body: Body) -> tuple[int, Body]:
        if "response_format" in body:
            return 400, {"error": {"message": "response_format json_schema is not supported"}}
        text = json.dumps(body["tools"])
        wanted = next(c for c in ("within_scope", "correct", "supports") if f'"{c}"' in text)
        call = {"name": "answer", "arguments": json.dumps({"evidence": "words", "reasoning": "Because.", "verdict": wanted})}
        made = completion(wanted)
        made["choices"][0]["message"] = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": call}],
        }
        return 200, made

    server.answer = answer
    assert judged(inputs) in (0, 1)
    assert outcomes(inputs) == ["correct"] * 5 and not server.single
    assert json.loads((inputs.out / "run.json").read_text())["judge"]["models"][0]["mode"] == "tools"


def test_a_refusal_that_nothing_mends_is_a_judge_error_after_one_round(inputs: Inputs, server: BatchServer) -> None:
    server.answer = lambda body: (400, {"error": {"message": "response_format and tools are unknown"}})
    assert judged(inputs) == 3 and outcomes(inputs) == ["judge_error"] * 5
    assert len(server.asked) <= 5 * 6 and not server.single  # a round for each form, and one for the second question of each case


BATCH = {"file": "batch-0001.jsonl", "model": "m", "requests": 1, "mark": "x"}
KEY = "test-key-9f3k2m8q"
ODD: dict[str, Body] = {
    "another state": {"status": ["a"]},
    "no state": {"status": None},
    "errors that are a text": {"status": "failed", "errors": KEY},
    "an id that is longer than an address": {"status": "completed", "output_file_id": "f" * 80_000},
    "errors of other kinds": {"status": "failed", "errors": {"data": [1, None, {"message": KEY}]}},
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_batch_of_another_shape_is_told_without_the_key(
    inputs: Inputs, server: BatchServer, odd: Body, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(server, "look", lambda number: {**server.batches[number], **odd})
    assert judged(inputs, "--max-retries", "0") == 3
    said = capfd.readouterr()
    assert "internal error" not in said.err and "9f3k2m8q" not in said.out + said.err


def test_two_results_for_one_request_that_differ_are_none(inputs: Inputs, server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    upload, verdicts = server.upload, iter(range(10_000))

    def twice(content: bytes) -> Body:
        again = b"" if b'"url"' in content else b"\n" + content.replace(b"Because.", b"Because %d." % next(verdicts))
        return upload(content + again)

    monkeypatch.setattr(server, "upload", twice)
    assert judged(inputs) == 3 and outcomes(inputs) == ["judge_error"] * 5


def test_a_result_that_is_nested_without_end_is_none(inputs: Inputs, server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    upload, deep = server.upload, b"[" * 900 + b"]" * 900

    def nested(content: bytes) -> Body:
        return upload(content if b'"url"' in content else content.replace(b'"body": {', b'"body": {"more": ' + deep + b", "))

    monkeypatch.setattr(server, "upload", nested)
    assert judged(inputs) == 3 and outcomes(inputs) == ["judge_error"] * 5


@pytest.mark.parametrize("edit", [{"file": "../../gold.jsonl"}, {"file": "/etc/hosts"}, {"usd": -1e9}, {"usd": float("nan")}], ids=str)
def test_an_edited_list_of_batches_sends_no_other_file_and_lifts_no_budget(inputs: Inputs, server: BatchServer, edit: Body) -> None:
    assert judged(inputs) in (0, 1)
    (inputs.out / "batches" / "batches.json").write_text(json.dumps([{**BATCH, **edit}]))
    break_off(inputs.out)
    (inputs.out / "verdicts.jsonl").write_text("")
    sent = len(server.files)
    assert judged(inputs) == 2 and len(server.files) == sent
