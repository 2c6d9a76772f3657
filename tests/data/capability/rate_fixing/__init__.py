"""A capability of another distribution: the interest rates that a system read off a document, each with its citation."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from pydantic import TypeAdapter

from deterministic.documents.documents import Document
from deterministic.values import KINDS, Surroundings
from judge.capabilities import Capability, Fault, GoldAnswers, GoldPath, GoldTask, Group, nothing
from judge.capabilities.cases import Case, Cited, NoInput, Strict, Text
from judge.capabilities.context import Context
from judge.capabilities.decisions import Subject, closed, decide, decide_extra, opened, worst_part
from judge.capabilities.gold import (
    Input,
    added,
    as_json,
    chosen,
    form_choices,
    form_of,
    gold_task,
    missing_task,
    place_inputs,
    read_form,
    words_faults,
)
from judge.capabilities.provenance import Support, assess_all, gold_places
from judge.capabilities.registry import rules_of
from judge.records import Decision, Finding, Outcome, Part
from rubrics.contract import Contract

RATE = KINDS["rate"]


class Fixing(Cited):
    """One rate by its name."""

    name: Text
    rate: Text


class Fixings(Strict):
    """Output and gold alike."""

    fixings: tuple[Fixing, ...] = ()


class Rules(Strict):
    """[capabilities.rate_fixing] of the contract."""

    weight: Fraction


def judge(context: Context) -> list[Decision]:
    output: Fixings = context.case.output or Fixings()
    gold: Fixings | None = context.case.gold
    if gold is None:
        return [_item(context, fixing.name, fixing, None) for fixing in output.fixings]
    reported = {fixing.name: fixing for fixing in output.fixings}
    decisions = [_item(context, true.name, reported.pop(true.name, None), true) for true in gold.fixings]
    return [*decisions, *(_extra(context, fixing) for fixing in reported.values())]


def _item(context: Context, name: str, mine: Fixing | None, true: Fixing | None) -> Decision:
    weight = rules_of("rate_fixing", context.contract).weight
    subject = Subject(f"fixings.{name}", weight, reported=mine and mine.rate, gold=true and true.rate)
    if mine is None:
        return decide(context, subject, closed(Outcome.FAIL, f"{name} is missed.", "fixing", Finding("NOT_REPORTED", name)))
    support = Support("rate", mine.rate, lambda text: RATE.supports(mine.rate, text))
    assessed, provenances = assess_all(context, mine.claims, support, gold_places(true.claims) if true else ())
    return decide(context, subject, worst_part([_rate_part(mine, true), assessed.part]), assessed.provenance, provenances)


def _rate_part(mine: Fixing, true: Fixing | None) -> Part:
    if true is None:
        return opened(Outcome.FAIL, Outcome.CORRECT, f"{mine.rate} is not compared.", "fixing", "no_reference")
    found = RATE.compare(mine.rate, true.rate, (), Surroundings())
    outcome = {"correct": Outcome.CORRECT, "semantic_match": Outcome.CORRECT, "partial": Outcome.PARTIAL, "wrong": Outcome.FAIL}
    if found.label == "open":
        return opened(Outcome.FAIL, Outcome.CORRECT, found.reason, "fixing", "no_rule")
    return closed(outcome[found.label], found.reason, "fixing")


def _extra(context: Context, mine: Fixing) -> Decision:
    assessed, provenances = assess_all(context, mine.claims, None)
    subject = Subject(f"fixings.+{mine.name}", Fraction(0), reported=mine.rate)
    return decide_extra(context, subject, Finding("EXTRA_FIXING", mine.name), assessed.part, assessed.provenance, provenances)


def gold_faults(case: Case, documents: Mapping[str, Document], contract: Contract) -> Iterator[Fault]:
    for n, fixing in enumerate(case.gold.fixings):
        yield from words_faults(fixing.rate, f"gold.fixings[{n}].rate", documents)


def _form(case: Case) -> tuple[Input, ...]:
    return Input("name", "Name", is_needed=True), Input("rate", "Rate", is_needed=True), *place_inputs(case.documents)


def gold_tasks(case: Case) -> list[GoldTask]:
    form = _form(case)
    tasks = [
        gold_task(
            ("fixings", str(n)), f"Is {fixing.name} right?", as_json(fixing), form_choices(form, as_json(fixing), "No such rate"), fixing
        )
        for n, fixing in enumerate(case.output.fixings)
    ]
    return [*tasks, missing_task(form, "rate")]


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    found = [chosen(as_json(fixing), answers["fixings", str(n)], _form(case)) for n, fixing in enumerate(case.output.fixings)]
    missing = added(answers["missing",], form_of(gold_tasks(case), ("missing",)))
    return {"fixings": [fixing for fixing in found if fixing is not None] + missing}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    found = read_form(form_of(gold_tasks(case), path), json.loads(text))
    TypeAdapter(list[Fixing]).validate_python(found["missing"] if path[0] == "missing" else [found])


CAPABILITY = Capability(
    name="rate_fixing",
    title="Rate fixing",
    input=NoInput,
    output=Fixings,
    gold=Fixings,
    labels={
        Outcome.CORRECT: "the rate that was fixed",
        Outcome.PARTIAL: "right, with an imprecise citation",
        Outcome.FAIL: "another rate",
        Outcome.HALLUCINATION: "a rate that is nowhere in the document",
    },
    groups={"fixings": Group("rate fixing", is_list=True)},
    gates=frozenset(),
    rules=Rules,
    judge=judge,
    gold_gaps=nothing,
    gold_faults=gold_faults,
    gold_tasks=gold_tasks,
    gold_of=gold_of,
    check_answer=check_answer,
)
