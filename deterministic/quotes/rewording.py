"""The guarded comparison of a quote with a place whose words differ: altered, or only reworded?

Nothing here is decided by similarity: a digit, decimal point, sign, currency, unit, date, amount, name, negation, limit, modal or
connective that differs is an alteration however alike the texts are. Both directions are compared; what the quote merely leaves out of
the numbers and names is an omission. Rules: judging.md section 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rapidfuzz import fuzz

from deterministic.lexicon.folding import SILENT, fold, silence_labels
from deterministic.quotes.alignment import Operation, matched_range, tighten
from deterministic.quotes.block import Block, Judgement, Texts
from deterministic.quotes.blocks import judge_block
from deterministic.quotes.guards import Reading, compare_sign_and_bracket, cut_short, denied_before
from deterministic.quotes.quote_match import Finding
from deterministic.quotes.tokens import Token, tokenize

_RUN = 4
"""Words in a row from which a part of a quote that leaves words out is a part."""
_MOST_OMISSIONS = 2
_PARENTHESIS = re.compile(r"\([^()]{20,600}\)")


@dataclass(frozen=True)
class Alike:
    """The part `start` to `end` of a text that is most like a quote. `similarity`: 0 to 100; what differs is judged when asked for."""

    similarity: float
    start: int
    end: int
    judge: Callable[[], Reading]

    @cached_property
    def reading(self) -> Reading:
        return self.judge()


def compare_reworded(quote: str, text: str, start: int, end: int, *, common: Container[str] = ()) -> Alike:
    """The quote against the best part of `text[start:end]`, word by word.

    `common` holds words that the document often writes in lower case: such a word is no name only because it is capitalised.
    """
    source = silence_labels(text[start:end])
    alike = _compare(quote, source, start, common, text)
    if (shorter := _without_parentheses(quote, source)) != source and alike.reading.wording in ("altered", "reworded"):
        other = _compare(quote, shorter, start, common, text)
        if other.similarity > alike.similarity:
            is_same = other.reading.wording in ("exact", "normalised")
            return replace(other, judge=lambda: replace(other.reading, wording="changed")) if is_same else other
    return alike


def _without_parentheses(quote: str, source: str) -> str:
    """Same length; what stands in brackets and not in the quote is silenced: an undertaking without its parenthesis."""
    key = fold(quote)
    return _PARENTHESIS.sub(lambda match: match[0] if fold(match[0]) in key else SILENT * len(match[0]), source)


def _compare(quote: str, source: str, start: int, common: Container[str], text: str) -> Alike:
    bare = silence_labels(quote, is_quote=True)
    given, every = tokenize(bare), tokenize(source)
    wanted, operations = tighten(given, every, quote, source)
    if not any(tag == "equal" for tag, *_ in operations):
        return Alike(0.0, start, start, lambda: Reading("reworded", start, start, 0.0))
    low, high = matched_range(operations, wanted)
    shown = wanted[low:high]
    similarity = fuzz.ratio(" ".join(t.folded for t in given), " ".join(t.folded for t in shown))
    place = (start + shown[0].start, start + shown[-1].end)

    def judge() -> Reading:
        texts = Texts(given, wanted, shown, every, quote, source, common)
        found = _judge_blocks(operations, low, high, texts, is_close=similarity >= _CLOSE)
        is_whole = operations[0][0] == "equal" and operations[-1][0] == "equal"
        if not found.altered and is_whole and (cut := cut_short(quote, text, *place)):
            found.altered.append(cut)
        if not fold(quote).startswith(fold(bare[:40])) and (denied := denied_before(text, place[0])):
            found.altered.append(denied)
        return _reading(found, place, similarity)

    return Alike(similarity, *place, judge)


_CLOSE = 90.0
"""Similarity, 0 to 100, from which a text is not told in other words: a negation or an obligation that differs contradicts."""


def _judge_blocks(operations: Sequence[Operation], low: int, high: int, texts: Texts, *, is_close: bool) -> Judgement:
    found = Judgement()
    blocks = []
    for n, (tag, i1, i2, j1, j2) in enumerate(operations):
        if tag == "differ" and (i1 < i2 or (low <= j1 and j2 <= high)):
            runs = [other[2] - other[1] for other in (*operations[max(0, n - 1) : n], *operations[n + 1 : n + 2])]
            block = Block(tuple(texts.given[i1:i2]), tuple(texts.wanted[max(j1, low) : min(j2, high)]), i1, max(j1, low))
            blocks.append((block, min(runs, default=0)))
        elif tag == "equal":
            _compare_equals(texts.given[i1:i2], texts.wanted[j1 : j1 + i2 - i1], found)
    judged = [judge_block(block, [block for block, _ in blocks], texts) for block, _ in blocks]
    omissions = 0
    for one, (block, run) in zip(judged, blocks, strict=True):
        if _makes_a_figure(block, texts.given):
            one.unknown.append("a date or amount put together")
        if one.left_out:
            omissions += 1
            if omissions > _MOST_OMISSIONS or run < _RUN:
                one.unknown.extend(one.left_out)
    for n, one in enumerate(judged):
        if not is_close and _is_retold([*judged[:n], *judged[n + 1 :]]):
            one.unknown.extend(one.doubtful)
            one.doubtful = []
            one.unknown.extend(one.soft)
        else:
            one.altered.extend(one.soft)
        found.add(one)
    return found


def _makes_a_figure(block: Block, given: Sequence[Token]) -> bool:
    """What is left out stands between a month and a day, or inside an amount: "November [1, ... December] 30"."""
    at = block.given_at
    if block.given or not 0 < at < len(given):
        return False
    if all(t.meaning == given[at - 1].meaning for t in block.wanted if t.kind in ("number", "month")):
        return False  # thirty [(30)] days
    return given[at - 1].kind in ("number", "month", "currency") and given[at].kind in ("number", "month", "currency", "unit")


def _is_retold(others: Sequence[Judgement]) -> bool:
    """So much else is in other words that a negation or an obligation may only stand elsewhere: only figures still contradict."""
    return sum(one.is_reworded for one in others) > 1 or any(one.unknown for one in others)


def _compare_equals(given: Sequence[Token], wanted: Sequence[Token], found: Judgement) -> None:
    """Tokens that mean the same may still differ in sign, brackets or notation ("ten" for 10)."""
    for left, right in zip(given, wanted, strict=True):
        compare_sign_and_bracket(left, right, found.lost, found.altered)
        found.is_reworded |= left.folded != right.folded and not _is_same_fraction(left, right)


def _is_same_fraction(left: Token, right: Token) -> bool:
    """12½ and 12 1/2 are one notation of a fraction."""
    return left.kind == "number" and "/" in left.meaning


def _reading(found: Judgement, place: tuple[int, int], similarity: float) -> Reading:
    if found.altered:
        return Reading("altered", *place, similarity, tuple(found.altered))
    if found.doubtful or found.unknown:
        return Reading("reworded", *place, similarity, tuple(found.doubtful))
    lost: tuple[Finding, ...] = (("QUOTE_MARK_LOST", "; ".join(found.lost)),) if found.lost else ()
    if found.is_reworded or found.changed or found.skipped:
        changed: tuple[Finding, ...] = (("WORD_CHANGED", "; ".join(found.changed)),) if found.changed else ()
        skipped: tuple[Finding, ...] = (("ELLIPSIS_SKIPS_LIMITER", ", ".join(found.skipped)),) if found.skipped else ()
        return Reading("changed", *place, similarity, findings=(*changed, *skipped, *lost))
    if found.lost:
        return Reading("mark_lost", *place, similarity, tuple(found.lost))
    return Reading("glyphs" if found.is_glyph else "normalised", *place, similarity)
