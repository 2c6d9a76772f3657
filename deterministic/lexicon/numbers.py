"""Numbers as loan documents write them: figures with any grouping, scale words, fractions, and number words.
Everything here works on a text folded one character to one character (`fold`), so that offsets stay those of the source. Values are exact
`Fraction`s. What a number means (an amount, a rate, a ratio) is decided by the modules that know the unit."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from deterministic.lexicon.searching import find_behind
from deterministic.lexicon.tables import forms

MAX_DIGITS = 24  # longer runs of digits are account numbers, not amounts

_SPACES = "\t\v\f \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_FOLDS: dict[int, str] = {
    **{ord(c): " " for c in _SPACES},
    **{ord(c): "\n" for c in "\r\x85\u2028\u2029"},
    **{ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u207b\u208b\u02d7\u2796"},
    **{ord(c): "'" for c in "\u2018\u2019\u02bc\u2032\uff07"},
    **{ord(c): '"' for c in "\u201c\u201d\u201e\u201f\uff02"},
    **{ord("\uff10") + i: str(i) for i in range(10)},
    **{
        ord(wide): narrow
        for wide, narrow in {"％": "%", "＄": "$", "￡": "£", "￥": "¥", "﹩": "$", "，": ",", "．": ".", "（": "(", "）": ")"}.items()
    },
    **{ord(c): "/" for c in "\u2044\u2215\uff0f"},
    **{ord(c): ":" for c in "\u2236\ua789\uff1a"},
}
_FOLDED = re.compile(f"[{''.join(chr(code) for code in _FOLDS if chr(code) != ' ')}]")
"""Few characters of a text: looking for them is far cheaper than asking for each."""
VULGAR = {sign: Fraction(unicodedata.numeric(sign)).limit_denominator(8) for sign in "½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚"}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
SCALES = {word: int(number) for word, number in forms("number_words").items()}

_FRACTION = (
    r"(?:\d{1,4}(?:\ |\ ?-\ ?|\ and\ ))?\d{1,3}/\d{1,3}(?![\d/])|\d{0,4}\ ?[½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚]"
    r"|\d{0,4}\ ?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}/[\d₀-₉]{1,3}(?![\d/])"  # 66 2/3 as typeset, with a raised numerator
)
_GROUPED = r"\d{1,3}(?:,\n?\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d{1,2})?|\d{1,3}\.\d{3},\d{1,2}"
_SPACED = r"\d{1,3}(?:'\d{3})+(?:[.,]\d{1,2})?|[1-9]\d{0,2}(?:\ \d{3})+(?:[.,]\d{1,2})?"
_PLAIN = rf"\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,12}}|,\d{{1,2}})?|(?<![A-Za-z])\.\d{{1,6}}"
_END = r"(?!\d|[.,']\d|/\d)"
FIGURE = rf"(?:(?:{_FRACTION})|(?:{_GROUPED}|{_SPACED}|{_PLAIN}){_END})"
_LONG_SCALES = "|".join(sorted((s for s in SCALES if len(s) > 3), key=len, reverse=True))
_SHORT_SCALES = "|".join(sorted((s for s in SCALES if len(s) <= 3), key=len, reverse=True))  # no hyphen before them: Form 10-K
_SCALED = rf"(?:[\s-]{{0,2}}(?:{_LONG_SCALES})|(?<!\d,\d{{3}},\d{{3}})\s{{0,2}}(?:{_SHORT_SCALES}))(?![A-Za-z0-9])(?!\.p)\.?"
_FIGURE_SCAN = re.compile(
    rf"(?=[\d.{''.join(VULGAR)}⁰¹²³⁴⁵⁶⁷⁸⁹])(?<![\d/])(?<!\d[.,'])(?P<figure>{FIGURE})(?P<scale>(?:{_SCALED}){{1,2}})?",
    re.IGNORECASE | re.VERBOSE,
)
_IS_GROUPED = re.compile(r"\d[,' ]\n?\d{3}(?!\d)|\.\d{3}[.,]\d")
_WHOLE_FIGURE = re.compile(FIGURE, re.VERBOSE)


def _numbered(line: str, *, start: int = 1, step: int = 1) -> dict[str, int]:
    return {word: step * number for number, word in enumerate(line.split(), start)}


def _opening(words: Collection[str]) -> str:
    """A look at the first two letters (or a letter alone): cheap at the beginnings of words, most of which begin none of these."""
    first, second = ("".join(sorted({word[n] for word in words})) for n in (0, 1))
    return rf"(?=[{first}][{second}\s])"


SMALL_WORDS = _numbered(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
TEN_WORDS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", start=2, step=10)
_WORD_SCALES: dict[str, int] = {w: v for w, v in SCALES.items() if len(w) > 4 or w in {"lakh", "lac", "lacs"}}
_ORDINAL_UNITS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth"
)
_TWENTIES = {f"twenty-{word}": 20 + number for word, number in _ORDINAL_UNITS.items() if number < 10}
ORDINALS: dict[str, int] = {**_ORDINAL_UNITS, "twentieth": 20, "thirtieth": 30, **_TWENTIES, "thirty-first": 31}
"""Days of a month in words, with a hyphen: "twenty-first" is 21."""
_ORDINAL = "|".join(sorted((word.replace("-", r"[\s\-]+") for word in ORDINALS), key=len, reverse=True))
ORDINAL_PATTERN = rf"{_opening(ORDINALS)}(?:{_ORDINAL})"
PARTS = {word: int(number) for word, number in forms("number_parts").items()}
_SMALL = "(?:" + "|".join(sorted([*SMALL_WORDS, *TEN_WORDS, "hundred", "thousand"], key=len, reverse=True)) + ")"
CARDINAL_PATTERN = rf"(?:a[\s\-]+(?=hundred))?{_SMALL}(?:[\s\-]+(?:and[\s\-]+)?{_SMALL}){{0,7}}"
"""A run of number words, no longer than a number below 10,000 needs; `parse_cardinal` decides whether it is a number."""
_CARDINALS = sorted([*SMALL_WORDS, *TEN_WORDS, "zero", *_WORD_SCALES], key=len, reverse=True)
_CARDINAL = "|".join(_CARDINALS)
_PART = "|".join(sorted(PARTS, key=len, reverse=True))
_WORDS_SCAN = re.compile(
    rf"(?<![\w-]){_opening([*_CARDINALS, 'half', 'an'])}"
    rf"(?:(?:an?\s+(?=hundred|thousand|million|billion|trillion|lakh|crore))?(?:{_CARDINAL})|half\s+an?\s+(?:million|billion|crore|lakh)|an?\s+(?:half|quarter))(?!\w)"
    rf"(?:(?:,?\s+|\s*-\s*)(?:and\s+)?(?:an?\s+(?=half|quarter|hundred|thousand|million))?(?:{_CARDINAL}|{_PART}|point)(?!\w)){{0,30}}",
    re.IGNORECASE,
)


def _beginnings(words: Collection[str]) -> str:
    """Three letters, in either case, that words of ASCII letters begin with: a search that folds no letters is several times as fast."""
    either = {word: "".join(f"[{letter}{letter.upper()}]" for letter in word[:3]) for word in words}
    firsts = sorted({letters[:4] for letters in either.values()})
    return "|".join(f"{first}(?:{'|'.join(sorted({w[4:] for w in either.values() if w[:4] == first}))})" for first in firsts)


_BEFORE_WORDS = re.compile(rf"[^\w-](?={_beginnings([*_CARDINALS, 'half'])}|[aA][nN]?\s)")
CARDINAL_BEGINNING = rf"{_beginnings([*SMALL_WORDS, *TEN_WORDS, 'hundred', 'thousand'])}|[aA][\s-]"


@dataclass(frozen=True, slots=True)
class NumberMention:
    """One number in running text. `end` is the end of the figure or the words, `scale_end` that of the scale word (`end` without one).
    `scale` is the product of the scale words (1 without one); `is_attached` says that a letter, a point or an underscore stands directly
    before it, as in `USD480` or `Rs.500` (and `B2`, which is not a number)."""

    start: int
    end: int
    text: str
    form: Literal["figure", "words"]
    scale: int
    scale_end: int
    is_attached: bool

    @property
    def is_large(self) -> bool:
        """Grouped, scaled, or words with a scale: written as an amount even where no currency stands beside it."""
        return self.scale > 1 or (self.form == "figure" and _IS_GROUPED.search(self.text) is not None)

    def value(self, *, is_amount: bool = False) -> Fraction | None:
        """The number without its scale. `is_amount`: one group of three behind a point is thousands (EUR 350.000), unless scaled."""
        if self.form == "words":
            return parse_words(self.text)
        return read_figure(self.text, thousands_point=is_amount and self.scale == 1)


def fold(text: str) -> str:
    """The text with spaces, dashes, quotation marks and wide digits made plain, one character for one."""
    return _FOLDED.sub(lambda one: _FOLDS[ord(one[0])], text)


@lru_cache(maxsize=4096)
def read_figure(figure: str, *, thousands_point: bool = False) -> Fraction | None:
    """The value of one figure (`4,50,00,00,000`, `1.234.567,89`, `480 000 000`, `2-1/2`, `½`), None when it is none. Indian, western,
    European, spaced and apostrophe grouping are told apart by the marks alone. `1.234` is a decimal, or 1,234 with `thousands_point`;
    `0.500` is always a decimal. A comma before one or two last digits is a decimal comma."""
    text = fold(figure).strip()
    if len(text) > 2 * MAX_DIGITS or not _WHOLE_FIGURE.fullmatch(text):  # "111,111,…" goes on for ever
        return None
    if "/" in text or text[-1] in VULGAR:
        return _read_fraction(text)
    text = text.replace("\n", "").replace(" ", "").replace("'", "")
    last_point, last_comma = text.rfind("."), text.rfind(",")
    if last_point >= 0 and last_comma >= 0:
        text = text.replace(",", "") if last_point > last_comma else text.replace(".", "").replace(",", ".")
    elif last_comma >= 0:
        is_grouped = text.count(",") > 1 or (len(text) - last_comma == 4 and not text.startswith("0,"))
        text = text.replace(",", "") if is_grouped else text.replace(",", ".")
    elif text.count(".") > 1 or (thousands_point and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", text)):
        text = text.replace(".", "")
    return Fraction(text)


def _read_fraction(text: str) -> Fraction | None:
    if text[-1] in VULGAR:
        return Fraction(text[:-1].strip() or 0) + VULGAR[text[-1]]
    if raised := re.fullmatch(r"(\d*)\s?([⁰¹²³⁴⁵⁶⁷⁸⁹]+/.+)", text):
        text = f"{raised[1]} {raised[2]}".translate(_RAISED).strip()
    *whole, part = re.split(r"\s+and\s+|\s*-\s*|\s+", text)
    numerator, denominator = (int(x) for x in part.split("/"))
    if denominator == 0:
        return None
    return Fraction(whole[0] if whole else 0) + Fraction(numerator, denominator)


def fraction_readings(figure: str) -> frozenset[Fraction]:
    """What a fraction can mean whose whole number may be glued to it: "662/3" is 66 2/3, or 662/3."""
    text = fold(figure).strip()
    glued = re.fullmatch(r"(\d{2,5})/(\d{1,3})", text)
    splits = [f"{glued[1][:n]} {glued[1][n:]}/{glued[2]}" for n in range(1, len(glued[1]))] if glued else []
    values = (read_figure(one) for one in (text, *splits))
    return frozenset(value for value in values if value is not None)


def parse_words(words: str) -> Fraction | None:
    """The value of number words (`one and a half crore`, `three hundred and eighty-five`), None when they are none."""
    if not (tokens := fold(words).casefold().replace(",", " ").replace("-", " ").split()) or len(tokens) > 40:
        return None
    return _words_value(tuple(tokens))


def _words_value(tokens: tuple[str, ...]) -> Fraction | None:
    if any(t in PARTS for t in tokens):
        return _part_words(tokens)
    return _cardinal(("one", *tokens[1:]) if tokens[0] in {"a", "an"} else tokens)


def _scaled(value: Fraction | None, scales: tuple[str, ...]) -> Fraction | None:
    """`value` times the scale words; None when one of them is none."""
    for scale in scales:
        if value is None or scale not in _WORD_SCALES:
            return None
        value *= _WORD_SCALES[scale]
    return value


def _part_words(tokens: tuple[str, ...]) -> Fraction | None:
    """`one half`, `three quarters`, `two and a half`, `one and three quarters`, each with scale words after it."""
    if (at := next(i for i, t in enumerate(tokens) if t in PARTS)) == 0:
        return None
    whole, count = _split_mixed(tokens[:at])
    if whole is None or count is None:
        return None
    return _scaled(whole + count / PARTS[tokens[at]], tokens[at + 1 :])


def _split_mixed(tokens: tuple[str, ...]) -> tuple[Fraction | None, Fraction | None]:
    if "and" in tokens:
        at = len(tokens) - 1 - tokens[::-1].index("and")
        whole = _words_value(tokens[:at]) if at else None
        count = tokens[at + 1 :]
    else:
        whole, count = Fraction(0), tokens
    if not count:
        return whole, None
    return whole, Fraction(1) if count in {("a",), ("an",)} else _cardinal(count)


def _cardinal(tokens: tuple[str, ...]) -> Fraction | None:
    """Words of a whole number ("three hundred and sixty-four", "four crore fifty lakh"); None for "two ten" or "five twenty"."""
    if tokens == ("zero",):
        return Fraction(0)
    total, group, below, last = 0, 0, 1000, 0
    for previous, word in zip(("", *tokens), tokens, strict=False):
        scale = _WORD_SCALES.get(word, 0)
        if word == "and" and previous in _WORD_SCALES:
            continue
        if scale == 100 and (not group or (group < 100 and below <= 10)):
            group, below = max(group, 1) * 100, 100
        elif scale > 100 and last and scale > last and not group and previous in _WORD_SCALES:
            total, last = total * scale, scale  # a lakh crore
        elif scale > 100 and (not last or scale < last):
            total, group, below, last = total + max(group, 1) * scale, 0, 1000, scale
        elif word in TEN_WORDS and below >= 100:
            group, below = group + TEN_WORDS[word], 10
        elif word in SMALL_WORDS and (below >= 100 or (below == 10 and SMALL_WORDS[word] < 10)):
            group, below = group + SMALL_WORDS[word], 1
        else:
            return None
    return Fraction(total + group) if (total or group) and tokens[-1] != "and" else None


def parse_cardinal(text: str) -> int | None:
    """ "three hundred and sixty-four" is 364; None when the words are no well-formed number ("two ten", "five twenty")."""
    words = tuple(word for word in text.casefold().replace("-", " ").split() if word not in ("and", "a"))
    value = _cardinal(words) if words else None
    return None if value is None else int(value)


def parse_ordinal(text: str) -> int | None:
    """The day that an ordinal in words names, 1 to 31."""
    return ORDINALS.get("-".join(text.casefold().replace("-", " ").split()))


def scan_numbers(folded: str) -> tuple[NumberMention, ...]:
    """Every number of an already folded text, by offset. Runs of number words that are no number are tried by their parts."""
    mentions: list[NumberMention] = []
    for mention in sorted([*_scan_figures(folded), *_scan_words(folded)], key=lambda m: m.start):
        if not mentions or mention.start >= mentions[-1].scale_end:  # `5 hundred thousand` is one number
            mentions.append(mention)
    return tuple(mentions)


def _scan_figures(text: str) -> Iterator[NumberMention]:
    for match in _FIGURE_SCAN.finditer(text):
        start, end = match.span("figure")
        scale_text, scale = match["scale"], 1
        if scale_text:
            for word in re.findall(r"[A-Za-z]+", scale_text.casefold()):
                scale *= SCALES[word]
        before = text[start - 1] if start else " "
        yield NumberMention(start, end, match["figure"], "figure", scale, match.end(), before.isalpha() or before in "._")


def _scan_words(text: str) -> Iterator[NumberMention]:
    for match in find_behind(_BEFORE_WORDS, _WORDS_SCAN, text):
        start = match.start()
        for words in _readable_runs(match.group()):
            at = text.index(words, start)
            start = at + len(words)
            scale = max((v for w, v in _WORD_SCALES.items() if w in words.casefold()), default=1)
            # the words hold their own scale; `scale` only says that they are an amount's size
            yield NumberMention(at, start, words, "words", scale if scale >= 1000 else 1, start, False)


def _readable_runs(words: str) -> Iterator[str]:
    """The longest leading parts of a run of number words that are numbers, one after the other."""
    while words:
        cuts = [m.end() for m in re.finditer(r"\w+", words)]
        best, failures = None, 0
        for cut in cuts:
            if parse_words(words[:cut]) is not None:
                best, failures = cut, 0
            elif (failures := failures + 1) > 4:  # "one and a half" needs two; a bound keeps hostile runs linear
                break
        if best is not None:
            yield words[:best]
        words = re.sub(r"^(?:[\s,-]|and\b)+", "", words[best or cuts[0] :], flags=re.IGNORECASE) if cuts else ""
