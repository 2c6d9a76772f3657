"""The record of what was assessed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from calibration.assessment import Assessment
from calibration.probes import ProbeResult
from calibration.record import Record, RubricRecord, Threshold, class_rate, expiry
from judge.calibrate.choices import rules_text
from rubrics.contract import Contract


def make_record(
    label_file: Path, today: date, contract: Contract, assessments: Sequence[Assessment], prints: Mapping[str, Mapping[str, str]]
) -> Record:
    digest = hashlib.sha256(label_file.read_bytes()).hexdigest()
    days = today.isoformat(), expiry(today, contract.calibration.record_days)
    rules = tuple(sorted(rules_text(contract).items()))
    bound = (*days, digest, label_file.name, rules)
    return Record(tuple(_entry(assessment, prints[assessment.rubric], bound) for assessment in assessments))


Bound = tuple[str, str, str, str, tuple[tuple[str, str], ...]]  # made, expires, hash and name of the label file, rules


def _entry(assessment: Assessment, fingerprint: Mapping[str, str], bound: Bound) -> RubricRecord:
    performance, certificate = assessment.performance, assessment.certificate
    counts = tuple((own.label, own.support) for own in performance.classes)
    threshold = None
    if certificate is not None:
        threshold = Threshold(certificate.threshold, certificate.risk, certificate.delta, certificate.cases, certificate.coverage)
    rates = [check.rate for check in assessment.trust.checks] if assessment.positive else [None, None]
    return RubricRecord(
        assessment.rubric,
        assessment.trust.outcome,
        assessment.trust.sentence,
        assessment.labels,
        assessment.positive,
        tuple(name for name, _ in assessment.sources),
        assessment.humans.annotators,
        tuple(sorted(counts)),
        tuple(sorted(fingerprint.items())),
        class_rate(rates[1]),
        class_rate(rates[0]),
        class_rate(assessment.rates.labels_only if assessment.rates else None),
        tuple(sorted((name, estimate.value) for name, estimate in performance.statistics)),
        threshold,
        *bound,
        tuple(sorted(asdict(assessment.trust.left_out).items())) if assessment.trust.left_out else (),
        tuple(sorted((probe.name, probe_result(probe)) for probe in assessment.probes)),
        assessment.unprobed,
    )


def probe_result(probe: ProbeResult) -> str:
    """What came of a probe, in short."""
    if probe.family == "attack":
        return f"accepted in {probe.accepted} of {probe.clusters} cases"
    share, word = (probe.caught, "refused") if probe.family == "mutation" and probe.caught else (probe.flips, "verdicts turned")
    return f"{word}: {share.value:.1%} of {probe.pairs} pairs" if share.value is not None else "no pair"
