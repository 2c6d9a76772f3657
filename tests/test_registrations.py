"""What has to be named in several places is named in all; a failing test says which file to change next (`.ci/run registrations`)."""

import ast
import functools
import importlib
import pkgutil
import re
import sys
import tomllib
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from result_folder_samples import sample_lines, write_results

import judge.capabilities
from deterministic.values import KINDS
from deterministic.values.comparison import nothing
from judge.capabilities import registry
from judge.capabilities.decisions import closed
from judge.capabilities.open_points import open_point, point_of_cause
from judge.records import Outcome, Part, Question
from judge.report.files import ReportOptions, write_reports
from judge.results.folder import REPORT_FILES, ResultFolder
from rubrics.contract import load_contract
from rubrics.contract_sections import KindName
from rubrics.rubric import SHIPPED, shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE
from tests.tables import entries
from tests.test_nearest_right import PAGE, ROWS, page

ROOT = Path(__file__).parents[1]


def _trees(folder: str) -> list[ast.Module]:
    return [ast.parse(read(str(file))) for file in sorted((ROOT / folder).rglob("*.py"))]


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_no_folder_and_no_module_is_too_large_to_be_taken_in() -> None:
    product = ("judge", "deterministic", "calibration", "rubrics")
    files = [file for package in (*product, "benchmarks") for file in (ROOT / package).rglob("*.py")]
    long = [str(file) for file in files if len(read(str(file)).splitlines()) > 400 and file.relative_to(ROOT).parts[0] in product]
    assert long == [], "more than 400 lines: divide the module"
    counts = Counter(file.parent for file in files)
    told = "more than 20 modules: divide it into folders whose __init__ says why (docs/development/architecture.md)"
    assert [str(folder) for folder, count in counts.items() if count > 20] == [], told
    faces = [file for file in files if file.name == "__init__.py"]
    assert [str(file) for file in faces if not ast.get_docstring(ast.parse(read(str(file))))] == [], "say why it is a folder"
    needing = [str(file) for file in (ROOT / "tests").rglob("*.py") if re.search("^ *(from|import) benchmarks", read(str(file)), re.M)]
    assert needing == [], "a test of the product needs no benchmark: what it needs stands in tests, or the test in benchmarks/tests"


def test_a_kind_of_value_is_named_wherever_it_is_read() -> None:
    named = "name it in `KindName` of rubrics/contract_sections.py and in `_RULES` of deterministic/values/__init__.py"
    assert set(get_args(KindName)) == set(KINDS), named
    rows = "".join(line.split("|")[1] for line in read("docs/design/values.md").split("## ")[0].splitlines() if line.startswith("|"))
    assert [name for name in KINDS if name not in rows.replace(" ", "_")] == [], "its row stands in docs/design/values.md"


def test_nobody_asks_for_a_kind_of_value_by_its_name() -> None:
    compared = [node for tree in _trees("judge") for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    by_kind = [node for node in compared if any("kind" in getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node))]
    asked = [ast.unparse(node) for node in by_kind if any(isinstance(p, ast.Constant) and p.value in KINDS for p in ast.walk(node))]
    assert asked == [], "what sets a kind apart is an attribute of `Kind` in deterministic/values/comparison.py"


def test_literal_kinds_are_those_of_the_fabrication_rule_and_have_a_scan() -> None:
    literal = {name for name, kind in KINDS.items() if kind.is_literal}
    named = {"party", "party_list", "money", "currency", "date", "period", "rate", "reference_rate", "law"}
    assert literal == named, "docs/design/values.md (Invented) says what can be invented, and so does this test"
    scanned = {name for name, kind in KINDS.items() if kind.scan is not nothing} | {"party", "party_list"}
    told = "give it a `scan` in `_RULES` of deterministic/values/__init__.py: without it a second value in a quote is not seen"
    assert literal == scanned, told
    right = {"party_list", "currency", *entries("values_whole", "right", tuples=True)}
    assert literal <= right, (
        "give a right and another value in `right` of tests/data/tables/values_whole.txt: nothing guarded beside it is equal"
    )


def test_rubrics_and_their_verdicts_are_those_of_the_interface() -> None:
    given = {name: " ".join(choice for choice in shipped_rubric(name).choices if choice != CANNOT_DETERMINE) for name in SHIPPED}
    assert given == entries("rubric", "verdicts"), "its verdicts stand in the table `verdicts` of tests/data/tables/rubric.txt too"


@pytest.mark.parametrize("rubric_id", SHIPPED)
def test_every_shipped_rubric_has_examples_a_point_and_labelled_questions(rubric_id: str) -> None:
    rubric, file = shipped_rubric(rubric_id), f"rubrics/{rubric_id}.toml"
    assert rubric.id == rubric_id and len({example.verdict for example in rubric.examples}) >= 2, f"{file}: examples of two verdicts"
    assert all(example.given.keys() == rubric.variables.keys() for example in rubric.examples), f"{file}: given"
    part = Part(Outcome.FAIL, Outcome.CORRECT, "", "", questions=(Question(rubric_id, ()),), why_open="unasked")
    point = rubric.point
    assert point.endswith("?") and open_point(part) == point == point_of_cause("uncovered", rubric_id), f"{file}: point"
    is_written = rubric.has_menus or rubric_id == "quote_picture" or (ROOT / "tests/data/questions" / f"{rubric_id}.toml").is_file()
    assert is_written, f"write some labelled questions in tests/data/questions/{rubric_id}.toml"


def test_a_report_is_registered_once(tmp_path: Path) -> None:
    write_results(tmp_path, sample_lines())
    before, asked_for = {*tmp_path.rglob("*")}, {one.name: True for one in fields(ReportOptions) if one.name.startswith("with_")}
    write_reports(tmp_path, load_contract(), ReportOptions(**asked_for))
    written = {path.name for path in {*tmp_path.rglob("*")} - before}
    told = "name it in `REPORT_FILES` of judge/results/folder.py, write it in `write_reports` of judge/report/files.py"
    assert written == set(REPORT_FILES), told
    write_reports(tmp_path, load_contract(), ReportOptions(redact=True))
    with ResultFolder(tmp_path) as results:
        results.start({"identity": {}}, is_fresh=True)
    assert not [path.name for name in REPORT_FILES for path in tmp_path.rglob(name)]


def test_every_cause_of_an_open_item_has_its_words() -> None:
    """Without them a reader would be told the bare word, and asked "Is it right?" of whatever is open."""
    calls = [node for tree in _trees("judge") for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [call.args[4] for call in calls if getattr(call.func, "id", "") == "opened" and len(call.args) > 4]
    given += [more.value for call in calls for more in call.keywords if more.arg == "why_open"]
    causes = {part.value for one in given for part in ast.walk(one) if isinstance(part, ast.Constant) and part.value}
    rows = tomllib.loads(read("judge/capabilities/open_points.toml"))
    assert {"unreadable", "check_failed", "judge_error"} <= causes and causes - rows.keys() == set(), "a row of open_points.toml says why"


@pytest.mark.parametrize("file", ["README.md", "docs/use/ci.md", "judge/commands/results/report.py"])
def test_every_report_is_told_of(file: str) -> None:
    assert [name for name in REPORT_FILES if name not in read(file)] == [], f"name it in {file}"


def test_a_shipped_capability_is_named_wherever_it_must_be() -> None:
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    folders = {f"judge.capabilities.{file.parent.name}" for file in (ROOT / "judge/capabilities").glob("*/items.py")}
    assert folders == set(registry.SHIPPED.values()), "its line stands in `SHIPPED` of judge/capabilities/registry.py"
    (apart,) = [one["modules"] for one in contracts if one["name"] == "capabilities know nothing of each other"]
    assert set(apart) == set(registry.SHIPPED.values()), "a capability of `SHIPPED` stands in this contract of pyproject.toml too"
    assert [name for name in registry.SHIPPED if f"| `{name}` |" not in read("README.md")] == [], "its row stands in README.md"
    formats = read("docs/contract/formats.md")
    assert [name for name in registry.SHIPPED if f"`{name}`" not in formats] == [], "its formats stand in docs/contract/formats.md"
    texts = tomllib.loads(read("judge/capabilities/labels.toml"))
    assert {one.rpartition(".")[2] for one in folders} == texts.keys(), "what its labels mean stands in judge/capabilities/labels.toml"


def test_no_code_outside_its_folder_names_a_capability() -> None:
    named = {
        str(file.relative_to(ROOT))
        for package in ("judge", "rubrics", "deterministic", "calibration")
        for file in (ROOT / package).rglob("*.py")
        if any(name in file.read_text("utf-8") for name in registry.SHIPPED)
    }
    folders = {f"{package.replace('.', '/')}/__init__.py" for package in registry.SHIPPED.values()}
    assert named == {"judge/capabilities/registry.py", "judge/settings/__init__.py", "judge/samples/checks/house_checks.py"} | folders


def test_every_finding_code_and_rule_of_the_source_is_explained_and_no_other() -> None:
    def source(*rooms: str) -> str:
        return "\n".join(file.read_text("utf-8") for room in rooms for file in sorted((ROOT / room).rglob("*.[pt]*[yl]")))

    told, not_codes = set(re.findall(r"`([^`\n]+)`", read("docs/contract/outcomes.md"))), {"BANK_RATE", "FEDERAL_FUNDS"}
    rules, whole = set(re.findall(r'"([1-5]\.\d(?: [A-Z(][^"{]*)?)"', source("judge/capabilities"))), source("judge", "deterministic")
    rooms = source("judge/capabilities", "judge/results", *(f"deterministic/{room}" for room in ("citations", "quotes", "values")))
    codes = {*re.findall(r'"([A-Z]{4,}(?:_[A-Z]+)+)"', rooms), *re.findall(r'Finding\(\s*"([A-Z_]+)"', whole)}
    assert (rules | codes) - told - not_codes == set(), "its row stands in docs/contract/outcomes.md"
    gone = {name for name in told if re.fullmatch(r"[A-Z]{4,}(_[A-Z]+)*|[1-5]\.\d.*", name) and f'"{name}"' not in whole}
    assert gone == set(), "nothing gives it any more: take it out of docs/contract/outcomes.md"


ROW = "give it a row in `rows` of tests/data/tables/nearest_right.txt, then `python -m tests.test_nearest_right`"


def test_every_path_to_a_zero_has_a_row() -> None:
    """A path is a function of the rules that closes a part as a fail or a hallucination; each of its labels has a row."""
    told = {(row.path, row.label) for row in ROWS}
    assert {(path, label) for path, label, *_ in _sites()} - told == set(), ROW
    assert {path for path, _ in told} - {path for path, *_ in _sites()} == {"provenance.absent"}, "the rows have a path that is gone"


def test_every_reason_for_a_zero_is_given_by_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call in the rules that closes a part as a zero is reached when the wrong inputs are judged."""
    reached: set[tuple[str, int]] = set()

    def recording(*arguments: Any, **more: Any) -> Part:
        frame = sys._getframe(1)
        reached.add((frame.f_globals["__name__"], frame.f_lineno))
        return closed(*arguments, **more)

    for info in pkgutil.walk_packages(judge.capabilities.__path__, "judge.capabilities."):
        module = importlib.import_module(info.name)
        if getattr(module, "closed", None) is closed:
            monkeypatch.setattr(module, "closed", recording)
    for row in ROWS:
        row.wrong()
    missed = [
        f"{path}, line {first}"
        for path, _, first, last in _sites("closed")
        if not reached & {(f"judge.capabilities.{path.rsplit('.', 1)[0]}", line) for line in range(first, last + 1)}
    ]
    assert missed == [], ROW


def test_every_word_of_a_citation_that_costs_everything_has_a_row() -> None:
    """Labels that the contract gives to provenance words are in no call of the rules."""
    zeros = {(word, label) for word, label in load_contract().provenance_labels.items() if label in ("fail", "hallucination")}
    items = [row.wrong() for row in ROWS if row.path.startswith("provenance.")]
    assert zeros <= {(str(item.provenance.outcome), str(item.outcome)) for item in items}, ROW


def test_the_page_lists_every_row() -> None:
    assert PAGE.read_text("utf-8") == page(), "write it anew: `python -m tests.test_nearest_right`"


NOT_OF_AN_ITEM = frozenset({"qa.items._accuracy", "qa.items.imports_part", "onboarding.items._degree", "benchmark.items._facts"})
"""Parts for a rubric's dimensions alone: no item's label comes from them."""


@functools.cache
def _sites(*names: str) -> list[tuple[str, str, int, int]]:
    """The calls that close a part as a zero: function, label, first and last line."""
    found = []
    root = Path(judge.capabilities.__file__).parent
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for function in ast.walk(ast.parse(file.read_text())):
            is_rule = isinstance(function, ast.FunctionDef) and f"{module}.{function.name}" not in NOT_OF_AN_ITEM
            for node in ast.walk(function) if is_rule else ():
                for label in _zeros(node, names or ("closed", "replace")):
                    found.append((f"{module}.{function.name}", label, node.lineno, node.end_lineno or node.lineno))  # type: ignore[attr-defined]
    return found


def _zeros(node: ast.AST, names: tuple[str, ...]) -> set[str]:
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in names):
        return set()
    parts = (part for argument in (*node.args, *(k.value for k in node.keywords)) for part in ast.walk(argument))
    return {p.attr.lower() for p in parts if isinstance(p, ast.Attribute) and p.attr in ("FAIL", "HALLUCINATION")}
