"""Is a block only another spelling of the same words: spaces, hyphens, ligatures, glyphs without a letter, accents, legal forms?"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Literal

from deterministic.lexicon.folding import WILDCARDS, fold, transliterations
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.quotes.alignment import Block
from deterministic.quotes.tokens import HAS_WILDCARD, Token

Spelling = Literal["same", "glyph", "form", ""]
"""same: nothing of weight differs; glyph: only glyphs without a Unicode value; form: one legal form in two spellings; "": other words."""

_LIGATURES = ("", "ff", "ffi", "ffl", "fi", "fl", "ft", "st")
_LIGATURE_RUN = re.compile(r"f+([il]?)")
_LONE_GLYPH = re.compile(rf"(?<!\S)[{WILDCARDS}](?=\s|\Z)")
"""A bullet, which stands for no digit."""
_WILDCARD = re.compile(f"([{WILDCARDS}])")
_MOST_LETTERS = 3


def spelling(block: Block, given: Sequence[Token], wanted: Sequence[Token], quote: str, source: str, common: Container[str]) -> Spelling:
    """`given`, `wanted`: both texts whole; `common`: words that the document writes, of which none is a word with a letter lost."""
    if not block.given or not block.wanted:
        return _form(block, given, wanted)
    left, right = "".join(t.folded for t in block.given), "".join(t.folded for t in block.wanted)
    figures = [t for t in block.given + block.wanted if t.kind == "number" and not t.folded.isalpha()]
    raw_quote = quote[block.given[0].start : block.given[-1].end]
    raw_source = source[block.wanted[0].start : block.wanted[-1].end]
    if any(t.kind == "sign" for t in block.given + block.wanted):
        return ""
    if figures:
        if left != right and (_may_hide(raw_source, left) or _may_hide(raw_quote, right)):
            return "glyph"
        return "same" if left == right and _meanings(block.given) == _meanings(block.wanted) else ""
    if left == right or _are_transliterated(left, right):
        return "same"
    if HAS_WILDCARD.search(raw_quote) and _fits(raw_quote, right, _LIGATURES):
        return "same"
    if (HAS_WILDCARD.search(raw_source) and _fits(raw_source, left)) or (HAS_WILDCARD.search(raw_quote) and _fits(raw_quote, right)):
        return "glyph"
    return "same" if left not in common and _has_lost_ligature(left, right) else _form(block, given, wanted)


def _meanings(tokens: Sequence[Token]) -> list[str]:
    return [token.meaning for token in tokens if token.kind == "number"]


def _are_transliterated(left: str, right: str) -> bool:
    """Mueller or Muller for Müller; two plain words are never each other's transliteration."""
    return left.isascii() != right.isascii() and not transliterations(left).isdisjoint(transliterations(right))


def _may_hide(raw: str, other: str) -> bool:
    """Figures of which glyphs have no Unicode value can be those of the other side: "???,000,000" says neither 185,000,000 nor another."""
    raw = _LONE_GLYPH.sub("", raw)
    return HAS_WILDCARD.search(raw) is not None and _fits(raw, other)


def _has_lost_ligature(short: str, long: str) -> bool:
    """A word of which letters of a ligature were lost: "certicate", "Affliate"."""
    if not len(short) < len(long) or "f" not in long:
        return False
    return bool(re.fullmatch(_LIGATURE_RUN.sub(lambda run: f"f{{0,{run[0].count('f')}}}" + (run[1] and f"{run[1]}?"), long), short))


FORM_WORDS = frozenset(word for words in LEGAL_FORMS for word in words)
_BESIDE = 6
"""Words beside a block that can belong to one legal form with it."""


def _form(block: Block, given: Sequence[Token], wanted: Sequence[Token]) -> Spelling:
    """Spellings of one legal form, with the words beside them: Pte [Ltd] for Private [Limited]."""
    if not any(word in FORM_WORDS for t in (*block.given, *block.wanted) for word in t.folded.split()):
        return ""
    mine = _forms(given, block.given_at, len(block.given))
    return "form" if mine and mine & _forms(wanted, block.wanted_at, len(block.wanted)) else ""


def _forms(tokens: Sequence[Token], at: int, length: int) -> set[str]:
    """The legal forms that a block can be or be a part of."""
    starts, ends = range(max(0, at - _BESIDE), at + 1), range(at + length, at + length + _BESIDE)
    return {form for start in starts for end in ends if (form := _legal_form(tokens[start:end]))}


def _legal_form(tokens: Sequence[Token]) -> str | None:
    words = tuple(word for t in tokens for word in t.folded.split())
    return LEGAL_FORMS.get(words) or LEGAL_FORMS.get(("".join(words),))


def _fits(raw: str, other: str, glyphs: Sequence[str] = ()) -> bool:
    """Whether `other` is the text with each glyph that has no letter as one of `glyphs`, or as up to three letters of any kind."""
    places = {0}
    for piece in _WILDCARD.split(raw):
        if not _WILDCARD.fullmatch(piece):
            key = fold(piece)
            places = {at + len(key) for at in places if other.startswith(key, at)}
        elif glyphs:
            places = {at + len(glyph) for at in places for glyph in glyphs if other.startswith(glyph, at)}
        else:
            places = {at + n for at in places for n in range(_MOST_LETTERS + 1) if at + n <= len(other)}
    return len(other) in places
