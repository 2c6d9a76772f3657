"""The lines of a batch and of a gold file (docs/contract/formats.md), before a capability's own model reads what is in them."""

from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from judge.capabilities.cases import Criterion, Strict, Text, exact_number
from judge.capabilities.registry import checked_name

Weight = Annotated[Fraction, BeforeValidator(exact_number), Field(ge=0, le=10**15)]
CaseId = Annotated[Text, Field(min_length=1, max_length=500)]


class BatchLine(Strict):
    """One case as the AI system under test produced it."""

    case_id: CaseId
    capability: Annotated[Text, AfterValidator(checked_name)]
    document: Text | None = None
    documents: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    input: dict[str, Any] = Field(default_factory=dict)
    output: dict[str, Any]
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_both(self) -> "BatchLine":
        if (self.document is None) == (self.documents is None):
            raise ValueError("give `document`, or `documents` for several files")
        if self.documents is not None and len(set(self.documents)) != len(self.documents):
            raise ValueError("`documents` names one file twice")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The documents of the case, in order."""
        return self.documents if self.documents is not None else (self.document or "",)


class GoldLine(Strict):
    """What is true of one case. weight: of the case in its capability's score (A5); criteria: its own scoring table."""

    case_id: CaseId
    gold: dict[str, Any]
    weight: Weight = Fraction(1)
    criteria: tuple[Criterion, ...] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
