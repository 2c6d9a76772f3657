"""Whether a verbatim quote needed folding: glyphs, white space and running lines are a file's matter, the rest is the writer's."""

import re
import unicodedata
from difflib import SequenceMatcher

from deterministic.quotes.joins import split_ellipsis

_LONGEST = 4000
"""Characters that are aligned one by one; a longer quote that differs is folded."""
_ALIKE = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": "'"})
_SILENT = re.compile(r"[\s\u00ad\u200b-\u200d\u2060\ufeff\-‐‑‒–—−*_#>|]+")
"""White space, hyphens and dashes, marks of markdown: none of them is the writer's."""


def is_folded(quote: str, source: str) -> bool:
    """Whether a quote's own signs differ from the text at its place: letter case, punctuation, an ellipsis. source: the characters of that
    place; letters that only it has are running lines or footnote marks."""
    mine, theirs = _plain(quote), _plain(source)
    if len(split_ellipsis(quote)) > 1 or max(len(mine), len(theirs)) > _LONGEST:
        return theirs != "" and mine not in theirs
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if mine not in theirs else ()
    return theirs != "" and any(mine[a:b] or not any(map(str.isalnum, theirs[c:d])) for kind, a, b, c, d in codes if kind != "equal")


def _plain(text: str) -> str:
    """The letters, digits and signs of a text without what files and readers change, and without signs around it."""
    return re.sub(r"^[^\w]+|[^\w]+$", "", _SILENT.sub("", unicodedata.normalize("NFKC", text).translate(_ALIKE)))
