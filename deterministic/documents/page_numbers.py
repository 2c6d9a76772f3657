"""Numbers that count the pages: at the foot or head of a page, or, in a text that was printed anew, anywhere on it.

A line that consists of a number is a page number when it counts with the pages near by, when the numbers at this edge rise through
the file (an excerpt leaves pages out), or when it belongs to a count that runs through the text beside the clauses' own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from deterministic.clauses.numerals import roman_value

Place = tuple[int, int]
"""(page, line), both from 0."""

_PAGE_NUMBER = re.compile(
    r"""^[^\w§(]{0,4}
    (?:(?:pdf\s+)?(?:page|pg\.?|p\.|seite)\s*(?:no\.?\s*)?)?
    (?:(?P<prefix>[A-Z]{1,3})\s?[-–.]\s?)?
    (?P<number>\d{1,4}|[ivxlc]{1,8}|[IVXLC]{1,8})
    (?:\s*(?:of|/|von)\s*\d{1,4})?
    [^\w.)]{0,4}$""",
    re.I | re.X,
)
"""Matches "14", "- 14 -", "Page 3 of 90", "PDF page 10", "A-5", "iv"; not "14." (a clause) nor "(14)" (a paragraph)."""
_LONGEST = 24
_INDENTED = 120
"""Characters of a line with the white space that moves a number to the middle."""


@dataclass(frozen=True, slots=True)
class NumberLine:
    page: int
    at: int
    style: str
    value: int
    printed: str
    slot: int
    """Lines from the edge of the page, from 1: positive from the top, negative from the bottom; 0 inside the page."""


def number_of(text: str) -> tuple[str, int, str] | None:
    """(style, value, as printed) of a line that is a page number and nothing else."""
    text = text.replace("\xa0", " ").strip()
    match = _PAGE_NUMBER.match(text) if len(text) <= _LONGEST else None
    if not match:
        return None
    shown = match["number"]
    prefix = (match["prefix"] or "").upper()
    printed = f"{prefix}-{shown}" if prefix else shown
    if shown.isdecimal():
        return f"{prefix}#", int(shown), printed
    value = roman_value(shown.casefold())
    return None if value is None else (f"{prefix}{'i' if shown.islower() else 'I'}", value, printed)


def find_page_numbers(pages: Sequence[Sequence[str]], slots: Sequence[dict[int, int]]) -> tuple[dict[Place, str], dict[Place, str]]:
    """The printed number of each line that is a page number, and those of them that stand inside their page.

    `slots`: for each page, the lines at its edges and how far from the edge (as in `NumberLine`).
    """
    lines = [line for n, page in enumerate(pages) for line in _number_lines(n, page, slots[n])]
    inside = {(line.page, line.at): line.printed for line in _reprinted(lines, pages)}
    outer = [line for line in lines if line.slot and (line.page, line.at) not in inside]
    counted = [*_counting(outer, len(pages)), *_rising(outer, len(pages))]
    found = {(line.page, line.at): line.printed for line in (*counted, *_next_to(counted, outer))}
    return found | inside, inside


def _number_lines(number: int, page: Sequence[str], slots: dict[int, int]) -> Iterator[NumberLine]:
    for at, text in enumerate(page):
        if len(text) <= _INDENTED and 0 < len(text.strip()) <= _LONGEST and (found := number_of(text)):
            yield NumberLine(number, at, *found, slots.get(at, 0))


def _counting(lines: Sequence[NumberLine], pages: int) -> Iterator[NumberLine]:
    """Numbers that count with the pages near by. A page has one, or several that stand at the same place of some pages (a stamp below)."""
    places: dict[tuple[str, int], list[NumberLine]] = defaultdict(list)
    for line in lines:
        places[line.style, line.value - line.page].append(line)
    support = {key: len({line.page for line in hits}) for key, hits in places.items()}
    many = min(4, max(2, pages // 2))
    taken: set[int] = set()
    for key in sorted(places, key=lambda key: (-support[key], key)):
        on = {line.page for line in places[key]}
        slots = Counter(line.slot for line in places[key])
        kept = [
            line
            for line in places[key]
            if (any(line.page + step in on for step in (-3, -2, -1, 1, 2, 3)) or (pages == 1 and key == ("#", 1)))
            and (line.page not in taken or slots[line.slot] >= many)
        ]
        taken.update(line.page for line in kept)
        yield from kept


_NEAR = 3
"""Pages between two numbers of a count at most, where pages without one lie between."""


def _next_to(counted: Sequence[NumberLine], lines: Sequence[NumberLine]) -> Iterator[NumberLine]:
    """Numbers one below or one above a counted one at the same place of a page near by: a print on longer pages was cut into shorter ones,
    so that some pages have none. From both ends inwards, so that a whole run of them is found."""
    known = {(line.style, line.slot, line.value): line.page for line in counted}
    taken = {line.page for line in counted}
    for step, ordered in ((1, lines), (-1, list(reversed(lines)))):
        for line in ordered:
            beside = known.get((line.style, line.slot, line.value - step))
            if line.page not in taken and beside is not None and 0 < (line.page - beside) * step <= _NEAR:
                known[line.style, line.slot, line.value] = line.page
                taken.add(line.page)
                yield line


def _rising(lines: Sequence[NumberLine], pages: int) -> Iterator[NumberLine]:
    """Numbers at one place of most pages' edges that rise by at least one a page: the pages of an excerpt, perhaps printed anew with lines
    of their own below."""
    edges: dict[tuple[str, int], list[NumberLine]] = defaultdict(list)
    for line in lines:
        edges[line.style, line.slot].append(line)
    for hits in edges.values():
        steps = list(pairwise(hits))
        if len(hits) >= max(4, 0.6 * pages) and all(two.value - one.value >= two.page - one.page > 0 for one, two in steps):
            yield from hits


# ---- pages that are not there ----------------------------------------------------------------------------------------------

_LONGEST_GAP = 500
"""Numbers between two pages up to which they are those of lost pages."""
_LAST_GAP = 3
"""The same before the last page, whose number no other one bears out."""


def missing_numbers(printed: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Numbers that the pages of a file jump over. `printed`: the numbers on each page, in order.

    Two neighbours must have numbers none of which go on, and the pages before and behind them must count with them."""
    numbers = [{int(one) for one in page if one.isdecimal() and len(one) < 5} for page in printed]
    missing: list[int] = []
    for at, (one, two) in enumerate(pairwise(numbers)):
        if not one or not two or any(number + 1 in two for number in one):
            continue
        last, following = max(one), min((number for number in two if number > max(one)), default=0)
        most = _LONGEST_GAP if at + 2 < len(numbers) and following + 1 in numbers[at + 2] else _LAST_GAP if at + 2 == len(numbers) else 0
        if 1 < following - last <= most + 1 and (at == 0 or last - 1 in numbers[at - 1]):
            missing += range(last + 1, following)
    return tuple(missing)


# ---- numbers that an earlier print left inside the pages ------------------------------------------------------------------

_FEWEST = 5
_OWN = 0.6
"""Share of the numbers at the edges that count with the pages themselves."""
_CLAUSE_BELOW = re.compile(r"^\W*(?:SECTION|Section|CLAUSE|Clause|§)?\s*(\d{1,3})\.\d{1,3}\b")
_OTHER_NUMBERING = re.compile(r"^\W*(?:(?:SECTION|Section|CLAUSE|Clause|ARTICLE|Article|§)\s*[\dIVX]+|\d{1,3}\.\d{1,3}\b|\d{1,3}\.\s)")
_LONGEST_PAGE = 4
"""Times the usual distance that two numbers of a count of pages are apart at most."""
_LINES_A_PAGE = 8
"""Lines between two numbers of a count of pages on average at least: the entries of a contents page follow one another closely."""
_SEEN_BELOW = 400
"""Lines after a number in which its clause's first divided number ("5.1" of 5) is looked for."""


def _reprinted(lines: Sequence[NumberLine], pages: Sequence[Sequence[str]]) -> Iterator[NumberLine]:
    """A count 1, 2, 3 ... of lines that hold only a number, beside a numbering of clauses that it is no part of."""
    run = _longest_count([line for line in lines if line.style == "#"])
    offsets = Counter(line.value - line.page for line in run if line.slot)
    if 2 * offsets.total() > len(run) and offsets.most_common(1)[0][1] > _OWN * offsets.total():
        return  # the pages' own numbers, at their edges
    gaps = [_lines_between(one, two, pages) for one, two in pairwise(run)]
    is_even = len(run) >= _FEWEST and median(gaps) >= _LINES_A_PAGE and max(gaps) <= _LONGEST_PAGE * median(gaps)
    if not is_even or not any(_OTHER_NUMBERING.match(text) for page in pages for text in page):
        return
    following = [*run[1:], None]
    clauses = sum(_opens_clause(line, stop, pages) for line, stop in zip(run, following, strict=True))
    if 3 * clauses < len(run):
        yield from run
        yield from _going_on(run[-1], lines)


def _going_on(last: NumberLine, lines: Sequence[NumberLine]) -> Iterator[NumberLine]:
    """The numbers one by one behind a count of pages: title pages and empty forms at the end of a document have next to no lines."""
    for line in lines:
        if line.style == "#" and line.value == last.value + 1 and (line.page, line.at) > (last.page, last.at):
            yield line
            last = line


def _lines_between(first: NumberLine, last: NumberLine, pages: Sequence[Sequence[str]]) -> int:
    return sum(len(page) for page in pages[first.page : last.page]) + last.at - first.at


def _longest_count(lines: Sequence[NumberLine]) -> list[NumberLine]:
    """The longest run of numbers each of which is one more than the one before it, one left out at most."""
    best: dict[int, list[NumberLine]] = {}
    for line in lines:
        before = max((best.get(line.value - step, []) for step in (1, 2)), key=len)
        # A page that was printed anew takes room: two numbers in neighbouring lines are cells of a table.
        is_apart = not before or (line.page, line.at) >= (before[-1].page, before[-1].at + _LINES_A_PAGE)
        if is_apart and len(before) + 1 > len(best.get(line.value, [])):
            best[line.value] = [*before, line]
    return max(best.values(), key=len, default=[])


def _opens_clause(line: NumberLine, stop: NumberLine | None, pages: Sequence[Sequence[str]]) -> bool:
    """The first divided number between this line and the next of its count is the line's own (5, then 5.1)."""
    seen = 0
    for page in range(line.page, (stop.page if stop else len(pages) - 1) + 1):
        first = line.at + 1 if page == line.page else 0
        last = stop.at if stop and page == stop.page else len(pages[page])
        for text in pages[page][first:last]:
            seen += 1
            if match := _CLAUSE_BELOW.match(text):
                return int(match[1]) == line.value
            if seen > _SEEN_BELOW:
                return False
    return False
