"""Running lines are stripped, text never is; printed page numbers are read (design/places.md)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.page_numbers import find_counts, missing_numbers, number_lines
from deterministic.documents.running_lines import find_running_lines
from tests.page_lines import strip_running_lines

WORDS = "The Borrower shall pay each amount when due and payable under this Agreement to the Agent for the account of the Lenders".split()


def pages(count: int, head: str = "Facility Agreement", foot: str = "{n}") -> list[str]:
    return [
        f"{head}\nfirst words {WORDS[n % 20]} of {WORDS[(n + 3) % 20]} run\n"
        f"on {WORDS[(n + 7) % 20]} and {WORDS[(n + 2) % 20]} until\n{foot.format(n=n + 1)}"
        for n in range(count)
    ]


@pytest.mark.parametrize(
    "foot", ["{n}", "- {n} -", "Page {n}", "Page {n} of 30", "{n} / 30", "A-{n}", "–{n}–", "[{n}]", "Execution version {n}"]
)
@pytest.mark.parametrize("count", [3, 12])
def test_header_and_page_number(foot: str, count: int) -> None:
    texts = pages(count, foot=foot)
    bodies, printed = strip_running_lines(texts)
    assert all(body == "\n".join(text.split("\n")[1:3]) for body, text in zip(bodies, texts, strict=True))
    assert printed == [(f"A-{n + 1}" if foot.startswith("A") else str(n + 1),) for n in range(count)]


@pytest.mark.parametrize("form", ["{}", "({})"])
def test_printed_numbers_with_an_offset_and_roman_ones(form: str) -> None:
    texts = pages(3, foot="") + pages(4) + pages(4, foot="x{n}")
    numbered = [
        *(f"{text}\n{form.format(roman)}" for text, roman in zip(texts[:3], ("i", "ii", "iii"), strict=True)),
        *texts[3:7],
        *(text.replace("x", "") for text in texts[7:]),
    ]
    assert strip_running_lines(numbered)[1][:7] == [("i",), ("ii",), ("iii",), ("1",), ("2",), ("3",), ("4",)]


@pytest.mark.parametrize("below", ["", "Loan Agreement\n11/28/26, 1:09 PM\nLoan Agreement\nhttp://filings.example/ex10.htm\n{n}/12"])
def test_an_excerpt_keeps_the_numbers_of_its_pages_above_the_lines_of_a_new_print(below: str) -> None:
    numbers = [1, 5, 6, 9, 11, 17, 18, 20, 44, 49, 54, 60]
    body = ["\n".join(f"{WORDS[(n + k) % 20]} {WORDS[(n * k) % 20]} and more of it" for k in range(20)) for n in range(12)]
    texts = [f"{text}\n{number}\n{below.format(n=n + 1)}" for n, (text, number) in enumerate(zip(body, numbers, strict=True))]
    assert all(str(number) in shown for number, shown in zip(numbers, strip_running_lines(texts)[1], strict=True))


def test_a_clause_number_at_the_top_of_a_page_is_no_page_number() -> None:
    texts = [f"Header\n{n + 1}\n{n * 2 + 3}.\nHEADING {WORDS[n]}\ntext of the clause {WORDS[n + 3]}" for n in range(5)]
    bodies, printed = strip_running_lines(texts)
    assert [body.split("\n")[0] for body in bodies] == ["3.", "5.", "7.", "9.", "11."]
    assert printed == [("1",), ("2",), ("3",), ("4",), ("5",)]


@pytest.mark.parametrize("space", "\x1c\x1f\xa0\u2028\t ")
def test_lone_numbers_between_any_white_space_are_read(space: str) -> None:
    texts = ["\n".join(f"{space}{n}{space}" for n in range(12)), "words of the page"]
    assert strip_running_lines(texts)[0][1] == texts[1]


def test_headings_of_schedules_on_following_pages_stay() -> None:
    texts = [f"SCHEDULE {n}\nTitle {WORDS[n]}\nwords {WORDS[n + 5]} of it" for n in range(1, 6)]
    assert strip_running_lines(texts)[0] == texts


def test_a_heading_used_as_running_header_stays_once() -> None:
    texts = [f"SCHEDULE 2\nitem {WORDS[n]} and {WORDS[n + 1]} here" for n in range(5)]
    bodies, _ = strip_running_lines(texts)
    assert bodies[0] == texts[0]
    assert all(not body.startswith("SCHEDULE") for body in bodies[1:])


def test_signature_blocks_stay() -> None:
    texts = [f"as Borrower {WORDS[n]}\n{WORDS[n + 2]} party\nBy:\nName:\nTitle:" for n in range(5)]
    assert strip_running_lines(texts)[0] == texts


def test_repeated_text_inside_a_page_stays() -> None:
    texts = [
        f"{WORDS[n]} one\n{WORDS[n + 1]} two\n{WORDS[n + 2]} three\n{WORDS[n + 3]} four\nNo Default exists.\n"
        f"{WORDS[n]} six\n{WORDS[n + 4]} seven\n{WORDS[n + 5]} eight\n{WORDS[n + 6]} nine"
        for n in range(6)
    ]
    assert strip_running_lines(texts)[0] == texts


def test_heights_find_a_footer_that_is_stored_first() -> None:
    texts = [f"LDN-77301-v14\n{n + 1}\n{n + 4}.1\nTitle {WORDS[n]}\nText {WORDS[n + 4]}" for n in range(4)]
    heights = [[812.0, 812.0, 90.0, 104.0, 118.0]] * 4
    bodies, printed = strip_running_lines(texts, heights)
    assert bodies == ["\n".join(text.split("\n")[2:]) for text in texts]
    assert printed == [("1",), ("2",), ("3",), ("4",)]


def test_a_page_of_running_lines_only_keeps_its_words() -> None:
    assert strip_running_lines(["Intentionally left blank\n1", "Intentionally left blank\n2"])[0] == ["Intentionally left blank"] * 2


def test_a_single_page() -> None:
    assert strip_running_lines(["Letter\ntext\n1"]) == (["Letter\ntext"], [("1",)])


@given(
    st.lists(
        st.lists(
            st.sampled_from(["1", "2", "- 3 -", "Header", "x 1", "SCHEDULE 1", "", "iv", "Page 1 of 2", "5."]) | st.text(max_size=8),
            max_size=12,
        ),
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_bodies_are_parts_of_their_pages(content: list[list[str]]) -> None:
    texts = ["\n".join(line.replace("\n", " ") for line in page) for page in content]
    bodies, printed = strip_running_lines(texts)
    assert len(bodies) == len(printed) == len(texts)
    for body, text in zip(bodies, texts, strict=True):
        lines = iter(text.split("\n"))
        assert all(line in lines for line in body.split("\n") if line)


def test_numbers_of_lines_are_no_text_and_items_stay() -> None:
    lines = [
        "The Borrower shall hedge not less than",
        "half of its exposure until the",
        "Termination Date under agreements",
        "that it enters into with banks.",
        "It shall not",
        "close them out.",
    ]
    beside = "\n".join(f"{n}\n{line}" for n, line in enumerate(lines, 7))
    block = "\n".join(map(str, range(1, 12))) + "\n" + "\n".join(lines)
    assert strip_running_lines([beside])[0] == strip_running_lines([block])[0] == ["\n".join(lines)]
    items = "Conditions\n" + "\n".join(f"{n}\nA certificate of {WORDS[n]}." for n in range(1, 8))
    assert strip_running_lines([items])[0] == [items]


def test_worded_numbers_inside_pages_count_from_roman_to_arabic_ones() -> None:
    page = [line for number in ("i", "ii", "iii", "1", "2", "3") for line in (*["The Borrower shall pay."] * 12, f"PAGE {number}")]
    pages = [page, ["The end of the document."]]
    (count,) = find_counts(number_lines(pages, [{}, {}]), pages, [{}, {}])
    assert [line.printed for line in count.lines] == ["i", "ii", "iii", "1", "2", "3"]


@pytest.mark.parametrize("written", ["Page | {}", "{} | Page", "Page – {}", "Ledger of sheets {}"])
def test_a_footer_that_comes_first_in_the_text_counts_its_own_sheet(written: str) -> None:
    bodies = [f"{number}.1 The {WORDS[number]} shall be paid.\n" * 40 for number in range(1, 9)]
    texts = ["Dated today\nFacility Agreement", *(f"{written.format(n)}\n{body.strip()}" for n, body in enumerate(bodies, 2))]
    heights = [[700.0 if n and not at else 10.0 * at for at in range(text.count("\n") + 1)] for n, text in enumerate(texts)]
    assert not find_running_lines(texts, heights).counts


def test_the_last_entry_of_a_contents_page_is_no_page_number() -> None:
    entries = [f"Section {n} {word}\n{n + 30}" for n, word in enumerate(WORDS[:8])]
    pages = ["\n".join(["TABLE OF CONTENTS", *entries[:4], "i"]), "\n".join(["TABLE OF CONTENTS", *entries[:5], "ii"])]
    printed = strip_running_lines([*pages, *(f"The Borrower agrees upon {WORDS[n]}.\n{n + 33}" for n in range(4))])[1]
    assert printed == [("i",), ("ii",), ("33",), ("34",), ("35",), ("36",)]


def test_stamps_that_leave_pages_out_stand_below_the_page_number() -> None:
    numbers = [2, 4, 5, 8, 9]
    own = ["\n".join(f"The Borrower agrees upon {WORDS[n]} {word}." for word in WORDS[:6]) for n in numbers]
    bodies, printed = strip_running_lines(
        [f"{text}\n- {n} -\nCONFIDENTIAL\nRIVER_{41000 + n:08}" for n, text in zip(numbers, own, strict=True)]
    )
    assert bodies == own
    assert [shown[-1] for shown in printed] == [str(n) for n in numbers]
    assert missing_numbers(printed) == (3, 6, 7)


def test_rows_of_a_table_and_a_contents_page_are_no_pages_of_an_earlier_print() -> None:
    """Their lone numbers were taken for old page numbers, left out of the text, and took the sheets' own along."""
    rows = [line for row in range(1, 7) for line in (str(row), *(f"cell {row}.{n} of the grid" for n in range(9)))]
    entries = [line for row in range(1, 9) for line in ("Section", f"4.{row:02}", *("of the heading",) * 7, str(30 + row))]
    pages = ["SECTION 1. Terms", *(f"A sentence of page {n} that goes on" for n in range(60))]
    texts = [*(pages for _ in range(4)), rows, entries, pages]
    read = find_running_lines(["\n".join([*text, str(n + 1)]) for n, text in enumerate(texts)], [])
    assert [read.printed[n] for n in (4, 5, 6)] == [("5",), ("6",), ("7",)]
    assert read.bodies(["\n".join([*text, str(n + 1)]) for n, text in enumerate(texts)])[4].split("\n")[:60] == rows
