"""Parties: legal forms, spellings, wrong parties, lists of guarantors, occurrence, roles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.values import Surroundings
from deterministic.values.comparison import as_text
from deterministic.values.names import parties
from deterministic.values.names.roles import is_only_other_role, roles_of
from tests.tables import table, text

NOTHING = Surroundings()


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
