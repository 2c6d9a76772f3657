"""What the edits between a quote and its place change, each judged by itself, by the class of its words and its position.
No sets are compared: a figure faces the figure that stands in its place. A guarded word that faces another of its class is altered; an
article, a spelling or a synonym is none of weight; what no table knows is a doubt, and a doubt is a question. Rules: design/quotes.md."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from rapidfuzz.distance import Levenshtein

from deterministic.lexicon.calendar import TIME_UNITS
from deterministic.lexicon.guarded import GUARDED, SUBJECT_NEGATIONS, words_of
from deterministic.lexicon.phrases import FUNCTION_WORDS, NEGATING_PREFIXES, SYNONYMS, are_opposed
from deterministic.lexicon.stems import inflected
from deterministic.quotes.alignment import FORM_WORDS, Alignment, Block, identity, spelling
from deterministic.quotes.guards import compare_sign_and_bracket
from deterministic.quotes.tokens import EITHER, Token

Class = Literal[
    "number", "month", "currency", "unit", "sign", "negation", "limit", "modal", "connective", "party", "letter", "opposite", "quantifier",
    "standard", "turn", "label", "reference", "name", "light", "content",
]  # fmt: skip
"""turn: a direction, condition, exception, approximation or time word that no phrase has; letter: that of a facility or schedule;
reference: a label that says where, of which a reader tells whether another one matters; light: an article,
pronoun, auxiliary or preposition without weight."""

_FIGURES = ("number", "month", "currency", "unit", "sign")
_SOFT = ("quantifier", "standard", "label")
"""Exchanged or dropped they leave the meaning near enough for partial marks (design/quotes.md)."""
_NAMING = frozenset("facility tranche class series schedule part appendix annex exhibit table level category loan loans".split())
_TURNS = words_of("direction", "condition", "exception", "approximation", "time") - {"about", "under", "some"}
_RUN = 4
"""Words that stand unchanged on either side of words without weight that are left out: a part of a quote has as many (R1)."""
_GONE = 3
"""Words up to which what is left out is judged word by word; a longer passage is left out as a whole."""


@dataclass(slots=True)
class Judgement:
    """What the edits change, a phrase each."""

    altered: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    """Only a reader can tell what they change."""
    changed: list[str] = field(default_factory=list)
    """Words of little weight that differ."""
    lost: list[str] = field(default_factory=list)
    """Marks of the source that are left out beside what they belong to."""
    is_reworded: bool = False
    is_glyph: bool = False
    words: int = 0
    """Words of the edits: how far the quote is from the source."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Both texts with their tokens. `common`: words that the document mostly writes in lower case; `known`: all that it writes."""

    quote: str
    source: str
    given: Sequence[Token]
    wanted: Sequence[Token]
    common: Container[str] = ()
    known: Container[str] = ()


def judge_edits(alignment: Alignment, texts: Texts) -> Judgement:
    """What all edits of an alignment change together."""
    found = Judgement()
    for left, right in alignment.pairs:
        compare_sign_and_bracket(left, right, found.lost, found.altered, found.doubtful)
        found.is_reworded |= left.folded != right.folded and not (left.kind == "number" and "/" in left.meaning)  # 12½ and 12 1/2
    moves = pairwise(alignment.pairs)  # October 19 for 19 October
    found.is_reworded |= any((a[0].start < b[0].start) != (a[1].start < b[1].start) for a, b in moves)
    exchanged = 0
    for block, run in zip(alignment.blocks, _runs(alignment.blocks, len(texts.given)), strict=True):
        kind = spelling(block, texts.given, texts.wanted, texts.quote, texts.source, texts.common)
        found.is_glyph |= kind == "glyph"
        found.is_reworded |= kind in ("form", "")
        if not kind:
            found.words += block.size
            exchanged += _judge_block(block, run, texts, found)
    if len(found.altered) > max(1, exchanged):  # a word that went here and came there may only have moved
        found.doubtful += found.altered
        found.altered = []
    return found


def _runs(blocks: Sequence[Block], count: int) -> list[int]:
    """Of each block the words of the quote that stand unchanged beside it: the fewer of both sides; an end of the quote is none."""
    ends = [0, *(block.given_at + len(block.given) for block in blocks)]
    starts = [*(block.given_at for block in blocks), count]
    return [min(starts[n] - ends[n], starts[n + 1] - ends[n + 1]) for n in range(len(blocks))]


def _judge_block(block: Block, run: int, texts: Texts, found: Judgement) -> int:
    """The number of words that stand in place of another one of their class."""
    given, wanted = _weighty(block.given, texts.quote, texts), _weighty(block.wanted, texts.source, texts)
    if len(given) != len(wanted):  # of labels at the head of paragraphs some were silenced already
        given, wanted = ([one for one in side if one[0] != "label"] for side in (given, wanted))
    if not given and not wanted:
        found.changed.append(" ".join(t.folded for t in block.given or block.wanted) + ("" if block.given else " left out"))
        return 0
    if given and wanted and _are_names(given) and _are_names(wanted):
        are_forms = len(given) == len(wanted) and all(_are_near(*one, *other) for one, other in zip(given, wanted, strict=True))
        (found.doubtful if are_forms else found.altered).append(f"{_joined(given)} in place of {_joined(wanted)}")
        return not are_forms
    kinds = [[kind for kind, _ in side] for side in (given, wanted)]
    if kinds[0] == kinds[1] == ["number", "unit"]:  # 65 bps and 0.65 per cent, one year and twelve months
        found.doubtful.append(f"{_joined(given)} in place of {_joined(wanted)}")
        return 0
    if len(given) == len(wanted) or kinds[0] == kinds[1]:
        return sum(_exchange(*pair, block, texts, found) for pair in zip(given, wanted, strict=True))
    if not given:
        _leave_out(wanted, block, run, texts, found)
    elif not wanted:
        _add(given, block, texts, found)
    else:
        found.doubtful.append(f"{_joined(given)} in place of {_joined(wanted)}")
    return 0


Weighed = tuple[Class, Token]


def _are_names(words: Sequence[Weighed]) -> bool:
    """A name, with its legal form: Northgate Bank plc."""
    are_names = all(kind in ("name", "party") or token.folded in FORM_WORDS for kind, token in words)
    return are_names and any(kind == "name" for kind, _ in words)


def _weighty(tokens: Iterable[Token], text: str, texts: Texts) -> list[Weighed]:
    return [(kind, token) for token in tokens if (kind := class_of(token, text, texts)) != "light"]


def class_of(token: Token, text: str, texts: Texts) -> Class:
    """The class of a word by which an edit of it is judged. `text`: the one that it stands in."""
    if is_label(token, text):
        return "reference" if _REFERRED.search(text, max(0, token.start - 60), token.start) else "label"
    if token.kind in ("word", "name"):
        if len(token.folded) < 3 and _NAMED.search(text[max(0, token.start - 14) : token.start]):
            return "letter"
        if token.folded in _TURNS or (token.folded == "under" and _BEFORE_FIGURE.match(text, token.end)):
            return "turn"
        if token.folded in FUNCTION_WORDS:
            return "light"
        return "name" if _is_name(token, text, texts) else "content"
    return token.kind  # type: ignore[return-value]


_REFERRED = re.compile(
    r"\b(?:(?:sub-?)?(?:paragraph|clause|section)s?|articles?|items?|limbs?|schedules?|points?|parts?)\s*[\d.]*\s*"
    r"(?:\([a-z0-9]{1,4}\)(?:,|\s|and|or|to|through|-|–)*)*\(\Z",
    re.I,
)
"""Before a label that says where: in "paragraphs (a) and (b) of Clause 16.2" it heads no paragraph, and another one is another place."""
_BEFORE_FIGURE = re.compile(r"\s+(?:[A-Z]{3}\s?)?[$€£]?\d")
_NAMED = re.compile(rf"(?:\b(?:{'|'.join(sorted(_NAMING))})\s+[“\"'(]?)\Z", re.I)
_SENTENCE_START = re.compile(r"(?:^|[.;:?!•]|\([a-z0-9]{1,4}\))[\s“\"'(\[]*$|^[\s“\"'(\[]*$")
_COUNTED = re.compile(rf"(?:\b(?:{'|'.join(sorted(GUARDED['number']))}))\s+\(\Z", re.I)
"""What stands before the figures of a number in words: three (3)."""
_ROW = re.compile(r"[\d)%][ \t]+[$€£]?\s?\(\Z")
_ROW_GOES_ON = re.compile(r"\)[ \t]+[($€£–-]?\s?\d")


def is_label(token: Token, text: str) -> bool:
    """(a), (iv), (2) as the name of a paragraph; a bracketed number beside other figures is a figure."""
    if len(token.folded) > 4 or text[max(0, token.start - 1) : token.start] != "(" or text[token.end : token.end + 1] != ")":
        return False
    if token.kind == "number" and _COUNTED.search(text, max(0, token.start - 16), token.start):
        return False
    is_row = _ROW.search(text, max(0, token.start - 6), token.start) or _ROW_GOES_ON.match(text, token.end)
    return not (token.kind == "number" and is_row)


def _is_name(token: Token, text: str, texts: Texts) -> bool:
    """A capitalised word that is not capitalised by its place or by capitals all round."""
    if token.kind != "name":
        return False
    if token.folded not in texts.common:
        return True
    around = [c for c in text[max(0, token.start - 60) : token.end + 60] if c.isalpha()]
    is_shouted = sum(c.isupper() for c in around) > 0.6 * len(around)
    return not is_shouted and not _SENTENCE_START.search(text[max(0, token.start - 8) : token.start])


def _joined(words: Sequence[Weighed]) -> str:
    return " ".join(token.folded for _, token in words)


def _exchange(given: Weighed, wanted: Weighed, block: Block, texts: Texts, found: Judgement) -> bool:
    """Whether one guarded word stands in place of another of its class."""
    (kind, left), (other, right) = given, wanted
    told = f"{left.folded} in place of {right.folded}"
    if identity(left) == identity(right):
        return False
    if kind == other == "number":
        return _exchange_numbers(left, right, texts, found)
    if _are_near(kind, left, other, right) or (kind == other == "modal" and _is_denied(block, texts)):
        found.changed.append(told)
        return False
    if not _is_slip(left, right, texts) and _are_contrary(kind, left, other, right):
        found.altered.append(told)
        return True
    found.doubtful.append(told)
    return False


def _are_near(kind: Class, left: Token, other: Class, right: Token) -> bool:
    """Synonyms, forms of one word, words of one meaning in the table of phrases, a bare $ for a named dollar, words of little weight."""
    if kind == other == "currency":
        mine, theirs = left.meaning.split("/"), right.meaning.split("/")
        return mine[0] == theirs[0] or set(mine) >= set(theirs)
    if kind == other and kind in ("modal", "party", "limit"):
        return left.meaning == right.meaning
    if kind == other == "unit" and left.meaning in TIME_UNITS:  # quarters, qtrs
        return TIME_UNITS[left.meaning] == TIME_UNITS.get(right.meaning)
    if kind in (*_FIGURES, "negation") or (_are_when(left, right) and left.folded != right.folded):
        return False
    rows = SYNONYMS.get(left.folded, frozenset())
    is_same = bool(rows & SYNONYMS.get(right.folded, frozenset())) or inflected(left.folded) == inflected(right.folded)
    return is_same or (kind == other and kind in _SOFT)


def _is_slip(left: Token, right: Token, texts: Texts) -> bool:
    """A role with a letter too many, too few or wrong, as the document writes it nowhere: "Subsidiarie" is nobody else."""
    is_role = right.kind == "party" and len(right.folded) > 6 and left.folded not in texts.known
    return is_role and Levenshtein.distance(left.folded, right.folded) == 1


def _are_contrary(kind: Class, left: Token, other: Class, right: Token) -> bool:
    """Opposites, a word and its negated form, and two words of one class that names, counts, limits or turns."""
    if are_opposed(left.folded, right.folded) or _is_negated_form(left.folded, right.folded) or _are_when(left, right):
        return True
    if {kind, other} <= {"party", "name"} or ({kind, other} & {"negation", "limit"} and {kind, other} & {"quantifier", "connective"}):
        return True
    if kind == other == "currency":  # one of several dollars in place of "a dollar" may be the one that is meant
        return set(left.meaning.split("/")).isdisjoint(right.meaning.split("/"))
    return kind == other and kind not in ("content", "opposite", "turn", "reference")


_WHEN = words_of("time") | {"annual", "daily", "weekly", "monthly", "quarterly", "promptly", "immediately", "forthwith"}
"""Words that say when or how often: one is never another."""


def _are_when(left: Token, right: Token) -> bool:
    return left.folded in _WHEN and right.folded in _WHEN


def _exchange_numbers(left: Token, right: Token, texts: Texts, found: Judgement) -> bool:
    said, there = texts.quote[left.start : left.end], texts.source[right.start : right.end]
    if f"{left.meaning}:1" == right.meaning:
        found.lost.append(f"the ratio of {said} is left out")
    elif left.meaning == f"{right.meaning}:1" or EITHER in (left.bracket, right.bracket):
        found.doubtful.append(f"{said}, which can be read in two ways")
    else:
        found.altered.append(f"the quote says {said}, the document {there}")
        return True
    return False


def _is_negated_form(left: str, right: str) -> bool:
    """secured / unsecured, lawful / unlawful."""
    short, long = sorted((left, right), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in NEGATING_PREFIXES)


def _is_denied(block: Block, texts: Texts) -> bool:
    """The modal of the block stands under a negation, where obligation and permission are one: "shall not", "no Obligor may"."""
    tokens = texts.wanted
    at = next(block.wanted_at + n for n, token in enumerate(block.wanted) if token.kind == "modal")
    if any(token.meaning == "NOT" or token.folded.startswith("not ") for token in tokens[at + 1 : at + 2]):
        return True
    for n in range(at - 1, max(-1, at - 13), -1):
        gap = texts.source[tokens[n].end : tokens[n + 1].start]
        if any(mark in gap for mark in ".;:,") or tokens[n].kind == "modal" or tokens[n].meaning == "AND":
            return False
        if tokens[n].folded in SUBJECT_NEGATIONS:
            return True
    return False


_RATES = frozenset(("%", "points", "bps", "‰"))


def _leave_out(wanted: Sequence[Weighed], block: Block, run: int, texts: Texts, found: Judgement) -> None:
    """What the quote leaves out without a mark."""
    told = f"{_joined(wanted)} left out"
    kinds = {kind for kind, _ in wanted}
    if len(block.wanted) > _GONE:
        found.doubtful.append(told)
    elif kinds & {"negation", "limit"}:
        found.altered.append(told)
    elif _are_marks(wanted):
        found.lost.append(told)
    elif all(_is_repeated(token, block.wanted_at, texts.wanted) for _, token in wanted) or _are_little(wanted, run):
        found.changed.append(told)
    else:
        found.doubtful.append(told)


def _are_marks(words: Sequence[Weighed]) -> bool:
    """Percent and currency signs or names, or a sign of comparison, that stood beside a figure."""
    return all(kind in ("currency", "sign") or (kind == "unit" and token.meaning in _RATES) for kind, token in words)


def _are_little(words: Sequence[Weighed], run: int) -> bool:
    """Quantifiers, standards, labels and "and"; with enough unchanged words on either side also others that no table guards."""
    is_or = any(token.folded == "or" for _, token in words)
    return not is_or and all(kind in (*_SOFT, "connective") or (kind == "content" and run >= _RUN) for kind, _ in words)


def _is_repeated(token: Token, at: int, tokens: Sequence[Token]) -> bool:
    """The figures of a number in words: thirty (30)."""
    return token.kind == "number" and any(
        t.kind == "number" and t is not token and t.meaning == token.meaning for t in tokens[max(0, at - 2) : at + 3]
    )


def _add(given: Sequence[Weighed], block: Block, texts: Texts, found: Judgement) -> None:
    """What the quote adds to the source."""
    told = f"{_joined(given)} added"
    kinds = {kind for kind, _ in given}
    are_repeated = all(_is_repeated(one, block.given_at, texts.given) or (one.folded == "one" and bool(block.wanted)) for _, one in given)
    if are_repeated or _are_little(given, 0):
        found.changed.append(told)
    elif len(given) <= _GONE and kinds <= {"negation", "limit", "number", "month", "unit", "currency"} and kinds - {"unit", "currency"}:
        found.altered.append(told)
    else:
        found.doubtful.append(told)
