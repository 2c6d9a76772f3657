"""What the input formats of all capabilities share (interface.md section 2) as frozen models, and Case, the noun that a line becomes.

Unknown keys are errors everywhere except below `metadata`. `Citation` is the same everywhere; wherever `citation` stands,
`citations` may stand instead, and `claims` gives both as one tuple.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

# No value, answer or quote of a loan document comes near this; what is longer would only cost the time of everybody's run.
Text = Annotated[StrictStr, Field(max_length=100_000)]
MANY = Field(max_length=1000)
"""The same for entries of a list."""


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
        return not (self.section or self.quote) and self.page in (None, "")


class Cited(Strict):
    """Anything that carries one citation or several."""

    citation: Citation | None = None
    citations: Annotated[tuple[Citation, ...], MANY] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Any:
        if self.citation is not None and self.citations is not None:
            raise ValueError("give `citation` or `citations`, not both")
        return self

    @cached_property
    def claims(self) -> tuple[Citation, ...]:
        """All citations, in the order given; empty ones left out."""
        given = self.citations if self.citations is not None else (self.citation,) if self.citation else ()
        return tuple([c for c in given if not c.is_empty])


def exact_number(value: Any) -> Any:
    """0.85 as written, not the nearest binary number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError("must be a number")
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _share(value: Any) -> Any:
    """A score as a number, or as its text."""
    try:
        return Fraction(value.strip()) if isinstance(value, str) else exact_number(value)
    except (ValueError, ZeroDivisionError):
        raise ValueError('must be a number from 0 to 1, as "0.75"') from None


Share = Annotated[Fraction, BeforeValidator(_share), Field(ge=0, le=1)]
Scope = Literal["case", "field", "covenant", "finding"]
Words = Annotated[tuple[Text, ...], Field(min_length=1)]
QuoteWord = Literal["exact", "normalised", "paraphrased", "not_found", "unreadable", "missing"]
PageWord = Literal["right", "printed", "label", "wrong", "missing", "out_of_range", "unknown", "not_applicable"]
SectionWord = Literal["right", "imprecise", "wrong", "missing", "not_in_document", "unknown"]
LabelWord = Literal["correct", "true_negative", "grounded_refusal", "semantic_match", "partial", "fail", "hallucination"]


class CriterionRule(Strict):
    """When a row fits, without a judge: every key that is given holds, each with one of its words.

    content, outcome: labels; quote, page, section: words of the provenance block; findings: codes; cites: sections, one of which is cited.
    """

    content: Annotated[tuple[LabelWord, ...], Field(min_length=1)] | None = None
    outcome: Annotated[tuple[LabelWord, ...], Field(min_length=1)] | None = None
    quote: Annotated[tuple[QuoteWord, ...], Field(min_length=1)] | None = None
    page: Annotated[tuple[PageWord, ...], Field(min_length=1)] | None = None
    section: Annotated[tuple[SectionWord, ...], Field(min_length=1)] | None = None
    findings: Words | None = None
    cites: Words | None = None
    cited: Annotated[tuple[Literal["yes", "no"], ...], Field(min_length=1)] | None = None
    figure: Annotated[tuple[Literal["equal", "different", "nowhere"], ...], Field(min_length=1)] | None = None
    form: Annotated[tuple[Literal["same"], ...], Field(min_length=1)] | None = None

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """What is given: key -> its words."""
        return {name: words for name in type(self).model_fields if (words := getattr(self, name)) is not None}


class Criterion(Strict):
    """A row of a case's own scoring table. score: 0..1; item: the one item (field key, covenant name, term) that a row is limited to."""

    id: Annotated[Text, Field(max_length=100, pattern=r"^[^\s:]+$")]
    when: Annotated[Text, Field(min_length=1)]
    score: Share
    scope: Scope = "case"
    item: Text | None = None
    hallucination: StrictBool = False
    rule: CriterionRule | None = None


class NoInput(Strict):
    """The `input` of a capability that takes none."""


class Case(Strict):
    """One validated case: what was produced, what is true (None without gold), and where.

    output is None for a gold case without output (`--partial`: counted as missed).
    documents: bare file names, in the order given; weight: gold's, default from the contract (A5); criteria: its own scoring table; task:
    what was to be done, as gold's metadata say it.
    """

    case_id: Text
    capability: Text
    documents: tuple[Text, ...]
    input: dict[str, Any] = {}
    output: Any
    gold: Any = None
    has_gold: bool = True
    weight: Fraction = Fraction(1)
    criteria: tuple[Criterion, ...] = ()
    task: str = ""
    metadata: dict[str, Any] = {}
