"""A folder of answers that several machines share."""

import asyncio
import json
import logging
from pathlib import Path

import pytest
from judge_stub import GOOD, Server, completion, opened, question

from judge.records import Answer, Question


def asked(server: Server, machine: Path, shared: Path, *questions: Question) -> list[Answer]:
    async def main() -> list[Answer]:
        async with opened(server, cache_dir=machine, shared_cache=shared) as judge:
            return [await judge.ask(one) for one in questions]

    return asyncio.run(main())


def test_a_second_machine_pays_for_nothing_that_the_first_one_asked(tmp_path: Path) -> None:
    server = Server(completion(GOOD))
    first = asked(server, tmp_path / "a", tmp_path / "shared", question("one"), question("two"))
    second = asked(server, tmp_path / "b", tmp_path / "shared", question("two"), question("one"), question("three"))
    assert len(server.bodies) == 3
    assert [a.verdict for a in first + second] == ["supports"] * 5
    third = asked(server, tmp_path / "b", tmp_path / "nothing-here", question("one"))
    assert third[0].verdict == "supports" and len(server.bodies) == 3  # what was shared is now its own, too


@pytest.mark.parametrize("planted", ['{"verdict": "granted"}', "not JSON", '["supports"]', ""])
def test_a_row_that_this_program_did_not_write_is_no_answer(tmp_path: Path, planted: str) -> None:
    server = Server(completion(GOOD))
    asked(server, tmp_path / "a", tmp_path / "shared", question())
    files = list((tmp_path / "shared").rglob("*.json"))
    assert len(files) == 1 and json.loads(files[0].read_text())["verdict"] == "supports"
    files[0].write_text(planted)
    assert asked(server, tmp_path / "b", tmp_path / "shared", question())[0].verdict == "supports"
    assert len(server.bodies) == 2


def test_a_folder_that_cannot_be_used_is_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "shared").write_text("a file")
    with caplog.at_level(logging.WARNING):
        answers = asked(Server(completion(GOOD)), tmp_path / "a", tmp_path / "shared", question("one"), question("two"))
    assert [a.verdict for a in answers] == ["supports"] * 2
    assert len([r for r in caplog.records if "shared cache" in r.message]) == 1
