"""Which reported covenant is which gold covenant: one to one, by folded name or alias first, then by the best total similarity, with
`covenant_identity` deciding the grey zone (judging.md 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from judge.capabilities.context import Context
from judge.capabilities.covenants.assignment import assign
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.wording import fold_text, name_words
from judge.records import Question

# how much each likeness says, of 100: names most, then what the covenants demand and where they stand
SHARES = {"name": 70, "threshold": 15, "section": 10, "type": 5}


@dataclass(frozen=True, slots=True)
class Pairing:
    """Gold index -> reported index, the questions that settle the grey pairs, and the reported covenants left over."""

    reported: tuple[Covenant, ...]
    pairs: dict[int, int]
    questions: dict[int, Question] = field(default_factory=dict)
    unpaired: tuple[int, ...] = ()

    def paired(self, gold_index: int) -> Covenant | None:
        """The reported covenant of a gold one; None when it is missed."""
        return self.reported[self.pairs[gold_index]] if gold_index in self.pairs else None

    def question(self, gold_index: int) -> Question | None:
        """The question that decides a pair; None for a pair that a rule made."""
        return self.questions.get(gold_index)


def pair_covenants(context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> Pairing:
    """Pairs them as far as rules and the answers so far decide; the best open pair of a gold covenant carries its question."""
    pairs = _by_name(reported, gold)
    free_gold = [g for g in range(len(gold)) if g not in pairs]
    taken = set(pairs.values())
    known = {fold_text(name) for g in gold for name in (g.name, *g.aliases)}
    free = [r for r in range(len(reported)) if r not in taken and fold_text(name_of(reported[r])) not in known]
    scores, questions = _scores(context, reported, gold, free_gold, free)
    chosen = {}
    for row, column in assign([[scores.get((g, r), 0.0) for r in free] for g in free_gold]):
        g, r = free_gold[row], free[column]
        if scores.get((g, r), 0.0) > 0:
            pairs[g] = r
            if (g, r) in questions:
                chosen[g] = questions[g, r]
    taken = set(pairs.values())
    return Pairing(tuple(reported), pairs, chosen, tuple(r for r in range(len(reported)) if r not in taken))


_REFERENCE = re.compile(
    r"\s*[(\[,–—-]?\s*(?:section|clause|sec\.|cl\.|§)?\s*(?P<place>\d+(?:\.\d+)+(?:\([A-Za-z0-9]{1,4}\))*)\s*[)\]]?\s*$", re.IGNORECASE
)


_AROUND = re.compile(
    r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?=\S)|\s*[(\[](?:financial|information|negative|positive|affirmative)(?:\s+(?:covenant|undertaking))?[)\]]\s*$",
    re.IGNORECASE,
)  # the mark of a list before a name, the class of the covenant behind it


def name_of(mine: Covenant) -> str:
    """A reported name without the mark of a list, its class in brackets, and the place behind it, "Limitation on Liens (5.02(b))", where
    the covenant's own citation is of that place."""
    name = _AROUND.sub("", mine.name)
    match = _REFERENCE.search(name)
    if match is None or not match.start():
        return name
    cited = any(re.search(rf"(?<![\d.]){re.escape(match['place'])}(?![\d.])", claim.section or "") for claim in mine.claims)
    return name[: match.start()] if cited else name


def _by_name(reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> dict[int, int]:
    """Pairs by folded name, by folded alias, then by the same informative words in any order; of several reports of one name
    the first in the output. Words pair only where they are those of one covenant on each side."""
    pairs: dict[int, int] = {}
    for names_of in (lambda g: (g.name,), lambda g: g.aliases):
        for g, true in enumerate(gold):
            wanted = {fold_text(name) for name in names_of(true)}
            if g not in pairs:
                match = next((r for r, mine in enumerate(reported) if fold_text(name_of(mine)) in wanted and r not in pairs.values()), None)
                if match is not None:
                    pairs[g] = match
    known = [{name_words(name) for name in (true.name, *true.aliases)} for true in gold]
    for g, names in enumerate(known):
        rivals = [other for other in range(len(gold)) if other != g and known[other] & names]
        matches = [r for r, mine in enumerate(reported) if name_words(name_of(mine)) and name_words(name_of(mine)) in names]
        if g not in pairs and not rivals and len(matches) == 1 and matches[0] not in pairs.values():
            pairs[g] = matches[0]
    return pairs


def _scores(
    context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold], free_gold: Sequence[int], free: Sequence[int]
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], Question]]:
    """Similarity of every possible pair; a grey pair has its question, an answered one is raised or struck out."""
    policy = context.contract.covenants
    scores: dict[tuple[int, int], float] = {}
    questions: dict[tuple[int, int], Question] = {}
    for g in free_gold:
        for r in free:
            likeness = similarity(reported[r], gold[g])
            if likeness < policy.pairing_never:
                continue
            if likeness < policy.pairing_sure:
                question = _identity(reported[r], gold[g])
                answer = context.answers.get(question)
                if answer is not None and answer.verdict == "different":
                    continue
                questions[g, r] = question
                likeness = likeness + 1000 if answer is not None and answer.verdict == "same" else likeness
            scores[g, r] = likeness
    return scores, questions


def similarity(mine: Covenant, true: CovenantGold) -> float:
    """0..100: how alike two covenants are in name, threshold, cited section and type."""
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


def _identity(mine: Covenant, true: CovenantGold) -> Question:
    return Question.of(
        "covenant_identity", reported_name=mine.name, reported_detail=_detail(mine), gold_name=true.name, gold_detail=_detail(true)
    )


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
