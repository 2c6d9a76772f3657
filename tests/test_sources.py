"""Kinds of documents: what is read, whatever it is called, what is refused before a run begins; images and folders of pages as scans."""

import json
import shutil
import struct
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents import ocr
from deterministic.documents.closer_looks import page_image
from deterministic.documents.documents import Document, DocumentError, Page, open_document, refusal
from deterministic.documents.kinds import ReadingError, kind_of
from deterministic.documents.ocr import Ocr
from deterministic.documents.page_numbers import missing_numbers
from judge.convert.cases import Converted
from judge.convert.completing import complete_citations
from judge.labelling.server import PageDesk
from judge.labelling.tasks import Task
from judge.records import Claimed, Provenance
from judge.report.page_cuts import passage_of, views_of
from judge.report.pdf_pages import PdfPages
from tests.engine_samples import Inputs
from tests.tables import table
from tests.tesseract import need_tesseract
from tests.word_files import paragraph, run, write_word

FEE = "The Borrower shall pay to the Agent a fee of 0.85 per cent. per annum on the undrawn Commitments of the Lenders."
LINES = ["5. FEES", f"5.1 {FEE}", "5.2 The fee is payable in arrear on the last day of each successive period of three months.", "7"]
NOWHERE = "No Obligor shall create or permit to subsist any Security over any of its assets."
SIZE = pymupdf.Rect(0, 0, 500, 320)


OTHER = table("sources", "other")


def picture(turned: int = 0, lines: list[str] = LINES, foot: str = "") -> pymupdf.Pixmap:
    """The lines as a grey image of a page at 200 dpi."""
    page = pymupdf.open().new_page(width=SIZE.width, height=SIZE.height)
    for n, line in enumerate(lines):
        page.insert_textbox(pymupdf.Rect(30, 30 + 70 * n, 470, 100 + 70 * n), line, fontsize=12, fontname="tiro")
    page.insert_text((250, 305), foot, fontsize=11, fontname="tiro")
    return page.get_pixmap(matrix=pymupdf.Matrix(200 / 72, 200 / 72).prerotate(turned), colorspace=pymupdf.csGRAY)


def tiff(frames: list[pymupdf.Pixmap]) -> bytes:
    """Grey frames without compression."""
    data, at, links = b"", 8, []
    for frame in frames:
        tags = {256: frame.width, 257: frame.height, 258: 8, 259: 1, 262: 1, 273: at, 277: 1, 278: frame.height, 279: len(frame.samples)}
        table = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
        links.append(at + len(frame.samples))
        data += frame.samples + table + b"\0\0\0\0"
        at = 8 + len(data)
    whole = bytearray(b"II*\0" + struct.pack("<I", links[0]) + data)
    for link, following in pairwise(links):
        struct.pack_into("<I", whole, link + 2 + 9 * 12, following)
    return bytes(whole)


def write_images(folder: Path) -> dict[str, int]:
    """One document of each kind, and how many pages it has."""
    one, two = picture(), picture(lines=OTHER)
    one.save(folder / "scan.png")
    (folder / "scan.jpg").write_bytes(one.tobytes("jpeg"))
    (folder / "scan.tif").write_bytes(tiff([one, two]))
    (folder / "scan.pages").mkdir()
    (folder / "scan.pages" / "page 10.png").write_bytes(two.tobytes("png"))
    (folder / "scan.pages" / "page 2.tiff").write_bytes(tiff([one]))
    (folder / "scan.pages" / ".hidden").write_text("no page")
    return {"scan.png": 1, "scan.jpg": 1, "scan.tif": 2, "scan.pages": 2}


def cite(document: Document, quote: str, page: int | str | None = 1, section: str | None = "Clause 5.1") -> CitationCheck:
    return check_citation(Claim(document.name, page, section, quote), [document], CitationPolicy(70.0))


# ---- kinds ----

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
REFUSED = {
    "old.docx": (COMPOUND, "save it as .docx"),
    "secret.docx": (COMPOUND + "EncryptedPackage".encode("utf-16-le"), "without one"),
    "page.pdf": (b"<html><body>hello</body></html>", "print it to PDF"),
    "rich.docx": (b"{\\rtf1 hello}", "save it as .docx"),
    "words.pdf": (b"just words, whatever the name says", "save it as PDF"),
    "moving.png": (b"GIF89a" + b"\0" * 40, "PNG"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_of_no_kind_is_refused_with_the_remedy(tmp_path: Path, name: str) -> None:
    data, remedy = REFUSED[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        open_document(tmp_path / name)
    assert caught.value.cause == "unsupported" and remedy in str(caught.value) and "\n" not in str(caught.value)
    assert refusal(tmp_path / name) == caught.value.message


def test_zip_files_that_are_no_word_file(tmp_path: Path) -> None:
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    write_word(tmp_path / "book.docx", [paragraph("x")], kind=sheet)
    assert "Excel" in refusal(tmp_path / "book.docx")
    encrypted = bytearray(write_word(tmp_path / "a.docx", [paragraph("x")]).read_bytes())
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = encrypted.find(sign)
        while start >= 0:
            encrypted[start + at] |= 1
            start = encrypted.find(sign, start + 4)
    (tmp_path / "locked.docx").write_bytes(encrypted)
    assert "password" in refusal(tmp_path / "locked.docx")
    assert refusal(tmp_path / "a.docx") == ""


def test_the_name_says_nothing(tmp_path: Path) -> None:
    write_word(tmp_path / "agreement.pdf", [paragraph(FEE)])
    picture().save(tmp_path / "a.png")
    shutil.move(tmp_path / "a.png", tmp_path / "scan.docx")
    assert (open_document(tmp_path / "agreement.pdf").paging, open_document(tmp_path / "scan.docx").paging) == ("none", "physical")


@pytest.mark.parametrize("command", ["check", "run"])
def test_check_and_run_name_every_document_that_is_of_no_kind(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = Inputs(tmp_path / "in")
    for line, name in zip(inputs.batch, ("old.doc", "notes.txt"), strict=False):
        (inputs.folder / "documents" / name).write_bytes(COMPOUND if name == "old.doc" else b"some notes")
        line["document"] = name
    assert inputs.write().run(command=command) == 2
    told = capsys.readouterr().err
    assert "old.doc" in told and "save it as .docx" in told and "notes.txt" in told


# ---- images ----


def test_frames_and_files_are_pages_that_cannot_be_read_without_recognition(tmp_path: Path) -> None:
    for name, count in write_images(tmp_path).items():
        document = open_document(tmp_path / name)
        assert document.unreadable_pages == tuple(range(1, count + 1)) and document.notices == ()
        assert cite(document, FEE).quote == "unreadable" and cite(document, NOWHERE).quote == "unreadable"
        image = page_image(tmp_path / name, count)
        assert image.width > image.height > 100


def test_recognised_images_decide_as_scans_do(tmp_path: Path) -> None:
    need_tesseract()
    for name, count in write_images(tmp_path).items():
        document = open_document(tmp_path / name, ocr=Ocr(tmp_path / "ocr"))
        assert document.unreadable_pages == () and len(document.pages) == count
        assert (cite(document, FEE).outcome, cite(document, FEE).section) == ("normalised", "right")
        assert cite(document, FEE.replace("0.85", "0.35")).quote == "unreadable"
        assert cite(document, NOWHERE).quote == "not_found"


def test_figures_alone_at_the_foot_of_scans_tell_which_page_is_lost(tmp_path: Path) -> None:
    need_tesseract()
    (tmp_path / "a.pages").mkdir()
    for number in (5, 6, 8, 9):
        picture(lines=[f"{number}. {FEE}"], foot=str(number)).save(tmp_path / "a.pages" / f"{number}.png")
    document = open_document(tmp_path / "a.pages", ocr=Ocr(tmp_path / "ocr"))
    assert [page.printed for page in document.pages] == [("5",), ("6",), ("8",), ("9",)] and document.missing_pages == (7,)


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_on_its_side_or_head_is_read(tmp_path: Path, turned: int) -> None:
    need_tesseract()
    picture(turned).save(tmp_path / "a.png")
    assert cite(open_document(tmp_path / "a.png", ocr=Ocr()), FEE).quote == "normalised"


def test_a_cut_image_hides_what_stood_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = picture().tobytes("png")
    (tmp_path / "cut.png").write_bytes(data[: len(data) // 2])
    monkeypatch.setattr(ocr, "recognised_text", lambda *_: "\n".join(LINES[:2]))
    document = open_document(tmp_path / "cut.png", ocr=Ocr())
    assert document.is_damaged and cite(document, NOWHERE).quote == "unreadable"
    (tmp_path / "cut.tif").write_bytes(tiff([picture()])[:5000])
    with pytest.raises(DocumentError):
        open_document(tmp_path / "cut.tif")


def test_a_folder_holds_images_of_its_own_only(tmp_path: Path) -> None:
    (tmp_path / "empty.pages").mkdir()
    (tmp_path / "mixed.pages").mkdir()
    (tmp_path / "mixed.pages" / "notes.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "linked.pages").mkdir()
    picture().save(tmp_path / "outside.png")
    (tmp_path / "linked.pages" / "1.png").symlink_to(tmp_path / "outside.png")
    for name in ("empty.pages", "mixed.pages", "linked.pages"):
        with pytest.raises(ReadingError):
            kind_of(tmp_path / name)
    assert "notes.pdf" in refusal(tmp_path / "mixed.pages")


def test_a_changed_page_is_another_document(tmp_path: Path) -> None:
    write_images(tmp_path)
    before = open_document(tmp_path / "scan.pages").sha256
    shutil.move(tmp_path / "scan.pages" / "page 2.tiff", tmp_path / "scan.pages" / "page 3.tiff")
    assert open_document(tmp_path / "scan.pages").sha256 != before


# ---- lost pages ----


@pytest.mark.parametrize(("printed", "missing"), table("sources", "printed_numbers_that_jump"))
def test_printed_numbers_that_jump(printed: str, missing: str) -> None:
    pages = [[] if one == "-" else [one] for one in printed.split()]
    assert missing_numbers(pages) == tuple(map(int, missing.split()))


def test_a_stamp_that_goes_on_says_that_nothing_is_missing() -> None:
    assert missing_numbers([["1", "11"], ["2", "13"], ["3", "14"]]) == ()


def test_what_may_stand_on_a_lost_page_is_not_invented(tmp_path: Path) -> None:
    texts = [
        "1. Fees\nThe fee is payable on demand.",
        "2. Costs\nThe costs are payable on demand.",
        "9. Law\nThis is governed by English law.",
    ]
    pages = [Page(n, text, text, printed=(shown,)) for n, (text, shown) in enumerate(zip(texts, ("1", "2", "5"), strict=True), 1)]
    document = Document("a.pdf", "", pages)
    assert document.missing_pages == (3, 4)
    assert cite(document, "", 4, "Clause 9").page == "unknown"
    assert cite(document, "", 14, "Clause 9").outcome == "fabricated_location"
    assert cite(document, "The costs are payable on demand.", 4, "Clause 2").page == "wrong"
    assert cite(document, NOWHERE, 4, "Clause 9").quote == "not_found"
    for lost in ("Clause 5", "Clause 12"):  # where pages are lost, no number shows that a provision is not among them
        assert cite(document, "The costs are payable on demand.", 2, lost).section == "unknown"


# ---- through the commands ----


def word_inputs(folder: Path) -> Inputs:
    """The sample case over a Word file with the sample's own words, struck and new."""
    inputs = Inputs(folder)
    pdf = pymupdf.open(next((folder / "documents").glob("*.pdf")))
    texts = [line for page in pdf for line in page.get_text().split("\n") if line.strip()]
    struck = "<w:del><w:r><w:delText>An old sentence.</w:delText></w:r></w:del>"
    write_word(folder / "documents" / "agreement.docx", [*map(paragraph, texts), paragraph(struck + run("A new sentence."))])
    for name in ("batch", "gold"):
        lines = json.dumps(getattr(inputs, name)).replace(pdf.name.rpartition("/")[2], "agreement.docx")
        setattr(inputs, name, json.loads(lines))
    return inputs.write()


def test_a_run_over_a_word_file_differs_in_pages_only(tmp_path: Path) -> None:
    pdf, word = Inputs(tmp_path / "pdf"), word_inputs(tmp_path / "word")
    assert pdf.run() == word.run("--reports", "all")
    one, two = pdf.verdicts(), word.verdicts()
    assert [(a["item"], a["outcome"], a["bounds"]) for a in one] == [(b["item"], b["outcome"], b["bounds"]) for b in two]
    cited = [b["provenance"] for b in two if b["provenance"]["page"] not in (None, "", "missing")]
    assert cited and all(p["page"] == "not_applicable" and p["pages_found"] == [] for p in cited)
    told = {}
    for line in two:
        told.setdefault(line["case_id"], []).extend(f["code"] for f in line["findings"])
    assert all(codes.count("TRACKED_CHANGES") == 1 for codes in told.values())


def test_completed_citations_of_a_word_file_have_no_page(tmp_path: Path) -> None:
    write_word(tmp_path / "a.docx", [paragraph("5. Fees"), paragraph(f"5.1 {FEE}")])
    line = {"case_id": "c", "output": {"citation": {"document": "a.docx", "quote": FEE}}}
    converted = Converted([line], {"c": "a.docx"})
    assert complete_citations(converted, tmp_path, "batch", None) == 1
    assert line["metadata"]["derived_citations"] == {"citation": {"section": "Clause 5.1"}}


def test_the_label_page_shows_the_text_of_a_word_file_in_parts(tmp_path: Path) -> None:
    filling = [
        paragraph(f"5.{n} The Borrower shall pay instalment {n} on its due date, in full and without set-off.") for n in range(2, 90)
    ]
    write_word(tmp_path / "a.docx", [paragraph("5. Fees"), *filling, paragraph(f"5.90 {FEE}")])
    desk = PageDesk(PdfPages(tmp_path, None))
    task = Task(
        "1", "c", "outcome", "?", (), (), Provenance("not_required", None, False, claim=Claimed("a.docx", "", "5.90", FEE)), ("a.docx",)
    )
    shown = desk.views(task)
    (count,), (view,) = shown["documents"].values(), shown["views"]
    assert shown["texts_of"] == ["a.docx"] and count > 1 and view["page"] == count and desk.leaf("a.docx", 1) is None
    parts = [desk.part(task, "a.docx", number, "") for number in range(1, count + 1)]
    assert "".join(part["text"] for part in parts) == PdfPages(tmp_path, None).text("a.docx") and not parts[0]["marks"]
    ((start, end),) = parts[-1]["marks"]
    assert parts[-1]["text"][start:end] == FEE.rstrip(".")
    assert [found["page"] for found in desk.search("a.docx", "instalment  2 ")] == [1]
    ((start, end),) = desk.part(task, "a.docx", 1, "INSTALMENT 2 on")["marks"]
    assert parts[0]["text"][start:end] == "instalment 2 on" and desk.part(task, "a.docx", count + 1, "") == {"text": "", "marks": []}


def test_a_report_shows_the_passage_of_a_word_file_and_no_page(tmp_path: Path) -> None:
    write_word(tmp_path / "a.docx", [paragraph("5. Fees"), paragraph(f"5.1 {FEE}")])
    pages = PdfPages(tmp_path, None)
    (start, end), *_ = pages.find("a.docx", FEE, 3)
    cited = Provenance("exact", 1.0, True, "exact", document="a.docx", spans=((start, end),), claim=Claimed("a.docx", "3", "5.1", FEE))
    assert (pages.page_count("a.docx"), pages.leaf("a.docx", 1), views_of(cited, pages)) == (0, None, ())
    passage = passage_of(cited, pages)
    assert passage is not None and passage.found == FEE.rstrip(".")
