"""Types of facilities (design/values.md, row "text"): read only where every word of the value is understood.
Same types: semantic match. Structures that exclude one another (a revolving credit facility for a term loan): wrong. Everything between,
and words that the tables do not know, are the judge's."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deterministic.lexicon.numbers import CARDINAL_PATTERN
from deterministic.lexicon.tables import rows
from deterministic.values.comparison import Comparison, Grammar, Reading, as_text, words_support
from deterministic.values.words import contains_words, words


@dataclass(frozen=True, slots=True)
class FacilityType:
    """The kinds of facility, the words that qualify them ("secured", "rupee") and the letters that label them ("a")."""

    types: frozenset[str]
    qualifiers: frozenset[str]
    labels: frozenset[str]


_TYPES = dict(row.split(": ") for row in rows("facility_types"))
_PHRASES = {tuple(phrase.split()): kind for kind, phrases in _TYPES.items() for phrase in phrases.split(", ")}
_LONGEST = max(map(len, _PHRASES))
_FIRST_WORDS = frozenset(phrase[0] for phrase in _PHRASES)
_PARTS = {"delayed_draw": "term_loan"}  # a delayed-draw term loan is a term loan too
_STRUCTURES = frozenset(("term_loan", "delayed_draw", "revolving", "letter_of_credit", "guarantee", "swingline", "overdraft"))
"""Types that exclude one another; a bridge, or a facility named by its purpose, may have any structure."""
_LABEL_HEADS = frozenset(("facility", "tranche", "loan", "class", "series"))
_QUALIFIERS = frozenset(
    """senior junior mezzanine subordinated secured unsecured guaranteed committed uncommitted syndicated bilateral multicurrency
    single dual currency dollar dollars us usd sterling gbp euro eur rupee inr yen jpy sgd hkd singapore hong kong aud australian
    canadian green sustainability linked amortising amortizing""".split()
)
_NOISE = frozenset(words("facility facilities loan loans credit and a an the with plus including"))
_TWO_WORDS = tuple(
    tuple(phrase.split())
    for phrase in (
        *("asset based", "short term", "long term", "medium term", "interest free", "non revolving"),
        *("single draw", "single drawing", "single borrowing", "single advance"),
    )
)
_DECISIVE = frozenset(
    (
        *words("uncommitted multicurrency subordinated mezzanine junior green sustainability"),
        *("asset based", "short term", "medium term", "long term", "interest free"),
    )
)
"""Left out they make the type incomplete."""


def parse(value: str) -> FacilityType | None:
    """The whole text as facility types, or None when a word is not understood or no type is named."""
    reading = read(value)
    return None if reading.unread else reading.value


@lru_cache(maxsize=2048)
def read(value: str) -> Reading:
    """The facility types that a text names, and the words that no table knows."""
    value = _ABL.sub("asset based", value.replace("L/C", "LC"))
    qualifiers = {" ".join(words(length)) for length in _LENGTH.findall(value)}  # "364-day", "Five-Year"
    found = words(_MULTI.sub("multicurrency", _LENGTH.sub(" ", value)))
    types: set[str] = set()
    labels: set[str] = set()
    unread: list[str] = []
    index = 0
    while index < len(found):
        length = _phrase_length(found, index)
        word = found[index]
        if length:
            kind = _PHRASES[found[index : index + length]]
            types |= {kind, _PARTS.get(kind, kind)}
        elif re.fullmatch(r"[a-f]|[1-9]", word) and index and found[index - 1] in _LABEL_HEADS:
            labels.add(word)
        elif two := next((q for q in _TWO_WORDS if found[index : index + 2] == q), None):
            qualifiers.add(" ".join(two))
            length = 2
        elif word in _QUALIFIERS:
            qualifiers.add(word)
        elif word not in _NOISE:
            unread.append(word)
        index += length or 1
    value_read = FacilityType(frozenset(types), frozenset(qualifiers), frozenset(labels)) if types else None
    return Reading(value_read, tuple(unread))


_ABL = re.compile(r"\bABL\b")
_MULTI = re.compile(r"\bmulti-currency\b", re.IGNORECASE)
_LENGTH = re.compile(rf"\b(?:\d{{1,3}}|{CARDINAL_PATTERN})[\s-](?:year|month|day)(?=[\s-])(?!\s+(?:after|from|period))", re.IGNORECASE)


def _phrase_length(found: tuple[str, ...], index: int) -> int:
    if found[index] not in _FIRST_WORDS:
        return 0
    return next((length for length in range(min(_LONGEST, len(found) - index), 0, -1) if found[index : index + length] in _PHRASES), 0)


def _relate(given: FacilityType, expected: FacilityType) -> Comparison:
    if (given.types, given.qualifiers) == (expected.types, expected.qualifiers) and given.labels in (expected.labels, frozenset()):
        return Comparison("semantic_match", "is the type")  # a letter that gold does not have may be another tranche's
    if given.types < expected.types:
        return Comparison("partial", "names a part of the types of", ("TYPE_MISSING",))
    if given.types != expected.types:
        are_apart = given.types.isdisjoint(expected.types) and given.types | expected.types <= _STRUCTURES
        return Comparison("wrong", "is another type than") if are_apart else Comparison("open", "may be the same type as")
    if any(f"un{word}" in two.qualifiers for a, two in ((given, expected), (expected, given)) for word in a.qualifiers):
        return Comparison("wrong", "says the opposite of")  # secured for unsecured, committed for uncommitted
    if given.labels <= expected.labels and given.qualifiers < expected.qualifiers and expected.qualifiers - given.qualifiers <= _DECISIVE:
        return Comparison("partial", "is the type without every qualifier of", ("QUALIFIER_MISSING",))
    return Comparison("open", "has other qualifiers than")


compare = Grammar("type", lambda text, _: Reading(parse(text)), _relate).compare
"""Row "text" of design/values.md, for facility types."""


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, or wordings of every type and every qualifier that the value names?"""
    given = parse(as_text(value))
    if words_support(value, text) or given is None:
        return words_support(value, text)
    return names_types(text, given.types) and all(contains_words(text, word) for word in given.qualifiers)


def names_types(text: str, types: frozenset[str]) -> bool:
    """Does the text have wordings of every one of the types?"""
    found = words(text)
    named = {_PHRASES[found[i : i + n]] for i in range(len(found)) if (n := _phrase_length(found, i))}
    return types <= named | {_PARTS.get(kind, kind) for kind in named}
