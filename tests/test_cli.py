"""Commands end to end, in process: exit codes, files, what is said where."""

import datetime
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs, many, read_lines, write_lines
from jsonschema import Draft202012Validator

from judge.capabilities.registry import LOADED, capability_of
from judge.cli import COMMANDS, execute
from tests.tables import table


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("JUDGE_"):
            monkeypatch.delenv(name)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """The sample with an answer that its quote has word for word: rules close it. A shorter one is the question `quote_support`
    (design/README.md, Support), as is the sample's repayment schedule, whose quote names a defined term."""
    inputs = Inputs(tmp_path / "in")
    answer = str(inputs.batch[1]["output"]["citations"][0]["quote"])
    inputs.batch[1]["output"]["answer"] = inputs.gold[1]["gold"]["answer"] = answer
    return inputs.write()


def wrong_answer(inputs: Inputs) -> Inputs:
    """A batch of two questions of which the second needs a judge: undecided offline."""

    def change(n: int, line: dict[str, Any]) -> None:
        if n:
            line["output"]["answer"] = "Once a reminder was sent."

    return many(inputs, 2, change)


def shown(inputs: Inputs, how: str) -> list[str]:
    """The command line of a run that prints its summary."""
    arguments = inputs.arguments()
    arguments[arguments.index("--display") + 1] = how
    return arguments


def test_a_run_writes_its_folder_and_passes(inputs: Inputs) -> None:
    assert many(inputs, 3).run() == 0
    assert inputs.summary()["verdict"] == "pass" and inputs.summary()["counts"]["scored"] == 3
    assert [c["case_id"] for c in read_lines(inputs.out / "cases.jsonl")] == ["q-0", "q-1", "q-2"]
    assert all(c["score"] == 1.0 and c["outcomes"] == {"correct": 1} for c in read_lines(inputs.out / "cases.jsonl"))
    run = json.loads((inputs.out / "run.json").read_text())
    assert run["contract_version"] == "1.2" and len(run["documents"]) == 1 and run["identity"]["batch"]
    assert (inputs.out / "review.jsonl").read_text() == "" and not list(inputs.out.glob(".*"))


def test_a_failing_gate_is_1_and_an_open_one_4(inputs: Inputs) -> None:
    assert inputs.run() == 1 and inputs.summary()["verdict"] == "fail"
    assert wrong_answer(inputs).run("--fresh") == 4
    review = read_lines(inputs.out / "review.jsonl")
    assert [(r["case_id"], r["why"]) for r in review] == [("q-1", ["offline"])]


@pytest.mark.parametrize("arguments", [["--case", "none-*"], ["--capability", "covenant_monitoring"]])
def test_nothing_evaluated_is_5_unless_allowed(inputs: Inputs, arguments: list[str]) -> None:
    assert inputs.run(*arguments) == 5
    assert inputs.run(*arguments, "--allow-empty", "--fresh") == 0 and inputs.summary()["verdict"] == "nothing_evaluated"


@pytest.mark.parametrize(("arguments", "said"), table("cli", "usage_errors_are_2_with_one_clear_line"))
def test_usage_errors_are_2_with_one_clear_line(
    inputs: Inputs, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert inputs.run(*arguments) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err


def test_input_problems_are_all_listed_and_nothing_is_written(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.batch[0]["document"] = "x.pdf"
    inputs.gold[1]["gold"]["answerabel"] = True
    assert inputs.write().run() == 2
    err = capsys.readouterr().err
    assert "batch.jsonl:1: document:" in err and "gold.jsonl:2: gold.answerabel: unknown key" in err and not inputs.out.exists()


def test_json_goes_to_standard_output_alone(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute([*shown(many(inputs, 1), "plain"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"] == "pass" and "PASS (exit 0): every gate passes" in err


def with_a_question(inputs: Inputs) -> Inputs:
    """The sample with a quote of which no rule tells whether it supports the value."""
    quote = "The Facility shall be repaid in full in one instalment on the Final Maturity Date."
    inputs.batch[0]["output"]["fields"]["negative_pledge"]["citation"] |= {"page": 1, "section": "Clause 1.2", "quote": quote}
    return inputs.write()


def test_plain_lines_tell_verdict_gates_worst_items_and_what_is_open(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    execute(shown(with_a_question(inputs), "plain"))
    out = capsys.readouterr().out
    assert out.startswith("FAIL (exit 1): failed: Tier 1 field score: margin")
    assert "sample-onboarding  fields.margin  partial  2" in out and "Open, by cause" in out


def test_data_is_never_markup(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.batch[0]["output"]["fields"]["margin"]["value"] = "[/bold] [red]9.99 per cent.\x1b[2J"
    assert execute(shown(inputs.write(), "rich")) == 4  # no whole value: what the rest means is the judge's (L2)
    out = capsys.readouterr().out
    assert "[/bold]" in out and "\x1b[2J" not in out


def test_a_finished_run_is_not_judged_again(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    assert many(inputs, 3).run() == 0
    before = (inputs.out / "verdicts.jsonl").read_bytes()
    silent = replace(capability_of("document_qa"), judge=lambda context: pytest.fail("judged again"))
    monkeypatch.setitem(LOADED, "document_qa", silent)
    assert inputs.run() == 0 and (inputs.out / "verdicts.jsonl").read_bytes() == before


def test_other_inputs_need_fresh_or_another_folder(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert many(inputs, 3).run() == 0
    inputs.batch[0]["metadata"] = {"changed": True}
    assert inputs.write().run() == 2 and "other batch; start over with --fresh" in capsys.readouterr().err
    assert inputs.run("--fresh") == 0


def test_gate_counts_what_a_person_decided(inputs: Inputs) -> None:
    assert wrong_answer(inputs).run() == 4
    said = {"case_id": "q-1", "item": "answer", "tranche": None, "outcome": "correct", "decided_by": "human", "who": "r1"}

    def decide() -> None:
        with (inputs.out / "verdicts.jsonl").open("a") as file:
            file.write(json.dumps(said) + "\n")

    decide()
    assert execute(["gate", str(inputs.out), "--display", "none"]) == 0
    assert inputs.summary()["verdict"] == "pass" and read_lines(inputs.out / "review.jsonl") == []
    assert inputs.run() == 0
    baseline = shutil.copytree(inputs.out, inputs.folder / "baseline")
    execute(["gate", str(inputs.out), "--display", "none", "--baseline", str(baseline), "--max-judge-errors", "0.5"])
    assert (before := inputs.summary())["max_judge_errors"] == "1/2"
    decide()  # the gates are applied again as they were: against the baseline, and where that is not there it leaves them open
    assert execute(["report", str(inputs.out)]) == 0 and inputs.summary() == before and "against the baseline" in before["why"]
    shutil.rmtree(baseline)
    decide()
    assert execute(["report", str(inputs.out)]) == 0 and inputs.summary()["verdict"] == "inconclusive"
    assert f"regression not excluded against the baseline ({baseline}: is not there)" in inputs.summary()["why"]


def test_gate_on_a_folder_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["gate", str(tmp_path)]) == 2 and "is this a result folder?" in capsys.readouterr().err


def test_exceptions_pass_visibly_and_expire(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    accepted = {"case_id": "q-1", "item": "answer", "who": "head of QA", "why": "known", "expires": "2999-01-01"}
    write_lines(inputs.folder / "exceptions.jsonl", [accepted])

    def refuse(n: int, line: dict[str, Any]) -> None:
        if n:
            line["output"] = {"answer": "I don't know"}

    many(inputs, 2, refuse)
    assert inputs.run() == 1
    file = ("--exceptions", str(inputs.folder / "exceptions.jsonl"))
    assert inputs.run(*file) == 2 and "--exceptions FILE` keeps the run" in capsys.readouterr().err
    assert inputs.run("--fresh", *file) == 0
    line = next(v for v in inputs.verdicts() if v["case_id"] == "q-1")
    assert line["exception"]["who"] == "head of QA" and line["outcome"] == "fail" and line["score"] == 0.0
    gate = next(g for g in inputs.summary()["gates"] if g["scope"] == "document_qa")
    assert (gate["value"], gate["value_with_exceptions"], gate["by_exception"], gate["result"]) == (0.5, 1.0, True, "pass")
    cache = ("--cache-dir", str(inputs.folder / "cache"))
    assert execute(["report", str(inputs.out), "--sign-off", *cache]) == 0
    shorter = write_lines(inputs.folder / "shorter.jsonl", [{**accepted, "expires": "2001-01-01"}])
    for other in (write_lines(inputs.folder / "none.jsonl", []), shorter):  # what the run accepted is ended, or shortened
        assert execute(["gate", str(inputs.out), "--display", "none", *file]) == 0
        assert "Ready for release" in (inputs.out / "sign-off.html").read_text()
        assert execute(["gate", str(inputs.out), "--display", "none", "--exceptions", str(other)]) == 1
        assert inputs.summary()["excepted_items"] == 0 and "Ready for release" not in (inputs.out / "sign-off.html").read_text()
        assert execute(["verify", str(inputs.out), *cache]) == 0
    assert inputs.run(*file, "--reports", "auto") == 0  # the same run again: its own file
    assert "Ready for release" in (inputs.out / "sign-off.html").read_text()
    wrong = write_lines(inputs.folder / "wrong.jsonl", [accepted, {**accepted, "item": "fields.x"}])
    assert execute(["gate", str(inputs.out), "--exceptions", str(wrong)]) == 2 and execute(["verify", str(inputs.out), *cache]) == 0
    with pytest.MonkeyPatch.context() as later:  # the day of each gating counts
        later.setattr(datetime, "date", type("Later", (datetime.date,), {"today": classmethod(lambda own: own(2999, 1, 2))}))
        assert execute(["gate", str(inputs.out), "--display", "none"]) == 1 and inputs.summary()["exceptions_on"] == "2999-01-02"
    assert inputs.run("--fresh") == 1
    assert execute(["gate", str(inputs.out), "--display", "none", *file]) == 0
    assert execute(["report", str(inputs.out), "--sign-off", *cache]) == 0
    record = (inputs.out / "sign-off.html").read_text()
    assert "pass by exception</span>" in record and "head of QA" in record  # accepted after the run, and kept with it
    capsys.readouterr()
    assert execute(["gate", str(inputs.out), "--display", "none"]) == 0
    assert "accepted before count on, by today's date" in capsys.readouterr().err
    write_lines(inputs.folder / "needless.jsonl", [{**accepted, "case_id": "q-0"}])
    assert execute(["gate", str(inputs.out), "--display", "plain", "--exceptions", str(inputs.folder / "needless.jsonl")]) == 1
    assert inputs.summary()["excepted_items"] == 0 and "there is nothing to accept" in capsys.readouterr().out
    assert execute(["gate", str(inputs.out), "--display", "none"]) == 1
    assert "head of QA" not in (inputs.out / "sign-off.html").read_text()  # rewritten: it may not say what the gates do not
    write_lines(inputs.folder / "exceptions.jsonl", [{**accepted, "expires": "2020-01-01"}])
    assert inputs.run("--fresh", *file) == 1 and inputs.summary()["why"].endswith("; 1 accepted deviation has expired")
    assert not (inputs.out / "sign-off.html").exists()
    line = next(v for v in inputs.verdicts() if v["case_id"] == "q-1")
    assert "exception" not in line and [f["code"] for f in line["findings"] if "EXCEPTION" in f["code"]] == ["EXCEPTION_EXPIRED"]
    said = "exception not counted: q-1 answer: accepted by head of QA until 2020-01-01"
    assert execute(["report", str(inputs.out), *cache]) == 0 and said in (page := (inputs.out / "report.html").read_text())
    assert ", 1 accepted deviation has expired" in page
    for reported, code in ((line["reported"], 0), ("another answer", 1)):  # it is for the value that was reported
        write_lines(inputs.folder / "exceptions.jsonl", [{**accepted, "reported": reported}])
        capsys.readouterr()
        assert execute(inputs.arguments(*file, command="check")) == 0
        checked = capsys.readouterr().out
        assert f"rules alone say: {1 - code} of 1" in checked and ("exception not counted: q-1 answer" in checked) == (code == 1)
        assert execute(["gate", str(inputs.out), "--display", "plain", *file]) == code
        shown = capsys.readouterr().out
        told = f"exception not counted: q-1 answer: accepted for 'another answer', reported is \"{line['reported']}\"" in shown
        accepted_words = ("1 deviation accepted by exception", "PASS (exit 0): every gate passes, 1 by exception\n")
        assert told == (code == 1) and {word in shown for word in accepted_words} == {code == 0}


@pytest.mark.parametrize(("change", "said"), table("cli", "wrong_exceptions_are_2"))
def test_wrong_exceptions_are_2(inputs: Inputs, capsys: pytest.CaptureFixture[str], change: dict[str, str], said: str) -> None:
    accepted = {"case_id": "q-0", "item": "answer", "who": "a", "why": "b", "expires": "2999-01-01"}
    path = write_lines(inputs.folder / "exceptions.jsonl", [{**accepted, **change}])
    assert many(inputs, 1).run("--exceptions", str(path)) == 2
    assert said in capsys.readouterr().err and not inputs.out.exists()  # before anything is judged
    assert execute(inputs.arguments("--exceptions", str(path), command="check")) == 2 and said in capsys.readouterr().err


def test_partial_counts_missing_output_as_missed(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    del inputs.batch[1]
    inputs.write()
    assert inputs.run() == 2
    assert inputs.run("--partial") == 1
    (inputs.out / "labels.jsonl").write_text("")
    assert inputs.run("--partial", "--fresh") == 1 and "labels.jsonl stays: `judge label" in capsys.readouterr().err
    missed = next(v for v in inputs.verdicts() if v["case_id"] == "sample-question")
    assert json.loads((inputs.out / "run.json").read_text())["left_out"] == 1
    assert missed["outcome"] == "fail" and missed["score"] == 0.0


def test_without_gold_only_two_gates_apply(inputs: Inputs) -> None:
    def reword(n: int, line: dict[str, Any]) -> None:
        line["output"]["answer"] = "The payer has a working week to make good."

    arguments = [a for a in many(inputs, 2, reword).arguments() if a != "--gold" and not a.endswith("gold.jsonl")]
    assert execute([*arguments, "--no-gold"]) == 4  # offline, nobody says whether the quote supports the answer
    results = {g["name"]: g["result"] for g in inputs.summary()["gates"]}
    assert results["capability_score"] == "not_applicable" and results["hallucination_rate"] == "pass"


def test_check_finds_wrong_gold_and_counts_questions(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert with_a_question(inputs).run(command="check") == 0
    assert "2 questions need a judge in the first round:\n  quote_support: 2" in capsys.readouterr().out
    inputs.gold[0]["gold"]["fields"]["facility_amount"]["value"] = "USD 54,000,000"
    inputs.gold[0]["gold"]["fields"]["margin"]["citation"] = {"page": 9, "section": "Clause 9.9", "quote": "no such words stand in it"}
    inputs.gold[1]["gold"]["required_sections"] = ["Clause 8.1"]
    inputs.gold[0]["gold"]["fields"]["tenor"] = {"value": "73 months"}
    inputs.gold[0]["gold"]["fields"]["borrower"]["citation"] = {"page": 1, "section": "Clause 2.1"}  # as an output had it
    assert inputs.write().run(command="check") == 2
    err = capsys.readouterr().err
    assert '"derived": true' in err and "page 1 has no part of Clause 2.1: page" in err
    for place in (
        "fields.borrower.citation.page",
        "fields.facility_amount.value",
        "fields.margin.citation.page",
        "fields.margin.citation.section",
        "fields.margin.citation.quote",
    ):
        assert f"gold.jsonl:1: gold.{place}: GOLD_NOT_FOUND" in err
    assert "gold.jsonl:2: gold.required_sections[0]: GOLD_NOT_FOUND" in err and not inputs.out.exists()


def test_check_warns_of_a_right_answer_that_an_output_could_not_give(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    gold = inputs.gold[1]["gold"]
    gold["accepted"] = [gold["answer"], "Within 9 days, on 3 May 2041."]
    assert inputs.write().run(command="check") == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "GOLD_NOT_FOUND" in line]
    assert len(told) == 1 and "gold.jsonl:2: gold.accepted[1]: GOLD_NOT_FOUND: '3 May 2041' is not in" in told[0]


@pytest.mark.parametrize("flags", [(), ("--case", "none-such")])
def test_check_says_that_nothing_was_checked(inputs: Inputs, flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    inputs.batch = inputs.batch if flags else []
    assert inputs.write().run(*flags, command="check") == 0
    assert "batch.jsonl: no case is checked" in capsys.readouterr().err
    assert inputs.run(*flags) == 5


@pytest.mark.parametrize(("command", "code"), table("cli", "who_reads_no_further_changes_no_exit_code"))
def test_who_reads_no_further_changes_no_exit_code(inputs: Inputs, command: str, code: int) -> None:
    inputs.batch[0]["output"]["fields"]["margin"]["value"] = "9.99 per cent. per annum"
    assert inputs.write().run() == 1
    words = [str(inputs.out) if word == "OUT" else word for word in command.split()]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "judge.cli", *words], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


def test_check_counts_citations_without_a_document_and_to_page_0(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert inputs.write().run(command="check") == 0 and "page 0" not in capsys.readouterr().err
    cited = inputs.batch[0]["output"]["fields"]["margin"]["citation"]
    cited["page"] = 0
    del cited["document"]
    assert inputs.write().run(command="check") == 0
    told = capsys.readouterr().err
    assert "citations without a document: 1 of " in told and "citations to page 0: 1 of " in told and "page 0 is no page" in told


@pytest.mark.parametrize("data", [b"%PDF-1.4\ngarbage", b"PK\x03\x04xx"])
def test_check_opens_every_document_also_without_gold(inputs: Inputs, data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.write()
    (document,) = (inputs.folder / "documents").iterdir()
    document.write_bytes(data)
    assert execute([a for a in inputs.arguments("--no-gold", command="check") if a != "--gold" and not a.endswith("gold.jsonl")]) == 2
    said = capsys.readouterr()
    assert document.name in said.err and "1 document cannot be read" in said.out


def test_a_batch_that_is_not_there_is_named_also_where_gold_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["run", str(tmp_path / "nofile.jsonl")]) == 2
    assert "nofile.jsonl: is not there" in capsys.readouterr().err


def test_a_missing_key_is_told_before_any_work_and_kept_answers_need_none(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert inputs.write().run("--judge", "some-model") == 2 and not inputs.out.exists()
    assert inputs.run() in (0, 1)  # as the message advises: the folder is free
    (inputs.folder / "cache" / "answers").mkdir(parents=True, exist_ok=True)
    assert inputs.run("--judge", "some-model", "--fresh") != 2


def test_a_dry_run_offline_sends_and_writes_nothing(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert inputs.run("--dry-run") == 0 and not inputs.out.exists()
    assert "no text leaves this machine" in capsys.readouterr().err


def test_init_writes_a_sample_that_runs_and_keeps_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "judge.toml").write_text('gold = "sample/gold.jsonl"\ndocuments = "sample/documents"\n')
    assert execute(["init"]) == 0 and "kept  judge.toml" in capsys.readouterr().out
    assert execute(["run", "sample/batch.jsonl", "--display", "none", "--cache-dir", "cache", "--reports", "none"]) == 1
    assert (tmp_path / "judge-results" / "summary.json").exists()
    assert execute(["init", "--deal"]) == 0
    assert (tmp_path / "deal" / "labels.jsonl").exists() and len(list((tmp_path / "deal" / "documents").glob("*.pdf"))) == 4


def test_init_of_the_larger_sample_writes_a_workflow_only_where_one_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["init", str(tmp_path / "a b")]) == 0
    printed = capsys.readouterr().out.split("next: judge ")[1]  # a command that runs where the user is
    assert execute([*shlex.split(printed), "--display", "none", "--reports", "none"]) == 1 and (tmp_path / "a b" / "judge-results").exists()
    assert execute(["init", str(tmp_path / "a"), "--deal"]) == 0 and not (tmp_path / "a" / ".github").exists()
    assert execute(["init", str(tmp_path / "b"), "--deal", "--ci", "gitlab"]) == 0 and (tmp_path / "b" / ".gitlab-ci.yml").exists()
    assert execute(["calibrate", str(tmp_path / "a" / "deal" / "labels.jsonl"), "--out", str(tmp_path / "out")]) in (1, 4)


@pytest.mark.parametrize("kind", ["batch", "gold", "labels", "verdicts", "contract"])
def test_schemas_are_valid_and_fit_the_files(inputs: Inputs, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert execute(["schema", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    inputs.run()
    lines = {"batch": inputs.batch, "gold": inputs.gold, "verdicts": inputs.verdicts()}.get(kind, [])
    assert [e.message for line in lines for e in Draft202012Validator(schema).iter_errors(line)] == []
    if kind == "batch":
        inputs.batch[0]["output"]["fields"]["borower"] = {}
        assert not Draft202012Validator(schema).is_valid(inputs.batch[0])


def test_help_lists_every_command_without_importing_them() -> None:
    code = "import sys; from judge.cli import execute; execute(['--help']); print('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, _, modules = done.stdout.partition("MODULES")
    assert all(f"  {name} " in text for name in COMMANDS)
    assert not {"judge.commands.runs.run", "openai", "rich", "pymupdf", "numpy"} & set(modules.split())


def spawn(inputs: Inputs) -> "subprocess.Popen[str]":
    """A run in a process of its own that is slow enough to be stopped in the middle."""
    code = (
        "import dataclasses, sys, time\n"
        "from judge.capabilities.registry import LOADED, capability_of\n"
        "real = capability_of('document_qa')\n"
        "LOADED['document_qa'] = dataclasses.replace(real, judge=lambda context: (time.sleep(0.02), real.judge(context))[1])\n"
        "from judge.cli import execute\n"
        "sys.exit(execute(sys.argv[1:]))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, *inputs.arguments()], stderr=subprocess.PIPE, text=True)
    verdicts, deadline = inputs.out / "verdicts.jsonl", time.monotonic() + 60
    while time.monotonic() < deadline and not (verdicts.exists() and verdicts.stat().st_size):
        time.sleep(0.01)
    return process


def test_the_first_ctrl_c_saves_and_the_same_command_goes_on(inputs: Inputs) -> None:
    process = spawn(many(inputs, 150))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130 and "finishing what is in flight" in process.stderr.read()  # type: ignore[union-attr]
    assert inputs.summary()["verdict"] == "interrupted" and 0 < inputs.summary()["counts"]["skipped"] < 150
    assert len(read_lines(inputs.out / "cases.jsonl")) == 150
    assert inputs.run() == 0 and len(inputs.verdicts()) == 150


def test_a_killed_run_is_resumed_with_the_same_result(inputs: Inputs) -> None:
    process = spawn(many(inputs, 150))
    process.kill()
    process.wait(60)
    process.stderr.close()  # type: ignore[union-attr]
    kept = len(inputs.verdicts())
    assert 0 < kept < 150
    assert inputs.run() == 0
    assert sorted(v["case_id"] for v in inputs.verdicts()) == sorted(f"q-{n}" for n in range(150))


def test_a_command_line_that_is_not_text_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["run", "batch\udcff.jsonl", "--no-gold"]) == 2
    assert "not UTF-8 text" in capsys.readouterr().err


def test_a_judge_that_cannot_be_used_is_said_aloud_also_where_a_gate_fails(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    def change(n: int, line: dict[str, Any]) -> None:
        line["output"]["answer"] = "Once a reminder was sent." if n == 0 else line["output"]["answer"]
        if n:
            line["output"]["citations"][0]["quote"] = "nothing that any page of this document says"

    many(inputs, 2, change)
    assert inputs.run("--judge", "llama:no-such-file.gguf") == 1
    assert "cannot be used: no model file at no-such-file.gguf" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    inputs.run()
    (inputs.out / "summary.json").unlink()
    (inputs.out / "summary.json").mkdir()
    assert inputs.run() == 2
    said = capfd.readouterr().err
    assert "summary.json: Is a directory" in said and "the same command goes on from there" in said and "internal error" not in said


def test_a_system_without_memory_is_one_line(inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("judge.engines.session.prepare", fail)
    assert inputs.run() == 3
    assert "gave no more memory" in (told := capsys.readouterr().err) and "internal error" not in told


def test_windows_is_told_at_once_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["run", "batch.jsonl"], "win32") == 2
    assert "Windows Subsystem for Linux" in capsys.readouterr().err


def test_items_with_one_reason_are_one_row_of_those_to_look_at_first(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    first, truth = inputs.batch[0], inputs.gold[0]
    first["output"]["fields"]["repayment_schedule"] = {"status": "absent", "confidence": 0.95, "hitl": "none"}  # else open, and listed so
    truth["gold"]["fields"]["repayment_schedule"] = {"absent": True}
    for n in range(2, 5):
        inputs.batch.append({**first, "case_id": f"again-{n}"})
        inputs.gold.append({**truth, "case_id": f"again-{n}"})
    execute(shown(inputs.write(), "plain"))
    out = capsys.readouterr().out
    assert "sample-onboarding  fields.margin (and 3 like it, of any case)  partial  2" in out and "again-2" not in out


def test_check_and_run_join_by_case_item_and_rubric(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.run("--json", command="check")
    asked = json.loads(capsys.readouterr().out)["asked"]
    assert [one["rubric"] for one in asked] == ["quote_support"]
    inputs.run()
    waiting = [line for line in inputs.verdicts() if line["outcome"] == "undecided"]
    assert [(x["case_id"], x["item"], x["tranche"]) for x in waiting] == [(x["case_id"], x["item"], x["tranche"]) for x in asked]


@pytest.mark.parametrize(("score", "bounds", "shown"), table("cli", "a_figure_is_a_range_only_where_its_ends_are_shown_apart", tuples=True))
def test_a_figure_is_a_range_only_where_its_ends_are_shown_apart(score: float | None, bounds: tuple[float, float], shown: str) -> None:
    from judge.commands.runs.terminal import _score

    assert _score(score, bounds) == shown
