"""The one alignment of a quote with a place: which stretch of the source it covers, and which words face which.
The stretch is the one with the fewest edits; the source is free at both ends, so that what stands before and behind the quote is no part of
it. Rules: design/quotes.md."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from deterministic.lexicon.folding import WILDCARDS, fold, transliterations
from deterministic.lexicon.guarded import COMPARATORS
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.quotes.tokens import HAS_WILDCARD, Token

_REACH = 40
"""Words by which an end of the most similar stretch may move, at most."""
_SENTENCE_END = re.compile(r"[.;:?!]")


@dataclass(frozen=True, slots=True)
class Block:
    """Words that face each other and differ; one side may have none. `given_at`, `wanted_at`: index of the first in its text."""

    given: tuple[Token, ...]
    wanted: tuple[Token, ...]
    given_at: int
    wanted_at: int

    @property
    def size(self) -> int:
        """Words of the longer side."""
        return max(len(self.given), len(self.wanted))


@dataclass(frozen=True, slots=True)
class Alignment:
    """`low`, `high`: the tokens of the source that the quote covers; `pairs`: those that mean the same; `similarity`: 0 to 100."""

    low: int
    high: int
    pairs: tuple[tuple[Token, Token], ...]
    blocks: tuple[Block, ...]
    similarity: float


def align(given: Sequence[Token], wanted: Sequence[Token], source: str) -> Alignment | None:
    """The quote's words with the words of the best stretch of the source; None where they share none."""
    left, right = _spelled(given, wanted)
    if not left or not right or not set(left) & set(right):
        return None
    low, high = _stretch(left, right, wanted, source)
    pairs: list[tuple[Token, Token]] = []
    blocks: list[Block] = []
    at = place = 0
    for code in (*Levenshtein.opcodes(left, right[low:high]), None):
        i1, i2, j1, j2 = (code.src_start, code.src_end, code.dest_start, code.dest_end) if code else (len(left),) * 2 + (high - low,) * 2
        if code and code.tag != "equal":
            continue
        if at < i1 or place < j1:
            blocks.append(Block(tuple(given[at:i1]), tuple(wanted[low + place : low + j1]), at, low + place))
        pairs += zip(given[i1:i2], wanted[low + j1 : low + j2], strict=True)
        at, place = i2, j2
    similarity = fuzz.ratio(" ".join(t.folded for t in given), " ".join(t.folded for t in wanted[low:high]))
    return Alignment(low, high, tuple(pairs), tuple(blocks), similarity)


def in_order(tokens: Sequence[Token]) -> list[Token]:
    """October 19 as 19 October, and 500,000 euro as euro 500,000: one date or amount has one order of its words."""
    found = list(tokens)
    for n, (first, second) in enumerate(pairwise(tokens)):
        before, behind = (found[n - 1].kind if n else ""), (found[n + 2].kind if n + 2 < len(found) else "")
        if (first.kind, second.kind) == ("month", "number") and _is_day(second) and before != "number":
            found[n : n + 2] = second._replace(meaning=second.meaning.removesuffix("th")), first
        elif (first.kind, second.kind) == ("number", "month") and _is_day(first):
            found[n] = first._replace(meaning=first.meaning.removesuffix("th"))
        elif (first.kind, second.kind) == ("number", "currency") and before != "currency" and behind != "number":
            found[n : n + 2] = second, first
    return found


def _is_day(token: Token) -> bool:
    day = token.meaning.removesuffix("th")
    return day.isdecimal() and len(day) < 3 and int(day) <= 31


def _spelled(given: Sequence[Token], wanted: Sequence[Token]) -> tuple[str, str]:
    """Both texts with one character for each meaning, so that they are compared as strings."""
    known: dict[str, str] = {}
    sides = ([known.setdefault(identity(token), chr(0x100 + len(known))) for token in side] for side in (given, wanted))
    left, right = map("".join, sides)
    return left, right


def identity(token: Token) -> str:
    """What two tokens share that mean the same: a limit and its sign, the forms of a number."""
    if token.kind == "limit" or token.meaning in COMPARATORS:
        return f"limit:{COMPARATORS.get(token.meaning, token.meaning)}"
    if token.is_word:
        return token.folded
    if token.kind in ("modal", "party", "opposite", "connective"):
        return f"{token.kind}:{token.folded}"
    return f"{token.kind}:{token.meaning}"


def _stretch(left: str, right: str, wanted: Sequence[Token], source: str) -> tuple[int, int]:
    """The tokens of the source with the fewest edits; of equally good stretches the one that is nearest to the quote in length."""
    found = fuzz.partial_ratio_alignment(left, right) if len(left) < len(right) else None
    before = fuzz.partial_ratio_alignment(left, right[: found.dest_start]) if found and found.dest_start >= len(left) else None
    if before and found and before.score >= found.score:
        found = before  # the first of equally good places
    low, high = (found.dest_start, found.dest_end) if found else (0, len(right))
    reach = min(_REACH, len(left))
    for _ in range(2):
        starts, ends = range(max(0, low - reach), min(high, low + reach + 1)), range(max(low + 1, high - reach), high + reach + 1)
        low = min(starts, key=lambda n: (_edits(left, right, n, high), abs(high - n - len(left)), n))
        high = min((n for n in ends if n <= len(right)), key=lambda n: (_edits(left, right, low, n), abs(n - low - len(left)), -n))
    return _within_sentence(left, right, low, high, wanted, source)


def _edits(left: str, right: str, low: int, high: int) -> int:
    return Levenshtein.distance(left, right[low:high])


def _within_sentence(left: str, right: str, low: int, high: int, wanted: Sequence[Token], source: str) -> tuple[int, int]:
    """Without a first or last word that faces nothing of its own and belongs to the sentence before or behind."""
    if high - low > 1 and right[low] != left[0] and _SENTENCE_END.search(source, wanted[low].end, wanted[low + 1].start):
        low += 1
    if high - low > 1 and right[high - 1] != left[-1] and _SENTENCE_END.search(source, wanted[high - 2].end, wanted[high - 1].start):
        high -= 1
    return low, high


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
    if left == right or (left.isascii() != right.isascii() and not transliterations(left).isdisjoint(transliterations(right))):
        return "same"  # Mueller or Muller for Müller; two plain words are never each other's transliteration
    if HAS_WILDCARD.search(raw_quote) and _fits(raw_quote, right, _LIGATURES):
        return "same"
    if (HAS_WILDCARD.search(raw_source) and _fits(raw_source, left)) or (HAS_WILDCARD.search(raw_quote) and _fits(raw_quote, right)):
        return "glyph"
    return "same" if left not in common and _has_lost_ligature(left, right) else _form(block, given, wanted)


def _meanings(tokens: Sequence[Token]) -> list[str]:
    return [token.meaning for token in tokens if token.kind == "number"]


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
