"""Document Q&A's input, output and gold (interface.md section 2.4)."""

from __future__ import annotations

from typing import Any

from pydantic import StrictBool

from judge.cases import Cited, Strict, Text


class QaInput(Strict):
    """The question that was asked."""

    question: Text


class QaOutput(Cited):
    """The answer that was given."""

    answer: Text


class RequiredSection(Strict):
    """A section that a right answer cites, in a named document."""

    document: Text | None = None
    section: Text


class QaGold(Strict):
    """What is true of the question."""

    answerable: StrictBool
    answer: Text | None = None
    accepted: tuple[Text, ...] = ()
    required_sections: tuple[Text | RequiredSection, ...] = ()
    qualified: StrictBool = False
    topic: Text | None = None


def output_of(gold: QaGold) -> dict[str, Any]:
    """Gold as a right output would give it; the topic stands in the standard's own words for a refusal."""
    if not gold.answerable:
        return {"answer": f"The document does not contain information about {gold.topic or 'this'}."}
    sections = [{"section": s} if isinstance(s, str) else s.model_dump(exclude_none=True) for s in gold.required_sections]
    return {"answer": gold.answer or "", "citations": sections}
