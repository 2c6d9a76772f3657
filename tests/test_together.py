"""--together: an item's next question goes along with its first in one request, each with a verdict and a key of its own."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from judge.cli import execute
from judge.llm.prompt import Forms, render_both
from judge.records import Question
from tests.judge_stub import GOOD, Server, completion, opened, question

MATCH = Question.of("semantic_match", field="Charge", reported="0.7", gold="0.70", context="Charge is 0.7.")
SUPPORT = question()
SAME = {"evidence": "Charge", "reasoning": "They agree.", "verdict": "equivalent"}
BOTH = {"first": SAME, "second": GOOD}


def asked(server: Server, **changes: Any) -> list[str | None]:
    """The verdicts of the first question and of the one that went along."""

    async def run() -> list[str | None]:
        async with opened(server, together=True, **changes) as judge:
            await judge.ask(question("By which it is known how the endpoint takes questions."))
            judge.bring(MATCH, SUPPORT)
            return [(await judge.ask(one)).verdict for one in (MATCH, SUPPORT)]

    return asyncio.run(run())


def test_two_questions_cost_one_request(tmp_path: Path) -> None:
    server = Server(completion(GOOD), completion(BOTH))
    assert asked(server) == ["equivalent", "supports"]
    assert len(server.bodies) == 2
    schema = server.bodies[1]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["first", "second"]


def test_a_text_of_both_stands_once_and_each_keeps_its_rules_and_menu() -> None:
    forms = Forms(())
    form = forms["semantic_match"].beside(forms["quote_support"])
    prompt = render_both(form, (MATCH, SUPPORT))
    assert prompt.user.count("Field\nCharge\n") == 1
    assert "First question: " in prompt.user and "Second question: " in prompt.user
    for one in ("semantic_match", "quote_support"):
        assert forms[one].rubric.question in form.system and " | ".join(forms[one].rubric.choices) in prompt.user
    other = render_both(form, (MATCH, question(field="Fee")))
    assert "Field\nCharge\n" in other.user and "Field (second question)\nFee\n" in other.user


@pytest.mark.parametrize(
    "reply",
    [
        {"first": SAME},
        {"first": SAME, "second": {**GOOD, "verdict": "equivalent"}},
        {**BOTH, "third": GOOD},
        json.dumps(BOTH)[:-1] + ', "first": ' + json.dumps({**SAME, "verdict": "not_equivalent"}) + "}",
        SAME,
        '{"first": ' + "[" * 100_000,
    ],
)
def test_without_a_usable_reply_for_both_each_goes_alone(reply: Any) -> None:
    def by(body: dict[str, Any]) -> Any:
        name = body["response_format"]["json_schema"]["name"]
        return completion({"semantic_match": SAME, "quote_support": GOOD}.get(name, reply))

    server = Server(by=by)
    assert asked(server) == ["equivalent", "supports"]
    assert [body["response_format"]["json_schema"]["name"] for body in server.bodies][-2:] == ["semantic_match", "quote_support"]


def test_what_went_along_with_words_that_stand_nowhere_is_asked_alone() -> None:
    invented = {**GOOD, "evidence": "the moon is made of green cheese"}

    def by(body: dict[str, Any]) -> Any:
        return completion(GOOD if body["response_format"]["json_schema"]["name"] == "quote_support" else {**BOTH, "second": invented})

    server = Server(by=by)
    assert asked(server) == ["equivalent", "supports"]
    assert len(server.bodies) == 3


def test_both_are_kept_and_none_counts_for_a_judge_that_asks_alone(tmp_path: Path) -> None:
    server = Server(completion(GOOD), completion(BOTH))
    asked(server, cache_dir=tmp_path)
    assert asked(Server(), cache_dir=tmp_path) == ["equivalent", "supports"]
    alone = Server(completion(SAME), completion(GOOD))

    async def prints() -> list[Any]:
        found = []
        for together in (False, True):
            async with opened(alone, together=together, cache_dir=tmp_path) as judge:
                if not together:
                    await judge.ask(MATCH)
                assert judge.free_answer(MATCH) is not None
                found.append(judge.fingerprint()["rubrics"]["semantic_match"])
        return found

    first, second = asyncio.run(prints())
    assert len(alone.bodies) == 1 and first["version"] == second["version"] and first["hash"] != second["hash"]


@pytest.mark.parametrize("more", [["--engine", "ray"], ["--judge-mode", "batch"]])
def test_it_is_for_calls_from_here(more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.jsonl").write_text("")
    given = [str(tmp_path / "b.jsonl"), "--no-gold", "--documents", str(tmp_path), "--out", str(tmp_path / "o")]
    assert execute(["run", *given, "--judge", "m", "--together", *more]) == 2
    assert "--together" in capsys.readouterr().err
