"""Judging one mutant in this process: offline, or with a scripted judge whose answers are the mutant's truth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.mutation_bases import Base
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.records import Answer, Item, Question
from rubrics import load_contract

# what a judge says of an output in which nothing is wrong
RIGHT: Mapping[str, str] = {
    "semantic_match": "equivalent",
    "quote_support": "supports",
    "quote_paraphrase": "paraphrase",
    "covenant_identity": "same",
    "covenant_type_adjacency": "same",
    "flag_content": "complete",
    "list_coverage": "covers",
    "benchmark_gap": "same_gap",
    "benchmark_reference": "right_reference",
    "answer_correctness": "correct",
    "answer_scope": "within_scope",
    "uncertainty": "reflected",
    "refusal_quality": "grounded",
}
CONTRACT = load_contract()
ItemKey = tuple[str, str | None]


@dataclass(frozen=True)
class Mutant:
    """One output with one fault, and what the standard makes of the item that carries it.

    expected: the label by construction, or several ("fail or hallucination") where the standard leaves them. code: a finding that must be
    there, "" when none is asked for. provenance: the overall word, "" when it is not fixed. verdicts: what a
    judge says to questions that the right output does not raise (rubric -> verdict).
    touches_others: the fault changes other items too (a whole tranche that is missing).
    """

    kind: str
    base: str
    case_id: str
    capability: str
    documents: tuple[str, ...]
    item: str
    output: dict[str, Any]
    gold: dict[str, Any]
    input: dict[str, Any]
    expected: str
    code: str = ""
    provenance: str = ""
    verdicts: Mapping[str, str] = field(default_factory=dict)
    tranche: str | None = None
    touches_others: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.expected.split(" or "))


@dataclass(frozen=True)
class Judged:
    """Both ways of judging one mutant's item; None when no such item came out."""

    offline: Item | None
    scripted: Item | None
    others_changed: tuple[str, ...]


class ScriptedJudge:
    """Answers with the truth: RIGHT to what the right output raises, the mutant's own verdicts to what is new."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.known: dict[str, set[Question]] = {}
        self.right: dict[str, dict[ItemKey, Item]] = {}
        for case in base.cases:
            context = self.context(case.capability, case.case_id, case.documents, case.output, case.gold, case.input)
            results, asked = self.replay(context, lambda q: RIGHT[q.rubric])
            self.known[case.case_id], self.right[case.case_id] = asked, results

    def context(self, capability: str, case_id: str, documents: tuple[str, ...], output: Any, gold: Any, given: dict[str, Any]) -> Context:
        case = Case(
            case_id=case_id,
            capability=capability,
            documents=documents,
            input=given,
            output=capability_of(capability).output.model_validate_json(json.dumps(output)),
            gold=capability_of(capability).gold.model_validate_json(json.dumps(gold)),
        )
        return Context(case, {name: self.base.documents[name] for name in documents}, CONTRACT)

    def replay(self, context: Context, answer: Any) -> tuple[dict[ItemKey, Item], set[Question]]:
        """The results once every question that matters is answered; `answer` None: offline."""
        answers: dict[Question, Answer] = {}
        asked: set[Question] = set()
        while True:
            decisions = capability_of(context.case.capability).judge(replace(context, answers=answers))
            new = [q for d in decisions for q in d.questions if q not in answers]
            if answer is None or not new:
                return {(d.item.item, d.item.tranche): d.item for d in decisions}, asked
            for question in new:
                asked.add(question)
                answers[question] = Answer(answer(question), model="scripted")

    def judge(self, mutant: Mutant) -> Judged:
        arguments = (mutant.capability, mutant.case_id, mutant.documents, mutant.output, mutant.gold, mutant.input)
        offline, _ = self.replay(self.context(*arguments), None)
        known = self.known[mutant.case_id]

        def answer(question: Question) -> str:
            right = RIGHT[question.rubric]
            return right if question in known else mutant.verdicts.get(question.rubric, right)

        scripted, _ = self.replay(self.context(*arguments), answer)
        key = (mutant.item, mutant.tranche)
        before = self.right[mutant.case_id]
        changed = [
            k[0]
            for k, r in before.items()
            if not mutant.touches_others and k != key and k in scripted and scripted[k].outcome is not r.outcome
        ]
        return Judged(offline.get(key), scripted.get(key), tuple(changed))
