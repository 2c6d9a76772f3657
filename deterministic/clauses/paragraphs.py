"""Bracketed paragraphs at line starts, (a) (i) (A) (1), nested by their sequence.

(i), (v), (x), (c), (d), (l) and (m) are letters and numerals at once: the sibling before decides, and where that leaves a choice
((i) after (h)), the marker that comes next; where neither tells ((i) after (f), with no (g) and no (ii)), both readings hold. A marker
that continues nothing and starts nothing is a wrapped cross-reference.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from deterministic.clauses.numerals import roman_value


@dataclass(frozen=True, slots=True)
class Marker:
    label: str
    start: int
    line: int
    """Where its line's text begins."""
    is_reference: bool
    """It may be part of a cross-reference: the line before is left open ("in paragraphs (a) and\\n(b)")."""
    is_inline: bool = False
    """It stands inside a line, behind the end of a sentence or of an item."""
    is_attached: bool = False
    """It stands directly behind another marker: the (a) of "(h) (a) The Borrower ..."."""
    follows: int = -1
    """Where the label before its own stands inside a line: of a list in running text that wraps, -1 for none."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    parts: tuple[str, ...]
    """("a", "i") for (a)(i)."""
    start: int
    end: int


_MARKER = re.compile(
    r"^[ \t\xa0•*]*(?:\d{1,3}\.\d{1,3}(?=\())?(\((?:[a-z]{1,5}|[à-ÿ]|[A-Z]{1,4}|\d{1,2})\.?\)|(?:[a-z]|[ivx]{2,4}|\d{1,2})\)|"
    r"\d{1,2}\.(?=[ \t\xa0\n]|[A-Z][a-z])|(?:[a-zA-Z]|[ivx]{2,5}|[IVX]{2,5})\.(?=[ \t\xa0]+[^\s.]))(?=[ \t\xa0(\n]|[A-Z“\"a-z]|$)",
    re.M,
)
"""Matches "(a)", "(iv) ", "(ii.)", "(i)this", "a)", "1.", "b. The", "ii. The", "1.The", "2.1(a)" at the beginning of a line, "(á)" as a
recognition misreads "(a)"; not "1.1" nor "12.5 per cent"."""
_INLINE = re.compile(r"[.;:][ \t\xa0]+(?:(?:and|or)[ \t\xa0]+)?(\((?:[a-z]{1,4}|[A-Z]|\d{1,2})\))(?=[ \t\xa0\n])")
_SECOND = re.compile(r"[ \t\xa0]*(\((?:[a-z]{1,5}|[A-Z]{1,4}|\d{1,2})\))(?=[ \t\xa0(\n]|$)")
_CITED_BEFORE = re.compile(
    r"(?:\b(?:clauses?|paragraphs?|sections?|sub-?clauses?|sub-?paragraphs?|sub-?sections?|items?|limbs?)|\w(?<!\d\sto)[\s\xa0]+\d{1,3}\.\d{1,2})[\s\xa0]*$",
    re.I,
)
"""Matches "Section 5.1" and "in Clause" before a marker; not "3.75 to 1.00", the last level of a table before the next limb."""
_CITED_AFTER = re.compile(
    r"(?:\([A-Za-z0-9]{1,4}\))*,|"
    r"[ \t\xa0]*(?:above|below|or \(|and \(|, \(|to \(|through \(|of this|of the (?:definition|foregoing|preceding)|hereof|thereof)"
)
_OPEN_BEFORE = re.compile(r"(?:[^;:.,]\s(?:and|or)|\)\s*,?\s*(?:and|or)|\),|\b(?:in|of|under|to|with|from|by|through|parts?))\s*$", re.I)


def find_markers(text: str) -> list[Marker]:
    """Bracketed markers at line starts, in order, plain cross-references left out; "(b) (i)" at one line start gives both."""
    found = []
    for match in _MARKER.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()].rstrip("\n \t\xa0")
        before = before[before.rfind("\n") + 1 :]
        if _CITED_BEFORE.search(before) or _CITED_AFTER.match(text, match.end()):
            continue
        is_reference = bool(_OPEN_BEFORE.search(before))
        line = match.start(1)
        found.append(Marker(unicodedata.normalize("NFD", match[1].strip("()."))[0:1] + match[1].strip("().")[1:], line, line, is_reference))
        at = match.end()
        while second := _SECOND.match(text, at):
            found.append(Marker(second[1].strip("()"), second.start(1), line, is_reference, is_attached=True))
            at = second.end()
    known = {marker.start for marker in found}
    for match in _INLINE.finditer(text):
        if match.start(1) not in known and not _CITED_AFTER.match(text, match.end()):
            found.append(Marker(match[1].strip("()"), match.start(1), match.start(1), False, True))
    found.sort(key=lambda marker: marker.start)
    return list(_in_running_lists(text, found))


_LISTED = re.compile(r"(?<=[ \t\xa0(,])\(([a-z]{1,4}|[A-Z]|\d{1,2})\)(?=[ \t\xa0\n])")
_UNENDED = re.compile(r"[a-z,]\s*$")
_LIST_REACH = 1500  # characters from one label of a list in running text to the next at most


def _in_running_lists(text: str, markers: Sequence[Marker]) -> Iterator[Marker]:
    """The markers, those at line starts with the place of the label before their own where that stands inside a line."""
    lines = {marker.start for marker in markers if not marker.is_inline}
    last: dict[tuple[str, int], int] = {}
    inside = (
        m for m in _LISTED.finditer(text) if m.start() not in lines and not _CITED_BEFORE.search(text[max(0, m.start() - 40) : m.start()])
    )
    waiting = next(inside, None)
    for marker in markers:
        while waiting is not None and waiting.start() < marker.start:
            last.update(dict.fromkeys(readings(waiting[1]), waiting.start()))
            waiting = next(inside, None)
        ways = readings(marker.label)
        before = max((last.get((kind, value - 1), -1) for kind, value in ways), default=-1)
        is_past = any(last.get(way, -1) > before for way in ways)  # the list in running text has gone on to this label itself
        ends = text[max(0, marker.line - 8) : marker.line].rstrip("\n \t\xa0").endswith(".")
        is_listed = not (marker.is_inline or is_past or ends or before in lines) and before >= max(0, marker.start - _LIST_REACH)
        if before < marker.start - _LIST_REACH and _wraps_first(text, marker, lines):
            is_listed, before = True, marker.start
        yield replace(marker, follows=before) if is_listed else marker
        last.update(dict.fromkeys(ways, marker.start))


def _wraps_first(text: str, marker: Marker, lines: set[int]) -> bool:
    """The first label of a list in running text that begins a line only as it wraps: the second one stands inside a line."""
    second = {"i": "ii", "1": "2", "I": "II"}.get(marker.label)
    if second is None or marker.is_inline or marker.is_attached or not _UNENDED.search(text[max(0, marker.line - 8) : marker.line]):
        return False
    at = text.find(f"({second})", marker.start, marker.start + _LIST_REACH)
    return at >= 0 and at not in lines


def between(markers: Sequence[Marker], start: int, end: int) -> Sequence[Marker]:
    """The markers of a range of the text."""
    first = bisect_left(markers, start, key=lambda marker: marker.start)
    return markers[first : bisect_left(markers, end, lo=first, key=lambda marker: marker.start)]


def bracketed(parts: Sequence[str]) -> str:
    """("a", "i") as "(a)(i)"."""
    return "".join(f"({part})" for part in parts)


@dataclass(slots=True)
class _Level:
    kind: str
    value: int
    label: str
    start: int


@lru_cache(maxsize=1024)
def readings(label: str) -> tuple[tuple[str, int], ...]:
    """(kind, value) of a marker: one or two."""
    if label.isdecimal():
        return (("1", int(label)),)
    folded, case = label.casefold(), "A" if label.isupper() else "a"
    readings = []
    if len(set(folded)) == 1 and len(folded) <= 3:
        readings.append((case, ord(folded[0]) - 96 + 26 * (len(folded) - 1)))
        if len(folded) == 2 and folded not in ("ii", "xx"):
            readings.append(("aa", ord(folded[0]) - 96))
    roman = roman_value(folded)
    if roman is not None:
        readings.append(("I" if case == "A" else "i", roman))
    if label == "I":
        readings.append(("a", 9))  # as some print the letter behind h
    return tuple(readings)


def is_next_label(part: str, label: str) -> bool:
    """`label` is the number after `part`, as letter or as numeral."""
    return any((kind, value + 1) in readings(label) for kind, value in readings(part))


def nest(markers: Sequence[Marker], end: int) -> list[Paragraph]:
    """The paragraphs of one clause, in every reading; each ends where the next of its own or of a higher level starts."""
    found = _nested(markers, end, with_gaps=False)
    if not any(marker.label in ("i", "I") for marker in markers):
        return found
    return list(dict.fromkeys([*found, *_nested(markers, end, with_gaps=True)]))


def _nested(markers: Sequence[Marker], end: int, *, with_gaps: bool) -> list[Paragraph]:
    """The paragraphs in one reading; with_gaps: an (i) that may be the letter behind ones that are left out is it."""
    stack: list[_Level] = []
    open_at: list[int] = []
    found: list[tuple[tuple[str, ...], int]] = []
    ends: list[int] = []
    for n, marker in enumerate(markers):
        placed = (_behind_gap(stack, markers, n) if with_gaps else None) or _place(stack, markers, n)
        if placed is None:
            continue
        depth, kind, value = placed
        for index in open_at[depth:]:
            ends[index] = marker.start
        del stack[depth:], open_at[depth:]
        stack.append(_Level(kind, value, marker.label, marker.start))
        open_at.append(len(found))
        found.append((tuple(level.label for level in stack), marker.start))
        ends.append(end)
    return [Paragraph(parts, start, stop) for (parts, start), stop in zip(found, ends, strict=True)]


def _place(stack: Sequence[_Level], markers: Sequence[Marker], n: int) -> tuple[int, str, int] | None:
    """(depth, kind, value) of a marker, None when it is a cross-reference."""
    marker = markers[n]
    # (aa) behind (z) goes on with it; elsewhere it opens a list of its own
    is_past_z = any(level.kind == "a" and level.value > 25 for level in stack)
    choices = [way for way in readings(marker.label) if way[0] != "aa" or not is_past_z]
    if marker.is_attached and stack and stack[-1].start == markers[n - 1].start:
        # Directly behind (h), a first number opens a list of (h), even where it is a letter again.
        kinds_of_first = [kind for kind, value in choices if value == 1]
        if kinds_of_first:
            return len(stack), kinds_of_first[-1], 1
    if marker.is_inline and not _is_own_inline(stack, markers, n):
        return None
    if marker.follows >= 0 and not any(level.start == marker.follows for level in stack):
        return None
    next_steps = [
        (depth, kind, value)
        for depth in range(len(stack) - 1, -1, -1)
        for kind, value in choices
        if (stack[depth].kind, stack[depth].value + 1) == (kind, value)
    ]
    kinds = {level.kind for level in stack}
    first = next(((len(stack), kind, 1) for kind, value in choices if value == 1 and kind not in kinds), None)
    if next_steps and first and first[1] != "aa" and not marker.is_reference:
        return first if _starts_list(markers, n) else next_steps[0]
    if next_steps:
        return next_steps[0] if len(next_steps) == 1 else _likelier(next_steps, markers, n)
    if marker.is_reference:
        return None
    if first:
        return first
    for depth in range(len(stack) - 1, -1, -1):
        for kind, value in choices:
            if stack[depth].kind != kind:
                continue
            if value == 1 and not marker.is_inline and _interrupts(kind, stack[depth].value, markers, n):
                return len(stack), kind, value
            if value == 1 or 1 < value - stack[depth].value <= 3:
                return depth, kind, value
    return None


def _behind_gap(stack: Sequence[_Level], markers: Sequence[Marker], n: int) -> tuple[int, str, int] | None:
    """The place of an (i) as a letter, where letters before it are left out or reserved: no (ii) comes before the next letter, and none of
    the missing ones does. None where it is no such one."""
    marker = markers[n]
    if marker.label not in ("i", "I") or marker.is_reference or marker.is_inline or marker.is_attached:
        return None
    kind, value = readings(marker.label)[0]
    depth = next((depth for depth, level in enumerate(stack) if level.kind == kind and level.value < value - 1), None)
    if depth is None or any(level.kind.casefold() == "i" or (level.kind, level.value + 1) == (kind, value) for level in stack):
        return None
    for later in markers[n + 1 : n + 60]:
        ways = dict(readings(later.label))
        if marker.label * 2 == later.label or (not later.is_reference and stack[depth].value < ways.get(kind, 0) < value):
            return None
        if ways.get(kind, 0) > value and not later.is_reference:
            break
    return depth, kind, value


def _likelier(steps: Sequence[tuple[int, str, int]], markers: Sequence[Marker], n: int) -> tuple[int, str, int]:
    """Which list a marker continues that continues two, (v) after (u)(iv) or (c) after (b)(b), the inner one first in `steps`: the inner
    one when the number comes a second time, else the one whose next number comes first. An inner list that starts again is over."""
    inner, outer = steps[0], steps[-1]
    for marker in markers[n + 1 : n + 60]:
        if marker.is_reference or marker.is_inline:
            continue
        choices = readings(marker.label)
        if (inner[1], 1) in choices:
            return outer
        if inner[1:] in choices:
            return inner
        if inner[1:] != outer[1:] and (inner[1], inner[2] + 1) in choices:
            return inner
        if inner[1:] != outer[1:] and (outer[1], outer[2] + 1) in choices:
            return outer
    return outer if inner[1:] == outer[1:] else inner


def _interrupts(kind: str, value: int, markers: Sequence[Marker], n: int) -> bool:
    """Whether the list that starts again with markers[n] lies inside the item `value` of a list of the same kind: that list goes on
    afterwards, (h), (a), (b), (i), with a number that the inner list has not reached."""
    last = 1
    for k in range(n + 1, min(n + 60, len(markers))):
        marker = markers[k]
        if marker.is_reference or marker.is_inline or marker.is_attached:
            continue
        own = next((number for other, number in readings(marker.label) if other == kind), None)
        if own == last + 1:
            last = own
        elif own == value + 1:
            return not (len(readings(marker.label)) > 1 and _starts_list(markers, k))
        elif own == 1:
            return False
    return False


def _is_own_inline(stack: Sequence[_Level], markers: Sequence[Marker], n: int) -> bool:
    """A marker inside a line goes on with the paragraphs ("(a) One. (b) Two.") or opens them behind a heading ("Loans. (a) Each ..."),
    unless a line with the same number follows, whose place it would take."""
    label = markers[n].label
    if any(other.label == label and not other.is_inline for other in markers[n + 1 :]):
        return False
    if stack:
        return any((level.kind, level.value + 1) in readings(label) for level in stack)
    firsts = [kind for kind, value in readings(label) if value == 1]
    following = (readings(other.label) for k, other in enumerate(markers[1:]) if k == 0 or not (other.is_inline or other.is_reference))
    return n == 0 and bool(firsts) and any((kind, 2) in ways for ways in following for kind in firsts)


def _starts_list(markers: Sequence[Marker], n: int) -> bool:
    """Whether (i) after (h) opens a list of numerals: (ii) comes before (j), and no other (i) before it whose (ii) that is; or (ii) stands
    inside a line and a line with (i) comes after it."""
    label = markers[n].label
    numeral, letter = ("II", "J") if label.isupper() else ("ii", "j")
    has_inline_numeral = False
    for marker in markers[n + 1 : n + 60]:
        if marker.is_reference:
            continue
        if marker.label == numeral and not marker.is_inline:
            return True
        if marker.label == letter:
            return False
        if marker.label == label and not marker.is_inline:
            return has_inline_numeral
        has_inline_numeral |= marker.label == numeral
    return False
