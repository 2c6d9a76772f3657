"""`judge calibrate` from label file to results: read, ask the judge where no verdict is recorded, assess each rubric, make the record."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.decision.assessment import Assessment, Policy, assess
from calibration.decision.objections import Objection, SliceCheck, measured_kinds
from calibration.decision.record import Record, RubricRecord, Threshold, class_rate
from calibration.label_files.identity import family_note
from calibration.label_files.label_csv import read_csv
from calibration.label_files.label_map import NO_MAP, LabelMap
from calibration.label_files.labels import JUDGE, LabelFileError, LabelledItem, read_json_lines
from calibration.measures.probes import ProbeResult
from calibration.measures.sample import ABSTENTIONS, are_numbers, build_sample
from judge.calibrate.calls import Plan, ask_live_judge, rubric_of
from judge.calibrate.choices import OUTCOMES, accepting_of, against_choices, check_probes, own_rules, rules_of, rules_text
from judge.calibrate.draws import NO_RUN, Draw, Held, hold_against, read_draws, without_examples
from judge.calibrate.questions import JudgedRun, earlier_runs, read_run, rubrics_of_run
from judge.calibrate.uses import Uses, as_before, note_failed, of_same_questions, read_uses, selected, under_names
from judge.errors import ContractError, InputError, Problem, UsageError
from judge.records import NonOutcome
from rubrics.contract import Contract
from rubrics.named_file import read_named
from rubrics.rubric import Rubric, RubricFileError, read_rubrics

if TYPE_CHECKING:
    from judge.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for. own: what the file's columns and words mean; own.rubric: of the lines that name none, and the only
    one judged where they do. is_people_only: no judge's verdict is looked at. plan: what a live judge is asked besides. is_live: ask a
    judge; None: only where no verdict is recorded. run: result folder of the run whose verdicts are recorded, None where nothing is known
    of the judge but its name; is_run_named: it was named, and does not merely stand beside the labels, which then are held against it only
    where they were drawn from it."""

    labels_file: Path
    own: LabelMap = NO_MAP
    is_people_only: bool = False
    is_live: bool | None = None
    plan: Plan = field(default_factory=Plan)
    run: Path | None = None
    is_run_named: bool = False
    today: date = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The results: one assessment a rubric, and the record of them. calls: questions put to a live judge, 0 for recorded verdicts;
    labelled: rubric -> label file whose uses are counted, the draw's own where there is one; run: result folder that the labels belong to,
    None where they belong to none."""

    assessments: tuple[Assessment, ...]
    record: Record
    calls: int
    labelled: Mapping[str, Path]
    run: Path | None = None

    @property
    def outcome(self) -> str:
        """The worst of the rubrics: not_trusted before inconclusive before trusted."""
        outcomes = {assessment.trust.outcome for assessment in self.assessments}
        return next(word for word in ("not_trusted", "inconclusive", "trusted") if word in outcomes)


def calibrate(request: Request, contract: Contract, live_settings: "Callable[[], Settings | None]") -> Calibration:
    """The whole command but for files. Raises JudgeError and its kinds. live_settings: those of a live judge, None where none is set;
    called only when one is to be asked."""
    try:
        items = tuple(replace(one, readings=()) if request.is_people_only else one for one in read_items(request))
        is_recorded = request.is_people_only or any(item.reading(JUDGE) for item in items)
        is_live = not is_recorded if request.is_live is None else request.is_live
        settings = live_settings() if is_live else None
        known = rubrics_of_user(settings)
        if is_live and request.is_live and settings is None:
            raise UsageError("--judge offline asks nobody: name a model, or a column of recorded verdicts with --judge-column")
        live, calls = None, 0
        if settings is not None:
            items, live, calls = ask_live_judge(items, settings, known, request.plan)
        held, run = held_by_rubric(request, items, known, is_live=live is not None)
        prints = live or {rubric: run.fingerprint(rubric) if run else _name_only(some.items) for rubric, some in held.items()}
        labelled = {name: run.folder / some.draw.labels if run and some.draw else request.labels_file for name, some in held.items()}
        uses = {rubric: read_uses(labelled[rubric], some.items, prints[rubric], some.beside) for rubric, some in held.items()}
        assessed = tuple(
            assess_held(rubric, some, request, contract, known, uses[rubric], is_live=live is not None) for rubric, some in held.items()
        )
        for one in assessed:
            name = one.rubric
            note_failed(labelled[name], held[name].items, uses[name], prints[name], one.probes, rules_of(contract))
    except LabelFileError as error:
        name = request.labels_file.name
        raise InputError([Problem(name, None, "", str(error).removeprefix(f"{name}:").strip())]) from error
    bound = {
        "made": request.today.isoformat(),
        "expires": (request.today + timedelta(days=contract.calibration.record_days)).isoformat(),
        "data_hash": hashlib.sha256(read_named(request.labels_file)).hexdigest(),
        "label_file": request.labels_file.name,
        "rules": dict(sorted(rules_text(contract).items())),
        "contract": contract.version,
    }
    record = Record(tuple(_entry(one, prints[one.rubric], held[one.rubric], uses[one.rubric], bound) for one in assessed))
    return Calibration(assessed, record, calls, labelled, run.folder if run else None)


def held_by_rubric(
    request: Request, items: Sequence[LabelledItem], known: Mapping[str, Rubric], *, is_live: bool = False
) -> tuple[dict[str, Held], JudgedRun | None]:
    """The items by rubric, held against the run that they belong to, and that run. is_live: the verdicts are fresh, of no run."""
    groups: dict[str, list[LabelledItem]] = {}
    for item in items:
        groups.setdefault(item.rubric, []).append(item)
    run, draws = (None, {}) if is_live else _run_of(request, items)
    notes = [family_note(_models(items), run.system), *run.notes] if run else []
    before = [*earlier_runs(run)] if run and draws else []
    held = {rubric: _held(rubric, group, run, draws.get(rubric), request, known) for rubric, group in groups.items()}
    for rubric, some in held.items():
        found = replace(some, notes=(*some.notes, *filter(None, notes)))
        if run and some.draw:
            drawn = {*some.draw.steps[-1]["items"]}
            beside = (*of_same_questions(drawn, rubric, before),)
            against = (*selected(run, rubric, before), *under_names(run, found.items))
            found = replace(found, items=as_before(found.items, beside, request.own), against=against, beside=beside)
        held[rubric] = found
    return held, run


def _models(items: Sequence[LabelledItem]) -> set[str]:
    return {item.model for item in items if item.model}


def _run_of(request: Request, items: Sequence[LabelledItem]) -> tuple[JudgedRun | None, Mapping[str, Draw]]:
    """The run that the labels belong to, and what was drawn from it: the one that is named, or the one beside the labels where something of
    their rubrics was drawn or a line says that it was."""
    if request.run is None:
        return None, {}
    draws = read_draws(request.run)
    is_its = any(item.rubric in draws or item.fingerprint for item in items)
    return (read_run(request.run), draws) if request.is_run_named or is_its else (None, {})


def _held(
    rubric: str, items: Sequence[LabelledItem], run: JudgedRun | None, draw: Draw | None, request: Request, known: Mapping[str, Rubric]
) -> Held:
    """The items that say something of the judge, held against the run whose verdicts they are where one is named. What a rubric's own rule
    decides is not asked of the judge in a run, so it says nothing of the judge here. Raises LabelFileError."""
    from judge.llm.prompt import rule_for

    found = rubric_of(rubric, known)
    asked = [item for item in items if found is None or rule_for(found, dict(item.inputs)) is None]
    ruled = len(items) - len(asked)
    if not asked:
        raise LabelFileError(f"all {ruled} items of {rubric} are decided by a rule, the judge is not asked")
    held = hold_against(run, draw, asked, request.labels_file.name) if run else Held(tuple(asked), uncovered=NO_RUN)
    found = rubrics_of_run(run.folder).get(rubric) if run else found
    held = without_examples(held, [example.given for example in found.examples] if found else [])
    if run and draw:
        _check_own_labels(rubric, asked, run.folder / draw.labels, request)
    return replace(held, notes=(*held.notes, f"{ruled} items are decided by a rule, the judge is not asked there")) if ruled else held


def _check_own_labels(rubric: str, items: Sequence[LabelledItem], own: Path, request: Request) -> None:
    """Whoever calibrates does not choose whose labels count: those in the draw's own label file must be in the given one too."""
    if not own.is_file() or own.resolve() == request.labels_file.resolve():
        return
    given = {(item.inputs, said) for item in items for said in item.labels}
    theirs = ((item.inputs, said) for item in read_json_lines(own, request.own) if item.rubric == rubric for said in item.labels)
    if lost := sorted({said[0] for inputs, said in theirs if (inputs, said) not in given}):
        problem = f"lacks labels of {', '.join(lost)} as they stand in {own.name} of the run: put them together (`judge labels merge`)"
        raise InputError([Problem(request.labels_file.name, None, "labels", problem)])


def _name_only(items: Sequence[LabelledItem]) -> dict[str, str]:
    """The fingerprint of a judge of whom nothing is known but a name: no running judge has it."""
    return {"model": f"recorded verdicts of {', '.join(sorted(_models(items))) or 'an unnamed judge'}"}


def rubrics_of_user(settings: "Settings | None") -> dict[str, Rubric]:
    """The user's own rubrics by id. Raises ContractError."""
    try:
        return {rubric.id: rubric for rubric in read_rubrics(settings.rubrics).values()} if settings else {}
    except RubricFileError as error:
        raise ContractError(str(error)) from error


def read_items(request: Request) -> tuple[LabelledItem, ...]:
    """The items of the file that belong to the wanted rubric. Raises LabelFileError."""
    path, own = request.labels_file, request.own
    if (is_json := path.suffix.lower() in (".jsonl", ".json", ".ndjson")) == bool(own.human):
        wrong = (
            "JSON Lines: columns like --human are of CSV" if is_json else "read as CSV: name the columns with people's labels with --human"
        )
        raise UsageError(f"{path.name} is {wrong}")
    items = read_json_lines(path, own) if is_json else read_csv(path, own)
    if not items:
        raise LabelFileError(f"{path.name}: there is no item in it")
    if is_json and own.judge_column:
        items = tuple(_judged_by(item, own.judge_column) for item in items)
    if not (kept := tuple(item for item in items if own.rubric in (None, item.rubric))):
        there = ", ".join(sorted({item.rubric for item in items}))
        raise LabelFileError(f"{path.name}: no item of the rubric {own.rubric!r}; there are: {there}")
    return kept


def _judged_by(item: LabelledItem, name: str) -> LabelledItem:
    """The item with the verdict of `judge.others` under this name as the judge's own; the other judge's is kept under its model."""
    readings = dict(item.readings)
    chosen = readings.pop(f"other:{name}", None)
    if (own := readings.pop(JUDGE, None)) is not None:
        readings[f"other:{item.model or 'judge of the file'}"] = own
    kept = {JUDGE: chosen, **readings} if chosen is not None else readings
    return replace(item, readings=tuple(kept.items()), confidence=None, model=name)


def assess_held(
    rubric: str,
    held: Held,
    request: Request,
    contract: Contract,
    known: Mapping[str, Rubric],
    uses: Uses,
    *,
    is_live: bool,
    drift: tuple[str, str] | None = None,
) -> Assessment:
    """The assessment of one rubric's items that are held against their run. Raises LabelFileError, UsageError."""
    own, asked = accepting_of(rubric, known), request.own
    choices, accepting = own or (None, ())
    positive = accepting if asked.positive is None else asked.positive
    abstentions = (*ABSTENTIONS, *(str(word) for word in NonOutcome)) if rubric == OUTCOMES else ABSTENTIONS
    if not (request.is_people_only or any(item.reading(JUDGE) for item in held.items)):
        raise LabelFileError(
            "no judge verdict is recorded in any item: name a column with --judge-column, or a model with --judge "
            "(--people shows how far people agree, without a judge)"
        )
    rules, pool = rules_of(contract), held.pool
    rules = replace(rules, level=1 - (1 - rules.level) / uses.judges)
    if pool is not None:
        pool = replace(pool, level=rules.level, accepting=positive)
        rules = replace(rules, level=pool.look_level)
    is_by_position = asked.swapped_names == "position"
    sample = build_sample(
        held.items, asked.labels or choices, abstentions=abstentions, is_by_position=is_by_position, is_asked_live=is_live, pool=pool
    )
    check_probes(sample)
    if asked.ordinal and asked.labels is None and not are_numbers(sample.labels):
        raise UsageError(f"ordinal: the order of {', '.join(sample.labels)} is not known: give them in their order as `labels` in the map")
    if asked.expert is not None and asked.expert not in sample.annotators:
        raise UsageError(f"expert {asked.expert}: labelled nothing; there are: {', '.join(sample.annotators)}")
    if strange := [label for label in positive if label not in sample.labels]:
        raise UsageError(f"--positive {','.join(strange)}: not among the labels {', '.join(sample.labels)}")
    policy = Policy(
        positive=positive,
        rules=rules,
        risk=float(contract.calibration.selective_risk),
        delta=float(contract.calibration.selective_delta),
        objections=(
            *(against_choices(rubric, own, sample.labels, positive, asked.translate) if own else ()),
            *(Objection("open", sentence) for sentence in (*uses.tuned_on(), *held.against)),
        ),
        failed=uses.failed,
        notes=(*((held.uncovered,) if held.uncovered else ()), *held.notes, *uses.notes(), *own_rules(contract)),
        is_each_class_scored=own is not None,
        is_ordered=own is not None or asked.labels is not None,
        epsilon=asked.epsilon,
        expert=asked.expert,
        is_ordinal=asked.ordinal,
        drift=drift or asked.drift,
    )
    return assess(sample, policy)


def _entry(assessment: Assessment, fingerprint: Mapping[str, str], held: Held, uses: Uses, bound: Mapping[str, Any]) -> RubricRecord:
    """bound: what all entries of a record share."""
    performance, certificate = assessment.performance, assessment.certificate
    threshold = None
    if certificate is not None:
        threshold = Threshold(certificate.threshold, certificate.risk, certificate.delta, certificate.cases, certificate.coverage)
    rates = [check.rate for check in assessment.trust.checks] if assessment.positive else [None, None]
    return RubricRecord(
        rubric=assessment.rubric,
        outcome=assessment.trust.outcome,
        sentence=assessment.trust.sentence,
        labels=assessment.labels,
        positive=assessment.positive,
        label_sources=tuple(name for name, _ in assessment.sources),
        annotators=assessment.humans.annotators,
        label_counts=dict(sorted((own.label, own.support) for own in performance.classes)),
        fingerprint=dict(sorted(fingerprint.items())),
        sensitivity=class_rate(rates[1]),
        specificity=class_rate(rates[0]),
        human_rate=class_rate(assessment.rates.labels_only if assessment.rates else None),
        figures=dict(sorted((name, estimate.value) for name, estimate in performance.statistics)),
        certificate=threshold,
        left_out=dict(sorted(asdict(assessment.trust.left_out).items())) if assessment.trust.left_out else {},
        probes=dict(sorted((probe.name, probe_result(probe)) for probe in assessment.probes)),
        unprobed=assessment.unprobed,
        covers=held.draw is not None,
        why_not=held.uncovered,
        draw=str(held.draw) if held.draw else "",
        slices=dict(sorted((f"{one.kind}={one.value}: {one.side}", slice_result(one)) for one in assessment.slices)),
        covered=measured_kinds(assessment.slices) if held.draw else {},
        uses=uses.judges,
        **bound,
    )


def slice_result(one: SliceCheck) -> str:
    """What a slice showed, in short."""
    return f"{one.rate.value:.1%} of {one.rate.n}" if one.rate.value is not None else "no label"


def probe_result(probe: ProbeResult) -> str:
    """What came of a probe, in short."""
    if probe.family == "attack":
        return f"accepted in {probe.accepted} of {probe.clusters} cases"
    share, word = (probe.caught, "refused") if probe.family == "mutation" and probe.caught else (probe.flips, "verdicts turned")
    return f"{word}: {share.value:.1%} of {probe.pairs} pairs" if share.value is not None else "no pair"
