"""The SDK costs half a second: it is imported when a request must go out, and not before."""

import subprocess
import sys
from pathlib import Path

from tests.tables import text

ROOT = Path(__file__).parent.parent
HEAVY = "openai instructor httpx2 aiohttp tenacity numpy scipy pymupdf"

CACHED = text("lazy_sdk", "an_answer_from_the_cache")


def imported(code: str, *arguments: str) -> str:
    """What the code prints."""
    command = [sys.executable, "-c", f"HEAVY = {HEAVY.split()!r}\n{code}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_an_answer_from_the_cache_imports_no_sdk(tmp_path: Path) -> None:
    assert imported(CACHED, str(tmp_path)) == "[]"


def test_help_imports_nothing_heavy() -> None:
    code = """
import sys
from judge.cli import execute
try:
    execute(["--help"])
finally:
    print([name for name in HEAVY + ["pydantic", "diskcache", "rubrics.contract"] if name in sys.modules])
"""
    assert imported(code).endswith("[]")


AGAIN = text("lazy_sdk", "a_run_again")
CHECK = text("lazy_sdk", "a_check")


def test_a_finished_run_imports_nothing_that_judges(tmp_path: Path) -> None:
    assert "find" in imported(AGAIN, str(tmp_path / "out")).splitlines()[-1]
    assert imported(AGAIN, str(tmp_path / "out")).splitlines()[-1] == "[]"


def test_a_check_imports_nothing_that_asks(tmp_path: Path) -> None:
    assert imported(CHECK, str(tmp_path)).splitlines()[-1] == "[]"
