"""The folding rules: what the location key and the comparison take for the same, and what they must not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.lexicon.folding import collapse, fold, location_key, silence_doubled, unwrap
from tests.tables import table


@pytest.mark.parametrize(("left", "right"), table("folding", "same_key"))
def test_same_key(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(("left", "right"), [("ผู้กู้", "ผก"), ("1.10²", "1.102"), ("Borrower", "Borrowers"), ("résumé", "resume")])
def test_different_key(left: str, right: str) -> None:
    """Combining marks are kept, superscripts never become digits."""
    assert fold(left) != fold(right)


def test_offsets_lead_back() -> None:
    text = "A ﬁ" + "x" * 300 + " — ② “End”"
    key, offsets = location_key(text)
    assert len(key) == len(offsets)
    assert text[offsets[key.index("end")]] == "E"
    assert offsets[1] == offsets[2] == 2, "both letters of a ligature come from its one character"
    assert offsets[len(key) - 1] == text.index("d")


def test_doubled_letters_are_read_once_and_real_ones_stay() -> None:
    text = "SSttaatteemmeenntt ooff 22003300\nbookkeeper committee"
    assert fold(silence_doubled(text)) == "statementof2030bookkeepercommittee"
    assert len(silence_doubled(text)) == len(text)


@pytest.mark.parametrize(("quote", "plain"), table("folding", "unwrap"))
def test_unwrap(quote: str, plain: str) -> None:
    assert collapse(unwrap(quote)) == plain


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=700))
def test_key_of_any_text(text: str) -> None:
    """Folding never fails, is idempotent, and every key character has its place in the text."""
    key, offsets = location_key(text)
    assert key == fold(text)
    assert fold(key) == key
    places = [offsets[n] for n in range(len(key))]
    assert places == sorted(places)
    assert all(fold(text[place]) for place in places)
    if places:
        assert offsets.index_at(places[-1]) <= len(key)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300))
def test_no_text_breaks_the_helpers(text: str) -> None:
    assert len(silence_doubled(text)) == len(text)
    unwrap(text)
