"""The gates of a finished folder, applied again: with what people said since, or other accepted deviations."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from judge.disk import read_json
from judge.errors import JudgeError, UsageError
from judge.results.comparison import compare_folders
from judge.results.exceptions import kept_exceptions, read_exceptions
from judge.results.folder import CASES, RUN, SUMMARY, as_written, read_cases, read_run
from judge.results.gates import Ending
from judge.results.reading import contract_of_run
from judge.results.summary import SHARE, CasePlan, Summary, summarise
from judge.settings import Settings

Rates = Callable[[Path], Mapping[str, Any]]
"""The rates of a calibrated judge's answers in a folder, for its summary."""


def gate_folder(
    settings: Settings, folder: Path, rates: Rates | None, on: datetime.date | None = None, *, is_again: bool = False
) -> Summary:
    """Applies the gates to a finished folder: with later verdicts of people, or other exceptions; without a file those count that were last
    given. on: the day by which exceptions count, today by default; is_again: with the baseline and the share of judge errors that
    they were last applied with. Raises JudgeError."""
    run = read_run(folder)
    contract = contract_of_run(folder, settings.contract)
    plan = case_plan(folder)
    before = read_json(folder / SUMMARY) if (folder / SUMMARY).exists() else {}
    baseline = str(before.get("baseline", "") if is_again else settings.baseline or "")
    ending = _ending_again(settings, folder, run, {SHARE: before[SHARE]} if is_again and SHARE in before else {})
    if is_again and baseline and not (Path(baseline) / CASES).is_file():  # of another machine
        ending = replace(ending, regression="cannot_tell", regression_why=f"{baseline}: is not there", baseline=baseline)
    elif baseline:
        found = compare_folders(Path(baseline), folder, settings.contract)
        ending = replace(ending, regression=found.decision, regression_why=found.why, baseline=str(Path(baseline).resolve()))
    exceptions = None
    if accepted := settings.exceptions or kept_exceptions(folder):
        exceptions = read_exceptions(accepted, {case_id for case_id, *_ in case_plan(folder)}, on or datetime.date.today())
    kept = before.get("rates")  # of the judge's answers, which people leave as they are
    rates = rates or ((lambda _: kept) if kept is not None else None)
    return summarise(folder, plan, contract, ending, run, exceptions=exceptions, rates=rates)


def case_plan(folder: Path) -> Iterator[CasePlan]:
    """The cases of a finished run in the batch's order, one by one. Raises InputError."""
    if not (folder / CASES).is_file():
        told = "the run did not come to its end; start the same `judge run` again, it goes on from there"
        raise UsageError(f"{folder}: has no {CASES}: {told}")
    return ((case.case_id, case.capability, case.weight, case.gold_id) for case in read_cases(folder))


_COMPARED = ("regression", "regression_why", "baseline")  # not of the run's end


def _ending_again(settings: Settings, folder: Path, run: Mapping[str, Any], since: Mapping[str, Any]) -> Ending:
    if (before := run.get("ending")) is None:
        raise JudgeError("run.json has no ending: the run did not come to its end; start the same `judge run` again")
    with as_written(folder / RUN):
        ending: Ending = TypeAdapter(Ending).validate_python({**before, **since, **dict.fromkeys(_COMPARED, "")})
        share = ending.max_judge_errors if settings.max_judge_errors is None else settings.max_judge_errors
        return replace(ending, max_judge_errors=share, is_empty_allowed=settings.allow_empty or ending.is_empty_allowed)
