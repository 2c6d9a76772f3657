"""The cluster engine on one local node: the same folder as the local engine's, and nothing asked twice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, serving
from engine_samples import Inputs, read_lines
from test_batch_mode import right

ray: Any = pytest.importorskip("ray", reason="the optional extra `ray` is not installed; CI installs it and runs this file")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving(right) as plays:
        yield plays


def mixed(folder: Path) -> Inputs:
    """An extraction, and twenty questions of which some are equal and all but one need a judge."""
    inputs = Inputs(folder)
    question, truth = inputs.batch[1], inputs.gold[1]
    for n in range(20):
        output = {**question["output"], "answer": f"Matter {n // 2}: the payer has a working week to make good."}
        inputs.batch.append({**question, "case_id": f"q-{n}", "output": output})
        inputs.gold.append({**truth, "case_id": f"q-{n}"})
    return inputs.write()


def told(inputs: Inputs, name: str) -> list[Any]:
    return sorted(read_lines(inputs.out / name), key=lambda line: (line["case_id"], str(line.get("item"))))


def test_the_folder_is_the_local_engines_and_nothing_is_asked_twice(cluster: None, server: BatchServer, tmp_path: Path) -> None:
    local, far = mixed(tmp_path / "local"), mixed(tmp_path / "far")
    assert local.run("--judge", "m") == far.run("--judge", "m", "--engine", "ray")
    for name in ("verdicts.jsonl", "cases.jsonl", "review.jsonl"):
        assert told(far, name) == told(local, name)
    here, there = local.summary(), far.summary()
    assert there["usage"]["judge_calls"] == here["usage"]["judge_calls"] == len(server.single) / 2
    assert {**there, "usage": 0} == {**here, "usage": 0}
    assert far.run("--judge", "m", "--engine", "ray", "--fresh") == local.run("--judge", "m", "--fresh")
    assert far.summary()["usage"]["judge_calls"] == 0  # the answers are in the cache that both engines use


def test_an_address_where_a_cluster_is(cluster: None) -> None:
    from judge.engines.ray_engine import check_answers

    check_answers(ray.get_runtime_context().gcs_address)


def test_offline_and_an_unreadable_document(cluster: None, tmp_path: Path) -> None:
    local, far = mixed(tmp_path / "local"), mixed(tmp_path / "far")
    for inputs in (local, far):
        (inputs.folder / "documents" / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing else")
        inputs.batch[1]["document"] = "bad.pdf"
        inputs.write()
    assert local.run() == far.run("--engine", "ray")

    def lines(inputs: Inputs) -> str:
        return json.dumps(told(inputs, "verdicts.jsonl")).replace(str(inputs.folder), "")

    assert lines(local) == lines(far)
    runs = [json.loads((inputs.out / "run.json").read_text()) for inputs in (local, far)]
    assert [list(run["unreadable_documents"]) for run in runs] == [["bad.pdf"]] * 2
    assert runs[0]["documents"] == runs[1]["documents"]


def test_an_endpoint_that_refuses_ends_the_run_and_the_next_one_goes_on(
    cluster: None, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = mixed(tmp_path / "in")
    server.answer = lambda body: (401, {"error": {"message": "no such key"}})
    ended = inputs.run("--judge", "m", "--engine", "ray")
    assert ended in (1, 3)  # a gate that the rules alone fail comes first, and whether its case was done by then is the cluster's affair
    assert "the endpoint refuses the API key (HTTP 401)" in capsys.readouterr().err
    assert inputs.summary()["counts"]["skipped"] > 0
    server.answer = right
    assert inputs.run("--judge", "m", "--engine", "ray") != 3
    assert inputs.summary()["counts"]["skipped"] == 0


def test_a_cluster_that_does_not_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Exception("x")

    ray.shutdown()  # that of the tests above
    monkeypatch.setattr("ray.init", fail)
    assert Inputs(tmp_path / "in").write().run("--engine", "ray") == 3
    assert "Ray did not start: x" in (told := capsys.readouterr().err) and "internal error" not in told


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9", "127.0.0.1", "http://[::1", "127.0.0.1:99999", "SERVER"])
def test_an_address_where_no_cluster_is_ends_at_once(
    address: str, server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ray.shutdown()
    address = address.replace("SERVER", server.url.removeprefix("http://").partition("/")[0])
    assert Inputs(tmp_path / "in").write().run("--engine", "ray", "--ray-address", address) == 2
    assert f"--ray-address {address}: no cluster:" in capsys.readouterr().err
