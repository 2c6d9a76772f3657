"""Numbers that count the pages: at their feet or heads, and inside them, where an earlier print has left its own.
A line at an edge that consists of a number is one when it counts with the pages near by, or when the numbers at this edge rise through the
file (an excerpt leaves pages out). A text that was printed anew has the numbers of its old pages anywhere on the new ones: counts of lines
that hold only a number, or a number and a running title. Such a count goes up by one, its numbers stand a page's length apart, and it is no
numbering of clauses. Each number tells of the text next to it only: nothing is counted on past the ends of a count."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import Literal

from deterministic.lexicon.records import record
from deterministic.lexicon.spelling import roman_value

Place = tuple[int, int]
"""(page, line), both from 0."""
EDGE = 8
"""Lines looked at from the top and from the bottom of a page: prints of a browser have five and more."""
CONTENTS = re.compile(r"^\W*(?:table\s+of\s+)?contents\W*$|^\W*index\W*$", re.I)

_PAGE_NUMBER = re.compile(
    r"""^[^\w§(]{0,4}
    (?:(?:pdf\s+)?(?:page|pg\.?|p\.|seite)\s*(?:no\.?\s*|[|/:–—-]\s*)?)?
    (?:(?P<prefix>[A-Z]{1,3}|(?:schedule|exhibit|annex|appendix)\s[\w.]{1,6})\s?[-–.]\s?)?
    (?P<number>\d{1,4}|[ivxlc]{1,8}|[IVXLC]{1,8})
    (?:\s*(?:of|/|von)\s*(?P<total>\d{1,4}))?
    (?:\s*[|/–—-]?\s*page)?[^\w.)]{0,4}$""",
    re.I | re.X,
)
"""Matches "14", "- 14 -", "Page 3 of 90", "3 | Page", "A-5", "Schedule 1-1", "iv"; not "14." (a clause)."""
_LONGEST = 24
_INDENTED = 120  # characters of a line with the white space that moves a number to the middle


@record
class NumberLine:
    page: int
    at: int
    style: str
    value: int
    printed: str
    slot: int
    """Lines from the edge of the page, from 1: positive from the top, negative from the bottom; 0 inside the page."""
    is_worded: bool = False
    """Written with "Page"."""


def number_of(text: str) -> tuple[str, int, str] | None:
    """(style, value, as printed) of a line that is a page number and nothing else. "3/44", a count of this very print, has a style of its
    own ("#/44"), so that it goes on with no other; so has "(3)", which mostly is a paragraph."""
    text = text.replace("\xa0", " ").strip()
    bare = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else ""
    match = _PAGE_NUMBER.match(bare or text) if len(text) <= _LONGEST else None
    if not match:
        return None
    shown, prefix, sign = match["number"], match["prefix"] or "", "(" * bool(bare)
    prefix = prefix.upper() if len(prefix) < 4 else prefix
    printed = f"{prefix}-{shown}" if prefix else shown
    if shown.isdecimal():
        return f"{sign}{prefix}#" + (f"/{match['total']}" if match["total"] else ""), int(shown), printed
    value = roman_value(shown.casefold())
    return None if value is None else (f"{sign}{prefix}{'i' if shown.islower() else 'I'}", value, printed)


def find_page_numbers(lines: Sequence[NumberLine], pages: int) -> dict[Place, str]:
    """The printed number of each line at an edge of its page that is a page number."""
    outer = [line for line in lines if line.slot]
    counted = [*_counting(outer, pages), *_rising(outer, pages)]
    # "Exhibit B-2" at the head of a page is its heading
    titled = [line for line in outer if line.slot == -1 and len(line.style) > 4 and line.style[0].isalpha()]
    # a lone "ii" at the foot of the second page
    lone = [line for line in outer if line.slot == -1 and line.style == "i" and line.value == line.page + 1]
    worded = [*titled, *lone, *(line for line in outer if abs(line.slot) == 1 and line.is_worded)]
    # one that goes on behind pages left out, or counts an exhibit's, where most numbers count; all of a print whose pages were cut in two
    places: dict[tuple[int, str], list[NumberLine]] = defaultdict(list)
    for line in outer:
        places[line.slot, line.style].append(line)
    usual = Counter((one.slot, one.style) for one in counted)
    placed = [one for place, hits in places.items() if usual[place] > 1 and _is_numbering(hits, usual[place]) for one in hits]
    return {(line.page, line.at): line.printed for line in (*worded, *counted, *placed)}


def _is_numbering(hits: Sequence[NumberLine], counted: int) -> bool:
    """Do the numbers at one place of their pages, so many of which count with the pages, number the pages?"""
    goes_on = all(two.value - one.value == 1 and two.page - one.page < 4 for one, two in pairwise(hits))
    return goes_on or 4 <= counted >= len(hits) / 2


def number_lines(pages: Sequence[Sequence[str]], slots: Sequence[dict[int, int]]) -> list[NumberLine]:
    """Every line that may be a page number. `slots`: for each page, the lines at its edges and how far from the edge."""
    lines: list[NumberLine] = []
    for number, page in enumerate(pages):
        own = [
            NumberLine(number, at, *found, slots[number].get(at, 0), "page" in text.casefold())
            for at, text in enumerate(page)
            if len(text) <= _INDENTED and 0 < len(text.strip()) <= _LONGEST and (found := number_of(text))
        ]
        is_contents = any(CONTENTS.match(line) for line in page[:EDGE])
        for n, one in enumerate(own):
            may_be_entry = is_contents or (one.slot and n + 1 < len(own))
            values = [line.value for line in own[max(0, n + 1 - _ENTRIES) : n + 1] if line.style == "#"]
            is_label = one.style[0] == "(" and abs(one.slot) != 1  # "(2)" inside a page
            if not is_label and not (may_be_entry and len(values) == _ENTRIES and values == sorted(values)):
                lines.append(one)
    return lines


_ENTRIES = 4
"""Numbers that end the rows of a contents page, and rise: another one on the page may be its own."""


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
            and (line.page not in taken or slots[line.slot] >= many or "/" in line.style)
        ]
        if "/" not in key[0]:  # a print's own "3/44" stands beside any other count
            taken.update(line.page for line in kept)
        yield from kept


def _rising(lines: Sequence[NumberLine], pages: int) -> Iterator[NumberLine]:
    """Numbers at one place of most pages' edges that rise by at least one a page in each style (ii, then 2, 5): the pages of an excerpt,
    perhaps printed anew with lines of their own below."""
    edges: dict[int, list[NumberLine]] = defaultdict(list)
    for line in lines:
        if "/" not in line.style:
            edges[line.slot].append(line)
    for found in edges.values():
        # one that the next pages fall below is the last entry of a contents page
        hits = [one for n, one in enumerate(found) if all(one.value < two.value for two in found[n + 1 : n + 3] if two.style == one.style)]
        steps = [(one, two) for one, two in pairwise(hits) if one.style == two.style]
        styles = sum(one.style != two.style for one, two in pairwise(hits)) + 1
        is_alike = len({line.style for line in hits}) == styles
        is_rising = is_alike and all(two.value - one.value >= two.page - one.page > 0 for one, two in steps)
        if len(hits) >= max(4, 0.6 * pages) and is_rising:
            yield from hits


_LONGEST_GAP = 500  # numbers between two pages up to which they are those of lost pages
_LAST_GAP = 3  # the same before the last page, whose number no other one bears out


def missing_numbers(printed: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Numbers that the pages of a file jump over. `printed`: the numbers on each page, in order. Two neighbours must have numbers none of
    which go on, and the pages before and behind them must count with them."""
    numbers = [{int(one) for one in page if one.isdecimal() and len(one) < 5} for page in printed]
    missing: list[int] = []
    for at, (one, two) in enumerate(pairwise(numbers)):
        if not one or not two or any(number + 1 in two for number in one):
            continue
        last, following = max(one), min((number for number in two if number > max(one)), default=0)
        most = _LONGEST_GAP if at + 2 < len(numbers) and following + 1 in numbers[at + 2] else _LAST_GAP if at + 2 == len(numbers) else 0
        if 1 < following - last <= most + 1 and (not any(numbers[:at]) or last - 1 in numbers[at - 1]):
            missing += range(last + 1, following)
    return tuple(missing)


_FEWEST, _FEWEST_BETWEEN = 5, 3  # numbers of a count at least; fewer where "page" stands with them
_LINES_A_PAGE, _SHEETS_A_PAGE = 8, 3.0  # lines between two numbers of a count at least, and sheets of the new print at most
_USUAL_LINES = 16  # the same of most pages: rows of a table and entries of a contents page stand closer
_COUNTS = 6  # counts that are looked for
_OWN = 0.6  # share of the numbers at the edges that count with the pages themselves
_CLAUSE_BELOW = re.compile(r"^\W*(?:SECTION|Section|CLAUSE|Clause|§)?\s*(\d{1,3})\.\d{1,3}\b")
_OTHER_NUMBERING = re.compile(r"^\W*(?:(?:SECTION|Section|CLAUSE|Clause|ARTICLE|Article|§)\s*[\dIVX]+|\d{1,3}\.\d{1,3}\b|\d{1,3}\.\s)")
_SEEN_BELOW = 400  # lines after a number in which its clause's first divided number ("5.1" of 5) is looked for


@dataclass(frozen=True, slots=True)
class Count:
    """A count of an earlier print's pages."""

    side: Literal["foot", "head", ""]
    """Where on its page each number stood; "" where nothing tells, for which "foot" is the likelier."""
    lines: tuple[NumberLine, ...]


def find_counts(lines: Sequence[NumberLine], pages: Sequence[Sequence[str]], slots: Sequence[dict[int, int]]) -> list[Count]:
    """The counts of earlier prints among the lines that are numbers, the longest first. `slots`: as for `number_lines`."""
    look = _Look(pages)
    outermost = Counter((line.slot, line.value - line.page) for line in lines if abs(line.slot) == 1 and line.style == "#")
    own_of_sheets = {key for key, count in outermost.items() if count >= max(_FEWEST_BETWEEN, _OWN * len(pages))}
    rest = [
        line
        for line in lines
        if (line.is_worded and line.style in ("i", "I")) or (line.style == "#" and (line.slot, line.value - line.page) not in own_of_sheets)
    ]
    found: list[list[NumberLine]] = []
    for style in {line.style: None for line in rest}:
        own = sorted((line for line in rest if line.style == style), key=look.at)
        for _ in range(_COUNTS):
            run = look.longest_run(own)
            if len(run) < _FEWEST_BETWEEN:
                break
            taken = set(map(id, run))
            own = [line for line in own if id(line) not in taken]
            if look.is_count_of_pages(run):
                found.append(run)
    for roman in [run for run in found if run[0].style in ("i", "I")]:  # i to iii, then 1: the pages of one print
        after = [run for run in found if run[0].value == 1 and look.at(run[0]) > look.at(roman[-1])]
        found = [[*roman, *after[0]] if run is roman else run for run in found if run not in after[:1]]
    return [Count(look.side(run, found), tuple(run)) for run in found]


class _Look:
    """The lines of all pages, looked at around numbers."""

    def __init__(self, pages: Sequence[Sequence[str]]) -> None:
        self._lines = [text for page in pages for text in page]
        self._starts = [0, *accumulate(map(len, pages))]
        lengths = [len(page) for page in pages if page]
        self._sheet = max(median(lengths), 30) if lengths else 30

    def at(self, line: NumberLine) -> int:
        return self._starts[line.page] + line.at

    def longest_run(self, lines: Sequence[NumberLine]) -> list[NumberLine]:
        """The longest run of numbers each of which is one more than the one before it, one left out at most, and a page's length apart."""
        best = [1] * len(lines)
        link = [-1] * len(lines)
        by_value: dict[int, list[int]] = defaultdict(list)
        for n, line in enumerate(lines):
            for step in (1, 2):
                for before in reversed(by_value[line.value - step][-60:]):
                    if (apart := self.at(line) - self.at(lines[before])) > step * _SHEETS_A_PAGE * self._sheet:
                        break
                    if apart >= _LINES_A_PAGE and best[before] + 1 > best[n]:
                        best[n], link[n] = best[before] + 1, before
            by_value[line.value].append(n)
        at = max(range(len(lines)), key=best.__getitem__, default=-1)
        run = []
        while at >= 0:
            run.append(lines[at])
            at = link[at]
        return run[::-1]

    def is_count_of_pages(self, run: Sequence[NumberLine]) -> bool:
        """It is not the pages' own at their edges, and no numbering of clauses."""
        if len(run) < _FEWEST_BETWEEN:
            return False
        if sum(abs(line.slot) == 1 for line in run) > _OWN * len(run):
            return False  # outermost on most of their pages, of which some are blank or cut in two
        offsets = [line.value - line.page for line in run if line.slot]
        if 2 * len(offsets) > len(run) and max(map(offsets.count, offsets)) > _OWN * len(offsets):
            return False
        if all(line.is_worded for line in run):
            return True
        if median(self.at(two) - self.at(one) for one, two in pairwise(run)) < _USUAL_LINES:
            return False
        clauses = sum(self._opens_clause(line, stop) for line, stop in zip(run, [*run[1:], None], strict=True))
        return len(run) >= _FEWEST and 3 * clauses < len(run) and any(map(_OTHER_NUMBERING.match, self._lines))

    def _opens_clause(self, line: NumberLine, stop: NumberLine | None) -> bool:
        """The first divided number between this line and the next of its count is the line's own (5, then 5.1)."""
        start = self.at(line) + 1
        for text in self._lines[start : min(start + _SEEN_BELOW, self.at(stop) if stop else len(self._lines))]:
            if match := _CLAUSE_BELOW.match(text):
                return int(match[1]) == line.value
        return False

    def side(self, run: Sequence[NumberLine], counts: Sequence[Sequence[NumberLine]]) -> Literal["foot", "head", ""]:
        """Which end of its page a number stood at. A head: the first one opens the text, or the number of another count (a foot) stands
        directly before it. A foot: another one's (a head) directly behind it, the first page before its number, or nothing behind the
        last."""
        first, last = self.at(run[0]), self.at(run[-1])
        if not any(text.strip() for text in self._lines[:first]):
            return "head"
        others = {self.at(line) for other in counts if other is not run for line in other}
        own = [self.at(line) for line in run]
        if 2 * sum(any(at - n in others for n in (1, 2, 3)) for at in own) > len(own):
            return "head"
        if 2 * sum(any(at + n in others for n in (1, 2, 3)) for at in own) > len(own):
            return "foot"
        usual = median([two - one for one, two in pairwise(own)])
        if run[0].value == 1 and first >= usual / 2:
            return "foot"
        return "" if any(text.strip() for text in self._lines[last + 1 :]) else "foot"


Reach = tuple[int, int, str, bool]
"""(start, end, number, is_sure): the text from start to end is of the page of this number in an earlier print."""


def reaches(count: Count, places: Sequence[int], page_starts: Sequence[int]) -> Iterator[Reach]:
    """The texts of the pages of a count. places: where its numbers stand in the text of the document; page_starts: where that one's pages
    start, and its end."""
    usual = round(median([two - one for one, two in pairwise(places)])) if len(places) > 1 else 0
    sheets = [bisect_right(page_starts, place, hi=len(page_starts) - 1) - 1 for place in places]
    before = max(page_starts[sheets[0]], places[0] - 2 * usual)
    behind = min(page_starts[sheets[-1] + 1], places[-1] + 2 * usual)
    bounds = [before, *places, behind]
    for n, line in enumerate(count.lines):
        foot, head = (bounds[n], bounds[n + 1]), (bounds[n + 1], bounds[n + 2])
        own, other = (head, foot) if count.side == "head" else (foot, head)
        yield (*own, line.printed, True)
        if not count.side:
            yield (*other, line.printed, False)
        if n and line.value == count.lines[n - 1].value + 2:
            yield (bounds[n], bounds[n + 1], str(line.value - 1), False)
    if count.side != "head" and places[0] - usual < before:
        yield (max(0, places[0] - usual), before, count.lines[0].printed, False)
