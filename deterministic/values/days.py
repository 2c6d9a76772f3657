"""Days as loan documents write them: reading and finding. How they are compared: `dates`.

A numeric date whose order is not certain (03/04/2030) keeps both readings (A4). Blanks ("[●] 20[●]"), a month alone and impossible days
are no dates. Two-digit years (A16): 00 to 76 are 2000 to 2076, 77 to 99 are 1977 to 1999. The window is fixed, because a result may not
depend on the day on which it is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.numbers import ORDINAL_PATTERN, parse_ordinal
from deterministic.lexicon.searching import find_all
from deterministic.values.comparison import Mention

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

_DAY_FIRST = re.compile(rf"(?=\d)(?<!\d)(?<!\d[.,/]){_DAY}{_BETWEEN}{MONTH}{_YEAR_IN_TEXT}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b(?=[jfmasond]){MONTH}[\s\-]*{_DAY}{_YEAR_IN_TEXT}", re.IGNORECASE)
_ORDINAL_WORDS = re.compile(rf"\b(?P<word>{ORDINAL_PATTERN}){_BETWEEN}{MONTH}{_TO_YEAR}{_LONG_YEAR}", re.IGNORECASE)
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
    re.compile(rf"{_DAY}{_BETWEEN}{MONTH}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(rf"{MONTH}\s*{_DAY}{_TO_YEAR}[’'‘]?{_SHORT_YEAR}", re.IGNORECASE),
    re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<short>\d\d)"),
    re.compile(r"(?P<year>(?:19|2[01])\d\d)(?P<month>\d\d)(?P<day>\d\d)"),
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_BEFORE = re.compile(r"(?:(?:on|the|dated|being|date\s*:)\s+|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)+", re.IGNORECASE)
_AFTER = re.compile(r"T00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?$|[.,;]$")


def parse(text: str) -> DateValue | None:
    """The whole text as one date, or None. "on", "the", a weekday before it and a full stop after it are allowed."""
    for match in whole_matches(text):
        readings = _readings(match)
        if readings:
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
        known = found.get(mention.start)
        if known is None or known.end < mention.end:
            found[mention.start] = mention
    return tuple(found[start] for start in sorted(found))


def _scan_all(text: str) -> Iterator[Mention]:
    for pattern in _SCANNED:
        for match in find_all(pattern, text):
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


def days_in(text: str) -> frozenset[date]:
    """Every day that a text names, in either reading."""
    return frozenset(day for mention in scan(text) for day in mention.value.readings)
