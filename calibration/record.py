"""The calibration record: what was measured of exactly which judge, until when it holds, and what a run may do with it.

A record binds its figures to a fingerprint (model as returned, endpoint kind, prompt + schema + parser + rubric hash), to the rules of the
contract that they were held against, and to themselves: every part carries a seal, so that a changed part is named. A seal is no
signature: whoever makes a new one can write what he likes, so what is read must also agree with itself (record_reader.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from calibration.estimate import Estimate

FORMAT = 3
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class RecordError(Exception):
    """A calibration record cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ClassRate:
    """Sensitivity or specificity: value and ends 0..1 (None undefined), labels, cases, effective number of independent labels."""

    value: Share | None
    low: Share | None
    high: Share | None
    n: Count
    clusters: Count
    effective_n: Annotated[float, Field(gt=0)] | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The certificate of selective judging: verdicts at or above `threshold` may decide; None: none may (abstain from everything)."""

    threshold: Share | None
    risk: Share
    delta: Share
    cases: Count
    coverage: Share


@dataclass(frozen=True, slots=True)
class RubricRecord:
    """What the record says of one rubric. fingerprint: name -> text, compared whole. positive: accepting labels, the others refuse.

    made, expires: ISO dates; it still holds on the day `expires`. data_hash: SHA-256 of the label file. rules: the contract's calibration
    section, name -> text. left_out: counts of what the rates do not see. probes: name -> what came of it; unprobed: kinds nobody tried.
    covers: the labels are a draw of a run of this very judge; why_not: why they are not. draw: how they were drawn, contract: under which
    the judge was held, slices: what each kind showed, uses: judges that these labels were held against, this one included.
    """

    rubric: str
    outcome: Literal["trusted", "not_trusted", "inconclusive"]
    sentence: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    label_sources: tuple[str, ...]
    annotators: tuple[str, ...]
    label_counts: tuple[tuple[str, Count], ...]
    fingerprint: tuple[tuple[str, str], ...]
    sensitivity: ClassRate | None
    specificity: ClassRate | None
    human_rate: ClassRate | None
    figures: tuple[tuple[str, float | None], ...]
    certificate: Threshold | None
    made: str
    expires: str
    data_hash: str
    label_file: str
    rules: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, Count], ...] = ()
    probes: tuple[tuple[str, str], ...] = ()
    unprobed: tuple[str, ...] = ()
    covers: bool = False
    why_not: str = ""
    draw: str = ""
    contract: str = ""
    slices: tuple[tuple[str, str], ...] = ()
    uses: Annotated[int, Field(ge=1)] = 1

    @property
    def trusted(self) -> bool:
        """Whether a run may go by it."""
        return self.covers and self.outcome == "trusted"


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record file, or several as one: an entry a rubric, each with its own label file and dates."""

    rubrics: tuple[RubricRecord, ...]
    format: int = FORMAT

    @property
    def made(self) -> str:
        """The day of the youngest entry."""
        return max((entry.made for entry in self.rubrics), default="")

    @property
    def expires(self) -> str:
        """The first day on which an entry ends."""
        return min((entry.expires for entry in self.rubrics), default="")

    @property
    def data_hash(self) -> str:
        """The label files' hashes."""
        return ", ".join(dict.fromkeys(entry.data_hash for entry in self.rubrics))

    @property
    def label_file(self) -> str:
        """The label files' names."""
        return ", ".join(dict.fromkeys(entry.label_file for entry in self.rubrics))

    def rubric(self, rubric: str) -> RubricRecord | None:
        """The entry of one rubric, None where the record has none."""
        return next((entry for entry in self.rubrics if entry.rubric == rubric), None)


def class_rate(estimate: Estimate | None) -> ClassRate | None:
    """The part of an estimate that a record keeps."""
    if estimate is None:
        return None
    return ClassRate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.clusters, estimate.effective_n)


def merge(records: Sequence[Record]) -> Record:
    """Several records as one. Raises RecordError when a rubric stands in two of them: which holds would depend on the order."""
    entries = [entry for record in records for entry in record.rubrics]
    names = [entry.rubric for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RecordError(f"the rubric {twice[0]!r} stands in the record more than once: keep one of its entries")
    return Record(tuple(sorted(entries, key=lambda entry: entry.rubric)))


def write(record: Record) -> str:
    """The record as JSON text, keys in a fixed order, each entry with its seals."""
    entries = [_entry_data(entry) for entry in record.rubrics]
    data = {
        "format": record.format,
        "made": record.made,
        "expires": record.expires,
        "trusted": all(entry.trusted for entry in record.rubrics),
        "rubrics": [{**entry, "seals": seals_of(entry)} for entry in entries],
    }
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


PAIRS = ("fingerprint", "label_counts", "figures", "rules", "left_out", "probes", "slices")
RATES = ("sensitivity", "specificity", "human_rate")


def _entry_data(entry: RubricRecord) -> dict[str, Any]:
    data = asdict(entry)
    return {**data, "trusted": entry.trusted, **{key: dict(data[key]) for key in PAIRS}}


def seals_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Key -> hash of its content and of the rubric's name, and "all": the hash over these."""
    found = {key: _hash([entry.get("rubric"), key, value]) for key, value in sorted(entry.items()) if key != "seals"}
    return {**found, "all": _hash(found)}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")).hexdigest()[:32]
