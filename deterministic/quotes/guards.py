"""The guarded comparison of a quote with a place of the same letters and digits: the same, folded, a mark short, or altered?
Nothing here is decided by similarity: a digit, decimal point, sign, currency, unit, date, amount, name, negation, limit, modal or
connective that differs is an alteration however alike the texts are. Both directions are compared; what the quote merely leaves out of the
numbers and names is an omission. Rules: design/quotes.md."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from deterministic.lexicon.currencies import KNOWN_CODES, SYMBOLS
from deterministic.lexicon.folding import collapse, fold
from deterministic.lexicon.guarded import COMPARATORS, CROSSES, RATING, TICKED, TICKS, UNTICKED
from deterministic.lexicon.numbers import fold as plain
from deterministic.lexicon.records import record
from deterministic.quotes.edges import cut_short, cut_word, denied_subject, is_broken_in, is_broken_off, lead, trail, turned_round
from deterministic.quotes.tokens import Token, same_number, scan_tokens, tokenize

Wording = Literal["exact", "normalised", "mark_lost", "altered", "changed", "reworded", "glyphs", "doubtful"]
"""changed: words of known weight differ, none of which turns the meaning. glyphs: nothing differs but glyphs of
the source that have no Unicode value, so what stands there cannot be told. doubtful: the same words, but their denied subject is left out,
or a running line at their beginning or end may stand for a word of the sentence."""


@record
class Reading:
    """A quote against the source at one place. `start`, `end`: the part of the source it was held against; `similarity` 0..100."""

    wording: Wording
    start: int
    end: int
    similarity: float
    details: tuple[str, ...] = ()
    """What was altered or lost, one phrase each."""
    findings: tuple[tuple[str, str], ...] = ()
    """(code, detail) of a "changed" wording."""


_DIGIT = re.compile(r"\d")


def compare_verbatim(
    quote: str, text: str, start: int, end: int, is_word: Callable[[str], int] = lambda word: 0, *, is_inner: bool = False
) -> Reading:
    """`text[start:end]` has the same letters and digits as the quote; judges all that the key does not hold. `is_word`: how often the
    document has a (folded) word, to tell a word that is cut off from two that are glued. `is_inner`: the quote follows on another part, so
    that what stands before it is judged with the gap between them."""
    if cut := cut_short(quote, text, start, end, is_inner=is_inner):
        is_broken = is_broken_off(quote, text, end) or is_broken_in(quote, text, start)
        return Reading("mark_lost" if is_broken else "altered", start, end, 100.0, (cut,))
    if not is_inner and (turned := turned_round(text, start, end)):
        return Reading("altered", start, end, 100.0, (turned,))
    cut = cut_word(quote, text, start, end, is_word)
    if not is_inner and (doubt := denied_subject(text, start, end)):
        return Reading("doubtful", start, end, 100.0, (doubt,))
    given, wanted = (plain("".join(RATING.findall(side))) for side in (quote, text[start : end + len(trail(quote)) + 2]))
    if given != wanted:
        return Reading(
            "doubtful", start, end, 100.0, (f"the ratings are {given or 'without sign'}, those of the source {wanted or 'are'}",)
        )
    if not cut and collapse(quote) in collapse(text[max(0, start - 8) : end + 8]):
        return Reading("exact", start, end, 100.0)
    boxes, wording = compare_boxes(quote, text, start, end)
    if wording in ("altered", "doubtful"):
        return Reading(wording, start, end, 100.0, (boxes,))
    lost, altered, doubtful = _compare_marks(quote, text, start, end)
    lost += [boxes] if boxes else []
    if cut:  # of II, which labels a row, the quote's I is another row's label
        (doubtful if cut.split()[-1].isupper() else lost).append(cut)
    if altered or doubtful:
        return Reading("altered" if altered else "doubtful", start, end, 100.0, tuple(altered or doubtful))
    return Reading("mark_lost" if lost else "normalised", start, end, 100.0, tuple(lost))


@dataclass(frozen=True, slots=True)
class _Figure:
    position: int
    digits: str
    token: Token


def _figures(tokens: Sequence[Token], positions: Sequence[int], text: str) -> list[_Figure]:
    folded = ((n, t, fold(text[t.start : t.end])) for n, t in enumerate(tokens) if t.kind == "number")
    return [_Figure(positions[n], digits, t) for n, t, digits in folded if _DIGIT.search(digits)]


def _positions(tokens: Sequence[Token], text: str) -> list[int]:
    """Where in the key each token begins."""
    positions, length, done = [], 0, 0
    for token in tokens:
        length += len(fold(text[done : token.start]))
        positions.append(length)
        done = token.start
    return positions


def _compare_marks(quote: str, text: str, start: int, end: int) -> tuple[list[str], list[str], list[str]]:
    """(lost, altered, doubtful) between a quote and a place with the same letters and digits."""
    first = max(0, start - len(lead(quote)) - 2)
    source = text[first : end + len(trail(quote)) + 2]
    skipped = len(fold(text[first:start]))
    source_tokens, quote_tokens = ([t for t in scan_tokens(side) if not t.is_word] for side in (source, quote))
    source_at = [p - skipped for p in _positions(source_tokens, source)]
    quote_at = _positions(quote_tokens, quote)
    figures = _figures(quote_tokens, quote_at, quote), _figures(source_tokens, source_at, source)
    lost, altered, doubtful = _compare_figures(*figures, quote, source, len(fold(quote)))
    key_length = len(fold(quote))
    wanted = _marks_at(source_tokens, source_at, source)
    given = _marks_at(quote_tokens, quote_at, quote)
    for position in sorted(wanted.keys() | given.keys()):
        if position < 0 or position > key_length:
            continue
        source_marks, quote_marks = _without_dash(wanted.get(position, ""), given.get(position, ""))
        is_edge = position in (0, key_length)
        if not _adds(quote_marks, source_marks):
            if _adds(source_marks, quote_marks) and not is_edge:
                lost.append(f"{_difference(source_marks, quote_marks)} of the source is left out")
        elif not _is_worded(_difference(quote_marks, source_marks), text, start, end, position == key_length):
            altered.append(f"the quote has {quote_marks}, the source {source_marks or 'none'}")
        else:
            lost.append(f"{quote_marks} stands in words in the source")
    return lost, altered, doubtful


def _marks_at(tokens: Sequence[Token], positions: Sequence[int], text: str) -> dict[int, str]:
    """Percent, currency, comparison and arithmetic signs by key position; one before a word and one behind it have the same position."""
    found: dict[int, str] = {}
    for token, position in zip(tokens, positions, strict=True):
        mark = text[token.start : token.end]
        if token.kind in ("currency", "unit", "sign") and mark[:-1].strip().upper() not in KNOWN_CODES:
            at = position + len(fold(mark))
            found[at] = found.get(at, "") + (token.meaning if token.kind == "sign" else mark[-1])
    return found


_BOX = re.compile(f"[{TICKED}{UNTICKED}]")


def compare_boxes(quote: str, text: str, start: int, end: int) -> tuple[str, Wording]:
    """(what differs, how it is judged) between the check boxes of a quote and those of its place, one by one in their order; ("", "exact")
    where nothing does. Boxes of one kind alone are bullets; boxes that the reader of the document did not see are a doubt."""
    marks = [_BOX.findall(side) for side in (quote, text[max(0, start - 3) : end])]
    is_tick_or_cross = not {*CROSSES}.isdisjoint(marks[0] + marks[1]) and not {*TICKS}.isdisjoint(marks[0] + marks[1])
    given, wanted = ([_box(mark, is_tick_or_cross) for mark in side] for side in marks)
    wanted = wanted[len(wanted) - len(given) :] if _BOX.match(quote) is None and len(wanted) > len(given) else wanted
    if given == wanted or (not wanted and {*given} == {"not ticked"}) or (not given and len({*wanted}) == 1):
        return "", "exact"
    if not given:
        return "the check boxes of the source are left out", "mark_lost"
    told = f"the boxes of the quote are {', '.join(given)}, those of the source {', '.join(wanted) or 'none'}"
    return told, "altered" if wanted else "doubtful"


def _box(mark: str, is_tick_or_cross: bool) -> str:
    return "ticked" if mark in TICKED and not (is_tick_or_cross and mark in CROSSES) else "not ticked"


def _without_dash(first: str, second: str) -> tuple[str, str]:
    """A dash counts as minus only where the other text has a plus; elsewhere it is punctuation. Marks of a list before a quote are none."""
    if "+" in first + second and "-" in first + second:
        return first, second
    return first.replace("-", ""), second.replace("-", "")


def _adds(left: str, right: str) -> bool:
    """`left` has a mark that `right` lacks."""
    return any(left.count(mark) > right.count(mark) for mark in set(left))


def _difference(left: str, right: str) -> str:
    return "".join(mark for mark in dict.fromkeys(left) if left.count(mark) > right.count(mark))


_WORDS_OF_SIGNS = {"%": {"%"}} | {sign: {limit} for sign, limit in COMPARATORS.items()}


def _is_worded(marks: str, text: str, start: int, end: int, is_end: bool) -> bool:
    """An added mark at the edge of a quote that the source states in words just outside: 0.85% for 0.85 | per cent."""
    neighbours = tokenize(text[end : end + 30])[:1] if is_end else tokenize(text[max(0, start - 30) : start])[-1:]
    wanted = [_WORDS_OF_SIGNS.get(mark) or set(SYMBOLS.get(mark, ())) for mark in marks]
    return bool(neighbours) and all(names & set(neighbours[0].meaning.split("/")) for names in wanted)


def _compare_figures(
    given: Sequence[_Figure], wanted: Sequence[_Figure], quote: str, source: str, length: int
) -> tuple[list[str], list[str], list[str]]:
    lost: list[str] = []
    altered: list[str] = []
    doubtful: list[str] = []
    by_place = {(figure.position, figure.digits): figure for figure in wanted if 0 <= figure.position < length}
    loose_given = []
    for figure in given:
        if (twin := by_place.pop((figure.position, figure.digits), None)) is None:
            loose_given.append(figure)
        elif not _same_value(figure, twin, quote, source):
            mine, other = figure.token, twin.token
            altered.append(f"the quote has {quote[mine.start : mine.end]}, the source {source[other.start : other.end]}")
        else:
            compare_sign_and_bracket(figure.token, twin.token, lost, altered, doubtful)
    loose_wanted = list(by_place.values())
    if loose_given and loose_wanted:  # where white space alone parts them, a layout may have; raised and lowered digits are no figures
        is_spacing = _run_together(loose_given, quote) == _run_together(loose_wanted, source)
        (doubtful if is_spacing else altered).append("the digits are the same, the numbers are not")
    return lost, altered, doubtful


def _run_together(figures: Sequence[_Figure], text: str) -> str:
    """The figures and points from the first of them to the last, without what groups digits."""
    return re.sub(r"[^\d./½¼¾⅓⅔⅛]", "", text[figures[0].token.start : figures[-1].token.end])


def _same_value(left: _Figure, right: _Figure, quote: str, source: str) -> bool:
    mine, other = left.token, right.token
    return mine.meaning == other.meaning or same_number(quote[mine.start : mine.end], source[other.start : other.end])


def compare_sign_and_bracket(given: Token, wanted: Token, lost: list[str], altered: list[str], doubtful: list[str]) -> None:
    """An editor sets square brackets; round ones can be a minus. A dash behind a figure may be one, or end a clause."""
    brackets = given.bracket, wanted.bracket
    if brackets in (("", "minus"), ("minus", "")):
        doubtful.append(f"a dash behind {wanted.folded}, which may be a minus")
    if given.is_negative != wanted.is_negative and not {"figure", "enumerator"}.intersection(brackets):
        altered.append(f"the sign of {wanted.folded}")
    if brackets in (("", "figure"), ("square", "figure"), ("", "square")):
        (lost if wanted.bracket == "square" else doubtful).append(f"the brackets around {wanted.folded} are left out")
    if brackets == ("figure", ""):
        altered.append(f"brackets around {wanted.folded} that the source does not have")
