"""Rates, margins and fees: comparison and occurrence. How they are read: `rate_forms`.
Comparison: design/values.md, row "rate"."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.lexicon.searching import find_all, is_found
from deterministic.values.comparison import Comparison, Grammar
from deterministic.values.figures import money
from deterministic.values.figures.amounts import Money, folded_of, numbers_of
from deterministic.values.figures.rate_forms import Rate, RateGrid, is_equal, levels_of, rates_among, read, read_text, scan
from deterministic.values.words import stands_in

__all__ = [
    "Rate", "RateGrid", "compare", "is_equal", "is_in_document", "is_in_text", "occurs", "parts", "read", "read_text", "scan", "supports",
]  # fmt: skip

_HEAD = re.compile(
    r"\([^()\n\d]{0,24}?(?:(?P<in_basis>bps|basis points?)|%|per\s?cent\.?)[^()\n\d]{0,24}\)"
    r"|^[^\d\n]{0,60}?(?:(?P<basis>bps|basis points)|%|per\s?cent\.?|percentage)(?:\s+(?:per\s+annum|p\.\s?a\.?))?[ .:]*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_REACH = 800  # characters below a column's head in which its cells are looked for


def parts(value: Any) -> tuple[Any, ...]:
    """The rates that a value states, without the total of its other rates ("4.5 % cash and 4.5 % PIK, 9 % all-in"): a sum is computed, not
    invented."""
    mine = read(value)
    if not isinstance(mine, RateGrid):
        return () if mine is None else (value,)
    total = sum((level.value for level in mine.levels), Fraction(0)) if len(mine.levels) > 2 else None
    return tuple(mention.text for mention in scan(value) if 2 * mention.value.value != total)


def occurs(reported: Any, document: Document) -> bool:
    """Whether the rate stands anywhere in the document in an equivalent form, or as a number under a column head with a unit; a fee that is
    an amount, whether the amount does."""
    if _is_amount(reported):
        return money.occurs(reported, document)
    if (mine := read(reported)) is None:
        return isinstance(reported, str) and stands_in(reported, document.text)
    return all(is_in_document(rate, document) for rate in levels_of(mine))


def supports(reported: Any, text: str) -> bool:
    """Whether the text contains the rate, or the fee that is an amount, in an equivalent form."""
    if _is_amount(reported):
        return money.supports(reported, text)
    if (mine := read(reported)) is None:
        return isinstance(reported, str) and stands_in(reported, text)
    return all(is_in_text(rate, text) for rate in levels_of(mine))


def _is_amount(value: Any) -> bool:
    return isinstance(value, str) and isinstance(found := money.read(value), Money) and bool(found.codes) and not scan(value)


def is_in_document(rate: Rate, document: Document) -> bool:
    """`occurs` for a rate that has been read."""
    return _is_among(rate, document.cached("values.rates", lambda: _index(folded_of(document), numbers_of(document))))


def is_in_text(rate: Rate, text: str) -> bool:
    """`supports` for a rate that has been read."""
    folded = fold(text)
    return _is_among(rate, _index(folded, scan_numbers(folded)))


def _relate(given: Rate | RateGrid, expected: Rate | RateGrid) -> Comparison:
    if isinstance(given, Rate) and isinstance(expected, Rate):
        return _relate_rates(given, expected)
    mine, true = levels_of(given), levels_of(expected)
    if len(mine) == len(true) and all(map(is_equal, mine, true)):
        return Comparison("semantic_match", "is the grid")
    return Comparison("open", "has other rates than")


def _relate_rates(mine: Rate, expected: Rate) -> Comparison:
    if mine.share_of != expected.share_of:
        return Comparison("open", "is a rate of another thing, of the margin or of the loan, than")
    if mine.unit == "none" or expected.unit == "none":
        return _relate_bare(mine, expected)
    if not is_equal(mine, expected):
        return Comparison("wrong", "differs from")
    if {mine.period, expected.period} & _PARTS_OF_A_YEAR and mine.period != expected.period:
        return Comparison("open", "has no period, or alone has one, unlike")
    return Comparison("semantic_match", "is the rate")


_PARTS_OF_A_YEAR = frozenset(("month", "quarter", "day", "flat"))


def _relate_bare(mine: Rate, expected: Rate) -> Comparison:
    """One of the two has no unit: 0.0275 is a rate for 2.75 %, 2.75 and 275 are the right number without its unit."""
    if mine.unit == expected.unit:
        return Comparison("semantic_match", "equals") if mine.value == expected.value else Comparison("wrong", "differs from")
    bare, rate = (mine, expected) if mine.unit == "none" else (expected, mine)
    if abs(bare.value) < 1 and bare.value * 100 == rate.value:
        return Comparison("semantic_match", "is the rate")
    if bare.value not in (rate.value, rate.value * 100):
        return Comparison("wrong", "differs from")
    if bare is expected:
        return Comparison("semantic_match", "is the number")
    return Comparison("partial", "is the right number without the unit of", ("UNIT_MISSING",))


compare = Grammar("rate", read_text, _relate, ignore_case=False).compare
"""Row "rate" of design/values.md."""


@dataclass(frozen=True)
class _Index:
    """The rates of a text, its bare numbers, and the numbers that a column's head makes rates: looked for only where a rate can be one."""

    rates: frozenset[Fraction]
    shares: frozenset[Fraction]
    bare: frozenset[Fraction]
    folded: str
    numbers: tuple[NumberMention, ...]

    @cached_property
    def headed(self) -> frozenset[Fraction]:
        return frozenset(_headed(self.folded, self.numbers))

    def has(self, value: Fraction) -> bool:
        if value in self.rates or (not value and is_found(_NIL, self.folded)):
            return True
        return not self.bare.isdisjoint((value, value * 100)) and value in self.headed


def _index(folded: str, numbers: tuple[NumberMention, ...]) -> _Index:
    found = [m.value for m in rates_among(folded, numbers)]
    bare = (n.value() for n in numbers if not n.is_attached and n.scale == 1 and not n.is_large)
    rates, shares = (frozenset(r.value for r in group) for group in (found, [r for r in found if r.share_of]))
    return _Index(rates, shares, frozenset(v for v in bare if v is not None), folded, numbers)


_NIL = re.compile(
    r"(?<![\w-])-0-(?![\w-])|\b(?:deemed(?:\s+to\s+be)?|shall\s+be|set\s+at|floor\s+of|equal\s+to)\s+zero\b(?!\s*[-–])|\bzero\s+floor\b",
    re.IGNORECASE,
)  # how a table's cell and the floor of a reference rate say zero


def _headed(folded: str, numbers: tuple[NumberMention, ...]) -> Iterator[Fraction]:
    """Numbers that take their unit from the head of a column above them (or of a list before them)."""
    starts = [n.start for n in numbers]
    for head in find_all(_HEAD, folded):
        is_basis = bool(head["in_basis"] or head["basis"])
        for number in numbers[bisect_left(starts, head.end()) : bisect_left(starts, head.end() + _HEAD_REACH)]:
            if number.form == "words" or number.is_attached or number.is_large or folded[number.end : number.end + 1] in {":", "x", "("}:
                continue
            if (value := number.value()) is not None and (is_basis or "." in number.text or "/" in number.text):
                yield value / 100 if is_basis else value


def _is_among(rate: Rate, index: _Index) -> bool:
    value = abs(rate.value)
    if rate.unit == "none":
        return value in index.bare or index.has(value) or (value < 1 and index.has(value * 100)) or index.has(value / 100)
    return value in index.shares if rate.share_of else index.has(value)
