"""Five invented agreements in the forms that the market uses, as blocks whose places are known.

LMA style (clauses, unnumbered definitions, schedules in parts), US style (ARTICLE and SECTION 1.01), a term sheet without numbers, an
amendment with its conformed copy, and a continental form (Roman parts, § and §§ put in later).
"""

from __future__ import annotations

import random

from benchmarks.layout_model import Agreement, Path_
from benchmarks.layout_words import Words

_TERMS = (
    "Acceptable Bank;Accession Letter;Additional Guarantor;Affiliate;Anti-Corruption Laws;Authorisation;Availability Period;Base Case "
    "Model;Borrowings;Break Costs;Business Day;Capital Expenditure;Cash Equivalent;Charged Property;Closing Date;Commitment;Compliance "
    "Certificate;Default;Disposal Proceeds;Distressed Debt Fund;EBITDA;Environmental Claim;Event of Default;Excess Cashflow;Facility "
    "Office;Fee Letter;Finance Document;Financial Year;Group;Hedge Counterparty;Increase Lender;Insurance Proceeds;Interest Period;Joint "
    "Venture;Key-man Policy;Legal Reservations;Leverage;Listing;Loss Account;Majority Lenders;Margin;Material Subsidiary;Month;Net "
    "Proceeds;Obligor;Participating Member State;Permitted Acquisition;Permitted Disposal;Quarter Date;Quasi-Security;Relevant Market;"
    "Repeating Representation;Rollover Loan;Sanctioned Person;Screen Rate;Selection Notice;Substitute Affiliate;Tax Credit;Term Loan;"
    "Total Commitments;Transaction Costs;Transfer Date;Unpaid Sum;Utilisation;VAT;Vendor Note;Working Capital;Zero Floor"
).split(";")
_CLAUSES = """Definitions and Interpretation|Definitions;Construction;Third party rights
The Facilities|The Facilities;Increase;Finance Parties' rights and obligations;Obligors' Agent
Purpose|Purpose;Monitoring
Conditions of Utilisation|Initial conditions precedent;Further conditions precedent;Maximum number of Utilisations
Utilisation|Delivery of a Utilisation Request;Completion of a Utilisation Request;Currency and amount;Lenders' participation
Optional Currencies|Selection of currency;Unavailability of a currency
Repayment|Repayment of Term Loans;Repayment of Revolving Loans
Illegality, Voluntary Prepayment and Cancellation|Illegality;Voluntary cancellation;Voluntary prepayment
Mandatory Prepayment|Exit;Disposal, insurance and acquisition proceeds;Application of prepayments
Restrictions|Notices of cancellation or prepayment;Interest and other amounts;No reborrowing
Interest|Calculation of interest;Payment of interest;Default interest;Notification of rates
Interest Periods|Selection of Interest Periods and Terms;Changes to Interest Periods;Non-Business Days
Changes to the Calculation of Interest|Interpolation;Market disruption;Cost of funds
Fees|Commitment fee;Arrangement fee;Agency fee
Tax Gross Up and Indemnities|Tax definitions;Tax gross-up;Tax indemnity;Stamp taxes
Increased Costs|Increased costs;Increased cost claims;Exceptions
Other Indemnities|Currency indemnity;Other indemnities;Indemnity to the Agent
Mitigation by the Lenders|Mitigation;Limitation of liability
Costs and Expenses|Transaction expenses;Amendment costs;Enforcement and preservation costs
Guarantee and Indemnity|Guarantee and indemnity;Continuing guarantee;Reinstatement;Waiver of defences
Representations|Status;Binding obligations;Non-conflict;No default;Times when representations are made
Information Undertakings|Financial statements;Provision and contents of Compliance Certificate;Budget;Notification of default
Financial Covenants|Financial definitions;Financial condition;Financial testing;Equity cure
General Undertakings|Authorisations;Compliance with laws;Negative pledge;Disposals;Insurance
Events of Default|Non-payment;Other obligations;Misrepresentation;Cross default;Insolvency;Acceleration
Changes to the Lenders|Assignments and transfers by the Lenders;Conditions of assignment or transfer;\
Limitation of responsibility of Existing Lenders
Changes to the Obligors|Assignments and transfer by Obligors;Additional Borrowers;Resignation of a Borrower
Role of the Agent|Appointment of the Agent;Instructions;Duties of the Agent;Resignation of the Agent
Payment Mechanics|Payments to the Agent;Distributions by the Agent;Partial payments;Business Days
Governing Law and Enforcement|Governing law;Jurisdiction;Service of process"""
_US = """Definitions|Defined Terms;Other Interpretive Provisions;Accounting Terms;Rounding
The Commitments and Credit Extensions|The Loans;Borrowings, Conversions and Continuations of Loans;Letters of Credit;Prepayments;\
Termination or Reduction of Commitments;Repayment of Loans;Interest;Fees;Evidence of Debt
Taxes, Yield Protection and Illegality|Taxes;Illegality;Inability to Determine Rates;Increased Costs;Compensation for Losses
Conditions Precedent|Conditions of Initial Credit Extension;Conditions to all Credit Extensions
Representations and Warranties|Existence, Qualification and Power;Authorization;Governmental Authorization;Financial Statements;\
Litigation;No Default;Ownership of Property;Environmental Compliance
Affirmative Covenants|Delivery of Reports;Certificates;Notices;Payment of Obligations;Preservation of Existence;Maintenance of Insurance;\
Books and Records;Inspection Rights
Negative Covenants|Liens;Investments;Indebtedness;Fundamental Changes;Dispositions;Restricted Payments;Transactions with Affiliates;\
Leverage Tests
Events of Default and Remedies|Defaults;Remedies upon Default;Application of Funds
Administrative Agent|Authority;Rights as a Lender;Exculpatory Provisions;Reliance;Successor Agent
Miscellaneous|Amendments, Etc.;Addresses;No Waiver;Costs and Damage Waiver;Successors and Assigns;Confidentiality;Setoff;Counterparts;\
Governing Law;Waiver of Jury Trial"""
_SHEET = """Parties|Company;Original Borrowers;Original Guarantors;Group;Arranger;Facility Agent;Security Trustee
Term Facility|Amount;Drawing period;Use of proceeds;Instalments;Final maturity;Opening margin;Margin ratchet
Revolving Facility|Committed amount;Clean-down;Rollover;Ancillary facilities;Swingline;Unused fee
Prepayment|Change of ownership;Disposal receipts;Insurance receipts;Cash sweep;Voluntary reductions;Break funding
Pricing|Base rate;Alternative rate;Default rate;Upfront fee;Agency charge;Tax treatment;Increased cost protection
Documentation|Drafting basis;Statements of fact;Reporting;Ratio tests;Cure rights;Operating covenants;Baskets;Defaulting events;Voting;\
Assignability
Security|Share charges;Floating charges;Guarantee coverage;Release mechanics;Intercreditor terms
Other|Conditions to first drawing;Conditions to each drawing;Due diligence;Publicity;Privacy;Expenses;Clear market;Expiry;Courts;\
Applicable law"""
_EURO = """General Provisions|Definitions;Interpretation;Legal nature of the contract
The Credit|Amount and purpose;Drawing;Availability;Currency
Interest and Fees|Interest rate;Interest periods;Default interest;Fees;Costs
Repayment|Scheduled repayment;Early repayment;Compulsory repayment;Application of payments
Assurances|Statements of the Borrower;Information;Financial ratios;Negative pledge;Disposals;Insurance of assets
Termination|Termination for cause;Consequences of termination;Set-off
Final Provisions|Transfers;The Agent;Notices;Severability;Written form;Applicable law and courts"""


def _titled(text: str) -> list[tuple[str, list[str]]]:
    return [(head, subs.split(";")) for head, subs in (line.split("|") for line in text.splitlines())]


class _Body:
    """Adds the lists, paragraphs and tables of a provision to an agreement."""

    def __init__(self, agreement: Agreement, words: Words, item: str = "{}, item {}") -> None:
        self.agreement, self.words, self.chance, self._item = agreement, words, words.chance, item

    def limbs(self, path: Path_, cite: str, level: int, marks: str, count: int, *, deeper: str = "") -> None:
        """Limbs (a), (b), … below a provision; some of them hold limbs of the next kind (`deeper`: kinds still to come)."""
        for n in range(count):
            mark = f"({_mark(marks, n)})"
            here = self.agreement.cite((*path, mark), f"{cite}{mark}")
            if deeper and self.chance.random() < 0.25:
                self.agreement.add("text", self.words.chapeau(), mark, level=level, path=here)
                self.limbs(here, f"{cite}{mark}", level + 1, deeper[0], self.chance.randint(2, 4), deeper=deeper[1:])
            else:
                end = "." if n + 1 == count else "; and" if n + 2 == count else ";"
                self.agreement.add("text", self.words.limb() + end, mark, level=level, path=here)

    def numbered(self, path: Path_, cite: str, level: int, count: int) -> None:
        """A list 1., 2., 3. inside a provision: its numbers are no clauses."""
        self.agreement.add("text", "The documents to be delivered for this purpose are each of the following:", level=level)
        for n in range(1, count + 1):
            here = self.agreement.cite((*path, f"item {n}"), self._item.format(cite, n), cite)
            self.agreement.add("text", self.words.item() + (";" if n < count else "."), f"{n}.", level=level, path=here)

    def rows(self, path: Path_, count: int, *, is_numbered: bool = True) -> None:
        """A table whose first column counts; a row belongs to the part of the schedule that holds it."""
        self.agreement.add("row", "No. | Name | Office | Amount" if is_numbered else "Name | Office | Amount")
        for n in range(1, count + 1):
            office = self.chance.choice(["London", "Dublin", "Oslo", "New York", "Hamburg", "Utrecht"])
            cells = [self.words.name(), f"{office} {self.chance.randint(10, 99)}", self.words.amount()]
            self.agreement.add("row", " | ".join([f"{n}.", *cells] if is_numbered else cells), path=path)

    def provision(self, path: Path_, cite: str, level: int, marks: str = "aiA") -> None:
        """The words of one numbered provision in one of the usual shapes."""
        shape = self.chance.random()
        if shape < 0.2:
            self.agreement.add("text", f"{self.words.sentence()} {self.words.sentence()}", level=level, path=path)
        elif shape < 0.75:
            if self.chance.random() < 0.5:
                self.agreement.add("text", self.words.chapeau(), level=level, path=path)
            self.limbs(path, cite, level, marks[0], self.chance.randint(3, 5), deeper=marks[1:])
        else:
            self.agreement.add("text", self.words.sentence(), level=level, path=path)
            self.numbered(path, cite, level, self.chance.randint(4, 7))

    def definitions(self, path: Path_, terms: list[str], spellings: tuple[str, ...], form: str = "“{}” means {}") -> None:
        """Unnumbered definitions, one in five with limbs. `spellings` hold the term as {}."""
        for term in terms:
            cites = tuple(spelling.format(term) for spelling in spellings)
            here = self.agreement.cite((*path, f"“{term}”"), *cites)
            if self.chance.random() < 0.2:
                self.agreement.add("text", form.format(term, "any of the following matters, as the case may be:"), level=1, path=here)
                for n in range(self.chance.randint(2, 3)):
                    limb = self.agreement.cite((*here, f"({'abc'[n]})"), f"paragraph ({'abc'[n]}) of the {cites[0]}")
                    self.agreement.add("text", self.words.meaning() + ";", f"({'abc'[n]})", level=2, path=limb)
            else:
                self.agreement.add("text", form.format(term, self.words.meaning() + "."), level=1, path=here)


def _mark(kind: str, n: int) -> str:
    return {"a": "abcdefghij"[n], "A": "ABCDEFGHIJ"[n], "1": str(n + 1), "i": "i ii iii iv v vi vii viii ix x".split()[n]}[kind]


def add_cover(agreement: Agreement, *lines: str) -> None:
    for line in lines:
        agreement.add("cover", line)
    agreement.add("page", "")
    agreement.add("contents", "")
    agreement.add("page", "")


def _parties(agreement: Agreement, words: Words) -> None:
    agreement.add("heading", "PARTIES")
    for n, role in enumerate(("the Parent", "the Company", "the Agent", "the Security Agent"), 1):
        agreement.add(
            "text", f"{words.name().upper()}, whose registered number is {words.chance.randint(10**6, 10**7)} ({role});", f"({n})", level=1
        )


def lma_style() -> Agreement:
    """Clauses 1 to 30 with sub-clauses, a Clause 12A put in later, unnumbered definitions, schedules with parts and numbered tables."""
    agreement = Agreement("lma", "Senior Facilities Agreement", bare_number="Clause {}")
    titles = _titled(_CLAUSES)

    def ref(chance: random.Random) -> str:
        n = chance.randint(2, 30)
        return chance.choice(
            [f"Clause {n} ({titles[n - 1][0]})", f"paragraph ({chance.choice('abc')}) of Clause {n}.{chance.randint(1, 2)} above"]
        )

    words = Words("lma", ref)
    body = _Body(agreement, words)
    add_cover(
        agreement, "DATED 3 MARCH 2025", "SENIOR FACILITIES AGREEMENT", "for HOLMWOOD TERMINALS LIMITED", "arranged by ALDER QUAY BANK PLC"
    )
    agreement.add("heading", "THIS AGREEMENT is dated 3 March 2025 and made between:")
    _parties(agreement, words)
    numbers = [(str(n), title, subs) for n, (title, subs) in enumerate(titles, 1)]
    numbers.insert(12, ("12A", "Replacement of Screen Rate", ["Replacement events", "Consent of the Parent"]))
    for number, title, subs in numbers:
        top = agreement.cite((number,), f"Clause {number}")
        agreement.add("title", title.upper(), f"{number}.", entry=f"{number}. {title}", path=top)
        for m, sub in enumerate(subs, 1):
            here = agreement.cite((number, f"{number}.{m}"), f"Clause {number}.{m}", f"Clause {number}.{m} ({sub})")
            agreement.add("title", sub, f"{number}.{m}", path=here)
            if sub == "Definitions":
                agreement.add(
                    "text",
                    "In this Agreement, unless the contrary intention appears, the following terms have these meanings:",
                    level=1,
                    path=here,
                )
                body.definitions(
                    here, _TERMS, ("definition of “{}”", "definition of “{}” in Clause 1.1", "Clause 1.1 (Definitions), definition of “{}”")
                )
            else:
                body.provision(here, f"Clause {number}.{m}", 1)
    _schedules(agreement, body)
    return agreement


def _schedules(agreement: Agreement, body: _Body) -> None:
    for n, (title, kind) in enumerate(
        (
            ("The Original Parties", "rows"),
            ("Conditions Precedent", "paragraphs"),
            ("Utilisation Requests", "plain"),
            ("Timetables", "rows"),
        ),
        1,
    ):
        agreement.add("page", "")
        top = agreement.cite((f"Schedule {n}",), f"Schedule {n}")
        agreement.add("heading", f"SCHEDULE {n}", entry=f"Schedule {n} {title}", path=top)
        agreement.add("heading", title, path=top)
        for part in ("I", "II"):
            here = agreement.cite((*top, f"Part {part}"), f"Part {part} of Schedule {n}", f"Schedule {n}, Part {part}")
            agreement.add("heading", f"Part {part}", path=here)
            agreement.add("heading", f"{'First' if part == 'I' else 'Second'} list of {title}", path=here)
            if kind == "rows":
                body.rows(here, 14)
            elif kind == "plain":
                for _ in range(4):
                    agreement.add("text", body.words.sentence(), path=here)
            else:
                for item in range(1, 5):
                    cite = f"paragraph {item} of Part {part} of Schedule {n}"
                    below = agreement.cite((*here, str(item)), cite)
                    agreement.add(
                        "title", body.chance.choice(["Corporate documents", "Security", "Other evidence"]), f"{item}.", path=below
                    )
                    for m in range(body.chance.randint(2, 4)):
                        limb = agreement.cite((*below, f"({'abcd'[m]})"), f"paragraph {item}({'abcd'[m]}) of Part {part} of Schedule {n}")
                        agreement.add("text", body.words.item() + ".", f"({'abcd'[m]})", level=1, path=limb)


def _sections(agreement: Agreement, body: _Body, prefix: Path_ = ()) -> None:
    """ARTICLE I, SECTION 1.01. Title. Text."""
    for n, (title, subs) in enumerate(_titled(_US), 1):
        roman = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"][n - 1]
        top = agreement.cite((*prefix, f"Article {roman}"), f"Article {roman}")
        agreement.add("heading", f"ARTICLE {roman}", path=top, entry=f"ARTICLE {roman} {title.upper()}")
        agreement.add("heading", title.upper(), path=top)
        for m, sub in enumerate(subs, 1):
            number = f"{n}.{m:02d}"
            here = agreement.cite((*top, number), f"Section {number}", f"Section {number} ({sub})")
            if sub == "Defined Terms":
                agreement.add(
                    "text",
                    f"{sub}. As used in this Agreement, the following terms shall have the meanings set forth below:",
                    f"SECTION {number}",
                    path=here,
                    entry=f"SECTION {number} {sub}",
                )
                body.definitions(here, _TERMS, ("definition of “{}”", "definition of “{}” in Section 1.01", "Section 1.01, “{}”"))
                continue
            agreement.add("text", f"{sub}. {body.words.sentence()}", f"SECTION {number}", path=here, entry=f"SECTION {number} {sub}")
            if body.chance.random() < 0.75:
                body.limbs(here, f"Section {number}", 1, "a", body.chance.randint(3, 6), deeper="iA")
            elif body.chance.random() < 0.5:
                body.numbered(here, f"Section {number}", 1, 5)


def us_style() -> Agreement:
    """Articles with centred headings, sections with run-in titles, a pricing grid, a schedule of commitments and an exhibit."""
    agreement = Agreement("us", "Credit Agreement", bare_number="Section {}")
    words = Words("us", lambda chance: f"Section {chance.randint(2, 10)}.0{chance.randint(1, 2)}" + chance.choice(["", "(a)", "(b)"]))
    body = _Body(agreement, words)
    add_cover(
        agreement,
        "EXECUTION VERSION",
        "CREDIT AGREEMENT",
        "dated as of June 12, 2024",
        "among DUNMORE PORTS INC., as Borrower",
        "and HARROW VALE BANK N.A., as Administrative Agent",
    )
    agreement.add(
        "text",
        f"This CREDIT AGREEMENT is entered into as of June 12, 2024, among {words.name()} and each lender from time to time party hereto.",
    )
    _sections(agreement, body)
    for label, title in (("SCHEDULE 2.01", "Commitments"), ("SCHEDULE 7.03", "Existing Indebtedness"), ("EXHIBIT A", "Form of Notice")):
        agreement.add("page", "")
        here = agreement.cite((label,), label.title())
        agreement.add("heading", label, path=here, entry=f"{label} {title}")
        agreement.add("heading", title, path=here)
        if label == "EXHIBIT A":
            for _ in range(5):
                agreement.add("text", words.sentence(), path=here)
        else:
            body.rows(here, 16)
    return agreement


def term_sheet() -> Agreement:
    """Headings and row labels without any number: a row is cited by its label."""
    agreement = Agreement("sheet", "Summary of Terms and Conditions")
    words = Words("sheet", lambda chance: f"the terms set out under {chance.choice(['Ratio tests', 'Baskets', 'Cash sweep', 'Voting'])}")
    agreement.add("heading", "PROJECT LANTERN: SUMMARY OF TERMS AND CONDITIONS")
    agreement.add(
        "text",
        "This term sheet sets out the principal terms on which the Arranger would be prepared to provide the facilities described in it.",
    )
    for title, rows in _titled(_SHEET):
        agreement.add("heading", title.upper())
        for row in rows:
            here = agreement.cite((row,), row)
            agreement.add("title", row, path=here)
            for _ in range(words.chance.randint(1, 3)):
                agreement.add("text", " ".join(words.sentence() for _ in range(words.chance.randint(1, 3))), level=1, path=here)
    return agreement


def amendment() -> Agreement:
    """An amendment of nine sections; its annex is the conformed credit agreement with numbers of its own."""
    agreement = Agreement("amendment", "Second Amendment to Credit Agreement")
    words = Words("amendment", lambda chance: f"Section {chance.randint(2, 10)}.0{chance.randint(1, 2)} of the Credit Agreement")
    body = _Body(agreement, words)
    agreement.add("heading", "SECOND AMENDMENT TO CREDIT AGREEMENT")
    agreement.add("text", f"This SECOND AMENDMENT is made on May 9, 2025 between {words.name()} and {words.name()}.")
    for n, title in enumerate(
        "Interpretation;Amendments;Fees;Effectiveness;Confirmations;Costs;Counterparts;Entire Agreement;Headings".split(";"), 1
    ):
        here = agreement.cite(("amendment", f"{n}"), f"Section {n}")
        agreement.add("text", f"{title}. {words.sentence()}", f"{n}.", path=here)
        if n % 2 == 0:
            body.limbs(here, f"Section {n}", 1, "a", 4)
    agreement.add("page", "")
    agreement.add("heading", "ANNEX A")
    agreement.add("heading", "CONFORMED CREDIT AGREEMENT")
    agreement.add("page", "")
    agreement.add("contents", "")
    agreement.add("page", "")
    _sections(
        agreement,
        _Body(agreement, Words("conformed", lambda chance: f"Section {chance.randint(2, 10)}.0{chance.randint(1, 2)}")),
        ("conformed",),
    )
    # The amendment's "Section 2" and the copy's Article II share a number: what is right for one may be right for the other.
    agreement.spellings.pop(("conformed",), None)
    return agreement


def continental() -> Agreement:
    """Parts with Roman numbers, § running through them, a § 5a put in later, paragraphs (1), (2) with letters; “Term”: meaning."""
    agreement = Agreement("continental", "Loan Contract", bare_number="§ {}")
    words = Words("continental", lambda chance: f"§ {chance.randint(2, 30)} paragraph ({chance.randint(1, 2)})")
    body = _Body(agreement, words, "{} no. {}")
    add_cover(agreement, "LOAN CONTRACT", "between INVER ENERGY GMBH", "and MORVERN BANK AG")
    number = 0
    for n, (title, subs) in enumerate(_titled(_EURO)):
        roman = ["I", "II", "III", "IV", "V", "VI", "VII"][n]
        agreement.add("heading", f"{roman}. {title}", entry=f"{roman}. {title}")
        for sub in subs:
            number += 1
            for label in [f"{number}"] + ([f"{number}a"] if sub in ("Drawing", "Information") else []):
                here = agreement.cite((label,), f"§ {label}")
                agreement.add(
                    "title",
                    sub if label.isdigit() else f"Special rules on {sub.lower()}",
                    f"§ {label}",
                    path=here,
                    entry=f"§ {label} {sub}",
                )
                if sub == "Definitions":
                    body.definitions(here, _TERMS, ("definition of “{}”", "§ 1, definition of “{}”"), "“{}”: {}")
                else:
                    body.limbs(here, f"§ {label}", 0, "1", words.chance.randint(3, 6), deeper="a")
                    if words.chance.random() < 0.3:
                        body.numbered(here, f"§ {label}", 0, 5)
    return agreement
