"""Where the numbering around a text does not tell which provision it belongs to: an extract that goes on in the midst of one whose heading
it lacks, and what stands flush behind the last item of a list."""

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from deterministic.clauses.clause import Clause
from deterministic.clauses.headings import Heading, leaves_out
from deterministic.clauses.paragraphs import Marker, between, readings
from deterministic.clauses.segments import Segment, is_item

_LINE = re.compile(r"^[ \t\xa0]*(?=\S)", re.M)


def with_inner_counts_unplaced(chain: Sequence[Heading], text: str) -> list[Heading]:
    """The headings, where a list 1, 2 that a colon opens and after which the clauses go on at their own count is one "unplaced" heading:
    where such a list ends, and so what is an item of it, the numbers do not tell."""
    runs = list(accumulate(not is_item(heading) for heading in chain))
    latest = {(run, heading.key): n for n, (run, heading) in enumerate(zip(runs, chain, strict=True)) if is_item(heading)}
    kept, last, is_inner = list[Heading](), None, False
    for n, heading in enumerate(chain):
        following = (last.key[0] + 1,) if last and is_item(last) else ()
        if is_inner and is_item(heading) and heading.key != following:
            continue
        is_inner = False
        if last and following and is_item(heading) and heading.key == (1,) and text[last.end : heading.start].rstrip()[-1:] == ":":
            is_inner = latest.get((runs[n], following), -1) > n
        kept.append(_unplaced(heading.start) if is_inner else heading)
        last = heading if heading.key and not is_inner else last
    return kept


def _unplaced(at: int) -> Heading:
    return Heading("unplaced", (), "unplaced", "", at, at, 0.0)


def mark_unplaced(
    segments: Sequence[Segment], text: str, markers: Sequence[Marker], terms: Sequence[int], heads: Sequence[int], others: Sequence[Heading]
) -> None:
    """Puts a heading of the kind "unplaced" where numbers are left out and the text breaks off: what follows is of a provision that is not
    in the file, or of the last one. So does text below one of `others`, behind a segment's last heading, to whose number the count does not
    lead. `terms`: where definitions begin, in order."""
    pages = frozenset(heads)
    for segment in (one for one in segments if one.is_agreement):
        headings, last = list[Heading](), None
        for heading in segment.headings:
            if heading.key and leaves_out(last.key if last else (), heading.key):
                start = last.end if last else segment.start
                at = _broken_at(text, start, heading.start, between(markers, start, heading.start), terms, pages if last else None)
                headings += [] if at is None else [_unplaced(at)]
            headings.append(heading)
            last = heading if heading.key else last
        later = [one for one in others if last and last.end < one.start < segment.end and leaves_out(last.key, one.key)]
        segment.headings = [*headings, *(_unplaced(one.start) for one in later[:1])]


def _broken_at(
    text: str, start: int, stop: int, markers: Sequence[Marker], terms: Sequence[int], pages: Collection[int] | None
) -> int | None:
    """The first line that does not go on with what stands above it: small letters or a later mark of a list behind a full stop, at the head
    of a page (with `pages` None, of nothing before it, anywhere), or a sentence within a list behind a semicolon."""
    first_of = {marker.line: marker for marker in reversed(markers)}
    waiting, above, kinds, term = deque(markers), False, set[str](), start  # the marks between the last term and the line
    for line in _LINE.finditer(text, start, stop):
        at, end = line.end(), line.start()
        n = bisect_left(terms, at)
        if n and terms[n - 1] > term:
            above, kinds, term = False, set(), terms[n - 1]
        while waiting and waiting[0].start < at:
            if (marker := waiting.popleft()).start >= term:
                above, kinds = True, kinds.union(kind for kind, _ in readings(marker.label))
        while end > start and text[end - 1].isspace():
            end -= 1
        before, own = text[max(start, end - 1) : end], readings(first_of[at].label) if at in first_of else ()
        is_later = at in first_of and all(value > 1 and kind not in kinds for kind, value in own)
        is_head = (line.start() in pages if pages is not None else True) and (before in '.;:)]”"' if before else pages is None)
        is_term = n < len(terms) and terms[n] == at
        is_left = before == ";" and above and text[at].isupper() and at not in first_of and not is_term and pages is not None
        if is_left or (is_head and (is_later or (text[at].islower() and at not in first_of))):
            return line.start()
    return None


_WIDTH = 0.85  # of the longest line near by, that a line with the next word would have at most where it does not wrap
_NEAR = 1500


def without_flush_text(text: str, found: Sequence[Clause]) -> Iterator[Clause]:
    """The provisions; the last item of a list ends where its sentence or the list's does, and a paragraph follows."""
    lists = [(one.numbering, one.number.rpartition("(")[0]) for one in found]
    known, starts = set(lists), {(own, one.start) for own, one in zip(lists, found, strict=True)}
    ending: dict[tuple[tuple[int, str], int], list[Clause]] = defaultdict(list)
    for own, one in zip(lists, found, strict=True):
        ending[own, one.end].append(one)
    for own, one in zip(lists, found, strict=True):
        ends = one.end
        if one.number.endswith(")") and (one.numbering, one.number) not in known and (own, one.end) not in starts:
            before = (text[other.start : other.end].rstrip() for other in ending[own, one.start])
            ends = _flush_at(text, one, any(re.search(r"(?:[;,]|[;,] ?(?:and|or))$", item) for item in before))
        yield replace(one, end=ends) if ends < one.end else one


_LETTER = re.compile(r"\S")


def _flush_at(text: str, item: Clause, is_listed: bool) -> int:
    lines = text[max(0, item.start - _NEAR) : item.end + _NEAR].split("\n")
    width = _WIDTH * max(map(len, lines))
    at = item.start
    while 0 <= (stop := text.find("\n", at, item.end)) < item.end - 1:
        line, letter = text[text.rfind("\n", 0, stop) + 1 : stop].rstrip(), _LETTER.search(text, stop + 1, item.end)
        following = text[letter.start() : min(letter.start() + 40, item.end)] if letter else ""
        is_apart = len(line) + 1 + len(following.split(" ")[0]) <= width
        if (is_apart and line.endswith((",", ";")) and following[:1].islower()) or (
            is_listed and line[-1:] == "." and " " in line.strip() and following[:1].isupper()
        ):
            return stop + 1
        at = stop + 1
    return item.end
