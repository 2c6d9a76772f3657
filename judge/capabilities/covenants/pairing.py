"""Which reported covenant is which gold covenant: one to one, by folded name or alias first, then by the best total similarity, with
`covenant_identity` deciding the grey zone (judging.md 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.capabilities.context import Context
from judge.capabilities.covenants.assignment import assign
from judge.capabilities.covenants.likeness import Kinship, kinship, name_of, similarity
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.wording import fold_text, name_words
from judge.records import Question

KIN = 50  # what name and place together add to the similarity of a pair that they make possible


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

    def question(self, gold_index: int) -> Question | None:
        """The question that decides a pair; None for a pair that a rule made."""
        return self.questions.get(gold_index)


def pair_covenants(context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> Pairing:
    """Pairs them as far as rules and the answers so far decide; the best open pair of a gold covenant carries its question.

    A gold covenant that is left over while a reported one that it could be waits for another's answer waits for its own: it is not missed.
    """
    pairs = _by_name(reported, gold)
    kin = {(g, r): kinship(context, reported[r], gold[g]) for g in _left(gold, pairs) for r in _free(reported, gold, pairs)}
    _add_sure(pairs, reported, kin)
    free_gold, free = _left(gold, pairs), _free(reported, gold, pairs)
    scores, questions = _scores(context, reported, gold, kin, [(g, r) for g in free_gold for r in free])
    chosen = {}
    for row, column in assign([[scores.get((g, r), 0.0) for r in free] for g in free_gold]):
        g, r = free_gold[row], free[column]
        if scores.get((g, r), 0.0) > 0:
            pairs[g] = r
            if (g, r) in questions:
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
    """The reported covenants without a pair and without the name of one that has it."""
    known = {fold_text(name) for g in gold for name in (g.name, *g.aliases)} | {fold_text(name_of(reported[r])) for r in pairs.values()}
    return [r for r in range(len(reported)) if r not in pairs.values() and fold_text(name_of(reported[r])) not in known]


def _add_sure(pairs: dict[int, int], reported: Sequence[Covenant], kin: dict[tuple[int, int], Kinship]) -> None:
    """Adds the pairs that name and place make sure, each the only one of both its sides; of several reports of one name the first."""
    sure = [pair for pair, word in kin.items() if word == "sure"]
    for g, r in sure:
        mine = [other for one, other in sure if one == g]
        is_first = r == min(mine) and len({fold_text(name_of(reported[other])) for other in mine}) == 1
        if is_first and not any(other != g for other, one in sure if one == r):
            pairs[g] = r


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
    context: Context,
    reported: Sequence[Covenant],
    gold: Sequence[CovenantGold],
    kin: dict[tuple[int, int], Kinship],
    left: Sequence[tuple[int, int]],
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], Question]]:
    """Similarity of every possible pair; a grey pair has its question, an answered one is raised or struck out."""
    policy = context.contract.covenants
    scores: dict[tuple[int, int], float] = {}
    questions: dict[tuple[int, int], Question] = {}
    for g, r in left:
        likeness = similarity(reported[r], gold[g])
        is_possible = kin[g, r] != "unlike"
        if likeness < policy.pairing_never and not is_possible:
            continue
        if likeness < policy.pairing_sure:
            question = _identity(reported[r], gold[g])
            answer = context.answers.get(question)
            if answer is not None and answer.verdict == "different":
                continue
            questions[g, r] = question
            likeness += 1000 * (answer is not None and answer.verdict == "same") + KIN * is_possible
        scores[g, r] = likeness
    return scores, questions


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
