"""Values of loan documents: one module per kind, each with parse, scan and the comparison rule of judging.md section 2."""

from __future__ import annotations

from deterministic.values import (
    binary,
    conditions,
    currency,
    dates,
    facility_types,
    laws,
    money,
    parties,
    party_lists,
    periods,
    rates,
    reference_rates,
    repayment,
    text,
)
from deterministic.values.comparison import Comparison, Kind, Label, Mention, Surroundings

KINDS: dict[str, Kind] = {
    "party": Kind(parties.compare, parties.occurs, parties.supports, is_literal=True),
    "party_list": Kind(party_lists.compare, party_lists.occurs, party_lists.supports, is_literal=True),
    "money": Kind(money.compare, money.occurs, money.supports, is_literal=True),
    "currency": Kind(currency.compare, currency.occurs, currency.supports, is_literal=True),
    "rate": Kind(rates.compare, rates.occurs, rates.supports, is_literal=True),
    "date": Kind(dates.compare, dates.occurs, dates.supports, is_literal=True),
    "period": Kind(periods.compare, periods.occurs, periods.supports, is_literal=True),
    "reference_rate": Kind(reference_rates.compare, reference_rates.occurs, reference_rates.supports, is_literal=True),
    "law": Kind(laws.compare, laws.occurs, laws.supports, is_literal=True),
    "binary": Kind(binary.compare, binary.occurs, binary.supports, is_literal=False),
    "facility_type": Kind(facility_types.compare, facility_types.occurs, facility_types.supports, is_literal=False),
    "repayment": Kind(repayment.compare, repayment.occurs, repayment.supports, is_literal=False),
    "conditions": Kind(conditions.compare, conditions.occurs, conditions.supports, is_literal=False),
    "text": Kind(text.compare, text.occurs, text.supports, is_literal=False),
}
"""Kind of a field (the contract says which field has which) to its rules."""

__all__ = ["KINDS", "Comparison", "Kind", "Label", "Mention", "Surroundings"]
