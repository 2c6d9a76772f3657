"""Quotes and texts of broken fonts, careless copies and hostile outputs: the right ones are not invented, wrong ones have no marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import plain_letters
from deterministic.quotes.find import find_quote
from deterministic.quotes.quote_match import QuoteMatch
from deterministic.values import comparison
from tests.tables import table

PLEDGE = "The Borrower shall not create or permit to subsist any Security over any of its assets"
REPAY = "The Borrower shall repay USD 185,000,000 in full on 30 June 2029"
RATIO = "Leverage shall not exceed 4.00:1 for each Relevant Period ending on or before 31 December 2027"
FINAL = "The Guarantor shall pay each amount that is due on 6 May 2029 within three Business Days"


def document(*sentences: str) -> Document:
    lines = [f"1.{n} {sentence}." for n, sentence in enumerate(sentences, 1)]
    return Document.from_pages("a.pdf", ["1. TERMS\n" + "\n".join(lines) + "\n1.9 Each Lender shall act through its Facility Office."])


WHOLE = document(PLEDGE, REPAY, RATIO, FINAL)


def find(quote: str, source: Document = WHOLE) -> QuoteMatch:
    return find_quote(source, quote, page_hint=1, lower=70)


# ---- letters that look like others ---------------------------------------------------------------------------------

CYRILLIC = str.maketrans("aceopsxiBTHMABC", "асеорѕхіВТНМАВС")


@pytest.mark.parametrize("source", [PLEDGE, REPAY, RATIO])
def test_lookalike_letters_on_either_side_are_the_letters(source: str) -> None:
    disguised = source.translate(CYRILLIC)
    assert disguised != source
    assert (find(disguised).verdict, find(source).verdict) == ("normalised", "exact")
    assert find(source, document(disguised)).is_verbatim
    assert comparison.as_text(disguised) == source
    altered = source.replace("not ", "").replace("185", "186").translate(CYRILLIC)
    assert not find(altered).is_verbatim


@given(st.text(alphabet="аеорсухвктмнёжыώαβγοροςАВСЕНКМОРТХ ", max_size=60))
def test_cyrillic_and_greek_words_stay_words_whatever_their_case(text: str) -> None:
    assert len(plain_letters(text)) == len(text)
    both = document(f"{text.upper()} означает договор займа между Сторонами")
    assert find("означает договор займа между Сторонами", both).is_verbatim
    for word in text.split():
        if not any("A" <= letter <= "z" for letter in plain_letters(word)):
            assert plain_letters(word) == word


# ---- glyphs without a letter ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", table("quote_attacks", "digits_that_a_font_does_not_tell_are_unreadable_and_no_other_number"))
def test_digits_that_a_font_does_not_tell_are_unreadable_and_no_other_number(lost: str) -> None:
    source = document(REPAY.replace("185,000,000", lost))
    assert find(REPAY, source).verdict == "unreadable"
    assert find(REPAY.replace("185,000,000", lost)).verdict == "unreadable"
    assert find(REPAY.replace("185", "185,900"), source).verdict != "exact"


@pytest.mark.parametrize(("source", "quote"), [("\uf0b7 30 days after the date of a demand", "45 days after the date of a demand")])
def test_a_bullet_hides_no_digit(source: str, quote: str) -> None:
    assert find(quote, document(source)).verdict == "not_found"


# ---- words without spaces, invisible characters --------------------------------------------------------------------


@pytest.mark.parametrize("glue", ["", "\0", "\u200b", "\u2060", "\u202e"])
@pytest.mark.parametrize("sentence", [PLEDGE, REPAY])
def test_a_quote_without_its_spaces_is_judged(glue: str, sentence: str) -> None:
    assert find(sentence.replace(" ", glue)).is_verbatim
    invented = "The Lenders shall release every Guarantor upon payment of a fee of EUR 12,000".replace(" ", glue)
    assert find(invented).verdict == "not_found"


@pytest.mark.parametrize("mark", "\u200b\u2060\u200d\ufeff\u202c")
def test_invisible_characters_between_letters_hide_nothing(mark: str) -> None:
    assert find(mark.join(PLEDGE)).is_verbatim
    altered = find(mark.join(PLEDGE.replace("not ", "")))
    assert altered.verdict == "not_found" and altered.findings


# ---- one quantity in another notation ------------------------------------------------------------------------------

DATES = ["2029-06-30", "2029/06/30", "30/06/2029", "06/30/2029", "30.06.2029", "30-06-2029"]


@pytest.mark.parametrize("date", DATES)
def test_a_date_in_figures_is_the_date(date: str) -> None:
    assert find(REPAY.replace("30 June 2029", date)).verdict == "paraphrased"
    assert find(REPAY, document(REPAY.replace("30 June 2029", date))).verdict == "paraphrased"
    for wrong in (date.replace("06", "07"), date.replace("30", "29"), date.replace("2029", "2028")):
        assert find(REPAY.replace("30 June 2029", wrong)).verdict == "not_found", wrong


@pytest.mark.parametrize(("date", "verdict"), [("06/05/2029", "paraphrased"), ("05/06/2029", "open"), ("05/06/2028", "not_found")])
def test_a_date_with_two_readings_contradicts_nothing_that_one_of_them_says(date: str, verdict: str) -> None:
    assert find(FINAL.replace("6 May 2029", date)).verdict == verdict


@pytest.mark.parametrize("ratio", ["4.00x", "4.0x", "4x", "4.00×", "4.00 times", "four times", "4.00 to 1.00"])
def test_a_multiple_is_a_ratio_to_one(ratio: str) -> None:
    assert find(RATIO.replace("4.00:1", ratio)).verdict == "paraphrased"
    assert find(RATIO, document(RATIO.replace("4.00:1", ratio))).verdict == "paraphrased"
    for wrong in (ratio.replace("4", "3").replace("four", "five"),):
        assert find(RATIO.replace("4.00:1", wrong)).verdict == "not_found"


def test_times_a_year_are_no_ratio() -> None:
    source = document("The Agent may inspect the books of the Borrower two times a year and at no other time")
    assert find("The Agent may inspect the books of the Borrower 2:1 a year and at no other time", source).verdict in ("open", "not_found")


@pytest.mark.parametrize("amount", ["185,000, 000", "185, 000, 000", "185 ,000,000", "1 85,000,000"])
def test_a_space_inside_a_quoted_number_is_a_question(amount: str) -> None:
    assert find(REPAY.replace("185,000,000", amount)).verdict == "open"
    assert not find(REPAY.replace("185,000,000", amount.replace("85", "86"))).is_verbatim


@pytest.mark.parametrize(("said", "there", "verdict"), table("quote_attacks", "square_brackets_are_an_editor_s_and_round_ones_a_minus"))
def test_square_brackets_are_an_editor_s_and_round_ones_a_minus(said: str, there: str, verdict: str) -> None:
    assert find(REPAY.replace("185,000,000", said), document(REPAY.replace("185,000,000", there))).verdict == verdict


@pytest.mark.parametrize(("said", "there", "verdict"), table("quote_attacks", "a_dollar_of_one_country_in_place_of_any"))
def test_a_dollar_of_one_country_in_place_of_any_is_a_question(said: str, there: str, verdict: str) -> None:
    loan = "The Lenders make available to the Borrower a {} term loan facility of 240,000,000 under this Agreement"
    assert find(loan.format(said), document(loan.format(there))).verdict == verdict


def test_two_numbers_of_the_source_are_not_one() -> None:
    source = document("The Lenders may transfer portions of 1,000, 500 or 250 units each to any Affiliate of theirs")
    assert not find("The Lenders may transfer portions of 1,000,500 or 250 units each to any Affiliate of theirs", source).is_verbatim


# ---- what a quote says of itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize("struck", ["~~not~~", "<s>not</s>", "<del>not</del>", "<strike>not</strike>"])
def test_a_word_that_the_quote_strikes_out_has_no_full_marks(struck: str) -> None:
    assert not find(PLEDGE.replace("not", struck)).is_verbatim
    assert find(PLEDGE.replace("not", struck)).verdict != "not_found"
    assert find(PLEDGE.replace("not", struck.replace("not", "always") + " not")).is_verbatim


@pytest.mark.parametrize("form", ["$%s$", "$$%s$$", "%s [emphasis added]", "%s (emphasis supplied)"])
def test_marks_of_formulas_and_remarks_are_no_text(form: str) -> None:
    assert find(form % PLEDGE).is_verbatim
    assert not find(form % PLEDGE.replace("not ", "")).is_verbatim


SUBJECTS = document(
    "Schedule 7.4 correctly sets forth the ownership interest of the Borrower in its Subsidiaries",
    "Section 5.3 shall not apply to any transfer that is made between two Lenders",
    "No judgment has been entered against the Borrower in any court",
)


@pytest.mark.parametrize(("quote", "verdict"), table("quote_attacks", "a_minus_behind_a_figure"))
def test_a_minus_behind_a_figure_is_a_question_and_a_dash_before_words_is_none(quote: str, verdict: str) -> None:
    source = document(REPAY, RATIO, "In each 10-\nday period the Borrower pays USD 5,000,000 - less all fees", "Clause 2- Interest is due")
    assert find(quote, source).verdict == verdict


@pytest.mark.parametrize(("quote", "is_right"), table("quote_attacks", "a_reference_that_is_the_sentence_s_own_is_no_label"))
def test_a_reference_that_is_the_sentence_s_own_is_no_label(quote: str, is_right: bool) -> None:
    match = find(quote, SUBJECTS)
    assert match.is_verbatim is is_right and (is_right or match.findings[0][0] == "ALTERED_QUOTE")


@pytest.mark.parametrize("letters", ["\0a", "\ufffd1", "\0f", "\ufffd", "\0, "])
def test_many_glyphs_without_a_letter_cost_no_minutes(letters: str) -> None:
    filler = letters.strip("\0\ufffd, ") or "1"
    source = document(f"The code is {filler * 300}z and stands beside the name of the Agent in each notice")
    for quote in (f"The code is {letters * 200}y and stands beside the name of the Agent in each notice", letters * 400):
        assert not find(quote, source).is_verbatim
