"""Every path of the rules to `fail` and `hallucination`, each with its nearest right input (design/README.md).

A row is the function that decides, a wrong input with the label that it must get, and the nearest right one, which must get neither
label. tests/test_registrations.py reads the rules' source: a new path, or a new reason of a known one, without a row fails it.
docs/development/nearest_right.md is the table of the rows; `python -m tests.test_nearest_right` writes it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from judge.records import Item
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


PAGE = Path(__file__).parents[1] / "docs" / "development" / "nearest_right.md"
HEAD = text("nearest_right", "head")


def page() -> str:
    return f"{HEAD}\n" + "".join(f"| `{row.path}` | {row.what} | {row.label} | {row.nearest} |\n" for row in ROWS)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
