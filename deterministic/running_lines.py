"""Headers, footers, page numbers and stamps: lines at the edge of a page that recur, stripped so that sentences join across pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

EDGE = 4
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"^\W*(?:page\s+)?([A-Z]{1,3}-\d+|\d{1,4}|[ivxlc]{1,7})(?:\s+of\s+\d+)?\W*$", re.I)


def _masked(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split())).casefold()


def strip_running_lines(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Bodies and printed page numbers ("" when none), one for each page text."""
    lines = [text.split("\n") for text in texts]
    counts: Counter[str] = Counter()
    for page in lines:
        full = [line for line in page if line.strip()]
        counts.update({_masked(line) for line in full[:EDGE] + full[-EDGE:]})
    limit = max(2, round(len(lines) * 0.15))
    bodies, printed = [], []
    for page in lines:
        rest, number = list(page), ""
        for at in (0, -1):
            for _ in range(EDGE):
                while rest and not rest[at].strip():
                    rest.pop(at)
                if not rest or counts[_masked(rest[at])] < limit:
                    break
                if match := _NUMBER.match(rest[at]):
                    number = match[1]
                rest.pop(at)
        bodies.append("\n".join(rest))
        printed.append(number)
    return bodies, printed
