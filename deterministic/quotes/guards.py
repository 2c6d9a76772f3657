"""The guarded comparison of a quote with a place of the same letters and digits: the same, folded, a mark short, or altered?

Nothing here is decided by similarity: a digit, decimal point, sign, currency, unit, date, amount, name, negation, limit, modal or
connective that differs is an alteration however alike the texts are. Both directions are compared; what the quote merely leaves out of
the numbers and names is an omission. Rules: judging.md section 1.4.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deterministic.lexicon.folding import SILENT, collapse, fold
from deterministic.lexicon.phrases import CURRENCY_SIGNS
from deterministic.quotes.tokens import NUMBER, Token, number_value, scan_tokens, tokenize

Wording = Literal["exact", "normalised", "mark_lost", "altered", "reworded", "glyphs"]
"""glyphs: nothing differs but glyphs of the source that have no Unicode value, so what stands there cannot be told."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A quote against the source at one place. `start`, `end`: the part of the source it was held against; `similarity` 0..100."""

    wording: Wording
    start: int
    end: int
    similarity: float
    details: tuple[str, ...] = ()
    """What was altered or lost, one phrase each."""


# --- the letters and digits are the same -------------------------------------------------------------------------------------------------

_SIGN_CLASS = "".join(CURRENCY_SIGNS)
_DIGIT_EDGE = re.compile(r"\d")
_MARK = re.compile(rf"[%‰{_SIGN_CLASS}]")
_NEGATING = ("un", "non", "in", "im", "ir", "il", "dis", "mis")


def compare_verbatim(quote: str, text: str, start: int, end: int) -> Reading:
    """`text[start:end]` has the same letters and digits as the quote; judges all that the key does not hold."""
    if cut := cut_short(quote, text, start, end):
        return Reading(
            "mark_lost" if _is_broken_off(quote, text, end) or _is_broken_in(quote, text, start) else "altered", start, end, 100.0, (cut,)
        )
    if collapse(quote) in collapse(text[max(0, start - 8) : end + 8]):
        return Reading("exact", start, end, 100.0)
    lost, altered = _compare_marks(quote, text, start, end)
    if altered:
        return Reading("altered", start, end, 100.0, tuple(altered))
    return Reading("mark_lost" if lost else "normalised", start, end, 100.0, tuple(lost))


def cut_short(quote: str, text: str, start: int, end: int) -> str:
    """A number (or a word with a negating prefix) of which the quote holds only a part; "" when the place is whole."""
    window_start = max(0, start - 40)
    around = text[window_start : end + 40]
    at, until = start - window_start, end - window_start
    for match in re.finditer(NUMBER, around):
        is_cut_behind = match.start() < until < match.end()
        if is_cut_behind and _is_broken_off(quote, text, end) and _REFERENCE_BEFORE.search(around[: match.start()]):
            continue
        if match.start() < at < match.end() or is_cut_behind:
            return f"a number cut short: the source has {match[0]}"
    if cut := _cut_amount(around, at, until):
        return cut
    before = re.search(r"[^\W\d_]+$", around[:at])
    if before and around[at : at + 1].isalpha() and fold(before[0]) in _NEGATING:
        return f"a negating prefix cut off: the source has {before[0]}{around[at:until].split()[0]}"
    if re.search(r"(?:^|[\s(])[-−]$", around[:at]) and around[at : at + 1].isdigit() and not re.search(r"[-−–]\s*\W?$", _lead(quote)):
        return "the sign of a number cut off"
    return ""


_REFERENCE_BEFORE = re.compile(
    r"(?i)(?:sections?|clauses?|articles?|paragraphs?|schedules?|exhibits?|annex|part|rules?|regulations?|appendix|§+|c\.?f\.?r\.?|u\.?s\.?c\.?)"
    r"\s*(?:[\d.()\s,§a-z]{0,3}\d[\d.()a-z]*(?:,|\s|and|or|to|-|–)*)*$"
)


def _is_broken_off(quote: str, text: str, end: int) -> bool:
    """The quote ends in the very full stop that is the source's decimal point: the sentence was broken off there ("Section 5." of 5.1)."""
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit() and _trail(quote).startswith(".")


def _is_broken_in(quote: str, text: str, start: int) -> bool:
    """The quote begins with the very full stop that is the source's decimal point (".90%)" of 0.90%)."""
    return start > 1 and text[start - 1] == "." and text[start - 2].isdigit() and text[start].isdigit() and _lead(quote).endswith(".")


def _lead(quote: str) -> str:
    match = re.search(r"[^\W_]", quote)
    return quote[: match.start()] if match else quote


def _trail(quote: str) -> str:
    match = re.search(r"[^\W_](?=[\W_]*$)", quote)
    return quote[match.end() :] if match else quote


_EDGE = 40
"""Characters at an end of a quote that can hold an amount which goes on outside."""


def _cut_amount(around: str, at: int, until: int) -> str:
    """An amount in words or with a scale word that goes on beyond the quote: three hundred | million, USD 350 | million."""
    if until - at > 4 * _EDGE:
        left, right = around.rfind(" ", at, at + 2 * _EDGE), around.find(" ", until - 2 * _EDGE, until)
        if left > at and right > 0:
            return _cut_amount(around[right:], 0, until - right) or _cut_amount(around[:left], at, left)
    joined = tokenize(around)
    inside = [t for t in joined if t.start >= at and t.end <= until]
    if not inside:
        return ""
    first, last = inside[0], inside[-1]
    following = next((t for t in joined if t.start >= until), None)
    previous = next((t for t in reversed(joined) if t.end <= at), None)
    if following and last.kind in ("number", "scale") and _goes_on(last, following, around[last.end : following.start]):
        return f"an amount cut short: the source goes on {around[following.start : following.end]}"
    if previous and first.kind in ("number", "scale") and _goes_on(previous, first, around[previous.end : first.start]):
        return f"an amount cut short: the source begins {around[previous.start : previous.end]}"
    return ""


def _goes_on(left: Token, right: Token, gap: str) -> bool:
    if gap.strip(" \n\t-‐"):
        return False
    if right.kind == "scale":
        return left.kind in ("number", "scale") and not left.meaning.endswith("th")
    is_words = left.folded.isalpha() and right.folded.isalpha()
    return is_words and right.kind == "number" and left.kind in ("number", "scale") and _continues(left, right)


def _continues(left: Token, right: Token) -> bool:
    """twenty | five, hundred | fifty; not "ten | two" nor ordinals after cardinals ("one second")."""
    if not (left.meaning.isdigit() and right.meaning.isdigit()):
        return False
    return left.kind == "scale" or (int(left.meaning) >= 20 and int(right.meaning) < 10)


@dataclass(frozen=True, slots=True)
class _Figure:
    position: int
    digits: str
    token: Token


def _figures(tokens: Sequence[Token], positions: Sequence[int], text: str) -> list[_Figure]:
    return [
        _Figure(positions[n], fold(text[t.start : t.end]), t)
        for n, t in enumerate(tokens)
        if t.kind == "number" and _DIGIT_EDGE.search(text[t.start : t.end])
    ]


def _positions(tokens: Sequence[Token], text: str) -> list[int]:
    """Where in the key each token begins."""
    positions, length, done = [], 0, 0
    for token in tokens:
        length += len(fold(text[done : token.start]))
        positions.append(length)
        done = token.start
    return positions


def _compare_marks(quote: str, text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """(lost, altered) between a quote and a place with the same letters and digits."""
    lead, trail = len(_lead(quote)), len(_trail(quote))
    first, last = max(0, start - lead - 2), min(len(text), end + trail + 2)
    source = text[first:last]
    skipped = len(fold(text[first:start]))
    source_tokens, quote_tokens = scan_tokens(source), scan_tokens(quote)
    source_at = [p - skipped for p in _positions(source_tokens, source)]
    quote_at = _positions(quote_tokens, quote)
    lost, altered = _compare_figures(
        _figures(quote_tokens, quote_at, quote), _figures(source_tokens, source_at, source), quote, source, len(fold(quote))
    )
    key_length = len(fold(quote))
    wanted = _marks_at(source_tokens, source_at, source)
    given = _marks_at(quote_tokens, quote_at, quote)
    for position in sorted(wanted.keys() | given.keys()):
        if position < 0 or position > key_length:
            continue
        source_marks, quote_marks = wanted.get(position, ""), given.get(position, "")
        is_edge = position in (0, key_length)
        if not _adds(quote_marks, source_marks):
            if _adds(source_marks, quote_marks) and not is_edge:
                lost.append(f"{_difference(source_marks, quote_marks)} of the source is left out")
        elif not _is_worded(_difference(quote_marks, source_marks), text, start, end, position == key_length):
            altered.append(f"the quote has {quote_marks}, the source {source_marks or 'none'}")
        else:
            lost.append(f"{quote_marks} stands in words in the source")
    return lost, altered


def _marks_at(tokens: Sequence[Token], positions: Sequence[int], text: str) -> dict[int, str]:
    """Percent and currency marks by key position; a mark before a word and one behind it have the same position."""
    found: dict[int, str] = {}
    for token, position in zip(tokens, positions, strict=True):
        if token.kind in ("currency", "unit"):
            mark = text[token.start : token.end]
            at = position + len(fold(mark))
            found[at] = found.get(at, "") + mark[-1]
    return found


def _adds(left: str, right: str) -> bool:
    """`left` has a mark that `right` lacks."""
    return any(left.count(mark) > right.count(mark) for mark in set(left))


def _difference(left: str, right: str) -> str:
    return "".join(mark for mark in dict.fromkeys(left) if left.count(mark) > right.count(mark))


def _is_worded(marks: str, text: str, start: int, end: int, is_end: bool) -> bool:
    """An added mark at the edge of a quote that the source states in words just outside: 0.85% for 0.85 | per cent."""
    neighbours = tokenize(text[end : end + 30])[:1] if is_end else tokenize(text[max(0, start - 30) : start])[-1:]
    names = {"%": "%", **CURRENCY_SIGNS}
    return bool(neighbours) and all(names.get(mark) == neighbours[0].meaning for mark in marks)


def _compare_figures(
    given: Sequence[_Figure], wanted: Sequence[_Figure], quote: str, source: str, length: int
) -> tuple[list[str], list[str]]:
    lost: list[str] = []
    altered: list[str] = []
    by_place = {(figure.position, figure.digits): figure for figure in wanted if 0 <= figure.position < length}
    loose_given = []
    for figure in given:
        twin = by_place.pop((figure.position, figure.digits), None)
        if twin is None:
            loose_given.append(figure)
        elif not _same_value(figure, twin, quote, source):
            altered.append(
                f"the quote has {quote[figure.token.start : figure.token.end]}, the source {source[twin.token.start : twin.token.end]}"
            )
        else:
            compare_sign_and_bracket(figure.token, twin.token, lost, altered)
    loose_wanted = list(by_place.values())
    if not _are_respaced(loose_given, loose_wanted, quote, source):
        altered.append("the digits are the same, the numbers are not")
    return lost, altered


def _same_value(left: _Figure, right: _Figure, quote: str, source: str) -> bool:
    return left.token.meaning == right.token.meaning or number_value(collapse(quote[left.token.start : left.token.end])) == number_value(
        collapse(source[right.token.start : right.token.end])
    )


def compare_sign_and_bracket(given: Token, wanted: Token, lost: list[str], altered: list[str]) -> None:
    if given.is_negative != wanted.is_negative and not (wanted.bracket or given.bracket):
        altered.append(f"the sign of {wanted.meaning}")
    if wanted.bracket == "figure" and not given.bracket:
        lost.append(f"the brackets around {wanted.meaning} are left out")
    if given.bracket == "figure" and not wanted.bracket:
        altered.append(f"brackets around {wanted.meaning} that the source does not have")


_LAYOUT = re.compile(r"[\n\t\u00a0\u2009\u202f]|\s\s")


def _are_respaced(given: Sequence[_Figure], wanted: Sequence[_Figure], quote: str, source: str) -> bool:
    """Digits grouped differently: allowed where only white space of a layout (line break, column gap, letter-spacing) was lost or added."""
    if not given and not wanted:
        return True
    if not given or not wanted:
        return False
    for figures, text, others in ((given, quote, wanted), (wanted, source, given)):
        starts = {figure.position for figure in others}
        for left, right in itertools.pairwise(figures):
            if left.position + len(left.digits) != right.position or right.position in starts:
                continue
            gap = text[left.token.end : right.token.start]
            if gap.strip(SILENT).strip() or not (_LAYOUT.search(gap) or len(left.digits) == len(right.digits) == 1):
                return False
        for figure in figures:
            inner = {f.position for f in others if figure.position < f.position < figure.position + len(figure.digits)}
            if inner and not text[figure.token.start : figure.token.end].isdigit():
                return False
    return True
