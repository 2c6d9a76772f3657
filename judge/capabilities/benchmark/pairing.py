"""Which reported finding is about which of gold's terms: equal terms by rule, any other pair by a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deterministic.lexicon.records import record
from deterministic.lexicon.stems import content_words
from judge.capabilities.benchmark.schema import BenchmarkFinding, BenchmarkFindingGold
from judge.capabilities.context import Context
from judge.records import Question


@record
class TermPair:
    """A reported finding for one of gold's; question: what decides whether it is, None where the terms are equal."""

    finding: BenchmarkFinding
    question: Question | None = None


def fold_term(term: str) -> str:
    """Terms match after folding case, underscores and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", term.casefold()))


def pair_terms(context: Context, reported: Sequence[BenchmarkFinding], gold: Sequence[BenchmarkFindingGold]) -> dict[int, TermPair]:
    """Gold index -> its pair: by the folded term or an alias, then by the same words in another order ("margin (tranche B)"); of several
    reports of one term the first. What is left is asked about where the terms share a word."""
    paired: dict[int, TermPair] = {}
    for key in (fold_term, lambda term: " ".join(sorted(fold_term(term).split()))):
        for n, true in enumerate(gold):
            names = {key(term) for term in (true.term, *true.aliases)}
            free = (f for f in _free(reported, paired) if key(f.term) in names)
            if n not in paired and (found := next(free, None)) is not None:
                paired[n] = TermPair(found)
    known = {fold_term(term) for n in paired for term in (gold[n].term, *gold[n].aliases)}
    for n, true in enumerate(gold):
        if n in paired:
            continue
        told = [content_words(fold_term(term)) for term in (true.term, *true.aliases)]
        for mine in _free(reported, paired):
            question = _question(mine, true)
            answer = context.answers.get(question)
            is_struck = answer is not None and answer.verdict in ("partially_equivalent", "not_equivalent")
            if fold_term(mine.term) not in known and not is_struck and any(content_words(fold_term(mine.term)) & words for words in told):
                paired[n] = TermPair(mine, question)
                break
    return paired


def _free(reported: Sequence[BenchmarkFinding], paired: dict[int, TermPair]) -> list[BenchmarkFinding]:
    return [f for f in reported if not any(f is pair.finding for pair in paired.values())]


def _question(mine: BenchmarkFinding, true: BenchmarkFindingGold) -> Question:
    reported, gold = (f"{one.term}: deal value {one.deal_value or 'not stated'}" for one in (mine, true))
    return Question.of("semantic_match", field="compared term of the deal", reported=reported, gold=gold, context="")
