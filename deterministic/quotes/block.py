"""One block of words that differ between a quote and its source, and what it is judged to change."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from deterministic.quotes.tokens import Token

TIGHT = 6
"""Words on either side up to which a block is surely one wording in place of another; in longer ones words may have moved."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens of the quote and of the source that face each other; `given_at`, `wanted_at`: index of the first in its text."""

    given: tuple[Token, ...]
    wanted: tuple[Token, ...]
    given_at: int
    wanted_at: int

    @property
    def is_tight(self) -> bool:
        return max(len(self.given), len(self.wanted)) <= TIGHT


@dataclass(slots=True)
class Judgement:
    """What a block changes."""

    lost: list[str] = field(default_factory=list)
    """Marks of the source that are left out beside what they belong to."""
    altered: list[str] = field(default_factory=list)
    """Figures and names that are not the source's."""
    soft: list[str] = field(default_factory=list)
    """Other guarded words that differ: altered, unless the quote is a retelling."""
    doubtful: list[str] = field(default_factory=list)
    """Guarded words differ in a block so long or so free that they may only have moved."""
    changed: list[str] = field(default_factory=list)
    """Quantifiers, standards and labels of paragraphs that differ."""
    skipped: list[str] = field(default_factory=list)
    """Limiters that are left out with what they limit."""
    left_out: list[str] = field(default_factory=list)
    """Words of the source without any counterpart."""
    unknown: list[str] = field(default_factory=list)
    """Words that no table knows: only a reader can tell what they change."""
    is_glyph: bool = False
    is_reworded: bool = False

    def add(self, other: Judgement) -> None:
        for name in ("lost", "altered", "doubtful", "changed", "skipped", "left_out", "unknown"):
            getattr(self, name).extend(getattr(other, name))
        self.is_glyph |= other.is_glyph
        self.is_reworded |= other.is_reworded


@dataclass(frozen=True, slots=True)
class Texts:
    """Both texts whole, for looking around a block. `shown`: the part of the source that the quote is held against; `around`: with what
    stands before and behind it (a name that a rewording takes from the sentence before is not invented)."""

    given: Sequence[Token]
    wanted: Sequence[Token]
    shown: Sequence[Token]
    around: Sequence[Token]
    quote: str
    source: str
    common: Container[str]


def note(block: Block, result: Judgement, text: str) -> None:
    (result.soft if block.is_tight else result.doubtful).append(text)


def is_label(token: Token, text: str) -> bool:
    """(a), (iv), (2) as the name of a paragraph."""
    return len(token.folded) <= 4 and text[max(0, token.start - 1) : token.start] == "(" and text[token.end : token.end + 1] == ")"


_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ied|es|ed|ing|s|y)$")


def inflected(token: Token) -> str:
    """The word without the endings of number and tense."""
    return token.meaning if token.kind == "party" else _bare(token.folded)


@lru_cache(maxsize=8192)
def _bare(word: str) -> str:
    return _ENDINGS.sub("", word)
