"""Headers, footers, page numbers and stamps: lines at the edge of a page that recur, stripped so that sentences join across pages.

A line is running when it stands at the edge (only running lines further out) and recurs on other pages with the same words, at the
same height where heights are known; digits in it must be the same everywhere or count with the pages. A line that consists
of a number is a page number when the pages near by carry the numbers before and after it. Headings, signature lines and clause
numbers recur too; they are never stripped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deterministic.clauses.references import roman_value

EDGE = 4
"""Lines looked at from the top and from the bottom of a page."""
HEIGHT_TOLERANCE = 3.0
"""Points by which the height of a running line may differ between pages."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"^\W{0,4}(?:(?:page|pg\.?|p\.|seite)\s*)?(?:(?P<prefix>[A-Z]{1,3})\s?[-–.]\s?)?(?P<number>\d{1,4}|[ivxlc]{1,8}|[IVXLC]{1,8})(?:\s*(?:of|/|von)\s*\d{1,4})?[^\w.)]{0,4}$",
    re.I,
)
_LAST_NUMBER = re.compile(r"(?<![\d.,/-])(\d{1,4})\W*$")
_HEADING = re.compile(
    r"^\W*(?:schedule|exhibit|annex\w*|appendix|attachment|part|article|section|clause|chapter)\s+[\divxlc]|^\W*\(?\w{1,4}[.)]\)?\s*$|^\d+(?:\.\d+)+\.?\s*$",
    re.I,
)
_SIGNATURE = re.compile(
    r"^\W*(?:by|name|title|its|date|address|attention|attn|fax|e-?mail|telephone|witness|as\s+.{2,40}|/s/.*|_+)\W*(?::.*)?$", re.I
)


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    at: int
    text: str
    height: float | None
    is_top: bool

    @property
    def masked(self) -> str:
        return _DIGITS.sub("#", " ".join(self.text.split()))


def strip_running_lines(texts: Sequence[str], heights: Sequence[Sequence[float]] = ()) -> tuple[list[str], list[str]]:
    """Bodies and printed page numbers ("" when none), one for each page text.

    `heights` gives the vertical position of each line of each page (lines are split at line breaks); without it the order in the text
    decides what stands at the top and at the bottom.
    """
    lines = [text.split("\n") for text in texts]
    usable = [heights[n] if n < len(heights) and len(heights[n]) == len(page) else None for n, page in enumerate(lines)]
    edges = [list(_edges(n, page, usable[n])) for n, page in enumerate(lines)]
    numbers = _page_numbers(edges)
    running = _recurring(edges, len(lines))
    numbers |= {place: number for place, number in _numbers_within(edges, running).items() if place not in numbers}
    bodies, printed = [], []
    for n, page in enumerate(lines):
        dropped, number = _dropped(edges[n], running, numbers)
        dropped |= _line_numbers(page)
        if all(at in dropped for at, line in enumerate(page) if line.strip()):
            # A page of running lines only is a page of text that happens to recur.
            dropped = {at for at in dropped if (n, at) in numbers}
        bodies.append("\n".join(line for at, line in enumerate(page) if at not in dropped) if dropped else texts[n])
        printed.append(number)
    return [body.strip("\n") for body in bodies], printed


def _edges(number: int, page: Sequence[str], heights: Sequence[float] | None) -> Iterator[_Line]:
    """The outermost lines with text, from the outside in: first those of the top, then those of the bottom."""
    full = [at for at, line in enumerate(page) if line.strip()]
    if heights is not None:
        full.sort(key=lambda at: (round(heights[at]), at))
    top = full[: min(EDGE, (len(full) + 1) // 2)]
    bottom = full[max(len(top), len(full) - EDGE) :]
    for at in top:
        yield _Line(number, at, page[at], heights[at] if heights is not None else None, True)
    for at in reversed(bottom):
        yield _Line(number, at, page[at], heights[at] if heights is not None else None, False)


# ---- page numbers ---------------------------------------------------------------------------------------------------


def _number_of(text: str) -> tuple[str, int, str] | None:
    """(style, value, as printed) of a line that is a page number and nothing else."""
    match = _PAGE_NUMBER.match(text.replace("\xa0", " ").strip())
    if not match:
        return None
    shown = match["number"]
    prefix = (match["prefix"] or "").upper()
    printed = f"{prefix}-{shown}" if prefix else shown
    if shown.isdecimal():
        return f"{prefix}#", int(shown), printed
    value = roman_value(shown.casefold())
    return None if value is None else (f"{prefix}{'i' if shown.islower() else 'I'}", value, printed)


def _page_numbers(edges: Sequence[Sequence[_Line]]) -> dict[tuple[int, int], str]:
    """(page, line) -> printed number, for number lines that count with the pages."""
    places: dict[tuple[str, int], list[tuple[int, _Line, str]]] = defaultdict(list)
    for page in edges:
        for line in page:
            if found := _number_of(line.text):
                style, value, printed = found
                places[style, value - line.page].append((line.page, line, printed))
    supported = {key: len({page for page, _, _ in hits}) for key, hits in places.items()}
    found_numbers: dict[tuple[int, int], str] = {}
    best: dict[int, int] = {}
    for key, hits in sorted(places.items(), key=lambda item: (-supported[item[0]], item[0])):
        pages = {number for number, _, _ in hits}
        for number, line, printed in hits:
            near = any(number + step in pages for step in (-3, -2, -1, 1, 2, 3))
            if (near or (len(edges) == 1 and key == ("#", 1))) and best.get(number, supported[key]) == supported[key]:
                best[number] = supported[key]
                found_numbers[number, line.at] = printed
    return found_numbers


# ---- numbers of lines -----------------------------------------------------------------------------------------------

_FEWEST = 5
_BARE_NUMBER = re.compile(r"\s*\d{1,4}\s*$")
_UNFINISHED = re.compile(r"[\w,’')”-]\s*$")


def _line_numbers(page: Sequence[str]) -> set[int]:
    """Lines of a numbered draft that hold only the number of the line beside them, or the numbers of all lines in one block.

    Numbered items look alike; but a numbered line goes on in the middle of a sentence.
    """
    full = [at for at, line in enumerate(page) if line.strip()]
    found: set[int] = set()
    for step in (2, 1):
        run: list[int] = []
        for n in [n for n, at in enumerate(full) if _BARE_NUMBER.match(page[at])] + [len(full) + 9]:
            follows = run and n < len(full) and n - run[-1] == step and int(page[full[n]]) == int(page[full[run[-1]]]) + 1
            if run and not follows:
                if len(run) >= _FEWEST + (3 if step == 1 else 0) and (step == 1 or _has_broken_sentence(page, full, run)):
                    found.update(full[k] for k in run)
                run = []
            run.append(n)
    return found


def _has_broken_sentence(page: Sequence[str], full: Sequence[int], run: Sequence[int]) -> bool:
    texts = [page[full[n + 1]] for n in run if n + 1 < len(full)]
    return any(_UNFINISHED.search(one) and two.lstrip()[:1].islower() for one, two in pairwise(texts))


# ---- recurring lines ------------------------------------------------------------------------------------------------


def _recurring(edges: Sequence[Sequence[_Line]], pages: int) -> set[tuple[int, int]]:
    """(page, line) of the lines that recur."""
    groups: dict[tuple[str, bool], list[_Line]] = defaultdict(list)
    for page in edges:
        for line in page:
            masked = line.masked
            if masked.strip("#. ()-–—") and not _SIGNATURE.match(line.text):
                groups[masked, line.is_top].append(line)
    has_heights = any(line.height is not None for page in edges for line in page)
    same_height = 2 if pages <= 4 else 3
    anywhere = same_height if pages <= 4 and not has_heights else max(3, round(pages * 0.15))
    found: set[tuple[int, int]] = set()
    for group in groups.values():
        members = _counting(group)
        if _HEADING.match(members[0].text) if members else False:
            members = members[1:] if len({line.text for line in members}) == 1 else []
        for level in _levels(members):
            if len({line.page for line in level}) >= same_height:
                found.update((line.page, line.at) for line in level)
        if len({line.page for line in members}) >= anywhere:
            found.update((line.page, line.at) for line in members)
    return found


def _counting(group: Sequence[_Line]) -> list[_Line]:
    """The lines whose digits are those of most lines, or count with the pages."""
    digits = [tuple(map(int, (d[-9:] for d in _DIGITS.findall(line.text)))) for line in group]
    if not digits[0]:
        return list(group)
    keep = [True] * len(group)
    for place in range(len(digits[0])):
        constant = Counter(d[place] for d in digits).most_common(1)[0]
        counted = Counter(d[place] - line.page for d, line in zip(digits, group, strict=True)).most_common(1)[0]
        for n, line in enumerate(group):
            fits = digits[n][place] == constant[0] if constant[1] >= counted[1] else digits[n][place] - line.page == counted[0]
            keep[n] = keep[n] and fits
    return [line for line, kept in zip(group, keep, strict=True) if kept]


def _levels(group: Iterable[_Line]) -> Iterator[list[_Line]]:
    """Lines at the same height; none without heights."""
    ordered = sorted((line for line in group if line.height is not None), key=lambda line: (line.height or 0.0, line.page))
    level: list[_Line] = []
    for line in ordered:
        if level and (line.height or 0.0) - (level[-1].height or 0.0) > HEIGHT_TOLERANCE:
            yield level
            level = []
        level.append(line)
    if level:
        yield level


def _dropped(edge: Sequence[_Line], running: set[tuple[int, int]], numbers: dict[tuple[int, int], str]) -> tuple[set[int], str]:
    """Lines of a page to leave out, and its printed number."""
    dropped: set[int] = set()
    printed = ""
    for is_top in (False, True):
        height: float | None = None
        for line in (line for line in edge if line.is_top is is_top):
            place = (line.page, line.at)
            if place in numbers or place in running:
                dropped.add(line.at)
                height = line.height
                printed = printed or numbers.get(place) or _number_in(line.text)
            elif height is None or line.height is None or abs(line.height - height) > HEIGHT_TOLERANCE:
                break
    return dropped, printed


def _numbers_within(edges: Sequence[Sequence[_Line]], running: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """(page, line) -> the figure at the end of a running line ("Facility Agreement 14") that counts with the pages."""
    ends: dict[tuple[str, int], list[tuple[tuple[int, int], str]]] = defaultdict(list)
    for page in edges:
        for line in page:
            if (line.page, line.at) in running and (match := _LAST_NUMBER.search(line.text)):
                ends[line.masked, int(match[1]) - line.page].append(((line.page, line.at), match[1]))
    return {place: number for hits in ends.values() if len({place[0] for place, _ in hits}) > 1 for place, number in hits}


def _number_in(text: str) -> str:
    """The page number in a running line with other words ("Page 3 of 90", "- 3 -", "Facility Agreement | 3")."""
    text = text.replace("\xa0", " ").strip()
    if match := re.search(r"\b[Pp]age\s+([A-Z]-?\d{1,4}|\d{1,4}|[ivxlc]{1,7})\b", text):
        return match[1]
    return ""
