"""`judge doctor` says what was found, and fails when no answer came."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result
from judge_stub import GOOD, Server, completion, error

from judge.commands.preparing import doctor
from judge.errors import EndpointError, UsageError
from judge.llm.judge import Judge

ANSWER = {**GOOD, "verdict": "equivalent"}


def run(monkeypatch: pytest.MonkeyPatch, server: Server | None, *arguments: str) -> Result:
    if server is not None:
        opened = Judge.open
        monkeypatch.setattr(Judge, "open", lambda settings: opened(settings, transport=server.transport))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-123456")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://stub.test/v1")
    return CliRunner().invoke(doctor.command, arguments, standalone_mode=False)


def test_one_real_call_and_what_it_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(completion(ANSWER, model="gpt-4.1-mini-2025-04-14"))
    result = run(monkeypatch, server, "--judge", "gpt-4.1-mini", "--temperature", "0")
    assert result.return_value == 0 and len(server.bodies) == 1
    for told in (
        "endpoint: http://stub.test/v1 (compatible), API key set",
        "asked gpt-4.1-mini, returned gpt-4.1-mini-2025-04-14",
        "structured output: json_schema",
        "USD",
        "verdict: equivalent",
    ):
        assert told in result.output
    assert "secret" not in result.output


def test_the_same_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(body: dict[str, Any]) -> Any:
        return error(400, "no", param="temperature") if "temperature" in body else completion(ANSWER)

    result = run(monkeypatch, Server(by=reply), "--judge", "m", "--temperature", "0.5", "--json")
    found = json.loads(result.output)
    assert found["models"][0]["dropped"] == ["temperature"] and found["verdict"] == "equivalent" and found["is_priced"] is False


def test_no_answer_is_exit_code_3(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, Server(completion(None, refusal="no")), "--judge", "m")
    assert result.return_value == 3 and "no verdict: refusal" in result.output


def test_a_refused_key_is_an_endpoint_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(run(monkeypatch, Server(error(401)), "--judge", "m").exception, EndpointError)


def test_offline_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, None, "--judge", "offline")
    assert result.return_value == 0 and "offline" in result.output


def test_a_record_that_a_run_would_need_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, None, "--judge", "offline", "--require-calibrated", "no-such-record.json")
    assert isinstance(result.exception, UsageError) and "no-such-record.json" in str(result.exception)


def test_a_picture_is_tried_once_where_pages_may_go_as_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(body: dict[str, Any]) -> Any:
        return completion({**ANSWER, "verdict": "verbatim"} if isinstance(body["messages"][1]["content"], list) else ANSWER)

    def refuses(body: dict[str, Any]) -> Any:
        return error(400, "image_url is not supported") if isinstance(body["messages"][1]["content"], list) else completion(ANSWER)

    for reply, told in (
        (reads, "pictures: taken and read"),
        (refuses, "the endpoint refuses them"),
        (lambda b: completion(ANSWER), "did not find it (it said: "),
    ):
        server = Server(by=reply)
        result = run(monkeypatch, server, "--judge", "m", "--judge-images")
        monkeypatch.undo()
        assert told in result.output and result.return_value == 0
        assert sum(isinstance(body["messages"][1]["content"], list) for body in server.bodies) >= 1
    server = Server(completion(ANSWER))
    assert "pictures" not in run(monkeypatch, server, "--judge", "m").output and len(server.bodies) == 1
