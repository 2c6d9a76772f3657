"""`judge calibrate`: how far a judge agrees with people's labels, and whether it may gate."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from judge.commands.options import CONTRACT, JUDGE_FLAGS, Flag, choice, is_typed, number, settings_of, with_flags
from judge.errors import UsageError
from judge.printing import put, put_json, say
from rubrics.contract import Contract, load_contract

LABEL_FLAGS: tuple[Flag, ...] = (
    ("--out", "Result folder.", {"metavar": "DIR"}),
    ("--rubric", "Rubric of the labels; the only one judged where a file holds several.", {"metavar": "ID"}),
    ("--human", "CSV: columns with people's labels.", {"metavar": "COL,..."}),
    ("--annotator", "CSV with one row a label: column that says whose it is.", {"metavar": "COL"}),
    ("--judge-column", "CSV: column with the judge's recorded verdicts.", {"metavar": "COL"}),
    ("--recorded", "The same as --judge-column.", {"metavar": "COL"}),
    ("--item", "CSV: column with the item's id.", {"metavar": "COL"}),
    ("--cluster", "CSV: column with the case; the item itself by default.", {"metavar": "COL"}),
    ("--confidence-column", "CSV: column with the judge's confidence, 0..1.", {"metavar": "COL"}),
    ("--weight-column", "CSV: column with the item's weight.", {"metavar": "COL"}),
    ("--sampled-column", "CSV: column with random, stratified or hand_picked.", {"metavar": "COL"}),
    ("--rubric-column", "CSV: column with the rubric.", {"metavar": "COL"}),
    ("--source-column", "CSV: column with human or constructed.", {"metavar": "COL"}),
    ("--inputs", "CSV: columns with the texts (a live judge's variables; shown with disagreements).", {"metavar": "COL,..."}),
    ("--others", "CSV: columns with further judges' verdicts on the same items.", {"metavar": "COL,..."}),
    ("--repeat-columns", "CSV: columns with verdicts of repeated calls.", {"metavar": "COL,..."}),
    ("--probe-columns", "CSV: columns with verdicts under a probe.", {"metavar": "NAME=COL,..."}),
    ("--slice", "CSV: columns of kinds (capability, document kind, language, model): each has floors of its own.", {"metavar": "COL,..."}),
    ("--both-orders", "A verdict cell holds two: original and exchanged order (12, or a|b).", {"is_flag": True}),
    ("--swapped-names", "What the second of them names: answer (default) or position.", {"metavar": "WHAT"}),
    ("--positive", "Labels that accept; the rubric's first choice by default.", {"metavar": "LABEL,..."}),
    ("--labels", "The whole list of labels, in order.", {"metavar": "LABEL,..."}),
    ("--map", "Label translations.", {"metavar": "FROM=TO,..."}),
    ("--missing", "Cells that mean no label, besides the empty one.", {"metavar": "TEXT,..."}),
    ("--unusable", "Replies that are no verdict.", {"metavar": "TEXT,..."}),
    ("--ordinal", "The labels are ordered: weighted figures too.", {"is_flag": True}),
    ("--label-source", "human or constructed, where the file does not say.", {"metavar": "WHO"}),
    ("--sampled", "random, stratified or hand_picked, where the file does not say.", {"metavar": "HOW"}),
    ("--epsilon", "Alternative annotator test: 0.2 experts, 0.15 skilled, 0.1 crowd.", {"metavar": "E"}),
    ("--expert", "Alternative annotator test: the annotator who is held to be right.", {"metavar": "NAME"}),
    ("--drift-from", "Column (of --others or the judge) of the earlier judge.", {"metavar": "COL"}),
    ("--drift-to", "Column of the later judge; the judge itself by default.", {"metavar": "COL"}),
    ("--probes", "Ask a live judge under these probes too, or all.", {"metavar": "NAME,..."}),
    ("--retest", "Ask a live judge N times more, past the cache.", {"metavar": "N"}),
    ("--fingerprint", "run.json of the run whose verdicts are recorded; they are held against its questions.", {"metavar": "FILE"}),
    ("--people", "Only how far people agree; no judge is needed, no trust is decided.", {"is_flag": True}),
    ("--resamples", "Resamples of the cluster bootstrap (2000).", {"metavar": "N"}),
    ("--watch", "Ask the judge again what this record was made of; exit 4 when trust is gone.", {"metavar": "RECORD"}),
    ("--suggest", "Write disagreements as proposed examples for a person to read; the labels are marked as tuned on.", {"is_flag": True}),
    ("--merge", "Put records together into --out; nothing is judged.", {"is_flag": True}),
    ("--plan", "How many labels and cases a wanted precision and the bars take; with LABELS from what they show.", {"is_flag": True}),
    ("--precision", "Plan: half width of the interval, 0..1 (0.05).", {"metavar": "P"}),
    ("--rate", "Plan: the rate to be expected, 0..1 (0.95).", {"metavar": "R"}),
    ("--per-case", "Plan: labels of a class in one case (1).", {"metavar": "N"}),
    ("--alike", "Plan: how alike the labels of one case are, intra-class correlation 0..1 (0.2).", {"metavar": "ICC"}),
    CONTRACT,
    ("--date", "Date of the record, today by default.", {"metavar": "ISO"}),
    ("--json", "calibration.json on standard output.", {"is_flag": True}),
)


def request_of(label_file: Path, given: Mapping[str, Any], *, is_judge_typed: bool) -> Any:
    """The Request that the flags describe. Raises UsageError naming the flag.

    is_judge_typed: a judge is named on the command line, not merely set for all commands: it is asked even where verdicts are recorded.
    """
    from calibration.assessment import Policy
    from calibration.label_csv import Columns
    from calibration.labels import Defaults
    from judge.calibrate.assess import Request
    from judge.calibrate.calls import Plan

    if given["judge_column"] and given["recorded"] and given["judge_column"] != given["recorded"]:
        raise UsageError("--judge-column and --recorded name the same thing: give one")
    judge_column = given["judge_column"] or given["recorded"]
    people = _names(given["human"])
    if judge_column in people:
        raise UsageError(f"--judge-column {judge_column} is among --human: a judge that is held against itself is always right")
    if len(set(people)) != len(people):
        raise UsageError(f"--human names a column twice: {', '.join(people)}")
    if twice := sorted(set(people) & {*_others(given, judge_column), *_names(given["repeat_columns"])}):
        raise UsageError(f"{twice[0]} is among --human and is a judge's column too: a column is a person's or a judge's")
    if judge_column and is_judge_typed:
        raise UsageError("--judge asks a live judge, --judge-column reads recorded verdicts: give one")
    renames, unusable = _pairs(given["map"], "--map"), _names(given["unusable"])
    columns = Columns(
        human=people,
        annotator=given["annotator"],
        judge=judge_column,
        item=given["item"],
        cluster=given["cluster"],
        confidence=given["confidence_column"],
        weight=given["weight_column"],
        rubric=given["rubric_column"],
        sampled=given["sampled_column"],
        source=given["source_column"],
        others=_others(given, judge_column),
        repeats=_names(given["repeat_columns"]),
        probes=tuple(_pairs(given["probe_columns"], "--probe-columns").items()),
        inputs=_names(given["inputs"]),
        slices=_names(given["slice"]),
        is_both_orders=bool(given["both_orders"]),
        missing=_names(given["missing"]),
        unusable=unusable,
        renames=renames,
    )
    policy = Policy(
        epsilon=number(given["epsilon"], "--epsilon", 0, 1),
        expert=given["expert"],
        is_ordinal=bool(given["ordinal"]),
        drift=_drift(given, judge_column),
        resamples=int(number(given["resamples"], "--resamples", 100, 100_000) or 2000),
    )
    return Request(
        labels_file=label_file,
        columns=columns,
        defaults=Defaults(
            source=choice(given["label_source"], "--label-source", ("human", "constructed")),
            sampled=choice(given["sampled"], "--sampled", ("random", "stratified", "hand_picked", "unknown")) or "unknown",
            renames=renames,
            unusable=unusable,
        ),
        rubric=given["rubric"],
        labels=_names(given["labels"]) or None,
        positive=_names(given["positive"]) if given["positive"] is not None else None,
        is_by_position=choice(given["swapped_names"], "--swapped-names", ("answer", "position")) == "position",
        is_live=True if is_judge_typed else False if judge_column else None,
        plan=Plan(_probes(given["probes"]), int(number(given["retest"], "--retest", 0, 20) or 0)),
        is_people_only=bool(given["people"]),
        run=_run_of(given["fingerprint"], label_file),
        is_run_named=given["fingerprint"] is not None,
        policy=policy,
        today=_date(given["date"]),
    )


def _others(given: Mapping[str, Any], judge_column: str | None) -> tuple[str, ...]:
    """Further verdict columns, those of the drift included."""
    named = (*_names(given["others"]), given["drift_from"], given["drift_to"])
    return tuple(dict.fromkeys(name for name in named if name and name != judge_column))


def _drift(given: Mapping[str, Any], judge_column: str | None) -> tuple[str, str] | None:
    if not given["drift_from"]:
        return None
    names = (given["drift_from"], given["drift_to"] or judge_column)
    first, second = ("judge" if name in (None, judge_column) else f"other:{name}" for name in names)
    return first, second


def _probes(text: str | None) -> tuple[str, ...]:
    from calibration.perturbations import CHANGES

    names = tuple(CHANGES) if text == "all" else _names(text)
    if strange := [name for name in names if name not in CHANGES]:
        raise UsageError(f"--probes: unknown {', '.join(strange)}; there are: {', '.join(CHANGES)}")
    return names


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def _pairs(text: str | None, flag: str) -> dict[str, str]:
    found = {}
    for part in _names(text):
        left, mark, right = part.partition("=")
        if not mark or not left.strip() or not right.strip():
            raise UsageError(f"{flag}: expected NAME=NAME, found {part!r}")
        found[left.strip()] = right.strip()
    return found


def _date(text: str | None) -> datetime.date:
    today = datetime.date.today()
    try:
        date = datetime.date.fromisoformat(text) if text else today
    except ValueError as error:
        raise UsageError(f"--date: expected an ISO date like 2026-01-31, found {text!r}") from error
    if date > today:
        raise UsageError(f"--date: {text} has not come yet: a record would hold longer than its rules allow")
    return date


def _run_of(text: str | None, label_file: Path) -> Path | None:
    """The result folder whose verdicts are recorded: that of --fingerprint, or the one that `judge label` wrote the labels into."""
    from judge.results.folder import QUESTIONS, RUN

    if text is None:
        return label_file.parent if (label_file.parent / QUESTIONS).is_file() and (label_file.parent / RUN).is_file() else None
    path = Path(text) / RUN if Path(text).is_dir() else Path(text)
    if not path.is_file():
        raise UsageError(f"--fingerprint {text}: cannot be read: no such file")
    if path.name != RUN:
        raise UsageError(f"--fingerprint {text}: give the {RUN} in its result folder: the verdicts are held against what stands beside it")
    return path.parent


EXIT_CODES = {"trusted": 0, "not_trusted": 1, "inconclusive": 4}


@click.command("calibrate")
@click.argument("label_file", metavar="[LABELS]", type=click.Path(path_type=Path), nargs=-1)
@with_flags(LABEL_FLAGS, JUDGE_FLAGS)
@click.pass_context
def command(context: click.Context, /, label_file: tuple[Path, ...], **given: Any) -> int:
    """Hold a judge's verdicts against people's LABELS (JSON Lines or CSV) and write the calibration record.

    With recorded verdicts no call is made. --plan needs no LABELS; --merge takes records in their place. Exit codes: 0 trusted, 1 not
    trusted, 4 inconclusive (says how many labels are still needed), 2 wrong input or usage, 3 judge errors.
    """
    contract = load_contract(given["contract"])
    if given["merge"]:
        return _merged(label_file, Path(given["out"] or "judge-calibration"))
    if given["plan"] and not label_file:
        return _planned(contract, given)
    if len(label_file) != 1:
        raise UsageError(f"one label file is expected, {len(label_file)} are given (--merge puts records together, --plan needs none)")
    labels = _labels_of(label_file[0])
    return (_watched if given["watch"] else _calibrated)(context, labels, contract, given)


def _labels_of(path: Path) -> Path:
    """The label file: itself, or the one of a result folder's draw. Raises UsageError."""
    if not path.is_dir():
        return path
    from judge.calibrate.draws import read_draws

    names = sorted({draw.labels for draw in read_draws(path).values()})
    if not names:
        raise UsageError(f"{path}: nothing is drawn for labelling yet: judge label {path} --for-calibration all")
    if len(names) > 1:
        raise UsageError(f"{path}: labels stand in several files: {', '.join(str(path / name) for name in names)}; give one of them")
    return path / names[0]


def _calibrated(context: click.Context, label_file: Path, contract: Contract, given: Mapping[str, Any]) -> int:
    from judge.calibrate.assess import calibrate
    from judge.calibrate.next_steps import next_commands
    from judge.calibrate.suggest import write_suggestions
    from judge.report.calibration_report import check_folder, further_text, summary_text, write_calibration

    request = request_of(label_file, given, is_judge_typed=is_typed(context, "judge") or is_typed(context, "panel"))
    out = Path(given["out"] or "judge-calibration")
    if not given["plan"]:
        check_folder(out)
    result = calibrate(request, contract, lambda: _judge_settings(context))
    if given["plan"]:
        precision = float(number(given["precision"], "--precision", 0.005, 0.5) or 0.05)
        put(*further_text(result, precision).split("\n"))
        return 0
    data = write_calibration(result, out)
    if given["json_"]:
        put_json(data, indent=2)
    else:
        put(*summary_text(result, str(out)))
        put(*next_commands(result, out))
    if given["suggest"]:
        path = write_suggestions(result.assessments, label_file, out)
        say(
            f"{path}: proposed examples; these labels are marked as tuned on"
            if path
            else "--suggest: no human label differs from the judge"
        )
    return EXIT_CODES[result.outcome]


def _watched(context: click.Context, label_file: Path, contract: Contract, given: Mapping[str, Any]) -> int:
    """Asks the judge again and says whether the record still holds; a line a rubric is added to watch.jsonl."""
    from judge.calibrate.certification import read_records
    from judge.calibrate.watch import append_history, data_of, told, watch

    record, settings = read_records([Path(given["watch"])]), _judge_settings(context)
    if settings is None:
        raise UsageError("--watch asks the judge again: name its model with --judge")
    request = request_of(label_file, given, is_judge_typed=True)
    results = watch(request, record, contract, settings)
    lines = data_of(results, request.today.isoformat())
    append_history(lines, Path(given["out"] or "judge-calibration"))
    if given["json_"]:
        put_json(lines, indent=2)
    else:
        put(*told(results))
    return EXIT_CODES["inconclusive"] if any(one.reasons for one in results) else 0


def _merged(paths: Sequence[Path], out: Path) -> int:
    """Writes one record of several. Raises UsageError."""
    from judge.calibrate.certification import read_records
    from judge.report.calibration_report import RECORD, write_record

    if len(paths) < 2:
        raise UsageError("--merge: give two records or more")
    record = read_records(paths)
    write_record(record, out, paths)
    rows = [f"  {entry.rubric}: {entry.outcome.replace('_', ' ')}, until {entry.expires}" for entry in record.rubrics]
    put(*rows, f"written to {out / RECORD}")
    return 0


def _planned(contract: Contract, given: Mapping[str, Any]) -> int:
    """Prints what a calibration will take, before the first label."""
    from judge.report.calibration_report import Wanted, plan_text

    wanted = Wanted(
        precision=float(number(given["precision"], "--precision", 0.005, 0.5) or 0.05),
        rate=float(number(given["rate"], "--rate", 0.5, 0.999) or 0.95),
        per_case=float(number(given["per_case"], "--per-case", 1, 1000) or 1),
        alike=float(0.2 if given["alike"] is None else number(given["alike"], "--alike", 0, 0.95) or 0),
    )
    put(*plan_text(wanted, contract).split("\n"))
    return 0


def _judge_settings(context: click.Context) -> Any:
    """The judge's settings from all sources; None where no judge is set."""
    from judge.engines.judge_choice import is_offline, judge_settings

    settings = settings_of(context)
    return None if is_offline(settings) else judge_settings(settings)
