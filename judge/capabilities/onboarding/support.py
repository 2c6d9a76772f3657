"""What a citation of one has to show (design/onboarding.md): its value and no other of the kind, at gold's place or
in the words that make it this field's."""

import re
from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.records import record
from deterministic.lexicon.tables import patterns
from deterministic.values import KINDS, Surroundings
from deterministic.values.names import parties
from deterministic.values.names.roles import is_only_other_role, roles_of
from deterministic.values.time import dates, periods
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import text_of
from judge.capabilities.figures import others_in, values_in
from judge.capabilities.onboarding import FieldGold, claim_text, field_label
from judge.capabilities.onboarding.field_values import plain
from judge.capabilities.onboarding.tranches import names_label
from judge.capabilities.provenance import Support, check_claim
from judge.capabilities.scoring.citations import GoldPlaces
from judge.records import Outcome, Part

_FORMULAS = {key: re.compile(words, re.IGNORECASE) for key, words in patterns("field_formulas").items()}


def holds_formula(key: str, text: str) -> bool:
    """Whether a quote has the field's own formula: "create or permit to subsist any Security", "has a Material Adverse Effect"."""
    return key in _FORMULAS and all(_FORMULAS[name].search(text) is not None for name in (key, f"{key} says"))


@record
class FieldClaim:
    """What is claimed of a field. claims, places: the output's citations of it and gold's; told: the claim in words; others: the labels of
    the other tranches, for a field of one tranche."""

    key: str
    value: Any
    gold: FieldGold | None
    claims: Sequence[Citation]
    places: GoldPlaces
    told: str
    tranche: str | None = None
    others: tuple[str, ...] = ()


_ROLES = {"borrower": "borrower", "guarantors": "guarantor", "facility_agent": "facility agent"}
_OWN_WORDS = {key: re.compile(words, re.IGNORECASE) for key, words in patterns("field_words").items()}
"""The words in a quote that make a value the field's."""


def support_of(context: Context, claimed: FieldClaim, content: Part) -> Support:
    """The support of one field item. content: what is known of the value itself."""
    kind_name = context.contract.fields[claimed.key].kind
    kind, value = KINDS[kind_name], claimed.value
    # another tranche's amount is partly right: its quote shows it as that tranche's
    is_others = any(finding.code == "OTHER_TRANCHE" for finding in content.findings)
    tranche = " or ".join(claimed.others) if is_others and claimed.others else claimed.tranche
    return Support(
        field=field_label(claimed.key, tranche),
        claim=claim_text(claimed.key, claimed.told, tranche),
        contains=partial(_contains, context, claimed, kind_name),
        has_others=partial(_has_others, claimed, kind_name),
        is_own=partial(_is_own, claimed, kind_name),
        is_impossible=content.best is Outcome.HALLUCINATION and context.is_readable,
        content=content if claimed.gold is not None else None,
        shows=lambda text: kind.supports(value, text),
    )


def truths_of(gold: FieldGold | None) -> tuple[Any, ...]:
    """Every right value of a field."""
    if gold is None:
        return ()
    return tuple(plain(v) for v in (gold.truth, *gold.accepted) if v is not None)


def _contains(context: Context, claimed: FieldClaim, kind_name: str, text: str) -> bool:
    kind, key, value = KINDS[kind_name], claimed.key, claimed.value
    values = (value, *truths_of(claimed.gold))
    if kind.is_yes_no:
        return holds_formula(key, text)
    if key == "guarantors" and len(claimed.claims) > 1:
        is_named = any(KINDS["party"].supports(name, text) for name in parties.listed(value))
        return is_named and kind.supports(value, f"{text}\n{_together(context, claimed)}")
    if key == "tenor" and any(periods.is_between_days(v, text, partial(_all_days, context)) for v in values):
        return True
    return any(kind.supports(v, text) for v in values)


def _all_days(context: Context) -> frozenset[date]:
    """Every day that stands in the case's documents."""
    return frozenset[date]().union(*(dates.days_of(document) for document in context.documents.values()))


def _together(context: Context, claimed: FieldClaim) -> str:
    checks = [check_claim(context, claim, claimed.places) for claim in claimed.claims]
    return "\n".join(check.claim.quote or "" for check in checks if check.quote in ("exact", "normalised"))


def _has_others(claimed: FieldClaim, kind_name: str, text: str) -> bool:
    """Another value of the kind, another tranche, or a party in other roles only."""
    if any(names_label(label, text) for label in claimed.others):
        return True
    amended = claimed.gold.amended if claimed.gold is not None else None
    original = amended.original_value if amended is not None else None  # amending words name it beside the new one
    known = [text_of(v) or "" for v in (claimed.value, *truths_of(claimed.gold), *(() if original is None else (plain(original),)))]
    if (kind := KINDS[kind_name]).has_roles:
        names = claimed.value if isinstance(claimed.value, tuple) else (claimed.value,)
        return any(is_only_other_role(text, str(name), claimed.key) for name in (*names, *truths_of(claimed.gold)) if isinstance(name, str))
    if not kind.is_figure:
        labels = ({kind.compare(found.text, one, (), Surroundings()).label for one in known} for found in kind.scan(text))
        return any(found == {"wrong"} for found in labels)
    figures = [figure for one in known for figure in values_in(one) if figure.kind == kind_name]
    return others_in(text, figures)


def _is_own(claimed: FieldClaim, kind_name: str, check: CitationCheck) -> bool:
    """Whether the quote's own words make the value this field's."""
    quote = check.claim.quote or ""
    if not KINDS[kind_name].needs_own_words:
        return True  # the formula is the clause; an amount in one currency is what the currency is told by
    if (role := _ROLES.get(claimed.key)) is not None:
        names = claimed.value if isinstance(claimed.value, tuple) else (claimed.value,)
        return any(role in roles_of(quote, str(name)) for name in names)
    return _OWN_WORDS[claimed.key].search(quote) is not None
