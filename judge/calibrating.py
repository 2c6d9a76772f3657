"""`judge calibrate` from label file to results: read, ask the judge where no verdict is recorded, assess each rubric, make the record."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.assessment import Assessment, Policy, assess
from calibration.label_csv import Columns, read_csv
from calibration.labels import JUDGE, UNUSABLE, Defaults, LabelFileError, LabelledItem, read_json_lines
from calibration.perturbations import CHANGES
from calibration.record import FORMAT, Record, RubricRecord, Threshold, class_rate, expiry
from calibration.sample import build_sample
from judge.errors import InputError, Problem, UsageError
from judge.judge_print import rubric_fingerprint
from judge.records import Answer, Question
from rubrics.contract import Contract
from rubrics.rubric import CANNOT_DETERMINE, SHIPPED, Rubric, read_rubrics, shipped_rubric

if TYPE_CHECKING:
    from judge.llm.judge import Judge
    from judge.llm.settings import JudgeSettings

SIDES: Mapping[str, tuple[str, ...]] = {"answer": ("output",), "document": ("document",)}


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for. rubric: of the file's lines where they name none, and the only one judged where they do.

    labels, positive: None for the rubric's own (its first choice accepts). probes: names of perturbations.CHANGES, asked live only.
    fingerprint: of the judge whose verdicts are recorded, None when nothing is known but its name.
    """

    labels_file: Path
    columns: Columns | None = None
    defaults: Defaults = field(default_factory=Defaults)
    rubric: str | None = None
    labels: tuple[str, ...] | None = None
    positive: tuple[str, ...] | None = None
    is_by_position: bool = False
    is_live: bool = False
    probes: tuple[str, ...] = ()
    retests: int = 0
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


def calibrate(request: Request, contract: Contract, settings: JudgeSettings | None) -> Calibration:
    """The whole command but for files. settings: of the live judge, None for recorded verdicts. Raises JudgeError and its kinds."""
    try:
        items = read_items(request)
        known = {rubric.id: rubric for rubric in _own_rubrics(settings)}
        prints: dict[str, dict[str, str]] = {}
        calls = 0
        if request.is_live:
            if settings is None:
                raise UsageError("a live judge needs --judge MODEL")
            items, prints, calls = ask_live_judge(items, request, settings, known)
        groups = {rubric: [item for item in items if item.rubric == rubric] for rubric in dict.fromkeys(item.rubric for item in items)}
        assessed = tuple(_assess(rubric, group, request, contract, known) for rubric, group in groups.items())
    except LabelFileError as error:
        raise InputError([Problem(request.labels_file.name, None, "", _without_file(str(error), request.labels_file.name))]) from error
    return Calibration(assessed, _record(request, contract, assessed, prints), calls)


def _without_file(message: str, name: str) -> str:
    return message.removeprefix(f"{name}:").strip()


def _own_rubrics(settings: JudgeSettings | None) -> Sequence[Rubric]:
    return tuple(read_rubrics(settings.rubric_paths).values()) if settings else ()


def rubric_of(rubric: str, known: Mapping[str, Rubric]) -> Rubric | None:
    """The rubric of this id: a user's own, a shipped one, or None."""
    return known.get(rubric) or (shipped_rubric(rubric) if rubric in SHIPPED else None)


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
    if request.rubric is None:
        return items
    kept = tuple(item for item in items if item.rubric == request.rubric)
    if not kept:
        there = ", ".join(sorted({item.rubric for item in items}))
        raise LabelFileError(f"{path.name}: no item of the rubric {request.rubric!r}; there are: {there}")
    return kept


def _assess(rubric: str, items: Sequence[LabelledItem], request: Request, contract: Contract, known: Mapping[str, Rubric]) -> Assessment:
    found = rubric_of(rubric, known)
    choices = tuple(choice for choice in found.choices if choice != CANNOT_DETERMINE) if found else None
    labels = request.labels or choices
    sample = build_sample(items, labels, is_by_position=request.is_by_position)
    if not any(item.reading(JUDGE) for item in items):
        raise LabelFileError("no judge verdict is recorded in any item: name a column with --judge-column, or a model with --judge")
    positive = request.positive if request.positive is not None else (choices[:1] if choices else ())
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


def ask_live_judge(
    items: Sequence[LabelledItem], request: Request, settings: JudgeSettings, known: Mapping[str, Rubric]
) -> tuple[tuple[LabelledItem, ...], dict[str, dict[str, str]], int]:
    """The items with the judge's verdicts (and those under probes and repeats), the fingerprint for each rubric, and the questions asked.

    The same client, prompts and cache as `judge run`; repeats bypass the cache, as a cached reply is no repeat.
    """
    jobs = [job for number, item in enumerate(items) for job in _jobs(number, items, request, _live_rubric(item, known))]
    answers, prints = asyncio.run(_ask_all(jobs, settings))
    found: dict[int, list[tuple[str, Answer]]] = {}
    for (number, name, _), answer in zip(jobs, answers, strict=True):
        found.setdefault(number, []).append((name, answer))
    judged = tuple(_with_answers(item, found.get(number, [])) for number, item in enumerate(items))
    models = {answer.model for answer in answers}
    return judged, {rubric: rubric_fingerprint(prints, rubric, models) for rubric in {item.rubric for item in items}}, len(jobs)


def _live_rubric(item: LabelledItem, known: Mapping[str, Rubric]) -> Rubric:
    rubric = rubric_of(item.rubric, known)
    if rubric is None:
        raise UsageError(
            f"item {item.item_id}: a live judge needs a rubric; {item.rubric or 'none'!r} is not known (name it with --rubric)"
        )
    given = {name for name, _ in item.inputs}
    if given != set(rubric.variables):
        raise LabelFileError(f"line {item.line}: inputs: the rubric {rubric.id} needs exactly {', '.join(rubric.variables)}")
    return rubric


Job = tuple[int, str, Question]  # item's place, name of the reading, what is asked


def _jobs(number: int, items: Sequence[LabelledItem], request: Request, rubric: Rubric) -> list[Job]:
    item = items[number]
    jobs: list[Job] = [(number, JUDGE, Question(item.rubric, item.inputs))]
    jobs += [(number, f"repeat:{run}", Question(item.rubric, item.inputs)) for run in range(1, request.retests + 1)]
    donor = _donor(number, items)
    for name in request.probes:
        side, change = CHANGES[name]
        changed = dict(item.inputs)
        targets = [variable for variable, about in rubric.variables.items() if about.source in SIDES[side]]
        for variable in targets[:1]:
            text = change(changed[variable], dict(donor.inputs).get(variable, "") if donor else "")
            if text is not None:
                changed[variable] = text.replace("VERDICT", next(iter(rubric.choices)))
                jobs.append((number, f"probe:{name}", Question(item.rubric, tuple(sorted(changed.items())))))
    return jobs


def _donor(number: int, items: Sequence[LabelledItem]) -> LabelledItem | None:
    """The next item of the same rubric and another case."""
    own = items[number]
    later = (*items[number + 1 :], *items[:number]) if len(items) < 2000 else items[number + 1 : number + 2000]
    return next((item for item in later if item.rubric == own.rubric and item.cluster_id != own.cluster_id), None)


async def _ask_all(jobs: Sequence[Job], settings: JudgeSettings) -> tuple[list[Answer], Mapping[str, Any]]:
    """Answers in the order of the jobs. Repeats come one run after the other: equal questions in flight would be asked once."""
    from judge.llm.judge import Judge

    answers: dict[int, Answer] = {}
    prints: Mapping[str, Any] = {}
    for run in ("", *sorted({name for _, name, _ in jobs if _is_repeat(name)})):
        places = [place for place, (_, name, _) in enumerate(jobs) if (name == run if run else not _is_repeat(name))]
        async with Judge.open(replace(settings, use_cache=False) if run else settings) as judge:
            answers |= zip(places, await _gather(judge, [jobs[place][2] for place in places], settings), strict=True)
            prints = prints or judge.fingerprint()
    return [answers[place] for place in range(len(jobs))], prints


def _is_repeat(name: str) -> bool:
    return name.startswith("repeat:")


async def _gather(judge: Judge, questions: Sequence[Question], settings: JudgeSettings) -> list[Answer]:
    """All answers in order, a bounded number of questions waiting at a time."""
    gate = asyncio.Semaphore(max(1, settings.concurrency) * 4)

    async def one(question: Question) -> Answer:
        async with gate:
            return await judge.ask(question)

    return list(await asyncio.gather(*(one(question) for question in questions)))


def _with_answers(item: LabelledItem, answers: Sequence[tuple[str, Answer]]) -> LabelledItem:
    readings = tuple((name, UNUSABLE if answer.verdict is None else answer.verdict) for name, answer in answers)
    own = next((answer for name, answer in answers if name == JUDGE), None)
    kept = tuple(pair for pair in item.readings if pair[0] not in dict(readings))
    return replace(item, readings=(*readings, *kept), confidence=own.confidence if own else None, model=own.model if own else "")


def _record(request: Request, contract: Contract, assessments: Sequence[Assessment], prints: Mapping[str, Mapping[str, str]]) -> Record:
    digest = hashlib.sha256(request.labels_file.read_bytes()).hexdigest()
    entries = tuple(_entry(assessment, _print_of(assessment, request, prints)) for assessment in assessments)
    return Record(
        FORMAT,
        request.today.isoformat(),
        expiry(request.today, contract.calibration.record_days),
        digest,
        request.labels_file.name,
        entries,
    )


def _print_of(assessment: Assessment, request: Request, prints: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    if assessment.rubric in prints:
        return prints[assessment.rubric]
    if request.fingerprint is not None:
        return rubric_fingerprint(request.fingerprint, assessment.rubric)
    column = request.columns.judge if request.columns else None
    return {"model": f"recorded verdicts: {column or 'of the label file'}"}


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
