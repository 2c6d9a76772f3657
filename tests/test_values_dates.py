"""Dates: notations, the rule of design/values.md, running text, ranges of days."""

from datetime import date, timedelta
from typing import get_args

import pytest
from dateparser import parse as dateparser_parse  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.labels import LABELS
from deterministic.values import Label, Surroundings, dates
from tests.tables import table

NOTHING = Surroundings()
DAY = date(2029, 6, 21)


@pytest.mark.parametrize("text", table("values_dates", "every_notation_of_a_day_is_read"))
def test_every_notation_of_a_day_is_read(text: str) -> None:
    value = dates.parse(text)
    assert value is not None
    assert value.readings == (DAY,)
    assert value.is_iso == (text == "2029-06-21")


@pytest.mark.parametrize("text", table("values_dates", "what_is_no_full_date_is_no_date"))
def test_what_is_no_full_date_is_no_date(text: str) -> None:
    assert dates.parse(text) is None


@pytest.mark.parametrize(("reported", "gold", "label"), table("values_dates", "dates_compare_by_the_rule"))
def test_dates_compare_by_the_rule(reported: str, gold: str, label: str) -> None:
    assert dates.compare(reported, gold, (), NOTHING).label == label


@pytest.mark.parametrize("gold", ["2030-04-03", "2030-03-04"])
def test_an_ambiguous_order_is_partial_when_one_reading_is_right(gold: str) -> None:
    comparison = dates.compare("03/04/2030", gold, (), NOTHING)
    assert (comparison.label, comparison.codes) == ("partial", ("AMBIGUOUS_DATE",))


def test_an_ambiguous_order_of_which_no_reading_is_right_is_wrong() -> None:
    assert dates.compare("03/04/2030", "2030-05-03", (), NOTHING).label == "wrong"


def test_a_date_stays_iso_8601_even_if_its_notation_is_the_documents() -> None:
    surroundings = Surroundings(quotes=("means 21 June 2029.",))
    assert dates.compare("21 June 2029", "2029-06-21", (), surroundings).label == "semantic_match"


def test_an_accepted_day_is_a_semantic_match() -> None:
    assert dates.compare("2029-06-30", "2029-06-21", ("2029-06-30",), NOTHING).label == "semantic_match"


TEXT = """This Agreement is dated 3 April 2026. "Final Maturity Date" means June
30,
2031. Clause 5.1.20 applies until the 21st day of June, 2029; account 40718826, sort code 12-34-56, May 14 Business Days,
31 June 2027, [●] 20[●], 3.50, from 2026-01-01/2026-06-30 and (a)1 May 2030."""


def test_a_scan_finds_the_dates_of_running_text_and_nothing_else() -> None:
    found = [mention.value.readings[0].isoformat() for mention in dates.scan(TEXT)]
    assert found == ["2026-04-03", "2031-06-30", "2029-06-21", "2026-01-01", "2026-06-30", "2030-05-01"]


def test_a_mention_gives_the_characters_of_the_source() -> None:
    assert all(TEXT[mention.start : mention.end] == mention.text for mention in dates.scan(TEXT))


def test_a_day_occurs_in_any_notation() -> None:
    document = Document.from_pages("a.pdf", [TEXT])
    assert dates.occurs("2031-06-30", document)
    assert dates.occurs("21/06/2029", document)
    assert not dates.occurs("2031-06-29", document)
    assert not dates.occurs("2027-06-30", document)
    assert dates.supports("2026-04-03", TEXT)


@pytest.mark.parametrize(("text", "is_read"), table("values_dates", "a_stretch_of_days_is_read_whole"))
def test_a_stretch_of_days_is_read_whole(text: str, is_read: bool) -> None:
    assert dates.stretch(text) == ((date(2026, 1, 1), date(2026, 6, 30)) if is_read else None)


DAYS = st.dates(date(1977, 1, 1), date(2076, 12, 31))  # the window of two-digit years (A16)
FORMATS = ["%d %B %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y-%m-%d", "%Y/%m/%d", "%d %b %Y", "%A, %d %B %Y"]


@settings(max_examples=60, deadline=None)
@given(DAYS, st.sampled_from(FORMATS))
def test_a_written_day_reads_back_and_a_full_date_library_agrees(day: date, form: str) -> None:
    text = day.strftime(form)
    value = dates.parse(text)
    assert value is not None and value.readings == (day,)
    oracle = dateparser_parse(
        text,
        languages=["en"],
        settings={"STRICT_PARSING": True, "PARSERS": ["absolute-time"], "DATE_ORDER": "YMD" if form[1] == "Y" else "DMY"},
    )
    assert "%y" in form or (oracle is not None and oracle.date() == day)


@settings(max_examples=60, deadline=None)
@given(DAYS, st.sampled_from(FORMATS), st.sampled_from(FORMATS), st.integers(0, 2))
def test_comparison_of_days_is_symmetric(day: date, one: str, other: str, shift: int) -> None:
    first, second = day.strftime(one), (day + timedelta(days=shift)).strftime(other)
    forward, backward = dates.compare(first, second, (), NOTHING).label, dates.compare(second, first, (), NOTHING).label
    assert (forward == "wrong") == (backward == "wrong") == (shift > 0)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_crashes(one: str, other: str) -> None:
    dates.parse(one)
    dates.scan(one)
    assert dates.compare(one, other, (other,), Surroundings(quotes=(one,))).label in get_args(Label)


@pytest.mark.parametrize(("reported", "label"), table("values_dates", "what_the_field_is_called_may_stand_beside_its_day"))
def test_what_the_field_is_called_may_stand_beside_its_day(reported: str, label: str) -> None:
    around = Surroundings(labels=LABELS["maturity_date"])
    assert dates.compare(reported, "2031-05-14", (), around).label == label
