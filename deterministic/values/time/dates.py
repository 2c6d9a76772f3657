"""Dates compared (design/values.md, row "date").
ISO 8601 is the only notation that is `correct`; every other notation of the same day is a semantic match."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.calendar import MONTHS, WEEKDAYS
from deterministic.lexicon.labels import OF_A_DAY
from deterministic.lexicon.numbers import ORDINAL_PATTERN, parse_ordinal
from deterministic.lexicon.searching import find_all, is_found
from deterministic.values.comparison import (
    Comparison,
    Mention,
    Reading,
    Surroundings,
    as_text,
    best_of,
    of_gold,
    quoted,
    unread_beside,
    whole_among,
    words_occur,
    words_support,
)
from deterministic.values.words import PLACE, frame_of, plain, same_words, words

TWO_DIGIT_PIVOT = 77  # A16: from 49 years before to 50 years after 2026


@dataclass(frozen=True, slots=True)
class DateValue:
    """A day; `readings` holds two days, day-first before month-first, where the order of a numeric date is not certain."""

    readings: tuple[date, ...]
    is_iso: bool

    @property
    def is_ambiguous(self) -> bool:
        return len(self.readings) > 1


MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)\s?(?:st|nd|rd|th)?"
_LONG_YEAR = r"(?P<year>(?:1[89]|2[01])\d\d)(?!\d|[.,]\d)"
_SHORT_YEAR = r"(?P<short>\d\d)(?!\d|[.,/\-]\d)"
_BETWEEN = r"(?:\s+day)?(?:\s+of)?(?:\s*[,.\-–/]\s*|\s+)(?:the\s+month\s+of\s+)?"
_TO_YEAR = r"(?:\s*[,.\-–/]\s*|\s+)(?:of\s+|in\s+the\s+year\s+)?"
_YEAR_IN_TEXT = rf"(?:{_TO_YEAR}{_LONG_YEAR}|(?:\s?[-/]\s?|\s*[’'‘]){_SHORT_YEAR})"

_SCANNED = (
    re.compile(rf"(?=\d)(?<!\d)(?<!\d[.,/]){_DAY}{_BETWEEN}{MONTH}{_YEAR_IN_TEXT}", re.IGNORECASE),
    re.compile(rf"\b(?=[jfmasond]){MONTH}[\s\-]*{_DAY}{_YEAR_IN_TEXT}", re.IGNORECASE),
    re.compile(rf"\b(?P<word>{ORDINAL_PATTERN}){_BETWEEN}{MONTH}{_TO_YEAR}{_LONG_YEAR}", re.IGNORECASE),
    re.compile(r"(?<![\d.,\-])(?P<year>(?:1[89]|2[01])\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d\-]|[.,]\d)"),
    re.compile(
        r"(?<![\d.,/\-])(?P<year>(?:1[89]|2[01])\d\d)(?P<mark>[-/.‑–])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/\-]|[.,]\d)"
    ),
    re.compile(
        r"(?<![\d.,/\-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>(?:1[89]|2[01])\d\d)(?![\d/\-]|[.,]\d)"
    ),
    re.compile(r"(?<![\d.,/\-])(?P<first>\d{1,2})(?P<mark>/)(?P<second>\d{1,2})/(?P<short>\d\d)(?![\d/\-]|[.,]\d)"),
    re.compile(r"(?<!\d)(?P<year>(?:1[89]|2[01])\d\d)\s?年\s?(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日"),
)

_WHOLE_SHORT = (
    re.compile(rf"{_DAY}{_BETWEEN}{MONTH}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(rf"{MONTH}\s*{_DAY}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<short>\d\d)"),
    re.compile(r"(?P<year>(?:19|2[01])\d\d)(?P<month>\d\d)(?P<day>\d\d)"),
)
_YEAR_FIRST = re.compile(r"\d\d[-/.]\d\d?[-/.]\d\d")  # 31/05/14 may be a day of 2031
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_BEFORE = re.compile(r"(?:(?:on|the|dated|being|date\s*:)\s+|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)+", re.IGNORECASE)
_AFTER = re.compile(r"T00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?$|[.,;]$")


def parse(text: str) -> DateValue | None:
    """The whole text as one date, or None. "on", "the", a weekday before it and a full stop after it are allowed."""
    for match in whole_matches(text):
        if readings := _readings(match):
            return DateValue(readings, bool(_ISO.fullmatch(text.strip())))
    return None


def whole_matches(text: str) -> Iterator[re.Match[str]]:
    """The forms of a date that the whole text has, whether or not there is such a day."""
    trimmed = _AFTER.sub("", text.strip()).strip()
    before = _BEFORE.match(trimmed)
    trimmed = trimmed[before.end() :] if before else trimmed
    return (match for pattern in (*_SCANNED, *_WHOLE_SHORT) if (match := pattern.fullmatch(trimmed)))


def scan(text: str) -> tuple[Mention, ...]:
    """Every date in running text, in order, on token boundaries; line breaks inside a date are white space."""
    found: dict[int, Mention] = {}
    for mention in _scan_all(text):
        if (known := found.get(mention.start)) is None or known.end < mention.end:
            found[mention.start] = mention
    return tuple(found[start] for start in sorted(found))


def _scan_all(text: str) -> Iterator[Mention]:
    for pattern in _SCANNED:
        for match in find_all(pattern, text):
            if readings := _readings(match):
                yield Mention(match.start(), match.end(), DateValue(readings, bool(_ISO.fullmatch(match[0]))), match[0])


def _readings(match: re.Match[str]) -> tuple[date, ...]:
    """The valid days that a match names; empty for an impossible day such as 31 June."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else int(parts["short"]) + (2000 if int(parts["short"]) < TWO_DIGIT_PIVOT else 1900)
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        candidates = [(second, first), (first, second)]
    elif "word" in parts:
        candidates = [(MONTHS[parts["month"].lower()], parse_ordinal(parts["word"]) or 0)]
    else:
        month = parts["month"].lower()
        candidates = [(int(month) if month.isdecimal() else MONTHS[month], int(parts["day"]))]
    days = (_day(year, month, day) for month, day in candidates)
    return tuple(dict.fromkeys(day for day in days if day))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def days_in(text: str) -> frozenset[date]:
    """Every day that a text names, in either reading."""
    return frozenset(day for mention in scan(text) for day in mention.value.readings)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "date" of design/values.md."""
    labels = surroundings.labels
    return best_of(lambda mine, expected: _compare_one(mine, as_text(expected), labels), as_text(reported), as_text(gold), accepted)


def _compare_one(reported: str, gold: str, labels: tuple[str, ...]) -> Comparison:
    mine, true = read(reported, labels), read(gold, labels)
    given: DateValue | None = mine.value
    expected: DateValue | None = true.value
    if expected is None and reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{quoted(reported)} is the expected wording.")
    if expected is None and same_words(reported, gold):
        return Comparison("semantic_match", f"{quoted(reported)} has the words of {quoted(gold)}.")
    if given is None or expected is None:
        return Comparison("open", f"no rule reads {quoted(reported)} against {quoted(gold)} as days.")
    if mine.unread != true.unread:
        return unread_beside(reported, gold, mine.unread, true.unread)
    if not set(given.readings) & set(expected.readings):
        if any(map(_YEAR_FIRST.fullmatch, (reported, gold))):
            return Comparison("open", f"{quoted(reported)} may be the day {quoted(gold)}, if the year stands first.")
        return Comparison("wrong", f"{quoted(reported)} is another day than {quoted(gold)}.")
    if given.is_ambiguous:
        which = f", one of which is {quoted(gold)}" if reported != gold else ""
        return Comparison("partial", f"{quoted(reported)} has two readings{which}.", ("AMBIGUOUS_DATE",))
    if expected.is_ambiguous:
        return Comparison("open", f"The expected date {quoted(gold)} has two readings, one of which is {quoted(reported)}.")
    same_day = f"{quoted(reported)} is the day {of_gold(quoted(gold), quoted(reported))}"
    if given.is_iso:
        return Comparison("correct", f"{same_day}, in ISO 8601.")
    return Comparison("semantic_match", f"{same_day}, not written as YYYY-MM-DD (ISO 8601), which full marks need.")


@lru_cache(maxsize=2048)
def read(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """The one day that a text names, said once or again in brackets, and what stands beside it. A weekday beside it has to be the day's."""
    found = _read_day(text, labels)
    if found.value is None or not (told := {_WEEKDAY[word] for word in words(text) if word in _WEEKDAY}):
        return found
    days = tuple(day for day in found.value.readings if {day.weekday()} == told)
    return Reading(replace(found.value, readings=days) if days else None, found.unread)


_WEEKDAY = {name: number for number, name in enumerate(WEEKDAYS.split())}


def _read_day(text: str, labels: tuple[str, ...]) -> Reading:
    if whole := parse(text):
        return Reading(whole)
    if not (found := scan(text)) or any(mention.value.readings != found[0].value.readings for mention in found):
        return Reading(None)
    frame = frame_of(text, [(mention.start, mention.end) for mention in found], OF_A_DAY, labels)
    return Reading(found[0].value, () if set(frame) == {PLACE} else frame)


def parts(value: Any) -> tuple[str, ...]:
    """The days that a value names, one that does not exist too."""
    text = as_text(value)
    whole = (text,) if parse(text) or any(whole_matches(text)) else whole_among(scan(text), text)
    return () if _YEAR_FIRST.fullmatch(text) else whole


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
    return not days_of(document).isdisjoint(given.readings) if given else words_occur(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the date in any notation? A wording: word for word."""
    given = read(as_text(value)).value
    return not days_in(text).isdisjoint(given.readings) if given else words_support(value, text)
