"""Is a block only another spelling of the same words: spaces, hyphens, ligatures, glyphs without a letter, legal forms of companies?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deterministic.lexicon.folding import WILDCARDS, fold
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.quotes.block import Block, Judgement, Texts
from deterministic.quotes.tokens import HAS_WILDCARD, Token

_LIGATURES = ("", "ff", "ffi", "ffl", "fi", "fl", "ft", "st")
_LIGATURE_RUN = re.compile(r"f+([il]?)")


def is_same_spelling(block: Block, texts: Texts, result: Judgement) -> bool:
    """Only spaces, hyphens, ligatures or unmapped glyphs differ."""
    if not block.given or not block.wanted:
        return False
    left, right = "".join(t.folded for t in block.given), "".join(t.folded for t in block.wanted)
    has_figures = any(t.kind == "number" and not t.folded.isalpha() for t in block.given + block.wanted)
    if any(t.kind == "sign" for t in block.given + block.wanted):
        return False
    raw_quote = texts.quote[block.given[0].start : block.given[-1].end]
    raw_source = texts.source[block.wanted[0].start : block.wanted[-1].end]
    if has_figures and left != right and (_may_hide(raw_source, left) or _may_hide(raw_quote, right)):
        result.is_glyph = True
        return True
    if left == right or has_figures:
        return left == right and (not has_figures or _same_numbers(block))
    if HAS_WILDCARD.search(raw_source) and _fits(raw_source, left):
        result.is_glyph = True
        return True
    if HAS_WILDCARD.search(raw_quote):
        if _fits(raw_quote, right, _LIGATURES):
            return True
        if _fits(raw_quote, right):
            result.is_glyph = True
            return True
    return left not in texts.common and _has_lost_ligature(left, right)


_LONE_GLYPH = re.compile(rf"(?<!\S)[{WILDCARDS}](?=\s|\Z)")
"""A bullet, which stands for no digit."""


def _may_hide(raw: str, other: str) -> bool:
    """Figures of which glyphs have no Unicode value can be those of the other side: "???,000,000" says neither 185,000,000 nor another."""
    raw = _LONE_GLYPH.sub("", raw)
    return HAS_WILDCARD.search(raw) is not None and _fits(raw, other)


def _has_lost_ligature(short: str, long: str) -> bool:
    """A word of which letters of a ligature were lost: "certicate", "Affliate"."""
    if not len(short) < len(long) or "f" not in long:
        return False
    return bool(re.fullmatch(_LIGATURE_RUN.sub(lambda run: f"f{{0,{run[0].count('f')}}}" + (run[1] and f"{run[1]}?"), long), short))


_FORM_WORDS = frozenset(word for words in LEGAL_FORMS for word in words)
_BESIDE = 6
"""Words beside a block that can belong to one legal form with it."""


def is_same_form(block: Block, texts: Texts) -> bool:
    """Spellings of one legal form, with the words beside them: Pte [Ltd] for Private [Limited]."""
    if not any(word in _FORM_WORDS for t in (*block.given, *block.wanted) for word in t.folded.split()):
        return False
    given = _forms(texts.given, block.given_at, len(block.given))
    return bool(given) and bool(given & _forms(texts.wanted, block.wanted_at, len(block.wanted)))


def _forms(tokens: Sequence[Token], at: int, length: int) -> set[str]:
    """The legal forms that a block can be or be a part of."""
    starts, ends = range(max(0, at - _BESIDE), at + 1), range(at + length, at + length + _BESIDE)
    return {form for start in starts for end in ends if (form := _form(tokens[start:end]))}


def _form(tokens: Sequence[Token]) -> str | None:
    words = tuple(word for t in tokens for word in t.folded.split())
    return LEGAL_FORMS.get(words) or LEGAL_FORMS.get(("".join(words),))


def _same_numbers(block: Block) -> bool:
    return [t.meaning for t in block.given if t.kind == "number"] == [t.meaning for t in block.wanted if t.kind == "number"]


_WILDCARD = re.compile(f"([{WILDCARDS}])")
_MOST_LETTERS = 3


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
