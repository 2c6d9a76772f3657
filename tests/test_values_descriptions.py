"""Scopes and triggers in other words: the same words in any order and form, and the nearest ones that mean something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.values.descriptions import is_same

SAME = [
    ("Liens existing on the Closing Date that secure Debt", "existing Liens securing Debt on the Closing Date"),
    ("Liens not securing Debt", "Liens that do not secure Debt"),
    ("Indebtedness under capital leases", "capital leases"),
    ("Indebtedness not otherwise permitted of Foreign Subsidiaries", "other Indebtedness of Foreign Subsidiaries"),
    ("dispositions of obsolete equipment", "sale of obsolete equipment"),
    ("intercompany loans made to the Borrower", "intercompany loans made to Borrower"),
]
OTHER = [
    ("loans made to the Borrower by Subsidiaries", "loans made by the Borrower to Subsidiaries"),
    ("Liens not securing Debt", "Liens securing Debt"),
    ("Liens securing Debt but not Hedging Obligations", "Liens not securing Debt or Hedging Obligations"),
    ("other secured Indebtedness", "secured Indebtedness"),
    ("Indebtedness of Foreign Subsidiaries", "Indebtedness of Subsidiaries"),
    ("receivables due for more than 90 days", "receivables due for more than 60 days"),
    ("Indebtedness", "Indebtedness under capital leases"),
    ("", ""),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_words_in_another_order_or_form(first: str, second: str) -> None:
    assert is_same(first, second, ("Limitation on Indebtedness",))


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_other_words_are_another_description(first: str, second: str) -> None:
    assert not is_same(first, second, ("Limitation on Indebtedness",))


NOUNS = ["Liens", "aircraft", "leases", "deposits", "trade", "equipment", "inventory", "real", "property"]


@given(st.lists(st.sampled_from(NOUNS), min_size=2, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_nouns_does_not_matter_and_a_negation_does(nouns, random) -> None:
    other = random.sample(nouns, len(nouns))
    assert is_same(" ".join(nouns), " ".join(other))
    assert not is_same(" ".join(nouns), "not " + " ".join(other))
    assert not is_same(" ".join(nouns), " ".join(other[1:]))
