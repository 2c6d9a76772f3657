"""Every file that a person names to be written: made, made again, and never in the place of anything else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from result_folder_samples import verdict, write_results
from test_item_sheets import fill
from test_label_settling import RUN

from judge.cli import execute
from judge.disk import append
from tests.tables import entries, table, text

CASE = text("named_outputs", "case")
MAP = (
    'capability = "loan_onboarding"\n[case]\nid = "Deal"\ndocument = "=a.pdf"\n[missing]\nnull = "absent"\n[fields.borrower]\nvalue = "B"\n'
)
LABEL = '{"item_id": "i", "rubric": "r", "labels": [{"annotator": "ann", "label": "pass"}]}\n'
# command, what it is given for the file to write, and that file where the two differ
WRITERS = entries("named_outputs", "writers")
Run = Callable[[], int]


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, Path]:
    """The command and the file that it writes, in a folder with all that it reads."""
    monkeypatch.chdir(tmp_path)
    write_results(tmp_path / "out", [verdict("c-1", case_items=1)], run=RUN)
    (tmp_path / "cases").mkdir()
    texts = {"cases/A.md": CASE, "e.csv": "Deal,B\nx,Acme\n", "m.toml": MAP, "a.jsonl": LABEL, "b.jsonl": LABEL.replace('"ann"', '"ben"')}
    for name, content in (texts | {"l.csv": "id,h,j\n1,good,good\n2,bad,good\n3,bad,bad\n"}).items():
        (tmp_path / name).write_text(content)
    command, given, written = WRITERS[request.param]
    return lambda: execute([given if word == "@" else word for word in command.split()]), Path(written or given)


def test_it_is_written_and_written_again(writer: tuple[Run, Path]) -> None:
    run, path = writer
    code = run()
    assert code != 2 and path.is_file() and run() == code


@pytest.mark.parametrize("held", ["mine\n", '{"case_id": "other", "gold": {}, "output": {}}\n', "<!doctype html>\n<p>mine</p>\n"])
def test_what_it_did_not_write_stays(held: str, writer: tuple[Run, Path], capsys: pytest.CaptureFixture[str]) -> None:
    run, path = writer
    path.parent.mkdir(exist_ok=True)
    path.write_text(held)
    assert run() == 2 and path.read_text() == held
    assert "holds something else than this command writes" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pipe", "folder", "lost link", "link to a device"])
def test_what_is_no_file_stays(kind: str, writer: tuple[Run, Path], capsys: pytest.CaptureFixture[str]) -> None:
    run, path = writer
    path.parent.mkdir(exist_ok=True)
    make = {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind, lambda one: os.symlink("nowhere" if kind == "lost link" else "/dev/zero", one))
    make(path)
    before = os.lstat(path)
    assert run() == 2 and os.path.samestat(before, os.lstat(path))
    assert "is no regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "source"),
    table("named_outputs", "its_own_input_stays"),
)
@pytest.mark.parametrize("link", [False, True])
def test_its_own_input_stays(command: list[str], source: str, link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        Path(name).write_text(LABEL)
    Path("m.toml").write_text(MAP.replace('"Deal"', '"case_id"').replace('"B"', '"output.b"'))
    Path("batch.json").write_text('{"case_id": "x", "output": {"b": "Acme"}}')
    Path("l.csv").write_text("id,h,j\n1,good,good\n2,bad,good\n3,bad,bad\n")
    execute(["calibrate", "l.csv", "--human", "h", "--judge-column", "j", "--out", "cal"])
    Path("other.json").write_bytes(Path("cal/record.json").read_bytes())
    if link:
        Path("link").symlink_to(source)
    held = Path(source).read_bytes()
    assert execute([("link" if link else source) if word == "@" else word for word in command]) == 2
    assert Path(source).read_bytes() == held


@pytest.mark.parametrize("name", ["items.xlsx", "items.csv"])
def test_decisions_in_a_sheet_stay(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_results(tmp_path / "out", [verdict("c-1", case_items=1)], run=RUN)
    sheet = tmp_path / name
    assert execute(["export", str(folder), "--to", str(sheet)]) == 0
    fill(sheet, {"c-1": ("Correct", "Ann", "")})
    held = sheet.read_bytes()
    assert execute(["export", str(folder), "--to", str(sheet)]) == 2 and sheet.read_bytes() == held
    assert "holds what people decided" in capsys.readouterr().err


@pytest.mark.parametrize(("held", "kept"), [("", ""), ('{"a": 1}', '{"a": 1}\n'), ('{"a": 1}\n{"a": 2', '{"a": 1}\n'), ('{"a', "")])
def test_lines_are_added_behind_whole_ones(held: str, kept: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(held)
    append(tmp_path / "x", {"b": 1})
    assert (tmp_path / "x").read_text() == kept + '{"b": 1}\n'
