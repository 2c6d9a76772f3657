"""Which foldings a verbatim quote needed: glyphs, white space and running lines are a file's matter, the rest is the writer's."""

import re
import unicodedata
from difflib import SequenceMatcher
from typing import Literal

from deterministic.quotes.joins import split_ellipsis

Folding = Literal["case", "punctuation", "elision"]
_LONGEST = 4000
"""Characters that are aligned one by one; a longer quote is held against its text by letters alone."""
_ALIKE = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": "'"})
_SILENT = re.compile(r"[\s\u00ad\u200b-\u200d\u2060\ufeff\-‐‑‒–—−*_#>|]+")
"""White space, hyphens and dashes, marks of markdown: none of them is the writer's."""


def foldings_used(quote: str, source: str) -> frozenset[Folding]:
    """What of a quote's own signs differs from the text at its place. source: the characters of that place, running lines included."""
    if len(split_ellipsis(quote)) > 1:
        return frozenset({"elision"})
    mine, theirs = _plain(quote), _plain(source)
    if not theirs or mine in theirs:
        return frozenset()
    if mine.casefold() in theirs.casefold():
        return frozenset({"case"})
    if max(len(mine), len(theirs)) > _LONGEST:
        return frozenset({"punctuation"} if _letters(mine) in _letters(theirs) else {"case", "punctuation"})
    return _aligned(mine, theirs)


def _plain(text: str) -> str:
    """The letters, digits and signs of a text without what files and readers change, and without signs around it."""
    return re.sub(r"^[^\w]+|[^\w]+$", "", _SILENT.sub("", unicodedata.normalize("NFKC", text).translate(_ALIKE)))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _aligned(mine: str, theirs: str) -> frozenset[Folding]:
    """Signs that only one side has, and letters of another case; letters that only the text has are running lines or footnote marks."""
    found: set[Folding] = set()
    matcher = SequenceMatcher(None, mine.casefold(), theirs.casefold(), autojunk=False)
    if len(mine.casefold()) != len(mine) or len(theirs.casefold()) != len(theirs):  # "ß": positions would not be those of the text
        return frozenset({"case"} if _letters(mine) != _letters(theirs) else {"punctuation"})
    for kind, a, b, c, d in matcher.get_opcodes():
        left, right = mine[a:b], theirs[c:d]
        if kind == "equal":
            found |= {"case"} if left != right else set()
        elif (left and not _letters(left)) or (right and not _letters(right)):
            found.add("punctuation")
    return frozenset(found)
