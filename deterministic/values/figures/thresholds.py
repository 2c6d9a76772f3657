"""Covenant thresholds: reading, comparison and occurrence (design/values.md, standard 2.1). Read is a whole string of one ratio, percent,
amount or period, or a range of two, with its comparator; values are exact: a ratio of 4.00:1, 4.0x, "four times" and 400 % is the number 4.
The string of the document is correct, an equal value in another form partial, a range around a single gold value partial, another value or
the comparator turned round wrong."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import carriers
from deterministic.lexicon.labels import NOTHING
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.lexicon.tables import patterns
from deterministic.values.comparison import Comparison, compare_each_reading, quoted
from deterministic.values.figures import money
from deterministic.values.figures.amounts import Money, amounts_among, folded_of
from deterministic.values.figures.currency import is_same
from deterministic.values.figures.rate_forms import unit_after
from deterministic.values.time import periods
from deterministic.values.words import same_characters, stands_in

Comparator = Literal["max", "min", "above", "below", ""]
Unit = Literal["ratio", "money", "month", "day", "business_day", "banking_day", "number"]


@dataclass(frozen=True, slots=True)
class Level:
    """One value. `codes`: candidate currencies of an amount."""

    value: Fraction
    unit: Unit
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Threshold:
    """One level or a range of two (low first), its comparator ("max": shall not exceed, "below": less than, "": none is said), and the
    words beside them, which only an equal text has."""

    levels: tuple[Level, ...]
    comparator: Comparator = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Quantity:
    start: int
    end: int
    value: Fraction
    unit: Unit
    codes: tuple[str, ...] = ()


_TO_ONE = (
    re.compile(r"\s?(?::|/|to|is\s+to)\s?(?:1(?:\.0+)?|one)(?![\d%]|[.:]\d|\w)", re.IGNORECASE),
    re.compile(r"\s?-?\s?(?:x|×|times)(?!\w)", re.IGNORECASE),
)


PERIOD_UNITS = ("month", "day", "business_day", "banking_day")
_LABEL = re.compile(r"(?:clause|section|schedule|part|article|paragraph|test\s+date|facility|tranche|column|row)\s*$", re.IGNORECASE)
_RANGE = ("-", "to", "up to")
_BETWEEN = ("between", "from")
_SAID = re.compile("|".join(f"(?P<{sort}>{forms})" for sort, forms in patterns("comparators").items()), re.IGNORECASE)
_BEHIND = re.compile(
    r"\s*\(?(?:(?P<min>(?:or|and)\s+(?:more|greater|higher|above|over)\b|min(?:imum)?\b|\+)|(?P<max>(?:or|and)\s+(?:less|lower|fewer|below|under)\b"
    r"|max(?:imum)?\b))\)?",
    re.IGNORECASE,
)
_COMPARATORS: dict[tuple[str, ...], Comparator] = {
    (): "", ("min",): "min", ("max",): "max", ("above",): "above", ("below",): "below", ("not", "above"): "max", ("not", "below"): "min",
}  # fmt: skip
"""The comparators that a text says -> what they come to; any others are read by nobody."""
_CARRIERS = carriers("the a an be is are of shall must will ratio level")


_RATIO_TO_ONE = re.compile(
    r"(?<![\w.])(\d{1,3}(?:\.\d{1,4})?)\s?x?\s?(?:to|:)\s?1(?:\.0+)?\s?x?"
    r"(?![\w%]|[.,]\d|\s?%|\s(?:per|bps|m|mm|bn|million|billion|days?|months?|years?|business)\b)",
    re.IGNORECASE,
)
"""A ratio to one, with a sign for times on either side too, "1.25x to 1.00x": no range of two."""


def parse(text: str) -> Threshold | None:
    """The threshold that the whole text states; None for no value, several, or comparators that are no plain one. Never raises."""
    if len(text) > 600:
        return None
    folded = _RATIO_TO_ONE.sub(r"\1:1", fold(text).strip())
    quantities = scan_quantities(folded)
    if not 1 <= len(quantities) <= 2:
        return None
    first, last = quantities[0], quantities[-1]
    before, after = folded[: first.start], folded[last.end :]
    if first is not last:
        if (first.unit == "number") != (last.unit == "number") and "money" not in (first.unit, last.unit):
            return None  # 50 to 60 %: whether both ends have the unit
        joint, opening = _joint(folded, first, last), "".join(before.split()[-1:]).lstrip("(")
        is_opened = opening.casefold() in _BETWEEN
        if joint not in _RANGE and not (is_opened and joint in ("and", "to")):
            return None
        before = before.rstrip().removesuffix(opening) if is_opened else before
    behind = _BEHIND.match(after)
    after = after[behind.end() :] if behind else after
    said = [*(str(found.lastgroup) for found in _SAID.finditer(before)), *([str(behind.lastgroup)] if behind else [])]
    comparator = _COMPARATORS.get(tuple(said))
    if comparator is None or _SAID.search(after) or _SIGNED.search(f"{before}\n{after}"):
        return None
    beside = re.findall(r"[^\W_]+|[%$£€+±≠~]", f"{_SAID.sub(' ', before)} | {after}".casefold())
    levels = sorted((Level(q.value, q.unit, q.codes) for q in quantities), key=lambda level: level.value)
    return Threshold(tuple(_with_one_unit(levels)), comparator, tuple(word for word in beside if word not in _CARRIERS))


_SIGNED = re.compile(r"\A\s*-\s*\n|(?<!\w)-\n|\n-|\A\s*\(\s*\n\s*\)")
"""A minus or the brackets of a negative figure, at the line end that stands for the value: no threshold of the market has them."""


def _with_one_unit(levels: list[Level]) -> list[Level]:
    """ "USD 5,000,000 to 6,000,000": the unit and currency of one end are the other's."""
    unit: Unit = next((level.unit for level in levels if level.unit != "number"), "number")
    codes = next((level.codes for level in levels if level.codes), ())
    return [replace(level, unit=unit if level.unit == "number" else level.unit, codes=level.codes or codes) for level in levels]


def is_fragment(text: str) -> bool:
    """Whether a text begins in the middle of a sentence ("to be less than 10"), so that what stands before it may turn its comparator."""
    return _FRAGMENT.match(fold(text).strip()) is not None


_FRAGMENT = re.compile(
    r"(?:to\s+(?:be|exceed|fall|drop|rise)\b|(?:be\s+)?(?:exceed(?:s|ing)?|(?:more|greater|less|lower|higher)\s+than)\b)", re.IGNORECASE
)


def scan_levels(folded: str) -> frozenset[tuple[Fraction, Unit]]:
    """Every quantity of a folded text with its unit, for finding a threshold in it."""
    return frozenset((q.value, q.unit) for q in scan_quantities(folded))


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


def _joint(folded: str, first: _Quantity, second: _Quantity) -> str:
    """The words between two quantities."""
    return " ".join(folded[first.end : second.start].split()).casefold()


def _is_repeated(folded: str, first: _Quantity, second: _Quantity) -> bool:
    joint = _joint(folded, first, second)
    return joint.endswith("(") and len(joint) < 14 and (joint == "(" or joint[:-1].replace(" ", "a").isalnum())


def _all_quantities(folded: str) -> Iterator[_Quantity]:
    numbers = scan_numbers(folded)
    for mention in periods.scan(folded):
        if mention.value.unit in PERIOD_UNITS:
            yield _Quantity(mention.start, mention.end, mention.value.amount, mention.value.unit)
    by_start = {number.start: number for number in numbers}
    for mention in amounts_among(folded, numbers):
        money: Money = mention.value
        number = by_start.get(mention.start)
        if money.codes or number is None or not any(pattern.match(folded, number.end) for pattern in _TO_ONE):
            yield _Quantity(mention.start, mention.end, money.amount, "money" if money.codes else "number", money.codes)
    for number in numbers:
        if not number.is_attached and (found := _ratio(folded, number)) is not None:
            yield found


def _ratio(folded: str, number: NumberMention) -> _Quantity | None:
    if (value := number.value()) is None:
        return None
    end = number.end
    if folded[end : end + 1] == ")" and folded[number.start - 1 : number.start] == "(":
        end += 1  # four (4.00) to one
    for pattern in _TO_ONE:
        if (match := pattern.match(folded, end)) is not None:
            return _Quantity(number.start, match.end(), value, "ratio")
    if (unit := unit_after(folded, number)) is not None:
        return _Quantity(number.start, unit[1], value * unit[0] / 100, "ratio")
    if number.form == "figure" and re.match(
        r"\s?(?:\((?!not\s|breach|default)|\d|:)|[A-Za-z]", folded[number.end : number.end + 10], re.IGNORECASE
    ):
        return None  # a clause number, a time of day, an ordinal
    if _LABEL.search(folded, max(0, number.start - 20), number.start):
        return None
    return None if number.form == "words" and value <= 1 else _Quantity(number.start, number.end, value, "number")


_Relation = Literal["equal", "open", "different"]
_OPPOSITE = ({"max", "min"}, {"max", "above"}, {"min", "below"}, {"above", "below"})


def compare_threshold(reported: str | None, gold: str | None, *, is_verbatim: bool) -> Comparison:
    """How a reported threshold compares with gold's (design/values.md). `is_verbatim`: the reported string stands in the document.
    `correct`, `partial` (with `THRESHOLD_NOT_VERBATIM`, `THRESHOLD_RANGE`, `LEVEL_MISSING`, `UNIT_MISSING` or `CURRENCY_MISSING`), `wrong`,
    or `open` where one of the two is not one whole value. None and "none" mean that there is no threshold."""
    if is_nothing(reported) or is_nothing(gold):
        return _compare_nothing(reported, gold)
    found = _compare_values(str(reported), str(gold))
    if found.label == "correct" and not is_verbatim:
        same = "is what gold says" if reported == gold else f"means the same as {gold!r}"
        reason = f"{reported!r} {same}, but the document does not write it so."
        return Comparison("partial", reason, (*found.codes, "THRESHOLD_NOT_VERBATIM"))
    return found


def compare_part(reported: str | None, gold: str | None, usual: str = "") -> Comparison:
    """A typed part of a flag (threshold, cap, original or waived threshold): equal in any notation is `correct`, another value `wrong`.
    `usual`: the comparator that such a part has, where gold does not say it."""
    if is_nothing(reported) or is_nothing(gold):
        return _compare_nothing(reported, gold)
    return _compare_values(str(reported), str(gold), usual)


def compare_days(reported: Any, gold: Any) -> Comparison:
    """The days of a grace period, a number or a string with its unit. A reported bare number is one of days, since that is what the key
    asks for; of Business Days it leaves the unit out. Gold's bare number says nothing about the unit."""
    if same_characters(str(reported), str(gold)):
        return Comparison("correct", f"{quoted(reported)} is as expected.")
    mine, expected = periods.parse(str(reported)), periods.parse(str(gold))
    if (
        mine is None
        or expected is None
        or (expected.unit == "none" and mine.unit not in ("day", "none") and mine.amount == expected.amount)
    ):
        return Comparison("open", f"{quoted(reported)} against {quoted(gold)} as days.")
    if mine.amount == expected.amount and mine.unit == "none" and expected.unit not in ("day", "none"):
        return Comparison("partial", f"{quoted(reported)} is the right number without the unit of {quoted(gold)}.", ("UNIT_MISSING",))
    is_equal = mine.amount == expected.amount and (mine.unit == expected.unit or "none" in (mine.unit, expected.unit))
    return Comparison("correct" if is_equal else "wrong", f"{quoted(reported)} {'equals' if is_equal else 'differs from'} {quoted(gold)}.")


def occurs(reported: str, document: Document) -> bool:
    """Whether every value of the threshold stands anywhere in the document in an equivalent form."""
    if stands_in(reported, document.text):
        return True
    known = document.cached("values.thresholds", lambda: scan_levels(folded_of(document)))
    threshold = parse(reported)
    return threshold is not None and all(
        _stands(v, known) and (v.unit != "money" or money.is_in_document(_as_money(v), document)) for v in threshold.levels
    )


def supports(reported: str, text: str) -> bool:
    """Whether the text contains every value of the threshold in an equivalent form."""
    if stands_in(reported, text):
        return True
    threshold, known = parse(reported), scan_levels(fold(text))
    return threshold is not None and all(
        _stands(v, known) and (v.unit != "money" or money.is_in_text(_as_money(v), text)) for v in threshold.levels
    )


def is_nothing(value: Any) -> bool:
    """Whether a value says that there is no threshold or cap."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in NOTHING["threshold"] | {""})


def _compare_nothing(reported: Any, gold: Any) -> Comparison:
    if is_nothing(reported) and is_nothing(gold):
        return Comparison("correct", "There is no threshold, and none is reported.")
    if is_nothing(reported):
        return Comparison("wrong", f"No threshold is reported; {quoted(gold)} is expected.", ("THRESHOLD_MISSING",))
    label: Literal["wrong", "open"] = "open" if isinstance(reported, str) and parse(reported) is None else "wrong"
    return Comparison(label, f"{quoted(reported)} is reported where there is no threshold.")


def _compare_values(reported: str, gold: str, usual: str = "") -> Comparison:
    return compare_each_reading(lambda read: _compare_texts(read(reported), read(gold), usual), reported, gold)


def _compare_texts(reported: str, gold: str, usual: str) -> Comparison:
    if same_characters(reported, gold):
        return Comparison("correct", f"{quoted(reported)} is as expected.")
    mine, expected = parse(reported), parse(gold)
    if mine is None or expected is None or mine.beside != expected.beside or is_fragment(reported) or is_fragment(gold):
        return Comparison("open", f"No rule reads {quoted(reported)} against {quoted(gold)} as thresholds.")
    comparators = {mine.comparator, expected.comparator}
    relation = _relate(mine, expected, reported, gold)
    if relation.label == "wrong" or len(comparators) == 1 or not mine.comparator:
        return relation
    if comparators in _OPPOSITE:
        return Comparison("wrong", f"{quoted(reported)} turns the comparator of {quoted(gold)} round.", ("COMPARATOR_TURNED",))
    if not expected.comparator and mine.comparator == usual:
        return relation
    return Comparison("open", f"{quoted(reported)} has another comparator than {quoted(gold)}.")


def _relate(mine: Threshold, expected: Threshold, reported: str, gold: str) -> Comparison:
    if len(mine.levels) == len(expected.levels):
        relations = [_relation(a, b) for a, b in zip(mine.levels, expected.levels, strict=True)]
        return _comparison_of(next((r for r in relations if r != "equal"), "equal"), reported, gold)
    (low, high), (level,) = (mine.levels, expected.levels) if len(mine.levels) == 2 else (expected.levels, mine.levels)
    if (relation := _relation(replace(low, value=level.value), level)) == "open":
        return _comparison_of(relation, reported, gold)
    if relation == "different" or not low.value <= level.value <= high.value:
        return Comparison("wrong", f"{quoted(reported)} and {quoted(gold)} do not hold one another.")
    if len(mine.levels) == 2:
        return Comparison("partial", f"{quoted(reported)} is a range; gold has the single value {quoted(gold)}.", ("THRESHOLD_RANGE",))
    return Comparison("partial", f"{quoted(reported)} is one value of the range {quoted(gold)}.", ("LEVEL_MISSING",))


def _comparison_of(relation: _Relation, reported: str, gold: str) -> Comparison:
    if relation == "equal":
        return Comparison("correct", f"{quoted(reported)} is the value {quoted(gold)}.")
    if relation == "different":
        return Comparison("wrong", f"{quoted(reported)} differs from {quoted(gold)}.")
    return Comparison("open", f"Only one of {quoted(reported)} and {quoted(gold)} says its unit.")


def _relation(mine: Level, expected: Level) -> _Relation:
    if mine.unit != expected.unit:
        return "open" if "number" in (mine.unit, expected.unit) else "different"
    is_other = mine.value != expected.value or (mine.codes and expected.codes and not is_same(mine.codes, expected.codes))
    return "different" if is_other else "equal"


def _stands(level: Level, known: frozenset[tuple[Any, Any]]) -> bool:
    if level.unit == "number":
        return any(value == level.value for value, _ in known)
    return (level.value, level.unit) in known or (level.unit == "ratio" and (level.value, "number") in known)


def _as_money(level: Level) -> Money:
    return Money(level.value, level.codes)
