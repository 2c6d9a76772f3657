"""What shows that an agreement has a negative pledge or a material adverse change clause (design/onboarding.md yes/no fields): a located
quote from gold's own cited place, or one that holds the clause's own formula."""

from __future__ import annotations

import re

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
