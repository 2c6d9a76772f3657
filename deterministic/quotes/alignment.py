"""Which words of a quote face which words of the source.

The alignment is the cheapest one by edit distance; what it pairs by chance far off at an end ("the", "of", a number) is let go, so that
the first and last words of a quote face the words that they replace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from deterministic.quotes.tokens import Token

Operation = tuple[str, int, int, int, int]
"""("equal" or "differ", quote from, quote to, source from, source to), in tokens."""

_ANCHOR = 3
"""Words in a row that are no chance match."""
_SURE = 7
"""Words in a row that are none even across the end of a sentence."""
_ROOM_AROUND = 14
"""Words beside the most similar stretch that are looked at, at least."""
_ROOM = 3
"""Words left beside a part that is cut away, so that an inserted word at the end of the quote does not shift its neighbours."""
_WIDE = 12
"""Words of the source that a quote may leave out right behind its first or before its last word, and more for each further matched word."""
_BOUNDARY = re.compile(r"[.;:?!]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|;")
_REACH = {"number": 10, "month": 10, "currency": 6, "unit": 4, "modal": 4, "negation": 4, "connective": 3, "party": 24, "name": 12}
"""Words over which a lone word at an end gives way to one of its kind that stands nearer."""


def align(given: Sequence[Token], wanted: Sequence[Token]) -> list[Operation]:
    """Runs of equal and of differing tokens; tokens are equal when they mean the same."""
    left, right = [_identity(t) for t in given], [_identity(t) for t in wanted]
    pairs: dict[int, int] = {}
    for code in Levenshtein.opcodes(left, right):
        if code.tag == "equal":
            pairs.update(zip(range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True))
    if pairs:
        _slide(pairs, left, right)
    return _operations(pairs, len(left), len(right))


def _slide(pairs: dict[int, int], left: Sequence[str], right: Sequence[str]) -> None:
    """Of equally cheap pairings the one that lies closest to the longest run: ties far off at the ends are chance."""
    first, last = _longest_run(pairs)
    for at in range(first - 1, -1, -1):
        near = pairs.get(at + 1, 0) - 1
        if at in pairs and pairs[at] < near and right[near] == left[at]:
            pairs[at] = near
    for at in range(last + 1, len(left)):
        near = pairs.get(at - 1, len(right)) + 1
        if at in pairs and pairs[at] > near and right[near] == left[at]:
            pairs[at] = near


def _longest_run(pairs: dict[int, int]) -> tuple[int, int]:
    """First and last quote token of the longest run of neighbours on both sides."""
    best, start, previous = (0, -1), -1, (-2, -2)
    for at, place in pairs.items():
        if (at - 1, place - 1) != previous:
            start = at
        previous = (at, place)
        if at - start > best[1] - best[0]:
            best = (start, at)
    return best


def _operations(pairs: dict[int, int], count: int, other: int) -> list[Operation]:
    found: list[Operation] = []
    at = place = 0
    for i, j in [*pairs.items(), (count, other)]:
        if i > at or j > place:
            found.append(("differ", at, i, place, j))
        elif found and i < count:
            tag, i1, _, j1, _ = found[-1]
            found[-1] = (tag, i1, i + 1, j1, j + 1)
        if (i > at or j > place or not found) and i < count:
            found.append(("equal", i, i + 1, j, j + 1))
        at, place = i + 1, j + 1
    return found


def _identity(token: Token) -> str:
    if token.kind in ("word", "name"):
        return token.folded
    if token.kind in ("modal", "party"):
        return f"{token.kind}:{token.folded}"
    return f"{token.kind}:{token.meaning}"


def _focus(given: Sequence[Token], wanted: Sequence[Token]) -> Sequence[Token]:
    """The stretch of the source that shares most words with the quote, with room on both sides for what the quote leaves out."""
    room = max(_ROOM_AROUND, len(given) // 3)
    if len(wanted) <= len(given) + room:
        return wanted
    left = Counter(t.folded for t in given)
    score, best, first = 0, -1, 0
    for at, token in enumerate(wanted):
        left[token.folded] -= 1
        score += left[token.folded] >= 0
        if at >= len(given):
            gone = wanted[at - len(given)].folded
            score -= left[gone] >= 0
            left[gone] += 1
        if score > best:
            best, first = score, max(0, at - len(given) + 1)
    return wanted[max(0, first - room) : first + len(given) + room]


def tighten(given: Sequence[Token], wanted: Sequence[Token], quote: str, source: str) -> tuple[Sequence[Token], list[Operation]]:
    """The part of the source that the quote really covers, and the alignment with it."""
    wanted = _focus(given, wanted)
    operations = align(given, wanted)
    for _ in range(6):
        low, high = _leading(operations, given, wanted, quote, source), _trailing(operations, given, wanted, quote, source)
        if low >= high or (low == 0 and high == len(wanted)):
            break
        wanted = wanted[low:high]
        operations = align(given, wanted)
    return wanted, operations


def _anchors(operations: Sequence[Operation], words: int) -> list[Operation]:
    """The matched runs of at least `words` words, or the longest ones where none is."""
    equal = [operation for operation in operations if operation[0] == "equal"]
    longest = max((i2 - i1 for _, i1, i2, _, _ in equal), default=0)
    return [operation for operation in equal if operation[2] - operation[1] >= min(words, longest)]


def _leading(operations: Sequence[Operation], given: Sequence[Token], wanted: Sequence[Token], quote: str, source: str) -> int:
    """The first token of the source to keep."""
    equal = [operation for operation in operations if operation[0] == "equal"]
    if len(equal) < 2:
        return 0
    (_, i0, i1, j0, j1), (_, ia, _, ja, _) = equal[0], _anchors(operations, _SURE)[0]
    if cut := _last_boundary(wanted, j0, ja, source, _boundaries(quote[given[i0].start : given[ia].start])):
        return cut
    _, ia, _, ja, _ = _anchors(operations, _ANCHOR)[0]
    if i0 == ia:
        return 0
    between = wanted[j1 : equal[1][3]] if equal[1][1] == i1 else ()
    if _is_parallel(given[i0:i1], between):
        return j1
    if i1 - i0 == 1 and _gives_way(given[i0], between) and not _is_parenthesis(source, wanted[j0].end, wanted[equal[1][3]].start):
        return j1
    matched = sum(i2 - start for _, start, i2, _, _ in equal if i2 <= ia)
    if (ja - j0) - (ia - i0) > _WIDE + 3 * matched:
        return max(j0 + 1, ja - ia - _ROOM)
    return 0


def _trailing(operations: Sequence[Operation], given: Sequence[Token], wanted: Sequence[Token], quote: str, source: str) -> int:
    """One behind the last token of the source to keep."""
    equal = [operation for operation in operations if operation[0] == "equal"]
    if len(equal) < 2:
        return len(wanted)
    (_, _, ia, _, ja), (_, i0, i1, j0, j1) = _anchors(operations, _SURE)[-1], equal[-1]
    if cut := _first_boundary(wanted, ja, j1, source, _boundaries(quote[given[ia - 1].end : given[i1 - 1].end])):
        return cut
    _, _, ia, _, ja = _anchors(operations, _ANCHOR)[-1]
    if i1 == ia:
        return len(wanted)
    if i1 - i0 == 1 and equal[-2][2] == i0 and _gives_way(given[i0], wanted[equal[-2][4] : j0]):
        return j0
    matched = sum(i2 - start for _, start, i2, _, _ in equal if start >= ia)
    if (j1 - ja) - (i1 - ia) > _WIDE + 3 * matched:
        return min(j1 - 1, ja + (len(given) - ia) + _ROOM)
    return len(wanted)


def _gives_way(token: Token, between: Sequence[Token]) -> bool:
    """A lone matched word that lets go, because one of its kind stands nearer to the rest of the quote."""
    reach = _REACH.get(token.kind, 0)
    kinds = {"party", "name"} if token.kind in ("party", "name") else {token.kind}
    return 0 < len(between) <= reach and any(other.kind in kinds for other in between)


def _is_parallel(run: Sequence[Token], between: Sequence[Token]) -> bool:
    """A short run is followed by words of its own shape: "Facility B | Facility A is a term loan"."""
    return len(run) == len(between) and 2 <= len(run) <= 4 and _identity(run[0]) == _identity(between[0])


def _is_parenthesis(source: str, start: int, end: int) -> bool:
    """What is left out stands between commas or in brackets: "the Borrower[, with the consent of the Agent,] shall"."""
    gap = source[start:end].strip()
    return gap[:1] in (",", "(") and gap[-1:] in (",", ")")


def _boundaries(text: str) -> int:
    return len(_BOUNDARY.findall(text))


def _last_boundary(wanted: Sequence[Token], low: int, high: int, source: str, allowed: int) -> int:
    """The first token behind the last sentence end between two tokens, 0 when there are no more ends than the quote has."""
    ends = [match.end() for match in _BOUNDARY.finditer(source, wanted[low].start, wanted[high].start + 1)]
    if len(ends) <= allowed:
        return 0
    return next((n for n in range(low, high + 1) if wanted[n].start >= ends[-1]), 0)


def _first_boundary(wanted: Sequence[Token], low: int, high: int, source: str, allowed: int) -> int:
    """One behind the last token before the first sentence end behind the anchor, 0 when there are no more ends than the quote has."""
    start, stop = wanted[low - 1].end, wanted[high - 1].start + 1
    ends = [match.start() for match in _BOUNDARY.finditer(source, start, stop)]
    if len(ends) <= allowed:
        return 0
    return next((n for n in range(low, high) if wanted[n].start >= ends[0]), 0)


def matched_range(operations: Sequence[Operation], wanted: Sequence[Token]) -> tuple[int, int]:
    """The tokens of the source that the quote is held against: what stands before its first or behind its last word is not part of it."""
    low, high = 0, len(wanted)
    _, i1, i2, j1, j2 = operations[0]
    if operations[0][0] == "differ":
        low = max(j1, j2 - (i2 - i1))
    _, i1, i2, j1, j2 = operations[-1]
    if operations[-1][0] == "differ":
        high = min(j2, j1 + (i2 - i1))
        while j1 < high < j2 and wanted[high].kind in ("scale", "unit"):
            high += 1
    return low, max(high, low + 1)
