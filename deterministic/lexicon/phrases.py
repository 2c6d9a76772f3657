"""The words that carry the meaning of a sentence of a loan agreement: negations, limits, modals, units, opposites, parties. A closed
vocabulary. Phrases are lists of folded words; the longest one wins. What numbers, currencies, months and units of time are called is read
from the tables beside this one, so that a value and a quote never know different words. Rules: design/quotes.md, design/values.md."""

import re
from collections.abc import Iterator
from typing import Literal, cast

from deterministic.lexicon.calendar import MONTHS, TIME_UNITS
from deterministic.lexicon.currencies import KNOWN_CODES, WORDLIKE_NAMES, plural_names
from deterministic.lexicon.numbers import ORDINALS
from deterministic.lexicon.tables import lists, patterns, rows

PhraseKind = Literal[
    "word", "name", "number", "month", "currency", "unit", "sign", "negation", "limit", "modal", "connective", "party",
    "opposite", "quantifier", "standard",
]  # fmt: skip
Phrase = tuple[tuple[str, ...], PhraseKind, str]
"""(folded words, kind, meaning)."""

_WORDS = dict(lists("words"))
FUNCTION_WORDS = frozenset(_WORDS["function"])
"""Words that say nothing by themselves: articles, pronouns, auxiliaries, prepositions."""

FINITE_VERBS = frozenset("is are was were has have had does do did means mean shall must will may can might applies apply exceeds".split())
"""Verbs that make a statement of the words before them."""

LIMITING = frozenset("unless except save only if provided excluding".split())
"""Words that begin a condition or an exception."""


PLACEHOLDERS = re.compile(patterns("placeholders")["any"])
"""What is written in place of a quote that there is none of, as folded words."""

NEGATING_PREFIXES = ("un", "non", "dis", "ir", "il", "im", "in", "mis")


def _columns(table: str) -> Iterator[tuple[int, list[list[str]]]]:
    for number, row in enumerate(rows(table)):
        yield number, [[phrase.strip() for phrase in column.split(",")] for column in row.split("|")]


def _all_phrases() -> Iterator[tuple[str, str, str]]:
    """(phrase, kind, meaning) in the order of precedence: of the same words the first entry counts."""
    for row in rows("phrases"):
        kind, meaning, forms = (cell.strip() for cell in row.split("|"))
        yield from ((phrase, kind, meaning or phrase) for phrase in forms.split(", "))
    for name in TIME_UNITS:
        if len(name) > 2:
            unit = {"annum": "year", "working day": "business day"}.get(name, name)
            yield from ((form, "unit", unit) for form in (name, f"{name}s"))
    yield from ((word.replace("-", " "), "number", f"{rank}th") for word, rank in ORDINALS.items())
    for name, codes in plural_names().items():
        if name not in WORDLIKE_NAMES:
            yield name.replace(".", " "), "currency", "/".join(codes)
    yield from ((code.lower(), "currency", code) for code in sorted(KNOWN_CODES))
    yield from ((month, "month", str(number)) for month, number in MONTHS.items() if month != "may")
    for party in _WORDS["party"]:
        yield party, "party", party
        if party not in ("holdings", "parties"):
            yield party[:-1] + "ies" if party.endswith("y") else party + "s", "party", party
    for number, columns in _columns("opposites"):
        for column, phrases in enumerate(columns):
            yield from ((phrase, "opposite", f"{number}:{column}:{phrases[0]}") for phrase in phrases)


def _phrases() -> dict[str, list[Phrase]]:
    table: dict[tuple[str, ...], Phrase] = {}
    for phrase, kind, meaning in _all_phrases():
        words = tuple(phrase.split())
        table.setdefault(words, (words, cast(PhraseKind, kind), meaning))
    by_first: dict[str, list[Phrase]] = {}
    for entry in sorted(table.values(), key=lambda entry: -len(entry[0])):
        by_first.setdefault(entry[0][0], []).append(entry)
    return by_first


PHRASES = _phrases()
"""First folded word -> (words, kind, meaning), longest first."""


def _senses(table: str) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for number, columns in _columns(table):
        for column, phrases in enumerate(columns):
            for phrase in phrases:
                found[phrase] = found.get(phrase, frozenset()) | {(number, column)}
    return found


OPPOSITES = _senses("opposites")
"""Phrase -> (row, column) of every row that it stands in."""
SYNONYMS = {phrase: frozenset(row for row, _ in places) for phrase, places in _senses("synonyms").items()}
"""Phrase -> rows that it stands in."""


def are_opposed(first: str, second: str) -> bool:
    """Folded phrases that stand in one row in different columns and in none in the same column."""
    here, there = OPPOSITES.get(first, frozenset()), OPPOSITES.get(second, frozenset())
    return not here & there and any(row == other and column != beside for row, column in here for other, beside in there)
