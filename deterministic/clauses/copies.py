"""Pages that stand twice in a file, an agreement and its copy or a sheet scanned twice: provisions are read once, and stand at each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from deterministic.clauses.clause import Clause
from deterministic.clauses.outline import LineLook

_SHORTEST = 400  # characters of a copy: under it, pages with a title alone
Provisions = tuple[tuple[Clause, ...], frozenset[str]]


@dataclass(slots=True)
class _Copy:
    """text[start:end] stands at `source` too."""

    source: int
    start: int
    end: int


def with_copies(
    text: str, page_starts: Sequence[int], looks: Iterable[LineLook], build: Callable[[str, Sequence[int], Iterable[LineLook]], Provisions]
) -> Provisions:
    """What `build` finds in the text without its copied pages, and the same in these."""
    if not (copies := _find_copies(text, page_starts)):
        return build(text, page_starts, looks)

    def before(at: int) -> int:
        return sum(min(at, copy.end) - copy.start for copy in copies if copy.start < at)

    def end_of(clause: Clause) -> int:
        """Behind the copies that follow it, but for one that begins as the file does."""
        end = place(clause.end - 1) + 1
        for copy in copies:
            end = copy.end if copy.start == end and copy.source else end
        return min(end, len(text))

    def place(at: int) -> int:
        for copy in copies:
            at += copy.end - copy.start if copy.start <= at else 0
        return at

    def is_kept(at: int) -> bool:
        return not any(copy.start <= at < copy.end for copy in copies)

    bounds = [0, *(at for copy in copies for at in (copy.start, copy.end)), len(text)]
    kept = "".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    starts = [start - before(start) for start in page_starts if is_kept(start)]
    found, listed = build(kept, starts, (replace(look, start=look.start - before(look.start)) for look in looks if is_kept(look.start)))
    clauses = [replace(clause, start=place(clause.start), end=end_of(clause)) for clause in found]
    for copy in copies:
        shift, count = copy.start - copy.source, max((clause.numbering for clause in clauses), default=0) + 1
        moved = (replace(one, start=one.start + shift, end=one.end + shift, numbering=one.numbering + count) for one in clauses)
        within = (one for one in moved if one.start < copy.end and one.end > copy.start)
        clauses += [replace(one, start=max(one.start, copy.start), end=min(one.end, copy.end)) for one in list(within)]
    return tuple(sorted(clauses, key=lambda clause: (clause.start, -clause.end, clause.number))), listed


def _find_copies(text: str, page_starts: Sequence[int]) -> list[_Copy]:
    """Stretches of pages that stand before with the same text, in order."""
    first: dict[str, int] = {}
    copies: list[_Copy] = []
    for start, stop in pairwise([*page_starts, len(text) + 1]):
        page, last = text[start : stop - 1], copies[-1] if copies and copies[-1].end == start else None
        source = first.setdefault(page, start)
        goes_on = start - last.start + last.source if last else 0
        if last and goes_on < last.start and text.startswith(page, goes_on):
            last.end = stop
        elif source < start:
            copies.append(_Copy(source, start, stop))
    copies = [replace(copy, end=min(copy.end, len(text))) for copy in copies]
    return [copy for copy in copies if copy.end - copy.start >= _SHORTEST]
