"""The shipped sample: every item gets the standard's outcome, gold is true of the documents, README and docs say what is so."""

import contextlib
import importlib
import io
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pymupdf
import pytest

from judge.cli import execute, group
from rubrics.contract import load_contract

ROOT = Path(__file__).parents[1]
DEAL = ROOT / "judge" / "samples" / "deal"
EXPECTED = Path(__file__).parent / "data" / "sample_expected.jsonl"
NATURAL = Path(__file__).parent / "data" / "sample_natural_labels.jsonl"
INPUTS = [str(DEAL / "batch.jsonl"), "--gold", str(DEAL / "gold.jsonl"), "--documents", str(DEAL / "documents")]


def judge(*arguments: str) -> tuple[int, str]:
    """Exit code and standard output of one command."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = execute(arguments)
    return code, said.getvalue()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def key(line: dict[str, Any]) -> tuple[str, str, str | None]:
    return line["case_id"], line["item"], line["tranche"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """One offline run of the sample: result folder, what it printed, exit code."""
    out = tmp_path_factory.mktemp("sample") / "results"
    code, said = judge("run", *INPUTS, "--ocr", "off", "--out", str(out), "--display", "plain", "--cache-dir", str(out.parent / "cache"))
    return out, said, code


def test_every_item_gets_the_outcome_that_the_standard_gives_it(run: tuple[Path, str, int]) -> None:
    got = {
        key(v): (v["outcome"], v["provenance"]["outcome"], v["rule"], sorted({f["code"] for f in v["findings"]}))
        for v in lines(run[0] / "verdicts.jsonl")
    }
    expected = {key(e): (e["outcome"], e["provenance"], e["rule"], e["findings"]) for e in lines(EXPECTED)}
    assert got == expected


def test_the_sample_fails_its_gates(run: tuple[Path, str, int]) -> None:
    summary = json.loads((run[0] / "summary.json").read_text("utf-8"))
    assert (summary["verdict"], run[2]) == ("fail", 1)
    assert {name: entry["cases"] for name, entry in summary["capabilities"].items()} == {
        "loan_onboarding": 10,
        "covenant_monitoring": 6,
        "benchmark_validation": 4,
        "document_qa": 23,
    }


def test_right_outputs_lose_nothing(run: tuple[Path, str, int]) -> None:
    """What a case without a planted fault loses, it loses to a judge that was not asked."""
    sound = {c["case_id"] for c in lines(DEAL / "batch.jsonl") if c["metadata"]["planted"].startswith("nothing:")}
    kept = ("correct", "true_negative", "grounded_refusal", "undecided")
    assert {v["outcome"] for v in lines(run[0] / "verdicts.jsonl") if v["case_id"] in sound} <= set(kept)


def test_notation_alone_costs_no_more_than_a_semantic_match(run: tuple[Path, str, int]) -> None:
    outcomes = {v["outcome"] for v in lines(run[0] / "verdicts.jsonl") if v["case_id"] == "lo-notation"}
    assert outcomes <= {"correct", "semantic_match", "undecided"} and "semantic_match" in outcomes


def test_natural_outputs_get_the_label_written_before_the_first_run(run: tuple[Path, str, int]) -> None:
    """Constructed labels with reasons from the standard: a decided item has its label, an open one can still become worth it."""
    scores = load_contract().label_scores
    verdicts = {(v["case_id"], v["item"]): v for v in lines(run[0] / "verdicts.jsonl") if "-natural" in v["case_id"]}
    labels = {(row["case_id"], row["item"]): row["label"] for row in lines(NATURAL)}
    assert verdicts.keys() == labels.keys()
    for place, label in labels.items():
        verdict = verdicts[place]
        if verdict["outcome"] == "undecided":
            worst, best = verdict["bounds"]
            assert worst <= scores[label] <= best, place
        else:
            assert verdict["outcome"] == label, place


def test_rules_decide_most_items(run: tuple[Path, str, int]) -> None:
    counts = Counter(v["outcome"] == "undecided" for v in lines(run[0] / "verdicts.jsonl"))
    assert counts[False] / counts.total() >= 0.8


def test_gold_is_true_of_the_documents() -> None:
    code, said = judge("check", *INPUTS)
    assert code == 0, said
    assert "0 problems in gold" in said
    _, said = judge("check", *INPUTS, "--json", "--judge", "m", "--base-url", "http://127.0.0.1:9/v1")
    found = json.loads(said)
    assert found["estimate"]["calls"] > sum(found["questions"].values()), "the rounds that favourable answers lead to are counted"


def test_the_documents_are_what_their_texts_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    builder = importlib.import_module("build_sample")
    for layout in builder.LAYOUTS:
        builder.build(layout, tmp_path / layout.file)
        written, shipped = (pymupdf.open(folder / layout.file) for folder in (tmp_path, DEAL / "documents"))
        assert [page.get_text() for page in written] == [page.get_text() for page in shipped], layout.file


# ---- the README --------------------------------------------------------------------------------------------------


README = (ROOT / "README.md").read_text("utf-8")


def block(marker: str) -> str:
    """The fenced block of the README that follows a marker comment."""
    found = re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", README, re.S)
    assert found is not None, marker
    return found[1]


def test_the_output_that_the_readme_shows_is_the_output(run: tuple[Path, str, int]) -> None:
    """Every line shown is a line printed, in this order; `...` stands for lines left out."""
    printed = iter(line.rstrip() for line in run[1].splitlines())
    for line in (shown.rstrip() for shown in block("output of the sample run").splitlines()):
        if line.strip() not in ("", "..."):
            assert line in printed, line


def test_the_readme_counts_what_the_run_counts(run: tuple[Path, str, int]) -> None:
    counts = json.loads((run[0] / "summary.json").read_text("utf-8"))["counts"]
    decided = counts["items"] - counts["undecided"]
    assert f"{decided} of {counts['items']} items ({100 * decided / counts['items']:.0f} %)" in " ".join(README.split())
    guide = " ".join(Path("docs/use/analyst.md").read_text("utf-8").split())
    assert f"items stay open ({counts['open']} where Tesseract is not installed)" in guide


def test_the_commands_of_the_readme_exist() -> None:
    for line in block("commands").splitlines():
        words = shlex.split(line.partition("  #")[0])
        if not words:
            continue
        assert words[0] == "judge"
        command = group.get_command(None, words[1])  # type: ignore[arg-type]
        assert command is not None, line
        if isinstance(command, click.Group):
            command = command.commands.get(words[2]) or command.commands["page"]  # `judge history DIR`
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= flags, line


def test_the_python_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "sample").symlink_to(DEAL)
    names: dict[str, Any] = {}
    exec(block("python"), names)
    assert names["evaluation"].verdict == "fail"


def test_the_picture_in_the_readme_names_what_is_there() -> None:
    for package, entries in re.findall(r"^(judge|rubrics|deterministic|calibration)/(.*?)(?=^\S|\Z)", block("packages"), re.S | re.M):
        for name in re.findall(r"\b[a-z_]+(?:\.py|/)", entries):
            assert any((ROOT / package).rglob(name.rstrip("/"))), f"{package}/{name}"


def test_links_of_readme_and_docs_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pages_that_the_code_names_are_there() -> None:
    """A rule's page of the specification (`design/quotes.md`) and any other page that code or tests name."""
    code = [
        path
        for folder in ("judge", "deterministic", "calibration", "rubrics", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*")
    ]
    for path in (path for path in code if path.suffix in (".py", ".toml")):
        for named in re.findall(r"\b(?:docs/)?((?:design|use|contract|development)/[a-z_-]+\.md)", path.read_text("utf-8")):
            assert (ROOT / "docs" / named).exists(), f"{path.relative_to(ROOT)}: {named}"


def test_the_lines_of_the_format_guide_are_valid_input_and_right(tmp_path: Path) -> None:
    """The guide's batch and gold lines, judged against the sample's documents: nothing but what it says of them."""
    blocks = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "contract" / "formats.md").read_text("utf-8"), re.S)
    rows = [json.loads(text) for text in blocks]
    for name, wanted in (("batch", "output"), ("gold", "gold")):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows if wanted in row), "utf-8")
    inputs = [str(tmp_path / "batch.jsonl"), "--gold", str(tmp_path / "gold.jsonl"), "--documents", str(DEAL / "documents")]
    code, said = judge("check", *inputs, "--cache-dir", str(tmp_path / "cache"))
    assert (code, "0 problems in gold" in said) == (0, True), said
    judge("run", *inputs, "--out", str(tmp_path / "out"), "--display", "none", "--cache-dir", str(tmp_path / "cache"), "--reports", "none")
    outcomes = {v["outcome"] for v in lines(tmp_path / "out" / "verdicts.jsonl")}
    assert outcomes <= {"correct", "true_negative", "grounded_refusal", "undecided"}


def test_the_contract_page_has_every_assumption() -> None:
    page = (ROOT / "docs" / "contract" / "contract.md").read_text("utf-8")
    for name, text in load_contract().assumptions.items():
        assert f"| {name} | {text} |" in page, name
