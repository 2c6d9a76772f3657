"""A capability of another distribution (tests/data/capability) is judged, gated, reported, checked, labelled and made into gold."""

import ast
import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest
from engine_samples import DOCUMENT, Inputs, write_lines

from judge.capabilities import Capability, registry
from judge.cli import execute
from judge.errors import UsageError
from judge.inputs.index import Sources, index_cases
from judge.labelling.gold_sink import GoldSink, gold_tasks, path_of
from judge.labelling.label_file import LabelFile
from judge.labelling.run_sink import RunSink, tasks_of_run
from judge.labelling.session import LabelSession
from judge.report.files import write_reports
from judge.results.reading import read_results
from judge.results.seal import seal
from judge.settings import Settings
from rubrics.contract import load_contract

OTHER = Path(__file__).parent / "data" / "capability"
NAME = "rate_fixing"
MARGIN = {"document": DOCUMENT, "page": 2, "section": "Clause 2.2", "quote": "The Margin is 2.35 per cent. per annum."}
OUTPUT = {"fixings": [{"name": "Margin", "rate": "2.35%", "citation": MARGIN}, {"name": "Fee", "rate": "1.10%", "citation": MARGIN}]}
GOLD = {
    "fixings": [{"name": "Margin", "rate": "2.35 per cent. per annum", "citation": MARGIN}, {"name": "Default", "rate": "2.35 per cent."}]
}


def install(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As if the distribution in this folder were installed."""
    monkeypatch.syspath_prepend(str(folder))
    forget()


def forget() -> None:
    registry._registered.cache_clear()
    registry.LOADED.pop(NAME, None)
    sys.modules.pop(NAME, None)


def one_case(folder: Path) -> Inputs:
    inputs = Inputs(folder)
    inputs.batch = [{"case_id": "r-1", "capability": NAME, "document": DOCUMENT, "output": deepcopy(OUTPUT)}]
    inputs.gold = [{"case_id": "r-1", "gold": deepcopy(GOLD)}]
    return inputs.write()


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inputs]:
    install(monkeypatch, OTHER)
    yield one_case(tmp_path / "in")
    forget()


def contract(folder: Path, table: str = '[capabilities.rate_fixing]\nweight = "2"\n') -> Path:
    """The shipped contract, with a table for the capability."""
    path = folder / "contract.toml"
    path.write_text(f'version = "1.1-rates"\nextends = "1.1"\n{table}', "utf-8")
    return path


def run(inputs: Inputs, *more: str, command: str = "run") -> int:
    return inputs.run("--contract", str(contract(inputs.folder)), *more, command=command)


def test_it_is_judged_and_gated_beside_the_shipped_ones(inputs: Inputs) -> None:
    shipped = Inputs(inputs.folder / "more")
    inputs.batch, inputs.gold = inputs.batch + shipped.batch, inputs.gold + shipped.gold
    inputs.write()
    run(inputs)
    lines = {line["item"]: line for line in inputs.verdicts() if line["capability"] == NAME}
    assert {item: (line["outcome"], line["weight"]) for item, line in lines.items()} == {
        "fixings.Margin": ("correct", 2.0),
        "fixings.Default": ("fail", 2.0),
        "fixings.+Fee": ("extra", 0.0),
    }
    gates = {(gate["name"], gate["scope"]): gate for gate in inputs.summary()["gates"]}
    assert gates["capability_score", NAME]["value"] == 0.5 and gates["capability_score", NAME]["result"] == "fail"
    assert gates["provenance_completeness", "all"]["bounds"] is not None
    assert len([gate for gate in gates.values() if gate["name"] == "grounded_refusal_accuracy"]) == 1


def test_its_items_never_enter_gates_that_it_does_not_name(inputs: Inputs) -> None:
    inputs.batch[0]["output"]["fixings"][0]["name"] = inputs.gold[0]["gold"]["fixings"][0]["name"] = "margin"
    inputs.write()
    run(inputs)
    gates = [gate for gate in inputs.summary()["gates"] if gate["name"] in ("tier1_field_score", "grounded_refusal_accuracy")]
    assert {gate["result"] for gate in gates} == {"not_applicable"}


def test_under_a_contract_with_dimensions_it_keeps_the_standards_score_and_gate(inputs: Inputs) -> None:
    path = inputs.folder / "companion.toml"
    text = 'version = "rates"\nextends = "companion-1.0"\n[gates]\nbasis = "companion"\n[capabilities.rate_fixing]\nweight = "2"\n'
    path.write_text(text, "utf-8")
    inputs.gold[0]["criteria"] = [{"id": "c1", "when": "all right", "score": "1.0"}]
    inputs.write().run("--contract", str(path))
    summary = inputs.summary()
    gates = {(gate["name"], gate["scope"]): gate["value"] for gate in summary["gates"]}
    assert gates["capability_score", NAME] == 0.5 and ("companion_score", NAME) not in gates
    assert ("capability_score", "document_qa") not in gates and ("companion_score", "document_qa") in gates
    assert "companion" not in summary["capabilities"][NAME] and summary["overall"] == "FAIL"
    assert all("dimensions" not in line for line in inputs.verdicts())


def test_without_gold(inputs: Inputs) -> None:
    inputs.folder.joinpath("gold.jsonl").unlink()
    arguments = [word for word in inputs.arguments() if word not in ("--gold", str(inputs.folder / "gold.jsonl"))]
    execute([*arguments, "--no-gold", "--contract", str(contract(inputs.folder))])
    assert [(line["item"], line["outcome"]) for line in inputs.verdicts()] == [
        ("fixings.Margin", "undecided"),
        ("fixings.Fee", "undecided"),
    ]


def test_it_is_reported_by_its_own_words(inputs: Inputs) -> None:
    run(inputs)
    write_reports(inputs.out, load_contract(contract(inputs.folder)))
    page = (inputs.out / "report.html").read_text("utf-8")
    assert "Rate fixing" in page and "Rate fixings found (recall)" in page and '"f":"rate fixing"' in page
    assert "Rate fixing r-1" in (inputs.out / "results.sarif").read_text("utf-8")
    assert "| Rate fixing |" in (inputs.out / "summary.md").read_text("utf-8")
    assert f"{NAME}.r-1" in (inputs.out / "junit.xml").read_text("utf-8")


def test_a_report_where_it_is_not_installed_names_it_as_the_batch_did(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    run(inputs)
    monkeypatch.setattr(registry, "entry_points", lambda group: ())
    forget()
    write_reports(inputs.out, load_contract(contract(inputs.folder)))
    assert f"| {NAME} |" in (inputs.out / "summary.md").read_text("utf-8").replace("\\", "")


def test_its_gold_is_checked_against_the_documents(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.gold[0]["gold"]["fixings"][1]["rate"] = "9.99 per cent."
    inputs.write()
    assert run(inputs, command="check") == 2
    assert "gold.fixings[1].rate: GOLD_NOT_FOUND: '9.99 per cent.' is not in" in capsys.readouterr().err


def test_gold_without_output_is_known_by_its_keys(inputs: Inputs) -> None:
    inputs.gold.append({"case_id": "r-2", "gold": GOLD})
    inputs.write()
    run(inputs, "--partial")
    assert {line["outcome"] for line in inputs.verdicts() if line["case_id"] == "r-2"} == {"fail"}


def test_open_items_are_labelled_with_its_labels(inputs: Inputs) -> None:
    run(inputs)
    lines = inputs.verdicts()
    lines[0] |= {"outcome": "undecided", "score": None, "bounds": [0.0, 1.0], "can_hallucinate": True}
    write_lines(inputs.out / "verdicts.jsonl", lines)
    seal(inputs.out)
    own = load_contract(contract(inputs.folder))
    settings = Settings(contract=str(contract(inputs.folder)), cache_dir=inputs.folder / "cache")
    tasks = tasks_of_run(read_results(inputs.out, own.label_scores), sample=0, design="random", seed=0)
    assert tasks[0].question.startswith("Rate fixing: ") and "rate fixing Margin" in tasks[0].question
    assert [choice.value for choice in tasks[0].choices] == ["correct", "partial", "fail", "hallucination", "cannot_determine"]
    session = LabelSession(
        tasks, LabelFile(inputs.folder / "labels.jsonl"), RunSink(read_results(inputs.out, own.label_scores), settings, own)
    )
    session.label("Ann", 0, "correct")
    session.finish()
    assert inputs.summary()["capabilities"][NAME]["score"] == 0.5


def test_gold_is_made_of_it(inputs: Inputs) -> None:
    index = index_cases(Sources(inputs.folder / "batch.jsonl", None, inputs.folder / "documents"))
    cases = [index.load(entry) for entry in index.entries]
    tasks, gold = [task for case in cases for task in gold_tasks(case)], inputs.folder / "made.jsonl"
    session = LabelSession(tasks, LabelFile(inputs.folder / "answers.jsonl"), GoldSink(gold, cases))
    given: dict[tuple[str, ...], tuple[str, str]] = {("fixings", "1"): ("absent", ""), ("missing",): ("none", "")}
    with pytest.raises(UsageError, match="Rate: fill this in"):
        session.label("Ann", 0, "correct", text='{"name": "Margin"}')
    for number, task in enumerate(tasks):
        value, text = given.get(path_of(task.task_id)[1], ("confirm", ""))
        session.label("Ann", number, value, text=text)
    assert json.loads(gold.read_text())["gold"]["fixings"] == [OUTPUT["fixings"][0]]


def test_it_stands_in_the_schemas(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["schema", "batch"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert NAME in schema["properties"]["capability"]["enum"] and "Fixings" in schema["$defs"]


# ---- a part that is left out ----


OPTIONAL = ["scored", "case_file", "gold_doubts"]  # dimensions, cases in Markdown, warnings: without them it is judged all the same


def test_the_record_has_no_default_for_any_part_but_its_dimensions() -> None:
    assert [part.name for part in fields(Capability) if part.default is not MISSING or part.default_factory is not MISSING] == OPTIONAL


@pytest.mark.parametrize("part", [part.name for part in fields(Capability) if part.name not in OPTIONAL])
def test_a_record_without_a_part_is_an_error_at_the_start(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = ast.parse((OTHER / NAME / "__init__.py").read_text("utf-8"))
    record = next(node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CAPABILITY")
    assert isinstance(record, ast.Call)
    record.keywords = [keyword for keyword in record.keywords if keyword.arg != part]
    broken = tmp_path / "broken"
    (broken / NAME).mkdir(parents=True)
    (broken / NAME / "__init__.py").write_text(ast.unparse(tree), "utf-8")
    info = OTHER / "rate_fixing-1.0.dist-info"
    (broken / info.name).mkdir()
    for file in info.iterdir():
        (broken / info.name / file.name).write_bytes(file.read_bytes())
    install(monkeypatch, broken)
    try:
        assert run(one_case(tmp_path / "in")) == 2
        error = capsys.readouterr().err
        assert f"capability '{NAME}'" in error and part in error and "internal error" not in error
    finally:
        forget()


@pytest.mark.parametrize("part", ["title", "output", "labels", "judge", "gold_tasks"])
def test_an_empty_part_is_an_error_too(part: str) -> None:
    empty: Any = {"title": " ", "labels": ()}.get(part)
    with pytest.raises(TypeError, match=part):
        replace(registry.capability_of("document_qa"), **{part: empty})


def test_a_contract_without_its_table_is_an_error_at_the_start(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert inputs.run() == 2 and "capabilities.rate_fixing.weight: is required and missing" in capsys.readouterr().err
    own = contract(inputs.folder, '[capabilities.rate_fixing]\nweight = "heavy"\n')
    assert inputs.run("--contract", str(own)) == 2 and "capabilities.rate_fixing.weight" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["no_such", "document_qa"])
def test_a_contract_table_that_nobody_reads_is_an_error(name: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    own = contract(inputs.folder, f"[capabilities.{NAME}]\nweight = 1\n[capabilities.{name}]\nx = 1\n")
    assert inputs.run("--contract", str(own)) == 2 and name in capsys.readouterr().err


def test_a_name_that_is_taken_is_an_error(inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    point = next(iter(registry._registered().values()))
    monkeypatch.setattr(registry, "entry_points", lambda group: [type(point)("document_qa", "x:Y", registry.GROUP)])
    registry._registered.cache_clear()
    inputs.batch[0]["capability"] = "document_qa"
    assert run(inputs.write(), command="check") == 2 and "taken already" in capsys.readouterr().err


def test_an_unknown_name_is_told_with_the_nearest_known_one(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.batch[0]["capability"] = "rate_fixings"
    assert run(inputs.write()) == 2 and "did you mean 'rate_fixing'?" in capsys.readouterr().err


def test_other_distributions_cost_a_run_of_the_shipped_ones_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: pytest.fail("looked at"))
    registry._registered.cache_clear()
    assert Inputs(tmp_path / "in").run() in (0, 1, 4)
