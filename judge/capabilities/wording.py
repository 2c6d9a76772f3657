"""Comparing words: the folding of free texts, and whether words stand in a text on word boundaries."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


@lru_cache(maxsize=8192)
def fold_text(text: str) -> str:
    """Words and numbers of a text, NFKC and case folded, joined by single spaces; a point or comma inside a number is kept."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")
    return " ".join(re.findall(r"\d+(?:[.,:]\d+)*|[^\W_]+|[%$£€]", folded))


def has_words(text: str, words: str) -> bool:
    """Whether a text has the given words, in order and together, on word boundaries."""
    wanted = fold_text(words)
    return bool(wanted) and f" {wanted} " in f" {fold_text(text)} "
