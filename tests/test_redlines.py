"""The final wording of a redlined copy, over page ends and in quotes with an ellipsis: struck-out words fall away, living ones never."""

from collections.abc import Sequence

import pymupdf
import pytest

from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents.documents import Document, open_document
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import QuoteMatch
from tests.tables import table

Piece = tuple[str, bool]
"""Words and whether they are struck out."""

_FIRST: Sequence[Sequence[Piece]] = tuple(table("redlines", "_first", tuples=True))
_SECOND: Sequence[Sequence[Piece]] = tuple(table("redlines", "_second", tuples=True))


@pytest.fixture(scope="module")
def redline(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """Two pages between a cover and a last page, printed 7 and 8, with a struck title over each."""
    path = tmp_path_factory.mktemp("redline") / "redline.pdf"
    pdf = pymupdf.open()
    pages: Sequence[Sequence[Sequence[Piece]]] = (((("Cover", False),),), _FIRST, _SECOND, ((("Signed in Leith by the parties", False),),))
    for number, lines in enumerate(pages):
        page = pdf.new_page()
        _write(page, 60, (("Facility agreement ", False), ("draft of May", True)))
        for n, line in enumerate(lines):
            _write(page, 120 + 20 * n, line)
        _write(page, 780, ((str(6 + number), False),))
    pdf.save(path)
    return open_document(path)


def _write(page: pymupdf.Page, y: float, line: Sequence[Piece]) -> None:
    x = 72.0
    for words, is_struck in line:
        page.insert_text((x, y), words, fontsize=10)
        width = pymupdf.get_text_length(words.rstrip(), fontsize=10)
        if is_struck:
            page.draw_line((x, y - 3), (x + width, y - 3))
        x += pymupdf.get_text_length(words, fontsize=10)


FINAL = "The Borrower shall deliver its accounts to the Agent within 120 days after the end of each year."


def found(document: Document, quote: str, page: int | None = None) -> QuoteMatch:
    return find_quote(document, quote, page_hint=page, lower=70.0)


def cited(document: Document, page: int | str, section: str, quote: str) -> CitationCheck:
    return check_citation(Claim(document.name, page, section, quote), [document], CitationPolicy(70.0))


@pytest.mark.parametrize("page", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("quote", table("redlines", "final_wording_has_full_marks_over_a_page_end_quote"))
def test_final_wording_has_full_marks_over_a_page_end(redline: Document, quote: str, page: int | None) -> None:
    match = found(redline, quote, page)
    assert match.verdict == "normalised"
    assert match.occurrences[0].pages == (2, 3)
    assert not match.findings


@pytest.mark.parametrize("quote", table("redlines", "struck_wording_has_no_marks"))
def test_struck_wording_has_no_marks(redline: Document, quote: str) -> None:
    assert cited(redline, 2, "2.1", quote).outcome in ("not_found", "unsupported")


@pytest.mark.parametrize("page", [2, 3, 7, "8"])
def test_final_wording_is_right_by_either_page_number(redline: Document, page: int | str) -> None:
    assert cited(redline, page, "2.1", FINAL).outcome == "normalised"
    assert cited(redline, page, "3.1", FINAL).outcome == "wrong_page"


def test_a_struck_title_marks_no_word_of_the_text(redline: Document) -> None:
    assert cited(redline, 2, "1", "Fees 1.1 The Parent shall pay each fee").outcome in ("exact", "normalised")
    assert cited(redline, 4, "3.1", "Signed in Leith by the parties").outcome not in ("not_found", "unsupported")
