"""The guarded comparison of a quote with a place whose words differ: altered, or only reworded?

Nothing here is decided by similarity: a digit, decimal point, sign, currency, unit, date, amount, name, negation, limit, modal or
connective that differs is an alteration however alike the texts are. Both directions are compared; what the quote merely leaves out of
the numbers and names is an omission. Rules: judging.md section 1.4.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from rapidfuzz import fuzz

from deterministic.quotes.alignment import Operation, matched_range, tighten
from deterministic.quotes.blocks import Block, Judgement, Sides, judge_block
from deterministic.quotes.guards import Reading, compare_sign_and_bracket, cut_short
from deterministic.quotes.tokens import Token, tokenize


def compare_reworded(quote: str, text: str, start: int, end: int, *, common: Container[str] = ()) -> Reading:
    """The quote against the best part of `text[start:end]`, word by word.

    `common` holds words that the document often writes in lower case: such a word is no name only because it is capitalised.
    """
    source = text[start:end]
    given, every = tokenize(quote), tokenize(source)
    wanted, operations = tighten(given, every, quote, source)
    if not any(tag == "equal" for tag, *_ in operations):
        return Reading("reworded", start, start, 0.0)
    low, high = matched_range(operations, wanted)
    shown = wanted[low:high]
    similarity = fuzz.ratio(" ".join(t.folded for t in given), " ".join(t.folded for t in shown))
    sides = Sides(given, wanted, shown, every, quote, source, common)
    found = _judge_blocks(operations, low, high, sides)
    place = (start + shown[0].start, start + shown[-1].end)
    is_whole = operations[0][0] == "equal" and operations[-1][0] == "equal"
    if not found.altered and is_whole and (cut := cut_short(quote, text, *place)):
        found.altered.append(cut)
    return _reading(found, place, similarity)


def _judge_blocks(operations: Sequence[Operation], low: int, high: int, sides: Sides) -> Judgement:
    found = Judgement()
    blocks = [
        Block(tuple(sides.given[i1:i2]), tuple(sides.wanted[max(j1, low) : min(j2, high)]), i1, max(j1, low))
        for tag, i1, i2, j1, j2 in operations
        if tag == "differ" and (i1 < i2 or (low <= j1 and j2 <= high))
    ]
    for tag, i1, i2, j1, _ in operations:
        if tag == "equal":
            _compare_equals(sides.given[i1:i2], sides.wanted[j1 : j1 + i2 - i1], found)
    for block in blocks:
        found.add(judge_block(block, blocks, sides))
    return found


def _compare_equals(given: Sequence[Token], wanted: Sequence[Token], found: Judgement) -> None:
    """Tokens that mean the same may still differ in sign, brackets or notation ("ten" for 10)."""
    for left, right in zip(given, wanted, strict=True):
        compare_sign_and_bracket(left, right, found.lost, found.altered)
        found.is_reworded |= left.folded != right.folded


def _reading(found: Judgement, place: tuple[int, int], similarity: float) -> Reading:
    if found.altered:
        return Reading("altered", *place, similarity, tuple(found.altered))
    if found.is_reworded or found.doubtful:
        return Reading("reworded", *place, similarity, tuple(found.doubtful))
    if found.lost:
        return Reading("mark_lost", *place, similarity, tuple(found.lost))
    return Reading("glyphs" if found.is_glyph else "normalised", *place, similarity)
