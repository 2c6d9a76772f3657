"""Batches of any size over agreements that this script makes: what the scale benchmarks judge. Seeded, so every run makes the same files.

An agreement has four pages with all sixteen fields; an extraction case reports them with its citations, one field in twenty wrong and one
quote in twenty reworded. A question case reports an answer that no rule decides, so that a judge is asked.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

NAMES = ("Almond", "Birch", "Cedar", "Dune", "Elder", "Fjord", "Garnet", "Heron", "Iris", "Jasper", "Kestrel", "Larch", "Marble", "Nettle")
TRADES = ("Shipping", "Energy", "Foods", "Textiles", "Logistics", "Minerals", "Hotels", "Paper", "Chemicals", "Rail")
BANKS = ("Castlegate Bank Plc", "Nordhavn Bank AB", "Meridian Bank Limited", "Quayside Banking Corporation", "Old Harbour Bank N.A.")
LAWS = ("English law", "Singapore law", "the law of the State of New York", "Hong Kong law")
RATES = ("Term SOFR", "SONIA", "EURIBOR", "SORA")
MONTHS = ("January", "March", "May", "July", "September", "November")


@dataclass(frozen=True)
class Agreement:
    """One document: its file name, pages of lines, and per field (value, page, section, quote), None for an absent one."""

    name: str
    pages: tuple[tuple[str, ...], ...]
    fields: dict[str, tuple[Any, int, str, str] | None]


def agreement(n: int) -> Agreement:
    """The nth agreement."""
    chance = random.Random(n)
    borrower = f"{NAMES[n % 14]} {TRADES[n // 14 % 10]} {n} Limited"
    guarantors = [f"{chance.choice(NAMES)} Holdings {n} Plc", f"{chance.choice(NAMES)} Ventures {n} Limited"]
    agent, law, rate = chance.choice(BANKS), chance.choice(LAWS), chance.choice(RATES)
    amount, margin, fee = 5_000_000 * chance.randint(2, 90), chance.randrange(125, 475, 5), chance.randrange(30, 95, 5)
    day, month, year, months = chance.randint(1, 28), chance.choice(MONTHS), chance.randint(2024, 2027), 12 * chance.randint(3, 7)
    signed, matures = f"{day} {month} {year}", f"{day} {month} {year + months // 12}"
    cover = (
        f"FACILITY AGREEMENT No. {n}",
        f"dated {signed}",
        "PARTIES",
        f"(1) {borrower.upper()} as borrower (the Borrower);",
        f"(2) {guarantors[0].upper()} and {guarantors[1].upper()} as guarantors (the Guarantors); and",
        f"(3) {agent.upper()} as facility agent of the Finance Parties (the Facility Agent).",
    )
    terms = (
        "1. THE FACILITY",
        f"1.1 The Lenders make available to the Borrower a term loan facility in an aggregate amount of USD {amount:,} (the Facility).",
        "1.2 The Borrower shall repay the Loans in full in one instalment on the Final Maturity Date.",
        f"1.3 The Final Maturity Date is {matures}, {months} months after the date of this Agreement.",
        "2. CONDITIONS OF UTILISATION",
        "2.1 The Borrower may not deliver a Utilisation Request unless the Facility Agent has received certified constitutional documents, "
        "board resolutions of each Obligor, and a legal opinion of counsel to the Lenders.",
    )
    prices = (
        "3. INTEREST AND FEES",
        f"3.1 The rate of interest on each Loan is the aggregate of the Margin and {rate}.",
        f"3.2 The Margin is {margin / 100:.2f} per cent. per annum.",
        f"3.3 The Borrower shall pay a commitment fee of {fee / 100:.2f} per cent. per annum on the undrawn Commitments.",
        f"3.4 If the audited accounts for the year {year} are late, the Margin is increased while the delay lasts.",
    )
    undertakings = (
        "4. UNDERTAKINGS AND LAW",
        "4.1 No Obligor shall create or permit to subsist any Security over any of its assets.",
        "4.2 An Event of Default occurs if a Material Adverse Change occurs.",
        f"4.3 The Borrower shall deliver its accounts within {60 + 10 * (n % 9)} days after the end of each financial year.",
        f"4.4 This Agreement and any obligation arising out of it are governed by {law}.",
    )

    def said(lines: Sequence[str], at: int) -> str:
        return lines[at].partition(" ")[2]

    fields: dict[str, tuple[Any, int, str, str] | None] = {
        "borrower": (borrower, 1, "Parties", said(cover, 3)),
        "guarantors": (guarantors, 1, "Parties", said(cover, 4)),
        "facility_agent": (agent, 1, "Parties", said(cover, 5)),
        "facility_amount": (f"USD {amount:,}", 2, "Clause 1.1", said(terms, 1)),
        "currency": ("USD", 2, "Clause 1.1", said(terms, 1)),
        "facility_type": ("term loan", 2, "Clause 1.1", said(terms, 1)),
        "tenor": (f"{months} months", 2, "Clause 1.3", said(terms, 3)),
        "maturity_date": (matures, 2, "Clause 1.3", said(terms, 3)),
        "margin": (f"{margin / 100:.2f}% per annum", 3, "Clause 3.2", said(prices, 2)),
        "reference_rate": (rate, 3, "Clause 3.1", said(prices, 1)),
        "commitment_fee": (f"{fee / 100:.2f}% per annum", 3, "Clause 3.3", said(prices, 3)),
        "repayment_schedule": (f"bullet on {matures}", 2, "Clause 1.2", said(terms, 2)),
        "governing_law": (law, 4, "Clause 4.4", said(undertakings, 4)),
        "conditions_precedent": (
            ["certified constitutional documents", "board resolutions of each Obligor", "legal opinion of counsel to the Lenders"],
            2,
            "Clause 2.1",
            said(terms, 5),
        ),
        "mac_clause": ("Y", 4, "Clause 4.2", said(undertakings, 2)),
        "negative_pledge": ("Y", 4, "Clause 4.1", said(undertakings, 1)),
    }
    return Agreement(f"agreement-{n:04}.pdf", (cover, terms, prices, undertakings), fields)


def write_pdf(made: Agreement, folder: Path) -> None:
    """Writes an agreement's file."""
    pdf: Any = pymupdf.open()
    for lines in made.pages:
        page, top = pdf.new_page(), 72.0
        for line in lines:
            left = page.insert_textbox(pymupdf.Rect(72, top, 523, top + 70), line, fontsize=10.5, fontname="tiro")
            top += 70 - left + 8
    (folder / made.name).write_bytes(pdf.tobytes(no_new_id=True))


def extraction_case(case_id: str, made: Agreement, chance: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """The batch line and the gold line of an extraction."""
    output: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    for key, truth in made.fields.items():
        assert truth is not None
        value, page, section, quote = truth
        gold[key] = {"value": value, "citation": {"page": page, "section": section}}
        reported, shown = value, quote
        if chance.random() < 0.05:
            reported = "EUR 1,234,567" if key == "facility_amount" else value if key in ("mac_clause", "negative_pledge") else value[:1]
        if chance.random() < 0.05:
            shown = " ".join(quote.split()[:-2]) + " in each case"
        citation = {"document": made.name, "page": page, "section": section, "quote": shown}
        output[key] = {"status": "extracted", "value": reported, "confidence": 0.93, "hitl": "none", "citation": citation}
    batch = {"case_id": case_id, "capability": "loan_onboarding", "document": made.name}
    return (
        batch | {"output": {"document_type": "primary_agreement", "fields": output}},
        {"case_id": case_id, "gold": {"document_type": "primary_agreement", "fields": gold}},
    )


def question_case(case_id: str, number: int, made: Agreement) -> tuple[dict[str, Any], dict[str, Any]]:
    """The batch line and the gold line of a question; its texts hold ITEM-<number>, by which the mock endpoint knows it again."""
    _, page, section, quote = made.fields["governing_law"] or ("", 0, "", "")
    citation = {"document": made.name, "page": page, "section": section, "quote": quote}
    return (
        {
            "case_id": case_id,
            "capability": "document_qa",
            "document": made.name,
            "input": {"question": f"(ITEM-{number}) Which legal order do the parties submit their bargain to?"},
            "output": {"answer": f"The courts look to the legal order named at the end, matter {number}.", "citations": [citation]},
        },
        {
            "case_id": case_id,
            "gold": {"answerable": True, "answer": "The law named in the last clause.", "required_sections": [section], "topic": "law"},
        },
    )


def lines(count: int, documents: int, kind: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The lines of a batch; the cases of all documents are mixed, as they come from a queue."""
    made = [agreement(n) for n in range(documents)]
    for n in range(count):
        case_id = f"{kind}-{n:08}"
        one = made[n * 7919 % documents]
        yield extraction_case(case_id, one, random.Random(n)) if kind == "extraction" else question_case(case_id, n, one)


def write_batch(folder: Path, count: int, documents: int, kind: str = "extraction") -> list[str]:
    """Writes batch, gold and documents below a folder (what is there stays); the arguments of `judge run` for it."""
    pdfs = folder / f"documents-{documents}"
    pdfs.mkdir(parents=True, exist_ok=True)
    for n in range(documents):
        if not (pdfs / f"agreement-{n:04}.pdf").exists():
            write_pdf(agreement(n), pdfs)
    batch, gold = folder / f"batch-{kind}-{count}.jsonl", folder / f"gold-{kind}-{count}.jsonl"
    if not gold.exists():
        with batch.open("w") as outputs, gold.open("w") as truths:
            for output, truth in lines(count, documents, kind):
                outputs.write(json.dumps(output) + "\n")
                truths.write(json.dumps(truth) + "\n")
    return [str(batch), "--gold", str(gold), "--documents", str(pdfs)]
