"""Numbers that count the pages at their feet or heads. A line that consists of a number is one when it counts with the pages near by, or
when the numbers at this edge rise through the file (an excerpt leaves pages out). Counts inside the pages: `reprints`."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deterministic.clauses.numerals import roman_value

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
"""Matches "14", "- 14 -", "Page 3 of 90", "3 | Page", "A-5", "Schedule 1-1", "iv"; not "14." (a clause) nor "(14)" (a paragraph)."""
_LONGEST = 24
_INDENTED = 120  # characters of a line with the white space that moves a number to the middle


@dataclass(frozen=True, slots=True)
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
    own ("#/44"), so that it goes on with no other."""
    text = text.replace("\xa0", " ").strip()
    match = _PAGE_NUMBER.match(text) if len(text) <= _LONGEST else None
    if not match:
        return None
    shown, prefix = match["number"], match["prefix"] or ""
    prefix = prefix.upper() if len(prefix) < 4 else prefix
    printed = f"{prefix}-{shown}" if prefix else shown
    if shown.isdecimal():
        return f"{prefix}#" + (f"/{match['total']}" if match["total"] else ""), int(shown), printed
    value = roman_value(shown.casefold())
    return None if value is None else (f"{prefix}{'i' if shown.islower() else 'I'}", value, printed)


def find_page_numbers(lines: Sequence[NumberLine], pages: int) -> dict[Place, str]:
    """The printed number of each line at an edge of its page that is a page number."""
    outer = [line for line in lines if line.slot]
    counted = [*_counting(outer, pages), *_rising(outer, pages)]
    # "Exhibit B-2" at the head of a page is its heading
    titled = [line for line in outer if line.slot == -1 and len(line.style) > 4 and line.style[0].isalpha()]
    worded = [*titled, *(line for line in outer if abs(line.slot) == 1 and line.is_worded)]
    return {(line.page, line.at): line.printed for line in (*worded, *counted, *_next_to(counted, outer))}


_BESIDE = re.compile(
    r"^\s*(?:[-–—]\s?(\d{1,4})\s?[-–—]|Page\s(\d{1,4}))(?=\s)|(?<=\s)(?:[-–—]\s?(\d{1,4})\s?[-–—]|Page\s(\d{1,4}))\s*$", re.I
)


def numbers_beside(pages: Sequence[Sequence[str]]) -> dict[int, str]:
    """Page numbers that open the first or close the last line of a page ("-3- CREDIT AGREEMENT ..."), where they count with the pages."""
    shown = {}
    for n, page in enumerate(pages):
        full = [line for line in page if line.strip()]
        if match := next((m for line in (*full[:1], *full[-1:]) if (m := _BESIDE.search(line))), None):
            shown[n] = next(filter(None, match.groups()))
    return {n: one for n, one in shown.items() if any(shown.get(n + step) == str(int(one) + step) for step in (-3, -2, -1, 1, 2, 3))}


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
            if not (may_be_entry and _closes_entries(own[max(0, n + 1 - _ENTRIES) : n + 1])):
                lines.append(one)
    return lines


_ENTRIES = 4


def _closes_entries(lines: Sequence[NumberLine]) -> bool:
    """The last of so many numbers that end the rows of a contents page, and rise: another one on the page may be its own."""
    values = [line.value for line in lines if line.style == "#"]
    return len(values) == _ENTRIES and values == sorted(values)


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


_NEAR = 3  # pages between two numbers of a count at most, where pages without one lie between


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
        is_rising = len({line.style for line in hits}) == styles and all(
            two.value - one.value >= two.page - one.page > 0 for one, two in steps
        )
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
