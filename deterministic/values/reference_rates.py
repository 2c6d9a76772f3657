"""Reference rates (judging.md section 2, row "reference rate"): family and tenor.

A family is the benchmark (SOFR, SONIA, EURIBOR); a variant is how it is taken (term, compounded, daily simple). The standard (1.2)
names SOFR and Term SOFR apart, so two stated variants that differ are two families ("Term SOFR" is not "Compounded SOFR"). A
variant that one side leaves unsaid ("SONIA" for "compounded SONIA") is the right family, named incompletely: partial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deterministic.values import periods
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Mention, Surroundings, as_text, best_of, raise_verbatim, shown
from deterministic.values.periods import Period
from deterministic.values.text import plain

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document


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
    "LIBOR": ("libor", "london interbank offered rate", "london inter-bank offered rate"),
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
_OVERNIGHT = re.compile(r"(?<!\w)(?:overnight|O/N)(?!\w)", re.IGNORECASE)
_NOISE = re.compile(
    r"\b(?:the|a|an|cme|ice|refinitiv|usd|us|u\.?s\.?|dollar|dollars|eur|euro|gbp|sterling|franc|sgd|hkd|jpy|yen|aud|inr|forward[\s-]looking|reference|benchmark|screen|"
    r"interest|rate|rates|index|daily|bid|rfr|for|of|over|with|in|period|periods|tenor|term|per|interest|or|published|page|administered|by|based|on|loan|as|applicable|relevant|arrears|chf|swiss)\b"
    r"|[()\[\],:;./\-–+&]",
    re.IGNORECASE,
)
_TENOR_DAY = periods.parse("1 day")


def parse(text: str) -> ReferenceRate | None:
    """The whole text as one rate: family, variant and tenor in any order, beside words that name no other rate or value."""
    found = list(_SCANNED.finditer(text))
    if len({_ALIASES[_flat(match["family"])] for match in found}) != 1:
        return None
    rest = _blank(text, [(match.start(), match.end()) for match in found])
    tenors, rest = _take_tenors(rest)
    variant = _variant(found) or _loose_variant(rest) or _libor_currency(found, rest)
    rest = _PLUS_MARGIN.sub(" ", rest)
    rest = re.sub(_VARIANT, " ", rest, flags=re.IGNORECASE)
    if len(tenors) > 1 or _NOISE.sub(" ", rest).strip():
        return None
    return ReferenceRate(_ALIASES[_flat(found[0]["family"])], variant, next(iter(tenors), None))


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
        for match in _SCANNED.finditer(text)
        if _flat(match["family"]) not in _TOO_COMMON
    )


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "reference rate" of judging.md section 2."""
    text = as_text(reported)
    return raise_verbatim(best_of(_compare_one, text, as_text(gold), accepted), text, surroundings, ignore_case=False)


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported and reported == gold:
        return Comparison("correct", f"{shown(reported)} is the expected text.")
    given, expected = parse(reported), parse(gold)
    if given is None or expected is None:
        if reported and plain(reported) == plain(gold):
            return Comparison("semantic_match", f"{shown(reported)} is {shown(gold)} in other letter case.")
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for reference rates decides.")
    if given == expected:
        return Comparison("semantic_match", f"{shown(reported)} is the rate and tenor of {shown(gold)}.")
    if given.family != expected.family or (given.variant and expected.variant and given.variant != expected.variant):
        return Comparison("wrong", f"{shown(reported)} is another rate than {shown(gold)}.")
    part = "tenor" if given.tenor != expected.tenor else "kind of the rate"
    return Comparison("partial", f"{shown(reported)} is the family of {shown(gold)}; the {part} is missing or differs.")


def occurs(value: Any, document: Document) -> bool:
    """Is the rate named anywhere in the document (its variant too, where the value has one)? Its tenor need not be beside it."""
    given = parse(as_text(value))
    known = document.cached(("values.reference_rates", "rates"), lambda: frozenset(_named(document.text)))
    if given is None:
        named = scan(as_text(value))
        return all(_is_named(mention.value, known) for mention in named) if named else texts.occurs(value, document)
    return _is_named(given, known)


def supports(value: Any, text: str) -> bool:
    """Does the text name the rate and, where the value has one, its tenor?"""
    given = parse(as_text(value))
    if given is None:
        return texts.supports(value, text)
    if not _is_named(given, frozenset(_named(text))):
        return False
    return given.tenor is None or given.tenor in _take_tenors(text)[0]


def _named(text: str) -> set[tuple[str, str]]:
    return {(mention.value.family, variant) for mention in scan(text) for variant in ("", mention.value.variant)}


def _is_named(rate: ReferenceRate, known: frozenset[tuple[str, str]]) -> bool:
    return (rate.family, rate.variant) in known
