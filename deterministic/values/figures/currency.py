"""Currencies: ISO 4217 codes, names and symbols, and which dollar a bare `$` is.
Comparison: design/values.md, row "currency": the ISO code is correct, a name or unambiguous symbol a semantic match, a bare `$` partial
where the document has several dollars, another currency wrong."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any, Literal

from deterministic.documents.documents import Document
from deterministic.lexicon.currencies import MONEY_OF, SYMBOLS, WORDLIKE_CODES, WORDLIKE_NAMES, iso_codes, lookup, plural_names
from deterministic.lexicon.memory import remembered
from deterministic.lexicon.numbers import fold
from deterministic.lexicon.searching import find_all
from deterministic.values.comparison import Comparison, Mention, Surroundings, best_of
from deterministic.values.names import laws
from deterministic.values.names.laws import JURISDICTIONS
from deterministic.values.words import same_characters, stands_in


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency as written: its candidate ISO codes (several for a bare `$`), and whether it was a code, a name or a symbol."""

    codes: tuple[str, ...]
    form: Literal["code", "name", "symbol"]

    @property
    def is_ambiguous(self) -> bool:
        return len(self.codes) > 1


_BRACKETED = re.compile(r"^(?P<first>[^()]+?)\s*\(\s*(?P<second>[^()]+?)\s*\)$")


def parse(text: str) -> Currency | None:
    """The currency that the whole text names (`USD`, `US Dollars`, `S$`, `Singapore Dollars (SGD)`), None when it names none."""
    folded = fold(text).strip()
    if len(folded) > 120:
        return None
    if (bracketed := _BRACKETED.match(folded)) is not None:
        return _agreeing(_single(bracketed["first"]), _single(bracketed["second"]))
    return _single(folded)


def _single(text: str) -> Currency | None:
    for form in (text, text.lstrip("\"'“”").rstrip("\"'“”.,;")):
        if (found := lookup(form)) is not None:
            codes, sort = found
            return Currency(codes, sort)  # type: ignore[arg-type]
    if len(text) == 3 and text[1:].islower() and text.upper() in iso_codes():  # GBp are pence
        return Currency((text.upper(),), "name")
    money_of = _MONEY_OF.fullmatch(text)
    return None if money_of is None else Currency((MONEY_OF[_country(money_of)],), "name")


def _agreeing(first: Currency | None, second: Currency | None) -> Currency | None:
    if first is None or second is None:
        return None
    common = tuple(code for code in first.codes if code in second.codes)
    return Currency(common, "name") if common else None


_COUNTRIES = "|".join(r"\s+".join(map(re.escape, country.split())) for country in sorted(MONEY_OF, key=len, reverse=True))
_MONEY_OF = re.compile(
    rf"(?:the\s+)?(?:(?:lawful|legal|official)\s+)?(?:money|currency)\s+(?:for\s+the\s+time\s+being\s+)?of\s+(?:the\s+)?(?P<country>{_COUNTRIES})\b",
    re.IGNORECASE,
)


def _country(match: re.Match[str]) -> str:
    return " ".join(match["country"].split()).casefold()


_CODE = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
_MARK = re.compile("[" + "".join(sorted({s for s in SYMBOLS if len(s) == 1})) + "]")
_BEFORE_MARK = re.compile(r"(?<![A-Za-z])[A-Za-z.]{1,5}\s?$")
_LETTERS = re.compile(r"(?<![A-Za-z])(?:rs\.?|rm|rp\.?|kr\.?)(?=\s?\d)", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"(?:[\w.]+\s+){0,2}$")


@cache
def _last_words() -> re.Pattern[str]:
    """The last words of all names: what precedes is looked up afterwards, which keeps the scan of a long text short."""
    words = sorted({name.split()[-1] for name in plural_names()}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE)


def scan(text: str) -> tuple[Mention, ...]:
    """Every currency named in running text, by code, symbol, name, or "lawful money of …"."""
    return tuple(sorted(_scan(fold(text), text), key=lambda m: m.start))


def _scan(folded: str, text: str) -> Iterator[Mention]:
    for start, end in _spans(folded):
        if (found := lookup(folded[start:end])) is not None:
            codes, sort = found
            yield Mention(start, end, Currency(codes, sort), text[start:end])  # type: ignore[arg-type]
    for match in find_all(_MONEY_OF, folded):
        yield Mention(match.start(), match.end(), Currency((MONEY_OF[_country(match)],), "name"), text[match.start() : match.end()])


def _spans(folded: str) -> Iterator[tuple[int, int]]:
    for match in find_all(_CODE, folded):
        if match.group() in WORDLIKE_CODES and not _is_beside_number(folded, *match.span()):
            continue
        if folded[match.end() : match.end() + 1] not in SYMBOLS:  # the code of "SGD$" is read with its symbol
            yield match.span()
    yield from (match.span() for match in find_all(_LETTERS, folded))
    yield from (_widest(folded, *match.span(), _BEFORE_MARK) for match in find_all(_MARK, folded))
    for match in find_all(_last_words(), folded):
        start, end = _widest(folded, *match.span(), _BEFORE_NAME)
        if folded[start:end].casefold() not in WORDLIKE_NAMES or _is_beside_number(folded, start, end):
            yield start, end


def _is_beside_number(folded: str, start: int, end: int) -> bool:
    before, after = folded[max(0, start - 12) : start], folded[end : end + 2].lstrip()[:1]
    return after.isdecimal() or after == "(" or re.search(r"\d\s?(?:[a-z]{1,8}\s)?$", before) is not None


def _widest(folded: str, start: int, end: int, before: re.Pattern[str]) -> tuple[int, int]:
    """The range with as many of the words before it as still name a currency: `Dollars` in `Hong Kong Dollars`."""
    window = max(0, start - 30)
    found = before.search(folded, window, start)
    while found is not None and found.start() < start:
        at = found.start()
        if lookup(folded[at:end]) is not None:
            return at, end
        at = start - len("".join(folded[at:start].split(None, 1)[1:]))
        found = before.search(folded, at, start) if at < start else None
    return start, end


@remembered
def named_codes(text: str) -> frozenset[str]:
    """The codes that a text names without doubt: a bare `$` names none, and a code only beside a figure ("NTD:" is a drafting note)."""
    folded = fold(text)
    sure = (m for m in scan(text) if not m.value.is_ambiguous and (m.value.form != "code" or _is_beside_number(folded, m.start, m.end)))
    return frozenset(m.value.codes[0] for m in sure if folded[m.end : m.end + 1] != ":")


_DOLLAR_TERM = re.compile(r"[“\"‘'·]\s*(?:\$|(?:U\.?S\.?\s*)?Dollars?)\s*[”\"’'·]", re.IGNORECASE)
_DEFINITION = 160
"""Characters behind a defined term in which it says what it is."""


@remembered
def defined_dollar(text: str) -> str | None:
    """What the document itself says that its dollars are (“Dollars” and “$”: dollars in lawful currency of the United States)."""
    for term in _DOLLAR_TERM.finditer(text):
        start = term.end()
        while (again := _DOLLAR_TERM.search(text, start, start + 30)) is not None:
            start = again.end()
        body = "".join(takewhile(lambda sign: sign not in '“".;', text[start : start + _DEFINITION]))
        named: list[str] = [m.value.codes[0] for m in scan(body) if not m.value.is_ambiguous]
        if named:
            return named[0]
    return None


def has_several(document_text: str, shared: Iterable[str], expected: Iterable[str]) -> bool:
    """Whether the document names more than the expected one of the currencies that share a sign and does not say which one it is."""
    candidates, expected = frozenset(shared), tuple(expected)
    if (defined := defined_dollar(document_text)) in candidates:
        return defined not in expected
    others = (named_codes(document_text) & candidates) - frozenset(expected)
    if others and expected == ("USD",) and _is_american(document_text):
        return not others.isdisjoint(_codes_of_amounts(document_text))
    return bool(others)


@remembered
def _is_american(text: str) -> bool:
    """Whether the law of a US state governs: a bare `$` is its own dollar then, and another one that is only an option is written out."""
    return any(JURISDICTIONS[match.value].part_of == "usa" for clause in _GOVERNED.findall(text) for match in laws.scan(clause))


_GOVERNED = re.compile(r"\bgoverned\b.{0,200}", re.IGNORECASE | re.DOTALL)


@remembered
def _codes_of_amounts(text: str) -> frozenset[str]:
    """The codes without doubt in which the text states a figure."""
    folded = fold(text)
    return frozenset(m.value.codes[0] for m in scan(text) if not m.value.is_ambiguous and _is_beside_number(folded, m.start, m.end))


def is_same(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two candidate lists can be one currency."""
    return any(code in second for code in first)


def resolve(codes: tuple[str, ...], document_text: str) -> tuple[str, ...]:
    """What a shared sign means in this document: the one that it defines or the only one that it names, else all candidates."""
    if len(codes) > 1 and (defined := defined_dollar(document_text)) in codes:
        return (str(defined),)
    if len(codes) > 1 and len(named := named_codes(document_text) & frozenset(codes)) == 1:
        return tuple(named)
    return codes


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "currency" of design/values.md. `open` when one of the two names no currency and they differ."""
    return best_of(lambda mine, expected: _compare_one(mine, expected, surroundings), reported, gold, accepted)


def _compare_one(reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    mine, expected = parse(str(reported)), parse(str(gold))
    if mine is None or expected is None:
        if same_characters(str(reported), str(gold)):
            return Comparison("correct", f"{reported!s} is as expected")
        return Comparison("open", f"no rule reads {reported!s} against {gold!s} as currencies")
    candidates = resolve(expected.codes, surroundings.document_text)
    if not is_same(mine.codes, candidates):
        return Comparison("wrong", f"{reported!s} is another currency than {gold!s}")
    if not mine.is_ambiguous:
        if len(candidates) > 1 and mine.codes[0] != candidates[0]:
            return Comparison("open", f"{gold!s} may stand for {reported!s} or not")
        label: Literal["correct", "semantic_match"] = "correct" if mine.form == "code" else "semantic_match"
        other = f"is the ISO code of {gold!s}" if label == "correct" else f"names {gold!s}"
        says = "is as expected" if str(reported) == str(gold) else other
        return Comparison(label, f"{reported!s} {says}")
    if not surroundings.document_text or has_several(surroundings.document_text, mine.codes, candidates[:1]):
        wanted = f"; {gold!s} is expected" if str(gold) != str(reported) else ""
        return Comparison("partial", f"{reported!s} is shared by several currencies{wanted}", ("CURRENCY_AMBIGUOUS",))
    return Comparison("semantic_match", f"{reported!s} can only be {gold!s} in this document")


def mentioned(document: Document) -> frozenset[tuple[str, ...]]:
    """The candidate codes of every currency that the document names; scanned once."""
    return document.cached("values.currency", lambda: frozenset(m.value.codes for m in scan(document.text)))


_JOINED = re.compile(r"\s*(?:[/;&,]\s*)+(?:(?:and|or)\s+)?|\s+(?:and/or|and|or)\s+", re.IGNORECASE)
_MOST = 20  # currencies that a facility can be drawn in


def parts(value: Any) -> tuple[str, ...]:
    """The currency that a value names, or each of several ("USD or EUR", "Dollars / euro"); () when it says more."""
    text = str(value).strip()
    names = (text,) if parse(text) is not None else tuple(_JOINED.split(text, _MOST))
    return names if all(parse(name) is not None for name in names) else ()


def _listed(value: Any) -> list[Currency]:
    return [found for name in parts(value) if (found := parse(name)) is not None]


def occurs(reported: Any, document: Document) -> bool:
    """Whether the currency stands anywhere in the document, as code, name or symbol (a shared symbol counts for each of its currencies)."""
    if not (mine := _listed(reported)):
        return stands_in(str(reported), document.text)
    named = [resolve(codes, document.text) for codes in mentioned(document)]
    return all(any(is_same(one.codes, codes) for codes in named) for one in mine)


def supports(reported: Any, text: str) -> bool:
    """Whether the text names the currency, or every one of several, in an equivalent form."""
    if not (mine := _listed(reported)):
        return False
    told = scan(text)
    return all(any(is_same(one.codes, m.value.codes) for m in told) for one in mine)
