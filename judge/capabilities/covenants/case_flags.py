"""Flags of the case beside its covenants (a cross default among the events of default): weight 0 by the standard, counted in D5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from deterministic.values import thresholds
from judge.capabilities.context import Context
from judge.capabilities.covenants.flags import extra_flag, flag_claim, flag_part, flag_support, shared_values
from judge.capabilities.covenants.schema import Flag
from judge.capabilities.decisions import worst_part
from judge.capabilities.items import Aside, Subject, decide, decide_extra, nowhere_part, provenance_aside
from judge.capabilities.measures import score_of
from judge.capabilities.provenance import Assessed, assess_all, gold_places
from judge.capabilities.wording import unique_names
from judge.records import Decision, Part


def case_flag_decisions(context: Context, gold: Sequence[Flag], top: Sequence[Flag], elsewhere: Sequence[Flag]) -> list[Decision]:
    """One item of weight 0 for each flag that gold has of the case, and one for each flag at the output's top level that it has not.

    top: the output's own flags; elsewhere: spare flags of its covenants, which meet a flag of the case as well.
    """
    free = [*top, *elsewhere]
    found: list[Decision] = []
    for true, name in zip(gold, unique_names([flag.kind for flag in gold]), strict=True):
        mine = max((f for f in free if f.kind == true.kind), key=lambda f: shared_values(f, true), default=None)
        free = [f for f in free if f is not mine]
        found.append(_case_flag(context, mine, true, name, any(f is mine for f in top)))
    rest = [flag for flag in top if any(flag is f for f in free)]
    return found + [_extra_case_flag(context, flag, name) for flag, name in zip(rest, unique_names([f.kind for f in rest]), strict=True)]


def _case_flag(context: Context, mine: Flag | None, true: Flag, name: str, is_top: bool) -> Decision:
    """Its citation counts here only where it is reported at the top: that of a covenant's flag counts with the covenant."""
    subject = Subject(f"flags.{name}", Fraction(0), reported=None if mine is None else flag_claim(mine), gold=flag_claim(true))
    if mine is not None:
        subject = replace(subject, metadata=mine.carried)
    part = flag_part(context, mine, true, "the case")
    if mine is None or not is_top:
        return decide(context, subject, part, aside=_aside(context, name, part))
    assessed, provenances = assess_all(context, mine.claims, flag_support(mine, true, part), gold_places(true.claims))
    aside = _aside(context, name, part, assessed)
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances, aside=aside)


def _aside(context: Context, name: str, part: Part, assessed: Assessed | None = None) -> Aside | None:
    """Its score among the flags of D5, and that of its own citation."""
    if (rules := context.contract.dimensions) is None:
        return None
    measured = assessed.measure.dimensions if assessed is not None and assessed.measure is not None else {}
    asked = assessed.asked if assessed is not None else ()
    return Aside({f"flags.{name}": score_of(part, rules.flag), **measured}, {"content": part}, (part, *asked))


def _extra_case_flag(context: Context, mine: Flag, name: str) -> Decision:
    assessed, provenances = assess_all(context, mine.claims, None)
    part = worst_part([assessed.part, *invented_threshold(context, mine.threshold)])
    subject, aside = Subject(f"flags.+{name}", Fraction(0), reported=flag_claim(mine), metadata=mine.carried), provenance_aside(assessed)
    return decide_extra(context, subject, extra_flag(mine), part, assessed.provenance, provenances, aside)


def invented_threshold(context: Context, threshold: str | None) -> Iterator[Part]:
    """A figure of what gold does not judge, and that is not in the document."""
    if threshold is None or thresholds.is_nothing(threshold) or thresholds.parse(threshold) is None:
        return
    if not any(thresholds.occurs(threshold, document) for document in context.documents.values()):
        yield nowhere_part(context, threshold)
