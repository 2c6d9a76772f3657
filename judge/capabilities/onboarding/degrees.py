"""A field under the companion rubric: the lowest of its content, how much of the value a text gives, and its citation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deterministic.values import repayment
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, by_verdict, closed, figure_fact, form_fact, text_of
from judge.capabilities.figures import values_in
from judge.capabilities.onboarding import FieldGold
from judge.capabilities.onboarding.field_values import FieldView, invented, reported_value
from judge.capabilities.provenance import Assessed, aside_of
from judge.capabilities.scoring.citations import score_of, worth_of
from judge.capabilities.scoring.dimensions import lowest
from judge.records import NOT_REQUIRED, Fact, Outcome, Part, Question

RULE = "companion: degree"
GRADED = frozenset({"repayment", "conditions", "facility_type"})  # kinds whose text can name the kind of thing alone


def field_aside(
    context: Context, view: FieldView, content: Part, cited: Assessed | None, others: Sequence[Part], found: Part | None
) -> Aside | None:
    """The scores and checks of one field; None under a contract without dimensions.

    cited: its citations where it owes some; others: what else its citations can make of it, and its scope; found: whether its tranche is
    the one that was reported, None where no judge is needed for that.
    """
    if (rules := context.contract.dimensions) is None:
        return None
    parts = {"content": content} | ({"degree": degree} if (degree := _degree(context, view, content)) is not None else {})
    scores = [score_of(part, rules.content) for part in parts.values()]
    if cited is not None and cited.measure is not None:
        scores.append(cited.measure.worth)
    else:
        scores += [worth_of(part, NOT_REQUIRED, rules) for part in others]
    if found is not None:
        scores.append(score_of(found, rules.content))
    aside = aside_of({"field": lowest(scores)} if view.gold is not None else {}, parts, cited, _facts(context, view, content))
    asked = aside.asked if cited is not None else (*aside.asked, *others)
    if found is not None:
        asked = (found,) if found.questions else (found, *asked)
    return replace(aside, asked=asked, parts=aside.parts if found is None else {**aside.parts, "found": found})


def _degree(context: Context, view: FieldView, content: Part) -> Part | None:
    """How much of the value a text gives that a judge found to be part of it; None where a rule or the judge told all."""
    asked = content.question
    if view.kind not in GRADED or content.is_open or content.best is not Outcome.PARTIAL:
        return None
    if asked is None:
        bare = "Only the type is given, without instalment, date or amount."
        return closed(Outcome.PARTIAL, bare, RULE, mark="structural") if _is_bare(view) else None
    branches = {
        "part": closed(Outcome.PARTIAL, "The judge finds that a part of the value is given.", RULE),
        "structural": closed(Outcome.PARTIAL, "The judge finds that only the kind of thing is named.", RULE, mark="structural"),
        "wrong": closed(Outcome.FAIL, "The judge finds that nothing of the value is given rightly.", RULE),
    }
    question = Question("value_degree", asked.variables)
    return by_verdict(context.answers, question, branches, "No rule tells how much of the value is given.", RULE)


def _is_bare(view: FieldView) -> bool:
    """A repayment type and nothing else, where a rule found the rest of gold's schedule wanting."""
    text = text_of(reported_value(view.reported)) or ""
    read = repayment.parse(text) if view.kind == "repayment" else None
    return read is not None and not (read.frequency or read.instalments or read.days or values_in(text))


def _facts(context: Context, view: FieldView, content: Part) -> Mapping[str, Fact]:
    """Whether the value is gold's figure, and written as gold writes it; nothing of a field that claims none."""
    value = reported_value(view.reported)
    if value is None:
        return {}
    missing = bool(invented(context, view.kind, value))
    return {
        "figure": figure_fact(content, missing if context.is_readable or not missing else None),
        "form": form_fact(text_of(value), *map(text_of, _truths(view.gold))),
    }


def _truths(gold: FieldGold | None) -> tuple[object, ...]:
    return () if gold is None else (gold.amended.new_value,) if gold.amended is not None else (gold.value, *gold.accepted)
