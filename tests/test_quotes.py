"""Every sentence of design/quotes.md as rows: what stands in the document, what is quoted, what must come out."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.quotes.find import _likely, find_quote, judge_reading
from deterministic.quotes.guards import Reading
from deterministic.quotes.quote_match import QuoteMatch
from tests.tables import entries, table, text

PAGES = text("quotes", "pages").split("\n----\n")
DOCUMENT = Document.from_pages("agreement.pdf", PAGES)


def find(quote: str, page: int | None = None, document: Document = DOCUMENT) -> QuoteMatch:
    return find_quote(document, quote, page_hint=page, lower=70.0)


def codes(match: QuoteMatch) -> set[str]:
    return {code for code, _ in match.findings}


FULL_MARKS = table("quotes", "full_marks")


@pytest.mark.parametrize(("quote", "verdict"), FULL_MARKS)
def test_full_marks(quote: str, verdict: str) -> None:
    match = find(quote)
    assert match.verdict == verdict
    assert not codes(match)
    assert match.window


ALTERED = entries("quotes", "altered")


@pytest.mark.parametrize(("given", "written"), [("50", "66 2/3"), ("40.5", "07"), ("0040", "0045")])
def test_figures_are_named_as_both_texts_write_them(given: str, written: str) -> None:
    text = f"No consent is needed where the Lenders hold more than {written} per cent. of the Total Commitments under this Agreement."
    match = find(text.replace(written, given), document=Document.from_pages("agreement.pdf", [text]))
    assert f"the quote says {given}, the document {written}" in dict(match.findings)["ALTERED_QUOTE"]


@pytest.mark.parametrize("quote", ALTERED.values(), ids=ALTERED.keys())
def test_altered(quote: str) -> None:
    match = find(quote)
    assert match.verdict == "not_found"
    assert codes(match) == {"ALTERED_QUOTE"}


LOST = table("quotes", "lost")


@pytest.mark.parametrize("quote", LOST)
def test_mark_lost(quote: str) -> None:
    match = find(quote)
    assert match.verdict == "paraphrased"
    assert codes(match) == {"QUOTE_MARK_LOST"}


REWORDED = entries("quotes", "reworded")


@pytest.mark.parametrize("quote", REWORDED.values(), ids=REWORDED.keys())
def test_reworded(quote: str) -> None:
    match = find(quote)
    assert match.verdict == "paraphrased"
    assert codes(match) <= {"WORD_CHANGED"}


DOUBTFUL = entries("quotes", "doubtful")


@pytest.mark.parametrize("quote", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_what_no_edit_decides_is_a_question(quote: str) -> None:
    assert find(quote).verdict == "open"


def test_between_the_thresholds_a_judge_decides() -> None:
    match = find("No Obligor shall grant or permit Security on any assets.")
    assert match.verdict == "open"
    assert 70 <= match.similarity < 90


def test_invented() -> None:
    match = find("Each party irrevocably waives trial by jury and consents to arbitration in Zurich.")
    assert match.verdict == "not_found"
    assert not codes(match), "nothing was altered where nothing is alike"


@pytest.mark.parametrize(("quote", "verdict"), [(" … ", "missing"), ("[—]", "missing"), ("\\" * 9000, "open"), ("(" * 30, "open")])
def test_quote_without_letters_is_missing_but_a_stretch_of_signs_is_a_question(quote: str, verdict: str) -> None:
    assert find(quote).verdict == verdict


def filled(texts: list[str]) -> list[str]:
    """Pages of many lines: the first one ends with its text, the others begin with theirs."""
    return ["more of it.\n" * 9 + texts[0], *(text + "\nmore of it." * 9 for text in texts[1:])]


class TestPlaces:
    def test_every_occurrence(self) -> None:
        match = find("Each payment shall be made in London.")
        assert [place.pages for place in match.occurrences] == [(4,), (4,)]

    def test_a_page_break_is_no_break(self) -> None:
        match = find("free of set-off or counterclaim", page=3)
        assert [place.pages for place in match.occurrences] == [(3, 4)]

    def test_running_lines_are_folded(self) -> None:
        pages = [
            f"Halcyon – Agreement\n{text}\n{n}"
            for n, text in enumerate(["a " * 30 + "The sum is", "due on 4 May 2026. " + "b " * 30, "c " * 40], 1)
        ]
        document = Document.from_pages("x.pdf", pages)
        assert find("The sum is due on 4 May 2026.", document=document).verdict == "normalised"
        with_header = find("Halcyon – Agreement due on 4 May 2026.", document=document)
        assert with_header.verdict == "normalised"
        assert with_header.occurrences[0].pages[-1] == 2

    @pytest.mark.parametrize("quote", table("quotes", "some_running_lines_in_another_order_are_a_question"))
    def test_some_running_lines_in_another_order_are_a_question(self, quote: str) -> None:
        texts = ["a " * 30 + "all renewals and exten-", "sions of, amendments and supplements to the foregoing made on 2 May 2026."]
        texts += ["(c) In no event shall the interest received exceed 12% per annum.", "d " * 40]
        head = "Sedge Harbour and others\nTerm Loan Agreement"
        pages = [f"{head}\n- {n} -\nexv10w1\n{n}/23\n{text}" for n, text in enumerate(filled(texts), 1)]
        assert find(quote, document=Document.from_pages("x.pdf", pages)).verdict == "open"

    @pytest.mark.parametrize("quote", table("quotes", "running_lines_hide_no_change"))
    def test_running_lines_hide_no_change(self, quote: str) -> None:
        texts = ["a " * 30 + "all renewals and exten-", "sions of, amendments and supplements to the foregoing made on 2 May 2026."]
        texts += ["(c) In no event shall the interest exceed 12% per annum in any year that ends before the Final Date. The Borrower"]
        texts += ["shall pay the costs of the valuation within ten days.", "e " * 40]
        pages = [f"Term Loan Agreement\nAgent\n{n}\n{text}" for n, text in enumerate(filled(texts), 1)]
        assert find(quote, document=Document.from_pages("x.pdf", pages)).verdict not in ("exact", "normalised")

    def test_the_cited_place_is_altered_though_the_rest_of_the_document_is_alike(self) -> None:
        assert codes(find("Each payment shall be made in Paris.", page=4)) == {"ALTERED_QUOTE"}


class TestEllipsis:
    def test_two_clauses(self) -> None:
        match = find("The Borrower shall repay the Loans … The Borrower may not reborrow any part")
        assert match.verdict == "paraphrased"
        assert codes(match) == {"JOIN_BROKEN"}
        assert match.occurrences[0].pages == (3,)

    def test_out_of_order(self) -> None:
        match = find("on the Final Date … The Borrower shall repay the Loans")
        assert match.verdict == "paraphrased"
        assert codes(match) == {"JOIN_BROKEN"}

    def test_a_part_that_is_nowhere(self) -> None:
        assert find("The Borrower shall repay the Loans … and shall thank the moon for its light").verdict == "not_found"

    def test_a_reworded_part(self) -> None:
        part = "the first of which must be paid on the date falling six Months after the date of this Agreement"
        assert find(f"The Borrower shall repay the Loans … {part}").verdict == "paraphrased"


class TestUnreadable:
    SCANNED = Document.from_pages("scan.pdf", [PAGES[1], "", PAGES[2]], states=["text", "scan", "text"])

    def test_cited_page_cannot_be_read(self) -> None:
        assert find("a commitment fee of 0.70 per cent. of the undrawn part", page=2, document=self.SCANNED).verdict == "unreadable"

    def test_nowhere_while_some_page_cannot_be_read(self) -> None:
        assert find("a commitment fee of 0.70 per cent. of the undrawn part", document=self.SCANNED).verdict == "unreadable"

    def test_altered_on_a_readable_page(self) -> None:
        match = find("“Margin” means 3.55 per cent. per annum.", page=1, document=self.SCANNED)
        assert match.verdict == "not_found"
        assert codes(match) == {"ALTERED_QUOTE"}

    def test_altered_text_may_stand_on_the_cited_scan(self) -> None:
        assert find("“Margin” means 3.55 per cent. per annum.", page=2, document=self.SCANNED).verdict == "unreadable"

    def test_found_elsewhere(self) -> None:
        assert find("“Margin” means 3.45 per cent. per annum.", page=2, document=self.SCANNED).verdict == "exact"

    def test_a_rewording_on_a_readable_cited_page_is_for_the_judge(self) -> None:
        document = Document.from_pages("scan.pdf", [PAGES[3], ""], states=["text", "scan"])
        quote = "No Obligor shall grant or permit Security on any assets."
        assert [find(quote, page, document).verdict for page in (1, 2, None)] == ["open", "unreadable", "unreadable"]

    def test_unmapped_glyphs(self) -> None:
        document = Document.from_pages(
            "x.pdf", ["The Borrower shall keep all con\ufffddential information for \ufffd\ufffd years after the Final Date."]
        )
        assert find("The Borrower shall keep all confidential information for", document=document).verdict == "unreadable"
        assert find("The Borrower shall keep all confidential matters for", document=document).verdict in ("open", "paraphrased")


WORDS = DOCUMENT.text.split()


@settings(max_examples=120, deadline=None)
@given(st.integers(0, len(WORDS) - 8), st.integers(8, 40))
def test_verbatim_words_have_full_marks(start: int, length: int) -> None:
    quote = " ".join(WORDS[start : start + length])
    match = find(quote)
    if {"no", "not"} & {word.casefold() for word in WORDS[max(0, start - 2) : start]}:
        return  # the word that turns the sentence round is cut off
    assert match.is_verbatim, (quote, match)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, len(WORDS) - 12), st.integers(8, 40), st.randoms(use_true_random=False))
def test_a_changed_digit_never_has_marks(start: int, length: int, random: object) -> None:
    quote = " ".join(WORDS[start : start + length])
    labels = {at for label in re.finditer(r"\(\d+\)|^\d+\.(?:\d+)?(?= )|\b\d+\.\d+(?= [A-Z][a-z])", quote) for at in range(*label.span())}
    digits = [at for at, character in enumerate(quote) if character.isascii() and character.isdigit() and at not in labels]
    if not digits:
        return
    at = random.choice(digits)  # type: ignore[attr-defined]
    other = random.choice([d for d in "0123456789" if d != quote[at]])  # type: ignore[attr-defined]
    assert find(quote[:at] + other + quote[at + 1 :]).verdict in ("not_found", "open")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.none() | st.integers(-3, 9))
def test_no_quote_breaks_the_search(quote: str, page: int | None) -> None:
    find(quote, page)
    find(f"The Borrower shall {quote} repay the Loans", page)


NEIGHBOURS = (
    "“Margin” means:\n(a) in relation to any Facility A Loan, 2.75 per cent. per annum; and\n"
    "(b) in relation to any Facility B Loan, 2.25 per cent. per annum.\n"
)


@pytest.mark.parametrize(("quote", "verdict"), table("quotes", "a_neighbour_that_ends_in_the_same_words_does_not_hide_a_rewording"))
def test_a_neighbour_that_ends_in_the_same_words_does_not_hide_a_rewording(quote: str, verdict: str) -> None:
    assert find_quote(Document.from_pages("a.pdf", [NEIGHBOURS]), quote, page_hint=1, lower=70).verdict == verdict


@pytest.mark.parametrize(("wording", "similarity", "details", "verdict", "code"), table("quotes", "the_verdict_on_a_window", tuples=True))
def test_the_verdict_on_a_window(wording: str, similarity: float, details: tuple[str, ...], verdict: str, code: str | None) -> None:
    found = judge_reading(DOCUMENT, Reading(wording, 0, 40, similarity, details, (("MODAL", ""),)), 70.0)  # type: ignore[arg-type]
    assert found.verdict == verdict and codes(found) == ({code} if code else set())


def test_places_worth_a_comparison_in_order() -> None:
    """Those that share nearly as many words as the best one, three at most, always one."""
    text = "alpha beta gamma | alpha beta other | alpha beta gamma | some other words | alpha beta gamma | alpha beta gamma"
    windows = [(start, start + 16) for start in (0, 19, 38, 57, 76, 95)]
    assert _likely(text, "alpha beta gamma", windows[::-1], 70.0) == [windows[0], windows[2], windows[4]]
    assert _likely(text, "alpha beta gamma", windows[:2], 70.0) == windows[:1], "two words of three are 33 points less"
    assert _likely(text, "alpha beta gamma", windows[3:4], 70.0) == windows[3:4] and _likely(text, "alpha", [], 70.0) == []
    assert _likely(text, "alpha beta gamma", [windows[1], windows[1], windows[3]], 70.0) == windows[1:2]
    less = [(0, 39), (40, 79)]
    text = "alpha beta gamma delta kappa sigma other".ljust(40) + "alpha beta gamma delta kappa other other"
    assert _likely(text, "alpha beta gamma delta kappa sigma one two three four", less, 70.0) == less, "six and five words of ten"


@pytest.mark.parametrize(("state", "is_damaged", "page", "verdict"), table("quotes", "an_altered_quote_beside_a_page_that_cannot_be_read"))
def test_an_altered_quote_beside_a_page_that_cannot_be_read(state: Any, is_damaged: bool, page: int, verdict: str) -> None:
    document = Document.from_pages("scan.pdf", [PAGES[1], "", PAGES[2]], states=[state, "scan", "text"])
    document.is_damaged = is_damaged
    assert find("“Margin” means 3.55 per cent. per annum.", page, document).verdict == verdict
