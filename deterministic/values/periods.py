"""Lengths of time: tenors, grace periods, notice periods (judging.md section 2, row "period").

Years, quarters and months convert into one another, weeks, days and hours do; months and days never. Business Days are a unit of
their own. "sixty (60) months" is one number written twice; where the two differ the text is no period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.calendar import TIME_UNITS, TimeUnit
from deterministic.lexicon.numbers import CARDINAL_PATTERN, VULGAR, parse_cardinal
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Mention, Surroundings, as_text, best_of, raise_verbatim, shown

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document


@dataclass(frozen=True, slots=True)
class Period:
    """A length in its basic unit; `none` is a number without unit. A year is 12 months, a week 7 days, an hour 1/24 of a day."""

    amount: Fraction
    unit: TimeUnit


_FIGURES = r"\d{1,3}(?:,\d{3})+|\d{1,5}(?:\.\d{1,3})?"
_NUMBER = (
    rf"(?P<figures>{_FIGURES})(?P<vulgar>[½¼¾])?(?:\s?\((?P<spelt>{CARDINAL_PATTERN})\))?"
    rf"|(?P<words>{CARDINAL_PATTERN})(?:\s+and\s+an?\s+(?P<half>half))?(?:\s?[\[(](?P<repeated>\d{{1,4}})[\])])?"
)
_DAYS = r"(?:(?P<kind>(?:[A-Za-z.]{2,12}\s+)?(?:business|working)|(?:RFR\s+)?banking|calendar|clear|consecutive)[\s\-]+)?(?P<days>days?)"
_LONG_UNIT = (
    rf"(?:{_DAYS}|(?:(?:calendar|full|successive|consecutive)\s+)?(?P<unit>years?|quarters?|months?|fortnights?|weeks?|hours?|yrs?|mths?))"
    r"(?:['’]s?)?(?![A-Za-z])"
)
_SCANNED = re.compile(rf"(?<![\w.,/:\-])(?:{_NUMBER})[\s\-‑]{{0,3}}{_LONG_UNIT}", re.IGNORECASE)
_SHORT = re.compile(rf"(?P<figures>{_FIGURES})(?P<vulgar>[½¼¾])?\s?(?P<unit>y|yrs?|m|mos?|mths?|w|wks?|d|bd)\.?", re.IGNORECASE)
_ISO = re.compile(r"P(?:(?P<y>\d+)Y)?(?:(?P<m>\d+)M)?(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?", re.IGNORECASE)
_BARE = re.compile(_NUMBER, re.IGNORECASE)

_BEFORE = re.compile(
    r"(?:(?:an?|the|its|is|of|for|has|with|initial|original|scheduled|door-to-door|total|term|tenor|tenure|maturity|period|duration)"
    r"[\s:]+|(?:term|tenor)\s*=\s*)+",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[\s\-]*(?:\(?tenor\)?|term|tenure|maturity|period|in\s+(?:total|length|duration))?[.,;]?$", re.IGNORECASE)
_JOIN = re.compile(r"\s*(?:,|and|,\s*and|plus)?\s*", re.IGNORECASE)
_FROM = re.compile(
    r"[\s,]+(?:commencing\s+|beginning\s+|starting\s+|calculated\s+|falling\s+)?(?:from|after|following|on)\s.*$", re.IGNORECASE | re.DOTALL
)


def parse(text: str) -> Period | None:
    """The whole text as one length ("5 years", "sixty (60) months", "2 years and 6 months", "36M", "P3Y"); a bare number gets unit `none`.

    What the length runs from ("from the date of this Agreement") may follow it and is not part of the value.
    """
    trimmed = " ".join(text.split())
    before = _BEFORE.match(trimmed)
    trimmed = trimmed[before.end() :] if before else trimmed
    return _parse_core(_AFTER.sub("", trimmed)) or _parse_core(_AFTER.sub("", _FROM.sub("", trimmed)))


def _parse_core(text: str) -> Period | None:
    iso = _ISO.fullmatch(text)
    if iso and any(iso.groups()):
        months = int(iso["y"] or 0) * 12 + int(iso["m"] or 0)
        days = int(iso["w"] or 0) * 7 + int(iso["d"] or 0)
        return _whole(months, days)
    short = _SHORT.fullmatch(text)
    if short:
        return _period(short)
    bare = _BARE.fullmatch(text)
    if bare:
        amount = _amount(bare)
        return Period(amount, "none") if amount is not None else None
    return _parse_sum(text)


def _whole(months: int, days: int) -> Period | None:
    if months and days:
        return None
    return Period(Fraction(months), "month") if months else Period(Fraction(days), "day")


def _parse_sum(text: str) -> Period | None:
    """One length, or years and months ("2 years and 6 months"); other sums ("3 months and 5 days") are no single length.

    A bracket that says the same length again, "5 years (60 months)", is read and must agree.
    """
    again = re.fullmatch(r"(?P<first>.*?\S)\s*\((?P<second>[^()]*[A-Za-z][^()]*)\)", text)
    if again:
        first, second = _parse_sum(again["first"]), _parse_sum(again["second"])
        return first if first and first == second else None
    total: Period | None = None
    names: list[str] = []
    position = 0
    while position < len(text):
        join = _JOIN.match(text, position)
        position = join.end() if join and total else position
        match = _SCANNED.match(text, position)
        part = _period(match) if match else None
        if match is None or part is None or (total and not (names == ["year"] and _unit_name(match) == "month")):
            return None
        names.append(_unit_name(match))
        total = Period(part.amount + total.amount, part.unit) if total else part
        position = match.end()
    return total


def scan(text: str) -> tuple[Mention, ...]:
    """Every length with a unit in running text; years and months ("2 years and 6 months") give the parts and the sum."""
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Mention]:
    years: Mention | None = None
    for match in _SCANNED.finditer(text):
        period = _period(match)
        if period is None:
            continue
        name = _unit_name(match)
        yield Mention(match.start(), match.end(), period, match[0])
        if years and name == "month" and _JOIN.fullmatch(text, years.end, match.start()):
            both = Period(years.value.amount + period.amount, "month")
            yield Mention(years.start, match.end(), both, text[years.start : match.end()])
        years = Mention(match.start(), match.end(), period, match[0]) if name == "year" else None


def _period(match: re.Match[str]) -> Period | None:
    amount = _amount(match)
    if amount is None:
        return None
    unit, factor = TIME_UNITS[_unit_name(match)]
    return Period(amount * factor, unit)


def _unit_name(match: re.Match[str]) -> str:
    parts = match.groupdict()
    kind = (parts.get("kind") or "").casefold()
    if parts.get("days"):
        return next((f"{word} day" for word in ("business", "working", "banking") if word in kind), "day")
    name = parts["unit"].casefold()
    return name if name in TIME_UNITS else name.removesuffix("s")


def _amount(match: re.Match[str]) -> Fraction | None:
    parts = match.groupdict()
    if parts["figures"]:
        amount = Fraction(parts["figures"].replace(",", "")) + VULGAR.get(parts.get("vulgar") or "", Fraction(0))
        spelt = parts.get("spelt")
        return amount if not spelt or parse_cardinal(spelt) == amount else None
    number = parse_cardinal(parts["words"])
    if number is None or (parts["repeated"] and int(parts["repeated"]) != number):
        return None
    return Fraction(number) + (Fraction(1, 2) if parts["half"] else 0)


def is_number_of(bare: Period, whole: Period) -> bool:
    """Is the number without unit the number of the period in a unit that it can be written in (36 or 3 for three years)?"""
    if bare.unit != "none":
        return False
    factors = {factor for unit, factor in TIME_UNITS.values() if unit == whole.unit}
    return any(bare.amount * factor == whole.amount for factor in factors)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "period" of judging.md section 2; a text that is no period goes to the judge."""
    text = as_text(reported)
    return raise_verbatim(best_of(_compare_one, text, as_text(gold), accepted), text, surroundings, ignore_case=False)


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported == gold and reported:
        return Comparison("correct", f"{shown(reported)} is the expected text.")
    given, expected = parse(reported), parse(gold)
    if given is None or expected is None:
        return Comparison("open", f"{shown(reported if given is None else gold)} is not read as a period.")
    if given == expected:
        return Comparison("semantic_match", f"{shown(reported)} is as long as {shown(gold)}.")
    if is_number_of(given, expected) or is_number_of(expected, given):
        return Comparison("partial", f"{shown(reported)} is the number of {shown(gold)} without its unit.")
    return Comparison("wrong", f"{shown(reported)} is not as long as {shown(gold)}.")


def occurs(value: Any, document: Document) -> bool:
    """Does the length stand anywhere in the document in any notation? A bare number: as any period's number.

    Of a text that is no length every length in it must stand there; a text without one as it is written.
    """
    text = as_text(value)
    given = parse(text)
    stated = frozenset({given}) if given else lengths(text)
    known = document.cached(("values.periods", "lengths"), lambda: lengths(document.text))
    return all(_is_among(length, known) for length in stated) if stated else texts.occurs(text, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the length in any notation?"""
    given = parse(as_text(value))
    return given in lengths(text) if given else texts.supports(value, text)


def lengths(text: str) -> frozenset[Period]:
    return frozenset(mention.value for mention in scan(text))


def _is_among(given: Period, known: frozenset[Period]) -> bool:
    return any(is_number_of(given, period) for period in known) if given.unit == "none" else given in known
