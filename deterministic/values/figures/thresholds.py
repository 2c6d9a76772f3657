"""Covenant thresholds: comparison and occurrence. How they are read: `threshold_forms`.
Comparison: design/values.md, "threshold" (standard 2.1). The string of the document is correct, an equal value in another form partial, a
range around a single gold value partial, another value or the comparator turned round wrong."""

from dataclasses import replace
from typing import Any, Literal

from deterministic.documents.documents import Document
from deterministic.lexicon.labels import NOTHING
from deterministic.lexicon.numbers import fold
from deterministic.values.comparison import Comparison, settled, shown
from deterministic.values.figures import money
from deterministic.values.figures.amounts import Money, folded_of
from deterministic.values.figures.currency import is_same
from deterministic.values.figures.threshold_forms import Level, Threshold, is_fragment, parse, scan_levels
from deterministic.values.time import periods
from deterministic.values.words import same_characters, stands_in

__all__ = ["Level", "Threshold", "compare_days", "compare_part", "compare_threshold", "is_nothing", "occurs", "parse", "supports"]

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
        return Comparison("correct", f"{shown(reported)} is as expected.")
    mine, expected = periods.parse(str(reported)), periods.parse(str(gold))
    if (
        mine is None
        or expected is None
        or (expected.unit == "none" and mine.unit not in ("day", "none") and mine.amount == expected.amount)
    ):
        return Comparison("open", f"{shown(reported)} against {shown(gold)} as days.")
    if mine.amount == expected.amount and mine.unit == "none" and expected.unit not in ("day", "none"):
        return Comparison("partial", f"{shown(reported)} is the right number without the unit of {shown(gold)}.", ("UNIT_MISSING",))
    is_equal = mine.amount == expected.amount and (mine.unit == expected.unit or "none" in (mine.unit, expected.unit))
    return Comparison("correct" if is_equal else "wrong", f"{shown(reported)} {'equals' if is_equal else 'differs from'} {shown(gold)}.")


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
        return Comparison("wrong", f"No threshold is reported; {shown(gold)} is expected.", ("THRESHOLD_MISSING",))
    label: Literal["wrong", "open"] = "open" if isinstance(reported, str) and parse(reported) is None else "wrong"
    return Comparison(label, f"{shown(reported)} is reported where there is no threshold.")


def _compare_values(reported: str, gold: str, usual: str = "") -> Comparison:
    return settled(lambda read: _compare_texts(read(reported), read(gold), usual), reported, gold)


def _compare_texts(reported: str, gold: str, usual: str) -> Comparison:
    if same_characters(reported, gold):
        return Comparison("correct", f"{shown(reported)} is as expected.")
    mine, expected = parse(reported), parse(gold)
    if mine is None or expected is None or mine.beside != expected.beside or is_fragment(reported) or is_fragment(gold):
        return Comparison("open", f"No rule reads {shown(reported)} against {shown(gold)} as thresholds.")
    comparators = {mine.comparator, expected.comparator}
    relation = _relate(mine, expected, reported, gold)
    if relation.label == "wrong" or len(comparators) == 1 or not mine.comparator:
        return relation
    if comparators in _OPPOSITE:
        return Comparison("wrong", f"{shown(reported)} turns the comparator of {shown(gold)} round.", ("COMPARATOR_TURNED",))
    if not expected.comparator and mine.comparator == usual:
        return relation
    return Comparison("open", f"{shown(reported)} has another comparator than {shown(gold)}.")


def _relate(mine: Threshold, expected: Threshold, reported: str, gold: str) -> Comparison:
    if len(mine.levels) == len(expected.levels):
        relations = [_relation(a, b) for a, b in zip(mine.levels, expected.levels, strict=True)]
        return _said(next((r for r in relations if r != "equal"), "equal"), reported, gold)
    (low, high), (level,) = (mine.levels, expected.levels) if len(mine.levels) == 2 else (expected.levels, mine.levels)
    if (relation := _relation(replace(low, value=level.value), level)) == "open":
        return _said(relation, reported, gold)
    if relation == "different" or not low.value <= level.value <= high.value:
        return Comparison("wrong", f"{shown(reported)} and {shown(gold)} do not hold one another.")
    if len(mine.levels) == 2:
        return Comparison("partial", f"{shown(reported)} is a range; gold has the single value {shown(gold)}.", ("THRESHOLD_RANGE",))
    return Comparison("partial", f"{shown(reported)} is one value of the range {shown(gold)}.", ("LEVEL_MISSING",))


def _said(relation: _Relation, reported: str, gold: str) -> Comparison:
    if relation == "equal":
        return Comparison("correct", f"{shown(reported)} is the value {shown(gold)}.")
    if relation == "different":
        return Comparison("wrong", f"{shown(reported)} differs from {shown(gold)}.")
    return Comparison("open", f"Only one of {shown(reported)} and {shown(gold)} says its unit.")


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
