"""The words that turn a meaning, by class: the one place where readers ask for them.

How to use it:

- `GUARDED["negation"]` is a set of single folded words; `words_of("negation", "limit")` is that of several classes.
- `pattern("negation", "exception")` is the source of a regular expression for every word and phrase of the classes, longest first. Build
  patterns from it; never write such words into a pattern, set or table of another module (`tests/test_one_vocabulary.py` looks for them).
- `carriers("the a of rate", own="per annum")` is a set of words that may stand beside a value. It refuses a guarded word that is not the
  kind's own, so that no list of neutral words can hold a limit, sign, negation, direction, condition, party, unit or currency.
- `stems.stem`, `stems.singular` and `stems.content_words` are the only stemmer, the only plural and the only content words.

A word for one of these classes is added in the table `phrases` or `guarded`. Rules: design/quotes.md, design/values.md and L4."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, cast, get_args

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.currencies import KNOWN_CODES, WORDLIKE_NAMES, plural_names
from deterministic.lexicon.numbers import PARTS, SCALES, SMALL_WORDS, TEN_WORDS
from deterministic.lexicon.phrases import PHRASES
from deterministic.lexicon.tables import lists

GuardedClass = Literal[
    "negation", "exception", "condition", "limit", "approximation", "modal", "connective", "direction", "time", "opposite", "party",
    "unit", "currency", "number", "month", "quantifier", "standard", "sign", "box",
]  # fmt: skip


def _phrases_by_class() -> dict[GuardedClass, dict[str, str]]:
    """Class -> phrase of folded words -> meaning."""
    found: dict[GuardedClass, dict[str, str]] = {name: {} for name in get_args(GuardedClass)}
    for rows in PHRASES.values():
        for words, kind, meaning in rows:
            if kind in found:
                found[kind][" ".join(words)] = meaning
    for name, phrases in lists("guarded"):
        found[cast(GuardedClass, name)] |= {phrase: phrase for phrase in phrases} | found[cast(GuardedClass, name)]
    found["exception"] |= {phrase: "EXCEPT" for phrase, meaning in found["limit"].items() if meaning == "EXCEPT"}
    found["limit"] = {phrase: meaning for phrase, meaning in found["limit"].items() if meaning != "EXCEPT"}
    found["number"] |= {word: word for word in (*SMALL_WORDS, *TEN_WORDS, *PARTS, *SCALES, "zero", "half", "nil") if len(word) > 2}
    found["month"] |= {month: str(number) for month, number in MONTHS.items() if month != "may"}
    found["currency"] |= {code.casefold(): code for code in KNOWN_CODES}
    found["currency"] |= {name: "/".join(codes) for name, codes in plural_names().items() if name not in WORDLIKE_NAMES}
    found["unit"] |= {word: word for word in ("cent", "bps", "bp", "basis", "point", "points", "percent", "business")}
    return found


_CLASSES = _phrases_by_class()
GUARDED: Mapping[GuardedClass, frozenset[str]] = {
    name: frozenset(phrase for phrase in phrases if " " not in phrase) for name, phrases in _CLASSES.items()
}
"""Class -> its single folded words."""


def words_of(*classes: GuardedClass) -> frozenset[str]:
    """The single folded words of some classes; of all of them when none is named."""
    return frozenset[str]().union(*(GUARDED[name] for name in classes or GUARDED))


def saying(meaning: str) -> frozenset[str]:
    """The words and phrases of one meaning: "EXCEPT", "MINIMUM"."""
    return frozenset(phrase for phrases in _CLASSES.values() for phrase, said in phrases.items() if said == meaning)


SUBJECT_NEGATIONS = GUARDED["negation"] - {"not", "non", "without"}
"""Those that deny a subject ("no Obligor may", "neither of them") and with it the verb behind it."""


@lru_cache(maxsize=64)
def pattern(*classes: GuardedClass) -> str:
    """Source of a regular expression for the words and phrases of some classes, whole words, longest first; for re.IGNORECASE."""
    return any_of({phrase for name in classes for phrase in _CLASSES[name]})


def any_of(phrases: Iterable[str]) -> str:
    """Source of a regular expression for any of some folded phrases, whole words, longest first."""
    spaced = (r"[\s-]+".join(map(re.escape, phrase.split())) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
    return rf"\b(?:{'|'.join(spaced)})\b"


SIGNS: Mapping[str, str] = {
    "+": "+", "−": "-", "±": "±", "<": "<", ">": ">", "≤": "≤", "≥": "≥", "≦": "≤", "⩽": "≤", "≧": "≥", "⩾": "≥", "≠": "≠",
    "~": "~", "≈": "~",
}  # fmt: skip
"""Signs that no folding may drop where texts are compared -> their plain form. A hyphen is one only before a figure."""
TICKS, CROSSES = "✓✔", "✗✘"
TICKED, UNTICKED = f"☑☒🗹🗷⊠{TICKS}{CROSSES}\uf0fe\uf0fd\uf052\uf054", "☐□⬜◻\uf0a8\uf06f\uf0a3"
"""Check boxes, those of the symbol fonts (Wingdings) too. A cross is a tick, unless ticks without a box stand beside it."""
RATING = re.compile(r"(?<![^\W_])[A-D]{1,3}[-+\u2212\u2013](?![^\W_]|[-+])")
"""A grade whose sign is a part of it: BBB+, A-."""
COMPARATORS: Mapping[str, str] = {"≥": "MINIMUM", "≤": "MAXIMUM", ">": "MORE", "<": "LESS"}
"""The limit that a sign stands for."""

_NEVER_NEUTRAL: tuple[GuardedClass, ...] = (
    "negation", "exception", "condition", "limit", "approximation", "direction", "party", "unit", "currency", "number", "month",
)  # fmt: skip


def carriers(words: str, own: str = "") -> frozenset[str]:
    """Folded words that may stand beside a value of some kind. `own`: guarded words that are the kind's own (its unit, its role). Raises
    ValueError for a word that is guarded and not the kind's own: such a word beside a value says another thing."""
    named = frozenset(words.split())
    if wrong := named & words_of(*_NEVER_NEUTRAL):
        raise ValueError(f"{', '.join(sorted(wrong))}: guarded, and not the kind's own")
    return named | frozenset(own.split())
