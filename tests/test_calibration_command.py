"""`judge calibrate` from the command line: published sets, outputs, exit codes, a live judge, hostile files."""

import csv
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from label_maps import with_map

from calibration.decision import record
from judge.commands.people.calibrate import command
from judge.errors import InputError, UsageError
from tests.tables import entries, table

SAMPLE = Path("judge/samples/labels.jsonl")


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and output; errors of the program are raised."""
    result = CliRunner().invoke(command, with_map(arguments, Path(tempfile.mkdtemp())), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


@pytest.mark.parametrize("page", ["calibration.md", "calibrate-a-run.md"])
def test_what_the_docs_show_is_what_the_program_says(page: str, tmp_path: Path) -> None:
    shown = re.findall(
        r"```\n\$ judge calibrate ((?:judge/samples|--plan).*)\n((?:.+\n|\n)*?)```", Path("docs/use", page).read_text("utf-8")
    )
    for arguments, output in shown:
        said = iter(run(*arguments.replace("/tmp/sample", str(tmp_path)).split())[1].splitlines())
        for line in output.splitlines():  # "..." stands for lines that are left out
            assert line == "..." or line in said, line
    assert shown


def write_csv(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def answers(count: int, wrong: int, kind: str = "good") -> list[list[str]]:
    other = {"good": "bad", "bad": "good"}[kind]
    return [[f"{kind}{n}", kind, other if n < wrong else kind] for n in range(count)]


def judged(path: Path, good_wrong: int, bad_wrong: int, count: int = 100) -> Path:
    return write_csv(path, ["id", "human", "judge"], answers(count, good_wrong) + answers(count, bad_wrong, "bad"))


FLAGS = ("--human", "human", "--judge-column", "judge", "--positive", "good")


@pytest.mark.parametrize(("wrong", "code", "word"), table("calibration_command", "exit_codes_and_the_first_sentence", tuples=True))
def test_exit_codes_and_the_first_sentence(tmp_path: Path, wrong: tuple[int, int], code: int, word: str) -> None:
    found, output = run(str(judged(tmp_path / "l.csv", *wrong)), "--out", str(tmp_path / "out"), *FLAGS)
    assert found == code
    assert word in output.splitlines()[0]
    page = (tmp_path / "out" / "calibration.html").read_text("utf-8")
    assert word in re.sub(r"<[^>]+>", "", page.split("<h1>")[1].split("</h1>")[0])


def test_all_four_files_tell_the_same(tmp_path: Path) -> None:
    run(str(judged(tmp_path / "l.csv", 2, 3)), "--out", str(tmp_path / "out"), *FLAGS, "--date", "2026-03-01")
    data = json.loads((tmp_path / "out" / "calibration.json").read_text("utf-8"))
    (rubric,) = data["rubrics"]
    assert data["outcome"] == rubric["trust"]["outcome"] == "trusted"
    assert rubric["performance"]["statistics"]["accuracy"]["value"] == 195 / 200
    assert rubric["performance"]["specificity"]["clusters"] == 100
    made = record.read((tmp_path / "out" / "record.json").read_text("utf-8"))
    assert (made.made, made.expires) == ("2026-03-01", "2026-08-28")
    assert made.rubrics[0].sensitivity is not None and made.rubrics[0].sensitivity.value == 0.98
    assert "0.975000" in (tmp_path / "out" / "calibration.md").read_text("utf-8")


def test_a_recorded_column_without_fingerprint_never_covers_a_run(tmp_path: Path) -> None:
    from datetime import date

    run(str(judged(tmp_path / "l.csv", 2, 3)), "--out", str(tmp_path / "out"), *FLAGS, "--date", "2026-03-01")
    made = record.read((tmp_path / "out" / "record.json").read_text("utf-8"))
    assert record.check(made, "", record.Running({"model": "gpt", "endpoint": "openai"}, date(2026, 3, 2)))


def test_same_input_same_bytes(tmp_path: Path) -> None:
    path = judged(tmp_path / "l.csv", 2, 30)
    for out in ("a", "b"):
        run(str(path), "--out", str(tmp_path / out), *FLAGS, "--date", "2026-03-01")
    for name in ("calibration.json", "calibration.html", "calibration.md", "record.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_shipped_sample_set_is_constructed_and_its_planted_bias_is_found(tmp_path: Path) -> None:
    code, output = run(str(SAMPLE), "--out", str(tmp_path))
    assert code == 1 and "'authority'" in output.splitlines()[0]
    assert "all labels are constructed" in output
    page = (tmp_path / "calibration.html").read_text("utf-8")
    for part in ("Risk against coverage", "Reliability", "injection answer", "Worst disagreements", "<svg"):
        assert part in page
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_texts_are_shown_as_text(tmp_path: Path) -> None:
    rows = [[f"<b>{n}</b>", "good", "bad", "<script>alert(1)</script> {{ 7*7 }}"] for n in range(3)]
    path = write_csv(tmp_path / "l.csv", ["id", "human", "judge", "text"], [*rows, ["x", "bad", "bad", "fine"]])
    run(str(path), "--out", str(tmp_path), *FLAGS, 'inputs = ["text"]')
    page = (tmp_path / "calibration.html").read_text("utf-8")
    assert "<script>" not in page and "&lt;script&gt;" in page and "{{ 7*7 }}" in page


def test_published_set_with_two_orders(tmp_path: Path) -> None:
    cells = ["11"] * 8 + ["12"] * 3 + ["21"] + ["x2"]
    path = write_csv(
        tmp_path / "l.csv", ["item_id", "gold", "old", "new"], [[str(n), "12"[n % 2], cell, "11"] for n, cell in enumerate(cells)]
    )
    code, output = run(
        str(path),
        "--out",
        str(tmp_path),
        "--human",
        "gold",
        "--judge-column",
        "old",
        "both_orders = true",
        'unusable = ["x"]',
        'drift_from = "old"',
        'drift_to = "new"',
    )
    assert code in (1, 4)
    assert "Always first, always second                   3, 1" in output
    assert "drift, judge to new" in output


@pytest.mark.parametrize(("flags", "match"), table("calibration_command", "wrong_usage_says_what_to_do", tuples=True))
def test_wrong_usage_says_what_to_do(tmp_path: Path, flags: tuple[str, ...], match: str) -> None:
    path = judged(tmp_path / "l.csv", 2, 3)
    with pytest.raises((UsageError, InputError), match=re.escape(match)) as caught:
        run(str(path), "--out", str(tmp_path / "out"), *flags)
    assert caught.value.exit_code == 2
    assert not (tmp_path / "out").exists()


HOSTILE = entries("calibration_command", "hostile")


@pytest.mark.parametrize("rows", HOSTILE.values(), ids=HOSTILE)
def test_thin_files_are_inconclusive_with_reasons(tmp_path: Path, rows: list[list[str]]) -> None:
    path = write_csv(tmp_path / "l.csv", ["id", "human", "judge"], rows)
    code, _ = run(str(path), "--out", str(tmp_path / "out"), *FLAGS, 'labels = ["good", "bad"]')
    assert code == 4
    text = (tmp_path / "out" / "calibration.json").read_text("utf-8")
    assert "NaN" not in text and "Infinity" not in text
    figures = json.loads(text)["rubrics"][0]["performance"]["statistics"]
    assert all(figure["value"] is not None or figure["reason"] for figure in figures.values())


def test_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        run(str(tmp_path / "none.csv"), *FLAGS)


class StubJudge:
    """Answers as `semantic_match` should, but accepts whatever asks it to."""

    asked = 0

    def __init__(self, settings: Any) -> None:
        self.settings = settings

    @classmethod
    def open(cls, settings: Any) -> Any:
        from contextlib import asynccontextmanager

        @asynccontextmanager
        async def opened() -> Any:
            yield cls(settings)

        return opened()

    async def ask(self, question: Any) -> Any:
        from judge.records import Answer

        StubJudge.asked += 1
        texts = dict(question.variables)
        if "most favourable" in texts["reported"]:
            return Answer("equivalent", model="stub-1", confidence=0.9)
        if texts["reported"] == "boom":
            return Answer(None, error="timeout", model="stub-1")
        same = texts["reported"].split(" For completeness")[0].strip() == texts["gold"]
        return Answer("equivalent" if same else "not_equivalent", model="stub-1", confidence=0.9)

    def fingerprint(self) -> dict[str, Any]:
        model = {"model": "stub", "returned": ["stub-1"], "endpoint": {"kind": "openai", "url": "http://127.0.0.1"}}
        return {
            "prompt_format": "1",
            "models": [model],
            "repeats": 1,
            "quorum": None,
            "rubrics": {"semantic_match": {"version": 1, "hash": "h"}},
        }


def live_items(path: Path, count: int = 120) -> Path:
    lines = []
    for number in range(count):
        same = number % 2 == 0
        inputs = {"field": "f", "gold": f"value {number}", "reported": f"value {number}" if same else f"other {number}", "context": ""}
        lines.append(
            {
                "item_id": str(number),
                "rubric": "semantic_match",
                "inputs": inputs,
                "labels": [{"annotator": "a", "label": "equivalent" if same else "not_equivalent"}],
                "label_source": "human",
            }
        )
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return path


def test_a_live_judge_is_asked_and_bound_by_its_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import date

    from judge.calibrate.questions import rubric_fingerprint

    monkeypatch.setattr("judge.llm.judge.Judge", StubJudge)
    monkeypatch.chdir(tmp_path)
    StubJudge.asked = 0
    path = live_items(tmp_path / "l.jsonl")
    code, _ = run(
        str(path), "--out", str(tmp_path / "out"), "--judge", "stub", "--retest", "1", "--probes", "padding,empty", "--date", "2026-03-01"
    )
    assert code == 0 and StubJudge.asked == 120 * 4
    made = record.read((tmp_path / "out" / "record.json").read_text("utf-8"))
    running = rubric_fingerprint(StubJudge(None).fingerprint(), "semantic_match")
    (told,) = record.check(made, "semantic_match", record.Running(running, date(2026, 3, 2)))
    assert "the labels belong to no run" in told and dict(made.rubrics[0].fingerprint) == running and not made.rubrics[0].trusted


def test_a_live_judge_that_obeys_injections_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.llm.judge.Judge", StubJudge)
    monkeypatch.chdir(tmp_path)
    path = live_items(tmp_path / "l.jsonl")
    code, output = run(str(path), "--out", str(tmp_path / "out"), "--judge", "stub", "--probes", "injection_answer")
    assert code == 1 and "'injection_answer'" in output.splitlines()[0]


def test_inputs_of_a_live_judge_must_be_the_rubrics_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = {
        "item_id": "1",
        "rubric": "semantic_match",
        "inputs": {"x": "y"},
        "labels": [{"annotator": "a", "label": "equivalent"}],
        "label_source": "human",
    }
    (tmp_path / "l.jsonl").write_text(json.dumps(line), "utf-8")
    with pytest.raises(InputError, match="needs exactly field, reported, gold, context"):
        run(str(tmp_path / "l.jsonl"), "--judge", "stub")


def test_the_wire_of_a_live_judge_and_repeats_that_bypass_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from judge_stub import Server, completion

    from judge.llm.judge import Judge

    server = Server(by=lambda body: completion({"evidence": "e", "reasoning": "r", "verdict": "equivalent"}, model="wire-1"))
    opened = Judge.open
    monkeypatch.setattr(Judge, "open", lambda settings: opened(settings, transport=server.transport))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")
    path = live_items(tmp_path / "l.jsonl", 6)
    flags = ("--judge", "m", "--base-url", "http://127.0.0.1:9/v1", "--cache-dir", str(tmp_path / "cache"), "--retest", "1")
    code, _ = run(str(path), "--out", str(tmp_path / "a"), *flags)
    assert code in (1, 4)
    first = len(server.bodies)
    run(str(path), "--out", str(tmp_path / "b"), *flags)
    assert first == 12, "six verdicts and six repeats"
    assert len(server.bodies) - first == 6, "the verdicts come from the cache, repeats never do"
    for out in ("a", "b"):
        made = record.read((tmp_path / out / "record.json").read_text("utf-8"))
        assert dict(made.rubrics[0].fingerprint)["model"] == "wire-1"
        assert "test-key" not in (tmp_path / out / "record.json").read_text("utf-8")
    data = json.loads((tmp_path / "b" / "calibration.json").read_text("utf-8"))
    assert data["rubrics"][0]["retest"]["flip_rate"]["value"] == 0.0


def test_a_judge_that_never_answers_is_an_error_and_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from judge.errors import EndpointError

    monkeypatch.setattr("judge.llm.judge.Judge", StubJudge)
    monkeypatch.chdir(tmp_path)
    path = live_items(tmp_path / "l.jsonl", 4)
    path.write_text(re.sub(r'"reported": "[^"]*"', '"reported": "boom"', path.read_text("utf-8")), "utf-8")
    with pytest.raises(EndpointError, match="no verdict to any of 4 questions") as caught:
        run(str(path), "--out", str(tmp_path / "out"), "--judge", "stub")
    assert caught.value.exit_code == 3


def test_another_recorded_judge_of_a_json_file(tmp_path: Path) -> None:
    lines = [
        {
            "item_id": str(n),
            "labels": [{"annotator": "a", "label": "good" if n % 2 else "bad"}],
            "label_source": "human",
            "judge": {"model": "old", "verdict": "good", "others": {"new": "good" if n % 2 else "bad"}},
        }
        for n in range(100)
    ]
    path = tmp_path / "l.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    common = ("--out", str(tmp_path / "out"), "--positive", "good")
    assert run(str(path), *common)[0] == 1
    code, output = run(str(path), *common, "--recorded", "new")
    assert code == 0 and "judge old:" in output
    with pytest.raises(InputError, match="no judge verdict is recorded"):
        run(str(path), *common, "--recorded", "nobody")


def test_what_judge_label_writes_is_read_as_it_is(tmp_path: Path) -> None:
    from judge.labelling.label_file import Label, LabelFile
    from judge.labelling.tasks import OUTCOME_RUBRIC, Sampling, Task

    file = LabelFile(tmp_path / "labels.jsonl")
    for number in range(40):
        verdict = "fail" if number % 4 == 0 else "correct"
        sampling = Sampling("stratified", verdict, 0.5 if verdict == "correct" else 1.0)
        given = {"question": "?", "texts": (), "choices": (), "judge": {"model": "m", "verdict": verdict}, "sampling": sampling}
        task = Task(f"t{number}", f"case {number // 2}", OUTCOME_RUBRIC, **given)
        for annotator in ("ann", "ben"):
            said = "partial" if annotator == "ben" and number == 8 else verdict
            file.append_all([(task, Label(task.task_id, task.rubric, annotator, said, note="seen", when="2026-03-01T10:00:00Z"))])
    code, output = run(str(file.path), "--out", str(tmp_path / "out"))
    assert code == 4 and "people: 2 annotators" in output
    (rubric,) = json.loads((tmp_path / "out" / "calibration.json").read_text("utf-8"))["rubrics"]
    assert rubric["is_weighted"] and rubric["positive"] == ["correct", "true_negative", "grounded_refusal", "semantic_match"]
    assert rubric["humans"]["tied"] == 1 and rubric["humans"]["ceiling"]["items"] == 40


def test_a_judge_set_for_all_commands_is_asked_only_where_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.llm.judge.Judge", StubJudge)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_JUDGE", "stub")
    StubJudge.asked = 0
    assert run(str(judged(tmp_path / "l.csv", 2, 3)), "--out", str(tmp_path / "a"), *FLAGS)[0] == 0
    assert StubJudge.asked == 0
    assert run(str(live_items(tmp_path / "l.jsonl")), "--out", str(tmp_path / "b"))[0] == 0
    assert StubJudge.asked == 120
    monkeypatch.delenv("JUDGE_JUDGE")
    with pytest.raises(UsageError, match="--judge offline asks nobody"):
        run(str(tmp_path / "l.jsonl"), "--judge", "offline")
    with pytest.raises(InputError, match="no judge verdict is recorded"):
        run(str(tmp_path / "l.jsonl"))


def test_the_page_for_who_signs_off(tmp_path: Path) -> None:
    """The bar as a number, what slips through, what is left out, what was not probed, who labelled."""
    lines = []
    for n in range(240):
        good = "good" if n % 2 else "bad"
        says = {"bad": "good", "good": "bad"}[good] if n % 50 == 0 else good
        given = [] if n % 60 == 7 else [{"annotator": "ann", "label": good}, {"annotator": "ben", "label": "bad" if n % 80 == 9 else good}]
        judge = {"verdict": says, "confidence": 0.5 + (n % 50) / 100, "probes": {"empty": "bad"}}
        lines.append({"item_id": f"i{n}", "labels": given, "label_source": "human", "sampled": "random", "judge": judge})
    path = tmp_path / "l.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    code, output = run(str(path), "--out", str(tmp_path / "out"), "--positive", "good")
    assert code == 0
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", (tmp_path / "out" / "calibration.html").read_text("utf-8")))
    for text, start in ((output, "O"), (page, "Yes, this judge may gate: o")):
        assert f"{start}f 100 outputs that should be refused, 4 slip through, at worst 16; the bar of 80% allows 20." in text
        assert "240 drawn items, 233 decide; left out: 3 without a majority, 4 without a label" in text
    assert "Annotators2: ann, ben (240 human items)" in page
    assert "Not probedposition, padding, authority" in page and "empty" not in page.split("Not probed")[1].split("Note")[0]
    assert page.index("How the intervals are made") > page.index("Worst disagreements"), "methods stand at the end"
    made = record.read((tmp_path / "out" / "record.json").read_text("utf-8")).rubrics[0]
    assert dict(made.left_out)["tied"] == 3 and dict(made.probes) == {"empty": "accepted in 0 of 240 cases"}
    assert "injection_answer" in made.unprobed


def test_how_many_labels_before_the_first_one(tmp_path: Path) -> None:
    code, output = run("--plan", "plan.rate = 0.97")
    assert code == 0 and "plus or minus 5 points:" in output
    bar = re.search(r"failures caught \(specificity\) above the bar of 80%: (\d+) labels in (\d+) cases", output)
    assert bar is not None and 30 < int(bar[1]) < 60 and bar[1] == bar[2]
    clustered = run("--plan", "plan.rate = 0.97", "plan.per_case = 5", "plan.alike = 0.5")[1]
    more = re.search(r"failures caught \(specificity\) above the bar of 80%: (\d+) labels in (\d+) cases", clustered)
    assert more is not None and int(more[1]) > int(bar[1]) and int(more[1]) == 5 * int(more[2])


def test_how_many_labels_from_a_pilot(tmp_path: Path) -> None:
    path = judged(tmp_path / "l.csv", 1, 0, 20)
    code, output = run(str(path), "--plan", *FLAGS)
    assert code == 0 and not (tmp_path / "judge-calibration").exists()
    assert re.search(
        r"passes recognised \(sensitivity, good\): \d+ more labels in \d+ further cases; plus or minus 5 points: \d+ labels", output
    )


def test_people_alone_and_the_judge_against_each(tmp_path: Path) -> None:
    rows = [
        [str(n), *("bad" if (n + k) % 9 == 0 else "good" if n % 2 else "bad" for k in range(8)), "good" if n % 2 else "bad"]
        for n in range(90)
    ]
    people = [f"p{k}" for k in range(8)]
    path = write_csv(tmp_path / "l.csv", ["id", *people, "judge"], rows)
    flags = ("--human", ",".join(people), "--out", str(tmp_path / "out"))
    code, output = run(str(path), *flags, "--people")
    assert code == 4 and "Krippendorff alpha" in output and "Kappa p6 with p7" in output, "pairs of more than six people"
    with pytest.raises(InputError, match="--people shows how far people agree"):
        run(str(path), *flags)
    output = run(str(path), *flags, "--judge-column", "judge", "--positive", "good")[1]
    assert all(f"Kappa judge with {name}" in output for name in people)
    code, output = run(str(SAMPLE), "--people", "--out", str(tmp_path / "sample"))  # verdicts that the file holds decide nothing here
    assert code == 4 and "may not gate" not in output and "Krippendorff alpha" in output


def test_ordered_words_need_their_order(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "l.csv", ["id", "human", "judge"], [[str(n), ("poor", "fair", "good")[n % 3], "fair"] for n in range(9)])
    flags = ("--human", "human", "--judge-column", "judge", "ordinal = true", "--out", str(tmp_path / "out"))
    with pytest.raises(UsageError, match="the order of fair, good, poor is not known: give them in their order as `labels`"):
        run(str(path), *flags)
    assert run(str(path), *flags, 'labels = ["poor", "fair", "good"]')[0] in (1, 4)
    assert json.loads((tmp_path / "out" / "calibration.json").read_text("utf-8"))["rubrics"][0]["labels"] == ["poor", "fair", "good"]


def test_a_file_as_excel_writes_it(tmp_path: Path) -> None:
    rows = [f"{n};{'good' if n % 2 else 'bad'};{'good' if n % 2 else 'bad'};0,{90 + n % 9}" for n in range(100)]
    path = tmp_path / "l.csv"
    path.write_bytes(("\ufeff" + "sep=;\r\nid;human;judge;sure\r\n" + "\r\n".join(rows) + "\r\n;;;\r\n;;;\r\n").encode())
    assert run(str(path), "--out", str(tmp_path / "out"), *FLAGS, 'confidence_column = "sure"')[0] == 0
    (rubric,) = json.loads((tmp_path / "out" / "calibration.json").read_text("utf-8"))["rubrics"]
    assert rubric["items"] == 100 and rubric["confidence_audit"]["n"] == 100


def test_records_put_together(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines = [{**json.loads(line), "rubric": name} for line in live_items(tmp_path / "l.jsonl").read_text("utf-8").splitlines()]
        for line in lines:
            line["judge"] = {"verdict": line["labels"][0]["label"]}
        (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
        flags = ("--positive", "equivalent")
        assert run(str(tmp_path / f"{name}.jsonl"), "--out", str(tmp_path / name), *flags)[0] == 0
    records = [str(tmp_path / name / "record.json") for name in ("a", "b")]
    code, output = run("--merge", *records, "--out", str(tmp_path / "both"))
    assert code == 0 and "a: trusted" in output and "b: trusted" in output
    both = record.read((tmp_path / "both" / "record.json").read_text("utf-8"))
    assert [entry.rubric for entry in both.rubrics] == ["a", "b"]
    with pytest.raises(UsageError, match="'a' stands in the record more than once"):
        run("--merge", records[0], str(tmp_path / "both" / "record.json"), "--out", str(tmp_path / "c"))
    with pytest.raises(UsageError, match="give two records or more"):
        run("--merge", records[0])
