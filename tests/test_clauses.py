"""The clause index: numbering styles, places, and what references mean in a document (design/places.md)."""

import gc
import weakref

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deterministic.clauses.index import ClauseIndex, build_index
from deterministic.documents.documents import Document
from tests.tables import table, text

LMA = text("clauses", "lma")

US = text("clauses", "us")


@pytest.fixture(scope="module")
def lma() -> ClauseIndex:
    return build_index(LMA)


@pytest.fixture(scope="module")
def us() -> ClauseIndex:
    return build_index(US)


def contains(index: ClauseIndex, text: str, reference: str, words: str) -> bool:
    start = text.index(words)
    return any(clause.start <= start and start + len(words) <= clause.end for clause in index.find(reference).clauses)


@pytest.mark.parametrize(("words", "number"), table("clauses", "the_innermost_clause_of_a_place"))
def test_the_innermost_clause_of_a_place(lma: ClauseIndex, words: str, number: str) -> None:
    start = LMA.rindex(words)
    if number == "contents":
        start = LMA.index(words)
    assert lma.at(start, start + len(words))[-1].number == number


@pytest.mark.parametrize(("reference", "words"), table("clauses", "a_reference_contains_its_text"))
def test_a_reference_contains_its_text(lma: ClauseIndex, reference: str, words: str) -> None:
    assert lma.find(reference).status == "found"
    assert contains(lma, LMA, reference, words)


@pytest.mark.parametrize(("reference", "words"), table("clauses", "another_clause_does_not_contain_it"))
def test_another_clause_does_not_contain_it(lma: ClauseIndex, reference: str, words: str) -> None:
    assert lma.find(reference).status == "found"
    assert not contains(lma, LMA, reference, words)


@pytest.mark.parametrize(("reference", "status"), table("clauses", "what_is_not_there"))
def test_what_is_not_there(lma: ClauseIndex, reference: str, status: str) -> None:
    assert lma.find(reference).status == status


def test_a_top_level_number_alone_is_coarse(lma: ClauseIndex, us: ClauseIndex) -> None:
    assert lma.find("Clause 3").is_coarse
    assert us.find("Article II").is_coarse
    assert not lma.find("Clause 3.1").is_coarse
    assert not us.find("Article III").is_coarse  # it is not divided into sections


@pytest.mark.parametrize(("reference", "words"), table("clauses", "american_numbering"))
def test_american_numbering(us: ClauseIndex, reference: str, words: str) -> None:
    assert contains(us, US, reference, words)


def test_a_wrapped_cross_reference_is_no_heading(us: ClauseIndex) -> None:
    start = US.index("and the other terms hereof")
    assert us.at(start, start + 5)[-1].number == "2.01"


def test_an_amendment_with_a_conformed_copy_has_two_numberings() -> None:
    amendment = "AMENDMENT dated 1 May 2031 between A and B.\n" + "".join(
        f"SECTION {n}. Heading {n}. Amending text {n}.\n" for n in range(1, 6)
    )
    text = amendment + "EXHIBIT A\nConformed Agreement\nTABLE OF CONTENTS\n1. One .... 1\n2. Two .... 2\n3. Three .... 3\n" + US
    index = build_index(text)
    amending, agreement = (index.find(reference).clauses[0] for reference in ("Section 3", "Section 2.03"))
    assert "Amending text 3" in text[amending.start : amending.end]
    assert "the amount" in text[agreement.start : agreement.end]
    assert amending.numbering != agreement.numbering
    assert "exhibit a" in [clause.number for clause in index.at(agreement.start, agreement.end)]


def test_a_contents_page_is_no_numbering_whatever_its_form() -> None:
    for leader in ("", " ........ 3", "\t3", "   3"):
        listed = "CONTENTS\n" + "".join(f"{n}. Heading {n}{leader}\n" for n in range(1, 5))
        body = "PARTIES\nA and B\n" + "".join(f"{n}. Heading {n}\nText of clause {n}.\n" for n in range(1, 5))
        index = build_index(listed + body)
        clause = index.find("Clause 2").clauses
        assert len(clause) == 1 and "Text of clause 2" in (listed + body)[clause[0].start : clause[0].end], leader


def test_a_number_listed_in_the_contents_only_is_mentioned() -> None:
    text = "CONTENTS\n1. One\n2. Two\n3. Three\n31. Later\nPARTIES\n1. One\nText.\n2. Two\nText.\n3. Three\nText.\n"
    assert build_index(text).find("Clause 31").status == "mentioned"


def test_a_title_behind_a_paragraph_is_the_paragraphs_and_no_term_inside_which_it_counts() -> None:
    text = (
        "SECTION 1. Terms.\nText.\nSECTION 2. Amendments.\n(a) Section 1.1 is amended.\n(b) Section 1.2 is amended.\n"
        "(c) Section 1.1 is amended by replacing:\n“Margin” means:\n(a) a first rate;\n(b) a second rate;\n(c) a third rate.\n"
        "SECTION 3. Law.\nText.\n"
    )
    index, start = build_index(text), text.index("a first rate")
    assert any(clause.start < start < clause.end for clause in index.find("Section 2(c) – Margin").clauses)


def test_clauses_run_over_pages() -> None:
    document = Document.from_pages("a.pdf", ["1. One\n1.1 Title\nA sentence that runs", "over the page. \n1.2 Next\nText"])
    start = document.text.index("runs")
    end = document.text.index("over the page") + 8
    assert document.clauses.at(start, end)[-1].number == "1.1"
    assert document.pages_of(start, end) == (1, 2)


def test_no_numbering_in_a_letter() -> None:
    index = build_index("To: Alder Limited\nWe refer to our talk.\nThe fee is GBP 38,000 per annum.\n1")
    assert not index.has_numbering


def test_every_clause_is_found_by_its_own_number(lma: ClauseIndex, us: ClauseIndex) -> None:
    for index in (lma, us):
        for clause in index.clauses:
            assert clause in index.find(clause.number).clauses


HEADS = [
    "1.", "1.1 A", "2.01. B", "(a) x", "(i) y", "(A)", "ARTICLE II", "SCHEDULE 1", "Part I", "“X” means y", "CONTENTS", "1. A .... 3",
    "text.", "", "RECITALS", "SECTION 3. C", "(", "§ 4.4 D", "IN WITNESS WHEREOF", "PARTIES", "BACKGROUND", "FEES", "A.",
    "THIS AGREEMENT is made between A Inc. and B Ltd.", "Borrower: Acme", "NOW, THEREFORE, they agree:",
]  # fmt: skip


@given(st.lists(st.sampled_from(HEADS) | st.text(max_size=12), max_size=40), st.text(max_size=15))
@example(["WITNESSETH:", "Borrower: Acme", "CREDIT AGREEMENT", "Borrower: Acme"], "")  # headings near the opening were its own second one
@settings(max_examples=150, deadline=None)
def test_any_text_has_an_index(lines: list[str], reference: str) -> None:
    text = "\n".join(lines)
    index = build_index(text)
    assert all(0 <= clause.start <= clause.end <= len(text) and clause.number for clause in index.clauses)
    assert index.find(reference).status in ("found", "imprecise", "mentioned", "not_in_document", "empty")
    assert build_index(text).clauses == index.clauses


STYLES = text("clauses", "styles")


@pytest.mark.parametrize(("reference", "words"), table("clauses", "more_styles"))
def test_more_styles(reference: str, words: str) -> None:
    index = build_index(STYLES)
    assert index.find(reference).status == "found" and contains(index, STYLES, reference, words)


@pytest.mark.parametrize(("reference", "words"), table("clauses", "more_styles_tell_apart"))
def test_more_styles_tell_apart(reference: str, words: str) -> None:
    assert not contains(build_index(STYLES), STYLES, reference, words)


def test_a_lettered_number_that_is_not_there() -> None:
    index = build_index(STYLES)
    assert index.find("Clause 39B").status == index.find("Clause 38.9").status == "not_in_document"
    assert index.find("Clause 12B").status == "mentioned"  # 38 follows 12A
    assert index.find("Clause 12A.1(f)").status == "imprecise"


def test_sections_counted_through_all_articles() -> None:
    text = (
        "ARTICLE I\nTERMS\nSection 1. One. Text one.\nSection 2. Two. Text two.\nARTICLE II\nCREDITS\nSection 3. Three. Text three.\n"
        "Section 4. Four. Text four.\nARTICLE III\nGENERAL\nSection 5. Five. Text five.\n"
    )
    index = build_index(text)
    for reference, words in (
        ("Article III", "Text five"),
        ("Article II", "Text four"),
        ("Section 3", "Text three"),
        ("Section 5", "Text five"),
    ):
        assert contains(index, text, reference, words)
    assert not contains(index, text, "Article III", "Text three")


def test_provisions_that_an_amendment_puts_in() -> None:
    text = (
        "1. Definitions\n1.1 Terms have the same meaning.\n2. Amendments\n2.1 The Agreement is amended as follows:\n"
        "(a) the definition of “Margin” is replaced with:\n““Margin” means 3.05 per cent.”;\n"
        "(b) a new Clause 22.15 is inserted:\n“22.15 Sustainability\n(a) The Company shall report.\n(b) The Agent shall reply.”\n"
        "(c) Clause 9 is deleted.\n3. Law\n3.1 English law.\n"
    )
    index = build_index(text)
    for reference, words in (("2.1(b)", "shall reply"), ("Clause 22.15(b)", "shall reply"), ("2.1(a)", "3.05"), ("2.1(c)", "is deleted")):
        assert contains(index, text, reference, words), reference
    for reference, words in (("2.1(a)", "shall reply"), ("22.15(a)", "shall reply"), ("2.1(b)", "is deleted"), ("2.1(a)", "is deleted")):
        assert not contains(index, text, reference, words), reference


@pytest.mark.parametrize("level", ["3.75 to 1.00", "3.75:1.00", "1.15 to 1"])
def test_the_last_level_of_a_table_is_no_section_of_the_limb_below(level: str) -> None:
    text = f"7.1 Covenants\nIt shall ensure that:\n(a) leverage is at most:\n2030 4.25 to 1.00\n2031 {level}\n(b) cover is at least two.\n"
    assert contains(build_index(text), text, "7.1(b)", "cover is at least")
    assert not contains(build_index(text), text, "7.1(a)", "cover is at least")


def test_a_schedule_without_a_number_and_one_at_the_front() -> None:
    text = (
        "LOAN DEED\nSCHEDULE 1\nKEY TERMS\n1. Borrower: Alder\n2. Loan: GBP 1\n3. Rate: 7 %\nTERMS\n"
        "1. LOAN\n1.1 The Lender shall advance.\n"
        "1.2 The Borrower shall repay.\n2. LAW\n2.1 English law.\nSCHEDULE\nPart 1 – Conditions\n"
        "1.1 A resolution.\nPart 2 – Form\nWe request a loan.\n"
    )
    index = build_index(text)
    for reference, words in (("1.2", "shall repay"), ("Part 2 of the Schedule", "We request"), ("the Schedule, Part 1", "A resolution")):
        assert contains(index, text, reference, words), reference
    assert not contains(index, text, "Part 1 of the Schedule", "We request")


def test_numbers_with_wide_gaps_of_an_abridged_agreement() -> None:
    text = (
        "1 DEFINITIONS\n1.1 Terms\nTerms.\n22 DEFAULT\n22.1 Non-payment\nIt does not pay.\n"
        "22.16 Adverse change\nAny event occurs.\n40 LAW\nEnglish law.\n"
    )
    index = build_index(text)
    assert contains(index, text, "22.16", "Any event occurs") and contains(index, text, "Clause 40", "English law")
    assert not contains(index, text, "22.1", "Any event occurs")


LETTER = (
    "FACILITY LETTER\n1. DEFINITIONS\n1.1 Margin means 2.00 per cent.\n2. THE FACILITY\n2.1 The Lender makes available £5,000,000.\n"
    "3. REPAYMENT\n3.1 The Borrower shall repay on 1 May 2030.\n"
)
CONDITIONS = "SCHEDULE 1\nCONDITIONS PRECEDENT\n1. Board resolutions of the Borrower.\n2. A legal opinion.\n"
EXECUTION = "4. GOVERNING LAW\n4.1 This letter is governed by English law.\n5. ENFORCEMENT\n5.1 The courts of England have jurisdiction.\n"


def test_clauses_behind_the_last_schedule_go_on_with_the_bodys_numbers():
    index = Document.from_pages("a.pdf", [LETTER, CONDITIONS, EXECUTION]).clauses
    assert [index.find(r).status for r in ("Clause 4", "Clause 4.1", "Clause 5.1", "Clause 7")] == ["found"] * 3 + ["not_in_document"]
    assert index.find("Schedule 1").clauses[0].end <= index.find("Clause 4").clauses[0].start


def test_a_schedules_own_items_are_no_clauses_of_the_body():
    longer = CONDITIONS + "3. Evidence of fees.\n4. Know your customer documents.\n"
    index = Document.from_pages("a.pdf", [LETTER, longer]).clauses
    assert index.find("Clause 4").status == "not_in_document"
    assert index.find("paragraph 4 of Schedule 1").status == "found"


def events(first: str, last: str) -> list[str]:
    return [f"({chr(c)}) Event {chr(c)}; or" for c in range(ord(first), ord(last) + 1)]


def default_clause(lines: list[str]) -> tuple[Document, list[str]]:
    """An agreement with the lines as the text of Section 6.01, and the paragraphs found there."""
    text = "\n".join(["ARTICLE VI", "DEFAULT", "SECTION 6.01. Events of Default. If any of these occurs:", *lines])
    document = Document.from_pages("a.pdf", [text + "\nSECTION 6.02. Remedies. The Lender may act.\n"])
    return document, [c.number.removeprefix("6.01") for c in document.clauses.clauses if c.number.startswith("6.01(")]


def letters(first: str, last: str) -> list[str]:
    return [f"({chr(c)})" for c in range(ord(first), ord(last) + 1)]


INNER_OF_H = table("clauses", "inner_of_h")


@pytest.mark.parametrize(("lines", "inner"), INNER_OF_H)
def test_the_letter_i_goes_on_after_any_list_inside_h(lines: list[str], inner: list[str]) -> None:
    document, found = default_clause([*events("a", "g"), *lines, *events("i", "k")])
    assert found == [*letters("a", "h"), *inner, *letters("i", "k")]
    at = document.text.index("Event i")
    assert document.clauses.at(at, at + 7)[-1].number == "6.01(i)"
    assert all(document.clauses.find(f"Section 6.01({letter})").status == "found" for letter in "hijk")


def test_a_letter_written_in_the_line_is_found_inside_its_own_letter() -> None:
    document, _ = default_clause([*events("a", "g"), *INNER_OF_H[0][0], *events("i", "k")])
    for reference, words in (("Section 6.01(h)(a)", "X denies"), ("Section 6.01(h)(b)", "Y purports"), ("Section 6.01(h)(c)", "Z;")):
        assert contains(document.clauses, document.text, reference, words), reference
    assert not contains(document.clauses, document.text, "Section 6.01(a)", "X denies")
    assert not contains(document.clauses, document.text, "Section 6.01(h)", "Event i")


@pytest.mark.parametrize(("lines", "found"), table("clauses", "the_sibling_before_says_what_a_marker_is"))
def test_the_sibling_before_says_what_a_marker_is(lines: list[str], found: list[str]) -> None:
    assert default_clause(lines)[1] == found


@pytest.mark.parametrize(("lines", "both"), table("clauses", "an_i_behind_a_gap_is_a_letter_or_a_numeral"))
def test_an_i_behind_a_gap_is_a_letter_or_a_numeral(lines: list[str], both: list[str]) -> None:
    document, _ = default_clause(lines)
    at = document.text.index("A judgment")
    named = [c.number.removeprefix("6.01") for c in document.clauses.at(at, at + 10) if c.number.casefold().endswith("(i)")]
    assert sorted(named) == sorted(both)


def test_the_letters_behind_an_i_behind_a_gap_keep_their_own_text() -> None:
    document, _ = default_clause(
        [*events("a", "f"), "(i) A judgment is given;", "(l) (i) Family control ends, or", "(ii) the Parent sells."]
    )
    assert contains(document.clauses, document.text, "Section 6.01(l)", "Family control")
    assert contains(document.clauses, document.text, "Section 6.01(l)(i)", "Family control")
    assert not contains(document.clauses, document.text, "Section 6.01(l)", "A judgment")


BODY = (
    "CREDIT AGREEMENT\nTHIS CREDIT AGREEMENT, dated as of May 1, 2030, is entered into between Alder Inc. and Birch Bank.\n"
    "ARTICLE I\nDEFINITIONS\nSECTION 1.01. Terms. Text of terms.\nSECTION 1.02. Accounting Principles. Text of accounts.\n"
    "ARTICLE II\nLOANS\nSECTION 2.01. The Loans; Notes. Text of loans.\nSECTION 2.02. Binding Effect; Assignment. Text of binding.\n"
)
ATTACHED = "EXHIBIT A\nForm of Note\nFor value received.\nSCHEDULE 1\nSubsidiaries\nAlder Sub One LLC.\nSCHEDULE 2\nDebt\nNone.\n"
ENTRIES = (
    "TABLE OF CONTENTS\nPage\nARTICLE I DEFINITIONS 1\nSECTION 1.01. Terms 1\nSECTION 1.02. Accounting Principles 2\n"
    "ARTICLE II LOANS 3\nSECTION 2.01. The Loans; Notes 3\nSECTION 2.02. "
)
LAST_ENTRIES = "EXHIBITS\nExhibit A – Form of Note\nSCHEDULES\nSchedule 1 – Subsidiaries\nSchedule 2 – Debt\nii\n"


@pytest.mark.parametrize("attached", [ATTACHED, ""])
@pytest.mark.parametrize(
    "front",
    [
        ENTRIES + "Binding Effect; Assignment 4\n" + LAST_ENTRIES,
        ENTRIES + "Binding\nEffect;\nAssignment 4\n" + LAST_ENTRIES,
        ENTRIES + "Binding Effect;\nAssignment 4\n" + LAST_ENTRIES,
        ENTRIES + "Binding Effect; Assignment 4\nSchedule 2 – Debt\nii\n",
        ENTRIES + "Binding Effect; Assignment 4\nThe exhibits and schedules are part of this agreement.\n" + LAST_ENTRIES,
        ENTRIES + "Binding Effect; Assignment 4\n" + "The attachments named below are a part of it\n" * 15 + LAST_ENTRIES,
        LAST_ENTRIES,
        "Alder Inc.\nLIST OF ATTACHMENTS\nExhibit A – Form of Note\nSchedule 1 – Subsidiaries\n",
    ],
)
def test_the_last_entry_of_a_contents_page_never_owns_the_body(front: str, attached: str) -> None:
    for pages in ([front, BODY, attached], [front + BODY + attached]):
        document = Document.from_pages("a.pdf", [page for page in pages if page])
        at = document.text.index("Text of accounts")
        assert [clause.number for clause in document.clauses.at(at, at + 16)] == ["article i", "1.02"]
        found = [clause.start for clause in document.clauses.clauses if clause.number.startswith(("exhibit", "schedule"))]
        assert len(found) == (3 if attached else 0) and all(start > at for start in found)


def test_short_attachments_line_after_line_at_the_end_are_no_list() -> None:
    omitted = "EXHIBIT A\n[Omitted]\nEXHIBIT B\n[Omitted]\nEXHIBIT C\nForm of Note\nFor value received.\n"
    index = Document.from_pages("a.pdf", [BODY, omitted]).clauses
    assert [index.find(f"Exhibit {label}").status for label in "ABC"] == ["found"] * 3


def test_attachments_behind_a_line_that_says_schedules() -> None:
    index = Document.from_pages("a.pdf", [BODY, "SCHEDULES\nSchedule 1\nSubsidiaries\nAlder Sub One LLC.\n"]).clauses
    assert index.find("Schedule 1").status == "found"


def test_two_forms_in_one_exhibit_are_items_of_the_exhibit() -> None:
    form = "".join(f"{n}. HEADING {n}. Text {n} of the form.\n" for n in range(1, 15))
    document = Document.from_pages("a.pdf", [BODY, "EXHIBIT C\nSECURITY FORMS\n" + form + form])
    at = document.text.index("Text 2 of the form")
    assert document.clauses.at(at, at + 6)[-1].number == "exhibit c paragraph 2"
    assert document.clauses.find("Section 9").status == "not_in_document"


def test_a_clause_that_a_rider_inserts_is_never_called_missing() -> None:
    text = "1. Loan\n1.1 The loan is made.\n1.2 It is repaid.\n2. Law\n2.1 English law.\nRIDER\nInsert after Clause 1.2:\n1.2A Longer."
    assert build_index(text).find("Clause 1.2A").status == "mentioned"


def test_a_clause_that_begins_inside_a_line_is_never_called_missing() -> None:
    index = build_index("1. Loan\n1.1 It is made.\n1.2 It is repaid. 1.3 Fees. They are 1.4 a day.\n2. Law\n2.1 English law.\n")
    assert [index.find(f"Clause {n}").status for n in ("1.3", "1.4")] == ["mentioned", "not_in_document"]


LIMBS = text("clauses", "limbs")


@pytest.mark.parametrize(("paragraph", "status"), table("clauses", "limbs_behind_words_in_brackets"))
def test_limbs_behind_words_in_brackets(paragraph: str, status: str) -> None:
    index = build_index(LIMBS)
    found = index.find(f"Clause 12.1{paragraph}")
    assert found.status == status
    if paragraph == "(a)(ii)":
        assert LIMBS[found.clauses[0].start :].startswith("(ii) any other provision")


@pytest.mark.parametrize(("reference", "is_there"), [("Section 12.00", True), ("Section 12", True), ("Section 11.14", False)])
def test_an_article_may_be_numbered_with_noughts(reference: str, is_there: bool) -> None:
    written = (
        "11.14 Insurance. The Debtor has insured the mill.\n\n12.00 CONDITIONS OF THE FIRST ADVANCE\n\nThe Bank need not lend before.\n\n"
        "12.01 Papers. The Bank has the papers.\n\n13.00 PROMISES\n\n13.01 Notices. The Debtor tells of defaults.\n"
    )
    assert contains(build_index(written), written, reference, "need not") == is_there


def test_the_title_of_an_exhibit_is_no_attachment_of_its_own() -> None:
    written = "1. Loan. The Bank lends.\n2. Term. It ends.\nEXHIBIT “A”\nREPAIR SCHEDULE\nTrade\tBegins\nMasonry\tMay\n"
    assert contains(build_index(written), written, "Exhibit A", "Masonry")


def test_an_index_is_freed_with_its_last_user() -> None:
    gc.disable()
    try:
        index = build_index("1. Loan\n1.1 It is made.\n2. Law\n2.1 English law.\n")
        assert index.find("Clause 2.1").status == "found"
        seen = weakref.ref(index)
        del index
        assert seen() is None
    finally:
        gc.enable()
