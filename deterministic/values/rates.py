"""Rates, margins and fees: comparison and occurrence. How they are read: `rate_forms`.

Comparison: judging.md section 2, row "rate".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.matching import same_characters, stands_in_any
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.lexicon.searching import find_all, is_found
from deterministic.values.comparison import Comparison, Surroundings, best_of
from deterministic.values.document_numbers import folded_of, numbers_of, readings_of
from deterministic.values.rate_forms import Rate, RateGrid, is_equal, levels_of, parse, rates_among, read, scan
from deterministic.values.rate_rows import compare_rows, labelled, with_units
from deterministic.values.rate_steps import LOANS, compare_steps, initials_of
from deterministic.values.remarks import NEUTRAL, holds, leftover, split_asides
from deterministic.values.words import has_exchanged_word

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

__all__ = [
    "Rate", "RateGrid", "compare", "is_equal", "is_in_document", "is_in_text", "occurs", "parse", "parts", "read", "scan",
    "supports",
]  # fmt: skip

_HEAD = re.compile(
    r"\([^()\n\d]{0,24}?(?:(?P<in_basis>bps|basis points?)|%|per\s?cent\.?)[^()\n\d]{0,24}\)"
    r"|^[^\d\n]{0,60}?(?:(?P<basis>bps|basis points)|%|per\s?cent\.?|percentage)(?:\s+(?:per\s+annum|p\.\s?a\.?))?[ .:]*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_REACH = 800  # characters below a column's head in which its cells are looked for


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "rate" of judging.md section 2."""
    found = best_of(lambda mine, expected: _compare_one(mine, expected, surroundings), reported, gold, accepted)
    if found.label == "semantic_match" and has_exchanged_word(str(reported), map(str, (gold, *accepted))):
        return Comparison("open", f"{reported} has the rate of {gold}, but the opposite of one of its words")
    if found.label not in ("correct", "semantic_match") or not (told := _payment(reported)):
        return found
    known = [_payment(value) for value in (gold, *accepted)]
    if any(true.get(name, said) != said for true in known for name, said in told.items()):
        return Comparison("open", f"{reported} has the rate of {gold}, but is paid at other times")
    return found


_PAYMENT = {
    "when": re.compile(r"\bin\s+(?P<word>arrear|advance)", re.IGNORECASE),
    "how often": re.compile(r"\b(?P<word>monthly|quarterly|semi-?\s?annually|half-?\s?yearly|annually|yearly)\b", re.IGNORECASE),
}


def _payment(value: Any) -> dict[str, str]:
    """How often and when a rate's text says that it is paid."""
    found = {name: pattern.search(value) for name, pattern in _PAYMENT.items()} if isinstance(value, str) else {}
    return {name: match["word"].casefold() for name, match in found.items() if match}


def parts(value: Any) -> tuple[Any, ...]:
    """The rates that a value states, without floors and other asides, and without the total of its other rates ("4.5 % cash and 4.5 % PIK,
    9 % all-in"): a sum is computed, not invented."""
    core = _core(value)[0]
    mine = read(core)
    if mine is None:
        return ()
    if not isinstance(mine, RateGrid):
        return (core,)
    return tuple(mention.text for mention in scan(core) if not _is_total(mention.value, mine.levels))


def _is_total(rate: Rate, levels: Sequence[Rate]) -> bool:
    """One of three or more rates that is the sum of the others."""
    return len(levels) > 2 and 2 * rate.value == sum((level.value for level in levels), Fraction(0))


def occurs(reported: Any, document: Document) -> bool:
    """Whether the rate stands anywhere in the document in an equivalent form, or as a number under a column head with a unit."""
    mine = read(_core(reported)[0])
    if mine is None:
        return isinstance(reported, str) and stands_in_any(reported, (document.text,))
    return all(is_in_document(rate, document) for rate in levels_of(mine))


def supports(reported: Any, text: str) -> bool:
    """Whether the text contains the rate in an equivalent form."""
    mine = read(_core(reported)[0])
    if mine is None:
        return isinstance(reported, str) and stands_in_any(reported, (text,))
    return all(is_in_text(rate, text) for rate in levels_of(mine))


def _core(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A value without its asides (the "1.00 % floor" of "Term SOFR + 5.50 % (1.00 % floor)"), and these."""
    return split_asides(value) if isinstance(value, str) else (value, ())


def is_in_document(rate: Rate, document: Document) -> bool:
    """`occurs` for a rate that has been read."""
    value = abs(rate.value)
    if rate.unit == "percent" and value and readings_of(document).isdisjoint(value * factor for factor in _WRITTEN_AS):
        return False
    return _is_among(rate, document.cached("values.rates", lambda: _index(folded_of(document), numbers_of(document))))


_WRITTEN_AS = (1, 100, 1000)
"""A rate in per cent, in basis points, and with a decimal comma before three digits ("1,125 %"), by the number as it is read."""


def is_in_text(rate: Rate, text: str) -> bool:
    """`supports` for a rate that has been read."""
    folded = fold(text)
    return _is_among(rate, _index(folded, scan_numbers(folded)))


# --- comparing -----------------------------------------------------------------------------------------------------


def _compare_one(reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    if isinstance(reported, str) and isinstance(gold, str) and same_characters(reported, gold):
        return Comparison("correct", f"{reported} is as expected")
    if isinstance(reported, str) and isinstance(gold, str):
        reported, gold = with_units(reported), with_units(gold)
        found = compare_steps(reported, gold, surroundings.quotes) or compare_rows(reported, gold, surroundings.quotes)
        if found is not None:
            return found
    (core, asides), (gold_core, _) = _core(reported), _core(gold)
    mine, expected = read(core), read(gold_core)
    if mine is None or expected is None:
        return Comparison("open", f"no rule reads {reported} against {gold} as rates")
    is_verbatim = isinstance(reported, str) and stands_in_any(reported, surroundings.quotes)
    if isinstance(mine, Rate) and isinstance(expected, Rate):
        found = _compare_rates(mine, expected, reported, gold, is_verbatim)
    elif isinstance(mine, RateGrid) and any(_is_total(level, mine.levels) for level in mine.levels):
        found = Comparison("open", f"{reported} states a total of its own rates beside {gold}")
    elif isinstance(expected, RateGrid):
        found = _compare_with_grid(mine, expected, (reported, core), (gold, gold_core), is_verbatim)
    elif any(is_equal(level, expected) for level in levels_of(mine)):
        found = Comparison("open", f"{reported} says more than {gold}")
    else:
        found = Comparison("wrong", f"{reported} does not contain {gold}")
    if found.label in ("correct", "semantic_match"):
        untrue = next((aside for aside in asides if not holds(aside, surroundings.document_text, str(gold))), None)
        return found if untrue is None else Comparison("open", f"{reported}: {untrue} does not stand so in the document")
    return found


def _compare_rates(mine: Rate, expected: Rate, reported: Any, gold: Any, is_verbatim: bool) -> Comparison:
    if mine.share_of != expected.share_of:
        return Comparison("wrong", f"one of {reported} and {gold} is a share of the margin, the other a rate")
    if mine.unit == "none" or expected.unit == "none":
        return _compare_bare(mine, expected, reported, gold)
    if not is_equal(mine, expected):
        return Comparison("wrong", f"{reported} differs from {gold}")
    if unread := (*leftover(mine.remark, str(gold), neutral=_BESIDE), *leftover(expected.remark, str(reported), neutral=_BESIDE)):
        return Comparison("open", f"{reported} and {gold} are one rate; no rule reads {' '.join(unread)}")
    if {mine.period, expected.period} in ({"", "month"}, {"", "quarter"}, {"", "day"}) and not is_verbatim:
        return Comparison("open", f"only one of {reported} and {gold} says for which period it is")
    return Comparison("correct" if is_verbatim else "semantic_match", f"{reported} is the rate {gold}")


_BESIDE = NEUTRAL | frozenset(
    "adjusted prevailing overdraft secured lawful undertaking non use funds revolver no zero prime bank overnight less negative".split()
)


def _compare_bare(mine: Rate, expected: Rate, reported: Any, gold: Any) -> Comparison:
    """One of the two has no unit: 0.0275 is a rate for 2.75 %, 2.75 and 275 are the right number without its unit."""
    if mine.unit == expected.unit:
        is_same = mine.value == expected.value
        return Comparison("semantic_match" if is_same else "wrong", f"{reported} {'equals' if is_same else 'differs from'} {gold}")
    bare, rate = (mine, expected) if mine.unit == "none" else (expected, mine)
    if abs(bare.value) < 1 and bare.value * 100 == rate.value:
        return Comparison("semantic_match", f"{reported} is the rate {gold}")
    if bare.value not in (rate.value, rate.value * 100):
        return Comparison("wrong", f"{reported} differs from {gold}")
    if bare is expected:
        return Comparison("semantic_match", f"{reported} is the number {gold}")
    return Comparison("partial", f"{reported} is the right number without its unit; {gold} is expected", ("UNIT_MISSING",))


def _compare_with_grid(
    mine: Rate | RateGrid, expected: RateGrid, told: tuple[Any, Any], wanted: tuple[Any, Any], is_verbatim: bool
) -> Comparison:
    """Level by level; `told` and `wanted` are both texts with and without their asides."""
    levels, (reported, core), (gold, gold_core) = levels_of(mine), told, wanted
    if any(level.unit == "none" for level in levels):
        is_part = all(any(level.value in (e.value, e.value * 100, e.value / 100) for e in expected.levels) for level in levels)
        return Comparison(
            "partial" if is_part else "wrong", f"{reported} has no unit; {gold} is expected", ("UNIT_MISSING",) if is_part else ()
        )
    given, true = labelled(str(core)), labelled(str(gold_core))
    if others := {level.value for level in levels if not any(is_equal(level, e) for e in expected.levels)}:
        kinds = {match.lastgroup for match in LOANS.finditer(fold(str(gold_core)))}
        if kinds and others <= {value for kind, value in given if kind not in kinds}:
            return Comparison("open", f"{reported} gives rates for another kind of loan than {gold}")
        return Comparison("wrong", f"{reported} has a rate that {gold} has not")
    if given and true and not set(given) <= set(true):
        return Comparison("wrong", f"{reported} gives a rate of {gold} to another kind of loan", ("GRID_EXCHANGED",))
    missing = {e.value for e in expected.levels if not any(is_equal(level, e) for level in levels)}
    if missing and missing <= _without_units(mine):
        return Comparison("open", f"{reported} has the numbers of {gold} without their units")
    if missing:
        return Comparison("partial", f"{reported} is a part of the grid {gold}", ("GRID_PART",))
    if len(_SUBTRACTED.findall(fold(str(core)))) != len(_SUBTRACTED.findall(fold(str(gold_core)))):
        return Comparison("open", f"only one of {reported} and {gold} is below its reference rate")
    is_row = _is_same_row(mine, expected)
    rows = [sorted(side, key=lambda pair: pair[0]) for side in (given, true)]  # in their order for each kind of loan
    if (is_row and mine.remark == expected.remark) or (
        (is_row or (given and rows[0] == rows[1])) and _says_no_more(mine, expected, reported, gold)
    ):
        return Comparison("correct" if is_verbatim else "semantic_match", f"{reported} is the grid {gold}")
    return Comparison("open", f"{reported} has the rates of {gold} under conditions in other words")


_SUBTRACTED = re.compile(
    r"\bminus\s+\d|\b(?:\w*(?:ibor|sofr|sonia|sora|[€e]str|prime)|abr|l|s|e|br|(?:prime|base|bank|reference|benchmark)\s+rate)\s?-\s?\d",
    re.IGNORECASE,
)


def _says_no_more(mine: Rate | RateGrid, expected: RateGrid, reported: Any, gold: Any) -> bool:
    """The remarks hold no condition: no number, and no word that neither the lists nor the other side have.

    What moves the levels (a ratio, a rating) may be said by gold alone; the output's own words about it are held against gold.
    """
    told, wanted = _SCALE.sub(" ", mine.remark), _DRIVER.sub(" ", _SCALE.sub(" ", expected.remark))
    if not isinstance(mine, RateGrid) or scan_numbers(f"{told} {wanted}"):
        return False
    rest = (LOANS.sub(" ", remark.replace("-", " ")) for remark in (told, wanted))
    known = _BESIDE | _DRIVEN | initials_of(str(gold))
    return not any(leftover(text, str(other), neutral=known) for text, other in zip(rest, (gold, reported), strict=True))


_SCALE = re.compile(
    r"\b(?:(?:ratings?|pricing|leverage)\s+)?(?:category|categories|levels?|tiers?|status|grades?)\s+(?:1|i)\b(?:\s*(?:-|to|through|,|/|and)?\s*(?:\d|[iv]+)\b)+"
    r"|\b(?:every|each|all)\s+levels?(?:\s+\w+){0,4}\s+ratio\b",
    re.IGNORECASE,
)
"""The levels of a grid counted from the first, which stand in that order in the row of rates and are compared with it, or all of them."""
_DRIVER = re.compile(
    r"\b(?:by|depending|based|according|determined)\b[a-z\s-]*\b(?:ratio|ratings?|leverage|utili[sz]ation|usage|category|level|ltv)\b",
    re.IGNORECASE,
)
_DRIVEN = frozenset("depending based according determined grid pricing then thereafter".split())


def _is_same_row(mine: Rate | RateGrid, expected: RateGrid) -> bool:
    if not isinstance(mine, RateGrid) or mine.is_range != expected.is_range or len(mine.levels) != len(expected.levels):
        return False
    return all(map(is_equal, mine.levels, expected.levels))


def _without_units(value: Rate | RateGrid) -> set[Fraction]:
    """The numbers beside the rates, as per cent and as basis points: those of a row may share a unit in a form that no rule reads."""
    found = (number.value() for number in scan_numbers(value.remark))
    return {n / factor for n in found if n is not None for factor in (1, 100)}


# --- finding -------------------------------------------------------------------------------------------------------


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
            value = number.value()
            if value is not None and (is_basis or "." in number.text or "/" in number.text):
                yield value / 100 if is_basis else value


def _is_among(rate: Rate, index: _Index) -> bool:
    value = abs(rate.value)
    if rate.unit == "none":
        return value in index.bare or index.has(value) or (value < 1 and index.has(value * 100)) or index.has(value / 100)
    return value in index.shares if rate.share_of else index.has(value)
