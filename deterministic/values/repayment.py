"""Repayment schedules (judging.md section 2, row "text"): type, frequency, number of instalments and dates.

Read only where every word is understood. Type, frequency and dates agree: semantic match; the type agrees and the rest does not:
partial; two types that differ: wrong. A schedule with amounts, percentages or other words goes to the judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from deterministic.lexicon.numbers import CARDINAL_PATTERN, parse_cardinal
from deterministic.values import dates, frequency
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, raise_verbatim, shown
from deterministic.values.text import plain

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

Type = Literal["bullet", "instalments", "interest_period"]


@dataclass(frozen=True, slots=True)
class Repayment:
    """None and the empty set: not stated. A bullet "on the Maturity Date" states no day of its own."""

    type: Type
    frequency: str | None
    instalments: int | None
    days: frozenset[date]


_MAX_LENGTH = 1000  # a schedule told at such length is a table, not a phrase
_MATURITY = (
    r"(?:(?:up)?on|at|by)?\s*(?:the\s+)?(?:(?:final|scheduled|stated)\s+)?(?:maturity|termination|(?:final\s+)?repayment|expiry)(?:\s+date)?"
    r"(?:\s+(?:for|of|applicable\s+to)\s+(?:that|the|each|such)\s+(?:relevant\s+)?(?:facility|loan)s?)?"
)
_BULLET = re.compile(
    rf"(?:(?:bullet|in\s+full|(?:a\s+|in\s+)?(?:a\s+)?(?:single|one)\s+(?:bullet\s+)?(?:instalment|installment|payment|repayment|lump\s+sum|amount)|lump\s+sum)"
    rf"(?:\s+(?:loan|re?payment|amount))?[,;\s]*)+(?:{_MATURITY})?",
    re.IGNORECASE,
)
_INTEREST_PERIOD = re.compile(
    r"(?:on|at)\s+the\s+(?:last\s+day|end)\s+of\s+(?:its|each|that|the|every)(?:\s+relevant)?\s+interest\s+periods?", re.IGNORECASE
)
_COUNT = re.compile(
    rf"(?<!\w)(?P<number>\d{{1,3}}|{CARDINAL_PATTERN})(?:\s?\((?P<again>\d{{1,3}})\))?\s+"
    r"(?=(?:(?:equal|consecutive|successive|substantially|approximately|semi-?annual|half-?yearly|quarterly|monthly|annual|yearly|bi-?annual|principal|six-monthly)[\s,]+)*"
    r"(?:instalments?|installments?|repayments?|payments?))",
    re.IGNORECASE,
)
_INSTALMENTS = re.compile(r"(?<!\w)(?:instalments?|installments?|amorti[sz](?:ing|ation|ed)|payments|repayments)(?!\w)", re.IGNORECASE)
_NOISE = frozenset(
    texts.words(
        "the a an loan loans facility facilities borrower shall will must be is are repay repays repaid repayable repayment "
        "payable paid pay by in of on at and each its all any outstanding principal equal consecutive successive commencing "
        "starting beginning from first falling due date to with amount amounts aggregate made over until schedule bullet "
        "instalment ending final last thereafter maturity"
    )
)


def parse(value: str) -> Repayment | None:
    """The whole text as one repayment schedule, or None when a word is not understood or no type is named."""
    if len(value) > _MAX_LENGTH:
        return None
    repayment, rest = _read(as_text(value))
    leftover = [word for word in re.findall(r"[^\W_]+|[%$€£¥₹]", rest.casefold()) if word not in _NOISE]
    return None if leftover else repayment


def _read(text: str) -> tuple[Repayment | None, str]:
    """The schedule that a text states, and the text without the parts that were read."""
    mentions = dates.scan(text)
    if any(mention.value.is_ambiguous for mention in mentions):
        return None, text
    days = frozenset(mention.value.readings[0] for mention in mentions)
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    rest, is_rolling = _INTEREST_PERIOD.subn(" ", text)
    count, rest = _take_count(rest)
    rest, is_bullet = _BULLET.subn(" ", rest)
    rungs = frequency.scan(rest)
    rest, is_split = _INSTALMENTS.subn(" ", rest)
    rest = frequency.strip(rest)
    kinds: list[Type] = []
    kinds += ["interest_period"] if is_rolling else []
    kinds += ["bullet"] if is_bullet else []
    kinds += ["instalments"] if is_split or count else []
    if len(kinds) != 1 or len(rungs) > 1:
        return None, rest
    return Repayment(kinds[0], next(iter(rungs), None), count, days), rest


def _take_count(text: str) -> tuple[int | None, str]:
    match = _COUNT.search(text)
    if not match:
        return None, text
    number = int(match["number"]) if match["number"].isdigit() else parse_cardinal(match["number"])
    if number is None or number == 1 or (match["again"] and int(match["again"]) != number):
        return None, text
    return number, f"{text[: match.start()]} {text[match.end() :]}"


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" of judging.md section 2, for repayment schedules."""
    text = as_text(reported)
    return raise_verbatim(best_of(_compare_one, text, as_text(gold), accepted), text, surroundings, ignore_case=True)


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected schedule.")
    given, expected = parse(reported), parse(gold)
    if given is None or expected is None:
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: a schedule that no rule reads.")
    if given == expected:
        return Comparison("semantic_match", f"{shown(reported)} has the type, frequency and dates of {shown(gold)}.")
    if given.type != expected.type:
        return Comparison("wrong", f"{shown(reported)} is another type of repayment than {shown(gold)}.")
    if _covers(given, expected):
        return Comparison("open", f"{shown(reported)} says more than {shown(gold)}.")
    return Comparison("partial", f"{shown(reported)} has the type of {shown(gold)}; frequency, number or dates do not agree.")


def _covers(given: Repayment, expected: Repayment) -> bool:
    """Does the schedule say everything that the expected one says?"""
    return (
        expected.frequency in (None, given.frequency) and expected.instalments in (None, given.instalments) and expected.days <= given.days
    )


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? A schedule is never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, or a schedule that says everything the value says?"""
    given = parse(as_text(value))
    if given is None or texts.supports(value, text):
        return texts.supports(value, text)
    stated, _ = _read(as_text(text))
    return stated is not None and stated.type == given.type and _covers(stated, given)
