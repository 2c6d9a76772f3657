"""What a question shows of a document: the quote with what it stands under, what was left out said, definitions that it needs, parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.stems import content_words
from judge.capabilities.cases import Case, Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import shown_text, text_of
from judge.capabilities.extracts import ROOM, extract_at, flowing
from judge.capabilities.passages import LIST_ROOM, reading
from judge.capabilities.provenance import check_claim
from judge.capabilities.qa.citing import nearest_part
from judge.llm.prompt import Form, render
from judge.records import Question
from rubrics import load_contract
from rubrics.rubric import SHIPPED, shipped_rubric

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
    text = extract_at(DOCUMENT, [place("the Vessel is in class")]).text
    assert "The Lenders will only fund a Loan if on its date:" in text and "(a) no Default is continuing" in text


def test_a_long_provision_is_cut_around_the_quote_and_says_what_is_left_out() -> None:
    text = extract_at(DOCUMENT, [place("may resign on 45 days’ notice")]).text
    assert "may resign on 45 days’ notice" in text and "3.1 Copies" in text
    assert text.count("characters left out") == 2 and len(text) < 2 * ROOM


def test_places_of_one_provision_are_shown_once() -> None:
    places = [place("no Default is continuing"), place("the Vessel is in class")]
    assert extract_at(DOCUMENT, places).text.count("The Lenders will only fund") == 1
    assert extract_at(DOCUMENT, [*places, place("at the Hire Rate")]).text.count("2.1 Further conditions") == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(DOCUMENT.text) - 60), st.integers(5, 50), st.integers(200, 3000))
def test_the_quoted_words_are_always_among_those_shown(start: int, length: int, room: int) -> None:
    words = DOCUMENT.text[start : start + length].split()
    text = " ".join(extract_at(DOCUMENT, [(start, start + length)], room).text.split())
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
    assert nearest_part(answer, hire, [hire, hire]) == "hire is paid by the Owner."  # cited twice in the same words


def test_informative_words_are_those_that_forms_of_a_word_share() -> None:
    assert content_words("completion of due diligence") <= content_words("shall have completed its due diligence")
    assert not content_words("fees of 5%") <= content_words("a fee of 6%")


DEAL = [
    "1. DEFINITIONS\n1.1 Definitions\nIn this Agreement:\n“Closing Date” means the day on which the Conditions are met.\n"
    "“Conditions” means those of Schedule 2.\n“Margin” means 2.15 per cent. per annum.\n“Prepayment Premium” is defined in Clause 3.1.\n",
    f"2. MARGIN\n2.1 Rate\nThe Margin applies from the Closing Date. {'The Closing Date is told to the Agent. ' * 45}\n",
    "3. PREPAYMENT\n3.1 Premium\nThe Borrower pays three per cent. of what it prepays (the “Prepayment Premium”).\n"
    f"4. CONDUCT\n4.1 List\nThe Borrower shall not:\n(a) {'sell an asset, ' * 60}or lease one;\n"
    f"(b) {'charter a ship, ' * 60}or lay one up; or\n"
    "(c) change its business.\nSchedule 2\nConditions\n1. Certificate of class.\n2. Bill of sale.\n",
]


def told(quote: str, about: str = "", **more: object) -> str:
    """What a question about a quote of this deal shows."""
    documents = {"deal.pdf": Document.from_pages("deal.pdf", DEAL)}
    case = Case(case_id="c", capability="document_qa", documents=("deal.pdf",), output=None)
    context = Context(case, documents, load_contract())
    return reading(context, [check_claim(context, Citation(document="deal.pdf", quote=quote))], about, **more)


def test_a_term_that_is_used_often_is_defined_too_and_leads_on_once() -> None:
    text = told("The Margin applies from the Closing Date", "the margin from the closing date")
    assert "“Margin” means 2.15" in text and "“Closing Date” means the day" in text and "“Conditions” means those of Schedule 2" in text
    assert text.index("Closing Date” means") < text.index("Conditions” means")


def test_a_term_that_is_defined_elsewhere_comes_with_what_defines_it() -> None:
    assert "three per cent. of what it prepays" in told("The Margin applies", "a Prepayment Premium is due")


def test_nothing_is_shown_twice() -> None:
    text = told(
        "The Borrower pays three per cent. of what it prepays", "the Prepayment Premium of Clause 3.1", sections=[("Clause 3.1", None)]
    )
    assert text.count("three per cent. of what it prepays") == 1


def test_a_required_section_is_shown_by_its_own_text_and_one_of_definitions_by_the_terms() -> None:
    text = told("The Margin applies", "the Borrower may not change its business", sections=[("Clause 4.1", None), ("Clause 1.1", None)])
    assert "(c) change its business" in text and "sell an asset, sell an asset" not in text
    assert "“Prepayment Premium” is defined" not in text


def test_a_schedule_that_a_quote_points_to_is_shown() -> None:
    assert "1. Certificate of class." in told("“Conditions” means those of Schedule 2")


def test_cuts_break_neither_words_nor_items() -> None:
    document = Document.from_pages("deal.pdf", DEAL)
    for room in range(300, 1500, 100):
        place = document.text.index("lay one up")
        for line in extract_at(document, [(place, place + 10)], room).text.split("\n"):
            assert set(line.removeprefix("[...]").replace("[...", "").replace("characters left out ...]", "").split()) <= {
                *document.text.split(),
                *map(str, range(5000)),
            }


def test_where_no_citation_leads_anywhere_the_likeliest_places_are_shown() -> None:
    text = told("No such words stand anywhere", "may the Borrower change its business?")
    assert text.startswith("Found by its words:") and "(c) change its business" in text


ITEMS = "".join(
    f"({chr(97 + n)}) Paper {n}. The Agent shall have received the paper of kind {n} {'in a form that it can read ' * 20}with its seal;\n"
    for n in range(24)
)
LONG = [
    "12 March 2027\nDear Sirs\nThis letter is an offer.\n1. DEFINITIONS\n1.1 Definitions\nIn this Agreement:\n"
    f"“Base Rate” means the higher of (a) the rate that the Bank names on the day {'before the day ' * 30}of the loan; provided that it "
    "takes the day before where it names none, and (b) the Floor.\n“Floor”: 1.25% a year.\n",
    "2. FEES\n2.1 Exit fee\nThe Borrower pays a fee of 4.15% of what it "
    f"prepays; {'the Agent tells each Lender of it, ' * 60}and sends it on; "
    "provided that no fee falls due on the first EUR 20,500,000 of a year. Nothing else is due.\n"
    "2.2 Term\nThe Loan ends three years from the date of this letter.\n2.3 Instalments\nThe Loan is repaid as Schedule 9 says.\n",
    f"3. CONDITIONS\n3.1 First loan\nThe Agent shall have received:\n{ITEMS}3.2 Each loan\nOn each date:\n(a) no Default is continuing.\n",
    "SCHEDULE 9 REPAYMENT Note: for a loan drawn in full\n1 EUR 94,000\n2 EUR 96,000\n",
]


def read(quote: str, about: str, **more: object) -> str:
    """What a question about a quote of the long deal shows."""
    case = Case(case_id="c", capability="loan_onboarding", documents=("long.pdf",), output=None)
    context = Context(case, {"long.pdf": Document.from_pages("long.pdf", LONG)}, load_contract())
    return reading(context, [check_claim(context, Citation(document="long.pdf", quote=quote))], about, **more)


def test_of_a_list_that_is_too_long_the_items_nearest_to_it_are_shown_whole() -> None:
    text = read("no Default is continuing", "no Default; paper of kind 3; paper of kind 21", room=LIST_ROOM)
    assert len(text) < LIST_ROOM + 1500 and "characters left out ...]" in text
    for kind in (3, 21):
        start = text.index(f"Paper {kind}.")
        assert "with its seal;" in text[start : start + 700]


def test_a_list_is_shown_with_the_whole_provision_that_the_citation_points_to() -> None:
    few = LONG[2].replace(ITEMS, "".join(ITEMS.splitlines(keepends=True)[:12]))
    case = Case(case_id="c", capability="loan_onboarding", documents=("few.pdf",), output=None)
    context = Context(case, {"few.pdf": Document.from_pages("few.pdf", [few])}, load_contract())
    check = check_claim(context, Citation(document="few.pdf", quote="The Agent shall have received the paper of kind 11"))
    text = reading(context, [check], "paper of kind 11", room=LIST_ROOM)
    assert all(f"Paper {n}." in text for n in range(12)) and "left out" not in text


def test_the_proviso_of_a_cut_provision_that_holds_a_figure_of_the_claim_is_shown() -> None:
    quote = "The Borrower pays a fee of 4.15% of what it prepays"
    assert "no fee falls due on the first EUR 20,500,000 of a year" in read(quote, "4.15%, but none on the first EUR 20.5 million")
    assert "no fee falls due" not in read(quote, "4.15% of what is prepaid")


def test_the_limb_of_a_long_definition_that_the_claim_speaks_of_is_shown_and_its_term_defined() -> None:
    text = read("The Loan ends three years", "Base Rate (1.25% floor)")
    assert "and (b) the Floor." in text and "“Floor”: 1.25% a year." in text


def test_the_date_of_a_document_is_shown_where_the_claim_is_a_day() -> None:
    quote = "three years from the date of this letter"
    assert "12 March 2027" in read(quote, "Maturity date: 2030-03-12") and "12 March 2027" not in read(quote, "three years")


def test_a_schedule_that_the_index_lacks_is_found_by_its_line() -> None:
    assert "2 EUR 96,000" in read("The Loan is repaid as Schedule 9 says", "two instalments")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a bill of sale", "an opinion of counsel", "the deed of the ship"]), min_size=1, max_size=400))
def test_a_long_list_is_cut_behind_an_item_and_says_so(items: list[str]) -> None:
    whole = "; ".join(items)
    assert text_of(tuple(items)) == whole
    text = shown_text(tuple(items)) or ""
    assert text == whole or (text.endswith("; [...]") and set(text.removesuffix("; [...]").split("; ")) <= set(items))


@pytest.mark.parametrize(
    ("rubric_id", "name"),
    [(rubric, name) for rubric in SHIPPED for name in shipped_rubric(rubric).variables if name in ("gold", "reported", "claim", "answer")],
)
def test_gold_and_claim_are_sent_whole_and_never_cut_in_a_word(rubric_id: str, name: str) -> None:
    rubric = shipped_rubric(rubric_id)
    variable, items = rubric.variables[name], [f"condition number {n}" for n in range(2000)]
    whole, long = "; ".join(items[: variable.limit // 30]), "; ".join(items)
    for text in (whole, long):
        prompt = render(Form.of(rubric), Question.of(rubric_id, **{one: text if one == name else "x" for one in rubric.variables}))
        if text in prompt.user:
            assert name not in prompt.too_long
        elif variable.keep:  # a whole case: cut behind a word, and said
            shown = prompt.user[prompt.user.index("condition number") :].split("\n[... ")
            assert "characters left out ...]" in shown[1] and f"{shown[0].strip()} ".replace("; ", " ; ") in f"{long} ".replace("; ", " ; ")
        else:
            assert name in prompt.too_long  # then it is not sent
        assert text in prompt.user or text is long


def test_places_that_are_found_by_words_end_with_a_word() -> None:
    text = read("Zebras quartz vexed jumbling", "the Agent tells each Lender of it and sends it on")
    assert text.startswith("Found by its words:")
    lines = [line for line in text.split("\n") if line and not line.startswith(("Found", "[...", "---"))]
    assert {word for line in lines for word in line.split()} <= {*" ".join(LONG).split(), "[...]"}


def test_a_term_that_is_defined_where_it_stands_is_shown_with_what_stands_before_it() -> None:
    excess = "If the Loans are above the limit, " + "the Owner pays the sums that the Agent asks for " * 25 + "until there is no excess"
    document = Document.from_pages(
        "excess.pdf", [f"1. LOANS\n1.1 Excess\n{excess} (such excess, an\n“Overadvance”).\n1.2 Hire\nHire is due.\n"]
    )
    citation = Citation(document="excess.pdf", page=1, quote="Hire is due.")
    case = Case(case_id="c", capability="document_qa", documents=("excess.pdf",), output=None)
    context = Context(case, {"excess.pdf": document}, load_contract())
    text = reading(context, [check_claim(context, citation)], "hire, and prepayment of overadvances")
    assert text.split("Definitions:\n")[1].startswith("[...] ") and text.endswith(
        "until there is no excess (such excess, an “Overadvance”)"
    )
