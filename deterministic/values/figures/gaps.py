"""Benchmark findings in numbers: deal value, benchmark value and gap, in bps, per cent, percentage points, days or money.
Standard 3.1, design/values.md. All arithmetic is exact; the tolerance, in bps, is the contract's and comes as an argument. Quantities of
another kind than rates have no tolerance. A text that is not read whole is `open`: a judge has to say."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from deterministic.lexicon.labels import ARTICLES
from deterministic.lexicon.numbers import fold
from deterministic.values.comparison import EITHER, Comparison
from deterministic.values.figures import amounts, rates
from deterministic.values.figures.amounts import Money
from deterministic.values.figures.currency import is_same
from deterministic.values.time import periods
from deterministic.values.words import PLACE, Frame, same_characters

Sort = Literal["bps", "share", "month", "day", "business_day", "banking_day", "money"]
Outcome = Literal["right", "wrong", "open"]
OpenPart = Literal["benchmark", "gap"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in numbers. `value` is in bps for rates and shares of the margin, else in the sort's own unit. `frame`: what else the text
    says, empty for a plain value."""

    value: Fraction
    sort: Sort
    frame: Frame = ()
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
    open_parts: tuple[OpenPart, ...] = ()


MAX_LENGTH = 600  # characters; anything longer is prose
_RANGES = ((PLACE, "to", PLACE), ("between", PLACE, "and", PLACE), ("from", PLACE, "to", PLACE))
_ABOVE = frozenset("above over higher more greater wider longer larger later looser plus +".split())
_BELOW = frozenset("below under lower less smaller tighter narrower shorter fewer earlier minus -".split())
_OF_BENCHMARK = (("benchmark",), ("than", "benchmark"))
"""What may follow the side of a gap: "45 bps above the benchmark"; the deal, which turns the side round, may not."""


def parse_value(text: str) -> Quantity | None:
    """The deal or benchmark value in numbers with what stands beside it (a range with both ends), None when it is in words, a list, or a
    figure with two readings (2,350 %)."""
    if len(text) > MAX_LENGTH or ((either := EITHER.search(text)) and either["comma"]):
        return None
    if text.strip().casefold() in ("zero", "nil"):  # how a floor of 0 % is written
        return Quantity(Fraction(0), "bps")
    return next(_quantities(fold(text).strip()), None)


def _quantities(text: str) -> Iterator[Quantity]:
    rate = rates.read_text(text)
    if isinstance(rate.value, rates.Rate) and rate.value.unit == "percent":
        per = () if rate.value.period in ("", "annum") else ("per", rate.value.period)
        yield Quantity(rate.value.value * 100, "share" if rate.value.share_of else "bps", (*rate.unread, *per))
    if isinstance(rate.value, rates.RateGrid):
        levels = [level.value * 100 for level in rate.value.levels if level.unit == "percent"]
        if len(levels) == 2 and (rate.value.is_range or rate.unread in _RANGES):
            yield Quantity(min(levels), "bps", high=max(levels))
        return
    length = periods.read(text)
    if length.value is not None and length.value.unit != "none":
        yield Quantity(length.value.amount, length.value.unit, length.unread)
    amount = amounts.read_text(text)
    if isinstance(amount.value, Money) and amount.value.codes and amount.value.conflict is None:
        yield Quantity(amount.value.amount, "money", amount.unread, amount.value.codes)


def parse_gap(text: str) -> Gap | None:
    """The size and the stated direction of a gap: one quantity and at most one word or sign for its side. None for all else."""
    if (found := parse_value(text)) is None or found.high is not None:
        return None
    told = [token for token in found.frame if token not in ARTICLES and token != PLACE]
    if told[1:] and (tuple(told[1:]) not in _OF_BENCHMARK or found.frame[0] != PLACE):
        return None
    if told and told[0] not in _ABOVE | _BELOW:
        return None
    return Gap(found.value, found.sort, 0 if not (told and found.value) else 1 if told[0] in _ABOVE else -1, found.codes)


def compare_value(reported: str, gold: str) -> Comparison:
    """Whether a deal value (or a conforming benchmark value) equals gold's: `correct`, `wrong`, or `open` for words."""
    if same_characters(reported.casefold(), gold.casefold()):
        return Comparison("correct", f"{reported} is as expected")
    match _relation(parse_value(reported), parse_value(gold), Fraction(0)):
        case "right":
            return Comparison("correct", f"{reported} equals {gold}")
        case "wrong":
            return Comparison("wrong", f"{reported} differs from {gold}")
    return Comparison("open", f"no rule compares {reported} with {gold}")


def judge_numbers(
    deal: str,
    benchmark: str,
    gap: str,
    gold_benchmark: str | None,
    gold_gap: str | None,
    tolerance_bps: Fraction | int,
    gold_range: Quantity | None = None,
) -> NumbersVerdict:
    """Whether benchmark value and gap of a deviation are right (design/values.md); the deal value is taken as reported. Wrong: the
    benchmark value or the gap is more than the tolerance off gold's; the stated gap is more than the tolerance off deal minus benchmark; a
    stated direction is not the deal's. Exactly the tolerance is not more. Gold's parts may be None (nothing to compare with)."""
    tolerance = Fraction(tolerance_bps)
    open_parts: list[OpenPart] = []
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


def _have_one_currency(first: Quantity | Gap, second: Quantity | Gap) -> bool:
    return first.codes == second.codes or (bool(first.codes) and is_same(first.codes, second.codes))


def _is_off(first: Fraction, second: Fraction, sort: Sort, tolerance: Fraction) -> bool:
    """More than the tolerance apart; quantities other than rates must be equal."""
    return abs(first - second) > (tolerance if sort in ("bps", "share") else 0)


def _relation(mine: Quantity | None, expected: Quantity | None, tolerance: Fraction) -> Outcome:
    """Whether two values, or two ranges, are one within the tolerance; open where they are not read whole, or not of one kind."""
    if mine is None or expected is None or (mine.sort, mine.frame) != (expected.sort, expected.frame):
        return "open"
    if (mine.high is None) != (expected.high is None):
        return "open"
    is_off = _is_off(mine.value, expected.value, mine.sort, tolerance) or _is_off(mine.top, expected.top, mine.sort, tolerance)
    return "wrong" if is_off or not _have_one_currency(mine, expected) else "right"


def _in_numbers(deal: str, benchmark: str | None) -> tuple[Quantity, Quantity] | None:
    """Deal and benchmark, each read whole, of one kind and currency; the benchmark may be a range."""
    one, other = parse_value(deal), parse_value(benchmark) if benchmark is not None else None
    if one is None or other is None or one.sort != other.sort or one.high is not None or one.frame or other.frame:
        return None
    return (one, other) if _have_one_currency(one, other) else None


def holds(benchmark: str, deal: str, tolerance_bps: Fraction | int) -> bool | None:
    """Whether a benchmark (a range, or a value within the tolerance) holds the deal's value; None where one of them is not read whole."""
    if (found := _in_numbers(deal, benchmark)) is None:
        return None
    value, bench = found
    if bench.high is not None:
        return bench.away(value.value) == 0
    return not _is_off(bench.value, value.value, bench.sort, Fraction(tolerance_bps)) or None


def _judge_benchmark(reported: str, gold: str | None, tolerance: Fraction, gold_range: Quantity | None) -> NumbersVerdict:
    mine, expected = parse_value(reported), parse_value(gold or "")
    if gold_range is not None and mine is not None and mine.high is not None and not mine.frame:
        expected = gold_range
    elif gold is None or same_characters(reported.casefold(), gold.casefold()):
        return NumbersVerdict("right", f"benchmark {reported} is as expected")
    return NumbersVerdict(_relation(mine, expected, tolerance), f"benchmark {reported} against {gold or 'the range of gold'}")


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
    found, stated = _in_numbers(deal, benchmark), parse_gap(gap)
    if found is None or stated is None or stated.sort != ("bps" if found[0].sort == "share" else found[0].sort):
        return NumbersVerdict("right", "deal, benchmark and gap are not all in numbers of one kind")
    one, other = found
    if not _have_one_currency(one, stated):
        return NumbersVerdict("right", "deal, benchmark and gap are not all in one currency")
    difference = other.away(one.value)
    if _is_off(abs(difference), stated.size, one.sort, tolerance):
        return NumbersVerdict("wrong", f"{gap} is not {deal} minus {benchmark}")
    if stated.sign and difference and (stated.sign > 0) != (difference > 0):
        return NumbersVerdict("wrong", f"{gap} has another direction than {deal} minus {benchmark}")
    return NumbersVerdict("right", f"{gap} is {deal} minus {benchmark} within the tolerance")


def _sign_of(deal: str, gold_benchmark: str | None) -> int:
    """The direction of the true gap, 0 where it cannot be told."""
    if (found := _in_numbers(deal, gold_benchmark)) is None:
        return 0
    away = found[1].away(found[0].value)
    return (away > 0) - (away < 0)
