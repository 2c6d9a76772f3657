"""Comparing words: the folding of free texts, and whether words stand in a text on word boundaries."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from deterministic.lexicon.guarded import SIGNS, TICKED, UNTICKED
from deterministic.lexicon.stems import singular
from deterministic.lexicon.tables import lists

_SPELT_SIGNS = (("<=", "≤"), ("=<", "≤"), (">=", "≥"), ("=>", "≥"))
_SIGN = "".join(SIGNS)
_MINUS = r"(?<![\w)])[-–—](?=[$£€¥₹]?\d)|(?<=[A-Za-z])-(?![\w-])"  # before a figure, or behind a rating ("A-")
_WORD = re.compile(rf"\d+(?:[.,:]\d+)*|[^\W_]+|[%‰$£€¥₹]|{_MINUS}|[{re.escape(_SIGN)}]|[{TICKED}{UNTICKED}]")
_PLAIN = {**SIGNS, "-": "-", "–": "-", "—": "-", **dict.fromkeys(TICKED, "☒"), **dict.fromkeys(UNTICKED, "☐")}


@lru_cache(maxsize=8192)
def fold_text(text: str) -> str:
    """Words, numbers, signs and check boxes of a text, NFKC and case folded, joined by single spaces; a point or comma inside a number is
    kept. What is dropped (commas, quotation marks, bullets) turns no meaning."""
    for spelt, sign in _SPELT_SIGNS:
        text = text.replace(spelt, sign)
    folded = (unicodedata.normalize("NFKC", line).casefold().replace("\u00ad", "") for line in text.split("\n"))
    return " ".join(_PLAIN.get(word, word) for line in folded for word in _WORD.findall(line))


def alternatives(texts: Iterable[str]) -> str:
    """Texts of which any one is right, numbered, each once; a single one as it stands."""
    found = list(dict.fromkeys(text for text in texts if text))
    if len(found) < 2:
        return "".join(found)
    return "Any one of these is right:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(found, start=1))


def with_conditions(gold: str, conditions: Mapping[str, Sequence[str]]) -> str:
    """Gold as a person decides by it: the value, and on lines of their own what else is right or asked for, by title."""
    return "\n".join([gold, *(f"{title}: {'; '.join(said)}" for title, said in conditions.items() if said)])


def unique_names(names: Sequence[str]) -> list[str]:
    """Names with `#2`, `#3` appended where they repeat."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}#{counts[name]}")
    return found


def has_words(text: str, words: str) -> bool:
    """Whether a text has the given words, in order and together, on word boundaries."""
    wanted = fold_text(words)
    return bool(wanted) and f" {wanted} " in f" {fold_text(text)} "


GENERIC = frozenset(dict(lists("words"))["of a covenant"])


def names_subject(text: str, name: str) -> bool:
    """Whether a text has every informative word of a name, plurals folded."""
    wanted, found = ({singular(word) for word in fold_text(one).split() if word not in GENERIC} for one in (name, text))
    return bool(wanted) and wanted <= found
