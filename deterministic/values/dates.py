"""Days as loan documents write them (judging.md section 2, row "date").

ISO 8601 is the only notation that is `correct`; every other notation of the same day is a semantic match. A numeric date whose
order is not certain (03/04/2030) keeps both readings (A4). Blanks ("[●] 20[●]"), a month alone and impossible days are no dates.

Two-digit years (A16): 00 to 76 are 2000 to 2076, 77 to 99 are 1977 to 1999. The window is fixed, because a result may not depend on
the day on which it is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.numbers import ORDINAL_PATTERN, parse_ordinal
from deterministic.values.comparison import Comparison, Label, Mention, Reading, Surroundings, as_text, best_of, shown
from deterministic.values.events import compare_from_event, occurs_from_event, parse_from_event, stands_in
from deterministic.values.remarks import holds, leftover, split_asides

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

TWO_DIGIT_PIVOT = 77  # A16: from 49 years before to 50 years after 2026


@dataclass(frozen=True, slots=True)
class DateValue:
    """A day; `readings` holds two days, day-first before month-first, where the order of a numeric date is not certain."""

    readings: tuple[date, ...]
    is_iso: bool

    @property
    def is_ambiguous(self) -> bool:
        return len(self.readings) > 1


_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)\s?(?:st|nd|rd|th)?"
_LONG_YEAR = r"(?P<year>(?:1[89]|2[01])\d\d)(?!\d|[.,]\d)"
_SHORT_YEAR = r"(?P<short>\d\d)(?!\d|[.,/\-]\d)"
_BETWEEN = r"(?:\s+day)?(?:\s+of)?(?:\s*[,.\-–/]\s*|\s+)(?:the\s+month\s+of\s+)?"
_TO_YEAR = r"(?:\s*[,.\-–/]\s*|\s+)(?:of\s+|in\s+the\s+year\s+)?"
_YEAR_IN_TEXT = rf"(?:{_TO_YEAR}{_LONG_YEAR}|(?:\s?[-/]\s?|\s*[’'‘]){_SHORT_YEAR})"

_DAY_FIRST = re.compile(rf"(?<!\d)(?<!\d[.,/]){_DAY}{_BETWEEN}{_MONTH}{_YEAR_IN_TEXT}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b(?=[jfmasond]){_MONTH}[\s\-]*{_DAY}{_YEAR_IN_TEXT}", re.IGNORECASE)
_ORDINAL_WORDS = re.compile(rf"\b(?P<word>{ORDINAL_PATTERN}){_BETWEEN}{_MONTH}{_TO_YEAR}{_LONG_YEAR}", re.IGNORECASE)
_YEAR_FIRST = re.compile(
    r"(?<![\d.,/\-])(?P<year>(?:1[89]|2[01])\d\d)(?P<mark>[-/.‑–])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/\-]|[.,]\d)"
)
_ISO_IN_TEXT = re.compile(r"(?<![\d.,\-])(?P<year>(?:1[89]|2[01])\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d\-]|[.,]\d)")
_NUMERIC = re.compile(
    r"(?<![\d.,/\-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>(?:1[89]|2[01])\d\d)(?![\d/\-]|[.,]\d)"
)
_NUMERIC_SHORT = re.compile(r"(?<![\d.,/\-])(?P<first>\d{1,2})(?P<mark>/)(?P<second>\d{1,2})/(?P<short>\d\d)(?![\d/\-]|[.,]\d)")
_CJK = re.compile(r"(?<!\d)(?P<year>(?:1[89]|2[01])\d\d)\s?年\s?(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?日")
_SCANNED = (_DAY_FIRST, _MONTH_FIRST, _ORDINAL_WORDS, _ISO_IN_TEXT, _YEAR_FIRST, _NUMERIC, _NUMERIC_SHORT, _CJK)

_WHOLE_SHORT = (
    re.compile(rf"{_DAY}{_BETWEEN}{_MONTH}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(rf"{_MONTH}\s*{_DAY}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<short>\d\d)"),
    re.compile(r"(?P<year>(?:19|2[01])\d\d)(?P<month>\d\d)(?P<day>\d\d)"),
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_BEFORE = re.compile(r"(?:(?:on|the|dated|being|date\s*:)\s+|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)+", re.IGNORECASE)
_AFTER = re.compile(r"T00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?$|[.,;]$")


def parse(text: str) -> DateValue | None:
    """The whole text as one date, or None. "on", "the", a weekday before it and a full stop after it are allowed."""
    for match in _whole_matches(text):
        readings = _readings(match)
        if readings:
            return DateValue(readings, bool(_ISO.fullmatch(text.strip())))
    return None


def _whole_matches(text: str) -> Iterator[re.Match[str]]:
    """The forms of a date that the whole text has, whether or not there is such a day."""
    trimmed = _AFTER.sub("", text.strip()).strip()
    before = _BEFORE.match(trimmed)
    trimmed = trimmed[before.end() :] if before else trimmed
    return (match for pattern in (*_SCANNED, *_WHOLE_SHORT) if (match := pattern.fullmatch(trimmed)))


def scan(text: str) -> tuple[Mention, ...]:
    """Every date in running text, in order, on token boundaries; line breaks inside a date are white space."""
    found: dict[int, Mention] = {}
    for mention in _scan_all(text):
        known = found.get(mention.start)
        if known is None or known.end < mention.end:
            found[mention.start] = mention
    return tuple(found[start] for start in sorted(found))


def _scan_all(text: str) -> Iterator[Mention]:
    for pattern in _SCANNED:
        for match in pattern.finditer(text):
            readings = _readings(match)
            if readings:
                yield Mention(match.start(), match.end(), DateValue(readings, bool(_ISO.fullmatch(match[0]))), match[0])


def _readings(match: re.Match[str]) -> tuple[date, ...]:
    """The valid days that a match names; empty for an impossible day such as 31 June."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else _expand(int(parts["short"]))
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        candidates = [(second, first), (first, second)]
    elif "word" in parts:
        candidates = [(MONTHS[parts["month"].lower()], parse_ordinal(parts["word"]) or 0)]
    else:
        month = parts["month"].lower()
        candidates = [(int(month) if month.isdigit() else MONTHS[month], int(parts["day"]))]
    days = (_day(year, month, day) for month, day in candidates)
    return tuple(dict.fromkeys(day for day in days if day))


def _expand(short: int) -> int:
    return short + (2000 if short < TWO_DIGIT_PIVOT else 1900)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "date" of judging.md section 2. A maturity that gold gives as a period from an event compares as that wording."""
    return best_of(lambda mine, expected: _compare_one(mine, as_text(expected), surroundings), as_text(reported), as_text(gold), accepted)


def _compare_one(reported: str, gold: str, surroundings: Surroundings) -> Comparison:
    expected, reading = parse(gold), read(reported)
    given: DateValue | None = reading.value
    if expected is None:
        return compare_from_event(reported, gold, is_day=given is not None)
    if given is None and not scan(reported) and _may_name_a_day(reported):
        return Comparison("open", f"{shown(reported)} is not read as a day; {shown(gold)} is expected.")
    if given is None:
        return Comparison("wrong", f"{shown(reported)} is not the date {shown(gold)}.")
    shared = set(given.readings) & set(expected.readings)
    if not shared:
        is_among = not _days(reported).isdisjoint(expected.readings)
        label: Label = "open" if is_among else "wrong"
        return Comparison(label, f"{shown(reported)} is another day than {shown(gold)}{' or holds it among others' if is_among else ''}.")
    if reading.unread:
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


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """The first day that a text names, the words beside it, and what it is derived from ("(five years from the Closing Date)")."""
    if whole := parse(text):
        return Reading(whole)
    core, asides = split_asides(text)
    if whole := parse(core):
        return Reading(whole, (), asides)
    found = scan(text)
    if not found:
        return Reading(None)
    first, *others = found
    beside = (core.replace(first.text, " ", 1), *(other.text for other in others))
    return Reading(first.value, leftover(beside), asides)


def _may_name_a_day(text: str) -> bool:
    """A notation that no rule reads ("15 septembre 2031", "September 2031", a period from an event).

    "the Maturity Date" names no day, and 31 September is read: there is none.
    """
    if any(_whole_matches(text)):
        return False
    return re.search(rf"\d|\b{_MONTH}", text, re.IGNORECASE) is not None or parse_from_event(text) is not None


def parts(value: Any) -> tuple[str, ...]:
    """The days that a value names; of a period from an event the wording."""
    text = as_text(value)
    if parse(text) or any(_whole_matches(text)):
        return (text,)
    named = tuple(mention.text for mention in scan(text))
    return named or ((text,) if parse_from_event(text) is not None else ())


def days_of(document: Document) -> frozenset[date]:
    """Every day that a document names, found once."""
    return document.cached(("values.dates", "days"), lambda: _days(document.text))


def occurs(value: Any, document: Document) -> bool:
    """Does a reading of the date stand anywhere in the document, in any notation? Also for a period from an event."""
    text = as_text(value)
    days = days_of(document)
    given = parse(text)
    return not days.isdisjoint(given.readings) if given else occurs_from_event(text, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the date in any notation (for a period from an event: that period and event)?"""
    given = read(as_text(value)).value
    if given is None:
        wanted = parse_from_event(as_text(value))
        return wanted is not None and stands_in(wanted, text)
    return not _days(text).isdisjoint(given.readings)


def _days(text: str) -> frozenset[date]:
    return frozenset(day for mention in scan(text) for day in mention.value.readings)
