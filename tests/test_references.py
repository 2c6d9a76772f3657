"""Spellings of references, and which provisions a text refers to (design/places.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.clauses.numerals import attachment_label, number_key, roman_text, roman_value
from deterministic.clauses.references import parse_reference


def numbers(text: str) -> list[str]:
    return [reference.number for reference in parse_reference(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Clause 5.1(a)", "clause 5.1 (a)", "5.1(a)", "5.1 (a)", "cl. 5.1(a)", "Section 5.1(a)", "§ 5.1(a)", "§5.1(a)", "Sec. 5.1(a)",
        "CLAUSE 5.1(a)",
        "paragraph (a) of Clause 5.1", "para. (a) of clause 5.1", "Clause 5.1(a) (Calculation of interest)", "Page 14, Clause 5.1(a)",
        "Clause 5.1(a), page 14",
        "Clause\xa05.1(a).", "sub-clause 5.1(a)",
    ],
)  # fmt: skip
def test_one_reference_in_many_spellings(text: str) -> None:
    assert numbers(text) == ["5.1(a)"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Clause 5", ["5"]),
        ("Section 2.01(b)", ["2.01(b)"]),
        ("II.1", ["2.1"]),
        ("Article II", ["article ii"]),
        ("ARTICLE 2", ["article ii"]),
        ("Article VII, Section 7.01", ["7.01"]),
        ("Clause 5.1(a)(i)(A)", ["5.1(a)(i)(A)"]),
        ("sub-paragraph (ii) of paragraph (b) of Clause 5.1", ["5.1(b)(ii)"]),
        ("paragraphs (a) and (b) of Clause 5.1", ["5.1(a)", "5.1(b)"]),
        ("Clauses 22.3 to 22.5", ["22.3", "22.4", "22.5"]),
        ("Clauses 22.3–22.5", ["22.3", "22.4", "22.5"]),
        ("Clause 5.1(a) and 5.2", ["5.1(a)", "5.2"]),
        ("Clause 16.1 (Non-payment)", ["16.1"]),
        ("Clause 26.15 (Negative pledge)(a)", ["26.15(a)"]),
        ("Schedule 2", ["schedule 2"]),
        ("Schedule II", ["schedule 2"]),
        ("Schedule 2 (Conditions Precedent), Part A", ["schedule 2 part a"]),
        ("Part I of Schedule 2", ["schedule 2 part 1"]),
        ("paragraph 3(a) of Part II of Schedule 2", ["schedule 2 part 2(#3)(a)"]),
        ("Exhibit B-1", ["exhibit b-1"]),
        ("Annex 1", ["annex 1"]),
        ("Appendix C", ["appendix c"]),
        ("Recital (B)", ["recital b"]),
        ("Recitals", ["recitals"]),
        ("third recital", ["recital 3"]),
        ("Parties", ["parties"]),
        ("Preamble", ["preamble"]),
        ("Cover page", ["cover"]),
        ("signature pages", ["signature"]),
        ("definition of “Margin” in Clause 1.1", ["definition margin"]),
        ("Clause 1.1 (definition of Margin)", ["definition margin"]),
        ("Clause 1.1, “Margin”", ["definition margin"]),
        ("paragraph (b) of the definition of Permitted Liens", ["definition permitted liens(b)"]),
        ("the Margin definition", ["definition margin"]),
        ("Clause 1.1, Margin definition", ["definition margin"]),
        ("Commitment fee", ["commitment fee"]),
        ("Definitions (Margin)", ["definition margin"]),
        ("definition of Margin (b)(ii)", ["definition margin(b)(ii)"]),
        ("Paragraph (A) of the Recitals", ["recital a"]),
        ("Party (1)", ["parties(1)"]),
        ("Sched. 2.01", ["schedule 2.1"]),
        ("Exh. B-1", ["exhibit b-1"]),
        ("App. 2", ["appendix 2"]),
        ("the Second Schedule, paragraph 3", ["schedule 2(#3)"]),
        ("Annexure - I", ["annex 1"]),
        ("Part 1 of the Schedule", ["schedule part 1"]),
        ("Appendix, paragraph 2", ["appendix(#2)"]),
        ("signature page to the Agreement", ["signature"]),
        ("Clause 12A.1(b)", ["12a.1(b)"]),
        ("Clause No. 15.2", ["15.2"]),
        ("Section: 15.2", ["15.2"]),
        ("Cl15.2(a)", ["15.2(a)"]),
        ("s. 15.2", ["15.2"]),
        ("(15.2)", ["15.2"]),
        ("", []),
        ("…", []),
    ],
)  # fmt: skip
def test_what_a_reference_means(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


def test_a_bracketed_heading_is_kept_as_title() -> None:
    assert parse_reference("Clause 16.1 (Non-payment)")[0].title == "Non-payment"


@pytest.mark.parametrize(
    ("text", "key"), [("2.01", (2, 1)), ("2.1", (2, 1)), ("II.1", (2, 1)), ("ii", (2,)), ("two", (2,)), ("2.10", (2, 10)), ("x1", None)]
)
def test_numbers_in_one_key(text: str, key: tuple[int, ...] | None) -> None:
    assert number_key(text) == key


@pytest.mark.parametrize(("text", "label"), [("II", "2"), ("2", "2"), ("B - 1", "b-1"), ("C", "c"), ("Two", "2")])
def test_labels_of_attachments(text: str, label: str) -> None:
    assert attachment_label(text) == label


@given(st.integers(1, 399))
@settings(max_examples=60, deadline=None)
def test_roman_numerals_round_trip(value: int) -> None:
    assert roman_value(roman_text(value)) == value


@given(st.text(alphabet=st.sampled_from("Clause Sectn 0123456789.()abiIVX§–-“”ofdp,\xa0\n"), max_size=60) | st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_some_reference_or_none(text: str) -> None:
    assert all(reference.number for reference in parse_reference(text))
