"""What may stand beside a value and says nothing of it: articles, and the names of the field that the value is given for."""

from __future__ import annotations

from collections.abc import Mapping

from deterministic.lexicon.guarded import carriers

ARTICLES = carriers("a an the of at is are be being was were equals namely viz")
"""Beside a value of any kind."""
OF_A_DAY = ARTICLES | carriers("dated date monday tuesday wednesday thursday friday saturday sunday", own="on day")
OF_A_LENGTH = ARTICLES | carriers("length duration total long")
OF_A_RATE = ARTICLES | carriers("rate")
OF_A_BENCHMARK = ARTICLES | carriers("rate rates reference benchmark interest index screen tenor")

LABELS: Mapping[str, tuple[str, ...]] = {
    "borrower": ("borrower", "borrowers"),
    "guarantors": ("guarantor", "guarantors"),
    "facility_agent": ("facility agent", "administrative agent", "agent"),
    "facility_amount": (
        "facility amount", "total commitments", "aggregate commitments", "aggregate principal amount", "principal amount",
        "aggregate amount",
        "total amount", "amount", "total", "aggregate",
    ),
    "currency": ("currency", "base currency", "currency of the facility"),
    "margin": ("applicable margin", "interest margin", "margin", "spread"),
    "commitment_fee": ("commitment fee", "commitment fee rate", "fee"),
    "maturity_date": (
        "final maturity date", "maturity date", "termination date", "final repayment date", "final maturity", "maturity", "expiry date",
    ),
    "tenor": ("tenor", "tenure", "term"),
    "reference_rate": ("reference rate", "benchmark rate", "benchmark"),
    "governing_law": ("governing law", "law"),
}  # fmt: skip
"""Field of the contract -> what its value may be called beside it: the field's own label or role, never that of another one."""
