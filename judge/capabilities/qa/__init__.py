"""Document Q&A: answers that cite every section they rest on, and grounded refusals (standard 4).
Its formats (docs/contract/formats.md) and its record."""

from pydantic import StrictBool

from judge.capabilities import REFUSALS, Capability, Scored, late, late_parts, nothing
from judge.capabilities.cases import Cited, Confidence, Strict, Text
from judge.capabilities.scoring.dimensions import of_answer


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


CAPABILITY = Capability(
    name="document_qa",
    title="Document Q&A",
    input=QaInput,
    output=QaOutput,
    gold=QaGold,
    groups={},
    gates=frozenset({REFUSALS}),
    rules=None,
    gold_gaps=nothing,
    gold_doubts=late("judge.capabilities.qa.gold", "gold_doubts"),
    scored=Scored(
        scope=None,
        prefixes=("answer",),
        names=nothing,
        composite=of_answer,
        item_score=None,
        titles={"D1": "accuracy", "D2": "citations", "D3": "scope", "D4": "uncertainty", "D5": "refusal"},
    ),
    **late_parts("judge.capabilities.qa"),
)
