"""Types of facilities (design/values.md, row "text"): phrases of a table, and nothing else beside them that only one of two values has.
The same types: semantic match. Everything else, and words that the table does not know, are the judge's."""

from functools import lru_cache
from typing import Any

from deterministic.lexicon.tables import forms
from deterministic.values.comparison import Comparison, Grammar, Reading, as_text, words_support
from deterministic.values.words import contains_words, words

_PHRASES = {tuple(phrase.split()): kind for phrase, kind in forms("facility_types").items()}
_LONGEST = max(map(len, _PHRASES))
_FIRST_WORDS = frozenset(phrase[0] for phrase in _PHRASES)
_PARTS = {"delayed_draw": "term_loan"}  # a delayed-draw term loan is a term loan too
_NOISE = frozenset(words("facility facilities loan loans credit and the with plus including"))  # an "a" may be a letter: Term Loan A


@lru_cache(maxsize=2048)
def read(value: str) -> Reading:
    """The facility types that a text names; where it says anything else, all of it in its order, each type by its name."""
    found = words(value.replace("L/C", "LC"))
    found = found[1:] if found[:1] in (("a",), ("an",)) else found
    types: set[str] = set()
    said: list[str] = []
    index = 0
    while index < len(found):
        if length := _phrase_length(found, index):
            kind = _PHRASES[found[index : index + length]]
            types |= {kind, _PARTS.get(kind, kind)}
            said.append(kind)
        elif found[index] not in _NOISE:
            said.append(found[index])
        index += length or 1
    return Reading(frozenset(types) or None, tuple(said) if types.union(said) > types else ())


def _phrase_length(found: tuple[str, ...], index: int) -> int:
    if found[index] not in _FIRST_WORDS:
        return 0
    return next((length for length in range(min(_LONGEST, len(found) - index), 0, -1) if found[index : index + length] in _PHRASES), 0)


def _relate(given: frozenset[str], expected: frozenset[str]) -> Comparison:
    return Comparison("semantic_match", "is the type") if given == expected else Comparison("open", "has other types than")


compare = Grammar("type", lambda text, _: read(text), _relate).compare
"""Row "text" of design/values.md, for facility types."""


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, or wordings of every type and every other word that the value names?"""
    reading = read(as_text(value))
    if words_support(value, text) or reading.value is None:
        return words_support(value, text)
    return names_types(text, reading.value) and all(contains_words(text, word) for word in reading.unread if word not in reading.value)


def names_types(text: str, types: frozenset[str]) -> bool:
    """Does the text have wordings of every one of the types?"""
    found = words(text)
    named = {_PHRASES[found[i : i + n]] for i in range(len(found)) if (n := _phrase_length(found, i))}
    return types <= named | {_PARTS.get(kind, kind) for kind in named}
