"""Calibration end to end: people's labels, a live judge on loopback, its record, and runs that the record lets decide or not."""

import csv
import json
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from batch_server import completion
from engine_samples import DOCUMENT, Inputs, read_lines, write_lines
from loopback import Handler

from calibration.decision.record import Record, read, write
from judge.cli import execute
from judge.report.about import limits
from judge.results.reading import results_of_run

SHAKY = "12 Mar 2029"  # the claim that this judge is never sure of
STRICT = 'extends = "1.1"\nversion = "strict"\n[gates]\nprovenance_completeness = "0.95"\n'  # three open items of 33 leave it open


class Endpoint:
    """A judge on loopback: a quote supports what it does not call false. `model` is what it says it is."""

    def __init__(self) -> None:
        self.model, self.requests, self.contract = "judge-2026-01", 0, Path("strict.toml")
        endpoint = self

        class Completions(Handler):
            def do_POST(self) -> None:
                endpoint.requests += 1
                self.send(200, endpoint.completion(self.asked()))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Completions)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        """What the model says: sure and right, but for the shaky field."""
        text = body["messages"][-1]["content"]
        is_shaky, is_false = SHAKY in text, "false claim" in text
        verdict = "does_not_support" if is_false and not is_shaky else "supports"
        parts = ['{"evidence": "e", "reasoning": "r", "verdict": "', verdict, '"}']
        logs = [0.0, math.log(0.55 if is_shaky else 0.99), 0.0]
        made = completion(verdict, self.model) | {
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        }  # of any prompt
        made["choices"][0] |= {
            "message": {"role": "assistant", "content": "".join(parts)},
            "logprobs": {"content": [{"token": t, "logprob": p} for t, p in zip(parts, logs, strict=True)]},
        }
        return made

    @property
    def flags(self) -> list[str]:
        """The command line's part that leads here."""
        return ["--judge", "judge", "--base-url", f"http://127.0.0.1:{self.server.server_port}/v1", "--logprobs", *self.rules]

    @property
    def rules(self) -> list[str]:
        """The contract of the runs, where there is one."""
        return ["--contract", str(self.contract)] if self.contract.exists() else []


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")
    monkeypatch.chdir(tmp_path)
    found = Endpoint()
    found.contract = tmp_path / "strict.toml"
    found.contract.write_text(STRICT, "utf-8")
    yield found
    found.server.shutdown()
    found.server.server_close()


def labels(path: Path, count: int = 240) -> Path:
    """Half of the claims true, half false; every twentieth one with the shaky claim, where the judge always accepts."""
    lines = []
    for n in range(count):
        is_true, claim = n % 2 == 0, SHAKY if n % 20 == 1 else "claim"
        inputs = {"field": "tenor", "claim": f"{claim} {n}", "quote": f"quote {n}{'' if is_true else ' of a false claim'}", "passage": ""}
        label = {"annotator": "ann", "label": "supports" if is_true else "does_not_support"}
        lines.append({"item_id": str(n), "rubric": "quote_support", "inputs": inputs, "labels": [label], "label_source": "human"})
    return write_lines(path, lines)


def calibrated(endpoint: Endpoint, folder: Path, *more: str) -> Path:
    """A record of the endpoint's judge: made by the command, and bound to the judge as only a draw of one of its runs binds it."""
    flags = [*endpoint.flags, "--cache-dir", str(folder / "calibration-cache")]
    assert execute(["calibrate", str(labels(folder / "labels.jsonl")), "--out", str(folder / "calibration"), *flags, *more]) == 0
    path = folder / "calibration" / "record.json"
    made = read(path.read_text("utf-8"))
    assert all(not entry.covers and "belong to no run" in entry.why_not for entry in made.rubrics), "labels without a run cover none"
    return bound(path, {})


COVERED = {"capability": "loan_onboarding", "document kind": "PDF", "language": "English"}


def bound(path: Path, kinds: dict[str, str]) -> Path:
    """The record as that of a draw from a run of cases of these kinds, of those of the inputs where nothing else is said."""
    covered = {kind: (value,) for kind, value in (COVERED | kinds).items()}
    own = {"covers": True, "why_not": "", "draw": "as a run's", "covered": covered}
    slices = {f"{kind}={value}: failures caught": "95.0% of 120" for kind, (value,) in covered.items()}
    entries = (replace(entry, slices=slices, **own) for entry in read(path.read_text("utf-8")).rubrics)
    path.write_text(write(Record(tuple(entries))), "utf-8")
    return path


def supported(inputs: Inputs) -> dict[str, Any]:
    """The verdict lines that needed the judge, by case."""
    return {line["case_id"]: line for line in inputs.verdicts() if line["rubric"] == "quote_support"}


def result(inputs: Inputs, gate: str) -> str:
    return str(next(g["result"] for g in inputs.summary()["gates"] if g["name"] == gate))


CLAIMS = {"plain": "bullet on 12 March 2029", "shaky": f"bullet on {SHAKY}", "worded": "bullet repayment on 12 March 2029"}


ELSEWHERE = {"document": DOCUMENT, "page": 2, "section": "Clause 2.2", "quote": "The Margin is 2.35 per cent. per annum."}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """Three cases in which nothing but the judge can tell if the quote supports the repayment schedule."""
    found = Inputs(tmp_path / "in")
    output, truth = found.batch[0], found.gold[0]
    output["output"]["fields"]["margin"]["value"] = "2.35 per cent. per annum"
    found.batch, found.gold = [], []
    for case, claim in CLAIMS.items():
        line = json.loads(json.dumps({**output, "case_id": case}))
        line["output"]["fields"]["repayment_schedule"] |= {"value": claim, "citation": ELSEWHERE}
        found.batch.append(line)
        gold = json.loads(json.dumps({**truth, "case_id": case}))
        gold["gold"]["fields"]["repayment_schedule"]["value"] = claim
        found.gold.append(gold)
    return found.write()


def test_a_calibrated_judge_decides_and_its_rates_are_reported(endpoint: Endpoint, inputs: Inputs, tmp_path: Path) -> None:
    record = calibrated(endpoint, tmp_path)
    code = inputs.run(*endpoint.flags, "--require-calibrated", str(record))
    found = supported(inputs)
    assert len(found) == 3 and {line["decided_by"] for line in found.values()} == {"llm"}
    assert all("uncertified" not in line and line["outcome"] in ("correct", "semantic_match") for line in found.values())
    assert code == 0 and result(inputs, "provenance_completeness") == "pass"
    rates = inputs.summary()["rates"]["quote_support"]
    assert rates["accepting"] == ["supports"] and rates["raw"]["value"] == 1.0 and rates["raw"]["n"] == 3
    assert rates["corrected"]["value"] is not None and 0.4 < rates["labels_only"]["value"] < 0.6
    for again in (["verify"], ["gate", "--display", "none"], ["report"], ["verify"]):  # what the record says of the judge's answers stays
        assert execute([again[0], str(inputs.out), *again[1:], *endpoint.rules]) == 0
    assert inputs.summary()["rates"]["quote_support"] == rates


@pytest.mark.parametrize(("kind", "other"), [("capability", "document_qa"), ("document kind", "Word"), ("language", "German")])
def test_a_record_covers_only_the_kinds_of_cases_that_it_was_measured_on(
    kind: str, other: str, endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = bound(calibrated(endpoint, tmp_path), {kind: other})
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record)) == 4
    assert all(line["uncertified"]["outcome"] == "undecided" for line in supported(inputs).values())
    key = f"quote_support, {kind} {COVERED[kind]}"
    assert f"{key} does not count for the gates: the record has no label of it" in capfd.readouterr().err
    assert {one["rubric"]: one["counts"] for one in inputs.summary()["judge"]["calibration"]} == {"quote_support": True, key: False}
    assert f"those on {key} do not count: a person decides" in "; ".join(limits(results_of_run(inputs.out)))
    assert execute(["verify", str(inputs.out), *endpoint.rules]) == 0
    assert inputs.run(*endpoint.flags, "--fresh", "--certified-threshold", str(record)) == 4
    assert all(line["judge"]["verdict"] == "cannot_determine" for line in supported(inputs).values())


def test_another_model_does_not_count_for_the_gates(
    endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = calibrated(endpoint, tmp_path)
    endpoint.model = "judge-2026-07"
    code = inputs.run(*endpoint.flags, "--require-calibrated", str(record))
    assert code == 4 and result(inputs, "provenance_completeness") == "inconclusive"
    assert all(line["uncertified"]["outcome"] == "undecided" for line in supported(inputs).values())
    said = capfd.readouterr().err
    assert "quote_support does not count for the gates: model differs: calibrated judge-2026-01, running judge-2026-07" in said
    assert "the judge: none of its verdicts count: a person decides" in limits(results_of_run(inputs.out))


def test_people_settle_what_a_judge_said_that_may_not_gate(
    endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = calibrated(endpoint, tmp_path)
    endpoint.model = "judge-2026-07"
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record)) == 4
    results = results_of_run(inputs.out)
    waiting = [item for item in results.items if item.is_waiting]
    assert len(waiting) == 3 == inputs.summary()["counts"]["open"] == len(read_lines(inputs.out / "review.jsonl"))
    assert {(i.outcome, i.why_open, i.decided_by) for i in waiting} == {("undecided", "uncovered", "none")}
    assert all(i.judge is not None and "supports" not in i.reason for i in waiting), "what the judge said is kept, and biases nobody"
    (entry,) = inputs.summary()["judge"]["calibration"]
    assert entry["outcome"] == "trusted" and not entry["counts"] and "judge-2026-07" in entry["why_not"][0]
    assert entry["annotators"] == ["ann"] and entry["label_counts"] == {"supports": 120, "does_not_support": 120}
    assert execute(["report", str(inputs.out), "--sign-off", *endpoint.rules]) == 0
    for name in ("report.html", "sign-off.html", "summary.md"):
        text = (inputs.out / name).read_text("utf-8")
        assert "none of its verdicts count: a person decides" in text and "answers as judge-2026-07" in text, name
        assert "240 labels" in text and "labels.jsonl" in text and "ann (human)" in text, name
    sheet = tmp_path / "items.csv"
    assert execute(["export", str(inputs.out), "--to", str(sheet), *endpoint.rules]) == 0
    rows = list(csv.DictReader(sheet.read_text("utf-8-sig").splitlines()))
    assert [row["outcome"] for row in rows].count("Undecided") == 3
    for row in rows:
        if row["outcome"] == "Undecided":
            row |= {"decision": row["can be"].split(", ")[0], "name": "Ann"}
    with sheet.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    capfd.readouterr()
    assert execute(["import", str(sheet), str(inputs.out), *endpoint.rules]) == 0
    assert "3 of 3 decisions are new" in capfd.readouterr().out
    assert inputs.summary()["counts"]["open"] == 0 and inputs.summary()["people"] == {"items": 3, "names": {"Ann": 3}}
    assert execute(["verify", str(inputs.out), *endpoint.rules]) == 0 and "3 decided by Ann" in capfd.readouterr().out
    assert execute(["gate", str(inputs.out), "--display", "none", *endpoint.rules]) == 0
    for line in inputs.batch:  # the next release answers otherwise: nothing of it was seen by Ann
        line["output"]["fields"]["repayment_schedule"]["value"] += " at the latest"
    inputs.write()
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record), "--fresh") == 4
    assert execute(["import", str(sheet), str(inputs.out), *endpoint.rules]) == 2
    said = capfd.readouterr().err
    assert said.count("reported: changed since the sheet was exported") == 3 and "at the latest" in said
    assert inputs.summary()["counts"]["open"] == 3 and inputs.summary()["people"]["items"] == 0


def test_an_expired_record_does_not_count(endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = calibrated(endpoint, tmp_path, "--date", "2020-01-31")
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record)) == 4
    assert "the record expired on 2020-07-29" in capfd.readouterr().err


def test_a_cached_answer_counts_as_that_of_the_model_that_gave_it(endpoint: Endpoint, inputs: Inputs, tmp_path: Path) -> None:
    record = calibrated(endpoint, tmp_path)
    endpoint.model = "judge-2026-07"
    assert inputs.run(*endpoint.flags, "--case", "[ps]*") == 0  # the cache is filled by a model that nobody calibrated
    endpoint.model = "judge-2026-01"
    asked = endpoint.requests
    code = inputs.run(*endpoint.flags, "--require-calibrated", str(record), "--fresh")
    assert endpoint.requests == asked + 1 and code == 4
    assert {case for case, line in supported(inputs).items() if "uncertified" not in line} == {"worded"}


def test_what_the_judge_is_not_sure_of_goes_to_a_person(endpoint: Endpoint, inputs: Inputs, tmp_path: Path) -> None:
    record = calibrated(endpoint, tmp_path)
    certificate = json.loads(record.read_text())["rubrics"][0]["certificate"]
    assert 0.55 < certificate["threshold"] <= 0.99
    assert inputs.run(*endpoint.flags, "--certified-threshold", str(record)) in (0, 4)
    found = {line["case_id"]: line for line in inputs.verdicts() if line["item"] == "fields.repayment_schedule"}
    assert found["shaky"]["outcome"] == "undecided" and found["plain"]["outcome"] == "correct"
    assert any(f["code"] == "BELOW_CERTIFIED_THRESHOLD" for f in found["shaky"]["findings"])
    open_ = {(line["case_id"], line["item"]) for line in read_lines(inputs.out / "review.jsonl")}
    assert ("shaky", "fields.repayment_schedule") in open_ and ("plain", "fields.repayment_schedule") not in open_


def test_a_certificate_of_another_model_certifies_nothing(endpoint: Endpoint, inputs: Inputs, tmp_path: Path) -> None:
    record = calibrated(endpoint, tmp_path)
    endpoint.model = "judge-2026-07"
    assert inputs.run(*endpoint.flags, "--certified-threshold", str(record)) == 4
    assert {line["outcome"] for line in inputs.verdicts() if line["item"] == "fields.repayment_schedule"} == {"undecided"}


def tampered(record: Path, **changes: Any) -> Path:
    """The record with changed parts, its seals left as they were."""
    data = json.loads(record.read_text("utf-8"))
    data["rubrics"][0] |= changes
    changed = record.with_name("changed.json")
    changed.write_text(json.dumps(data), "utf-8")
    return changed


def test_a_record_that_was_changed_is_refused_by_name(
    endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = calibrated(endpoint, tmp_path)
    changes: dict[str, Any] = {
        "expires": "2999-01-01",
        "positive": ["does_not_support"],
        "label_counts": {},
        "certificate": {"threshold": "0.5"},
    }
    for flag in ("--require-calibrated", "--certified-threshold"):
        for key, value in changes.items():
            assert inputs.run(*endpoint.flags, flag, str(tampered(record, **{key: value}))) == 2
            assert f"changed after it was made: {key}" in capfd.readouterr().err
    assert inputs.run(*endpoint.flags, "--require-calibrated", f"{record},{record}") == 2
    assert "'quote_support' stands in the record more than once" in capfd.readouterr().err


def test_a_record_of_another_contract_does_not_count(
    endpoint: Endpoint, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    standard, own = endpoint.contract, tmp_path / "own.toml"
    own.write_text(f'{STRICT}[calibration]\nspecificity_bar = "0.60"\n', "utf-8")
    endpoint.contract = own
    record = calibrated(endpoint, tmp_path)
    endpoint.contract = standard
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record)) == 4
    assert "the contract's calibration rule specificity_bar differs: calibrated 3/5, in this run 4/5" in capfd.readouterr().err
    endpoint.contract = own
    assert inputs.run(*endpoint.flags, "--require-calibrated", str(record), "--fresh") == 0


def test_a_judge_that_is_not_trusted_certifies_no_threshold(endpoint: Endpoint, inputs: Inputs, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in labels(tmp_path / "labels.jsonl").read_text("utf-8").splitlines()]
    for line in lines:  # everything is true but for two in a hundred, and the judge always accepts
        line["labels"][0]["label"] = "supports" if int(line["item_id"]) % 50 else "does_not_support"
        line["inputs"]["quote"] = f"quote {line['item_id']}"
    path = write_lines(tmp_path / "constant.jsonl", lines)
    flags = [*endpoint.flags, "--cache-dir", str(tmp_path / "other-cache")]
    assert execute(["calibrate", str(path), "--out", str(tmp_path / "out"), *flags]) in (1, 4)
    record = tmp_path / "out" / "record.json"
    assert json.loads(record.read_text("utf-8"))["rubrics"][0]["certificate"]["threshold"] is None
    assert inputs.run(*endpoint.flags, "--certified-threshold", str(record)) == 4
    assert {line["outcome"] for line in inputs.verdicts() if line["item"] == "fields.repayment_schedule"} == {"undecided"}


@pytest.mark.parametrize("names", [("judge-2026-01", "judge-2026-02"), ("another-model",)])
def test_no_record_holds_for_a_model_that_changes_or_is_another(
    endpoint: Endpoint, inputs: Inputs, tmp_path: Path, names: tuple[str, ...]
) -> None:
    endpoint.model = names[0]
    record = calibrated(endpoint, tmp_path)
    answer, said = endpoint.completion, iter(names * 500)

    def changing(body: dict[str, Any]) -> dict[str, Any]:
        return {**answer(body), "model": next(said)}

    endpoint.completion = changing  # type: ignore[method-assign]
    inputs.run(*endpoint.flags, "--require-calibrated", str(record), "--no-cache")
    summary = inputs.summary()
    (found,) = summary["judge"]["findings"]
    assert found["code"] == ("MODEL_CHANGED" if len(names) > 1 else "OTHER_MODEL") and names[-1] in found["detail"]
    assert not any(entry["counts"] for entry in summary["judge"]["calibration"]) and summary["verdict"] != "pass"
    execute(["gate", str(inputs.out), "--display", "none"])  # nor when the gates are applied again
    assert (inputs.summary()["verdict"], inputs.summary()["why"]) == (summary["verdict"], summary["why"]), summary["why"]
