"""Every path of the rules to `fail` and `hallucination`, each with its nearest right input (design/README.md).

A row is the function that decides, a wrong input with the label that it must get, and the nearest right one, which must get neither
label. The last tests read the rules' source: a new path, or a new reason of a known one, without a row fails them.
docs/development/nearest_right.md is the table of the rows; `python -m tests.test_nearest_right` writes it.
"""

import ast
import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import judge.capabilities
from judge.capabilities.decisions import closed
from judge.records import Item, Part
from rubrics.contract import load_contract
from tests.capability_cases import PAGES, cite, context, document, judged
from tests.tables import table, text
from tests.test_benchmark import FEE, FEE_QUOTE, MARGIN, QUOTE
from tests.test_covenants import COVER, LEVERAGE, bare
from tests.test_extraction import CITES, GOLD, right_output

Given = Callable[[], Item]


class Row(NamedTuple):
    path: str
    what: str
    wrong: Given
    label: str
    nearest: str
    right: Given


def field(key: str, value: Any, truth: dict[str, Any] | None = None, *, verdict: str | None = None, **more: Any) -> Given:
    """One field of an otherwise right output; value None: not mentioned."""

    def judge() -> Item:
        fields = right_output()
        if value is None and not more:
            del fields[key]
        else:
            cited = {"citation": CITES[key]} if key in CITES else {}
            fields[key] = {"status": "extracted", **cited, **({"value": value} if value is not None else {}), **more}
        gold = GOLD | ({key: truth} if truth is not None else {})
        verdicts = {"semantic_match": verdict, "quote_support": verdict} if verdict else None
        ctx = context("loan_onboarding", {"document_type": "primary_agreement", "fields": fields}, {"fields": gold})
        return judged(ctx, verdicts)[f"fields.{key}"]

    return judge


def covenant(
    changes: dict[str, Any], gold: dict[str, Any] | None = None, *, verdict: str | None = None, rubric: str = "semantic_match"
) -> Given:
    def judge() -> Item:
        ctx = context("covenant_monitoring", {"covenants": [LEVERAGE | changes]}, {"covenants": [bare(LEVERAGE) | (gold or {})]})
        return judged(ctx, {rubric: verdict} if verdict else None)["covenants.Leverage Ratio"]

    return judge


def case_flag(top: list[dict[str, Any]], at_covenant: list[dict[str, Any]]) -> Given:
    """A cross default of the case, reported at the output's top level or at a covenant."""

    def judge() -> Item:
        output = {"covenants": [LEVERAGE | {"flags": at_covenant}], "flags": top}
        truth = {"covenants": [bare(LEVERAGE)], "flags": [{"kind": "cross_default", "threshold": "£3,200,000"}]}
        return judged(context("covenant_monitoring", output, truth))["flags.cross_default"]

    return judge


def extra_covenant(changes: dict[str, Any]) -> Given:
    def judge() -> Item:
        reported = [LEVERAGE, COVER | {"name": "Gearing Ratio"} | changes]
        return judged(context("covenant_monitoring", {"covenants": reported}, {"covenants": [bare(LEVERAGE)]}))["covenants.+Gearing Ratio"]

    return judge


DEAL = {"jurisdiction": "English law", "market": "European", "benchmark": "LMA"}


def benchmark(
    item: str, reported: list[dict[str, Any]] | None, gold: list[dict[str, Any]], verdict: tuple[str, str] | None = None, **deal: Any
) -> Given:
    def judge() -> Item:
        truth = {"benchmark": "LMA", "jurisdiction": "English law", "market": "European", **deal.get("truth", {})}
        said = {**DEAL, **{key: value for key, value in deal.items() if key != "truth"}, "findings": reported}
        output = None if reported is None else said
        ctx = context("benchmark_validation", output, {**truth, "findings": gold})
        return judged(ctx, dict([verdict]) if verdict else None)[item]

    return judge


def margin(verdict: tuple[str, str] | None = None, **changes: Any) -> Given:
    return benchmark("findings.margin", [MARGIN | {"citation": QUOTE} | changes], [MARGIN], verdict)


def fee(**changes: Any) -> Given:
    return benchmark("findings.commitment_fee", [FEE | {"citation": FEE_QUOTE} | changes], [FEE])


CLAIM = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")
RIGHT = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "commitment fee"}


def answer(
    text: str | None,
    gold: dict[str, Any] | None = None,
    claims: list[dict[str, Any]] | None = None,
    verdicts: dict[str, str] | None = None,
    is_scanned: bool = False,
) -> Given:
    def judge() -> Item:
        truth = RIGHT if gold is None else gold
        question = "What is the commitment fee?" if truth["answerable"] else "What are the hedging requirements?"
        more = {"documents": SCANNED} if is_scanned else {}
        output = None if text is None else {"answer": text, "citations": [CLAIM] if claims is None else claims}
        return judged(context("document_qa", output, truth, input={"question": question}, **more), verdicts)["answer"]

    return judge


def amendment(
    reported: dict[str, Any], gold: dict[str, Any], item: str = "fields.margin", kind: str = "amendment", verdict: str | None = None
) -> Given:
    def judge() -> Item:
        fields = {key: {"status": "unchanged"} for key in GOLD} | {"margin": reported}
        truth = {key: {"unchanged": True} for key in GOLD} | {"margin": gold}
        ctx = context("loan_onboarding", {"document_type": kind, "fields": fields}, {"document_type": "amendment", "fields": truth})
        return judged(ctx, {"semantic_match": verdict, "quote_support": "supports"} if verdict else None)[item]

    return judge


TOP = {key: value for key, value in GOLD.items() if key not in ("margin", "facility_amount")}


def tranche(label: str, item: str, amount: str = "£48,000,000", *, verdict: str | None = None, gold: str = "Facility A") -> Given:
    """One tranche beside gold's Facility A and Facility B."""

    def judge() -> Item:
        cited = {"citation": cite(2, "Clause 2.1(a)", "a sterling term loan facility in an aggregate amount equal to £48,000,000")}
        other = {"citation": cite(2, "Clause 2.1(b)", "a sterling revolving credit facility in an aggregate amount equal to £16,000,000")}
        second = {"label": "Facility B", "fields": {"facility_amount": {"status": "extracted", "value": "£16,000,000", **other}}}
        first = {"label": label, "fields": {"facility_amount": {"status": "extracted", "value": amount, **cited}}}
        fields = {k: v for k, v in right_output().items() if k in TOP}
        truth = [
            {"label": gold, "fields": {"facility_amount": {"value": "£48,000,000"}}},
            {"label": "Facility B", "fields": {"facility_amount": {"value": "£16,000,000"}}},
        ]
        ctx = context("loan_onboarding", {"fields": fields, "tranches": [first, second]}, {"fields": TOP, "tranches": truth})
        items = judged(ctx, {"semantic_match": verdict} if verdict else None)
        return items.get(item) or next(v for k, v in items.items() if k.startswith("tranches."))

    return judge


def extra_field(value: str) -> Given:
    """A margin of a tranche that gold has at the top."""

    def judge() -> Item:
        reported = {
            "label": "Facility A",
            "fields": {"facility_amount": {"status": "extracted", "value": value, "citation": CITES["facility_amount"]}},
        }
        truth = {"label": "Facility A", "fields": {"margin": GOLD["margin"]}}
        top = {k: v for k, v in GOLD.items() if k != "margin"}
        ctx = context("loan_onboarding", {"fields": right_output(), "tranches": [reported]}, {"fields": top, "tranches": [truth]})
        return judged(ctx)["tranches.Facility A.facility_amount"]

    return judge


SCANNED = (document(pages=(*PAGES, ""), states=("text",) * len(PAGES) + ("scan",)),)


def given(builder: str, arguments: list[Any], more: dict[str, Any] | None = None) -> Given:
    """What a row says: the name of a builder above and what it is given."""
    built: Given = globals()[builder](*arguments, **(more or {}))
    return built


ROWS = [
    Row(path, what, given(*wrong), label, nearest, given(*right))
    for path, what, wrong, label, nearest, right in table("nearest_right", "rows")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path.split('.')[-1]}: {row.what}")
def test_the_wrong_input_gets_its_label_and_the_nearest_right_one_neither(row: Row) -> None:
    assert row.wrong().outcome == row.label
    assert row.right().outcome not in ("fail", "hallucination")


def test_every_path_to_a_zero_has_a_row() -> None:
    """A path is a function of the rules that closes a part as a fail or a hallucination; each of its labels has a row."""
    told = {(row.path, row.label) for row in ROWS}
    assert {(path, label) for path, label, *_ in _sites()} - told == set()
    assert {path for path, _ in told} - {path for path, *_ in _sites()} == {"provenance.absent"}  # whose label is the contract's


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
    assert missed == []


def test_every_word_of_a_citation_that_costs_everything_has_a_row() -> None:
    """Labels that the contract gives to provenance words are in no call of the rules."""
    zeros = {(word, label) for word, label in load_contract().provenance_labels.items() if label in ("fail", "hallucination")}
    items = [row.wrong() for row in ROWS if row.path.startswith("provenance.")]
    assert zeros <= {(str(item.provenance.outcome), str(item.outcome)) for item in items}


def test_the_page_lists_every_row() -> None:
    assert PAGE.read_text("utf-8") == page()


PAGE = Path(__file__).parents[1] / "docs" / "development" / "nearest_right.md"
HEAD = text("nearest_right", "head")


def page() -> str:
    return f"{HEAD}\n" + "".join(f"| `{row.path}` | {row.what} | {row.label} | {row.nearest} |\n" for row in ROWS)


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


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
