"""Reference rates (judging.md section 2, row "reference rate"): family and tenor.

A family is the benchmark (SOFR, SONIA, EURIBOR); a variant is how it is taken (term, compounded, daily simple). The standard (1.2)
names SOFR and Term SOFR apart, so two stated variants that differ are two families ("Term SOFR" is not "Compounded SOFR"). A
variant that one side leaves unsaid ("SONIA" for "compounded SONIA") is the right family, named incompletely: partial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.searching import find_all
from deterministic.values import periods
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Grammar, Mention, Reading, Surroundings, as_text, compare_read
from deterministic.values.periods import Period
from deterministic.values.remarks import split_asides
from deterministic.values.words import words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


@dataclass(frozen=True, slots=True)
class ReferenceRate:
    """`variant` is "" where unsaid; `tenor` is None where unsaid; an overnight rate has a tenor of one day."""

    family: str
    variant: str
    tenor: Period | None


_FAMILIES: dict[str, tuple[str, ...]] = {
    "SOFR": ("sofr", "secured overnight financing rate"),
    "SONIA": ("sonia", "sterling overnight index average"),
    "ESTR": ("€str", "estr", "ester", "euro short-term rate", "euro short term rate"),
    "SORA": ("sora", "singapore overnight rate average"),
    "SARON": ("saron", "swiss average rate overnight"),
    "TONA": ("tona", "tonar", "tokyo overnight average rate"),
    "TORF": ("torf", "tokyo term risk free rate"),
    "HONIA": ("honia", "hong kong dollar overnight index average"),
    "CORRA": ("corra", "canadian overnight repo rate average"),
    "AONIA": ("aonia", "aud overnight index average"),
    "EURIBOR": ("euribor", "euro interbank offered rate"),
    "LIBOR": (
        "libor",
        "libo rate",
        "libo",
        "london interbank offered rate",
        "london inter-bank offered rate",
        "eurodollar rate",
        "eurodollar base rate",
        "euro-dollar rate",
        "british bankers' association interest settlement rate",
        "british bankers' association interest settlement rates",
    ),
    "HIBOR": ("hibor", "hong kong interbank offered rate", "hong kong inter-bank offered rate"),
    "SIBOR": ("sibor", "singapore interbank offered rate", "singapore inter-bank offered rate"),
    "SOR": ("sor", "swap offer rate", "singapore swap offer rate"),
    "TIBOR": ("tibor", "tokyo interbank offered rate", "tokyo inter-bank offered rate"),
    "ZTIBOR": ("ztibor", "euroyen tibor"),
    "BBSY": ("bbsy", "bank bill swap bid rate"),
    "BBSW": ("bbsw", "bank bill swap rate", "bank bill swap reference rate"),
    "BKBM": ("bkbm", "bank bill benchmark rate"),
    "KLIBOR": ("klibor", "kuala lumpur interbank offered rate"),
    "MYOR": ("myor", "malaysia overnight rate"),
    "JIBOR": ("jibor", "jakarta interbank offered rate"),
    "INDONIA": ("indonia",),
    "MIBOR": ("mibor", "mumbai interbank offered rate", "mumbai inter-bank offered rate"),
    "MCLR": ("mclr", "marginal cost of funds based lending rate"),
    "BIBOR": ("bibor", "bangkok interbank offered rate"),
    "THOR": ("thor", "thai overnight repurchase rate"),
    "TAIBOR": ("taibor", "taipei interbank offered rate"),
    "TAIFX": ("taifx",),
    "SHIBOR": ("shibor", "shanghai interbank offered rate"),
    "LPR": ("lpr", "loan prime rate"),
    "KORIBOR": ("koribor",),
    "CD": ("cd rate", "certificate of deposit rate"),
    "EIBOR": ("eibor", "emirates interbank offered rate"),
    "SAIBOR": ("saibor", "saudi interbank offered rate", "saudi arabian interbank offered rate"),
    "JIBAR": ("jibar", "johannesburg interbank average rate"),
    "NIBOR": ("nibor", "norwegian interbank offered rate"),
    "STIBOR": ("stibor", "stockholm interbank offered rate"),
    "CIBOR": ("cibor", "copenhagen interbank offered rate"),
    "WIBOR": ("wibor", "warsaw interbank offered rate"),
    "PRIBOR": ("pribor", "prague interbank offered rate"),
    "BUBOR": ("bubor", "budapest interbank offered rate"),
    "CDOR": ("cdor", "canadian dollar offered rate"),
    "TIIE": ("tiie",),
    "ABR": ("abr", "alternate base rate", "base rate"),
    "PRIME": ("prime rate", "prime"),
    "BANK_RATE": ("bank of england base rate", "bank rate"),
    "FEDERAL_FUNDS": ("federal funds rate", "federal funds effective rate", "fed funds rate"),
    "FIXED": ("fixed rate", "fixed"),
}
_ALIASES = {alias: family for family, aliases in _FAMILIES.items() for alias in aliases}
_VARIANTS = {
    "term": "term",
    "compounded": "compounded",
    "compounding": "compounded",
    "daily compounded": "compounded",
    "cumulative compounded": "compounded",
    "daily non-cumulative compounded": "compounded",
    "non-cumulative compounded": "compounded",
    "daily simple": "daily simple",
    "simple": "daily simple",
    "average": "average",
    "synthetic": "synthetic",
}


def _alternatives(options: dict[str, str]) -> str:
    return "|".join(re.escape(option).replace(r"\ ", r"\s+") for option in sorted(options, key=len, reverse=True))


_FAMILY = f"(?P<family>{_alternatives(_ALIASES)})"
_VARIANT = f"(?P<variant>{_alternatives(_VARIANTS)})"
_SCANNED = re.compile(rf"(?<![\w€])(?:{_VARIANT}[\s\-]+(?:average\s+)?)?{_FAMILY}(?![\w])", re.IGNORECASE)
_TOO_COMMON = frozenset({"fixed", "prime"})  # words of running text; a rate only where they are the whole value
_SHORT_TENOR = re.compile(r"(?<![\w.])(?P<number>\d{1,2})\s?-?\s?(?P<unit>m|mo|mth|y|w|d)(?![\w.])", re.IGNORECASE)
_PLUS_MARGIN = re.compile(r"(?:plus|\+)\s+(?:the\s+)?(?:applicable\s+)?margin\b", re.IGNORECASE)
_ADJUSTMENT = re.compile(
    r"\(?\s*(?:[a-z]+\s+)?[a-z]+\s*(?:\+|plus)\s*(?:a\s+)?(?:csa\s+of\s+)?\d+(?:\.\d+)?\s*(?:%|per\s+cent\.?|bps?)(?:\s+(?:csa|p\.?a\.?|per\s+annum))?\s*\)|(?:\+|plus)\s*(?:a\s+)?(?:csa|credit\s+adjustment\s+spread)\b",
    re.IGNORECASE,
)
"""What a rate is adjusted with, "(Term SOFR + 0.10%)"; it belongs to the rate's definition."""
_CHOICE_OF_TENORS = re.compile(
    r"\(?(?:(?:\d{1,2}|one|two|three|six)[\s-]*(?:months?|m)?\s*(?:,|/|or|and|,\s*or)\s*)+(?:\d{1,2}|one|two|three|six|twelve)[\s-]*(?:months?|m)\b\)?",
    re.IGNORECASE,
)
_SCREEN = re.compile(
    r"\(?(?:\b(?:as\s+)?(?:displayed|shown|published|quoted|appearing|reported|set\s+out)\s+(?:on|by)\s+(?:the\s+)?)?"
    r"\b(?:dow\s+jones\s+(?:markets?\s+)?)?(?:reuters|bloomberg|telerate|refinitiv|bridge)\b[’'s]*(?:\s+(?:screen|page))*"
    r"(?:\s+[A-Z]{3,8}\d{1,4}|\s+\d{1,5})?(?:\s+(?:screen|page))*\)?",
    re.IGNORECASE,
)
"""Where a rate is published, "Reuters LIBOR01": a page of that name is no rate of its own."""
_RESERVES = re.compile(
    r"\badjusted\s+for\s+(?:(?:the|any|applicable|statutory|eurodollar|eurocurrency)\s+)*reserves?(?:\s+(?:requirements?|costs?))?\b",
    re.IGNORECASE,
)
_DOLLAR = re.compile(r"\b(?:usd?|u\.s\.|us)\s+(?:dollars?\s+)?(?=libor?\b)", re.IGNORECASE)
_JARGON = {"l": "LIBOR", "s": "SOFR"}
_NO_BENCHMARK = re.compile(
    r"^\s*(?:n\.?/?a\.?|none|not\s+applicable|no\s+(?:benchmark|reference\s+rate|floating\s+rate))\s*[-–—:,;(]\s*(?=.*\bfixed\b)",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"(?:at\s+|of\s+)?-?\d+(?:\.\d+)?\s*(?:%|per\s+cent\.?)(?:\s*(?:p\.?\s?a\.?|per\s+annum))?", re.IGNORECASE)
_OVERNIGHT = re.compile(r"(?<!\w)(?:overnight|O/N)(?!\w)", re.IGNORECASE)
_NOISE = re.compile(
    r"\b(?:british\s+bankers\W{0,2}\s+association|bba|the|a|an|alternatively|cme|ice|refinitiv|usd|us|u\.?s\.?|dollar|dollars|eur|euro|gbp|sterling|franc|sgd|hkd|jpy|yen|aud|inr|forward[\s-]looking|reference|benchmark|screen|"
    r"interest|rate|rates|index|daily|bid|rfr|for|of|over|with|in|period|periods|tenor|term|per|interest|or|published|page|adjusted|any|relation|respect|case|loans|advances|or|and|euros|lending|credit|facility|all-in|margin|each|to|denominated|currency|currencies|administered|by|based|on|loan|as|applicable|relevant|arrears|chf|swiss|zloty|pln|krona|krone|sek|nok|dkk)\b"
    r"|[()\[\],:;./\-–+&]",
    re.IGNORECASE,
)
_TENOR_DAY = periods.parse("1 day")


def parse(text: str) -> ReferenceRate | None:
    """The whole text as one rate: family, variant and tenor in any order, beside words that name no other rate or value."""
    reading = read(text)
    is_whole = reading.value is not None and len(reading.value) == 1 and not reading.unread and not reading.asides
    return reading.value[0] if is_whole else None


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """The rates that a text names, each once, without floors, adjustments and available tenors (asides), and the words left over.

    Several tenors are a choice that the borrower has: the rate itself has none.
    """
    core, asides = split_asides(text)
    core, choices = _blanked(core, _CHOICE_OF_TENORS)
    core, adjustments = _blanked(core, _ADJUSTMENT)
    core, screens = _blanked(_RESERVES.sub(" ", _NO_BENCHMARK.sub("", core)), _SCREEN)
    core = _JARGON.get(core.strip(" +").casefold(), core)  # "L + margin": nothing but the letter
    found = list(_SCANNED.finditer(core))
    if not found:
        return Reading(None)
    rest = _blank(core, [(match.start(), match.end()) for match in found])
    if not {_ALIASES[_flat(match["family"])] for match in found} - {"FIXED"}:
        rest, levels = _blanked(rest, _LEVEL)
        adjustments = (*adjustments, *levels)
    tenors, rest = _take_tenors(rest)
    loose = _loose_variant(rest)
    rates: dict[str, ReferenceRate] = {}
    for match in found:
        family = _ALIASES[_flat(match["family"])]
        is_alone = {_ALIASES[_flat(other["family"])] for other in found} == {family}
        variant = _variant([match]) or (loose if len(found) == 1 else "") or (_libor_currency(found, rest) if is_alone else "")
        known = rates.get(family)
        rates[family] = ReferenceRate(family, (known.variant if known else "") or variant, next(iter(tenors)) if len(tenors) == 1 else None)
    rest = re.sub(_VARIANT, " ", _PLUS_MARGIN.sub(" ", rest), flags=re.IGNORECASE)
    return Reading(tuple(rates.values()), words(_NOISE.sub(" ", rest)), (*asides, *adjustments, *choices, *screens))


def _blanked(text: str, pattern: re.Pattern[str]) -> tuple[str, tuple[str, ...]]:
    found = tuple(match[0] for match in pattern.finditer(text))
    return (pattern.sub(" ", text), found) if found else (text, ())


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _variant(found: list[re.Match[str]]) -> str:
    return next((_VARIANTS[_flat(match["variant"])] for match in found if match["variant"]), "")


def _loose_variant(rest: str) -> str:
    """A variant that stands apart from its family ("SONIA, compounded in arrears")."""
    match = re.search(r"\b(?:compounded|daily\s+simple)\b", rest, re.IGNORECASE)
    if match is None and re.search(r"\bforward[\s-]looking\s+term\b", rest, re.IGNORECASE):
        return "term"
    return _VARIANTS[_flat(match[0])] if match else ""


def _libor_currency(found: list[re.Match[str]], rest: str) -> str:
    """LIBOR was one rate per currency; of the other benchmarks each has its own."""
    if _ALIASES[_flat(found[0]["family"])] != "LIBOR":
        return ""
    match = re.search(r"\b(?:(usd|us|dollars?)|(eur|euro)|(gbp|sterling)|(jpy|yen)|(chf|swiss))\b", rest, re.IGNORECASE)
    return ("usd", "eur", "gbp", "jpy", "chf")[(match.lastindex or 1) - 1] if match else ""


def _take_tenors(text: str) -> tuple[set[Period], str]:
    """The tenors that a text states, and the text without them."""
    mentions = periods.scan(text)
    tenors = {mention.value for mention in mentions}
    rest = _blank(text, [(mention.start, mention.end) for mention in mentions])
    for match in _SHORT_TENOR.finditer(rest):
        short = periods.parse(match["number"] + match["unit"])
        tenors |= {short} if short else set()
    rest = _SHORT_TENOR.sub(" ", rest)
    if _OVERNIGHT.search(rest) and _TENOR_DAY:
        tenors.add(_TENOR_DAY)
    return tenors, _OVERNIGHT.sub(" ", rest)


def scan(text: str) -> tuple[Mention, ...]:
    """Every rate named in running text, without its tenor (which often stands far from it)."""
    return tuple(
        Mention(match.start(), match.end(), ReferenceRate(_ALIASES[_flat(match["family"])], _variant([match]), None), match[0])
        for match in find_all(_SCANNED, text)
        if _flat(match["family"]) not in _TOO_COMMON
    )


def _relate(given: tuple[ReferenceRate, ...], expected: tuple[ReferenceRate, ...]) -> Comparison:
    """Several rates ("SONIA or, for euro, EURIBOR") are paired by family: one that gold lacks is wrong, one left out partial."""
    pairs = [(mine, next((rate for rate in expected if rate.family == mine.family), None)) for mine in given]
    if {rate.family for rate in expected} < {mine.family for mine in given}:
        return Comparison("open", "names more rates than")
    if any(rate is None or _is_other_variant(mine, rate) for mine, rate in pairs):
        return Comparison("wrong", "is another rate than")
    if len({mine.family for mine in given}) < len({rate.family for rate in expected}):
        return Comparison("partial", "leaves out a rate of")
    if any(rate is not None and mine.tenor != rate.tenor for mine, rate in pairs):
        return Comparison("partial", "is the right family, but its tenor is missing or another than in")
    if any(rate is not None and mine.variant != rate.variant for mine, rate in pairs):
        return Comparison("partial", "is the family, its kind of rate missing, of")
    return Comparison("semantic_match", "is the rate and tenor of")


def _is_other_variant(mine: ReferenceRate, expected: ReferenceRate) -> bool:
    return bool(mine.variant and expected.variant and mine.variant != expected.variant)


_GRAMMAR = Grammar("rate", read, _relate, figures=True, ignore_case=False)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "reference rate" of judging.md section 2."""
    if isinstance(reported, str) and "eurodollar" in f"{reported} {gold}".casefold():
        reported = _DOLLAR.sub("", reported)  # a eurodollar rate is LIBOR for dollars, whether that is said or not
    found = compare_read(_GRAMMAR, reported, gold, accepted, surroundings)
    is_strange = (
        _RESERVES.search(as_text(reported)) and surroundings.document_text and "reserve" not in surroundings.document_text.casefold()
    )
    return Comparison("open", f"{reported}: the document has no reserves") if is_strange and found.label != "wrong" else found


def parts(value: Any) -> tuple[str, ...]:
    """The rates that a value names; one that names none, or says "fixed", has nothing that could be looked for."""
    text = split_asides(as_text(value))[0]
    if {rate.family for rate in _rates(text)} == {"FIXED"}:
        return ()
    return (text,) if parse(text) else tuple(mention.text for mention in scan(text))


def occurs(value: Any, document: Document) -> bool:
    """Is the rate named anywhere in the document (its variant too, where the value has one)? Its tenor need not be beside it."""
    known = document.cached(("values.reference_rates", "rates"), lambda: frozenset(_named(document.text)))
    rates = _rates(as_text(value))
    return bool(rates) and all(_is_named(rate, known) for rate in rates)


_DESCRIBED = frozenset(("LIBOR", "ABR", "PRIME", "BANK_RATE", "FEDERAL_FUNDS", "CD", "FIXED"))
"""Rates that a document may have without their usual names: the "Eurodollar Rate", the "Reference Rate" of a bank."""


def is_always_named(value: Any) -> bool:
    """Does a value name only rates that no document has under another name (EURIBOR, SONIA)?"""
    return _DESCRIBED.isdisjoint(rate.family for rate in _rates(as_text(value)))


def supports(value: Any, text: str) -> bool:
    """Does the text name the rate and, where the value has one, its tenor?"""
    rates = _rates(as_text(value))
    if not rates:
        return texts.supports(value, text)
    if {rate.family for rate in rates} == {"FIXED"} and not scan(text):
        return texts.supports(value, text) or _LEVEL.search(text) is not None  # a rate in figures, and no benchmark beside it
    known, tenors = frozenset(_named(_TELERATE.sub("LIBOR", _SCREEN_NAME.sub(r"\1", text)))), _take_tenors(text)[0]
    return all(_is_named(rate, known) and (rate.tenor is None or rate.tenor in tenors) for rate in rates)


_SCREEN_NAME = re.compile(r"\b(LIBOR|EURIBOR|TIBOR|HIBOR|SIBOR)0\d\b")  # a screen page on which the rate of that name appears
_TELERATE = re.compile(r"\btelerate\s+(?:screen\s+)?(?:page\s+)?3750\b", re.IGNORECASE)  # the page on which LIBOR appeared


def _rates(text: str) -> tuple[ReferenceRate, ...]:
    return read(text).value or ()


def _named(text: str) -> set[tuple[str, str]]:
    return {(mention.value.family, variant) for mention in scan(text) for variant in ("", mention.value.variant)}


def _is_named(rate: ReferenceRate, known: frozenset[tuple[str, str]]) -> bool:
    return (rate.family, rate.variant) in known
