"""Where the numbering around a text does not tell which provision it belongs to: an extract that goes on in the midst of one whose heading
it lacks, and what stands flush behind the last item of a list."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from deterministic.clauses.clause import Clause
from deterministic.clauses.headings import Heading, leaves_out
from deterministic.clauses.paragraphs import Marker, between, readings
from deterministic.clauses.segments import Segment, is_item

_LINE = re.compile(r"^[ \t\xa0]*(?=\S)", re.M)


def without_inner_counts(chain: Sequence[Heading], text: str) -> tuple[list[Heading], list[Heading]]:
    """The headings without a list 1, 2 that a colon opens and after which the clauses go on at their own count, and "unplaced" ones where
    such lists begin: where one ends, and so what is an item of it, their numbers do not tell."""
    kept, lists = list[Heading](), list[Heading]()
    for n, heading in enumerate(chain):
        last = next((one for one in reversed(kept) if one.key), None)
        if lists and last and lists[-1].start > last.start and is_item(heading) and heading.key != (last.key[0] + 1,):
            continue
        if last and is_item(last) and heading.key == (1,) and is_item(heading) and text[last.end : heading.start].rstrip()[-1:] == ":":
            rest = takewhile(is_item, chain[n:])
            if any(one.key == (last.key[0] + 1,) for one in rest):
                lists.append(Heading("unplaced", (), "unplaced", "", heading.start, heading.start, 0.0))
                continue
        kept.append(heading)
    return kept, lists


def mark_unplaced(
    segments: Sequence[Segment],
    text: str,
    markers: Sequence[Marker],
    terms: Collection[int],
    page_starts: Collection[int],
    lists: Sequence[Heading],
) -> None:
    """Puts a heading of the kind "unplaced" where numbers are left out and the text breaks off: what follows is of a provision that is not
    in the file, or of the last one. `terms`: where definitions begin; `lists`: further such headings."""
    for segment in segments:
        segment.headings = sorted(
            [*segment.headings, *(one for one in lists if segment.start <= one.start < segment.end)], key=lambda one: one.start
        )
    for segment in (one for one in segments if one.is_agreement):
        headings, last = list[Heading](), None
        for heading in segment.headings:
            if heading.key and leaves_out(last.key if last else (), heading.key):
                start = last.end if last else segment.start
                at = _broken_at(text, start, heading.start, between(markers, start, heading.start), terms, page_starts if last else None)
                headings += [] if at is None else [Heading("unplaced", (), "unplaced", "", at, at, 0.0)]
            headings.append(heading)
            last = heading if heading.key else last
        segment.headings = headings


def _broken_at(
    text: str, start: int, stop: int, markers: Sequence[Marker], terms: Collection[int], pages: Collection[int] | None
) -> int | None:
    """The first line that does not go on with what stands above it: small letters or a later mark of a list behind a full stop, at the head
    of a page (with `pages` None, of nothing before it, anywhere), or a sentence within a list behind a semicolon."""
    for line in _LINE.finditer(text, start, stop):
        before, first = text[start : line.start()].rstrip()[-1:], text[line.end()]
        own = [marker for marker in markers if marker.line == line.end()]
        above = between(markers, max((term for term in terms if term < line.end()), default=start), line.end())
        is_later = bool(own) and not {kind for kind, _ in readings(own[0].label)} & {kind for m in above for kind, _ in readings(m.label)}
        is_later = is_later and all(value > 1 for _, value in readings(own[0].label))
        is_head = line.start() in pages if pages is not None else True
        is_head = is_head and (before in '.;:)]”"' if before else pages is None)
        is_left = before == ";" and bool(above) and first.isupper() and not own and line.end() not in terms and pages is not None
        if is_left or (is_head and (is_later or (first.islower() and not own))):
            return line.start()
    return None


_WIDTH = 0.85  # of the longest line near by, that a line with the next word would have at most where it does not wrap
_NEAR = 1500


def without_flush_text(text: str, found: Sequence[Clause]) -> Iterator[Clause]:
    """The provisions; the last item of a list ends where its sentence or the list's does, and a paragraph follows."""
    lists: dict[tuple[int, str], list[Clause]] = defaultdict(list)
    for one in sorted(found, key=lambda clause: clause.start):
        lists[one.numbering, one.number.rpartition("(")[0]].append(one)
    for one in found:
        ends = one.end
        if one.number.endswith(")") and (one.numbering, one.number) not in lists:
            group = lists[one.numbering, one.number.rpartition("(")[0]]
            if all(other.start != one.end for other in group):
                before = [text[other.start : other.end].rstrip() for other in group if other.end == one.start]
                ends = _flush_at(text, one, any(re.search(r"(?:[;,]|[;,] ?(?:and|or))$", item) for item in before))
        yield replace(one, end=ends) if ends < one.end else one


def _flush_at(text: str, item: Clause, is_listed: bool) -> int:
    lines = text[max(0, item.start - _NEAR) : item.end + _NEAR].split("\n")
    width = _WIDTH * max(map(len, lines))
    at = item.start
    while 0 <= (stop := text.find("\n", at, item.end)) < item.end - 1:
        line, following = text[text.rfind("\n", 0, stop) + 1 : stop].rstrip(), text[stop + 1 : item.end].lstrip()
        is_apart = len(line) + 1 + len(following[:40].split(" ")[0]) <= width
        if (is_apart and line[-1:] in ",;" and following[:1].islower()) or (is_listed and line[-1:] == "." and following[:1].isupper()):
            return stop + 1
        at = stop + 1
    return item.end
