"""The two foldings that all kinds compare words with: `plain` (case and white space) and `words` (letters and digits)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from deterministic.lexicon.memory import remembered
from deterministic.lexicon.searching import PIECE

_WORD = re.compile(r"[^\W_]+")
_INNER_MARKS = re.compile(r"[’'‘](?<=\w.)(?=\w)")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def plain(text: str) -> str:
    """Compatibility forms, case and runs of white space folded; punctuation stays."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fold_letters(text: str) -> str:
    """Case, diacritics and special Latin letters folded ("Société Générale" is "societe generale"); length may change."""
    if text.isascii():
        return text.casefold()
    return "\n".join(line.casefold() if line.isascii() else _fold_line(line) for line in text.split("\n"))


def _fold_line(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    stripped = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return unicodedata.normalize("NFKC", stripped).translate(_LETTERS)


def words(text: str) -> tuple[str, ...]:
    """The words of a text without punctuation, folded; "&" is "and", an apostrophe inside a word disappears."""
    return tuple(word for piece in _folded(text) for word in _WORD.findall(piece))


def _folded(text: str) -> Iterator[str]:
    """The text as its words are read, in pieces of whole lines: a document in one call would block the loop."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + PIECE)
        end = end if end >= 0 else len(text)
        yield _INNER_MARKS.sub("", fold_letters(text[at:end]).replace("&", " and "))
        at = end


@remembered
def _word_line(text: str) -> str:
    return " " + " ".join(words(text)) + " "


def contains_words(text: str, phrase: str) -> bool:
    """Do the phrase's words stand in the text one after the other, whatever the punctuation and case?"""
    key = " ".join(words(phrase))
    return bool(key) and f" {key} " in _word_line(text)


@remembered
def _folded_document(text: str) -> str:
    return "".join(_folded(text))


def document_contains_words(text: str, phrase: str) -> bool:
    """`contains_words` for a document of which few phrases are asked: a search for the first word costs less than all its words do."""
    key = words(phrase)
    begins = rf"{key[0]}(?<![^\W_]{key[0]})" if key else "(?!)"
    return re.search(r"[\W_]+".join((begins, *key[1:])) + r"(?![^\W_])", _folded_document(text)) is not None
