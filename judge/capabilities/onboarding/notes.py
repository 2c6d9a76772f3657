"""The fields by name, with the standard's note on each (standard 1.2), as a question shows them."""

from __future__ import annotations

from collections.abc import Mapping

# key -> title, note
NOTES: Mapping[str, tuple[str, str]] = {
    "borrower": ("Borrower", "legal entity name as stated on the signature block or recitals"),
    "guarantors": ("Guarantors", "list of all guarantors"),
    "facility_agent": ("Facility agent", "administrative or facility agent, legal name"),
    "facility_amount": ("Facility amount", "numeric value and currency"),
    "currency": ("Currency", "ISO 4217 code"),
    "facility_type": ("Facility type", "term loan, revolving credit facility, delayed-draw or other"),
    "tenor": ("Tenor", "period from first to last day"),
    "maturity_date": ("Maturity date", "exact date"),
    "margin": ("Margin", "basis points or percentage per annum; not the whole interest rate"),
    "reference_rate": ("Reference rate", "for instance SOFR, SONIA, EURIBOR, HIBOR, with its tenor; says so if the rate is fixed"),
    "commitment_fee": ("Commitment fee", "percentage per annum on undrawn amounts"),
    "repayment_schedule": ("Repayment schedule", "bullet, amortising or other, with frequency and dates if stated"),
    "governing_law": ("Governing law", "jurisdiction"),
    "conditions_precedent": ("Conditions precedent", "summary list; not every sub-clause has to be listed"),
    "mac_clause": ("Material adverse change (MAC) clause", "Y or N; the trigger needs no interpretation"),
    "negative_pledge": ("Negative pledge", "Y or N; a restriction on security or liens"),
}


def field_title(key: str) -> str:
    """A field's name for people."""
    return NOTES[key][0] if key in NOTES else key.replace("_", " ")


def field_note(key: str) -> str:
    """The standard's note on a field; "" for one that it does not have."""
    return NOTES[key][1] if key in NOTES else ""


def field_label(key: str, tranche: str | None = None, of: str = "") -> str:
    """A field's name with its note, for one tranche (None: the whole deal). of: which value of an amended field, "original value"."""
    parts = [f"{of} of the amended field" * bool(of), f"for the tranche {tranche!r}" if tranche else ""]
    return ", ".join(filter(None, [f"{field_title(key)} ({NOTES[key][1]})" if key in NOTES else field_title(key), *parts]))


def claim_text(key: str, value: str, tranche: str | None = None) -> str:
    """What a quote of a field has to support."""
    return f"{field_title(key)}{f' of {tranche}' if tranche else ''}: {value}"
