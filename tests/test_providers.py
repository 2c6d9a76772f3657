"""What providers and servers are known to do: forms refused in other words, odd replies, items refused, silence, cut prompts."""

import asyncio
import json
import logging
from typing import Any

import pytest
from judge_stub import GOOD, FakeTime, Server, called, completion, error, opened, question

from judge.errors import EndpointError
from judge.llm.exchange import REFUSED_IN_A_ROW
from judge.llm.judge import Judge
from judge.records import Answer
from judge.results.models import is_other_model, model_findings
from tests.tables import table

TEXT = json.dumps(GOOD)


def ask(server: Server, *texts: str, time: FakeTime | None = None, **changes: Any) -> tuple[list[Answer], Judge]:
    """The answers to questions that are asked one after the other, after a first one that is about good words."""

    async def run() -> tuple[list[Answer], Judge]:
        async with opened(server, time, **changes) as judge:
            return [await judge.ask(question(text)) for text in texts], judge

    return asyncio.run(run())


def reply(content: Any, **message: Any) -> Answer:
    """The answer that a reply of this content gives when it is the only one, re-asked in vain."""
    return ask(Server(completion(content, **message)), "words")[0][0]


def said(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"], ensure_ascii=False)


# ---- a form of answer that is refused -----------------------------------------------------------------------------------

SHAPE_REFUSALS = [
    error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
    error(400, "response_schema is not supported for this model"),
    error(400, "deepseek-reasoner does not support Json Output."),
    error(404, "No endpoints found that support the requested parameters. Structured outputs are needed."),
    error(404, "No endpoints found that support tool use. Try another model."),
    error(422, "grammar error: guided decoding backend failed"),
    error(400, "Bad Request"),
    error(422, "Unprocessable Entity"),
    error(500, "Internal Server Error"),
    error(500, "response_format is unknown to this server"),
    error(501, "Not implemented"),
]


@pytest.mark.parametrize("refusal", SHAPE_REFUSALS)
def test_a_refused_form_of_answer_is_left_within_three_requests(refusal: Any) -> None:
    def answer(body: dict[str, Any]) -> Any:
        is_schema = body.get("response_format", {}).get("type") == "json_schema"
        return refusal if is_schema else called(GOOD) if "tools" in body else completion(GOOD)

    server = Server(by=answer)
    answers, judge = ask(server, "words", "other words")
    assert [a.verdict for a in answers] == ["supports"] * 2
    assert len(server.bodies) <= 4 and judge.fingerprint()["models"][0]["mode"] == "tools"


@pytest.mark.parametrize("refusal", [error(500, "crash"), error(400, "Bad Request"), error(400, "tools and response_format are unknown")])
def test_an_endpoint_that_takes_no_form_at_all_gets_the_schema_in_the_prompt(refusal: Any) -> None:
    server = Server(by=lambda body: refusal if len(body) > 2 else completion(GOOD))
    answers, judge = ask(server, "words", "other words")
    assert [a.verdict for a in answers] == ["supports"] * 2 and judge.fingerprint()["models"][0]["mode"] == "prompt"
    assert len(server.bodies) <= 6


def test_a_form_that_is_refused_later_is_left_for_that_item_alone() -> None:
    def answer(body: dict[str, Any]) -> Any:
        if "odd" in said(body) and "response_format" in body:
            return error(404, "No endpoints found that support response_format")
        return called(GOOD) if "tools" in body else completion(GOOD)

    server = Server(by=answer)
    answers, judge = ask(server, "good", "odd words", "good words")
    assert [a.verdict for a in answers] == ["supports"] * 3 and judge.fingerprint()["models"][0]["mode"] == "json_schema"
    assert ["response_format" in body for body in server.bodies] == [True, True, False, True]


@pytest.mark.parametrize("code", ["json_validate_failed", "tool_use_failed"])
def test_a_reply_that_the_endpoint_could_not_make_is_asked_for_again(code: str) -> None:
    seen: list[str] = []

    def answer(body: dict[str, Any]) -> Any:
        seen.append(said(body))
        return error(400, "Failed to generate JSON. See failed_generation.", code=code) if seen.count(seen[-1]) < 2 else completion(GOOD)

    assert ask(Server(by=answer), "words")[0][0].verdict == "supports"
    never = Server(by=lambda body: error(400, "See failed_generation", code=code) if "odd" in said(body) else completion(GOOD))
    answers, _ = ask(never, "good", "odd words", "good words")
    assert [a.error for a in answers] == [None, "schema", None]


@pytest.mark.parametrize("told", table("providers", "without_a_system_role_its_text_stands_before_the_question"))
def test_without_a_system_role_its_text_stands_before_the_question(told: str) -> None:
    server = Server(by=lambda body: error(400, told) if body["messages"][0]["role"] == "system" else completion(GOOD))
    answers, judge = ask(server, "words", "other words")
    assert [a.verdict for a in answers] == ["supports"] * 2 and len(server.bodies) == 3
    (message,) = server.bodies[-1]["messages"]
    assert message["role"] == "user" and message["content"].index("You review") < message["content"].index("other words")
    assert judge.fingerprint()["models"][0]["dropped"] == ["system role"]


# ---- refusals of one item ---------------------------------------------------------------------------------------------

ITEM_REFUSALS = [
    (error(400, "Invalid prompt: flagged as potentially violating our usage policy", code="invalid_prompt"), "content_filter"),
    (error(400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192"), "truncated"),
    (error(400, "prompt is too long: 9000 tokens > 8192 maximum"), "truncated"),
    (error(400, "Please reduce the length of the messages or completion."), "truncated"),
    (error(413, "Request too large"), "truncated"),
    (error(400, "something nobody knows"), "transport"),
    (error(403, "moderated"), "transport"),
    (error(404, "no route"), "transport"),
]


@pytest.mark.parametrize(("refusal", "cause"), ITEM_REFUSALS)
def test_a_refusal_after_a_good_reply_is_that_items(refusal: Any, cause: str) -> None:
    server = Server(by=lambda body: refusal if "odd" in said(body) else completion(GOOD))
    answers, _ = ask(server, "good", "odd words", "good words")
    assert [a.error for a in answers] == [None, cause, None] and len(server.bodies) == 3


def test_many_refusals_in_a_row_are_the_endpoints() -> None:
    server = Server(by=lambda body: error(400, "gone") if "odd" in said(body) else completion(GOOD))
    few = [f"odd {n}" for n in range(REFUSED_IN_A_ROW - 1)]
    answers, _ = ask(server, "good", *few, "good words", *few)
    assert sum(a.error == "transport" for a in answers) == 2 * len(few)
    with pytest.raises(EndpointError, match="gone"):
        ask(server, "good", *few, "odd last")


@pytest.mark.parametrize("refusal", [error(401, "no"), error(402, "pay"), error(429, "x", code="insufficient_quota")])
def test_a_lost_key_or_quota_ends_the_run_at_once(refusal: Any) -> None:
    server = Server(by=lambda body: refusal if "odd" in said(body) else completion(GOOD))
    with pytest.raises(EndpointError):
        ask(server, "good", "odd words")


def test_one_of_many_that_start_together_does_not_end_the_run() -> None:
    server = Server(by=lambda body: error(400, "odd") if "odd" in said(body) else completion(GOOD))

    async def run() -> list[Answer]:
        async with opened(server) as judge:
            return list(await asyncio.gather(*(judge.ask(question(text)) for text in ("odd words", "good words", "more words"))))

    assert [a.error for a in asyncio.run(run())] == ["transport", None, None]


# ---- forms of a reply -------------------------------------------------------------------------------------------------

OTHER = json.dumps({**GOOD, "verdict": "does_not_support"})


@pytest.mark.parametrize(("content", "message"), table("providers", "forms_of_one_clear_reply"))
def test_forms_of_one_clear_reply(content: Any, message: dict[str, Any]) -> None:
    answer = reply(content, **message)
    assert (answer.verdict, answer.error) == ("supports", None)


def test_arguments_of_a_function_as_an_object() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": GOOD}}
    assert reply(None, tool_calls=[call]).verdict == "supports"


@pytest.mark.parametrize(
    "content",
    [
        f"{TEXT}\n{OTHER}",
        f"<think>{TEXT}</think> so {TEXT} or {OTHER}",
        "<think>hm</think>",
        f"<think>{OTHER} {TEXT}",
        f"<think>First I thought {OTHER}, but no.</think>\n{TEXT}",
        f"<|channel|>analysis<|message|>{OTHER}<|end|><|channel|>final<|message|>{TEXT}",
        f"An example would be {OTHER}. My answer:\n```\n{TEXT}\n```",
    ],
)
def test_what_is_not_clear_is_no_verdict(content: str) -> None:
    assert reply(content).error == "schema"


# ---- cuts -------------------------------------------------------------------------------------------------------------


def cut(content: str = "", tokens: int = 512) -> Any:
    return completion(content, finish="length", tokens=(100, tokens))


def test_a_reasoning_model_under_a_low_default_is_given_more_and_then_the_flag_is_named() -> None:
    server = Server(cut(), cut(tokens=2048), completion(GOOD))
    assert ask(server, "words")[0][0].verdict == "supports"
    assert [body.get("max_tokens") for body in server.bodies] == [None, 2048, 8192]
    (answer,), _ = ask(Server(cut()), "words")
    assert answer.error == "truncated" and "--max-tokens" in answer.error_detail


def test_the_output_cap_holds_for_every_request_and_is_named() -> None:
    server = Server(cut())
    (answer,), _ = ask(server, "words", max_output_tokens=1500, max_tokens=400)
    assert [body["max_tokens"] for body in server.bodies] == [400, 1500] and "--max-output-tokens" in answer.error_detail
    capped = Server(cut())
    ask(capped, "words", max_output_tokens=1500)
    assert [body["max_tokens"] for body in capped.bodies] == [1500]


def test_white_space_without_end_is_not_asked_for_again() -> None:
    server = Server(cut('{"evidence": ' + "\n" * 5000, tokens=16384))
    (answer,), _ = ask(server, "words")
    assert answer.error == "truncated" and "--max-output-tokens" in answer.error_detail and len(server.bodies) == 1


def test_a_prompt_that_the_server_cut_silently_is_an_error_and_no_verdict() -> None:
    long = "The borrower shall pay the fee on each date. " * 120
    server = Server(completion(GOOD, tokens=(512, 20)))
    (answer,), judge = ask(server, long)
    assert (answer.verdict, answer.error) == (None, "truncated") and "cuts silently" in answer.error_detail
    assert len(server.bodies) == 1 and judge.usage.judge_calls == 1
    assert ask(Server(completion(GOOD, tokens=(2600, 20))), long)[0][0].verdict == "supports"
    assert ask(Server(completion(GOOD, tokens=(0, 0))), long)[0][0].verdict == "supports"  # counts nothing
    assert ask(Server(completion(GOOD, tokens=(1200, 20))), "word" + " " * 4000 + "word")[0][0].verdict == "supports"


@pytest.mark.parametrize("counted", [300, 600, 820])
def test_a_short_prompt_that_was_cut_is_found_by_the_whole_request(counted: int) -> None:
    (answer,), _ = ask(Server(completion(GOOD, tokens=(counted, 20))), "words")
    assert (answer.verdict, answer.error) == (None, "truncated")


def test_what_a_server_counts_of_whole_prompts_tells_a_smaller_cut() -> None:
    long = "The borrower shall pay the fee on each date. " * 110

    def counting(body: dict[str, Any]) -> Any:
        size = sum(len(message["content"]) for message in body["messages"])
        return completion(GOOD, tokens=(min(size // 4, 1700), 20))  # its context ends at 1,700 tokens

    answers, _ = ask(Server(by=counting), "words", "other words", long)
    assert [answer.error for answer in answers] == [None, None, "truncated"]


def test_a_server_that_counts_only_what_it_had_not_kept_is_believed() -> None:
    read: set[str] = set()

    def counting(body: dict[str, Any]) -> Any:
        texts = [message["content"] for message in body["messages"]]
        size = sum(len(text) for text in texts if text not in read)
        read.add(texts[0])
        return completion(GOOD, tokens=(size // 4, 20))

    long = "The borrower shall pay the fee on each date. " * 60
    assert [answer.verdict for answer in ask(Server(by=counting), "words", long, long + "again")[0]] == ["supports"] * 3


@pytest.mark.parametrize(("asked", "returned", "is_other"), table("providers", "another_model_than_asked_is_told_from_a_dated_name"))
def test_another_model_than_asked_is_told_from_a_dated_name(asked: str, returned: str, is_other: bool) -> None:
    assert is_other_model(asked, returned) == is_other


def test_another_model_is_a_finding_and_a_change_is_said() -> None:
    (answer,), _ = ask(Server(completion(GOOD, model="tiny-0.5b")), "words")
    assert [finding.code for finding in answer.findings] == ["OTHER_MODEL"] and "tiny-0.5b" in answer.findings[0].detail
    told = "; ".join(
        text
        for _, text in model_findings({"models": [{"model": "stub", "returned": ["stub-1", "stub-2"]}, {"model": "m", "returned": ["x"]}]})
    )
    assert (
        told
        == "stub changed during the run: it answered as stub-1, stub-2; m was asked, x answered: its verdicts are those of another model"
    )


def test_the_first_question_of_a_rubric_goes_alone() -> None:
    server, in_flight = Server(0.01), list[int]()

    async def run() -> None:
        async with opened(server, concurrency=8) as judge:
            asked = [asyncio.create_task(judge.ask(question(f"words {n}"))) for n in range(6)]
            while not all(task.done() for task in asked):
                await asyncio.sleep(0)
                in_flight.append(server.in_flight)

    asyncio.run(run())
    assert in_flight[: in_flight.index(0, in_flight.index(1))].count(1) and max(in_flight[: in_flight.index(0, in_flight.index(1))]) == 1
    assert len(server.bodies) == 6 and server.most_in_flight > 1


# ---- silence ----------------------------------------------------------------------------------------------------------


def test_one_slow_answer_is_paid_for_twice_at_most() -> None:
    server = Server(by=lambda body: 5.0 if "slow" in said(body) else completion(GOOD))
    answers, judge = ask(server, "good", "slow words", timeout=0.02)
    assert answers[1].error == "timeout" and "--timeout" in answers[1].error_detail and len(server.bodies) == 3
    assert judge.usage.judge_calls == 1


def test_a_wait_past_the_deadline_is_said_and_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    time, server = FakeTime(), Server(by=lambda body: error(429, retry_after="3600") if "odd" in said(body) else completion(GOOD))
    with caplog.at_level(logging.WARNING, "judge.llm"):
        answers, _ = ask(server, "good", *(f"odd {n}" for n in range(9)), "good words", time=time, deadline=600)
    assert [a.error for a in answers] == [None, *["transport"] * 9, None] and sum(time.slept) < 60
    assert len(caplog.records) == 1 and "asks to wait 3600 s" in caplog.text


def test_a_wait_within_the_deadline_is_said_and_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    time, server = FakeTime(), Server(error(429, retry_after="60"), completion(GOOD))
    assert ask(server, "words", time=time)[0][0].verdict == "supports" and 60 <= sum(time.slept) < 62
    assert "asks to wait 60 s: waiting" in caplog.text


# ---- further parts of a request ---------------------------------------------------------------------------------------


def test_further_parameters_are_sent_and_tell_judges_apart() -> None:
    server = Server(completion(GOOD))
    sent = {"reasoning_effort": "low", "extra_body": {"provider": {"only": ["x"]}, "top_k": 1}}
    _, judge = ask(server, "words", **sent)
    assert (
        server.bodies[0]["reasoning_effort"] == "low" and server.bodies[0]["provider"] == {"only": ["x"]} and server.bodies[0]["top_k"] == 1
    )
    plain = ask(Server(completion(GOOD)), "words")[1].fingerprint()
    assert judge.fingerprint()["models"][0]["parameters"] == sent
    assert judge.fingerprint()["rubrics"]["quote_support"]["hash"] != plain["rubrics"]["quote_support"]["hash"]


@pytest.mark.parametrize("part", ["reasoning_effort", "top_k"])
def test_a_further_part_that_is_rejected_is_left_out(part: str) -> None:
    server = Server(by=lambda body: error(400, f"Unrecognized request argument supplied: {part}") if part in body else completion(GOOD))
    answers, judge = ask(server, "words", reasoning_effort="low", extra_body={"top_k": 1})
    assert answers[0].verdict == "supports" and judge.fingerprint()["models"][0]["dropped"] == [part]
