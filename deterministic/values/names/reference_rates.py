"""Reference rates (design/values.md, row "reference rate"): family and tenor.
A family is the benchmark (SOFR, SONIA, EURIBOR); a variant is how it is taken (term, compounded, daily simple). The standard (1.2) names
SOFR and Term SOFR apart, so two stated variants that differ are two families ("Term SOFR" is not "Compounded SOFR"). A variant that one
side leaves unsaid ("SONIA" for "compounded SONIA") is the right family, named incompletely: partial."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.labels import OF_A_BENCHMARK
from deterministic.lexicon.searching import find_all
from deterministic.lexicon.tables import forms
from deterministic.values.comparison import Comparison, Grammar, Mention, Reading, as_text, words_support
from deterministic.values.time import periods
from deterministic.values.time.periods import Period
from deterministic.values.words import beside, frame_of


@dataclass(frozen=True, slots=True)
class ReferenceRate:
    """`variant` is "" where unsaid; `tenor` is None where unsaid; an overnight rate has a tenor of one day."""

    family: str
    variant: str
    tenor: Period | None


_ALIASES = forms("reference_rates")
_VARIANTS = forms("rate_variants")
_MONEY = forms("libor_currencies")
_CURRENCIES = frozenset(_MONEY.values())


def _alternatives(options: dict[str, str]) -> str:
    return "|".join(re.escape(option).replace(r"\ ", r"\s+") for option in sorted(options, key=len, reverse=True))


_FAMILY = f"(?P<family>{_alternatives(_ALIASES)})"
_VARIANT = f"(?P<variant>{_alternatives(_VARIANTS)})"
_SCANNED = re.compile(
    rf"(?<![\w€])(?:{_VARIANT}[\s\-]+(?:average\s+)?)?(?:(?P<money>{_alternatives(_MONEY)})[\s\-]+(?=libo))?{_FAMILY}(?![\w])",
    re.IGNORECASE,
)
_TOO_COMMON = frozenset({"fixed", "prime"})  # words of running text; a rate only where they are the whole value
_SHORT_TENOR = re.compile(r"(?<![\w.])(?P<number>\d{1,2})\s?-?\s?(?P<unit>m|mo|mth|y|w|d)(?![\w.])", re.IGNORECASE)


def parse(text: str, labels: tuple[str, ...] = ()) -> ReferenceRate | None:
    """The whole text as one rate: family, variant and tenor in any order, beside words that say nothing of it."""
    reading = read(text, labels)
    return reading.value[0] if reading.value is not None and len(reading.value) == 1 and not reading.unread else None


@lru_cache(maxsize=2048)
def read(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """The rates that a text names in their order, one tenor for all of them, and the words beside them."""
    found = list(_SCANNED.finditer(text))
    tenors, spans = _tenors(text)
    if not found or len(tenors) > 1:
        return Reading(None)
    rates = tuple(replace(_rate(match), tenor=next(iter(tenors), None)) for match in found)
    places = sorted((match.span() for match in found), key=lambda span: span[0])
    for start, end in reversed(spans):
        text = text[:start] + " " * (end - start) + text[end:]
    return Reading(rates, beside(frame_of(text, places, OF_A_BENCHMARK, labels)))


def _rate(match: re.Match[str]) -> ReferenceRate:
    variant = _VARIANTS[_flat(match["variant"])] if match["variant"] else ""
    money = _MONEY[_flat(match["money"])] if match["money"] else "usd" if "dollar" in _flat(match["family"]) else ""
    return ReferenceRate(_ALIASES[_flat(match["family"])], " ".join(filter(None, (variant, money))), None)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _tenors(text: str) -> tuple[set[Period], list[tuple[int, int]]]:
    """The tenors that a text states, and where they stand."""
    found = {(mention.start, mention.end): mention.value for mention in periods.scan(text)}
    for match in _SHORT_TENOR.finditer(text):
        short = periods.parse(match["number"] + match["unit"])
        if short and not any(start <= match.start() < end for start, end in found):
            found[match.span()] = short
    return set(found.values()), sorted(found)


def scan(text: str) -> tuple[Mention, ...]:
    """Every rate named in running text, without its tenor (which often stands far from it)."""
    found = (match for match in find_all(_SCANNED, text) if _flat(match["family"]) not in _TOO_COMMON)
    return tuple(Mention(match.start(), match.end(), _rate(match), match[0]) for match in found)


def _relate(given: tuple[ReferenceRate, ...], expected: tuple[ReferenceRate, ...]) -> Comparison:
    """Rate by rate in their order: one whose tenor or kind is left out is partly right, another one wrong."""
    pairs = list(zip(given, expected, strict=True))
    variants = [{mine.variant, rate.variant} for mine, rate in pairs]
    if any(mine.family != rate.family for mine, rate in pairs) or any(len(kinds - {""}) > 1 for kinds in variants):
        return Comparison("wrong", "is another rate than")
    if any("" in kinds and kinds & _CURRENCIES for kinds in variants):
        return Comparison("open", "may be in the currency of")
    if any((mine.tenor and not rate.tenor) or (mine.variant and not rate.variant) for mine, rate in pairs):
        return Comparison("open", "says more than")
    if any(mine.tenor != rate.tenor for mine, rate in pairs):
        return Comparison("partial", "is the right family, but its tenor is missing or another than in")
    if any(mine.variant != rate.variant for mine, rate in pairs):
        return Comparison("partial", "is the family, its kind of rate missing, of")
    return Comparison("semantic_match", "is the rate and tenor of")


compare = Grammar("rate", read, _relate, ignore_case=False).compare
"""Row "reference rate" of design/values.md."""


def parts(value: Any) -> tuple[str, ...]:
    """The rates that a value names; one that names none, or says "fixed", has nothing that could be looked for."""
    text = as_text(value)
    if {rate.family for rate in _rates(text)} == {"FIXED"}:
        return ()
    return (text,) if parse(text) else tuple(mention.text for mention in scan(text))


def occurs(value: Any, document: Document) -> bool:
    """Is each rate's family named anywhere in the document? How it is taken and its tenor are said elsewhere, in other words."""
    known = document.cached(("values.reference_rates", "families"), lambda: frozenset(m.value.family for m in scan(document.text)))
    rates = _rates(as_text(value))
    return bool(rates) and all(rate.family in known for rate in rates)


_DESCRIBED = frozenset(("LIBOR", "ABR", "PRIME", "BANK_RATE", "FEDERAL_FUNDS", "CD", "FIXED"))
"""Rates that a document may have without their usual names: the "Eurodollar Rate", the "Reference Rate" of a bank."""


def is_always_named(value: Any) -> bool:
    """Does a value name only rates that no document has under another name (EURIBOR, SONIA)?"""
    return _DESCRIBED.isdisjoint(rate.family for rate in _rates(as_text(value)))


def supports(value: Any, text: str) -> bool:
    """Does the text name the rate and, where the value has one, its tenor?"""
    if not (rates := _rates(as_text(value))):
        return words_support(value, text)
    if {rate.family for rate in rates} == {"FIXED"} and not scan(text):
        return words_support(value, text)
    known, tenors = frozenset(_named(text)), _tenors(text)[0]
    return all(_is_named(rate, known) and (rate.tenor is None or rate.tenor in tenors) for rate in rates)


def _rates(text: str) -> tuple[ReferenceRate, ...]:
    """The rates that a text names, whatever stands beside them; with their tenor where it states one."""
    tenors = _tenors(text)[0]
    tenor = next(iter(tenors)) if len(tenors) == 1 else None
    return tuple(replace(_rate(match), tenor=tenor) for match in _SCANNED.finditer(text))


def _named(text: str) -> set[tuple[str, str]]:
    return {(mention.value.family, variant) for mention in scan(text) for variant in ("", mention.value.variant)}


def _is_named(rate: ReferenceRate, known: frozenset[tuple[str, str]]) -> bool:
    """A currency need not stand beside the name of its rate."""
    return (rate.family, "" if rate.variant in _CURRENCIES else rate.variant) in known
