"""Words, numbers and marks as quotes are compared by: what a token says, where it stands, which figures are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.quotes.tokens import same_number, tokenize
from tests.tables import table


@pytest.mark.parametrize(("text", "said"), table("quote_tokens", "tokens"))
def test_tokens(text: str, said: str) -> None:
    found = [f"{t.kind} {'-' if t.kind == 'opposite' else t.meaning} {t.start}-{t.end}" for t in tokenize(text)]
    assert ", ".join(found) == said


@pytest.mark.parametrize(("text", "bracket", "is_negative"), table("quote_tokens", "what_stands_around_a_figure"))
def test_what_stands_around_a_figure(text: str, bracket: str, is_negative: bool) -> None:
    number = [token for token in tokenize(text) if token.kind == "number"][-1]
    assert (number.bracket, number.is_negative) == (bracket, is_negative)


@pytest.mark.parametrize(("one", "other", "same"), table("quote_tokens", "figures_that_say_the_same_number"))
def test_figures_that_say_the_same_number(one: str, other: str, same: bool) -> None:
    assert same_number(one, other) is same


SENTENCES = tuple(table("quote_tokens", "sentences"))


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5), st.sampled_from((" ", "\n", "  ")))
def test_a_sentence_has_the_tokens_that_it_has_alone(sentences: list[str], space: str) -> None:
    alone = [token[:3] + token[5:] for sentence in sentences for token in tokenize(sentence)]
    text = space.join(sentences)
    assert [token[:3] + token[5:] for token in tokenize(text)] == alone
    assert all(text[t.start : t.end].casefold() in sentences[0].casefold() for t in tokenize(text)[: len(tokenize(sentences[0]))])
