"""A small agreement of our own and short-hands to judge one case of it without a PDF, a run or a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deterministic.documents.documents import Document
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.records import Answer, Decision, Item, Question
from rubrics import load_contract

NAME = "larkhill-facilities-agreement.pdf"
HEADER = "Larkhill Wind - Facilities Agreement"
PAGES = (
    f"""{HEADER}
THIS AGREEMENT is dated 12 May 2025 and made between:
(1) LARKHILL WIND LIMITED, a company incorporated in England and Wales, as borrower (the “Borrower”);
(2) LARKHILL HOLDINGS PLC, a company incorporated in England and Wales, as guarantor (the “Guarantor”);
(3) ORMSBY BANK PLC as facility agent of the other Finance Parties (the “Facility Agent”); and
(4) CARDEW TRUST COMPANY LIMITED as security agent (the “Security Agent”).
IT IS AGREED as follows:
1
""",
    f"""{HEADER}
1. DEFINITIONS AND INTERPRETATION
1.1 Definitions
In this Agreement:
“Final Maturity Date” means 30 June 2031.
“Margin” means 2.40 per cent. per annum.
“Total Commitments” means the aggregate of the Commitments, being £64,000,000 at the date of this Agreement.
2. THE FACILITIES
2.1 The Facilities
Subject to the terms of this Agreement, the Lenders make available to the Borrower:
(a) a sterling term loan facility in an aggregate amount equal to £48,000,000 (“Facility A”); and
(b) a sterling revolving credit facility in an aggregate amount equal to £16,000,000 (“Facility B”).
2
""",
    f"""{HEADER}
5. REPAYMENT
5.1 Repayment of Loans
The Borrower shall repay the Loans in twelve equal semi-annual instalments.
7. INTEREST
7.1 Calculation of interest
The rate of interest on each Loan is the aggregate of the Margin and three-month compounded SONIA.
8. FEES
8.1 Commitment fee
(a) The Borrower shall pay to the Facility Agent a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment.
(b) The accrued commitment fee is payable on the last day of each successive period of three Months.
3
""",
    f"""{HEADER}
14. FINANCIAL COVENANTS
14.1 Financial condition
The Borrower shall ensure that:
(a) the Leverage Ratio shall not exceed 4.10:1, tested quarterly on each Quarter Date;
(b) the Interest Cover Ratio shall not be less than 2.60:1; and
(c) Capital Expenditure shall not exceed £9,000,000, tested annually.
14.2 Negative pledge
No Obligor shall create or permit to subsist any Security over any of its assets, except:
(a) liens arising by operation of law; and
(b) Security securing indebtedness not exceeding £2,500,000 in aggregate.
16. EVENTS OF DEFAULT
16.1 Non-payment
An Obligor does not pay on the due date any amount payable unless payment is made within four Business Days of its due date.
16.2 Cross default
Any Financial Indebtedness of an Obligor in an aggregate amount of £3,200,000 or more is not paid when due.
22. GOVERNING LAW
22.1 Governing law
This Agreement and any non-contractual obligations arising out of it are governed by English law.
4
""",
)


def document(name: str = NAME, pages: tuple[str, ...] = PAGES, **kwargs: Any) -> Document:
    return Document.from_pages(name, pages, **kwargs)


AGREEMENT = document()


def cite(page: int | str | None, section: str | None, quote: str | None, name: str | None = NAME) -> dict[str, Any]:
    return {"document": name, "page": page, "section": section, "quote": quote}


def context(capability: str, output: Any, gold: Any = None, *, documents: tuple[Document, ...] = (AGREEMENT,), **case: Any) -> Context:
    """One case as a capability sees it; output and gold as they stand in the input files."""
    return Context(
        Case(
            case_id="larkhill-1",
            capability=capability,
            documents=tuple(d.name for d in documents),
            output=capability_of(capability).output.model_validate_json(json.dumps(output)) if output is not None else None,
            gold=capability_of(capability).gold.model_validate_json(json.dumps(gold)) if gold is not None else None,
            has_gold=gold is not None,
            **case,
        ),
        {d.name: d for d in documents},
        load_contract(),
    )


def judged(context: Context, verdicts: Mapping[str, str] | None = None) -> dict[str, Item]:
    """Item id -> result; verdicts: rubric -> the one verdict that a scripted judge gives. Without them, offline."""
    decisions, _ = replayed(context, verdicts)
    return {d.item.item: d.item for d in decisions}


def replayed(context: Context, verdicts: Mapping[str, str] | None = None) -> tuple[list[Decision], list[Question]]:
    """The decisions, and every question that was asked on the way."""
    answers: dict[Question, Answer] = {}
    asked: list[Question] = []
    while True:
        decisions = list(capability_of(context.case.capability).judge(replace(context, answers=answers)))
        new = [q for d in decisions for q in d.questions if q not in answers]
        if verdicts is None or not new:
            return decisions, asked
        for question in dict.fromkeys(new):
            asked.append(question)
            answers[question] = Answer(verdicts.get(question.rubric, "cannot_determine"), model="scripted")


def codes(item: Item) -> set[str]:
    return {finding.code for finding in item.findings}
