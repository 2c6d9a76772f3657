from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.records import NOT_REQUIRED, Excepted, Item
from judge.report.wording import gate_figure, gate_result
from judge.results.gates import EXIT_CODES, Ending, Tally, case_bounds, rule
from judge.results.lines import OUTCOMES, Gate
from rubrics.contract import load_contract, parse_contract
from tests.tables import table

CONTRACT = load_contract()
F = Fraction


def item(outcome: str = "correct", worst: Any = None, best: Any = None, weight: Any = 1, **changes: Any) -> Item:
    score = F(CONTRACT.label_scores.get(outcome, F(0)))
    found = {"is_required": changes.pop("needs_provenance", False), "complete": changes.pop("is_complete", False)}
    provenance = replace(NOT_REQUIRED, is_open=changes.pop("is_provenance_open", False), **found)
    ends = (float(score if worst is None else F(worst)), float(score if best is None else F(best)))
    name = changes.pop("field", None)
    excepted = Excepted("a", "b", "2030-01-01") if changes.pop("is_excepted", False) else None
    return Item("c", "x", f"fields.{name}" if name else "covenants.x", None, OUTCOMES[outcome], None, ends, F(weight), provenance,
                "deterministic", "r", "why", exception=excepted, **changes)  # fmt: skip


def gate(tally: Tally, name: str, scope: str = "all") -> Gate:
    return next(g for g in tally.gates() if (g.name, g.scope) == (name, scope))


def tally_of(*cases: list[Item], capability: str = "covenant_monitoring", **options: Any) -> Tally:
    tally = Tally(CONTRACT, **options)
    for n, items in enumerate(cases):
        tally.add_case(f"c{n}", capability, F(1), items)
    return tally


def score_gate(tally: Tally, capability: str = "covenant_monitoring") -> Gate:
    return gate(tally, "capability_score", capability)


def test_a_case_is_the_exact_weighted_mean() -> None:
    assert case_bounds([item(weight=3), item("partial", weight="3/2"), item("fail")]) == (F(15, 22), F(15, 22))


def test_a_hallucination_anywhere_zeroes_the_case_even_while_items_are_open() -> None:
    fabricated_extra = item("hallucination", weight=0)
    assert case_bounds([item(), fabricated_extra]) == (0, 0)
    assert case_bounds([item("hallucination"), item("undecided", 0, 1)]) == (0, 0)


def test_what_may_become_a_hallucination_pulls_the_worst_to_zero() -> None:
    assert case_bounds([item(), item("undecided", 0, 1, can_hallucinate=True)]) == (0, 1)
    assert case_bounds([item(), item("fail", can_hallucinate=True)]) == (0, F(1, 2))


def test_a_case_with_nothing_to_score_is_whole() -> None:
    assert case_bounds([item("extra", 0, 0, weight=0)]) == (1, 1)
    assert case_bounds([item("extra", 0, 0, weight=0), item("hallucination", weight=0)]) == (0, 0)


@pytest.mark.parametrize(("partials", "result"), [(3, "pass"), (4, "fail")])
def test_085_exactly_passes(partials: int, result: str) -> None:
    tally = tally_of([item("partial")] * partials + [item()] * (10 - partials))
    assert score_gate(tally).result == result


@pytest.mark.parametrize(("open_items", "fails", "result"), [(1, 0, "pass"), (2, 0, "inconclusive"), (1, 2, "fail")])
def test_gates_use_the_bounds(open_items: int, fails: int, result: str) -> None:
    items = [item("undecided", 0, 1)] * open_items + [item("fail")] * fails + [item()] * (10 - open_items - fails)
    found = score_gate(tally_of(items))
    assert found.result == result and found.value is None and found.bounds is not None


def test_cases_weigh_what_gold_says() -> None:
    tally = Tally(CONTRACT)
    tally.add_case("a", "document_qa", F(3), [item()])
    tally.add_case("b", "document_qa", F(1), [item("fail")])
    assert score_gate(tally, "document_qa").value == F(3, 4)


def test_a_field_is_the_mean_over_cases_of_the_mean_over_its_items() -> None:
    tranches = [item(field="margin"), item("fail", field="margin")]
    tally = tally_of([*tranches, item(field="margin")], [item("fail", field="margin")], [item("fail")], capability="loan_onboarding")
    assert gate(tally, "tier1_field_score", "margin").value == 1 / 3
    assert gate(tally, "tier1_field_score", "borrower").result == "not_applicable"


@pytest.mark.parametrize(("name", "changes", "counts"), table("gates", "what_counts_for_a_field"))
def test_what_counts_for_a_field(name: str, changes: dict[str, Any], counts: bool) -> None:
    other = replace(item("fail", **changes), item=name)
    tally = tally_of([item(field="margin")], [other], capability="loan_onboarding")
    assert gate(tally, "tier1_field_score", "margin").value == (0.5 if counts else 1.0)


def test_a_case_that_was_not_reached_leaves_its_fields_open_with_exceptions_too() -> None:
    tally = tally_of([item("fail", field="margin", is_excepted=True)], capability="loan_onboarding")
    tally.add_skipped("loan_onboarding", F(2))
    found = gate(tally, "tier1_field_score", "margin")
    assert (found.bounds, found.result) == ((0.0, 0.5), "inconclusive")
    assert score_gate(tally, "loan_onboarding").bounds == (0.0, 2 / 3)


def test_an_exception_does_not_change_what_was_judged() -> None:
    tally = tally_of([item()], [item("fail", is_excepted=True)], [item("fail", is_excepted=True)])
    found = score_gate(tally)
    assert (found.value, found.value_with_exceptions) == (1 / 3, 1.0)


def test_a_gate_that_passes_by_exception_shows_its_range_while_items_are_open() -> None:
    found = score_gate(tally_of([item(), item("undecided", 0, 1), *[item("fail", is_excepted=True)] * 8]))
    assert (found.bounds, found.bounds_with_exceptions, found.is_by_exception) == ((0.1, 0.2), (0.9, 1.0), True)
    assert (gate_figure(found), gate_result(found)) == ("0.100 to 0.200 (0.900 to 1.000 with exceptions)", "pass by exception")


def test_only_the_item_itself_is_accepted() -> None:
    tally = tally_of([item("fail", is_excepted=True, needs_provenance=True), item("fail", needs_provenance=True)])
    found, provenance = score_gate(tally), gate(tally, "provenance_completeness")
    assert (found.value, found.value_with_exceptions, found.is_by_exception) == (0.0, 0.5, False)
    assert (provenance.value, provenance.value_with_exceptions) == (0.0, 0.5)
    untouched = gate(tally, "hallucination_rate")
    assert untouched.value_with_exceptions is None and score_gate(tally_of([item()])).value_with_exceptions is None


def test_a_run_in_which_everything_is_open_has_no_hallucination() -> None:
    found = gate(tally_of([item("undecided", 0, 1)]), "hallucination_rate")
    assert (found.value, found.bounds, found.result) == (None, (0.0, 0.0), "pass")


def test_what_a_tally_counts() -> None:
    tally = Tally(CONTRACT)
    items = [item(), item("hallucination", weight=0), item("extra", 0, 0, weight=0), item("undecided", 0, 1), item("judge_error", 1, 1)]
    result = tally.add_case("a", "loan_onboarding", F(1), items)
    assert tally.counts == {
        "items": 5,
        "scored": 2,
        "extra": 1,
        "undecided": 1,
        "judge_error": 1,
        "open": 2,
        "hallucinated": 1,
        "internal_error": 0,
    }
    assert result.is_hallucinated and not tally.add_case("b", "document_qa", F(1), [item(), item("fail")]).is_hallucinated
    assert set(tally.scores) == set(tally.cases) == {"loan_onboarding", "document_qa"}
    tally.add_case("c", "document_qa", F(1), [item("undecided", 0, 1, can_hallucinate=True)] * 2 + [item("hallucination")])
    assert (tally.made_up["document_qa"], tally.may_be_made_up["document_qa"], tally.may_be_made_up["loan_onboarding"]) == (1, 2, 0)


def test_hallucination_rate_counts_scored_items_and_fabricated_extras() -> None:
    tally = tally_of([item(), item("hallucination"), item("extra", 0, 0, weight=0), item("hallucination", weight=0)])
    found = gate(tally, "hallucination_rate")
    assert found.value == 2 / 3 and found.result == "fail"


def test_hallucination_rate_leaves_open_items_out_until_they_are_scored() -> None:
    found = gate(tally_of([item(), item("hallucination"), item("undecided", 0, 1), item("judge_error", 0, 1)]), "hallucination_rate")
    assert found.value == F(1, 2) and found.bounds == (F(1, 2), F(1, 4)) and found.result == "fail"
    may = gate(tally_of([item(), item("hallucination"), item("undecided", 0, 1, can_hallucinate=True)]), "hallucination_rate")
    assert may.value == F(1, 2) and may.bounds == (2 / 3, 1 / 3)


def test_hallucination_rate_is_open_while_something_may_be_one() -> None:
    assert gate(tally_of([item(), item("undecided", 0, 1, can_hallucinate=True)]), "hallucination_rate").result == "inconclusive"
    assert gate(tally_of([item(), item("undecided", 0, 1)]), "hallucination_rate").result == "pass"


@pytest.mark.parametrize(("complete", "result"), [(9, "pass"), (8, "fail")])
def test_provenance_counts_every_reported_output_extras_included(complete: int, result: str) -> None:
    items = [item(needs_provenance=True, is_complete=True)] * complete
    items += [item("extra", 0, 0, weight=0, needs_provenance=True)] * (10 - complete) + [item("fail")]
    assert gate(tally_of(items), "provenance_completeness").result == result


def test_refusals_are_gold_unanswerable_questions_only() -> None:
    cases = [item("grounded_refusal", is_unanswerable=True)], [item("fail", is_unanswerable=True)], [item("fail")]
    tally = tally_of(*cases, capability="document_qa")
    assert gate(tally, "grounded_refusal_accuracy", "document_qa").value == F(1, 2)


def test_without_gold_only_fabrication_and_provenance_apply() -> None:
    tally = tally_of([item("undecided", 0, 1, weight=0), item("hallucination", weight=0)], has_gold=False)
    assert score_gate(tally).result == "not_applicable"
    assert gate(tally, "hallucination_rate").value == F(1, 2)


def test_an_exception_passes_a_gate_visibly_and_never_covers_a_hallucination() -> None:
    bad = [item("fail", is_excepted=True, needs_provenance=True)] + [item(needs_provenance=True, is_complete=True)] * 4
    found = score_gate(tally_of(bad))
    assert (found.value, found.value_with_exceptions, found.result, found.is_by_exception) == (0.8, 1.0, "pass", True)
    assert gate(tally_of(bad), "provenance_completeness").result == "pass"
    assert score_gate(tally_of([item("hallucination", is_excepted=True), item()])).result == "fail"


def test_cases_that_were_not_reached_leave_gates_open() -> None:
    tally = tally_of([item(needs_provenance=True, is_complete=True)])
    tally.add_skipped("covenant_monitoring", F(1))
    assert score_gate(tally).bounds == (F(1, 2), F(1)) and score_gate(tally).result == "inconclusive"
    assert gate(tally, "hallucination_rate").result == "inconclusive"
    assert gate(tally, "provenance_completeness").result == "inconclusive"


def ruled(tally: Tally, **ending: Any) -> tuple[str, int]:
    found = rule(tally, tally.gates(), Ending(**ending))
    return found.verdict, found.exit_code


GOOD, BAD, OPEN, BROKEN = [item()], [item("fail")], [item("undecided", 0, 1)], [item("judge_error", 1, 1)]
ITEMS = {"good": GOOD, "bad": BAD, "open": OPEN, "broken": BROKEN, "invented": [item("hallucination")]}


def items_of(names: str) -> list[Item]:
    return [one for name in names.split() for one in ITEMS[name]]


@pytest.mark.parametrize(("items", "ending", "verdict"), table("gates", "one_ruling"))
def test_one_ruling_for_verdict_and_exit_code(items: str, ending: dict[str, Any], verdict: str) -> None:
    assert ruled(tally_of(items_of(items)), **ending) == (verdict, EXIT_CODES[verdict])  # type: ignore[index]


def test_the_exit_codes_are_those_of_the_interface() -> None:
    assert EXIT_CODES == {
        "pass": 0, "fail": 1, "judge_errors": 3, "inconclusive": 4, "nothing_evaluated": 5, "budget_reached": 6, "interrupted": 130,
    }  # fmt: skip


@pytest.mark.parametrize(("allowed", "verdict"), [(F(1, 4), "pass"), (F(1, 5), "judge_errors"), (F(0), "judge_errors")])
def test_just_the_allowed_share_of_judge_errors_passes(allowed: F, verdict: str) -> None:
    assert ruled(tally_of([item()] * 3 + BROKEN), max_judge_errors=allowed)[0] == verdict


@pytest.mark.parametrize(("items", "ending", "words"), table("gates", "the_reasons_of_a_ruling"))
def test_the_ruling_names_its_reasons(items: str, ending: dict[str, Any], words: list[str]) -> None:
    tally = tally_of(items_of(items))
    why = rule(tally, tally.gates(), Ending(**ending)).why
    assert all(word in why for word in words) and ("baseline" in why) == bool(ending), why


def test_an_internal_error_is_never_a_pass_whatever_is_allowed() -> None:
    broken = replace(item("judge_error", 1, 1), item="internal_error")
    assert ruled(tally_of([broken]), max_judge_errors=F(1)) == ("judge_errors", 3)


def test_nothing_evaluated_is_never_a_pass() -> None:
    assert ruled(Tally(CONTRACT)) == ("nothing_evaluated", 5)
    assert ruled(Tally(CONTRACT), is_empty_allowed=True) == ("nothing_evaluated", 0)
    tally = tally_of([item()])
    tally.add_skipped("covenant_monitoring", F(1))
    assert ruled(tally) == ("inconclusive", 4)


SCORED = st.sampled_from(["correct", "partial", "fail", "semantic_match"])
CLOSED = st.builds(item, SCORED, weight=st.integers(1, 3))


@given(st.lists(CLOSED, min_size=1, max_size=8), st.lists(st.integers(1, 3), max_size=3), st.data())
@settings(max_examples=80, deadline=None)
def test_whatever_open_items_become_lies_within_the_bounds(closed: list[Item], weights: list[int], data: st.DataObject) -> None:
    undecided = [item("undecided", 0, 1, weight=w, can_hallucinate=True) for w in weights]
    settled = [item(data.draw(st.sampled_from(["correct", "partial", "fail", "hallucination"])), weight=w) for w in weights]
    before, after = case_bounds(closed + undecided), case_bounds(closed + settled)
    assert before[0] <= after[0] == after[1] <= before[1]
    open_gate, closed_gate = score_gate(tally_of(closed + undecided)), score_gate(tally_of(closed + settled))
    assert open_gate.result in ("inconclusive", closed_gate.result)


def companion_tally(basis: str) -> Tally:
    change = f'version = "mine"\nextends = "companion-1.0"\n[gates]\nbasis = "{basis}"'
    return Tally(parse_contract(change, "mine.toml"))


@pytest.mark.parametrize(
    ("basis", "names"),
    [("standard", {"capability_score"}), ("companion", {"companion_score"}), ("both", {"capability_score", "companion_score"})],
)
def test_which_score_of_a_capability_is_gated(basis: str, names: set[str]) -> None:
    tally = companion_tally(basis)
    tally.add_skipped("document_qa", F(1))
    found = {g.name for g in tally.gates() if g.scope == "document_qa" and g.name != "grounded_refusal_accuracy"}
    assert found == names
    assert all(g.result == "inconclusive" and g.bounds == (0.0, 1.0) for g in tally.gates() if g.scope == "document_qa" and g.name in names)
    others = [g for g in tally.gates() if g.scope == "covenant_monitoring" and g.name in names]
    assert [g.result for g in others] == ["not_applicable"] * len(names)


def test_an_exception_counts_for_the_companion_score_and_leaves_what_was_judged() -> None:
    missed, right = ({name: (F(score), F(score)) for name in ("D1", "D2", "D3", "D4")} for score in (0, 1))
    items = [item("fail", is_excepted=True, dimensions=missed)] * 3 + [item(dimensions=right)]
    tally = companion_tally("companion")
    tally.add_case("c0", "covenant_monitoring", F(1), [replace(one, capability="covenant_monitoring") for one in items])
    found = gate(tally, "companion_score", "covenant_monitoring")
    assert found.value is not None and found.value < 0.85
    assert (found.value_with_exceptions, found.result, found.is_by_exception) == (1.0, "pass", True)
