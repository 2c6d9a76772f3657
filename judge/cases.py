"""The input formats (interface.md section 2) as frozen models, and Case, the noun that they become.

Unknown keys are errors everywhere except below `metadata`. `Citation` is the same everywhere; wherever `citation` stands,
`citations` may stand instead, and `claims` gives both as one tuple.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, model_validator

CapabilityName = Literal["loan_onboarding", "covenant_monitoring", "benchmark_validation", "document_qa"]
FieldKey = Literal[
    "borrower",
    "guarantors",
    "facility_agent",
    "facility_amount",
    "currency",
    "facility_type",
    "tenor",
    "maturity_date",
    "margin",
    "reference_rate",
    "commitment_fee",
    "repayment_schedule",
    "governing_law",
    "conditions_precedent",
    "mac_clause",
    "negative_pledge",
]
FIELD_KEYS: tuple[str, ...] = get_args(FieldKey)
Confidence = Annotated[StrictInt | StrictFloat, Field(ge=0, le=1)] | Literal["LOW", "MEDIUM", "HIGH"]
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


# ---- loan onboarding (interface.md 2.1) --------------------------------------------------------------------------


class MoneyObject(Strict):
    """Money as an object: amount in whole currency units."""

    amount: StrictInt | StrictFloat | Text
    currency: Text | None = None


Value = Text | StrictBool | StrictInt | StrictFloat | tuple[Text, ...] | MoneyObject


class FieldOutput(Cited):
    """One extracted field."""

    status: Literal["extracted", "absent", "amended", "unchanged"]
    value: Value | None = None
    original_value: Value | None = None
    new_value: Value | None = None
    effective_date: Text | None = None
    confidence: Confidence | None = None
    hitl: Literal["none", "flag", "block"] | None = None
    shared: StrictBool | None = None
    scope: tuple[Text, ...] | None = None


class TrancheOutput(Strict):
    """The fields of one tranche as reported."""

    label: Text
    fields: dict[FieldKey, FieldOutput] = {}


class ExtractionOutput(Strict):
    """Output of loan onboarding."""

    document_type: Literal["primary_agreement", "amendment"] | None = None
    fields: dict[FieldKey, FieldOutput] = {}
    tranches: tuple[TrancheOutput, ...] = ()


class Amended(Strict):
    """Gold of an amended field; None = not stated in the amendment."""

    original_value: Value | None = None
    new_value: Value
    effective_date: Text | None = None
    one_time: StrictBool = False  # a condition of this amendment alone: the agreement has no original of it


class FieldGold(Cited):
    """What is true of one field: exactly one of value, absent, amended, unchanged, or only `legible: false`.

    visible: the part (or parts) of an illegible value that can be read; missing_page: the page that the file lacks.
    """

    value: Value | None = None
    accepted: tuple[Value, ...] = ()
    absent: StrictBool = False
    legible: StrictBool = True
    visible: Text | tuple[Text, ...] | None = None
    missing_page: StrictInt | None = None
    derived: StrictBool = False
    scope: tuple[Text, ...] | None = None
    amended: Amended | None = None
    unchanged: StrictBool = False

    @model_validator(mode="after")
    def _exactly_one(self) -> FieldGold:
        given = [self.value is not None, self.absent, self.amended is not None, self.unchanged]
        if sum(given) != 1 and not (sum(given) == 0 and not self.legible):
            raise ValueError("give exactly one of `value`, `absent: true`, `amended`, `unchanged: true` (or none of them with `legible: false`)")
        return self


class TrancheGold(Strict):
    """The fields of one tranche as they are; aliases: other labels that mean it."""

    label: Text
    aliases: tuple[Text, ...] = ()
    fields: dict[FieldKey, FieldGold] = {}


class ExtractionGold(Strict):
    """Gold of loan onboarding; every required field is in `fields` or under every tranche that has it."""

    document_type: Literal["primary_agreement", "amendment"] = "primary_agreement"
    fields: dict[FieldKey, FieldGold] = {}
    tranches: tuple[TrancheGold, ...] = ()


# ---- covenants (interface.md 2.2) --------------------------------------------------------------------------------


class CarveOutItem(Strict):
    """One carve-out: its scope and cap."""

    scope: Text
    cap: Text | None = None


class Flag(Cited):
    """A mandatory flag of the standard's section 2.3; which keys matter depends on `kind`."""

    kind: Literal["waiver", "carve_out", "grace_period", "cross_default"]
    covenant: Text | None = None
    original_threshold: Text | None = None
    waived_threshold: Text | None = None
    period: Text | None = None
    temporary: StrictBool | None = None
    items: tuple[CarveOutItem, ...] | None = None
    days: StrictInt | Text | None = None
    triggers: tuple[Text, ...] | None = None
    threshold: Text | None = None


class Covenant(Cited):
    """A covenant, as reported or (with `aliases`) as gold."""

    name: Text
    type: Text | None = None
    secondary_type: Text | None = None
    threshold: Text | None = None
    testing_frequency: Text | None = None
    effective_date: Text | None = None
    flags: tuple[Flag, ...] = ()


class CovenantGold(Covenant):
    """A true covenant."""

    type: Text
    aliases: tuple[Text, ...] = ()


class CovenantOutput(Strict):
    """Output of covenant monitoring."""

    covenants: tuple[Covenant, ...] = ()


class CovenantsGold(Strict):
    """Gold of covenant monitoring."""

    covenants: tuple[CovenantGold, ...] = ()


# ---- benchmark terms (interface.md 2.3) --------------------------------------------------------------------------

FindingKind = Literal["deviation", "conforming", "not_comparable"]


class BenchmarkFinding(Cited):
    """One compared term, as reported."""

    term: Text
    finding: FindingKind
    deal_value: Text | None = None
    benchmark_value: Text | None = None
    gap: Text | None = None
    benchmark_reference: Text | None = None
    disclosure: Text | None = None


class BenchmarkRange(Strict):
    """A benchmark that is a range, with the conditions under which it holds. low and high in `unit`, ends included."""

    low: StrictInt | StrictFloat
    high: StrictInt | StrictFloat
    unit: Text = "bps"
    rating: Text | None = None
    region: Text | None = None
    tenor: Text | None = None


class BenchmarkFindingGold(BenchmarkFinding):
    """One compared term, as it is; aliases: other names of the term."""

    accepted_references: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()
    benchmark_range: BenchmarkRange | None = None


class BenchmarkOutput(Strict):
    """Output of benchmark validation."""

    jurisdiction: Text | None = None
    market: Text | None = None
    benchmark: Text | None = None
    jurisdiction_ambiguous: StrictBool = False
    findings: tuple[BenchmarkFinding, ...] = ()


class BenchmarkGold(Strict):
    """Gold of benchmark validation."""

    benchmark: Text | None = None
    jurisdiction: Text | None = None
    market: Text | None = None
    jurisdiction_ambiguous: StrictBool = False
    findings: tuple[BenchmarkFindingGold, ...] = ()


# ---- Q&A (interface.md 2.4) --------------------------------------------------------------------------------------


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


# ---- lines and cases ---------------------------------------------------------------------------------------------

OUTPUT_MODELS: dict[str, type[Strict]] = {
    "loan_onboarding": ExtractionOutput,
    "covenant_monitoring": CovenantOutput,
    "benchmark_validation": BenchmarkOutput,
    "document_qa": QaOutput,
}
GOLD_MODELS: dict[str, type[Strict]] = {
    "loan_onboarding": ExtractionGold,
    "covenant_monitoring": CovenantsGold,
    "benchmark_validation": BenchmarkGold,
    "document_qa": QaGold,
}


class Case(Strict):
    """One validated case: what was produced, what is true (None without gold), and where.

    output is None for a gold case without output (`--partial`: counted as missed).
    documents: bare file names, in the order given; weight: gold's, default from the contract (A5).
    """

    case_id: Text
    capability: CapabilityName
    documents: tuple[Text, ...]
    input: dict[str, Any] = {}
    output: Any
    gold: Any = None
    has_gold: bool = True
    weight: Fraction = Fraction(1)
    metadata: dict[str, Any] = {}
