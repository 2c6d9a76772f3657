"""A check of one's own: ten lines add an item with a label and a reason; its failure is no verdict, and no folder names its code."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from judge.commands.runs.run import command as run
from judge.engines.verifying import differences
from judge.errors import UsageError
from judge.settings import resolve
from tests.tables import table

SAMPLES = Path(__file__).parent.parent / "judge" / "samples"
EXAMPLE = SAMPLES / "checks" / "house_checks.py"


def judged(tmp_path: Path, checks: Path | None, *more: str) -> list[dict[str, Any]]:
    sample = SAMPLES / "deal"
    options = {"--gold": sample / "gold.jsonl", "--documents": sample / "documents", "--out": tmp_path / "out", "--judge": "offline"}
    options |= {"--checks": checks} if checks else {}
    flags = [str(part) for pair in options.items() for part in pair]
    arguments = [str(sample / "batch.jsonl"), *flags, "--display", "none", "--case", "lo-*", *more]
    done = CliRunner().invoke(run, arguments, standalone_mode=False)
    if isinstance(done.exception, UsageError):
        raise done.exception
    return [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("contract", [(), ("--contract", "companion")])
def test_the_shipped_example_adds_its_item_and_moves_no_score(tmp_path: Path, contract: tuple[str, ...]) -> None:
    assert len(EXAMPLE.read_text().split("@check")[1].strip().splitlines()) <= 10
    lines = judged(tmp_path / "with", EXAMPLE, *contract)
    own = [line for line in lines if line["item"] == "checks.maturity_is_cited"]
    assert {line["outcome"] for line in own} <= {"correct", "fail"} and own[0]["reason"].startswith("The maturity date names")
    judged(tmp_path / "without", None, *contract)
    scores = [json.loads((tmp_path / name / "out" / "summary.json").read_text())["capabilities"] for name in ("with", "without")]
    assert scores[0] == scores[1]


def test_a_check_that_fails_or_says_no_label_is_open(tmp_path: Path) -> None:
    text = 'from judge.api import check\n@check("loan_onboarding")\ndef broken(case):\n    return ("good", "x") if case.gold else 1 / 0\n'
    (tmp_path / "c.py").write_text(text)
    own = [line for line in judged(tmp_path, tmp_path / "c.py") if line["item"] == "checks.broken"]
    assert own and {line["outcome"] for line in own} == {"undecided"} and "The check failed: ValueError" in own[0]["reason"]


@pytest.mark.parametrize(("text", "why"), table("own_checks", "a_file_without_checks_stops_the_run"))
def test_a_file_without_checks_stops_the_run(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "c.py").write_text(text)
    with pytest.raises(UsageError, match=why):
        judged(tmp_path, tmp_path / "c.py")


@pytest.mark.parametrize(("name", "text"), [("judge.toml", 'checks = "c.py"'), (".env", "JUDGE_CHECKS=c.py")])
def test_no_folder_names_code_that_runs(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match="a folder cannot name code that runs"):
        resolve({}, tmp_path, {})


def test_verify_runs_a_checks_file_only_when_it_is_given(tmp_path: Path) -> None:
    judged(tmp_path, EXAMPLE)
    with pytest.raises(UsageError, match="give --checks FILE"):
        list(differences(tmp_path / "out", {}))
    assert list(differences(tmp_path / "out", {"checks": EXAMPLE})) == []
    other = tmp_path / "other.py"
    other.write_text(EXAMPLE.read_text().replace("names its clause", "is well cited"))
    assert "the checks file: is not the one that was run" in list(differences(tmp_path / "out", {"checks": other}))


HEAD = "import atexit, os, sys\nfrom judge.api import check\n"
CHECK = '@check("loan_onboarding")\ndef own(case):\n    '


@pytest.mark.parametrize("text", table("own_checks", "code_that_ends_the_process_passes_no_gate"))
def test_code_that_ends_the_process_passes_no_gate(tmp_path: Path, text: str) -> None:
    sample, out, checks = SAMPLES / "deal", tmp_path / "out", tmp_path / "c.py"
    checks.write_text(HEAD + text)
    inputs = (sample / "batch.jsonl", "--gold", sample / "gold.jsonl", "--documents", sample / "documents", "--case", "lo-*")
    done = ended("run", *inputs, "--out", out, "--checks", checks, "--judge", "offline", "--display", "none", "--reports", "none")
    assert done.returncode == 2 and done.stderr.strip().startswith("judge: error: ") and "Traceback" not in done.stderr
    if text == f"{CHECK}os._exit(0)":
        assert ended("gate", out).returncode == 2


def ended(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from judge.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
