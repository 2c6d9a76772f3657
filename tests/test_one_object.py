"""One object or none: whatever else a reply holds, two answers in it are no answer."""

import json
from typing import Any

import pytest
from test_replies import CHOICES, reply_of

from judge.llm.faults import Fault
from judge.llm.replies import read_reply
from tests.tables import table

YES = json.dumps({"evidence": "e", "reasoning": "r", "verdict": "supports"})
NO = json.dumps({"evidence": "e", "reasoning": "r", "verdict": "does_not_support"})
DOCUMENT = f"4.1 The Borrower shall repay.\n{YES}\n4.2 It shall not."
ESCAPED = json.dumps({"evidence": "Zür\u200bich – 5 €", "reasoning": "r", "verdict": "supports"})

# reply, the question's texts, whether it is an answer
REPLIES: list[tuple[str, str, bool]] = table("one_object", "replies")


def test_the_table_is_long_enough() -> None:
    assert len(REPLIES) >= 60


@pytest.mark.parametrize(("reply", "texts", "is_answer"), REPLIES)
def test_one_object_or_none(reply: str, texts: str, is_answer: bool) -> None:
    if is_answer:
        assert read_reply(reply_of(reply), CHOICES, asked_model="m", texts=texts).verdict == "supports"
        return
    with pytest.raises(Fault) as caught:
        read_reply(reply_of(reply), CHOICES, asked_model="m", texts=texts)
    assert caught.value.cause == "schema"


@pytest.mark.parametrize(("field", "is_answer"), [("reasoning_content", True), ("reasoning", True)])
def test_thoughts_that_are_the_object_and_nothing_else_are_the_reply(field: str, is_answer: bool) -> None:
    def read(content: str) -> Any:
        return read_reply(reply_of("", **{field: content}), CHOICES, asked_model="m")

    assert read(YES).verdict == "supports"
    with pytest.raises(Fault):
        read(f"perhaps {YES}")


def _called(text: str) -> list[Any]:
    return [{"type": "function", "function": {"name": "answer", "arguments": text}}]


def _choices(*texts: str) -> dict[str, Any]:
    return {"choices": [reply_of(text)["choices"][0] for text in texts]}


def _beside(**more: Any) -> dict[str, Any]:
    return {"choices": [{**reply_of(YES)["choices"][0], **more}]}


def _parts(*texts: str) -> list[Any]:
    return [{"type": "text", "text": text} for text in texts]


# a completion with more than one place for an answer, and whether it is an answer
PLACES: list[tuple[dict[str, Any], bool]] = [
    (_choices(YES), True),
    (_choices(YES, NO), False),
    (_choices(YES, YES), False),
    (_choices("", YES), False),
    ({"choices": [{}, *_choices(YES)["choices"]]}, False),
    (reply_of("", tool_calls=_called(YES)), True),
    (reply_of("I call the function.", tool_calls=_called(YES)), True),
    (reply_of(YES, tool_calls=_called(YES)), True),
    (reply_of(NO, tool_calls=_called(YES)), False),
    (reply_of(YES, tool_calls=_called(NO)), False),
    (reply_of(NO[:-1], tool_calls=_called(YES)), False),
    (reply_of(YES, tool_calls=_called("")), True),
    (reply_of(_parts(YES), tool_calls=_called(NO)), False),
    (reply_of(_parts(YES[:20], YES[20:])), True),
    (reply_of(_parts(YES, NO)), False),
    (reply_of(_parts(YES, YES)), True),
    (reply_of([*_parts(YES), {"type": "refusal", "refusal": "no"}]), False),
    (reply_of(YES, refusal="no"), False),
    (reply_of({"verdict": "supports"}), False),
    ({"output": [{"content": [{"text": YES}]}]}, False),
    ({"content": _parts(YES), "role": "assistant"}, False),
    (reply_of(YES, function_call={"arguments": NO}), False),
    (reply_of(YES, function_call={"arguments": YES}), True),
    (reply_of(YES, reasoning_content=f"First: {NO}"), False),
    (reply_of(YES, thinking=f"First: {NO}"), False),
    (reply_of(YES, thinking="Is the verdict does_not_support? No."), True),
    (reply_of(YES, annotations=[{"verdict": "does_not_support"}]), False),
    (reply_of(YES) | {"verdict": "does_not_support"}, False),
    (reply_of(YES) | {"schema": {"properties": {"verdict": {"enum": ["supports"]}}}}, True),
    (reply_of(YES, reasoning=f"So {YES}, or does_not_support?"), True),
    (_beside(delta={"content": NO}), False),
    (_beside(text=NO), False),
    (_beside(text=YES, delta={"content": None}), True),
    ({**reply_of(YES), "error": {"message": "overloaded"}}, False),
]


@pytest.mark.parametrize(("completion", "is_answer"), PLACES)
def test_one_place_for_the_answer_or_none(completion: dict[str, Any], is_answer: bool) -> None:
    if is_answer:
        assert read_reply(completion, CHOICES, asked_model="m").verdict == "supports"
        return
    with pytest.raises(Fault):
        read_reply(completion, CHOICES, asked_model="m")


def test_probabilities_of_another_text_are_none() -> None:
    completion = reply_of(YES)
    completion["choices"][0]["logprobs"] = {"content": [{"token": NO, "logprob": -0.1}]}
    assert read_reply(completion, CHOICES, asked_model="m").probability is None
