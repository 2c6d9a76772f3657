"""The history of evaluation runs: a line a case, a report a run, regressions, root causes; nothing twice and no lines mixed."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from engine_samples import Inputs, read_lines
from result_folder_samples import verdict, write_results

from judge.cli import group
from judge.results.history import add_run, hold, read_history, run_entries
from tests.tables import table


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["history", *map(str, arguments)], standalone_mode=False)


def results(folder: Path, day: int, *lines: dict[str, Any], cases: dict[str, str] | None = None, **run: Any) -> Path:
    """A result folder of a run on a day; cases: output -> case that it belongs to."""
    given = {"run_id": f"run-{day}", "started_at": f"2027-03-{day:02}T10:00:00+00:00", **run}
    path = write_results(folder / f"r{day}", lines, run=given)
    found = [line | ({"case": of} if (of := (cases or {}).get(line["case_id"])) else {}) for line in read_lines(path / "cases.jsonl")]
    (path / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in found))
    return path


def add(path: Path, to: Path, *more: str) -> str:
    done = invoke("add", path, "--to", to, *more)
    assert done.exception is None, done.exception
    return Path(done.stdout.splitlines()[-1]).read_text("utf-8")


def section(report: str, title: str) -> str:
    return report.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


RIGHT, HALF = verdict(), verdict(item="fields.margin", outcome="partial", score=0.5)
MADE_UP = verdict(item="fields.borrower", outcome="hallucination", score=0.0)


def test_a_line_a_case_with_the_mean_of_its_outputs(tmp_path: Path) -> None:
    lines = [RIGHT | {"case_id": "a-good"}, HALF | {"case_id": "a-bad"}, RIGHT | {"case_id": "b"}]
    path = results(tmp_path, 1, *lines, cases={"a-good": "A", "a-bad": "A"}, settings={"system": "north 2"})
    report = add(path, tmp_path / "h")
    first, second = read_lines(tmp_path / "h" / "history.jsonl")
    assert (first["run"], first["system"], first["case"], first["outputs"], first["score"]) == ("run-1", "north 2", "A", 2, 0.75)
    assert second["case"] == "b" and first["contract_version"] == "1.0" and first["judge"] == "judge-1" and not first["hallucinated"]
    assert first["tier1"] == {"borrower": [1.0, 1.0], "margin": [0.5, 0.5]}
    assert "| A | 2 | 0.750 |" in section(report, "Loan onboarding") and "| Run id | run-1 |" in report and "north 2" in report


def test_adding_a_run_twice_changes_nothing(tmp_path: Path) -> None:
    path = results(tmp_path, 1, RIGHT, MADE_UP)
    add(path, tmp_path / "h")
    before = {file.name: file.read_bytes() for file in (tmp_path / "h").iterdir()}
    add(path, tmp_path / "h")
    assert {file.name: file.read_bytes() for file in (tmp_path / "h").iterdir()} == before


def test_a_run_with_other_scores_is_refused_unless_it_replaces(tmp_path: Path) -> None:
    add(results(tmp_path, 1, verdict(outcome="undecided", score=None, bounds=[0, 1])), tmp_path / "h")
    settled = results(tmp_path, 1, RIGHT)
    assert "take the new ones with --replace" in str(invoke("add", settled, "--to", tmp_path / "h").exception)
    add(settled, tmp_path / "h", "--replace")
    assert [line["score"] for line in read_lines(tmp_path / "h" / "history.jsonl")] == [1.0]


def test_regressions_are_held_against_the_latest_earlier_run_of_each_case(tmp_path: Path) -> None:
    to, other = tmp_path / "h", {"contract_version": "0.9"}
    half, right = HALF | {"case_id": "only-day-2"}, verdict(item="fields.margin")
    open_item = verdict("open", "fields.margin", "undecided", score=None, bounds=[0, 1])
    add(results(tmp_path, 2, RIGHT, right, half, verdict("open", "fields.margin", "partial", score=0.5)), to)
    add(results(tmp_path, 1, RIGHT, HALF), to)  # added later, but earlier
    report = add(results(tmp_path, 3, RIGHT, HALF, open_item, verdict("new")), to)
    told = section(report, "Regressions")
    assert "1 regression, 1 open, 1 n/a" in told
    assert "| acme-001 | 0.750 | 1.000 | -0.250 | run-2 | fields.margin: 1.000 → 0.500 | regression |" in told
    assert "| open | 0.000 to 1.000 | 0.500 | -0.500 to 0.500 | run-2 |" in told
    assert other and "1 better, 2 n/a" in section((to / "eval-run-run-2.md").read_text(), "Regressions")


def test_another_contract_version_is_no_earlier_run(tmp_path: Path) -> None:
    to = tmp_path / "h"
    before = results(tmp_path, 1, RIGHT)
    summary = json.loads((before / "summary.json").read_text())
    (before / "summary.json").write_text(json.dumps(summary | {"contract_version": "9.9"}))
    add(before, to)
    assert "1 n/a" in section(add(results(tmp_path, 2, HALF), to), "Regressions")


def test_a_root_cause_stays_through_a_rebuild(tmp_path: Path) -> None:
    to = tmp_path / "h"
    path = results(tmp_path, 1, MADE_UP | {"case_id": "A-good"}, cases={"A-good": "A"})
    assert "not written yet" in section(add(path, to), "Hallucination log")
    for text in ("the cover was read", "the *cover* | was read"):
        assert invoke("cause", "run-1", "A", "fields.borrower", text, "--to", to).return_value == 0
    report = add(path, to)
    assert r"the \*cover\* \| was read" in section(report, "Hallucination log") and "the cover was read" not in report
    assert len(read_lines(to / "causes.jsonl")) == 1


@pytest.mark.parametrize(("words", "what"), table("history", "a_cause_of_nothing_is_refused", tuples=True))
def test_a_cause_of_nothing_is_refused(tmp_path: Path, words: tuple[str, ...], what: str) -> None:
    add(results(tmp_path, 1, MADE_UP), tmp_path / "h")
    assert what in str(invoke("cause", *words, "why", "--to", tmp_path / "h").exception)


def test_companion_scores_counts_and_refusals_are_shown_where_a_run_has_them(tmp_path: Path) -> None:
    refusal = verdict("Q", "answer", "grounded_refusal", capability="document_qa", unanswerable=True)
    lines = [
        refusal,
        verdict("C", "covenants.X", capability="covenant_monitoring"),
        verdict("B", "findings.m", capability="benchmark_validation"),
    ]
    path = results(tmp_path, 1, *lines)
    half = {"score": 0.5, "bounds": [0.5, 0.5]}
    extra = {"C": {"companion": {**half, "D1": half, "D5": {"score": None, "bounds": [0.5, 1.0]}}, "provenance_score": half}}
    extra["B"] = {"false_positives": 2, "false_negatives": 0}
    found = [line | extra.get(line["case_id"], {}) for line in read_lines(path / "cases.jsonl")]
    (path / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in found))
    report = add(path, tmp_path / "h")
    assert "| C | 1 | 1.000 | 0.500 | 0.500 | 0.500 | 0.500 to 1.000 | no |" in section(report, "Covenant monitoring")
    assert "| False positives | False negatives |" in report and "| B | 1 | 1.000 | – | – | 2 | 0 | no |" in report
    assert "Right refusals: 1 of 1 asked." in report


def test_what_a_crash_left_half_is_written_again(tmp_path: Path) -> None:
    to = tmp_path / "h"
    path = results(tmp_path, 1, RIGHT, RIGHT | {"case_id": "b"})
    add(path, to)
    whole = (to / "history.jsonl").read_bytes()
    (to / "history.jsonl").write_bytes(whole[: len(whole) // 2 + 40])
    add(path, to)
    assert (to / "history.jsonl").read_bytes() == whole


def _add_many(folder: Path, first: int) -> None:
    for day in range(first, first + 4):
        with hold(folder / "h"):
            add_run(folder / "h", run_entries(folder / f"r{day}"), replaces=False)


def test_two_writers_never_mix_lines(tmp_path: Path) -> None:
    for day in range(1, 9):
        results(tmp_path, day, RIGHT, RIGHT | {"case_id": "b"})
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_many, args=(tmp_path, first)) for first in (1, 5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert sorted(line["run"] for line in read_history(tmp_path / "h")) == sorted(f"run-{day}" for day in range(1, 9) for _ in "ab")


def test_a_resumed_run_keeps_its_id_and_a_fresh_one_gets_another(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path / "in")
    ids = []
    for more in ((), (), ("--fresh",)):
        inputs.run(*more)
        ids.append(json.loads((inputs.folder / "out" / "run.json").read_text())["run_id"])
    assert ids[0] == ids[1] != ids[2]
    assert f"| Run id | {ids[2]} |" in add(inputs.folder / "out", tmp_path / "h", "--system", "south")


def test_the_page_of_gates_is_where_it_was(tmp_path: Path) -> None:
    results(tmp_path / "runs", 1, RIGHT)
    done = invoke(tmp_path / "runs", "--out", tmp_path / "h.html")
    assert done.return_value == 0 and "Trend" in (tmp_path / "h.html").read_text()
    assert "folders" in str(invoke().exception)
