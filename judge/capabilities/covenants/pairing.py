"""Which reported covenant is which gold covenant: one to one, by folded name or alias; of any other pair `covenant_identity` decides, the
most similar pairs first (design/covenants.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz

from deterministic.lexicon.covenant_names import has_initials, usual_name
from deterministic.lexicon.stems import singular
from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold
from judge.capabilities.provenance import check_claim, gold_places, stands_in_any_place
from judge.capabilities.wording import fold_text
from judge.records import Question

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
    return _bare_name(mine.name, tuple(claim.section or "" for claim in mine.claims))


@lru_cache(maxsize=4096)
def _bare_name(full: str, sections: tuple[str, ...]) -> str:
    name = _AROUND.sub("", full)
    match = _REFERENCE.search(name)
    if match is None or not match.start():
        return name
    cited = any(re.search(rf"(?<![\d.]){re.escape(match['place'])}(?![\d.])", section) for section in sections)
    return name[: match.start()] if cited else name


@lru_cache(maxsize=4096)
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


NEAR = 50  # what gold's own place adds to the similarity of a pair


@dataclass(frozen=True, slots=True)
class Pairing:
    """Gold index -> reported index, the questions that settle the grey pairs, and the reported covenants left over.

    rivals: left-over reported index -> the gold one with an open pair that it could be instead.
    """

    reported: tuple[Covenant, ...]
    pairs: dict[int, int]
    questions: dict[int, Question] = field(default_factory=dict)
    unpaired: tuple[int, ...] = ()
    rivals: dict[int, int] = field(default_factory=dict)

    def paired(self, gold_index: int) -> Covenant | None:
        """The reported covenant of a gold one; None when it is missed."""
        return self.reported[self.pairs[gold_index]] if gold_index in self.pairs else None


def pair_covenants(context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> Pairing:
    """Pairs them as far as names and answers decide; the best open pair of a gold covenant carries its question.

    A gold covenant that is left over while a reported one that it could be waits for another's answer waits for its own: it is not missed.
    """
    pairs = _by_name(reported, gold)
    free_gold, free = _left(gold, pairs), _free(reported, gold, pairs)
    scores, questions = _scores(context, reported, gold, [(g, r) for g in free_gold for r in free])
    chosen = {}
    for g, r in sorted(scores, key=lambda pair: -scores[pair]):  # of equals the earlier ones
        if g not in pairs and r not in pairs.values():
            pairs[g] = r
            chosen[g] = questions[g, r]
    waiting = {pairs[g] for g, question in chosen.items() if (answer := context.answers.get(question)) is None or answer.verdict != "same"}
    for g in _left(gold, pairs):
        if shared := [r for r in sorted(waiting) if (g, r) in questions]:
            pairs[g] = max(shared, key=lambda r: scores[g, r])
            chosen[g] = questions[g, pairs[g]]
    unpaired = tuple(r for r in range(len(reported)) if r not in pairs.values())
    rivals = {r: g for g, r in questions if r in unpaired and pairs.get(g) in waiting}
    return Pairing(tuple(reported), pairs, chosen, unpaired, rivals)


def _left(gold: Sequence[CovenantGold], pairs: dict[int, int]) -> list[int]:
    return [g for g in range(len(gold)) if g not in pairs]


def _free(reported: Sequence[Covenant], gold: Sequence[CovenantGold], pairs: dict[int, int]) -> list[int]:
    known = {name_key(name) for g in pairs for name in (gold[g].name, *gold[g].aliases)}
    return [r for r in range(len(reported)) if r not in pairs.values() and name_key(name_of(reported[r])) not in known]


def _by_name(reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> dict[int, int]:
    """Pairs by folded name, by folded alias, then by a usual other name or initials that only one covenant on each side has; of several
    reports of one name the first in the output."""
    pairs: dict[int, int] = {}
    for names_of in (lambda g: (g.name,), lambda g: g.aliases):
        for g, true in enumerate(gold):
            wanted = {fold_text(name) for name in names_of(true)}
            if g not in pairs:
                match = next((r for r, mine in enumerate(reported) if fold_text(name_of(mine)) in wanted and r not in pairs.values()), None)
                if match is not None:
                    pairs[g] = match
    names = [(true.name, *true.aliases) for true in gold]
    for r, mine in enumerate(reported):
        if r in pairs.values():
            continue
        owners = [g for g in range(len(gold)) if any(are_one_name(name_of(mine), name) for name in names[g])]
        rivals = [o for o in range(len(reported)) if o < r and any(are_one_name(name_of(reported[o]), n) for g in owners for n in names[g])]
        if len(owners) == 1 and owners[0] not in pairs and not rivals:
            pairs[owners[0]] = r
    return pairs


def _scores(
    context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold], left: Sequence[tuple[int, int]]
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], Question]]:
    """Similarity of every pair that can be one, each with its question; an answered pair is raised or struck out."""
    scores: dict[tuple[int, int], float] = {}
    questions: dict[tuple[int, int], Question] = {}
    for g, r in left:
        likeness, places = similarity(reported[r], gold[g]), gold_places(gold[g].claims)
        is_near = any(stands_in_any_place(context, check_claim(context, claim), places) for claim in reported[r].claims)
        is_named = any(are_one_name(name_of(reported[r]), name) for name in (gold[g].name, *gold[g].aliases))
        if likeness < context.contract.covenants.pairing_never and not is_near and not is_named:
            continue
        names = {"reported_name": reported[r].name, "gold_name": gold[g].name}
        details = {"reported_detail": _detail(reported[r]), "gold_detail": _detail(gold[g])}
        question = Question.of("covenant_identity", **names, **details)
        answer = context.answers.get(question)
        if answer is not None and answer.verdict == "different":
            continue
        questions[g, r] = question
        scores[g, r] = likeness + 1000 * (answer is not None and answer.verdict == "same") + NEAR * is_near
    return scores, questions


def _detail(covenant: Covenant) -> str:
    quote = next((c.quote for c in covenant.claims if c.quote), None)
    section = next((c.section for c in covenant.claims if c.section), None)
    shown = {
        "type": covenant.type,
        "threshold": covenant.threshold,
        "tested": covenant.testing_frequency,
        "section": section,
        "text": quote,
    }
    return "; ".join(f"{name}: {value}" for name, value in shown.items() if value)
