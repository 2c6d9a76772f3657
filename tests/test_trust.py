"""What lets a judge gate, rule by rule: bars, objections, doubts, the labels' tie to their run, and what a live judge is asked."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from calibration.decision.counted import LeftOut, count_items, distinct_rows, notes_on
from calibration.decision.gate import check_rate, checks_of, confused_classes, decide
from calibration.decision.objections import (
    Objection,
    Rules,
    against_changes,
    against_floors,
    against_noise,
    against_probes,
    against_replies,
    against_sources,
    measured_kinds,
    slice_checks,
    unprobed,
)
from calibration.decision.record import Running, check, compare_fingerprints
from calibration.label_files.labels import JUDGE, SWAPPED, UNUSABLE, LabelFileError, LabelledItem
from calibration.measures.probes import FAMILIES, ProbeResult, measure_probes
from calibration.measures.retest import Retest
from calibration.measures.sample import build_sample
from calibration.statistics.estimate import Estimate
from calibration.statistics.pool import Growth, Pool, hash_rank, spread
from judge.calibrate import next_steps
from judge.calibrate.assess import _held
from judge.calibrate.calls import Plan, _donor, _jobs, _with_answers, ask_live_judge, rubric_of
from judge.calibrate.certification import Certification
from judge.calibrate.choices import accepting_of
from judge.calibrate.draws import DRAW_SEED, DRAWS, Draw, draw_more, drawn_questions, hold_against, item_lines, open_draws, read_draws
from judge.calibrate.questions import Asked, JudgedRun, print_hash, read_run
from judge.calibrate.sampling import allocate
from judge.errors import EndpointError, InputError, UsageError
from judge.records import Answer, Question
from judge.results.seal import seal
from rubrics.rubric import shipped_rubric
from tests.tables import table

RULES = Rules()
OWN: Any = object()
NONE = Estimate(None)


@dataclass
class Place:
    """As much of the figures of two orders as is objected to."""

    agreement: Estimate


def rate(value: float | None, low: float | None = None, high: float | None = None, **more: Any) -> Estimate:
    return Estimate(value, low, high, **{"n": 40, "clusters": 20, **more})


def item(n: int, label: str | None = "yes", verdict: str | None = "yes", *, who: Sequence[str] = ("ann",), **more: Any) -> LabelledItem:
    readings = {JUDGE: verdict, **more.pop("said", {})}
    labels = tuple((name, label) for name in who) if label else ()
    given = {"cluster_id": f"c{n}", "inputs": (("text", f"t{n}"),), **more}
    return LabelledItem(f"i{n}", labels=labels, readings=tuple((k, v) for k, v in readings.items() if v is not None), **given)


@pytest.mark.parametrize(
    ("found", "bar", "state", "words"),
    [
        (rate(0.9, 0.8, 0.95), 0.8, "pass", "above the bar of 80%"),
        (rate(0.9, 0.79, 0.95), 0.8, "open", "lies inside"),
        (rate(0.7, 0.6, 0.8), 0.8, "open", "lies inside"),
        (rate(0.7, 0.6, 0.79), 0.8, "fail", "below the bar of 80%"),
        (rate(None, reason="no_items"), 0.8, "open", "no label of this class"),
        (rate(None, reason="single_class"), 0.8, "open", "undefined (single_class)"),
        (rate(1.0), 0.8, "open", "is of one case"),
    ],
)
def test_a_rate_against_its_bar(found: Estimate, bar: float, state: str, words: str) -> None:
    check = check_rate("recall", found, bar)
    assert check.state == state and words in check.sentence and check.sentence.startswith("recall: ")
    if found.low is None:
        assert check.labels_needed and check.cases_needed == check.labels_needed


def test_the_rate_that_is_planned_with_lies_between_the_bar_and_one() -> None:
    needed = {bar: check_rate("r", NONE, bar).labels_needed for bar in (0.8, 0.95)}
    assert needed[0.8] and needed[0.95] and needed[0.95] > 2 * needed[0.8], "a bar of 95 % is planned for with 97.5 %, not with 95 %"


def checks(*states: str, needed: int | None = 10) -> Any:
    made = [check_rate(f"r{n}", rate(0.9, 0.8, 0.95), 0.8) for n in range(len(states))]
    return [
        replace(c, state=s, labels_needed=needed if s == "open" else None, sentence=f"{c.name} {s}")
        for c, s in zip(made, states, strict=True)
    ]


LEFT = LeftOut(10, 8, 0, 0, 0, 0, 0, 3, 0, 0)


@pytest.mark.parametrize(("states", "objections", "outcome", "first"), table("trust", "anything_that_fails"))
def test_anything_that_fails_fails_and_anything_open_is_open(states: list[str], objections: list[Any], outcome: str, first: str) -> None:
    found = decide(checks(*states), [Objection(state, f"o{n}") for n, state in enumerate(objections)])
    assert (found.outcome, found.sentence) == (outcome, first)


def test_what_a_decision_says_beside_its_reasons() -> None:
    assert decide(checks("pass"), (), ["one person labelled"]).sentence.endswith("r0 pass. One person labelled.")
    both = decide(checks("open", "open"), left_out=LEFT)
    assert both.labels_needed == 20 and both.sentence.endswith("About 20 more labels are needed in all. 3 copies of items count once each.")
    assert decide(checks("open")).sentence.endswith("r0 open.") and decide(checks("open")).labels_needed == 10
    assert decide(checks("open", "open", needed=None)).labels_needed is None and decide(checks("fail", "open")).labels_needed is None
    assert decide(checks("fail", "open"), [Objection("open", "o")]).reasons == ("r0 fail", "o", "r1 open")


def sample_of(*items: LabelledItem, labels: Sequence[str] = ("yes", "no")) -> Any:
    return build_sample(items, labels)


def test_both_sides_are_checked_failures_first() -> None:
    rows = [item(n) for n in range(30)] + [item(n, "no", "no" if n < 45 else "yes") for n in range(30, 60)]
    failures, passes = checks_of(sample_of(*rows), ["yes"], RULES)
    assert ("failures caught" in failures.name, failures.rate.value, failures.state) == (True, 0.5, "fail")
    assert ("passes recognised" in passes.name, passes.rate.value, passes.state) == (True, 1.0, "pass")
    assert failures.by_case and sum(hit for hit, _ in failures.by_case) == 15
    by_class = checks_of(sample_of(*rows), [], replace(RULES, sensitivity_bar=0.9))
    assert [(c.name, c.bar, c.state) for c in by_class] == [("recall of 'yes'", 0.8, "pass"), ("recall of 'no'", 0.8, "fail")]
    assert [o.state for o in confused_classes(sample_of(*rows), RULES)] == ["fail"]


def test_a_rate_must_hold_at_worst_and_without_weights_that_were_not_held_against_a_run() -> None:
    rows = [item(n) for n in range(30)]
    doubtful = sample_of(*rows, *(item(n, "yes", None) for n in range(30, 50)), item(99, "no", "no"))
    _, passes = checks_of(doubtful, ["yes"], RULES)
    assert passes.state == "open" and "20 without a verdict" in passes.sentence
    weighed = sample_of(*rows, *(item(n, "yes", "no", weight=0.01) for n in range(30, 60)), item(99, "no", "no"))
    assert checks_of(weighed, ["yes"], RULES)[1].state == "open"


def probe(name: str, **more: Any) -> ProbeResult:
    given = {"family": name.split(":")[0], "pairs": 40, "clusters": 20, "flips": NONE, "noise": None, "excess": NONE, "change": NONE,
             "to_accept": 0, "to_refuse": 0, "p": 1.0, "detectable": None, "accepted": 0, "bound": None, "caught": None,
             "is_flagged": False}  # fmt: skip
    return ProbeResult(name, **{**given, **more})


@pytest.mark.parametrize(
    ("result", "state", "words"),
    [
        (probe("attack:x"), None, ""),
        (probe("attack:x", accepted=1), "fail", "1 of 20 cases accepted under the probe"),
        (probe("mutation:x", caught=rate(0.9, 0.8, 0.95)), None, ""),
        (probe("mutation:x", caught=rate(0.7, 0.6, 0.9)), "open", "70.0% were refused, the bar is 80%"),
        (probe("mutation:x", caught=rate(0.6, 0.5, 0.7)), "fail", "60.0% were refused"),
        (probe("mutation:x", caught=NONE), None, ""),
        (probe("harmless:x", flips=rate(0.1, 0.05, 0.2)), None, ""),
        (probe("harmless:x", flips=rate(0.2, 0.05, 0.3)), "open", "turns 20.0% of 40 verdicts, at most 10% may"),
        (probe("harmless:x", flips=rate(0.3, 0.2, 0.4)), "fail", "turns 30.0%"),
        (probe("harmless:x", flips=rate(0.3, 0.2, 0.4), excess=rate(0.05, 0.0, 0.1), is_noise_known=True), None, ""),
        (probe("harmless:x", flips=rate(0.3, 0.2, 0.4), excess=rate(0.0, 0.0, 0.1)), "fail", "turns 30.0%"),
        (probe("harmless:x", excess=rate(0.2, 0.0, 0.3), is_noise_known=True), "open", "beyond a mere repeat"),
    ],
)
def test_what_a_probe_speaks(result: ProbeResult, state: str | None, words: str) -> None:
    rows = [item(n, said={f"probe:{result.name}": "no"}) for n in range(10)]
    found = against_probes([result], sample_of(*rows), ["yes"], RULES)
    assert [o.state for o in found] == ([state] if state else []) and all(words in o.sentence for o in found)


@pytest.mark.parametrize(("family", "blanks"), [("attack", 1), ("attack", 9), ("harmless", 1), ("mutation", 1)])
def test_a_probe_has_no_blanks(family: str, blanks: int) -> None:
    rows = [item(n, said={f"probe:{family}:x": "no" if family != "harmless" else "yes"} if n >= blanks else {}) for n in range(10)]
    (result,) = measure_probes(sample_of(*rows), ["yes"])
    assert result.blanks == blanks
    assert f"{blanks} of 10 items have no verdict under the probe" in " ".join(
        o.sentence for o in against_probes([result], sample_of(*rows), ["yes"], RULES)
    )
    assert [o.state for o in against_probes([], sample_of(*rows), [], RULES)] == ["open"], "no accepting label is named"


def test_any_wrong_verdict_under_an_attack_is_wrong() -> None:
    rows = [item(n, "no", "no", said={"probe:injection_answer": "half", "probe:empty": "half"}) for n in range(10)]
    sample = build_sample(rows, ["yes", "half", "no"])
    assert [probe.accepted for probe in measure_probes(sample, ["yes"], is_ordered=True)] == [10, 10]
    assert [probe.accepted for probe in measure_probes(sample, ["yes"])] == [0, 10], "empty: nobody knows which label is the last"


def test_probes_that_nobody_tried_on_enough_cases_are_named() -> None:
    first, *others = FAMILIES
    assert unprobed([probe(first, clusters=20, family="attack")]) == tuple(others)
    assert first in unprobed([probe(first, clusters=19, family="attack")])


@pytest.mark.parametrize(
    ("moved", "states"), [(rate(0.1, 0.05, 0.2), []), (rate(0.2, 0.1, 0.3), ["open"]), (rate(0.2, 0.11, 0.3), ["fail"])]
)
def test_a_judge_that_does_not_say_the_same_twice(moved: Estimate, states: list[str]) -> None:
    retest = Retest(3, 40, NONE, moved, None, NONE, NONE)
    assert [o.state for o in against_noise(retest, None, RULES)] == states and against_noise(None, None, RULES) == []
    assert against_noise(replace(retest, flip_rate=NONE), Place(NONE), RULES) == []  # type: ignore[arg-type]
    kept = rate(1 - (moved.value or 0), 1 - (moved.high or 0), 1 - (moved.low or 0))
    assert [o.state for o in against_noise(None, Place(kept), RULES)] == states  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "silent", "fails"), [("repeat:1", 1, False), ("repeat:1", 2, True), (SWAPPED, 2, True), ("probe:attack:x", 9, False)]
)
def test_a_judge_that_falls_silent_when_asked_again(name: str, silent: int, fails: bool) -> None:
    rows = [item(n, said={name: UNUSABLE if n < silent else "yes"}) for n in range(10)]
    found = against_replies(sample_of(*rows), RULES)
    assert [o.sentence for o in found] == ([f"{silent} of 10 verdicts are none any more under {name.replace(':', ' ')}"] if fails else [])
    with_blank = against_replies(sample_of(*rows, item(10, said={})), RULES)
    assert any("1 items have no verdict of the" in o.sentence for o in with_blank) == (not name.startswith("probe"))


@pytest.mark.parametrize(("left", "rules", "words"), table("trust", "floors_of_a_sample"))
def test_floors_of_a_sample(left: dict[str, int], rules: dict[str, Any], words: str | None) -> None:
    found = against_floors(replace(LEFT, **left), sample_of(item(1), item(2, "no", "no")), replace(RULES, **rules))
    assert [o.state for o in found] == (["open"] if words else []) and all((words or "") in o.sentence for o in found)


def test_a_further_step_asks_for_what_the_widest_open_check_needs() -> None:
    checks = [
        SimpleNamespace(state=state, labels_needed=needed) for state, needed in (("open", 20), ("open", 40), ("pass", 90), ("open", None))
    ]
    assert [next_steps.further(SimpleNamespace(checks=one), 300) for one in (checks, checks[2:])] == [40, 300]  # type: ignore[arg-type]


@pytest.mark.parametrize("label", ["yes", "no"])
def test_labels_that_were_given_anew_as_the_judge_says(label: str) -> None:
    turned = [item(n, label, label, earlier=({"yes": "no", "no": "yes"}[label],)) for n in range(5)]
    rest = [item(9), item(10, "no", "no")]
    (found,) = against_changes(sample_of(*turned, *rest))
    assert found.sentence.startswith("5 labels were taken back") and against_changes(sample_of(*turned[1:], *rest)) == []


def test_labels_that_are_not_peoples_own() -> None:
    def told(*items: LabelledItem) -> str:
        return "; ".join(o.sentence for o in against_sources(sample_of(*items), None, RULES))

    copied = [item(n, "yes" if n < 20 else "no", "yes" if n < 20 else "no", who=("ann",)) for n in range(30)]
    other = [replace(one, labels=(*one.labels, ("bob", "no" if n < 5 else one.labels[0][1]))) for n, one in enumerate(copied)]
    assert told(*copied) == ""
    assert "ann gave the judge's verdict on all its 30 labels, also on 5 where others disagree" in told(*other)
    strayed = [item(30 + n, "no", who=("ann",)) for n in range(2)]
    assert "ann gave the judge's verdict on 30 of its 31 labels, also on 5" in told(*other, strayed[0]), "one is not enough to be no copy"
    assert told(*other, *strayed) == ""
    assert told(*other[1:], item(99, who=("bob",))) == "", "29 labels, or 4 that differ, are no copy"
    assert "all labels are constructed" in told(item(1, source="constructed"), item(2, "no", "no", source="constructed"))
    assert "the judge's own name" in told(item(1, model="ANN"), item(2, "no", "no"))
    assert "names neither ids nor texts" in told(item(1, is_numbered=True, inputs=()), item(2, "no", "no", is_numbered=True, inputs=()))


def test_what_a_reader_must_know_of_the_labels() -> None:
    sample = sample_of(item(1), item(1), item(2, "no", None), item(3, None), item(4, "no", UNUSABLE))
    found, left = count_items(replace(sample, pool=Pool({}, (), {}, {"yes": 2})))
    assert (left.sampled, left.decided, left.no_verdict, left.unusable, left.unlabelled, left.repeated) == (6, 1, 1, 1, 3, 1)
    notes = "; ".join(notes_on(found, left, ["attack:x"]))
    assert "one person labelled" in notes and "not probed: attack:x" in notes and "1 with an unusable reply" in notes
    two = notes_on(*count_items(sample_of(item(1, who=("ann", "bob")), item(2, "yes", cluster_id="c1"))), [])
    assert not any("one person" in note or "case of its own" in note or "not probed" in note for note in two)
    assert any("no item that people call no" in note for note in two)


@pytest.mark.parametrize(("recorded", "running", "told"), table("trust", "every_part_of_a_fingerprint_must_agree"))
def test_every_part_of_a_fingerprint_must_agree(recorded: dict[str, str], running: dict[str, str], told: list[str]) -> None:
    assert list(compare_fingerprints(recorded, running)) == told


@pytest.mark.parametrize(("pools", "size", "given"), table("trust", "a_draw_takes_as_equal_numbers_as_there_are"))
def test_a_draw_takes_as_equal_numbers_as_there_are(pools: dict[str, int], size: int, given: dict[str, int]) -> None:
    assert allocate(pools, size) == given


@pytest.mark.parametrize(
    ("right", "of", "state"), [(4, 6, "few"), (6, 6, "few"), (12, 12, "pass"), (30, 40, "pass"), (3, 6, "open"), (1, 20, "fail")]
)
def test_a_slice_shows_its_floor_by_a_bound(right: int, of: int, state: str) -> None:
    rows = [item(n, "yes", "yes" if n < right else "no", slices=(("capability", "qa"),), cluster_id=f"c{n}") for n in range(of)]
    rows += [item(100 + n, "no", "no", slices=(("capability", "other"),), cluster_id=f"d{n}") for n in range(20)]
    checks = slice_checks(sample_of(*rows), ("yes",), Rules())
    (own,) = (check for check in checks if (check.value, check.side) == ("qa", "passes recognised"))
    assert own.state == state and measured_kinds(checks)["capability"] == ()


def test_which_labels_accept() -> None:
    whole = accepting_of("outcome", {})
    assert whole is not None and whole[1] == ("correct", "true_negative", "grounded_refusal", "semantic_match") and "fail" in whole[0]
    assert accepting_of("quote_support", {}) == (("supports", "does_not_support"), ("supports",)) and accepting_of("nobody's", {}) is None


# --- labels of a run ---------------------------------------------------------------------------------------------------------------------


def asked(n: int, verdict: str | None = "supports", rubric: str = "quote_support") -> Asked:
    return Asked(rubric, (("text", f"t{n}"),), f"c{n}", verdict, "m-1", 0.9 if verdict else None)


RUN = JudgedRun(Path("run"), {"rubrics": {}, "models": []}, tuple(asked(n, None if n == 3 else "supports") for n in range(4)))
PRINT = print_hash(RUN.fingerprint("quote_support"))


def drawn(n: int, **changes: Any) -> LabelledItem:
    made = item(n, "supports", UNUSABLE if n == 3 else "supports", fingerprint=PRINT, rubric="quote_support")
    return replace(made, **{"item_id": asked(n).item_id, "first": datetime.now(UTC) + timedelta(hours=1), **changes})


def a_draw(size: int) -> Draw:
    return draw_more(RUN, Draw("quote_support", ()), size, ("supports",), (0.8, 0.8))


@pytest.mark.parametrize("change", table("trust", "lines_that_are_no_draw"))
def test_only_what_a_draw_wrote_is_read_as_one(tmp_path: Path, change: dict[str, Any]) -> None:
    first = a_draw(3)
    assert [sum(a_draw(size).drawn.values()) for size in (1, 2, 3)] == [1, 2, 3]
    draw = draw_more(RUN, first, 4, ("supports",), (0.8, 0.8))
    assert all(step["seed"] == DRAW_SEED for step in draw.steps) and read_draws(tmp_path) == {}
    (tmp_path / DRAWS).write_text("".join(json.dumps(step) + "\n" for step in draw.steps), "utf-8")
    assert read_draws(tmp_path) == {"quote_support": draw}
    spoiled = {key: value for key, value in {**first.steps[0], **change}.items() if value is not None}
    (tmp_path / DRAWS).write_text(json.dumps(spoiled) + "\n", "utf-8")
    with pytest.raises(InputError, match="is not a draw that `judge label` writes"):
        read_draws(tmp_path)


def test_a_draw_of_a_run_is_drawn_again() -> None:
    draw = a_draw(3)
    there = [int(one.inputs[0][1][1:]) for one in drawn_questions(RUN, "quote_support", draw.drawn)]
    (missing,) = set(range(4)) - set(there)
    held = hold_against(RUN, draw, [drawn(n) for n in there], "l.jsonl")
    assert held.draw is draw and held.pool is not None and not held.pool.lost and held.pool.sizes == (3,)
    lost = hold_against(RUN, draw, [drawn(n) for n in there[:2]], "l.jsonl").pool
    assert lost is not None and sum(lost.lost.values()) == 1
    with pytest.raises(InputError, match="was not drawn from the run"):
        hold_against(RUN, draw, [drawn(missing)], "l.jsonl")
    chosen = hold_against(RUN, None, [drawn(n) for n in there], "l.jsonl")
    assert chosen.draw is None and "nothing of quote_support was drawn from this run" in chosen.uncovered
    with pytest.raises(UsageError, match="all 4 questions that this run has to draw are drawn"):
        draw_more(RUN, a_draw(4), 9, ("supports",), (0.8, 0.8))


def test_a_large_agreement_gives_no_more_than_the_middle_one() -> None:
    cases = [0] * 12 + [1, 1, 2, 2, 3, 3, 4, 4, 5]
    run = replace(RUN, asked=tuple(replace(asked(n, "supports"), cluster_id=f"deal {case}") for n, case in enumerate(cases)))
    draw = draw_more(run, Draw("quote_support", ()), 99, ("supports",), (0.8, 0.8))
    there = drawn_questions(run, "quote_support", draw.drawn, draw.most)
    assert draw.most == 2 and draw.steps[0]["pool"] == {"supports": 11} and "at most 2 of one agreement" in str(draw)
    assert max(Counter(one.cluster_id for one in there).values()) == 2
    held = hold_against(run, draw, [drawn(int(one.inputs[0][1][1:]), readings=((JUDGE, "supports"),)) for one in there], "l.jsonl")
    assert held.notes == ("of one agreement at most 2 questions stand for it: 11 of 21 of the run's",) and held.pool is not None
    assert {value for one in held.items for kind, value in one.slices if kind == "agreement of"} == {
        "more than 2 questions",
        "up to 2 questions",
    }
    assert held.pool.counts["supports"] == (2, 2, 2, 2, 2, 1)
    with pytest.raises(InputError, match="does not name the questions"):
        hold_against(run, Draw(draw.rubric, ({**draw.steps[0], "most": 3},)), list(held.items), "l.jsonl")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"inputs": (("text", "other"),)}, "the run did not ask this question"),
        ({"readings": ((JUDGE, "does_not_support"),)}, "the file says does_not_support, the judge of the run said supports"),
        ({"readings": ((JUDGE, UNUSABLE),)}, "the file says none, the judge of the run said supports"),
        ({"fingerprint": "0" * 32}, "another judge than the run's"),
    ],
)
def test_labels_of_another_run_are_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        hold_against(RUN, None, [drawn(0, **changes)], "l.jsonl")
    with pytest.raises(UsageError, match="hold no texts"):
        hold_against(RUN, None, [drawn(0, inputs=())], "l.jsonl")


def test_what_people_are_given_to_label(tmp_path: Path) -> None:
    lines = {line["item_id"]: line for line in item_lines(RUN, a_draw(9))}
    assert len(lines) == 4 and all(line["metadata"]["fingerprint"] == PRINT and line["weight"] == 1 for line in lines.values())
    assert [lines[one.item_id]["judge"] for one in RUN.asked[2:]] == [
        {"model": "m-1", "verdict": "supports", "confidence": 0.9}, {"model": "m-1", "unusable": True},
    ]  # fmt: skip
    for run, there in ((RUN, "quote_support"), (JudgedRun(tmp_path, {}, ()), "none")):
        with pytest.raises(UsageError, match=f"there are: {there}"):
            open_draws(replace(run, folder=tmp_path), ["criterion"], 5, [], {}, (0.8, 0.8), "l.jsonl")


def test_a_question_of_several_cases_belongs_to_the_first_by_name(tmp_path: Path) -> None:
    def line(case: str, text: str = "t", **judge: Any) -> str:
        return json.dumps({"rubric": "r", "case_id": case, "inputs": {"text": text}, "judge": {"model": "m", **judge}})

    (tmp_path / "run.json").write_text('{"judge": {"rubrics": {}}}')
    (tmp_path / "verdicts.jsonl").write_text("")
    with pytest.raises(UsageError, match="no judge was asked"):
        read_run(tmp_path)
    (tmp_path / "questions.jsonl").write_text(
        "\n".join([line("c2", verdict="a"), line("c1", verdict="a"), line("c3"), line("c0", "u"), '{"ru'])
    )
    seal(tmp_path)
    one, other = read_run(tmp_path).asked
    assert (one.cluster_id, one.verdict, other.cluster_id, other.verdict) == ("c1", None, "c0", None)
    (tmp_path / "questions.jsonl").write_text('{"inputs": {"text": 5}, "judge": {}}\n')
    seal(tmp_path)
    with pytest.raises(InputError, match="not a question"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text('{"judge": null}')
    with pytest.raises(UsageError, match="nothing of a judge"):
        read_run(tmp_path)


# --- asking a live judge -----------------------------------------------------------------------------------------------------------------


def test_what_a_live_judge_is_asked() -> None:
    rubric = shipped_rubric("quote_support")
    inputs = tuple(sorted((name, f"{name} words") for name in rubric.variables))
    items = [item(n, rubric="quote_support", inputs=inputs, cluster_id=f"c{n // 2}") for n in range(4)]
    assert [_donor(n, items) for n in range(4)] == [items[2], items[2], items[0], items[0]], "the next item of another case"
    assert _donor(0, [items[0], replace(items[2], rubric="other")]) is None
    assert [name for _, name, _ in _jobs(0, items, Plan(retests=2), rubric)] == [JUDGE, "repeat:1", "repeat:2"]
    assert rubric_of("quote_support", {}) is rubric and rubric_of("quote_support", {"quote_support": OWN}) is OWN


def test_in_a_long_file_the_donor_still_comes_later() -> None:
    items = [item(n, cluster_id=f"c{n}") for n in range(2001)]
    assert _donor(5, items) is items[6] and _donor(1999, items) is items[2000] and _donor(2000, items) is None


def live(monkeypatch: pytest.MonkeyPatch, items: Sequence[LabelledItem], *answers: Answer) -> Any:
    async def ask_all(jobs: Sequence[Any], settings: Any) -> Any:
        return list(answers), {"rubrics": {}, "models": [{"returned": ["other"]}]}

    monkeypatch.setattr("judge.calibrate.calls._ask_all", ask_all)
    return ask_live_judge(items, OWN, {}, Plan())


def test_a_live_judge_that_says_nothing_at_all_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = tuple((name, "words") for name in sorted(shipped_rubric("quote_support").variables))
    items = [item(n, verdict=None, rubric="quote_support", inputs=inputs) for n in range(3)]
    failed, ruled = Answer(None, error="refusal"), Answer("does_not_support", model="rule", by="deterministic")
    judged, prints, calls = live(monkeypatch, items, failed, Answer("supports", model="m-1"), ruled)
    assert [one.reading(JUDGE) for one in judged] == [UNUSABLE, "supports", "does_not_support"] and calls == 3
    assert prints["quote_support"]["model"] == "m-1", "what a rule or nobody answered names no model"
    with pytest.raises(EndpointError, match="no verdict to any of 3 questions: refusal"):
        live(monkeypatch, items, failed, failed, failed)
    with pytest.raises(UsageError, match="item i0: a live judge needs a rubric; 'none' is not known"):
        live(monkeypatch, [replace(items[0], rubric="")], failed)
    with pytest.raises(LabelFileError, match="needs exactly"):
        live(monkeypatch, [replace(items[0], inputs=inputs[1:])], failed)


def test_of_copies_the_one_that_says_most_against_the_judge_is_kept() -> None:
    same = {"inputs": (("text", "Same words!"),)}
    rows = [item(1, **same), item(2, "yes", "no", **same), item(3, inputs=(("text", "same WORDS"),)), item(4, "no", "no")]
    assert distinct_rows(sample_of(*rows)).tolist() == [False, True, False, True]
    assert distinct_rows(sample_of(*rows[::-1])).tolist() == [True, False, True, False]
    assert distinct_rows(sample_of(item(1, inputs=()), item(2, "no", inputs=()))).all()


def test_new_answers_take_the_place_of_recorded_ones() -> None:
    recorded = item(1, verdict="no", said={"repeat:1": "no", "other:x": "yes"})
    found = _with_answers(recorded, [(JUDGE, Answer("yes", confidence=0.75, model="m")), ("repeat:1", Answer(None, error="refusal"))])
    assert dict(found.readings) == {JUDGE: "yes", "repeat:1": UNUSABLE, "other:x": "yes"}
    assert (found.confidence, found.model) == (0.75, "m") and _with_answers(recorded, []).model == ""


def test_what_a_rule_decides_says_nothing_of_the_judge() -> None:
    empty = dict.fromkeys(shipped_rubric("quote_support").variables, "")
    ruled = item(1, rubric="quote_support", inputs=tuple(sorted(empty.items())))
    told = item(2, rubric="quote_support", inputs=tuple((name, f"{name} words") for name in sorted(empty)))
    held = _held("quote_support", [ruled, told, told], None, None, OWN, {})
    assert held.items == (told, told) and held.notes == ("1 items are decided by a rule, the judge is not asked there",)
    assert _held("quote_support", [told], None, None, OWN, {}).notes == ()
    with pytest.raises(LabelFileError, match="all 2 items of quote_support are decided by a rule"):
        _held("quote_support", [ruled, ruled], None, None, OWN, {})


class Recorded:
    """As much of a record as its validity is asked of: one rubric, `r`."""

    def __init__(self, **changes: Any) -> None:
        given = {"outcome": "trusted", "covers": True, "made": "2026-01-10", "expires": "2026-03-10", "positive": ("yes",),
                 "fingerprint": {"model": "m-1"}, "rules": {"record_days": "90"},
                 "certificate": SimpleNamespace(threshold=0.8)}  # fmt: skip
        self.entry = SimpleNamespace(**{**given, **changes})

    def rubric(self, name: str) -> Any:
        return self.entry if name == "r" else None


@pytest.mark.parametrize(("record", "running", "told"), table("trust", "whether_a_record_holds_for_a_run"))
def test_whether_a_record_holds_for_a_run(record: dict[str, Any], running: dict[str, Any], told: str | None) -> None:
    given = {"fingerprint": {"model": "m-1"}, "rules": {"record_days": "90"}, "accepting": ("yes",), **running}
    given["today"] = date.fromisoformat(running.get("today", "2026-02-01"))
    found = check(Recorded(**record), "r", Running(**given))  # type: ignore[arg-type]
    assert (found == ()) if told is None else (len(found) == 1 and told in found[0]), found
    assert "holds nothing of the rubric" in check(Recorded(), "other", Running(**given))[0]  # type: ignore[arg-type]


def test_why_a_record_does_not_cover_an_answer_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def reasons(rubric: str, found: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        monkeypatch.setattr("calibration.decision.record.check", lambda *_: found)
        judge = Certification(Recorded(), dict, date(2026, 2, 1), {}, lambda _: ())  # type: ignore[arg-type]
        assert judge.covers(Question(rubric, ()), Answer("yes", model="m")) is not bool(judge.reasons)
        return judge.reasons

    monkeypatch.setattr("calibration.decision.record.unmeasured", lambda *_: {("language", "de"): "not measured"})
    monkeypatch.setattr("judge.calibrate.questions.rubric_fingerprint", lambda *_: {})
    monkeypatch.setattr("judge.calibrate.certification.model_findings", lambda _: ())
    assert reasons("r", ()) == {"r, language de": ("not measured",)} and reasons("r", ("expired",)) == {"r": ("expired",)}
    assert reasons("other", ()) == {}


@pytest.mark.parametrize(("covered", "threshold", "confidence", "decides"), table("trust", "only_a_covered_and_certified_verdict_decides"))
def test_only_a_covered_and_certified_verdict_decides(
    covered: bool, threshold: float | None, confidence: float | None, decides: bool
) -> None:
    judge = SimpleNamespace(record=Recorded(certificate=SimpleNamespace(threshold=threshold)), covers=lambda question, answer: covered)
    assert Certification.decides(judge, Question("r", ()), Answer("yes", confidence=confidence)) is decides  # type: ignore[arg-type]


def test_a_draw_is_spread_over_the_agreements_and_stays_so_as_it_grows() -> None:
    names = [f"agreement {n // 4} question {n}" for n in range(80)]
    order = spread(names)
    assert sorted(order) == list(range(80))
    for size in (5, 10, 16):
        assert len({place // 4 for place in order[:size]}) == size, "one question an agreement while there are agreements"
    assert max(Counter(place // 4 for place in order[:40]).values()) <= 3
    assert order != spread([f"other {name}" for name in names]), "it begins where the texts say"
    assert spread([]) == [] and spread(["a"]) == [0]


def test_each_question_is_equally_likely_to_be_drawn_in_large_and_small_agreements() -> None:
    sizes = [1] * 20 + [20]
    drawn: Counter[int] = Counter()
    for run in range(600):
        order = sorted(range(21), key=lambda case: hash_rank(f"{run} {case}"))
        cases = [case for case in order for _ in range(sizes[case])]
        drawn.update(cases[place] == 20 for place in spread([f"{run} {n}" for n in range(40)])[:8])
    assert drawn[1] / drawn.total() == pytest.approx(0.5, abs=0.03)


def test_a_further_step_is_planned_with_the_agreements_that_there_are() -> None:
    many, few = ({"good": (780 // n,) * n, "bad": (220 // n,) * n} for n in (20, 2))
    pools = [Pool(counts, (80,), {"good": 64, "bad": 16}, {}, 0.95, ("good",)) for counts in (many, few)]
    seen = [Growth(pool, {"good": 0, "bad": 15}, ("bad",), 0.8, (0.8, 0.8)).labels_next() for pool in pools]
    assert seen == [None, None], "twenty agreements, all alike at worst, never do"
    counts = {"good": (1,) * 780 + (0,) * 220, "bad": (0,) * 780 + (1,) * 220}
    single = Pool(counts, (80,), {"good": 64, "bad": 16}, {}, 0.95, ("good",))
    none, one = (Growth(single, {"good": wrong, "bad": 15}, ("bad",), 0.8, (0.8, 0.8)) for wrong in (0, 1))
    assert (none.labels_next() or 0) < (one.labels_next() or 0) <= 80, "one more error takes more labels, at most as many again"
