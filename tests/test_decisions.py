"""How checks become labels: worst of parts, best of citations, one question at a time, bounds."""

from hypothesis import given
from hypothesis import strategies as st

from judge.capabilities.decisions import best_part, bounds, by_verdict, closed, decided_by, non_outcome, opened, worst_part
from judge.records import SEVERITY, Answer, Finding, NonOutcome, Outcome, Part, Question
from rubrics import load_contract

SCORES = load_contract().label_scores
ASKED = Question.of("semantic_match", field="x", reported="a", gold="b", context="")
OTHER = Question.of("quote_support", field="x", claim="a", quote="b", passage="")
BRANCHES = {"equivalent": closed(Outcome.SEMANTIC_MATCH, "same", "1.1"), "not_equivalent": closed(Outcome.HALLUCINATION, "invented", "1.1")}
outcomes = st.sampled_from(list(Outcome))
parts = st.builds(lambda a, b: Part(max(a, b, key=SEVERITY.__getitem__), min(a, b, key=SEVERITY.__getitem__), "r", "1"), outcomes, outcomes)


def test_worst_of_closed_parts_decides_with_everybodys_findings():
    part = worst_part(
        [closed(Outcome.CORRECT, "value right", "1.1", Finding("A")), closed(Outcome.PARTIAL, "wrong page", "5.2", Finding("B"))]
    )
    assert (part.best, part.worst, part.reason) == (Outcome.PARTIAL, Outcome.PARTIAL, "wrong page")
    assert {f.code for f in part.findings} == {"A", "B"}


def test_an_open_check_that_cannot_change_the_label_costs_no_question():
    support = by_verdict(
        {}, OTHER, {"supports": closed(Outcome.CORRECT, "s", "5"), "does_not_support": closed(Outcome.FAIL, "d", "5")}, "open", "5"
    )
    part = worst_part([closed(Outcome.FAIL, "wrong value", "1.1"), support])
    assert (part.best, part.is_open, part.questions) == (Outcome.FAIL, False, ())


def test_a_fail_that_may_still_become_a_hallucination_stays_open_and_is_asked():
    part = worst_part([closed(Outcome.FAIL, "no citation", "5.2"), by_verdict({}, ASKED, BRANCHES, "open", "1.1")])
    assert part.is_open and part.questions == (ASKED,)
    assert (part.worst, part.best) == (Outcome.HALLUCINATION, Outcome.FAIL)
    assert bounds(part, SCORES) == (0, 0)


def test_questions_are_asked_one_check_at_a_time_in_the_order_of_the_checks():
    first = by_verdict({}, ASKED, BRANCHES, "open", "1.1")
    second = by_verdict(
        {}, OTHER, {"supports": closed(Outcome.CORRECT, "s", "5"), "does_not_support": closed(Outcome.FAIL, "d", "5")}, "o", "5"
    )
    assert worst_part([first, second]).questions == (ASKED,)


def test_verdicts_close_a_part_and_say_who_decided():
    part = by_verdict({ASKED: Answer("equivalent")}, ASKED, BRANCHES, "open", "1.1")
    assert (part.best, decided_by(part)) == (Outcome.SEMANTIC_MATCH, "llm")
    assert decided_by(worst_part([closed(Outcome.CORRECT, "x", "1"), part])) == "llm"
    assert decided_by(closed(Outcome.CORRECT, "x", "1")) == "deterministic"


def test_cannot_determine_is_undecided_and_a_failure_is_a_judge_error_never_a_verdict():
    unsure = by_verdict({ASKED: Answer("cannot_determine")}, ASKED, BRANCHES, "open", "1.1")
    failed = by_verdict({ASKED: Answer(None, error="timeout")}, ASKED, BRANCHES, "open", "1.1")
    off_menu = by_verdict({ASKED: Answer("certainly")}, ASKED, BRANCHES, "open", "1.1")
    assert non_outcome(unsure) is NonOutcome.UNDECIDED and non_outcome(failed) is NonOutcome.JUDGE_ERROR
    for part in (unsure, failed, off_menu):
        assert part.is_open and part.questions == () and (part.worst, part.best) == (Outcome.HALLUCINATION, Outcome.SEMANTIC_MATCH)


def test_best_of_several_citations_counts():
    wrong_page, right = closed(Outcome.PARTIAL, "wrong page", "5.2"), closed(Outcome.CORRECT, "right", "5.1")
    assert best_part([wrong_page, right]).reason == "right"
    unknown = opened(Outcome.FAIL, Outcome.CORRECT, "unreadable", "5.1", "unreadable")
    assert not best_part([unknown, right]).is_open
    assert best_part([unknown, wrong_page]).is_open


@given(st.lists(parts, min_size=1, max_size=5))
def test_bounds_of_a_combination_hold_for_every_way_its_parts_can_turn_out(some):
    worst, best = worst_part(some), best_part(some)
    assert SEVERITY[worst.worst] == max(SEVERITY[p.worst] for p in some)
    assert SEVERITY[worst.best] == max(SEVERITY[p.best] for p in some)
    assert SEVERITY[best.worst] == min(SEVERITY[p.worst] for p in some)
    assert SEVERITY[best.best] == min(SEVERITY[p.best] for p in some)
    assert bounds(worst, SCORES)[0] <= bounds(worst, SCORES)[1]
