"""The calibration record: what was measured of exactly which judge, until when it holds, and what a run may do with it.

A record binds its figures to a fingerprint (model as returned, endpoint kind, prompt + schema + parser + rubric hash). Any difference,
or the end of its time, voids it; it is then as if there were none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, timedelta
from typing import Any

import numpy as np

from calibration.correction import Rate, corrected_rate
from calibration.estimate import Estimate, undefined
from calibration.intervals import clustered_proportion, effective_size

FORMAT = 1


class RecordError(Exception):
    """A calibration record cannot be read; the message says what is wrong with it."""


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
    """What the record says of one rubric. fingerprint: name -> text, compared whole. positive: accepting labels, the others refuse."""

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


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record file. data_hash: SHA-256 of the label file. made, expires: ISO dates; it still holds on the day `expires`."""

    format: int
    made: str
    expires: str
    data_hash: str
    label_file: str
    rubrics: tuple[RubricRecord, ...]

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


def write(record: Record) -> str:
    """The record as JSON text, keys in a fixed order."""
    data = asdict(record)
    for entry in data["rubrics"]:
        for key in ("fingerprint", "label_counts", "figures"):
            entry[key] = dict(entry[key])
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read(text: str) -> Record:
    """A record from its JSON text. Raises RecordError naming what is wrong."""
    try:
        data = json.loads(text)
        if data.get("format") != FORMAT:
            raise RecordError(f"format {data.get('format')!r} is not known: make the record again with this version")
        rubrics = tuple(_entry(entry) for entry in data["rubrics"])
        date.fromisoformat(data["expires"])
        return Record(FORMAT, data["made"], data["expires"], data["data_hash"], data["label_file"], rubrics)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"not a calibration record: {type(error).__name__}: {error}") from error


def _entry(data: dict[str, Any]) -> RubricRecord:
    names = {field.name for field in fields(RubricRecord)}
    if data.keys() != names:
        raise KeyError(", ".join(sorted(data.keys() ^ names)))
    rates = {key: ClassRate(**data[key]) if data[key] else None for key in ("sensitivity", "specificity", "human_rate")}
    lists = {key: tuple(data[key]) for key in ("labels", "positive", "label_sources", "annotators")}
    pairs = {key: tuple(sorted(data[key].items())) for key in ("fingerprint", "label_counts", "figures")}
    certificate = Threshold(**data["certificate"]) if data["certificate"] else None
    return RubricRecord(**{**data, **rates, **lists, **pairs, "certificate": certificate})


def check(record: Record, rubric: str, fingerprint: Mapping[str, str], today: date) -> tuple[str, ...]:
    """Why this record does not let the rubric's verdicts decide a gate; empty when it does.

    fingerprint: of the judge that is running, for this rubric. today: passed in, so that the same input gives the same answer.
    """
    entry = record.rubric(rubric)
    told: tuple[str, ...] = ()
    if entry is not None and entry.outcome != "trusted":
        told = (f"the judge was found {entry.outcome.replace('_', ' ')} for {rubric!r}",)
    return (*told, *check_validity(record, rubric, fingerprint, today))


def check_validity(record: Record, rubric: str, fingerprint: Mapping[str, str], today: date) -> tuple[str, ...]:
    """Why this record says nothing of this judge today, whatever it found; empty when it does. Arguments as for `check`."""
    entry = record.rubric(rubric)
    if entry is None:
        return (f"the record holds nothing of the rubric {rubric!r}",)
    is_over = today > date.fromisoformat(record.expires)
    told = (f"the record expired on {record.expires}",) if is_over else ()
    return (*told, *compare_fingerprints(dict(entry.fingerprint), fingerprint))


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
