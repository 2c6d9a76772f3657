"""Faults of loan onboarding in the notation of real outputs (real_agreements.md R3): wrong parts inside decorated values, other places'
laws, extras with invented amounts, accepted alternatives beside a wrong value, passages that cannot be read.

Where the standard leaves two labels for a fault, both are expected ("fail or hallucination"); full marks are never among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_fields import (
    DROPPED,
    WRONG,
    _amended,
    _amount,
    _gone,
    _percent,
    _texts,
    date_forms,
    date_stands,
    entries,
    extracted,
    money_stands,
    rate_stands,
)
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_quotes import INVENTED, MONTHS, Plant

NO_MARKS = "fail or hallucination"
NOT_FULL = "partial or fail or hallucination"
SIGNS = {"USD": "$", "GBP": "£", "EUR": "€"}


def _natural(code: str, amount: int) -> list[str]:
    million = f"{amount / 10**6:g}"
    return [f"{SIGNS[code]}{million}m", f"{code} {million}mn (committed)", f"{SIGNS[code]}{million} million in aggregate"]


def amount_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for factor in (Fraction(11, 10), Fraction(3, 5)):
                amount = int(own[1] * factor)
                expected = _gone(money_stands(base, case, amount, own[0]))
                yield entry.mutant("amount wrong, natural notation", base, expected, {"value": rng.choice(_natural(own[0], amount))})


def amount_with_more(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The right amount with a second one that nobody agreed on."""
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for words in ("of which {} is available in swingline advances", "({} with the incremental facility)", "; accordion of {}"):
                value = f"{own[0]} {own[1]:,} {words.format(f'{own[0]} 98,765,000')}"
                yield entry.mutant("right amount beside an invented one", base, NOT_FULL, {"value": value}, verdicts=WRONG)


def amount_rounded(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Gold is set to an amount of the document with many digits: its rounded form is wrong, and not out of the air."""
    for entry in extracted(case, "facility_amount"):
        if not (own := _amount(entry)):
            continue
        sign = {"USD": r"\$", "GBP": "gbp ", "EUR": "eur "}[own[0]]
        found = {int(n.replace(",", "")) for n in re.findall(rf"{sign}(\d{{1,3}}(?:,\d{{3}}){{2,}})(?!\d|[.,]\d)", _texts(base, case))}
        for amount in sorted(a for a in found if a % 100_000)[:3]:
            rounded = round(amount, -5) / 10**6
            if not money_stands(base, case, round(amount, -5)):
                value = f"{own[0]} {rounded:g} million"
                yield entry.mutant("amount rounded", base, "fail", {"value": value}, gold={"value": f"{own[0]} {amount:,}"})


def words_and_figures(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            value = f"{own[0]} {own[1]:,} (ninety-nine million {own[0]})"
            yield entry.mutant("amount: words and figures differ", base, NOT_FULL, {"value": value}, verdicts=WRONG)


def rate_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin", "commitment_fee"):
        if (own := _percent(entry)) is None:
            continue
        wrong = own + Fraction(137, 1000)
        for value in (
            f"SONIA + {float(wrong):g}%",
            f"{float(wrong):g} per cent. per annum over the reference rate",
            f"+{float(wrong * 100):g}bps",
        ):
            yield entry.mutant("rate wrong, words around it", base, _gone(rate_stands(base, case, wrong)), {"value": value}, verdicts=WRONG)
        yield entry.mutant("rate: minus sign", base, NO_MARKS, {"value": f"-{float(own):g}%"})
        if not rate_stands(base, case, Fraction(437, 100)):
            value = f"{float(own):g}% cash and 4.37% PIK"
            yield entry.mutant("right rate beside an invented one", base, NOT_FULL, {"value": value}, verdicts=WRONG)
        if not rate_stands(base, case, own + Fraction(437, 100)):
            value = f"{float(own):g}% cash and {float(own):g}% PIK ({float(own + Fraction(437, 100)):g}% all-in)"
            yield entry.mutant("rate: a total that is none", base, NOT_FULL, {"value": value}, verdicts=WRONG)


def date_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "maturity_date"):
        own = date.fromisoformat(entry.reported["value"])
        day = own.replace(year=own.year + 3, day=17)
        if date_stands(base, case, day):
            continue
        forms = [f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}", f"{day:%d.%m.%Y}", f"{day.isoformat()} (as extended)"]
        for value in (*forms, *date_forms(day)[:2], f"the Termination Date, being {date_forms(day)[0]}"):
            yield entry.mutant("date wrong, natural notation", base, "hallucination", {"value": value}, verdicts=WRONG)


def period_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "tenor"):
        for value, form in (("7-year", "7 years"), ("eighty-four months", "84 months"), ("seven (7) years from signing", "seven years")):
            yield entry.mutant("period wrong, natural notation", base, _gone(base.stands(case, form)), {"value": value}, verdicts=WRONG)


def party_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent"):
        role = "the Borrower" if entry.key == "borrower" else "the Agent"
        for name in ("Westmere Orchard Capital LLC", "Kestrel & Dunne Bank plc"):
            for value in (f"{name} ({role})", f"{name}, as {role.removeprefix('the ')}"):
                yield entry.mutant("party not in the document, with its role", base, "hallucination", {"value": value}, verdicts=WRONG)
        for other in base.other_parties:
            if base.stands(case, other):
                yield entry.mutant(
                    "party in another role, with the role asked for", base, "fail", {"value": f"{other} ({role})"}, verdicts=WRONG
                )
        value = f"{entry.reported['value']} (registered number 77120934)"
        yield entry.mutant("right party, invented number", base, NOT_FULL, {"value": value}, verdicts=WRONG)


def guarantor_other(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A real party that guarantees nothing, among right ones."""
    for entry in extracted(case, "guarantors"):
        for other in base.other_parties:
            if base.stands(case, other):
                value = [*entry.reported["value"], other]
                yield entry.mutant("guarantor that is another party", base, "partial or fail", {"value": value}, verdicts=WRONG)


PLACES = {
    "texas": "Texas law",
    "delaware": "laws of the State of Delaware",
    "nevada": "Nevada law",
    "the netherlands": "laws of the Netherlands",
    "canada": "Canadian law",
    "england": "English law",
    "washington": "Washington law",
}


def law_elsewhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The law of a place that the document names for something else."""
    for entry in extracted(case, "governing_law"):
        for place, law in PLACES.items():
            own = str(entry.reported["value"]).casefold()
            if base.stands(case, place) and place not in own and not (place == "england" and "english" in own):
                yield entry.mutant("law of another place of the document", base, "fail", {"value": law}, verdicts=WRONG)


def beside_alternatives(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Accepted alternatives, also one that cannot be read whole, never switch deciding off."""
    invented = {
        "facility_amount": "USD 98,765,000",
        "maturity_date": "2077-07-07",
        "margin": "7.77% per annum",
        "borrower": "Westmere Orchard Capital LLC",
        "facility_agent": "Westmere Orchard Capital LLC",
    }
    for entry in extracted(case, *invented):
        accepted = [str(entry.gold["value"]).upper(), "as set out in the letter of the same date"]
        expected = "fail or hallucination" if entry.key == "facility_amount" else "hallucination"
        yield entry.mutant(
            "value wrong beside accepted alternatives",
            base,
            expected,
            {"value": invented[entry.key]},
            gold={"accepted": accepted},
            verdicts=WRONG,
        )


def qualifier(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_type"):
        value = str(entry.reported["value"])
        gold = {"value": f"uncommitted {value}"}
        yield entry.mutant("facility type: qualifier left out", base, "partial", {}, gold=gold, verdicts=WRONG)
        yield entry.mutant("facility type: qualifier added", base, "partial or fail", {"value": f"uncommitted {value}"}, verdicts=WRONG)


def repayment_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "repayment_schedule"):
        value = str(entry.reported["value"])
        wrong = "Bullet at maturity" if "instalment" in value else "Amortising in equal quarterly instalments"
        yield entry.mutant("repayment wrong, natural notation", base, "fail", {"value": wrong}, verdicts=WRONG)
        more = f"{value}, of USD 98,765 each" if "instalment" in value else f"{value} on 17 July 2077"
        yield entry.mutant("right repayment with an invented figure", base, NOT_FULL, {"value": more}, verdicts=WRONG)


def binary_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "mac_clause", "negative_pledge"):
        for value in ("No - no such provision was found", "N (not included)", "No."):
            yield entry.mutant("yes / no flipped, with a reason", base, "fail", {"value": value}, verdicts=WRONG)


# ---- presence ------------------------------------------------------------------------------------------------------


def says_nothing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case):
        value = rng.choice(("not stated in the document", "N/A", "None stated", "not specified", "unknown"))
        report: Any = [value] if isinstance(entry.reported["value"], list) else value
        yield entry.mutant("present field: the value says that there is none", base, "fail", {"value": report}, code="NOTHING_REPORTED")


def absent_with_citation(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    real = next((e.reported["citation"] for e in extracted(case) if "citation" in e.reported), None)
    for entry in entries(case):
        if entry.reported["status"] != "absent" or real is None:
            continue
        for parts in ({"quote": rng.choice(INVENTED)}, {"section": "Clause 97.3"}, *([{"page": 4711}] if base.is_paged else [])):
            cited = {"citation": {**real, **parts}}
            yield entry.mutant(
                "absent, with an invented citation", base, "hallucination", cited, verdicts={"quote_paraphrase": "fabricated"}
            )


def extra_field(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A field of a tranche that gold does not have there."""
    for n, tranche in enumerate(case.output.get("tranches", ()) if case.capability == "loan_onboarding" else ()):
        cited = next((f["citation"] for f in tranche["fields"].values() if "citation" in f), None)
        if cited is None or "facility_agent" in tranche["fields"]:
            continue
        real = str(next((p for p in base.other_parties if base.stands(case, p)), ""))
        for name, kind, expected in (
            ("Westmere Orchard Capital LLC", "extra field, value invented", "hallucination"),
            (real, "extra field, value of the document", "extra"),
        ):
            if not name:
                continue
            output = deepcopy(case.output)
            sure = {"confidence": 0.95, "hitl": "none", "citation": cited}
            output["tranches"][n]["fields"]["facility_agent"] = {"status": "extracted", "value": name, **sure}
            yield Mutant(
                kind,
                base.name,
                case.case_id,
                case.capability,
                case.documents,
                f"tranches.{tranche['label']}.facility_agent",
                output,
                case.gold,
                case.input,
                expected,
                code="EXTRA_FIELD",
                verdicts={"quote_support": "does_not_support"},
                tranche=tranche["label"],
            )


def tranche_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "loan_onboarding" or len(case.output.get("tranches", ())) < 2:
        return
    labels = [t["label"] for t in case.output["tranches"]]
    for n, label in enumerate(labels):
        output = deepcopy(case.output)
        output["tranches"].append(deepcopy(output["tranches"][n]))
        more = {"code": "DUPLICATE_TRANCHE", "tranche": label, "touches_others": True}
        yield _tranche("tranche reported twice", base, case, f"tranches.+{label}#2", output, "extra", **more)
        invented = {"status": "extracted", "value": "USD 98,765,000", "confidence": 0.95, "hitl": "none"}
        output = deepcopy(case.output)
        output["tranches"].append({"label": label, "fields": {"facility_amount": invented}})
        yield _tranche("tranche reported twice, amount invented", base, case, f"tranches.+{label}#2", output, "hallucination", **more)
    swapped = deepcopy(case.output)
    for tranche, label in zip(swapped["tranches"], [*labels[1:], labels[0]], strict=True):
        tranche["label"] = label
    for n, label in enumerate(labels):
        own, other = case.output["tranches"][n]["fields"], case.output["tranches"][n - 1]["fields"]
        if own.get("facility_amount", {}).get("value") != other.get("facility_amount", {}).get("value"):
            item = f"tranches.{label}.facility_amount"
            more = {"code": "OTHER_TRANCHE", "tranche": label, "touches_others": True}
            yield _tranche("tranche labels exchanged", base, case, item, swapped, "partial", **more)


def _tranche(kind: str, base: Base, case: BaseCase, item: str, output: dict[str, Any], expected: str, **more: Any) -> Mutant:
    return Mutant(kind, base.name, case.case_id, case.capability, case.documents, item, output, case.gold, case.input, expected, **more)


# ---- what cannot be read, amendments -------------------------------------------------------------------------------


def guessed(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent", "governing_law"):
        value = str(entry.reported["value"])
        gold = {"legible": False, "visible": value[:5], "value": DROPPED}
        low = {"confidence": "LOW", "hitl": "block"}
        yield entry.mutant("illegible passage completed", base, "fail", low, gold=gold, code="GUESSED")
        other = {**low, "value": "Westmere Orchard Capital LLC"}
        yield entry.mutant("illegible passage: against what is visible", base, "hallucination", other, gold=gold, code="GUESSED")
        yield entry.mutant("illegible passage: the visible part alone", base, "correct", {**low, "value": value[:5]}, gold=gold)
        yield entry.mutant("illegible passage: said to be illegible", base, "correct", {**low, "value": "[illegible]"}, gold=gold)
        sure = {"value": "illegible", "confidence": "HIGH", "hitl": "none"}
        yield entry.mutant("illegible passage, HIGH confidence", base, "fail", sure, gold=gold, code="OVERCONFIDENT_ILLEGIBLE")


def amendment_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in _amended(case):
        if entry.gold["amended"]["original_value"]:
            for text in ("see original agreement", "as in the Facilities Agreement", "not stated"):
                yield entry.mutant("amendment: original value by reference", base, "partial", {"original_value": text}, verdicts=WRONG)
        if entry.key == "facility_amount":
            code, amount = str(entry.reported["new_value"]).split(" ")
            wrong = int(amount.replace(",", "")) * 11 // 10
            yield entry.mutant(
                "amendment: new value wrong, natural notation",
                base,
                _gone(money_stands(base, case, wrong, code)),
                {"new_value": f"{SIGNS[code]}{wrong / 10**6:g}m (increased)"},
            )
        if entry.gold["amended"]["effective_date"]:
            day = date.fromisoformat(entry.gold["amended"]["effective_date"])
            text = f"17 {MONTHS[day.month - 1][:3]}. {day.year + 7}"
            yield entry.mutant("amendment: date wrong, natural notation", base, "hallucination", {"effective_date": text})


NATURAL_FIELD_KINDS: dict[str, Plant] = {
    "amount, natural notation": amount_natural,
    "amount beside an invented one": amount_with_more,
    "amount rounded": amount_rounded,
    "amount: words and figures differ": words_and_figures,
    "rate, natural notation": rate_natural,
    "date, natural notation": date_natural,
    "period, natural notation": period_natural,
    "party, natural notation": party_natural,
    "guarantor that is another party": guarantor_other,
    "law of another place": law_elsewhere,
    "accepted alternatives": beside_alternatives,
    "facility type: qualifier": qualifier,
    "repayment, natural notation": repayment_natural,
    "yes / no with a reason": binary_natural,
    "the value says that there is none": says_nothing,
    "absent with a citation": absent_with_citation,
    "extra field": extra_field,
    "tranches, natural": tranche_natural,
    "illegible with a visible part": guessed,
    "amendment, natural notation": amendment_natural,
}
