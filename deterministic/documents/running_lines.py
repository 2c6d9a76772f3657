"""Headers, footers, page numbers and stamps: lines at the edge of a page that recur, stripped so that sentences join across pages.
A line is running when it stands at the edge (only running lines further out) and recurs on other pages with the same words, at the same
height where heights are known; digits in it must be the same everywhere or count with the pages. Labels of paragraphs, numbers of clauses,
headings, signature lines and the title of the contents page recur too; they are text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import accumulate, pairwise

from deterministic.documents.page_numbers import CONTENTS, EDGE, Count, Place, Reach, find_counts, find_page_numbers, number_lines, reaches

HEIGHT_TOLERANCE = 3.0
"""Points by which the height of a running line may differ between pages."""

_DIGITS = re.compile(r"\d+")
_LABEL = re.compile(
    r"""^\W*(?:\(?\w{1,5}[.)]+(?:\s*\(\w{1,4}\))*|§*\s*\d{1,3}[A-Za-z]?(?:\.\d{1,3})+\.?|§+\s*(?:\d{1,3}[A-Za-z]?)?|[•▪◦*o–—-])\s*$"""
)
"""A paragraph's label, a clause's number or the mark of a list alone on its line: "(a)", "(iv)", "12.", "5.1", "•"; not "14" nor "(14"."""
_HEADING = re.compile(r"^\W*(?:schedule|exhibit|annex\w*|appendix|attachment|part|article|section|clause|chapter)\s+[\divxlc]", re.I)
_SIGNATURE = re.compile(
    r"^\W*(?:by|name|title|its|date|address|attention|attn|fax|e-?mail|telephone|witness|as\s+.{2,40}|/s/.*|_+)\W*(?::.*)?$", re.I
)
_TEXT = (_LABEL, _SIGNATURE, CONTENTS)
_PAGE_WORD = re.compile(r"\b[Pp]age\s+([A-Z]-?\d{1,4}|[ivxlc]{1,7})\b")


@dataclass(slots=True)
class _Line:
    page: int
    at: int
    text: str
    height: float | None
    slot: int
    """How far from the edge, from 1: positive at the top, negative at the bottom."""
    printed: str = ""
    """The number in it that counts with the pages."""

    @property
    def masked(self) -> str:
        return _DIGITS.sub("#", " ".join(self.text.split()))


def starts_of(bodies: Iterable[Sized]) -> list[int]:
    """Where texts start that are joined by line breaks, and where another one would."""
    return [0, *accumulate(len(body) + 1 for body in bodies)]


@dataclass(frozen=True, slots=True)
class RunningLines:
    """What the lines of the pages are. `dropped`: those that are left out of each page's body; `printed`: each page's numbers at its edges;
    `counts`: numbers that earlier prints left inside the pages."""

    dropped: list[set[int]]
    printed: list[tuple[str, ...]]
    counts: list[Count]

    def bodies(self, texts: Sequence[str]) -> list[str]:
        """The texts of the pages without the lines that are left out."""
        kept = ((line for at, line in enumerate(text.split("\n")) if at not in out) for text, out in zip(texts, self.dropped, strict=True))
        return ["\n".join(lines).strip("\n") for lines in kept]

    def earlier_pages(self, texts: Sequence[str]) -> list[Reach]:
        """What the text of the bodies, joined by line breaks, was in earlier prints."""
        page_starts = starts_of(self.bodies(texts)) if self.counts else []
        before: dict[int, list[int]] = {}
        for page in {line.page for count in self.counts for line in count.lines}:
            kept = (0 if at in self.dropped[page] else len(line) + 1 for at, line in enumerate(texts[page].split("\n")))
            before[page] = [0, *accumulate(kept)]
        found: list[Reach] = []
        for count in self.counts:
            places = [min(page_starts[n.page] + before[n.page][n.at], page_starts[n.page + 1]) for n in count.lines]
            found += reaches(count, places, page_starts)
        return sorted(found)


def find_running_lines(texts: Sequence[str], heights: Sequence[Sequence[float]] = ()) -> RunningLines:
    """Lines to leave out and page numbers of each page text. `heights` gives the vertical position of each line of each page (lines are
    split at line breaks); without it the order in the text decides what stands at the top and at the bottom."""
    lines = [text.split("\n") for text in texts]
    usable = [heights[n] if n < len(heights) and len(heights[n]) == len(page) else None for n, page in enumerate(lines)]
    edges = [list(_edges(n, page, usable[n])) for n, page in enumerate(lines)]
    slots = [{line.at: line.slot for line in edge} for edge in edges]
    numbered = number_lines(lines, slots)
    counts = find_counts(numbered, lines, slots)
    inside = {(line.page, line.at) for count in counts for line in count.lines}
    outer = find_page_numbers([line for line in numbered if (line.page, line.at) not in inside], len(lines))
    numbers = {**outer, **dict.fromkeys(inside, "")}
    first: dict[str, int] = {}  # what stands in a copy of a page too is no line that runs over the pages
    copy_of = [first.setdefault(f"{len(page)} {_middle(page)}", n) for n, page in enumerate(lines)]
    running = _recurring(edges, numbers, copy_of)
    dropped, printed = [], []
    for n, page in enumerate(lines):
        out, shown = _dropped(edges[n], running, numbers)
        out |= {at for at in range(len(page)) if (n, at) in inside} | _line_numbers(page)
        if all(at in out for at, line in enumerate(page) if line.strip()):
            # A page of running lines only is a page of text that happens to recur.
            out = {at for at in out if (n, at) in numbers}
        dropped.append(out)
        printed.append(tuple(dict.fromkeys(shown)))
    return RunningLines(dropped, printed, counts)


def _middle(page: Sequence[str]) -> str:
    """What tells a page from another one, whatever numbers are printed on it."""
    middle = len(page) // 2
    return _DIGITS.sub("#", "\n".join(page[max(0, middle - 3) : middle + 3]))


def _edges(number: int, page: Sequence[str], heights: Sequence[float] | None) -> Iterator[_Line]:
    """The outermost lines with text, from the outside in: first those of the top, then those of the bottom."""
    full = [at for at, line in enumerate(page) if line.strip()]
    if heights:
        full.sort(key=list(map(round, heights)).__getitem__)
    top = full[: min(EDGE, (len(full) + 1) // 2)]
    bottom = full[max(len(top), len(full) - EDGE) :]
    for side, sign in ((top, 1), (bottom[::-1], -1)):
        for slot, at in enumerate(side, 1):
            yield _Line(number, at, page[at], heights[at] if heights is not None else None, slot * sign)


_FEWEST = 5
_UNFINISHED = re.compile(r"[\w,’')”-]\s*$")
_BARE_NUMBER = re.compile(r"\s*\d{1,4}\s*$")


def _line_numbers(page: Sequence[str]) -> set[int]:
    """Lines of a numbered draft that hold only the number of the line beside them, or the numbers of all lines in one block. Numbered items
    look alike; but a numbered line goes on in the middle of a sentence."""
    full = [at for at, line in enumerate(page) if line.strip()]
    bare = {n: int(page[at].strip()) for n, at in enumerate(full) if _BARE_NUMBER.match(page[at])}
    found: set[int] = set()
    for step in (2, 1) if len(bare) >= _FEWEST else ():
        heads = [n for n, value in bare.items() if bare.get(n - step) != value - 1]
        for head in heads:
            run = [head]
            while bare.get(run[-1] + step) == bare[run[-1]] + 1:
                run.append(run[-1] + step)
            beside = pairwise(page[full[n + 1]] for n in run if n + 1 < len(full))
            is_broken = any(_UNFINISHED.search(one) and two.lstrip()[:1].islower() for one, two in beside)
            if len(run) >= (_FEWEST + 3 if step == 1 else _FEWEST) and (step == 1 or is_broken):
                found.update(full[k] for k in run)
    return found


def _recurring(edges: Sequence[Sequence[_Line]], numbers: dict[Place, str], copy_of: Sequence[int]) -> set[Place]:
    """(page, line) of the lines that recur; a number in them that counts with the pages is noted in the line."""
    pages = len(set(copy_of))
    groups: dict[tuple[str, bool], list[_Line]] = defaultdict(list)
    for page in edges:
        for line in page:
            if (line.page, line.at) not in numbers:
                groups[line.masked, line.slot > 0].append(line)
    has_heights = any(line.height is not None for page in edges for line in page)
    same_height = 2 if pages <= 4 else 3
    anywhere = same_height if pages <= 4 and not has_heights else max(3, round(pages * 0.15))
    found: set[Place] = set()
    for (masked, _), alike in groups.items():
        group = [line for line in alike if not any(form.match(line.text) for form in _TEXT)] if len(alike) > 1 else []
        if len(group) < 2 or not masked.strip("#. ()-–—"):
            continue
        if (members := _counting(group, pages)) and _HEADING.match(members[0].text):
            members = members[1:] if len({line.text for line in members}) == 1 else []
        for level in _levels(members):
            if len({copy_of[line.page] for line in level}) >= same_height:
                found.update((line.page, line.at) for line in level)
        if len({copy_of[line.page] for line in members}) >= anywhere:
            found.update((line.page, line.at) for line in members)
    return found


_FEWEST_STAMPS = 3


def _counting(group: list[_Line], pages: int) -> list[_Line]:
    """The lines whose digits are those of most lines, or count with the pages; all of most pages' stamps, which rise though pages are
    left out."""
    digits = [tuple(map(int, (d[-9:] for d in _DIGITS.findall(line.text)))) for line in group]
    keep = [True] * len(group)
    for place in range(len(digits[0])):
        constant = Counter(d[place] for d in digits).most_common(1)[0]
        counted = Counter(d[place] - line.page for d, line in zip(digits, group, strict=True)).most_common(1)[0]
        for n, line in enumerate(group):
            fits = digits[n][place] == constant[0] if constant[1] >= counted[1] else digits[n][place] - line.page == counted[0]
            keep[n] = keep[n] and fits
            if counted[1] > max(1, constant[1]) and fits:
                line.printed = str(digits[n][place])
    steps = [two.page - one.page if before < after else 0 for (one, before), (two, after) in pairwise(zip(group, digits, strict=True))]
    if len(group) > max(_FEWEST_STAMPS, pages / 2) and all(step > 0 for step in steps):
        place = next(place for place, (one, two) in enumerate(zip(*digits[:2], strict=True)) if one != two)
        for line, numbers in zip(group, digits, strict=True):
            line.printed = str(numbers[place])
        return group
    for line in group:
        if not line.printed and (match := _PAGE_WORD.search(line.text)):
            line.printed = match[1]
    return [line for line, kept in zip(group, keep, strict=True) if kept]


def _levels(group: Sequence[_Line]) -> list[list[_Line]]:
    """Lines at the same height; none without heights."""
    ordered = sorted((line.height, line.page, n) for n, line in enumerate(group) if line.height is not None)
    breaks = [n for n, (one, two) in enumerate(pairwise(ordered), 1) if two[0] - one[0] > HEIGHT_TOLERANCE]
    return [[group[n] for _, _, n in ordered[a:b]] for a, b in pairwise([0, *breaks, len(ordered)])]


def _dropped(edge: Sequence[_Line], running: set[Place], numbers: dict[Place, str]) -> tuple[set[int], list[str]]:
    """Lines of a page to leave out, and its printed numbers."""
    dropped: set[int] = set()
    printed: list[str] = []
    for is_top in (False, True):
        height: float | None = None
        for line in (line for line in edge if (line.slot > 0) is is_top):
            if (place := (line.page, line.at)) in numbers or place in running:
                dropped.add(line.at)
                height = line.height
                printed += filter(None, [numbers.get(place) or line.printed])
            elif height is None or line.height is None or abs(line.height - height) > HEIGHT_TOLERANCE:
                break
    return dropped, printed
