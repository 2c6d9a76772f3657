"""The two foldings that all kinds compare words with: `plain` (case and white space) and `words` (letters and digits)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from deterministic.lexicon.currencies import SYMBOLS
from deterministic.lexicon.guarded import RATING, SIGNS, TICKED, UNTICKED
from deterministic.lexicon.memory import kept, remembered
from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.lexicon.searching import PIECE, is_found

_WORD = re.compile(r"[^\W_]+")
_INNER_MARKS = re.compile(r"[’'‘](?<=\w.)(?=\w)")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def plain(text: str) -> str:
    """Compatibility forms, case and runs of white space folded; punctuation stays."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fold_letters(text: str) -> str:
    """Case, diacritics and special Latin letters folded ("Société Générale" is "societe generale"); length may change."""
    if text.isascii():
        return text.casefold()
    return "\n".join(line.casefold() if line.isascii() else _fold_line(line) for line in text.split("\n"))


def _fold_line(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    stripped = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return unicodedata.normalize("NFKC", stripped).translate(_LETTERS)


def words(text: str) -> tuple[str, ...]:
    """The words of a text without punctuation, folded; "&" is "and", an apostrophe inside a word disappears."""
    return tuple(word for piece in _folded(text) for word in _WORD.findall(piece))


def _folded(text: str) -> Iterator[str]:
    """The text as its words are read, in pieces of whole lines: a document in one call would block the loop."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + PIECE)
        end = end if end >= 0 else len(text)
        yield _INNER_MARKS.sub("", fold_letters(text[at:end]).replace("&", " and "))
        at = end


@remembered
def _word_line(text: str) -> str:
    return " " + " ".join(words(text)) + " "


def contains_words(text: str, phrase: str) -> bool:
    """Do the phrase's words stand in the text one after the other, whatever the punctuation and case?"""
    key = " ".join(words(phrase))
    return bool(key) and f" {key} " in _word_line(text)


Frame = tuple[str, ...]
PLACE = "\ue000"
"""Stands for a value in a frame: a letter that no text has."""
MARKS = frozenset((*SIGNS, *TICKED, *UNTICKED))
"""Signs and boxes, of which none is punctuation."""
_PUNCTUATION = r""".,;:'"()[\]{}/\\|*•◦▪‣·…!`«»‹›\-\u0300-\u0333\u0339-\u036f"""
"""Every other mark is a sign, known or not."""
UNKNOWN_SIGN = rf"[^\w\s{_PUNCTUATION}&%‰=?{''.join((*SIGNS, *SYMBOLS, *TICKED, *UNTICKED))}]"
_TOKEN = re.compile(rf"{PLACE}|&|[^\W\d_]+(?:'[^\W\d_]+)*|\d+|(?<![\w){PLACE}])-(?=[{PLACE}\d.$£€¥₹])|[^\w\s{_PUNCTUATION}]")
_MINUS_BEHIND = re.compile(r"(?<![\s/-])(?<!\d[.,])(?<!\ue000[.,])\s?[(\[]?\s?-(?:[\s)\].,;]*$|(?<=\S-)(?=[\s),.;](?!\s?[\d\ue000])))")
"""A minus behind a figure: at the end of a text, or joined to what is before. 500/-, 500.- and 500,-- are round sums."""
_OPENED = re.compile(r"(?:^|[:=-])[^\w)]*(\()[^\w)]*(?:\w{1,3}[^\w)]*)?$")
"""Before a figure that repeats none: its bracket may be a minus."""
_LIST_MARK = re.compile(r"\s*(?:\(?\d{1,2}[.)]|\([a-z]{1,3}\)|[-*•–])\s+(?=\S)", re.IGNORECASE)


def without_list_mark(text: str) -> str:
    """An entry of a list without its number, letter in brackets or bullet: "1. Acme Limited", "(a) Acme Limited", "- Acme Limited"."""
    return _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text


def frame_of(text: str, spans: Sequence[tuple[int, int]] = (), carriers: frozenset[str] = frozenset(), labels: Iterable[str] = ()) -> Frame:
    """What stands around the values at `spans` (half-open ranges in order), each of them as PLACE. carriers: single folded words that fall
    away; labels: phrases that do, such as the field's own name."""
    for start, end in reversed(spans):
        text = f"{text[:start]}{PLACE}{text[end:]}"
    tokens = list(_tokens(text))
    for label in sorted((_tokens(one) for one in labels), key=len, reverse=True):
        tokens = _dropped(tokens, list(label))
    return tuple(token for token in tokens if token not in carriers)


def beside(frame: Frame) -> Frame:
    """The frame of one value; empty where nothing stands beside it."""
    return () if frame == (PLACE,) else frame


def _dropped(tokens: list[str], label: list[str]) -> list[str]:
    at = next((n for n in range(len(tokens) - len(label) + 1) if tokens[n : n + len(label)] == label), None) if label else None
    return tokens if at is None else tokens[:at] + tokens[at + len(label) :]


@kept(4096)
def _tokens(text: str) -> Frame:
    folded = fold(text)
    numbers = [n for n in scan_numbers(folded) if n.value() is not None]
    found: list[str] = []
    at = 0
    for number in numbers:
        found += _frame_words(folded, at, number.start)
        is_bracketed = folded[: number.start].rstrip().endswith("(") and folded[number.scale_end :].lstrip().startswith(")")
        value = number.value()
        assert value is not None
        said = str(value if number.form == "words" else value * number.scale)
        found.append(f"({said})" if is_bracketed else said)
        at = number.scale_end
    behind = ("-",) if (found or PLACE in folded) and _MINUS_BEHIND.search(folded) else ()
    opened = _OPENED.findall((folded[: numbers[0].start] if numbers else folded).partition(PLACE)[0])
    return (*found, *_frame_words(folded, at, len(folded)), *behind, *opened, *RATING.findall(folded))


def _frame_words(folded: str, start: int, end: int) -> Iterable[str]:
    for match in _TOKEN.finditer(folded, start):
        token = match[0]
        if match.start() >= end:  # a sign looks at the figure behind it
            return
        yield "and" if token == "&" else SIGNS.get(token, token) if not token[0].isalpha() else fold_letters(token).replace("'", "")


def same_words(first: str, second: str) -> bool:
    """Whether two texts have the same words, numbers, signs and boxes in one order: they differ in letter case and punctuation alone."""
    return bool(_tokens(first)) and _tokens(first) == _tokens(second)


def same_characters(first: str, second: str) -> bool:
    """Equal but for runs of white space and the shapes of dashes and quotation marks."""
    return fold(first).split() == fold(second).split()


def stands_in(value: str, *texts: str, ignore_case: bool = False) -> bool:
    """Does the value stand in one of the texts, in the same characters, on token boundaries? 80,000,000 does not stand in 480,000,000."""
    if not (folded := fold(value).strip()):
        return False
    pattern = r"(?<!\w)(?<!\d[.,'])" if folded[0].isalnum() else ""
    pattern += r"\s+".join(map(re.escape, folded.split()))
    pattern += r"(?!\w|[.,']\d)" if folded[-1].isalnum() else ""
    wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    return any(is_found(wanted, fold(text)) for text in texts)
