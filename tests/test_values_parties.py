"""Parties: legal forms, spellings, wrong parties, lists of guarantors, occurrence, roles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.values import Surroundings, parties
from deterministic.values.comparison import as_text
from deterministic.values.roles import is_only_other_role, roles_of
from tests.tables import table, text

NOTHING = Surroundings()

SAME = table("values_parties", "same")
OTHER = table("values_parties", "other")


@pytest.mark.parametrize(("reported", "gold"), SAME)
def test_spellings_of_one_party_are_a_semantic_match(reported: str, gold: str) -> None:
    assert parties.compare(reported, gold, (), NOTHING).label == "semantic_match"
    assert parties.compare(gold, reported, (), NOTHING).label == "semantic_match"


@pytest.mark.parametrize(("reported", "gold"), OTHER)
def test_another_name_or_legal_form_is_never_equal(reported: str, gold: str) -> None:
    assert parties.compare(reported, gold, (), NOTHING).label == "open"


def test_case_and_white_space_are_free() -> None:
    assert parties.compare("KESTREL  LEASING\nLIMITED", "Kestrel Leasing Limited", (), NOTHING).label == "correct"


def test_an_accepted_name_is_a_semantic_match_wherever_it_stands() -> None:
    surroundings = Surroundings(quotes=("VHB Agency Services as agent",))
    assert parties.compare("VHB Agency Services", "Victoria Bank Limited", ("VHB Agency Services",), surroundings).label == "semantic_match"


def test_the_spelling_of_the_source_is_correct() -> None:
    assert parties.compare("Acme Ltd.", "Acme Limited", (), Surroundings(quotes=("ACME LTD. as borrower",))).label == "correct"


TEXT = """(1) KESTREL AVIATION LEASING
LIMITED, a company incorporated in Hong Kong, as borrower (the “Borrower”);
(2) Kestrel Engine Services Pte. Ltd. as guarantor; (3) Acme Corp Ltd and (4) J.P. Morgan SE, as agent of the Lenders"""


@pytest.mark.parametrize(("name", "is_there"), table("values_parties", "names_are_found_on_token_boundaries"))
def test_names_are_found_on_token_boundaries(name: str, is_there: bool) -> None:
    assert parties.supports(name, TEXT) == is_there
    assert parties.occurs(name, Document.from_pages("a.pdf", [TEXT])) == is_there


def test_every_name_of_a_list_must_be_there() -> None:
    document = Document.from_pages("a.pdf", [TEXT])
    assert parties.occurs(["Kestrel Aviation Leasing Limited", "J.P. Morgan SE"], document)
    assert not parties.occurs(["Kestrel Aviation Leasing Limited", "Nobody Limited"], document)


GOLD = ["Kestrel Group Holdings Limited", "Kestrel Engine Services Pte. Ltd."]


@pytest.mark.parametrize(("reported", "label"), table("values_parties", "guarantors_compare_as_a_set"))
def test_guarantors_compare_as_a_set(reported: list[str] | str, label: str) -> None:
    assert parties.compare_list(reported, GOLD, ("KES",), NOTHING).label == label


BESIDE_CLASSES = Document.from_pages("a.pdf", ["The Guarantors: the Entities named in Schedule 4(b). Tern Holdings Limited is a Lender."])


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_parties", "a_class_in_singular_and_plural"))
def test_a_class_is_one_in_the_singular_and_the_plural_and_only_a_name_is_another_party(
    reported: str, gold: str | list[str], label: str
) -> None:
    assert parties.compare_list(reported, gold, (), Surroundings(document_text=BESIDE_CLASSES.text)).label == label


ROLES = text("values_parties", "roles")


@pytest.mark.parametrize(("passage", "name", "field", "is_other"), table("values_parties", "a_party_named_only_in_another_role"))
def test_a_party_named_only_in_another_role_is_told_apart(passage: str, name: str, field: str, is_other: bool) -> None:
    assert is_only_other_role(passage.replace("ROLES", ROLES), name, field) == is_other


def test_all_roles_of_a_party_are_given() -> None:
    assert roles_of(ROLES, "Delacroix & Cie, Hong Kong Branch") == {"arranger", "lender"}


def test_the_table_of_forms_has_one_meaning_a_spelling() -> None:
    assert len(set(LEGAL_FORMS.values())) > 120
    assert all(form.startswith("§") for form in LEGAL_FORMS.values())


NAMES = st.text("ABCdefé &.,'-()", min_size=1, max_size=25)


@settings(max_examples=150, deadline=None)
@given(NAMES, NAMES)
def test_comparison_of_names_is_symmetric_and_never_crashes(one: str, other: str) -> None:
    assert parties.compare(one, other, (), NOTHING).label == parties.compare(other, one, (), NOTHING).label
    roles_of(one, other)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_name_stands_in_a_text_that_holds_it_between_commas(name: str, rest: str) -> None:
    key = parties.name_key(name)
    is_number = as_text(name) != " ".join(name.split())  # "0E0", which is read as a figure
    if key and not is_number and not any(len(word) == 1 for word in key):
        assert parties.supports(name, f"{rest}, (x9) {name}, y9") or not key[-1].isalnum()


AGREEMENT = text("values_parties", "agreement")


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_parties", "what_else_a_party_is_called"))
def test_what_else_a_party_is_called_and_another_party_are_for_the_judge(reported: str, gold: str, label: str) -> None:
    assert parties.compare(reported, gold, (), Surroundings(document_text=AGREEMENT)).label == label


@pytest.mark.parametrize(("reported", "label"), table("values_parties", "another_legal_person_of_the_name_in_a_list"))
def test_another_legal_person_of_the_name_in_a_list(reported: str, label: str) -> None:
    around = Surroundings(document_text=AGREEMENT)
    assert parties.compare_list(reported, "Gannet Homes, Inc.; each Subsidiary Guarantor", (), around).label == label
