"""Answers under the companion rubric: accuracy, citations, scope, uncertainty and refusal of one answer."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, by_verdict, closed
from judge.capabilities.provenance import Assessed, aside_of
from judge.capabilities.scoring.citations import score_of
from judge.capabilities.scoring.dimensions import FULL, NONE, Sections, citing_score, uncertainty_score
from judge.records import Fact, Outcome, Part, Question

COMPANION = "companion"
RIGHT = closed(Outcome.CORRECT, "", COMPANION)
WRONG = closed(Outcome.FAIL, "", COMPANION)


def imports_part(context: Context, scope: Part, question: Question) -> Part:
    """Whether what goes beyond the document is brought from elsewhere; an error about its own matter is accuracy's (B13)."""
    if scope.is_open or scope.best is Outcome.CORRECT:
        return scope
    kinds = {
        "imported": closed(Outcome.FAIL, "The judge finds a claim brought from outside the document.", COMPANION),
        "own_error": closed(Outcome.CORRECT, "The judge finds an error about the document's own matter.", COMPANION),
    }
    return by_verdict(context.answers, question, kinds, "No rule tells whether a claim is brought from elsewhere.", COMPANION)


def answer_aside(
    context: Context, parts: Mapping[str, Part], cited: Assessed | None, sections: Sections, facts: Mapping[str, Fact]
) -> Aside | None:
    """The scores of an answer. parts: accuracy, imports, uncertainty, refusal, and what else is shown; cited: its citations, if any."""
    if (rules := context.contract.dimensions) is None:
        return None
    accuracy = score_of(parts["accuracy"], rules.accuracy)
    dimensions = {
        "D1": accuracy,
        "D2": citing_score([one.worth for one in cited.each] if cited else (), sections, rules),
        "D3": score_of(parts["imports"], rules.imports),
        "D4": uncertainty_score(parts["uncertainty"], accuracy, rules),
        "D5": score_of(parts["refusal"], rules.refusal),
    }
    return aside_of(dimensions, parts, cited, facts)


def refusal_aside(context: Context, refusal: Part, *, is_pure: bool, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of a refusal of a question that cannot be answered: D1 and D2 are right, since nothing is claimed (B14)."""
    if (rules := context.contract.dimensions) is None:
        return None
    score = score_of(refusal, rules.refusal)
    claimed = (Fraction(bool(score[0] and is_pure)), Fraction(bool(score[1] and is_pure)))
    dimensions = {"D1": claimed, "D2": claimed, "D3": FULL, "D4": FULL, "D5": score}
    return Aside(dimensions, {"content": refusal, "refusal": refusal}, (refusal,), facts)


def imagined_aside(context: Context, imports: Part, cited: Assessed, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of an answer to a question that cannot be answered: no citation can show it."""
    if (rules := context.contract.dimensions) is None or cited.measure is None:
        return None
    parts = {"content": WRONG, "accuracy": WRONG, "imports": imports, "uncertainty": RIGHT, "refusal": WRONG}
    unsupported = rules.quote["unsupported"]
    shown = replace(cited, measure=replace(cited.measure, quote=(unsupported, unsupported)), each=())
    return answer_aside(context, parts, shown, Sections(), facts)


def silent_aside(context: Context) -> Aside | None:
    """D1 to D5 at 0, for a case without output; None under a contract without dimensions."""
    return None if context.contract.dimensions is None else Aside(dict.fromkeys(("D1", "D2", "D3", "D4", "D5"), NONE))
