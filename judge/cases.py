"""What the input formats of all capabilities share (interface.md section 2) as frozen models, and Case, the noun that a line becomes.

Unknown keys are errors everywhere except below `metadata`. `Citation` is the same everywhere; wherever `citation` stands,
`citations` may stand instead, and `claims` gives both as one tuple.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, model_validator

# No value, answer or quote of a loan document comes near this; what is longer would only cost the time of everybody's run.
Text = Annotated[StrictStr, Field(max_length=100_000)]


class Strict(BaseModel):
    """Frozen, and every unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Citation(Strict):
    """Where the evidence stands. page: physical page, 1-based, or a printed number or label as text."""

    document: Text | None = None
    page: StrictInt | Text | None = None
    section: Text | None = None
    quote: Text | None = None

    @property
    def is_empty(self) -> bool:
        """Neither page, section nor quote: no citation at all (judging.md 1.6)."""
        return not any(part not in (None, "") for part in (self.page, self.section, self.quote))


class Cited(Strict):
    """Anything that carries one citation or several."""

    citation: Citation | None = None
    citations: tuple[Citation, ...] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Any:
        if self.citation is not None and self.citations is not None:
            raise ValueError("give `citation` or `citations`, not both")
        return self

    @property
    def claims(self) -> tuple[Citation, ...]:
        """All citations, in the order given; empty ones left out."""
        given = self.citations if self.citations is not None else (self.citation,) if self.citation else ()
        return tuple(c for c in given if not c.is_empty)


class NoInput(Strict):
    """The `input` of a capability that takes none."""


class Case(Strict):
    """One validated case: what was produced, what is true (None without gold), and where.

    output is None for a gold case without output (`--partial`: counted as missed).
    documents: bare file names, in the order given; weight: gold's, default from the contract (A5).
    """

    case_id: Text
    capability: Text
    documents: tuple[Text, ...]
    input: dict[str, Any] = {}
    output: Any
    gold: Any = None
    has_gold: bool = True
    weight: Fraction = Fraction(1)
    metadata: dict[str, Any] = {}
