"""A search of a whole document in pieces: one call of the pattern engine holds up every other thread while it lasts."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

PIECE = 25_000
"""Characters: a few milliseconds for the patterns that are searched for in whole documents."""
_REACH = 1_000
"""Characters behind a piece that a match which begins in it may look at: far more than any date, amount or name has."""


def find_all(pattern: re.Pattern[str], text: str, piece: int = PIECE) -> Iterator[re.Match[str]]:
    """The matches of `pattern.finditer(text)`, none of them empty, for a pattern that needs no more than `_REACH` to match at all."""
    at, reach = 0, _REACH + len(pattern.pattern)
    for end in range(piece, len(text) + piece, piece):
        for match in pattern.finditer(text, at, end + reach):
            if match.start() >= end:
                break
            if match.end() > end:  # how long it is must not depend on where the piece ends
                match = pattern.match(text, match.start()) or match
            at = match.end()
            yield match
            if at > end:
                break
        at = max(at, end)


def find_behind(before: re.Pattern[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of `pattern.finditer(text)`, none of them empty, that begin with the text or behind the first character of a match of
    `before`: a search for a sort of character is far faster than one for a place between two."""
    at = 0
    for start in chain((0,), (match.start() + 1 for match in before.finditer(text))):
        if start >= at and (match := pattern.match(text, start)):
            at = match.end()
            yield match


def find_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of `pattern.finditer(text)`, none of them empty, for a pattern that begins with ^: sought by the line breaks before them,
    which is far faster than at every place."""
    return find_behind(_behind_break(pattern), pattern, text)


@cache
def _behind_break(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"\n(?={pattern.pattern.removeprefix('^')})", pattern.flags)


def is_found(pattern: re.Pattern[str], text: str) -> bool:
    """Whether there is such a match."""
    return next(find_all(pattern, text), None) is not None
