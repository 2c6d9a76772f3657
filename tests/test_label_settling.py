"""A person's verdict settles an open item, and the gates follow."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from result_folder_samples import verdict, write_results

from judge.errors import InputError, UsageError
from judge.labelling.correcting import correct
from judge.labelling.label_file import LabelFile
from judge.labelling.run_sink import RunSink, tasks_of_run
from judge.labelling.session import LabelSession, Rules
from judge.labelling.tasks import open_choices
from judge.results.decisions import can_become
from judge.results.lines import item_of
from judge.results.reading import read_results
from judge.settings import Settings
from rubrics.contract import load_contract

ENDING = {"max_judge_errors": "0", "is_empty_allowed": False, "is_interrupted": False, "is_budget_reached": False}
RUN = {"has_gold": True, "ending": {**ENDING, "endpoint_error": "", "is_regression": False}}


def open_run(folder: Path, rules: Rules | None = None, **extra: Any) -> tuple[LabelSession, Path]:
    """A run with one decided and one undecided borrower, opened for labelling."""
    lines = [
        verdict("c-1", case_items=1),
        verdict("c-2", outcome="undecided", score=None, bounds=[0.0, 1.0], why_open="offline", case_items=1, **extra),
    ]
    write_results(folder, lines, verdict_word="inconclusive", run=RUN)
    return sitting(folder, rules), folder


def sitting(folder: Path, rules: Rules | None = None, labels: str = "labels.jsonl") -> LabelSession:
    """`judge label` started on a folder."""
    tasks = tasks_of_run(read_results(folder), sample=0, design="stratified", seed=0)
    file = LabelFile(folder / labels)
    sink = RunSink(read_results(folder), Settings(cache_dir=folder / "cache"), load_contract(), (rules or Rules()).people)
    sink.resume(tasks, file)
    return LabelSession(tasks, file, sink, now=lambda: "2026-11-28T00:00:00+00:00", rules=rules)


def item(folder: Path) -> Any:
    return next(i for i in read_results(folder).items if i.case_id == "c-2")


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text()))


def test_only_open_items_are_asked(tmp_path: Path) -> None:
    session, _ = open_run(tmp_path)
    state = session.state("Ann")
    assert state.total == 1 and state.task is not None and state.task.cluster_id == "c-2"


def test_review_adds_hallucinations_that_a_label_does_not_change(tmp_path: Path) -> None:
    write_results(tmp_path, run=RUN)
    tasks = tasks_of_run(read_results(tmp_path), sample=2, design="random", seed=0, with_review=True)
    assert [(t.key is not None, t.sampling.stratum, t.sampling.design) for t in tasks] == [
        (True, "", "hand_picked"),
        (True, "", "hand_picked"),
        (False, "review", "hand_picked"),
        (False, "", "random"),
        (False, "", "random"),
    ]
    assert {t.sampling.probability for t in tasks[3:]} == {2 / 7}


def test_a_label_settles_with_who_when_why_and_regates(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path)
    session.label("Ann", 0, "correct", note="page 1 says so")
    found = item(folder)
    assert (found.outcome, found.score, found.decided_by, found.who) == ("correct", 1.0, "human", "Ann")
    assert "page 1 says so" in found.reason
    line = json.loads((folder / "verdicts.jsonl").read_text().splitlines()[-1])
    assert line["when"] == "2026-11-28T00:00:00+00:00" and line["why"] == "page 1 says so" and "case_items" not in line
    assert "gates" in session.finish()
    after = summary(folder)
    assert after["counts"]["undecided"] == 0 and after["capabilities"]["loan_onboarding"]["score"] == 1.0
    assert (folder / "report.html").exists() and "person" in (folder / "report.html").read_text()


def test_people_who_disagree_settle_nothing(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path)
    session.label("Ann", 0, "correct")
    session.label("Ben", 0, "fail")
    found = item(folder)
    assert (found.outcome, found.score, found.bounds, found.why_open) == ("undecided", None, (0.0, 1.0), "people_disagree")
    session.finish()
    assert summary(folder)["counts"]["undecided"] == 1
    session.undo("Ben")
    assert item(folder).outcome == "correct"


def test_undo_reopens(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path)
    session.label("Ann", 0, "fail")
    session.undo("Ann")
    assert (item(folder).outcome, item(folder).why_open, item(folder).decided_by) == ("undecided", "offline", "none")
    assert session.state("Ann").done == 0


def test_cannot_tell_leaves_it_open(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path)
    session.label("Ann", 0, "cannot_determine")
    assert item(folder).outcome == "undecided" and session.state("Ben").total == 1


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_an_invented_item_keeps_its_label_while_its_citation_is_settled_once(tmp_path: Path, weight: float) -> None:
    block = {"outcome": "unreadable", "score": None, "complete": False, "open": True}
    made_up = verdict("c-2", outcome="hallucination", score=0.0, weight=weight, provenance=block, case_items=1)
    write_results(tmp_path, [verdict("c-1", case_items=1), made_up], run=RUN)
    pair = sitting(tmp_path, Rules(people=2), "two.jsonl")
    for name, label, waits in (("Ann", "hallucination", "a further person"), ("Ben", "hallucination:complete", "People differ on 1 item")):
        pair.label(name, 0, label)
        assert waits in pair.finish() and item(tmp_path).outcome == "hallucination" and item(tmp_path).is_waiting
    session = sitting(tmp_path)
    assert [choice.value for choice in session.tasks[0].choices] == ["hallucination", "hallucination:complete", "cannot_determine"]
    session.label("Ann", 0, "hallucination")
    assert not item(tmp_path).is_waiting and item(tmp_path).who == "Ann"
    size = (tmp_path / "verdicts.jsonl").stat().st_size
    assert sitting(tmp_path).state("Ben").total == 0 and (tmp_path / "verdicts.jsonl").stat().st_size == size


def test_a_verdict_is_disputed_by_the_name_that_is_shown(tmp_path: Path) -> None:
    lines = [verdict("c-1", item=f"tranches.{name}.margin", tranche=name, case_items=3) for name in ("A", "B")]
    write_results(tmp_path, [*lines, verdict("c-1", item="fields.margin", case_items=3)], run=RUN)
    results = read_results(tmp_path)
    said = correct(results, ("c-1", "tranches.B.margin", None), "fail", "Ann", "read it", "2026-11-28")
    assert said.startswith("c-1 tranches.B.margin: Ann says fail")
    with pytest.raises(UsageError, match="say why"):
        correct(results, ("c-1", "fields.margin", None), "fail", "Ann", "\u200b…", "2026-11-28")
    for key, wrong in (
        (("c-2", "x"), "no such case: 'c-2'; did you mean 'c-1'"),
        (("c-1", "fields.margn"), "did you mean 'fields.margin'"),
        (("c-1", "tranches.C.margin"), "it has 'tranches.A.margin', 'tranches.B.margin', 'fields.margin'"),
    ):
        with pytest.raises(UsageError, match=wrong):
            correct(results, (*key, None), "fail", "Ann", "read it", "2026-11-28")


def test_open_provenance_closes_with_the_item(tmp_path: Path) -> None:
    block = {"outcome": "unreadable", "score": None, "complete": False, "open": True}
    session, folder = open_run(tmp_path, provenance=block)
    session.label("Ann", 0, "correct")
    assert item(folder).provenance.complete
    session.finish()
    gate = next(g for g in summary(folder)["gates"] if g["name"] == "provenance_completeness")
    assert gate["bounds"] == [1.0, 1.0]


def test_settling_again_after_a_crash_keeps_what_was_said(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path)
    session.label("Ann", 0, "fail")
    contract = load_contract()
    tasks = tasks_of_run(read_results(folder), sample=0, design="stratified", seed=0)
    again = LabelSession(
        tasks, LabelFile(folder / "labels.jsonl"), RunSink(read_results(folder), Settings(cache_dir=folder / "cache"), contract)
    )
    assert again.state("Ann").done == 1 and again.state("Ben").total == 0  # what Ann settled is not asked again
    again.label("Ben", 0, "correct")
    assert item(folder).why_open == "people_disagree"


def test_no_label_turns_an_invented_item_and_a_refusal_is_none_of_an_answer(tmp_path: Path) -> None:
    block = {"outcome": "unreadable", "score": None, "complete": False, "open": True}
    made_up = item_of(verdict("c-1", outcome="hallucination", score=0.0, bounds=[0.0, 0.0], provenance=block))
    assert [label for label in ("hallucination", "fail", "extra") if can_become(made_up, label, 0.0)] == ["hallucination"]
    line = verdict("c-1", outcome="undecided", score=None, bounds=[0.0, 1.0], gold="no fee")
    for gold, right in (({}, "correct"), ({"unanswerable": True}, "grounded_refusal")):
        asked = item_of({**line, **gold})
        assert [label for label in ("correct", "grounded_refusal") if can_become(asked, label, 1.0)] == [right]
    for gold, right in (("conforming | 2 %", "true_negative"), ("deviation | 2 %", "correct")):
        asked = item_of({**line, "item": "findings.margin", "gold": gold})
        assert [label for label in ("correct", "true_negative", "fail") if can_become(asked, label, 1.0)] == [right, "fail"]


def test_what_bars_a_label_is_said_with_what_was_found(tmp_path: Path) -> None:
    block = {"outcome": "incomplete", "score": None, "complete": False, "open": True, "page": "right", "section": "missing"}
    waiting = item_of(verdict("c-1", outcome="undecided", score=None, bounds=[0.0, 0.5], gold="2 %", provenance=block))
    _, why = open_choices(waiting, {"partial": 0.5, "fail": 0.0})
    assert "Not offered: Correct" in why and "a score of 0.000 to 0.500 (the citation names no section): " in why


def test_two_people_and_an_adjudicator(tmp_path: Path) -> None:
    two = Rules(people=2)
    session, folder = open_run(tmp_path, two)
    session.label("Ann", 0, "correct", note="page 1")
    assert (item(folder).outcome, item(folder).why_open) == ("undecided", "further_person")
    assert session.state("Ben").task is not None
    assert session.finish().endswith("Waiting for a further person's answer: 1 item.")
    session.label("Ben", 0, "partial", note="no unit")
    assert (item(folder).outcome, item(folder).why_open) == ("undecided", "people_disagree")
    assert session.state("Cem").task is None  # two were asked for
    assert session.finish().endswith("People differ on 1 item: somebody else decides, with `judge label --adjudicate`.")
    desk = sitting(folder, Rules(people=2, is_adjudication=True))
    assert desk.state("Ann").task is None and "somebody else decides" in desk.finish()
    desk.label("Cem", 0, "partial", note="the unit is needed")
    found = item(folder)
    assert (found.outcome, found.score, found.who) == ("partial", 0.5, "Cem")
    assert found.reason == "Ann says correct (page 1). Ben says partial (no unit). Cem decides between them: partial (the unit is needed)."
    assert found.open_point == ""  # nothing is open, also where an earlier line said so
    desk.undo("Cem")
    assert item(folder).why_open == "people_disagree"


def test_two_who_agree_settle_together(tmp_path: Path) -> None:
    session, folder = open_run(tmp_path, Rules(people=2))
    for name in ("Ann", "Ben"):
        session.label(name, 0, "correct")
    assert (item(folder).outcome, item(folder).who) == ("correct", "Ann, Ben")


def test_label_files_of_two_people_are_merged_and_taken_up(tmp_path: Path) -> None:
    from judge.commands.people.labels import command

    session, folder = open_run(tmp_path, Rules(people=2))
    alone = {}
    for name, answer in (("Ann", "fail"), ("Ben", "fail")):
        (tmp_path / name).mkdir()
        one = LabelSession(session.tasks, LabelFile(tmp_path / name / "labels.jsonl"), now=lambda: "2026-11-28T00:00:00+00:00")
        one.label(name, 0, "correct")
        one.label(name, 0, answer)
        alone[name] = str(tmp_path / name / "labels.jsonl")
    out = str(tmp_path / "merged.jsonl")
    done = CliRunner().invoke(command, ["merge", *alone.values(), alone["Ann"], "--out", out], standalone_mode=False)
    assert done.exception is None and "Ann and Ben: agree on 1 of 1" in done.output
    again = sitting(folder, Rules(people=2), "merged.jsonl")
    assert (item(folder).outcome, item(folder).who) == ("fail", "Ann, Ben")
    assert "fail" in again.finish()
    conflict = tmp_path / "conflict.jsonl"
    conflict.write_text(Path(alone["Ann"]).read_text().replace('"label": "fail"', '"label": "partial"'))
    with pytest.raises(InputError, match="Ann says fail in one file and partial in the other"):
        CliRunner().invoke(command, ["merge", alone["Ann"], str(conflict), "--out", out], standalone_mode=False, catch_exceptions=False)
