"""Notes of a page: whatever the closer look could find must have been noted, and a plain page is not looked at again."""

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.documents.closer_looks import struck_or_hidden
from deterministic.documents.documents import Document, open_document
from deterministic.documents.page_notes import PageNotes
from deterministic.documents.parsing import Worker
from deterministic.documents.reading import page_content
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import FULL
from tests.tables import table

SENTENCE = "The Borrower shall repay the Loan in full on the Termination Date together with accrued interest."
WHERE = (72, 172)
DEAL = Path(__file__).parent.parent / "judge/samples/deal/documents/tarnbrook-facilities-agreement.pdf"

Draw = Callable[[pymupdf.Page], object]


def write(path: Path, *draws: Draw) -> Document:
    """A page for each."""
    pdf = pymupdf.open()
    for draw in draws:
        page = pdf.new_page()
        page.insert_text((72, 100), "1. Repayment", fontname="tiro")
        draw(page)
        page.insert_text((72, 300), "2. Interest on every overdue amount is payable on demand to the Agent.", fontname="tiro")
    pdf.save(path)
    return open_document(path)


def put(page: pymupdf.Page, **style: object) -> None:
    page.insert_text(WHERE, SENTENCE, fontname="tiro", **style)


def cover(page: pymupdf.Page) -> None:
    put(page)
    page.draw_rect((70, 155, 560, 180), color=None, fill=(1, 1, 1))


def cover_words(*, colour: float = 1.0, instead: str = "", blend: str | None = None) -> Draw:
    """Six letters of the sentence lie under a box, and perhaps under other words on it."""
    left, right = (WHERE[0] + pymupdf.get_text_length(SENTENCE[:end], "tiro", 11) for end in (24, 30))

    def draw(page: pymupdf.Page) -> None:
        put(page)
        if blend:
            note = page.add_highlight_annot(pymupdf.Rect(left, 160, right, 176))
            note.update(blend_mode=blend)
            return
        page.draw_rect((left, 160, right, 176), color=None, fill=(colour,) * 3)
        page.insert_text((left, WHERE[1]), instead, fontname="tiro")

    return draw


def strike_between_words(page: pymupdf.Page) -> None:
    page.insert_text(WHERE, SENTENCE[:40], fontname="tiro")
    page.draw_line((72, 168.5), (500, 168.5))
    page.insert_text((WHERE[0] + pymupdf.get_text_length(SENTENCE[:40], "tiro", 11), WHERE[1]), SENTENCE[40:], fontname="tiro")


def dark_ground(page: pymupdf.Page) -> None:
    page.draw_rect((70, 155, 560, 180), color=None, fill=(0, 0, 0))
    put(page)


def strike(page: pymupdf.Page) -> None:
    put(page)
    page.draw_line((72, 168.5), (500, 168.5))


def strike_with_a_box(page: pymupdf.Page) -> None:
    put(page)
    page.draw_rect((72, 168, 500, 168.8), color=None, fill=(1, 0, 0))


def strike_with_a_note(page: pymupdf.Page) -> None:
    put(page)
    page.add_strikeout_annot(pymupdf.Rect(72, 160, 500, 176))


def picture(page: pymupdf.Page) -> None:
    put(page)
    white = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20), False)
    white.clear_with(255)
    page.insert_image((70, 155, 560, 180), pixmap=white, keep_proportion=False)


def painted(page: pymupdf.Page, before: bytes) -> None:
    """The sentence behind these operators, in the content itself."""
    number = page.get_contents()[0]
    text = b"\nq " + before + b" BT /tiro 11 Tf 72 670 Td (" + SENTENCE.encode() + b") Tj ET Q\n"
    page.parent.update_stream(number, page.parent.xref_stream(number) + text)


@pytest.mark.parametrize("colours", table("page_notes", "a_colour_that_leaves_no_ink_makes_a_page_doubtful"))
def test_a_colour_that_leaves_no_ink_makes_a_page_doubtful(tmp_path: Path, colours: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        function = "<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>"
        resources = int(page.parent.xref_get_key(page.xref, "Resources")[1].split()[0])
        page.parent.xref_set_key(resources, "ColorSpace", f"<< /C0 {colours.replace('{0}', function)} >>")
        painted(page, b"/C0 cs 1 scn")

    kinds = {span.kind for span in struck_or_hidden(write(tmp_path / "a.pdf", draw), 1).spans}
    assert kinds == (set() if "Spot" in colours else {"doubtful"})


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (lambda page: painted(page, b"0 0 595 842 re 0 0 595 842 re W* n"), "hidden"),  # cut to what is in one of two and not in both
        (lambda page: painted(page, b"0 0 m 595 0 l 595 842 l 0 842 l h 0 0 m 0 842 l 595 842 l 595 0 l h W n"), "hidden"),
        (lambda page: painted(page, b"0 0 m 595 842 l 595 842.1 l 0 0.1 l h W n"), "hidden"),
        (lambda page: put(page, color=(1, 1, 1)), "hidden"),
        (lambda page: put(page, color=(0.97, 0.97, 0.95)), "hidden"),
        (lambda page: put(page, fontsize=1), "hidden"),
        (lambda page: put(page, render_mode=3), "hidden"),
        (lambda page: put(page, fill_opacity=0), "hidden"),
        (cover, "hidden"),
        (cover_words(), "hidden"),
        (cover_words(colour=0), "hidden"),
        (cover_words(instead="no part"), "hidden"),
        (dark_ground, "hidden"),
        (strike_between_words, "struck"),
        (picture, "hidden"),
        (strike, "struck"),
        (strike_with_a_box, "struck"),
        (strike_with_a_note, "struck"),
    ],
)
def test_what_is_hidden_or_struck_is_noted_and_found(tmp_path: Path, draw: Draw, kind: str) -> None:
    document = write(tmp_path / "a.pdf", draw, put, draw)  # the last one behind a page whose fonts were seen to draw
    for number in (1, 3):
        marked = struck_or_hidden(document, number)
        assert {span.kind for span in marked.spans} == {kind}
        assert all(marked.text[span.start : span.end] in SENTENCE for span in marked.spans)


def test_a_highlight_hides_nothing(tmp_path: Path) -> None:
    assert struck_or_hidden(write(tmp_path / "a.pdf", cover_words(blend="Multiply")), 1).spans == ()


def ruled(page: pymupdf.Page) -> None:
    page.draw_rect(page.rect, color=None, fill=(0.98, 0.98, 0.98), overlay=False)
    put(page)
    page.draw_line((72, 120), (500, 120))
    page.draw_line((72, 175.5), (500, 175.5))


def rule_between_words(page: pymupdf.Page) -> None:
    """Drawn between the two halves of a line, which stay one line."""
    half = SENTENCE.index("Loan")
    page.insert_text(WHERE, SENTENCE[:half], fontname="tiro")
    page.draw_line((72, 200), (500, 200))
    width = pymupdf.get_text_length(SENTENCE[:half], "tiro", 11)
    page.insert_text((WHERE[0] + width, WHERE[1]), SENTENCE[half:], fontname="tiro")


def in_a_rectangle(page: pymupdf.Page) -> None:
    painted(page, b"0 0 595 842 re W* n 1 0 0 1 0 0 cm 0 0 m 0 842 l 595 842 l 595 0 l h W n")


@pytest.mark.parametrize("draw", [put, ruled, rule_between_words, in_a_rectangle, lambda page: put(page, color=(0.3, 0.3, 0.3))])
def test_a_plain_page_is_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw: Draw) -> None:
    document = write(tmp_path / "a.pdf", draw, draw)
    monkeypatch.setattr(Worker, "ask", lambda *a, **k: pytest.fail("looked at again"))
    for number in (1, 2):
        assert struck_or_hidden(document, number).spans == ()
        assert SENTENCE in document.pages[number - 1].text and not document.pages[number - 1].may_read_otherwise


def raised(page: pymupdf.Page) -> None:
    page.insert_text((72, 500), "the Rate", fontname="tiro")
    page.insert_text((72 + pymupdf.get_text_length("the Rate", "tiro", 11), 496), "3", fontname="tiro", fontsize=6)


def test_a_page_that_is_set_like_others_before_it_has_the_lines_that_its_spans_give() -> None:
    pdf = pymupdf.open(DEAL)
    for page in pdf:  # the last one sets a raised figure in a size that pages before it have
        page.insert_text((72, 20), "Draft of 4 May – “1 & 2” <3>", fontname="tiro", fontsize=6)
    raised(pdf[-1])
    pdf = pymupdf.open("pdf", pdf.tobytes())
    notes, plain = PageNotes(pdf), 0
    for page in pdf:
        lines, text, *_ = notes.read(page)
        by_spans = page_content(page)
        assert text == "\n".join(by_spans.texts)
        assert [line["bbox"] for line in lines] == [pytest.approx(line["bbox"], abs=1e-2) for line in by_spans.lines]
        plain += "spans" not in lines[0]
    assert 2 * plain > len(pdf) and text.count("³") == 1


def test_columns_may_read_otherwise(tmp_path: Path) -> None:
    def columns(page: pymupdf.Page) -> None:
        for y in range(150, 280, 14):
            page.insert_text((72, y), "left words of a row")
            page.insert_text((330, y), "right words of it")

    assert write(tmp_path / "a.pdf", columns).pages[0].may_read_otherwise


def test_notes_are_kept_with_the_parsed_document(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", cover)
    first = open_document(tmp_path / "a.pdf", cache_dir=tmp_path / "cache")
    again = open_document(tmp_path / "a.pdf", cache_dir=tmp_path / "cache")
    assert first.pages[0].may_hold_marks and again.pages == first.pages


def note(page: pymupdf.Page, flags: int) -> None:
    page.add_text_annot((300, 300), SENTENCE).set_flags(flags)


def field(page: pymupdf.Page, display: int) -> None:
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "term", SENTENCE
    widget.rect, widget.field_display = pymupdf.Rect(72, 200, 500, 220), display
    page.add_widget(widget)


def layered(page: pymupdf.Page, **how: object) -> None:
    """In layers 0, which is on, and 1, which is off."""
    one, two = page.parent.add_ocg("signed", on=True), page.parent.add_ocg("draft", on=False)
    told = {"ocgs": [one, two], **how} if "policy" in how else {"ve": [how["ve"], one, two]}
    page.insert_text(WHERE, SENTENCE, fontname="tiro", oc=page.parent.set_ocmd(**told))


UNSEEN: dict[str, Draw] = {
    "off the page": lambda page: page.insert_text((900, 172), SENTENCE, fontname="tiro"),
    "below the page": lambda page: page.insert_text((72, 1500), SENTENCE, fontname="tiro"),
    "clipped away": lambda page: painted(page, b"0 0 1 1 re W n"),
    "cropped": lambda page: (put(page), page.set_cropbox((0, 0, 595, 120))),
    "a layer that is off": lambda page: page.insert_text((72, 172), SENTENCE, oc=page.parent.add_ocg("draft", on=False)),
    "all of two layers": lambda page: layered(page, policy="AllOn"),
    "none of two layers": lambda page: layered(page, policy="AllOff"),
    "both of two layers": lambda page: layered(page, ve="and"),
    "a hidden note": lambda page: note(page, pymupdf.PDF_ANNOT_IS_HIDDEN),
    "a note that is not viewed": lambda page: note(page, pymupdf.PDF_ANNOT_IS_NO_VIEW),
    "a hidden field": lambda page: field(page, 1),
}


def off_page(path: Path, text: str) -> Path:
    """A first page that is seen, and a second one whose text is in a layer that is off."""
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "1. Loan\n1.1 The Lender makes a loan available.\n1.2 The Borrower repays it.")
        pdf.new_page().insert_text((72, 72), text, oc=pdf.add_ocg("draft", on=False))
        pdf.save(path)
    return path


@pytest.mark.parametrize("page", [2, None])
@pytest.mark.parametrize("quote", ["The Margin is 2.35 per cent. per annum.", None])
def test_a_clause_in_a_layer_that_is_off_is_no_invented_place(tmp_path: Path, page: int | None, quote: str | None) -> None:
    document = open_document(off_page(tmp_path / "a.pdf", "2. Interest\n2.2 The Margin is 2.35 per cent. per annum."))
    found = check_citation(Claim("a.pdf", page, "Clause 2.2", quote), [document], CitationPolicy(70.0))
    assert found.outcome != "fabricated_location" and found.section == "unknown"
    assert quote is None or [code for code, _ in found.findings][:1] == ["HIDDEN_TEXT"]
    invented = check_citation(Claim("a.pdf", page, "Clause 7.9", quote and "The Fee is 9.99 per cent."), [document], CitationPolicy(70.0))
    assert invented.section == "not_in_document"


@pytest.mark.parametrize("draw", UNSEEN.values(), ids=UNSEEN)
def test_what_the_page_does_not_show_is_told_from_an_invention_and_supports_nothing(tmp_path: Path, draw: Draw) -> None:
    document = write(tmp_path / "a.pdf", draw)
    assert SENTENCE not in document.text
    for _ in range(2):  # a layer that was shown for the look is off again
        claim, policy = Claim("a.pdf", 1, "none", SENTENCE), CitationPolicy(70.0)
        found = check_citation(claim, [document], policy)
        assert found.outcome == "unsupported" and [code for code, _ in found.findings] == ["HIDDEN_TEXT"]


def test_a_layer_that_is_on_and_a_note_that_is_shown_are_text(tmp_path: Path) -> None:
    layer = write(tmp_path / "a.pdf", lambda page: page.insert_text((72, 172), SENTENCE, oc=page.parent.add_ocg("signed", on=True)))
    assert find_quote(layer, SENTENCE, page_hint=1, lower=70).verdict in FULL
    for how in ({"policy": "AnyOn"}, {"policy": "AnyOff"}, {"ve": "or"}):
        assert SENTENCE in write(tmp_path / "c.pdf", lambda page, how=how: layered(page, **how)).text
    noted = write(tmp_path / "b.pdf", lambda page: note(page, 0))
    match = find_quote(noted, SENTENCE, page_hint=1, lower=70)
    assert match.findings == (("SECOND_READING", "page 1: annotation"),)


def pictured(page: pymupdf.Page, box: tuple[float, float, float, float] = (72, 140, 540, 200)) -> None:
    with pymupdf.open() as other:
        sheet = other.new_page(width=468, height=60)
        sheet.insert_text((0, 32), SENTENCE, fontname="tiro")
        page.insert_image(box, pixmap=sheet.get_pixmap(dpi=150))


def outlined(page: pymupdf.Page) -> None:
    with pymupdf.open() as other:
        other.new_page().insert_text(WHERE, SENTENCE, fontname="tiro")
        svg = pymupdf.open("svg", other[0].get_svg_image(text_as_path=True).encode())
        page.show_pdf_page(page.rect, pymupdf.open("pdf", svg.convert_to_pdf()))


def boxed_table(page: pymupdf.Page) -> None:
    for row in range(10):
        for column in range(8):
            page.draw_rect((72 + 50 * column, 140 + 12 * row, 122 + 50 * column, 152 + 12 * row), color=(0, 0, 0), fill=(0.8, 0.8, 0.9))


def logo(page: pymupdf.Page) -> None:
    pictured(page, (500, 20, 548, 50))


@pytest.mark.parametrize(
    ("draws", "word"),
    [
        ([pictured], "unreadable"),
        ([put, outlined], "unreadable"),
        ([logo], "not_found"),
        ([pictured] * 3, "not_found"),
        ([boxed_table], "not_found"),
    ],
)
def test_what_a_picture_beside_text_may_say_is_not_called_invented(tmp_path: Path, draws: list[Draw], word: str) -> None:
    document = write(tmp_path / "a.pdf", *draws)
    invented = "Each Guarantor waives presentment, protest and any notice of dishonour."
    assert find_quote(document, invented, page_hint=len(draws), lower=60).verdict == word
    stands = "2. Interest on every overdue amount is payable on demand to the Agent."
    assert find_quote(document, stands, page_hint=1, lower=60).verdict == "exact"
    altered = find_quote(document, stands.replace("Interest", "Principal"), page_hint=1, lower=60)
    assert altered.verdict == "not_found" and altered.findings[0][0] == "ALTERED_QUOTE"
