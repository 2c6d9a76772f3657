"""How checks become labels: parts are closed or open, and an item is the worst of its parts (design/README.md, order of an item's outcome).

A part that only a judge can close names its question; asking, caching and retrying are the engine's. Capabilities are replayed with
the answers, so the same code decides offline (no answers), online, and with a person's verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from judge.records import SEVERITY, Answers, Bounds, DecidedBy, Finding, NonOutcome, Outcome, Part, Question
from rubrics.verdicts import CANNOT_DETERMINE


def closed(outcome: Outcome, reason: str, rule: str, *findings: Finding, mark: str = "") -> Part:
    """A part that is decided. mark: its word in the contract's dimensions, where the label does not tell it."""
    return Part(outcome, outcome, reason, rule, tuple(findings), mark=mark)


def opened(worst: Outcome, best: Outcome, reason: str, rule: str, why: str, *findings: Finding) -> Part:
    """A part that only a person (or gold, or a better document) can close."""
    return Part(worst, best, reason, rule, tuple(findings), why_open=why)


def worst_of(outcomes: Sequence[Outcome]) -> Outcome:
    """The worst label; the first of equals."""
    return max(outcomes, key=SEVERITY.__getitem__)


def best_of(outcomes: Sequence[Outcome]) -> Outcome:
    """The best label; the first of equals."""
    return min(outcomes, key=SEVERITY.__getitem__)


def span(parts: Sequence[Part]) -> tuple[Outcome, Outcome]:
    """The worst and the best that any of the given alternatives can become."""
    return worst_of([p.worst for p in parts]), best_of([p.best for p in parts])


Branch = Part | Callable[[], Part]


def by_verdict(answers: Answers, question: Question, branches: Mapping[str, Branch], reason: str, rule: str) -> Part:
    """A part that one question decides: the branch of its verdict, or open with the question while there is no answer.

    branches: one for every verdict of the rubric but `cannot_determine`; a callable branch may ask further questions.
    The bounds of an open part are those of all branches.
    """
    answer = answers.get(question)
    if answer is not None and answer.verdict is not None and answer.verdict in branches:
        return replace(_resolve(branches[answer.verdict]), answer=answer, question=question)
    leaves = [_resolve(branch) for branch in branches.values()]
    worst, best = span(leaves)
    marks = tuple(dict.fromkeys(mark for leaf in leaves for mark in marks_of(leaf)))
    if answer is None:
        return Part(worst, best, reason, rule, questions=(question,), why_open="unasked", marks=marks)
    if answer.error is not None:
        return Part(worst, best, reason, rule, why_open="judge_error", error=answer.error, answer=answer, question=question, marks=marks)
    return Part(worst, best, reason, rule, why_open=CANNOT_DETERMINE, answer=answer, question=question, marks=marks)


def marks_of(part: Part) -> tuple[str, ...]:
    """The words of a part in a table of the contract's dimensions: one of a closed part, all that an open one can get."""
    return part.marks or ((part.best.value, part.worst.value) if part.is_open else (part.mark or part.best.value,))


def _resolve(branch: Branch) -> Part:
    return branch if isinstance(branch, Part) else branch()


def worst_part(parts: Sequence[Part]) -> Part:
    """Several checks that all must hold, as one part: the worst of them, with everybody's findings.

    Closed when the worst of all best labels equals the worst of all worst ones: an open check that cannot change the label costs no call.
    """
    worst, best = worst_of([p.worst for p in parts]), worst_of([p.best for p in parts])
    findings = tuple(dict.fromkeys(f for p in parts for f in p.findings))
    if SEVERITY[worst] == SEVERITY[best]:
        decider = next(p for p in parts if SEVERITY[p.best] == SEVERITY[best])
        # questions are asked only where they matter, so an answered one was needed for the outcome even if another part names it
        asked = decider if decider.answer is not None else next((p for p in parts if p.answer is not None and not p.is_open), decider)
        label = decider.best
        return Part(label, label, decider.reason, decider.rule, findings, answer=asked.answer, question=asked.question, mark=decider.mark)
    leading = next(p for p in parts if SEVERITY[p.worst] > SEVERITY[best])
    return replace(leading, worst=worst, best=best, findings=findings, questions=_questions(parts, best), mark="", marks=())


def _questions(parts: Sequence[Part], best: Outcome) -> tuple[Question, ...]:
    """The questions of the first part that could still make the item worse than `best`: one at a time, so that none is asked in vain."""
    mattering = (p for p in parts if p.questions and SEVERITY[p.worst] > SEVERITY[best])
    return next((p.questions for p in mattering), ())


def best_part(parts: Sequence[Part]) -> Part:
    """Alternatives of which the best counts (several citations of a field), as one part; the first of equals."""
    worst, best = best_of([p.worst for p in parts]), best_of([p.best for p in parts])
    if SEVERITY[worst] == SEVERITY[best]:
        return next(p for p in parts if SEVERITY[p.worst] == SEVERITY[worst])
    leading = next(p for p in parts if SEVERITY[p.best] < SEVERITY[worst])
    questions = next((p.questions for p in parts if p.questions and SEVERITY[p.best] < SEVERITY[worst]), ())
    return replace(leading, worst=worst, best=best, questions=questions)


def decided_by(part: Part) -> DecidedBy:
    """Who closed a part."""
    if part.is_open:
        return "none"
    return part.answer.by if part.answer is not None else "deterministic"


def non_outcome(part: Part) -> NonOutcome:
    """Which non-outcome an open part is."""
    return NonOutcome.JUDGE_ERROR if part.why_open == "judge_error" else NonOutcome.UNDECIDED


def bounds(part: Part, scores: Mapping[str, Fraction]) -> Bounds:
    """[worst, best] score of a part under the contract's label scores."""
    return scores[part.worst], scores[part.best]
