"""The whole path with no key: a small real model on this machine. It proves the wire, so no verdict of it is asserted."""

import asyncio
from pathlib import Path

import pytest

from judge.errors import EndpointError, UsageError
from judge.llm.address import DEFAULT_FILE, model_path
from judge.llm.judge import Judge
from judge.records import Answer, Question
from judge.settings import Settings
from tests.tables import text

RUBRIC = text("local_model", "rubric")
QUESTION = Question.of("ripeness", fruit="a red cherry")
ROOT = Path(__file__).parent.parent


def asked(model: str, folder: Path) -> tuple[Answer, Judge]:
    (folder / "ripeness.toml").write_text(RUBRIC)
    parameters = {"temperature": 0, "max_tokens": 64, "max_output_tokens": 64}  # a busy machine gives it a few tokens a second
    settings = Settings(judge=model, no_cache=True, timeout=600, **parameters, base_url="http://elsewhere.test/v1", rubrics=(folder,))

    async def run() -> tuple[Answer, Judge]:
        async with Judge.open(settings) as judge:
            return await judge.ask(QUESTION), judge

    return asyncio.run(run())


def test_the_default_is_where_make_model_puts_it() -> None:
    assert model_path("llama:default") == DEFAULT_FILE and model_path("llama:/x/y.gguf") == Path("/x/y.gguf")


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EndpointError, match="make model"):
        asked(f"llama:{tmp_path}/none.gguf", tmp_path)


def test_a_file_that_is_no_model_is_refused_before_it_is_loaded_and_nothing_of_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("pluto:x:0:0")
    with pytest.raises(UsageError, match="GGUF") as caught:
        asked(f"llama:{tmp_path}/passwd", tmp_path)
    assert "pluto" not in str(caught.value)
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(range(64)))
    with pytest.raises(EndpointError, match=r"cannot load|needs the extra"):
        asked(f"llama:{tmp_path}/broken.gguf", tmp_path)


# `make model` fetches the file; CI does so first. Without it there is nothing that this test could be about.
if (ROOT / DEFAULT_FILE).is_file():

    def test_a_real_model_answers_on_the_menu_or_fails_with_a_cause(tmp_path: Path) -> None:
        answer, judge = asked(f"llama:{ROOT / DEFAULT_FILE}", tmp_path)
        assert answer.verdict in ("ripe", "unripe", "cannot_determine", None)
        assert answer.verdict is not None or answer.error in ("schema", "truncated", "off_menu")
        (model,) = judge.fingerprint()["models"]
        assert model["endpoint"]["kind"] == "llama" and judge.usage.usd == 0 and judge.usage.judge_calls >= 1
