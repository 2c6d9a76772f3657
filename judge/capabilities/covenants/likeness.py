"""Which reported covenant can be which gold one: equal names by folding, aliases and the market's usual names; what speaks for asking."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from deterministic.lexicon.covenant_names import has_initials, usual_name
from deterministic.lexicon.stems import singular
from judge.capabilities.context import Context
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.provenance import check_claim, gold_places, stands_in_any_place
from judge.capabilities.wording import fold_text

# how much each likeness says, of 100: names most, then what the covenants demand and where they stand
SHARES = {"name": 70, "threshold": 15, "section": 10, "type": 5}

_REFERENCE = re.compile(
    r"\s*[(\[,–—-]?\s*(?:section|clause|sec\.|cl\.|§)?\s*(?P<place>\d+(?:\.\d+)+(?:\([A-Za-z0-9]{1,4}\))*)\s*[)\]]?\s*$", re.IGNORECASE
)
_AROUND = re.compile(
    r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?=\S)|\s*[(\[](?:financial|information|negative|positive|affirmative)(?:\s+(?:covenant|undertaking))?[)\]]\s*$",
    re.IGNORECASE,
)  # the mark of a list before a name, the class of the covenant behind it
_CARRIERS = frozenset("the a an of on ratio covenant covenants test undertaking".split())
"""Words of a name that say nothing of which covenant it is; neither "minimum" nor "no" is one."""


def name_of(mine: Covenant) -> str:
    """A reported name without the mark of a list, its class in brackets, and the place behind it, "Limitation on Liens (5.02(b))", where
    the covenant's own citation is of that place."""
    name = _AROUND.sub("", mine.name)
    match = _REFERENCE.search(name)
    if match is None or not match.start():
        return name
    cited = any(re.search(rf"(?<![\d.]){re.escape(match['place'])}(?![\d.])", claim.section or "") for claim in mine.claims)
    return name[: match.start()] if cited else name


def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one covenant's name share: its words in order, plurals folded, without those that carry it."""
    return tuple(singular(word) for word in usual_name(fold_text(name)).split() if word not in _CARRIERS)


def are_one_name(first: str, second: str) -> bool:
    """Whether two names are one by folding, by a usual other name ("Negative Pledge", "Liens") or by initials ("DSCR")."""
    if name_key(first) == name_key(second):
        return bool(name_key(first))
    told = [fold_text(name).split() for name in (first, second)]
    for short, long in (told, reversed(told)):
        words = [word for word in short if word not in _CARRIERS]
        if len(words) == 1 and has_initials(long, words[0], _CARRIERS):
            return True
    return False


def similarity(mine: Covenant, true: CovenantGold) -> float:
    """0..100: how alike two covenants are in name, threshold, cited section and type; it only says which pair to ask about first."""
    names = [fuzz.token_sort_ratio(fold_text(name_of(mine)), fold_text(name)) for name in (true.name, *true.aliases)]
    total = SHARES["name"] * max(names) / 100
    if mine.threshold and true.threshold and fold_text(mine.threshold) == fold_text(true.threshold):
        total += SHARES["threshold"]
    mine_sections, true_sections = ({fold_text(c.section) for c in x.claims if c.section} for x in (mine, true))
    if mine_sections & true_sections:
        total += SHARES["section"]
    if mine.type and fold_text(mine.type) == fold_text(true.type):
        total += SHARES["type"]
    return total


def is_at_place(context: Context, mine: Covenant, true: CovenantGold) -> bool:
    """Whether a quote of the reported covenant stands in gold's own provision."""
    places = gold_places(true.claims)
    return any(stands_in_any_place(context, check_claim(context, claim), places) for claim in mine.claims)
