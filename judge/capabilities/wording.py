"""Comparing words: the folding of free texts, and whether words stand in a text on word boundaries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W_]+|[%$£€]")


@lru_cache(maxsize=8192)
def fold_text(text: str) -> str:
    """Words and numbers of a text, NFKC and case folded, joined by single spaces; a point or comma inside a number is kept."""
    folded = (unicodedata.normalize("NFKC", line).casefold().replace("\u00ad", "") for line in text.split("\n"))
    return " ".join(word for line in folded for word in _WORD.findall(line))


def alternatives(texts: Iterable[str]) -> str:
    """Texts of which any one is right, numbered, each once; a single one as it stands."""
    found = list(dict.fromkeys(text for text in texts if text))
    if len(found) < 2:
        return "".join(found)
    return "Any one of these is right:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(found, start=1))


_LETTERS = re.compile(r"\b(?P<letters>[A-Z]{2,5})s?\b")
_RATIO = re.compile(r"\d\s?[x×:]|\d\s(?:times|to\s(?:1|one))\b", re.IGNORECASE)


def in_full(text: str, known: str) -> str:
    """A text with the words of another for their initials (CLR for its Consolidated Leverage Ratio), and its bare 2.5 for "2.5x"."""

    def spelt(match: re.Match[str]) -> str:
        words = (f"(?:{letter}[\\w’'-]+{'|of' if letter == 'O' else ''})" for letter in match["letters"])
        found = re.search(rf"\b{r'[ ](?:(?:of|and|the|to|for)[ ])?'.join(words)}", known)
        return found[0] if found else match[0]

    bare = set() if _RATIO.search(known) else set(re.findall(r"(?<![\w.,$£€])\d+(?:\.\d+)?(?![\d%]|[.,]\d)", known))
    text = re.sub(r"(?<![\d.])(\d+(?:\.\d+)?)\s?[x×](?!\w)", lambda found: found[1] if found[1] in bare else found[0], text)
    return _LETTERS.sub(spelt, text)


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


# words that name no subject of their own ("Minimum EBITDA" and "EBITDA", "Interest Coverage" and "Interest Coverage Ratio")
GENERIC = frozenset(
    "the a an and or of on in to for no not with by as at ratio covenant covenants minimum maximum min max test requirement "
    "limitation limitations restriction restrictions maintenance undertaking undertakings consolidated certain other general etc".split()
)
STEM_LENGTH = 5  # letters that two forms of one word share at least ("Liens" and "Lien", "insurances" and "Insurance")


def stems(text: str) -> frozenset[str]:
    """The informative words of a name, cut so that its plural and derived forms are one."""
    return frozenset(_stem(word) for word in fold_text(text).split() if word not in GENERIC)


def name_words(text: str) -> frozenset[str]:
    """The informative words of a name in any order, plurals folded."""
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in fold_text(text).split() if word not in GENERIC)


def _stem(word: str) -> str:
    word = word.removesuffix("s") if len(word) > 3 else word
    return word[: max(STEM_LENGTH, len(word) - 3)] if len(word) > STEM_LENGTH else word


def has_stems(text: str, name: str) -> bool:
    """Whether a text has every informative word of a name in some form; of a name with several parts ("A; B") every word of one part."""
    wanted = [stems(part) for part in re.split(r"[;/]|\s[-–—]\s", name)]
    found = stems(text)
    return any(
        part and all(any(word.startswith(stem) or (stem.startswith(word) and len(word) > 3) for word in found) for stem in part)
        for part in wanted
    )


def has_most_stems(text: str, name: str, least: int) -> bool:
    """Whether a text has two thirds of the informative words of a name in the same form, and at least so many."""
    wanted = stems(name)
    shared = len(wanted & stems(text))
    return shared >= least and 3 * shared >= 2 * len(wanted)
