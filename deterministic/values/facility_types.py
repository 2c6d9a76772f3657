"""Types of facilities (judging.md section 2, row "text"): read only where every word of the value is understood.

Same types: semantic match. Structures that exclude one another (a revolving credit facility for a term loan): wrong. Everything
between, and words that the tables do not know, are the judge's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.numbers import CARDINAL_PATTERN
from deterministic.lexicon.searching import is_found
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Grammar, Reading, Surroundings, as_text, compare_read, shown
from deterministic.values.remarks import NEUTRAL
from deterministic.values.words import contains_words, words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


@dataclass(frozen=True, slots=True)
class FacilityType:
    """The kinds of facility, the words that qualify them ("secured", "rupee") and the letters that label them ("a")."""

    types: frozenset[str]
    qualifiers: frozenset[str]
    labels: frozenset[str]


# Wordings as words without punctuation; longer ones are read first. A delayed-draw term loan is a type of its own.
_TYPES: dict[str, tuple[str, ...]] = {
    "term_loan": ("term loan", "term loans", "term facility", "term facilities", "tl", "term", "tla", "tlb", "tlc"),
    "advance": ("short term advance", "term advance", "advance", "advances", "cash advance"),
    "delayed_draw": ("delayed draw term loan", "delayed draw term loans", "delayed drawdown term loan", "delayed draw", "ddtl", "ddtls"),
    "revolving": ("revolving credit", "revolving loan", "revolving loans", "revolving", "revolver", "rcf", "revolving line", "rlf"),
    "bridge": ("bridge loan", "bridging loan", "bridge", "bridging", "bridge to bond", "bridge term loan"),
    "letter_of_credit": (
        "letter of credit",
        "documentary credit",
        "letter of credit sub facility",
        "letter of credit subfacility",
        "letter of credit subline",
        "letters of credit",
        *(f"{kind} letter{s} of credit" for kind in ("standby", "commercial", "commercial and standby", "bank") for s in ("", "s")),
        *(f"{kind} letter of credit {sub}" for kind in ("standby", "commercial and standby") for sub in ("subfacility", "subfacilities")),
        "lc",
        "l c",
        "sblc",
    ),
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
    "term_out": (
        *("term out", "term out option", "term loan conversion", "term loan conversion option", "term loan election"),
        *("convertible to term loan", "convertible to a term loan", "convertible into a term loan", "convertible into term loan"),
    ),
    "murabaha": ("murabaha", "commodity murabaha"),
    "ijara": ("ijara",),
}
_PHRASES = {tuple(phrase.split()): kind for kind, phrases in _TYPES.items() for phrase in phrases}
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
_NOISE = NEUTRAL - _QUALIFIERS | frozenset(
    words("type including plus together comprising consisting sub subfacility subfacilities sublimit sublimits subline per")
)
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
_TELLING = _DECISIVE | frozenset(
    (
        *words("committed unsecured secured syndicated bilateral guaranteed"),
        *("single draw", "single drawing", "single borrowing", "single advance"),
    )
)
"""`_DECISIVE`: left out they make the type incomplete. `_TELLING`: added to the type they must stand in the document."""


def parse(value: str) -> FacilityType | None:
    """The whole text as facility types, or None when a word is not understood or no type is named."""
    reading = read(value)
    return None if reading.unread else reading.value


@lru_cache(maxsize=2048)
def read(value: str) -> Reading:
    """The facility types that a text names, and the words that no table knows."""
    value, lengths = _take_lengths(_ABL.sub("asset based", value.replace("L/C", "LC")))
    found = words(_MULTI.sub("multicurrency", value))
    types: set[str] = set()
    qualifiers = set(lengths)
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
    if "revolving" in types and any(word.startswith("reborrow") for word in found):  # which is what makes it a revolving one
        unread = [word for word in unread if word not in _REVOLVES]
    value_read = FacilityType(frozenset(types), frozenset(qualifiers), frozenset(labels)) if types else None
    return Reading(value_read, tuple(unread))


_REVOLVES = frozenset(words("may can borrow borrowed draw drawn repay repaid prepay prepaid reborrow reborrowed"))
_ABL = re.compile(r"\bABL\b")
_MULTI = re.compile(r"\bmulti-currency\b", re.IGNORECASE)
_LENGTH = re.compile(rf"\b(?:\d{{1,3}}|{CARDINAL_PATTERN})[\s-](?:year|month|day)(?=[\s-])(?!\s+(?:after|from|period))", re.IGNORECASE)


def _take_lengths(value: str) -> tuple[str, list[str]]:
    """The text without the lengths that a type is called by ("364-day", "Five-Year"), and these."""
    return _LENGTH.sub(" ", value), [" ".join(words(length)) for length in _LENGTH.findall(value)]


def _phrase_length(found: tuple[str, ...], index: int) -> int:
    if found[index] not in _FIRST_WORDS:
        return 0
    return next((length for length in range(min(_LONGEST, len(found) - index), 0, -1) if found[index : index + length] in _PHRASES), 0)


def _relate(given: FacilityType, expected: FacilityType) -> Comparison:
    if given.types != expected.types and given.types | {"delayed_draw"} == expected.types:
        return Comparison("partial", "names a part of the types of", ("QUALIFIER_MISSING",))
    if given.types < expected.types and expected.types - given.types <= _MAIN:
        return Comparison("partial", "names a part of the types of", ("TYPE_MISSING",))
    if expected.types < given.types and given.types - expected.types <= _WITHIN_REVOLVING and "revolving" in expected.types:
        return _relate(replace(given, types=expected.types), expected)
    if given.types != expected.types:
        are_apart = given.types.isdisjoint(expected.types) and given.types | expected.types <= _STRUCTURES
        return Comparison("wrong", "is another type than") if are_apart else Comparison("open", "may be the same type as")
    if any(f"un{word}" in two.qualifiers for a, two in ((given, expected), (expected, given)) for word in a.qualifiers):
        return Comparison("wrong", "says the opposite of")  # secured for unsecured, committed for uncommitted
    if len({q for side in (given, expected) for q in side.qualifiers if _is_length(q)}) > 1:
        return Comparison("open", "may have another length than")
    if given.labels and expected.labels and given.labels != expected.labels:
        return Comparison("open", "has another letter than")
    if expected.qualifiers & _DECISIVE - given.qualifiers:
        return Comparison("partial", "is the type without every qualifier of", ("QUALIFIER_MISSING",))
    return Comparison("semantic_match", "is the type")


def _is_length(qualifier: str) -> bool:
    return qualifier.endswith((" year", " month", " day"))


_MAIN = frozenset(("term_loan", "revolving"))
"""Types of which each is a facility of its own, wherever several are named."""
_WITHIN_REVOLVING = frozenset(("letter_of_credit", "swingline"))
"""Ways of drawing a revolving facility: named beside it they must stand in the document."""
_GRAMMAR = Grammar("type", read, _relate)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" of judging.md section 2, for facility types.

    A qualifier that only the output has must stand in the document: nothing untrue gets marks.
    """
    found = compare_read(_GRAMMAR, reported, gold, accepted, surroundings)
    given = read(as_text(reported)).value
    if found.label != "semantic_match" or given is None or not surroundings.document_text:
        return found
    added = given.qualifiers - frozenset(words(as_text(gold)))
    expected = read(as_text(gold)).value
    ways = given.types - expected.types if expected else frozenset[str]()
    if ways and not all(any(contains_words(surroundings.document_text, phrase) for phrase in _TYPES[way]) for way in ways):
        return Comparison("open", f"{shown(as_text(reported))} has a type that the document does not have.")
    if all(_is_said(word, surroundings.document_text) for word in added):
        return found
    return Comparison("open", f"{shown(as_text(reported))} has a qualifier that the document does not have.")


_OF_A_FACILITY = r"(?:[\s-]+\w+){0,2}?[\s-]+(?:facilit|loan|tranche|credit|line|lend|term|revolv|bridge|overdraft)"


def _is_said(qualifier: str, text: str) -> bool:
    """Whether the document has a qualifier's word, a decisive one of a facility ("uncommitted increase" is none); what a facility is lent
    in or for ("dollar", "senior") is in other words too often."""
    if qualifier in _DECISIVE:
        return is_found(re.compile(rf"(?i)\b{re.escape(qualifier)}\b{_OF_A_FACILITY}".replace(r"\ ", r"[\s-]+")), text)
    return not (qualifier in _TELLING or _is_length(qualifier)) or any(
        contains_words(text, form) for form in (qualifier, f"{qualifier}ing", qualifier.removesuffix("ing"))
    )


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? A type is never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, wordings of every type that the value names, or what makes a loan of its only type?"""
    given = parse(as_text(value))
    if texts.supports(value, text) or given is None:
        return texts.supports(value, text)
    mark = _MARKS.get(given.types)
    is_shown = names_types(text, given.types) or (mark is not None and mark.search(text) is not None)
    return is_shown and all(contains_words(text, word) for word in given.qualifiers & _TELLING)


_MARKS = {
    frozenset(("term_loan",)): re.compile(
        r"(?i)\b(?:may|can|shall)\s*not\s+be\s+re-?borrowed\b|\bin\s+(?:a|one)\s+single\s+(?:draw|borrowing|advance|loan)"
    ),
    frozenset(("revolving",)): re.compile(r"(?i)\brepa(?:y|id)\b[^.;]{0,40}\band\s+re-?borrow(?:ed)?\b"),
}
"""What makes a loan of a type, where its name is not said: what is repaid may not, or may, be borrowed again."""


def names_types(text: str, types: frozenset[str]) -> bool:
    """Does the text have wordings of every one of the types?"""
    found = words(text)
    named = {_PHRASES[found[i : i + n]] for i in range(len(found)) if (n := _phrase_length(found, i))}
    return types <= named | {_PARTS.get(kind, kind) for kind in named}
