"""No process of any command imports from the working folder, which may be anybody's: each finds a module of every name there."""

import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.tables import entries

SAMPLE = Path(__file__).resolve().parents[1] / "judge" / "samples"
PLANTED = """import pathlib
pathlib.Path({marker!r}).open("a").write(__name__ + " ")
raise ImportError("imported from the working folder")
"""
BATCH = ["batch.jsonl", "--gold", "gold.jsonl", "--documents", "documents"]
COMMANDS = entries("no_foreign_imports", "commands")
"""Of each command its line and the codes that the sample ends with; in an order in which each finds what it needs."""


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
    line, codes = COMMANDS[name]
    process = start(checkout, line.replace("LABELS", str(SAMPLE / "labels.jsonl")).split())
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
