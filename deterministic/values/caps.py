"""Composite caps: "the greater of USD 75,000,000 and 3.0 % of Consolidated Total Assets" (judging.md section 2: both limbs are needed)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.matching import same_characters, stands_in_any
from deterministic.lexicon.numbers import fold
from deterministic.values import amounts, rates
from deterministic.values.amount_places import is_in_document, is_in_text
from deterministic.values.comparison import Comparison, Surroundings
from deterministic.values.words import words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

_CHOICE = re.compile(r"\b(?P<choice>greater|greatest|higher|highest|larger|lesser|least|lower|lowest|smaller)\s+of\b", re.IGNORECASE)
_UPPER = ("greater", "greatest", "higher", "highest", "larger")
_MARK = r"\((?:[a-z]|[ivx]+|\d)\)"
_SEPARATOR = re.compile(rf"(?:[;,]?\s+(?:and|or)\s+|[;,]\s+)(?={_MARK}|[^\w\s(]?\d|[a-z]{{2,3}}[$£€]?\s?\d|the\s+amount)", re.IGNORECASE)
"""Between two limbs; "the Company and its Subsidiaries" within one begins no other."""
_MARKER = re.compile(rf"^[\s:,]*(?:{_MARK}\s*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limb:
    """One alternative of the cap. `base` is what a percentage is taken of, folded; empty where nothing is said."""

    value: amounts.Money | rates.Rate
    base: str = ""


@dataclass(frozen=True, slots=True)
class Composite:
    """The greater (`is_upper`) or the lesser of its limbs."""

    is_upper: bool
    limbs: tuple[Limb, ...]


def is_composite(text: str) -> bool:
    return _CHOICE.search(fold(text)) is not None


def parse(text: str) -> Composite | None:
    """The composite cap that the text states, None when a limb is neither an amount nor a percentage."""
    folded = fold(text)
    choice = _CHOICE.search(folded)
    if choice is None or len(folded) > 600:
        return None
    limbs = [_limb(part) for part in _limb_texts(folded)]
    if len(limbs) < 2 or any(limb is None for limb in limbs):
        return None
    return Composite(choice["choice"].casefold() in _UPPER, tuple(limb for limb in limbs if limb))


def _limb_texts(folded: str) -> list[str]:
    """The limbs of a composite cap in the words of the text."""
    choice = _CHOICE.search(folded)
    parts = _SEPARATOR.split(folded[choice.end() :]) if choice else []
    return [limb for part in parts if (limb := _MARKER.sub("", part).strip(" .,;"))]


def _limb(part: str) -> Limb | None:
    amount = amounts.parse(part)
    if isinstance(amount, amounts.Money):
        return Limb(amount)
    found = rates.scan(part)
    if len(found) != 1 or part[: found[0].start].strip(" ("):
        return None
    base = re.sub(r"^\s*\)?\s*of\s+(?:the\s+)?", "", part[found[0].end :])
    return Limb(found[0].value, " ".join(re.findall(r"\w+", base.casefold())))


def compare(reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    """Both limbs right: correct or semantic match; one missing: partial; another limb or the choice turned round: wrong."""
    if same_characters(str(reported), str(gold)):
        return Comparison("correct", f"{reported} is as expected")
    if len(limbs := [words(text) for text in _limb_texts(fold(str(gold)))]) > 1 and words(str(reported)) in limbs:
        return Comparison("partial", f"{reported} leaves out a limb of {gold}", ("LIMB_MISSING",))
    mine, expected = _limbs(reported), _limbs(gold)
    if mine is None or expected is None:
        return Comparison("open", f"no rule reads {reported} against {gold} as composite caps")
    if None not in (mine.is_upper, expected.is_upper) and mine.is_upper != expected.is_upper:
        return Comparison("wrong", f"{reported} turns the choice of {gold} round")
    matched = [next((g for g in expected.limbs if _is_same_value(r, g)), None) for r in mine.limbs]
    if any(g is None for g in matched):
        return Comparison("wrong", f"{reported} has a limb that {gold} has not")
    if any(r.base and g and g.base and r.base != g.base for r, g in zip(mine.limbs, matched, strict=True)):
        return Comparison("open", f"{reported} and {gold} may take the percentage of different things")
    if len({id(g) for g in matched}) < len(expected.limbs):
        return Comparison("partial", f"{reported} leaves out a limb of {gold}", ("LIMB_MISSING",))
    if len(expected.limbs) == 1 < len(mine.limbs):
        return Comparison("wrong", f"{reported} has limbs that {gold} has not")
    is_verbatim = stands_in_any(str(reported), surroundings.quotes)
    return Comparison("correct" if is_verbatim else "semantic_match", f"{reported} has every limb of {gold}")


def have_other_bases(reported: str, gold: str) -> bool:
    """Whether two plain percentages are of things that differ in words ("5 % of EBITDA", "5 % of Total Assets")."""
    mine, expected = (_limbs(text if is_composite(text) else re.sub(r"^\D+(?=\d)", "", text)) for text in (reported, gold))
    if mine is None or expected is None or len(mine.limbs) + len(expected.limbs) > 2:
        return False
    bases = [words(limb.base) for limb in (*mine.limbs, *expected.limbs)]
    return all(bases) and bases[0] != bases[1]


@dataclass(frozen=True, slots=True)
class _Limbs:
    is_upper: bool | None
    limbs: tuple[Limb, ...]


def _limbs(value: Any) -> _Limbs | None:
    """The limbs of a composite, or the one limb that a plain amount or percentage is."""
    if isinstance(value, str) and is_composite(value):
        composite = parse(value)
        return None if composite is None else _Limbs(composite.is_upper, composite.limbs)
    amount = amounts.read(value)
    if isinstance(amount, amounts.Money):
        return _Limbs(None, (Limb(amount),))
    limb = _limb(fold(value)) if isinstance(value, str) else None
    return None if limb is None else _Limbs(None, (limb,))


def _is_same_value(first: Limb, second: Limb) -> bool:
    if isinstance(first.value, amounts.Money) and isinstance(second.value, amounts.Money):
        return first.value.amount == second.value.amount and bool(
            set(first.value.codes) & set(second.value.codes) or first.value.codes == second.value.codes
        )
    if isinstance(first.value, rates.Rate) and isinstance(second.value, rates.Rate):
        return rates.is_equal(first.value, second.value)
    return False


def occurs(reported: str, document: Document) -> bool:
    """Whether every limb stands in the document."""
    composite = parse(reported)
    if composite is None:
        return stands_in_any(reported, (document.text,))
    return all(
        is_in_document(limb.value, document) if isinstance(limb.value, amounts.Money) else rates.is_in_document(limb.value, document)
        for limb in composite.limbs
    )


def supports(reported: str, text: str) -> bool:
    """Whether the text contains every limb."""
    composite = parse(reported)
    if composite is None:
        return stands_in_any(reported, (text,))
    return all(
        is_in_text(limb.value, text) if isinstance(limb.value, amounts.Money) else rates.is_in_text(limb.value, text)
        for limb in composite.limbs
    )
