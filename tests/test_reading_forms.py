"""How agreements are set does not change what is read of them: labels, page numbers, lists, definitions (real_agreements R2)."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.clauses.index import build_index
from deterministic.clauses.references import parse_reference
from deterministic.pdf.documents import open_document
from deterministic.pdf.running_lines import strip_running_lines

TITLES = ["Interest", "Fees", "Prepayment", "Repayment", "Notices", "Taxes", "Costs", "Default"]
BODIES = [
    "The Borrower shall pay the amount when due.",
    "Each Lender may transfer its participation.",
    "The Agent shall notify the Lenders promptly.",
]


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=2, max_size=5),
    st.booleans(),
    st.booleans(),
)
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


@pytest.mark.parametrize(
    "line",
    [
        "“Fee”: 1 per cent.",
        "“Fee” means 1 per cent.",
        "“Fee” – 1 per cent.",
        "Fee – the sum of 1 per cent.",
        "“Fee”\n1 per cent.",
        "Fee means 1.",
    ],
)
def test_definitions_in_all_writings(line: str) -> None:
    index = build_index(f"1. DEFINITIONS\n“Agent”: a bank.\n{line}\n“Loan”: a loan.\n2. FEES\nText of it.")
    (found,) = index.find("Clause 1 (Definitions), definition of Fee").clauses
    assert (found.number, index.find("Fee").clauses) == ("definition fee", (found,))


@pytest.mark.parametrize("words", ["N/A", "none", "not specified", "header", "table", "Page 4", "Pricing strategy overview"])
def test_words_that_name_no_provision_are_never_a_fabricated_place(words: str) -> None:
    index = build_index("1. FEES\n1.1 Fee\nThe fee is due.\n2. LAW\n2.1 Law\nEnglish law.")
    assert index.find(words).status in ("empty", "imprecise")


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


def test_a_rule_on_an_empty_page_hides_nothing(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "1. LOAN\nThe Lender lends.")
    pdf.new_page().draw_line((72, 60), (500, 60))
    pdf.save(tmp_path / "a.pdf")
    assert open_document(tmp_path / "a.pdf").is_readable
