"""How agreements are set does not change what is read of them: labels, page numbers, lists, definitions (real_agreements R2)."""

from pathlib import Path

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.clauses.index import build_index
from deterministic.clauses.references import parse_reference
from deterministic.documents.documents import Document, Page, open_document
from deterministic.documents.pages import CUT
from tests.page_lines import strip_running_lines
from tests.tables import table

TITLES = ["Interest", "Fees", "Prepayment", "Repayment", "Notices", "Taxes", "Costs", "Default"]
BODIES = table("reading_forms", "bodies")


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=2, max_size=5), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_label_on_its_own_line_or_not_gives_the_same_provisions(shape: list[list[int]], is_apart: bool, is_limb_apart: bool) -> None:
    def written(apart: bool, limb_apart: bool) -> list[str]:
        lines = ["AGREEMENT"]
        for top, sections in enumerate(shape, 1):
            lines.append(f"{top}." + ("\n" if apart else " ") + TITLES[top].upper())
            for n, limbs in enumerate(sections, 1):
                lines.append(f"{top}.{n}" + ("\n" if apart else " ") + TITLES[(top + n) % 8] + "\n" + BODIES[n % 3])
                lines += [f"({chr(97 + k)})" + ("\n" if limb_apart else " ") + BODIES[k % 3] for k in range(limbs if limbs > 1 else 0)]
        return lines

    one = build_index("\n".join(written(False, False)))
    two = build_index("\n".join(written(is_apart, is_limb_apart)))
    assert [clause.number for clause in one.clauses] == [clause.number for clause in two.clauses]


@pytest.mark.parametrize("label", ["(b)", "(iv)", "12.", "7.1", "2a.", "•", "§ 4", "(a)(i)"])
def test_a_label_at_the_top_of_a_page_is_text(label: str) -> None:
    texts = [f"{label}\nwords number {n} of the sentence that runs\nfurther on page {n} here\nThe End {n * n}\n{n}" for n in range(1, 7)]
    assert all(body.startswith(label) for body in strip_running_lines(texts)[0])


@given(st.lists(st.integers(1, 9), min_size=5, max_size=9))
@settings(max_examples=40, deadline=None)
def test_rising_numbers_with_gaps_are_those_of_an_excerpt(steps: list[int]) -> None:
    numbers = [sum(steps[: n + 1]) for n in range(len(steps))]
    texts = [f"SECTION {n}.01 Title\nThe Borrower shall do thing {n} with care\nand without any delay\n\n{n}" for n in numbers]
    assert [printed[:1] for printed in strip_running_lines(texts)[1]] == [(str(n),) for n in numbers]


def test_a_list_and_a_table_inside_clauses_are_no_clauses() -> None:
    index = build_index(
        "DEED\n1. Interpretation\nWords have their meaning.\n2. Security\nThe Borrower grants:\n"
        "1.\nMortgage over land\nfirst\n2.\nCharge\nsecond\n"
        "3. Default\nEach of these is a default:\n1. non-payment of a sum;\n2. breach of this deed;\n3. insolvency of the Borrower.\n"
        "4. Law\nThis Deed is governed by the laws of Tasmania."
    )
    assert [c.number for c in index.clauses if c.number.isdigit()] == ["1", "2", "3", "4"]
    assert [c.number for c in index.find("Clause 3, item 2").clauses] == ["3(2)"]
    assert index.find("Clause 3.2").clauses == index.find("3(2)").clauses
    assert index.find("Clause 9").status == "not_in_document"


@pytest.mark.parametrize("line", table("reading_forms", "definitions_in_all_writings"))
def test_definitions_in_all_writings(line: str) -> None:
    index = build_index(f"1. DEFINITIONS\n“Agent”: a bank.\n{line}\n“Loan”: a loan.\n2. FEES\nText of it.")
    (found,) = index.find("Clause 1 (Definitions), definition of Fee").clauses
    assert (found.number, index.find("Fee").clauses) == ("definition fee", (found,))


@pytest.mark.parametrize("words", ["N/A", "none", "not specified", "header", "table", "Page 4", "Pricing strategy overview"])
def test_words_that_name_no_provision_are_never_a_fabricated_place(words: str) -> None:
    index = build_index("1. FEES\n1.1 Fee\nThe fee is due.\n2. LAW\n2.1 Law\nEnglish law.")
    assert index.find(words).status in ("empty", "imprecise", "mentioned")


@given(
    st.sampled_from(["Clause 5.1", "Schedule 2", "Recital (B)", "definition of Margin"]),
    st.sampled_from(["Clause 7.2(a)", "Schedule 4", "Article IX"]),
)
@settings(max_examples=20, deadline=None)
def test_several_references_in_one_field_are_each_read(one: str, two: str) -> None:
    assert parse_reference(f"{one}; {two}") == (*parse_reference(one), *parse_reference(two))


def test_a_cut_file_is_told_and_nothing_of_it_is_invented(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for n in range(4):
        pdf.new_page().insert_text((72, 72), f"{n + 1}. CLAUSE\nThe Borrower shall pay instalment number {n + 1} of the loan in full.")
    data = pdf.tobytes()
    (tmp_path / "cut.pdf").write_bytes(data[: len(data) - 300])
    document = open_document(tmp_path / "cut.pdf")
    assert document.is_damaged and document.is_cut and not document.is_readable and document.unreadable_pages[-1] == 5


@pytest.mark.parametrize("page", [1, 2, 3, None])
def test_a_quote_of_a_lost_page_is_not_altered_by_its_like_on_another(page: int | None) -> None:
    texts = [
        f"{head}\nThe ratio for the quarter ending in March is {n}.00 to 1.00." if head else ""
        for n, head in ((4, "1. LOAN"), (0, ""), (3, "3. FORM"))
    ]
    pages = [Page(n + 1, text, text, state="text" if text else "empty") for n, text in enumerate(texts)]
    whole, cut = Document("a.pdf", "", pages), Document("a.pdf", "", pages, notices=["damaged: rebuilt", CUT])
    quote = "The ratio for the quarter ending in March is 2.00 to 1.00."
    outcomes = [check_citation(Claim("a.pdf", page, None, quote), [d], CitationPolicy(70.0)).outcome for d in (whole, cut)]
    assert outcomes[1] == ("not_found" if page == 1 else "unreadable")
    assert outcomes[0] == ("unreadable" if page == 2 else "not_found")


def test_a_rule_on_an_empty_page_hides_nothing(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "1. LOAN\nThe Lender lends.")
    pdf.new_page().draw_line((72, 60), (500, 60))
    pdf.save(tmp_path / "a.pdf")
    assert open_document(tmp_path / "a.pdf").is_readable


BODY = "CREDIT AGREEMENT\n1. Definitions\n1.1 Terms\nWords have meanings.\n1.2 Rules\nRules hold.\n2. Loans\n2.1 Loan\nOne loan is made.\n"


@pytest.mark.parametrize(("text", "reference", "first", "last"), table("reading_forms", "a_reference_means_its_text_and_no_more"))
def test_a_reference_means_its_text_and_no_more(text: str, reference: str, first: str, last: str) -> None:
    resolution = build_index(text).find(reference)
    assert resolution.status == "found"
    found = text[resolution.clauses[0].start : resolution.clauses[0].end].strip()
    assert (found[: len(first)], found[-len(last) :]) == (first, last)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (BODY.replace("Rules hold.", "(a) The Parent shall not (A) borrow, (B) lend or (C) guarantee.\n(b) It may sell."), "1.2(c)"),
        (BODY + "EXHIBIT G\nSection G-1. Funds. Funds are kept.\n", "Section H-1"),
    ],
)
def test_the_neighbour_of_a_paragraph_is_not_its_text(text: str, reference: str) -> None:
    place = text.find("It may sell") if "It may sell" in text else text.find("Funds are kept")
    assert not any(clause.start <= place < clause.end for clause in build_index(text).find(reference).clauses)


def test_a_term_with_an_apostrophe_is_another_term() -> None:
    text = BODY.replace("Words", "“Agent” means one bank.\n“Agent’s Office” means its office.\nWords")
    found = build_index(text).find("definition of “Agent’s Office”").clauses
    assert [clause.title for clause in found] == ["Agent’s Office"]


def test_page_numbers_go_on_where_long_pages_were_cut_in_two() -> None:
    numbers = ["", "-1-", "", "-2-", "", "-3-", "-4-", "-5-", "", "-6-"]
    texts = [f"The {chr(97 + n) * 4} says something\nand goes on with {chr(98 + n) * 3}\n{number}" for n, number in enumerate(numbers)]
    assert [printed[:1] for printed in strip_running_lines(texts)[1]] == [(n.strip("-"),) if n else () for n in numbers]


def test_a_file_that_is_struck_out_throughout_is_read_and_said(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for n in range(2):
        page = pdf.new_page()
        for line in range(6):
            text = f"The Borrower shall pay instalment {n * 6 + line} of the loan when due."
            page.insert_text((72, 100 + 20 * line), text)
            page.draw_line((72, 96 + 20 * line), (72 + pymupdf.get_text_length(text, fontsize=11), 96 + 20 * line))
    pdf.save(tmp_path / "struck.pdf")
    document = open_document(tmp_path / "struck.pdf")
    found = check_citation(
        Claim("struck.pdf", 1, None, "The Borrower shall pay instalment 3 of the loan when due."), [document], CitationPolicy(70.0)
    )
    assert (found.quote, [code for code, _ in found.findings]) == ("exact", ["STRUCK_THROUGHOUT"])
