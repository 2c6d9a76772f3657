"""Answers under the companion rubric: accuracy, citations, scope, uncertainty and refusal of one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, by_verdict, closed
from judge.capabilities.measures import Measure, score_of, weighted
from judge.capabilities.provenance import Assessed
from judge.records import Bounds, Fact, Item, Outcome, Part, Question
from rubrics.contract import Dimensions

RULE = "companion"
ZERO, ONE = Fraction(0), Fraction(1)
HALF = Fraction(1, 2)  # of accuracy, from which on an answer is more right than wrong (B10)
RIGHT = closed(Outcome.CORRECT, "", RULE)
WRONG = closed(Outcome.FAIL, "", RULE)


def accuracy_part(context: Context, question: Question) -> Part:
    """How far an answer is right that no rule decides."""
    shades = {
        "all_right": closed(Outcome.CORRECT, "The judge finds every claim right.", RULE),
        "one_imprecise": closed(Outcome.SEMANTIC_MATCH, "The judge finds one claim imprecise.", RULE, mark="one_imprecise"),
        "mixed": closed(Outcome.PARTIAL, "The judge finds right and wrong claims mixed.", RULE),
        "mainly_wrong": closed(Outcome.FAIL, "The judge finds the main claim wrong.", RULE, mark="mainly_wrong"),
        "wrong": closed(Outcome.FAIL, "The judge finds the answer wrong.", RULE),
        "outside_fact": closed(Outcome.FAIL, "The judge finds a fact from outside the document.", RULE),
    }
    return by_verdict(context.answers, question, shades, "No rule tells how far the answer is right.", RULE)


def imports_part(context: Context, scope: Part, question: Question) -> Part:
    """Whether what goes beyond the document is brought from elsewhere; an error about its own matter is accuracy's (B13)."""
    if scope.is_open or scope.best is Outcome.CORRECT:
        return scope
    kinds = {
        "imported": closed(Outcome.FAIL, "The judge finds a claim brought from outside the document.", RULE),
        "own_error": closed(Outcome.CORRECT, "The judge finds an error about the document's own matter.", RULE),
    }
    return by_verdict(context.answers, question, kinds, "No rule tells whether a claim is brought from elsewhere.", RULE)


@dataclass(frozen=True, slots=True)
class Sections:
    """The required sections that no citation meets, by position; unsure: of which nobody can tell.

    holds_figures: whether the citations at these positions hold every figure of the answer together.
    """

    missing: frozenset[int]
    unsure: frozenset[int]
    holds_figures: Mapping[frozenset[int], bool]


def citing_word(worths: Sequence[Fraction], missing: frozenset[int], is_elsewhere: bool) -> str:
    """The word of D2. worths: of each citation, in order; missing: required sections without one; is_elsewhere: the citations that are
    worth something hold the answer's figures."""
    if not any(worths):
        return "none"
    uncited, halves = missing | {n for n, worth in enumerate(worths) if not worth}, sum(worth < 1 for worth in worths)
    if uncited and not (is_elsewhere and all(worths)):
        return "uncited_first" if 0 in uncited else "uncited_later"
    return "uncited_later" if halves > 1 else "half" if halves or uncited else "full"


def citing_score(each: Sequence[Measure], sections: Sections, rules: Dimensions) -> Bounds:
    """D2, with whatever is open at its worst and at its best."""
    scores = []
    for end, missing in ((0, sections.missing | sections.unsure), (1, sections.missing)):
        worths = [measure.worth[end] for measure in each]
        held = frozenset(n for n, worth in enumerate(worths) if worth)
        scores.append(rules.citing[citing_word(worths, missing, sections.holds_figures.get(held, False))])
    return scores[0], scores[1]


def uncertainty_score(part: Part, accuracy: Bounds, rules: Dimensions) -> Bounds:
    """D4: a missing qualification is worth nothing beside an answer that is more wrong than right (B10)."""
    missing = [rules.uncertainty["partial" if score >= HALF else "fail"] for score in accuracy]
    right = rules.uncertainty["correct"]
    low = missing[0] if part.worst is not Outcome.CORRECT else right
    return low, right if part.best is Outcome.CORRECT else missing[1]


def answer_aside(
    context: Context, parts: Mapping[str, Part], cited: Assessed | None, sections: Sections, facts: Mapping[str, Fact]
) -> Aside | None:
    """The scores of an answer. parts: accuracy, imports, uncertainty, refusal, and what else is shown; cited: its citations, if any."""
    if (rules := context.contract.dimensions) is None:
        return None
    accuracy = score_of(parts["accuracy"], rules.accuracy)
    dimensions = {
        "D1": accuracy,
        "D2": citing_score(cited.each if cited else (), sections, rules),
        "D3": score_of(parts["imports"], rules.imports),
        "D4": uncertainty_score(parts["uncertainty"], accuracy, rules),
        "D5": score_of(parts["refusal"], rules.refusal),
    }
    measured = cited.measure.dimensions if cited is not None and cited.measure is not None else {}
    asked = (*parts.values(), *(cited.asked if cited is not None else ()))
    shown = {**parts, **({"provenance": cited.part} if cited is not None else {})}
    return Aside({**dimensions, **measured}, shown, asked, facts)


def refusal_aside(context: Context, refusal: Part, *, is_pure: bool, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of a refusal of a question that cannot be answered: D1 and D2 are right, since nothing is claimed (B14)."""
    if (rules := context.contract.dimensions) is None:
        return None
    score = score_of(refusal, rules.refusal)
    claimed = (Fraction(bool(score[0] and is_pure)), Fraction(bool(score[1] and is_pure)))
    dimensions = {"D1": claimed, "D2": claimed, "D3": (ONE, ONE), "D4": (ONE, ONE), "D5": score}
    return Aside(dimensions, {"content": refusal, "refusal": refusal}, (refusal,), facts)


def imagined_aside(context: Context, imports: Part, cited: Assessed, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of an answer to a question that cannot be answered: no citation can show it."""
    if (rules := context.contract.dimensions) is None or cited.measure is None:
        return None
    parts = {"content": WRONG, "accuracy": WRONG, "imports": imports, "uncertainty": RIGHT, "refusal": WRONG}
    unsupported = rules.quote["unsupported"]
    shown = replace(cited, measure=replace(cited.measure, quote=(unsupported, unsupported)), each=())
    return answer_aside(context, parts, shown, NO_SECTIONS, facts)


def silent_aside(context: Context) -> Aside | None:
    """An output that is not there."""
    return None if context.contract.dimensions is None else Aside(dict.fromkeys(("D1", "D2", "D3", "D4", "D5"), (ZERO, ZERO)))


NO_SECTIONS = Sections(frozenset(), frozenset(), {})


def composite(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """D1 to D5 of the one answer."""
    answer = next((item for item in items if "D1" in item.dimensions), None)
    if answer is None:
        return {"score": (ZERO, ONE)}
    weights = rules.weights[answer.capability]
    scores = {name: answer.dimensions[name] for name in weights}
    return {**scores, "score": weighted(scores, weights)}
