"""Benchmark validation's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.benchmark.schema import BenchmarkFinding, BenchmarkFindingGold, BenchmarkGold, BenchmarkOutput
from judge.capabilities.cases import Case
from judge.capabilities.gold_forms import Input, place_inputs, read_form
from judge.capabilities.gold_parts import (
    Documents,
    added,
    chosen,
    citation_faults,
    form_choices,
    form_of,
    gold_task,
    missing_choices,
    plain,
    words_faults,
)
from rubrics.contract import Contract

_HEAD = (
    Input("benchmark", "Benchmark", hint="LMA, APLMA, LSTA; empty where none applies"),
    Input("jurisdiction", "Governing law"),
    Input("market", "Market"),
    Input("jurisdiction_ambiguous", "Law and market are mixed", "yes_no"),
)
_KINDS = (("deviation", "Deviation"), ("conforming", "Conforming"), ("not_comparable", "Not comparable"))


def _form(case: Case) -> tuple[Input, ...]:
    return (
        Input("term", "Term", is_needed=True),
        Input("finding", "Finding", "choice", _KINDS, is_needed=True),
        Input("deal_value", "Value of the deal", hint="2.75 per cent. per annum"),
        Input("benchmark_value", "Value of the benchmark"),
        Input("gap", "Gap", hint="45 bps"),
        Input("benchmark_reference", "Reference of the benchmark"),
        Input("accepted_references", "Other right references, one a line", "lines"),
        *place_inputs(case.documents),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """The benchmark, each reported finding, and what may be missing."""
    output: BenchmarkOutput = case.output
    head, form = _head(output), _form(case)
    tasks = [gold_task(("head",), "Are benchmark, law and market right?", head, form_choices(_HEAD, head))]
    for n, finding in enumerate(output.findings):
        choices = form_choices(form, _finding_draft(finding), "No such term")
        tasks.append(gold_task(("findings", str(n)), f"Is this finding right: {finding.term}?", plain(finding), choices, finding))
    return [*tasks, gold_task(("missing",), "Which terms are missing?", None, missing_choices(form, "term"))]


def _head(output: BenchmarkOutput) -> dict[str, Any]:
    return {key: getattr(output, key) for key in ("benchmark", "jurisdiction", "market", "jurisdiction_ambiguous")}


def _finding_draft(finding: BenchmarkFinding) -> dict[str, Any]:
    return {key: value for key, value in plain(finding).items() if key != "disclosure"}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output: BenchmarkOutput = case.output
    head, form = chosen(_head(output), answers["head",], _HEAD) or {}, _form(case)
    found = [chosen(_finding_draft(f), answers["findings", str(n)], form) for n, f in enumerate(output.findings)]
    missing = added(answers["missing",], form_of(gold_tasks(case), ("missing",)))
    return {**head, "findings": [f for f in found if f is not None] + missing}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected finding, the head, or a list of missing findings is no gold."""
    found = read_form(form_of(gold_tasks(case), path), json.loads(text))
    if path[0] == "head":
        BenchmarkGold.model_validate(found)
    else:
        TypeAdapter(list[BenchmarkFindingGold]).validate_python(found["missing"] if path[0] == "missing" else [found])


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """The deal's values of deviations, and citations, that the documents lack."""
    gold: BenchmarkGold = case.gold
    for n, finding in enumerate(gold.findings):
        path = f"gold.findings[{n}]"
        if finding.finding == "deviation":
            yield from words_faults(finding.deal_value, f"{path}.deal_value", documents)
        yield from citation_faults(finding, path, documents)
