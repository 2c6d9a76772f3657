"""Lengths of time: tenors, grace periods, notice periods (design/values.md, row "period").
Years, quarters and months convert into one another, weeks, days and hours do; months and days never. Business Days are a unit of their own.
"sixty (60) months" is one number written twice; where the two differ the text is no period."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.calendar import TIME_UNITS, TimeUnit
from deterministic.lexicon.labels import OF_A_LENGTH
from deterministic.lexicon.numbers import CARDINAL_BEGINNING, CARDINAL_PATTERN, ORDINAL_PATTERN, VULGAR, parse_cardinal, parse_ordinal
from deterministic.lexicon.searching import find_all, find_behind
from deterministic.values.comparison import Comparison, Grammar, Mention, Reading, as_text, whole_among, words_support
from deterministic.values.time.dates import days_in
from deterministic.values.words import beside, frame_of


@dataclass(frozen=True, slots=True)
class Period:
    """A length in its basic unit; `none` is a number without unit. A year is 12 months, a week 7 days, an hour 1/24 of a day."""

    amount: Fraction
    unit: TimeUnit


_FIGURES = r"\d{1,3}(?:,\d{3}){1,3}(?!,\d)|\d{1,5}(?:\.\d{1,3})?"
_NUMBER = (
    rf"(?P<figures>{_FIGURES})(?P<vulgar>[½¼¾])?(?:\s?\((?P<spelt>{CARDINAL_PATTERN})\))?"
    rf"|(?P<words>{CARDINAL_PATTERN})(?:\s+and\s+an?\s+(?P<half>half))?(?:\s?[\[(](?P<repeated>\d{{1,4}})[\])])?"
)
_DAYS = (
    r"(?:(?P<kind>(?:[A-Za-z.]{2,12}\s+)?(?:business|working|bus\.?|biz\.?)|(?:RFR\s+)?banking|calendar|clear|consecutive)[\s\-]+)?"
    r"(?P<days>days?)"
)
_LONG_UNIT = (
    rf"(?:{_DAYS}|(?:(?:calendar|full|successive|consecutive)\s+)?(?P<unit>years?|quarters?|months?|fortnights?|weeks?|hours?|yrs?|mths?|mos|qtrs?|wks?|hrs?"
    r"|bds?|b/ds?))"
    r"(?:['’]s?)?(?![A-Za-z])"
)
_SCANNED = re.compile(rf"(?<![\w.,/:\-+])(?:{_NUMBER})[\s\-‑]{{0,3}}{_LONG_UNIT}", re.IGNORECASE)
_BEFORE_NUMBER = re.compile(rf"[^\w.,/:\-+](?=\d|{CARDINAL_BEGINNING})")
_SHORT = re.compile(
    rf"(?P<figures>{_FIGURES})(?P<vulgar>[½¼¾])?\s?(?P<unit>y|yrs?|qtrs?|m|mos?|mths?|w|wks?|d|bds?|b/ds?|hrs?)\.?", re.IGNORECASE
)
_BUSINESS = re.compile(r"\b(?:bus|biz)\b\.?")
_BARE = re.compile(_NUMBER, re.IGNORECASE)

_JOIN = re.compile(r"\s*(?:,|and|,\s*and|plus)?\s*", re.IGNORECASE)


def parse(text: str) -> Period | None:
    """The whole text as one length ("5 years", "sixty (60) months", "2 years and 6 months"); a bare number gets unit `none`."""
    text = " ".join(text.split()).strip(" .,;")
    if short := _SHORT.fullmatch(text):
        return _period(short)
    if bare := _BARE.fullmatch(text):
        amount = _amount(bare)
        return Period(amount, "none") if amount is not None else None
    return _parse_sum(text)


def _parse_sum(text: str) -> Period | None:
    """One length, or years and months ("2 years and 6 months"); other sums ("3 months and 5 days") are no single length. A bracket that
    says the same length again, "5 years (60 months)", is read and must agree."""
    if again := re.fullmatch(r"(?P<first>.*?\S)\s*\((?P<second>[^()]*[A-Za-z][^()]*)\)", text):
        first, second = _parse_sum(again["first"]), _parse_sum(again["second"])
        return first if first and first == second else None
    total: Period | None = None
    names: list[str] = []
    position = 0
    while position < len(text):
        join = _JOIN.match(text, position)
        position = join.end() if join and total else position
        match = _SCANNED.match(text, position)
        part = _period(match) if match else None
        if match is None or part is None or (total and not (names == ["year"] and _unit_name(match) == "month")):
            return None
        names.append(_unit_name(match))
        total = Period(part.amount + total.amount, part.unit) if total else part
        position = match.end()
    return total


def scan(text: str) -> tuple[Mention, ...]:
    """Every length with a unit in running text; of years and months ("2 years and 6 months") each part."""
    matches = ((match, _period(match)) for match in find_behind(_BEFORE_NUMBER, _SCANNED, text))
    return tuple(Mention(match.start(), match.end(), period, match[0]) for match, period in matches if period is not None)


def _period(match: re.Match[str]) -> Period | None:
    if (amount := _amount(match)) is None:
        return None
    unit, factor = TIME_UNITS[_unit_name(match)]
    return Period(amount * factor, unit)


def _unit_name(match: re.Match[str]) -> str:
    parts = match.groupdict()
    kind = (parts.get("kind") or "").casefold()
    if parts.get("days"):
        kind = _BUSINESS.sub("business", kind)
        return next((f"{word} day" for word in ("business", "working", "banking") if word in kind), "day")
    name = parts["unit"].casefold().replace("/", "")
    return name if name in TIME_UNITS else name[:-1]


def _amount(match: re.Match[str]) -> Fraction | None:
    parts = match.groupdict()
    if parts["figures"]:
        amount = Fraction(parts["figures"].replace(",", "")) + VULGAR.get(parts.get("vulgar") or "", Fraction(0))
        spelt = parts.get("spelt")
        return amount if not spelt or parse_cardinal(spelt) == amount else None
    if (number := parse_cardinal(parts["words"])) is None or (parts["repeated"] and int(parts["repeated"]) != number):
        return None
    return Fraction(number) + (Fraction(1, 2) if parts["half"] else 0)


def is_number_of(bare: Period, whole: Period) -> bool:
    """Is the number without unit the number of the period in a unit that it can be written in (36 or 3 for three years)?"""
    if bare.unit != "none":
        return False
    factors = {factor for unit, factor in TIME_UNITS.values() if unit == whole.unit}
    return any(bare.amount * factor == whole.amount for factor in factors)


@lru_cache(maxsize=2048)
def read(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """A text as one length and what stands beside it."""
    if (whole := parse(text)) is not None:
        return Reading(whole)
    found = [mention for mention in scan(text) if mention.end - mention.start > 0]
    spans = [(mention.start, mention.end) for mention in found]
    if len(found) != 1:
        bare = parse(" ".join(frame_of(text, (), OF_A_LENGTH, labels))) if not found else None
        return Reading(bare)
    return Reading(found[0].value, beside(frame_of(text, spans, OF_A_LENGTH, labels)))


def _relate(given: Period, expected: Period) -> Comparison:
    if given == expected:
        return Comparison("semantic_match", "is as long as")
    if is_number_of(given, expected) or is_number_of(expected, given):
        return Comparison("partial", "is the number without its unit of")
    if _may_be_counted_out(given, expected) or _may_be_counted_out(expected, given):
        return Comparison("open", "is in days what is, from some dates on, as long as")
    return Comparison("wrong", "is not as long as")


_COUNTED_OUT = 12  # months from which a length is said in days only where somebody has counted them
_DAYS_A_MONTH = Fraction(1461, 48)


def _may_be_counted_out(days: Period, months: Period) -> bool:
    """1,095 or 1,096 days for 36 months: which one is right depends on the first day."""
    is_in_days = (days.unit, months.unit) == ("day", "month") and months.amount >= _COUNTED_OUT
    return is_in_days and abs(days.amount - months.amount * _DAYS_A_MONTH) < (3 if months.amount % 12 else 1)


compare = Grammar("period", read, _relate, ignore_case=False).compare
"""Row "period" of design/values.md; a text that is no period goes to the judge."""


def parts(value: Any) -> tuple[str, ...]:
    """The lengths that a value states."""
    text = as_text(value)
    return (text,) if parse(text) else whole_among(scan(text), text)


ANNIVERSARY = re.compile(
    rf"\b(?:(?P<figures>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{ORDINAL_PATTERN}))\s+(?:\(\d{{1,2}}(?:st|nd|rd|th)\)\s+)?anniversary\s+of\s+",
    re.IGNORECASE,
)


def from_anniversary(match: re.Match[str]) -> Period:
    """The length that an anniversary says: of the sixth one 72 months."""
    return Period(Fraction(12 * (int(match["figures"]) if match["figures"] else parse_ordinal(match["word"]) or 0)), "month")


def occurs(value: Any, document: Document) -> bool:
    """Does the length stand anywhere in the document in any notation? A bare number: as any period's number."""
    given = parse(as_text(value))
    known = document.cached(("values.periods", "lengths"), lambda: lengths(document.text))
    return given is not None and _is_among(given, known)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the length in any notation?"""
    given = read(as_text(value)).value
    return given in lengths(text) if given else words_support(value, text)


_ONE_DAY = timedelta(days=1)


def is_between_days(value: Any, text: str, days: Callable[[], frozenset[date]]) -> bool:
    """Whether a length lies between a day of the document and a day of the text (which may be the last one or the one behind it)."""
    given, ends = read(as_text(value)).value, days_in(text)
    return given is not None and bool(ends) and any(_lies_between(given, start, end) for end in ends for start in days())


def _lies_between(length: Period, start: date, end: date) -> bool:
    if length.unit == "day":
        return (end - start).days == length.amount
    days = (day for day in (end, end + _ONE_DAY) if _is_same_day(start, day))
    whole = ((day.year - start.year) * 12 + day.month - start.month == length.amount for day in days)
    return length.unit == "month" and any(whole)


def _is_same_day(start: date, end: date) -> bool:
    return end.day == start.day or (end.day < start.day and (end + _ONE_DAY).day == 1)


def lengths(text: str) -> frozenset[Period]:
    """Every length that a text states, anniversaries too."""
    anniversaries = find_all(ANNIVERSARY, text) if "niversary" in text.casefold() else ()
    return frozenset((*(mention.value for mention in scan(text)), *map(from_anniversary, anniversaries)))


def _is_among(given: Period, known: frozenset[Period]) -> bool:
    return any(is_number_of(given, period) for period in known) if given.unit == "none" else given in known
