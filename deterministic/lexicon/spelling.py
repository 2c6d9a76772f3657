"""Numbers and headings in one spelling: roman numerals, number words, words without their marks."""

import re

from deterministic.lexicon.numbers import SMALL_WORDS

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
NUMBER_WORDS = [*SMALL_WORDS, "twenty"]
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")


def roman_value(text: str) -> int | None:
    """Value of a lower-case roman numeral written in the usual way, None for anything else."""
    if not text or any(letter not in _ROMAN for letter in text):
        return None
    values = [_ROMAN[letter] for letter in text]
    total = sum(-v if any(w > v for w in values[n + 1 : n + 2]) else v for n, v in enumerate(values))
    return total if roman_text(total) == text else None


def roman_text(value: int) -> str:
    """Lower-case roman numeral of 1..399."""
    out = ""
    for size, letters in ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= size:
            out, value = out + letters, value - size
    return out


_WORD = re.compile(r"[^\W_]+")


def fold_words(text: str) -> str:
    """Words of a heading in one spelling: letters and digits, case folded, single spaces."""
    return " ".join(_WORD.findall(text.casefold().replace("’", "").replace("'", "")))


_LIGHT = frozenset("a an and as at by for from in into of on or the to under upon with".split())
_MOST_WORDS = 12


def is_title_case(words: str) -> bool:
    """A few words of which all but the light ones begin with a capital letter."""
    parts = re.findall(r"[^\W\d_][\w’'-]*", words)
    heavy = [word for word in parts if word.casefold() not in _LIGHT]
    return 0 < len(parts) <= _MOST_WORDS and bool(heavy) and all(word[0].isupper() for word in heavy) and len(max(heavy, key=len)) > 2


def spaced_pattern(words: str) -> str:
    """The source of a pattern for the words of a heading, whatever stands between them."""
    return r"[\W_]+".join(map(re.escape, fold_words(words).split()))
