"""The contract: every number, weight, threshold and policy of the standard, read exactly and frozen.

Numbers are `Fraction`s read from their text, so 0.85 is 17/20. Units: scores and rates 0..1, similarities 0..100, gaps in basis points.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

DEFAULT_CONTRACT = "contract-1.0.toml"
PINS = "pins.json"


class ContractFileError(Exception):
    """The contract file cannot be used; the message names the file and the key."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Quotes(_Frozen):
    """Similarity thresholds, 0..100 (judging.md 1.4)."""

    paraphrase_lower: Fraction
    paraphrase_upper: Fraction


class FieldRule(_Frozen):
    """A required field: its tier (standard 1.3) and its kind of comparison (judging.md 2)."""

    tier: int
    kind: str


class Extraction(_Frozen):
    """Loan onboarding policies."""

    document_type_weight: Fraction
    default_case_weight: Fraction
    tranche_specific: tuple[str, ...]
    literal_without_gold: tuple[str, ...]


class Confidence(_Frozen):
    """Bands of the field-level confidence and the HITL that each needs (standard 1.6)."""

    high: Fraction
    medium: Fraction
    expected_hitl: Mapping[str, str]


class Covenants(_Frozen):
    """Covenant taxonomy, frequency ladder, mandatory flags (standard 2)."""

    frequency_ladder: tuple[str, ...]
    frequency_outside_ladder: tuple[str, ...]
    partial_frequency_steps: int
    pairing_sure: Fraction
    pairing_never: Fraction
    taxonomy: Mapping[str, str]
    flag_parts: Mapping[str, tuple[str, ...]]


class BenchmarkFamily(_Frozen):
    """A benchmark and the law and market that require it (standard 3.2)."""

    name: str
    full_name: str
    laws: tuple[str, ...]
    market: str


class Benchmark(_Frozen):
    """Benchmark terms validation (standard 3)."""

    tolerance_bps: Fraction
    deviation_parts: tuple[str, ...]
    families: tuple[BenchmarkFamily, ...]


class Qa(_Frozen):
    """The mandated refusal (standard 4.2)."""

    refusal_form: str
    refusal_continuation: str


class Gates(_Frozen):
    """Passing thresholds (standard 6), shares 0..1."""

    capability_score: Fraction
    tier1_field_score: Fraction
    hallucination_rate: Fraction
    provenance_completeness: Fraction
    grounded_refusal_accuracy: Fraction
    max_judge_error_share: Fraction


class Regression(_Frozen):
    """Paired comparison of two runs."""

    non_inferiority_margin: Fraction
    significance: Fraction


class Calibration(_Frozen):
    """The judge's own trust gate (calibration.md 2); shares 0..1, their meaning in docs/calibration.md.

    What a contract does not name has the value given here: version 1.0 names only the keys without one.
    """

    sensitivity_bar: Fraction
    specificity_bar: Fraction
    confidence_level: Fraction
    selective_risk: Fraction
    selective_delta: Fraction
    record_days: int
    least_coverage: Fraction = Fraction(4, 5)
    most_tied: Fraction = Fraction(1, 5)
    most_abstained: Fraction = Fraction(1, 10)
    most_moved: Fraction = Fraction(1, 10)
    least_annotators: int = 1
    least_classes: int = 2


class Intervals(_Frozen):
    """Confidence level of the intervals in summaries."""

    confidence_level: Fraction


class Contract(_Frozen):
    """The whole contract. `hash` is over its parsed content, so comments and layout do not matter."""

    version: str
    standard: str
    label_scores: Mapping[str, Fraction]
    provenance_scores: Mapping[str, Fraction]
    provenance_labels: Mapping[str, str]
    quotes: Quotes
    tiers: Mapping[int, Fraction]
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
    hash: str

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

    Raises ContractFileError naming the key: not TOML, a missing or unknown key, or a value changed without a new version.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContractFileError(f"{source}: not a TOML file: {error}") from error
    try:
        contract = Contract.model_validate({**data, "hash": content_hash(data)})
    except ValidationError as error:
        first = error.errors()[0]
        raise ContractFileError(f"{source}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    pinned = read_pins().get(contract.version)
    if pinned is not None and (keys := changed_keys(data, pinned)):
        raise ContractFileError(
            f"{source}: changed without a version bump: {', '.join(keys)}. "
            f"Give the file a version of its own (it says {contract.version!r})."
        )
    return contract


@lru_cache(maxsize=8)
def load_contract(path: Path | None = None) -> Contract:
    """The shipped contract, or a user's own file. Raises ContractFileError."""
    if path is None:
        return parse_contract(resources.files("rubrics").joinpath(DEFAULT_CONTRACT).read_text("utf-8"), DEFAULT_CONTRACT)
    try:
        return parse_contract(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ContractFileError(f"{path}: cannot be read: {error}") from error
