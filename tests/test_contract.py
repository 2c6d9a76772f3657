"""The contract is checked whole when it is loaded, and every key of it has a reader: another value, another result."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from judge.api import compare, evaluate
from judge.cli import execute
from judge.results.reading import contract_of_run
from rubrics.contract import ContractFileError, flatten, load_contract, parse_contract, shipped_versions
from tests.tables import entries, table

DEAL = Path("judge/samples/deal")
TEXT = resources.files("rubrics").joinpath("contract-1.2.toml").read_text("utf-8")
DATA: dict[str, Any] = tomllib.loads(TEXT, parse_float=str)
DESCRIBED = ("version", "standard", "assumptions")  # shown, not computed with: docs/contract/contract.md is tested against them
CALIBRATION = ("calibration",)  # read by `judge calibrate`: tests/test_calibration_command.py
CAPABILITY = entries("contract", "capability")  # whose cases show it: of a table, or of one key


# ---- every key has a reader --------------------------------------------------------------------------------------


LEAVES = [key for key, _ in flatten(DATA) if key.split(".")[0] not in (*DESCRIBED, *CALIBRATION)]


def test_the_keys_of_the_contract_are_all_tried() -> None:
    assert len(LEAVES) > 90 and {key.split(".")[0] for key in LEAVES} == DATA.keys() - {*DESCRIBED, *CALIBRATION}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sample and, beside it, outputs that touch what the sample leaves untouched."""
    folder = tmp_path_factory.mktemp("batch")
    pairs = [(read(DEAL / "batch.jsonl"), read(DEAL / "gold.jsonl")), ([line for line, _ in MORE], [line for _, line in MORE])]
    for name, part in (("batch", 0), ("gold", 1)):
        lines = [line for pair in pairs for line in pair[part]]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder / "batch.jsonl", folder / "gold.jsonl"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def with_outputs_exchanged(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every case with the output of the next one of its capability: another system's run, to compare with."""
    following = {line["capability"]: line["output"] for line in reversed(lines)}
    found = []
    for line in reversed(lines):
        found.append({**line, "output": following[line["capability"]]})
        following[line["capability"]] = line["output"]
    return found[::-1]


_BASE: dict[str | None, dict[str, str]] = {}


@pytest.mark.parametrize("key", LEAVES)
def test_another_value_gives_another_result(
    key: str, tmp_path: Path, cache: Path, batch: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    capability = CAPABILITY.get(key) or CAPABILITY[key.split(".")[0]]
    if capability not in _BASE:
        _BASE[capability] = dict(results(tmp_path / "base", None, cache, batch, capability, capsys))
    changed = tmp_path / "changed.toml"
    changed.write_text(to_toml({**with_changed(DATA, key.split(".")), "version": "changed"}), "utf-8")
    for name, text in results(tmp_path, changed, cache, batch, capability, capsys):
        if text != _BASE[capability][name]:
            return
    pytest.fail(f"{key}: no result depends on it")


def results(
    folder: Path, contract: Path | None, cache: Path, batch: tuple[Path, Path], capability: str | None, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[str, str]]:
    """What a run writes, what a comparison says, and what a judge would be asked; later ones only where they are needed."""
    flags: dict[str, Any] = {"documents": DEAL / "documents", "cache_dir": cache, "fresh": True, "reports": "none"}
    flags |= {"contract": str(contract)} if contract else {}
    flags |= {"capability": capability} if capability else {}
    found = evaluate(batch[0], gold=batch[1], out=folder / "out", **flags)
    yield "verdicts", "".join(map(str, (folder / "out" / "verdicts.jsonl").read_text("utf-8").splitlines(keepends=True)))
    yield "cases", (folder / "out" / "cases.jsonl").read_text("utf-8")
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    yield "summary", json.dumps({**summary, "contract_version": "", "contract_hash": ""})
    yield "ending", json.dumps(json.loads((folder / "out" / "run.json").read_text("utf-8"))["ending"])
    evaluate(batch[0], out=folder / "bare", **flags)
    yield "verdicts without gold", (folder / "bare" / "verdicts.jsonl").read_text("utf-8")
    lines = with_outputs_exchanged(read(batch[0]))
    other = evaluate(lines, gold=batch[1], out=folder / "other", **flags)
    yield "comparison", re.sub(r"\S*(?:out|other|changed\.toml)\b|hash \w+", "", repr(compare(other.folder, found.folder)))
    argv = ["run", str(batch[0]), "--gold", str(batch[1]), "--documents", str(DEAL / "documents"), "--judge", "x", "--dry-run"]
    argv += ["--contract", str(contract)] if contract else []
    execute([*argv, "--out", str(folder / "dry"), "--cache-dir", str(cache), *(["--capability", capability] if capability else [])])
    yield "questions", re.sub(r"(?m)^.*[0-9a-f]{16}.*$", "", capsys.readouterr().out)


def with_changed(data: Any, path: list[str]) -> Any:
    head, rest = path[0], path[1:]
    if isinstance(data, list):
        return [with_changed(entry, rest) if str(n) == head else entry for n, entry in enumerate(data)]
    return {**data, head: with_changed(data[head], rest) if rest else another(data[head], head)}


WORDS = {  # of closed vocabularies: any other word
    "kind": lambda word: "binary" if word != "binary" else "period",
    "hitl": lambda word: "flag" if word != "flag" else "block",
    "label": lambda word: "fail" if word != "fail" else "partial",
}


def another(value: Any, key: str) -> Any:
    """A value of the same kind that is not this one."""
    if isinstance(value, list):
        return value[1:] if len(value) > 1 else []
    if isinstance(value, int):
        return 1 + value % 3 if key == "tier" else value + 1
    if re.fullmatch(r"[\d.]+", value):
        number = Fraction(value)
        return str(float((number + 1) / 2 if key == "high" else number / 2 if number > 0 else Fraction(1, 2)))
    if key == "kind":
        return WORDS["kind"](value)
    if key in ("HIGH", "MEDIUM", "LOW"):
        return WORDS["hitl"](value)
    if key in DATA["provenance_labels"]:
        return WORDS["label"](value)
    return f"Another {value}"


def to_toml(data: Mapping[str, Any], path: str = "") -> str:
    """TOML of tables, texts, whole numbers and lists."""
    leaves = {k: v for k, v in data.items() if not isinstance(v, dict) and not (isinstance(v, list) and v and isinstance(v[0], dict))}
    text = f"[{path}]\n" if path else ""
    text += "".join(f"{k} = {json.dumps(v)}\n" for k, v in leaves.items())
    for k, v in data.items():
        inner = f"{path}.{k}" if path else k
        if isinstance(v, dict):
            text += to_toml(v, inner)
        elif k not in leaves:
            text += "".join(f"[[{inner}]]\n" + "".join(f"{a} = {json.dumps(b)}\n" for a, b in entry.items()) for entry in v)
    return text


# ---- what the sample leaves untouched (constructed) --------------------------------------------------------------

SAMPLE = {name: {line["case_id"]: line for line in read(DEAL / f"{name}.jsonl")} for name in ("batch", "gold")}


def varied(case_id: str, of: str, change: Callable[[dict[str, Any]], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A case of the sample, its output changed in place; gold as it is."""
    line, gold = (json.loads(json.dumps(SAMPLE[name][of])) for name in ("batch", "gold"))
    change(line["output"])
    return {**line, "case_id": case_id}, {**gold, "case_id": case_id}


def without_parts(*parts: str) -> Callable[[dict[str, Any]], None]:
    """An output whose flags leave parts out."""

    def change(output: dict[str, Any]) -> None:
        for flag in (f for covenant in output["covenants"] for f in covenant["flags"]):
            for part in parts:
                flag.pop(part, None)

    return change


def benchmark(law: str, market: str, family: str, reported_market: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A deal whose gold names no family, so that its law requires one."""
    name = f"more-{family}"
    output = {"jurisdiction": law, "market": reported_market, "benchmark": family, "findings": []}
    line = {"case_id": name, "capability": "benchmark_validation", "document": "tarnbrook-facilities-agreement.pdf"}
    gold = {"jurisdiction": law, "market": market, "findings": []}
    return {**line, "input": {}, "output": output}, {"case_id": name, "gold": gold}


RETOLD = "Subject to its terms the Company makes available a sterling crane with lantern oil, orchard ladders, cobbled streets and herring"
ARTICLES = (
    "The event or the circumstance occurs which Majority Lenders reasonably believe has or is reasonably likely to have a Material Adverse"
)
MORE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    benchmark("Singapore law", "APAC", "Asia Pacific Loan Market Association", "Asia Pacific"),
    benchmark("English law", "European", "Loan Market Association", "Europe"),
    benchmark("New York law", "US", "Loan Syndications and Trading Association", "United States"),
    varied("more-nobody", "lo-right", lambda output: output["fields"]["borrower"].update(value="Quillhaven Smelting S.p.A.")),
    varied("more-retold", "lo-right", lambda output: output["tranches"][0]["fields"]["currency"]["citation"].update(quote=RETOLD)),
    varied("more-articles", "lo-right", lambda output: output["fields"]["mac_clause"]["citation"].update(quote=ARTICLES)),
    varied("more-no-deal-value", "bm-right", lambda output: output["findings"][0].pop("deal_value")),
    varied("more-no-days-no-threshold", "cm-right", without_parts("days", "threshold")),
    varied("more-no-items", "cm-right", without_parts("items")),
    varied("more-no-covenant", "cm-waiver-right", without_parts("covenant")),
    varied("more-monthly", "cm-right", lambda output: output["covenants"][0].update(testing_frequency="monthly")),
    varied("more-on-event", "cm-right", lambda output: output["covenants"][0].update(testing_frequency="on_event")),
    varied("more-other-name", "cm-right", lambda output: output["covenants"][0].update(name="Leveraging test")),
]


# ---- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "message"), table("contract", "a_wrong_contract_is_refused"))
def test_a_wrong_contract_is_refused_by_check_and_run_with_file_and_key(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in TEXT
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace(old, new).replace('version = "1.2"', 'version = "mine"'), "utf-8")
    inputs = [f"{DEAL}/batch.jsonl", "--gold", f"{DEAL}/gold.jsonl", "--documents", f"{DEAL}/documents", "--contract", str(path)]
    for command in ("check", "run"):
        assert execute([command, *inputs, "--out", str(tmp_path / "out")] if command == "run" else [command, *inputs]) == 2
        shown = capsys.readouterr().err
        assert "mine.toml" in shown and message in shown


def test_a_contract_extends_a_shipped_one_and_says_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "strict.toml"
    path.write_text('version = "1.1-strict"\nextends = "1.1"\n[gates]\ncapability_score = 0.9\n', "utf-8")
    strict, shipped = load_contract(str(path)), load_contract()
    assert strict.gates.capability_score == Fraction(9, 10) and strict.gates.tier1_field_score == shipped.gates.tier1_field_score
    assert strict.hash != shipped.hash and strict.label_scores == shipped.label_scores


def test_shipped_contracts_are_named_by_their_version() -> None:
    assert {"1.0", "1.1", "1.2"} <= set(shipped_versions())
    assert load_contract("1.0").label_scores["semantic_match"] == Fraction(9, 10)
    assert load_contract("1.2") == load_contract() and load_contract().label_scores["semantic_match"] == Fraction(3, 4)
    with pytest.raises(ContractFileError, match=r"no contract '2\.0' is shipped"):
        load_contract("2.0")


def test_a_pinned_version_cannot_change_its_values() -> None:
    with pytest.raises(ContractFileError, match=r"changed without a version bump: gates\.provenance_completeness"):
        parse_contract(TEXT.replace('provenance_completeness = "0.90"', 'provenance_completeness = "0.80"'), "contract-1.2.toml")


def test_a_version_that_is_a_date_is_no_version() -> None:
    with pytest.raises(ContractFileError, match=r"own\.toml: version: "):
        parse_contract('extends = "1.2"\nversion = 2020-01-01\n', "own.toml")


# ---- the contract of a result folder -----------------------------------------------------------------------------


def test_a_result_folder_is_read_with_the_contract_that_wrote_it(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags: dict[str, Any] = {"documents": DEAL / "documents", "cache_dir": cache, "capability": "document_qa"}
    out = tmp_path / "out"
    evaluate(DEAL / "batch.jsonl", gold=DEAL / "gold.jsonl", out=out, contract="1.0", **flags)
    before = json.loads((out / "summary.json").read_text("utf-8"))
    assert contract_of_run(out).version == before["contract_version"] == "1.0"
    for command in (["gate", str(out)], ["report", str(out)]):
        execute(command)
        assert json.loads((out / "summary.json").read_text("utf-8"))["contract_version"] == "1.0"
    capsys.readouterr()
    assert execute(["gate", str(out), "--contract", "1.1"]) == 2
    assert "was judged under contract 1.0" in capsys.readouterr().err


def test_a_contract_file_that_changed_after_the_run_is_refused(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "mine.toml", tmp_path / "out"
    path.write_text('version = "mine"\nextends = "1.1"\n[gates]\ncapability_score = "0.8"\n', "utf-8")
    flags: dict[str, Any] = {"documents": DEAL / "documents", "cache_dir": cache, "capability": "document_qa"}
    evaluate(DEAL / "batch.jsonl", gold=DEAL / "gold.jsonl", out=out, contract=str(path), **flags)
    assert execute(["report", str(out)]) == 0
    path.write_text(path.read_text("utf-8").replace("0.8", "0.7"), "utf-8")
    load_contract.cache_clear()
    capsys.readouterr()
    assert execute(["report", str(out)]) == 2
    assert "judge again" in capsys.readouterr().err
