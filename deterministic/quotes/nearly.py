"""A quote that is nearly verbatim: held against the place that is most like it, by one alignment whose edits are judged one by one.
Up to the contract's number of words that differ the edits decide; farther away they do not. Rules: design/quotes.md."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from deterministic.lexicon.folding import fold, silence_labels
from deterministic.quotes.alignment import Alignment, align, in_order
from deterministic.quotes.edges import cut_short, denied_before
from deterministic.quotes.edits import Judgement, Texts, judge_edits
from deterministic.quotes.guards import Reading, compare_boxes
from deterministic.quotes.quote_match import Finding
from deterministic.quotes.tokens import Token, tokenize
from deterministic.quotes.windows import WordIndex


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


_HOPELESS = 50.0
"""Similarity, 0 to 100, below which a wider window makes no quote nearly verbatim."""
_MARGIN = 400
"""Characters by which a window is widened where the quote covers its first or last word."""


def compare_nearly(quote: str, index: WordIndex, start: int, end: int, most: int) -> Alike:
    """The quote against the best part of `index.text[start:end]`. `most`: the words of the edits up to which they decide."""
    bare = silence_labels(quote, is_quote=True)
    given = in_order(tokenize(bare))
    source, wanted, alignment = _held_against(given, index.text, start, end)
    if alignment and alignment.blocks and (alignment.low == 0 or alignment.high == len(wanted)) and alignment.similarity > _HOPELESS:
        start = max(0, index.text.rfind(" ", 0, max(0, start - _MARGIN)) + 1)
        end = max(end, index.text.rfind(" ", 0, end + _MARGIN)) if end + _MARGIN < len(index.text) else len(index.text)
        source, wanted, alignment = _held_against(given, index.text, start, end)
    if alignment is None:
        return Alike(0.0, start, start, lambda: Reading("reworded", start, start, 0.0))
    ends = wanted[alignment.low : alignment.high]
    place = start + min(token.start for token in ends), start + max(token.end for token in ends)
    texts = Texts(bare, source, given, wanted, index.lower_case, index.postings)

    def judge() -> Reading:
        found = judge_edits(alignment, texts)
        boxes, wording = compare_boxes(quote, index.text, *place)
        if boxes:
            {"altered": found.altered, "mark_lost": found.lost}.get(wording, found.doubtful).append(boxes)
        if not found.altered and (turned := _at_the_ends(alignment, texts, quote, index.text, place)):
            found.altered.append(turned)
        return _reading(found, most, place, alignment.similarity)

    return Alike(alignment.similarity, *place, judge)


def _held_against(given: Sequence[Token], text: str, start: int, end: int) -> tuple[str, Sequence[Token], Alignment | None]:
    """The source between two offsets without its labels, its tokens, and the alignment with them."""
    source = silence_labels(text[start:end])
    wanted = in_order(tokenize(source))
    return source, wanted, align(given, wanted, source)


def _at_the_ends(alignment: Alignment, texts: Texts, quote: str, text: str, place: tuple[int, int]) -> str:
    """What is cut short, denied or ticked otherwise at the place."""
    blocks = alignment.blocks
    is_whole = not blocks or (blocks[0].given_at > 0 and blocks[-1].given_at + len(blocks[-1].given) < len(texts.given))
    if is_whole and (cut := cut_short(quote, text, *place)):
        return cut
    if not fold(quote).startswith(fold(texts.quote[:40])) and (denied := denied_before(text, place[0])):
        return denied
    return ""


def _reading(found: Judgement, most: int, place: tuple[int, int], similarity: float) -> Reading:
    if found.words > most or found.doubtful:
        return Reading("reworded", *place, similarity, tuple(found.altered + found.doubtful))
    if found.altered:
        return Reading("altered", *place, similarity, tuple(found.altered))
    lost: tuple[Finding, ...] = (("QUOTE_MARK_LOST", "; ".join(found.lost)),) if found.lost else ()
    if found.is_reworded or found.changed:
        changed: tuple[Finding, ...] = (("WORD_CHANGED", "; ".join(found.changed)),) if found.changed else ()
        return Reading("changed", *place, similarity, findings=(*changed, *lost))
    if found.lost:
        return Reading("mark_lost", *place, similarity, tuple(found.lost))
    return Reading("glyphs" if found.is_glyph else "normalised", *place, similarity)
