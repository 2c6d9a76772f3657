"""What a reply must be to count: the schema field alone decides, everything else is an error with a cause."""

import json
import math
from typing import Any

import pytest

from judge.llm.faults import Fault
from judge.llm.replies import read_reply, verdict_probability
from tests.tables import table

CHOICES = ("supports", "does_not_support", "cannot_determine")
GOOD = {"evidence": "e", "reasoning": "r", "verdict": "supports"}


def reply_of(content: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


def read(completion: Any) -> Any:
    return read_reply(completion, CHOICES, asked_model="m")


@pytest.mark.parametrize("content", table("replies", "one_object_is_read_however_it_is_wrapped"))
def test_one_object_is_read_however_it_is_wrapped(content: Any) -> None:
    reply = read(reply_of(content))
    assert (reply.verdict, reply.evidence, reply.reasoning, reply.model) == ("supports", "e", "r", "m-1")


def test_arguments_of_a_function_call_are_read() -> None:
    call = {"function": {"name": "answer", "arguments": json.dumps(GOOD)}}
    assert read(reply_of(None, "tool_calls", tool_calls=[call])).verdict == "supports"
    with pytest.raises(Fault, match="more than once"):
        read(reply_of(None, "tool_calls", tool_calls=[call, call]))


@pytest.mark.parametrize(("content", "told"), table("replies", "what_is_not_exactly_one_answer_is_a_schema_fault"))
def test_what_is_not_exactly_one_answer_is_a_schema_fault(content: Any, told: str) -> None:
    with pytest.raises(Fault) as caught:
        read(reply_of(content))
    assert (caught.value.cause, caught.value.remedy) == ("schema", "reask") and told in caught.value.detail


@pytest.mark.parametrize("verdict", ["Supports", " supports", "supports.", "", "maybe", "equivalent", "true", "1"])
def test_a_verdict_off_the_menu_is_never_guessed_at(verdict: str) -> None:
    with pytest.raises(Fault) as caught:
        read(reply_of(json.dumps({**GOOD, "verdict": verdict})))
    assert (caught.value.cause, caught.value.remedy) == ("off_menu", "reask")


@pytest.mark.parametrize(
    ("completion", "cause", "remedy"),
    [
        (reply_of(None, refusal="I will not."), "refusal", "give_up"),
        (reply_of(json.dumps(GOOD), "content_filter"), "content_filter", "give_up"),
        (reply_of('{"evidence": "e', "length"), "truncated", "longer"),
        (reply_of('{"evidence": "' + " " * 200, "length"), "truncated", "longer"),
        (reply_of("x" * 400 + " " * 300, "length"), "truncated", "longer"),
        (reply_of('{"evidence": "' + "\n" * 201, "length"), "truncated", "give_up"),  # white space without end
        ("<html>gateway</html>", "transport", "retry"),
        ({"error": {"message": "overloaded"}}, "transport", "retry"),
        ({"choices": []}, "transport", "retry"),
        (None, "transport", "retry"),
    ],
)
def test_other_ends_have_their_own_cause(completion: Any, cause: str, remedy: str) -> None:
    with pytest.raises(Fault) as caught:
        read(completion)
    assert (caught.value.cause, caught.value.remedy) == (cause, remedy)


def test_probability_is_that_of_the_verdicts_own_tokens() -> None:
    text = json.dumps(GOOD)
    start = text.rindex("supports")
    tokens = [{"token": c, "logprob": -0.5 if start <= at < start + 8 else -9.0} for at, c in enumerate(text)]
    assert verdict_probability({"content": tokens}, text, "supports") == pytest.approx(math.exp(-4.0))
    assert verdict_probability({"content": tokens[1:]}, text, "supports") is None
    assert verdict_probability(None, text, "supports") is None
    assert verdict_probability({"content": []}, text, "supports") is None
    assert verdict_probability({"content": tokens}, text, "refutes") is None
    pieces = [{"token": piece, "logprob": -1.0} for piece in (text[:start], text[start : start + 3], text[start + 3 :])]
    assert verdict_probability({"content": pieces}, text, "supports") == pytest.approx(math.exp(-2.0)), (
        "the quote before it is not the verdict's"
    )


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        '{"evidence":' * 100_000,
        "{" * 150_000,
        "```" + " " * 100_000,
        "```json\n" * 20_000,
        json.dumps({**GOOD, "evidence": "e" * 300_000}),
        '{"evidence": "e", "reasoning": "r", "verdict": ' + "9" * 6000 + "}",
    ],
)
def test_a_reply_made_to_exhaust_the_reader_is_a_schema_error(content: str) -> None:
    with pytest.raises(Fault) as caught:
        read(reply_of(content))
    assert caught.value.cause == "schema" and len(caught.value.detail) <= 400


@pytest.mark.parametrize("call", [None, 5, {}, {"function": None}, {"function": {"arguments": ["supports"]}}])
def test_a_function_call_of_another_shape_is_a_schema_error(call: Any) -> None:
    with pytest.raises(Fault, match="empty"):
        read(reply_of(None, "tool_calls", tool_calls=[call]))


@pytest.mark.parametrize(
    ("told", "shown"), [({"a": 1}, "m"), (None, "m"), ("", "m"), ("x" * 10**6, "x" * 200), ("a\x1b[2J\n\ud800b", "a\\x1b[2J \\ud800b")]
)
def test_a_models_name_is_one_bounded_line(told: Any, shown: str) -> None:
    assert read(reply_of(json.dumps(GOOD)) | {"model": told}).model == shown


@pytest.mark.parametrize("logprob", [1e9, math.nan, -math.inf, "x", None])
def test_absurd_log_probabilities_never_leave_0_to_1(logprob: Any) -> None:
    text = json.dumps(GOOD)
    found = verdict_probability({"content": [{"token": text, "logprob": logprob}]}, text, "supports")
    assert found is None or 0.0 <= found <= 1.0


def test_lone_surrogates_of_a_model_do_not_reach_a_file() -> None:
    reply = read(reply_of('{"evidence": "\\ud83d\\ude00 \\ud83d", "reasoning": "\\udfff", "verdict": "supports"}'))
    assert (reply.verdict, reply.evidence, reply.reasoning) == ("supports", "\U0001f600 ?", "?")


def test_what_the_model_checked_is_kept_before_its_reasons() -> None:
    assert read(reply_of(json.dumps({**GOOD, "checks": ["same page", "same sum"]}))).reasoning == "same page\nsame sum\nr"


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_a_reply_that_a_server_takes_for_thoughts_is_read(name: str) -> None:
    assert read(reply_of(" ", **{name: json.dumps(GOOD)})).verdict == "supports"
    assert read(reply_of(json.dumps(GOOD), **{name: "not this"})).verdict == "supports"


@pytest.mark.parametrize(("braces", "told"), [(49, None), (50, "many braces")])
def test_an_object_is_looked_for_in_a_bounded_number_of_places(braces: int, told: str | None) -> None:
    text = "{" * braces + " " + json.dumps(GOOD)
    if told is None:
        assert read(reply_of(text)).verdict == "supports"
        return
    with pytest.raises(Fault, match=told):
        read(reply_of(text))


def test_log_probabilities_of_another_text_than_the_one_sent_are_left_out() -> None:
    completion = reply_of(json.dumps(GOOD))
    completion["choices"][0]["logprobs"] = {"content": [{"token": json.dumps(GOOD), "logprob": -0.25}]}
    assert read(completion).probability == pytest.approx(math.exp(-0.25))
    assert read_reply(completion, CHOICES, asked_model="m", has_meaning=False).probability is None
