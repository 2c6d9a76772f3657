"""Values of loan documents: one module per kind, each with parse, scan and the comparison rule of design/values.md."""

from deterministic.values.comparison import Comparison, Grammar, Kind, Label, Mention, Reading, Surroundings, words_occur, words_support
from deterministic.values.figures import currency, money, rates
from deterministic.values.names import binary, conditions, facility_types, laws, parties, reference_rates
from deterministic.values.time import dates, periods

_SCHEDULE = Grammar("schedule", lambda *_: Reading(None), lambda *_: Comparison("open", ""))
"""What a schedule says is the judge's to read: only the same words are decided."""
_RULES: dict[str, Kind] = {
    "party": Kind(parties.compare_party, parties.occurs, parties.supports, parties.parts, is_name=True, has_roles=True),
    "party_list": Kind(parties.compare_list, parties.occurs, parties.supports_list, parties.parts, has_roles=True),
    "money": Kind(money.compare, money.occurs, money.supports, money.parts, money.scan, is_figure=True, is_slip=money.is_slip),
    "currency": Kind(currency.compare, currency.occurs, currency.supports, currency.parts, currency.scan, needs_own_words=False),
    "rate": Kind(rates.compare, rates.occurs, rates.supports, rates.parts, rates.scan, is_figure=True),
    "date": Kind(dates.compare, dates.occurs, dates.supports, dates.parts, dates.scan, is_figure=True),
    "period": Kind(periods.compare, periods.occurs, periods.supports, periods.parts, periods.scan, is_figure=True, is_computed=True),
    "reference_rate": Kind(
        reference_rates.compare, reference_rates.occurs, reference_rates.supports, reference_rates.parts, reference_rates.scan,
        is_always_named=reference_rates.is_always_named,
    ),
    "law": Kind(laws.compare, laws.occurs, laws.supports, laws.parts, laws.scan),
    "binary": Kind(binary.compare, lambda *_: True, lambda *_: False, is_yes_no=True, needs_own_words=False),  # no text holds a yes or no
    "facility_type": Kind(facility_types.compare, words_occur, facility_types.supports, is_graded=True),
    "repayment": Kind(_SCHEDULE.compare, words_occur, words_support, is_graded=True),
    "conditions": Kind(conditions.compare, words_occur, conditions.supports, is_covered=True, is_graded=True),
}  # fmt: skip
KINDS: dict[str, Kind] = {name: rules.of_plain_texts() for name, rules in _RULES.items()}
"""Kind of a field (the contract says which field has which) to its rules."""

__all__ = ["KINDS", "Comparison", "Kind", "Label", "Mention", "Surroundings"]
