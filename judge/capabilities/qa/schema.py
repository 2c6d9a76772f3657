"""Document Q&A's input, output and gold (docs/contract/formats.md)."""

from __future__ import annotations

from pydantic import StrictBool

from judge.capabilities.cases import Cited, Confidence, Strict, Text


class QaInput(Strict):
    """The question that was asked."""

    question: Text


class QaOutput(Cited):
    """The answer that was given."""

    answer: Text
    confidence: Confidence | None = None


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
