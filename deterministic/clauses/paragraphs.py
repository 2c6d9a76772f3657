"""Bracketed paragraphs at line starts, (a) (i) (A) (1), nested by their sequence.
(i), (v), (x), (c), (d), (l) and (m) are letters and numerals at once, and a line may begin with a wrapped cross-reference: of all ways to
nest the markers of a clause the cheapest is taken."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from deterministic.clauses.clause import Clause
from deterministic.lexicon.records import record
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import roman_value


@record
class Marker:
    label: str
    start: int
    line: int
    """Where its line's text begins."""
    is_reference: bool
    """It may be part of a cross-reference: the line before is left open ("in paragraphs (a) and\\n(b)")."""
    is_dotted: bool = False
    """Written "1." or "a.", which counts apart from "(1)" and "(a)"."""
    is_inline: bool = False
    """It stands inside a line, behind the end of a sentence or of an item."""
    is_attached: bool = False
    """It stands directly behind another marker: the (a) of "(h) (a) The Borrower ..."."""
    before: str = ""
    """The line before, its last characters."""
    follows: int = -1
    """Where the label before its own stands inside a line: of a list in running text that wraps, -1 for none."""


Paragraph = tuple[tuple[str, ...], int, int]
"""Labels (("a", "i") for (a)(i)), start and end."""
_MARKER = re.compile(
    r"^[ \t\xa0•*]*\[?(?:(?:\d{1,3}\.\d{1,3}|(?:W(?:HEREAS|hereas)|RECITALS?|BACKGROUND|B(?:ETWEEN|etween)|PARTIES)\W{1,3})(?=\())?"
    r"(\((?:[a-z]{1,5}|[à-ÿ]|[A-Z]{1,4}|\d{1,2})\.?\)|(?:[a-z]|[ivx]{2,4}|\d{1,2})\)|\d{1,2}\.(?=[ \t\xa0\n]|[A-Z][a-z])|"
    r"(?:[a-zA-Z]|[ivx]{2,5}|[IVX]{2,5})\.(?=[ \t\xa0]+[^\s.])|[ivx]{1,5}\.(?=[ \t\xa0]*\n)|"
    r"(?:i|[ivx]{2,4})(?=[ \t\xa0]+[A-Z]))(?=[ \t\xa0(\n]|[A-Z“\"a-z]|(?<=\))\d|$)",
    re.M,
)
"""Matches "(a)", "(iv) ", "(ii.)", "(i)this", "a)", "1.", "b. The", "ii. The", "ii." alone, "1.The", "2.1(a)", "WHEREAS (A)" at the
beginning of a line, "(á)" as a recognition misreads "(a)"; not "1.1" nor "12.5 per cent"."""
_INLINE = re.compile(r"[.;:][ \t\xa0]+(?:(?:and|or)[ \t\xa0]+)?(\((?:[a-z]{1,4}|[A-Z]|\d{1,2})\))(?=[ \t\xa0\n])")
_SECOND = re.compile(r"[ \t\xa0]*(\((?:[a-z]{1,5}|[A-Z]{1,4}|\d{1,2})\))(?=[ \t\xa0(\n]|$)")
_CITED_BEFORE = re.compile(
    r"(?:\b(?:clauses?|paragraphs?|sections?|sub-?clauses?|sub-?paragraphs?|sub-?sections?|items?|limbs?)|\w(?<!\d\sto)[\s\xa0]+\d{1,3}\.\d{1,2})$",
    re.I,
)
"""Matches "Section 5.1" and "in Clause" before a marker; not "3.75 to 1.00", the last level of a table before the next limb."""
_CITED_AFTER = re.compile(
    r"(?:\([A-Za-z0-9]{1,4}\))*,|"
    r"[ \t\xa0]*(?:above|below|or \(|and \(|, \(|to \(|through \(|of this|of the (?:definition|foregoing|preceding)|hereof|thereof)"
)
_OPEN_BEFORE = re.compile(r"(?:[^;:.,]\s(?:and|or)|\)\s*,?\s*(?:and|or)|\),|\b(?:in|of|under|to|with|from|by|through|parts?))\s*$", re.I)


def _is_cited(before: str) -> bool:
    """The words before a marker name what it belongs to; most end otherwise, which is told faster than by the pattern."""
    return before[-1:].isalnum() and _CITED_BEFORE.search(before) is not None


def find_markers(text: str) -> list[Marker]:
    """Bracketed markers at line starts, in order, plain cross-references left out; "(b) (i)" at one line start gives both."""
    found = []
    for match in find_lines(_MARKER, text):
        before = text[max(0, match.start() - 40) : match.start()].rstrip("\n \t\xa0")
        before = before[before.rfind("\n") + 1 :]
        if _is_cited(before) or _CITED_AFTER.match(text, match.end()):
            continue
        is_reference = match[1][0] == "(" and (before[-1:].isalpha() or before[-1:] == ",") and bool(_OPEN_BEFORE.search(before))
        section = match[0][: match.start(1) - match.start()].lstrip(" \t\xa0•*[")  # "6.2" of "6.2(e)"
        line = match.start(1) - (len(section) if section[:1].isdecimal() else 0)
        label = match[1].strip("().")
        plain = unicodedata.normalize("NFD", label)[0] + label[1:]
        found.append(Marker(plain, line, line, is_reference, match[1][-1] == ".", before=before))
        at = match.end()
        while second := _SECOND.match(text, at):
            found.append(Marker(second[1].strip("()"), second.start(1), line, is_reference, is_attached=True))
            at = second.end()
    known = {marker.start for marker in found}
    for match in _INLINE.finditer(text):
        if match.start(1) not in known and not _CITED_AFTER.match(text, match.end()):
            found.append(Marker(match[1].strip("()"), match.start(1), match.start(1), False, is_inline=True))
    found.sort(key=lambda marker: marker.start)
    return list(_in_running_lists(text, found))


_LISTED = re.compile(r"\((?<=[ \t\xa0(,]\()([a-z]{1,4}|[A-Z]|\d{1,2})\)(?=[ \t\xa0\n])")
_LIST_REACH = 1500  # characters from one label of a list in running text to the next at most


def _in_running_lists(text: str, markers: Sequence[Marker]) -> Iterator[Marker]:
    """The markers, those at line starts with the place of the label before their own where that stands inside a line."""
    lines = {marker.start for marker in markers if not marker.is_inline}
    last: dict[tuple[str, int], int] = {}
    marks = (m for m in _LISTED.finditer(text) if m.start() not in lines)
    inside = (m for m in marks if not _is_cited(text[max(0, m.start() - 40) : m.start()].rstrip()))
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
        yield replace(marker, follows=before) if is_listed else marker
        last.update(dict.fromkeys(ways, marker.start))


def between(markers: Sequence[Marker], start: int, end: int) -> Sequence[Marker]:
    """The markers of a range of the text."""
    first = bisect_left(markers, start, key=lambda marker: marker.start)
    return markers[first : bisect_left(markers, end, lo=first, key=lambda marker: marker.start)]


def bracketed(parts: Sequence[str]) -> str:
    """("a", "i") as "(a)(i)"."""
    return "".join(f"({part})" for part in parts)


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
    if (roman := roman_value(folded)) is not None:
        readings.append(("I" if case == "A" else "i", roman))
    if label == "I":
        readings.append(("a", 9))  # as some print the letter behind h
    return tuple(readings)


def is_next_label(part: str, label: str) -> bool:
    """`label` is the number after `part`, as letter or as numeral."""
    return any((kind, value + 1) in readings(label) for kind, value in readings(part))


def paragraphs_of(markers: Sequence[Marker], start: int, end: int, number: str, numbering: int) -> Iterator[Clause]:
    """The paragraphs of a range of the text as provisions below `number`."""
    for parts, at, stop in nest(between(markers, start, end), end):
        yield Clause(number + bracketed(parts), "", at, stop, numbering)


_Level = tuple[str, int, str, int]  # kind, value, label, start
_Step = tuple[int, int, str, int]  # what it costs, and depth, kind, value of the marker; depth -1 passes it over
_OPEN, _RESTART, _INTERRUPT, _PASS = 20, 60, 70, 100
_INLINE_OPEN, _INLINE_PASS, _REFERENCE_PASS, _GAP = 40, 25, 10, 30
_FAR = 95  # the same of a wide gap behind the end of an item: less than to pass over the label
_ITEM_END = re.compile(r"[.;:]$|[;,]\s*(?:and|or)$")
_LATE = 110  # to open a list whose first numbers are left out: more than to pass over one label, less than two
_MOST = 8  # ways that are followed at a time


def nest(markers: Sequence[Marker], end: int) -> list[Paragraph]:
    """The paragraphs of one clause; each ends where the next of its own or of a higher level starts. Of all ways to nest the markers the
    cheapest holds, several where they cost the same: a marker that goes on with an open list is free, one that opens, interrupts or starts
    a list again, skips numbers or is passed over costs something."""
    ways: list[tuple[int, tuple[_Level, ...], Any]] = [(0, (), None)]
    for n, marker in enumerate(markers):
        further = []
        for cost, stack, found in ways:
            for price, depth, kind, value in _steps(stack, markers, n):
                if depth < 0:
                    further.append((cost + price, stack, found))
                else:
                    levels = (*stack[:depth], (kind, value, marker.label, marker.start))
                    further.append((cost + price, levels, (levels, found)))
        further.sort(key=lambda way: way[0])
        ways = [way for way in further[:_MOST] if way[0] <= further[0][0] + _PASS]
    best = [found for cost, _, found in ways if cost == ways[0][0]]
    return list(dict.fromkeys(paragraph for found in best for paragraph in _paragraphs(found, end)))


def _paragraphs(found: Any, end: int) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    ends: list[int] = []  # where a paragraph of each level ends that stands before those seen
    while found:
        levels, found = found
        ends += [ends[-1] if ends else end] * (len(levels) - len(ends))
        paragraphs.append((tuple(label for _, _, label, _ in levels), levels[-1][3], ends[len(levels) - 1]))
        ends[len(levels) - 1 :] = [levels[-1][3]] * (len(ends) - len(levels) + 1)
    return paragraphs[::-1]


def _steps(stack: Sequence[_Level], markers: Sequence[Marker], n: int) -> list[_Step]:
    """What a marker can be behind the open levels."""
    marker = markers[n]
    # (aa) behind (z) goes on with it; elsewhere it opens a list of its own
    is_past_z = any(kind == "a" and value > 25 for kind, value, _, _ in stack)
    style = "." * marker.is_dotted
    choices = [(kind + style, value) for kind, value in readings(marker.label) if kind != "aa" or not is_past_z]
    firsts = [kind for kind, value in choices if value == 1]
    if firsts and marker.is_attached and stack and stack[-1][3] == markers[n - 1].start:
        return [(0, len(stack), firsts[-1], 1)]  # directly behind (h), a first number opens a list of (h), even where it is a letter again
    inward = [(depth, kind, before) for depth, (kind, before, _, _) in reversed(list(enumerate(stack)))]
    kinds = {kind for _, kind, _ in inward}
    if marker.follows >= 0 and all(start != marker.follows for _, _, _, start in stack):
        return [*((_INLINE_OPEN, len(stack), kind, 1) for kind in firsts if kind not in kinds), (_INLINE_PASS, -1, "", 0)]
    next_ones = [(depth, kind, value) for depth, kind, before in inward for way, value in choices if (way, value) == (kind, before + 1)]
    if len(choices) == len(next_ones) == 1 and not marker.is_inline:
        return [(0, *next_ones[0])]
    # of two lists that go on alike the outer one is likelier, else the inner one
    is_outer = len(next_ones) > 1 and next_ones[0][1:] == next_ones[-1][1:]
    steps = [(int((k == 0) == is_outer and len(next_ones) > 1), *one) for k, one in enumerate(next_ones)]
    if not next_ones and not marker.is_inline:  # (C) behind (b)
        slips = ((depth, kind, before + 1) for depth, kind, before in inward for way in choices if way == (kind.swapcase(), before + 1))
        steps += [(_GAP, *one) for one in slips if one[1].swapcase() != one[1]]
    following = next((other.label for other in markers[n + 1 : n + 60] if not (other.is_inline or other.is_reference)), "")
    if marker.is_inline:
        if following == marker.label:  # a line whose place it would take
            return [(0, -1, "", 0)]
        return [*steps, *((_INLINE_OPEN, 0, kind, 1) for kind in firsts if n == 0), (_INLINE_PASS, -1, "", 0)]
    if not marker.is_reference:
        steps += [(_OPEN, len(stack), kind, 1) for kind in firsts if kind not in kinds]
        if marker.before.endswith((".", ";", ":")):
            late = [(kind, value) for kind, value in choices if value > 1 and kind not in kinds]
            steps += [(_LATE, depth, kind, value) for kind, value in late for depth in range(len(stack) + 1)]
        for depth, kind, before in inward:
            if (value := dict(choices).get(kind, 0)) == 1:
                is_of_term = marker.before.startswith(("“", '"')) and marker.before.endswith(":")  # either it or the clause has the list
                steps += [(_INTERRUPT if is_of_term else _RESTART, depth, kind, 1), (_INTERRUPT, len(stack), kind, 1)]
            elif value > before + 1 and marker.label in ("i", "I") and not kinds & {"i", "I"} and following != marker.label * 2:
                steps.append((_OPEN - (value <= before + 3), depth, kind, value))  # letters before it may be left out or reserved
            elif 1 < value - before <= 4 or (value - before > 4 and value < 24 and _ITEM_END.search(marker.before)):
                steps.append((min(_GAP * (value - before - 1), _FAR), depth, kind, value))
    return [*steps, (_REFERENCE_PASS if marker.is_reference else _PASS, -1, "", 0)]
