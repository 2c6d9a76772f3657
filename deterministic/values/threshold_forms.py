"""Reading covenant thresholds: ratios, percentages, amounts and periods with their comparator, ranges, and step-downs with dates.

Values are exact: a ratio of 4.00:1, 4.0x, "four times" and 400 % is the number 4. Standard section 2.1, judging.md section 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from deterministic.lexicon.numbers import ORDINAL_PATTERN, NumberMention, fold, parse_ordinal, scan_numbers
from deterministic.lexicon.searching import find_all
from deterministic.values import periods
from deterministic.values.amounts import Money, MoneyRange, amounts_among
from deterministic.values.amounts import parse as parse_amount
from deterministic.values.days import scan as scan_days
from deterministic.values.rate_forms import unit_after

Direction = Literal["max", "min", ""]
Unit = Literal["ratio", "money", "month", "day", "business_day", "banking_day", "number"]


@dataclass(frozen=True, slots=True)
class Level:
    """One value with its comparator.

    `direction`: `max` (shall not exceed), `min` (at least), empty where nothing is said. `is_trigger`: the comparator stands in a
    condition ("if Leverage would exceed"), so that it may turn a prohibition round. `codes`: candidate currencies of an amount.
    `days`: the dates that stand beside the level.
    """

    value: Fraction
    unit: Unit
    direction: Direction = ""
    is_trigger: bool = False
    codes: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    is_fragment: bool = False  # the comparator may be turned round by what stands before the text
    is_carried: bool = False  # the comparator stands before an earlier value ("above 35 % usage: 4.25x")


@dataclass(frozen=True, slots=True)
class Threshold:
    """One level, a range of two (`is_range`, low first), or the levels of a step-down in their order."""

    levels: tuple[Level, ...]
    is_range: bool = False

    def by_day(self) -> dict[date, Level]:
        """The level of each stated day; empty where a level has no day or a day has two."""
        pairs = [(day, level) for level in self.levels for day in level.days]
        found = dict(pairs)
        is_clear = len(found) == len(pairs) and all(level.days for level in self.levels)
        return found if is_clear and len(found) > 1 else {}


@dataclass(frozen=True, slots=True)
class _Quantity:
    start: int
    end: int
    value: Fraction
    unit: Unit
    codes: tuple[str, ...] = ()


_TO_ONE = re.compile(r"\s?(?::|/|to|is\s+to)\s?(?:1(?:\.0+)?|one)(?![\d%]|[.:]\d|\w)", re.IGNORECASE)
_TO_MANY = re.compile(r"\s?:\s?(?P<other>\d{1,3}(?:\.\d+)?)(?![\d%]|[.:]\d|\w|\s?[ap]\.?m)", re.IGNORECASE)
_TIMES = re.compile(r"\s?-?\s?(?:x|×|times)(?!\w)", re.IGNORECASE)
_NTH_DAY = re.compile(
    rf"\b(?:(?:[a-z]+(?:-[a-z]+)?\s?\()?(?P<figure>\d{{1,3}})(?:st|nd|rd|th)\)?|(?P<word>{ORDINAL_PATTERN}))\s+"
    r"(?:calendar\s+|(?P<kind>business\s+))?day(?=\s+(?:after|following|from)\b)",
    re.IGNORECASE,
)
"""Matches "forty-fifth (45th) day after"; not "the first day of" (a day, no length: it is not counted from an event)."""
_DESK_DAYS = re.compile(r"(?<=\d)\s?d\b(?![./])", re.IGNORECASE)
"""The desk's short form of a value, "45d", "10 d"; no word of a document's running text."""
PERIOD_UNITS = ("month", "day", "business_day", "banking_day")
_NEGATION = r"(?:not|no|never|nor|neither|nothing|cannot|without|prohibit(?:s|ed)?|forbid(?:s|den)?)"
_BESIDE = (
    r"(?=(?:\s+(?:a|an|of|the|[A-Z]{3}|[$£€₹]))*\s*[$£€₹]?\s*$)"  # places and days ("column 2 below", "ending after") are no comparators
)
_UP = rf"\b(?:exceed(?:s|ing|ed)?|(?:more|greater|higher|larger|later)\s+than|in\s+excess\s+of)\b|\b(?:above|over|after){_BESIDE}|>(?!=)"
_DOWN = rf"\b(?:less|lower|smaller|fewer|earlier)\s+than\b|\b(?:below|beneath|under){_BESIDE}|<(?!=)"
_AT_LEAST = r"\b(?:at\s+least|minimum|min|at\s+a\s+minimum|floor\s+of)\b|≥|=>|>=|⩾"
_UNTIL = r"\bon\s+or\s+(?:before|prior\s+to)(?=\s+the\s+[\w-]+(?:\s+\(\w+\))?\s+(?:calendar\s+|business\s+)?day\b)"
_AT_MOST = rf"{_UNTIL}|\b(?:at\s+most|maximum|max|up\s+to|within|capped\s+at|(?:cap|ceiling)\s+of|limited\s+to)\b|≤|=<|<=|⩽"
_COMPARATOR = re.compile(
    rf"(?P<at_least>{_AT_LEAST})|(?P<at_most>{_AT_MOST})|(?P<not>\b{_NEGATION}\b)|(?P<up>{_UP})|(?P<down>{_DOWN})"
    r"|(?P<condition>\b(?:if|would|where|unless|when|whenever|while|until|once)\b)",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"(?!\s*\(m(?:in|ax)\w*(?:\s+[a-z]+){1,4}\s+\d)\s*(?:\)\s*)?(?:in\s+aggregate\s+)?"
    r"(?:(?P<min>\(?(?:or|and)\s+(?:more|greater|higher|above|over)|\(?min(?:imum)?\b|floor\b|\+)"
    r"|(?P<max>\(?(?:or|and)\s+(?:less|lower|fewer|below|under)|\(?max(?:imum)?\b|(?:cap|ceiling)\b))",
    re.IGNORECASE,
)
"""Behind a value; not "(minimum drawing of 40 %)", which is another value's."""
_LABEL = re.compile(r"(?:clause|section|schedule|part|article|paragraph|test\s+date|facility|tranche|column|row)\s*$", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|to|up\s+to)\s*", re.IGNORECASE)
_PERMIT = re.compile(
    r"\s+(?:\w+,?\s+){0,4}?(?:permit|allow|suffer|let|cause|make|incur|expend|spend)\b", re.IGNORECASE
)  # its negation reaches to the end of the sentence
_BARE_PERMIT = re.compile(r"\W*(?:\(?\w{1,4}[.)]\s+)?(?:permit|allow|suffer)\b", re.IGNORECASE)
"""The limb of a list of what nobody may do, "Allow the ratio ... to be less than": its "shall not" stands in the words above the list."""
_BREACH = r"(?:(?:an?\s+)?(?:covenant\s+)?(?:breach(?:es|ed)?|violat(?:ion|es|ed)|(?:event\s+of\s+)?default|eod))"
_DENIED = re.compile(
    rf"(?P<shape>{_AFTERWARDS.pattern})?(?:\s*\(tested\s[^();]*;)?[\s,;:(\[=–—>→-]*(?:(?:is|are|be|would|will|shall|constitutes|means|triggers|results\s+in)\s+)*"
    rf"(?:not\s+(?:be\s+)?(?:permitted|allowed)|prohibited|forbidden|{_BREACH})[\s.)\]]*$",
    re.IGNORECASE,
)
"""What denies the value before it, at the end of a threshold: "greater than 0.60 (not permitted)", "if > 0.60x: default"."""
_TURNED: dict[Direction, Direction] = {"max": "min", "min": "max", "": ""}
_BREACHED_IF = re.compile(rf"\W*{_BREACH}(?:\s+occurs)?\s*(?:\b(?:if|when|whenever|where|once)\b|[:=–—-])", re.IGNORECASE)
_NEGATION_REACH = 10  # words between a negation and the comparator it turns ("shall not permit Liquidity to be less than")


def parse(text: str) -> Threshold | None:
    """The threshold that the text states, None when it holds no value; what is denied turns its comparator round. Never raises."""
    if len(text) > 2000:
        return None
    told = without_denial(text)
    threshold = _parse(with_desk_days(told))
    if threshold is None or not is_denied(text):
        return threshold
    is_unsure = any(match.lastgroup in ("not", "at_least", "at_most") for match in _COMPARATOR.finditer(told))  # denied twice, or a limit
    turned = (replace(level, direction=_TURNED[level.direction], is_trigger=is_unsure) for level in threshold.levels)
    return replace(threshold, levels=tuple(turned))


def is_denied(text: str) -> bool:
    """Whether a threshold says that the value which it gives is not permitted or a breach."""
    return without_denial(text) != fold(text).strip()


def without_denial(text: str) -> str:
    """A threshold, folded, without the words that say that its value is not permitted or a breach."""
    folded = fold(text).strip()
    if (begun := _BREACHED_IF.match(folded)) is not None:
        return folded[begun.end() :]
    end = max((q.end for q in scan_quantities(folded)), default=len(folded))
    denied = _DENIED.match(folded, end)
    return folded[: end if denied["shape"] is None else denied.end("shape")] if denied is not None else folded


def _parse(folded: str) -> Threshold | None:
    mentioned = scan_days(folded)
    blanked = _blank(folded, [(m.start, m.end) for m in mentioned])
    quantities = _leading(_with_shared_units(blanked, scan_quantities(blanked)))
    if not quantities:
        return None
    if isinstance(amounts := parse_amount(folded), MoneyRange):
        return Threshold(tuple(Level(m.amount, "money" if m.codes else "number", codes=m.codes) for m in (amounts.low, amounts.high)), True)
    if (bounds := _range(blanked, quantities)) is not None:
        return bounds
    levels = list(_levels(blanked, quantities))
    if mentioned:
        stated = [(m.start, m.value.readings[0]) for m in mentioned if not m.value.is_ambiguous]
        levels = _with_days(levels, quantities, stated)
    return Threshold(tuple(levels))


def with_desk_days(folded: str) -> str:
    """A folded text with the desk's short form of days ("45d") in full."""
    return _DESK_DAYS.sub(" days", folded)


def is_fragment(text: str) -> bool:
    """Whether a text begins in the middle of a sentence ("to be less than 10"), so that its comparator may be turned round before it."""
    return _FRAGMENT.match(fold(text).strip()) is not None and not is_denied(text)


_FRAGMENT = re.compile(
    rf"(?!.*\b{_NEGATION}\b)(?:to\s+(?:be|exceed|fall|drop|rise)\b|(?:be\s+)?(?:exceed(?:s|ing)?|(?:more|greater|less|lower|higher)\s+than)\b)",
    re.IGNORECASE | re.DOTALL,
)


def settled_by(text: str, sentences: Sequence[str]) -> str:
    """A fragment with the beginning of its sentence ("shall not permit EBITDA to be less than 10"), else the text itself."""
    if not is_fragment(text):
        return text
    return next(beginnings(text, sentences), text)


def beginnings(text: str, sentences: Sequence[str]) -> Iterator[str]:
    """Each sentence in which a text stands, up to its end."""
    wanted = re.compile(r"\s+".join(map(re.escape, fold(text).split())), re.IGNORECASE)
    return (sentence[: match.end()] for sentence in sentences if (match := wanted.search(fold(sentence))) is not None)


def scan_levels(folded: str) -> frozenset[tuple[Fraction, Unit]]:
    """Every quantity of a folded text with its unit, for finding a threshold in it."""
    return frozenset((q.value, q.unit) for q in scan_quantities(folded))


def figures_beside(text: str) -> list[tuple[str, Fraction | None]]:
    """The numbers of a threshold's text that are no part of its values or dates, as written and as numbers."""
    folded = fold(text).strip()
    spans = [(m.start, m.end) for m in scan_days(folded)]
    spans += [(q.start, q.end) for q in _leading(scan_quantities(_blank(folded, spans)))]
    beside = (n for n in scan_numbers(folded) if not any(start < n.end and n.start < end for start, end in spans))
    return [(folded[n.start : n.end], n.value()) for n in beside if not _LABEL.search(folded, max(0, n.start - 20), n.start)]


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\u00a7" * (end - start) + text[end:]
    return text


def _leading(quantities: list[_Quantity]) -> list[_Quantity]:
    """Drops what only describes the others: the periods and bare numbers beside ratios or amounts, bare numbers beside periods."""
    for units in (("ratio", "money"), PERIOD_UNITS):
        if kept := [q for q in quantities if q.unit in units]:
            return kept
    return quantities


# --- quantities ----------------------------------------------------------------------------------------------------


def scan_quantities(folded: str) -> list[_Quantity]:
    """The quantities of a text in their order; words and figures of one of them count once."""
    found: list[_Quantity] = []
    for quantity in sorted(_all_quantities(folded), key=lambda q: (q.start, -q.end)):
        last = found[-1] if found else None
        if last is not None and quantity.start < last.end:
            continue
        if last is not None and last.value == quantity.value and _is_repeated(folded, last, quantity):
            unit, codes = (last.unit, last.codes) if quantity.unit == "number" else (quantity.unit, quantity.codes or last.codes)
            found[-1] = _Quantity(last.start, quantity.end, last.value, unit, codes)
            continue
        found.append(quantity)
    return found


def _with_shared_units(folded: str, quantities: list[_Quantity]) -> list[_Quantity]:
    """ "3.0-4.0x", "50 to 60 %", "30-60 days": the unit behind the second end of a range is the first one's too."""
    found = list(quantities)
    for index, (first, second) in enumerate(pairwise(quantities)):
        if first.unit != "number" or second.unit in ("number", "money") or not _RANGE.fullmatch(folded, first.end, second.start):
            continue
        figures = scan_numbers(folded[second.start : second.end])
        size = figures[0].value() if figures else None
        if size:
            found[index] = _Quantity(first.start, first.end, first.value * second.value / size, second.unit)
    return found


def _is_repeated(folded: str, first: _Quantity, second: _Quantity) -> bool:
    return re.fullmatch(r"[\s\w]{0,12}\(\s*", folded[first.end : second.start]) is not None


def _all_quantities(folded: str) -> Iterator[_Quantity]:
    numbers = scan_numbers(folded)
    for mention in periods.scan(folded):
        if mention.value.unit in PERIOD_UNITS:
            yield _Quantity(mention.start, mention.end, mention.value.amount, mention.value.unit)
    by_start = {number.start: number for number in numbers}
    for mention in amounts_among(folded, numbers):
        money: Money = mention.value
        if money.codes or not _ratio_after(folded, by_start.get(mention.start)):
            yield _Quantity(mention.start, mention.end, money.amount, "money" if money.codes else "number", money.codes)
    for match in find_all(_NTH_DAY, folded):
        if count := int(match["figure"] or 0) or parse_ordinal(match["word"] or ""):
            yield _Quantity(match.start(), match.end(), Fraction(count), "business_day" if match["kind"] else "day")
    for number in numbers:
        if not number.is_attached and (found := _ratio(folded, number)) is not None:
            yield found


def _ratio_after(folded: str, number: NumberMention | None) -> bool:
    return number is not None and (_TO_ONE.match(folded, number.end) or _TIMES.match(folded, number.end)) is not None


def _ratio(folded: str, number: NumberMention) -> _Quantity | None:
    value = number.value()
    if value is None:
        return None
    end = number.end
    if folded[end : end + 1] == ")" and folded[number.start - 1 : number.start] == "(":
        end += 1  # four (4.00) to one
    for pattern in (_TO_ONE, _TIMES):
        if (match := pattern.match(folded, end)) is not None:
            return _Quantity(number.start, match.end(), value, "ratio")
    if (unit := unit_after(folded, number)) is not None:
        return _Quantity(number.start, unit[1], value * unit[0] / 100, "ratio")
    if (many := _TO_MANY.match(folded, end)) is not None and Fraction(many["other"]):
        return _Quantity(number.start, many.end(), value / Fraction(many["other"]), "ratio")
    if number.form == "figure" and re.match(
        r"\s?(?:\((?!not\s|breach|default)|\d|:)|[A-Za-z]", folded[number.end : number.end + 10], re.IGNORECASE
    ):
        return None  # a clause number, a time of day, an ordinal
    if _LABEL.search(folded, max(0, number.start - 20), number.start):
        return None
    return None if number.form == "words" and value <= 1 else _Quantity(number.start, number.end, value, "number")


# --- comparators and shapes ----------------------------------------------------------------------------------------


def _levels(folded: str, quantities: list[_Quantity]) -> Iterator[Level]:
    before = 0
    direction: Direction = ""
    is_trigger = False
    for quantity in quantities:
        stated, in_condition = _direction(folded[before : quantity.start], folded[quantity.end : quantity.end + 30])
        if stated:
            direction, is_trigger = stated, in_condition
        yield Level(quantity.value, quantity.unit, direction, is_trigger, quantity.codes, is_carried=not stated)
        before = quantity.end


def _direction(before: str, after: str) -> tuple[Direction, bool]:
    """The comparator nearest to a value, and whether a condition introduces it."""
    if (later := _AFTERWARDS.match(after)) is not None:
        return ("min" if later["min"] else "max"), any(m.lastgroup == "condition" for m in _COMPARATOR.finditer(before))
    found: Direction = ""
    negated_at: int | None = None
    is_condition = is_trigger = False
    is_forbidden = _BARE_PERMIT.match(before) is not None
    if is_forbidden:
        negated_at = 0
    for match in _COMPARATOR.finditer(before):
        kind = match.lastgroup
        if kind == "condition":
            is_condition, negated_at = True, None
        elif kind == "not":
            negated_at = match.end()
            is_forbidden = _PERMIT.match(before, match.end()) is not None
        elif kind in ("at_least", "at_most"):
            found, is_trigger = ("min" if kind == "at_least" else "max"), is_condition
        else:
            is_negated = negated_at is not None and (is_forbidden or len(before[negated_at : match.start()].split()) <= _NEGATION_REACH)
            found, is_trigger = ("min" if (kind == "up") != is_negated else "max"), is_condition
            negated_at = None
    return found, is_trigger


def _range(folded: str, quantities: list[_Quantity]) -> Threshold | None:
    """ "3.50:1 to 4.00:1", "3.5x - 4.0x", "between 3.50:1 and 4.00:1"."""
    if len(quantities) != 2:
        return None
    first, second = quantities
    between = folded[first.end : second.start]
    is_between = re.search(r"\b(?:between|from)\b", folded[: first.start], re.IGNORECASE) is not None
    if not _RANGE.fullmatch(between) and not (is_between and re.fullmatch(r"\s*(?:and|to)\s*", between, re.IGNORECASE)):
        return None
    low, high = (first, second) if first.value <= second.value or first.unit != second.unit else (second, first)
    unit: Unit = high.unit if low.unit == "number" else low.unit
    codes = low.codes or high.codes
    direction, is_trigger = _direction(folded[: first.start], folded[second.end :])
    return Threshold(tuple(Level(q.value, unit, direction, is_trigger, q.codes or codes) for q in (low, high)), is_range=True)


def _with_days(levels: list[Level], quantities: list[_Quantity], stated: list[tuple[int, date]]) -> list[Level]:
    """Each date goes to the last level before it ("4.50:1 until 31 December 2026"), or to the first level behind it."""
    owners: list[list[date]] = [[] for _ in levels]
    leads = bool(stated) and stated[0][0] < quantities[0].start
    for at, day in stated:
        before = [i for i, q in enumerate(quantities) if q.start < at]
        owner = min(len(before), len(levels) - 1) if leads else before[-1]
        owners[owner].append(day)
    return [replace(level, days=tuple(days)) for level, days in zip(levels, owners, strict=True)]
