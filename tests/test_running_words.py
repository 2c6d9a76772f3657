"""A page number or running line at the beginning or end of a quote is not taken for a word of the sentence beside it; within the quote, and
beside a sentence of its own, it is what a copy of the page has."""

from pathlib import Path

import pymupdf
import pytest

from deterministic.documents.documents import Document, open_document
from deterministic.quotes.find import find_quote

FULL = ("exact", "normalised")
FIRST = ("within two", "Business Days after receipt of the notice of demand the Borrower shall pay.")
SECOND = ("The Loan is repaid in not more than", "equal instalments, each on a Repayment Date.")
THIRD = ("The costs of each valuation are borne by the Parent, and", "shall pay them within ten days of an invoice.")
ENDED = ("The fee is not refundable.", "The Agent keeps a register of transfers at its office.")
COUNTED = ("The fee is not refundable.", "Lenders may ask for a copy of the register at any time.")


def clauses(page: int) -> str:
    return "\n".join(f"{page}.{n} Certificate {page * 7 + n * 31} goes to the Agent when the Finance Parties agree." for n in range(1, 6))


def pages(sentence: tuple[str, str], top: str = "", bottom: str = "") -> list[str]:
    """Nine pages, over the end of whose fourth the sentence runs; `top` and `bottom` with the page's number for #."""
    texts = {n: clauses(n) for n in range(1, 10)}
    texts[4], texts[5] = f"{texts[4]}\n{sentence[0]}", f"{sentence[1]}\n{texts[5]}"
    return ["\n".join(line for line in (top.replace("#", str(n)), text, bottom.replace("#", str(n))) if line) for n, text in texts.items()]


def verdict(texts: list[str], quote: str) -> str:
    document = Document.from_pages("agreement.pdf", texts)
    found = {find_quote(document, quote, page_hint=page, lower=70).verdict for page in (4, 5, None)}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("texts", "quote"),
    [
        (pages(FIRST, top="#"), "5 Business Days after receipt of the notice of demand the Borrower shall pay."),
        (pages(FIRST, top="Page #"), "5 Business Days after receipt of the notice of demand the Borrower shall pay."),
        (pages(SECOND, bottom="#"), "The Loan is repaid in not more than 4"),
        (pages(SECOND, top="– # –"), "5 equal instalments, each on a Repayment Date."),
        (pages(THIRD, top="Quarry Lane Limited\n#", bottom="Agent"), "5 shall pay them within ten days of an invoice."),
        (pages(THIRD, top="#\nQuarry Lane Limited"), "Quarry Lane Limited shall pay them within ten days of an invoice."),
        (pages(THIRD, bottom="Agent"), "The costs of each valuation are borne by the Parent, and Agent"),
        (pages(COUNTED, top="#"), "5 Lenders may ask for a copy of the register at any time."),
    ],
)
def test_a_running_line_that_may_be_a_word_of_the_sentence_is_a_question(texts: list[str], quote: str) -> None:
    assert verdict(texts, quote) == "open"


@pytest.mark.parametrize(
    ("texts", "quote"),
    [
        (pages(FIRST, top="#"), "within two Business Days after receipt of the notice of demand"),
        (pages(FIRST, top="#"), "within two 5 Business Days after receipt of the notice of demand"),
        (pages(FIRST, top="#"), "Business Days after receipt of the notice of demand the Borrower shall pay."),
        (pages(SECOND, top="Quarry Lane Facility\n#"), "in not more than Quarry Lane Facility 5 equal instalments, each on"),
        (pages(SECOND, top="Quarry Lane Facility\n#"), "Quarry Lane Facility 5 equal instalments, each on a Repayment Date."),
        (pages(SECOND, bottom="#"), "The Loan is repaid in not more than"),
        (pages(THIRD, bottom="Agent"), "borne by the Parent, and Agent shall pay them within ten days of an invoice."),
        (pages(ENDED, top="#"), "5 The Agent keeps a register of transfers at its office."),
        (pages(ENDED, bottom="Quarry Lane Facility #"), "The fee is not refundable. Quarry Lane Facility 4"),
    ],
)
def test_running_lines_in_a_copy_of_the_page_keep_full_marks(texts: list[str], quote: str) -> None:
    assert verdict(texts, quote) in FULL


def test_the_number_of_a_clause_at_the_head_of_a_page_is_text() -> None:
    texts = pages(("The fee is not refundable.", "23.\nBusiness Days are counted in London."), top="#")
    assert verdict(texts, "23. Business Days are counted in London.") == "exact"


def test_a_second_reader_does_not_make_the_number_a_word(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for text in pages(FIRST, top="#"):
        for row, line in enumerate(text.split("\n")):
            pdf.new_page() if row == 0 else None
            pdf[-1].insert_text((60, 60 + 20 * row), line, fontsize=9)
    pdf.save(tmp_path / "agreement.pdf")
    document = open_document(tmp_path / "agreement.pdf")
    for quote, expected in (
        ("5 Business Days after receipt of the notice", "open"),
        ("Business Days after receipt of the notice", "exact"),
    ):
        assert find_quote(document, quote, page_hint=5, lower=70).verdict == expected
