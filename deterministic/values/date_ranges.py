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


_BETWEEN = re.compile(
    r"\W*(?:\((?:and\s+)?inclusive\)|inclusive)?\W*(?:to|until|till|through|and|up\s+to|ending|to\s+and)(?:\s+and)?(?:\s+(?:including|on|ending\s+on))?(?:\s+the)?\W*"
    r"|\s*[-–—/]\s*",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"(?:^|\b)(?:until|till|through|up\s+to|ending|expiring)(?:\s+and\s+including)?(?:\s+on)?(?:\s+the)?\W*$", re.IGNORECASE
)
_FROM = re.compile(
    r"(?:^|\b)(?:from|commencing|starting|beginning|since|with\s+effect\s+from)(?:\s+and\s+including)?(?:\s+on)?(?:\s+the)?\W*$",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|except|excluding|other\s+than|before|after|exclusive)\b", re.IGNORECASE)


def parse(text: str) -> DateRange | None:
    """The one range or day that the text names, beside words that do not change it ("the Quarter Date falling on 31 March 2026").

    None for no date, an ambiguous date, more than two dates, or words that exclude ("after", "other than").
    """
    mentions = scan_days(text)
    if not 1 <= len(mentions) <= 2 or any(mention.value.is_ambiguous for mention in mentions) or _NEGATION.search(text):
        return None
    days = [mention.value.readings[0] for mention in mentions]
    before = text[: mentions[0].start]
    if len(days) == 2:
        joined = _BETWEEN.fullmatch(text[mentions[0].end : mentions[1].start])
        return DateRange(days[0], days[1]) if joined and days[0] <= days[1] else None
    if _UNTIL.search(before):
        return DateRange(None, days[0])
    if _FROM.search(before):
        return DateRange(days[0], None)
    return DateRange(days[0], days[0])


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
