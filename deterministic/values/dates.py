"""Dates compared (judging.md section 2, row "date"). How they are read and found: `days`.

ISO 8601 is the only notation that is `correct`; every other notation of the same day is a semantic match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.searching import is_found
from deterministic.values.comparison import Comparison, Label, Reading, Surroundings, as_text, best_of, shown
from deterministic.values.days import MONTH, DateValue, days_in, parse, scan, whole_matches
from deterministic.values.events import compare_from_event, occurs_from_event, parse_from_event, stands_in
from deterministic.values.remarks import NEUTRAL, holds, leftover, split_asides
from deterministic.values.words import contains_words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "date" of judging.md section 2. A maturity that gold gives as a period from an event compares as that wording."""
    return best_of(lambda mine, expected: _compare_one(mine, as_text(expected), surroundings), as_text(reported), as_text(gold), accepted)


def _compare_one(reported: str, gold: str, surroundings: Surroundings) -> Comparison:
    expected, reading = parse(gold), read(reported)
    given: DateValue | None = reading.value
    if expected is None:
        if given is not None and (near := _ABOUT.search(gold)) and not _is_near(given, days_in(gold[near.end() :])):
            return Comparison("wrong", f"{shown(reported)} is not near the day of {shown(gold)}.")
        return compare_from_event(reported, gold, is_day=given is not None)
    if given is None and not scan(reported) and _may_name_a_day(reported):
        return Comparison("open", f"{shown(reported)} is not read as a day; {shown(gold)} is expected.")
    if given is None:
        return Comparison("wrong", f"{shown(reported)} is not the date {shown(gold)}.")
    shared = set(given.readings) & set(expected.readings)
    if not shared:
        is_among = not days_in(reported).isdisjoint(expected.readings)
        label: Label = "open" if is_among else "wrong"
        return Comparison(label, f"{shown(reported)} is another day than {shown(gold)}{' or holds it among others' if is_among else ''}.")
    is_more = bool(reading.unread) or any(_PROVISO.match(aside) for aside in reading.asides)
    if is_more and _has_own_proviso(reported, surroundings.quotes):
        return Comparison("semantic_match", f"{shown(reported)} is the day {shown(gold)} with the proviso of its own quote.")
    if is_more:
        return Comparison("open", f"{shown(reported)} holds the day {shown(gold)} among other words.")
    if untrue := next((aside for aside in reading.asides if not holds(aside, surroundings.document_text, gold)), None):
        return Comparison("open", f"{shown(reported)} holds the day {shown(gold)}; {shown(untrue)} does not stand so in the document.")
    if given.is_ambiguous:
        return Comparison("partial", f"{shown(reported)} has two readings, one of which is {shown(gold)}.", ("AMBIGUOUS_DATE",))
    if expected.is_ambiguous:
        return Comparison("open", f"The expected date {shown(gold)} has two readings, one of which is {shown(reported)}.")
    if given.is_iso:
        return Comparison("correct", f"{shown(reported)} is the day {shown(gold)} in ISO 8601.")
    return Comparison("semantic_match", f"{shown(reported)} is the day {shown(gold)} in another notation than ISO 8601.")


def _has_own_proviso(reported: str, quotes: Sequence[str]) -> bool:
    """Whether a text is a day and what its own quote says of it behind: "(or, if that is not a Business Day, the preceding one)"."""
    first, *others = scan(reported)
    behind = _PROVISO.match(reported, first.end)
    return not (first.start or others or behind is None) and any(contains_words(quote, reported) for quote in quotes)


_PROVISO = re.compile(r"[\s,;(]*(?:(?:or,?\s+)?if|provided)\b(?!.*\b(?:exten|option)\w*)", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:nearest(?:\s+to)?|on\s+or\s+about|(?:on\s+or\s+)?(?:immediately|next|first)\s+(?:preceding|following|succeeding|before|after))\s+"
    r"(?=\w+\.?\s+\d{1,2}\b|\d)",
    re.IGNORECASE,
)
"""What a day is said by that falls near another one: "the Interest Day nearest to June 30, 2031"."""
_NEAR = 200  # days; the day of a year's half, a quarter or a month that is next to another day lies no farther


def _is_near(given: DateValue, days: frozenset[date]) -> bool:
    """Whether a reading of a day lies near one of several days; also where there are none to compare with."""
    return not days or any(abs((mine - day).days) <= _NEAR for mine in given.readings for day in days)


_BESIDE = NEUTRAL | frozenset(("termination", "maturity", "final", "repayment", "expiry", "scheduled", "stated"))
"""What a day is called beside it: "14 May 2031 (Termination Date)"."""


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """The first day that a text names, the words beside it, and what it is derived from ("(five years from the Closing Date)")."""
    if whole := parse(text):
        return Reading(whole)
    text = _OR_EARLIER.sub("", text)
    core, asides = split_asides(text)
    if whole := parse(core):
        return Reading(whole, (), asides)
    found = scan(text)
    if not found:
        return Reading(None)
    first, *others = found
    rest = core
    for mention in (first, *(other for other in others if other.value.readings == first.value.readings)):
        rest = rest.replace(mention.text, " ", 1)
    return Reading(first.value, leftover(rest, neutral=_BESIDE), asides)


_OR_EARLIER = re.compile(
    r"\s*[(,]\s*(?:or,?\s+)?(?:if\s+)?(?:earlier|sooner)(?:,?\s+(?:up)?on\s+(?:the\s+)?acceleration(?:\s+of\s+the\s+loans?)?)?\s*\)?\s*$",
    re.IGNORECASE,
)
"""What every agreement says of its last day: that it comes sooner on acceleration."""


def _may_name_a_day(text: str) -> bool:
    """A notation that no rule reads ("15 septembre 2031", "September 2031", a period from an event).

    "the Maturity Date" names no day, and 31 September is read: there is none.
    """
    if any(whole_matches(text)):
        return False
    return re.search(rf"\d|\b{MONTH}", text, re.IGNORECASE) is not None or parse_from_event(text) is not None


def parts(value: Any) -> tuple[str, ...]:
    """The days that a value names; of a period from an event the wording."""
    text = as_text(value)
    if parse(text) or any(whole_matches(text)):
        return (text,)
    named = tuple(mention.text for mention in scan(text))
    return named or ((text,) if parse_from_event(text) is not None else ())


def days_of(document: Document) -> frozenset[date]:
    """Every day that a document names, found once."""
    return document.cached(("values.dates", "days"), lambda: _days_in_redline(document.text))


_TWO_YEARS = re.compile(r"\b((?:19|20)\d\d)((?:19|20)\d\d)\b")


def _days_in_redline(text: str) -> frozenset[date]:
    """The days in a text, and with either year where a struck-out one and its new one run together ("October 6, 20242025")."""
    texts = [text, *(_TWO_YEARS.sub(year, text) for year in (r"\1", r"\2"))] if is_found(_TWO_YEARS, text) else [text]
    return frozenset().union(*map(days_in, texts))


def occurs(value: Any, document: Document) -> bool:
    """Does a reading of the date stand anywhere in the document, in any notation? Also for a period from an event."""
    text = as_text(value)
    given = parse(text)
    return not days_of(document).isdisjoint(given.readings) if given else occurs_from_event(text, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the date in any notation (for a period from an event: that period and event)?"""
    given = read(as_text(value)).value
    if given is None:
        wanted = parse_from_event(as_text(value))
        return wanted is not None and stands_in(wanted, text)
    return not days_in(text).isdisjoint(given.readings)
