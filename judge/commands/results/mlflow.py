"""`judge mlflow`: one finished result folder as one run of an MLflow experiment."""

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from judge.commands.options import RUN_CONTRACT, with_flags
from judge.errors import UsageError
from judge.printing import put
from judge.records import Item
from judge.results.folder import CASES, REPORT_FILES, RUN, SUMMARY
from judge.results.lines import verdict_line
from judge.results.reading import Results, results_of_run

INSTALL = "MLflow is not installed: pip install 'loan-judge[mlflow]'"
TABLE = "items.json"  # in the form that the MLflow page shows as a table
_TEXT_MOST = 500  # characters of a parameter or tag: the least limit of MLflow's stores
_COLUMNS = ("case_id", "capability", "item", "tranche", "outcome", "score", "weight", "decided_by", "rule", "reason", "reported", "gold")


def log_results(results: Results, tracking_uri: str | None, experiment: str, run_name: str) -> str:
    """Logs a whole result folder and returns the id of the run. Raises UsageError without MLflow or with a store that refuses."""
    try:
        mlflow: Any = importlib.import_module("mlflow")
    except ImportError:
        raise UsageError(INSTALL) from None
    try:
        if tracking_uri:
            mlflow.set_tracking_uri(tracking_uri)
        mlflow.set_experiment(experiment)
        with mlflow.start_run(run_name=run_name) as run:
            mlflow.log_metrics(dict(metrics(results)))
            mlflow.log_params(dict(parameters(results.run.get("settings") or {})))
            mlflow.set_tags(tags(results))
            table = {"columns": list(_COLUMNS), "data": [_row(item) for item in results.items]}
            mlflow.log_text(json.dumps(table, ensure_ascii=False), TABLE)
            for name in (SUMMARY, CASES, RUN, *REPORT_FILES):
                if (results.path / name).is_file():
                    mlflow.log_artifact(str(results.path / name))
        return str(run.info.run_id)
    except mlflow.exceptions.MlflowException as error:
        raise UsageError(f"MLflow refuses (is --tracking-uri the server's address, or a folder?): {error}") from None


def metrics(results: Results) -> Iterator[tuple[str, float]]:
    """Gates and capabilities by name; where items are open the worst and the best instead of a value that nobody knows."""
    for capability in results.capabilities:
        yield from _figure(f"score.{capability.name}", capability.bounds)
    for gate in results.gates:
        if gate.result != "not_applicable":
            name = f"gate.{gate.name}.{gate.scope}"
            yield from _figure(name, gate.bounds)
            yield f"{_named(name)}.passes", float(gate.result == "pass")
    for name, count in {**results.counts, **results.usage, "exit_code": results.exit_code}.items():
        yield f"count.{_named(name)}", float(count)


def _figure(name: str, bounds: tuple[float, float] | None) -> Iterator[tuple[str, float]]:
    if bounds is not None and bounds[0] == bounds[1]:
        yield _named(name), bounds[0]
    elif bounds is not None:
        yield f"{_named(name)}.worst", bounds[0]
        yield f"{_named(name)}.best", bounds[1]


def _named(text: str) -> str:
    return re.sub(r"[^\w./ -]", "_", text, flags=re.ASCII)


def parameters(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of the run that are set."""
    for name, value in settings.items():
        if value not in (None, "", [], False):
            yield name, (value if isinstance(value, str) else json.dumps(value))[:_TEXT_MOST]


def tags(results: Results) -> dict[str, str]:
    """What identifies the run: verdict, contract, judge, commit, hashes of the inputs."""
    run = results.run
    judge = run.get("judge")
    found = {
        "verdict": results.verdict,
        "contract_version": results.contract_version,
        "contract_hash": run.get("contract_hash"),
        "judge": judge.get("model") if isinstance(judge, Mapping) else judge,
        "git_commit": run.get("git_commit"),
        **{f"inputs.{key}": value for key, value in (run.get("inputs") or {}).items()},
    }
    return {key: str(value)[:_TEXT_MOST] for key, value in found.items() if value}


def _row(item: Item) -> list[Any]:
    line = verdict_line(item)
    return [line.get(name) or "" if name in ("reported", "gold") else line[name] for name in _COLUMNS]


@click.command("mlflow")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags("mlflow", (RUN_CONTRACT,))
def command(results: Path, tracking_uri: str | None, experiment: str | None, run_name: str | None, contract: str | None) -> int:
    """Log RESULTS to MLflow: gates and scores as metrics, settings as parameters, the item table and the reports as artifacts.

    Needs the extra: pip install loan-judge[mlflow]. Prints the id of the run.
    """
    put(log_results(results_of_run(results, contract), tracking_uri, experiment or "loan-judge", run_name or results.resolve().name))
    return 0
