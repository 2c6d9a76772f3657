"""What a question shows of a document: the quote with what it stands under, what was left out said, definitions that it needs, parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.citations.passages import ROOM, flowing, passages_at
from deterministic.documents.documents import Document
from judge.capabilities.cases import Case, Citation
from judge.capabilities.context import Context
from judge.capabilities.passages import content_words, nearest_part, reading
from judge.capabilities.provenance import check_claim
from rubrics import load_contract

FILLER = "The Agent keeps a copy of each notice and sends it on. " * 80
PAGES = [
    "1. DEFINITIONS\n1.1 Definitions\nIn this Agreement:\n“Hire Rate” means 0.37 per cent. per month.\n“Vessel” means the ship Ostara.\n",
    "2. CONDITIONS\n2.1 Further conditions\nThe Lenders will only fund a Loan if on its date:\n(a) no Default is continuing; and\n"
    "(b) the Vessel is in class.\n2.2 Hire\nThe Owner pays hire at the Hire Rate.\n",
    f"3. NOTICES\n3.1 Copies\n{FILLER}\nThe Agent may resign on 45 days’ notice.\n{FILLER}\n",
]
DOCUMENT = Document.from_pages("ostara.pdf", PAGES)


def place(text: str) -> tuple[int, int]:
    """Where a text stands."""
    start = DOCUMENT.text.index(text)
    return start, start + len(text)


def shown(*quotes: str, about: str = "") -> str:
    """What a question about these quotes shows."""
    case = Case(case_id="c", capability="document_qa", documents=("ostara.pdf",), output=None)
    context = Context(case, {"ostara.pdf": DOCUMENT}, load_contract())
    checks = [check_claim(context, Citation(document="ostara.pdf", quote=quote)) for quote in quotes]
    return reading(context, checks, about)


def test_a_limb_comes_with_the_words_that_lead_in() -> None:
    text = passages_at(DOCUMENT, [place("the Vessel is in class")])
    assert "The Lenders will only fund a Loan if on its date:" in text and "(a) no Default is continuing" in text


def test_a_long_provision_is_cut_around_the_quote_and_says_what_is_left_out() -> None:
    text = passages_at(DOCUMENT, [place("may resign on 45 days’ notice")])
    assert "may resign on 45 days’ notice" in text and "3.1 Copies" in text
    assert text.count("characters left out") == 2 and len(text) < 2 * ROOM


def test_places_of_one_provision_are_shown_once() -> None:
    places = [place("no Default is continuing"), place("the Vessel is in class")]
    assert passages_at(DOCUMENT, places).count("The Lenders will only fund") == 1
    assert passages_at(DOCUMENT, [*places, place("at the Hire Rate")]).count("2.1 Further conditions") == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(DOCUMENT.text) - 60), st.integers(5, 50), st.integers(200, 3000))
def test_the_quoted_words_are_always_among_those_shown(start: int, length: int, room: int) -> None:
    words = DOCUMENT.text[start : start + length].split()
    text = " ".join(passages_at(DOCUMENT, [(start, start + length)], room).split())
    assert " ".join(words) in text


def test_definitions_of_terms_that_quote_or_claim_use_are_added() -> None:
    assert "“Hire Rate” means 0.37 per cent." in shown("The Owner pays hire at the Hire Rate")
    assert "“Vessel” means the ship Ostara" in shown("no Default is continuing", about="The Vessel is in class.")
    assert "Hire Rate" not in shown("The Agent may resign on 45 days’ notice")


def test_lines_of_a_page_are_joined_and_paragraphs_stay_apart() -> None:
    assert flowing("5.1\nThe Owner\nshall pay:\n(a)\nhire;\n(b) fees.") == "5.1 The Owner shall pay:\n(a) hire;\n(b) fees."


def test_a_quote_is_asked_about_for_the_statements_that_it_is_nearest_to() -> None:
    case = Case(case_id="c", capability="document_qa", documents=("ostara.pdf",), output=None)
    context = Context(case, {"ostara.pdf": DOCUMENT}, load_contract())
    quotes = ("The Agent may resign on 45 days’ notice", "The Owner pays hire at the Hire Rate")
    resign, hire = (check_claim(context, Citation(document="ostara.pdf", quote=quote)) for quote in quotes)
    answer = "The Agent can resign with 45 days' notice; hire is paid by the Owner."
    assert nearest_part(answer, resign, [resign, hire]) == "The Agent can resign with 45 days' notice"
    assert nearest_part(answer, hire, [resign, hire]) == "hire is paid by the Owner."
    assert nearest_part(answer, hire, [hire]) == "" == nearest_part("Yes. It does.", hire, [resign, hire])


def test_informative_words_are_those_that_forms_of_a_word_share() -> None:
    assert content_words("completion of due diligence") <= content_words("shall have completed its due diligence")
    assert not content_words("fees of 5%") <= content_words("a fee of 6%")
