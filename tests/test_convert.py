"""`judge convert`: a sheet with tranches and a nested JSON become batch and gold without code; nothing is guessed or repaired."""

import datetime
import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from openpyxl import Workbook
from openpyxl.styles import numbers

from judge.commands.preparing.convert import command
from judge.errors import InputError
from judge.inputs.sheets import read_sheet
from tests.tables import entries, table, text

SHEET_MAP = text("convert", "sheet_map")
TITLES = table("convert", "titles")
TITLES += ["Margin", "Run id", "Comment"]
ROWS: list[list[Any]] = table("convert", "rows")


def convert(tmp_path: Path, source: Path, text: str, *flags: str) -> tuple[list[dict[str, Any]], str]:
    (tmp_path / "map.toml").write_text(text)
    (out := tmp_path / "out.jsonl").unlink(missing_ok=True)
    flags = ("--map", str(tmp_path / "map.toml"), "--out", str(out), *flags)
    done = CliRunner().invoke(command, [str(source), *flags], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return [json.loads(line) for line in out.read_text().splitlines()], done.output


def write_csv(path: Path, rows: list[list[Any]]) -> Path:
    import csv

    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows([["" if c is None else c for c in row] for row in [TITLES, *rows]])
    return path


def write_excel(path: Path, rows: list[list[Any]]) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in [TITLES, *rows]:
        sheet.append(row)
    for cells in sheet.iter_rows():
        for cell in cells:
            if isinstance(cell.value, str) and cell.value.startswith("="):
                cell.data_type = "s"
    book.save(path)
    return path


@pytest.mark.parametrize("write", [write_csv, write_excel])
def test_a_sheet_with_tranches(tmp_path: Path, write: Any) -> None:
    name = "export.csv" if write is write_csv else "export.xlsx"
    lines, said = convert(tmp_path, write(tmp_path / name, ROWS), SHEET_MAP)
    first, second = lines
    fields, tranches = first["output"]["fields"], first["output"]["tranches"]
    assert (first["case_id"], first["document"], first["metadata"]) == ("D1", "a.pdf", {"source": "constructed extractor"})
    assert fields["borrower"]["value"] == "=Alpha+Beta Ltd"  # a text that looks like a formula stays a text
    assert fields["borrower"]["citation"] == {"document": "a.pdf", "page": 1, "quote": "Alpha"}  # the case's only document
    assert "1 × citation that names no document: the case's only one is meant" in said
    assert fields["guarantors"] == {"status": "extracted", "value": ["G One", "G Two"]}
    assert fields["commitment_fee"] == {"status": "absent"}
    assert [t["label"] for t in tranches] == ["B", "A"]
    amount = tranches[0]["fields"]["facility_amount"]["value"]
    assert (str(amount["amount"]), amount["currency"]) == ("60000000", "EUR")
    assert tranches[0]["fields"]["margin"]["value"] == "2.75"  # the missing unit is what the standard asks about
    assert "margin" not in tranches[1]["fields"]  # an error word is no absence
    assert set(second["output"]["fields"]) == {"borrower"}  # nor is an empty cell, unless the map says so
    assert "left out: Comment " in said and "Run id" not in said and "1 × left out as an error of the source: '#ERROR'" in said


def test_a_confidence_in_percent_becomes_a_share(tmp_path: Path) -> None:
    lines, _ = convert(tmp_path, write_excel(tmp_path / "e.xlsx", ROWS), SHEET_MAP)
    assert lines[0]["output"]["fields"]["borrower"]["confidence"] == pytest.approx(0.97)


def test_every_problem_of_a_sheet_is_named_by_its_row(tmp_path: Path) -> None:
    rows = [list(row) for row in ROWS]
    rows[1][2] = "Another Ltd"
    rows.append([None, "c.pdf", "Delta", *[None] * 11])
    with pytest.raises(InputError) as error:
        convert(tmp_path, write_csv(tmp_path / "e.csv", rows), SHEET_MAP)
    assert ":3: Borrower:" in str(error.value) and "line 2" in str(error.value) and ":5: Deal: is empty" in str(error.value)


def test_a_second_row_of_one_tranche_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'B' stands on line 2"):
        convert(tmp_path, write_csv(tmp_path / "e.csv", [ROWS[0], ROWS[0]]), SHEET_MAP)


def test_a_cell_beyond_the_titles_is_an_error_and_a_long_one_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"e.csv:3: has more cells than there are titles \('beyond'\)"):
        convert(tmp_path, write_csv(tmp_path / "e.csv", [ROWS[0], [*ROWS[1], None, "beyond"]]), SHEET_MAP)
    (tmp_path / "long.csv").write_text(f"id,text\n1,{'x' * 200_000}\n")
    assert read_sheet(tmp_path / "long.csv").rows[0].cells["text"] == "x" * 200_000


def test_a_row_with_values_of_a_tranche_and_no_label_is_an_error(tmp_path: Path) -> None:
    nameless, bare = list(ROWS[0]), [*ROWS[1][:8], *[None] * (len(TITLES) - 8)]
    nameless[TITLES.index("Facility")] = None
    with pytest.raises(InputError, match="4: Facility: is empty, and Amount gives a value of a tranche: name the tranche"):
        convert(tmp_path, write_csv(tmp_path / "e.csv", [*ROWS[1:], nameless]), SHEET_MAP)
    assert convert(tmp_path, write_csv(tmp_path / "e.csv", [ROWS[0], bare]), SHEET_MAP)[0][0]["output"]["tranches"]
    for target in ("output", "gold"):  # the only facility of a deal is the deal's own
        (line,) = convert(tmp_path, write_csv(tmp_path / "e.csv", [nameless]), SHEET_MAP, *["--to", "gold"] * (target == "gold"))[0]
        assert "facility_amount" in line[target]["fields"] and not line[target]["tranches"]


JSON_MAP = text("convert", "json_map")


def nested(**changes: Any) -> dict[str, Any]:
    deal = entries("convert", "deal")
    return {"results": {"deals": [{**deal, **changes}]}}


def write_json(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_a_nested_json_pairs_parallel_lists_by_label(tmp_path: Path) -> None:
    lines, said = convert(tmp_path, write_json(tmp_path / "e.json", nested()), JSON_MAP)
    output = lines[0]["output"]
    assert output["document_type"] == "primary_agreement"
    assert output["fields"]["borrower"]["citation"] == {"document": "a.pdf", "page": 3, "quote": "ALPHA LTD"}
    by_label = {t["label"]: t["fields"] for t in output["tranches"]}
    assert by_label["A"] == {"currency": {"status": "extracted", "value": "GBP"}, "margin": {"status": "absent"}}
    assert by_label["B"]["margin"]["value"] == "2.00 %" and by_label["B"]["tenor"]["value"] == "36 months"
    assert "left out: source.hash (" in said
    (folder := tmp_path / "two").mkdir()
    for name in ("a.json", "b.json"):
        write_json(folder / name, nested())
    with pytest.raises(InputError, match=r"b.json: .*'D1' is the id of an earlier case too"):
        convert(tmp_path, folder, JSON_MAP)


def test_the_same_export_becomes_gold(tmp_path: Path) -> None:
    lines, _ = convert(tmp_path, write_json(tmp_path / "e.json", nested()), JSON_MAP + "derived = true\n", "--to", "gold")
    gold = lines[0]["gold"]
    tenors = [t["fields"]["tenor"] for t in gold["tranches"] if "tenor" in t["fields"]]
    assert tenors and all(tenor.get("derived", False) == ("value" in tenor) for tenor in tenors)
    assert gold["fields"]["borrower"] == {"value": "Alpha Ltd", "citation": {"page": 3, "quote": "ALPHA LTD"}}
    assert {t["label"]: t["fields"].get("margin") for t in gold["tranches"]} == {"A": {"absent": True}, "B": {"value": "2.00 %"}}


@pytest.mark.parametrize("pricing", [["2.00 %", "2.75 %"], [{"margin": "2.00 %"}, {"facility": "A", "margin": "2.75 %"}]])
def test_lists_without_labels_are_refused_not_paired_by_position(tmp_path: Path, pricing: Any) -> None:
    with pytest.raises(InputError, match=r"pricing\[0\]: has no label: lists are paired by label"):
        convert(tmp_path, write_json(tmp_path / "e.json", nested(pricing=pricing)), JSON_MAP)


COVENANT_MAP = text("convert", "covenant_map")


def test_covenants_stand_one_a_row(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "deal,covenant,class,limit,clause,text\nD,Leverage,financial,4,16.2,shall not exceed\nD,Reports,information,,17,\n"
    )
    lines, _ = convert(tmp_path, tmp_path / "c.csv", COVENANT_MAP)
    first, second = lines[0]["output"]["covenants"]
    assert first == {
        "name": "Leverage",
        "type": "financial",
        "threshold": "4",
        "citation": {"document": "a.pdf", "section": "16.2", "quote": "shall not exceed"},
    }
    assert second == {"name": "Reports", "type": "information", "citation": {"document": "a.pdf", "section": "17"}}


def test_findings_stand_one_a_row(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(
        "deal,term,what,lma,market,clause\nD,margin,deviation,2.30 %,European,Clause 1.1\nD,tenor,conforming,5 years,European,\n"
    )
    text = (
        'capability = "benchmark_validation"\n[case]\nid = "deal"\ndocument = "=a.pdf"\n[output]\nmarket = "market"\n'
        '[items]\nsection = "clause"\n[items.keys]\nterm = "term"\nfinding = "what"\nbenchmark_value = "lma"\n'
    )
    output = convert(tmp_path, tmp_path / "f.csv", text)[0][0]["output"]
    assert output["market"] == "European" and [found["term"] for found in output["findings"]] == ["margin", "tenor"]
    assert output["findings"][0]["citation"] == {"document": "a.pdf", "section": "Clause 1.1"} and "citation" not in output["findings"][1]


QA_MAP = text("convert", "qa_map")


def test_answers_keep_their_citations(tmp_path: Path) -> None:
    data = [{"id": 7, "file": "a.pdf", "q": "Which law?", "a": "English law.", "sources": [{"p": 18, "t": "governed by English law"}]}]
    lines, said = convert(tmp_path, write_json(tmp_path / "e.json", data), QA_MAP)
    assert lines[0]["case_id"] == "7" and lines[0]["input"] == {"question": "Which law?"}
    assert lines[0]["output"]["citations"] == [{"document": "a.pdf", "page": 18, "quote": "governed by English law"}]
    assert "left out" not in said
    data.append({"id": 8, "file": "a.pdf", "q": "Which fee?", "a": "None.", "sources": []})  # an empty list holds nothing that is left out
    lines, said = convert(tmp_path, write_json(tmp_path / "e.json", data), QA_MAP)
    assert not lines[1]["output"]["citations"] and "left out" not in said


def test_a_map_with_an_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"did you mean 'page_offset'"):
        convert(tmp_path, write_csv(tmp_path / "e.csv", ROWS), SHEET_MAP.replace("page_offset", "page_ofset"))


def test_cells_are_read_as_a_person_sees_them(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["id", "date", "share", "whole"])
    sheet.append([1, datetime.datetime(2031, 5, 14), 0.0275, 5.0])
    sheet["C2"].number_format = numbers.FORMAT_PERCENTAGE_00
    book.save(tmp_path / "cells.xlsx")
    row = read_sheet(tmp_path / "cells.xlsx").rows[0]
    assert dict(row.cells) == {"id": 1, "date": "2031-05-14", "share": "2.75%", "whole": 5}
    assert row.line == 2
    with ZipFile(tmp_path / "cells.xlsx") as plain, ZipFile(tmp_path / "large.xlsx", "w") as large:
        for part in plain.namelist():
            large.writestr(part, plain.read(part).replace(b"<v>0.0275</v>", b"<v>1e999</v>"))
    with pytest.raises(InputError, match=r"large\.xlsx:2: cell C2 holds a number that is too large or none: inf"):
        read_sheet(tmp_path / "large.xlsx")


@pytest.mark.parametrize(("cell", "told"), table("convert", "an_error_in_a_cell_is_no_text"))
def test_an_error_in_a_cell_is_no_text(cell: str, told: str, tmp_path: Path) -> None:
    (book := Workbook()).active.append(["id", "value"])  # type: ignore[union-attr]
    book.save(tmp_path / "plain.xlsx")
    row = f'</row><row r="2"><c r="A2" t="str"><v>a</v></c><c r="B2" {cell}</c></row></sheetData>'.encode()
    with ZipFile(tmp_path / "plain.xlsx") as plain, ZipFile(tmp_path / "odd.xlsx", "w") as odd:
        for part in plain.namelist():
            odd.writestr(part, plain.read(part).replace(b"</row></sheetData>", row))
    if told:
        with pytest.raises(InputError, match=rf"odd\.xlsx:2: cell B2.* {told}"):
            read_sheet(tmp_path / "odd.xlsx")
    else:
        assert read_sheet(tmp_path / "odd.xlsx").rows[0].cells == {"id": "a", "value": 2 if "1+1" in cell else None}


@pytest.mark.parametrize(
    ("rows", "told"),
    table("convert", "rows_and_cells_out_of_order_are_told"),
)
def test_rows_and_cells_out_of_order_are_told(rows: str, told: str, tmp_path: Path) -> None:
    Workbook().save(tmp_path / "plain.xlsx")
    data = f"<sheetData>{rows}</sheetData>".encode()
    with ZipFile(tmp_path / "plain.xlsx") as plain, ZipFile(tmp_path / "odd.xlsx", "w") as odd:
        for part in plain.namelist():
            odd.writestr(part, re.sub(b"<sheetData ?/>|<sheetData></sheetData>", data, plain.read(part)))
    with pytest.raises(InputError, match=rf"odd\.xlsx.*sheet1\.xml: {told}"):
        read_sheet(tmp_path / "odd.xlsx")


SAMPLE = Path(__file__).parent.parent / "judge" / "samples" / "deal" / "documents"


def test_completed_citations_are_marked_and_never_the_systems_own(tmp_path: Path) -> None:
    quote = "the ratio of Total Net Debt to Adjusted EBITDA in respect of any Relevant Period shall not exceed 4.00:1"
    (tmp_path / "c.csv").write_text(
        f"deal,covenant,class,limit,clause,text\nD,Leverage,financial,4,,{quote}\nD,Other,negative,,,is not there at all\n"
    )
    text = COVENANT_MAP.replace("=a.pdf", "=tarnbrook-facilities-agreement.pdf")
    flags = ("--complete-citations", "--documents", str(SAMPLE), "--cache-dir", str(tmp_path / "cache"))
    batch, said = convert(tmp_path, tmp_path / "c.csv", text, *flags)
    of = {"document": "tarnbrook-facilities-agreement.pdf"}
    assert [c["citation"] for c in batch[0]["output"]["covenants"]] == [{**of, "quote": quote}, {**of, "quote": "is not there at all"}]
    derived = batch[0]["metadata"]["derived_citations"]
    place = {"document": "tarnbrook-facilities-agreement.pdf", "page": 13, "section": "Clause 16.2(a)"}
    assert derived == {"covenants[0].citation": {"page": 13, "section": "Clause 16.2(a)"}} and "of 1 quotes" in said
    gold, _ = convert(tmp_path, tmp_path / "c.csv", text, *flags, "--to", "gold")
    assert gold[0]["gold"]["covenants"][0]["citation"] == {"quote": quote, **place}
    assert gold[0]["metadata"]["derived_citations"] == {"covenants[0].citation": place}


@pytest.mark.parametrize("name", ["e.json", "e.jsonl"])
@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1e999}', '{"a": -Infinity}', '{"a": 1, "a": 2}', "[" * 100_000, '{"a": "\\ud83d"}'])
def test_an_export_is_strict_json(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="cannot be read as JSON"):
        convert(tmp_path, tmp_path / name, JSON_MAP)
