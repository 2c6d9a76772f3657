"""Reading interest rates, margins and fees: percent, basis points, fractions of one per cent, shares of the margin, margin grids.
A rate's value is an exact `Fraction` in per cent (2.75 for 275 bps)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from deterministic.lexicon.labels import OF_A_RATE
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.lexicon.tables import patterns
from deterministic.values.comparison import Mention, Reading, join_repeats
from deterministic.values.words import PLACE, beside, frame_of


@dataclass(frozen=True, slots=True)
class Rate:
    """One rate. `value` is in per cent; with the unit `none` it is the bare number as written (2.75 or 0.0275, which is not known).
    `share_of` is `margin` for a fee as a share of the margin, else empty: such a share is never equal to a plain rate. `period` is `annum`,
    `month`, `quarter`, `day`, `flat`, or empty where nothing is said."""

    value: Fraction
    unit: Literal["percent", "none"] = "percent"
    share_of: str = ""
    period: str = ""


@dataclass(frozen=True, slots=True)
class RateGrid:
    """Several rates in their order: a margin grid, or a range (`is_range`)."""

    levels: tuple[Rate, ...]
    is_range: bool = False


_POINTS = r"(?:percentage|percent|per\s+cent\.?|%)[\s-]*(?:points?|pts?\.?)(?!\w)|(?:ppts?|pps?)(?!\w)"
_PERCENT = r"%|per\s?-?\s?cent(?:um)?(?!\w)\.?|pct(?!\w)\.?|p\.c\."
_BASIS = r"(?:bps?|bips|basis[\s-]+points?)(?!\w)|b\.p\.(?:s\.)?"
_UNIT = re.compile(rf"(?:\s?\))?[\s-]{{0,2}}(?:(?P<points>{_POINTS})|(?P<basis>{_BASIS})|(?P<percent>{_PERCENT}))", re.IGNORECASE)
_OF_ONE = re.compile(rf"\s+(?:of\s+)?(?:one|1|a)(?:\s?\(1\))?[\s-]{{0,2}}(?:{_PERCENT})", re.IGNORECASE)
_PERIOD = re.compile(
    r"[\s),]{0,3}\(?(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns("rate_periods").items()) + r")(?!\w)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"[\s),]{0,3}of\s+(?:(?:the|each|that|such|its|then|applicable|relevant|prevailing|current|otherwise)\s+)*"
    r"(?P<base>margin|spread|applicable\s+(?:rate|margin)|rate)(?!\w)",
    re.IGNORECASE,
)
_TO = re.compile(r"\s?(?:-|to)\s?", re.IGNORECASE)


@lru_cache(maxsize=2048)
def read_text(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """The rates that a text states in their order, one as a `Rate`, several as a `RateGrid`, and its frame; a bare number is a rate without
    unit. Never raises."""
    if len(text) > 2000:
        return Reading(None)
    folded = _parted(fold(text))
    numbers = scan_numbers(folded)
    if not (found := list(_merge(rates_among(folded, numbers), folded)) or _bare(folded, numbers)):
        return Reading(None)
    frame = frame_of(folded, [(m.start, m.end) for m in found], OF_A_RATE, labels)
    levels = tuple(m.value for m in found)
    if len(levels) == 1:
        return Reading(levels[0], beside(frame))
    is_range = len(found) == 2 and frame in ((PLACE, "to", PLACE), (PLACE, PLACE)) and _TO.fullmatch(folded, found[0].end, found[1].start)
    return Reading(RateGrid(levels, bool(is_range)), () if is_range else frame)


def read(value: Any) -> Rate | RateGrid | None:
    """The rates of a reported or expected value, whatever stands beside them; a JSON number is a rate without unit."""
    if isinstance(value, str):
        found: Rate | RateGrid | None = read_text(value).value
        return found
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = Decimal(repr(value))
    return Rate(Fraction(number), "none") if number.is_finite() and abs(number.adjusted()) <= 20 else None


def scan(text: str) -> tuple[Mention, ...]:
    """Every rate with its unit in running text."""
    folded = _parted(fold(text))
    return tuple(rates_among(folded, scan_numbers(folded)))


def is_equal(first: Rate, second: Rate) -> bool:
    """The same rate of the same thing; a period counts where both state one."""
    is_same = (first.unit, first.value, first.share_of) == (second.unit, second.value, second.share_of)
    return is_same and (not first.period or not second.period or first.period == second.period)


def rates_among(folded: str, numbers: tuple[NumberMention, ...]) -> Iterator[Mention]:
    reached = 0
    previous: NumberMention | None = None
    for number in numbers:
        if number.is_attached or number.start < reached:
            continue
        lower, previous = previous, number
        found = unit_after(folded, number)
        plain = _in_percent(number, found[0]) if found else None
        if found is None or plain is None:
            continue
        factor, end = found
        if (
            lower is not None
            and lower.end > reached
            and _TO.fullmatch(folded, lower.end, number.start)
            and (low := lower.value()) is not None
        ):
            yield Mention(lower.start, lower.end, Rate(low * factor), folded[lower.start : lower.end])  # 2.25-2.75 %
        period, end = _period_after(folded, end)
        share = _SHARE.match(folded, end, end + 80)
        share_of = "margin" if share and (share["base"].casefold() != "rate" or "applicable" in share.group().casefold()) else ""
        if share_of and share:
            later, end = _period_after(folded, share.end())
            period = period or later
        reached = end
        yield Mention(number.start, end, Rate(plain * factor, share_of=share_of, period=period), folded[number.start : end])


def _parted(folded: str) -> str:
    """The text with the strokes and arrows of a row that shares one unit made plain, one character for one: "225/200/175 bps" is no date,
    "25/50 bps" no fraction, and "200 -> 250 bps" no comparison."""
    return _TIGHT_ROW.sub(_part, _ARROW.sub(lambda match: PART.ljust(len(match[0])), folded))


PART = "\u00a6"
_ARROW = re.compile(r"(?:\u2192|[-=]>|\u21d2)(?=\s?\d)")
_TIGHT_ROW = re.compile(rf"(?<![\w./])\d{{1,4}}(?:\.\d+)?(?:/\d{{1,4}}(?:\.\d+)?)+(?=\s?(?:(?P<basis>{_BASIS})|{_PERCENT}))", re.IGNORECASE)


def _part(match: re.Match[str]) -> str:
    numbers = match[0].split("/")
    is_row = len(numbers) > 2 or "." in match[0] or (match["basis"] and int(numbers[0]) >= 10)
    return match[0].replace("/", PART) if is_row else match[0]


def unit_after(folded: str, number: NumberMention) -> tuple[Fraction, int] | None:
    """What the number has to be multiplied with to be in per cent, and where its unit ends."""
    if (unit := _UNIT.match(folded, number.end)) is not None:
        if unit.group().lstrip().startswith(")") and "(" not in folded[max(0, number.start - 2) : number.start]:
            return None
        return Fraction(1, 100) if unit["basis"] else Fraction(1), unit.end()
    is_fraction = number.form == "words" or "/" in number.text or not number.text[-1].isdigit() or number.text.startswith((".", "0."))
    one = _OF_ONE.match(folded, number.end)
    return (Fraction(1), one.end()) if one is not None and is_fraction else None


def _in_percent(number: NumberMention, factor: Fraction) -> Fraction | None:
    """The number before its unit. "1,125 %" is no thousand per cent: a comma before three decimals is a decimal comma there."""
    if factor == 1 and re.fullmatch(r"\d{1,2},\d{3}", number.text):
        return Fraction(number.text.replace(",", "."))
    return number.value()


def _period_after(folded: str, end: int) -> tuple[str, int]:
    match = _PERIOD.match(folded, end)
    return (str(match.lastgroup), match.end()) if match else ("", end)


def _merge(mentions: Iterator[Mention], folded: str) -> Iterator[Mention]:
    """Joins "five per cent. (5 %)" and "25 basis points (0.25 %)" where both say the same."""

    def join(held: Mention, again: Mention) -> Mention | None:
        if held.value.value != again.value.value:
            return None
        period = held.value.period or again.value.period or _period_after(folded, again.end)[0]
        value = replace(held.value, period=period, share_of=held.value.share_of or again.value.share_of)
        return Mention(held.start, again.end, value, folded[held.start : again.end])

    return join_repeats(mentions, folded, join)


def _bare(folded: str, numbers: tuple[NumberMention, ...]) -> list[Mention]:
    """The only number of a text, which is a rate without its unit."""
    if len(numbers) != 1 or numbers[0].is_attached or numbers[0].scale != 1 or (value := numbers[0].value()) is None:
        return []
    period, end = _period_after(folded, numbers[0].end)
    return [Mention(numbers[0].start, end, Rate(value, "none", period=period), folded[numbers[0].start : end])]


def levels_of(value: Rate | RateGrid) -> tuple[Rate, ...]:
    return value.levels if isinstance(value, RateGrid) else (value,)
