"""`judge calibrate` from label file to results: read, ask the judge where no verdict is recorded, assess each rubric, make the record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.assessment import Assessment, Policy, assess
from calibration.label_csv import Columns, read_csv
from calibration.labels import JUDGE, Defaults, LabelFileError, LabelledItem, read_json_lines
from calibration.record import FORMAT, Record, RubricRecord, Threshold, class_rate, expiry
from calibration.sample import ABSTENTIONS, build_sample
from judge.calibrate.calls import Plan, ask_live_judge, rubric_of
from judge.calibrate.fingerprint import rubric_fingerprint
from judge.errors import ContractError, InputError, Problem, UsageError
from judge.records import SEVERITY, NonOutcome, Outcome
from rubrics.contract import Contract
from rubrics.rubric import CANNOT_DETERMINE, Rubric, RubricFileError, read_rubrics

if TYPE_CHECKING:
    from judge.llm.settings import JudgeSettings


OUTCOMES = "outcome"  # the rubric name of labels for whole items


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for. rubric: of the file's lines where they name none, and the only one judged where they do.

    labels, positive: None for the rubric's own (its first choice accepts). plan: what a live judge is asked besides.
    is_live: ask a judge; None: only where no verdict is recorded. fingerprint: of the judge whose verdicts are recorded, None where
    nothing is known but its name.
    """

    labels_file: Path
    columns: Columns | None = None
    defaults: Defaults = field(default_factory=Defaults)
    rubric: str | None = None
    labels: tuple[str, ...] | None = None
    positive: tuple[str, ...] | None = None
    is_by_position: bool = False
    is_live: bool | None = None
    plan: Plan = field(default_factory=Plan)
    fingerprint: Mapping[str, Any] | None = None
    policy: Policy = field(default_factory=Policy)
    today: date = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The results: one assessment a rubric, and the record of them. calls: questions put to a live judge, 0 for recorded verdicts."""

    assessments: tuple[Assessment, ...]
    record: Record
    calls: int

    @property
    def outcome(self) -> str:
        """The worst of the rubrics: not_trusted before inconclusive before trusted."""
        outcomes = {assessment.trust.outcome for assessment in self.assessments}
        return next(word for word in ("not_trusted", "inconclusive", "trusted") if word in outcomes)


def calibrate(request: Request, contract: Contract, live_settings: Callable[[], JudgeSettings | None]) -> Calibration:
    """The whole command but for files. Raises JudgeError and its kinds.

    live_settings: those of a live judge, None where none is set; called only when one is to be asked.
    """
    try:
        items = read_items(request)
        is_live = not any(item.reading(JUDGE) for item in items) if request.is_live is None else request.is_live
        settings = live_settings() if is_live else None
        known = {rubric.id: rubric for rubric in _own_rubrics(settings)}
        prints = _recorded_prints(items, request)
        calls = 0
        if is_live and request.is_live and settings is None:
            raise UsageError("--judge offline asks nobody: name a model, or a column of recorded verdicts with --judge-column")
        if settings is not None:
            items, prints, calls = ask_live_judge(items, settings, known, request.plan)
        groups = {rubric: [item for item in items if item.rubric == rubric] for rubric in dict.fromkeys(item.rubric for item in items)}
        assessed = tuple(_assess(rubric, group, request, contract, known) for rubric, group in groups.items())
    except LabelFileError as error:
        raise InputError([Problem(request.labels_file.name, None, "", _without_file(str(error), request.labels_file.name))]) from error
    return Calibration(assessed, _record(request, contract, assessed, prints), calls)


def _without_file(message: str, name: str) -> str:
    return message.removeprefix(f"{name}:").strip()


def _recorded_prints(items: Sequence[LabelledItem], request: Request) -> dict[str, dict[str, str]]:
    """Fingerprints of a judge whose verdicts are recorded: that of its run where it is given, else a name that no running judge has."""
    rubrics = sorted({item.rubric for item in items})
    if request.fingerprint is not None:
        return {rubric: rubric_fingerprint(request.fingerprint, rubric) for rubric in rubrics}
    names = {rubric: sorted({item.model for item in items if item.rubric == rubric and item.model}) for rubric in rubrics}
    return {rubric: {"model": f"recorded verdicts of {', '.join(names[rubric]) or 'an unnamed judge'}"} for rubric in rubrics}


def _own_rubrics(settings: JudgeSettings | None) -> Sequence[Rubric]:
    try:
        return tuple(read_rubrics(settings.rubrics).values()) if settings else ()
    except RubricFileError as error:
        raise ContractError(str(error)) from error


def read_items(request: Request) -> tuple[LabelledItem, ...]:
    """The items of the file that belong to the wanted rubric. Raises LabelFileError."""
    path = request.labels_file
    defaults = replace(request.defaults, rubric=request.rubric or "")
    is_json = path.suffix.lower() in (".jsonl", ".json", ".ndjson")
    if is_json and request.columns is not None and request.columns.human:
        raise UsageError(f"{path.name} is JSON Lines: column flags like --human are for CSV")
    if not is_json and (request.columns is None or not request.columns.human):
        raise UsageError(f"{path.name} is read as CSV: name the columns with people's labels with --human")
    items = read_json_lines(path, defaults) if is_json else read_csv(path, request.columns or Columns(()), defaults)
    if not items:
        raise LabelFileError(f"{path.name}: there is no item in it")
    if is_json and request.columns is not None and request.columns.judge:
        items = tuple(_judged_by(item, request.columns.judge) for item in items)
    if request.rubric is None:
        return items
    kept = tuple(item for item in items if item.rubric == request.rubric)
    if not kept:
        there = ", ".join(sorted({item.rubric for item in items}))
        raise LabelFileError(f"{path.name}: no item of the rubric {request.rubric!r}; there are: {there}")
    return kept


def _judged_by(item: LabelledItem, name: str) -> LabelledItem:
    """The item with the verdict of `judge.others` under this name as the judge's own; the other judge's is kept under its model."""
    readings = dict(item.readings)
    chosen = readings.pop(f"other:{name}", None)
    if (own := readings.pop(JUDGE, None)) is not None:
        readings[f"other:{item.model or 'judge of the file'}"] = own
    kept = {JUDGE: chosen, **readings} if chosen is not None else readings
    return replace(item, readings=tuple(kept.items()), confidence=None, model=name)


def _assess(rubric: str, items: Sequence[LabelledItem], request: Request, contract: Contract, known: Mapping[str, Rubric]) -> Assessment:
    found = rubric_of(rubric, known)
    choices = tuple(choice for choice in found.choices if choice != CANNOT_DETERMINE) if found else None
    accepting = choices[:1] if choices else ()
    if rubric == OUTCOMES:  # what `judge label` asks of a whole item: the standard's labels
        choices = tuple(str(outcome) for outcome in Outcome)
        accepting = tuple(str(outcome) for outcome in Outcome if SEVERITY[outcome] < SEVERITY[Outcome.PARTIAL])
    labels = request.labels or choices
    abstentions = (*ABSTENTIONS, *(str(word) for word in NonOutcome)) if rubric == OUTCOMES else ABSTENTIONS
    sample = build_sample(items, labels, abstentions=abstentions, is_by_position=request.is_by_position)
    if not any(item.reading(JUDGE) for item in items):
        raise LabelFileError("no judge verdict is recorded in any item: name a column with --judge-column, or a model with --judge")
    positive = request.positive if request.positive is not None else accepting
    if strange := [label for label in positive if label not in sample.labels]:
        raise UsageError(f"--positive {','.join(strange)}: not among the labels {', '.join(sample.labels)}")
    bars = contract.calibration
    policy = replace(
        request.policy,
        positive=positive,
        sensitivity_bar=float(bars.sensitivity_bar),
        specificity_bar=float(bars.specificity_bar),
        risk=float(bars.selective_risk),
        delta=float(bars.selective_delta),
    )
    return assess(sample, policy)


def _record(request: Request, contract: Contract, assessments: Sequence[Assessment], prints: Mapping[str, Mapping[str, str]]) -> Record:
    digest = hashlib.sha256(request.labels_file.read_bytes()).hexdigest()
    entries = tuple(_entry(assessment, prints[assessment.rubric]) for assessment in assessments)
    return Record(
        FORMAT,
        request.today.isoformat(),
        expiry(request.today, contract.calibration.record_days),
        digest,
        request.labels_file.name,
        entries,
    )


def _entry(assessment: Assessment, fingerprint: Mapping[str, str]) -> RubricRecord:
    performance, certificate = assessment.performance, assessment.certificate
    counts = tuple((own.label, own.support) for own in performance.classes)
    threshold = None
    if certificate is not None:
        threshold = Threshold(certificate.threshold, certificate.risk, certificate.delta, certificate.cases, certificate.coverage)
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
        class_rate(performance.sensitivity),
        class_rate(performance.specificity),
        class_rate(assessment.rates.labels_only if assessment.rates else None),
        tuple(sorted((name, estimate.value) for name, estimate in performance.statistics)),
        threshold,
    )
