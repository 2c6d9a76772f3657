"""Stretches of days, such as the period of a waiver: "1 January 2026 to 30 June 2026", "from ... until ...", "31 March 2026"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from deterministic.values.comparison import Comparison, as_text, shown
from deterministic.values.days import scan as scan_days
from deterministic.values.words import plain


@dataclass(frozen=True, slots=True)
class DateRange:
    """First and last day, ends included; None: open at this end. A single day is its own first and last."""

    first: date | None
    last: date | None


_WITH = r"(?:\s+and\s+including)?(?:\s+on)?(?:\s+the)?"
_OPENING = r"(?:(?:for\s+)?(?:the\s+)?(?:test\s+|testing\s+|waiver\s+)?period\s+)?"
_BEFORE_TWO = re.compile(rf"\s*{_OPENING}(?:(?:from|between|commencing|starting|beginning){_WITH})?\s*", re.IGNORECASE)
_JOINED = re.compile(
    rf"\s*(?:\((?:and\s+)?inclusive\)|inclusive)?[\s,]*(?:to|until|till|through|and|up\s+to|ending|to\s+and){_WITH}\s*"
    r"|\s*[-–—/]\s*",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[\s,]*(?:\(?(?:both\s+)?(?:days\s+|dates\s+)?inclusive\)?)?[\s.]*", re.IGNORECASE)
_UNTIL = re.compile(rf"\s*{_OPENING}(?:until|till|through|up\s+to|ending|expiring){_WITH}\s*", re.IGNORECASE)
_FROM = re.compile(rf"\s*{_OPENING}(?:from|commencing|starting|beginning|since|with\s+effect\s+from){_WITH}\s*", re.IGNORECASE)


def parse(text: str) -> DateRange | None:
    """The one range or day that the whole text is; None for no date, an ambiguous date, more than two dates, or any other word."""
    mentions = scan_days(text)
    if not 1 <= len(mentions) <= 2 or any(mention.value.is_ambiguous for mention in mentions):
        return None
    days = [mention.value.readings[0] for mention in mentions]
    before, after = text[: mentions[0].start], text[mentions[-1].end :]
    if _AFTER.fullmatch(after) is None:
        return None
    if len(days) == 2:
        is_joined = _JOINED.fullmatch(text[mentions[0].end : mentions[1].start]) and _BEFORE_TWO.fullmatch(before)
        return DateRange(days[0], days[1]) if is_joined and days[0] <= days[1] else None
    if _UNTIL.fullmatch(before):
        return DateRange(None, days[0])
    if _FROM.fullmatch(before):
        return DateRange(days[0], None)
    return DateRange(days[0], days[0]) if not before.strip() else None


def compare(reported: Any, gold: Any) -> Comparison:
    """Equal texts are correct; the same days a semantic match; two ranges that differ wrong; open where one is not read.

    One end alone ("until 30 June 2026") against a full range with that end is open: the other end may be understood.
    """
    given, expected = parse(as_text(reported)), parse(as_text(gold))
    if as_text(reported) and plain(as_text(reported)) == plain(as_text(gold)):
        return Comparison("correct", f"{shown(reported)} is the expected period.")
    if given is None or expected is None:
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for periods of days decides.")
    if given == expected:
        return Comparison("semantic_match", f"{shown(reported)} are the days of {shown(gold)}.")
    if _contradict(given.first, expected.first) or _contradict(given.last, expected.last):
        return Comparison("wrong", f"{shown(reported)} are other days than {shown(gold)}.")
    return Comparison("open", f"{shown(reported)} names one end only of {shown(gold)}.")


def _contradict(one: date | None, other: date | None) -> bool:
    return one is not None and other is not None and one != other
