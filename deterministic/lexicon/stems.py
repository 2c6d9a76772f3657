"""The one plural, the one stemmer and the one list of content words.
`singular` is for keys: two names that differ in number only are one. `inflected` joins the forms of one word ("pays", "paying"). `stem` is
for likeness: it also joins "payment" and "pays" and words that say the same (the lexicon's synonyms), so that two texts can be compared by
what they speak of; it never decides that they say the same. Rules: design/values.md, "one vocabulary"."""

import re
from functools import lru_cache

from deterministic.lexicon.guarded import words_of
from deterministic.lexicon.phrases import FUNCTION_WORDS, SYNONYMS

_ENDINGS = re.compile(r"(?<=\w{3})(?:ation|ment|ing|ance|ence|able|ible|ally|ied|ion|ed|er|ly|al|y|e)$")
_WORDS = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
LITTLE = FUNCTION_WORDS | words_of("negation", "exception", "condition", "limit", "modal", "connective", "quantifier")
"""Words that say nothing of a text's subject, though they may turn what it says: left out of its content words."""


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """A folded word without the plural: "facilities" is "facility", "loans" "loan"; "interest" and "loss" stay."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_INFLECTION = re.compile(r"(?<=\w{3})(?:ed|es|ing|e)$")


@lru_cache(maxsize=8192)
def inflected(word: str) -> str:
    """A folded word without the endings of number and tense only: "pays", "paying"; "payment" and "payable" are other words."""
    return _INFLECTION.sub("", singular(word))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A folded word without its endings, the plural's first; words that say the same have one stem."""
    rows = SYNONYMS.get(word)
    return f"={min(rows)}" if rows else _ENDINGS.sub("", singular(word))


def content_words(text: str) -> frozenset[str]:
    """Stems of the words of a text that say what it speaks of, and its figures as they stand."""
    words = (word.removesuffix("'s").removesuffix("’s") for word in _WORDS.findall(text.casefold()))
    return frozenset(stem(word) for word in words if word[0].isdigit() or (len(word) > 2 and word not in LITTLE))
