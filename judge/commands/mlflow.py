"""`judge mlflow`: one finished result folder as one run of an MLflow experiment."""

from __future__ import annotations

from pathlib import Path

import click

from judge.commands.options import Flag, with_flags
from judge.printing import put

MLFLOW_FLAGS: tuple[Flag, ...] = (
    ("--tracking-uri", "The MLflow server or folder; MLFLOW_TRACKING_URI by default.", {"metavar": "URI"}),
    ("--experiment", "Name of the experiment (loan-judge).", {"metavar": "NAME"}),
    ("--run-name", "Name of the run; that of the result folder by default.", {"metavar": "NAME"}),
    ("--contract", "The contract of the run, where its file has moved.", {"metavar": "FILE"}),
)


@click.command("mlflow")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags(MLFLOW_FLAGS)
def command(results: Path, tracking_uri: str | None, experiment: str | None, run_name: str | None, contract: str | None) -> int:
    """Log RESULTS to MLflow: gates and scores as metrics, settings as parameters, the item table and the reports as artifacts.

    Needs the extra: pip install loan-judge[mlflow]. Prints the id of the run.
    """
    from judge.report.mlflow_run import log_results
    from judge.results.contract import results_of_run

    put(log_results(results_of_run(results, contract), tracking_uri, experiment or "loan-judge", run_name or results.resolve().name))
    return 0
