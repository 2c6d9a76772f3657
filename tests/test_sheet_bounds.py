"""An Excel sheet that says of itself what no sheet is: refused at once, or read for what it holds."""

import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from judge.errors import InputError
from judge.inputs.sheets import read_sheet

CELLS = "xl/worksheets/sheet1.xml"
DIMENSION, END = '<dimension ref="A1:B2"', "</sheetData>"


def edited(folder: Path, part: str, edit: Callable[[str], str]) -> Path:
    book = Workbook()
    book.active.append(["case_id", "a"])  # type: ignore[union-attr]
    book.active.append(["x", 1])  # type: ignore[union-attr]
    book.save(folder / "plain.xlsx")
    with zipfile.ZipFile(folder / "plain.xlsx") as plain, zipfile.ZipFile(folder / "e.xlsx", "w", zipfile.ZIP_DEFLATED) as made:
        for name in plain.namelist():
            text = plain.read(name).decode()
            made.writestr(name, edit(text) if name == part else text)
            assert name != part or edit(text) != text
    return folder / "e.xlsx"


@pytest.mark.parametrize(
    ("part", "old", "new", "rows"),
    [
        (CELLS, 'r="B2"', 'r="XFD2"', 1),
        (CELLS, DIMENSION, '<dimension ref="A1:XFD1048576"', 1),
        (CELLS, DIMENSION, '<dimension ref="A1:XFD99999999999"', 1),
        (CELLS, '<row r="2"', '<row r="99999999999"', None),
        (CELLS, '<row r="2"', '<row r="1e300"', None),
        (CELLS, 'r="B2"', 'r="ZZZZZZ2"', None),
        (CELLS, END, "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(3, 3000)) + END, None),
        (CELLS, END, END + '<mergeCells><mergeCell ref="A1:XFD1048576"/>' + " " * 10_000_000 + "</mergeCells>", None),
        ("xl/styles.xml", "</cellXfs>", '<xf numFmtId="0"/>' * 400_000 + "</cellXfs>", None),
        ("xl/workbook.xml", "</sheets>", f"</sheets><!--{'x' * 5_000_000}-->", None),
    ],
)
def test_a_sheet_is_bounded_whatever_it_says(tmp_path: Path, part: str, old: str, new: str, rows: int | None) -> None:
    path, started = edited(tmp_path, part, lambda text: text.replace(old, new)), time.process_time()
    if rows is None:
        with pytest.raises(InputError, match=r"no Excel file that can be read"):
            read_sheet(path, "case_id", ("a",))
    else:
        assert len(read_sheet(path, "case_id", ("a",)).rows) == rows
    assert time.process_time() - started < 8
