"""Places by evidence: counts of pages that run through the sheets, what is a provision, and where neither tells."""

import pytest

from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.clauses.index import build_index
from deterministic.documents.documents import Document
from tests.tables import table, text

POLICY = CitationPolicy(70.0, 90.0)
WORDS = "alder birch cedar dogwood elm fir gorse hazel iris juniper kelp larch maple nettle oak pine quince rowan sorrel tansy".split()


def sentence(n: int) -> str:
    first, second = WORDS[n % 20], WORDS[n // 20]
    return f"The Borrower shall on demand deliver {first} and {second} to the Agent at its own cost and expense"


def reprint(old_pages: int, lines: int, sheet: int, *, first: int = 1, is_head: bool = False, is_browser: bool = True) -> list[str]:
    """An agreement of `old_pages` pages of so many lines, printed anew on sheets of `sheet` lines: its numbers stand anywhere."""
    flow = []
    for page in range(old_pages):
        text = [(f"Section 2.{n} Undertaking. " if n % 9 == 1 else "") + sentence(n) for n in range(page * lines, (page + 1) * lines)]
        number = str(first + page)
        flow += [number, *text] if is_head else [*text, number]
    sheets = [flow[at : at + sheet] for at in range(0, len(flow), sheet)]
    return ["\n".join([*one, *([f"{n}/{len(sheets)}"] if is_browser else [])]) for n, one in enumerate(sheets, 1)]


def page_word(document: Document, page: int | str, quote: str) -> str:
    return check_citation(Claim("a.pdf", page, None, quote), [document], POLICY).page


@pytest.mark.parametrize("is_head", [False, True])
@pytest.mark.parametrize("is_browser", [False, True])
def test_an_earlier_prints_number_names_the_text_of_its_page_and_no_other(is_head: bool, is_browser: bool) -> None:
    document = Document.from_pages("a.pdf", reprint(12, 20, 31, is_head=is_head, is_browser=is_browser))
    for n in (45, 70, 105, 160):
        own, sheet = n // 20 + 1, document.page_at(document.text.index(sentence(n))) + 0
        assert page_word(document, own, sentence(n)) in ("printed", "right")
        assert page_word(document, sheet, sentence(n)) == "right"
        for other in {own - 2, own + 2} - {sheet, own}:
            assert page_word(document, other, sentence(n)) == "wrong"


def test_nothing_is_counted_on_past_the_ends_of_a_count() -> None:
    sheets = reprint(8, 20, 31, first=14)
    sheets = ["\n".join(sentence(n) for n in range(300, 330)), "\n".join(sentence(n) for n in range(330, 360)), *sheets]
    sheets += ["\n".join(sentence(n) for n in range(360, 390)), "\n".join(sentence(n) for n in range(370, 399))]
    document = Document.from_pages("a.pdf", sheets)
    assert page_word(document, 14, sentence(305)) == page_word(document, 40, sentence(50)) == "wrong"
    assert page_word(document, 22, sentence(389)) == "unknown"  # it may be: the page behind the last number


def test_a_quote_over_an_earlier_prints_number_is_verbatim() -> None:
    document = Document.from_pages("a.pdf", reprint(12, 20, 31))
    quote = f"{sentence(79)} {sentence(80)}"
    assert check_citation(Claim("a.pdf", 5, "Section 2.73", quote), [document], POLICY).quote in ("exact", "normalised")


@pytest.mark.parametrize(("page", "section", "word"), table("places", "page_and_section_in_one_string_are_two_claims"))
def test_page_and_section_in_one_string_are_two_claims(page: str | None, section: str, word: str) -> None:
    texts = ["1. LOAN\n1.1 Loan. The Lender lends ten.", "2. FEES\n2.1 Fee. A fee of six is paid."]
    found = check_citation(Claim("a.pdf", page, section, "A fee of six is paid."), [Document.from_pages("a.pdf", texts)], POLICY)
    assert (found.page, found.section) == (word, "right")


# ---- what is a provision ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "reference", "words"), table("places", "where_a_provision_is"))
def test_where_a_provision_is(name: str, reference: str, words: str) -> None:
    provisions = text("places", name)
    at = provisions.rindex(words)
    found = build_index(provisions).find(reference)
    assert found.status == "found" and any(clause.start <= at < clause.end for clause in found.clauses)


def test_a_list_of_a_letter_is_no_clause_and_headings_stay() -> None:
    index = build_index(text("places", "note"))
    assert not any(
        clause.start <= text("places", "note").index("conversion of note is") < clause.end for clause in index.find("Section 2").clauses
    )


# ---- where it is not known ---------------------------------------------------------------------------------------------------

PLAIN = "1. LOAN\nThe Lender lends.\nThe sum is ten, and b. it is due.\n2. FEES\n(a) A fee is paid.\n(b) It is six.\n3. LAW\nEnglish law."


@pytest.mark.parametrize(("section", "quote", "word"), table("places", "a_place_is_contradicted_only_where_it_is_known"))
def test_a_place_is_contradicted_only_where_it_is_known(section: str, quote: str, word: str) -> None:
    document = Document.from_pages("a.pdf", [PLAIN])
    assert check_citation(Claim("a.pdf", 1, section, quote), [document], POLICY).section == word


ANEW = (
    "FIRST AMENDMENT\nARTICLE I\nAMENDMENTS\n1. Fees. The fee of the Agent falls to one.\n2. Margin. The Margin rises by two in May.\n"
    "ARTICLE II\nCONDITIONS\n1. Notes. Borrower hands over its notes.\n2. Opinions. Counsel gives an opinion of law.\n"
    "ARTICLE III\nMISCELLANEOUS\n1. Law. The laws of Louisiana govern this text.\n2. Copies. It may be signed in copies."
)


@pytest.mark.parametrize("reference", ["Article II, paragraph 2", "Article II.2", "Article II, item 2"])
def test_each_article_may_count_anew(reference: str) -> None:
    found = build_index(ANEW).find(reference)
    at = ANEW.index("Counsel gives")
    assert found.status == "found" and all(clause.start <= at < clause.end for clause in found.clauses)


LETTERED = text("places", "lettered")


@pytest.mark.parametrize(("section", "quote", "word"), table("places", "contents_without_a_title_and_sections_with_letters"))
def test_contents_without_a_title_and_sections_with_letters(section: str, quote: str, word: str) -> None:
    document = Document.from_pages("a.pdf", [LETTERED])
    assert check_citation(Claim("a.pdf", 1, section, quote), [document], POLICY).section == word


def test_a_pages_number_above_its_text_is_no_clause() -> None:
    index = build_index(
        "1. DEFINITIONS\n“Agent” means a bank.\n2\n“Availability” means what is left to draw.\n3. LAW\nThe laws of Ohio govern."
    )
    assert not any(clause.number == "2" for clause in index.clauses)


@pytest.mark.parametrize("foot", ["{}", "UK - 2058.10 {}"])
def test_numbers_of_an_excerpt_beside_a_prints_own(foot: str) -> None:
    numbers = ["i", "2", "5", "19", "21", "S-1", "Schedule 1-1"] if foot == "{}" else ["52", "53", "84", "192", "220", "221", "230"]
    pages = [
        f"The Borrower delivers {WORDS[n]} to the Agent\non each day of the term\n" + foot.format(one) + f"\n{n}/7"
        for n, one in enumerate(numbers, 1)
    ]
    document = Document.from_pages("a.pdf", pages)
    for n, one in enumerate(numbers, 1):
        quote = f"The Borrower delivers {WORDS[n]} to the Agent"
        assert page_word(document, one, quote) in ("printed", "right")
        if n < 5:
            assert page_word(document, numbers[n], quote) not in ("printed", "right")
