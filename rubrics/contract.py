"""The contract: every number, weight, threshold and policy of the standard, read exactly and frozen.

Numbers are `Fraction`s read from their text, so 0.85 is 17/20. Units: scores and rates 0..1, similarities 0..100, gaps in basis points.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
import json
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rubrics.named_file import read_settings

DEFAULT_VERSION = "1.1"
PINS = "pins.json"

# Keys of older shipped versions that nothing reads any more. Their files stay as they were pinned.
RETIRED_KEYS = {"extraction": ("tranche_specific",), "quotes": ("paraphrase_upper",), "covenants": ("pairing_sure",)}

# The closed vocabularies of docs/contract/formats.md; a contract scores these words, it does not invent others.
Label = Literal["correct", "true_negative", "grounded_refusal", "semantic_match", "partial", "fail", "hallucination"]
PROVENANCE_WORDS = (
    "exact", "normalised", "wrong_page", "incomplete", "paraphrased", "absent", "unsupported", "not_found", "fabricated_location",
)  # fmt: skip
Kind = Literal[
    "party", "party_list", "money", "currency", "facility_type", "period", "date", "rate",
    "reference_rate", "repayment", "law", "conditions", "binary",
]  # fmt: skip
FIELD_KEYS = (
    "borrower", "guarantors", "facility_agent", "facility_amount", "currency", "facility_type", "tenor", "maturity_date",
    "margin", "reference_rate", "commitment_fee", "repayment_schedule", "governing_law", "conditions_precedent", "mac_clause",
    "negative_pledge",
)  # fmt: skip
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
NotNegative = Annotated[Fraction, Field(ge=0)]


class ContractFileError(Exception):
    """The contract file cannot be used; the message names the file and the key."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _closed(key: str, found: Mapping[str, Any] | Iterable[str], wanted: Iterable[str], *, is_whole: bool = True) -> None:
    """Holds the keys of a table to a closed vocabulary: none unknown, and none missing where it must be whole. Raises ValueError."""
    known = tuple(wanted)
    if unknown := [word for word in found if word not in known]:
        near = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
        raise ValueError(f"{key}: {unknown[0]!r} is not known ({hint})")
    if missing := [word for word in known if is_whole and word not in found]:
        raise ValueError(f"{key}.{missing[0]}: is missing")


class Quotes(_Frozen):
    """Least similarity of a place that is like a quote, 0..100 (design/quotes.md), share of a rewording's content words that must stand
    together in one place, 0..1 (design/quotes.md), and words that may differ in a nearly verbatim quote (design/quotes.md)."""

    paraphrase_lower: Similarity
    rewording_share: Share
    most_edits: Words


class FieldRule(_Frozen):
    """A required field: its tier (standard 1.3) and its kind of comparison (design/onboarding.md)."""

    tier: int
    kind: Kind


class Extraction(_Frozen):
    """Loan onboarding policies."""

    document_type_weight: NotNegative
    default_case_weight: NotNegative
    literal_without_gold: tuple[str, ...]

    @model_validator(mode="after")
    def _keys(self) -> Extraction:
        _closed("literal_without_gold", self.literal_without_gold, FIELD_KEYS, is_whole=False)
        return self


class Confidence(_Frozen):
    """Bands of the field-level confidence and the HITL that each needs (standard 1.6)."""

    high: Share
    medium: Share
    expected_hitl: Mapping[str, Literal["none", "flag", "block"]]

    @model_validator(mode="after")
    def _bands(self) -> Confidence:
        if self.medium > self.high:
            raise ValueError("medium is above high")
        _closed("expected_hitl", self.expected_hitl, BANDS)
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


class Covenants(_Frozen):
    """Covenant taxonomy, frequency ladder, mandatory flags (standard 2)."""

    frequency_ladder: tuple[Cadence, ...]
    frequency_outside_ladder: tuple[Cadence, ...]
    partial_frequency_steps: Annotated[int, Field(ge=0)]
    pairing_never: Similarity
    taxonomy: Mapping[str, str]
    flag_parts: Mapping[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _flags(self) -> Covenants:
        _closed("taxonomy", self.taxonomy, COVENANT_CLASSES)
        _closed("flag_parts", self.flag_parts, FLAG_PARTS)
        for flag, parts in self.flag_parts.items():
            _closed(f"flag_parts.{flag}", parts, FLAG_PARTS[flag], is_whole=False)
        return self


class BenchmarkFamily(_Frozen):
    """A benchmark and the law and market that require it (standard 3.2)."""

    name: str
    full_name: str
    laws: tuple[str, ...]
    market: str


class Benchmark(_Frozen):
    """Benchmark terms validation (standard 3)."""

    tolerance_bps: NotNegative
    deviation_parts: tuple[DeviationPart, ...]
    families: Annotated[tuple[BenchmarkFamily, ...], Field(min_length=1)]


class Qa(_Frozen):
    """The mandated refusal (standard 4.2)."""

    refusal_form: str
    refusal_continuation: str


class Gates(_Frozen):
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
    def _has_threshold(self) -> Gates:
        if self.basis != "standard" and self.companion_score is None:
            raise ValueError("companion_score: is missing")
        return self


# The tables of [dimensions] with their words, best first: a worse word never scores more.
DIMENSION_TABLES: Mapping[str, tuple[str, ...]] = {
    "content": ("correct", "semantic_match", "partial", "structural", "fail"),
    "citation": (
        "exact", "normalised", "incomplete", "paraphrased", "wrong_page", "absent", "unsupported", "not_found", "fabricated_location",
    ),
    "document": ("right", "imprecise", "other"),
    "place": (
        "page_and_clause", "page_alone", "clause_near", "clause_far", "clause_alone", "clause_wrong", "page_wrong", "nothing",
    ),
    "quote": ("exact", "normalised", "folded", "paraphrased", "not_found", "unsupported"),
    "type": ("correct", "partial", "none", "fail"),
    "threshold": ("correct", "equal", "partial", "fail"),
    "frequency": ("correct", "inferred", "partial", "fail"),
    "flag": ("correct", "partial", "fail"),
    "accuracy": ("correct", "one_imprecise", "partial", "mainly_wrong", "fail"),
    "citing": ("full", "half", "uncited_later", "uncited_first", "none"),
    "imports": ("correct", "fail"),
    "uncertainty": ("correct", "partial", "fail"),
    "refusal": ("correct", "form", "generic", "fail"),
}  # fmt: skip


class CoverageStep(_Frozen):
    """From this share of gold that was found on, this score."""

    found: Share
    score: Share


class Dimensions(_Frozen):
    """The scores of the companion rubrics (companion.md section 2): what each word of a part is worth in its dimension.

    name_letters: letters; near_pages: pages; weights: capability -> dimension -> share of the composite; coverage: highest share first.
    """

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
    def _monotone(self) -> Dimensions:
        for name, words in DIMENSION_TABLES.items():
            table = getattr(self, name)
            _closed(name, table, words)
            if risen := [worse for better, worse in itertools.pairwise(words) if table[worse] > table[better]]:
                raise ValueError(f"{name}.{risen[0]}: scores more than a better word")
        steps = [(step.found, step.score) for step in self.coverage]
        if steps != sorted(steps, reverse=True) or steps[-1][0] != 0:
            raise ValueError("coverage: the steps must fall, down to found = 0")
        if uneven := [name for name, weights in self.weights.items() if sum(weights.values()) != 1]:
            raise ValueError(f"weights.{uneven[0]}: do not add up to 1")
        return self


class Criteria(_Frozen):
    """What a case's own scoring table counts for. wins: its score is the case's companion score."""

    wins: bool


class Regression(_Frozen):
    """Paired comparison of two runs."""

    non_inferiority_margin: Share
    significance: Share


class Calibration(_Frozen):
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


class Intervals(_Frozen):
    """Confidence level of the intervals in summaries."""

    confidence_level: Share


class Contract(_Frozen):
    """The whole contract. `hash` is over its parsed content, so comments and layout do not matter.

    capabilities: a table for each capability registered from outside the package; its own model checks it.
    """

    version: str
    standard: str
    label_scores: Mapping[str, Share]
    provenance_scores: Mapping[str, Share]
    provenance_labels: Mapping[str, Label]
    quotes: Quotes
    tiers: Mapping[int, NotNegative]
    extraction: Extraction
    fields: Mapping[str, FieldRule]
    confidence: Confidence
    covenants: Covenants
    benchmark: Benchmark
    qa: Qa
    gates: Gates
    regression: Regression
    calibration: Calibration
    intervals: Intervals
    assumptions: Mapping[str, str]
    dimensions: Dimensions | None = None
    criteria: Criteria | None = None
    capabilities: Mapping[str, Mapping[str, Any]] = {}  # of capabilities from outside; each reads and checks its own table
    hash: str

    @model_validator(mode="after")
    def _whole(self) -> Contract:
        _closed("label_scores", self.label_scores, get_args(Label))
        _closed("provenance_scores", self.provenance_scores, PROVENANCE_WORDS)
        _closed("provenance_labels", self.provenance_labels, PROVENANCE_WORDS)
        _closed("fields", self.fields, FIELD_KEYS)
        if self.gates.basis != "standard" and self.dimensions is None:
            raise ValueError("dimensions: is missing, and gates.basis asks for them")
        if tiers := sorted({rule.tier for rule in self.fields.values()} - self.tiers.keys()):
            raise ValueError(f"fields: tier {tiers[0]} has no weight in tiers")
        return self

    def field_weight(self, key: str) -> Fraction:
        """The tier weight of a required field (standard 1.3)."""
        return self.tiers[self.fields[key].tier]

    @property
    def tier1_fields(self) -> tuple[str, ...]:
        """The deal-critical fields, in the order of the standard."""
        return tuple(key for key, rule in self.fields.items() if rule.tier == 1)


def flatten(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yields (dotted key, JSON text of the leaf) for every leaf; tables in a list are numbered from 0."""
    if isinstance(data, dict):
        for key in sorted(data):
            yield from flatten(data[key], f"{path}.{key}" if path else key)
    elif isinstance(data, list) and data and isinstance(data[0], dict):
        for n, entry in enumerate(data):
            yield from flatten(entry, f"{path}.{n}")
    else:
        yield path, json.dumps(data, ensure_ascii=False)


def content_hash(data: Mapping[str, Any]) -> str:
    """SHA-256 over all leaves but the version."""
    lines = [f"{key}={value}" for key, value in flatten(dict(data)) if key != "version"]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _leaf_hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:16]


def pins_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The pin of every key of a contract: what is stored under its version in pins.json."""
    return {key: _leaf_hash(value) for key, value in flatten(dict(data)) if key != "version"}


def changed_keys(data: Mapping[str, Any], pins: Mapping[str, str]) -> list[str]:
    """Keys that were changed, added or removed against the pins of the same version."""
    now = pins_of(data)
    return sorted(key for key in now.keys() | pins.keys() if now.get(key) != pins.get(key))


def read_pins() -> dict[str, dict[str, str]]:
    """The pinned versions: version -> key -> pin."""
    found = resources.files("rubrics").joinpath(PINS)
    return dict(json.loads(found.read_text("utf-8"))) if found.is_file() else {}


def parse_contract(text: str, source: str) -> Contract:
    """Reads a contract and holds it against the pins of its version.

    A file may extend a shipped version (`extends = "1.1"`); what an older shipped version does not say is read from the default one.
    Raises ContractFileError naming the key: not TOML, a missing, unknown or unusable key, or a value changed without a new version.
    """
    own = _toml(text, source)
    pins = read_pins()
    base = own.get("extends", DEFAULT_VERSION if str(own.get("version")) in pins else None)
    data = own if base is None or base == own.get("version") else _overlaid(_base(str(base), source), own)
    data = {key: value for key, value in _without_retired(data, pins).items() if key != "extends"}
    try:
        contract = Contract.model_validate({**data, "hash": content_hash(data if "extends" in own else own)})
    except ValidationError as error:
        raise ContractFileError(f"{source}: {_problem(error)}") from error
    pinned = pins.get(contract.version)
    if pinned is not None and (keys := changed_keys(own, pinned)):
        raise ContractFileError(
            f"{source}: changed without a version bump: {', '.join(keys)}. "
            f"Give the file a version of its own (it says {contract.version!r})."
        )
    return contract


def _base(version: str, source: str) -> dict[str, Any]:
    """A shipped version with what it extends itself."""
    data = _toml(_shipped(version, f"{source}: extends"), source)
    return _overlaid(_base(str(data["extends"]), source), data) if "extends" in data else data


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ContractFileError(f"{source}: not a TOML file: {error}") from error


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    return ": ".join(part for part in (".".join(str(key) for key in first["loc"] if key != "[key]"), message) if part)


def _overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _overlaid(base[key], value) for key, value in over.items() if isinstance(value, dict) and isinstance(base.get(key), dict)}
    return {**base, **over, **both}


def _without_retired(data: Mapping[str, Any], pinned: Container[str]) -> dict[str, Any]:
    retired = RETIRED_KEYS if data.get("version") in pinned else {}
    return {
        table: {key: value for key, value in content.items() if key not in retired[table]} if table in retired else content
        for table, content in data.items()
    }


def shipped_versions() -> tuple[str, ...]:
    """The names that `--contract` takes in place of a file."""
    files = (entry.name for entry in resources.files("rubrics").iterdir())
    return tuple(
        sorted(name[len("contract-") : -len(".toml")] for name in files if name.startswith("contract-") and name.endswith(".toml"))
    )


def _shipped(version: str, source: str) -> str:
    named = [known for known in shipped_versions() if version and known.rpartition("-")[0] == version]  # "companion": its latest
    version = max(named, default=version, key=lambda known: [int(part) for part in known.rpartition("-")[2].split(".")])
    if version not in shipped_versions():
        raise ContractFileError(f"{source}: no contract {version!r} is shipped (there are: {', '.join(shipped_versions())})")
    return resources.files("rubrics").joinpath(f"contract-{version}.toml").read_text("utf-8")


def is_file_name(name: str) -> bool:
    """Whether a contract is named by its file, not by a shipped version."""
    return "/" in name or "\\" in name or name.endswith(".toml")


@lru_cache(maxsize=8)
def load_contract(name: str | Path | None = None) -> Contract:
    """The default contract, a shipped one by version or name, or a file (with a slash or `.toml`). Raises ContractFileError."""
    version = DEFAULT_VERSION if name is None else str(name)
    if not is_file_name(version):
        return parse_contract(_shipped(version, "--contract"), f"contract-{version}.toml")
    try:
        return parse_contract(read_settings(Path(version)), version)
    except (OSError, UnicodeDecodeError) as error:
        raise ContractFileError(f"{version}: cannot be read: {error}") from error
