"""Free text: equal but for case and white space is correct, everything else is the judge's (judging.md section 2, row "text").

Also the two foldings that the other kinds compare words with: `plain` (case and white space) and `words` (letters and digits).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.values.comparison import Comparison, Surroundings, as_items, as_text, best_of, raise_verbatim, shown

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

_WORD = re.compile(r"[^\W_]+")
_INNER_MARKS = re.compile(r"(?<=\w)[’'‘](?=\w)")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def plain(text: str) -> str:
    """Compatibility forms, case and runs of white space folded; punctuation stays."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fold_letters(text: str) -> str:
    """Case, diacritics and special Latin letters folded ("Société Générale" is "societe generale"); length may change."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    stripped = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return unicodedata.normalize("NFKC", stripped).translate(_LETTERS)


def words(text: str) -> tuple[str, ...]:
    """The words of a text without punctuation, folded; "&" is "and", an apostrophe inside a word disappears."""
    return tuple(_WORD.findall(_INNER_MARKS.sub("", fold_letters(text).replace("&", " and "))))


@lru_cache(maxsize=64)
def _word_line(text: str) -> str:
    return " " + " ".join(words(text)) + " "


def contains_words(text: str, phrase: str) -> bool:
    """Do the phrase's words stand in the text one after the other, whatever the punctuation and case?"""
    key = " ".join(words(phrase))
    return bool(key) and f" {key} " in _word_line(text)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" for values that no grammar reads: equal, equal but for punctuation, or open."""
    text = as_text(reported)
    return raise_verbatim(best_of(_compare_one, text, as_text(gold), accepted), text, surroundings, ignore_case=True)


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected text.")
    if words(reported) and words(reported) == words(gold):
        return Comparison("semantic_match", f"{shown(reported)} differs from {shown(gold)} in punctuation only.")
    return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule decides.")


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? Text is never hallucinated by value; this serves reasons only."""
    line = document.cached(("values.text", "words"), lambda: " " + " ".join(words(document.text)) + " ")
    keys = [" ".join(words(item)) for item in as_items(value)]
    return any(key and f" {key} " in line for key in keys)


def supports(value: Any, text: str) -> bool:
    """Do the words of the value (for a list: of one of its items) stand in the text?"""
    return any(contains_words(text, item) for item in as_items(value))
