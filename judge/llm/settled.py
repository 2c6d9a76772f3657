"""Questions that need no model: the rubric's own rules for empty and boilerplate texts, and texts too long to be judged whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judge.llm.prompt import Prompt
from judge.records import Answer, Finding, Question
from rubrics.rubric import Rubric, Settled
from rubrics.verdicts import CANNOT_DETERMINE

_MARKS = re.compile(r"[\W_]+")


def settled_answer(rubric: Rubric, question: Question, prompt: Prompt) -> Answer | None:
    """The answer that a rule gives, None when only a model can tell.

    A text that may not be cut and is over its limit is never judged in part.
    """
    if prompt.too_long:
        names = ", ".join(rubric.variables[name].label for name in prompt.too_long)
        told = f"too long to be judged whole: {names}"
        return Answer(CANNOT_DETERMINE, reasoning=told, by="deterministic", findings=(Finding("TEXT_TOO_LONG", told), *prompt.findings))
    given = dict(question.variables)
    if (rule := rule_for(rubric, given)) is None:
        return None
    label, text = rubric.variables[rule.variable].label, given[rule.variable]
    told = f"{label} is {text.strip()[:60]!r}, which {'a rule decides' if rule.also else 'says nothing that could be judged'}"
    told = told if folded(text) else f"{label} is empty"
    return Answer(rule.verdict, reasoning=told, by="deterministic", findings=prompt.findings)


def rule_for(rubric: Rubric, given: Mapping[str, str]) -> Settled | None:
    """The rubric's rule that decides these texts, None where a model must; a text that is not there is none of a rule's."""
    for rule in rubric.settled:
        if all(name in given and _is_one(given[name], texts) for name, texts in {rule.variable: rule.texts, **rule.also}.items()):
            return rule
    return None


def _is_one(text: str, texts: Sequence[str]) -> bool:
    return len(text) <= 200 and folded(text) in {folded(other) for other in texts}


def folded(text: str) -> str:
    """Letters and digits, case aside, words apart."""
    return _MARKS.sub(" ", text).strip().casefold()
