"""results.sarif: valid SARIF 2.1.0, stable rule ids and fingerprints, page and clause in the message."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from result_folder_samples import sample_lines, verdict, write_results

from judge.report import sarif
from judge.report.sarif import sarif_log, sarif_text
from judge.results.reading import read_results

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.schema.json").read_text("utf-8"))


def results_of(folder: Path, lines: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    log = json.loads(sarif_text(read_results(write_results(folder, lines))))
    jsonschema.validate(log, SCHEMA)
    return list(log["runs"][0]["results"])


def test_the_sample_is_valid_and_names_page_and_clause(tmp_path: Path) -> None:
    found = {r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: r for r in results_of(tmp_path)}
    fee = found["acme-001/fields.commitment_fee"]
    assert (fee["ruleId"], fee["level"]) == ("LJ001", "error")
    assert "page 2" in fee["message"]["text"] and "Clause 5.2" in fee["message"]["text"]
    assert found["acme-001/fields.margin"]["ruleId"] == "LJ002"
    assert "acme-001/fields.borrower" not in found


def test_fingerprints_stay_when_the_reason_changes_and_differ_between_items(tmp_path: Path) -> None:
    lines = sample_lines()
    first = results_of(tmp_path / "a", lines)
    second = results_of(tmp_path / "b", [{**line, "reason": "said otherwise"} for line in lines])
    prints = [[r["partialFingerprints"]["judgeItem/v1"] for r in results] for results in (first, second)]
    assert prints[0] == prints[1] and len(set(prints[0])) == len(prints[0])


def test_rule_index_points_at_the_rule(tmp_path: Path) -> None:
    run = sarif_log(read_results(write_results(tmp_path)))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_an_exception_suppresses(tmp_path: Path) -> None:
    line = verdict(outcome="fail", score=0.0, exception={"who": "M. Tan", "why": "agreed", "expires": "2027-06-30"})
    assert results_of(tmp_path, [line])[0]["suppressions"][0]["justification"] == "M. Tan: agreed"


def test_hostile_names_stay_one_uri_and_one_line(tmp_path: Path) -> None:
    block = {"outcome": "absent", "score": 0.0, "complete": False, "document": 'a "b"\n<c>.pdf'}
    found = results_of(tmp_path, [verdict(outcome="fail", score=0.0, provenance=block, reason="x\x1b[0m\ny")])[0]
    assert found["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20%22b%22%20%3Cc%3E.pdf"
    assert "\n" not in found["message"]["text"] and "\x1b" not in found["message"]["text"]


def test_every_result_has_what_github_asks_for(tmp_path: Path) -> None:
    run = sarif_log(read_results(write_results(tmp_path)))["runs"][0]
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "batch.jsonl" and "uriBaseId" not in place["artifactLocation"]
        assert place["region"]["endColumn"] > place["region"]["startColumn"] >= 1
        assert result["partialFingerprints"]["primaryLocationLineHash"].endswith(":1")
        assert result["message"]["text"].endswith(".")
    assert all(rule["help"]["text"] and rule["help"]["markdown"] for rule in run["tool"]["driver"]["rules"])


@pytest.mark.parametrize("written", ["lines", "array", "folder"])
def test_a_result_stands_at_its_case_in_the_batch_below_the_root_of_the_repository(tmp_path: Path, written: str) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    cases = [json.dumps({"case_id": name, "output": {}}) for name in ("cov-001", "acme-001", "qa-001")]
    if written == "folder":
        batch = repository / "evals" / "batch"
        batch.mkdir(parents=True)
        for n, case in enumerate(cases):
            (batch / f"{n}.json").write_text(case, "utf-8")
    else:
        batch = repository / "evals" / "batch.jsonl"
        batch.parent.mkdir()
        batch.write_text("[\n" + ",\n".join(cases) + "\n]" if written == "array" else "\n\n" + "\n".join(cases) + "\n", "utf-8")
    run = {"inputs": {"batch": str(batch)}}
    log = sarif_log(read_results(write_results(tmp_path / "out", [verdict(outcome="fail", score=0.0)], run=run)))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    line = {"lines": 4, "array": 3, "folder": 1}[written]
    assert place["artifactLocation"]["uri"] == ("evals/batch/1.json" if written == "folder" else "evals/batch.jsonl")
    assert place["region"] == {"startLine": line, "startColumn": 1, "endLine": line, "endColumn": len(cases[1]) + 1}


def test_more_results_than_code_scanning_takes_are_cut_with_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    run = sarif_log(read_results(write_results(tmp_path)))["runs"][0]
    assert [r["ruleId"] for r in run["results"]] == ["LJ001", "LJ002"]
    assert "5 further items" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
