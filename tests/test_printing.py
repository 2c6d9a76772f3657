"""Foreign text on a terminal, in a CI log and in the files for people: nothing in it steers them, and no other way leads there."""

import ast
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.cli import execute
from judge.printing import put, put_json, quoted, say, shown, shown_lines
from tests.source import ROOT, modules, tree
from tests.tables import entries

HOSTILE = (
    "a\x1b]8;;http://evil.example\x07b\x1b[2J\r::error::taken\n::add-mask::x ##vso[task.complete]y\u202edne\u2066\x9b\ufeff\u2028z\ud800"
)
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]|##\\w*\\[|^\\s*::[\\w-]+[ :]", re.M
)
LOGGED = {"debug", "info", "warning", "error", "exception", "critical", "log"}

# module -> what makes its bytes safe. A module that writes and is not here fails the test below.
WRITERS = entries("printing", "writers")


def written(called: ast.expr) -> str:
    if isinstance(called, ast.Attribute):
        return f"{written(called.value)}.{called.attr}"
    return called.id if isinstance(called, ast.Name) else "()"


@pytest.fixture(scope="module")
def calls() -> list[tuple[str, ast.Call, str]]:
    """(module, call, what is called as written) of every call in the packages."""
    named = [(path.relative_to(ROOT).as_posix(), node) for path in modules() for node in ast.walk(tree(path))]
    return [(module, node, written(node.func)) for module, node in named if isinstance(node, ast.Call)]


def is_safe(argument: ast.expr) -> bool:
    """Whether an argument is this program's own words or went through `shown`."""
    if isinstance(argument, ast.Constant):
        return True
    if isinstance(argument, ast.BinOp):
        return is_safe(argument.left)
    return isinstance(argument, ast.Call) and ast.unparse(argument.func) == "shown"


def test_nothing_is_printed_but_by_the_one_module(calls: list[tuple[str, ast.Call, str]]) -> None:
    raw = []
    for module, call, name in calls:
        last = name.rpartition(".")[2]
        is_print = name in ("print", "pprint", "sys.exit", "warnings.warn") or last in ("echo", "secho", "print_exc", "print_exception")
        is_stream = re.fullmatch(r"(sys\.)?(__)?std(out|err)(__)?\.(buffer\.)?write(lines)?", name) is not None
        if (is_print or is_stream) and module != "judge/printing.py":
            raw.append(f"{module}:{call.lineno}: {ast.unparse(call)}")
    allowed = {"judge/report/files.py": "print(line, file=sys.stderr)", "judge/cli.py": "sys.exit(_"}  # workflow commands; codes
    assert [line for line in raw if not any(line.startswith(m) and text in line for m, text in allowed.items())] == []


def test_what_is_logged_or_drawn_went_through_shown(calls: list[tuple[str, ast.Call, str]]) -> None:
    loose = []
    for module, call, name in calls:
        holder, _, last = name.rpartition(".")
        arguments = [*call.args, *(k.value for k in call.keywords if k.arg not in ("style", "stream"))]
        if (holder in ("log", "logging", "logger") and last in LOGGED) or name in ("pytest.fail", "Text"):
            loose += [f"{module}:{call.lineno}: {ast.unparse(a)}" for a in arguments if not is_safe(a)]
    assert [line for line in loose if not line.startswith("judge/pytest_plugin.py:")] == [] and loose[0].endswith(": evaluation.why()")


def test_every_writer_of_files_is_known(calls: list[tuple[str, ast.Call, str]]) -> None:
    names = ("write", "writelines", "write_text", "write_bytes", "write_atomically", "open_atomically")
    found = {module for module, _, name in calls if name.rpartition(".")[2] in names and name not in ("document_cache.write",)}
    assert found - set(WRITERS) == set()


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=60).map(lambda text: text + HOSTILE)
    | st.text(max_size=60)
    | st.from_regex(r"\s*(::|##)[\w-]*[\[: ].*", fullmatch=True)
)
def test_no_text_steers(text: str) -> None:
    for found in (shown(text), shown(quoted(text)), shown_lines(text)):
        assert not STEERING.search(found) and not any(unicodedata.category(c) in ("Cf", "Cs") for c in found.replace("\xad", ""))
    assert len(shown(text).splitlines()) <= 1 and shown(shown(text)) == shown(text)


@pytest.mark.parametrize("text", ["Société Générale", "Facility A: 2.50 %", "a::b", "§ 5.1 – “Margin”", "漢字", "C:\\x\\y", "#1 ## Title"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert shown(text) == text == shown_lines(text)


def test_a_long_text_is_cut_and_says_so() -> None:
    assert shown("x" * 5_000_000) == "x" * 300 + "… [4,999,700 more characters]"
    assert len(quoted("y" * 1000)) == 60


@settings(max_examples=100, deadline=None)
@given(st.recursive(st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_json_on_standard_output_is_equal_and_steers_nothing(value: Any) -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        put_json([value, HOSTILE])
    assert json.loads(out.getvalue()) == [value, HOSTILE] and not STEERING.search(out.getvalue().rstrip("\n"))


def test_lines_stay_lines(capsys: pytest.CaptureFixture[str]) -> None:
    put("one", f"two {HOSTILE}", "  three")
    say(HOSTILE)
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 3 and out.endswith("\n  three\n") and len(err.splitlines()) == 1 and err.startswith("judge: a\\x1b]8;;")


def hostile(inputs: Inputs) -> Inputs:
    """Foreign text wherever a valid input may hold it."""
    text = HOSTILE.replace("\ud800", "")
    for n, line in enumerate(inputs.batch):
        line["case_id"] = inputs.gold[n]["case_id"] = f"\r::error::{n}{text}"
        line["metadata"] = {text: text}
    inputs.batch[1]["output"]["answer"] = text
    inputs.batch[0]["output"]["fields"]["borrower"]["value"] = text
    return inputs.write()


COMMANDS = entries("printing", "commands")


def safe_output(capfd: pytest.CaptureFixture[str], *, is_drawn: bool = False) -> str:
    """What a command printed, and that nothing in it steers; colours of rich are its own."""
    out, err = capfd.readouterr()
    text = re.sub(r"\x1b\[[\d;?]*[mhlK]|\r", "", out + err) if is_drawn else out + err
    own = re.sub(r"^::(error|warning|notice) title=[^\n]*$", "", text, flags=re.M)  # the annotations of this program
    assert not STEERING.search(own.rstrip("\n")), STEERING.findall(own)[:5]
    assert "Traceback" not in text and "internal error" not in text
    return text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_on_hostile_texts_prints_and_writes_none_raw(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    inputs = hostile(Inputs(tmp_path / "in"))
    code = execute(inputs.arguments(*COMMANDS[name], command=name.split()[0]))
    assert code in (0, 1, 4)
    safe_output(capfd, is_drawn="rich" in name)
    for path in (*inputs.out.rglob("*"), tmp_path / "step.md"):
        if path.is_file() and path.suffix in (".md", ".xml", ".json", ".jsonl", ".sarif", ".html"):
            data = path.read_text("utf-8")
            assert not re.search("[\x00-\x08\x0b-\x1f]", data), path
            if path.suffix in (".md", ".xml"):
                assert not STEERING.search(data), path
            if path.suffix == ".xml":
                ET.fromstring(data)


def test_commands_on_a_hostile_result_folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    inputs = hostile(Inputs(tmp_path / "in"))
    execute(inputs.arguments())
    safe_output(capfd)
    out, cache = str(inputs.out), ["--cache-dir", str(tmp_path / "cache")]
    for command in (["gate", out, "--display", "plain"], ["compare", out, out], ["compare", out, out, "--json"], ["report", out, *cache]):
        execute(command)
        safe_output(capfd)
    for command in (["export", out, "--to", str(tmp_path / "i.csv")], ["history", out, "--out", str(tmp_path / "h.html")]):
        assert execute(command) == 0
        safe_output(capfd)
    assert not STEERING.search((tmp_path / "i.csv").read_text("utf-8-sig"))


WRONG = {
    "an unknown key": lambda line: line | {HOSTILE: 1},
    "a key in the output": lambda line: line | {"output": {**line["output"], HOSTILE: {HOSTILE: 2}}},
    "a document": lambda line: line | {"document": HOSTILE},
    "an id twice": lambda line: line | {"case_id": HOSTILE.replace("\ud800", "")},
    "a value": lambda line: line | {"capability": HOSTILE},
    "long": lambda line: line | {"capability": HOSTILE * 100_000},
    "long key": lambda line: line | {"k" * 3_000_000: 1},
}


@pytest.mark.parametrize("name", WRONG)
def test_problems_of_hostile_inputs_are_lines(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    inputs = Inputs(tmp_path / "in")
    inputs.batch = [WRONG[name](line) for line in inputs.batch]
    assert inputs.write().run() == 2
    told = safe_output(capfd)
    assert all(line.startswith("judge: error: ") for line in told.splitlines()) and len(told) < 20_000


@pytest.mark.parametrize("arguments", [["run", "\x1b]8;;x\x07.jsonl"], ["run", "--\x1b[2J"], ["\n::error::x"], ["gate", "\n::error::x"]])
def test_the_command_line_is_foreign_too(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert execute(arguments) == 2
    safe_output(capfd)
