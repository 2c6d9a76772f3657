"""Does a record hold for a run: its judge, its day, its contract's rules, the labels that it accepts by?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from calibration.record import Record, RubricRecord


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
    told: tuple[str, ...] = () if entry.outcome == "trusted" else (f"the judge was found {entry.outcome.replace('_', ' ')} for {rubric!r}",)
    if not entry.covers:
        return (*told, entry.why_not or "the record covers no run")
    told += _check_days(entry, running)
    if running.accepting is not None and entry.positive != running.accepting:
        named = [", ".join(labels) or "none" for labels in (entry.positive, running.accepting)]
        told += (f"accepting labels differ: calibrated {named[0]}, in this run {named[1]}",)
    if running.rules is not None:
        told += _differences(dict(entry.rules), running.rules, "the contract's calibration rule ", "in this run", "none")
    return (*told, *compare_fingerprints(dict(entry.fingerprint), running.fingerprint))


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


def compare_fingerprints(recorded: Mapping[str, str], running: Mapping[str, str]) -> tuple[str, ...]:
    """One sentence for each part that differs or is missing on either side; a recorded fingerprint without a model is never enough."""
    if not recorded.get("model"):
        return ("the record does not say which model was calibrated",)
    return _differences(recorded, running, "", "running", "unknown")


def _differences(recorded: Mapping[str, str], running: Mapping[str, str], what: str, here: str, nothing: str) -> tuple[str, ...]:
    return tuple(
        f"{what}{key} differs: calibrated {recorded.get(key) or nothing}, {here} {running.get(key) or nothing}"
        for key in sorted(recorded.keys() | running.keys())
        if recorded.get(key) != running.get(key)
    )


def may_decide(entry: RubricRecord | None, confidence: float | None) -> bool:
    """Whether a verdict of this confidence is certified; without certificate, threshold or confidence it is not: it goes to a person."""
    if entry is None or entry.certificate is None or entry.certificate.threshold is None or confidence is None:
        return False
    return confidence >= entry.certificate.threshold
