"""Benchmark validation's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.benchmark.schema import BenchmarkFinding, BenchmarkFindingGold, BenchmarkGold, BenchmarkOutput
from judge.capabilities.gold_parts import (
    Documents,
    added,
    chosen,
    citation_faults,
    gold_task,
    json_choices,
    missing_choices,
    plain,
    words_faults,
)
from judge.cases import Case
from rubrics.contract import Contract

_PARTS: Mapping[str, Any] = {"head": BenchmarkGold, "findings": BenchmarkFindingGold, "missing": list[BenchmarkFindingGold]}


def gold_tasks(case: Case) -> list[GoldTask]:
    """The benchmark, each reported finding, and what may be missing."""
    output: BenchmarkOutput = case.output
    head = _head(output)
    tasks = [gold_task(("head",), "Are benchmark, law and market right?", head, json_choices(head, "None applies")[:2])]
    for n, finding in enumerate(output.findings):
        choices = json_choices(_finding_draft(finding), "No such term")
        tasks.append(gold_task(("findings", str(n)), f"Is this finding right: {finding.term}?", plain(finding), choices, finding))
    example = {"term": "", "finding": "deviation", "deal_value": "", "benchmark_value": "", "gap": "", "benchmark_reference": ""}
    return [*tasks, gold_task(("missing",), "Which terms are missing?", None, missing_choices(example))]


def _head(output: BenchmarkOutput) -> dict[str, Any]:
    return {key: getattr(output, key) for key in ("benchmark", "jurisdiction", "market", "jurisdiction_ambiguous")}


def _finding_draft(finding: BenchmarkFinding) -> dict[str, Any]:
    return {key: value for key, value in plain(finding).items() if key != "disclosure"}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output: BenchmarkOutput = case.output
    head = chosen(_head(output), answers["head",]) or {}
    found = [chosen(_finding_draft(f), answers["findings", str(n)]) for n, f in enumerate(output.findings)]
    return {**head, "findings": [f for f in found if f is not None] + added(answers["missing",])}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected finding, the head, or a list of missing findings is no gold."""
    TypeAdapter(_PARTS[path[0]]).validate_python(json.loads(text))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """The deal's values of deviations, and citations, that the documents lack."""
    gold: BenchmarkGold = case.gold
    for n, finding in enumerate(gold.findings):
        path = f"gold.findings[{n}]"
        if finding.finding == "deviation":
            yield from words_faults(finding.deal_value, f"{path}.deal_value", documents)
        yield from citation_faults(finding, path, documents)
