"""The sections of a contract as models: every number, weight, threshold and policy of the standard, read exactly and frozen.
Numbers are `Fraction`s read from their text, so 0.85 is 17/20. Units: scores and rates 0..1, similarities 0..100, gaps in basis points."""

import difflib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rubrics.wording import WORDS

# The closed vocabularies of docs/contract/formats.md; a contract scores these words, it does not invent others.
Label = Literal["correct", "true_negative", "grounded_refusal", "semantic_match", "partial", "fail", "hallucination"]
PROVENANCE_WORDS = (
    "exact", "normalised", "wrong_page", "incomplete", "paraphrased", "absent", "unsupported", "not_found", "fabricated_location",
)  # fmt: skip
KindName = Literal[
    "party", "party_list", "money", "currency", "facility_type", "period", "date", "rate",
    "reference_rate", "repayment", "law", "conditions", "binary",
]  # fmt: skip
FieldKey = Literal[
    "borrower", "guarantors", "facility_agent", "facility_amount", "currency", "facility_type", "tenor", "maturity_date", "margin",
    "reference_rate", "commitment_fee", "repayment_schedule", "governing_law", "conditions_precedent", "mac_clause", "negative_pledge",
]  # fmt: skip
FIELD_KEYS: tuple[str, ...] = get_args(FieldKey)
BANDS = ("HIGH", "MEDIUM", "LOW")
COVENANT_CLASSES = ("financial", "information", "negative", "positive")
Cadence = Literal["monthly", "quarterly", "semi_annual", "annual", "on_event", "none"]
DeviationPart = Literal["deal_value", "benchmark_value", "gap", "benchmark_reference"]
FLAG_PARTS: Mapping[str, frozenset[str]] = {
    "waiver": frozenset({"covenant", "original_threshold", "waived_threshold", "period", "temporary"}),
    "carve_out": frozenset({"items"}),
    "grace_period": frozenset({"days", "triggers"}),
    "cross_default": frozenset({"threshold"}),
}

Share = Annotated[Fraction, Field(ge=0, le=1)]
Similarity = Annotated[Fraction, Field(ge=0, le=100)]
Words = Annotated[int, Field(ge=0, le=50)]
NotNegative = Annotated[Fraction, Field(ge=0, le=10**9)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def check_closed(key: str, found: Mapping[str, Any] | Iterable[str], wanted: Iterable[str], *, is_whole: bool = True) -> None:
    """Holds the keys of a table to a closed vocabulary: none unknown, and none missing where it must be whole. Raises ValueError."""
    known = tuple(wanted)
    if unknown := [word for word in found if word not in known]:
        near = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
        raise ValueError(f"{key}: {unknown[0]!r} is not known ({hint})")
    if missing := [word for word in known if is_whole and word not in found]:
        raise ValueError(f"{key}.{missing[0]}: is missing")


class Quotes(Section):
    """Least similarity of a place that is like a quote, 0..100 (design/quotes.md), share of a rewording's content words that must stand
    together in one place, 0..1 (design/quotes.md), and words that may differ in a nearly verbatim quote (design/quotes.md)."""

    paraphrase_lower: Similarity
    rewording_share: Share
    most_edits: Words


class FieldRule(Section):
    """A required field: its tier (standard 1.3) and its kind of comparison (design/onboarding.md)."""

    tier: int
    kind: KindName


class Extraction(Section):
    """Loan onboarding policies."""

    document_type_weight: NotNegative
    default_case_weight: NotNegative
    literal_without_gold: tuple[str, ...]

    @model_validator(mode="after")
    def _keys(self) -> "Extraction":
        check_closed("literal_without_gold", self.literal_without_gold, FIELD_KEYS, is_whole=False)
        return self


class Confidence(Section):
    """Bands of the field-level confidence and the HITL that each needs (standard 1.6)."""

    high: Share
    medium: Share
    expected_hitl: Mapping[str, Literal["none", "flag", "block"]]

    @model_validator(mode="after")
    def _bands(self) -> "Confidence":
        if self.medium > self.high:
            raise ValueError("medium is above high")
        check_closed("expected_hitl", self.expected_hitl, BANDS)
        return self

    def band_of(self, confidence: float | str | None) -> str:
        """The band of a confidence (number 0..1 or already a band); "" when none was reported."""
        if confidence is None or isinstance(confidence, str):
            return confidence or ""
        exact = _as_written(confidence)
        return "HIGH" if exact >= self.high else "MEDIUM" if exact >= self.medium else "LOW"


@lru_cache(maxsize=1024)
def _as_written(number: float) -> Fraction:
    """0.85 as written, not the nearest binary number."""
    return Fraction(str(number))


class Covenants(Section):
    """Covenant taxonomy, frequency ladder, mandatory flags (standard 2)."""

    frequency_ladder: tuple[Cadence, ...]
    frequency_outside_ladder: tuple[Cadence, ...]
    partial_frequency_steps: Annotated[int, Field(ge=0)]
    pairing_never: Similarity
    taxonomy: Mapping[str, str]
    flag_parts: Mapping[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _flags(self) -> "Covenants":
        check_closed("taxonomy", self.taxonomy, COVENANT_CLASSES)
        check_closed("flag_parts", self.flag_parts, FLAG_PARTS)
        for flag, parts in self.flag_parts.items():
            check_closed(f"flag_parts.{flag}", parts, FLAG_PARTS[flag], is_whole=False)
        return self


class BenchmarkFamily(Section):
    """A benchmark and the law and market that require it (standard 3.2)."""

    name: str
    full_name: str
    laws: tuple[str, ...]
    market: str


class Benchmark(Section):
    """Benchmark terms validation (standard 3)."""

    tolerance_bps: NotNegative
    deviation_parts: tuple[DeviationPart, ...]
    families: Annotated[tuple[BenchmarkFamily, ...], Field(min_length=1)]


class Qa(Section):
    """The mandated refusal (standard 4.2)."""

    refusal_form: str
    refusal_continuation: str


class Gates(Section):
    """Passing thresholds (standard 6), shares 0..1."""

    capability_score: Share
    tier1_field_score: Share
    hallucination_rate: Share
    provenance_completeness: Share
    grounded_refusal_accuracy: Share
    max_judge_error_share: Share
    basis: Literal["standard", "companion", "both"] = "standard"
    companion_score: Share | None = None
    corrections_count: bool = False  # whether verdicts that two people corrected count as corrected

    @model_validator(mode="after")
    def _has_threshold(self) -> "Gates":
        if self.basis != "standard" and self.companion_score is None:
            raise ValueError("companion_score: is missing")
        return self


# The tables of [dimensions] with their words, best first: a worse word never scores more.
DIMENSION_TABLES: Mapping[str, Sequence[str]] = WORDS["dimensions"]


class CoverageStep(Section):
    """From this share of gold that was found on, this score."""

    found: Share
    score: Share


class Dimensions(Section):
    """The scores of the companion rubrics (companion.md section 2): what each word of a part is worth in its dimension.
    name_letters: letters; near_pages: pages; weights: capability -> dimension -> share of the composite; coverage: highest share first."""

    name_letters: Annotated[int, Field(ge=1)]
    near_pages: Annotated[int, Field(ge=0)]
    content: Mapping[str, Share]
    citation: Mapping[str, Share]
    document: Mapping[str, Share]
    place: Mapping[str, Share]
    quote: Mapping[str, Share]
    type: Mapping[str, Share]
    threshold: Mapping[str, Share]
    frequency: Mapping[str, Share]
    flag: Mapping[str, Share]
    accuracy: Mapping[str, Share]
    citing: Mapping[str, Share]
    imports: Mapping[str, Share]
    uncertainty: Mapping[str, Share]
    refusal: Mapping[str, Share]
    weights: Mapping[str, Mapping[str, Share]]
    coverage: Annotated[tuple[CoverageStep, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _monotone(self) -> "Dimensions":
        for name, words in DIMENSION_TABLES.items():
            table = getattr(self, name)
            check_closed(name, table, words)
            if risen := [worse for better, worse in itertools.pairwise(words) if table[worse] > table[better]]:
                raise ValueError(f"{name}.{risen[0]}: scores more than a better word")
        steps = [(step.found, step.score) for step in self.coverage]
        if steps != sorted(steps, reverse=True) or steps[-1][0] != 0:
            raise ValueError("coverage: the steps must fall, down to found = 0")
        if uneven := [name for name, weights in self.weights.items() if sum(weights.values()) != 1]:
            raise ValueError(f"weights.{uneven[0]}: do not add up to 1")
        return self


class Criteria(Section):
    """What a case's own scoring table counts for. wins: its score is the case's companion score."""

    wins: bool


class Regression(Section):
    """Paired comparison of two runs."""

    non_inferiority_margin: Share
    significance: Share


class Calibration(Section):
    """The judge's own trust gate (calibration.md 2); shares 0..1, their meaning in docs/use/calibration.md."""

    sensitivity_bar: Share
    specificity_bar: Share
    confidence_level: Share
    selective_risk: Share
    selective_delta: Share
    record_days: Annotated[int, Field(ge=1)]
    least_coverage: Share
    most_tied: Share
    most_abstained: Share
    most_moved: Share
    least_annotators: Annotated[int, Field(ge=1)]
    least_classes: Annotated[int, Field(ge=2)]
    slice_floor: Share
    slice_least: Annotated[int, Field(ge=1)]


class Intervals(Section):
    """Confidence level of the intervals in summaries."""

    confidence_level: Share
