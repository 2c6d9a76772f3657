"""Covenant monitoring's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.covenants.schema import CovenantGold, CovenantOutput, CovenantsGold
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


def gold_tasks(case: Case) -> list[GoldTask]:
    """Each reported covenant, and what may be missing."""
    output: CovenantOutput = case.output
    tasks = [
        gold_task(("covenants", str(n)), f"Is this covenant right: {c.name}?", plain(c), json_choices(plain(c), "No such covenant"), c)
        for n, c in enumerate(output.covenants)
    ]
    example = {"name": "", "type": "financial", "threshold": "", "testing_frequency": "quarterly", "effective_date": "original"}
    return [*tasks, gold_task(("missing",), "Which covenants of the document are missing?", None, missing_choices(example))]


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output: CovenantOutput = case.output
    found = [chosen(plain(c), answers["covenants", str(n)]) for n, c in enumerate(output.covenants)]
    return {"covenants": [c for c in found if c is not None] + added(answers["missing",])}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected covenant, or a list of missing ones, is no gold."""
    TypeAdapter(list[CovenantGold] if path[0] == "missing" else CovenantGold).validate_python(json.loads(text))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Thresholds and citations that the documents lack."""
    gold: CovenantsGold = case.gold
    for n, covenant in enumerate(gold.covenants):
        path = f"gold.covenants[{n}]"
        yield from words_faults(covenant.threshold, f"{path}.threshold", documents)
        yield from citation_faults(covenant, path, documents)
