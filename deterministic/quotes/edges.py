"""What goes on outside a quote: a number, limit or word of which it holds only a part, and a denial right before it.
Rules: design/quotes.md."""

import re
from collections.abc import Callable
from itertools import takewhile

from deterministic.lexicon.folding import SILENT, fold
from deterministic.lexicon.guarded import GUARDED, SUBJECT_NEGATIONS, any_of, pattern
from deterministic.lexicon.phrases import FINITE_VERBS, NEGATING_PREFIXES
from deterministic.quotes.tokens import GOES_ON, LETTER, Token, tokenize

_EDGE = 60
"""Characters on either side of an end of a quote in which an amount or a limit can go on outside."""
_PREFIX = re.compile(rf"(?<![^\W\d_])(?P<prefix>{'|'.join(NEGATING_PREFIXES)})(?:(?<=non)[-‐–][ \t]*\n?[ \t]*)?\Z", re.I)


def cut_short(quote: str, text: str, start: int, end: int, *, is_inner: bool = False) -> str:
    """A number, a limit or a negated word of which the quote holds only a part; "" when the place is whole."""
    for edge, is_end in ((start, False), (end, True)):
        low = text.rfind(" ", 0, max(0, edge - _EDGE)) + 1
        around = text[low : edge + _EDGE]
        is_numbered = not is_end and _NUMBERING.search(text, max(0, edge - 2 * _EDGE), edge) is not None
        is_whole = is_numbered or not _may_go_on(around, edge - low)
        for token in () if is_whole else tokenize(around):
            if not low + token.start < edge < low + token.end:
                continue
            raw = around[token.start : token.end]
            if token.kind == "number" and not (
                _is_row(raw, edge - low - token.start) or _ends_reference(quote, around, token, text, edge, is_end)
            ):
                return f"a number cut short: the source has {raw}"
            is_denied = token.kind == "limit" and not is_end and raw.casefold().split()[0] in GUARDED["negation"]
            if is_denied and not is_inner and tokenize(around[edge - low : token.end])[0].kind in ("limit", "opposite"):
                return f"a limit cut short: the source has {raw}"
    before = text[max(0, start - 12) : start]
    if (prefix := _PREFIX.search(before)) and text[start : start + 1].isalpha():
        return f"a negating prefix cut off: the source has {prefix[0].strip()}{text[start:end].split()[0]}"
    is_signed = before.endswith(("-", "−")) and not before[:-1][-1:].strip(" (\n\t\xa0")
    if is_signed and text[start : start + 1].isdigit() and not re.search(r"[-−–]\s*\W?$", lead(quote)):
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
    if (behind := _WORDS.search(around, at)) is None or not _is_made_of(behind[0]):
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


def _ends_reference(quote: str, around: str, token: Token, text: str, end: int, is_end: bool) -> bool:
    """A quote that breaks off in the number of a provision ("Section 5." of 5.1)."""
    return is_end and is_broken_off(quote, text, end) and bool(_REFERENCE_BEFORE.search(around[: token.start]))


def is_broken_off(quote: str, text: str, end: int) -> bool:
    """The quote ends in the very full stop that is the source's decimal point: the sentence was broken off there ("Section 5." of 5.1)."""
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit() and trail(quote).startswith(".")


def is_broken_in(quote: str, text: str, start: int) -> bool:
    """The quote begins with the very full stop that is the source's decimal point (".90%)" of 0.90%)."""
    return start > 1 and text[start - 1] == "." and text[start - 2].isdigit() and text[start].isdigit() and lead(quote).endswith(".")


def lead(quote: str) -> str:
    return "".join(takewhile(lambda sign: not sign.isalnum(), quote))


def trail(quote: str) -> str:
    return lead(quote[::-1])[::-1]


_NO_BEFORE = re.compile(rf"(?<![\w.]){any_of(SUBJECT_NEGATIONS)}\s+(?:of\s+the\s+)?[“\"'‘(\[]?\Z", re.I)
_STATEMENT = re.compile(r"[.;:,]\s|\b(?:which|that|who|whose|where|if|when)\b", re.I)

_DENYING = GUARDED["negation"]


def turned_round(text: str, start: int, end: int) -> str:
    """The quote makes a statement of what the source denies by a word right before it ("[No] commitment fee is payable")."""
    if not (negation := _NO_BEFORE.search(text, max(0, start - 20), start)):
        return ""
    stop = _STATEMENT.search(text, start, end)
    words = [fold(word) for word in text[start : stop.start() if stop else end].split()[:14]]
    is_statement = bool(FINITE_VERBS.intersection(words)) and not _DENYING.intersection(words)
    return f"{negation[0].split()[0]} stands right before it in the source" if is_statement else ""


_DENIED_SUBJECT = re.compile(rf"(?:\A|[.;:)]\s+|\n\s*){any_of(SUBJECT_NEGATIONS)}[^.;:]{{2,240}}\s\Z", re.I)


def denied_subject(text: str, start: int, end: int) -> str:
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


_WORD_BEFORE, _WORD_BEHIND, _LETTER = re.compile(rf"{LETTER}+\Z"), re.compile(rf"{LETTER}+"), re.compile(LETTER)


def cut_word(quote: str, text: str, start: int, end: int, is_word: Callable[[str], int]) -> str:
    """A word of which the quote holds only a part, unless it breaks off at a line-end hyphen or at an ellipsis."""
    for edge, outside in ((end, trail), (start, lead)):
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
