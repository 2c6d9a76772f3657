"""Margin grids in rows: the rates of each column and each kind of loan in the order of their levels, however a desk writes them
("L+225/200/175 bps; BR+125/100/75 bps (Levels I-III)", "Level I: 2.25% (Eurodollar) / 1.25% (Base Rate); Level II: ...").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise

from deterministic.lexicon.matching import stands_in_any
from deterministic.lexicon.numbers import fold
from deterministic.values.comparison import Comparison, Mention
from deterministic.values.rate_forms import Rate, is_negative, scan
from deterministic.values.rate_steps import LOANS, READ, plain, without
from deterministic.values.words import words

_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_NUMBER = r"(?:\d{1,2}|[ivx]{1,4})\b(?![.%])"
_LEVEL = re.compile(
    rf"\b(?:(?:ratings?|pricing|leverage)\s+)?(?:levels?|categor(?:y|ies)|tiers?)\s+(?P<labels>{_NUMBER}(?:\s*(?:-|to|through|,|/|and|&)\s*{_NUMBER})*)",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"\bcol(?:umn|\.)?\s+(?P<name>[a-d]|\d)\b", re.IGNORECASE)
_WORDS = READ - {"until", "through", "from", "average"} | {"otherwise", "determination"}
_Row = tuple[Rate, ...]


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
    if mine.columns == {""} and len(expected.columns) == 1:
        mine = _in_column(mine, *expected.columns)
    if any(told - _WORDS - expected.words.get(column, frozenset()) for column, told in mine.words.items()):
        is_divided = len(mine.columns) > 1
        return Comparison("open", f"{reported} has columns of {gold} under conditions in other words") if is_divided else None
    if any(word.isdigit() for told in expected.words.values() for word in told):
        return None
    if mine.rows == expected.rows:
        return Comparison("correct" if stands_in_any(reported, quotes) else "semantic_match", f"{reported} is the grid {gold}")
    if all(expected.rows.get(key) == row for key, row in mine.rows.items()):
        return Comparison("partial", f"{reported} is a part of the grid {gold}", ("GRID_PART",))
    if mine.rows.keys() == expected.rows.keys() and _is_exchanged(mine, expected):
        return Comparison("wrong", f"{reported} gives a rate of {gold} to another level, column or kind of loan", ("GRID_EXCHANGED",))
    return None


@dataclass(frozen=True, slots=True)
class Rows:
    """A grid. rows: (column, kind of loan) -> its rates by level, "" for a column or kind that is not said; words: what else is said of a
    column; has_levels: whether the levels are named."""

    rows: dict[tuple[str, str], _Row]
    words: dict[str, frozenset[str]]
    has_levels: bool

    @property
    def columns(self) -> set[str]:
        """The columns that are named."""
        return {column for column, _ in self.rows}


def _in_column(grid: Rows, column: str) -> Rows:
    return Rows({(column, kind): row for (_, kind), row in grid.rows.items()}, {column: grid.words[""]}, grid.has_levels)


def _is_exchanged(mine: Rows, expected: Rows) -> bool:
    """Whether rates of gold have another place: another row in any case, another level of the row where both grids name the levels."""
    known = {rate for row in expected.rows.values() for rate in row}
    if any(set(row) - known for row in mine.rows.values()):
        return False
    is_moved = any(set(row) - set(expected.rows[key]) for key, row in mine.rows.items())
    is_whole = all(len(row) == len(expected.rows[key]) for key, row in mine.rows.items())
    return is_moved or (is_whole and mine.has_levels and expected.has_levels)


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
    rates, levels = scan(text), [(match, list(_labels(match["labels"]))) for match in _LEVEL.finditer(text)]
    singles = [match for match, labels in levels if len(labels) == 1]
    if not rates or (singles and len(singles) < len(levels)) or any(is_negative(text, rate.start) for rate in rates):
        return None
    kinds = _kinds_by_level(text, rates, singles) or _kinds(text, rates)
    if kinds is None or ("" in kinds and len(set(kinds)) > 1):
        return None
    rows: dict[str, list[tuple[int, Rate]]] = {}
    places = _governing([match.start() for match in singles], rates)
    for kind, place, rate in zip(kinds, places, rates, strict=True):
        row = rows.setdefault(kind, [])
        row.append((levels[place][1][0] if place is not None else 0 if singles else len(row) + 1, plain(rate.value)))
    counts = {tuple(sorted(level for level, _ in row)) for row in rows.values()} | {tuple(labels) for _, labels in levels if not singles}
    if any(labels != tuple(range(1, len(labels) + 1)) for labels in counts) or (levels and len(counts) > 1):
        return None
    beside = [Mention(m.start(), m.end(), None, m[0]) for pattern in (LOANS, _LEVEL, _COLUMN) for m in pattern.finditer(text)]
    rest = without(text, sorted([*rates, *beside], key=lambda mention: mention.start))
    return {kind: tuple(rate for _, rate in sorted(row, key=lambda one: one[0])) for kind, row in rows.items()}, frozenset(words(rest))


def _labels(text: str) -> Iterator[int]:
    """The levels that "I", "1 to 3" or "I/II/III" names; 0 for what is no such number."""
    found = re.findall(r"\d+|[ivx]+", text.casefold())
    numbers = [int(one) if one.isdigit() else _ROMANS.index(one) + 1 if one in _ROMANS else 0 for one in found]
    is_range = len(numbers) == 2 and re.search(r"-|to|through", text, re.IGNORECASE) is not None
    return iter(range(numbers[0], numbers[1] + 1) if is_range else numbers)


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


def _kinds_by_level(folded: str, rates: Sequence[Mention], singles: Sequence[re.Match[str]]) -> list[str] | None:
    """The kinds of rates that stand level by level, where the first level, or the words before it, say the order of the kinds."""
    if not singles or rates[0].start < singles[0].start():
        return None
    edges = [*(match.start() for match in singles), len(folded)]
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
