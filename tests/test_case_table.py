"""Cases as columns: what goes in comes out, found by id, in little memory."""

import sys
from fractions import Fraction
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from judge.inputs.table import CaseSelection, CaseTable, IdIndex, Numbers, Place

ids = st.lists(st.text(max_size=12), unique=True, max_size=200)


@given(ids, st.text(max_size=12))
@settings(max_examples=60, deadline=None)
def test_every_id_is_found_where_it_was_added(added: list[str], other: str) -> None:
    index = IdIndex()
    assert [index.add(case_id) for case_id in added] == list(range(len(added)))
    assert [index.find(case_id) for case_id in added] == list(range(len(added)))
    assert (other in index) == (other in added) and len(index) == len(added)
    assert [index.texts[n] for n in range(len(added))] == added


def table(count: int) -> CaseTable:
    found = CaseTable()
    for n in range(count):
        documents = (f"d-{n % 7}.pdf",) if n % 5 else (f"d-{n % 7}.pdf", "fee.pdf")
        found.add(f"case-{n}", "document_qa", documents, Fraction(1), Place(Path("b.jsonl"), 100 * n, 100, n + 1), None)
    return found


def test_an_entry_says_what_was_added_and_gold_joins_it() -> None:
    cases = table(20)
    cases.join(3, Place(Path("g.jsonl"), 7, 8, 9), Fraction(3, 7))
    entry = cases[3]
    assert (entry.case_id, entry.position, entry.weight) == ("case-3", 3, Fraction(3, 7))
    assert entry.batch == Place(Path("b.jsonl"), 300, 100, 4) and entry.gold == Place(Path("g.jsonl"), 7, 8, 9)
    assert cases[-1].case_id == "case-19" and cases[4].gold is None and cases[4].weight == 1
    assert [cases[n].case_id for n in (2, 3)] == ["case-2", "case-3"]


def test_cases_of_one_set_of_documents_come_together_in_the_order_of_the_batch() -> None:
    cases = table(40)
    groups = CaseSelection(cases, range(10, 40)).by_documents()
    assert next(iter(groups)) == ("d-3.pdf", "fee.pdf")
    assert sorted(e.position for group in groups.values() for e in group) == list(range(10, 40))
    assert all(e.documents == names for names, group in groups.items() for e in group)
    assert all([e.position for e in group] == sorted(e.position for e in group) for group in groups.values())


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from((255, 256, 65_535, 65_536, 2**32 - 1, 2**32)), min_size=1), st.data())
@settings(max_examples=60, deadline=None)
def test_numbers_keep_what_they_were_given_however_wide_they_get(given_numbers: list[int], data: st.DataObject) -> None:
    kept, wanted = Numbers(), list(given_numbers)
    for number in given_numbers:
        kept.append(number)
    at, other = data.draw(st.integers(0, len(wanted) - 1)), data.draw(st.integers(0, 2**64 - 1))
    kept[at] = wanted[at] = other
    assert list(kept) == wanted and len(kept) == len(wanted) and [kept[n] for n in range(len(kept))] == wanted


def test_a_case_takes_sixty_bytes() -> None:
    cases, count = table(20_000), 20_000
    columns: list[object] = [cases.ids._slots, cases.ids.texts._bytes, cases.ids.texts._ends._kept]
    for place in (cases.batch, cases.gold):
        columns += [numbers._kept for numbers in (place._paths._rows, place._offsets, place._lengths, place.lines)]
    columns += [column._rows._kept for column in (cases.capabilities, cases.documents, cases._weights)]
    assert sum(map(sys.getsizeof, columns)) / count < 60
