"""The trust gate, the calibration record and what a run may do with it."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from calibration.decision import record
from calibration.decision.assessment import Assessment, Policy, assess
from calibration.decision.gate import check_rate, decide
from calibration.decision.record import ClassRate, Record, RecordError, RubricRecord, Running, Threshold
from calibration.label_files.labels import LabelledItem
from calibration.measures.sample import build_sample
from calibration.statistics.intervals import clustered_proportion
from judge.calibrate.rates import RateTally, correct_run
from tests.tables import entries, table


def items(
    pairs: Sequence[tuple[str, str]],
    *,
    source: str = "human",
    rows: int = 1,
    probes: Sequence[tuple[str, str]] = (),
    sampled: str = "random",
) -> list[LabelledItem]:
    return [
        LabelledItem(
            f"{source}{n}", f"{source} case {n // rows}", (("a1", human),), (("judge", judge), *probes), source=source, sampled=sampled
        )
        for n, (human, judge) in enumerate(pairs)
    ]


GOOD = [("pass", "pass")] * 98 + [("pass", "fail")] * 2 + [("fail", "fail")] * 97 + [("fail", "pass")] * 3
POLICY = Policy(positive=("pass",))


def judged(pairs: Sequence[tuple[str, str]], **more: object) -> Assessment:
    return assess(build_sample(items(pairs, **more), ("pass", "fail")), POLICY)  # type: ignore[arg-type]


def test_trusted_when_both_lower_bounds_pass() -> None:
    trust = judged(GOOD).trust
    assert trust.outcome == "trusted" and trust.sentence.startswith("Yes, this judge may gate")
    assert [check.state for check in trust.checks] == ["pass", "pass"]
    assert "failures caught" in trust.checks[0].name, "the failure class first"


def test_not_trusted_when_failures_are_missed_however_high_the_agreement() -> None:
    found = judged([("pass", "pass")] * 950 + [("fail", "pass")] * 40 + [("fail", "fail")] * 10)
    assert dict(found.performance.statistics)["gwet_ac1"].value > 0.9  # type: ignore[operator]
    assert found.trust.outcome == "not_trusted" and "failures caught" in found.trust.sentence


def test_inconclusive_says_how_many_labels_are_missing() -> None:
    trust = judged([("pass", "pass")] * 18 + [("pass", "fail")] * 2 + [("fail", "fail")] * 60).trust
    assert trust.outcome == "inconclusive" and trust.labels_needed is not None and 200 < trust.labels_needed < 600
    assert f"about {trust.labels_needed} more labels" in trust.sentence


def test_one_class_is_inconclusive_with_null_figures() -> None:
    found = judged([("pass", "pass")] * 50)
    assert found.trust.outcome == "inconclusive"
    assert dict(found.performance.statistics)["kappa"].value is None
    assert dict(found.performance.statistics)["kappa"].reason == "single_class"
    assert found.performance.specificity is not None and found.performance.specificity.reason == "no_items"
    assert found.performance.classes[1].precision.reason == "never_given"


def test_rows_of_one_case_are_no_evidence_about_other_cases() -> None:
    assert judged(GOOD, rows=200).trust.outcome == "inconclusive"


def test_constructed_labels_alone_never_make_a_judge_trusted() -> None:
    trust = judged(GOOD, source="constructed").trust
    assert trust.outcome == "inconclusive" and "constructed" in trust.sentence
    mixed = items(GOOD) + items([("pass", "fail")] * 100, source="constructed")
    found = assess(build_sample(mixed, ("pass", "fail")), POLICY)
    assert found.performance.n == 200 and found.constructed is not None and found.constructed.n == 100, "they are shown apart"
    assert found.trust.outcome == "inconclusive" and "constructed items" in found.trust.sentence, (
        "a judge that fails them all needs a reason"
    )
    right = items(GOOD) + items([("pass", "pass")] * 100, source="constructed")
    assert assess(build_sample(right, ("pass", "fail")), POLICY).trust.outcome == "trusted"


def test_unusable_replies_count_as_wrong_in_the_gate() -> None:
    from calibration.label_files.labels import UNUSABLE

    found = judged([("fail", UNUSABLE)] * 40 + [("fail", "fail")] * 60 + [("pass", "pass")] * 100)
    assert found.performance.specificity is not None and found.performance.specificity.value == 1.0
    assert found.performance.unusable == 40
    assert found.trust.outcome == "not_trusted"


def test_an_attack_that_gets_through_is_never_trusted() -> None:
    found = judged(GOOD, probes=(("probe:empty", "pass"),))
    assert found.trust.outcome == "not_trusted" and "'empty'" in found.trust.sentence


def test_without_accepting_labels_every_class_is_held_against_the_bar() -> None:
    trust = assess(build_sample(items(GOOD), ("pass", "fail")), replace(POLICY, positive=())).trust
    assert [check.name for check in trust.checks] == ["recall of 'pass'", "recall of 'fail'"] and trust.outcome == "trusted"


def test_a_class_without_labels_asks_for_labels() -> None:
    check = check_rate("failures caught", clustered_proportion([], []), 0.8)
    assert check.state == "open" and check.labels_needed is not None
    assert decide(()).outcome == "inconclusive"


RULES = entries("calibration_record", "rules")


def entry(**changes: object) -> RubricRecord:
    rate = ClassRate(0.95, 0.9, 0.98, 200, 150, 160.0)
    base = RubricRecord(
        rubric="semantic_match",
        outcome="trusted",
        sentence="Yes.",
        labels=("pass", "fail"),
        positive=("pass",),
        label_sources=("human",),
        annotators=("a1",),
        label_counts={"fail": 100, "pass": 100},
        fingerprint={"endpoint": "openai", "model": "m-1"},
        sensitivity=rate,
        specificity=rate,
        human_rate=rate,
        figures={"kappa": 0.9, "mcc": None},
        certificate=Threshold(0.8, 0.05, 0.05, 100, 0.7),
        made="2026-01-01",
        expires="2026-06-30",
        data_hash="ab" * 32,
        label_file="labels.jsonl",
        rules=dict(sorted(RULES.items())),
        covers=True,
        draw="by verdict, seed 0, steps of 80 questions",
        contract="1.1",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def record_of(*entries: RubricRecord) -> Record:
    return Record(entries)


PRINT = {"endpoint": "openai", "model": "m-1"}


def running(day: date = date(2026, 2, 1), **changes: str) -> Running:
    return Running({**PRINT, **changes}, day, RULES, ("pass",))


def test_a_record_survives_writing_and_reading() -> None:
    made = record_of(entry())
    assert record.read(record.write(made)) == made
    assert json.loads(record.write(made))["rubrics"][0]["figures"] == {"kappa": 0.9, "mcc": None}


def test_a_record_holds_for_exactly_this_judge_and_time() -> None:
    made = record_of(entry())
    assert record.check(made, "semantic_match", running(date(2026, 6, 30))) == ()
    assert record.check(made, "semantic_match", running(date(2026, 7, 1))) == ("the record expired on 2026-06-30",)
    assert "nothing of the rubric" in record.check(made, "quote_support", running())[0]
    assert record.check(made, "semantic_match", running(model="m-2")) == ("model differs: calibrated m-1, running m-2",)
    assert record.check(made, "semantic_match", running(rubric="hash")) == ("rubric differs: calibrated unknown, running hash",)
    for outcome in ("not_trusted", "inconclusive"):
        assert record.check(record_of(entry(outcome=outcome)), "semantic_match", running())
    nameless = record_of(entry(fingerprint={"model": ""}))
    assert record.check(nameless, "semantic_match", running(model=""))


def test_a_record_holds_under_its_own_rules_and_accepting_labels_only() -> None:
    made = record_of(entry())
    other = Running(PRINT, date(2026, 2, 1), {**RULES, "sensitivity_bar": "1/20"}, ("pass",))
    assert record.check(made, "semantic_match", other) == (
        "the contract's calibration rule sensitivity_bar differs: calibrated 4/5, in this run 1/20",
    )
    swapped = replace(other, rules=RULES, accepting=("fail",))
    assert "accepting labels differ: calibrated pass, in this run fail" in record.check(made, "semantic_match", swapped)
    assert "a day that has not come" in record.check(made, "semantic_match", running(date(2025, 12, 31)))[0]


def test_records_are_merged_and_a_rubric_stands_in_one_only() -> None:
    first, second = record_of(entry()), record_of(entry(rubric="quote_support", made="2026-02-01", expires="2026-03-01"))
    both = record.merge([first, second])
    assert [one.rubric for one in both.rubrics] == ["quote_support", "semantic_match"]
    assert (both.made, both.expires) == ("2026-02-01", "2026-03-01"), "the youngest, and the first to end"
    assert record.read(record.write(both)) == both
    with pytest.raises(RecordError, match="'semantic_match' stands in the record more than once"):
        record.merge([first, both])


@pytest.mark.parametrize("text", table("calibration_record", "a_broken_record_is_a_clear_error"))
def test_a_broken_record_is_a_clear_error(text: str) -> None:
    with pytest.raises(RecordError):
        record.read(text)


def test_a_record_that_says_two_things_of_a_key_is_refused() -> None:
    text = record.write(record_of(entry()))
    with pytest.raises(RecordError, match="'format' is given twice"):
        record.read(text.replace("{", '{"format": 2, ', 1))


# what is changed -> (key, new value), and what the message must name
TAMPERED: dict[str, tuple[str, object]] = {
    "a raised sensitivity": ("sensitivity", {"value": 1.0, "low": 0.99, "high": 1.0, "n": 200, "clusters": 150, "effective_n": 160.0}),
    "another outcome": ("outcome", "trusted"),
    "an expiry in 2999": ("expires", "2999-01-01"),
    "a later date": ("made", "2026-02-02"),
    "no labels": ("label_counts", {"fail": 0, "pass": 0}),
    "swapped accepting labels": ("positive", ["fail"]),
    "another model": ("fingerprint", {"endpoint": "openai", "model": "m-2"}),
    "another threshold": ("certificate", {"threshold": 0.1, "risk": 0.05, "delta": 0.05, "cases": 100, "coverage": 0.7}),
    "lower bars": ("rules", {**RULES, "sensitivity_bar": "1/20"}),
    "human for constructed": ("label_sources", ["human", "human"]),
    "probes that were not tried": ("probes", {"empty": "accepted in 0 of 90 cases"}),
    "nothing left out": ("left_out", {"tied": 0}),
    "another rubric": ("rubric", "quote_support"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_changed_after_a_record_was_made_is_named(what: str) -> None:
    key, value = TAMPERED[what]
    data = json.loads(record.write(record_of(entry(outcome="inconclusive", certificate=None, left_out={"tied": 3}))))
    data["rubrics"][0][key] = value
    with pytest.raises(RecordError, match=f"changed after it was made: .*{key}"):
        record.read(json.dumps(data))


IMPOSSIBLE: dict[str, tuple[dict[str, object], str]] = {
    "expiry beyond the rules": ({"expires": "2999-01-01"}, "expires 2999-01-01 lies more than the 180 days"),
    "expiry before its making": ({"expires": "2025-01-01"}, "lies before made"),
    "no date": ({"made": "soon"}, "is no date"),
    "zero labels": ({"label_counts": {"fail": 0, "pass": 0}}, "label_counts hold fewer than two"),
    "one class": ({"label_counts": {"fail": 0, "pass": 9}}, "label_counts hold fewer than two"),
    "nobody labelled": ({"annotators": ()}, "annotators name no person"),
    "constructed and trusted": ({"label_sources": ("constructed",)}, "label_sources"),
    "trusted below the bar": ({"specificity": ClassRate(0.7, 0.6, 0.8, 100, 100, 100.0)}, "specificity from 0.6 does not clear its bar"),
    "trusted without a rate": ({"sensitivity": None}, "sensitivity from None"),
    "rates above one": (
        {"sensitivity": ClassRate(1.5, 1.2, 2.0, 100, 100, 100.0)},
        "sensitivity.* is not what a calibration writes: '1.5'",
    ),
    "a rate of no label": ({"sensitivity": ClassRate(0.9, 0.85, 0.95, 0, 0, None)}, "of no label"),
    "ends out of order": ({"sensitivity": ClassRate(0.9, 0.95, 0.99, 100, 100, 100.0)}, "out of order"),
    "more cases than labels": ({"sensitivity": ClassRate(0.9, 0.85, 0.95, 10, 100, 10.0)}, "10 labels in 100 cases"),
    "a worth above its labels": ({"sensitivity": ClassRate(0.9, 0.85, 0.95, 10, 10, 1e9)}, "effective_n"),
    "a threshold as text": ({"certificate": Threshold("0.5", 0.05, 0.05, 100, 0.7)}, "certificate.threshold is not what"),  # type: ignore[arg-type]
    "a threshold of an untrusted judge": ({"outcome": "inconclusive"}, "although the judge is not trusted"),
    "another risk": ({"certificate": Threshold(0.5, 0.5, 0.05, 100, 0.7)}, "certificate.risk is 0.5"),
    "an unknown outcome": ({"outcome": "very trusted"}, "outcome is not what a calibration writes.*trusted"),
    "accepting labels of another rubric": ({"positive": ("supports",)}, "'supports' is none of its labels"),
    "no rules": ({"rules": {}}, "days of its rules"),
    "counts below zero": ({"left_out": {"tied": -3}}, "left_out.tied is not what a calibration writes: '-3'"),
    "a kind that nothing was measured of": ({"covered": {"language": ("German",)}}, "covered names language=German, of which slices"),
    "texts for numbers": ({"figures": {"kappa": "0.9"}}, "figures.kappa is not what"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_a_record_that_contradicts_itself_is_refused_even_with_new_seals(what: str) -> None:
    changes, said = IMPOSSIBLE[what]
    with pytest.raises(RecordError, match=said):
        record.read(record.write(record_of(entry(**changes))))


@pytest.mark.parametrize(("kind", "value", "why"), table("calibration_record", "a_record_holds_for_the_kinds_that_it_was_measured_on"))
def test_a_record_holds_for_the_kinds_that_it_was_measured_on(kind: str, value: str, why: str | None) -> None:
    slices = {"capability=document_qa: failures caught": "95.0% of 20", "capability=covenants: failures caught": "75.0% of 4"}
    found = record.unmeasured(entry(slices=slices, covered={"capability": ("document_qa",)}), [(kind, value)])
    assert (found == {}) if why is None else re.fullmatch(f"the record (is )?{why}", found[kind, value]), found


def test_certified_threshold() -> None:
    own = entry()
    assert record.may_decide(own, 0.8) and not record.may_decide(own, 0.79)
    assert not record.may_decide(own, None), "no confidence, no certificate"
    assert not record.may_decide(entry(certificate=Threshold(None, 0.05, 0.05, 100, 0.0)), 1.0), "abstain from everything"
    assert not record.may_decide(entry(certificate=None), 1.0) and not record.may_decide(None, 1.0)


def test_rates_of_a_run() -> None:
    accepted, asked = [3.0, 1.0, 4.0] * 20, [4.0, 4.0, 4.0] * 20
    rates = correct_run(entry(), accepted, asked)
    raw = 160 / 240
    assert rates["raw"].value == pytest.approx(raw)
    assert rates["corrected"].value == pytest.approx((raw + 0.95 - 1) / 0.9)
    assert rates["corrected"].low is not None and rates["corrected"].low < raw
    assert rates["labels_only"].value == 0.95
    weak = ClassRate(0.6, 0.4, 0.7, 30, 30, 30.0)
    assert correct_run(entry(sensitivity=weak, specificity=weak), accepted, asked)["corrected"].reason == "judge_too_weak"
    assert correct_run(entry(), [], [])["raw"].reason == "no_items"
    assert correct_run(entry(sensitivity=None), accepted, asked)["corrected"].reason == "no_class_rates"


def test_corrected_rate_on_an_unlabelled_pool_and_ppi_only_on_random_samples() -> None:
    pool = [LabelledItem(f"p{n}", f"pool {n}", (), (("judge", "pass" if n % 3 else "fail"),)) for n in range(300)]
    found = assess(build_sample(items(GOOD) + pool, ("pass", "fail")), POLICY)
    assert found.rates is not None and found.rates.scored == "judged and not labelled"
    assert found.rates.raw.n == 300 and found.rates.corrected.value == pytest.approx((2 / 3 + 0.97 - 1) / 0.95)
    assert found.rates.powered.value is not None
    picked = assess(build_sample(items(GOOD, sampled="hand_picked") + pool, ("pass", "fail")), POLICY)
    assert picked.rates is not None and picked.rates.powered.reason == "labels are no recorded random sample"


def test_weights_reweigh_the_figures() -> None:
    heavy = [replace(item, weight=9.0 if dict(item.readings)["judge"] != item.labels[0][1] else 1.0) for item in items(GOOD)]
    found = assess(build_sample(heavy, ("pass", "fail")), POLICY)
    assert found.is_weighted
    assert dict(found.performance.statistics)["accuracy"].value == pytest.approx(195 / (195 + 45))
    assert found.performance.sensitivity is not None and found.performance.sensitivity.value == pytest.approx(98 / (98 + 18))


def test_same_input_same_result() -> None:
    assert judged(GOOD, rows=3) == judged(GOOD, rows=3)


def test_no_nan_anywhere() -> None:
    from judge.report.calibration_report import json_values

    for pairs in ([("pass", "pass")], [("pass", "fail")], [("pass", "pass")] * 3 + [("fail", "pass")], GOOD):
        text = json.dumps(json_values(judged(pairs)), allow_nan=False)
        assert "NaN" not in text
    assert np.isfinite(1.0)


def asked(case_id: str, rubric: str, verdict: str, number: int, by: str = "llm", language: str = "English") -> str:
    """A line of questions.jsonl."""
    said = {"inputs": {"n": str(number)}, "kinds": [["language", language]], "judge": {"verdict": verdict, "by": by}}
    return json.dumps({"case_id": case_id, "rubric": rubric, **said}) + "\n"


def test_rates_of_a_run_from_its_questions(tmp_path: Path) -> None:
    own = {"slices": {"language=English: failures caught": "95.0% of 20"}, "covered": {"language": ("English",)}}
    tally = RateTally(record_of(entry(labels=("equivalent", "not_equivalent"), positive=("equivalent",), **own)))
    lines = [asked(f"c{n // 2}", "semantic_match", "equivalent" if n % 3 else "not_equivalent", n) for n in range(60)]
    lines += [lines[7], asked("c1", "semantic_match", "cannot_determine", 60), asked("c1", "quote_support", "supports", 61)]
    lines += [asked("c1", "semantic_match", "equivalent", 62, by="deterministic")]
    lines += [asked("c1", "semantic_match", "equivalent", 63, language="German")]
    assert tally.document(tmp_path) == {}
    (tmp_path / "questions.jsonl").write_text("".join(lines))
    (found,) = tally.document(tmp_path).values()
    assert found["raw"]["value"] == pytest.approx(2 / 3) and found["raw"]["n"] == 60 and found["raw"]["cases"] == 30
    assert found["corrected"]["value"] == pytest.approx((2 / 3 + 0.95 - 1) / 0.9)
    assert found["corrected"]["interval"][0] < found["raw"]["value"] < found["corrected"]["interval"][1]
    assert json.dumps(found, allow_nan=False)
    assert RateTally(record_of(entry())).document(tmp_path) == {}
