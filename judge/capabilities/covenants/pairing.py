"""Which reported covenant is which gold covenant: one to one, by folded name or alias; of any other pair `covenant_identity` decides, the
most similar pairs first (design/covenants.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.capabilities.context import Context
from judge.capabilities.covenants.assignment import assign
from judge.capabilities.covenants.likeness import are_one_name, is_at_place, name_key, name_of, similarity
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.wording import fold_text
from judge.records import Question

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

    def question(self, gold_index: int) -> Question | None:
        """The question that decides a pair; None for a pair that a rule made."""
        return self.questions.get(gold_index)


def pair_covenants(context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> Pairing:
    """Pairs them as far as names and answers decide; the best open pair of a gold covenant carries its question.

    A gold covenant that is left over while a reported one that it could be waits for another's answer waits for its own: it is not missed.
    """
    pairs = _by_name(reported, gold)
    free_gold, free = _left(gold, pairs), _free(reported, gold, pairs)
    scores, questions = _scores(context, reported, gold, [(g, r) for g in free_gold for r in free])
    chosen = {}
    for row, column in assign([[scores.get((g, r), 0.0) for r in free] for g in free_gold]):
        g, r = free_gold[row], free[column]
        if scores.get((g, r), 0.0) > 0:
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
    """The reported covenants without a pair and without the name of one that has it."""
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
        likeness, is_near = similarity(reported[r], gold[g]), is_at_place(context, reported[r], gold[g])
        is_named = any(are_one_name(name_of(reported[r]), name) for name in (gold[g].name, *gold[g].aliases))
        if likeness < context.contract.covenants.pairing_never and not is_near and not is_named:
            continue
        question = _identity(reported[r], gold[g])
        answer = context.answers.get(question)
        if answer is not None and answer.verdict == "different":
            continue
        questions[g, r] = question
        scores[g, r] = likeness + 1000 * (answer is not None and answer.verdict == "same") + NEAR * is_near
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
