"""What the question asks, what the answer says and quotes, and what a right answer says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.figures import Figure, holds_figure, values_in
from judge.capabilities.passages import reading
from judge.capabilities.pictures import pictures_of, told
from judge.capabilities.provenance import check_claim
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.wording import fold_text
from judge.records import Question


def question_of(context: Context) -> str:
    """The question that was asked."""
    return str(context.case.input.get("question", ""))


def passages_of(context: Context, claims: Sequence[Citation], gold: QaGold | None = None) -> str:
    """The cited source texts and the sections that gold requires, each once: what a reviewer would look at."""
    output: QaOutput | None = context.case.output
    about = [question_of(context), output.answer if output else "", *(right_answers(gold) if gold else ())]
    required = [(one, None) if isinstance(one, str) else (one.section, one.document) for one in (gold.required_sections if gold else ())]
    checks = [check_claim(context, c) for c in claims]
    text = reading(context, checks, "\n".join(about), sections=required)
    return "\n\n".join([*map(told, pictures_of(context, checks)), *([text] if text else [])])


def with_pages(context: Context, claims: Sequence[Citation], question: Question) -> Question:
    """A question about these passages with the pages that they name as pictures."""
    return replace(question, pictures=pictures_of(context, [check_claim(context, c) for c in claims]))


def right_answers(gold: QaGold) -> tuple[str, ...]:
    """Gold's answer and what it accepts beside it."""
    return tuple(text for text in (gold.answer, *gold.accepted) if text)


def is_accepted(output: QaOutput, gold: QaGold) -> bool:
    """The answer is a right one word for word."""
    return fold_text(output.answer) in map(fold_text, right_answers(gold))


def own_figures(context: Context, output: QaOutput) -> list[Figure]:
    """The figures of an answer that its question does not have."""
    asked = question_of(context)
    return [f for f in values_in(output.answer) if not holds_figure(f, asked)] or list(values_in(output.answer))
