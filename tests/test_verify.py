"""`judge verify`: every file and every kind of line that somebody changed is found, also where the hashes were made anew."""

import datetime
import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs, read_lines, write_lines

from judge.cli import execute
from judge.labelling.label_file import LabelFile
from judge.labelling.run_sink import RunSink, tasks_of_run
from judge.labelling.session import LabelSession
from judge.results.reading import contract_of_run, results_of_run
from judge.results.seal import _run_hash, broken, seal
from judge.settings import Settings

CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "outcome": lambda line: line.update(outcome="correct", score=1.0, bounds=[1.0, 1.0]),
    "provenance": lambda line: line["provenance"].update(complete=not line["provenance"]["complete"]),
    "weight": lambda line: line.update(weight=0.25),
    "reported": lambda line: line.update(reported="another"),
    "findings": lambda line: line.update(findings=[{"code": "HITL_MISSING", "detail": ""}]),
}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """A sealed run with an open item that Ann settled, with all reports."""
    found = Inputs(tmp_path / "in")
    found.batch[0]["output"]["fields"]["governing_law"]["citation"]["quote"] = (
        "This Agreement is governed by the law of England, all of it."
    )
    found.batch[0]["output"]["fields"]["margin"]["value"] = "9.99 per cent. per annum"  # invented: for review.jsonl
    found.write()
    assert found.run("--reports", "all") in (1, 4)
    results = results_of_run(found.out)
    tasks = tasks_of_run(results, sample=0, design="stratified", seed=0)
    sink = RunSink(results, Settings(cache_dir=found.folder / "cache"), contract_of_run(found.out))
    session = LabelSession(tasks, LabelFile(found.out / "labels.jsonl"), sink)
    session.label("Ann", 0, tasks[0].choices[0].value, note="read it")
    session.finish()
    return found


def verify(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capfd.readouterr()
    code = execute(["verify", str(inputs.out), "--cache-dir", str(inputs.folder / "cache")])
    return code, capfd.readouterr().out


def test_an_untouched_folder_is_as_it_was_and_so_is_one_with_a_note_in_it(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    (inputs.out / "note.txt").write_text("ours")
    code, said = verify(inputs, capfd)
    assert code == 0 and "every line is judged the same again\nbelieved as people's own: 1 decided by Ann" in said, said


def test_a_batch_and_gold_that_moved_are_named(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    run = json.loads((inputs.out / "run.json").read_text())["inputs"]
    moved = [inputs.folder / "moved" / name for name in ("batch.jsonl", "gold.jsonl")]
    moved[0].parent.mkdir()
    for name, place in zip(("batch", "gold"), moved, strict=True):
        Path(run[name]).rename(place)
    flags = [str(part) for pair in zip(("--batch", "--gold"), moved, strict=True) for part in pair]
    command = ["verify", str(inputs.out), "--cache-dir", str(inputs.folder / "cache")]
    assert execute(command) == 2 and "give --batch" in capfd.readouterr().err
    assert execute([*command, *flags]) == 0, capfd.readouterr()
    moved[0].write_text(moved[0].read_text().replace("9.99", "9.98"))
    assert execute([*command, *flags]) == 1 and "batch: is not the one that was judged" in capfd.readouterr().out


def test_decisions_of_a_page_that_was_killed_are_told_and_counted_in_the_next_report(
    inputs: Inputs, capfd: pytest.CaptureFixture[str]
) -> None:
    results = results_of_run(inputs.out)
    tasks = tasks_of_run(results, sample=0, design="stratified", seed=0)
    sink = RunSink(results, Settings(cache_dir=inputs.folder / "cache"), contract_of_run(inputs.out))
    session = LabelSession(tasks, LabelFile(inputs.out / "labels.jsonl"), sink)
    session.label("Ann", 0, tasks[0].choices[1].value, note="read it again")
    code, said = verify(inputs, capfd)
    assert code == 1 and "from before people's last decisions; `judge report" in said and said.count("\n") == 2, said
    assert execute(["report", str(inputs.out), "--cache-dir", str(inputs.folder / "cache")]) == 0
    code, said = verify(inputs, capfd)
    assert code == 0, said


def test_every_file_that_is_changed_cut_or_taken_away_is_named(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    sealed = json.loads((inputs.out / "run.json").read_text())["seal"]["files"]
    assert {"verdicts.jsonl", "cases.jsonl", "summary.json", "review.jsonl", "labels.jsonl", "report.html", "junit.xml"} <= sealed.keys()
    for name in (*sealed, "run.json"):
        path = inputs.out / name
        data = path.read_bytes()
        changed = data.replace(b"Ann", b"Bob", 1) if b"Ann" in data else data.replace(b"1", b"2", 1)
        for other in (changed, data[: len(data) // 2] if name != "run.json" else changed):
            path.write_bytes(other)
            assert any(found == name for found, _ in broken(inputs.out)), name
        path.write_bytes(data)
    (inputs.out / "report.html").unlink()
    assert ("report.html", "is gone") in list(broken(inputs.out))
    for name in ("cases.jsonl", "verdicts.jsonl"):
        (inputs.out / name).unlink()
        code, said = verify(inputs, capfd)
        assert code == 1 and f"{name}: is gone" in said, said


def test_an_exception_that_nobody_accepted_is_found(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    lines = read_lines(inputs.out / "verdicts.jsonl")
    lines[3]["exception"] = {"who": "A", "why": "B", "expires": "2999-01-01"}
    write_lines(inputs.out / "verdicts.jsonl", lines)
    seal(inputs.out)
    code, said = verify(inputs, capfd)
    assert code == 1 and "verdicts.jsonl:4" in said and "exception is" in said
    item = {"case_id": lines[3]["case_id"], "item": "fields.governing_law", "who": "A", "why": "B", "expires": "2999-01-01"}
    accepted = write_lines(inputs.folder / "exceptions.jsonl", [item])
    inputs.run("--fresh", "--exceptions", str(accepted))
    assert verify(inputs, capfd)[0] == 0
    execute(["gate", str(inputs.out)])
    assert verify(inputs, capfd)[0] == 0, "gates applied again take what the run accepted from its lines"
    assert json.loads((inputs.out / "summary.json").read_text())["excepted_items"] == 1
    write_lines(accepted, [item | {"expires": str(datetime.date.today())}])
    inputs.run("--fresh", "--exceptions", str(accepted))
    with pytest.MonkeyPatch.context() as later:
        later.setattr(datetime, "date", type("Later", (datetime.date,), {"today": classmethod(lambda own: own(2999, 1, 1))}))
        assert verify(inputs, capfd)[0] == 0, "what was accepted on the day of the run is no difference afterwards"


@pytest.mark.parametrize("part", ["reported", "weight", "run.json"])
def test_a_run_goes_on_from_no_folder_that_was_changed_since_it_was_sealed(
    inputs: Inputs, part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = read_lines(inputs.out / "verdicts.jsonl")
    run = json.loads((inputs.out / "run.json").read_text())
    if part == "run.json":
        (inputs.out / part).write_text(json.dumps({**run, "started_at": "2001-01-01"}))
    else:
        CHANGES[part](lines[3])
        write_lines(inputs.out / "verdicts.jsonl", lines)
    before = {one.name: one.read_bytes() for one in inputs.out.iterdir()}
    assert inputs.run() == 2 and "was changed since the run wrote it" in (said := capfd.readouterr().err) and "--fresh" in said
    assert before == {one.name: one.read_bytes() for one in inputs.out.iterdir()}
    assert inputs.run("--fresh") in (1, 4) and not list(broken(inputs.out))


def test_nothing_is_made_of_a_folder_without_its_run(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    (inputs.out / "run.json").unlink()
    for command in (["gate"], ["report", "--sign-off"], ["export", "--to", str(inputs.folder / "items.csv")]):
        assert execute([command[0], str(inputs.out), *command[1:]]) == 2 and "run.json" in capfd.readouterr().err


@pytest.mark.parametrize("gone", [("seal",), ("seal", "ending")])
def test_a_folder_without_its_seal_gets_none_before_it_is_judged_again(
    inputs: Inputs, gone: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    lines, path = read_lines(inputs.out / "verdicts.jsonl"), inputs.out / "run.json"
    run = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in run.items() if key not in gone}))
    write_lines(inputs.out / "verdicts.jsonl", [line | {"outcome": "correct", "score": 1.0, "bounds": [1.0, 1.0]} for line in lines])
    for command in ("gate", "report"):
        assert execute([command, str(inputs.out), "--cache-dir", str(inputs.folder / "cache")]) in (
            (2,) if gone == ("seal",) else (0, 1, 2)
        )
        assert "seal" not in json.loads(path.read_text())
    assert inputs.run() in (1, 4) and "are judged again" in capfd.readouterr().err
    assert [line["outcome"] for line in read_lines(inputs.out / "verdicts.jsonl")] == [
        line["outcome"] for line in lines if line.get("decided_by") != "human"
    ]


def test_a_run_that_is_taken_up_again_keeps_its_reports_and_its_seal(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    inputs.run()
    run = json.loads((inputs.out / "run.json").read_text())
    assert "report.html" in run["reports"] and "report.html" in run["seal"]["files"] and verify(inputs, capfd)[0] == 0


@pytest.mark.parametrize("part", CHANGES)
def test_a_line_that_was_changed_is_found_although_the_hashes_are_made_anew(
    inputs: Inputs, part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = read_lines(inputs.out / "verdicts.jsonl")
    number = next(n for n, line in enumerate(lines) if line["provenance"]["outcome"] != "not_required" and line["outcome"] != "correct")
    CHANGES[part](lines[number])
    write_lines(inputs.out / "verdicts.jsonl", lines)
    for command in ("gate", "report"):
        assert execute([command, str(inputs.out)]) == 2
        assert "verdicts.jsonl: was changed since the run wrote it" in capfd.readouterr().err
    seal(inputs.out)
    code, said = verify(inputs, capfd)
    assert code == 1 and f"verdicts.jsonl:{number + 1}: case" in said and f"{part} is " in said, said


def test_a_line_that_was_taken_out_and_sums_that_were_changed_are_found(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    for name, change in (("cases.jsonl", {"score": 1.0}), ("review.jsonl", {"why": []})):
        lines = read_lines(inputs.out / name)
        write_lines(inputs.out / name, [{**lines[0], **change}, *lines[1:]])
    summary = json.loads((inputs.out / "summary.json").read_text())
    (inputs.out / "summary.json").write_text(json.dumps({**summary, "counts": {**summary["counts"], "hallucinated": 0, "open": 0}}))
    lines = read_lines(inputs.out / "verdicts.jsonl")
    write_lines(inputs.out / "verdicts.jsonl", lines[1:])
    seal(inputs.out)
    code, said = verify(inputs, capfd)
    assert code == 1 and "is missing" in said
    assert "cases.jsonl:1" in said and "review.jsonl:1" in said and "summary.json: counts is" in said, said


def test_other_inputs_are_named(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    inputs.gold[0]["gold"]["fields"]["borrower"]["value"] = "Somebody Else Limited"
    inputs.write()
    code, said = verify(inputs, capfd)
    assert code == 1 and "gold: is not the one that was judged" in said


def test_inputs_that_are_not_there_are_named_with_their_flags(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    for path in inputs.folder.glob("*.jsonl"):
        path.rename(path.with_suffix(".moved"))
    capfd.readouterr()
    assert execute(["verify", str(inputs.out)]) == 2
    said = capfd.readouterr().err
    assert "batch.jsonl is not there: give --batch" in said and "gold.jsonl is not there: give --gold" in said


def test_a_new_report_is_taken_away_by_a_fresh_run_without_another_list(inputs: Inputs) -> None:
    (inputs.out / "new.html").write_text("of another state")
    (inputs.out / "note.txt").write_text("ours")
    seal(inputs.out, ["new.html"])
    inputs.run("--fresh")
    assert not (inputs.out / "new.html").exists() and not (inputs.out / "report.html").exists()
    assert (inputs.out / "note.txt").exists() and (inputs.out / "labels.jsonl").exists()


ABSURD = ("99999-99-9", "\0", "1e-99999999", "9" * 5000, -1, 1e308, [[]], {"a": 1}, None)


def test_no_part_of_run_json_that_somebody_edits_is_an_internal_error(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    path = inputs.out / "run.json"
    written = path.read_text()
    for n, place in enumerate(places(json.loads(written))):
        run = json.loads(written)
        *above, last = place
        parent = functools.reduce(lambda part, step: part[step], above, run)
        parent[last] = ABSURD[n % len(ABSURD)] if last != "started_at" else ABSURD[0]
        run["seal"]["run"] = _run_hash({key: value for key, value in run.items() if key != "seal"})
        path.write_text(json.dumps(run))
        for command in (["verify", "--cache-dir", str(inputs.folder / "cache")], ["gate"]):
            code = execute([*command, str(inputs.out)])
            assert code in (0, 1, 2, 4) and "internal error" not in capfd.readouterr().err, (place, code)
    path.write_text(written)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, part in value.items() if isinstance(value, dict) else ():
        if key != "seal":
            yield (*above, key)
            yield from places(part, (*above, key))
