"""What an answer can be besides a typed value: one time of the day, one day of every year, one day count of interest, one
count, a yes or a no."""

from __future__ import annotations

import re
from collections.abc import Callable

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.numbers import CARDINAL_PATTERN, parse_cardinal
from deterministic.values.days import MONTH
from judge.capabilities.wording import has_words, stems

_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?:(?P<half>[ap])\.?\s?m\b\.?|(?P<noon>noon|midnight)\b)", re.IGNORECASE
)
_NTH = r"[0-3]?\d(?:st|nd|rd|th)?"
_DAY_OF_YEAR = re.compile(
    rf"\b(?:(?P<first>{_NTH})\s+(?:day\s+of\s+)?{MONTH}|{MONTH.replace('month', 'named')}\s+(?P<second>{_NTH})\b)(?!,?\s*\d{{4}})"
    r"(?:\s+(?:of|in)\s+(?:each|every|any)\s+(?:(?:fiscal|financial|calendar)\s+)?year\b)?",
    re.IGNORECASE,
)
COUNT = re.compile(rf"(?<![\w.,:/$£€-])(?:\d{{1,3}}|{CARDINAL_PATTERN}|once|twice|thrice)(?![\w:/%-]|[.,]\d)", re.IGNORECASE)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def _minutes(time: re.Match[str]) -> int:
    is_late = (time["half"] or "").casefold() == "p" or (time["noon"] or "").casefold() == "noon"
    return (int(time["hour"]) % 12 + 12 * is_late) * 60 + int(time["minute"] or 0)


def _day_of_year(day: re.Match[str]) -> tuple[int, int]:
    number = re.match(r"\d+", day["first"] or day["second"])
    return MONTHS[(day["month"] or day["named"]).casefold()], int(number[0]) if number else 0


def _count(number: re.Match[str]) -> int | None:
    text = number[0].casefold()
    return int(text) if text.isdigit() else _TIMES.get(text) or parse_cardinal(text)


_YEAR = r"(?P<year{0}>36[056])"
_ACTUAL = (
    r"(?P<days{0}>actual|30)[-\s]+(?:number\s+of\s+)?(?:days?|day\s+months)"
    r"(?:\s+(?:actually\s+)?elapsed|\s+in\s+the\s+(?:relevant\s+)?period[^.;]{{0,60}})?"
)
_BASIS = (
    r"(?:[\s,]|\b(?:on|over|and|in|based|upon|divided|by|using|of|a|an|the|basis|year|for|but|any|case|computed|calculated|shall|be|all|advances"
    r"|loans)\b){0,60}"
)
DAY_COUNT = re.compile(
    rf"\b(?P<days1>act(?:ual)?|30)\s*/\s*{_YEAR.format(1)}\b|\b{_ACTUAL.format(2)}{_BASIS}{_YEAR.format(2)}(?:[-\s]days?)?(?:\s+year)?"
    rf"|\b(?:year\s+of\s+)?{_YEAR.format(3)}(?:[-\s]days?)?(?:\s+year)?{_BASIS}{_ACTUAL.format(3)}",
    re.IGNORECASE,
)


def _day_count(found: re.Match[str]) -> tuple[str, str]:
    days, year = (next(found[f"{name}{n}"] for n in (1, 2, 3) if found[f"{name}{n}"]) for name in ("days", "year"))
    return days.casefold()[:3], year


SINGLES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], object]], ...] = (
    (DAY_COUNT, _day_count),
    (_CLOCK, _minutes),
    (_DAY_OF_YEAR, _day_of_year),
    (COUNT, _count),
)
"""How each is written, and what it is; the first that both texts have counts."""
_COUNTED = re.compile(
    r"\bhow\s+many\s+(?P<things>.+?)\s+(?:may|can|could|shall|will|must|are|is|were|do|does|did|have|has|the)\b", re.IGNORECASE
)
_YES_OR_NO = re.compile(r"\W*(?P<word>yes|no)\W*", re.IGNORECASE)
DENIALS = re.compile(r"\b(?:not|no|never|neither|nor|none|unless|except)\b", re.IGNORECASE)


INTRODUCES = re.compile(
    r"\b(?:specified|set\s+(?:forth|out)|shown|opposite|following)\b.{0,40}\b(?:below|table|following|opposite)\b|\bbelow\W*$", re.I
)


def is_row(question: str, answer: str, quote: str) -> bool:
    """Whether a quote is the row of a table with the answer's count: "Sterling Loan 3", all of whose other words the question has."""
    counts = [{_count(match) for match in COUNT.finditer(text)} for text in (quote, answer)]
    label = stems(COUNT.sub(" ", quote))
    return counts[0] == counts[1] and len(counts[0]) == 1 and bool(label) and label <= stems(question)


def shows_answer(question: str, answer: str, subject: frozenset[str], quote: str) -> bool:
    """Whether a quote has the one day count of an answer, counts what the question asks for ("ten Borrowings"), or states or denies all of
    what is answered with yes or no.

    subject: the question's informative words.
    """
    if counted := {_day_count(match) for match in DAY_COUNT.finditer(answer)}:
        return counted == {_day_count(match) for match in DAY_COUNT.finditer(quote)}
    numbered = COUNT.sub(lambda match: f" {_count(match)} ", quote)
    if (asked := _COUNTED.search(question)) is not None:
        return any(has_words(numbered, f"{_count(match)} {asked['things']}") for match in COUNT.finditer(answer))
    if (said := _YES_OR_NO.fullmatch(answer)) is None or DENIALS.search(question) or len(subject) < 2 or not subject <= stems(quote):
        return False
    return len(DENIALS.findall(quote)) == (said["word"].casefold() == "no")
