"""The calibration record: what was measured of exactly which judge, until when it holds, and what a run may do with it.

A record binds its figures to a fingerprint (model as returned, endpoint kind, prompt + schema + parser + rubric hash), to the rules of the
contract that they were held against, and to themselves: every part carries a seal, so that a changed part is named. A seal is no
signature: whoever makes a new one can write what he likes, so what is read must also agree with itself (record_check.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, timedelta
from typing import Any

import numpy as np

from calibration.correction import Rate, corrected_rate
from calibration.estimate import Estimate, undefined
from calibration.intervals import clustered_proportion, effective_size

FORMAT = 2


class RecordError(Exception):
    """A calibration record cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ClassRate:
    """Sensitivity or specificity: value and ends 0..1 (None undefined), labels, cases, effective number of independent labels."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    effective_n: float | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The certificate of selective judging: verdicts at or above `threshold` may decide; None: none may (abstain from everything)."""

    threshold: float | None
    risk: float
    delta: float
    cases: int
    coverage: float


@dataclass(frozen=True, slots=True)
class RubricRecord:
    """What the record says of one rubric. fingerprint: name -> text, compared whole. positive: accepting labels, the others refuse.

    made, expires: ISO dates; it still holds on the day `expires`. data_hash: SHA-256 of the label file. rules: the contract's calibration
    section, name -> text. left_out: counts of what the rates do not see. probes: name -> what came of it; unprobed: kinds nobody tried.
    """

    rubric: str
    outcome: str
    sentence: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    label_sources: tuple[str, ...]
    annotators: tuple[str, ...]
    label_counts: tuple[tuple[str, int], ...]
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
    left_out: tuple[tuple[str, int], ...] = ()
    probes: tuple[tuple[str, str], ...] = ()
    unprobed: tuple[str, ...] = ()


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


def expiry(made: date, days: int) -> str:
    """The last day on which a record made on that day holds."""
    return (made + timedelta(days=days)).isoformat()


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
        "rubrics": [{**entry, "seals": seals_of(entry)} for entry in entries],
    }
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


PAIRS = ("fingerprint", "label_counts", "figures", "rules", "left_out", "probes")
LISTS = ("labels", "positive", "label_sources", "annotators", "unprobed")
RATES = ("sensitivity", "specificity", "human_rate")


def _entry_data(entry: RubricRecord) -> dict[str, Any]:
    data = asdict(entry)
    return {**data, **{key: dict(data[key]) for key in PAIRS}}


def seals_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Key -> hash of its content and of the rubric's name, and "all": the hash over these."""
    found = {key: _hash([entry.get("rubric"), key, value]) for key, value in sorted(entry.items()) if key != "seals"}
    return {**found, "all": _hash(found)}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def read(text: str) -> Record:
    """A record from its JSON text. Raises RecordError naming what is wrong, or what was changed since it was made."""
    from calibration.record_check import check_entry

    try:
        data = json.loads(text, parse_constant=_refuse)
        if data.get("format") != FORMAT:
            raise RecordError(f"format {data.get('format')!r} is not known: make the record again with this version")
        record = merge([Record((_entry(entry),)) for entry in data["rubrics"]])
        if not record.rubrics:
            raise RecordError("it holds no rubric")
        for key in ("made", "expires"):
            if data.get(key) != getattr(record, key):
                raise RecordError(f"{key} is {data.get(key)!r} and its entries say {getattr(record, key)}: it was changed")
        for entry in record.rubrics:
            if wrong := check_entry(entry):
                raise RecordError(f"{entry.rubric or 'the entry'}: {wrong}")
        return record
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"not a calibration record: {type(error).__name__}: {error}") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _entry(data: dict[str, Any]) -> RubricRecord:
    names = {field.name for field in fields(RubricRecord)}
    if data.keys() - {"seals"} != names:
        raise KeyError(", ".join(sorted((data.keys() - {"seals"}) ^ names)))
    seals, now = data.get("seals"), seals_of(data)
    if not isinstance(seals, dict) or seals != now:
        changed = sorted(key for key in now if key != "all" and (not isinstance(seals, dict) or seals.get(key) != now[key]))
        raise RecordError(f"{data['rubric']}: changed after it was made: {', '.join(changed) or 'seals'}. Make the record again")
    rates = {key: ClassRate(**data[key]) if data[key] else None for key in RATES}
    lists = {key: tuple(data[key]) for key in LISTS}
    pairs = {key: tuple(sorted(data[key].items())) for key in PAIRS}
    certificate = Threshold(**data["certificate"]) if data["certificate"] else None
    rest = {key: value for key, value in data.items() if key != "seals"}
    return RubricRecord(**{**rest, **rates, **lists, **pairs, "certificate": certificate})


@dataclass(frozen=True, slots=True)
class Running:
    """What a run is: the fingerprint of its judge for a rubric, the day (passed in, so that the same input gives the same answer), the
    contract's calibration section (None: not compared) and the labels that accept in the run (None: not compared)."""

    fingerprint: Mapping[str, str]
    today: date
    rules: Mapping[str, str] | None = None
    accepting: tuple[str, ...] | None = None


def check(record: Record, rubric: str, running: Running) -> tuple[str, ...]:
    """Why this record does not let the rubric's verdicts decide a gate; empty when it does."""
    entry = record.rubric(rubric)
    if entry is None:
        return (f"the record holds nothing of the rubric {rubric!r}",)
    told = () if entry.outcome == "trusted" else (f"the judge was found {entry.outcome.replace('_', ' ')} for {rubric!r}",)
    return (
        *told,
        *_check_days(entry, running),
        *_check_rules(entry, running),
        *compare_fingerprints(dict(entry.fingerprint), running.fingerprint),
    )


def _check_days(entry: RubricRecord, running: Running) -> tuple[str, ...]:
    made, expires = date.fromisoformat(entry.made), date.fromisoformat(entry.expires)
    if made > running.today:
        return (f"the record was made on {entry.made}, a day that has not come",)
    if expires < running.today:
        return (f"the record expired on {entry.expires}",)
    days = (running.rules or {}).get("record_days")
    if days is not None and (expires - made).days > int(days):
        return (f"the record expires on {entry.expires}, more than {days} days after {entry.made}",)
    return ()


def _check_rules(entry: RubricRecord, running: Running) -> tuple[str, ...]:
    told: tuple[str, ...] = ()
    if running.accepting is not None and entry.positive != running.accepting:
        named = [", ".join(labels) or "none" for labels in (entry.positive, running.accepting)]
        told = (f"accepting labels differ: calibrated {named[0]}, in this run {named[1]}",)
    if running.rules is None:
        return told
    recorded = dict(entry.rules)
    keys = sorted(recorded.keys() | running.rules.keys())
    return told + tuple(
        f"the contract's calibration rule {key} differs: calibrated {recorded.get(key, 'none')}, "
        f"in this run {running.rules.get(key, 'none')}"
        for key in keys
        if recorded.get(key) != running.rules.get(key)
    )


def compare_fingerprints(recorded: Mapping[str, str], running: Mapping[str, str]) -> tuple[str, ...]:
    """One sentence for each part that differs or is missing on either side; a recorded fingerprint without a model is never enough."""
    if not recorded.get("model"):
        return ("the record does not say which model was calibrated",)
    keys = sorted(recorded.keys() | running.keys())
    return tuple(
        f"{key} differs: calibrated {recorded.get(key) or 'unknown'}, running {running.get(key) or 'unknown'}"
        for key in keys
        if recorded.get(key) != running.get(key)
    )


def may_decide(entry: RubricRecord | None, confidence: float | None) -> bool:
    """Whether a verdict of this confidence is certified; without certificate, threshold or confidence it is not: it goes to a person."""
    if entry is None or entry.certificate is None or entry.certificate.threshold is None or confidence is None:
        return False
    return confidence >= entry.certificate.threshold


@dataclass(frozen=True, slots=True)
class RunRate:
    """A run's accepted share for one rubric, three ways: as judged, corrected for the judge's errors, and of the labels alone."""

    raw: Estimate
    corrected: Estimate
    labels_only: Estimate


def correct_run(entry: RubricRecord, accepted: Sequence[float], asked: Sequence[float]) -> RunRate:
    """The rates of a run. accepted, asked: verdicts of each case that accept, and that were given at all.

    The corrected one is refused (`judge_too_weak`) where the lower bound of sensitivity + specificity is at most 1, and taken to transfer:
    sensitivity and specificity change with the mix of cases, which no record can know.
    """
    hits, sizes = np.asarray(accepted, float), np.asarray(asked, float)
    raw = clustered_proportion(hits, sizes)
    human = entry.human_rate
    labels = undefined("no_labels") if human is None or human.value is None else _estimate(human)
    parts = [_rate(rate) for rate in (entry.specificity, entry.sensitivity)]
    if raw.value is None or parts[0] is None or parts[1] is None:
        return RunRate(raw, undefined("no_items" if raw.value is None else "no_class_rates", n=raw.n, clusters=raw.clusters), labels)
    scored = Rate(raw.value, effective_size(hits, sizes), raw.clusters)
    return RunRate(raw, corrected_rate(scored, parts[0], parts[1], bounds_sum=lower_sum(entry.specificity, entry.sensitivity)), labels)


def _estimate(rate: ClassRate) -> Estimate:
    return Estimate(rate.value, rate.low, rate.high, rate.n, rate.clusters, "calibration labels, clustered Wilson")


def _rate(rate: ClassRate | None) -> Rate | None:
    if rate is None or rate.value is None or rate.effective_n is None:
        return None
    return Rate(rate.value, rate.effective_n, rate.clusters)


def lower_sum(first: ClassRate | Estimate | None, second: ClassRate | Estimate | None) -> float | None:
    """Lower bound of the sum of two independent shares, from their own lower bounds (MOVER); None where either is undefined."""
    if first is None or second is None or first.value is None or second.value is None or first.low is None or second.low is None:
        return None
    return first.value + second.value - float(np.hypot(first.value - first.low, second.value - second.low))
