"""Files that a person or a folder names: never waited for, never read without bound, never written over unless a run wrote them."""

import os
import shutil
from pathlib import Path

import pytest
from engine_samples import Inputs

from judge.cli import execute
from judge.report.rendering import csv_text, is_formula, markdown_cell
from rubrics.named_file import MOST_SETTINGS, read_named
from tests.tables import table


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path / "in").write()


def strange(folder: Path, kind: str) -> Path:
    path = folder / "strange"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(8 << 30)
    return path


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
@pytest.mark.parametrize("command", table("named_files", "a_strange_file_is_refused_at_once_command"))
def test_a_strange_file_is_refused_at_once(
    command: list[str], kind: str, inputs: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "sparse" and command[0] in ("labels", "calibrate"):
        return  # read line by line
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    path = str(strange(tmp_path, kind))
    given = [path if word == "@" else str(inputs.folder / "batch.jsonl") if word == "BATCH" else word for word in command]
    code = inputs.run(*given[1:]) if given[0] == "run" else execute(given)
    assert code == 2 and "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
def test_a_strange_run_json_or_judge_toml_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    strange(tmp_path, kind).rename(tmp_path / "results" / "run.json")
    assert execute(["gate", str(tmp_path / "results")]) == 2
    if kind != "pipe":
        (tmp_path / "results" / "run.json").rename(tmp_path / "judge.toml")
        monkeypatch.chdir(tmp_path)
        assert execute(["check", "batch.jsonl"]) == 2
    assert "internal error" not in capsys.readouterr().err


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    found = Inputs(tmp_path_factory.mktemp("run")).write()
    found.run()
    return found


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "gone"])
@pytest.mark.parametrize("name", ["verdicts.jsonl", "cases.jsonl", "summary.json"])
@pytest.mark.parametrize("command", ["verify @", "gate @", "report @", "compare @ @", "export @ --to x.csv", "import x.csv @"])
def test_a_strange_file_of_a_run_is_refused_at_once(
    command: str, name: str, kind: str, run: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run.out, "out")
    Path("out", name).unlink()
    if kind == "folder":
        Path("out", name).mkdir()
    elif kind != "gone":
        strange(tmp_path, kind).rename(Path("out", name))
    code = execute(command.replace("@", "out").split())
    said = capsys.readouterr().err
    assert code == (1 if command == "verify @" else 2) and "internal error" not in said


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
def test_a_strange_excel_file_is_refused_at_once(
    kind: str, run: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    strange(tmp_path, kind).rename("x.xlsx")
    Path("m.toml").write_text('[case]\nid = "a"\ndocument = "b"\n[fields.margin]\nvalue = "c"\n')
    for command in (f"import x.xlsx {run.out}", "convert x.xlsx --map m.toml --to batch --out o.jsonl"):
        assert execute(command.split()) == 2 and "internal error" not in capsys.readouterr().err


def test_reports_go_through_no_link(run: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (theirs := tmp_path / "theirs").mkdir()
    shutil.copytree(run.out, tmp_path / "out")
    (tmp_path / "out" / "redacted").symlink_to(theirs)
    assert execute(["report", str(tmp_path / "out"), "--redact"]) == 2 and "is a link" in capsys.readouterr().err
    assert not list(theirs.iterdir())


def test_strange_files_of_the_document_cache_are_none(inputs: Inputs) -> None:
    code = inputs.run()
    kept = list((inputs.folder / "cache" / "documents").rglob("*.json"))
    for number, one in enumerate(kept):
        one.unlink()
        os.mkfifo(one) if number % 2 else one.symlink_to("/dev/zero")
    assert kept and inputs.run("--fresh") == code


def test_a_page_whose_name_is_no_text_is_told(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    folder = inputs.folder / "documents" / "c.pages"
    folder.mkdir()
    Path(os.fsdecode(bytes(folder) + b"/\xff1.png")).write_bytes(b"x")
    inputs.batch[1]["document"] = "c.pages"
    inputs.write()
    assert inputs.run() == 2 and "is not UTF-8: rename it" in capsys.readouterr().err


def test_the_bound_is_a_bound(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a" * 10)
    assert read_named(tmp_path / "x", 10) == b"a" * 10 and MOST_SETTINGS > 100_000
    with pytest.raises(OSError, match="more than 9 bytes"):
        read_named(tmp_path / "x", 9)


@pytest.mark.parametrize("name", ["report.html", "summary.md", "summary.json", "cases.jsonl", "results.sarif", "verdicts.jsonl"])
@pytest.mark.parametrize("flags", [(), ("--fresh",)])
def test_somebodys_own_files_are_not_written_over(
    name: str, flags: tuple[str, ...], inputs: Inputs, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs.out.mkdir(parents=True)
    (inputs.out / name).write_text("mine")
    assert inputs.run(*flags) == 2
    assert (inputs.out / name).read_text() == "mine" and "no run wrote it" in capsys.readouterr().err


def test_an_empty_folder_of_pages_is_an_input_error(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    (inputs.folder / "documents" / "c.pages").mkdir()
    inputs.batch[1]["document"] = "c.pages"
    inputs.write()
    assert inputs.run() == 2 and "holds no page" in capsys.readouterr().err


def test_a_folder_of_too_many_pages_is_told(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    folder = inputs.folder / "documents" / "c.pages"
    folder.mkdir()
    for number in range(1001):
        (folder / f"{number}.png").write_bytes(b"")
    inputs.batch[1]["document"] = "c.pages"
    inputs.write()
    assert inputs.run() == 2 and "1001 files, more than 1000" in capsys.readouterr().err


def test_full_width_signs_begin_formulas_too() -> None:
    assert all(is_formula(f"{before}{sign}1") for sign in "=+-@＝＋－＠" for before in ("", " ", "\t", "\xa0"))
    assert csv_text([[" =1+1", "-2", -2, "a=1"]]) == "' =1+1,'-2,-2,a=1\r\n"


@pytest.mark.parametrize("text", table("named_files", "what_a_server_would_link_or_draw_stands_in_a_code_span"))
def test_what_a_server_would_link_or_draw_stands_in_a_code_span(text: str) -> None:
    from markdown_it import MarkdownIt

    assert MarkdownIt("commonmark").render(markdown_cell(text)) == f"<p><code>{text}</code></p>\n"


@pytest.mark.parametrize("text", ["12:30:45", "Clause 5: USD 45,000,000", "a_b *c*", "20261130-015644"])
def test_other_text_of_a_table_is_plain(text: str) -> None:
    from markdown_it import MarkdownIt

    assert MarkdownIt("commonmark").render(markdown_cell(text)) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("h/history.jsonl", '{"a": 1}\n', "history add OUT --to h"),
        ("h/history.jsonl", '{"run": "x", "run_cases": 1}\n', "history add OUT --to h"),
        ("h/causes.jsonl", '{"run": 1}\n', "history add OUT --to h"),
        ("h", "mine", "history add OUT --to h"),
        ("r.toml", "a = " + "[" * 5000, "import s.csv OUT --reviewers r.toml"),
        ("c/answers/cache.db", "mine" * 2000, "cache show --cache-dir c"),
        ("c/answers/cache.db", "mine" * 2000, "cache prune --days 1 --cache-dir c"),
        ("c/x", "", f"cache prune --days {'9' * 400} --cache-dir c"),
    ],
)
def test_a_file_that_no_command_wrote_is_told(
    name: str, text: str, command: str, run: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    assert execute(command.replace("OUT", str(run.out)).split()) == 2
    assert "internal error" not in capsys.readouterr().err


def test_a_name_of_too_many_parts_is_refused(inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (inputs.folder / "judge.toml").write_text(f"{'a.' * 5000}a = 1")
    monkeypatch.chdir(inputs.folder)
    assert inputs.run() == 2 and "full stops" in capsys.readouterr().err
