"""Head of an answer's item, and the provenance that it shows without gold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.items import Subject
from judge.capabilities.provenance import assess
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.records import NOT_REQUIRED, Outcome, Provenance

WEIGHT = Fraction(1)


def subject_of(context: Context, gold: QaGold | None) -> Subject:
    """What an answer's item shows of output and gold."""
    output: QaOutput | None = context.case.output
    expected = None if gold is None else gold.answer if gold.answerable else f"not in the document: {gold.topic or ''}".rstrip(": ")
    return Subject(
        "answer",
        WEIGHT,
        reported=output.answer if output else None,
        gold=expected,
        confidence=output.confidence if output else None,
        metadata=output.carried if output else {},
        is_unanswerable=gold is not None and not gold.answerable,
    )


def shown(context: Context, claims: Sequence[Citation]) -> Provenance:
    """Not required, but an invented citation is shown."""
    for claim in claims:
        assessed = assess(context, claim, None)
        if assessed.part.best is Outcome.HALLUCINATION:
            return assessed.provenance
    return NOT_REQUIRED
