"""What stands beside a value (real_agreements.md R0.1): words of a closed list that say nothing of it, asides that speak of something else,
and what is left, which nothing reads. A value is only decided when nothing is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.lexicon.searching import is_found
from deterministic.values.words import words

_NEUTRAL_WORDS = """
a an the this that these such each any all both every its his of in on at to for from by with and or as is are be being was were it which
under over above per their eg ie viz namely being stated expressed currently initially basis
facility facilities loan loans credit commitment commitments tranche tranches advance advances utilisation utilization utilisations
borrowing borrowings drawing drawings drawn undrawn unused unutilised unutilized uncancelled available availability outstanding principal
aggregate total amount amounts sum overall combined original initial committed commit lending agreement document documents deal
term revolving revolver rcf tlb tla swingline line lines senior secured
payable paid pay due accrued accruing accrues calculated computed determined daily monthly quarterly annually annual annum arrear arrears
advance balance portion average until through period periods date day days
interest rate rates margin margins spread fee fees applicable relevant prevailing base reference benchmark flat fixed floating
borrower borrowers company parent lender lenders agent finance parties
""".split()
NEUTRAL = frozenset(_NEUTRAL_WORDS)
"""Words that describe what a value is about and cannot change it: no negation, limit, comparison or number is among them."""

ASIDE = re.compile(
    r"\b(?:floor(?:ed)?|ratchet|csa|credit\s+(?:spread\s+)?adjustment|adjustment\s+spread|exten(?:d(?:able|ed)?|sion)s?|accordion|incremental"
    r"|default\s+(?:rate|interest)|after|following|once|subject\s+to|prepayments?|available\s+tenors?|derived|computed|from\s+the|interest-free)\b",
    re.IGNORECASE,
)
"""What a bracket or a trailing clause begins or contains that speaks of something else than the value: a floor, an option to extend."""
_BRACKET = re.compile(r"\s*[(\[](?P<inner>[^()\[\]]*)[)\]]")
_CLAUSE = re.compile(r"(?:[,;]\s+|\s+[-–—]\s+)(?P<inner>[^,;()\[\]]+)$")


@lru_cache(maxsize=2048)
def split_asides(text: str, heads: re.Pattern[str] = ASIDE) -> tuple[str, tuple[str, ...]]:
    """The text without its asides, and the asides: brackets and last clauses that one of the heads marks."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        if not heads.search(match["inner"]):
            return match[0]
        found.append(match["inner"].strip())
        return " "

    core = _BRACKET.sub(take, text)
    while (shorter := _CLAUSE.sub(take, core.rstrip(" .;,"))) != core.rstrip(" .;,"):
        core = shorter
    return (" ".join(core.split()), tuple(found)) if core.strip() else (text, ())


_SIGNS = re.compile(r"[<>≤≥~≈]")  # a limit or a doubt that is read by nothing


def leftover(rest: str | Iterable[str], *known: str, neutral: frozenset[str] = NEUTRAL) -> tuple[str, ...]:
    """The words of a rest that neither the closed list nor one of the known texts has (gold's own words are no surprise)."""
    text = rest if isinstance(rest, str) else " ".join(rest)
    shared = {word for one in known for word in words(one)}
    signs = (sign for sign in _SIGNS.findall(text) if not any(sign in one for one in known))
    return (*(word for word in words(text) if word not in neutral and word not in shared), *signs)


def holds(aside: str, *texts: str) -> bool:
    """Whether every number of an aside stands in one of the texts (the document's first), so that nothing untrue is passed over with it."""
    if not texts or not texts[0]:
        return True  # there is no text to hold it against
    numbers = [n for n in scan_numbers(fold(aside)) if n.form == "figure" and n.value()]
    folded = [fold(text) for text in texts] if numbers else []
    return all(any(is_found(re.compile(rf"(?<![\d.,]){re.escape(n.text)}(?!\d|[.,]\d)"), text) for text in folded) for n in numbers)
