"""A result folder logged to a real local MLflow and read back."""

import json
import sys
from pathlib import Path
from typing import Any

import mlflow
import pytest
from click.testing import CliRunner
from result_folder_samples import sample_lines, write_results

from judge.commands.results.mlflow import command
from judge.errors import UsageError


def log(folder: Path, store: Path, *more: str) -> Any:
    done = CliRunner().invoke(command, [str(folder), "--tracking-uri", store.as_uri(), *more], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return mlflow.MlflowClient(store.as_uri()).get_run(done.output.split()[-1])


@pytest.fixture(autouse=True)
def _local_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")


def test_gates_settings_items_and_report_are_in_one_run(tmp_path: Path) -> None:
    settings = {"judge": "judge-1", "repeats": 3, "panel": [], "seed": None, "budget": 2.5}
    folder = write_results(tmp_path / "run-7", run={"settings": settings, "git_commit": "c0ffee"})
    (folder / "report.html").write_text("<p>report</p>")
    run = log(folder, tmp_path / "store")
    assert run.info.run_name == "run-7" and run.data.tags["verdict"] == "fail" and run.data.tags["git_commit"] == "c0ffee"
    assert run.data.params == {"judge": "judge-1", "repeats": "3", "budget": "2.5"}
    summary = json.loads((folder / "summary.json").read_text())
    for gate in [g for g in summary["gates"] if g["result"] != "not_applicable"]:
        name = f"gate.{gate['name']}.{gate['scope']}"
        assert run.data.metrics[f"{name}.passes"] == (gate["result"] == "pass")
        kept = [run.data.metrics[name]] if gate["value"] is not None else [run.data.metrics[f"{name}.{end}"] for end in ("worst", "best")]
        assert kept == pytest.approx([gate["value"]] if gate["value"] is not None else gate["bounds"])
    client = mlflow.MlflowClient((tmp_path / "store").as_uri())
    names = {file.path for file in client.list_artifacts(run.info.run_id)}
    assert {"items.json", "report.html", "summary.json"} <= names
    table = json.loads(Path(client.download_artifacts(run.info.run_id, "items.json", str(tmp_path))).read_text())
    assert len(table["data"]) == len(sample_lines())
    assert dict(zip(table["columns"], table["data"][1], strict=True))["gold"] == "2.75 %"


def test_a_score_that_is_open_is_logged_as_worst_and_best_only(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "run")
    summary = json.loads((folder / "summary.json").read_text())
    summary["capabilities"]["document_qa"] |= {"score": None, "bounds": [0.25, 0.75]}
    (folder / "summary.json").write_text(json.dumps(summary))
    metrics = log(folder, tmp_path / "store", "--experiment", "deals").data.metrics
    assert (metrics["score.document_qa.worst"], metrics["score.document_qa.best"]) == (0.25, 0.75)
    assert "score.document_qa" not in metrics


def test_without_mlflow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UsageError, match=r"loan-judge\[mlflow\]"):
        log(write_results(tmp_path / "run"), tmp_path / "store")
