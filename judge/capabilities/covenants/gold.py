"""Covenant monitoring's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from judge.capabilities import Choice, Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.cases import Case
from judge.capabilities.covenants.schema import Covenant, CovenantGold, CovenantOutput, CovenantsGold, Flag
from judge.capabilities.gold_forms import Input, place_inputs, read_form
from judge.capabilities.gold_parts import (
    Documents,
    added,
    chosen,
    citation_faults,
    flat_place,
    form_choices,
    form_of,
    gold_task,
    missing_choices,
    plain,
    words_faults,
)
from rubrics.contract import Contract

_TYPES = tuple((name, name) for name in ("financial", "information", "negative", "positive"))
_FREQUENCIES = tuple(
    (name, name.replace("semi_", "semi-").replace("_", " "))
    for name in ("monthly", "quarterly", "semi_annual", "annual", "on_event", "none")
)
_FLAGS = (("waiver", "Waiver"), ("carve_out", "Carve-out"), ("grace_period", "Grace period"), ("cross_default", "Cross default"))
_FLAG = (
    Input("kind", "Flag", "choice", _FLAGS, is_needed=True),
    Input("covenant", "Covenant waived", only_for=("waiver",)),
    Input("original_threshold", "Original threshold", only_for=("waiver",)),
    Input("waived_threshold", "Threshold while waived", only_for=("waiver",)),
    Input("period", "Period of the waiver", only_for=("waiver",)),
    Input("temporary", "Temporary", "yes_no", only_for=("waiver",)),
    Input(
        "items",
        "Carve-outs",
        "forms",
        inner=(Input("scope", "What is carved out", is_needed=True), Input("cap", "Cap", "amount")),
        only_for=("carve_out",),
    ),
    Input("days", "Days, with their unit", only_for=("grace_period",), hint="10 Business Days"),
    Input("triggers", "Triggers, one a line", "lines", only_for=("grace_period",)),
    Input("threshold", "Threshold", "amount", only_for=("cross_default",)),
)


def _form(case: Case) -> tuple[Input, ...]:
    flag = (*_FLAG, *place_inputs(case.documents, is_needed=False))
    return (
        Input("name", "Name", is_needed=True),
        Input("aliases", "Other names, one a line", "lines"),
        Input("type", "Type", "choice", _TYPES, is_needed=True),
        Input("secondary_type", "Second type", "choice", _TYPES),
        Input("threshold", "Threshold, as the document says it", hint="shall not exceed 4.00:1"),
        Input("testing_frequency", "Tested", "choice", _FREQUENCIES),
        Input("effective_date", "Effective date, or original", "effective_date", hint="2026-03-31"),
        Input("flags", "Flags", "forms", inner=flag),
        *place_inputs(case.documents),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """Each reported covenant, and what may be missing."""
    output: CovenantOutput = case.output
    form = _form(case)
    tasks = [
        gold_task(
            ("covenants", str(n)), f"Is this covenant right: {c.name}?", plain(c), form_choices(form, _draft(c), "No such covenant"), c
        )
        for n, c in enumerate(output.covenants)
    ]
    tasks += [
        gold_task(("flags", str(n)), f"Is this flag right: {flag.kind.replace('_', ' ')}?", plain(flag), _flag_choices(case, flag), flag)
        for n, flag in enumerate(output.flags)
    ]
    return [*tasks, gold_task(("missing",), "Which covenants of the document are missing?", None, missing_choices(form, "covenant"))]


def _flag_choices(case: Case, flag: Flag) -> list[Choice]:
    """For a flag of the case, which hangs on no covenant."""
    return form_choices((*_FLAG, *place_inputs(case.documents, is_needed=False)), flat_place(plain(flag)), "No such flag")


def _draft(covenant: Covenant) -> dict[str, Any]:
    """A reported covenant in the form: what a choice does not have is left for the person to say."""
    found = plain(covenant)
    for key, options in (("type", _TYPES), ("secondary_type", _TYPES), ("testing_frequency", _FREQUENCIES)):
        if found.get(key) not in {name for name, _ in options}:
            found.pop(key, None)
    return {**found, "flags": [flat_place(flag) for flag in found.get("flags", ())]}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output: CovenantOutput = case.output
    form = _form(case)
    found = [chosen(plain(c), answers["covenants", str(n)], form) for n, c in enumerate(output.covenants)]
    tasks = gold_tasks(case)
    paths = [("flags", str(n)) for n in range(len(output.flags))]
    flags = [chosen(plain(f), answers[path], form_of(tasks, path)) for f, path in zip(output.flags, paths, strict=True)]
    listed = {"flags": kept} if (kept := [flag for flag in flags if flag is not None]) else {}
    return {"covenants": [c for c in found if c is not None] + added(answers["missing",], form_of(tasks, ("missing",))), **listed}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected covenant, or a list of missing ones, is no gold."""
    found = read_form(form_of(gold_tasks(case), path), json.loads(text))
    if path[0] == "flags":
        Flag.model_validate(found)
        return
    TypeAdapter(list[CovenantGold]).validate_python(found["missing"] if path[0] == "missing" else [found])


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Thresholds and citations that the documents lack."""
    gold: CovenantsGold = case.gold
    for n, covenant in enumerate(gold.covenants):
        path = f"gold.covenants[{n}]"
        yield from words_faults(covenant.threshold, f"{path}.threshold", documents)
        yield from citation_faults(covenant, path, documents)
    for n, flag in enumerate(gold.flags):
        yield from words_faults(flag.threshold, f"gold.flags[{n}].threshold", documents)
        yield from citation_faults(flag, f"gold.flags[{n}]", documents)
