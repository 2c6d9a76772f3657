"""An agreement and its copy in one file, or a sheet scanned twice: what is right once is right at either place (design/places.md)."""

import pytest

from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents.documents import Document
from tests.tables import table, text

FIRST = text("copied_pages", "first")
SECOND = text("copied_pages", "second")
THIRD = """4. PAYMENTS AND LAW
4.1 Failure to pay on the due date is an Event of Default.
4.2 This Agreement is governed by Singapore law.
SCHEDULE 1
Conditions precedent
1. A copy of the constitutional documents of the Borrower."""
PAGES = [FIRST, SECOND, THIRD]
PLACES = table("copied_pages", "places")
FILES = {
    "copy": ([*PAGES, *PAGES], [0, 3]),
    "stamped copy": ([*PAGES, *(f"CERTIFIED COPY\n{page}" for page in PAGES)], [0, 3]),
    "three times": (PAGES * 3, [0, 3, 6]),
    "copy of two pages": ([FIRST, SECOND, FIRST, SECOND], [0, 2]),
    "page numbers": ([f"{page}\n{n % 3 + 1}" for n, page in enumerate(PAGES * 2)], [0, 3]),
}


def check(pages: list[str], page: int, section: str, quote: str) -> CitationCheck:
    document = Document.from_pages("agreement.pdf", pages)
    return check_citation(Claim("agreement.pdf", page, section, quote), [document], CitationPolicy(70.0))


@pytest.mark.parametrize("file", FILES)
def test_a_place_is_right_at_each_copy(file: str) -> None:
    pages, offsets = FILES[file]
    for page, section, quote in PLACES:
        for offset in offsets:
            if offset + page <= len(pages) and quote in pages[offset + page - 1]:
                found = check(pages, offset + page, section, quote)
                assert (found.page, found.section) == ("right", "right"), (offset, section, found)


def test_a_sheet_scanned_twice_breaks_no_clause() -> None:
    for page, section, quote in PLACES:
        found = check([FIRST, SECOND, SECOND, THIRD], page + (page == 3), section, quote)
        assert (found.page, found.section) == ("right", "right"), section
    assert check([FIRST, SECOND, SECOND, THIRD], 3, "Clause 2.2", PLACES[2][2]).outcome == "exact"


def test_a_wrong_place_stays_wrong_beside_a_copy() -> None:
    found = check([*PAGES, *PAGES], 1, "Clause 1.2", "The Margin is 2.35 per cent. per annum.")
    assert (found.page, found.section) == ("wrong", "wrong")
