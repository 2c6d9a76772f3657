"""Quotes on pages without a text layer: found where OCR reads just that text, open in every other case, never invented."""

import json
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents import ocr
from deterministic.documents.documents import Document, open_document
from deterministic.documents.kinds import ReadingError
from deterministic.documents.ocr import Ocr, find_data, recognised_texts, why_unavailable
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import QuoteMatch
from judge.inputs import documents as input_documents
from judge.report.pdf_pages import PdfPages
from tests.engine_samples import DOCUMENT, Inputs
from tests.tesseract import need_tesseract

FIRST = [
    "5. PAYMENTS", "5.1 Dates", "Each Obligor shall make its payments on the dates stated in this Agreement.", "5.2 Costs",
    "The Borrower shall pay the costs of the Agent within ten Business Days of demand and shall continue to do so",
]  # fmt: skip
SCANNED = [
    "until every sum due has been received in full by the Agent.", "5.3 Fees",
    "The Borrower shall pay to the Agent a fee of 0.85 per cent. per annum on the undrawn Commitments.",
]  # fmt: skip
LAST = [
    "5.4 Taxes", "All payments are made without any deduction for or on account of tax, unless the law requires it.",
    "6. NOTICES", "6.1 Writing", "Every notice under this Agreement is given in writing and in the English language.",
]  # fmt: skip
FEE = SCANNED[2]
ALTERED = FEE.replace("0.85", "0.35")
ACROSS = "shall continue to do so until every sum due has been received in full"
NOWHERE = "The Lenders may assign their rights to any other bank without the consent of the Borrower."
PAGE = pymupdf.Rect(0, 0, 420, 260)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages; the second one is a scan."""
    pdf = pymupdf.open()
    for lines in (FIRST, SCANNED, LAST):
        page = pdf.new_page(width=PAGE.width, height=PAGE.height)
        top = 30.0
        for line in lines:
            left = page.insert_textbox(pymupdf.Rect(30, top, 390, top + 60), line, fontsize=10.5, fontname="tiro")
            top += 60 - left + 4
    image = pdf[1].get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
    pdf.delete_page(1)
    pdf.new_page(1, width=PAGE.width, height=PAGE.height).insert_image(PAGE, pixmap=image)
    file = tmp_path_factory.mktemp("scan") / "a.pdf"
    pdf.save(file)
    return file


@pytest.fixture
def recognition(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Recognition without Tesseract; the pages that were recognised."""
    pages: list[int] = []

    def recognised(how: Ocr, path: Path, sha256: str, number: int) -> str:
        pages.append(number)
        return "\n".join(SCANNED)

    monkeypatch.setattr(ocr, "recognised_text", recognised)
    yield pages


def find(document: Document, quote: str, page: int | None = 2) -> QuoteMatch:
    return find_quote(document, quote, page_hint=page, lower=70)


def check(document: Document, *, page: int | None = 2, section: str | None = None, quote: str = FEE) -> CitationCheck:
    claim = Claim(document.name, page, section, quote)
    return check_citation(claim, [document], CitationPolicy(70.0), gold_places=[(None, 2, "Clause 5.3")])


# ---- for real -----------------------------------------------------------------------------------------------------------


def test_a_scanned_page_is_recognised_once(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_tesseract()
    document = open_document(path, ocr=Ocr(tmp_path))
    assert [(page.state, page.is_recognised) for page in document.pages] == [("text", False), ("text", True), ("text", False)]
    found = check(document, section="Clause 5.3")
    assert (found.outcome, found.pages_found, found.findings[0][0]) == ("normalised", (2,), "READ_BY_OCR")
    assert document.text[slice(*found.spans[0])].split() == FEE.rstrip(".").split()
    assert (check(document, quote=ALTERED).quote, check(document, quote=NOWHERE).quote) == ("unreadable", "not_found")
    assert find(document, ACROSS).occurrences[0].pages == (1, 2)

    def no_worker(size: int) -> None:
        raise AssertionError("a page is recognised twice")

    monkeypatch.setattr(ocr, "shared_worker", no_worker)
    assert find(open_document(path, ocr=Ocr(tmp_path)), FEE).is_verbatim
    for entry in tmp_path.rglob("*.json"):
        entry.write_text('{"text": 5}')
    with pytest.raises(AssertionError):
        find(open_document(path, ocr=Ocr(tmp_path)), FEE)


# ---- what it decides ----------------------------------------------------------------------------------------------------


def test_off_by_default(path: Path, recognition: list[int]) -> None:
    assert find(open_document(path), FEE).verdict == "unreadable" and not recognition


def test_readable_pages_are_never_recognised(path: Path, recognition: list[int]) -> None:
    document = open_document(path, ocr=Ocr())
    assert recognition == [2] and find(document, LAST[1], 3).verdict == "exact"
    altered = check(document, page=3, quote=LAST[1].replace("without", "with"))
    assert altered.quote == "not_found" and altered.findings[0][0] == "ALTERED_QUOTE"
    assert recognition == [2]


@pytest.mark.parametrize(
    "quote", [ALTERED, FEE.replace("per annum", "per year"), FEE.replace("0.85 per cent.", "0.85"), FEE[:40] + " ... " + SCANNED[0]]
)
def test_a_quote_that_differs_from_the_recognised_text_stays_open(path: Path, recognition: list[int], quote: str) -> None:
    found = check(open_document(path, ocr=Ocr()), quote=quote)
    assert (found.outcome, found.open) == ("unreadable", "unreadable")


def test_a_likeness_elsewhere_does_not_hide_the_cited_scan(tmp_path: Path, path: Path, recognition: list[int]) -> None:
    pdf = pymupdf.open(path)
    pdf.new_page(width=500).insert_textbox(
        pymupdf.Rect(30, 30, 470, 200),
        "The Borrower shall pay to the Agent a fee of 0.85 per cent. per annum on undrawn Commitments as follows.",
    )
    pdf.save(tmp_path / "b.pdf")
    assert find(open_document(tmp_path / "b.pdf"), FEE).verdict == "paraphrased"
    assert find(open_document(tmp_path / "b.pdf", ocr=Ocr()), FEE).occurrences[0].pages == (2,)


def test_the_page_is_the_recognised_one(path: Path, recognition: list[int]) -> None:
    document = open_document(path, ocr=Ocr())
    right = check(document, section="Clause 5.3")
    assert (right.outcome, right.quote, right.page, right.section, right.open) == ("normalised", "normalised", "right", "right", None)
    assert [code for code, _ in right.findings] == ["READ_BY_OCR"] and right.pages_found == (2,)
    wrong = check(document, page=3, section="Clause 5.3")
    assert (wrong.outcome, wrong.page, wrong.both_wrong) == ("wrong_page", "wrong", False)
    assert check(document, page=9, section="Clause 5").outcome == "fabricated_location"


@pytest.mark.parametrize(("section", "word"), [("Clause 5.2", "wrong"), ("Clause 5.3", "right"), ("Clause 6.1", "wrong")])
def test_sections_come_from_the_recognised_text_too(path: Path, recognition: list[int], section: str, word: str) -> None:
    found = check(open_document(path, ocr=Ocr()), section=section)
    assert (found.quote, found.section, found.open) == ("normalised", word, None)


# ---- where it cannot be ---------------------------------------------------------------------------------------------------


def test_without_its_data_a_page_stays_unreadable(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    without = Ocr(tmp_path, memory_bytes=(1 << 30) - 4096)  # a process of its own, which has not seen another environment
    assert "no data for the language 'eng'" in why_unavailable()
    assert find(open_document(path, ocr=without), FEE).verdict == "unreadable"


def test_the_program_is_asked_where_the_data_lie_outside_the_packaged_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    monkeypatch.setattr(ocr, "_PACKAGED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ReadingError, match="not installed"):
        find_data()
    (tmp_path / "tesseract").write_text(f"#!/bin/sh\necho 'List of available languages in \"{tmp_path}\" (1):'\n")
    (tmp_path / "tesseract").chmod(0o755)
    with pytest.raises(ReadingError, match=f"no data for the language 'eng' in {tmp_path}"):
        find_data()
    (tmp_path / "eng.traineddata").touch()
    assert find_data() == str(tmp_path)
    (tmp_path / "5" / "tessdata").mkdir(parents=True)
    (tmp_path / "5" / "tessdata" / "eng.traineddata").touch()
    assert find_data() == str(tmp_path / "5" / "tessdata")


@pytest.fixture
def scanned(tmp_path: Path) -> Inputs:
    """Inputs whose document is a scan from the first page to the last."""
    inputs = Inputs(tmp_path)
    source = pymupdf.open(tmp_path / "documents" / DOCUMENT)
    pdf = pymupdf.open()
    for page in source:
        image = page.get_pixmap(dpi=60, colorspace=pymupdf.csGRAY)
        pdf.new_page(width=page.rect.width, height=page.rect.height).insert_image(page.rect, pixmap=image)
    pdf.save(tmp_path / "documents" / DOCUMENT)
    return inputs


@pytest.fixture(autouse=True)
def say_again() -> None:
    """The notice is given once a process."""
    input_documents._is_available.cache_clear()


def test_a_run_without_tesseract_says_so_once_and_goes_on(
    scanned: Inputs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(input_documents, "why_unavailable", lambda: "Tesseract is not installed")
    code = scanned.run("--ocr")
    assert capsys.readouterr().err.count("OCR not available: Tesseract is not installed") == 1
    assert scanned.run("--fresh") == code and "OCR" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "check"])
def test_the_flag_the_variable_and_the_key_reach_the_documents(
    scanned: Inputs, monkeypatch: pytest.MonkeyPatch, recognition: list[int], command: str
) -> None:
    monkeypatch.setattr(input_documents, "why_unavailable", lambda: "")
    monkeypatch.chdir(scanned.folder)
    scanned.run("--ocr", "off", command=command)
    assert not recognition
    scanned.run("--ocr", *(["--fresh"] if command == "run" else []), command=command)
    assert recognition
    recognition.clear()
    monkeypatch.setenv("JUDGE_OCR", "1")
    scanned.run(command=command)
    assert recognition or command == "run", "a finished run is not judged again"
    monkeypatch.delenv("JUDGE_OCR")
    (scanned.folder / "judge.toml").write_text("ocr = true\n")
    scanned.run(*(["--fresh"] if command == "run" else []), command=command)
    assert recognition


def test_a_folder_judged_without_ocr_is_not_resumed_with_it(
    scanned: Inputs, monkeypatch: pytest.MonkeyPatch, recognition: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(input_documents, "why_unavailable", lambda: "")
    scanned.run("--ocr=off")
    assert scanned.run("--ocr") == 2 and "other OCR" in capsys.readouterr().err


def test_verdicts_of_a_scan(scanned: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    quote = "No Event of Default under Clause 4.1 occurs if the failure to pay is remedied within five Business Days."
    monkeypatch.setattr(input_documents, "why_unavailable", lambda: "")
    monkeypatch.setattr(ocr, "recognised_text", lambda how, path, sha256, number: f"3.3 Remedy\n{quote}" if number == 2 else "")
    scanned.run("--ocr")
    (answer,) = [line for line in scanned.verdicts() if line["item"] == "answer"]
    block = answer["provenance"]
    assert (block["quote"], block["page"], block["section"], block["pages_found"]) == ("normalised", "right", "right", [2])
    assert "READ_BY_OCR" in json.dumps(answer["findings"])
    assert not any(line["outcome"] == "hallucination" for line in scanned.verdicts())


def test_content_decides_an_item_whose_section_is_unknown(scanned: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    field = scanned.batch[0]["output"]["fields"]["tenor"]
    field["value"], field["citation"]["quote"] = "17 months", "The Borrower shall repay the Loan in full."
    scanned.write()
    monkeypatch.setattr(input_documents, "why_unavailable", lambda: "")
    monkeypatch.setattr(ocr, "recognised_text", lambda how, path, sha256, number: field["citation"]["quote"])
    scanned.run("--ocr")
    (tenor,) = [line for line in scanned.verdicts() if line["item"] == "fields.tenor"]
    assert tenor["outcome"] == "fail" and tenor["provenance"]["quote"] == "normalised"


def test_the_pages_that_are_recognised_are_bounded_and_the_others_told(tmp_path: Path) -> None:
    told: list[str] = []
    texts = recognised_texts(Ocr(pages=2, tell=told.append), tmp_path / "a.tiff", "", [1, 3, 4, 5])
    assert list(texts) == [1, 3] and told == ["a.tiff: 4 pages without text: the first 2 are recognised, the others stay unread"]


def test_recognition_reads_nothing_of_what_a_torn_page_has_lost(path: Path, tmp_path: Path, recognition: list[int]) -> None:
    pdf = pymupdf.open(path)
    pdf.delete_page(1)
    xref = pdf[0].get_contents()[0]
    raw = pdf.xref_stream_raw(xref)
    pdf.update_stream(xref, raw, compress=False)
    pdf.xref_set_key(xref, "Filter", "/FlateDecode")
    torn = tmp_path / "torn.pdf"
    pdf.save(torn)
    data = torn.read_bytes()
    torn.write_bytes(data.replace(raw, raw[: len(raw) // 3] + b"\xff" * (len(raw) - len(raw) // 3)))
    document = open_document(torn, ocr=Ocr())
    assert recognition == [1] and "fee of 0.85" in document.pages[0].text and document.is_damaged
    assert not document.pages[0].is_readable and document.unreadable_pages == (1,)
    assert find(document, NOWHERE, page=1).verdict == "unreadable"


def test_pages_are_shown_with_the_text_that_places_were_found_in(path: Path, tmp_path: Path, recognition: list[int]) -> None:
    pages = PdfPages(path.parent, None, ocr=Ocr(tmp_path), was_recognised=True)
    (span,) = pages.find(path.name, LAST[-1], 3)
    assert (pages.text(path.name) or "")[slice(*span)].startswith(LAST[-1][:40]) and {
        mark[0] for mark in pages.rectangles(path.name, *span)
    } == {3}
    without = PdfPages(path.parent, None, was_recognised=True)
    assert without.text(path.name) is None and "Tesseract, which is not here" in without.left_out[path.name]
    assert PdfPages(path.parent, None).page_count(path.name) == 3  # the run did not recognise anything either
