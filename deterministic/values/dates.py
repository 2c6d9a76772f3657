"""Dates compared (design/values.md, row "date"). How they are read and found: `days`.

ISO 8601 is the only notation that is `correct`; every other notation of the same day is a semantic match.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.labels import OF_A_DAY
from deterministic.lexicon.searching import is_found
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Reading, Surroundings, as_text, best_of, shown, unread_beside
from deterministic.values.days import DateValue, days_in, parse, scan, whole_matches
from deterministic.values.frames import PLACE, frame_of, same_words
from deterministic.values.words import plain

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "date" of design/values.md."""
    return best_of(
        lambda mine, expected: _compare_one(mine, as_text(expected), surroundings.labels), as_text(reported), as_text(gold), accepted
    )


def _compare_one(reported: str, gold: str, labels: tuple[str, ...]) -> Comparison:
    mine, true = read(reported, labels), read(gold, labels)
    given: DateValue | None = mine.value
    expected: DateValue | None = true.value
    if expected is None and reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected wording.")
    if expected is None and same_words(reported, gold):
        return Comparison("semantic_match", f"{shown(reported)} has the words of {shown(gold)}.")
    if given is None or expected is None:
        return Comparison("open", f"no rule reads {shown(reported)} against {shown(gold)} as days.")
    if mine.unread != true.unread:
        return unread_beside(reported, gold, mine.unread, true.unread)
    if not set(given.readings) & set(expected.readings):
        return Comparison("wrong", f"{shown(reported)} is another day than {shown(gold)}.")
    if given.is_ambiguous:
        return Comparison("partial", f"{shown(reported)} has two readings, one of which is {shown(gold)}.", ("AMBIGUOUS_DATE",))
    if expected.is_ambiguous:
        return Comparison("open", f"The expected date {shown(gold)} has two readings, one of which is {shown(reported)}.")
    if given.is_iso:
        return Comparison("correct", f"{shown(reported)} is the day {shown(gold)} in ISO 8601.")
    return Comparison("semantic_match", f"{shown(reported)} is the day {shown(gold)} in another notation than ISO 8601.")


@lru_cache(maxsize=2048)
def read(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """The one day that a text names, said once or again in brackets, and what stands beside it."""
    if whole := parse(text):
        return Reading(whole)
    found = scan(text)
    if not found or any(mention.value.readings != found[0].value.readings for mention in found):
        return Reading(None)
    frame = frame_of(text, [(mention.start, mention.end) for mention in found], OF_A_DAY, labels)
    return Reading(found[0].value, () if set(frame) == {PLACE} else frame)


def parts(value: Any) -> tuple[str, ...]:
    """The days that a value names, one that does not exist too."""
    text = as_text(value)
    return (text,) if parse(text) or any(whole_matches(text)) else tuple(mention.text for mention in scan(text))


def days_of(document: Document) -> frozenset[date]:
    """Every day that a document names, found once."""
    return document.cached(("values.dates", "days"), lambda: _days_in_redline(document.text))


_TWO_YEARS = re.compile(r"\b((?:19|20)\d\d)((?:19|20)\d\d)\b")


def _days_in_redline(text: str) -> frozenset[date]:
    """The days in a text, and with either year where a struck-out one and its new one run together ("October 6, 20242025")."""
    texts = [text, *(_TWO_YEARS.sub(year, text) for year in (r"\1", r"\2"))] if is_found(_TWO_YEARS, text) else [text]
    return frozenset().union(*map(days_in, texts))


def occurs(value: Any, document: Document) -> bool:
    """Does a reading of the date stand anywhere in the document, in any notation?"""
    given = parse(as_text(value))
    return not days_of(document).isdisjoint(given.readings) if given else texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the date in any notation? A wording: word for word."""
    given = read(as_text(value)).value
    return not days_in(text).isdisjoint(given.readings) if given else texts.supports(value, text)
