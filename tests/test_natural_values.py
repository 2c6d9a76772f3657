"""What a system writes about a US or an English agreement in its own words: right values beside the nearest wrong ones, kind by kind."""

from __future__ import annotations

from typing import Any

import pytest

from deterministic.values import KINDS, Surroundings, reference_rates
from tests.tables import table

CONDITIONS = (
    "this Agreement executed by each party; the Notes; the Guarantee and Collateral Agreement; know your customer information; "
    "opinion of Reed & Hollis LLP, counsel to the Borrower; closing certificate of the Secretary; "
    "equity contribution of not less than $7,500,000; approvals of the Gaming Commission; payment of all fees and expenses"
)
WHOLE = "signed Agreement by each party; Notes; Guarantee and Collateral Agreement; KYC; legal opinion of Reed & Hollis LLP; " + (
    "closing certificate; equity contribution (≥ $7.5m); Gaming Commission approvals; fees paid"
)
GRID = "2.00% / 1.75% / 1.50% (Term SOFR Loans, Pricing Levels I to III)"
FEE = "0.25% (Levels I and II); 0.20% (Level III)"
ROLLING = "each Revolving Loan on the last day of its Interest Period; all amounts repaid and cancelled in full on the Termination Date"
SIX_YEARS = "the sixth anniversary of the Closing Date"
EARLIER = "thirty-six (36) months after the Effective Date (or, if earlier, the date on which the Loans are accelerated)"
TWO_ENDS = "the earlier of the fifth anniversary of the Closing Date and the date the Commitments are terminated in full"
BOTH = "term loan facility and revolving credit facility"
TEXT = (
    "DORSET MILLS, INC., a Delaware corporation with its office at 12 Harbor Street, Boston 02110 (the “Borrower”). “MSBNA” means Morgan "
    "Stanley Bank, N.A.; Hollis Trust Bank (“HTB”). The revolving credit facility is a multicurrency facility with Letters of Credit and "
    "a 364-day revolving loan."
)
KINDS_OF_WORDING = [
    ("conditions", WHOLE, CONDITIONS, "open"),
    ("conditions", "Notes; KYC; equity contribution of $7,500,000", CONDITIONS, "open"),
    ("conditions", "Notes; KYC; equity contribution of $5,700,000", CONDITIONS, "open"),
    ("conditions", "Notes; opinion of Marlow Pike LLP", CONDITIONS, "open"),
    ("conditions", "Notes; solvency certificate", CONDITIONS, "open"),
    ("conditions", "Notes; appraisals of the Gaming Commission", CONDITIONS, "open"),
    ("conditions", "Notes; corporate documents", CONDITIONS, "open"),
    ("conditions", "Notes; equity contribution of not more than $7,500,000", CONDITIONS, "open"),
    ("conditions", "Notes; certificates", CONDITIONS, "open"),
    ("rate", "Base Rate Loans: Level I 200 bps; Level II 175 bps; Level III 150 bps", GRID, "open"),
    ("rate", "Level I: 200 bps; Level II: 175 bps until delivery; Level III: 150 bps", GRID, "open"),
    ("rate", "20 / 25 bps depending on DSCR", "0.20% / 0.25% (Fee Margin by Fixed Charge Coverage Ratio)", "open"),
    ("date", "2031-05-14 (or earlier on a sale of the Sponsor)", "2031-05-14", "open"),
    ("repayment", "Each loan on the last day of its Interest Period; everything on the Termination Date", ROLLING, "open"),
    ("repayment", "Equal quarterly instalments", ROLLING, "open"),
    ("repayment", "Interest only; bullet at maturity", "Bullet: all principal due on the Maturity Date", "open"),
    ("repayment", "No amortization; all outstanding advances due at maturity", "bullet: paid off in full at maturity", "open"),
    ("repayment", "Quarterly instalments", "bullet, with a release price on the sale of a unit", "open"),
    ("repayment", "Quarterly interest, bullet at maturity", "bullet, with a release price on the sale of a unit", "open"),
    ("repayment", "Quarterly instalments", "bullet; commitments reduce quarterly from 2027", "open"),
    ("repayment", "Bullet with excess cash flow sweep", "equal quarterly instalments of 1.25%", "open"),
    ("money", ">USD 90m", "USD 90,000,000", "open"),  # a sign is read by nothing
    ("money", "~USD 90m", "USD 90,000,000", "open"),
    ("rate", "~2.90%", "2.90%", "open"),
    ("facility_type", "term loan", BOTH, "partial"),
    ("facility_type", "guarantee facility", "term loan facility", "wrong"),
    ("facility_type", "Multi-currency RCF", "revolving credit facility", "open"),
    ("facility_type", "364-day revolving credit facility", "revolving credit facility", "open"),
    ("facility_type", "Five-year revolving credit facility", "revolving credit facility", "open"),
    ("facility_type", "Five-year revolving credit facility", "364-day revolving credit facility", "open"),
    ("facility_type", "revolving credit facility with L/C sublimit", "revolving credit facility", "open"),
    ("facility_type", "revolving credit facility with swingline sublimit", "revolving credit facility", "open"),
    ("facility_type", "revolving facility with Bank Letters of Credit", "revolving credit facility", "open"),
    ("facility_type", "RCF with term-out option", "revolving credit facility with a term loan conversion option", "semantic_match"),
    ("facility_type", "ABL revolver", "revolving credit facility", "open"),
    ("date", "six years after Signing", SIX_YEARS, "open"),
    ("date", "36 months after the Effective Date (earlier on a change of control)", EARLIER, "open"),
    ("date", "36 months after the Effective Date", EARLIER, "open"),
    ("date", TWO_ENDS.replace("fifth", "6th"), TWO_ENDS, "open"),
    ("date", "fifth anniversary of the Closing Date", TWO_ENDS, "open"),
    ("party", "MSBNA", "Wells Fargo Bank, N.A.", "open"),
    ("party", "Dorset", "Dorset Mills, Inc.", "open"),
    ("party", "HTB", "Morgan Stanley Bank, N.A.", "open"),
    ("party", "the Borrower", "Dorset Mills, Inc.", "open"),
    ("party", "Dorset Mills, Inc., a Nevada corporation", "Dorset Mills, Inc.", "open"),
    ("party", "Dorset Mills, Inc. (Massachusetts)", "Dorset Mills, Inc.", "open"),
    ("party", "Dorset Mills, Inc., a Delaware corporation, 12 Harbor Street, Boston 02110", "Dorset Mills, Inc.", "open"),
    ("party", "Dorset Mills, Inc., a Delaware corporation with its office at 21 Harbor Street, Boston", "Dorset Mills, Inc.", "open"),
]


@pytest.mark.parametrize(("kind", "reported", "gold", "label"), KINDS_OF_WORDING)
def test_a_value_in_the_systems_own_words(kind: str, reported: Any, gold: Any, label: str) -> None:
    if kind == "conditions":
        reported, gold = tuple(reported.split("; ")), tuple(gold.split("; "))
    found = KINDS[kind].compare(reported, gold, (), Surroundings(document_text="" if kind in ("conditions", "rate") else TEXT))
    assert (found.label if found.label != "correct" else "semantic_match") == label, found.reason


def test_what_only_the_output_says_of_a_condition_stands_together_in_the_document() -> None:
    gold = ("opinion of counsel", "Notes")
    text = (
        "4.01 (b) a favorable opinion of Reed & Hollis LLP, counsel to the Borrower; (c) the Notes."
        + " x" * 400
        + "9.01 Notices: Marlow Pike LLP"
    )
    for firm, label in (("Reed & Hollis", "open"), ("Marlow Pike", "open")):
        reported = (f"legal opinion of {firm} LLP", "executed Notes")
        assert KINDS["conditions"].compare(reported, gold, (), Surroundings(document_text=text)).label == label


SIGNING = table("natural_values", "signing")


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("executed CA + Bonds; Escrow Agt; CFO liquidity cert; no Default", SIGNING, "open"),
        (
            "Execution of the Agreement, the Bonds and the Escrow Agreement; CFO's liquidity certificate; no Default",
            SIGNING,
            "open",
        ),
        ("signed CA; CFO liquidity cert", SIGNING, "open"),
        ("reps accurate", ["representations and warranties true and correct"], "open"),
        ("executed Agreement", ["Agreement signed by the Borrower and each Lender", "Intercreditor Agreement"], "open"),
        # the agreement itself is not another one, nor an agreement of merger
        ("executed Agreement", SIGNING[1:], "open"),
        ("executed Purchase Agreement", SIGNING, "open"),
        ("Agreement and Plan of Merger", SIGNING, "open"),
        ("Agreement with the Depositary", SIGNING, "open"),
        ("executed CA; CEO liquidity cert", SIGNING, "open"),
        ("reps waived", ["representations and warranties true"], "open"),
    ],
)
def test_desk_words_of_conditions_and_the_signing_of_the_agreement(reported: str, gold: list[str], label: str) -> None:
    assert KINDS["conditions"].compare(reported, gold, (), Surroundings()).label == label


def test_an_index_is_always_named_and_a_described_rate_is_not() -> None:
    assert reference_rates.is_always_named("EURIBOR") and reference_rates.is_always_named("Compounded SONIA")
    assert not reference_rates.is_always_named("LIBOR") and not reference_rates.is_always_named("Prime Rate")
