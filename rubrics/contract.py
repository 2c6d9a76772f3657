"""The quality contract: the file of a version or of a user, checked, pinned and hashed; its sections are in contract_sections.py."""

import hashlib
import json
import tomllib
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError, model_validator

from rubrics.contract_sections import (
    FIELD_KEYS,
    PROVENANCE_WORDS,
    Benchmark,
    Calibration,
    Confidence,
    Covenants,
    Criteria,
    Dimensions,
    Extraction,
    FieldRule,
    Gates,
    Intervals,
    Label,
    NotNegative,
    Qa,
    Quotes,
    Regression,
    Section,
    Share,
    check_closed,
)
from rubrics.named_file import read_settings
from rubrics.wording import message_of

DEFAULT_VERSION = "1.2"
PINS = "pins.json"

# Keys of older shipped versions that nothing reads any more. Their files stay as they were pinned.
RETIRED_KEYS = {"extraction": ("tranche_specific",), "quotes": ("paraphrase_upper",), "covenants": ("pairing_sure",)}


class ContractFileError(Exception):
    """The contract file cannot be used; the message names the file and the key."""


class Contract(Section):
    """The whole contract. `hash` is over its parsed content, so comments and layout do not matter.
    capabilities: a table for each capability registered from outside the package; its own model checks it."""

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
    def _whole(self) -> "Contract":
        check_closed("label_scores", self.label_scores, get_args(Label))
        check_closed("provenance_scores", self.provenance_scores, PROVENANCE_WORDS)
        check_closed("provenance_labels", self.provenance_labels, PROVENANCE_WORDS)
        check_closed("fields", self.fields, FIELD_KEYS)
        if self.gates.basis != "standard" and self.dimensions is None:
            raise ValueError("dimensions: is missing, and gates.basis asks for them")
        if tiers := sorted({rule.tier for rule in self.fields.values()} - self.tiers.keys()):
            raise ValueError(f"fields: tier {tiers[0]} has no weight in tiers")
        return self

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
        yield path, json.dumps(data, ensure_ascii=False, default=str)


def content_hash(data: Mapping[str, Any]) -> str:
    """SHA-256 over all leaves but the version."""
    lines = [f"{key}={value}" for key, value in flatten(dict(data)) if key != "version"]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def pins_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The pin of every key of a contract: what is stored under its version in pins.json."""
    return {key: hashlib.sha256(value.encode()).hexdigest()[:16] for key, value in flatten(dict(data)) if key != "version"}


def changed_keys(data: Mapping[str, Any], pins: Mapping[str, str]) -> list[str]:
    """Keys that were changed, added or removed against the pins of the same version."""
    now = pins_of(data)
    return sorted(key for key in now.keys() | pins.keys() if now.get(key) != pins.get(key))


def read_pins() -> dict[str, dict[str, str]]:
    """The pinned versions: version -> key -> pin."""
    found = resources.files("rubrics").joinpath(PINS)
    return dict(json.loads(found.read_text("utf-8"))) if found.is_file() else {}


def parse_contract(text: str, source: str) -> Contract:
    """Reads a contract and holds it against the pins of its version. A file may extend a shipped version (`extends = "1.1"`); what an older
    shipped version does not say is read from the default one. Raises ContractFileError naming the key: not TOML, a missing, unknown or
    unusable key, or a value changed without a new version."""
    own = _toml(text, source)
    pins = read_pins()
    base = own.get("extends", DEFAULT_VERSION if str(own.get("version")) in pins else None)
    data = own if base is None or base == own.get("version") else _overlaid(_base(str(base), source), own)
    data = {key: value for key, value in _without_retired(data, pins).items() if key != "extends"}
    try:
        contract = Contract.model_validate({**data, "hash": content_hash(data if "extends" in own else own)})
    except ValidationError as error:
        raise ContractFileError(f"{source}: {_problem(error)}") from error
    if (pinned := pins.get(contract.version)) is not None and (keys := changed_keys(own, pinned)):
        told = f"Give the file a version of its own (it says {contract.version!r})."
        raise ContractFileError(f"{source}: changed without a version bump: {', '.join(keys)}. {told}")
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
    message = message_of(first)
    return ": ".join(part for part in (".".join(str(key) for key in first["loc"] if key != "[key]"), message) if part)


def _overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _overlaid(base[key], value) for key, value in over.items() if isinstance(value, dict) and isinstance(base.get(key), dict)}
    return {**base, **over, **both}


def _without_retired(data: Mapping[str, Any], pinned: Container[str]) -> dict[str, Any]:
    retired = RETIRED_KEYS if data.get("version") in pinned else {}
    named = {table: keys for table, keys in retired.items() if table in data}
    return {**data, **{table: {k: v for k, v in data[table].items() if k not in keys} for table, keys in named.items()}}


def shipped_versions() -> tuple[str, ...]:
    """The names that `--contract` takes in place of a file."""
    files = (entry.name for entry in resources.files("rubrics").iterdir())
    return tuple(sorted(one[len("contract-") : -len(".toml")] for one in files if one.startswith("contract-") and one.endswith(".toml")))


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
