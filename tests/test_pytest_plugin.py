"""The pytest plugin, run in a pytest of its own as a team would."""

import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from judge.api import compare, evaluate, read
from tests.tables import entries

PDF_TEXT = "5.1 Interest\nThe Margin is 2.50 per cent. per annum.\n12.1 Governing law\nThis Agreement is governed by English law."
QUESTION = entries("pytest_plugin", "question")
GOLD = {"case_id": "qa-1", "gold": {"answerable": False, "topic": "commitment fee"}}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), PDF_TEXT)
    pdf.save(folder / "loan.pdf")
    return folder


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))


def test_evaluate_returns_what_the_folder_says(tmp_path: Path, documents: Path) -> None:
    found = evaluate([QUESTION], gold=[GOLD], documents=documents, out=tmp_path / "run")
    assert found.passed and found.exit_code == 0 and found.failures == ()
    assert found.item("qa-1", "answer").outcome == "grounded_refusal"
    assert read(tmp_path / "run").verdict == "pass"
    with pytest.raises(KeyError, match="no item"):
        found.item("qa-1", "nothing")


def test_why_names_gate_and_item(tmp_path: Path, documents: Path) -> None:
    wrong = {**QUESTION, "output": {"answer": "I don't know."}}
    found = evaluate([wrong], gold=[GOLD], documents=documents, out=tmp_path / "run")
    assert not found.passed and "Grounded refusal accuracy" in found.why() and "qa-1 answer" in found.why()
    evaluate([QUESTION], gold=[GOLD], documents=documents, out=tmp_path / "better")
    assert compare(tmp_path / "run", tmp_path / "better").gained == 1


def run_pytest(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_gate.py").write_text(f"import pytest\nQUESTION = {QUESTION!r}\nGOLD = {GOLD!r}\n{test}", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_gate.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_fixture_gates_and_the_marker_gives_its_settings(tmp_path: Path, documents: Path) -> None:
    done = run_pytest(
        tmp_path,
        """
pytestmark = pytest.mark.judge(documents="documents", gold=[GOLD])

def test_good(judge):
    assert judge.gate([QUESTION]).passed

def test_bad(judge):
    judge.gate([{**QUESTION, "output": {"answer": "It is 1 %."}}])
""",
        "--strict-markers",
        "--judge-out",
        "kept",
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "Not ready for release" in done.stdout
    assert (tmp_path / "kept" / "test_good" / "run-1" / "summary.json").exists()


def test_missing_documents_are_said(tmp_path: Path, documents: Path) -> None:
    done = run_pytest(tmp_path, "def test_it(judge):\n    judge.gate([QUESTION], gold=[GOLD])\n")
    assert "say where the PDFs are" in done.stdout
