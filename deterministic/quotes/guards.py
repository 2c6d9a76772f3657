"""The guarded comparison of a quote with a place of the same letters and digits: the same, folded, a mark short, or altered?

Nothing here is decided by similarity: a digit, decimal point, sign, currency, unit, date, amount, name, negation, limit, modal or
connective that differs is an alteration however alike the texts are. Both directions are compared; what the quote merely leaves out of
the numbers and names is an omission. Rules: judging.md section 1.4.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from deterministic.lexicon.currencies import KNOWN_CODES, SYMBOLS
from deterministic.lexicon.folding import SILENT, collapse, fold
from deterministic.lexicon.guarded import COMPARATORS, CROSSES, GUARDED, SUBJECT_NEGATIONS, TICKED, TICKS, UNTICKED, any_of, pattern
from deterministic.lexicon.phrases import FINITE_VERBS, NEGATING_PREFIXES
from deterministic.lexicon.records import record
from deterministic.quotes.tokens import GOES_ON, LETTER, Token, same_number, scan_tokens, tokenize, written

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


# --- the letters and digits are the same -------------------------------------------------------------------------------------------------

_DIGIT = re.compile(r"\d")


def compare_verbatim(
    quote: str, text: str, start: int, end: int, is_word: Callable[[str], int] = lambda word: 0, *, is_inner: bool = False
) -> Reading:
    """`text[start:end]` has the same letters and digits as the quote; judges all that the key does not hold.

    `is_word`: how often the document has a (folded) word, to tell a word that is cut off from two that are glued. `is_inner`: the quote
    follows on another part, so that what stands before it is judged with the gap between them."""
    if cut := cut_short(quote, text, start, end, is_inner=is_inner):
        is_broken = _is_broken_off(quote, text, end) or _is_broken_in(quote, text, start)
        return Reading("mark_lost" if is_broken else "altered", start, end, 100.0, (cut,))
    if not is_inner and (turned := _turned_round(text, start, end)):
        return Reading("altered", start, end, 100.0, (turned,))
    cut = _cut_word(quote, text, start, end, is_word)
    if not is_inner and (doubt := _denied_subject(text, start, end)):
        return Reading("doubtful", start, end, 100.0, (doubt,))
    if not cut and collapse(quote) in collapse(text[max(0, start - 8) : end + 8]):
        return Reading("exact", start, end, 100.0)
    boxes, wording = compare_boxes(quote, text, start, end)
    if wording in ("altered", "doubtful"):
        return Reading(wording, start, end, 100.0, (boxes,))
    lost, altered = _compare_marks(quote, text, start, end)
    lost += [boxes] if boxes else []
    if altered:
        return Reading("altered", start, end, 100.0, tuple(altered))
    lost += [cut] if cut else []
    return Reading("mark_lost" if lost else "normalised", start, end, 100.0, tuple(lost))


# --- what goes on outside the quote ------------------------------------------------------------------------------------------------------

_EDGE = 60
"""Characters on either side of an end of a quote in which an amount or a limit can go on outside."""
_PREFIX = re.compile(rf"(?<![^\W\d_])(?P<prefix>{'|'.join(NEGATING_PREFIXES)})(?:(?<=non)[-‐–][ \t]*\n?[ \t]*)?\Z", re.I)


def cut_short(quote: str, text: str, start: int, end: int, *, is_inner: bool = False) -> str:
    """A number, a limit or a negated word of which the quote holds only a part; "" when the place is whole."""
    for edge, is_end in ((start, False), (end, True)):
        low = text.rfind(" ", 0, max(0, edge - _EDGE)) + 1
        around = text[low : edge + _EDGE]
        is_whole = not _may_go_on(around, edge - low) or (
            not is_end and _NUMBERING.search(text, max(0, edge - 2 * _EDGE), edge) is not None
        )
        for token in () if is_whole else tokenize(around):
            if not low + token.start < edge < low + token.end:
                continue
            raw = around[token.start : token.end]
            if token.kind == "number" and not (
                _is_row(raw, edge - low - token.start)
                or _ends_reference(quote, around, token, text, edge, is_end)
                or (not is_end and _heads_a_provision(text, low + token.start, edge))
            ):
                return f"a number cut short: the source has {raw}"
            is_denied = token.kind == "limit" and not is_end and re.match(r"(?:not?|never)\b", raw, re.I)
            if is_denied and not is_inner and tokenize(around[edge - low : token.end])[0].kind in ("limit", "opposite"):
                return f"a limit cut short: the source has {raw}"
    before = text[max(0, start - 12) : start]
    if (prefix := _PREFIX.search(before)) and text[start : start + 1].isalpha():
        return f"a negating prefix cut off: the source has {prefix[0].strip()}{text[start:end].split()[0]}"
    if re.search(r"(?:^|[\s(])[-−]\Z", before) and text[start : start + 1].isdigit() and not re.search(r"[-−–]\s*\W?$", _lead(quote)):
        return "the sign of a number cut off"
    return ""


_NUMBERING = re.compile(
    r"(?:\A|\n[ \t]*\n|[.;:)][ \t]*\n|(?:\A|\n)[ \t]*\d{1,3}[.)]?[ \t][^\n]{0,80}\n)[ \t]*\(?\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+\Z"
)
"""The number of a provision at the beginning of its line, behind the end of another one: in "1.1 K-Line Ship Limited" it is no amount."""
_WORDS = re.compile(r"[^\W_]+")


def _may_go_on(around: str, at: int) -> bool:
    """Whether a number or a limit can lie across a place: in the middle of a word, or between two words of which they are made."""
    if (around[at - 1 : at].isalnum() and around[at : at + 1].isalnum()) or SILENT in around:
        return True
    behind = _WORDS.search(around, at)
    if behind is None or not _is_made_of(behind[0]):
        return False
    before = _WORDS.findall(around[:at])
    return bool(before) and _is_made_of(before[-1])


def _is_made_of(word: str) -> bool:
    """A number or a limit of several words can have this one."""
    folded = fold(word)
    return folded in GOES_ON or len(folded) < 2 or not folded.isalpha()


def _is_row(raw: str, at: int) -> bool:
    """Numbers side by side in a row of a table that read like groups of one number; groups of zeros are one number."""
    return bool(re.fullmatch(r"\d{1,3}(?: \d{3})+", raw)) and not raw.endswith(" 000") and " " in raw[max(0, at - 1) : at + 1]


_REFERENCE_BEFORE = re.compile(
    r"(?i)(?:sections?|clauses?|articles?|paragraphs?|schedules?|exhibits?|annex|part|rules?|regulations?|appendix|§+|c\.?f\.?r\.?|u\.?s\.?c\.?)"
    r"\s*(?:[\d.()\s,§a-z]{0,3}\d[\d.()a-z]*(?:,|\s|and|or|to|-|–)*)*$"
)


_OWN_NUMBER = re.compile(r"(?:\A|\n)[ \t]*\d{1,3}(?:\.\d{1,3})*\.?\s+\Z")


def _heads_a_provision(text: str, start: int, edge: int) -> bool:
    """What reads like the beginning of a number is that of a provision, and its first word like a scale: "1.1 | K-Line Ship Management"."""
    line = text.rfind("\n", 0, start) + 1
    return text[edge : edge + 1].isupper() and bool(_OWN_NUMBER.search(text[max(0, line - 1) : edge]))


def _ends_reference(quote: str, around: str, token: Token, text: str, end: int, is_end: bool) -> bool:
    """A quote that breaks off in the number of a provision ("Section 5." of 5.1)."""
    return is_end and _is_broken_off(quote, text, end) and bool(_REFERENCE_BEFORE.search(around[: token.start]))


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


_NO_BEFORE = re.compile(rf"(?<![\w.]){any_of(SUBJECT_NEGATIONS)}\s+(?:of\s+the\s+)?[“\"'‘(\[]?\Z", re.I)
_STATEMENT = re.compile(r"[.;:,]\s|\b(?:which|that|who|whose|where|if|when)\b", re.I)

_DENYING = GUARDED["negation"]


def _turned_round(text: str, start: int, end: int) -> str:
    """The quote makes a statement of what the source denies by a word right before it ("[No] commitment fee is payable")."""
    if not (negation := _NO_BEFORE.search(text, max(0, start - 20), start)):
        return ""
    stop = _STATEMENT.search(text, start, end)
    words = _folded_words(text[start : stop.start() if stop else end])[:14]
    is_statement = bool(FINITE_VERBS.intersection(words)) and not _DENYING.intersection(words)
    return f"{negation[0].split()[0]} stands right before it in the source" if is_statement else ""


_DENIED_SUBJECT = re.compile(rf"(?:\A|[.;:)]\s+|\n\s*){any_of(SUBJECT_NEGATIONS)}[^.;:]{{2,240}}\s\Z", re.I)


def _denied_subject(text: str, start: int, end: int) -> str:
    """A quote from the verb on whose subject is a denial: "shall create any Lien" of "Neither the Borrower nor any Subsidiary shall ...".
    Read alone it says the opposite, read as a part of the sentence it is right: only a reader can tell what it was quoted for."""
    words = [fold(word) for word in text[start : min(end, start + 120)].split(None, 3)[:3]]
    if not words or words[0] not in GUARDED["modal"] or _DENYING.intersection(words):
        return ""
    denied = _DENIED_SUBJECT.search(text, max(0, start - 260), start)
    return f"{denied[0].strip(' .;:)')} stands before it in the source" if denied else ""


_DENIED = re.compile(rf"{pattern('negation')}\s+\Z", re.I)


def denied_before(text: str, start: int) -> str:
    """A negation right before a place whose quote begins with a label or reference of its own, as if nothing stood before it."""
    denied = _DENIED.search(text, max(0, start - 12), start)
    return f"{denied[0].strip()} stands right before it in the source" if denied else ""


def _folded_words(text: str) -> list[str]:
    return [fold(word) for word in text.split()]


_WORD_BEFORE, _WORD_BEHIND, _LETTER = re.compile(rf"{LETTER}+\Z"), re.compile(rf"{LETTER}+"), re.compile(LETTER)


def _cut_word(quote: str, text: str, start: int, end: int, is_word: Callable[[str], int]) -> str:
    """A word of which the quote holds only a part, unless it breaks off at a line-end hyphen or at an ellipsis."""
    for edge, outside in ((end, _trail), (start, _lead)):
        if not (edge and _LETTER.match(text, edge - 1) and _LETTER.match(text, edge)):
            continue
        left = _WORD_BEFORE.search(text, max(0, edge - 40), edge)
        right = _WORD_BEHIND.match(text, edge, edge + 40)
        if left and right and not _is_glued(left[0], right[0], is_word) and not re.search(r"[-‐…]|\.\.", outside(quote)):
            return f"a word cut off: the source has {left[0]}{right[0]}"
    return ""


def _is_glued(left: str, right: str, is_word: Callable[[str], int]) -> bool:
    """Two words without a space between them, as some files give their text: a capital in the middle, or each a word of its own."""
    if left[-1].islower() and right[0].isupper():
        return True
    return len(left) > 1 < len(right) and min(is_word(fold(left)), is_word(fold(right))) > 2 and is_word(fold(left + right)) <= 2


# --- numbers and marks inside it ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Figure:
    position: int
    digits: str
    token: Token


def _figures(tokens: Sequence[Token], positions: Sequence[int], text: str) -> list[_Figure]:
    return [
        _Figure(positions[n], fold(text[t.start : t.end]), t)
        for n, t in enumerate(tokens)
        if t.kind == "number" and _DIGIT.search(text[t.start : t.end])
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
    source_tokens, quote_tokens = ([t for t in scan_tokens(side) if not t.is_word] for side in (source, quote))
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
        source_marks, quote_marks = _without_dash(wanted.get(position, ""), given.get(position, ""))
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
    if not (_BOX.search(quote) or _BOX.search(text, max(0, start - 3), end)):
        return "", "exact"
    marks = [_BOX.findall(side) for side in (quote, text[max(0, start - 3) : end])]
    is_tick_or_cross = not {*CROSSES}.isdisjoint(marks[0] + marks[1]) and not {*TICKS}.isdisjoint(marks[0] + marks[1])
    given, wanted = ([_box(mark, is_tick_or_cross) for mark in side] for side in marks)
    wanted = wanted[len(wanted) - len(given) :] if _BOX.match(quote) is None and len(wanted) > len(given) else wanted
    if given == wanted or (len({*given, *wanted}) == 1 and not (given and wanted)):
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
    for figure in [f for f in loose_wanted if _GROUPED.fullmatch(source[f.token.start : f.token.end])]:
        if parts := _split_parts(figure, loose_given, quote, source):
            loose_wanted.remove(figure)
            loose_given = [part for part in loose_given if part not in parts]
    if not _are_respaced(loose_given, loose_wanted, quote, source):
        altered.append("the digits are the same, the numbers are not")
    return lost, altered


_GROUPED = re.compile(r"\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?")


def _split_parts(figure: _Figure, given: Sequence[_Figure], quote: str, source: str) -> list[_Figure]:
    """The figures into which a quote divides a grouped number by spaces alone (185,000, 000); none where it writes another one."""
    parts = [part for part in given if figure.position <= part.position < figure.position + len(figure.digits)]
    written_so = quote[parts[0].token.start : parts[-1].token.end] if parts else ""
    return parts if "".join(written_so.split()) == source[figure.token.start : figure.token.end] else []


def _same_value(left: _Figure, right: _Figure, quote: str, source: str) -> bool:
    return left.token.meaning == right.token.meaning or same_number(
        quote[left.token.start : left.token.end], source[right.token.start : right.token.end]
    )


def compare_sign_and_bracket(given: Token, wanted: Token, lost: list[str], altered: list[str]) -> None:
    if given.is_negative != wanted.is_negative and not (wanted.bracket or given.bracket):
        altered.append(f"the sign of {written(wanted.meaning)}")
    if wanted.bracket == "figure" and not given.bracket:
        lost.append(f"the brackets around {written(wanted.meaning)} are left out")
    if given.bracket == "figure" and not wanted.bracket:
        altered.append(f"brackets around {written(wanted.meaning)} that the source does not have")


_LAYOUT = re.compile(r"[\n\t\u00a0\u2009\u202f]|\s\s")


def _run_together(figures: Sequence[_Figure], text: str) -> str:
    """The figures with their decimal points, without what groups their digits."""
    return re.sub(rf"[\s,'’{SILENT}]", "", "".join(text[figure.token.start : figure.token.end] for figure in figures))


def _are_respaced(given: Sequence[_Figure], wanted: Sequence[_Figure], quote: str, source: str) -> bool:
    """Digits grouped differently: allowed where only white space of a layout (line break, column gap, letter-spacing) was lost or added."""
    if not given and not wanted:
        return True
    if not given or not wanted or _run_together(given, quote) != _run_together(wanted, source):
        return False
    for figures, text, others, other in ((given, quote, wanted, source), (wanted, source, given, quote)):
        starts = {figure.position for figure in others}
        for left, right in itertools.pairwise(figures):
            if left.position + len(left.digits) != right.position or right.position in starts:
                continue
            gap = text[left.token.end : right.token.start]
            if gap.strip(SILENT).strip() or not (_LAYOUT.search(gap) or len(left.digits) == len(right.digits) == 1):
                return False
        for figure in figures:
            inner = [f for f in others if figure.position < f.position < figure.position + len(figure.digits)]
            is_wrapped = all(other[: f.token.start].rstrip(" \t").endswith("\n") for f in inner)  # a narrow cell: 1.50 | 0%
            if inner and not (is_wrapped or text[figure.token.start : figure.token.end].isdigit()):
                return False
    return True
