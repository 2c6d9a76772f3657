"""Every sentence of design/places.md and 1.6 as rows, and the overall word as the worst of the parts."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.citations.check import ORDER, CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.citations.section_claims import read_section_claim
from deterministic.documents.documents import Document
from deterministic.documents.pages import CUT, UNOPENED, Page
from tests.tables import table, text

POLICY = CitationPolicy(70.0)

COVER = "TERM FACILITY AGREEMENT\ndated 4 May 2026\nHALCYON QUARRIES LIMITED\nas Borrower\n"
BODY = text("citations", "body").split("\n----\n")


BRIDGE = "BRIDGE AGREEMENT\nHalcyon Quarries Limited as Borrower\n1. Definitions\n1.1 In this Agreement:\n“Day” means a banking day.\n"
SAID_BESIDE = {
    "unknown": "not Clause 5.1; Clause 5.1 or 5.2; except Clause 5.1; Clause 9.9 or Clause 5.1; before Clause 5.1; former Clause 5.1;"
    "Clause 5.1 does not apply; Clause 5.1 (deleted); Clause 5.1 (Fee); Clause 5.1 (Margin) is deleted; Clause 5.1 of the Fee Letter;"
    "Clause 9.9 of the Intercreditor Agreement; Clause 5.1 of the Halcyon agreement; definition of Day in Clause 5.1;"
    "Clause 5.1, definition of Day; definition of Day in Clause 99",
    "right": "definition of Day in Clause 1.1; Clause 5.1 of the Bridge Agreement;"
    "Clause 5.1 (Margin); Margin, Clause 5.1; Clause 5.1 of the Facility Agreement; Clause 5.1 (page 1); Clause 5.1, table",
}


@pytest.mark.parametrize(("word", "section"), [(word, one.strip()) for word, said in SAID_BESIDE.items() for one in said.split(";")])
def test_all_that_is_said_beside_a_number_counts(word: str, section: str) -> None:
    document = Document.from_pages("facility.pdf", [BRIDGE + "5. Interest\n5.1 Margin. It is 2 per cent.\n5.2 Fee. It is 1 per cent."])
    assert read_section_claim(section, document).word == word


def paged(
    name: str, *, labels: list[str] | None = None, printed: list[tuple[str, ...]] | None = None, scans: tuple[int, ...] = ()
) -> Document:
    texts = [COVER, *BODY]
    pages = [
        Page(
            n,
            "" if n in scans else text,
            "" if n in scans else text,
            (labels or [""] * 4)[n - 1],
            (printed or [()] * 4)[n - 1],
            "scan" if n in scans else "text",
        )
        for n, text in enumerate(texts, 1)
    ]
    return Document(name, "", pages)


AGREEMENT = paged("agreement.pdf")
PRINTED = paged("agreement.pdf", printed=[(), ("1",), ("2",), ("3",)])
LABELLED = paged("agreement.pdf", labels=["i", "1", "2", "S-1"])
BOUND = paged("agreement.pdf", printed=[("41",), ("42",), (), ("44",)])
LETTER = Document.from_pages(
    "fee-letter.pdf", ["FEE LETTER\n1. Fee\n1.1 Amount\nThe Borrower shall pay an arrangement fee of 1.75 per cent. of the loan.\n"]
)

MARGIN = "“Margin” means 3.45 per cent. per annum."


def check(searched: Document = AGREEMENT, *others: Document, gold: Any = (), **claim: Any) -> CitationCheck:
    given = {"document": "agreement.pdf", "page": 2, "section": "Clause 1.1", "quote": MARGIN, **claim}
    return check_citation(Claim(**given), [searched, *others], POLICY, gold_places=gold)


def codes(result: CitationCheck) -> set[str]:
    return {code for code, _ in result.findings}


def test_all_right() -> None:
    result = check()
    assert (result.outcome, result.quote, result.page, result.section, result.document) == ("exact", "exact", "right", "right", "right")
    assert result.is_whole and result.open is None and not result.both_wrong and not result.findings
    assert result.pages_found == (2,) and result.sections_found == ("Clause 1.1",) and result.match == 100.0
    assert result.found_in == "agreement.pdf"
    assert "Final Date" in result.cited_page_text
    start, end = result.spans[0]
    assert "3.45" in AGREEMENT.text[start:end]


class TestDocument:
    @pytest.mark.parametrize("name", ["Agreement.PDF", "agreement", "AGREEMENT.pdf"])
    def test_imprecise(self, name: str) -> None:
        result = _named(name)
        assert (result.outcome, result.document) == ("incomplete", "imprecise")
        assert codes(result) == {"DOCUMENT_NAME_IMPRECISE"}

    def test_unknown_is_not_searched(self) -> None:
        result = _named("term-sheet.pdf", page=99, quote="Each party waives trial by jury in Zurich for ever.")
        assert (result.outcome, result.document) == ("unsupported", "unknown")
        assert codes(result) == {"UNKNOWN_DOCUMENT"}
        assert result.match is None

    def test_missing(self) -> None:
        result = _named(None)
        assert (result.outcome, result.document, result.is_whole) == ("incomplete", "missing", False)
        assert result.page == result.section == "right"

    def test_missing_is_looked_for_in_all(self) -> None:
        result = check_citation(
            Claim(None, 1, "Clause 1.1", "an arrangement fee of 1.75 per cent. of the loan"), [AGREEMENT, LETTER], POLICY
        )
        assert (result.outcome, result.found_in) == ("incomplete", "fee-letter.pdf")

    def test_quote_of_another_document(self) -> None:
        result = check(AGREEMENT, LETTER, quote="an arrangement fee of 1.75 per cent. of the loan")
        assert (result.outcome, result.document, result.found_in) == ("unsupported", "other", "fee-letter.pdf")
        assert codes(result) == {"OTHER_DOCUMENT"}

    def test_quote_of_both_documents(self) -> None:
        copy = Document("copy.pdf", "", AGREEMENT.pages)
        assert check(AGREEMENT, copy).outcome == "exact"


def _named(name: str | None, **more: Any) -> CitationCheck:
    claim = {"page": 2, "section": "Clause 1.1", "quote": MARGIN, **more}
    return check_citation(Claim(name, **claim), [AGREEMENT], POLICY)


class TestPage:
    @pytest.mark.parametrize("page", [2, "2", "p. 2", "Page 2", "page 2 of 4", "pp. 2-3", " 2 ", "0000000002", "p.2", "pg 2"])
    def test_right(self, page: int | str) -> None:
        assert (check(page=page).outcome, check(page=page).page) == ("exact", "right")

    @pytest.mark.parametrize(
        "page", [0, -1, 5, 99, "99", "p. 99", 10**9, 10**30, -(10**12), "0000000005", "9" * 5000, "1000000000-1000000001"]
    )
    def test_outside_the_document(self, page: int | str) -> None:
        result = check(page=page)
        assert (result.outcome, result.page) == ("fabricated_location", "out_of_range")

    @pytest.mark.parametrize("page", [1, 3, "4"])
    def test_wrong(self, page: int | str) -> None:
        result = check(page=page)
        assert (result.outcome, result.page, result.section, result.both_wrong) == ("wrong_page", "wrong", "right", False)

    @pytest.mark.parametrize("page", [None, "", "  ", "xiv", "S-9", "1-" + "9" * 5000])
    def test_missing(self, page: str | None) -> None:
        result = check(page=page)
        assert (result.outcome, result.page) == ("incomplete", "missing")

    def test_printed_number(self) -> None:
        result = check(PRINTED, page=1)
        assert (result.outcome, result.page) == ("exact", "printed")
        assert codes(result) == {"PAGE_BY_PRINTED_NUMBER"}

    def test_printed_number_that_is_no_physical_page(self) -> None:
        result = check(BOUND, page=42)
        assert (result.page, codes(result)) == ("printed", {"PAGE_BY_PRINTED_NUMBER"})

    def test_printed_number_lost_between_two_others(self) -> None:
        result = check(BOUND, page=43, section="Clause 3.1", quote="The Borrower shall repay the Loans in twelve equal instalments.")
        assert (result.outcome, result.page) == ("exact", "printed")

    def test_neither_printed_nor_physical(self) -> None:
        assert check(BOUND, page=45).page == "out_of_range"

    def test_a_number_alone_at_an_edge_that_counts_with_no_other_is_not_sure(self) -> None:
        """It may be the page's: it makes no right place wrong, and no place invented; at another page it is not right."""
        odd = Document.from_pages("agreement.pdf", [COVER, f"{BODY[0]}\n\n97\n", *BODY[1:]])
        assert check(odd, page=97).page == "unknown"
        assert check(odd, page=98).page == "out_of_range"
        elsewhere = check(odd, page=97, section="Clause 3.1", quote="The Borrower shall repay the Loans in twelve equal instalments.")
        assert elsewhere.page == "wrong"

    def test_physical_reading_wins(self) -> None:
        result = check(PRINTED, page=2)
        assert (result.page, codes(result)) == ("right", set())

    def test_label(self) -> None:
        place = {"section": "Schedule 1", "quote": "Brindle Shaw Bank plc, commitment EUR 350,000,000"}
        result = check(LABELLED, page="S-1", **place)
        assert (result.outcome, result.page, codes(result)) == ("exact", "label", {"PAGE_BY_LABEL"})
        assert check(LABELLED, page="page s-1", **place).page == "label"

    def test_label_that_is_a_number(self) -> None:
        assert codes(check(LABELLED, page=1)) == codes(check(LABELLED, page="1")) == {"PAGE_BY_LABEL"}

    def test_label_that_the_file_does_not_have(self) -> None:
        assert (check(LABELLED, page="xiv").outcome, check(LABELLED, page="xiv").page) == ("fabricated_location", "out_of_range")

    def test_label_of_another_page(self) -> None:
        assert check(LABELLED, page="i").page == "wrong"


class TestSection:
    @pytest.mark.parametrize(
        "section", ["Clause 4.1(a)", "4.1 (a)", "cl. 4.1(a)", "Section 4.1(a)", "§ 4.1(a)", "paragraph (a) of Clause 4.1"]
    )
    def test_spelling_is_free(self, section: str) -> None:
        result = check(page=3, section=section, quote="a fee computed at the rate of 0.65 per cent. per annum")
        assert (result.outcome, result.section) == ("exact", "right")
        assert result.sections_found == ("Clause 4.1(a)",)

    @pytest.mark.parametrize("section", ["Clause 4.1", "Commitment fee", "Clause 4.1 (Commitment fee)"])
    def test_whole_clause_or_its_heading(self, section: str) -> None:
        result = check(page=3, section=section, quote="a fee computed at the rate of 0.65 per cent. per annum")
        assert (result.outcome, result.section, codes(result)) == ("exact", "right", set())

    def test_coarse(self) -> None:
        result = check(section="Clause 1")
        assert (result.outcome, result.section, codes(result)) == ("exact", "right", {"SECTION_COARSE"})

    def test_other_paragraph(self) -> None:
        result = check(page=3, section="Clause 4.1(b)", quote="a fee computed at the rate of 0.65 per cent. per annum")
        assert (result.outcome, result.section) == ("wrong_page", "wrong")

    def test_no_such_paragraph(self) -> None:
        result = check(page=3, section="Clause 4.1(h)", quote="a fee computed at the rate of 0.65 per cent. per annum")
        assert (result.outcome, result.section) == ("incomplete", "imprecise")

    @pytest.mark.parametrize("section", ["Clause 31.4", "Clause 9", "Schedule 9", "Clause 2.7(a)"])
    def test_not_in_document(self, section: str) -> None:
        result = check(section=section)
        assert (result.outcome, result.section, result.open) == ("fabricated_location", "not_in_document", None)

    def test_only_referred_to(self) -> None:
        result = check(section="Clause 27.3")
        assert (result.outcome, result.section, result.open) == ("unreadable", "unknown", "section_unknown")

    def test_unknown_while_a_page_cannot_be_read(self) -> None:
        result = check(paged("agreement.pdf", scans=(4,)), section="Clause 31.4")
        assert (result.outcome, result.section, result.open) == ("unreadable", "unknown", "section_unknown")

    def test_unknown_without_numbering(self) -> None:
        plain = Document.from_pages("agreement.pdf", ["A letter without numbers.", "It says that the margin is 3.45 per cent. per annum."])
        result = check(plain, section="Clause 5.1", quote="the margin is 3.45 per cent. per annum")
        assert result.section == "unknown"

    @pytest.mark.parametrize("section", [None, "", " "])
    def test_missing(self, section: str | None) -> None:
        assert (check(section=section).outcome, check(section=section).section) == ("incomplete", "missing")

    @pytest.mark.parametrize(("page", "section", "quote"), table("citations", "places_of_other_kinds"))
    def test_places_of_other_kinds(self, page: int, section: str, quote: str) -> None:
        assert check(page=page, section=section, quote=quote).outcome == "exact"


class TestOccurrences:
    QUOTE = "All payments shall be made in cleared funds in Glasgow."

    @pytest.mark.parametrize(("page", "section"), [(3, "Clause 3.2"), (4, "Clause 5.2")])
    def test_either_place(self, page: int, section: str) -> None:
        result = check(page=page, section=section, quote=self.QUOTE)
        assert (result.outcome, result.page, result.section) == ("exact", "right", "right")
        assert result.pages_found[0] == page

    def test_page_and_section_of_two_different_places(self) -> None:
        result = check(page=3, section="Clause 5.2", quote=self.QUOTE)
        assert result.outcome == "wrong_page"
        assert sorted((result.page, result.section)) == ["right", "wrong"]

    def test_both_wrong(self) -> None:
        result = check(page=2, section="Clause 4.1", quote=self.QUOTE)
        assert (result.outcome, result.page, result.section, result.both_wrong) == ("wrong_page", "wrong", "wrong", True)
        assert "Margin" in result.cited_page_text


class TestQuoteAndParts:
    def test_no_citation(self) -> None:
        for claim in (Claim(None, None, None, None), Claim("agreement.pdf", None, "", " ")):
            assert check_citation(claim, [AGREEMENT], POLICY).outcome == "absent"

    def test_no_quote(self) -> None:
        result = check(quote=None)
        assert (result.outcome, result.quote, result.page, result.section) == ("incomplete", "missing", "right", "right")
        assert result.match is None and result.spans == ()

    def test_no_quote_and_no_such_page(self) -> None:
        assert check(quote=None, page=99).outcome == "fabricated_location"

    def test_altered(self) -> None:
        result = check(quote="“Margin” means 3.55 per cent. per annum.")
        assert (result.outcome, result.quote, codes(result)) == ("not_found", "not_found", {"ALTERED_QUOTE"})

    def test_reworded_on_the_wrong_page(self) -> None:
        result = check(
            page=4, section="Clause 3.1", quote="The Borrower must repay the Loans in twelve equal instalments. 3.2 Manner of payment"
        )
        assert (result.outcome, result.quote, result.page) == ("wrong_page", "paraphrased", "wrong")

    def test_open(self) -> None:
        result = check(page=3, section="Clause 3.1", quote="The Borrower must pay back the Loans in twelve instalments.")
        assert (result.outcome, result.quote, result.open) == ("paraphrased", "paraphrased", "paraphrase")

    def test_nothing_is_open_when_the_location_is_fabricated(self) -> None:
        result = check(page=99, section="Clause 3.1", quote="The Borrower must pay back the Loans in twelve instalments.")
        assert (result.outcome, result.open) == ("fabricated_location", None)

    def test_unreadable(self) -> None:
        result = check(
            paged("agreement.pdf", scans=(3,)), page=3, section="Clause 4.1", quote="a fee computed at the rate of 0.65 per cent."
        )
        assert (result.outcome, result.quote, result.open) == ("unreadable", "unreadable", "unreadable")

    def test_unreadable_and_outside(self) -> None:
        result = check(
            paged("agreement.pdf", scans=(3,)), page=9, section="Clause 4.1", quote="a fee computed at the rate of 0.65 per cent."
        )
        assert result.outcome == "fabricated_location"

    def test_file_that_could_not_be_read(self) -> None:
        closed = Document("agreement.pdf", "", [Page(1, "", "", state="scan")])
        assert (check(closed, page=1).outcome, check(closed, page=1).open) == ("unreadable", "unreadable")

    def test_no_page_is_outside_a_file_that_could_not_be_opened(self) -> None:
        closed = Document("agreement.pdf", "", [Page(1, "", "", state="scan")], notices=[UNOPENED])
        assert {check(closed, page=page).outcome for page in (1, 9, "Page 9", "xiv")} == {"unreadable"}


class TestGoldPlace:
    def test_own_place(self) -> None:
        assert codes(check(gold=[("agreement.pdf", 2, "Clause 1.1")])) == set()
        assert codes(check(gold=[(None, 2, None)])) == set()

    def test_one_of_several(self) -> None:
        assert codes(check(gold=[(None, 4, "Schedule 1"), (None, 2, "Clause 1.1")])) == set()

    def test_other_place(self) -> None:
        result = check(page=4, section="Schedule 1", quote="commitment EUR 350,000,000", gold=[(None, 2, "Clause 2.1")])
        assert (result.outcome, codes(result)) == ("exact", {"OTHER_LOCATION"})

    def test_wrong_page_is_no_other_place(self) -> None:
        assert codes(check(page=3, gold=[(None, 2, "Clause 1.1")])) == set()


AMENDED = Document.from_pages("amendment.pdf", table("citations", "amended"))


class TestConformedCopy:
    """A number is right if it is right in any numbering of the file; an exhibit that is an agreement is no single clause."""

    @pytest.mark.parametrize("section", ["Clause 2", "Section 2", "Article II", "Article 2", "2"])
    def test_top_level_number_of_the_copy(self, section: str) -> None:
        result = check_citation(Claim("amendment.pdf", 2, section, "make available a loan of EUR 75,000,000"), [AMENDED], POLICY)
        assert (result.outcome, result.section, codes(result)) == ("exact", "right", {"SECTION_COARSE"})

    def test_top_level_number_of_the_amendment(self) -> None:
        result = check_citation(Claim("amendment.pdf", 1, "Clause 2", "an amendment fee of EUR 40,000"), [AMENDED], POLICY)
        assert (result.outcome, result.section) == ("exact", "right")

    def test_another_top_level_number(self) -> None:
        result = check_citation(Claim("amendment.pdf", 2, "Clause 1", "make available a loan of EUR 75,000,000"), [AMENDED], POLICY)
        assert (result.outcome, result.section) == ("wrong_page", "wrong")

    def test_parts_of_two_clauses_of_the_copy(self) -> None:
        quote = "The Margin is 3.45 per cent. per annum … make available a loan of EUR 75,000,000"
        result = check_citation(Claim("amendment.pdf", 2, "1.1", quote), [AMENDED], POLICY)
        assert (result.outcome, codes(result)) == ("paraphrased", {"JOIN_BROKEN"})

    def test_parts_of_one_clause_of_the_copy(self) -> None:
        quote = "The Lenders make … loan of EUR 75,000,000"
        assert check_citation(Claim("amendment.pdf", 2, "2.1", quote), [AMENDED], POLICY).outcome == "normalised"


HOLDING = Document.from_pages(
    "holding.pdf",
    ["1. CONTROL\n1.1 Change of control\nA person acquires 25 per cent. or more of the shares, or the rating is BBB or lower.\n"],
)


@pytest.mark.parametrize(("quote", "outcome"), table("citations", "a_limit_behind_its_figure_turned_round"))
def test_a_limit_behind_its_figure_turned_round(quote: str, outcome: str) -> None:
    assert check_citation(Claim("holding.pdf", 1, "1.1", quote), [HOLDING], POLICY).outcome == outcome


TEXT = st.none() | st.text(max_size=40) | st.sampled_from(["Clause 1.1", "p. 2", MARGIN, "agreement.pdf", "Schedule 1"])


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT | st.integers(-5, 60), TEXT, TEXT)
def test_no_citation_breaks_the_check(document: str | None, page: int | str | None, section: str | None, quote: str | None) -> None:
    """Whatever is cited, there is an overall word, and it is never better than a part."""
    result = check_citation(Claim(document, page, section, quote), [LABELLED, LETTER], POLICY)
    assert result.outcome in ORDER
    if result.page == "out_of_range" and result.document in ("right", "imprecise"):
        assert result.outcome == "fabricated_location"
    if result.quote == "not_found" and result.document != "unknown":
        assert ORDER.index(result.outcome) <= ORDER.index("not_found")


def test_two_pages_that_a_cut_file_has_lost_can_be_cited() -> None:
    cut = Document("agreement.pdf", "", list(AGREEMENT.pages), notices=[CUT])
    result = check(cut, page="8-9", quote="The Lenders waive the fee for one year.")
    assert result.page != "out_of_range" and result.quote == "unreadable"
    assert check(cut, page=9).page == "wrong" and check(cut, page=9).quote == "exact", "it stands on a page that is there"


JUMPING = paged("agreement.pdf", printed=[("11",), ("12",), ("15",), ("16",)])


@pytest.mark.parametrize(("cited", "word"), [(13, "wrong"), (14, "wrong"), (12, "printed"), (17, "out_of_range")])
def test_a_page_that_the_printed_numbers_jump_over_does_not_hold_what_stands_on_another(cited: int, word: str) -> None:
    found = check(JUMPING, page=cited)
    assert (found.page, found.quote) == (word, "exact")


UNNUMBERED = Document.from_pages("agreement.pdf", ["The Borrower shall pay to the Agent an arrangement fee of 1.75 per cent. of the loan."])


@pytest.mark.parametrize(("gold", "word", "outcome"), table("citations", "where_no_numbering_is_known_gold_knows_the_section"))
def test_where_no_numbering_is_known_gold_knows_the_section(gold: Any, word: str, outcome: str) -> None:
    found = check(UNNUMBERED, gold=gold, page=1, section="Clause 4", quote="an arrangement fee of 1.75 per cent.")
    assert (found.section, found.outcome) == (word, outcome)


def test_a_document_that_is_not_in_the_case_needs_a_page_where_one_of_the_cases_documents_has_pages() -> None:
    letter = Document("letter.docx", "", list(LETTER.pages), paging="none")
    assert [check(*given, document="lease.pdf", page=None).is_whole for given in ((AGREEMENT, letter), (letter,))] == [False, True]


PAYMENTS = "All payments shall be made in cleared funds in Glasgow."
RECOGNISED = Document(
    "agreement.pdf",
    "",
    [Page(n, text, text, notes=notes) for n, (text, notes) in enumerate([(COVER, ""), (BODY[0], "rt"), (BODY[1], "r")], 1)],
)


def test_a_document_that_is_not_in_the_case_leaves_its_parts_unlooked_at() -> None:
    assert (check(document="lease.pdf").quote, check(document="lease.pdf").page, check(document="lease.pdf").section) == (
        "not_found",
        "wrong",
        "wrong",
    )
    bare = check(document="lease.pdf", page=" ", section=None, quote="")
    assert (bare.quote, bare.page, bare.section) == ("missing", "missing", "missing")


def test_of_several_places_the_one_that_agrees_best_is_judged() -> None:
    found = check(quote=PAYMENTS, page=2, section="Clause 5.2")
    assert (found.page, found.section, found.pages_found) == ("wrong", "right", (4, 3))


def test_a_printed_number_that_is_also_a_physical_page_with_the_quote_is_told() -> None:
    found = check(PRINTED, quote=PAYMENTS, page=3, section="Clause 5.2")
    assert (found.outcome, codes(found)) == ("exact", {"PAGE_BY_PRINTED_NUMBER", "PAGE_AMBIGUOUS"})
    alone = check(PRINTED, quote="This Agreement is governed by Scots law.", page=3, section="Clause 5.1")
    assert codes(alone) == {"PAGE_BY_PRINTED_NUMBER"}


@pytest.mark.parametrize(("gold", "is_other"), table("citations", "another_place_than_golds", tuples=True))
def test_another_place_than_golds(gold: Any, is_other: bool) -> None:
    assert ("OTHER_LOCATION" in codes(check(AGREEMENT, LETTER, gold=[gold]))) == is_other


def test_recognised_text_is_told_once_where_this_program_read_it() -> None:
    own, others = (
        check(RECOGNISED),
        check(RECOGNISED, page=3, section="Clause 3.1", quote="shall repay the Loans in twelve equal instalments"),
    )
    assert (own.outcome, [code for code, _ in own.findings].count("READ_BY_OCR")) == ("normalised", 1)
    assert (others.outcome, codes(others)) == ("exact", set())
    assert check(RECOGNISED, quote="“Margin” means 3.46 per cent. per annum.").quote == "unreadable"


@pytest.mark.parametrize(("cited", "word"), [(3, "right"), (2, "unknown"), (1, "unknown"), (4, "out_of_range")])
def test_a_lower_number_can_be_the_printed_one_that_ocr_has_lost(cited: int, word: str) -> None:
    quote = "shall repay the Loans in twelve equal instalments"
    assert check(RECOGNISED, page=cited, section="Clause 3.1", quote=quote).page == word


def test_a_printed_number_is_a_dozen_lower_at_most() -> None:
    pages = [
        Page(n, f"{n}. MATTER\nThe matter of number {n} is left to the Agent.", f"Matter {n} is left to the Agent.", notes="r")
        for n in range(1, 16)
    ]
    document = Document("agreement.pdf", "", pages)
    words = [check(document, page=cited, section=None, quote="Matter 14 is left to the Agent.").page for cited in (1, 2, 13, 14, 15)]
    assert words == ["wrong", "unknown", "unknown", "right", "wrong"]
