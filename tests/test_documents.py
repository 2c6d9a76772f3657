"""PDF files in, text with pages out: limits, cache, page states, marks, closer looks."""

import os
import pickle
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents import document_cache
from deterministic.documents.closer_looks import alternative_texts, page_image, quote_rectangles, struck_or_hidden
from deterministic.documents.documents import Document, DocumentError, Limits, open_document, open_documents
from deterministic.documents.kinds import ReadingError
from deterministic.documents.parsing import Worker, shared_worker

TEXT = "The Borrower shall pay to the Agent a fee of 0.85 per cent. per annum on the undrawn amount of the Commitments of the Lenders."


def write(path: Path, pages: list[str], *, header: str = "", numbered: bool = False) -> Path:
    pdf = pymupdf.open()
    for number, text in enumerate(pages, 1):
        page = pdf.new_page()
        if header:
            page.insert_text((72, 40), header, fontsize=8)
        page.insert_textbox((72, 80, 523, 760), text, fontsize=11)
        if numbered:
            page.insert_text((290, 810), str(number), fontsize=8)
    pdf.save(path)
    return path


def cause(path: Path, limits: Limits | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        open_document(path, limits=limits or Limits())
    assert str(caught.value).startswith(path.name) and "\n" not in str(caught.value)
    return caught.value.cause


# ---- text and pages ----


def test_sentences_join_over_pages(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.pdf",
        ["1. Fees\n1.1 Fee\nThe Borrower shall pay", "the fee on the due date.\n1.2 Next\nMore text.", "End."],
        header="Facility Agreement",
        numbered=True,
    )
    document = open_document(path)
    start = document.text.index("shall pay\nthe fee")
    assert document.pages_of(start, start + 17) == (1, 2)
    assert document.page_at(0) == 1 and document.page_at(len(document.text)) == 3
    assert [page.printed for page in document.pages] == [("1",), ("2",), ("3",)]
    assert "Facility Agreement" in document.page_text(2) and "Facility Agreement" not in document.pages[1].body
    assert document.page_text(9) == ""
    assert document.is_readable and not document.has_labels
    assert document.clauses.at(start, start + 17)[-1].number == "1.1"


def test_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [TEXT] * 3)
    pdf = pymupdf.open(path)
    pdf.set_page_labels([{"startpage": 0, "style": "r"}, {"startpage": 1, "style": "D", "prefix": "S-", "firstpagenum": 1}])
    pdf.save(tmp_path / "b.pdf")
    document = open_document(tmp_path / "b.pdf")
    assert [page.label for page in document.pages] == ["i", "S-1", "S-2"] and document.has_labels


def test_a_raised_digit_is_no_digit_of_the_number(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    writer = pymupdf.TextWriter(page.rect)
    x = 72 + pymupdf.get_text_length("a ratio of 1.10", fontsize=11, fontname="helv")
    writer.append((72, 100), "a ratio of 1.10", fontsize=11)
    writer.append((x, 96), "2", fontsize=7)
    writer.append((x + 4.2, 100), " on each Test Date", fontsize=11)
    writer.append((72, 130), "2", fontsize=7)
    writer.append((76, 134), " Note text.", fontsize=10)
    writer.write_text(page)
    pdf.save(tmp_path / "a.pdf")
    text = open_document(tmp_path / "a.pdf").text
    assert "1.10² on each Test Date" in text and "² Note text." in text


def test_from_pages() -> None:
    document = Document.from_pages("a.pdf", ["Header\none\n1", "Header\ntwo\n2"], labels=["i", "ii"], states=["text", "scan"])
    assert document.text == "one\ntwo" and document.page_starts == (0, 4)
    assert document.unreadable_pages == (2,) and not document.is_readable
    assert document.pages[1].label == "ii" and document.has_labels
    assert Document.from_pages("empty.pdf", []).page_at(5) == 0


def test_values_are_built_once() -> None:
    document = Document.from_pages("a.pdf", ["text"])
    calls: list[int] = []
    assert [document.cached("key", lambda: calls.append(1) or len(calls)) for _ in range(3)] == [1, 1, 1]  # type: ignore[func-returns-value]


# ---- page states ----


def test_pages_that_cannot_be_read(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_textbox((72, 72, 523, 760), TEXT)
    pdf.new_page()  # blank: nothing to misread
    source = pymupdf.open()
    page = source.new_page()
    page.insert_textbox((72, 72, 523, 760), TEXT)
    image = page.get_pixmap(dpi=60).tobytes("png")
    scan = pdf.new_page()
    scan.insert_image(scan.rect, stream=image)
    scan.insert_text((72, 820), "Scan 1", fontsize=7)
    shape = pdf.new_page().new_shape()
    for n in range(60):
        shape.draw_line((80 + n * 5, 100), (82 + n * 5, 110))
    shape.finish()
    shape.commit()
    shifted = "".join(chr(ord(c) - 29) if c.isalpha() else c for c in (TEXT + " ") * 3)
    pdf.new_page().insert_textbox((72, 72, 523, 760), shifted)
    layered = pdf.new_page()
    layered.insert_image(layered.rect, stream=image)
    layered.insert_textbox((72, 72, 523, 760), TEXT * 2, render_mode=3)
    pdf.save(tmp_path / "a.pdf")
    document = open_document(tmp_path / "a.pdf")
    assert [page.state for page in document.pages] == ["text", "text", "scan", "empty", "garbled", "text"]
    assert document.unreadable_pages == (3, 4, 5)
    assert struck_or_hidden(document, 6).spans == ()  # text recognised from a scan is what the scan shows


# ---- what is refused ----


def test_what_is_no_pdf(tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_text("<html><body>hello</body></html>")
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "noise.pdf").write_bytes(os.urandom(3000))
    assert cause(tmp_path / "page.pdf") == "unsupported"
    assert cause(tmp_path / "empty.pdf") == "corrupt"
    assert cause(tmp_path / "noise.pdf") in ("corrupt", "unsupported")
    assert cause(tmp_path / "nowhere.pdf") == "missing"
    assert cause(tmp_path) == "missing"


def test_encrypted(tmp_path: Path) -> None:
    pdf = pymupdf.open(write(tmp_path / "a.pdf", [TEXT]))
    pdf.save(tmp_path / "user.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="owner")
    pdf.save(tmp_path / "owner.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner")
    assert cause(tmp_path / "user.pdf") == "encrypted"
    assert "Borrower" in open_document(tmp_path / "owner.pdf").text


def test_limits(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [TEXT] * 3)
    assert cause(path, Limits(pages=2)) == "too_large"
    assert cause(path, Limits(file_bytes=100)) == "too_large"
    assert cause(path, Limits(characters=100)) == "too_large"
    assert len(open_document(path, limits=Limits(pages=3)).pages) == 3


def bomb(path: Path, megabytes: int) -> Path:
    """A small file whose page inflates to many text operators."""
    packer = zlib.compressobj(6)
    piece = b"1 0 0 1 72 700 Tm(x)Tj 1 0 0 1 90 690 Tm(y)Tj " * 22_000
    body = (
        packer.compress(b"BT /F1 9 Tf 72 700 Td ")
        + b"".join(packer.compress(piece) for _ in range(megabytes))
        + packer.compress(b"ET")
        + packer.flush()
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(body), body),
    ]
    data, offsets = b"%PDF-1.4\n", []
    for n, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (n, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    path.write_bytes(
        data + b"xref\n0 5\n0000000000 65535 f \n" + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)
    )
    return path


def test_a_hostile_file_ends_its_worker_and_nothing_else(tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.pdf", 60)
    assert path.stat().st_size < 2_000_000
    assert cause(path, Limits(memory_bytes=256 << 20, cpu_seconds=20)) == "memory"
    assert cause(path, Limits(wall_seconds=0.2)) == "timeout"
    assert open_document(write(tmp_path / "good.pdf", [TEXT])).text.startswith("The Borrower")


def test_limits_from_outside_are_kept_to_and_nothing_is_unreadable_for_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [TEXT])
    code = "import sys; from deterministic.documents.documents import open_document; print(len(open_document(sys.argv[1]).pages))"
    limits = f"ulimit -v 900000 -t 60; {sys.executable} -P -c '{code}' {path}"
    assert subprocess.run(["bash", "-c", limits], capture_output=True, check=True).stdout == b"1\n"


def test_damaged_files_open_repaired_or_are_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.pdf", [TEXT] * 4).read_bytes()
    for share in (0.1, 0.4, 0.7, 0.95):
        (tmp_path / "cut.pdf").write_bytes(whole[: int(len(whole) * share)])
        try:
            assert open_document(tmp_path / "cut.pdf").notices
        except DocumentError as error:
            assert error.cause in ("corrupt", "unsupported")


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_changed_bytes_never_crash(tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, int]]) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    data = bytearray(write(folder / "a.pdf", [TEXT, TEXT]).read_bytes())
    for place, value in changes:
        data[int(place * (len(data) - 1))] = value
    (folder / "b.pdf").write_bytes(data)
    try:
        open_document(folder / "b.pdf").clauses.find("Clause 1")
    except DocumentError as error:
        assert error.message


# ---- cache and workers ----


def test_a_second_run_does_not_parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = write(tmp_path / "a.pdf", ["1. One\nText.", "2. Two\nText."], numbered=True), tmp_path / "cache"
    first = open_document(path, cache_dir=cache)
    monkeypatch.setattr(Worker, "ask", lambda *a, **k: pytest.fail("parsed again"))
    second = open_document(path, cache_dir=cache)
    assert second.pages == first.pages and second.clauses.clauses == first.clauses.clauses and second.sha256 == first.sha256


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"pages": []}',
        b"null",
        b'{"pages":[[1,2,3,4,5,6]],"clauses":[],"listed":[],"notices":[]}',
        pickle.dumps({"a": 1}),
        "edited",
        "edited, without its hash",
    ],
)
def test_a_broken_or_edited_entry_is_parsed_again(tmp_path: Path, content: bytes | str) -> None:
    path, cache = write(tmp_path / "a.pdf", [TEXT]), tmp_path / "cache"
    text = open_document(path, cache_dir=cache).text
    (entry,) = (cache / "documents").iterdir()
    kept = entry.read_bytes()
    if isinstance(content, str):
        edited = kept.replace(text[:9].encode(), b"Something")
        assert edited != kept
        content = edited if content == "edited" else edited.partition(b"\n")[2]
    entry.write_bytes(content)
    assert open_document(path, cache_dir=cache).text == text
    assert entry.read_bytes() == kept


def test_a_page_is_read_again_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = write(tmp_path / "a.pdf", ["One text.", "Another text."]), tmp_path / "cache"
    first = alternative_texts(open_document(path, cache_dir=cache), [2])
    assert first[2]
    ask, asked = Worker.ask, list[list[int]]()

    def counted(self: Worker, operation: str, **arguments: Any) -> Any:
        asked.append(arguments["numbers"])
        return ask(self, operation, **arguments)

    monkeypatch.setattr(Worker, "ask", counted)
    assert alternative_texts(open_document(path, cache_dir=cache), [1, 2])[2] == first[2] and asked == [[1]]
    alternative_texts(open_document(path, cache_dir=cache), [2], plain=True)
    assert asked == [[1], [2]], "a plain page is looked at otherwise"
    (entry,) = cache.rglob("2.json")
    for broken in (b"", b"[]", b'{"readings": [1]}', b'{"readings": {"a": 1}}', pickle.dumps({"readings": []})):
        entry.write_bytes(broken)
        assert alternative_texts(open_document(path, cache_dir=cache), [2]) == first and asked.pop() == [2]


def test_what_a_changed_file_says_is_not_kept(tmp_path: Path) -> None:
    path, cache = write(tmp_path / "a.pdf", ["One text."]), tmp_path / "cache"
    document = open_document(path, cache_dir=cache)
    write(path, ["Another text."])
    assert "Another" in str(alternative_texts(document, [1]))
    assert not [*cache.rglob("1.json")]


def test_no_cache_folder_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert open_document(write(tmp_path / "a.pdf", [TEXT]), cache_dir=tmp_path / "file" / "cache").text
    assert document_cache.read(document_cache.entry_of(tmp_path / "nowhere", "0" * 64), document_cache.is_document) is None


def test_a_path_is_that_of_the_callers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_document(write(tmp_path / "first.pdf", ["First"]))  # the reading process runs from here on
    (folder := tmp_path / "elsewhere").mkdir()
    write(folder / "second.pdf", ["Second"])
    monkeypatch.chdir(folder)
    assert open_document(Path("second.pdf")).text == "Second"


def test_many_documents_by_name(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.pdf", [f"Document {n}"]) for n in range(5)]
    (tmp_path / "bad.pdf").write_text("no")
    opened = open_documents([*paths, tmp_path / "bad.pdf"], cache_dir=None, processes=2)
    assert list(opened) == ["0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf", "bad.pdf"]
    assert isinstance(opened["bad.pdf"], DocumentError)
    assert all(isinstance(document, Document) and document.text == f"Document {n}" for n, document in enumerate(opened.values()) if n < 5)
    assert open_documents([], processes=2) == {}


def test_a_worker_gets_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with closing(Worker(1 << 30)) as worker:
        with pytest.raises(ReadingError):
            worker.ask("parse", cpu_seconds=5, wall_seconds=20, path=str(tmp_path / "none.pdf"), pages=9, characters=9)
        assert worker._process is not None
        environment = Path(f"/proc/{worker._process.pid}/environ")
        assert not environment.exists() or b"sk-secret" not in environment.read_bytes()


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", [TEXT])
    open_document(path)
    process = shared_worker(Limits().memory_bytes)._process
    assert process is not None
    process.kill()
    process.wait()
    assert open_document(path).text


# ---- closer looks ----


def test_letters_are_as_small_as_their_page_makes_them(tmp_path: Path) -> None:
    with pymupdf.open() as pdf, pymupdf.open() as large:
        large.new_page().insert_text((72, 100), ["The Margin is 2.35 per cent. per annum.", "The Fee is 1 per cent."], fontsize=11)
        for size in (1.0, 0.1):
            pdf.new_page(width=595, height=842).show_pdf_page(pymupdf.Rect(0, 0, 59.5, 84.2), large)
            pdf[-1].set_mediabox(pymupdf.Rect(0, 842 * (1 - size), 595 * size, 842))
        pdf.save(tmp_path / "a.pdf")
    document = open_document(tmp_path / "a.pdf")
    assert [bool(struck_or_hidden(document, number).spans) for number in (1, 2)] == [True, False]


def test_struck_and_hidden_text(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 100), "Visible words")
    page.insert_text((72, 130), "White words", color=(1, 1, 1))
    page.insert_text((72, 160), "Invisible words", render_mode=3)
    page.insert_text((72, 190), "Tiny words", fontsize=1)
    page.insert_text((72, 220), "Covered words")
    page.draw_rect(pymupdf.Rect(70, 205, 200, 225), color=(1, 1, 1), fill=(1, 1, 1))
    page.draw_rect(pymupdf.Rect(70, 240, 300, 260), color=(0, 0, 0.3), fill=(0, 0, 0.3))
    page.insert_text((72, 254), "White on dark", color=(1, 1, 1))
    page.insert_text((72, 290), "Struck words stay")
    page.draw_line((72, 286.5), (139, 286.5))
    page.insert_text((72, 320), "Annotated deletion")
    page.add_strikeout_annot(page.search_for("deletion")[0])
    page.insert_text((72, 350), "Underlined words")
    page.draw_line((72, 352), (150, 352))
    pdf.save(tmp_path / "a.pdf")
    document = open_document(tmp_path / "a.pdf")
    marked = struck_or_hidden(document, 1)
    assert marked.text == document.page_text(1)
    found = {
        kind: " ".join(marked.text[span.start : span.end] for span in marked.spans if span.kind == kind).split()
        for kind in ("struck", "hidden")
    }
    assert found["hidden"] == "White words Invisible words Tiny words Covered words".split()
    assert found["struck"] == "Struck words deletion".split()


def test_a_raised_figure_is_read_with_the_others_too_and_is_not_hidden(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_htmlbox((72, 72, 500, 200), "<p>The Total Commitments are USD 320,000<sup>1</sup> on the date.</p>")
    pdf.save(tmp_path / "a.pdf")
    document = open_document(tmp_path / "a.pdf")
    texts = {one.source: one.text for one in alternative_texts(document, [1])[1]}
    assert "320,0001" not in document.text and any("320,0001" in text for source, text in texts.items() if source != "hidden")


def test_second_readings(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((320, 100), "right column")
    page.insert_text((72, 100), "left column")
    page.insert_text((72, 114), "goes on")
    page.insert_text((900, 100), "outside the page")
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "amount", "GBP 5,000"
    widget.rect = pymupdf.Rect(72, 200, 200, 220)
    page.add_widget(widget)
    page.add_text_annot((300, 300), "a reviewer's note")
    pdf.save(tmp_path / "a.pdf")
    document = open_document(tmp_path / "a.pdf")
    texts = {alternative.source: alternative.text for alternative in alternative_texts(document, [1, 99])[1]}
    assert "left column\ngoes on" in texts["columns"] and texts["columns"].index("goes on") < texts["columns"].index("right")
    assert "outside the page" in texts["hidden"] and "outside" not in document.text and "unclipped" not in texts
    assert "GBP 5,000" in document.text and "form field" not in texts  # the page's own text shows the value
    assert texts["annotation"] == "a reviewer's note"
    assert "left column" in texts["pypdfium2"]
    assert alternative_texts(document, [99]) == {99: ()}
    assert alternative_texts(Document.from_pages("b.pdf", ["x"]), [1]) == {1: ()}


def test_rectangles_and_image(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", ["First page ends here", "and goes on there"], header="Header", numbered=True)
    document = open_document(path)
    start = document.text.index("ends here")
    boxes = quote_rectangles(document, start, document.text.index("on there"))
    assert [box[0] for box in boxes] == [1, 2]
    page = pymupdf.open(path)[0]
    (expected,) = page.search_for("ends here")
    assert abs(boxes[0][1] - expected.x0) < 1 and abs(boxes[0][3] - expected.x1) < 1 and abs(boxes[0][2] - expected.y0) < 4
    image = page_image(path, 1, dpi=72)
    assert image.png.startswith(b"\x89PNG") and (image.width, image.height) == (595, 842) and round(image.page_width) == 595
    with pytest.raises(DocumentError):
        page_image(path, 7)


def test_an_image_of_a_huge_page_is_small(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page(width=14_000, height=14_000).insert_text((72, 100), "wide")
    pdf.save(tmp_path / "a.pdf")
    image = page_image(tmp_path / "a.pdf", 1, dpi=300)
    assert image.width * image.height < 7_000_000


def test_a_page_box_without_area_hides_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", ["The Lender waives every fee.", "Nobody pays twice."])
    with pymupdf.open(path) as pdf:
        pdf.xref_set_key(pdf[0].xref, "CropBox", "[0 0 0 0]")
        pdf.saveIncr()
    first, second = open_document(path).pages
    assert first.state == "garbled" and second.state == "text"


def test_a_kept_file_of_another_shape_is_none(tmp_path: Path) -> None:
    path, cache = write(tmp_path / "a.pdf", [TEXT]), tmp_path / "cache"
    document = open_document(path, cache_dir=cache)
    entry = document_cache.entry_of(cache, document.sha256)
    kept = document_cache.read(entry, document_cache.is_document)
    for odd in ({}, {**kept, "pages": [[1, None, "", [], "text", ""]]}, {**kept, "pages": [["a"]]}, {**kept, "earlier": None}):
        document_cache.write(entry, odd)
        assert document_cache.read(entry, document_cache.is_document) is None and open_document(path, cache_dir=cache).text == document.text
