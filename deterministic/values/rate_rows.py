"""Margin grids in rows: the rates of each column and each kind of loan in the order of their levels, however a desk writes them
("L+225/200/175 bps; BR+125/100/75 bps (Levels I-III)", "Level I: 2.25% (Eurodollar) / 1.25% (Base Rate); Level II: ...").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise

from deterministic.lexicon.matching import stands_in_any
from deterministic.lexicon.numbers import fold
from deterministic.values.comparison import Comparison, Mention
from deterministic.values.rate_forms import Rate, is_negative, scan
from deterministic.values.rate_steps import LOANS, READ, kind_said_once, plain, without
from deterministic.values.words import words

_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_NUMERAL = r"(?:\d{1,2}|x|ix|iv|v?i{1,3}|v)\b(?!\s*(?:%|bps|basis|per\s?cent)|[.,]\d)"
_NAME = r"(?:(?:pricing|ratings?|leverage)\s+)?(?:levels?|categor(?:y|ies)|tiers?|status|grades?|stages?)"
_LEVEL = re.compile(
    rf"\b{_NAME}\s+(?P<labels>{_NUMERAL}(?:\s*(?:-|to\b|through\b|,?\s*and\b|[,/&])\s*(?:{_NAME}\s+)?{_NUMERAL})*)"
    r"|(?<![\w.])(?-i:(?P<bare>X|IX|IV|V?I{1,3}|V))(?=\s?[:=-]?\s?\.?\d)",
    re.IGNORECASE,
)
"""The names of levels: "Level I", "Tiers I to III", "Levels 4 and 5", the bare "II" before its rate."""
_COLUMN = re.compile(r"\bcol(?:umn|\.)?\s+(?P<name>[a-d]|\d)\b", re.IGNORECASE)
_WORDS = READ - {"until", "through", "from", "average"} | {"otherwise", "determination"}
_Row = dict[int, Rate]
_BARE_ROW = re.compile(r"(?<=\+)\s?\d{2,3}(?:\s?/\s?\d{2,3})+(?=\s*[;,]\s)")


def with_units(text: str) -> str:
    """A text in which rows in shorthand have the unit behind the last of them: "L+225/200/175; BR+125/100/75 bps"."""
    is_shared = re.search(r"\d\s?bps\b", text) is not None and "%" not in text
    return _BARE_ROW.sub(lambda row: f"{row[0]} bps", text) if is_shared else text


def labelled(text: str) -> tuple[tuple[str, Fraction], ...]:
    """The levels of a grid with the kind of loan that each is for, whether the kinds stand before or behind them; empty: not said."""
    rates = scan(text)
    kinds = _kinds(fold(text), rates)
    if kinds is None or len(set(kinds) - {""}) < 2:
        return ()
    return tuple((kind, rate.value.value) for kind, rate in zip(kinds, rates, strict=True) if kind)


def compare_rows(reported: str, gold: str, quotes: Sequence[str]) -> Comparison | None:
    """Two grids by column, kind of loan and level. None: one is not read to its last word, or no rule reads their difference."""
    mine, expected = read_rows(reported), read_rows(gold)
    if mine is None or expected is None or (len(expected.rows) == 1 and not expected.has_levels):
        return None
    mine = _as_in(mine, expected)
    if any(told - _WORDS - expected.words.get(column, frozenset()) for column, told in mine.words.items()):
        is_divided = len(mine.words) > 1
        return Comparison("open", f"{reported} has columns of {gold} under conditions in other words") if is_divided else None
    if any(word.isdigit() for told in expected.words.values() for word in told):
        return None
    if mine.rows == expected.rows:
        return Comparison("correct" if stands_in_any(reported, quotes) else "semantic_match", f"{reported} is the grid {gold}")
    if not mine.rows.keys() <= expected.rows.keys():
        return None
    if _is_contradicted(mine, expected):
        return Comparison("wrong", f"{reported} gives a level, column or kind of loan of {gold} another rate", ("GRID_EXCHANGED",))
    if all(row.items() <= expected.rows[key].items() for key, row in mine.rows.items()):
        return Comparison("partial", f"{reported} is a part of the grid {gold}", ("GRID_PART",))
    return None


@dataclass(frozen=True, slots=True)
class Rows:
    """A grid. rows: (column, kind of loan) -> level -> its rate, "" for a column or kind that is not said, levels counted where they have
    no name; words: what else is said of a column; has_levels: whether the levels are named."""

    rows: dict[tuple[str, str], _Row]
    words: dict[str, frozenset[str]]
    has_levels: bool


def _as_in(mine: Rows, expected: Rows) -> Rows:
    """With the only column, or the only kind of loan, that gold names and the output does not; of a kind that only one of them names it is
    a benchmark's, which a margin is for where nothing is said."""
    columns, kinds = ({key[n] for key in expected.rows} for n in (0, 1))
    column = next(iter(columns)) if len(columns) == 1 and mine.words.keys() == {""} else None
    kind = kind_said_once({kind for _, kind in mine.rows}, kinds)
    rows = {(own if column is None else column, its if kind is None else kind): row for (own, its), row in mine.rows.items()}
    return Rows(rows, mine.words if column is None else {column: mine.words[""]}, mine.has_levels)


def _is_contradicted(mine: Rows, expected: Rows) -> bool:
    """Whether a level that both grids name has two rates, or a rate of gold stands in another row than gold's."""
    pairs = [(row, expected.rows[key]) for key, row in mine.rows.items()]
    if mine.has_levels and expected.has_levels:
        return any(true.get(level, rate) != rate for row, true in pairs for level, rate in row.items())
    known = {rate for row in expected.rows.values() for rate in row.values()}
    told = {rate for row, _ in pairs for rate in row.values()}
    return told <= known and any(set(row.values()) - set(true.values()) for row, true in pairs)


# ---- reading -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def read_rows(text: str) -> Rows | None:
    """The grid of a text; None where a rate has no place in it. Never raises."""
    folded = fold(text)
    regions = _regions(folded) if len(text) <= 2000 else None
    rows: dict[tuple[str, str], _Row] = {}
    told: dict[str, frozenset[str]] = {}
    has_levels = False
    for column, region in (regions or {}).items():
        found = _region(region)
        if found is None:
            return None
        rows |= {(column, kind): row for kind, row in found[0].items()}
        told[column] = found[1]
        has_levels = has_levels or _LEVEL.search(region) is not None
    return Rows(rows, told, has_levels) if sum(map(len, rows.values())) > 1 else None


def _regions(folded: str) -> dict[str, str] | None:
    """The text of each column, whose name stands in its first or in its last part; None where a part has two names."""
    parts = re.split(r"[;\n]", folded)
    names = [{match["name"].casefold() for match in _COLUMN.finditer(part)} for part in parts]
    if any(len(found) > 1 for found in names):
        return None
    is_before = bool(names[0])
    found: dict[str, list[str]] = {}
    held = ""
    for part, name in zip(parts, names, strict=True) if is_before else zip(reversed(parts), reversed(names), strict=True):
        held = next(iter(name), held)
        found.setdefault(held, []).append(part)
    if "" in found and len(found) > 1:
        return None
    return {name: ";".join(its if is_before else reversed(its)) for name, its in found.items()}


def _region(text: str) -> tuple[dict[str, _Row], frozenset[str]] | None:
    """The rows of one column by kind of loan, and the words beside them."""
    marks = [Mention(m.start(), m.end(), _labels(m["labels"] or m["bare"]), m[0]) for m in _LEVEL.finditer(text)]
    rates = [rate for rate in scan(text) if not any(mark.start <= rate.start < mark.end for mark in marks)]
    if not rates or any(is_negative(text, rate.start) for rate in rates):
        return None
    kinds = _kinds_by_level(text, rates, marks) or _kinds(text, rates)
    rows = None if kinds is None or ("" in kinds and len(set(kinds)) > 1) else _rows(kinds, rates, marks)
    if rows is None or not all(set(row) == set(range(1, len(row) + 1)) for row in rows.values()):
        return None
    beside = [Mention(m.start(), m.end(), None, m[0]) for pattern in (LOANS, _COLUMN) for m in pattern.finditer(text)]
    return rows, frozenset(words(without(text, sorted([*rates, *marks, *beside], key=lambda mention: mention.start))))


def _rows(kinds: Sequence[str], rates: Sequence[Mention], marks: Sequence[Mention]) -> dict[str, _Row] | None:
    """The rates of each kind by level: a name stands for one rate, or for a row of one for each of its levels. None: neither."""
    groups: dict[tuple[str, int | None], list[Rate]] = {}
    for kind, place, rate in zip(kinds, _governing([mark.start for mark in marks], rates), rates, strict=True):
        groups.setdefault((kind, place), []).append(plain(rate.value))
    rows: dict[str, _Row] = {}
    for (kind, place), its in groups.items():
        labels = marks[place].value if place is not None else () if marks else range(1, len(its) + 1)
        row = rows.setdefault(kind, {})
        if len(its) not in (1, len(labels)) or not row.keys().isdisjoint(labels):
            return None
        row.update(zip(labels, its * (len(labels) if len(its) == 1 else 1), strict=True))
    return rows


def _labels(text: str) -> tuple[int, ...]:
    """The levels that "I", "1 to 3", "Level I and Level II" or "I/II/III" names."""
    found: list[int] = []
    for joint, numeral in re.findall(r"(-|\bto\b|\bthrough\b)?\s*(?:[a-z]{4,}\s+)*\b([ivx]+|\d{1,2})\b", text.casefold()):
        number = int(numeral) if numeral.isdigit() else _ROMANS.index(numeral) + 1 if numeral in _ROMANS else 0
        found += range(found[-1] + 1, number + 1) if joint and found else [number]
    return tuple(found)


def _governing(marks: Sequence[int], rates: Sequence[Mention], *, is_behind: bool = False) -> list[int | None]:
    """Which of the marks each rate belongs to: the last before it, or the next behind it where the first rate stands before every mark."""
    if not marks or is_behind or rates[0].start < marks[0]:
        found = [bisect_left(marks, rate.start) for rate in rates]
        return [at if at < len(marks) else None for at in found]
    return [bisect_right(marks, rate.start) - 1 for rate in rates]


def _kinds(folded: str, rates: Sequence[Mention]) -> list[str] | None:
    """The kind of loan of each rate, "" where none is said; None where two kinds stand together before or behind their rates and it is
    not one rate for each."""
    marks = [(match.start(), str(match.lastgroup)) for match in LOANS.finditer(folded)]
    if not marks or not rates:
        return [""] * len(rates)
    starts = [rate.start for rate in rates]
    bunches = [[kind for kind, _ in groupby(kind for _, kind in run)] for _, run in groupby(marks, key=lambda m: bisect_left(starts, m[0]))]
    if any(len(bunch) > 1 for bunch in bunches):
        return bunches[0] if len(bunches) == 1 and len(bunches[0]) == len(rates) else None
    is_behind = "over" in folded[: starts[0]]
    places = _governing([start for start, _ in marks], rates, is_behind=is_behind)
    return ["" if place is None else marks[place][1] for place in places]


def _kinds_by_level(folded: str, rates: Sequence[Mention], marks: Sequence[Mention]) -> list[str] | None:
    """The kinds of rates that stand level by level, where the first level, or the words before it, say the order of the kinds."""
    if not marks or rates[0].start < marks[0].start or any(len(mark.value) > 1 for mark in marks):
        return None
    edges = [*(mark.start for mark in marks), len(folded)]
    order = [kind for kind, _ in groupby(str(match.lastgroup) for match in LOANS.finditer(folded[: edges[0]]))]
    found: list[str] = []
    for start, end in pairwise(edges):
        span = folded[start:end]
        its = [Mention(rate.start - start, rate.end - start, rate.value, rate.text) for rate in rates if start <= rate.start < end]
        kinds = (_kinds(span, its) if LOANS.search(span) else order) if its else []
        if kinds is None or len(kinds) != len(its) or len(set(kinds)) < 2:
            return None
        found, order = [*found, *kinds], order or kinds
    return found
