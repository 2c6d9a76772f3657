"""Words, numbers and marks of a text with the offsets they come from, for comparing a quote with its source word by word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from deterministic.lexicon.folding import SILENT, WILDCARDS, fold
from deterministic.lexicon.phrases import CURRENCY_SIGNS, DOLLAR_PREFIXES, LEGAL_FORMS, MONTHS, NEEDS_CAPITALS, PHRASES

_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts written without spaces: each character is a word of its own."""
_LETTER = rf"(?:[^\W\d_{_NO_SPACES}]|[{_MARKS}{SILENT}{WILDCARDS}])"
_SIGNS = "".join(CURRENCY_SIGNS)
_GROUP = "\u00a0\u2009\u202f "
NUMBER = rf"(?<![\d.,])\d{{1,3}}(?:[{_GROUP}]\d{{3}})+(?![\d.,]?\d)|\d+(?:[.,'’](?:[ \t]*\n[ \t]*(?=\d{{3}}(?!\d)))?{SILENT}?\d+)*|[¼-¾⅐-⅞]"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})|(?P<sign>(?<![^\W\d_])(?:U\.\s?S\.|[A-Z]{{1,2}})\s?\$|[{_SIGNS}])|(?P<unit>[%‰])"
    rf"|(?P<word>{_LETTER}+(?:[’'](?:s|t|re|ve|ll|d)\b|[-‐][ \t]*\n\s*(?=[a-z]){_LETTER}+)*)|(?P<character>[{_NO_SPACES}])"
)
_FIGURE_OPEN = re.compile(rf"[(\[]\s*(?:[A-Z]{{0,3}}[{_SIGNS}]?|[A-Z]{{3}})\s*[-−–]?\s*[{_SIGNS}]?\s*$")
_FIGURE_CLOSE = re.compile(r"\s*[%‰]?\s*[)\]]")
_SIGN_BEFORE = re.compile(rf"(?:^|[\s(\[]|[{_SIGNS}]|[A-Z]{{3}})\s?[-−–](?:[{_SIGNS}]|[A-Z]{{3}} ?)?$")
_ENUMERATOR_BEFORE = re.compile(r"(?:(?:^|\n)\s*|\w|[;:,]\s*|\b(?:and|or|to)\s+)$", re.I)
HAS_WILDCARD = re.compile(f"[{WILDCARDS}]")


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` as in wording.Kind, or "name" for a capitalised word. `meaning` is what is compared ("10", "USD", "OBLIGATION")."""

    kind: str
    folded: str
    meaning: str
    start: int
    end: int
    is_negative: bool = False
    bracket: str = ""
    """"figure": an amount in brackets, "enumerator": (1), "": none."""

    @property
    def is_guarded(self) -> bool:
        return self.kind not in ("word", "name")


def number_value(raw: str) -> str:
    """The number without grouping, a full stop as decimal point: "350,000.50" -> "350000.50", "1,5" -> "1.5"."""
    if len(raw) == 1 and not raw.isascii() and not raw.isdigit():
        return unicodedata.normalize("NFKC", raw).replace("\u2044", "/")
    plain = "".join(str(unicodedata.digit(c)) if c.isdigit() and not c.isascii() else c for c in re.sub(rf"[\s{SILENT}]", "", raw))
    plain = plain.replace("’", "'")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+", plain):
        return plain.replace(".", "").replace(",", ".")
    if re.fullmatch(r"\d{1,3}(?:[,']\d{2,3})*[,']\d{3}(?:\.\d+)?", plain):
        return plain.replace(",", "").replace("'", "")
    return plain.replace(",", ".", 1) if re.fullmatch(r"\d+,\d+", plain) else plain


def _number(text: str, start: int, end: int, raw: str) -> Token:
    before, after = text[max(0, start - 12) : start], text[end : end + 4]
    bracket = ""
    if (opening := _FIGURE_OPEN.search(before)) and _FIGURE_CLOSE.match(after):
        is_small = raw.isdigit() and len(raw) <= 3 and opening[0].strip() in "(["
        bracket = "enumerator" if is_small and _ENUMERATOR_BEFORE.search(before[: opening.start()]) else "figure"
    value = number_value(raw)
    return Token("number", value, value, start, end, bool(_SIGN_BEFORE.search(before)), bracket)


def _currency_sign(raw: str, start: int, end: int) -> Token:
    prefix = fold(raw[:-1])
    meaning = DOLLAR_PREFIXES.get(prefix, "$") if raw[-1] == "$" else CURRENCY_SIGNS[raw[-1]]
    return Token("currency", fold(raw) + raw[-1], meaning, start, end)


def scan_tokens(text: str) -> list[Token]:
    """Single words, numbers and marks, in order; phrases are not joined yet."""
    tokens = []
    for match in _TOKEN.finditer(text):
        group, raw = match.lastgroup, match[0]
        start, end = match.span()
        if group == "number":
            tokens.append(_number(text, start, end, raw))
        elif group == "sign":
            tokens.append(_currency_sign(raw, start, end))
        elif group == "unit":
            tokens.append(Token("unit", "%", "%" if raw == "%" else "‰", start, end))
        elif (folded := fold(raw)) or HAS_WILDCARD.search(raw):
            first = next((c for c in raw if c.isalpha()), "")
            tokens.append(Token("name" if first.isupper() else "word", folded, LEGAL_FORMS.get(folded, folded), start, end))
    return tokens


def _is_may_month(tokens: list[Token], at: int) -> bool:
    """ "May" is the month when it stands capitalised beside a number."""
    if tokens[at].folded != "may" or tokens[at].kind != "name":
        return False
    return any(0 <= n < len(tokens) and tokens[n].kind == "number" for n in (at - 1, at + 1))


def tokenize(text: str) -> list[Token]:
    """The tokens of a text with phrases joined: "not less than" is one limit, "per cent" one unit, "Singapore Dollars" one currency."""
    return list(_tokens(text))


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[Token, ...]:
    """A quote is held against several places of its document in a row."""
    single = scan_tokens(text)
    joined: list[Token] = []
    at = 0
    while at < len(single):
        token, length = single[at], 1
        if token.kind in ("word", "name"):
            if _is_may_month(single, at):
                token = Token("month", "may", "may", token.start, token.end)
            else:
                token, length = _phrase(text, single, at)
        joined.append(token)
        at += length
    return tuple(joined)


def _phrase(text: str, tokens: list[Token], at: int) -> tuple[Token, int]:
    first = tokens[at]
    for words, kind, meaning in PHRASES.get(first.folded, ()):
        following = tokens[at : at + len(words)]
        if len(following) < len(words) or any(t.folded != w for t, w in zip(following, words, strict=True)):
            continue
        if first.folded in NEEDS_CAPITALS and not text[first.start : first.end].isupper():
            continue
        if kind == "month" and meaning in MONTHS and first.kind != "name":
            continue
        return Token(kind, " ".join(words), meaning, first.start, following[-1].end), len(words)
    return first, 1
