"""No process of any command imports from the working folder, which may be anybody's: each finds a module of every name there."""

import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[1] / "judge" / "samples"
PLANTED = """import pathlib
pathlib.Path({marker!r}).open("a").write(__name__ + " ")
raise ImportError("imported from the working folder")
"""
BATCH = ["batch.jsonl", "--gold", "gold.jsonl", "--documents", "documents"]
COMMANDS = {  # name -> arguments and the codes that the sample ends with; in an order in which each finds what it needs
    "init": (["init", "--dir", "new"], (0, 2)),
    "schema": (["schema", "batch"], (0,)),
    "check": (["check", *BATCH, "--ocr", "off"], (0, 2)),
    "run": (["run", *BATCH, "--fresh", "--ocr", "off", "--out", "results", "--cache-dir", "cache"], (0, 1, 4)),
    "gate": (["gate", "results"], (0, 1, 4)),
    "verify": (["verify", "results"], (0, 1, 2)),
    "correct": (["correct", "results", "none", "answer", "fail", "--by", "Ann", "--why", "tried"], (2,)),
    "cache": (["cache", "show"], (0,)),
    "compare": (["compare", "results", "results"], (0, 1, 4)),
    "history": (["history", "results"], (0, 1, 2, 4)),
    "report": (["report", "results"], (0, 1, 4)),
    "export": (["export", "results", "--to", "items.xlsx"], (0,)),
    "import": (["import", "items.xlsx", "results"], (0, 1, 2, 4)),
    "convert": (["convert", "items.xlsx", "--map", "map.toml"], (2,)),
    "calibrate": (["calibrate", str(SAMPLE / "labels.jsonl"), "--out", "record"], (0, 1, 2, 4)),
    "labels": (["labels", "merge", str(SAMPLE / "labels.jsonl"), "--out", "merged.jsonl"], (0, 2)),
    "gold": (["gold", "build", "."], (0, 2)),
    "trust": (["trust", "--list"], (0,)),
    "doctor": (["doctor", "--judge", "m", "--max-retries", "0", "--timeout", "5"], (3,)),
    "mlflow": (["mlflow", "results", "--tracking-uri", "file:store"], (0, 2)),
    "label": (["label", "results", "--review", "--sample", "5", "--no-browser"], (0,)),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(SAMPLE / "first", folder, dirs_exist_ok=True)
    (folder / "judge.toml").unlink()
    names = {*sys.stdlib_module_names, *packages_distributions(), "judge", "rubrics", "sitecustomize", "usercustomize"}
    for name in names:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(PLANTED.format(marker=str(folder / "imported")))
    return folder


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """A command as its console script starts it, which has its own folder on the path and not the working folder."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("JUDGE_", "OPENAI_", "PYTHON"))}
    given = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-0123456789", "XDG_CONFIG_HOME": str(folder)}
    line = [sys.executable, "-P", "-c", "from judge.cli import main; main()", *arguments]
    return subprocess.Popen(line, cwd=folder, env=left | given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_every_command_is_here() -> None:
    from judge.cli import COMMANDS as known

    assert sorted(COMMANDS) == sorted(known)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_nothing_from_the_working_folder(name: str, checkout: Path) -> None:
    arguments, codes = COMMANDS[name]
    process = start(checkout, arguments)
    if name == "label":
        assert process.stdout is not None and any(b"http://" in process.stdout.readline() for _ in range(2))
        process.terminate()
    said = process.communicate(timeout=180)[0]
    assert not (checkout / "imported").exists(), (checkout / "imported").read_text()
    assert process.returncode in codes and b"internal error" not in said, said


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the optional extra `ray` is not installed; CI installs it")
def test_the_workers_of_a_cluster_import_nothing_from_the_working_folder(checkout: Path) -> None:
    process = start(checkout, ["run", *BATCH, "--fresh", "--ocr", "off", "--out", "far", "--cache-dir", "far-cache", "--engine", "ray"])
    said = process.communicate(timeout=300)[0]
    assert not (checkout / "imported").exists(), (checkout / "imported").read_text()
    assert process.returncode in (0, 1, 4), said
