"""`judge calibrate`: how far a judge agrees with people's labels, and whether it may gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from judge.commands.calibration_flags import LABEL_FLAGS, request_of
from judge.commands.options import JUDGE_FLAGS, is_typed, number, settings_of, with_flags
from judge.errors import UsageError
from judge.printing import put, put_json, say
from rubrics.contract import Contract, load_contract

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
    from judge.report.calibration_plan import further_text
    from judge.report.calibration_report import summary_text, write_calibration

    request = request_of(label_file, given, is_judge_typed=is_typed(context, "judge") or is_typed(context, "panel"))
    result = calibrate(request, contract, lambda: _judge_settings(context))
    if given["plan"]:
        precision = float(number(given["precision"], "--precision", 0.005, 0.5) or 0.05)
        put(*further_text(result, precision).split("\n"))
        return 0
    out = Path(given["out"] or "judge-calibration")
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
    from calibration.record import write
    from judge.calibrate.certification import read_records
    from judge.report.calibration_report import RECORD

    if len(paths) < 2:
        raise UsageError("--merge: give two records or more")
    record = read_records(paths)
    out.mkdir(parents=True, exist_ok=True)
    (out / RECORD).write_text(write(record), "utf-8")
    rows = [f"  {entry.rubric}: {entry.outcome.replace('_', ' ')}, until {entry.expires}" for entry in record.rubrics]
    put(*rows, f"written to {out / RECORD}")
    return 0


def _planned(contract: Contract, given: Mapping[str, Any]) -> int:
    """Prints what a calibration will take, before the first label."""
    from judge.report.calibration_plan import Wanted, plan_text

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
