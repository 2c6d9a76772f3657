"""What the input formats of all capabilities share (docs/contract/formats.md) as frozen models, and Case, the noun that a line becomes.

Unknown keys are errors everywhere except below `metadata`: what a system gives along (chunk ids, boxes, scores, reasoning) is carried
to the verdict line, shown, and read by no judgement. `Citation` is the same everywhere; wherever `citation` stands, `citations` may stand
instead, and `claims` gives both as one tuple.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, model_validator

from judge.capabilities.given_forms import Page, one_quote_each
from judge.capabilities.given_forms import Text as Text

Confidence = Annotated[StrictInt | StrictFloat, Field(ge=0, le=1)] | Literal["LOW", "MEDIUM", "HIGH"]
MANY = Field(max_length=1000)
"""The same for entries of a list."""


class Strict(BaseModel):
    """Frozen, and every unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Citation(Strict):
    """Where the evidence stands. page: physical page, 1-based, or a printed number or label as text."""

    document: Text | None = None
    page: Page | None = None
    section: Text | None = None
    quote: Text | None = None
    metadata: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash((self.document, self.page, self.section, self.quote))

    @property
    def is_empty(self) -> bool:
        """Neither page, section nor quote: no citation at all (design/support.md)."""
        return not (self.section or self.quote) and self.page in (None, "")


class Cited(Strict):
    """Anything that carries one citation or several."""

    citation: Citation | None = None
    citations: Annotated[tuple[Citation, ...], MANY] | None = None
    metadata: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _one_quote_each(cls, data: Any) -> Any:
        return one_quote_each(data)

    @model_validator(mode="after")
    def _one_of_both(self) -> Any:
        if self.citation is not None and self.citations is not None:
            raise ValueError("give `citation` or `citations`, not both")
        return self

    @cached_property
    def claims(self) -> tuple[Citation, ...]:
        """All citations as they are judged, in the order given: without metadata, empty ones left out."""
        return tuple([c.model_copy(update={"metadata": {}}) if c.metadata else c for c in self._given if not c.is_empty])

    @property
    def _given(self) -> tuple[Citation, ...]:
        return self.citations if self.citations is not None else (self.citation,) if self.citation else ()

    @property
    def carried(self) -> dict[str, Any]:
        """Its metadata, with those of its citations in their order under `citations`."""
        cited = [c.metadata for c in self._given]
        return {**self.metadata, **({"citations": cited} if any(cited) else {})}


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
