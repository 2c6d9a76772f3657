"""Comparing characters: "same characters" and "standing verbatim in the value's own quote" of design/values.md."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deterministic.lexicon.numbers import fold


def same_characters(first: str, second: str) -> bool:
    """Equal but for runs of white space and the shapes of dashes and quotation marks."""
    return _plain(first) == _plain(second)


def stands_in(value: str, text: str) -> bool:
    """Whether the value's characters stand in the text as whole tokens: 80,000,000 does not stand in 480,000,000."""
    needle, hay = _plain(value), _plain(text)
    if not needle:
        return False
    start = hay.find(needle)
    while start >= 0:
        if _is_whole(hay, start, start + len(needle)):
            return True
        start = hay.find(needle, start + 1)
    return False


def stands_in_any(value: str, texts: Iterable[str]) -> bool:
    return any(stands_in(value, text) for text in texts)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[:start][-2:], text[end : end + 2]
    if before[-1:].isalnum() and text[start].isalnum():
        return False
    if text[start].isdigit() and re.fullmatch(r"\d[.,']", before):
        return False
    if after[:1].isalnum() and text[end - 1].isalnum():
        return False
    return not (text[end - 1].isdigit() and re.fullmatch(r"[.,']\d", after))
