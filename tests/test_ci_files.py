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

from judge.commands.init import command as init_command

CI_FILES = Path(__file__).parent.parent / "judge" / "samples" / "ci"
ACTION: dict[str, Any] = yaml.safe_load((CI_FILES / "action.yml").read_text())


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("vendor.github-workflows", "github-workflow.yml"),
        ("vendor.github-workflows", "watch-workflow.yml"),
        ("vendor.github-actions", "action.yml"),
        ("vendor.gitlab-ci", "gitlab-ci.yml"),
    ],
)
def test_yaml_files_fit_the_schemas_of_their_servers(schema: str, name: str) -> None:
    transform = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *transform, str(CI_FILES / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("ci", "files"),
    [
        ("github", [".github/workflows/judge.yml", ".github/actions/loan-judge/action.yml"]),
        ("gitlab", [".gitlab-ci.yml"]),
        ("jenkins", ["Jenkinsfile"]),
    ],
)
def test_init_writes_the_files_of_one_server_for_this_version_from_one_index(tmp_path: Path, ci: str, files: list[str]) -> None:
    done = CliRunner().invoke(init_command, [str(tmp_path), "--ci", ci], standalone_mode=False)
    assert done.exception is None
    texts = "".join((tmp_path / name).read_text() for name in files)
    assert "@VERSION@" not in texts and "INDEX" in texts
    installs = [line for line in texts.splitlines() if "pip install" in line]
    assert installs and all("--index-url" in line and "loan-judge==" in line for line in installs)
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
    code, _, calls, _ = run_step(tmp_path, {"gate": 1}, BASELINE="before")
    assert code == 1
    assert calls[1:] == ["silent run b.jsonl --out out --display plain", "told gate out --baseline before --display plain"]


def test_wrong_input_ends_before_any_call_is_paid(tmp_path: Path) -> None:
    code, _, calls, _ = run_step(tmp_path, {"check": 2}, BASELINE="before")
    assert (code, len(calls)) == (2, 1)


def test_inputs_stay_out_of_the_scripts() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_the_workflow_hands_over_only_inputs_that_the_action_has() -> None:
    workflow = yaml.safe_load((CI_FILES / "github-workflow.yml").read_text())
    used = [s for s in workflow["jobs"]["judge"]["steps"] if s.get("uses", "").endswith("loan-judge")]
    assert used and set(used[0]["with"]) <= set(ACTION["inputs"]), json.dumps(used)
