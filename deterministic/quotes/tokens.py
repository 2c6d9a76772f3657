"""Words, numbers and marks of a text with the offsets they come from, for comparing a quote with its source word by word."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from deterministic.lexicon.currencies import KNOWN_CODES, SYMBOLS, WORDLIKE_CODES, WORDLIKE_NAMES, plural_names
from deterministic.lexicon.folding import SILENT, WILDCARDS, fold
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.lexicon.numbers import PARTS, SCALES, SMALL_WORDS, TEN_WORDS, fraction_readings, read_figure, scan_numbers
from deterministic.lexicon.numbers import fold as plain
from deterministic.lexicon.phrases import PHRASES

_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts written without spaces: each character is a word of its own."""
LETTER = rf"(?:[^\W\d_{_NO_SPACES}]|[{_MARKS}{SILENT}{WILDCARDS}])"
_LETTERS = rf"(?:[A-Za-z]++|{LETTER})+"
"""`LETTER+`, fast in plain text."""
CURRENCY_SIGNS = "".join(sorted(sign for sign in SYMBOLS if len(sign) == 1 and not sign.isalnum()))
_GROUP = "\u00a0\u2009\u202f "
_VULGAR = "¼-¾⅐-⅞"
NUMBER = (
    rf"(?<![\d.,/])(?:\d{{1,4}}(?:[{_GROUP}\n]|[ ]?-[ ]?))?(?:\d{{1,4}}|[⁰¹²³⁴-⁹]{{1,3}})[/⁄∕](?:\d{{1,3}}|[₀-₉]{{1,3}})(?![\d/⁄]|[.,]\d)"
    rf"|(?<![\d.,])\d{{1,4}}[{_GROUP}]?[{_VULGAR}]|[{_VULGAR}]|\d{{1,4}}[⁰¹²³⁴-⁹]{{1,3}}[/⁄∕](?:\d{{1,3}}|[₀-₉]{{1,3}})"
    rf"|(?<![\d.,])\d{{1,3}}(?:[{_GROUP}]\d{{3}})+(?![\d.,]?\d)"
    rf"|\d+(?:[.,'’](?:[ \t]*\n[ \t]*(?=\d{{3}}(?!\d)))?{SILENT}?\d+)*"
)
"""66 2/3, 66-2/3, 662/3; 66⅔; 66²/3; 350 000; 350,000.50."""
_AMOUNT_AHEAD = rf"(?=\s?(?:[A-Z]{{3}}\s?|[{CURRENCY_SIGNS}]\s?)?[\d(])"
_TOKEN = re.compile(
    rf"(?P<number>(?=[\d{_VULGAR}])(?:{NUMBER}))"
    rf"|(?P<word>{_LETTERS}(?:[’'](?:s|t|re|ve|ll|d)\b|[-‐][ \t]*\n\s*(?=[a-z]){_LETTERS})*)"
    rf"|(?P<currency>[{CURRENCY_SIGNS}])|(?P<unit>[%‰])|(?P<sign>(?:[≤≥≦≧⩽⩾±+]|[<>]=?|=[<>]){_AMOUNT_AHEAD}"
    rf"|(?<=[\w.)%]\s)[-−–](?=\s(?:[{CURRENCY_SIGNS}]|[A-Z]{{3}} ?)?\d))|(?P<character>[{_NO_SPACES}])"
)
_SIGN_PREFIX = re.compile(r"(?<![^\W\d_])(?:[A-Za-z]\.?\s?){1,4}\Z")
_SIGN_MEANING = {"≦": "≤", "⩽": "≤", "<=": "≤", "=<": "≤", "≧": "≥", "⩾": "≥", ">=": "≥", "=>": "≥", "−": "-", "–": "-"}
_FIGURE_OPEN = re.compile(rf"[(\[]\s*(?:[A-Z]{{0,3}}[{CURRENCY_SIGNS}]?|[A-Z]{{3}})\s*[-−–]?\s*[{CURRENCY_SIGNS}]?\s*$")
_FIGURE_CLOSE = re.compile(r"\s*[%‰]?\s*[)\]]")
_BEHIND = re.compile(r"(?:\s?(?:%|per cent\.?))?(?:(?P<minus>\s?[(\[]?\s?[-−–—‐]\s*(?:[.,;:)\]”\"]|$)|[-−–—‐](?= +[A-Za-z]))|\s*[-−–—‐])")
_CODE = rf"(?<![A-Za-z])(?:{'|'.join(sorted(KNOWN_CODES))})"
_SIGN_BEFORE = re.compile(rf"(?:^|[\s(\[“\"‘']|[{CURRENCY_SIGNS}]|{_CODE})\s?[-−–](?:[{CURRENCY_SIGNS}]|{_CODE} ?)?$")
_ENUMERATOR_BEFORE = re.compile(r"(?:(?:^|\n)\s*|\w|[;:,]\s*|\b(?:and|or|to)\s+)$", re.I)
_CONTRACTIONS = {"wont": "will", "cant": "can", "shant": "shall", "cannot": "can"} | {
    f"{verb}nt": verb for verb in "do does did is are was were has have had would should could must might need".split()
}
_REFERENCE_WORDS = frozenset(
    "section sections clause clauses article articles paragraph paragraphs schedule schedules exhibit exhibits annex part".split()
)
HAS_WILDCARD = re.compile(f"[{WILDCARDS}]")


class Token(NamedTuple):
    """`kind` as in phrases.PhraseKind. `meaning` is what is compared ("10", "USD", "OBLIGATION"); a number's is its exact value."""

    kind: str
    folded: str
    meaning: str
    start: int
    end: int
    is_negative: bool = False
    bracket: str = ""
    """"figure": an amount in round brackets, "square": in square ones, "enumerator": (1), "minus" and
    "dash": a dash behind it that can be a minus, or that words or figures follow, "": none."""

    @property
    def is_word(self) -> bool:
        return self.kind in ("word", "name")


@lru_cache(maxsize=4096)
def number_value(raw: str) -> str:
    """The number's exact value as text ("350000", "5/2"); what is no figure (4.5.1) without white space as it stands."""
    text = " ".join(re.sub(rf"{SILENT}|\s+(?=\d{{3}}(?!\d*[/⁄∕]))|(?<=,)\s+", "", raw).split())
    value = read_figure(text) if len(text) < 40 else None
    return "".join(text.split()) if value is None else str(value)


def same_number(first: str, second: str) -> bool:
    """Two figures of the same digits say the same number: 350,000 and 350 000; 66 2/3, 66⅔ and 662/3."""
    return number_value(first) == number_value(second) or bool(fraction_readings(first) & fraction_readings(second))


def _number(text: str, start: int, end: int, raw: str) -> Token:
    before, after = text[max(0, start - 12) : start], text[end : end + 4]
    bracket = ""
    if (opening := _FIGURE_OPEN.search(before)) and _FIGURE_CLOSE.match(after):
        is_small = raw.isdigit() and len(raw) <= 3 and opening[0].strip() in "(["
        bracket = "square" if opening[0][0] == "[" else "figure"
        bracket = "enumerator" if is_small and _ENUMERATOR_BEFORE.search(before[: opening.start()]) else bracket
    elif behind := _BEHIND.match(text, end):
        bracket = "minus" if behind["minus"] else "dash"
    return Token("number", fold(raw), number_value(raw), start, end, bool(_SIGN_BEFORE.search(before)), bracket)


def _currency_sign(text: str, before: list[Token], start: int, end: int) -> Token:
    """A sign with the letters that belong to it (US$, U.S.$, HK$), which are taken off the tokens before it."""
    if text[start] in "$£¥" and before and (prefix := _SIGN_PREFIX.search(text, max(0, start - 8), start)):
        form = "".join(text[prefix.start() : end].casefold().split())
        if form in SYMBOLS:
            while before and before[-1].start >= prefix.start():
                before.pop()
            return Token("currency", form, "/".join(SYMBOLS[form]), prefix.start(), end)
    return Token("currency", text[start], "/".join(SYMBOLS[text[start]]), start, end)


def scan_tokens(text: str) -> list[Token]:
    """Single words, numbers and marks, in order; phrases are not joined yet. "doesn't" is two words."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group, raw = match.lastgroup, match[0]
        start, end = match.span()
        if group == "number":
            tokens.append(_number(text, start, end, raw))
        elif group == "currency":
            tokens.append(_currency_sign(text, tokens, start, end))
        elif group == "unit":
            tokens.append(Token("unit", "%", "%" if raw == "%" else "‰", start, end))
        elif group == "sign":
            meaning = _SIGN_MEANING.get(raw, raw)
            tokens.append(Token("sign", meaning, meaning, start, end))
        else:
            for kind, folded, meaning, low, high in _words(raw):
                tokens.append(Token(kind, folded, meaning, start + low, start + high))
    return tokens


@lru_cache(maxsize=8192)
def _words(raw: str) -> tuple[tuple[str, str, str, int, int], ...]:
    """(kind, folded, meaning, from, to) of a word; two for a contraction, none where nothing of it is kept."""
    if not (folded := fold(raw)) and not HAS_WILDCARD.search(raw):
        return ()
    if folded in _CONTRACTIONS:
        verb, middle = _CONTRACTIONS[folded], len(raw) - (3 if folded == "cannot" or "'" in raw or "’" in raw else 2)
        return ("word", verb, verb, 0, middle), ("word", "not", "not", middle, len(raw))
    first = next((c for c in raw if c.isalpha()), "")
    kind = "name" if first.isupper() else "word"
    meaning = LEGAL_FORMS.get((folded,), folded) if kind == "name" and len(folded) > 2 else folded
    return ((kind, folded, meaning, 0, len(raw)),)


def tokenize(text: str) -> list[Token]:
    """The tokens of a text with numbers and phrases joined: "three hundred million" is one number, "not less than" one limit. Sentence by
    sentence: nothing is joined over the end of one, and a quote is held against places that share their sentences."""
    found: list[Token] = []
    start = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        sentence = _tokens(text[start:end])
        found += [Token(t[0], t[1], t[2], t[3] + start, t[4] + start, t[5], t[6]) for t in sentence] if start else sentence
        start = end
    return found


_SENTENCE_END = re.compile(r"(?<=[a-z]{4}[.;:])\s+(?=[A-Z“\"])|(?<=[a-z]{4}[;:])\s+(?=\()")


@lru_cache(maxsize=2048)
def _tokens(text: str) -> tuple[Token, ...]:
    single = _joined_numbers(text, _dated(text, scan_tokens(text)))
    joined: list[Token] = []
    at = 0
    while at < len(single):
        token, length = single[at], 1
        if token.folded in _STARTS and token.is_word:
            token, length = _phrase(text, single, at)
        joined.append(token)
        at += length
    return tuple(joined)


_ISO = r"(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
_EUROPEAN = r"(?P<first>\d{1,2})(?P<mark2>[-/.])(?P<second>\d{1,2})(?P=mark2)(?P<year2>(?:19|20)\d\d)"
_FIGURES_OF_DATE = re.compile(rf"(?<![\w.,/-])(?:{_ISO}|{_EUROPEAN})(?![\w/-]|[.,]\d)")
EITHER = "either"
"""`bracket` of the day and month of a date in figures that has two readings (05/06/2029)."""


def _dated(text: str, tokens: list[Token]) -> list[Token]:
    """Dates in figures as day, month and year: 2029-06-30, 30/06/2029 and 06/30/2029 are 30 June 2029."""
    for match in _FIGURES_OF_DATE.finditer(text):
        first, second = int(match["first"] or match["day"]), int(match["second"] or match["month"])
        is_turned = bool(match["first"]) and second > 12
        day, month = (second, first) if is_turned else (first, second)
        if not (1 <= day <= 31 and 1 <= month <= 12):
            continue
        bracket = EITHER if match["first"] and day <= 12 and day != month else ""
        year = match["year"] or match["year2"]
        start, end = match.span()
        low = next(n for n, token in enumerate(tokens) if token.end > start)
        high = next((n for n, token in enumerate(tokens) if token.start >= end), len(tokens))
        tokens[low:high] = [
            Token("number", str(day), str(day), start, end, bracket=bracket),
            Token("month", f"{month:02}", str(month), start, end, bracket=bracket),
            Token("number", year, year, start, end),
        ]
    return tokens


_RATIO = re.compile(r":|\s:\s|\s+to\s+(?=1(?:\.0+)?(?!\d|[.,]\d))")
_NUMBER_WORDS = frozenset(("zero", "half", "a", "an", *SMALL_WORDS, *TEN_WORDS)) | {w for w in SCALES if len(w) > 3}
_RUN_WORDS = _NUMBER_WORDS | PARTS.keys() | {"and", "point"}


def _joined_numbers(text: str, tokens: list[Token]) -> list[Token]:
    """Number words with their scales, figures with theirs, and ratios, each as one number."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token, end = tokens[at], at + 1
        if token.kind == "number" and found and found[-1].folded in _REFERENCE_WORDS:
            token = token._replace(meaning="".join(text[token.start : token.end].split()))  # 5.10 is not 5.1
        elif token.kind == "number" or (token.is_word and token.folded in _NUMBER_WORDS):
            token, end = _whole_number(text, tokens, at)
        if token.kind != "number":
            found.append(token)
        elif not _joins_ratio(text, found, token):
            whole = _as_multiple(text, token)
            found.append(whole)
            end += whole.end > token.end and end < len(tokens) and tokens[end].start < whole.end
        at = end
    return found


def _whole_number(text: str, tokens: list[Token], at: int) -> tuple[Token, int]:
    """The number that begins at a token, with the tokens that it takes."""
    first, end = tokens[at], at + 1
    while end < len(tokens) and tokens[end].folded in (SCALES if first.kind == "number" else _RUN_WORDS):
        end += 1
    if end == at + 1 and (first.kind == "number" or first.folded in ("a", "an", "half")):
        return first, end
    mention = next(iter(scan_numbers(plain(text[first.start : tokens[end - 1].end]))), None)
    value = mention.value() if mention and mention.start == 0 else None
    if mention is None or value is None:
        return first, at + 1
    stop = first.start + mention.scale_end
    end = next((n for n in range(at + 1, end) if tokens[n].start >= stop), end)
    value *= mention.scale if mention.form == "figure" else 1
    last = max(stop, first.end)
    return first._replace(kind="number", folded=fold(text[first.start : last]), meaning=str(value), end=last), end


_MULTIPLE = re.compile(r"(?:\s?-?[x×]|[\s-]times)(?!\w)(?!\s+(?:a|an|per|each|every|in|during|daily|weekly|monthly)\b)", re.I)


def _as_multiple(text: str, token: Token) -> Token:
    """4.00x and "four times" are 4.00:1."""
    if ":" in token.meaning or not (behind := _MULTIPLE.match(text, token.end)):
        return token
    return token._replace(folded=fold(text[token.start : behind.end()]), meaning=f"{token.meaning}:1", end=behind.end())


def _joins_ratio(text: str, found: list[Token], right: Token) -> bool:
    """Whether the number ends a ratio that the last ones begin (2.50:1, 2.50 to 1.00); they become one number."""
    if not found:
        return False
    at = -2 if found[-1].folded == "to" and len(found) > 1 else -1
    left = found[at]
    if left.kind != "number" or ":" in left.folded or not (gap := _RATIO.match(text, left.end)) or gap.end() != right.start:
        return False
    try:
        value = Fraction(left.meaning) / Fraction(right.meaning)
    except (ValueError, ZeroDivisionError):
        return False
    found[at:] = [left._replace(folded=f"{left.folded}:{right.folded}", meaning=f"{value}:1", end=right.end)]
    return True


def _is_beside_number(tokens: Sequence[Token], at: int, length: int = 1) -> bool:
    return any(0 <= n < len(tokens) and tokens[n].kind == "number" for n in (at - 1, at + length))


_BESIDE_A_NUMBER = {fold(form): codes for form, codes in SYMBOLS.items() if form.strip(".").isalpha()} | {
    name: codes for name, codes in plural_names().items() if name in WORDLIKE_NAMES
}
"""Short forms (Rs., kr) and names that are words too (won, rand)."""
_STARTS = PHRASES.keys() | _BESIDE_A_NUMBER.keys() | {"may"}
GOES_ON = (_RUN_WORDS | SCALES.keys() | {"to"}).union(
    *(words for phrases in PHRASES.values() for words, kind, _ in phrases if kind in ("limit", "number"))
)
"""Words that can be a part of a longer number or limit; "to" of 2.50 to 1.00."""


def _phrase(text: str, tokens: list[Token], at: int) -> tuple[Token, int]:
    first = tokens[at]
    if first.folded == "may" and first.kind == "name" and _is_beside_number(tokens, at):
        return first._replace(kind="month", meaning="5"), 1
    for words, kind, meaning in PHRASES.get(first.folded, ()):
        if (length := len(words)) > 1 and (at + 1 == len(tokens) or tokens[at + 1].folded != words[1]):
            continue
        if length > 2 and tuple(t.folded for t in tokens[at : at + length]) != words:
            continue
        if (kind == "currency" and not _is_currency(text, tokens, at, words)) or (kind == "month" and first.kind != "name"):
            continue
        return Token(kind, " ".join(words), meaning, first.start, tokens[at + length - 1].end), length
    if (codes := _BESIDE_A_NUMBER.get(first.folded)) and _is_beside_number(tokens, at):
        return first._replace(kind="currency", meaning="/".join(codes)), 1
    return first, 1


def _is_currency(text: str, tokens: list[Token], at: int, words: Sequence[str]) -> bool:
    """Codes are read in capitals, or beside a number; those that are words (ALL, TOP, CAD) in capitals beside a number."""
    code = words[0].upper()
    if len(words) > 1 or code not in KNOWN_CODES:
        return True
    is_upper, is_beside = text[tokens[at].start : tokens[at].end].isupper(), _is_beside_number(tokens, at)
    return is_upper and is_beside if code in WORDLIKE_CODES else is_upper or is_beside
