"""The sections of a document without numbers (a letter, a term sheet, a table): headings and the labels of rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deterministic.clauses.clause import Clause
from deterministic.clauses.numerals import fold_words


@dataclass(frozen=True, slots=True)
class LineLook:
    """A line of the text as it is set: `start` offset in the text, `left` and `top` in points on its page."""

    start: int
    text: str
    page: int
    left: float
    top: float
    is_bold: bool
    size: float


_LABELLED = re.compile(r"^[ \t]*([A-Z][\w’'&/,() -]{1,50}?)[ \t]*:(?=[ \t]|$)")
_LONGEST = 90
_ROW = 3.0
"""Points by which the tops of cells of one row may differ."""


def find_outline(text: str, looks: Iterable[LineLook]) -> Iterator[Clause]:
    """Headings with what stands below them, and rows by their labels; lines with a label and a colon where nothing else is known."""
    lines = [look for look in looks if look.text.strip()] or _plain_looks(text)
    labels = {start: label for start, label in _row_labels(lines) if label}
    body, is_bold_rare = _body_size(lines), 2 * sum(line.is_bold for line in lines) < len(lines)
    heads = {k.start: _title(k.text) for k in lines if k.start not in labels and _is_heading(k, body, is_bold_rare=is_bold_rare)}
    inner = labels or {look.start: match[1] for look in lines if (match := _LABELLED.match(look.text))}
    for start, end in pairwise([*sorted(heads), len(text)]):
        yield _clause(heads[start], start, end)
    for start, end in pairwise(sorted({*heads, *inner, len(text)})):
        if start in inner and start not in heads:
            yield _clause(inner[start], start, end)


def _clause(title: str, start: int, end: int) -> Clause:
    return Clause(f"heading {fold_words(title)}", title, start, end, 0)


def _plain_looks(text: str) -> list[LineLook]:
    found, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            found.append(LineLook(at, line, 0, 0.0, float(at), False, 0.0))
        at += len(line) + 1
    return found


def _title(line: str) -> str:
    return line.strip().strip("*_#").rstrip(" :.")


def _body_size(lines: Sequence[LineLook]) -> float:
    """The size in which most of the text stands; 0.0 without any."""
    sizes = Counter[float]()
    for line in lines:
        sizes[round(line.size, 1)] += max(1, len(line.text) // 20)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_heading(look: LineLook, body: float, *, is_bold_rare: bool) -> bool:
    """Short, no sentence, and set apart: bold, larger than the text, in capitals, or, where nothing is known, in title case before text."""
    words = _title(look.text)
    if not 1 < len(words) <= _LONGEST or not re.search(r"[A-Za-z]{2}", words) or re.search(r"[.;,]$", look.text.strip()):
        return False
    if not look.size:
        return words.isupper() or (len(words.split()) <= 6 and words[0].isupper() and not re.search(r"\d", words))
    return (look.is_bold and is_bold_rare) or look.size > body * 1.08 or words.isupper()


def _row_labels(lines: Sequence[LineLook]) -> Iterator[tuple[int, str]]:
    """(start, label) of rows of a table whose first cells stand in one column: "Tenor" beside "8 years from ..."."""
    pairs = [(one, two) for one, two in pairwise(lines) if one.size and _is_row(one, two)]
    firsts = [one for n, (one, _) in enumerate(pairs) if n == 0 or pairs[n - 1][1] is not one]
    if len(firsts) < 3:
        return
    column = Counter(round(one.left / 4) for one in firsts).most_common(1)[0]
    if column[1] < 3:
        return
    for one in firsts:
        if abs(round(one.left / 4) - column[0]) <= 1:
            yield one.start, _title(one.text)


def _is_row(one: LineLook, two: LineLook) -> bool:
    return one.page == two.page and abs(one.top - two.top) <= _ROW and two.left > one.left + 10
