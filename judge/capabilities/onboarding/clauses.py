"""What shows that an agreement has a negative pledge or a material adverse change clause (real_agreements.md R3 yes/no fields): a located
quote from gold's own cited place, or one that holds the clause's own formula."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deterministic.citations.check import CitationCheck
from deterministic.values import rates
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.measures import GoldPlaces
from judge.capabilities.onboarding.schema import FieldGold
from judge.capabilities.provenance import check_claim, stands_in_any_place

_SECURITY = r"(?:security(?:\s+interests?)?|quasi-?security|liens?|encumbrances?|charges?|mortgages?|pledges?)"
FORMULAS = {
    "negative_pledge": re.compile(
        rf"(?:create|incur|grant|assume|suffer|permit)\b[^.;]{{0,80}}?\b(?:(?:to\s+)?(?:subsist|exist|arise|create)\b|{_SECURITY})[^.;]{{0,60}}\b{_SECURITY}?|negative\s+pledge",
        re.IGNORECASE,
    ),
    "mac_clause": re.compile(r"material(?:ly)?\s+adverse(?:ly)?\s+(?:change|effect|affect\w*|event|impact)|\bMA[CE]\b", re.IGNORECASE),
}
_SAYS_SECURITY = re.compile(rf"\b{_SECURITY}\b", re.IGNORECASE)
_EVENT = re.compile(
    r"\b(?:has|have|had|occur\w*|happen\w*|could|would|might|reasonably\s+(?:be\s+)?(?:expected|likely)|no\s+(?:material|event|change|development)|there\s+has\s+been)\b",
    re.IGNORECASE,
)
"""A material adverse change as an event, a representation or a draw-stop; its bare definition is none of them."""


def holds_formula(key: str, text: str) -> bool:
    """Whether a quote has the field's own formula: "create or permit to subsist any Security", "has a Material Adverse Effect"."""
    pattern = FORMULAS.get(key)
    if pattern is None or pattern.search(text) is None:
        return False
    return (_EVENT if key == "mac_clause" else _SAYS_SECURITY).search(text) is not None


def is_gold_place(context: Context, claims: Sequence[Citation], places: GoldPlaces) -> bool:
    """Whether a located quote stands in one of the provisions that gold cites."""
    return any(stands_in_any_place(context, check_claim(context, claim, places), places) for claim in claims)


_SHOWN_BY_PLACE = {
    "facility_type": re.compile(r"\b(?:facilit|loans?\b|borrow|re-?borrow|advances?\b|revolv|line\s+of\s+credit)", re.IGNORECASE),
    "repayment_schedule": re.compile(
        r"\b(?:re)?pa(?:y|ys|id|yable|yments?)\b|\bprincipal\b|\binstal?lments?\b|\bamorti[sz]", re.IGNORECASE
    ),
    "tenor": re.compile(r"\b\d{4}\b|\b\d{1,3}(?:st|nd|rd|th)\b|\b(?:maturity|termination)\s+date\b", re.IGNORECASE),
    "conditions_precedent": re.compile(r"\w"),
}
"""Fields that no single sentence states: what a quote from the place that gold cites for them speaks of at least."""


def _is_on_matter(key: str, gold: FieldGold, quote: str) -> bool:
    """Whether a quote speaks of the field: it has its words, or a row of gold's grid of rates."""
    if key in ("margin", "commitment_fee"):
        grid = rates.read(gold.value)
        return isinstance(grid, rates.RateGrid) and any(rates.is_in_text(level, quote) for level in grid.levels)
    matter = _SHOWN_BY_PLACE.get(key)
    return matter is not None and matter.search(quote) is not None


def is_shown_by_place(context: Context, key: str, gold: FieldGold | None, check: CitationCheck, places: GoldPlaces) -> bool:
    """Whether a field that is put together from several places is quoted, on its matter, from a page and provision that gold names."""
    if gold is None or (key == "tenor" and not gold.derived) or not _is_on_matter(key, gold, check.claim.quote or ""):
        return False
    on_page = tuple(place for place in places if place[1] is None or place[1] in check.pages_found or check.page == "not_applicable")
    return stands_in_any_place(context, check, on_page)
