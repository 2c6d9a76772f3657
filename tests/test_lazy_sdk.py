"""The SDK costs half a second: it is imported when a request must go out, and not before."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEAVY = "openai instructor httpx2 aiohttp tenacity numpy scipy pymupdf"

CACHED = """
import asyncio, sys
sys.path.insert(0, "tests")
from judge.llm.judge import Judge
from judge.llm.settings import JudgeSettings
from judge.records import Question
from pathlib import Path
from judge.llm.replies import Reply

async def main():
    settings = JudgeSettings(judge="m", base_url="http://127.0.0.1:9/v1", cache_dir=Path(sys.argv[1]))
    question = Question.of("quote_support", field="f", claim="c", quote="q", passage="p")
    async with Judge.open(settings) as judge:
        (request,) = judge.unanswered(question)
        judge._cache.put(request.key, Reply("supports", "e", "r", "m"), request.parts)
        assert (await judge.ask(question)).cached

asyncio.run(main())
print([name for name in HEAVY if name in sys.modules])
"""


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


AGAIN = """
import sys
from judge.cli import execute
sample = "judge/samples/deal"
flags = ["--gold", f"{sample}/gold.jsonl", "--documents", f"{sample}/documents", "--out", sys.argv[1]]
flags += ["--cache-dir", sys.argv[1] + "-cache"]
execute(["run", f"{sample}/batch.jsonl", *flags, "--limit", "2", "--judge", "offline", "--display", "none", "--reports", "none"])
needed_to_judge = ["deterministic.quotes.find", "deterministic.clauses.index", "judge.capabilities.context"]
needed_to_judge += ["judge.engines.loop", "asyncio", "rubrics.rubric", "pymupdf", "rapidfuzz", "jinja2"]
print([name for name in needed_to_judge if name in sys.modules])
"""
CHECK = """
import sys
from judge.cli import execute
sample = "judge/samples/deal"
flags = ["--gold", f"{sample}/gold.jsonl", "--documents", f"{sample}/documents", "--cache-dir", sys.argv[1]]
execute(["check", f"{sample}/batch.jsonl", *flags, "--limit", "2", "--judge", "offline"])
print([name for name in HEAVY + ["asyncio", "diskcache", "judge.engines.loop"] if name in sys.modules])
"""


def test_a_finished_run_imports_nothing_that_judges(tmp_path: Path) -> None:
    assert "find" in imported(AGAIN, str(tmp_path / "out")).splitlines()[-1]
    assert imported(AGAIN, str(tmp_path / "out")).splitlines()[-1] == "[]"


def test_a_check_imports_nothing_that_asks(tmp_path: Path) -> None:
    assert imported(CHECK, str(tmp_path)).splitlines()[-1] == "[]"
