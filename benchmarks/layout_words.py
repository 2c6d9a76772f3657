# (the words stand on long lines)
"""Sentences of invented loan agreements for the layout bench. The same seed gives the same words."""

from __future__ import annotations

import random
from collections.abc import Callable

_WHO = (
    "the Borrower;each Obligor;the Agent;the Parent;a Finance Party;the Majority Lenders;each Lender;the Security Agent;an Issuing Bank;"
    "the Company;any Guarantor;the Account Bank;a Transferee;the Calculation Agent"
).split(";")
_DUTY = "shall;must;shall promptly;must at its own cost;undertakes to;agrees to;shall not;may;may not;is entitled to;will".split(";")
_VERB = (
    "deliver;supply;notify;reimburse;release;disclose;prepay;reduce;renew;maintain;procure;register;determine;calculate;withhold;"
    "distribute;apply;extend;certify;publish;reconcile;settle;replace;inspect;insure;verify;assign;record;confirm;retain"
).split(";")
_WHAT = (
    "the audited consolidated financial statements of the Group;each Utilisation Request and its enclosures;the Transaction Security "
    "over the Charged Accounts;"
    "all costs and expenses reasonably incurred in connection with a Waiver;the annual budget approved by the board;any Tax Deduction "
    "required by law;"
    "the insurance policies listed in the latest broker's letter;its rights under the Hedging Agreements;a certificate signed by two "
    "directors;"
    "the balance standing to the credit of the Disposal Proceeds Account;any Default of which it has become aware;the valuation of each "
    "Mortgaged Property;"
    "the participation of each Lender in the relevant Loan;any Unpaid Sum together with accrued interest;records of every inter-company "
    "receivable;"
    "the original title deeds to the Terminal;the register of members of each Material Subsidiary;the Relevant Proportion of any Excess "
    "Cashflow;"
    "the reports prepared by the technical adviser;all consents needed for the operation of the Vessels;an updated list of Permitted "
    "Holders;"
    "the amounts standing in the Debt Service Reserve;each Transfer Certificate that appears on its face to comply;the minutes of any "
    "meeting of creditors"
).split(";")
_WHEN = (
    "within {n} Business Days of a written demand;not later than {n} days after the end of each Financial Quarter;on the last day of its "
    "current Interest Period;"
    "promptly upon becoming aware of the relevant event;no more than {m} times in any calendar year;before the date falling {n} Months "
    "after Closing;"
    "for so long as any amount remains outstanding;if the ratio of net debt to earnings exceeds {m}.{k} to 1.00;in an amount of at least "
    "{c} {n},{k}00,000;"
    "at the rate of {m}.{k}0 per cent. per annum;by no later than 11.00 a.m. on the day that is {m} Business Days before the proposed "
    "Utilisation Date;"
    "in the form agreed with {name} on or about {d}"
).split(";")
_UNLESS = (
    "unless the Agent has received written notice to the contrary;except to the extent that a Permitted Disposal is made;subject to the "
    "Agreed Security Principles;"
    "provided that no Event of Default is continuing;without prejudice to {ref};save as required by applicable law or regulation;"
    "in accordance with the Accounting Principles;to the extent that it would otherwise be unlawful;other than any claim arising under "
    "{ref};"
    "having regard to the matters described in {ref};and the failure of {name} to do so does not affect any other obligation"
).split(";")
_NAMES = (
    "Alder Quay Bank plc;Brindle Marine Limited;Corrib Holdings S.à r.l.;Dunmore Ports Inc.;Elwick Capital LLC;Farrow Trustees Limited;"
    "Glasson Shipping AS;Harrow Vale Bank N.A.;Inver Energy GmbH;Jarrow Infrastructure B.V.;Kelso Leasing plc;Lorton Mezzanine Fund II "
    "L.P.;Morvern Securities Limited;Naver Insurance SE"
).split(";")
_ITEMS = (
    "the constitutional documents of {name};a copy of the resolutions passed on {d} by the board of {name};the invoice numbered "
    "{n}{k}{m} for {what};a specimen of the signature of each person named in the letter of {d};evidence that the fees then due from "
    "{name} have been paid;the duly completed form {n}-{k} addressed to {name};a legal opinion of the advisers to {name} dated {d}"
).split(";")
_MEANINGS = (
    "a period of {n} days beginning on the date on which {name} may first {verb} {what};any person approved by the Majority Lenders "
    "which is to {verb} {what} on terms no less favourable than those of {ref};"
    "the aggregate of {c} {n},{k}00,000 and each amount by which {what} is increased under {ref};the agreement dated {d} between {name} "
    "and the Agent relating to {what};"
    "the rate of {m}.{k}0 per cent. per annum as adjusted {when};each account opened by {name} into which {what} is to be paid;"
    "an event which, {when}, would cause {name} to be unable to {verb} {what};in relation to {name}, the proportion borne by {what} to "
    "all amounts owed under {ref};"
    "any disposal of {what} made {when}, {unless};the notice given by {name} under {ref} in which {what} is described"
).split(";")
_MONTHS = "January February March April May June July August September October November December".split()


class Words:
    """A source of sentences; `ref` gives a cross reference in the document's own spelling."""

    def __init__(self, seed: str, ref: Callable[[random.Random], str]) -> None:
        self.chance = random.Random(seed)
        self.ref = ref
        self._given: set[str] = set()

    def sentence(self) -> str:
        """A whole sentence that was not given before."""
        return self._new(lambda: self._capital(self._core() + "."))

    def limb(self) -> str:
        """A limb of a list, without capital and full stop."""
        return self._new(self._core)

    def chapeau(self) -> str:
        """The words above a list."""
        return self._new(
            lambda: self._capital(
                f"{self._one(_WHO)} {self._one(_DUTY)} {self._one(_VERB)} {self._fill(self._one(_WHAT))} {self._fill(self._one(_WHEN))} if:"
            )
        )

    def item(self) -> str:
        return self._new(lambda: self._fill(self._one(_ITEMS)))

    def meaning(self) -> str:
        return self._new(lambda: self._fill(self._one(_MEANINGS)))

    def name(self) -> str:
        return self._one(_NAMES)

    def amount(self) -> str:
        return f"{self.chance.randint(5, 95)},{self.chance.randint(1, 9)}50,000"

    def _core(self) -> str:
        text = f"{self._one(_WHO)} {self._one(_DUTY)} {self._one(_VERB)} {self._fill(self._one(_WHAT))} {self._fill(self._one(_WHEN))}"
        if self.chance.random() < 0.7:
            text += f", {self._fill(self._one(_UNLESS))}"
        if self.chance.random() < 0.4:
            text += f", and {self._one(_WHO)} {self._one(_DUTY)} {self._one(_VERB)} {self._fill(self._one(_WHAT))}"
        return text

    def _fill(self, text: str) -> str:
        chance = self.chance
        while "{" in text:
            text = text.format(
                n=chance.randint(2, 30), m=chance.randint(1, 9), k=chance.randint(1, 9), c=chance.choice(["USD", "EUR", "GBP"]),
                d=f"{chance.randint(1, 28)} {chance.choice(_MONTHS)} {chance.randint(2019, 2026)}",
                name=self._one(_NAMES), ref=self.ref(chance),
                what=self._one(_WHAT), when=self._one(_WHEN), unless=self._one(_UNLESS), verb=self._one(_VERB),
            )  # fmt: skip
        return text

    def _one(self, choices: list[str]) -> str:
        return self.chance.choice(choices)

    def _capital(self, text: str) -> str:
        return text[0].upper() + text[1:]

    def _new(self, make: Callable[[], str]) -> str:
        while (text := make()) in self._given:
            pass
        self._given.add(text)
        return text
