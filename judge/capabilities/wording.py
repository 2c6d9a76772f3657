"""Comparing words: the folding of free texts, and whether words stand in a text on word boundaries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=8192)
def fold_text(text: str) -> str:
    """Words and numbers of a text, NFKC and case folded, joined by single spaces; a point or comma inside a number is kept."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")
    return " ".join(re.findall(r"\d+(?:[.,:]\d+)*|[^\W_]+|[%$£€]", folded))


def alternatives(texts: Iterable[str]) -> str:
    """Texts of which any one is right, numbered, each once; a single one as it stands."""
    found = list(dict.fromkeys(text for text in texts if text))
    if len(found) < 2:
        return "".join(found)
    return "Any one of these is right:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(found, start=1))


def has_words(text: str, words: str) -> bool:
    """Whether a text has the given words, in order and together, on word boundaries."""
    wanted = fold_text(words)
    return bool(wanted) and f" {wanted} " in f" {fold_text(text)} "
