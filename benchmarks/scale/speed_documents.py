"""Invented facility agreements as PDFs of any length, and batches of cases about them, for `speed.py`. Same seed, same pages."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

_WHO = (
    "the Borrower;each Obligor;the Agent;the Parent;a Finance Party;the Majority Lenders;an Original Lender;the Security Agent;the "
    "Issuing Bank"
).split(";")
_MODAL = "shall;must;may;shall not;may not;agrees to;undertakes to;is entitled to".split(";")
_VERB = (
    "deliver;supply;notify;reimburse;indemnify;assign;disclose;prepay;reduce;evaluate;renew;maintain;procure;register;ratify;determine;"
    "calculate;withhold;distribute;apply;terminate;extend;certify;publish;reconcile;settle;appoint;replace;inspect;insure"
).split(";")
_WHAT = (
    "the audited consolidated financial statements;each Utilisation Request;the Transaction Security;all costs and expenses reasonably "
    "incurred;"
    "the annual budget of the Group;any Tax Deduction;the insurance policies in force;its rights under the Hedging Agreements;"
    "a certificate signed by two directors;the balance standing to the Disposal Proceeds Account;any Default of which it is aware;"
    "the valuation of each Mortgaged Property;the participation of each Lender in the Loan;any unpaid sum and accrued interest;"
    "the mandatory prepayment account;records of every inter-company receivable;the original title deeds"
).split(";")
_WHEN = (
    "within {n} Business Days of demand;not later than {n} days after the end of each Financial Quarter;on the last day of its Interest "
    "Period;"
    "promptly upon becoming aware of it;no more than {n} times in any calendar year;before the date falling {n} Months after Closing;"
    "at all times while an amount is outstanding;if the ratio exceeds {n}.{m} to 1;in an amount of at least {c} {n},{m}00,000;"
    "at the rate of {n}.{m} per cent. per annum"
).split(";")
_UNLESS = (
    "unless the Agent has received written notice to the contrary;except to the extent that a Permitted Disposal is made;subject to the "
    "Agreed Security Principles;"
    "provided that no Event of Default is continuing;without prejudice to paragraph (b) above;save as required by applicable law or "
    "regulation;"
    "in accordance with the Accounting Principles;to the extent that it would be unlawful to do otherwise"
).split(";")
_TITLES = (
    "Interpretation;Utilisation;Repayment;Prepayment;Interest;Fees;Tax;Increased costs;Indemnities;Mitigation;Costs;Guarantee;"
    "Representations;"
    "Information undertakings;Financial covenants;General undertakings;Transfers;Notices;Counterparts;Confidentiality;Set-off;Amendments"
).split(";")
_NAMES = (
    "Alder;Brindle;Corrib;Dunmore;Elwick;Farrow;Glasson;Harrow;Inver;Jarrow;Kelso;Lorton;Morvern;Naver;Orwell;Penrith;Quarr;Rannoch;"
    "Selby;Tweed;Ulva"
).split(";")

_WIDTH, _LINES = 455.0, 46
_ROMAN, _BOLD = pymupdf.Font("tiro"), pymupdf.Font("tibo")


@dataclass(frozen=True, slots=True)
class Fact:
    """One field: its value, and the sentence that states it, the one behind it, page and clause."""

    field: str
    value: Any
    sentence: str
    following: str
    page: int
    clause: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """A written PDF: its sentences by page, and its facts."""

    path: Path
    sentences: tuple[tuple[int, str], ...]
    facts: tuple[Fact, ...]


def _sentence(random: random.Random) -> str:
    words = {"n": random.randint(2, 30), "m": random.randint(1, 9), "c": random.choice(["USD", "EUR", "GBP"])}
    first = f"{random.choice(_WHO)} {random.choice(_MODAL)} {random.choice(_VERB)} and {random.choice(_VERB)} {random.choice(_WHAT)}"
    text = (
        f"{first} {random.choice(_WHEN).format(**words)}, {random.choice(_UNLESS)}, "
        f"and {random.choice(_WHO)} {random.choice(_MODAL)} {random.choice(_VERB)} {random.choice(_WHAT)}"
    )
    return text[0].upper() + text[1:] + "."


def _stated(random: random.Random, name: str) -> list[tuple[str, Any, str]]:
    """(field, value, sentence) of the sixteen fields."""
    amount, months = random.randint(20, 900), random.choice([36, 48, 60, 72, 84])
    margin, fee = f"{random.randint(1, 5)}.{random.randint(10, 99)}", f"0.{random.randint(20, 90)}"
    year, bank = random.randint(2029, 2036), f"{random.choice(_NAMES)} Harbour Bank plc"
    return [
        ("borrower", f"{name} Holdings Limited",
         f"This Agreement is made between {name} Holdings Limited as borrower and the other parties to it."),
        ("guarantors", [f"{name} Energy Limited", f"{name} Ports Limited"],
         f"{name} Energy Limited and {name} Ports Limited are the Original Guarantors."),
        ("facility_agent", bank, f"{bank} acts as agent of the other Finance Parties."),
        ("facility_amount", f"EUR {amount},000,000", f"The Total Commitments are EUR {amount},000,000 at the date of this Agreement."),
        ("currency", "EUR", "Each Loan is denominated in euro."),
        ("facility_type", "term loan facility", "The Lenders make available to the Borrower a term loan facility."),
        ("tenor", f"{months} months", f"The Facility has a term of {months} months from the date of this Agreement."),
        ("maturity_date", f"{year}-06-30", f"“Termination Date” means 30 June {year}."),
        ("margin", f"{margin} per cent. per annum", f"“Margin” means {margin} per cent. per annum."),
        ("reference_rate", "3-month EURIBOR", "The rate of interest on each Loan is the aggregate of the Margin and 3-month EURIBOR."),
        ("commitment_fee", f"{fee} per cent. per annum",
         f"The Borrower shall pay a commitment fee of {fee} per cent. per annum on the Available Commitment."),
        ("repayment_schedule", "quarterly instalments commencing on 30 September 2027",
         "The Borrower shall repay the Loans in quarterly instalments commencing on 30 September 2027."),
        ("governing_law", "English law",
         "This Agreement and any non-contractual obligations arising out of it are governed by English law."),
        ("conditions_precedent", ["Constitutional documents of each Obligor"],
         "The Agent must first have received the constitutional documents of each Obligor."),
        ("mac_clause", "yes",
         "Any event or circumstance that in the opinion of the Majority Lenders has a Material Adverse Effect is an Event of Default."),
        ("negative_pledge", "yes", "No Obligor shall create or permit to subsist any Security over any of its assets."),
    ]  # fmt: skip


class _Writer:
    """Lines on pages with a header, a rule and a page number."""

    def __init__(self, title: str) -> None:
        self.pdf = pymupdf.open()
        self.title = title
        self._left = 0

    def write(self, text: str, indent: float = 0.0, *, is_bold: bool = False) -> int:
        """Writes a paragraph, whole on one page; the number of that page."""
        lines = _wrap(text, _WIDTH - indent)
        if len(lines) > self._left:
            self._new_page()
        for line in lines:
            y = 90 + (_LINES - self._left) * 15
            self._texts[is_bold].append((70 + indent, y), line, font=_BOLD if is_bold else _ROMAN, fontsize=10.5)
            self._left -= 1
        return len(self.pdf)

    def _new_page(self) -> None:
        self.flush()
        self._page = self.pdf.new_page()
        self._texts = [pymupdf.TextWriter(self._page.rect), pymupdf.TextWriter(self._page.rect)]
        self._texts[0].append((70, 50), self.title, font=_ROMAN, fontsize=8)
        self._texts[0].append((290, 815), str(len(self.pdf)), font=_ROMAN, fontsize=8)
        self._page.draw_line((70, 56), (525, 56), width=0.5)
        self._left = _LINES

    def flush(self) -> None:
        for text in self._texts if len(self.pdf) else ():
            if text.text_rect.is_valid:
                text.write_text(self._page)
        self._texts = []


def _wrap(text: str, width: float) -> list[str]:
    lines, line, used = [], [], 0.0
    space = _ROMAN.text_length(" ", fontsize=10.5)
    for word in text.split():
        size = _ROMAN.text_length(word, fontsize=10.5)
        if line and used + size > width:
            lines.append(" ".join(line))
            line, used = [], 0.0
        line.append(word)
        used += size + space
    return [*lines, " ".join(line)]


def write_agreement(path: Path, pages: int, seed: int) -> Agreement:
    """An agreement of at least `pages` pages, its facts in the clauses of the first half."""
    chance = random.Random(seed)
    name = f"{_NAMES[seed % len(_NAMES)]} {chance.choice(_NAMES)}"
    writer = _Writer(f"{name} – Facility Agreement")
    waiting, facts, sentences = _stated(chance, name), [], []
    clause = 0
    while len(writer.pdf) < pages:
        clause += 1
        title = _TITLES[(clause - 1) % len(_TITLES)] if clause <= len(_TITLES) else f"{chance.choice(_TITLES)} ({clause})"
        writer.write(f"{clause}. {title.upper()}", is_bold=True)
        for sub in range(1, chance.randint(6, 12)):
            texts = [_sentence(chance) for _ in range(chance.randint(2, 4))]
            fact = waiting.pop(0) if waiting and sub % 4 == 2 else None
            page = writer.write(f"{clause}.{sub} {' '.join([fact[2], *texts] if fact else texts)}")
            sentences += [(page, text) for text in texts]
            if fact:
                facts.append(Fact(fact[0], fact[1], fact[2], texts[0], page, f"Clause {clause}.{sub}"))
            for letter in "abc"[: chance.randint(0, 3)]:
                writer.write(f"({letter}) {_sentence(chance)}", 28)
    writer.flush()
    writer.pdf.save(path, garbage=3, deflate=True)
    writer.pdf.close()
    return Agreement(path, tuple(sentences), tuple(facts))


def foreign_sentences(count: int, seed: int) -> list[str]:
    """Sentences of the same vocabulary that stand in no agreement of another seed."""
    chance = random.Random(f"foreign {seed}")
    return [_sentence(chance) for _ in range(count)]


def write_batch(agreements: Sequence[Agreement], cases: int, folder: Path, *, has_faults: bool = True) -> tuple[Path, Path]:
    """A batch and its gold: sixteen fields a case; with faults one in seven has a wrong value or page, an altered or invented quote."""
    name = f"{cases}" if has_faults else f"{cases}-right"
    batch, gold = folder / f"batch-{name}.jsonl", folder / f"gold-{name}.jsonl"
    with batch.open("w", encoding="utf-8") as outputs, gold.open("w", encoding="utf-8") as answers:
        for number in range(cases):
            agreement = agreements[number % len(agreements)]
            head = {"case_id": f"case-{number:06d}", "capability": "loan_onboarding", "document": agreement.path.name}
            fields = _reported(agreement, random.Random(number), has_faults)
            line = {**head, "input": {}, "output": {"document_type": "primary_agreement", "fields": fields}}
            outputs.write(json.dumps(line) + "\n")
            truth = {f.field: {"value": f.value, "citation": {"page": f.page, "section": f.clause}} for f in agreement.facts}
            answers.write(json.dumps({"case_id": head["case_id"], "gold": {"document_type": "primary_agreement", "fields": truth}}) + "\n")
    return batch, gold


_IN_A_NUMBER = re.compile(r" [\d.]+( to)?$")
"""An end at which a quote would give half a ratio: "10.9" of "10.9 to 1" is no right quote."""


def _reported(agreement: Agreement, chance: random.Random, has_faults: bool) -> dict[str, Any]:
    """The fields of one case; quotes differ from case to case by how far they run on."""
    fields = {}
    for fact in agreement.facts:
        after = fact.following.split()
        quote = _IN_A_NUMBER.sub("", " ".join([fact.sentence, *after[: chance.randint(0, len(after))]]))
        value, page, fault = fact.value, fact.page, chance.random() if has_faults else 1.0
        if fault < 0.04:
            quote = quote.replace(" the ", " any ", 1)
        elif fault < 0.08:
            page += 7
        elif fault < 0.11:
            quote = _sentence(chance)
        elif fault < 0.14 and isinstance(value, str):
            value = value.replace("3", "4")
        citation = {"document": agreement.path.name, "page": page, "section": fact.clause, "quote": quote}
        fields[fact.field] = {"status": "extracted", "value": value, "confidence": 0.9, "hitl": "none", "citation": citation}
    return fields
