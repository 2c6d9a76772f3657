"""Types of facilities (judging.md section 2, row "text"): read only where every word of the value is understood.

Same types: semantic match. Structures that exclude one another (a revolving credit facility for a term loan): wrong. Everything
between, and words that the tables do not know, are the judge's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, raise_verbatim, shown
from deterministic.values.text import plain, words

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document


@dataclass(frozen=True, slots=True)
class FacilityType:
    """The kinds of facility, the words that qualify them ("secured", "rupee") and the letters that label them ("a")."""

    types: frozenset[str]
    qualifiers: frozenset[str]
    labels: frozenset[str]


# Wordings as words without punctuation; longer ones are read first. A delayed-draw term loan is a type of its own.
_TYPES: dict[str, tuple[str, ...]] = {
    "term_loan": ("term loan", "term loans", "term facility", "term facilities", "tl", "term"),
    "delayed_draw": ("delayed draw term loan", "delayed draw term loans", "delayed drawdown term loan", "delayed draw", "ddtl", "ddtls"),
    "revolving": ("revolving credit", "revolving loan", "revolving loans", "revolving", "revolver", "rcf"),
    "bridge": ("bridge loan", "bridging loan", "bridge", "bridging", "bridge to bond", "bridge term loan"),
    "letter_of_credit": ("letter of credit", "letters of credit", "standby letter of credit", "lc", "l c", "sblc"),
    "guarantee": ("bank guarantee", "guarantee", "bonding"),
    "swingline": ("swingline loan", "swing line loan", "swingline", "swing line"),
    "capex": ("capex", "capital expenditure"),
    "acquisition": ("acquisition", "acquisition capex"),
    "working_capital": ("working capital",),
    "overdraft": ("overdraft",),
    "ancillary": ("ancillary",),
    "multi_option": ("multi option", "multioption"),
    "standby": ("standby", "stand by"),
    "export_credit": ("export credit", "eca", "buyer credit", "buyers credit"),
    "construction": ("construction loan", "construction"),
    "trade": ("trade finance", "trade"),
    "murabaha": ("murabaha", "commodity murabaha"),
    "ijara": ("ijara",),
}
_PHRASES = {tuple(phrase.split()): kind for kind, phrases in _TYPES.items() for phrase in phrases}
_LONGEST = max(map(len, _PHRASES))
_PARTS = {"delayed_draw": "term_loan"}  # a delayed-draw term loan is a term loan too
_STRUCTURES = frozenset(("term_loan", "delayed_draw", "revolving", "letter_of_credit", "guarantee", "swingline", "overdraft"))
"""Types that exclude one another; a bridge, or a facility named by its purpose, may have any structure."""
_NOISE = frozenset(words("facility facilities loan loans credit a an the and of in commitment commitments agreement type"))
_LABEL_HEADS = frozenset(("facility", "tranche", "loan", "class", "series"))
_QUALIFIERS = frozenset(
    (
        *(
            "senior",
            "junior",
            "mezzanine",
            "subordinated",
            "secured",
            "unsecured",
            "guaranteed",
            "committed",
            "uncommitted",
            "syndicated",
            "bilateral",
        ),
        *(
            "multicurrency",
            "single",
            "dual",
            "currency",
            "dollar",
            "dollars",
            "us",
            "usd",
            "sterling",
            "gbp",
            "euro",
            "eur",
            "rupee",
            "inr",
            "yen",
            "jpy",
        ),
        *(
            "sgd",
            "hkd",
            "singapore",
            "hong",
            "kong",
            "aud",
            "australian",
            "canadian",
            "green",
            "sustainability",
            "linked",
            "amortising",
            "amortizing",
        ),
    )
)


def parse(value: str) -> FacilityType | None:
    """The whole text as facility types, or None when a word is not understood or no type is named."""
    found = words(value.replace("L/C", "LC").replace("multi-currency", "multicurrency"))
    types: set[str] = set()
    qualifiers: set[str] = set()
    labels: set[str] = set()
    index = 0
    while index < len(found):
        length = _phrase_length(found, index)
        word = found[index]
        if length:
            kind = _PHRASES[found[index : index + length]]
            types |= {kind, _PARTS.get(kind, kind)}
        elif re.fullmatch(r"[a-f]|[1-9]", word) and index and found[index - 1] in _LABEL_HEADS:
            labels.add(word)
        elif word in _QUALIFIERS:
            qualifiers.add(word)
        elif word not in _NOISE:
            return None
        index += length or 1
    return FacilityType(frozenset(types), frozenset(qualifiers), frozenset(labels)) if types else None


def _phrase_length(found: tuple[str, ...], index: int) -> int:
    return next((length for length in range(min(_LONGEST, len(found) - index), 0, -1) if found[index : index + length] in _PHRASES), 0)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" of judging.md section 2, for facility types."""
    text = as_text(reported)
    return raise_verbatim(best_of(_compare_one, text, as_text(gold), accepted), text, surroundings, ignore_case=True)


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected type.")
    given, expected = parse(reported), parse(gold)
    if given is None or expected is None:
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: a facility type that no table knows.")
    if given.types == expected.types and _agree(given, expected):
        return Comparison("semantic_match", f"{shown(reported)} is the type {shown(gold)}.")
    if given.types.isdisjoint(expected.types) and given.types | expected.types <= _STRUCTURES:
        return Comparison("wrong", f"{shown(reported)} is another type than {shown(gold)}.")
    return Comparison("open", f"{shown(reported)} may be the same type as {shown(gold)}; no rule decides.")


def _agree(one: FacilityType, other: FacilityType) -> bool:
    """Do qualifiers and labels not contradict: is what one says a part of what the other says?"""
    pairs = ((one.qualifiers, other.qualifiers), (one.labels, other.labels))
    return all(left <= right or right <= left for left, right in pairs)


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? A type is never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, or wordings of every type that the value names?"""
    given = parse(as_text(value))
    if texts.supports(value, text) or given is None:
        return texts.supports(value, text)
    found = words(text)
    named = {_PHRASES[found[i : i + n]] for i in range(len(found)) if (n := _phrase_length(found, i))}
    named |= {_PARTS.get(kind, kind) for kind in named}
    return not given.qualifiers and given.types <= named
