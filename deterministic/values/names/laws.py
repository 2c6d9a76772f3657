"""Governing laws (design/values.md, row "law"). Same but for case: correct. Known synonyms ("the laws of England and Wales", "English
law"): semantic match. Two known laws neither of which is a part of the other are typed values that both parse and differ: wrong. Everything
else is the judge's: a law that the table does not know, two laws at once, a state's law against the federation's."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.tables import rows
from deterministic.values.comparison import Comparison, Grammar, Mention, Reading, as_text, words_occur, words_support
from deterministic.values.words import MARKS, fold_letters


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`names` stand after "laws of", `adjectives` before "law"; `part_of` is the key of a larger jurisdiction or ""."""

    key: str
    names: tuple[str, ...]
    adjectives: tuple[str, ...]
    part_of: str = ""


def _jurisdiction(row: str) -> Jurisdiction:
    key, names, adjectives, part_of = (cell.strip() for cell in row.split("|"))
    return Jurisdiction(key, tuple(filter(None, names.split(";"))), tuple(filter(None, adjectives.split(";"))), part_of)


JURISDICTIONS: dict[str, Jurisdiction] = {entry.key: entry for entry in map(_jurisdiction, rows("jurisdictions"))}
AMBIGUOUS = {"georgia": "georgia us"}
"""The bare name of a state that is a country too: which one is meant, the clause tells."""


def is_nested(one: str, other: str) -> bool:
    """Is one of the two jurisdictions a part of the other (New South Wales of Australia, the DIFC of Dubai)?"""
    return other in _chain(one) or one in _chain(other)


def _chain(key: str) -> tuple[str, ...]:
    larger = JURISDICTIONS[key].part_of
    return (key, *_chain(larger)) if larger else (key,)


@cache
def _nested() -> dict[str, str]:
    """Names with that of the larger jurisdiction behind them: "new south wales australia", "hong kong sar of the prc"."""
    pairs = ((name, whole, key) for name, key in _NAMES.items() for whole, larger in _NAMES.items() if larger in _chain(key)[1:])
    return {f"{name} {joint}{whole}": key for name, whole, key in pairs for joint in ("", "the ", "of ", "of the ")}


def _key(text: str) -> str:
    """Letters folded, dots and apostrophes gone ("U.S.A.", "People's"), other marks a space."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", re.sub(r"[.’'‘]", "", fold_letters(text)).replace("&", " and ")).split())


_NAMES = {_key(name): entry.key for entry in JURISDICTIONS.values() for name in (entry.key, *entry.names)}
_ADJECTIVES = {_key(name): entry.key for entry in JURISDICTIONS.values() for name in entry.adjectives}
_KNOWN = {**_NAMES, **_ADJECTIVES}
_LONGEST = max(len(name.split()) for name in _KNOWN)

_FRAME = re.compile(
    r"^(?:(?:(?:this|the) (?:facility |loan |credit )?(?:agreement|deed|letter) |it )?"
    r"(?:and any non contractual obligations arising out of or in connection with it )?(?:is |are |shall be )?governed by "
    r"(?:and (?:shall be )?(?:construed|interpreted)(?: and enforced)? in accordance with )?)?"
    r"(?:(?:the )?(?:internal |substantive |domestic |local |federal )?laws? (?:of|in) )?(?:the )?"
)
_TAIL = re.compile(
    r"(?: and (?:the )?(?:federal )?laws of canada applicable (?:therein|in that province|thereto))?"
    r"(?: (?:laws?|governing law|as governing law))?"
    r"(?: (?:excluding|without (?:regard|reference|giving effect) to|without application of|exclusive of) (?:its |the |any )?"
    r"(?:conflicts?|choice) of laws?(?: (?:rules?|principles?|provisions?))?(?: thereof)?)?$"
)
_LAW = re.compile(r"\blaws?\b", re.IGNORECASE)
_OF = re.compile(r",?\s+(?:of|in)\s+(?:the\s+)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[.’'‘][^\W_]+)*\.?|&")
_REACH = 120


def parse(text: str) -> str | None:
    """The key of the one jurisdiction that the whole text names, or None ("English law / Singapore law" names two)."""
    if not MARKS.isdisjoint(text):
        return None
    bare = _TAIL.sub("", _FRAME.sub("", _key(text), count=1), count=1)
    return _KNOWN.get(bare) or _KNOWN.get(_key(text)) or _nested().get(bare)


def scan(text: str) -> tuple[Mention, ...]:
    """Every law named in running text: "New York law", "the laws of the State of New York". A place alone is no law."""
    return tuple(mention for match in _LAW.finditer(text) for mention in (_after(text, match), _before(text, match)) if mention)


def _after(text: str, law: re.Match[str]) -> Mention | None:
    if not (joint := _OF.match(text, law.end())):
        return None
    matches = list(_WORD.finditer(text, joint.end(), joint.end() + _REACH))[:_LONGEST]
    for length in range(len(matches), 0, -1):
        end = matches[length - 1].end()
        if found := _NAMES.get(_key(text[joint.end() : end])):
            return Mention(law.start(), end, found, text[law.start() : end])
    return None


def _before(text: str, law: re.Match[str]) -> Mention | None:
    matches = list(_WORD.finditer(text, max(0, law.start() - _REACH), law.start()))[-_LONGEST:]
    for first in range(len(matches)):
        start = matches[first].start()
        if found := _KNOWN.get(_key(text[start : law.start()])):
            return Mention(start, law.end(), found, text[start : law.end()])
    return None


def _relate(given: str, expected: str) -> Comparison:
    if given == expected:
        return Comparison("semantic_match", "is the same law as")
    if is_nested(given, expected):
        return Comparison("open", "may be the law of a part of, or of the whole of,")
    return Comparison("wrong", "is another law than")


_LABEL = re.compile(r"^\s*(?:governing\s+law|law)\s*[:=–—-]\s*", re.IGNORECASE)
compare = Grammar("law", lambda text, _: Reading(parse(_LABEL.sub("", text, count=1))), _relate).compare
"""Row "law" of design/values.md."""


def parts(value: Any) -> tuple[str, ...]:
    """The laws of the table that a value names."""
    text = as_text(value)
    if parse(text):
        return (text,)
    return tuple(mention.text for mention in scan(text))


def occurs(value: Any, document: Document) -> bool:
    """Is the law named anywhere in the document, in any synonym? Of a text that names several laws every one must be there; a law that the
    table does not know as it is written. A place that the document names otherwise ("a Texas limited liability company") is enough: another
    law than gold's, and not out of the air."""
    given = parse(as_text(value))
    stated = frozenset({given}) if given else _laws(as_text(value))
    known = document.cached(("values.laws", "laws"), lambda: _laws(document.text))
    return all(law in known or _is_place(law, document) for law in stated) if stated else words_occur(value, document)


def _is_place(law: str, document: Document) -> bool:
    entry = JURISDICTIONS[law]
    return any(words_occur(name, document) for name in (entry.key, *entry.names))


def supports(value: Any, text: str) -> bool:
    """Does the text name the law, in any synonym?"""
    given = parse(as_text(value))
    return bool(_laws(text) & {given, AMBIGUOUS.get(given, given)}) if given else words_support(value, text)


def _laws(text: str) -> frozenset[str]:
    return frozenset(mention.value for mention in scan(text))
