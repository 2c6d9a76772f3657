"""Benchmark findings in numbers: deal value, benchmark value and gap, in bps, per cent, percentage points, days, ratios or money.

Standard 3.1, judging.md section 4. All arithmetic is exact; the tolerance, in bps, is the contract's and comes as an argument. Quantities
of another kind than rates have no tolerance. What is written in words is `open`: a judge has to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from deterministic.lexicon.matching import same_characters
from deterministic.lexicon.numbers import fold
from deterministic.values import periods, rates
from deterministic.values.amounts import Money
from deterministic.values.amounts import parse as parse_amount
from deterministic.values.amounts import scan as scan_amounts
from deterministic.values.comparison import Comparison
from deterministic.values.currency import is_same
from deterministic.values.remarks import leftover
from deterministic.values.threshold_forms import parse as parse_threshold

Sort = Literal["bps", "share", "month", "day", "business_day", "banking_day", "ratio", "money"]
Outcome = Literal["right", "wrong", "open"]
Part = Literal["benchmark", "gap"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in numbers. `value` is in bps for rates and shares of the margin, else in the sort's own unit.

    `remark`: further words, empty for a plain value. `direction`: the comparator that comes with it ("more than 50 %" is `min`).
    """

    value: Fraction
    sort: Sort
    remark: str = ""
    direction: str = ""
    codes: tuple[str, ...] = ()
    high: Fraction | None = None  # the upper end of a range, included; `value` is then the lower one

    @property
    def top(self) -> Fraction:
        """The upper end; of a single value the value."""
        return self.value if self.high is None else self.high

    def away(self, value: Fraction) -> Fraction:
        """How far a value lies from the nearest end of the range: negative below, 0 inside, positive above."""
        return value - self.value if value < self.value else max(Fraction(0), value - self.top)


@dataclass(frozen=True, slots=True)
class Gap:
    """The size of a gap (never negative) and its stated direction: +1 the deal is above the benchmark, -1 below, 0 not stated."""

    size: Fraction
    sort: Sort
    sign: Literal[-1, 0, 1]
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumbersVerdict:
    """`wrong` as soon as one number is wrong; `open` where parts are in words (`open_parts`, in the order benchmark, gap); else `right`."""

    outcome: Outcome
    reason: str
    open_parts: tuple[Part, ...] = ()


MAX_LENGTH = 600  # characters; anything longer is prose
_ABOVE = re.compile(
    r"\b(?:above|over|higher|more|greater|wider|exceed(?:s|ing)?|excess|premium|longer|larger|later|increased?|looser|plus)\b|\+",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:below|under|lower|less|smaller|tighter|narrower|inside|discount|shorter|fewer|earlier|decreased?|reduced|short\s+of|minus)\b",
    re.IGNORECASE,
)
_REVERSED = re.compile(
    r"^(?:the\s+)?benchmark\b.*\b(?:is|stands|sits|lies|exceeds|by)\b|\b(?:than|above|below|over|under)\s+the\s+deal\b", re.IGNORECASE
)
_AROUND_MONEY = re.compile(
    r"\b(?:the|deal|benchmark|market|standard|form|level|threshold|amount|cap|is|by|than|of|a|an|gap|difference)\b|[.,;:()]", re.IGNORECASE
)
_BRACKETED = re.compile(r"\([^()]*\)")
_PERCENT = re.compile(r"%|per\s?cent|pct|bps|basis\s+point", re.IGNORECASE)


def parse_value(text: str) -> Quantity | None:
    """The deal or benchmark value in numbers (a range with both ends), None when it is in words or a list. Never raises."""
    if len(text) > MAX_LENGTH:
        return None
    rate = rates.parse(_BETWEEN.sub(r"\g<low> to ", _CONDITIONS.sub("", text)))
    if isinstance(rate, rates.RateGrid) and rate.is_range and all(level.unit == "percent" for level in rate.levels):
        low, high = sorted(level.value * 100 for level in rate.levels)
        return Quantity(low, "bps", " ".join(leftover(rate.remark.replace("between", ""))), high=high)
    if text.strip().casefold() in ("zero", "nil"):  # how a floor of 0 % is written
        return Quantity(Fraction(0), "bps")
    rate = rates.parse(text)
    if isinstance(rate, rates.Rate) and rate.unit == "percent":
        return Quantity(rate.value * 100, "share" if rate.share_of else "bps", f"{rate.remark} {_frequency(rate.period)}".strip())
    if isinstance(rate, rates.RateGrid):
        return None
    period = periods.parse(text)
    if period is not None and period.unit != "none":
        return Quantity(period.amount, period.unit)
    amount = parse_amount(text)
    if isinstance(amount, Money) and amount.codes and amount.conflict is None:
        return Quantity(amount.amount, "money", codes=amount.codes)
    return _from_threshold(text)


def parse_gap(text: str) -> Gap | None:
    """The size and the stated direction of a gap, None when it is in words or no single quantity. Never raises."""
    if len(text) > MAX_LENGTH:
        return None
    folded = fold(text).strip()
    for form in (folded, _BRACKETED.sub(" ", folded).strip()):
        if (found := _sized(form)) is not None and _is_only_a_size(form):
            size, sort = found
            return Gap(abs(size), sort, _sign(folded, size))
    return _money_gap(folded)


def _is_only_a_size(folded: str) -> bool:
    """Whether beside the quantity only words stand that say on which side it lies: words with a number in them are no arithmetic."""
    mentions = [(m.start, m.end) for scan in (rates.scan, periods.scan) for m in scan(folded)]
    rest = folded
    for start, end in sorted(mentions, reverse=True):
        rest = f"{rest[:start]} {rest[end:]}" if end <= len(rest) else rest
    rest = re.sub(r"\d[\d.,]*", " ", rest)
    for pattern in (_ABOVE, _BELOW, _AROUND_MONEY, _AROUND_SIZE):
        rest = pattern.sub(" ", rest)
    return not leftover(rest)


_AROUND_SIZE = re.compile(
    r"\b(?:than|upper|lower|end|range|mid-?point|median|top|bottom|band|bps|x|times|turns?|ratio|points?|one|levels?|days?|months?|years?|business|wide|usual|typical|"
    r"norm|lma|aplma|lsta|terms?|value|nearest|about|roughly|tenor|grace|period|headroom|cushion|sooner|both|no|zero|nil|same|as|not|exceeds?)\b",
    re.IGNORECASE,
)


def _money_gap(folded: str) -> Gap | None:
    """ "GBP 1.8m", "£1.8 million lower": one amount beside words that only say on which side it lies."""
    mentions = scan_amounts(folded)
    if len(mentions) != 1 or not isinstance(mentions[0].value, Money) or not mentions[0].value.codes:
        return None
    rest = f"{folded[: mentions[0].start]} {folded[mentions[0].end :]}"
    for pattern in (_ABOVE, _BELOW, _AROUND_MONEY):
        rest = pattern.sub(" ", rest)
    amount: Money = mentions[0].value
    return None if rest.strip(" -") else Gap(abs(amount.amount), "money", _sign(folded, amount.amount), amount.codes)


def compare_value(reported: str, gold: str) -> Comparison:
    """Whether a deal value (or a conforming benchmark value) equals gold's: `correct`, `wrong`, or `open` for words."""
    if same_characters(reported.casefold(), gold.casefold()):
        return Comparison("correct", f"{reported} is as expected")
    mine, expected = parse_value(reported), parse_value(gold)
    if mine is None or expected is None or mine.sort != expected.sort:
        return Comparison("open", f"no rule compares {reported} with {gold}")
    if (mine.high is None) != (expected.high is None):
        return Comparison("open", f"one of {reported} and {gold} is a range")
    if (
        mine.value != expected.value
        or mine.top != expected.top
        or (mine.codes and not is_same(mine.codes, expected.codes))
        or _is_turned(mine, expected)
    ):
        is_whole = not leftover(mine.remark, gold) and not leftover(expected.remark, reported)
        return Comparison("wrong" if is_whole else "open", f"{reported} differs from {gold}")
    if mine.remark != expected.remark or mine.direction != expected.direction:
        return Comparison("open", f"{reported} and {gold} have the same number in different words")
    return Comparison("correct", f"{reported} equals {gold}")


def judge_numbers(
    deal: str,
    benchmark: str,
    gap: str,
    gold_benchmark: str | None,
    gold_gap: str | None,
    tolerance_bps: Fraction | int,
    gold_range: Quantity | None = None,
) -> NumbersVerdict:
    """Whether benchmark value and gap of a deviation are right (judging.md section 4); the deal value is taken as reported.

    Wrong: the benchmark value or the gap is more than the tolerance off gold's; the stated gap is more than the tolerance off deal minus
    benchmark; a stated direction is not the deal's. Exactly the tolerance is not more. Gold's parts may be None (nothing to compare with).
    """
    tolerance = Fraction(tolerance_bps)
    open_parts: list[Part] = []
    for part, verdict in (
        ("benchmark", _judge_benchmark(benchmark, gold_benchmark, tolerance, gold_range)),
        ("gap", _judge_gap(gap, gold_gap, _sign_of(deal, gold_benchmark), tolerance)),
        ("gap", _judge_sum(deal, benchmark, gap, tolerance)),
    ):
        if verdict.outcome == "wrong":
            return verdict
        if verdict.outcome == "open" and part not in open_parts:
            open_parts.append("benchmark" if part == "benchmark" else "gap")
    if open_parts:
        return NumbersVerdict("open", f"{' and '.join(open_parts)} in words", tuple(open_parts))
    return NumbersVerdict("right", f"benchmark {benchmark} and gap {gap} are right within {tolerance_bps} bps")


# --- reading -------------------------------------------------------------------------------------------------------


def from_range(low: object, high: object, unit: str) -> Quantity | None:
    """Gold's `benchmark_range` as a quantity."""
    return parse_value(f"{low} {unit} to {high} {unit}")


_BETWEEN = re.compile(r"\b(?:between|from)\s+(?P<low>[\d.,]+\s*(?:%|bps|basis\s+points|per\s+cent\.?)?)\s+(?:and|to)\s+", re.IGNORECASE)
_CONDITIONS = re.compile(r"\s*\([^()]*\)\s*$")  # "(BBB, APAC, 5 years)": under which a range holds


def _frequency(period: str) -> str:
    """A rate without a period and a yearly one are one rate; any other period is a remark."""
    return "" if period in ("", "annum") else f"per {period}"


def _from_threshold(text: str) -> Quantity | None:
    """ "more than 50 %", "1.45 to 1.00" and ratios beside words, which are a remark."""
    threshold = parse_threshold(text)
    if threshold is None or len(threshold.levels) != 1 or threshold.levels[0].unit != "ratio":
        return None
    level, remark = threshold.levels[0], " ".join(threshold.beside)
    if _PERCENT.search(fold(text)):
        return Quantity(level.value * 10_000, "bps", remark, threshold.comparator)
    return Quantity(level.value, "ratio", remark, threshold.comparator)


def _sized(folded: str) -> tuple[Fraction, Sort] | None:
    """Size (signed where a minus stands) and sort of the only quantity of a gap's text."""
    found = rates.parse(folded)
    mentions = rates.scan(folded)
    if isinstance(found, rates.Rate) and found.unit == "percent":
        return (found.value * 100, "bps") if not _frequency(found.period) else None
    if mentions:
        only = mentions[0].value if len(mentions) == 1 else None
        return (only.value * 100, "bps") if only is not None and not _frequency(only.period) else None
    lengths = [m for m in periods.scan(folded) if m.value.unit != "none"]
    if len(lengths) == 1:
        return lengths[0].value.amount, lengths[0].value.unit
    value = None if lengths else _from_threshold(folded)
    if value is not None and value.sort == "ratio" and not re.search(r"(?:\btimes|\dx)\s+(?:the|as|that)\b", folded):
        return value.value, "ratio"
    return None


def _sign(folded: str, size: Fraction) -> Literal[-1, 0, 1]:
    if size == 0:
        return 0
    if size < 0 or re.match(r"(?:-|minus\b)\s?(?:[a-z]{3}\s?|[$£€¥])?[\d.]", folded, re.IGNORECASE):
        return -1
    is_above, is_below = _ABOVE.search(folded) is not None, _BELOW.search(folded) is not None
    if is_above == is_below:
        return 0
    return 1 if is_above != (_REVERSED.search(folded) is not None) else -1


# --- judging -------------------------------------------------------------------------------------------------------


_TURNED = ({"max", "min"}, {"max", "above"}, {"min", "below"}, {"above", "below"})


def _is_turned(mine: Quantity, expected: Quantity) -> bool:
    return {mine.direction, expected.direction} in _TURNED


def _have_one_currency(first: Quantity | Gap, second: Quantity | Gap) -> bool:
    return first.codes == second.codes or (bool(first.codes) and is_same(first.codes, second.codes))


def _is_off(first: Fraction, second: Fraction, sort: Sort, tolerance: Fraction) -> bool:
    """More than the tolerance apart; quantities other than rates must be equal."""
    return abs(first - second) > (tolerance if sort in ("bps", "share") else 0)


def holds(benchmark: str, deal: str, tolerance_bps: Fraction | int) -> bool | None:
    """Whether a benchmark (a range, or a value within the tolerance) holds the deal's value; None where one of them is not read whole."""
    bench, value = parse_value(benchmark), parse_value(deal)
    if bench is None or value is None or bench.sort != value.sort or value.high is not None:
        return None
    if leftover(bench.remark) or leftover(value.remark) or not _have_one_currency(bench, value):
        return None
    if bench.high is not None:
        return bench.away(value.value) == 0
    return not _is_off(bench.value, value.value, bench.sort, Fraction(tolerance_bps)) or None


def _judge_benchmark(reported: str, gold: str | None, tolerance: Fraction, gold_range: Quantity | None) -> NumbersVerdict:
    if gold_range is not None and (mine := parse_value(reported)) is not None and mine.high is not None and not mine.remark:
        is_off = _is_off(mine.value, gold_range.value, "bps", tolerance) or _is_off(mine.top, gold_range.top, "bps", tolerance)
        return NumbersVerdict("wrong" if is_off else "right", f"benchmark {reported} against {gold or 'the range of gold'}")
    if gold is None or same_characters(reported.casefold(), gold.casefold()):
        return NumbersVerdict("right", f"benchmark {reported} is as expected")
    mine, expected = parse_value(reported), parse_value(gold)
    if mine is None or expected is None or mine.sort != expected.sort:
        return NumbersVerdict("open", f"benchmark {reported} against {gold}")
    if (mine.high is None) != (expected.high is None) or leftover(mine.remark, gold) or leftover(expected.remark, reported):
        return NumbersVerdict("open", f"benchmark {reported} against {gold}")
    is_top_off = _is_off(mine.top, expected.top, mine.sort, tolerance)
    if (
        is_top_off
        or _is_off(mine.value, expected.value, mine.sort, tolerance)
        or _is_turned(mine, expected)
        or not _have_one_currency(mine, expected)
    ):
        return NumbersVerdict("wrong", f"benchmark {reported} is too far from {gold}")
    if (mine.remark, mine.direction) != (expected.remark, expected.direction):
        return NumbersVerdict("open", f"benchmark {reported} and {gold} have different remarks")
    return NumbersVerdict("right", f"benchmark {reported} is {gold} within the tolerance")


def _judge_gap(reported: str, gold: str | None, deal_sign: int, tolerance: Fraction) -> NumbersVerdict:
    if gold is None or same_characters(reported.casefold(), gold.casefold()):
        return NumbersVerdict("right", f"gap {reported} is as expected")
    mine, expected = parse_gap(reported), parse_gap(gold)
    if mine is None or expected is None or mine.sort != expected.sort:
        return NumbersVerdict("open", f"gap {reported} against {gold}")
    if _is_off(mine.size, expected.size, mine.sort, tolerance) or not _have_one_currency(mine, expected):
        return NumbersVerdict("wrong", f"gap {reported} is too far from {gold}")
    right_sign = expected.sign or deal_sign
    if mine.sign and right_sign and mine.sign != right_sign:
        return NumbersVerdict("wrong", f"gap {reported} has the wrong direction; {gold} is expected")
    return NumbersVerdict("right", f"gap {reported} is {gold} within the tolerance")


def _judge_sum(deal: str, benchmark: str, gap: str, tolerance: Fraction) -> NumbersVerdict:
    """Is the stated gap deal minus benchmark? Nothing to say where one of the three is in words."""
    one, other, stated = parse_value(deal), parse_value(benchmark), parse_gap(gap)
    if (
        one is None
        or other is None
        or stated is None
        or one.high is not None
        or leftover(one.remark)
        or leftover(other.remark)
        or one.sort != other.sort
        or stated.sort != ("bps" if one.sort == "share" else one.sort)
        or not (_have_one_currency(one, other) and _have_one_currency(one, stated))
    ):
        return NumbersVerdict("right", "deal, benchmark and gap are not all in numbers of one kind")
    difference = other.away(one.value) if other.high is not None else one.value - other.value
    if _is_off(abs(difference), stated.size, one.sort, tolerance):
        return NumbersVerdict("wrong", f"{gap} is not {deal} minus {benchmark}")
    if stated.sign and difference and (stated.sign > 0) != (difference > 0):
        return NumbersVerdict("wrong", f"{gap} has another direction than {deal} minus {benchmark}")
    return NumbersVerdict("right", f"{gap} is {deal} minus {benchmark} within the tolerance")


def _sign_of(deal: str, gold_benchmark: str | None) -> int:
    """The direction of the true gap, 0 where it cannot be told."""
    one, other = parse_value(deal), parse_value(gold_benchmark) if gold_benchmark is not None else None
    if one is None or other is None or one.sort != other.sort or one.high is not None:
        return 0
    away = other.away(one.value)
    return (away > 0) - (away < 0)
