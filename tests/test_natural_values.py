"""What a system writes about a US or an English agreement in its own words: right values beside the nearest wrong ones, kind by kind."""

from typing import Any

import pytest

from deterministic.values import KINDS, Surroundings
from deterministic.values.names import reference_rates
from tests.tables import table

FEE = "0.25% (Levels I and II); 0.20% (Level III)"
TEXT = (
    "DORSET MILLS, INC., a Delaware corporation with its office at 12 Harbor Street, Boston 02110 (the “Borrower”). “MSBNA” means Morgan "
    "Stanley Bank, N.A.; Hollis Trust Bank (“HTB”). The revolving credit facility is a multicurrency facility with Letters of Credit and "
    "a 364-day revolving loan."
)
KINDS_OF_WORDING = table("natural_values", "kinds_of_wording")


@pytest.mark.parametrize(("kind", "reported", "gold", "label"), KINDS_OF_WORDING)
def test_a_value_in_the_systems_own_words(kind: str, reported: Any, gold: Any, label: str) -> None:
    if kind == "conditions":
        reported, gold = tuple(reported.split("; ")), tuple(gold.split("; "))
    found = KINDS[kind].compare(reported, gold, (), Surroundings(document_text="" if kind in ("conditions", "rate") else TEXT))
    assert (found.label if found.label != "correct" else "semantic_match") == label, found.reason


def test_what_only_the_output_says_of_a_condition_stands_together_in_the_document() -> None:
    gold = ("opinion of counsel", "Notes")
    text = (
        "4.01 (b) a favorable opinion of Reed & Hollis LLP, counsel to the Borrower; (c) the Notes."
        + " x" * 400
        + "9.01 Notices: Marlow Pike LLP"
    )
    for firm, label in (("Reed & Hollis", "open"), ("Marlow Pike", "open")):
        reported = (f"legal opinion of {firm} LLP", "executed Notes")
        assert KINDS["conditions"].compare(reported, gold, (), Surroundings(document_text=text)).label == label


@pytest.mark.parametrize(("reported", "gold", "label"), table("natural_values", "desk_words_of_conditions"))
def test_desk_words_of_conditions_and_the_signing_of_the_agreement(reported: str, gold: list[str], label: str) -> None:
    assert KINDS["conditions"].compare(reported, gold, (), Surroundings()).label == label


def test_an_index_is_always_named_and_a_described_rate_is_not() -> None:
    assert reference_rates.is_always_named("EURIBOR") and reference_rates.is_always_named("Compounded SONIA")
    assert not reference_rates.is_always_named("LIBOR") and not reference_rates.is_always_named("Prime Rate")
