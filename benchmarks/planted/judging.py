"""Judging one planted output in this process: offline, or with a scripted judge whose answers are the truth."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.planted.bases import Base, BaseCase, Planted
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.records import Answer, Item, Question
from rubrics import load_contract
from rubrics.rubric import shipped_rubric

CONTRACT = load_contract()
HALF_RIGHT = {
    "semantic_match": "partially_equivalent",
    "flag_content": "incomplete",
    "list_coverage": "partly_covers",
    "covenant_type_adjacency": "adjacent",
    "place": "elsewhere",
}
"""What a judge says of what is partly right, where its menu has a word for it."""
WRONG = {"answer_correctness": "incorrect", "place": "elsewhere"}
"""What a judge says of what is wrong, where it is not the last word of the menu."""
FULL = frozenset({"correct", "semantic_match", "true_negative", "grounded_refusal"})
ItemKey = tuple[str, str | None]
Answering = Callable[[Question, str], str]
"""A verdict for a question about an item."""


@dataclass(frozen=True)
class Judged:
    """Both ways of judging one item; None when no such item came out."""

    offline: Item | None
    scripted: Item | None
    others_changed: tuple[str, ...]


class ScriptedJudge:
    """Answers with the truth: accepting to what the right output raises, the fault's own verdict, else rejecting, to what is new."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.known: dict[str, set[Question]] = {}
        self.right: dict[str, dict[ItemKey, Item]] = {}
        for case in base.cases.values():
            self.right[case.case_id], self.known[case.case_id] = self._replay(case, lambda question, _: _menu(question.rubric)[0])

    def judge(self, planted: Planted) -> Judged:
        offline, _ = self._replay(planted.case, None)
        known = self.known[planted.case.case_id]

        def answer(question: Question, item: str) -> str:
            is_right = question in known or (item != planted.item and not planted.touches_others)
            return _menu(question.rubric)[0] if is_right else _truth(planted, question.rubric)

        scripted, _ = self._replay(planted.case, answer)
        key = (planted.item, planted.tranche)
        changed = [
            other[0]
            for other, right in self.right[planted.case.case_id].items()
            if not planted.touches_others and other != key and other in scripted and scripted[other].outcome is not right.outcome
        ]
        return Judged(offline.get(key), scripted.get(key), tuple(changed))

    def _replay(self, case: BaseCase, answer: Answering | None) -> tuple[dict[ItemKey, Item], set[Question]]:
        """The items once every question that matters is answered; `answer` None: offline."""
        context = self._context(case)
        answers: dict[Question, Answer] = {}
        while True:
            decisions = capability_of(case.capability).judge(replace(context, answers=answers))
            new = {q: d.item.item for d in decisions for q in d.questions if q not in answers}
            if answer is None or not new:
                return {(d.item.item, d.item.tranche): d.item for d in decisions}, set(answers)
            answers |= {question: Answer(answer(question, item), model="scripted") for question, item in new.items()}

    def _context(self, case: BaseCase) -> Context:
        capability = capability_of(case.capability)
        read = Case(
            case_id=case.case_id,
            capability=case.capability,
            documents=case.documents,
            input=case.input,
            output=capability.output.model_validate_json(json.dumps(case.output)),
            gold=capability.gold.model_validate_json(json.dumps(case.gold)),
        )
        return Context(read, {name: self.base.documents[name] for name in case.documents}, CONTRACT)


def _menu(rubric: str) -> tuple[str, ...]:
    """The verdicts of a rubric but for `cannot_determine`, the accepting one first."""
    return tuple(shipped_rubric(rubric).choices)[:-1]


def _truth(planted: Planted, rubric: str) -> str:
    """What a judge that knows the fault says to a question that the right output does not raise."""
    menu = _menu(rubric)
    if (verdict := planted.verdicts.get(rubric)) in menu:
        return str(verdict)
    if planted.expected == "full" or FULL.issuperset(planted.labels):
        return menu[0]
    if "partial" in planted.labels:
        return HALF_RIGHT.get(rubric, menu[0])
    return menu[-1] if planted.provenance == "fabricated_location" else WRONG.get(rubric, menu[-1])
