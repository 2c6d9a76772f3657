"""Words, numbers and marks as quotes are compared by: what a token says, where it stands, which figures are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.quotes.tokens import same_number, tokenize, written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("US$5", "currency USD 0-3, number 5 3-4"),
        ("HK$ 5 due", "currency HKD 0-3, number 5 4-5, word due 6-9"),
        ("x \u00ad y", "word x 0-1, word y 4-5"),
        ("it doesn't", "word it 0-2, word does 3-7, negation NOT 7-10"),
        ("won’t", "modal OBLIGATION 0-2, negation NOT 2-5"),
        ("cannot", "modal PERMISSION 0-3, negation NOT 3-6"),
        ("Acme Limited", "name acme 0-4, name §limited 5-12"),
        ("Acme Ltd", "name acme 0-4, name §limited 5-8"),
        ("acme limited", "word acme 0-4, word limited 5-12"),
        ("Acme AG", "name acme 0-4, name ag 5-7"),
        ("T h e  B o r", "name the 0-5, name bor 7-12"),
        ("a b", "word a 0-1, word b 2-3"),
        ("2.50:1", "number 5/2:1 0-6"),
        ("2.50 to 1.00", "number 5/2:1 0-12"),
        ("2.50: 1", "number 5/2 0-4, number 1 6-7"),
        ("2.50 to 12", "number 5/2 0-4, opposite - 5-7, number 12 8-10"),
        ("5 May", "number 5 0-1, month 5 2-5"),
        ("May 5", "month 5 0-3, number 5 4-5"),
        ("may pay", "modal PERMISSION 0-3, opposite - 4-7"),
        ("kr 5", "currency SEK/NOK/DKK 0-2, number 5 3-4"),
        ("5 kr", "number 5 0-1, currency SEK/NOK/DKK 2-4"),
        ("kr due", "word kr 0-2, word due 3-6"),
        ("usd 5", "currency USD 0-3, number 5 4-5"),
        ("usd", "word usd 0-3"),
        ("Section 5.10", "name section 0-7, number 5.10 8-12"),
        ("of 5.10", "word of 0-2, number 51/10 3-7"),
        ("three hundred million", "number 300000000 0-21"),
        ("5 million", "number 5000000 0-9"),
        ("a half", "number 1/2 0-6"),
        ("<= 5", "sign ≤ 0-2, number 5 3-4"),
        ("12‰", "number 12 0-2, unit ‰ 2-3"),
    ],
)
def test_tokens(text: str, said: str) -> None:
    found = [f"{t.kind} {'-' if t.kind == 'opposite' else t.meaning} {t.start}-{t.end}" for t in tokenize(text)]
    assert ", ".join(found) == said


@pytest.mark.parametrize(
    ("text", "bracket", "is_negative"),
    [
        ("(1) x", "enumerator", False),
        ("of (4,200)", "figure", False),
        ("a sum\u2014(5)", "figure", False),
        ("of -5", "", True),
        ("of 4-5", "", False),
    ],
)
def test_what_stands_around_a_figure(text: str, bracket: str, is_negative: bool) -> None:
    number = [token for token in tokenize(text) if token.kind == "number"][-1]
    assert (number.bracket, number.is_negative) == (bracket, is_negative)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("350,000", "350 000", True),
        ("66 2/3", "66⅔", True),
        ("662/3", "66 2/3", True),
        ("1.5", "1.50", True),
        ("1.5", "15", False),
        ("66 2/3", "66 1/3", False),
    ],
)
def test_figures_that_say_the_same_number(one: str, other: str, same: bool) -> None:
    assert same_number(one, other) is same


@pytest.mark.parametrize(("meaning", "shown"), [("5/2", "2.5"), ("41/10:1", "4.1:1"), ("1/3", "1/3"), ("1/8", "0.125"), ("7", "7")])
def test_a_figure_is_shown_as_people_write_it(meaning: str, shown: str) -> None:
    assert written(meaning) == shown


SENTENCES = (
    "The Borrower shall pay not less than three hundred million Dollars.",
    "“Margin” means 2.50 per cent. per annum;",
    "(b) no Default is continuing on 30/06/2029;",
    "The ratio shall not exceed 4.00 to 1.00 as at May 31;",
    "Notice of (1) five Business Days, or (2) US$5,000,000 and Rs. 500, is required.",
    "It may not (other than as set out in Section 5.10) incur (25,000) of Indebtedness.",
)


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5), st.sampled_from((" ", "\n", "  ")))
def test_a_sentence_has_the_tokens_that_it_has_alone(sentences: list[str], space: str) -> None:
    alone = [token[:3] + token[5:] for sentence in sentences for token in tokenize(sentence)]
    text = space.join(sentences)
    assert [token[:3] + token[5:] for token in tokenize(text)] == alone
    assert all(text[t.start : t.end].casefold() in sentences[0].casefold() for t in tokenize(text)[: len(tokenize(sentences[0]))])
