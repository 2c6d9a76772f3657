"""Margin and fee grids: the kind of loan that each level is for, and the levels' conditions ("1.75 % if the ratio is at least 2.0 to 1.0").

Two grids with conditions are compared level by level. One that is not read to its last word is left to `rates`, which does not decide what
stands under conditions in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise

from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.values.comparison import Comparison, Mention
from deterministic.values.rate_forms import Rate, is_equal, scan
from deterministic.values.remarks import NEUTRAL, leftover
from deterministic.values.words import words as words_of

LOANS = re.compile(
    r"\b(?P<base>abr|br(?=\s?\+|\s+loans?)|base\s+rate|prime)\b|\b(?:(?:term\s+|daily\s+simple\s+|adjusted\s+)*(?P<benchmark>sofr|sonia|euribor|libor?|hibor|sora|euro-?\s?dollar|rfr|benchmark|fixed\s+rate(?=\s+(?:margin|loan|advance))|[lse](?=\s?\+)))\b",
    re.IGNORECASE,
)
"""The two kinds of loan that US margins are told apart for; a jargon "L + 625" says LIBOR and means the benchmark."""


@dataclass(frozen=True, slots=True)
class Step:
    """A rate for one kind of loan (`base`, `benchmark`, empty: not said) while the ratio is in an interval.

    An end of the interval is its value and whether it belongs to it; None: it has no end on that side.
    """

    kind: str
    rate: Rate
    low: tuple[Fraction, bool] | None = None
    high: tuple[Fraction, bool] | None = None


_MORE, _LESS, _NOT = r"(?:greater|more|higher)\s+than", r"(?:less|lower)\s+than", r"(?:not|no|never)\s+"
_EQUAL_OR, _OR_EQUAL = r"equals?(?:\s+to)?\s+or\s+(?:is\s+)?", r"\s+or\s+equals?(?:\s+to)?"
_AT_LEAST = rf"≥|>=|⩾|{_EQUAL_OR}{_MORE}|{_MORE}{_OR_EQUAL}|{_NOT}{_LESS}|at\s+least"
_AT_MOST = rf"≤|<=|⩽|{_EQUAL_OR}{_LESS}|{_LESS}{_OR_EQUAL}|{_NOT}(?:{_MORE}|exceed(?:s|ing)?)|at\s+most|up\s+to"
_BOUND = re.compile(
    rf"(?:(?P<at_least>{_AT_LEAST})|(?P<at_most>{_AT_MOST})"
    rf"|(?P<above>>|{_MORE}|exceed(?:s|ing)|in\s+excess\s+of|above|over)|(?P<below><|{_LESS}|below|under))\s*(?P<number>\d/\d(?!\d)|\d{{1,3}}(?:\.\d+)?)"
    r"(?:\s?(?:x|times)(?!\w)|\s?(?::|to)\s?1(?:\.0+)?(?![\d.]|\s?%)|\s?(?P<percent>%|per\s?cent\.?))?(?!\d)",
    re.IGNORECASE,
)
_DRIVING = frozenset("utilisation utilization utilisations drawn undrawn drawing drawings borrowing borrowings outstanding".split())
READ = (NEUTRAL - _DRIVING) | frozenset("if when where while but then grid pricing level levels ratio made maintained".split())
_TURNING = re.compile(
    r"\b(?:until|till|after|before|from|thereafter|provided|unless|except|excluding|subject|plus|minus|during|following|default|floor|not|no)\b",
    re.IGNORECASE,
)


def compare_steps(reported: str, gold: str, quotes: Sequence[str]) -> Comparison | None:
    """Two grids with conditions. None: one of them has none or is not read to its last word, or their intervals only overlap."""
    (mine, told), (expected, wanted) = read_steps(reported), read_steps(gold)
    if not mine or not expected or leftover(told, gold, neutral=READ | _drivers(wanted)):
        return None
    mine = _of_gold_kind(mine, expected)
    kinds = {step.kind for step in expected}
    beside = [step for step in mine if step.kind not in kinds]  # gold is silent on them: they may only repeat what is quoted
    if any("" in kinds or not any(is_equal(step.rate, m.value) for quote in quotes for m in scan(quote)) for step in beside):
        return None
    steps = [step for step in mine if step not in beside]
    if any(_is_another_rate(step, expected) for step in steps):
        return Comparison("wrong", f"{reported} gives a level of {gold} another rate", ("GRID_EXCHANGED",))
    if not steps or not set(steps) <= set(expected):
        return None
    if len(set(steps)) < len(set(expected)):
        return Comparison("partial", f"{reported} is a part of the grid {gold}", ("GRID_PART",))
    return Comparison("semantic_match", f"{reported} is the grid {gold}")


def _of_gold_kind(mine: tuple[Step, ...], expected: tuple[Step, ...]) -> tuple[Step, ...]:
    """Levels of which only one side says that they are a benchmark's, which a margin's are where nothing is said."""
    kind = kind_said_once({step.kind for step in mine}, {step.kind for step in expected})
    return mine if kind is None else tuple(replace(step, kind=kind) for step in mine)


def kind_said_once(mine: set[str], expected: set[str]) -> str | None:
    """Gold's kind of loan, where only one of two grids says that it is for a benchmark's loans; None elsewhere."""
    return next(iter(expected)) if (mine, expected) in (({""}, {"benchmark"}), ({"benchmark"}, {""})) else None


def _is_another_rate(step: Step, expected: Sequence[Step]) -> bool:
    same_place = [other.rate for other in expected if (other.kind, other.low, other.high) == (step.kind, step.low, step.high)]
    return bool(same_place) and step.rate not in same_place


def _drivers(words: str) -> frozenset[str]:
    """What the ratio that moves the levels may be called: leverage, where gold's words for it are debt to EBITDA; its initials."""
    is_leverage = re.search(r"\b(?:debt|indebtedness)\b.*\bebitda\b", words, re.IGNORECASE) is not None
    return initials_of(words) | (frozenset(("leverage",)) if is_leverage else frozenset())


def initials_of(text: str) -> frozenset[str]:
    """The initials of three to five words of a text in their order: FCCR for its Fixed Charge Coverage Ratio."""
    told = words_of(text)
    return frozenset("".join(word[0] for word in told[start : start + n]) for n in (3, 4, 5) for start in range(len(told) - n + 1))


@lru_cache(maxsize=512)
def read_steps(text: str) -> tuple[tuple[Step, ...], str]:
    """The levels of a grid with their conditions, and the words around them; none where not every figure is understood. Never raises."""
    folded = _with_bounds(fold(text))
    if len(text) > 2000 or not _BOUND.search(folded):
        return (), ""
    starts = [(m.start(), str(m.lastgroup)) for m in LOANS.finditer(folded)] or [(0, "")]
    if len({kind for _, kind in starts}) == 1 and (first := scan(folded)) and first[0].start < starts[0][0]:
        starts = [(0, starts[0][1])]  # the only kind of loan is named behind its rates
    edges = [start for start, _ in starts[1:]] + [len(folded)]
    steps, words = list[Step](), [folded[: starts[0][0]]]
    for (start, kind), end in zip(starts, edges, strict=True):
        segment = folded[start:end]
        tokens = _tokens(segment)
        found = tuple(_steps(kind, segment, tokens))
        if not found or len(found) != sum(isinstance(token.value, Rate) for token in tokens):
            return (), ""
        steps += _closed(found)
        words.append(without(segment, tokens))
    rest = LOANS.sub(" ", " ".join(words))
    is_understood = len(steps) > 1 and not scan_numbers(rest) and not _TURNING.search(rest)
    return (tuple(steps), rest) if is_understood else ((), "")


_SHARE = re.compile(
    r"\b(?:(?P<one>one)[\s-]+(?P<part>half|third)|two[\s-]+thirds)\b(?:\s*\(\s*[12]/[23]\s*\))?(?!\s+of\s+(?:one|1|a)\b)",
    re.IGNORECASE,
)
_AMOUNT = r"(?P<number>\d/\d|\d{1,3}(?:\.\d+)?\s?[x%])"
_BEHIND = re.compile(rf"(?<![\w./%]){_AMOUNT}\s+or\s+(?:(?P<more>more|greater|above|higher|over)|less|below|lower)\b", re.IGNORECASE)
_RANGE = re.compile(
    rf"(?<![\w./<>=≥%])(?<![<>=≥]\s)(?<!least\s)(?<!than\s)(?<!above\s)(?<!over\s){_AMOUNT}\s*(?:to|-|but)\s*(?=<\s*\d)", re.IGNORECASE
)


def _with_bounds(folded: str) -> str:
    """A text with shares in figures ("one-third" is 1/3) and with bounds before their numbers ("2/3 or more", "1/3 to <2/3")."""
    folded = _SHARE.sub(lambda share: "2/3" if not share["one"] else "1/2" if share["part"].casefold() == "half" else "1/3", folded)
    folded = _BEHIND.sub(lambda bound: f"{'>=' if bound['more'] else '<='} {bound['number']}", folded)
    return _RANGE.sub(r">= \g<number> and ", folded)


def _tokens(segment: str) -> list[Mention]:
    """The rates and bounds of a part of the text, in their order; a bound's value is its name and number."""
    bounds = [
        Mention(m.start(), m.end(), (str(next(name for name in _SIDES if m[name])), Fraction(m["number"])), m[0])
        for m in _BOUND.finditer(segment)
    ]
    rates = [m for m in scan(segment) if not any(b.start <= m.start < b.end for b in bounds)]
    return sorted([*bounds, *rates], key=lambda mention: mention.start)


_SIDES = {"at_least": ("low", True), "above": ("low", False), "at_most": ("high", True), "below": ("high", False)}


def _steps(kind: str, segment: str, tokens: Sequence[Mention]) -> Iterator[Step]:
    """Each rate with the bounds before or behind it; a row of rates with a row of conditions, both parted by strokes."""
    runs = [list(run) for _, run in groupby(tokens, key=lambda token: isinstance(token.value, Rate))]
    if len(runs) == 1 and len(tokens) == 1 and isinstance(tokens[0].value, Rate):
        yield Step(kind, plain(tokens[0].value))
    if len(runs) % 2:
        return
    for pair in zip(runs[::2], runs[1::2], strict=True):
        rates, bounds = pair if isinstance(pair[0][0].value, Rate) else reversed(pair)
        for rate, its in zip(rates, _row(segment, bounds) if len(rates) > 1 else [bounds], strict=False):
            ends = dict(_end(bound) for bound in its)
            if len(ends) == len(its):
                yield Step(kind, plain(rate.value), **ends)


def _closed(steps: Sequence[Step]) -> Iterator[Step]:
    """An interval without an end on one side reaches to the next: "1.75 % (>= 2.0x), 1.50 % (>= 1.5x)"."""
    lows, highs = sorted(step.low for step in steps if step.low), sorted(step.high for step in steps if step.high)
    for step in steps:
        if step.low and not step.high:
            step = replace(step, high=next(((value, not is_in) for value, is_in in lows if value > step.low[0]), None))
        elif step.high and not step.low:
            step = replace(step, low=next(((value, not is_in) for value, is_in in reversed(highs) if value < step.high[0]), None))
        yield step


def _row(segment: str, bounds: Sequence[Mention]) -> list[list[Mention]]:
    """The bounds of each place of a row."""
    row = [[bounds[0]]]
    for before, bound in pairwise(bounds):
        if "/" in segment[before.end : bound.start]:
            row.append([])
        row[-1].append(bound)
    return row


def _end(bound: Mention) -> tuple[str, tuple[Fraction, bool]]:
    name, number = bound.value
    side, is_in = _SIDES[name]
    return side, (number, is_in)


def plain(rate: Rate) -> Rate:
    """A rate as levels are compared: by the year unless another period is said."""
    return replace(rate, period="" if rate.period == "annum" else rate.period, remark="")


def without(segment: str, tokens: Sequence[Mention]) -> str:
    for token in reversed(tokens):
        segment = f"{segment[: token.start]} {segment[token.end :]}"
    return segment
