"""`judge calibrate`: how far a judge agrees with people's labels, and whether it may gate."""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.commands.options import CONTRACT, JUDGE_FLAGS, is_typed, number, settings_of, with_flags
from judge.errors import UsageError
from judge.printing import put, put_json, say
from rubrics.contract import Contract, load_contract

if TYPE_CHECKING:
    from calibration.label_files.label_map import LabelMap

_LIVE = """judge panel quorum repeats concurrency budget base-url temperature max-tokens reasoning-effort extra-body seed logprobs rubrics
allow-endpoint trust-folder cache-dir no-cache""".split()
LIVE_FLAGS = tuple(flag for flag in JUDGE_FLAGS if flag[0].removeprefix("--") in _LIVE)  # the others: judge.toml, environment


def map_of(given: Mapping[str, Any]) -> "LabelMap":
    """What the map file and the flags beside it say of the labels; a flag wins. Raises InputError, UsageError."""
    from calibration.label_files.label_map import LabelMap
    from judge.convert.map_file import read_toml

    if given["judge_column"] and given["recorded"] and given["judge_column"] != given["recorded"]:
        raise UsageError("--judge-column and --recorded name the same thing: give one")
    path = Path(given["map"]) if given["map"] else None
    flags = {name: given[name] for name in ("rubric", "cluster") if given[name] is not None}
    flags |= {name: _names(given[name]) for name in ("human", "positive") if given[name] is not None}
    flags |= {"judge_column": named} if (named := given["judge_column"] or given["recorded"]) else {}
    return read_toml(path, LabelMap, flags)


def request_of(label_file: Path, own: "LabelMap", given: Mapping[str, Any], *, is_judge_typed: bool) -> Any:
    """The Request that the flags describe. Raises UsageError naming the flag.

    is_judge_typed: a judge is named on the command line, not merely set for all commands: it is asked even where verdicts are recorded.
    """
    from judge.calibrate.assess import Request
    from judge.calibrate.calls import Plan

    if own.judge_column and is_judge_typed:
        raise UsageError("--judge asks a live judge, --judge-column reads recorded verdicts: give one")
    return Request(
        labels_file=label_file,
        own=own,
        is_live=True if is_judge_typed else False if own.judge_column else None,
        plan=Plan(_probes(given["probes"]), int(number(given["retest"], "--retest", 0, 20) or 0)),
        is_people_only=bool(given["people"]),
        run=_run_of(given["fingerprint"], label_file),
        is_run_named=given["fingerprint"] is not None,
        today=_date(given["date"]),
    )


def _probes(text: str | None) -> tuple[str, ...]:
    from calibration.measures.perturbations import CHANGES

    names = tuple(CHANGES) if text == "all" else _names(text)
    if strange := [name for name in names if name not in CHANGES]:
        raise UsageError(f"--probes: unknown {', '.join(strange)}; there are: {', '.join(CHANGES)}")
    return names


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


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
@with_flags("calibrate", (CONTRACT,), LIVE_FLAGS)
@click.pass_context
def command(context: click.Context, /, label_file: tuple[Path, ...], **given: Any) -> int:
    """Hold a judge's verdicts against people's LABELS (JSON Lines or CSV) and write the calibration record.

    With recorded verdicts no call is made. --plan needs no LABELS; --merge takes records in their place. Exit codes: 0 trusted, 1 not
    trusted, 4 inconclusive (says how many labels are still needed), 2 wrong input or usage, 3 judge errors.
    """
    contract = load_contract(given["contract"])
    if given["merge"]:
        return _merged(label_file, Path(given["out"] or "judge-calibration"))
    own = map_of(given)
    if given["plan"] and not label_file:
        from judge.report.calibration_report import plan_text

        put(*plan_text(own.plan, contract).split("\n"))
        return 0
    if len(label_file) != 1:
        raise UsageError(f"one label file is expected, {len(label_file)} are given (--merge puts records together, --plan needs none)")
    return (_watched if given["watch"] else _calibrated)(context, _labels_of(label_file[0]), own, contract, given)


def _labels_of(path: Path) -> Path:
    """The label file: itself, or the one of a result folder's draw. Raises UsageError."""
    if not path.is_dir():
        return path
    from judge.calibrate.draws import read_draws
    from judge.labelling.label_file import LabelFile

    if not (names := sorted({draw.labels for draw in read_draws(path).values()})):
        raise UsageError(f"{path}: nothing is drawn for labelling yet: judge label {path} --for-calibration all")
    if len(names) > 1:
        raise UsageError(f"{path}: labels stand in several files: {', '.join(str(path / name) for name in names)}; give one of them")
    if not LabelFile(path / names[0]).labels():
        raise UsageError(f"{path}: none of the questions that were drawn has a label yet: judge label {path} --for-calibration all")
    return path / names[0]


def _calibrated(context: click.Context, label_file: Path, own: "LabelMap", contract: Contract, given: Mapping[str, Any]) -> int:
    from judge.calibrate.assess import calibrate
    from judge.calibrate.next_steps import next_commands, write_suggestions
    from judge.report.calibration_report import check_folder, further_text, summary_text, write_calibration

    request = request_of(label_file, own, given, is_judge_typed=is_typed(context, "judge") or is_typed(context, "panel"))
    out = Path(given["out"] or "judge-calibration")
    if not given["plan"]:
        check_folder(out)
    result = calibrate(request, contract, lambda: _judge_settings(context))
    if given["plan"]:
        put(*further_text(result, own.plan.precision).split("\n"))
        return 0
    data = write_calibration(result, out)
    if given["json_"]:
        put_json(data, indent=2)
    else:
        put(*summary_text(result, str(out)))
        put(*next_commands(result, out))
    if given["suggest"]:
        path = write_suggestions(result.assessments, result.labelled, out)
        told = f"{path}: proposed examples; these labels are marked as tuned on"
        say(told if path else "--suggest: no human label differs from the judge")
    return EXIT_CODES[result.outcome]


def _watched(context: click.Context, label_file: Path, own: "LabelMap", contract: Contract, given: Mapping[str, Any]) -> int:
    """Asks the judge again and says whether the record still holds; a line a rubric is added to watch.jsonl."""
    from judge.calibrate.certification import HISTORY, read_records
    from judge.calibrate.watch import told, watch
    from judge.disk import append

    record, settings = read_records([Path(given["watch"])], is_watching=True), _judge_settings(context)
    if settings is None:
        raise UsageError("--watch asks the judge again: name its model with --judge")
    request = request_of(label_file, own, given, is_judge_typed=True)
    lines = watch(request, record, contract, settings)
    append(Path(given["out"] or "judge-calibration") / HISTORY, *lines)
    if given["json_"]:
        put_json(lines, indent=2)
    else:
        put(*told(lines))
    return EXIT_CODES["inconclusive"] if any(one["reasons"] for one in lines) else 0


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


def _judge_settings(context: click.Context) -> Any:
    """The judge's settings from all sources; None where no judge is set."""
    from judge.engines.judge_choice import is_offline, judge_settings

    settings = settings_of(context)
    return None if is_offline(settings) else judge_settings(settings)
