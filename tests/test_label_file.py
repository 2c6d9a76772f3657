"""Labels on disk, samples, agreement: what must hold without any page."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from result_folder_samples import sample_lines, verdict, write_results

from calibration.label_files.labels import read_json_lines
from judge.calibrate.sampling import allocate, draw_sample
from judge.errors import InputError, UsageError
from judge.labelling.label_file import Label, LabelFile, pairwise_agreement
from judge.labelling.session import LabelSession, Rules
from judge.labelling.tasks import Task, item_task, rubric_tasks
from judge.records import Item
from judge.results.reading import read_results
from rubrics.rubric import shipped_rubric

CLOCK = "2026-11-28T00:00:00+00:00"


def items_of(folder: Path, outcomes: list[str]) -> tuple[Item, ...]:
    lines = [verdict(f"c-{n:03}", "fields.margin", outcome, score=float(outcome == "correct")) for n, outcome in enumerate(outcomes)]
    return read_results(write_results(folder, lines)).items


def sample_tasks(folder: Path) -> list[Task]:
    return [item_task(item) for item in read_results(write_results(folder)).items]


def session(folder: Path, tasks: list[Task]) -> LabelSession:
    return LabelSession(tasks, LabelFile(folder / "labels.jsonl"), now=lambda: CLOCK)


def test_a_label_is_one_line_that_calibrate_reads(tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")
    page = session(tmp_path, tasks)
    page.label("Ann", 0, "correct", note="as stated")
    page.label("Ben", 0, "fail")
    items = read_json_lines(tmp_path / "labels.jsonl")
    assert [(i.rubric, i.cluster_id, i.labels) for i in items] == [("outcome", "acme-001", (("Ann", "correct"), ("Ben", "fail")))]
    line = json.loads((tmp_path / "labels.jsonl").read_text().splitlines()[0])
    assert line["labels"] == [{"annotator": "Ann", "label": "correct", "comment": "as stated", "at": CLOCK}]


def test_only_labels_that_count_are_counted_as_taken_over(tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")
    page = session(tmp_path, tasks)
    for number, value in ((0, "correct"), (0, "fail"), (1, "fail")):
        page.label("Ann", number, value)
    page.undo("Ann")
    names: list[str] = []
    here = LabelFile(tmp_path / "next.jsonl")
    assert here.take_over(tmp_path / "labels.jsonl", names.append) == 1 and names == ["Ann"]
    assert here.take_over(tmp_path / "labels.jsonl", names.append) == 0
    assert [label.value for label in LabelFile(tmp_path / "next.jsonl").labels()] == ["fail"]


@pytest.mark.parametrize("again", ["ann", "Ann ", "ANN", "Ａnn", "Ann."])
def test_a_name_in_another_spelling_is_the_same_person_on_the_page_and_in_the_calibration(again: str, tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")
    session(tmp_path, tasks).label("Ann", 0, "correct")
    session(tmp_path, tasks).label(again, 1, "fail")
    lines = [json.loads(text) for text in (tmp_path / "labels.jsonl").read_text("utf-8").splitlines()]
    assert {entry["annotator"] for line in lines for entry in line["labels"]} == {"Ann"}
    lines[1]["labels"][0]["annotator"] = again
    del lines[1]["metadata"]["seal"]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert {name for item in read_json_lines(tmp_path / "labels.jsonl") for name, _ in item.labels} == {"Ann"}


def test_nothing_of_the_judge_is_in_a_task_that_is_shown(tmp_path: Path) -> None:
    from judge.labelling.server import state_json

    page = session(tmp_path, sample_tasks(tmp_path / "run"))
    for number in range(11):
        shown = json.dumps(state_json(page.state("Ann")))
        assert "Another company" not in shown and "judge-1" not in shown and "The reported value is" not in shown
        page.label("Ann", number, "fail")


def test_skip_comes_back_at_the_end_and_undo_asks_again(tmp_path: Path) -> None:
    page = session(tmp_path, sample_tasks(tmp_path / "run")[:3])
    page.skip("Ann", 0)
    assert page.state("Ann").number == 1
    page.label("Ann", 1, "fail")
    page.label("Ann", 2, "fail")
    assert page.state("Ann").number == 0
    assert page.undo("Ann") == 2
    assert page.state("Ann").number == 2 and page.state("Ann").done == 1
    assert [i.labels for i in read_json_lines(tmp_path / "labels.jsonl")] == [(("Ann", "fail"),), ()]


def test_what_was_drawn_to_rate_a_judge_and_a_person_skips_is_kept(tmp_path: Path) -> None:
    tasks = [replace(task, bound={"fingerprint": "ab"}) for task in sample_tasks(tmp_path / "run")[:3]]
    page = session(tmp_path, tasks)
    for number in (0, 0, 1, 2):
        page.skip("Ann", number)
    page.label("Ann", 1, "fail")
    page.label("Ben", 2, "fail")
    page.skip("Ben", 2)
    found = {item.item_id: (item.labels, set(item.passed)) for item in read_json_lines(tmp_path / "labels.jsonl")}
    assert list(found.values()) == [((), {"Ann"}), ((("Ann", "fail"),), set()), ((("Ben", "fail"),), {"Ann"})]


def test_nothing_is_ever_deleted_a_withdrawal_is_a_line(tmp_path: Path) -> None:
    page = session(tmp_path, sample_tasks(tmp_path / "run"))
    page.label("Ann", 0, "correct", note="at first sight")
    page.label("Ben", 0, "correct")
    page.label("Ann", 0, "fail", note="on page 3 it says otherwise")
    page.label("Ann", 1, "fail")
    page.undo("Ann")
    lines = [json.loads(line)["labels"][0] for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    said = [(entry["annotator"], entry["label"], entry.get("withdrawn", False)) for entry in lines]
    assert said == [
        ("Ann", "correct", False),
        ("Ben", "correct", False),
        ("Ann", None, True),
        ("Ann", "fail", False),
        ("Ann", "fail", False),
        ("Ann", None, True),
    ]
    again = session(tmp_path, sample_tasks(tmp_path / "run"))
    assert again.state("Ann").done == 1 and again.state("Ben").done == 1
    items = {i.item_id: i.labels for i in read_json_lines(tmp_path / "labels.jsonl")}
    assert list(items.values()) == [(("Ben", "correct"), ("Ann", "fail")), ()]


def test_own_answers_are_opened_again_and_nobody_elses(tmp_path: Path) -> None:
    page = session(tmp_path, sample_tasks(tmp_path / "run"))
    page.label("Ann", 3, "fail", note="why")
    state = page.state("Ann", 3)
    assert state.number == 3 and state.mine is not None and (state.mine.value, state.mine.note) == ("fail", "why")
    assert [(g.number, g.answer) for g in state.given] == [(3, "Fail")]
    other = page.state("Ben", 3)
    assert other.mine is None and other.given == () and other.others == ()


def test_an_item_is_asked_of_so_many_people_and_no_more(tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")[:2]
    page = LabelSession(tasks, LabelFile(tmp_path / "labels.jsonl"), now=lambda: CLOCK, rules=Rules(people=2))
    for name in ("Ann", "Ben"):
        page.label(name, 0, "correct")
    assert page.state("Cem").total == 1 and page.state("Cem").number == 1
    assert page.state("Ann").total == 2  # her own answer stays hers


def test_an_adjudicator_sees_both_sides_is_neither_and_says_why(tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")[:3]
    page = session(tmp_path, tasks)
    for name, answers in (("Ann", ("correct", "fail", "fail")), ("Ben", ("correct", "partial", "fail"))):
        for number, answer in enumerate(answers):
            page.label(name, number, answer, note=f"{name} {number}")
    desk = LabelSession(tasks, LabelFile(tmp_path / "labels.jsonl"), now=lambda: CLOCK, rules=Rules(is_adjudication=True))
    state = desk.state("Cem")
    assert state.total == 1 and state.task == tasks[1]
    assert [(x.annotator, x.value, x.note) for x in state.others] == [("Ann", "fail", "Ann 1"), ("Ben", "partial", "Ben 1")]
    assert desk.state("Ann").task is None
    with pytest.raises(UsageError, match="somebody else"):
        desk.label("Ann", 0, "fail", note="because")
    with pytest.raises(UsageError, match="reason"):
        desk.label("Cem", 0, "fail")
    desk.label("Cem", 0, "fail", note="the unit is missing")
    assert desk.state("Dora").task is None
    line = json.loads((tmp_path / "labels.jsonl").read_text().splitlines()[-1])
    assert line["labels"][0]["role"] == "adjudicator"
    assert read_json_lines(tmp_path / "labels.jsonl")[1].settled == "fail"


def test_a_file_is_taken_up_again_and_a_torn_line_is_dropped(tmp_path: Path) -> None:
    tasks = sample_tasks(tmp_path / "run")
    session(tmp_path, tasks).label("Ann", 0, "correct")
    path = tmp_path / "labels.jsonl"
    path.write_bytes(path.read_bytes() + b'{"item_id": "half')
    again = session(tmp_path, tasks)
    assert again.state("Ann").done == 1 and again.state("Ann").number == 1
    again.label("Ann", 1, "fail")
    assert [json.loads(line)["labels"][0]["label"] for line in path.read_text().splitlines()] == ["correct", "fail"]


def test_wrong_answers_are_refused(tmp_path: Path) -> None:
    page = session(tmp_path, sample_tasks(tmp_path / "run"))
    page.label("Ann", 0, "correct")
    for name, number, value in (("Ann", 1, "nonsense"), ("Ann", 99, "fail"), ("  ", 1, "fail"), ("a\x1bb", 1, "fail")):
        with pytest.raises(UsageError):
            page.label(name, number, value)
    assert len((tmp_path / "labels.jsonl").read_text().splitlines()) == 1


def test_a_broken_label_file_is_named(tmp_path: Path) -> None:
    label = {"item_id": "1", "labels": [{"annotator": "Ann", "label": "correct"}]}
    for line in ({}, "not json", {**label, "inputs": "x"}, {**label, "metadata": [1]}, {**label, "labels": ["Ann"]}):
        (tmp_path / "labels.jsonl").write_text(json.dumps(line) + "\n")
        with pytest.raises(InputError, match=r"labels\.jsonl:1"):
            LabelFile(tmp_path / "labels.jsonl")


def test_kappa_on_the_fly() -> None:
    answers = [("a", "a")] * 40 + [("a", "b")] * 9 + [("b", "a")] * 6 + [("b", "b")] * 45
    labels = [Label(str(n), "r", who, pair[side]) for n, pair in enumerate(answers) for side, who in enumerate(("Ann", "Ben"))]
    (found,) = pairwise_agreement(labels)
    assert (found.items, found.agreed) == (100, 85) and found.kappa == pytest.approx(0.6995192307692308)
    assert pairwise_agreement([Label("1", "r", "Ann", "a"), Label("1", "r", "Ben", "a")])[0].kappa is None
    before, now = (Label("1", "r", "Ann", value, settles=of) for value, of in (("a", "former"), ("b", "now")))
    (found,) = pairwise_agreement([before, Label("1", "r", "Ben", "a", settles="former"), now])
    assert (found.items, found.agreed) == (1, 1)  # an answer to another output is none to this one


def test_stratified_samples_see_rare_outcomes_and_say_with_what_probability(tmp_path: Path) -> None:
    items = items_of(tmp_path, ["correct"] * 90 + ["fail"] * 8 + ["partial"] * 2)
    drawn = draw_sample(items, 12, 3, is_stratified=True)
    assert Counter(s.stratum for _, s in drawn) == {"correct": 5, "fail": 5, "partial": 2}
    assert {s.stratum: s.probability for _, s in drawn} == {"correct": 5 / 90, "fail": 5 / 8, "partial": 1.0}
    assert sum(1 / s.probability for _, s in drawn) == pytest.approx(100)
    assert drawn == draw_sample(items, 12, 3, is_stratified=True) != draw_sample(items, 12, 4, is_stratified=True)


def test_a_random_sample_has_one_probability(tmp_path: Path) -> None:
    drawn = draw_sample(items_of(tmp_path, ["correct"] * 40), 10, 0, is_stratified=False)
    assert len(drawn) == 10 and {s.probability for _, s in drawn} == {0.25}


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), max_size=6), st.integers(0, 100))
def test_allocation_gives_what_there_is(pools: dict[str, int], size: int) -> None:
    given_ = allocate(pools, size)
    assert sum(given_.values()) == min(size, sum(pools.values()))
    assert all(given_[name] <= pools[name] for name in pools)


def test_items_of_a_rubric_offer_its_verdicts() -> None:
    line = {"item_id": "1", "rubric": "semantic_match", "cluster_id": "c", "inputs": {"reported": "x"}, "judge": {"verdict": "equivalent"}}
    (task,) = rubric_tasks([line], {"semantic_match": shipped_rubric("semantic_match")})
    assert [c.value for c in task.choices] == ["equivalent", "partially_equivalent", "not_equivalent", "cannot_determine"]
    assert task.texts == (("reported", "x"),) and "same magnitude?" in task.question


def test_sample_lines_are_complete() -> None:
    assert len(sample_lines()) == 11
