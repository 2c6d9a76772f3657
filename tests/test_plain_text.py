"""A page of plain text is read from the library's printing of it: the same lines as span by span, and every other page span by span."""

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from deterministic.documents.page_notes import ORDERS, PageNotes
from deterministic.documents.reading import page_content

DOCUMENTS = Path(__file__).parent.parent / "judge" / "samples" / "deal" / "documents"
WORDS = "The Borrower’s margin – “2.5%” & more <than> 3.0% – is payable on 4 May 2026."
Draw = Callable[[pymupdf.Page], object]


def plain(page: pymupdf.Page, **style: object) -> None:
    for y in range(100, 700, 20):
        page.insert_text((72, y), WORDS, fontname="tiro", **style)


def read(*draws: Draw) -> list[bool]:
    """Of a document with a page for each: which were read as plain; what was read is the same either way."""
    pdf = pymupdf.open()
    for draw in draws:
        draw(pdf.new_page())
    pdf = pymupdf.open("pdf", pdf.tobytes())
    return [is_plain for is_plain, _ in compared(pdf)]


def compared(pdf: pymupdf.Document) -> list[tuple[bool, str]]:
    notes, found = PageNotes(pdf), []
    for page in pdf:
        lines, text, noted = notes.read(page)
        by_spans = page_content(page)
        assert text == "\n".join(by_spans.texts)
        for line, other in zip(lines, by_spans.lines, strict=True):
            assert line["bbox"] == pytest.approx(other["bbox"], abs=1e-3)
            assert (line["dir"] == (1.0, 0.0)) == (other["dir"] == (1.0, 0.0))
        found.append((bool(lines) and "spans" not in lines[0], noted))
    return found


@pytest.mark.parametrize("path", sorted(DOCUMENTS.glob("*.pdf")), ids=lambda path: path.stem)
def test_lines_are_the_same_as_span_by_span(path: Path) -> None:
    assert compared(pymupdf.open(path))


def test_pages_behind_the_first_are_read_as_plain() -> None:
    assert read(plain, plain, lambda page: plain(page, color=(0.7, 0, 0))) == [False, True, True]


def raised(page: pymupdf.Page) -> None:
    plain(page)
    page.insert_text((72, 750), "the Rate", fontname="tiro")
    page.insert_text((72 + pymupdf.get_text_length("the Rate", "tiro", 11), 746), "3", fontname="tiro", fontsize=6)


def hidden_by_a_form(page: pymupdf.Page) -> None:
    plain(page)
    other = pymupdf.open()
    other.new_page().draw_rect((70, 90, 560, 120), color=None, fill=(1, 1, 1))
    page.show_pdf_page(page.rect, other, 0)


@pytest.mark.parametrize(
    "draw",
    [
        raised,
        hidden_by_a_form,
        lambda page: plain(page, color=(0.8, 0.8, 0.8)),
        lambda page: plain(page, fontsize=2),
        lambda page: plain(page, render_mode=3),
        lambda page: plain(page, fill_opacity=0.5),
        lambda page: page.insert_text((72, 100), WORDS, fontname="heit"),  # a font that was not seen before
        lambda page: page.insert_text((72, 100), "No glyph: \ufffd\x01", fontname="tiro"),
        lambda page: page.insert_text((580, 100), WORDS, fontname="tiro"),  # runs off the page
    ],
)
def test_every_other_page_is_read_span_by_span(draw: Draw) -> None:
    assert read(plain, draw, draw)[1] is False


def test_turned_text_is_noted_on_a_plain_page() -> None:
    pdf = pymupdf.open()
    for turned in (0, 0, 90, 180):
        page = pdf.new_page()
        plain(page)
        page.insert_text((300, 750), "on its side", fontname="tiro", rotate=turned)
    found = compared(pymupdf.open("pdf", pdf.tobytes()))
    assert found[1] == (True, "") and all(ORDERS in noted for _, noted in found[2:])


def test_a_font_that_is_chosen_and_shows_nothing_keeps_no_page_from_being_plain() -> None:
    def choose(page: pymupdf.Page) -> None:
        plain(page)
        page.insert_font("helv", "helv")
        (first, *_) = page.get_contents()
        pdf = page.parent
        pdf.update_stream(first, b"q BT /helv 12 Tf 14 TL ET BT /tiro 9 Tf ET Q " + pdf.xref_stream(first))

    assert read(plain, choose) == [False, True]
