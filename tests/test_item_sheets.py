"""Items out to Excel and CSV and decisions back: the same as on the label page, every wrong row named."""

import csv
import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from result_folder_samples import verdict, write_results
from test_label_settling import RUN, item, sitting, summary

from judge.capabilities.registry import title_of
from judge.commands.people.export import command as export_command
from judge.errors import InputError, UsageError
from judge.inputs.sheets import read_sheet
from judge.labelling.settling import people_needed
from judge.labelling.sheets import COLUMNS
from tests.tables import entries

import_command = importlib.import_module("judge.commands.people.import").command


def run_with(folder: Path, **extra: Any) -> Path:
    """A run with one decided borrower and one that is open."""
    lines = [
        verdict("c-1", case_items=1),
        verdict("c-2", outcome="undecided", score=None, bounds=[0.0, 1.0], why_open="offline", case_items=1, **extra),
    ]
    return write_results(folder, lines, verdict_word="inconclusive", run=RUN)


def export(folder: Path, name: str) -> Path:
    path = folder.parent / name
    CliRunner().invoke(export_command, [str(folder), "--to", str(path)], standalone_mode=False, catch_exceptions=False)
    return path


def fill(path: Path, decisions: dict[str, tuple[str, str, str]]) -> None:
    """Writes (decision, name, note) into the row of a case, as a person would."""
    places = {title: n for n, title in enumerate(COLUMNS)}
    if path.suffix == ".csv":
        rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
        for row in rows:
            for column, text in zip(("decision", "name", "note"), decisions.get(row[0], ()), strict=False):
                row[places[column]] = text
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=";").writerows(rows)
        return
    book = load_workbook(path)
    for cells in book.worksheets[0].iter_rows(min_row=2):
        for column, text in zip(("decision", "name", "note"), decisions.get(str(cells[0].value), ()), strict=False):
            cells[places[column]].value = text
    book.save(path)


def take(path: Path, folder: Path, *flags: str) -> str:
    arguments = [str(path), str(folder), "--cache-dir", str(folder / "cache"), *flags]
    done = CliRunner().invoke(import_command, arguments, standalone_mode=False, catch_exceptions=False)
    return done.output


@pytest.mark.parametrize("name", ["items.xlsx", "items.csv"])
def test_a_sheet_settles_what_the_page_settles(tmp_path: Path, name: str) -> None:
    by_page = run_with(tmp_path / "page")
    session = sitting(by_page)
    session.label("Ann", 0, "partial", note="no unit")
    session.finish()
    folder = run_with(tmp_path / "sheet")
    sheet = export(folder, name)
    fill(sheet, {"c-2": ("Partial", "Ann", "no unit")})
    assert "1 of 1 decisions are new" in take(sheet, folder)
    assert summary(folder)["gates"] == summary(by_page)["gates"]
    ours, theirs = item(folder), item(by_page)
    assert (ours.outcome, ours.score, ours.who, ours.reason) == (theirs.outcome, theirs.score, theirs.who, theirs.reason)
    kept = [json.loads((f / "labels.jsonl").read_text()) for f in (folder, by_page)]
    for line in kept:
        line["labels"][0].pop("at")
        line["metadata"].pop("seal", None)  # has the time in it
    assert kept[0] == kept[1]
    size = (folder / "verdicts.jsonl").stat().st_size
    assert "0 of 1 decisions are new" in take(sheet, folder)
    assert (folder / "verdicts.jsonl").stat().st_size == size


def test_the_next_release_asks_as_many_people_as_the_last_one(tmp_path: Path) -> None:
    last, now = run_with(tmp_path / "last"), run_with(tmp_path / "now")
    sheet = export(last, "items.xlsx")
    fill(sheet, {"c-2": ("Partial", "Ann", "")})
    take(sheet, last, "--overlap", "2")
    asked = "2 people must agree on an item, as where its answers were given"
    assert asked in take(last / "labels.jsonl", now) and people_needed(now, None) == 2
    away = run_with(tmp_path / "away")  # a label file alone, as it comes back into a job
    shutil.copy(last / "labels.jsonl", tmp_path / "decisions.jsonl")
    assert asked in take(tmp_path / "decisions.jsonl", away) and item(away).why_open == "further_person"
    assert "Waiting for a further person" in take(export(now, "again.xlsx"), now)
    assert "must agree" not in take(last / "labels.jsonl", now, "--overlap", "1") and people_needed(now, None) == 1


def test_two_people_must_agree_where_two_are_asked_for(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run")
    for name, decision in (("Ann", "Correct"), ("Ben", "correct")):
        sheet = export(folder, f"{name}.xlsx")
        fill(sheet, {"c-2": (decision, name, "")})
        take(sheet, folder, *(("--overlap", "2") if name == "Ann" else ()))  # what the run asks for is said once
        assert item(folder).why_open == ("further_person" if name == "Ann" else "")
    assert item(folder).who == "Ann, Ben"


def test_an_import_says_who_is_waited_for(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run")
    sheet = export(folder, "items.xlsx")
    fill(sheet, {"c-2": ("Correct", "Ann", "")})
    assert "Waiting for a further person's answer: 1 item." in take(sheet, folder, "--overlap", "2")
    fill(sheet, {"c-2": ("Fail", "Ben", "")})
    assert "People differ on 1 item: somebody else decides" in take(sheet, folder)


def test_how_many_must_agree_is_read_from_the_folder_and_a_damaged_record_is_an_error(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run")
    assert people_needed(folder, None) == 1
    assert people_needed(folder, 3) == people_needed(folder, None) == 3
    for damaged in ("", "0", "true", "[2]"):
        (folder / "overlap.json").write_text(damaged)
        with pytest.raises(UsageError, match="--overlap"):
            people_needed(folder, None)


@pytest.mark.parametrize("name", ["items.xlsx", "items.csv"])
def test_every_wrong_row_is_named_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    folder = run_with(tmp_path / "run")
    sheet = export(folder, name)
    fill(sheet, {"c-1": ("Corect", "Ann", ""), "c-2": ("Fail", "", "")})
    before = (folder / "verdicts.jsonl").read_bytes()
    with pytest.raises(InputError) as error:
        take(sheet, folder)
    said = str(error.value)
    assert f"{name}:3: decision: 'Corect' is no label of Loan onboarding; did you mean 'Correct'" in said
    assert f"{name}:2: name: give your name" in said
    assert (folder / "verdicts.jsonl").read_bytes() == before and not (folder / "labels.jsonl").exists()


def test_decisions_on_decided_items_go_to_the_label_file_alone(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run")
    sheet = export(folder, "items.xlsx")
    fill(sheet, {"c-1": ("Fail", "Ann", "")})
    before = (folder / "verdicts.jsonl").read_bytes()
    assert (
        "1 on items that the program decided (c-1, fields.borrower): kept as labels, no verdict changes; `judge correct` disputes one"
        in take(sheet, folder)
    )
    assert (folder / "verdicts.jsonl").read_bytes() == before and '"fail"' in (folder / "labels.jsonl").read_text()


@pytest.mark.parametrize("text", ["=1+1", '=HYPERLINK("http://evil.example")', "@SUM(A1)", "+1", "-1", "00123", "1E5", "\x07 bell"])
def test_what_looks_like_a_formula_or_a_number_stays_the_text_it_is(tmp_path: Path, text: str) -> None:
    folder = run_with(tmp_path / "run", reported=text)
    shown = text.replace("\x07", "\\x07")
    cell = load_workbook(export(folder, "items.xlsx")).worksheets[0].cell(2, list(COLUMNS).index("reported") + 1)
    assert (cell.value, cell.data_type) == (shown, "s")
    rows = list(csv.DictReader(export(folder, "items.csv").read_text("utf-8-sig").splitlines()))
    assert rows[0]["reported"] in (shown, f"'{shown}") and not rows[0]["reported"].startswith(("=", "+", "-", "@"))


def test_a_case_whose_name_looks_like_a_formula_comes_back(tmp_path: Path) -> None:
    folder = write_results(
        tmp_path / "run", [verdict("=c", outcome="undecided", score=None, bounds=[0.0, 1.0], case_items=1)], verdict_word="fail", run=RUN
    )
    for name, who, key in (("a.xlsx", "Ann", "=c"), ("b.csv", "Ben", "'=c")):
        sheet = export(folder, name)
        fill(sheet, {key: ("Fail", who, "")})
        assert "1 of 1" in take(sheet, folder)


def test_a_thousand_rows_go_out_and_come_back(tmp_path: Path) -> None:
    lines = [
        verdict(f"c-{n}", outcome="undecided", score=None, bounds=[0.0, 1.0], why_open="offline", case_items=1, reported=f"value {n}")
        for n in range(1000)
    ]
    folder = write_results(tmp_path / "run", lines, verdict_word="inconclusive", run=RUN)
    sheet = export(folder, "items.xlsx")
    fill(sheet, {f"c-{n}": ("Correct" if n % 3 else "Fail", "Ann", "") for n in range(1000)})
    assert "1000 of 1000 decisions are new" in take(sheet, folder)
    assert summary(folder)["counts"]["undecided"] == 0 and summary(folder)["people"] == {"items": 1000, "names": {"Ann": 1000}}


def mixed_run(folder: Path) -> Path:
    """An open item of each capability, worst first and so in no order of capabilities."""
    is_open: dict[str, Any] = {"outcome": "undecided", "score": None, "bounds": [0.0, 1.0], "why_open": "offline", "case_items": 1}
    lines = [verdict(f"c-{n}", capability=name, weight=1.0 + n % 3, **is_open) for n, name in enumerate(2 * sorted(CAPABILITIES))]
    return write_results(folder, lines, verdict_word="inconclusive", run=RUN)


CAPABILITIES = entries("item_sheets", "capabilities")


def test_each_row_offers_the_labels_of_its_own_capability(tmp_path: Path) -> None:
    sheet, labels = load_workbook(export(mixed_run(tmp_path / "run"), "items.xlsx")).worksheets
    (rule,) = sheet.data_validations.dataValidation
    column = get_column_letter(list(COLUMNS).index("capability") + 1)
    assert rule.formula1 == f"OFFSET(labels!$B$1,MATCH(${column}2,labels!$A$1:$A$999,0)-1,0,COUNTIF(labels!$A$1:$A$999,${column}2),1)"
    decision = get_column_letter(list(COLUMNS).index("decision") + 1)
    assert str(rule.sqref) == f"{decision}2:{decision}{sheet.max_row}"
    offered: dict[str, list[str]] = {}  # as MATCH, COUNTIF and OFFSET find them: the rows of a capability stand together
    titles = [str(row[0].value) for row in labels.iter_rows()]
    for number in range(2, sheet.max_row + 1):
        own = str(sheet[f"{column}{number}"].value)
        first = titles.index(own) + 1
        offered[own] = [str(labels.cell(row, 2).value) for row in range(first, first + titles.count(own))]
    assert offered == {title_of(name): labels for name, labels in CAPABILITIES.items()}


@pytest.mark.parametrize("name", ["items.xlsx", "items.csv"])
def test_a_label_of_another_capability_is_refused_by_row(tmp_path: Path, name: str) -> None:
    folder = mixed_run(tmp_path / "run")
    sheet = export(folder, name)
    others = {"loan_onboarding": "True negative", "covenant_monitoring": "Semantic match", "document_qa": "true_negative"}
    asked = [*enumerate(2 * sorted(CAPABILITIES))]
    fill(sheet, {f"c-{n}": (others.get(capability, "Grounded refusal"), "Ann", "") for n, capability in asked})
    with pytest.raises(InputError) as error:
        take(sheet, folder)
    for line, (_, capability) in enumerate(exported_order(sheet, asked), 2):
        wrong = others.get(capability, "Grounded refusal")
        labels = ", ".join(CAPABILITIES[capability])
        assert f"{name}:{line}: decision: {wrong!r} is no label of {title_of(capability)}; known: {labels}" in str(error.value)
    assert not (folder / "labels.jsonl").exists()


def exported_order(sheet: Path, asked: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The cases in the order of the sheet's rows."""
    by_case = {f"c-{n}": (n, capability) for n, capability in asked}
    return [by_case[str(row.cells["case"])] for row in read_sheet(sheet).rows]


@pytest.mark.parametrize("name", ["items.xlsx", "items.csv"])
def test_an_edited_row_an_old_row_and_a_barred_label_are_refused_by_row(tmp_path: Path, name: str) -> None:
    folder = run_with(tmp_path / "run", documents_hash="a1")
    sheet = export(folder, name)
    fill(sheet, {"c-2": ("Correct", "Ann", "")})
    for column in ("reported", "gold", "quote", "section", "question"):
        again = export(folder, f"{column}-{name}")
        edit(again, column, "another value")
        fill(again, {"c-2": ("Correct", "Ann", "")})
        with pytest.raises(InputError, match=f":2: {column}: was edited in the sheet: 'another value' here, '.*' in this run"):
            take(again, folder)
    lines = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    for other, said in (
        ({"reported": "9.99"}, "reported: changed since"),
        ({"documents_hash": "b2"}, "row key: the document changed: export the sheet again"),
        ({"documents_hash": ""}, "row key: an older version kept no mark of the document"),
        ({"bounds": [0.0, 0.5]}, "row key: output, gold, citation, contract or verdict changed"),
    ):
        write_results(folder, [lines[0], {**lines[1], **other}], verdict_word="inconclusive", run=RUN)
        with pytest.raises(InputError, match=said):
            take(sheet, folder)
    barred = export(folder, f"barred-{name}")
    fill(barred, {"c-2": ("Correct", "Ann", "")})
    with pytest.raises(InputError, match="'Correct' is not open to this item"):
        take(barred, folder)
    barred = export(folder, f"open-{name}")
    fill(barred, {"c-2": ("Partial", "Ann", "")})
    assert "1 of 1 decisions are new" in take(barred, folder) and item(folder).outcome == "partial"


def edit(path: Path, column: str, text: str) -> None:
    """Writes into the cell of the open row."""
    place = list(COLUMNS).index(column)
    if path.suffix == ".csv":
        rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
        next(row for row in rows if row[0] == "c-2")[place] = text
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=",").writerows(rows)
        return
    book = load_workbook(path)
    next(cells for cells in book.worksheets[0].iter_rows(min_row=2) if cells[0].value == "c-2")[place].value = text
    book.save(path)


def test_names_of_one_person_are_one_and_strangers_are_refused(tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run")
    for name in (
        "Ann Miller",
        "ann  MILLER",
        *(f"Ann Mil{unseen}ler" for unseen in "\u034f\u3164\uffa0\u2800\u115f\u17b4\ufe00\U000e0100"),
    ):
        sheet = export(folder, f"{ascii(name)[1:-1]}.csv".replace("\\", "_"))
        fill(sheet, {"c-2": ("Correct", name, "")})
        take(sheet, folder, "--overlap", "2")
    assert item(folder).why_open == "further_person", "one person is not two"
    people = tmp_path / "people.toml"
    people.write_text('[reviewers]\n"Ann Miller" = "token-of-ann"\n"Ben Ode" = "token-of-ben"\n')
    asked = ["--reviewers", str(people), "--by"]
    sheet = export(folder, "stranger.csv")
    fill(sheet, {"c-2": ("Correct", "Mallory", "")})
    with pytest.raises(InputError, match="Mallory is none of the reviewers: Ann Miller, Ben Ode"):
        take(sheet, folder, *asked, "token-of-ben")
    for n, cells in enumerate((("Correct", "Token-of-ANN", ""), ("token-of-ben", "Ann Miller", ""))):
        fill(sheet := export(folder, f"token{n}.csv"), {"c-2": cells})
        with pytest.raises(InputError, match="reviewer's token") as told:
            take(sheet, folder, *asked, "token-of-ben")
        assert "token-of" not in str(told.value).casefold()
    for n, name in enumerate(("\u2800", "\u3164 \u034f", "\ufe0f", "!?")):
        fill(sheet := export(folder, f"unseen{n}.csv"), {"c-2": ("Correct", name, "")})
        with pytest.raises(InputError, match="give your name"):
            take(sheet, folder)
    sheet = export(folder, "known.csv")
    fill(sheet, {"c-2": ("Correct", "ben ode", "")})
    for wrong, told in (((), "give your token"), (("--by", "token-of-ann"), "is Ann Miller's; everybody imports their own rows")):
        with pytest.raises((UsageError, InputError), match=told):
            take(sheet, folder, *asked[:2], *wrong)
    take(sheet, folder, *asked, "token-of-ben")
    with pytest.raises(UsageError, match="say --reviewers FILE"):  # as the folder remembers
        take(sheet, folder)
    assert (item(folder).outcome, item(folder).who) == ("correct", "Ann Miller, Ben Ode")


def test_the_header_stays_and_long_texts_wrap(tmp_path: Path) -> None:
    sheet = load_workbook(export(run_with(tmp_path / "run", reported="a long text " * 30), "items.xlsx"))["items"]
    assert sheet.freeze_panes == "C2" and sheet.cell(2, list(COLUMNS).index("reported") + 1).alignment.wrap_text
    assert sheet.column_dimensions[get_column_letter(len(COLUMNS))].hidden
