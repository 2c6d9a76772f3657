"""Faults of loan onboarding (standard 1, judging.md 2): values, presence, tranches, amendments, confidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_quotes import MONTHS, Plant

WRONG = {"semantic_match": "not_equivalent"}
MONEY = re.compile(r"([A-Z]{3}) ([\d,]+)")


class Entry:
    """One reported field with its gold, and where it stands."""

    def __init__(self, case: BaseCase, key: str, tranche: int | None) -> None:
        self.case, self.key, self.index = case, key, tranche
        self.tranche = None if tranche is None else str(case.output["tranches"][tranche]["label"])
        self.item = f"fields.{key}" if tranche is None else f"tranches.{self.tranche}.{key}"
        self.reported: dict[str, Any] = self.of(case.output)
        self.gold: dict[str, Any] = self.of(case.gold)

    def of(self, content: dict[str, Any]) -> Any:
        if self.index is None:
            return content["fields"].get(self.key)
        return content["tranches"][self.index]["fields"].get(self.key)

    def mutant(self, kind: str, base: Base, expected: str, parts: dict[str, Any] | None, **more: Any) -> Mutant:
        """The case with other parts in this field (None: without the field); `gold` changes gold alike."""
        output, gold = deepcopy(self.case.output), deepcopy(self.case.gold)
        holder = output["fields"] if self.index is None else output["tranches"][self.index]["fields"]
        if parts is None:
            del holder[self.key]
        else:
            holder[self.key].update(parts)
            holder[self.key] = {k: v for k, v in holder[self.key].items() if v is not DROPPED}
        truth = self.of(gold)
        truth.update(more.pop("gold", {}))
        for key in [k for k, v in truth.items() if v is DROPPED]:
            del truth[key]
        return Mutant(
            kind,
            base.name,
            self.case.case_id,
            self.case.capability,
            self.case.documents,
            self.item,
            output,
            gold,
            self.case.input,
            expected,
            tranche=self.tranche,
            **more,
        )


DROPPED = object()


def entries(case: BaseCase) -> Iterator[Entry]:
    if case.capability != "loan_onboarding":
        return
    for key in case.output["fields"]:
        yield Entry(case, key, None)
    for n, tranche in enumerate(case.output.get("tranches", ())):
        for key in tranche["fields"]:
            yield Entry(case, key, n)


def extracted(case: BaseCase, *keys: str) -> Iterator[Entry]:
    return (e for e in entries(case) if e.reported["status"] == "extracted" and (not keys or e.key in keys))


# ---- where values stand, by plain text search ----------------------------------------------------------------------


def money_stands(base: Base, case: BaseCase, amount: int, currency: str = "") -> bool:
    """Whether an amount stands in any document of the case, in figures or with a scale word."""
    forms = [f"{amount:,}", str(amount), f"{amount:,}.00"]
    for unit, size in (("million", 10**6), ("m", 10**6), ("billion", 10**9), ("bn", 10**9)):
        if amount % (size // 100) == 0:
            forms += [f"{float(Fraction(amount, size)):g} {unit}", f"{float(Fraction(amount, size)):g}{unit}"]
    text = " ".join(base.texts[name].running for name in case.documents)
    sign = {"USD": r"(?:\$|usd) ?", "GBP": "(?:£|gbp) ?", "EUR": "(?:€|eur) ?"}.get(currency, "")
    return any(re.search(rf"{sign}(?<![\d.,]){re.escape(form)}(?!\d|[.,]\d)", text) for form in forms)


def date_forms(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    return [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{month} {day.day} {day.year}", day.isoformat()]


def date_stands(base: Base, case: BaseCase, day: date) -> bool:
    return any(base.stands(case, form) for form in date_forms(day))


def rate_stands(base: Base, case: BaseCase, percent: Fraction) -> bool:
    value = float(percent)
    text = " ".join(base.texts[name].running for name in case.documents)
    forms = {f"{value:g}", f"{value:.1f}", f"{value:.2f}", f"{value:.3f}"}
    bps = {f"{float(percent * 100):g}"}
    return any(re.search(rf"(?<![\d.,/]){re.escape(f)}\s?\)?(%| per ?cent| percent)", text) for f in forms) or any(
        re.search(rf"(?<![\d.,]){re.escape(f)} (bps|basis points)", text) for f in bps
    )


def _gone(stands: bool) -> str:
    return "fail" if stands else "hallucination"


# ---- values --------------------------------------------------------------------------------------------------------


def _amount(entry: Entry) -> tuple[str, int] | None:
    found = MONEY.fullmatch(str(entry.reported.get("value")))
    return (found[1], int(found[2].replace(",", ""))) if found else None


def _texts(base: Base, case: BaseCase) -> str:
    return " ".join(base.texts[name].running for name in case.documents)


def money_elsewhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if not (own := _amount(entry)):
            continue
        others = {MONEY.fullmatch(str(e.reported.get("value"))) for e in extracted(case, "facility_amount")}
        taken = {int(m[2].replace(",", "")) for m in others if m}
        sign = {"USD": r"\$", "GBP": r"gbp ", "EUR": r"eur "}[own[0]]
        found = {int(n.replace(",", "")) for n in re.findall(rf"{sign}(\d{{1,3}}(?:,\d{{3}})+)(?!\d|[.,]\d)", _texts(base, case))} - taken
        for amount in rng.sample(sorted(found), min(4, len(found))):
            yield entry.mutant("amount wrong, stands elsewhere", base, "fail", {"value": f"{own[0]} {amount:,}"})


def money_nowhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for _ in range(4):
                amount = rng.randint(1001, 9998) * 10_000 + 70_000
                if not money_stands(base, case, amount):
                    yield entry.mutant("amount wrong, not in the document", base, "hallucination", {"value": f"{own[0]} {amount:,}"})


def money_digit(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            amount = own[1] + rng.choice((1, 3, 7)) * 10 ** rng.randint(4, 6)
            yield entry.mutant(
                "amount: one digit wrong", base, _gone(money_stands(base, case, amount, own[0])), {"value": f"{own[0]} {amount:,}"}
            )


def money_magnitude(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for factor, text in ((Fraction(10), None), (Fraction(1, 10), None), (Fraction(1000), "bn"), (Fraction(1, 1000), None)):
                amount = int(own[1] * factor)
                value = f"{own[0]} {amount:,}" if text is None else f"{own[0]} {own[1] // 10**6}bn"
                yield entry.mutant("amount: magnitude wrong", base, _gone(money_stands(base, case, amount, own[0])), {"value": value})


def money_bare(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for value in (f"{own[1]:,}", f"{own[1] // 10**6} million", {"amount": own[1]}):
                yield entry.mutant("amount without currency", base, "partial", {"value": value})


def money_other_currency(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            for code in {"USD", "GBP", "EUR", "JPY", "SGD"} - {own[0]}:
                value: Any = rng.choice((f"{code} {own[1]:,}", {"amount": own[1], "currency": code}))
                yield entry.mutant("amount in another currency", base, "fail", {"value": value})


def tranche_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        for other in extracted(case, "facility_amount"):
            if entry.index is not None and other.index not in (None, entry.index):
                yield entry.mutant("amount of another tranche", base, "partial", {"value": other.reported["value"]})


def currency_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Where several dollars occur and the document does not define `$`, a bare one leaves open which it is: such a currency is not surely
    absent (francs alike)."""
    names = {
        "JPY": ("yen", "jpy", "¥"),
        "CHF": ("franc", "chf"),
        "SGD": ("singapore dollar", "sgd", "$", "dollar"),
        "GBP": ("sterling", "gbp", "£", "british pound"),
        "EUR": ("euro", "eur", "€"),
        "CAD": ("canadian dollar", "cad", "$", "dollar"),
    }
    for entry in extracted(case, "currency"):
        for code, forms in names.items():
            if code != entry.reported["value"]:
                text = _texts(base, case)
                is_defined = re.search(r"[“\"]\$[”\"] (?:shall )?mean", text)
                several = not is_defined and re.search(r"(canadian|australian|singapore|hong kong) dollar", text)
                sure = [f for f in forms if several or f not in ("$", "dollar")]
                stands = any(re.search(rf"(?<![a-z]){re.escape(f)}s?(?![a-z])", _texts(base, case)) for f in sure)
                yield entry.mutant("currency wrong", base, _gone(stands), {"value": code})


def date_elsewhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    pattern = rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})\b|\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b".casefold()
    months = [m.casefold() for m in MONTHS]
    found = set()
    for m in re.finditer(pattern, _texts(base, case)):
        found.add((int(m[3]), months.index(m[1]) + 1, int(m[2])) if m[1] else (int(m[6]), months.index(m[5]) + 1, int(m[4])))
    golds = {e.gold.get("value") for e in extracted(case, "maturity_date")}
    for entry in extracted(case, "maturity_date"):
        days = sorted(date(*d).isoformat() for d in found if date(*d).isoformat() not in golds)
        for day in rng.sample(days, min(3, len(days))):
            yield entry.mutant("date wrong, stands elsewhere", base, "fail", {"value": day})


def date_nowhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "maturity_date"):
        own = date.fromisoformat(entry.reported["value"])
        others = [
            own + timedelta(days=1),
            own + timedelta(days=-1),
            own.replace(year=own.year + 1),
            own.replace(year=own.year - 10),
            own + timedelta(days=62),
        ]
        for day in others:
            yield entry.mutant(
                "date wrong: a day, month or year off", base, _gone(date_stands(base, case, day)), {"value": day.isoformat()}
            )


def date_ambiguous(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Gold is set to a day of the document whose order can be misread, so that the kind exists in every document."""
    pattern = rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})\b|\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b".casefold()
    months = [m.casefold() for m in MONTHS]
    for entry in extracted(case, "maturity_date"):
        found = sorted({m.groups() for m in re.finditer(pattern, _texts(base, case))}, key=str)
        days = [date(int(g[2] or g[5]), months.index(g[0] or g[4]) + 1, int(g[1] or g[3])) for g in found]
        for day in [d for d in days if d.day <= 12 and d.day != d.month][:3]:
            text = rng.choice((f"{day.day:02}/{day.month:02}/{day.year}", f"{day.month:02}/{day.day:02}/{day.year}"))
            quote = next((f for f in date_forms(day) if base.stands(case, f)), "")
            plain = next(base.texts[n] for n in case.documents if base.texts[n].pages_of(quote))
            cited = {"document": plain.name, "page": plain.pages_of(quote)[0], "section": None, "quote": _cased(plain.pages, quote)}
            yield entry.mutant(
                "date in ambiguous order",
                base,
                "partial",
                {"value": text, "citation": cited},
                code="AMBIGUOUS_DATE",
                gold={"value": day.isoformat()},
            )


def _cased(pages: tuple[str, ...], quote: str) -> str:
    found = re.search(r"\s+".join(map(re.escape, quote.split())), " ".join(pages), re.I)
    return found.group() if found else quote


def _percent(entry: Entry) -> Fraction | None:
    found = re.fullmatch(r"([\d.]+) ?(%|per cent\.)( per annum)?", str(entry.reported.get("value")))
    return Fraction(found[1]) if found else None


def rate_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin", "commitment_fee"):
        if (own := _percent(entry)) is not None:
            for factor, shift in ((1, Fraction(1, 4)), (10, Fraction(0)), (1, Fraction(137, 100)), (Fraction(1, 10), Fraction(0))):
                percent = own * factor + shift
                value = f"{float(percent):g}% per annum"
                yield entry.mutant("rate wrong", base, _gone(rate_stands(base, case, percent)), {"value": value})


def rate_elsewhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    found = {Fraction(n) for n in re.findall(r"(?<![\d.,/])(\d{1,2}(?:\.\d{1,3})?)\s?%", _texts(base, case)) if Fraction(n) > 0}
    found |= {Fraction(n) for n in re.findall(r"(?<![\d.,/])(\d{1,2}\.\d{1,2}) per cent", _texts(base, case))}
    golds = {_percent(e) for e in extracted(case, "margin", "commitment_fee")}
    for entry in extracted(case, "margin", "commitment_fee"):
        if _percent(entry) is not None:
            for percent in rng.sample(sorted(found - golds), min(2, len(found - golds))):
                yield entry.mutant("rate wrong, stands elsewhere", base, "fail", {"value": f"{float(percent):g}% per annum"})


def rate_bare(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin", "commitment_fee"):
        if (own := _percent(entry)) is not None:
            yield entry.mutant("rate without unit", base, "partial", {"value": f"{float(own):g}"})


def rate_unit(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin", "commitment_fee"):
        if (own := _percent(entry)) is not None:
            yield entry.mutant("rate in another unit", base, _gone(rate_stands(base, case, own / 100)), {"value": f"{float(own):g} bps"})


def rate_grid_part(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin"):
        if "/" in str(entry.reported["value"]):
            for level in str(entry.reported["value"]).split(" / "):
                yield entry.mutant("part of a margin grid", base, "partial", {"value": level})


def period_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "tenor"):
        own = int(str(entry.reported["value"]).split()[0])
        for months in (own + 12, own - 7, own * 12):
            forms = (f"{months} months", f"{months // 12} years" if months % 12 == 0 else f"{months} months")
            stands = any(base.stands(case, f) for f in forms)
            yield entry.mutant("period wrong", base, _gone(stands), {"value": f"{months} months"})
        yield entry.mutant("period without unit", base, "partial", {"value": str(own)})


def reference_rate_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    words = {
        "HIBOR": ("hibor", "hong kong interbank"),
        "SORA": ("sora", "singapore overnight"),
        "TIBOR": ("tibor",),
        "BBSY": ("bbsy", "bank bill"),
        "EURIBOR": ("euribor",),
        "SONIA": ("sonia",),
    }
    for entry in extracted(case, "reference_rate"):
        for family, forms in words.items():
            if family.casefold() not in str(entry.reported["value"]).casefold():
                stands = any(base.stands(case, f) for f in forms)
                yield entry.mutant("reference rate of another family", base, _gone(stands), {"value": family})


def reference_rate_tenor(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "reference_rate"):
        value = str(entry.reported["value"])
        if found := re.search(r"(\d)-month ", value):
            yield entry.mutant("reference rate: tenor missing", base, "partial", {"value": value.replace(found.group(), "")})
            yield entry.mutant("reference rate: tenor wrong", base, "partial", {"value": value.replace(found[1], "6")})


def party_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent"):
        others = [
            *base.other_parties,
            *(str(e.reported["value"]) for e in extracted(case, "borrower", "facility_agent") if e.key != entry.key),
        ]
        for other in others:
            if base.stands(case, other):
                yield entry.mutant("party in another role", base, "fail", {"value": other}, verdicts=WRONG)


def party_nowhere(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent"):
        for name in ("Westmere Orchard Capital LLC", "Kestrel & Dunne Bank plc"):
            yield entry.mutant("party not in the document", base, "hallucination", {"value": name}, verdicts=WRONG)


FORMS = re.compile(r",? (Limited|plc|LLC|Corporation|Inc\.|Association|N\.A\.|S\.A\.)$", re.I)


def party_form(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent"):
        value = str(entry.reported["value"])
        if FORMS.search(value):
            for form in (" GmbH", " S.p.A.", " LP"):
                other = FORMS.sub(form, value)
                yield entry.mutant("party of another legal form", base, _gone(base.stands(case, other)), {"value": other}, verdicts=WRONG)


def law_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    words = {
        "Singapore law": "singapore",
        "French law": "france",
        "Swiss law": "switzerland",
        "laws of the State of Delaware": "delaware",
        "Hong Kong law": "hong kong",
        "English law": "england",
    }
    for entry in extracted(case, "governing_law"):
        for law, word in words.items():
            if law == entry.reported["value"] or word in _texts(base, case) or law.casefold() in _texts(base, case):
                continue
            yield entry.mutant("governing law wrong", base, "hallucination", {"value": law}, verdicts=WRONG)


def binary_flipped(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "mac_clause", "negative_pledge"):
        for value in ("N", "no", False):
            yield entry.mutant("yes / no flipped", base, "fail", {"value": value})


def guarantor_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "guarantors"):
        value = list(entry.reported["value"])
        for n in range(len(value) if len(value) > 1 else 0):
            yield entry.mutant("guarantor missing", base, "partial", {"value": value[:n] + value[n + 1 :]})


def guarantor_invented(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "guarantors"):
        for name in ("Westmere Orchard Capital LLC", "Dunmarrow Quarries B.V."):
            value = [*entry.reported["value"], name]
            yield entry.mutant(
                "guarantor invented", base, "hallucination", {"value": value}, verdicts={**WRONG, "list_coverage": "does_not_cover"}
            )


def condition_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "conditions_precedent"):
        value = list(entry.reported["value"])
        for n in range(1, len(value)):
            yield entry.mutant(
                "condition precedent missing",
                base,
                "partial",
                {"value": value[:n] + value[n + 1 :]},
                verdicts={"list_coverage": "partly_covers"},
            )


def conditions_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "conditions_precedent"):
        value = ["delivery of a ship model", "a birch plantation licence"]
        yield entry.mutant("conditions precedent wrong", base, "fail", {"value": value}, verdicts={"list_coverage": "does_not_cover"})


def text_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_type"):
        others = ("letter of credit facility", "bridge facility")
        for value in others:
            yield entry.mutant("facility type wrong", base, "fail", {"value": value}, verdicts=WRONG)


def repayment_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "repayment_schedule"):
        value = str(entry.reported["value"])
        if "instalment" in value:
            yield entry.mutant("repayment type wrong", base, "fail", {"value": "bullet"}, verdicts=WRONG)
            yield entry.mutant("repayment frequency wrong", base, "partial", {"value": "monthly instalments"})
        elif value == "bullet":
            yield entry.mutant("repayment type wrong", base, "fail", {"value": "quarterly instalments"}, verdicts=WRONG)


# ---- presence ------------------------------------------------------------------------------------------------------


def field_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in entries(case):
        code = "NOT_REPORTED" if entry.reported["status"] == "absent" else ""
        yield entry.mutant("field missing", base, "fail", None, code=code)


def reported_absent(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in entries(case):
        if entry.reported["status"] != "absent":
            gone = dict.fromkeys(("value", "citation", "citations", "original_value", "new_value", "effective_date"), DROPPED)
            yield entry.mutant("present field reported absent", base, "fail", {"status": "absent", **gone})


def absent_reported(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    quotes = [e.reported["citation"] for e in extracted(case) if "citation" in e.reported]
    for entry in entries(case):
        if entry.reported["status"] != "absent" or not quotes:
            continue
        cited = {"status": "extracted", "citation": rng.choice(quotes)}
        if entry.key == "commitment_fee":
            percent = Fraction(rng.choice((3371, 4417)), 1000)
            if not rate_stands(base, case, percent):
                yield entry.mutant(
                    "absent field reported, value nowhere", base, "hallucination", {**cited, "value": f"{float(percent):g}% per annum"}
                )
        if entry.key == "tenor":
            yield entry.mutant(
                "absent field reported, value nowhere", base, _gone(base.stands(case, "83 months")), {**cited, "value": "83 months"}
            )
        if entry.key in ("facility_agent", "guarantors"):
            nowhere, somewhere = "Westmere Orchard Capital LLC", next((p for p in base.other_parties if base.stands(case, p)), None)
            value = [nowhere] if entry.key == "guarantors" else nowhere
            yield entry.mutant("absent field reported, value nowhere", base, "hallucination", {**cited, "value": value})
            if somewhere:
                value = [somewhere] if entry.key == "guarantors" else somewhere
                yield entry.mutant("absent field reported, value elsewhere", base, "fail", {**cited, "value": value})


def derived_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "maturity_date"):
        yield entry.mutant("derived value wrong", base, "fail", {"value": "2077-07-07"}, gold={"derived": True})
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            yield entry.mutant("derived value wrong", base, "fail", {"value": f"{own[0]} 987,650,321"}, gold={"derived": True})


# ---- confidence ----------------------------------------------------------------------------------------------------


def hitl_fault(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A mismatch of confidence and HITL is a finding; the outcome stays."""
    for entry in extracted(case):
        for confidence, hitl, code in (
            (0.95, "block", "HITL_UNNEEDED"),
            (0.75, "none", "HITL_MISSING"),
            ("LOW", "flag", "HITL_MISSING"),
            ("MEDIUM", "block", "HITL_UNNEEDED"),
            (0.2, "none", "HITL_MISSING"),
        ):
            yield entry.mutant("HITL mismatch", base, "correct", {"confidence": confidence, "hitl": hitl}, code=code)


def illegible_sure(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case):
        if "value" in entry.gold:
            yield entry.mutant(
                "illegible field, HIGH confidence",
                base,
                "fail",
                {"confidence": 0.97, "hitl": "none"},
                gold={"legible": False},
                code="OVERCONFIDENT_ILLEGIBLE",
            )
            yield entry.mutant("illegible field, between", base, "partial", {"confidence": 0.8, "hitl": "flag"}, gold={"legible": False})
            gone = dict.fromkeys(("value", "citation", "citations"), DROPPED)
            absent = {"status": "absent", **gone}
            yield entry.mutant(
                "illegible field, absent without block",
                base,
                "fail",
                {**absent, "confidence": 0.8, "hitl": "flag"},
                gold={"legible": False},
            )
            yield entry.mutant(
                "illegible field, LOW and blocked",
                base,
                "correct",
                {**absent, "confidence": "LOW", "hitl": "block"},
                gold={"legible": False},
            )
            value = "unreadable" if not isinstance(entry.reported["value"], list) else ["unreadable"]
            yield entry.mutant(
                "illegible field, LOW and blocked",
                base,
                "correct",
                {"value": value, "confidence": 0.3, "hitl": "block"},
                gold={"legible": False},
            )


# ---- tranches ------------------------------------------------------------------------------------------------------


def shared_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability == "loan_onboarding" and case.output.get("tranches"):
        for entry in extracted(case):
            if entry.reported.get("shared"):
                yield entry.mutant("shared field not noted", base, "partial", {"shared": DROPPED})
            if entry.reported.get("scope"):
                yield entry.mutant("tranche scope missing", base, "partial", {"scope": DROPPED}, code="TRANCHE_SCOPE_MISSING")


def tranche_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "loan_onboarding":
        return
    for n, tranche in enumerate(case.output.get("tranches", ())):
        output = deepcopy(case.output)
        del output["tranches"][n]
        for key in tranche["fields"]:
            yield Mutant(
                "tranche missing",
                base.name,
                case.case_id,
                case.capability,
                case.documents,
                f"tranches.{tranche['label']}.{key}",
                output,
                case.gold,
                case.input,
                "fail",
                tranche=tranche["label"],
                touches_others=True,
            )


def tranche_extra(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "loan_onboarding" or not case.output.get("tranches"):
        return
    for label in ("Facility Q", "Acquisition Facility Zeta", "Borrower"):
        output = deepcopy(case.output)
        output["tranches"].append({"label": label, "fields": {}})
        stands = base.stands(case, label)
        yield Mutant(
            "tranche invented" if not stands else "tranche beside gold",
            base.name,
            case.case_id,
            case.capability,
            case.documents,
            f"tranches.+{label}",
            output,
            case.gold,
            case.input,
            "extra" if stands else "hallucination",
            code="EXTRA_TRANCHE" if stands else "",
            tranche=label,
        )


# ---- amendments ----------------------------------------------------------------------------------------------------


def _amended(case: BaseCase) -> Iterator[Entry]:
    return (e for e in entries(case) if e.reported["status"] == "amended")


def document_type_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "loan_onboarding":
        return
    is_amendment = case.output["document_type"] == "amendment"
    for kind in ("primary_agreement", None) if is_amendment else ("amendment",):
        output = {**deepcopy(case.output), "document_type": kind}
        name = "amendment not flagged" if is_amendment else "agreement taken for an amendment"
        yield Mutant(name, base.name, case.case_id, case.capability, case.documents, "document_type", output, case.gold, case.input, "fail")


def amendment_values(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in _amended(case):
        if entry.key == "facility_amount":
            nowhere, somewhere = "USD 76,543,000", _other_amount(base, case, entry)
            yield entry.mutant("amendment: new value nowhere", base, "hallucination", {"new_value": nowhere})
            if somewhere:
                yield entry.mutant("amendment: new value wrong, elsewhere", base, "fail", {"new_value": somewhere})
            if entry.gold["amended"]["original_value"]:
                yield entry.mutant("amendment: original value nowhere", base, "hallucination", {"original_value": "EUR 76,543,000"})
                yield entry.mutant("amendment: original value elsewhere", base, "partial", {"original_value": entry.reported["new_value"]})
        if entry.gold["amended"]["original_value"]:
            yield entry.mutant("amendment: original value missing", base, "partial", {"original_value": DROPPED})
        if entry.gold["amended"]["effective_date"]:
            yield entry.mutant("amendment: effective date missing", base, "partial", {"effective_date": DROPPED})
            yield entry.mutant("amendment: effective date unclear", base, "partial", {"effective_date": "unclear"})
            yield entry.mutant("amendment: effective date nowhere", base, "hallucination", {"effective_date": "2077-07-07"})
            other = {"sample": "2026-05-14", "profrac": "2022-03-04"}[base.name]
            yield entry.mutant("amendment: effective date elsewhere", base, "partial", {"effective_date": other})
        else:
            yield entry.mutant(
                "amendment: effective date assumed", base, "fail", {"effective_date": "2027-06-28"}, code="EFFECTIVE_DATE_ASSUMED"
            )


def _other_amount(base: Base, case: BaseCase, entry: Entry) -> str | None:
    known = {entry.reported["new_value"]}
    found = [f"USD {n}" for n in re.findall(r"\$(\d{1,3}(?:,\d{3}){2})(?![\d.])", _texts(base, case))]
    found += [f"{c.upper()} {n}" for c, n in re.findall(r"(gbp|eur) (\d{1,3}(?:,\d{3})+)", _texts(base, case))]
    return next((f for f in found if f not in known), None)


def unchanged_faults(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    cited = next((e.reported["citation"] for e in _amended(case) if "citation" in e.reported), None)
    for entry in entries(case):
        if entry.reported["status"] == "unchanged" and cited:
            value = ["Some Guarantor Limited"] if entry.key == "guarantors" else "Y"
            sure = {"confidence": 0.95, "hitl": "none", "citation": cited}
            yield entry.mutant(
                "unchanged field extracted again",
                base,
                "hallucination" if entry.key == "guarantors" else "fail",
                {"status": "extracted", "value": value, **sure},
                code="REEXTRACTED",
            )
            yield entry.mutant("unchanged field reported absent", base, "fail", {"status": "absent"})
            yield entry.mutant("unchanged field left out", base, "fail", None)


def amended_unchanged(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in _amended(case):
        gone = dict.fromkeys(("original_value", "new_value", "effective_date", "citation", "citations"), DROPPED)
        yield entry.mutant("amended field reported unchanged", base, "fail", {"status": "unchanged", **gone})


FIELD_KINDS: dict[str, Plant] = {
    "amount wrong, stands elsewhere": money_elsewhere,
    "amount wrong, not in the document": money_nowhere,
    "amount: one digit wrong": money_digit,
    "amount: magnitude wrong": money_magnitude,
    "amount without currency": money_bare,
    "amount in another currency": money_other_currency,
    "amount of another tranche": tranche_wrong,
    "currency wrong": currency_wrong,
    "date wrong, stands elsewhere": date_elsewhere,
    "date wrong: a day, month or year off": date_nowhere,
    "date in ambiguous order": date_ambiguous,
    "rate wrong": rate_wrong,
    "rate wrong, stands elsewhere": rate_elsewhere,
    "rate without unit": rate_bare,
    "rate in another unit": rate_unit,
    "part of a margin grid": rate_grid_part,
    "period": period_wrong,
    "reference rate of another family": reference_rate_wrong,
    "reference rate: tenor": reference_rate_tenor,
    "party in another role": party_wrong,
    "party not in the document": party_nowhere,
    "party of another legal form": party_form,
    "governing law wrong": law_wrong,
    "yes / no flipped": binary_flipped,
    "guarantor missing": guarantor_missing,
    "guarantor invented": guarantor_invented,
    "condition precedent missing": condition_missing,
    "conditions precedent wrong": conditions_wrong,
    "facility type wrong": text_wrong,
    "repayment": repayment_wrong,
    "field missing": field_missing,
    "present field reported absent": reported_absent,
    "absent field reported": absent_reported,
    "derived value wrong": derived_wrong,
    "HITL mismatch": hitl_fault,
    "illegible field": illegible_sure,
    "shared and scope": shared_missing,
    "tranche missing": tranche_missing,
    "tranche extra": tranche_extra,
    "document type": document_type_wrong,
    "amendment values": amendment_values,
    "unchanged fields": unchanged_faults,
    "amended field reported unchanged": amended_unchanged,
}
