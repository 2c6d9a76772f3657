"""Dates: notations, the rule of design/values.md, running text, ranges of days."""

from datetime import date, timedelta

import pytest
from dateparser import parse as dateparser_parse  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.values import Surroundings
from deterministic.values.time import dates
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


TEXT = """This Agreement is dated 3 April 2026. "Final Maturity Date" means June
30,
2031. Clause 5.1.20 applies until the 21st day of June, 2029; account 40718826, sort code 12-34-56, May 14 Business Days,
31 June 2027, [●] 20[●], 3.50, from 2026-01-01/2026-06-30 and (a)1 May 2030."""


def test_a_scan_finds_the_dates_of_running_text_and_nothing_else() -> None:
    found = [mention.value.readings[0].isoformat() for mention in dates.scan(TEXT)]
    assert found == ["2026-04-03", "2031-06-30", "2029-06-21", "2026-01-01", "2026-06-30", "2030-05-01"]


def test_a_mention_gives_the_characters_of_the_source() -> None:
    assert all(TEXT[mention.start : mention.end] == mention.text for mention in dates.scan(TEXT))


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
