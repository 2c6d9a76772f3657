"""Votes: majority, quorum, spread kept, and no verdict out of failures or ties."""

import pytest

from judge.llm.faults import Fault
from judge.llm.panel import Vote, combined_answer
from judge.llm.replies import Reply


def vote(model: str, verdict: str | None, repeat: int = 0, probability: float | None = None) -> Vote:
    if verdict is None:
        return Vote(model, repeat, None, Fault("timeout", "retry", "no reply within 1 s"))
    return Vote(model, repeat, Reply(verdict, f"evidence of {model}", "because", f"{model}-1", probability))


def test_one_vote_is_the_answer_with_its_probability() -> None:
    answer = combined_answer([vote("a", "same", probability=0.75)], None)
    assert (answer.verdict, answer.confidence, answer.model, answer.by, answer.votes) == ("same", 0.75, "a-1", "llm", ())


def test_one_failure_is_an_error_with_its_cause() -> None:
    answer = combined_answer([vote("a", None)], None)
    assert (answer.verdict, answer.error, answer.error_detail) == (None, "timeout", "no reply within 1 s")


def test_a_panel_has_the_verdict_of_most_and_shows_who_disagrees() -> None:
    answer = combined_answer([vote("a", "same"), vote("b", "different"), vote("c", "same")], None)
    assert (answer.verdict, answer.by, answer.confidence) == ("same", "panel", pytest.approx(2 / 3))
    assert answer.votes == (("a", "same"), ("b", "different"), ("c", "same")) and answer.evidence == "evidence of a"
    assert [finding.code for finding in answer.findings] == ["PANEL_DISAGREES"]
    assert combined_answer([vote("a", "same"), vote("b", "same")], None).findings == ()


def test_a_tie_or_three_ways_is_undecided() -> None:
    for verdicts in (["same", "different"], ["same", "different", "cannot_determine"], ["same", "different", "x", "same"]):
        answer = combined_answer([vote(str(n), v) for n, v in enumerate(verdicts)], None)
        assert answer.verdict == "cannot_determine" and "disagree" in answer.reasoning


def test_too_few_votes_are_an_error_never_a_verdict() -> None:
    answer = combined_answer([vote("a", "same"), vote("b", None), vote("c", None)], None)
    assert (answer.verdict, answer.error) == (None, "quorum") and "1 of 3" in answer.error_detail
    assert combined_answer([vote("a", "same"), vote("b", None), vote("c", None)], 1).verdict == "same"
    assert combined_answer([vote("a", "same"), vote("b", "same"), vote("c", None)], 3).error == "quorum"


def test_repeats_take_the_majority_and_say_that_they_were_flaky() -> None:
    answer = combined_answer([vote("a", "same"), vote("a", "different", 1), vote("a", "same", 2)], None)
    assert (answer.verdict, answer.by, answer.confidence) == ("same", "llm", pytest.approx(2 / 3))
    assert answer.votes[1] == ("a#2", "different")
    assert answer.findings[0].code == "FLAKY" and "different 1, same 2" in answer.findings[0].detail


def test_repeats_of_which_most_failed_have_the_failures_cause() -> None:
    answer = combined_answer([vote("a", "same"), vote("a", None, 1), vote("a", None, 2)], None)
    assert (answer.verdict, answer.error) == (None, "timeout")
