"""A field under the companion rubric: the lowest of its content, how much of the value a text gives, and its citation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from deterministic.values import repayment
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, by_verdict, closed, figure_fact, form_fact, text_of
from judge.capabilities.figures import values_in
from judge.capabilities.measures import lowest, score_of, worth_of
from judge.capabilities.onboarding import FieldGold
from judge.capabilities.onboarding.field_values import FieldView, invented, reported_value
from judge.capabilities.provenance import Assessed
from judge.records import NOT_REQUIRED, Bounds, Fact, Item, Outcome, Part, Question
from rubrics.contract import Dimensions

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
    measure = cited.measure if cited is not None else None
    parts = {"content": content} | ({"degree": degree} if (degree := _degree(context, view, content)) is not None else {})
    scores = [score_of(part, rules.content) for part in parts.values()]
    scores += [measure.worth] if measure is not None else [worth_of(part, NOT_REQUIRED, rules) for part in others]
    asked = (*parts.values(), *(cited.asked if cited is not None else others))
    if found is not None:
        scores.append(score_of(found, rules.content))
        asked = (found,) if found.questions else (found, *asked)
        parts["found"] = found
    dimensions = ({"field": lowest(scores)} if view.gold is not None else {}) | (measure.dimensions if measure is not None else {})
    if cited is not None:
        parts["provenance"] = cited.part
    return Aside(dimensions, parts, tuple(asked), _facts(context, view, content))


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


# ---- a case ------------------------------------------------------------------------------------------------------


def item_score(item: Item, rules: Dimensions) -> Bounds:
    """What one field is worth."""
    return item.dimensions["field"]


def composite(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """The mean of the fields, weighted by tier; the document's type is the standard's alone (B16)."""
    fields = [item for item in items if "field" in item.dimensions and item.weight]
    total = sum((item.weight for item in fields), Fraction(0))
    if not total:
        return {"score": (Fraction(1), Fraction(1))}
    low, high = (sum((item.weight * item.dimensions["field"][end] for item in fields), Fraction(0)) / total for end in (0, 1))
    return {"score": (low, high)}
