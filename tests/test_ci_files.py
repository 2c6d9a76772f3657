"""The shipped CI files: valid for their servers, bound to one's own package index, and with the exit codes that the docs name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from engine_samples import Inputs, read_lines
from openpyxl import load_workbook
from test_item_sheets import export

from judge.cli import execute
from judge.commands.preparing.init import command as init_command
from judge.labelling.sheets import COLUMNS
from tests.tables import table

CI_FILES = Path(__file__).parent.parent / "judge" / "samples" / "ci"
ACTION: dict[str, Any] = yaml.safe_load((CI_FILES / "action.yml").read_text())


@pytest.mark.parametrize(("schema", "name"), table("ci_files", "yaml_files_fit_the_schemas_of_their_servers"))
def test_yaml_files_fit_the_schemas_of_their_servers(schema: str, name: str) -> None:
    transform = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *transform, str(CI_FILES / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("ci", "files"), table("ci_files", "init_writes_the_files_of_one_server_for_this_version_from_one_index"))
def test_init_writes_the_files_of_one_server_for_this_version_from_one_index(tmp_path: Path, ci: str, files: list[str]) -> None:
    done = CliRunner().invoke(init_command, [str(tmp_path), "--ci", ci], standalone_mode=False)
    assert done.exception is None
    texts = "".join((tmp_path / name).read_text() for name in files)
    assert "@VERSION@" not in texts and "INDEX" in texts
    installs = [line for line in texts.splitlines() if "pip install" in line]
    assert installs and all("loan-judge==" in line and ("--index-url" in line or "--no-index" in line) for line in installs)
    kept = "judge-baseline" if ci == "github" else "judge-results"  # a second job in a kept checkout begins anew
    assert f"rm -rf {kept}" in texts
    hidden = {".gitlab-ci.yml", "Jenkinsfile", ".github"} - {Path(name).parts[0] for name in files}
    assert not [name for name in hidden if (tmp_path / name).exists()]


def run_step(folder: Path, codes: dict[str, int], **inputs: str) -> tuple[int, dict[str, str], list[str], str]:
    """The action's main step with a `judge` that ends with the given codes: its exit code, outputs, calls and log."""
    step = next(s for s in ACTION["runs"]["steps"] if s.get("id") == "judge")
    program = folder / "judge"
    told = '[ -n "$GITHUB_ACTIONS" ] && told=told || told=silent\n'
    ends = "".join(f'[ "$1" = {name} ] && exit {code}\n' for name, code in codes.items())
    program.write_text(f'#!/bin/sh\n{told}echo "$told $*" >> "{folder}/calls"\n{ends}exit 0\n')
    program.chmod(0o755)
    given = {
        "BATCH": "b.jsonl",
        "GOLD": "",
        "DOCUMENTS": "",
        "OUT": "out",
        "BASELINE": "",
        "INCONCLUSIVE": "fail",
        "ARTIFACT": "a",
        **inputs,
    }
    env = {"PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_ACTIONS": "true", **given}
    done = subprocess.run(["bash", "-e", "-c", step["run"]], env=env, capture_output=True, text=True, cwd=folder)
    outputs = dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())
    return done.returncode, outputs, (folder / "calls").read_text().splitlines(), done.stdout


def test_the_step_ends_with_the_verdict_and_names_its_artifact_safely(tmp_path: Path) -> None:
    code, outputs, calls, _ = run_step(tmp_path, {"run": 1}, ARTIFACT="loan-judge-a/b:0 x")
    assert (code, outputs["exit-code"], outputs["artifact"]) == (1, "1", "loan-judge-a-b-0-x")
    assert calls == ["told check b.jsonl", "told run b.jsonl --out out --display plain"]


@pytest.mark.parametrize(("inconclusive", "expected"), [("fail", 4), ("warn", 0)])
def test_open_items_stop_the_job_or_warn(tmp_path: Path, inconclusive: str, expected: int) -> None:
    code, outputs, _, log = run_step(tmp_path, {"run": 4}, INCONCLUSIVE=inconclusive)
    assert (code, outputs["exit-code"], "::warning" in log) == (expected, "4", expected == 0)


def test_a_failed_gate_is_never_turned_into_a_warning(tmp_path: Path) -> None:
    assert run_step(tmp_path, {"run": 1}, INCONCLUSIVE="warn")[0] == 1


def test_with_a_baseline_only_the_gate_writes_to_the_log_and_the_summary(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "before" / "verdicts.jsonl").write_text("")
    code, _, calls, _ = run_step(tmp_path, {"gate": 1}, BASELINE="before")
    assert code == 1
    assert calls[1:] == ["silent run b.jsonl --out out --display plain", "told gate out --baseline before --display plain"]


def test_wrong_input_ends_before_any_call_is_paid(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "before" / "verdicts.jsonl").write_text("")
    code, _, calls, log = run_step(tmp_path, {"check": 2}, BASELINE="before")
    assert (code, calls) == (2, ["silent check b.jsonl"]) and "::error title=loan-judge::Exit code 2" in log


def test_inputs_stay_out_of_the_scripts() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_the_workflow_hands_over_only_inputs_that_the_action_has() -> None:
    workflow = yaml.safe_load((CI_FILES / "github-workflow.yml").read_text())
    used = [s for s in workflow["jobs"]["judge"]["steps"] if s.get("uses", "").endswith("loan-judge")]
    assert used and set(used[0]["with"]) <= set(ACTION["inputs"]), json.dumps(used)


def test_a_baseline_that_is_not_there_yet_is_told_and_asked_for_nothing(tmp_path: Path) -> None:
    code, _, calls, log = run_step(tmp_path, {}, BASELINE="before")
    assert code == 0 and "no baseline in before yet" in log and not [call for call in calls if "gate" in call]


def test_where_nothing_is_installed_the_step_says_what_to_set(tmp_path: Path) -> None:
    step = next(s for s in ACTION["runs"]["steps"] if s.get("id") == "judge")
    env = {"PATH": "/usr/bin:/bin", "GITHUB_OUTPUT": str(tmp_path / "output"), "BATCH": "b", "OUT": "out", "ARTIFACT": "a"}
    done = subprocess.run(["bash", "-c", step["run"]], env=env, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and "Nothing is installed: set the input index" in done.stdout
    assert "exit-code=2" in (tmp_path / "output").read_text()


@pytest.mark.parametrize("has_result", [True, False])
@pytest.mark.parametrize(("known", "call"), [("17", "PATCH repos/o/r/issues/comments/17"), ("", "POST repos/o/r/issues/5/comments")])
def test_one_comment_is_written_and_then_updated(tmp_path: Path, known: str, call: str, has_result: bool) -> None:
    step = next(s for s in ACTION["runs"]["steps"] if "--pr-comment" in s.get("run", ""))
    if has_result:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "summary.json").write_text("{}")
    programs = {"judge": 'echo "judge $*" >> calls', "gh": f'echo "gh $*" >> calls\ncase "$*" in *--paginate*) echo "{known}" ;; esac'}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "OUT": "out", "BASELINE": "before", "REPORT_URL": "https://ci/r"}
    env |= {"COMMENTS": "repos/o/r/issues/5/comments", "ONE_COMMENT": "repos/o/r/issues/comments", "COMMIT": "abc", "JOB": "https://ci/j"}
    done = subprocess.run(["bash", "-e", "-c", step["run"]], env=env, capture_output=True, text=True, cwd=tmp_path)
    calls = (tmp_path / "calls").read_text().splitlines()
    report = "judge report out --pr-comment loan-judge-comment.md --report-url https://ci/r"
    assert done.returncode == 0 and (report in calls) == has_result
    if not has_result:  # a comment of an earlier commit would keep its verdict
        assert (tmp_path / "loan-judge-comment.md").read_text().startswith("<!-- loan-judge -->\n**No verdict for abc**")
    assert calls[-1] == f"gh api --method {call} -F body=@loan-judge-comment.md"


def test_decisions_and_exceptions_come_back_into_a_job_and_count_for_what_they_were_made_of(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path / "in")
    field = inputs.batch[0]["output"]["fields"]["governing_law"]
    field["citation"]["quote"] = "This Agreement is governed by the law of England, all of it."
    inputs.batch[0]["output"]["fields"]["tenor"] = {"status": "absent", "confidence": 0.95, "hitl": "none"}
    inputs.write()
    base = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    base |= {
        "BATCH": str(tmp_path / "in" / "batch.jsonl"),
        "GOLD": str(tmp_path / "in" / "gold.jsonl"),
        "INCONCLUSIVE": "fail",
        "ARTIFACT": "a",
    }
    base |= {"DOCUMENTS": str(tmp_path / "in" / "documents"), "BASELINE": "", "DECISIONS": "kept.jsonl", "EXCEPTIONS": ""}
    step = next(s for s in ACTION["runs"]["steps"] if s.get("id") == "judge")["run"]

    def job(out: str, **more: str) -> tuple[dict[tuple[str, str], dict[str, Any]], str]:
        env = {**base, "OUT": out, "GITHUB_OUTPUT": str(tmp_path / "output"), **more}
        done = subprocess.run(["bash", "-e", "-c", step], env=env, capture_output=True, text=True, cwd=tmp_path)
        last = {(line["case_id"], line["item"]): line for line in read_lines(tmp_path / out / "verdicts.jsonl")}
        return last, done.stdout + done.stderr

    (tmp_path / "first").mkdir()
    for name in ("run.json", "summary.json"):  # of an earlier job in a kept checkout: another batch
        (tmp_path / "first" / name).write_text("{}")
    found, log = job("first")
    key = (inputs.batch[0]["case_id"], "fields.governing_law")
    tenor = (inputs.batch[0]["case_id"], "fields.tenor")
    assert found[key]["outcome"] == "undecided" and "no label file kept.jsonl yet" in log
    sheet = export(tmp_path / "first", "items.xlsx")
    book = load_workbook(sheet)
    rows = [dict(zip(COLUMNS, cells, strict=True)) for cells in book.worksheets[0].iter_rows()]
    row = next(row for row in rows if (row["case"].value, row["item"].value) == key)
    row["decision"].value, row["name"].value = "Partial", "Ann Miller"
    book.save(sheet)
    assert execute(["import", str(sheet), str(tmp_path / "first"), "--cache-dir", str(tmp_path / "cache")]) == 0
    (tmp_path / "first" / "labels.jsonl").rename(tmp_path / "kept.jsonl")
    excepted = {"case_id": tenor[0], "item": tenor[1], "who": "M. Tan", "why": "the agent's notice", "expires": "2099-01-01"}
    (tmp_path / "exceptions.jsonl").write_text(json.dumps(excepted) + "\n")
    found, _ = job("second", EXCEPTIONS="exceptions.jsonl")
    assert (found[key]["decided_by"], found[key]["who"]) == ("human", "Ann Miller") and found[tenor]["exception"]["who"] == "M. Tan"
    field["value"] = "the law of England"
    inputs.write()
    found, _ = job("third", EXCEPTIONS="exceptions.jsonl")
    assert found[key]["decided_by"] != "human"


def test_every_script_of_gitlab_is_a_shells_and_its_programs_are_pythons() -> None:
    job = yaml.safe_load((CI_FILES / "gitlab-ci.yml").read_text())["loan-judge"]
    for script in job["script"]:
        assert subprocess.run(["bash", "-n", "-c", script], capture_output=True).returncode == 0, script
        for part in script.split("<< 'END'")[1:]:
            compile(part.partition("\n")[2].partition("\nEND\n")[0], "gitlab-ci.yml", "exec")
