"""Which questions a case can lead to, whatever is answered: what `--dry-run` shows and `judge check` counts beyond the first round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from judge.records import Answer, Decision, Question

REPLAYS = 400  # of one case; more branches than that are not followed


@dataclass(frozen=True, slots=True)
class Reached:
    """A question that an item can lead to. round: 1 for what is asked first; later ones depend on the answers before."""

    question: Question
    items: tuple[str, ...]
    round: int


@dataclass(frozen=True, slots=True)
class Branches:
    """The questions of one case. is_whole: whether every branch was followed to its end."""

    reached: tuple[Reached, ...]
    is_whole: bool


Decide = Callable[[Mapping[Question, Answer]], Sequence[Decision]]


def branches(decide: Decide, menu: Callable[[Question], Sequence[str]]) -> Branches:
    """Every question of a case, each once, in the order in which it is met.

    decide: the decisions under some answers. menu: the verdicts that a question can have; one where a rule answers it.
    Followed are the path on which every question gets its first verdict, and, where a question is first met, a path for every other
    verdict: what only two answers together lead to may be missing.
    """
    found: dict[Question, Reached] = {}
    paths: list[dict[Question, str]] = [{}]
    replays = 0
    while paths and replays < REPLAYS:
        path, number = paths.pop(), 0
        while replays < REPLAYS:
            replays, number = replays + 1, number + 1
            asked = _asked(decide({question: Answer(verdict) for question, verdict in path.items()}))
            new = [question for question in asked if question not in path]
            paths += [{**path, question: verdict} for question in new if question not in found for verdict in menu(question)[1:]]
            for question in new:
                known = found.get(question, Reached(question, (), number))
                found[question] = replace(known, items=tuple(dict.fromkeys([*known.items, *asked[question]])))
            if not new:
                break
            path |= {question: menu(question)[0] for question in new}
    return Branches(tuple(found.values()), is_whole=not paths)


def _asked(decisions: Sequence[Decision]) -> dict[Question, list[str]]:
    """Each question that decisions wait for, with the items that put it."""
    asked: dict[Question, list[str]] = {}
    for decision in decisions:
        for question in decision.questions:
            asked.setdefault(question, []).append(decision.item.item)
    return asked
