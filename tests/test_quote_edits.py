"""A nearly verbatim quote: one guarded word changed, added or left out never has marks; an article does no harm."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import GUARDED, GuardedClass
from deterministic.lexicon.phrases import FUNCTION_WORDS
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import QuoteMatch
from tests.tables import entries, table, text

TEXT = text("quote_edits", "text")
DOCUMENT = Document.from_pages("terms.pdf", [TEXT])
SENTENCES = [line for line in TEXT.splitlines() if line[0].isalpha()]
MARKS = ("exact", "normalised", "paraphrased")
CHANGES: dict[str, tuple[str, ...]] = entries("quote_edits", "changes", tuples=True)
OTHERS: dict[str, tuple[str, ...]] = entries("quote_edits", "others", tuples=True)


def found(quote: str) -> QuoteMatch:
    return find_quote(DOCUMENT, quote, page_hint=1, lower=70)


SITES = [
    (kind, word, sentence) for kind, words in CHANGES.items() for word in words for sentence in SENTENCES if f" {word}" in f" {sentence}"
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_verbatim(sentence: str) -> None:
    assert found(sentence).is_verbatim


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(SITES), st.integers(0, 3))
def test_one_guarded_word_for_another_never_has_marks(site: tuple[str, str, str], choice: int) -> None:
    kind, word, sentence = site
    other = OTHERS[kind][choice % len(OTHERS[kind])]
    altered = f" {sentence}".replace(f" {word}", f" {other}", 1).strip()
    assert found(altered).verdict not in MARKS, altered


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([site for site in SITES if site[0] not in ("connective", "currency", "time") and site[1] != "per cent."]))
def test_a_guarded_word_left_out_never_has_marks(site: tuple[str, str, str]) -> None:
    _, word, sentence = site
    altered = f" {sentence}".replace(f" {word}", "", 1).strip()
    if not sentence.rstrip(".").endswith(word) and not sentence.startswith(word):  # there it is only a shorter quote
        assert found(altered).verdict not in MARKS, altered


ADDED: tuple[GuardedClass, ...] = ("negation", "limit", "exception", "number")


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from(SENTENCES), st.integers(2, 12), st.sampled_from([w for kind in ADDED for w in sorted(GUARDED[kind] - FUNCTION_WORDS)])
)
def test_a_guarded_word_added_never_has_marks(sentence: str, at: int, word: str) -> None:
    words = sentence.split()
    altered = " ".join((*words[:at], word, *words[at:]))
    assert found(altered).verdict not in MARKS, altered


@pytest.mark.parametrize(("right", "other"), table("quote_edits", "an_article_or_preposition_is_paraphrased"))
def test_an_article_or_preposition_is_paraphrased(right: str, other: str) -> None:
    sentence = next(one for one in SENTENCES if right in one)
    match = found(sentence.replace(right, other))
    assert match.verdict == "paraphrased" and [code for code, _ in match.findings] == ["WORD_CHANGED"]


ROW = Document.from_pages(
    "row.pdf", ["2.1 Figures\nNet cash flow\n(153) 12 (35) 7 (103)\n2.2 End\n(1) the Agent and (2) each Lender shall sign.\n"]
)


@pytest.mark.parametrize(("quote", "verdicts"), table("quote_edits", "a_bracketed_number_in_a_row_of_figures_is_a_figure"))
def test_a_bracketed_number_in_a_row_of_figures_is_a_figure(quote: str, verdicts: list[str]) -> None:
    assert find_quote(ROW, quote, page_hint=1, lower=70).verdict in verdicts


BOXES = Document.from_pages(
    "form.pdf", ["3.1 Type\n☒ Term loan ☐ Revolving credit facility\n3.2 Pledge\n✓ Negative pledge ✗ Cross default\n"]
)


@pytest.mark.parametrize(("quote", "has_marks"), table("quote_edits", "check_boxes"))
def test_check_boxes(quote: str, has_marks: bool) -> None:
    assert (find_quote(BOXES, quote, page_hint=1, lower=70).verdict in MARKS) is has_marks


COVENANTS = Document.from_pages("us.pdf", table("quote_edits", "covenants"))


@pytest.mark.parametrize(("quote", "verdicts"), table("quote_edits", "elisions_spellings_and_what_only_a_reader_can_tell"))
def test_elisions_spellings_and_what_only_a_reader_can_tell(quote: str, verdicts: list[str]) -> None:
    assert find_quote(COVENANTS, quote, page_hint=1, lower=70).verdict in verdicts


@pytest.mark.parametrize("sentence", [sentence for sentence in SENTENCES if "Guarantor" in sentence])
def test_a_slip_in_a_role_is_a_question_and_another_role_is_not(sentence: str) -> None:
    for slip in ("Guaranto", "Guarantorr", "Guarentor"):
        assert found(sentence.replace("Guarantor", slip, 1)).verdict not in ("altered", "not_found", "exact", "normalised"), slip
    assert found(sentence.replace("Guarantor", "Servicer", 1)).verdict not in MARKS
