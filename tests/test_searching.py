"""A document searched in pieces gives what one search of it gives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.lexicon.searching import PIECE, find_all, is_found

PATTERNS = (
    re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})*(?![\d,])"),
    re.compile(r"\b(?:first|third)\s+anniversary\s+of\b", re.I),
    re.compile(r"(?<!\w)USD\s?\d+|\([^()\n]*\)"),
    re.compile(r"^Section \d+[^\n]*$", re.M),
)
WORDS = ("USD 5", "1,000,000", "12", "3.5", "the third", "anniversary", "of", "(see Schedule 2)", "\n", "Section 4", "(", ")", "Lender")


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.integers(1, 40), st.sampled_from(PATTERNS))
def test_pieces_give_what_the_whole_text_gives(words: list[str], piece: int, pattern: re.Pattern[str]) -> None:
    text = " ".join(words)
    assert [match.span() for match in find_all(pattern, text, piece)] == [match.span() for match in pattern.finditer(text)]
    assert is_found(pattern, text) == (pattern.search(text) is not None)


@pytest.mark.parametrize("before", [PIECE - 10, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 5])
def test_a_match_over_the_end_of_a_piece_is_whole(before: int) -> None:
    listed = "Sections " + ", ".join(f"{n}.1" for n in range(1, 900))  # longer than what a piece looks at behind its end
    text = "." * before + listed + " shall apply."
    pattern = re.compile(r"Sections (?:\d+\.\d(?:, )?)+")
    assert [match[0] for match in find_all(pattern, text)] == [listed]


def test_a_sign_before_a_piece_still_counts() -> None:
    text = "x" * (PIECE - 1) + "-5 and 6"
    assert [match.start() for match in find_all(re.compile(r"(?<!-)\b\d"), text)] == [text.index("6")]
