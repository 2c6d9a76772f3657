"""The judge's evidence is looked for in the texts: folded, in pieces, asked for once more, and named when it is nowhere."""

import asyncio
from typing import Any

import pytest

from judge.llm.prompt import Forms, render
from judge.llm.replies import is_found
from judge.records import Answer
from tests.judge_stub import GOOD, Server, completion, opened, question
from tests.tables import table

PROMPT = render(Forms(())["quote_support"], question("The  Lessee’s “Hire” is\npayable monthly in arrear.", passage="7.1 Hire"))


@pytest.mark.parametrize(("evidence", "found"), table("evidence", "words_in_a_row_are_looked_for_whatever_their_marks"))
def test_words_in_a_row_are_looked_for_whatever_their_marks(evidence: str, found: bool) -> None:
    assert is_found(PROMPT, "supports", evidence) is found
    assert is_found(PROMPT, "cannot_determine", evidence)


def one(server: Server, **changes: Any) -> Answer:
    """The answer to one question."""

    async def run() -> Answer:
        async with opened(server, **changes) as judge:
            return await judge.ask(question())

    return asyncio.run(run())


INVENTED = GOOD | {"evidence": "the lessor pays the hire every quarter"}


def test_evidence_that_is_nowhere_is_asked_for_once_more_and_the_last_verdict_counts() -> None:
    server = Server(completion(INVENTED), completion(GOOD | {"verdict": "does_not_support"}))
    answer = one(server)
    assert (answer.verdict, answer.evidence, answer.findings) == ("does_not_support", "Charge", ())
    assert [message["role"] for message in server.bodies[1]["messages"]] == ["system", "user", "assistant", "user"]


def test_evidence_that_stays_invented_is_a_finding_beside_the_verdict() -> None:
    server = Server(completion(INVENTED), completion(INVENTED))
    answer = one(server)
    assert answer.verdict == "supports" and [finding.code for finding in answer.findings] == ["EVIDENCE_NOT_FOUND"]
    assert len(server.bodies) == 2


def test_a_second_reply_that_is_none_leaves_the_first() -> None:
    server = Server(completion(INVENTED), completion({}, refusal="no"))
    assert one(server).verdict == "supports"
