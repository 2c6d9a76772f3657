"""Negations, limits, modals, connectives and opposites of a block: words that turn a sentence round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from deterministic.lexicon.phrases import NEGATING_PREFIXES, OPPOSITES, are_opposed
from deterministic.quotes.block import Block, Judgement, Texts, note
from deterministic.quotes.tokens import Token

_MOVED = 4
"""How many unchanged words may lie between a negation and the place it moved to ("No Obligor shall" / "The Obligors shall not")."""


_SIGNS = {"≥": "MINIMUM", "≤": "MAXIMUM", ">": "MORE", "<": "LESS"}


def _polarity(tokens: Sequence[Token]) -> Counter[str]:
    """Negations and limits; a sign counts as the limit that it stands for."""
    signs = (_SIGNS.get(t.meaning, t.meaning) for t in tokens if t.kind == "sign")
    return Counter([t.meaning for t in tokens if t.kind in ("negation", "limit")]) + Counter(signs)


def compare_negations(block: Block, blocks: Sequence[Block], texts: Texts, result: Judgement) -> None:
    given, wanted = _polarity(block.given), _polarity(block.wanted)
    added, missing = given - wanted, wanted - given
    signs = {_SIGNS.get(t.meaning, t.meaning): t.meaning for t in block.wanted if t.kind == "sign"}
    for word in (*added, *missing):
        other = missing if word in added else added
        if word in signs and not other:
            result.lost.append(f"{signs[word]} of the source is left out")
            continue
        if word == "-" and "+" not in (*added, *missing):
            continue
        if word == "LATEST" and any(t.folded in ("within", "by") for t in (block.wanted if word in added else block.given)):
            continue
        if {word, *other} >= {"NOT", "FAIL"} or (word == "FAIL" and not block.given and len(block.wanted) > 2):
            continue
        if word == "NOT" and not other and _is_moved(block, blocks, word in added, texts):
            continue
        if word in missing and not other and any(t.kind == "word" and t.folded in result.unknown for t in block.given):
            continue  # perhaps an unknown word says it: "surpass" for "exceed"
        if word in missing and word == "EXCEPT" and not block.given and len(block.wanted) > SHORT:
            result.skipped.append(word.lower())
            continue
        note(block, result, f"the quote {'adds' if word in added else 'leaves out'} '{word.lower()}'")
    if pair := _negated_pair(block):
        note(block, result, pair)


SHORT = 3
"""Words up to which a limiter that is left out is left out alone, without what it limits."""


def _is_moved(block: Block, blocks: Sequence[Block], is_added: bool, texts: Texts) -> bool:
    """The negation that is added here is left out a few words away in the same sentence, or the reverse: it only moved."""
    for other in blocks:
        first, second = (block, other) if block.wanted_at <= other.wanted_at else (other, block)
        between = texts.wanted[first.wanted_at + len(first.wanted) : second.wanted_at]
        if other is block or len(between) > _MOVED or any(t.kind == "connective" for t in between):
            continue
        difference = _polarity(other.given)["NOT"] - _polarity(other.wanted)["NOT"]
        if difference and (difference < 0) == is_added:
            return True
    return False


def _negated_pair(block: Block) -> str:
    """secured / unsecured, lawful / unlawful."""
    standing = {token.folded for token in block.wanted}
    for word in (token.folded for token in block.given):
        others = {prefix + word for prefix in NEGATING_PREFIXES if len(word) >= 4}
        others |= {word[len(p) :] for p in NEGATING_PREFIXES if word.startswith(p) and len(word) - len(p) >= 4}
        if found := others & standing:
            return f"{word} in place of {next(token.folded for token in block.wanted if token.folded in found)}"
    return ""


def compare_modals(block: Block, texts: Texts, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "modal"}
    wanted = {t.meaning for t in block.wanted if t.kind == "modal"}
    if len(given) != 1 or len(wanted) != 1 or given == wanted:
        return
    if _is_negated(block.given, block.given_at, texts.given, texts.quote) and _is_negated(
        block.wanted, block.wanted_at, texts.wanted, texts.source
    ):
        return
    note(block, result, f"{min(given).lower()} in place of {min(wanted).lower()}")


_SUBJECT_NEGATIONS = frozenset({"no", "none", "neither", "nor", "nobody", "nothing", "noone", "never"})


def _is_negated(tokens: Sequence[Token], at: int, text: Sequence[Token], raw: str) -> bool:
    """The modal of the block stands under a negation: "shall not", "no Obligor may" (where obligation and permission are one)."""
    index = next(at + n for n, t in enumerate(tokens) if t.kind == "modal")
    if any(t.meaning == "NOT" and t.folded in ("not", "never", "no", "in no") for t in text[index + 1 : index + 2]):
        return True
    for n in range(index - 1, max(-1, index - 13), -1):
        gap = raw[text[n].end : text[n + 1].start]
        if any(mark in gap for mark in ".;:,") or text[n].kind == "modal" or text[n].meaning == "AND":
            return False
        if text[n].folded in _SUBJECT_NEGATIONS:
            return True
    return False


def compare_connectives(block: Block, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "connective"}
    wanted = {t.meaning for t in block.wanted if t.kind == "connective"}
    if given and wanted and not (given & wanted):
        note(block, result, f"{'/'.join(sorted(given)).lower()} in place of {'/'.join(sorted(wanted)).lower()}")


def compare_opposites(block: Block, result: Judgement) -> None:
    """A word in place of another that turns the meaning: before / after, increase / reduce, interest / principal."""
    given = [t for t in block.given if t.folded in OPPOSITES]
    wanted = [t for t in block.wanted if t.folded in OPPOSITES]
    stay = {t.folded for t in given} & {t.folded for t in wanted}
    for left in given:
        for right in wanted:
            if left.folded not in stay and right.folded not in stay and are_opposed(left.folded, right.folded):
                note(block, result, f"{left.folded} in place of {right.folded}")
                return
