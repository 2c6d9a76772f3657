"""Definitions, front and back matter and headings in the forms that agreements write them: the own place is right, a neighbour never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.clauses.clause import Clause, clause_name
from deterministic.documents.documents import Document
from tests.tables import table, text

POLICY = CitationPolicy(70.0, 90.0)
FRONT, REST = (text("place_forms", name) + "\n" for name in ("front", "rest"))
SIGNED = "IN WITNESS WHEREOF, the parties have signed.\nACME CORPORATION\nBy: /s/ Jane Roe\nTitle: Treasurer\n"
TERMS = ("Affiliate", "Bank Day", "Change of Control", "Debt", "Environmental Law", "Fee Letter", "GAAP", "Hedging Agreement", "Lien")
FORMS = (
    "“{}” means {}.", "{} means {}.", "{} shall mean {}.", "‘{}’ means {}.",
    "The term “{}” means {}.", "(x) “{}” means {}.", "(x) {} means {}.", "1.0 {} means {}.", "1.0 “{}” means {}.", "**{}** means {}.",
    "(x) {}: shall mean {}.", "“{}”. See {}.", "“{}: {}.”",
)  # fmt: skip
LEADS = ("1. DEFINITIONS\n", "1. Defined Terms. As used herein:\n", "1. CERTAIN TERMS. The following terms have the following meanings:\n")


def word(pages: list[str], section: str, quote: str) -> str:
    return check_citation(Claim("a.pdf", None, section, quote), [Document.from_pages("a.pdf", pages)], POLICY).section


@given(st.sets(st.sampled_from(TERMS), min_size=4), st.sampled_from(FORMS), st.sampled_from(LEADS), st.data())
def test_a_definition_is_right_at_its_own_place_and_at_no_other(terms: set[str], form: str, lead: str, data: st.DataObject) -> None:
    ordered = sorted(terms)
    said = {term: f"any matter of {term.lower()} that the parties have agreed upon" for term in ordered}
    lines = [
        form.replace("(x)", f"({'abcdefghi'[n]})").replace("1.0", f"1.{n + 1}").format(term, said[term]) for n, term in enumerate(ordered)
    ]
    if "1.0" in form:
        lead = LEADS[0]
    text = FRONT + lead + "\n".join(lines) + "\n" + REST + SIGNED
    own, other = data.draw(st.permutations(ordered))[:2]
    assert word([text], f"definition of “{own}”", said[own]) == "right"
    assert word([text], f"Section 1, definition of “{own}”", said[other]) in ("wrong", "unknown")
    assert word([text], "Section 2", said[own]) == "wrong"


ABOUT = FRONT + "1. DEFINITIONS\n“Lien” means any charge.\n“Borrower” is defined above.\n" + REST + SIGNED


@pytest.mark.parametrize(("section", "quote", "expected"), table("place_forms", "sentences_that_define_a_term"))
def test_sentences_that_define_a_term_contradict_nothing(section: str, quote: str, expected: str) -> None:
    assert word([ABOUT], section, quote) == expected


TITLES = "TABLE OF CONTENTS\n1. DEFINITIONS .... 1\n2. THE LOAN .... 2\n3. COVENANTS .... 3\n"
LISTS = "LIST OF EXHIBITS\nA    Form of Note\nB    Form of Borrowing Notice\nSCHEDULES\nSchedule 1 - Existing Liens\nSchedule 2 - Owners\n"
ATTACHED = "EXHIBIT A\nFORM OF NOTE\nThe Borrower promises to pay.\nEXHIBIT B\nFORM OF BORROWING NOTICE\nWe ask for one million.\n"


@pytest.mark.parametrize(("section", "quote", "expected"), table("place_forms", "lists_of_attachments_are_places_of_their_own"))
def test_lists_of_attachments_are_places_of_their_own(section: str, quote: str, expected: str) -> None:
    assert word(["LOAN AGREEMENT\nACME\n", TITLES + LISTS, ABOUT, ATTACHED], section, quote) == expected


SIGNATURES = tuple(table("place_forms", "signatures"))


@pytest.mark.parametrize("block", SIGNATURES)
@pytest.mark.parametrize("section", ["Signature page", "Signature block", "Borrower signature page"])
def test_signatures_with_and_without_a_formula(section: str, block: str) -> None:
    text = FRONT + "1. DEFINITIONS\n“Lien” means any charge.\n" + REST + block
    assert word([text], section, "Title: Treasurer") == "right"
    assert word([text], section, "The Lender lends to the Borrower") == "wrong"


@pytest.mark.parametrize(("name", "section", "quote", "expected"), table("place_forms", "headings_without_numbers"))
def test_headings_without_numbers(name: str, section: str, quote: str, expected: str) -> None:
    assert word([text("place_forms", name) + "\n"], section, quote) == expected


DEEP = text("place_forms", "deep")


@pytest.mark.parametrize(("section", "quote", "expected"), table("place_forms", "numbers_of_many_levels_and_counted_recitals"))
def test_numbers_of_many_levels_and_counted_recitals(section: str, quote: str, expected: str) -> None:
    assert word([DEEP], section, quote) == expected


HANGING = (
    "Offer Letter\nUndertakings\nThe Borrower gives these.\nEvents of Defaults\n(1)\nEvent of Default\nEach of these is one.\n"
    "(3) Breach of Other Obligations, which is not remedied within thirty days of notice.\nMisrepresentation\nA statement is untrue.\n"
)


def test_a_heading_in_the_other_number_is_no_contradiction() -> None:
    quote = "which is not remedied within thirty days of notice"
    assert word([HANGING], "Event of Defaults (3)", quote) != "wrong"
    assert word([HANGING], "Misrepresentation", quote) == "wrong"


@pytest.mark.parametrize(("document", "section", "quote", "expected"), table("place_forms", "lists_levels_and_names"))
def test_lists_levels_and_names(document: str, section: str, quote: str, expected: str) -> None:
    assert word([text("place_forms", document)], section, quote) == expected


@pytest.mark.parametrize(("number", "name"), table("place_forms", "names_for_people"))
def test_names_for_people(number: str, name: str) -> None:
    assert clause_name(Clause(number, "", 0, 1, 0)) == name
