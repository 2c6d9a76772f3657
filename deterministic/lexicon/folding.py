"""Folding: what may differ between a quote and its source without being a difference in wording.
The rules are published in docs/design/quotes.md, "Folding rules". Two layers use them: the *location key* (letters, digits and
combining marks only) finds a place, and `quotes.guards` then judges what the key dropped (decimal points, signs, percent and currency
signs, brackets). The key alone proves nothing: it takes "1.5 %" for "15 %". Rules: design/quotes.md."""

import html
import re
import unicodedata
from array import array
from bisect import bisect_right

_CYRILLIC, _CYRILLIC_ALIKE = "АВЕЅІЈКМНОРСТУХԚԜасԁеһіјӏорԛѕԝхуѵ", "ABESIJKMHOPCTYXQWacdehijlopqswxyv"
_GREEK, _GREEK_ALIKE = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαορν", "ABEZHIKMNOPTYXaopv"
_LOOKALIKES = str.maketrans(_CYRILLIC + _GREEK, _CYRILLIC_ALIKE + _GREEK_ALIKE)
_LOOKALIKE = re.compile(f"[{_CYRILLIC}{_GREEK}]")
_LOOKALIKE_WORD = re.compile(rf"\b[A-Za-z{_CYRILLIC}{_GREEK}]++\b")
_LATIN_IN_BOTH_CASES = frozenset("аеорсухіјѕАЕОРСУХІЈЅ")
_POINTS = "·∙⋅"
_POINT = re.compile(rf"[{_POINTS}](?<=\d.)(?=\d)")


def _as_latin(word: re.Match[str]) -> str:
    is_latin = any(map(str.isascii, word[0])) or _LATIN_IN_BOTH_CASES.issuperset(word[0])
    return word[0].translate(_LOOKALIKES) if is_latin else word[0]


def has_lookalikes(text: str) -> bool:
    """Whether letters of the text are read as Latin ones that they look like."""
    return any(one != other and one not in _POINTS for one, other in zip(text, plain_letters(text), strict=True))


def plain_letters(text: str) -> str:
    """Same length; Cyrillic and Greek letters that look like Latin ones are these (a font's character table or a recogniser gives such
    letters where the page shows plain ones): in a text without other letters of these scripts all of them, else those of words that can be
    read as Latin. A raised decimal point is a point: 2·75."""
    if text.isascii():
        return text
    if _LOOKALIKE.search(text):
        is_mixed = any("\u0370" <= letter <= "\u052f" and ord(letter) not in _LOOKALIKES for letter in text)
        text = _LOOKALIKE_WORD.sub(_as_latin, text) if is_mixed else text.translate(_LOOKALIKES)
    return _POINT.sub(".", text) if any(map(text.__contains__, _POINTS)) else text


_DROPPED = frozenset(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹™℠ʼʹˈ\u034f")) | frozenset(range(0xFE00, 0xFE10))


def _folded_character(code: int) -> str | None:
    if code in _DROPPED:
        return None
    character = chr(code)
    kept = []
    for part in unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold()):
        if (category := unicodedata.category(part)) == "Nd":
            kept.append(str(unicodedata.digit(part)))
        elif category[0] in "LMN":
            kept.append(part)
    return "".join(kept) or None


class _Folds(dict[int, str | None]):
    """Character -> what the key keeps of it; filled as characters are met."""

    def __missing__(self, code: int) -> str | None:
        folded = self[code] = _folded_character(code)
        return folded


_FOLDS = _Folds()
for _code in range(0x250):
    _FOLDS[_code] = _folded_character(_code)


def fold(text: str) -> str:
    """Letters, digits and combining marks of `text`, NFKC, case folded; nothing else."""
    return text.translate(_FOLDS)


_DIGRAPHS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
)
_PLAIN_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ł": "l", "đ": "d", "ı": "i"})


def transliterations(word: str) -> frozenset[str]:
    """A folded word and its usual spellings in plain letters: "müller" is "muller" and "mueller"."""
    if word.isascii():
        return frozenset({word})
    composed = unicodedata.normalize("NFC", word)
    spellings = (composed, composed.translate(_DIGRAPHS), composed.translate(_PLAIN_LETTERS))
    return frozenset("".join(c for c in unicodedata.normalize("NFKD", s) if not unicodedata.combining(c)) for s in spellings)


_STRIDE = 64


class Offsets:
    """Offset in the text of each character of its key. Kept as one number in 64 and counted out on demand."""

    __slots__ = ("_length", "_starts", "_text")

    def __init__(self, text: str, starts: "array[int]", length: int) -> None:
        self._text, self._starts, self._length = text, starts, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self._length:
            raise IndexError(index)
        block = bisect_right(self._starts, index) - 1
        left, at = index - self._starts[block], block * _STRIDE
        step = left or 1
        while (kept := len(fold(self._text[at : at + step]))) <= left or step > 1:
            if kept > left:  # one of these characters is several of the key
                step //= 2
            else:
                at, left = at + step, left - kept
                step = left or 1
        return at

    def index_at(self, offset: int) -> int:
        """Index in the key of the first kept character at or after `offset` of the text."""
        block = min(max(offset, 0), len(self._text)) // _STRIDE
        base = self._starts[block] if block < len(self._starts) else self._length
        return base + len(fold(self._text[block * _STRIDE : max(offset, 0)]))


def location_key(text: str) -> tuple[str, Offsets]:
    """The key of a text and, for each of its characters, the offset in the text that it comes from."""
    parts, starts, length = [], array("l"), 0
    for at in range(0, len(text) or 1, _STRIDE):
        part = text[at : at + _STRIDE].translate(_FOLDS)
        starts.append(length)
        length += len(part)
        parts.append(part)
    return "".join(parts), Offsets(text, starts, length)


def collapse(text: str) -> str:
    """Runs of white space as one space, ends trimmed."""
    return " ".join(text.split())


_DOUBLED_WORD = re.compile(r"(?:([^\W_])\1){3,}")
SILENT = "\u00ad"
"""What a character that must not be read is replaced by, so that offsets stay as they are."""


def silence_doubled(text: str) -> str:
    """Same length; in lines whose every character is doubled (SSttaattee) the second of each pair is silenced. Real double letters stay."""
    words = set[str]()
    for line in text.split("\n"):
        words.update(line.split())
    if not any(len(word) > 5 and _DOUBLED_WORD.search(word) for word in words):  # the pattern is slow: each word once
        return text
    lines = text.split("\n")
    return "\n".join(re.sub(r"([^\W_])\1", lambda pair: pair[1] + SILENT, s) if _is_doubled(s) else s for s in lines)


def _is_doubled(line: str) -> bool:
    words = "".join(letter if letter.isalnum() else " " for letter in line).split()
    return any(_DOUBLED_WORD.fullmatch(word) for word in words) and all(len(w) % 2 == 0 and w[::2] == w[1::2] for w in words)


WILDCARDS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffc-\uffff\U000f0000-\U0010ffff"
"""Characters (inside a regular expression's brackets) that stand for a glyph without a Unicode value."""

_PLAIN_ESCAPE = {"n": "\n", "t": " ", "r": " "}
_SIGN_OF = {"geq": "≥", "ge": "≥", "leq": "≤", "le": "≤", "pm": "±", "times": "×"}
_INVISIBLE = re.compile("[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


def without_invisible(text: str) -> str:
    """Without characters that take no room and steer only how others are shown."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


_ESCAPED = (
    (re.compile(r"\$?\\(geq?|leq?|pm|times)(?![a-z])\s?\$?"), lambda m: _SIGN_OF[m[1]]),  # "$\geq$", not "\get"
    (re.compile(r"\(cid:\d{1,5}\)"), "\ufffd"),
    (
        re.compile(r"\\(?:u([0-9a-fA-F]{4})|([ntr])|([^\w\s]))"),
        lambda m: chr(int(m[1], 16)) if m[1] else _PLAIN_ESCAPE.get(m[2], "") if m[2] else m[3],
    ),
)
_WRAPPED = (
    (re.compile(r"\s*<sup>\s*(\d{1,3})\s*</sup>\s*[/⁄]\s*(?:<sub>)?\s*(\d{1,3})\s*(?:</sub>)?", re.I), r" \1/\2"),
    (re.compile(r"<sup>\s*\[?\w{1,3}\]?\s*</sup>", re.I), ""),
    (_INVISIBLE, ""),
    (re.compile(r"\A\s*(\${1,2})(?=[^\W\d])(.*)\1\s*\Z", re.S), r"\2"),
    (
        re.compile(
            r"</?(?:a|b|i|u|em|strong|br|p|sup|sub|span|mark|q|cite|blockquote|ul|ol|li|div|table|thead|tbody|tr|td|th|h[1-6]|code|pre)\b"
            r"[^<>]{0,80}>",
            re.I,
        ),
        " ",
    ),
    (re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)"), r"\1"),
    (re.compile(r"\[\s*sic\s*\]|\[\^\w{1,3}\]|[(\[]emphasis (?:added|supplied)[)\]]", re.I), " "),
)
"""What a model wraps around words -> what stands for it, in the order in which it is taken off; entities of HTML go in between."""


def unwrap(quote: str) -> str:
    """A quote without what a model wraps around it: JSON, HTML and markdown escapes, tags, links, footnote marks, [sic]."""
    for pattern, plain in _ESCAPED:
        quote = pattern.sub(plain, quote)
    quote = html.unescape(quote)
    for pattern, by in _WRAPPED:
        quote = pattern.sub(by, quote)
    return quote


_STRUCK = re.compile(r"~~(?=\S)[^~]{1,400}~~|<(s|del|strike)>[^<>]{1,400}</\1>", re.I)


def without_struck(quote: str) -> str:
    """A quote without the words that it shows as struck out itself (~~so~~)."""
    return _STRUCK.sub(" ", quote)


_CITED = re.compile(
    r"(?:\b(?:clauses?|paragraphs?|sections?|sub-?\w*|items?|limbs?)|\d|\)\s*(?:,|and|or|to|through|,\s*and|,\s*or)?)[\s\xa0]*\Z", re.I
)
_HEAD = r"(?:(?<=\n)|(?<=[;:,.—–]\s)|(?<=\band\s)|(?<=\bor\s)|(?<=\A))"
_COUNTED = r"(?!\s*(?i:(?:business|banking|calendar)\s|days?\b|weeks?\b|months?\b|years?\b|per\s?cent|%|times\b))"
_LABEL = re.compile(rf"(?=\(){_HEAD}\((?:[ivxlc]{{1,5}}|[a-zA-Z]{{1,2}}|\d{{1,2}})\)(?=\s|\Z){_COUNTED}")
_LIST_MARK = re.compile(r"(?:(?<=\n)|(?<=\A))[ \t]*(?:\(?(?:[ivxlc]{1,5}|[a-zA-Z]|\d{1,2})[.)]|[*•·▪‣+-])(?=[ \t]+\S)" + _COUNTED)


def silence_labels(text: str, *, is_quote: bool = False) -> str:
    """Same length, with the labels at the head of paragraphs silenced: (a), (ii), in a quote also 1. and list marks; references stay."""

    def silence(match: re.Match[str]) -> str:
        is_reference = _CITED.search(text, max(0, match.start() - 24), match.start())
        return match[0] if is_reference else SILENT * len(match[0])

    text = _LIST_MARK.sub(lambda match: SILENT * len(match[0]), text) if is_quote else text
    return _LABEL.sub(silence, text)
