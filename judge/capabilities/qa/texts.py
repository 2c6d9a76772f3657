"""What the question asks, what the answer says and quotes, and what a right answer says."""

from __future__ import annotations

from collections.abc import Sequence

from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.figures import Figure, holds_figure, values_in
from judge.capabilities.passages import reading
from judge.capabilities.provenance import check_claim
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.wording import fold_text


def question_of(context: Context) -> str:
    """The question that was asked."""
    return str(context.case.input.get("question", ""))


def passages_of(context: Context, claims: Sequence[Citation], gold: QaGold | None = None) -> str:
    """The cited source texts and the sections that gold requires, each once: what a reviewer would look at."""
    output: QaOutput | None = context.case.output
    about = [question_of(context), output.answer if output else "", *(right_answers(gold) if gold else ())]
    required = [(one, None) if isinstance(one, str) else (one.section, one.document) for one in (gold.required_sections if gold else ())]
    return reading(context, [check_claim(context, c) for c in claims], "\n".join(about), sections=required)


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
