"""Repayment schedules (design/values.md, row "text"): type, frequency, number of instalments and dates, by a closed grammar of whole
strings. Type, frequency and dates agree: semantic match; the type agrees and the rest does not: partial; two types that differ: wrong. A
schedule with anything else beside them (an amount, a share, a condition, interest) is read by no rule."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from deterministic.lexicon.memory import kept
from deterministic.lexicon.numbers import CARDINAL_PATTERN, parse_cardinal
from deterministic.values import frequency
from deterministic.values.comparison import Comparison, Grammar, Reading, as_text, words_support
from deterministic.values.dates import scan as scan_days

Type = Literal["bullet", "instalments", "interest_period"]


@dataclass(frozen=True, slots=True)
class Repayment:
    """None and (): not stated. `days`: with what they are ("from", "to", "end"). `has_end`: a bullet names the end of the loan, instalments
    leave a balance to it; neither states a day of its own by that."""

    type: Type
    frequency: str | None = None
    instalments: int | None = None
    days: tuple[tuple[str, date], ...] = ()
    has_end: bool = False


_MAX_LENGTH = 300  # characters; longer ones are sentences
_DAY = "§"
_END = r"(?:(?:final|scheduled|stated|applicable|relevant)\s+)?(?:maturity|termination|(?:final\s+)?repayment|expiry)(?:\s+date)?"
_AT_END = rf"(?:(?:on|at|upon)\s+(?:the\s+|its\s+)?{_END}(?:\s*\({_DAY}\))?|on\s+{_DAY})"
_ALL = (
    r"(?:the\s+)?(?:(?:entire|whole|full|aggregate|outstanding)\s+){1,3}principal(?:\s+(?:amount|balance))?"
    r"|all\s+(?:outstanding\s+)?(?:loans|amounts(?:\s+outstanding)?)"
)
_PAID = r"(?:(?:to\s+be|is|are|shall\s+be)\s+)?(?:repaid|repayable|paid|payable|due)"
_ONCE = (
    r"in\s+full(?:\s+in\s+(?:a|one)\s+(?:single\s+)?(?:payment|instalment|installment))?"
    r"|(?:in\s+)?(?:a\s+|one\s+)?(?:single|one)\s+(?:bullet\s+)?(?:payment|repayment|instalment|installment)|(?:in\s+)?(?:a\s+)?lump\s+sum"
)
_SINGLE = rf"(?:(?:{_ALL})\s+)?(?:{_PAID}\s+)?(?:{_ONCE})|{_ALL}\s+{_PAID}"
_BULLET = re.compile(
    rf"bullet(?:\s+(?:loan|re?payment|maturity))?(?:,?\s+{_AT_END})?(?:\s*[(;:,–-]\s*(?:{_SINGLE}|no\s+amorti[sz]ation)(?:,?\s+{_AT_END})?\)?)?"
    rf"|(?:{_SINGLE}),?\s+{_AT_END}(?:\s*\(bullet\))?",
    re.IGNORECASE,
)
_BALANCE = (
    rf"(?:\s*(?:,|;|and|,\s*and|with)\s*(?:(?:the|any)\s+)?(?:(?:remaining|outstanding)\s+)?(?:balance|remainder)"
    rf"(?:\s+{_PAID})?\s+{_AT_END})"
)
_INTEREST_PERIOD = re.compile(
    rf"(?:each\s+loan\s+)?(?:{_PAID}\s+)?(?:in\s+full\s+)?on\s+the\s+last\s+day\s+of\s+(?:its|each|the\s+relevant)\s+interest\s+period(?P<balance>{_BALANCE})?",
    re.IGNORECASE,
)
_COUNT = rf"(?:(?P<count>\d{{1,3}}|{CARDINAL_PATTERN})\s+)?"
_EQUAL = r"(?:(?:substantially\s+)?(?:equal|consecutive|successive|scheduled|principal)[,\s]+)*"
_PARTS = r"(?:repayment\s+)?(?:instalments?|installments?|repayments)"
_STARTS = (
    rf"(?P<first>,?\s+(?:commencing|starting|beginning|from)(?:\s+(?:on|from))?\s+{_DAY})?(?P<last>,?\s+(?:to|until|ending\s+on)\s+{_DAY})?"
)
_INSTALMENTS = re.compile(
    rf"(?:amorti[sz]ing[,:;–-]?\s+)?(?:in\s+)?{_COUNT}{_EQUAL}(?:(?P<before>[\w-]+(?:\s+[\w-]+)?)\s+)??{_EQUAL}{_PARTS}(?:\s+(?P<behind>(?:every|each)\s+[\w\s-]+?))?"
    rf"(?:\s+\(amorti[sz]ing\))?{_STARTS}(?P<balance>{_BALANCE})?|amorti[sz]ing(?:,\s+|\s+\()?(?P<how>[\w-]+)\)?",
    re.IGNORECASE,
)


@kept(1024)
def parse(value: str) -> Repayment | None:
    """The schedule that a whole text states; None when it says anything else."""
    text = as_text(value).strip(" .")
    if len(text) > _MAX_LENGTH or _DAY in text:
        return None
    mentions = scan_days(text)
    if any(mention.value.is_ambiguous for mention in mentions):
        return None
    days = tuple(mention.value.readings[0] for mention in mentions)
    for mention in reversed(mentions):
        text = f"{text[: mention.start]}{_DAY}{text[mention.end :]}"
    if _BULLET.fullmatch(text):
        return Repayment("bullet", days=tuple(("end", day) for day in days), has_end=re.search(_END, text, re.IGNORECASE) is not None)
    if (rolling := _INTEREST_PERIOD.fullmatch(text)) is not None:
        return Repayment("interest_period", days=tuple(("end", day) for day in days), has_end=bool(rolling["balance"]))
    return _instalments(text, days)


def _instalments(text: str, days: tuple[date, ...]) -> Repayment | None:
    if (found := _INSTALMENTS.fullmatch(text)) is None:
        return None
    said = [word for word in (found["before"], found["behind"], found["how"]) if word]
    rungs = {frequency.parse(word) for word in said}
    count = found["count"] and (int(found["count"]) if found["count"].isdigit() else parse_cardinal(found["count"].casefold()))
    if len(rungs) > 1 or not rungs <= {"monthly", "quarterly", "semi_annual", "annual"} or count in (0, 1):
        return None
    roles = [name for name, group in (("from", "first"), ("to", "last"), ("end", "balance")) if _DAY in (found[group] or "")]
    return Repayment("instalments", next(iter(rungs), None), count or None, tuple(zip(roles, days, strict=True)), bool(found["balance"]))


def _relate(given: Repayment, expected: Repayment) -> Comparison:
    if given == expected:
        return Comparison("semantic_match", "has the type, frequency and dates of")
    if given.type != expected.type:
        return Comparison("wrong", "is another type of repayment than")
    if given.type == "bullet":
        if given.days == expected.days:
            return Comparison("semantic_match", "has the type and day of")
        is_unsure = not expected.days or (given.has_end and not given.days)  # the end that is named may be the day
        return Comparison("open", "may have the day of") if is_unsure else Comparison("partial", "has the type, and not the day, of")
    pairs = ((given.frequency, expected.frequency), (given.instalments, expected.instalments), (given.days, expected.days))
    if any(mine and not true for mine, true in pairs) or given.has_end != expected.has_end:
        return Comparison("open", "says another thing beside the type of")
    return Comparison("partial", "has the right type, but its frequency, number or dates do not agree with")


compare = Grammar("schedule", lambda text, _: Reading(parse(text)), _relate).compare
"""Row "text" of design/values.md, for repayment schedules."""


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words of the schedule, or state the schedule itself?"""
    mine = parse(as_text(value))
    return words_support(value, text) or (mine is not None and parse(text) == mine)
