"""Right outputs in other notation: nothing may be lost by any of them, neither in the value nor in the provenance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_fields import Entry, _amount, _percent, entries, extracted
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_quotes import MONTHS, NUMBER, Plant, planted, sites, text_of
from benchmarks.mutation_terms import _answer, _covenant, _covenants, _finding, _findings, _flag, _flags, _head, _in_bps

FULL = ("correct", "semantic_match", "true_negative", "grounded_refusal")
"""Labels that lose nothing; which of them an item gets, its gold decides."""


def _value(kind: str, base: Base, entry: Entry, value: Any) -> Mutant:
    return entry.mutant(kind, base, "full", {"value": value})


def money(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    sign = {"USD": "US$", "GBP": "£", "EUR": "€"}
    name = {"USD": "US dollars", "GBP": "pounds sterling", "EUR": "euros"}
    for entry in extracted(case, "facility_amount"):
        if not (own := _amount(entry)):
            continue
        code, amount = own
        million = f"{amount / 10**6:g}"
        forms = [
            f"{sign[code]}{amount:,}",
            f"{sign[code]}{million}m",
            f"{sign[code]} {million} million",
            f"{code} {million}m",
            f"{code} {million} mn",
            f"{code} {million} MILLION",
            f"{amount:,} {code}",
            f"{code}{amount:,}",
            f"{code} {amount}",
            f"{code} {amount:,}.00",
            f"{million} million {name[code]}",
            f"{code} {amount:,}".replace(",", " "),
            f"{code} {amount:,}".replace(",", "'"),
            f"{code} {amount:,}".lower(),
            f"{code} {_indian(amount)}",
            f"{amount:,} {name[code]}",
            {"amount": amount, "currency": code},
            {"amount": str(amount), "currency": code},
            f"{code} {million}.0m" if "." not in million else f"{code} {million}m",
            f"{code} {amount:,}/-" if code == "INR" else f"{code} {amount:,} ",
        ]
        for value in forms:
            yield _value("money", base, entry, value)


def _indian(amount: int) -> str:
    head, tail = str(amount)[:-3], str(amount)[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*pairs, tail])


def currency(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    names = {
        "USD": ("US dollars", "U.S. Dollars", "US$", "United States dollars", "US Dollar"),
        "GBP": ("sterling", "£", "Pounds Sterling", "British pounds"),
        "EUR": ("euro", "€", "Euros"),
    }
    for entry in extracted(case, "currency"):
        for name in names[entry.reported["value"]]:
            yield _value("currency", base, entry, name)


def _dates(iso: str) -> list[str]:
    day = date.fromisoformat(iso)
    month, d, y = MONTHS[day.month - 1], day.day, day.year
    ordinal = f"{d}{'th' if 10 < d < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(d % 10, 'th')}"
    forms = [
        f"{d} {month} {y}",
        f"{month} {d}, {y}",
        f"{ordinal} {month} {y}",
        f"the {ordinal} day of {month}, {y}",
        f"{d}-{month[:3]}-{y}",
        f"{d} {month[:3]} {y}",
        f"{month[:3]}. {d}, {y}",
        f"{d} {month.upper()} {y}",
        f"{y}/{day.month:02}/{d:02}",
    ]
    if d > 12:
        forms += [f"{d}/{day.month:02}/{y}", f"{day.month:02}/{d}/{y}", f"{d}.{day.month:02}.{y}"]
    return forms


def dates(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "maturity_date"):
        for value in _dates(entry.reported["value"]):
            yield _value("date", base, entry, value)
    for entry in entries(case):
        if entry.reported.get("effective_date") not in (None, "unclear"):
            for value in _dates(entry.reported["effective_date"])[:4]:
                yield entry.mutant("date", base, "full", {"effective_date": value})


def rates(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "margin", "commitment_fee"):
        if (percent := _percent(entry)) is not None:
            p, bps = f"{float(percent):g}", f"{float(percent * 100):g}"
            for value in (
                f"{p}%",
                f"{p} %",
                f"{p}% p.a.",
                f"{p} percent per annum",
                f"{p} per cent",
                f"{bps} bps",
                f"{bps} basis points",
                f"{bps}bps p.a.",
                f"{float(percent):.3f}%",
                f"{p} pct",
            ):
                yield _value("rate", base, entry, value)


def periods(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    words = {36: "thirty-six", 60: "sixty"}
    years = {36: "three", 60: "five"}
    for entry in extracted(case, "tenor"):
        n = int(entry.reported["value"].split()[0])
        for value in (
            f"{n // 12} years",
            f"{years[n]} years",
            f"{words[n]} months",
            f"{n}-month",
            f"{n} Months",
            f"{words[n]} ({n}) months",
            f"{n // 12}-year",
            f"{n // 12}y",
            f"{n}m" if False else f"{n} months",
        ):
            yield _value("period", base, entry, value)


LEGAL = (
    (r"\bLimited$", ("Ltd", "Ltd.", "LIMITED")),
    (r"\bplc$", ("PLC", "p.l.c.", "Public Limited Company")),
    (r", LLC$", (" LLC", ", L.L.C.", ", Llc")),
    (r" LLC$", (", LLC", " L.L.C.", " Limited Liability Company")),
    (r" Corporation$", (" Corp.", " Corp", ", Corporation", " CORPORATION")),
    (r" Inc\.$", (", Inc.", " Inc", " Incorporated", " INC.")),
)


def _spelled(name: str) -> list[str]:
    forms = [name.upper(), name.lower(), f"The {name}", name.replace(" ", "  ")]
    return forms + [re.sub(pattern, form, name) for pattern, spellings in LEGAL if re.search(pattern, name) for form in spellings]


def parties(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "facility_agent"):
        for value in _spelled(entry.reported["value"]):
            yield _value("party", base, entry, value)
    for entry in extracted(case, "guarantors"):
        names = entry.reported["value"]
        for changed in (names[::-1], [n.upper() for n in names], [_spelled(n)[-1] for n in names], [f" {n} " for n in names]):
            yield _value("party", base, entry, changed)


def laws(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "governing_law"):
        value = entry.reported["value"]
        state = "New York" if "New York" in value else "Washington" if "Washington" in value else ""
        forms = (
            ("the laws of England and Wales", "laws of England", "English Law", "England and Wales", "the law of England")
            if not state
            else (
                f"{state} law",
                f"laws of {state}",
                f"the laws of the State of {state}",
                f"the law of the state of {state}",
                f"State of {state}",
            )
        )
        for form in forms:
            yield _value("law", base, entry, form)


def words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    rows = {
        "facility_type": {
            "term loan": ("Term Loan", "term loan facility", "TERM LOAN"),
            "term loan facility": ("Term Loan Facility", "term loan"),
            "revolving credit facility": ("RCF", "Revolving Credit Facility", "revolving loan facility", "revolver"),
        },
        "repayment_schedule": {
            "bullet": ("Bullet", "bullet repayment", "bullet at maturity"),
            "quarterly instalments": (
                "Quarterly instalments",
                "quarterly installments",
                "in quarterly instalments",
                "equal quarterly instalments"[6:],
            ),
        },
        "reference_rate": {
            "LIBOR": ("libor", "LIBOR rate"),
            "Term SOFR": ("TERM SOFR", "term SOFR", "Term SOFR rate"),
            "3-month EURIBOR": ("EURIBOR 3M", "3M EURIBOR", "three-month EURIBOR", "EURIBOR (3 months)"),
            "compounded SONIA": ("Compounded SONIA", "SONIA compounded"),
        },
    }
    for entry in extracted(case, *rows):
        for form in rows[entry.key].get(str(entry.reported["value"]), ()):
            yield _value("type, repayment, reference rate", base, entry, form)
    for entry in extracted(case, "conditions_precedent"):
        value = entry.reported["value"]
        for form in (
            value[::-1],
            [v.upper() for v in value],
            [f"{v}." for v in value],
            [v.removeprefix("a ").removeprefix("an ") for v in value],
        ):
            yield _value("type, repayment, reference rate", base, entry, form)


def binaries(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "mac_clause", "negative_pledge"):
        for value in ("Yes", "yes", "true", True, "y", "YES"):
            yield _value("yes / no", base, entry, value)


def confidence(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "borrower", "currency", "governing_law"):
        for level, hitl in (
            ("HIGH", "none"),
            (0.90, "none"),
            (1, "none"),
            (0.89, "flag"),
            ("MEDIUM", "flag"),
            (0.7, "flag"),
            (0.69, "block"),
            ("LOW", "block"),
            (0, "block"),
        ):
            yield entry.mutant("confidence", base, "full", {"confidence": level, "hitl": hitl})


# ---- citations -----------------------------------------------------------------------------------------------------

FOLDS: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "double spaces": lambda q: q.replace(" ", "  "),
    "line break": lambda q: q.replace(" ", "\n", 2),
    "no-break spaces": lambda q: q.replace(" ", "\u00a0"),
    "straight quotes": lambda q: re.sub("[“”]", '"', q).replace("’", "'"),
    "curly quotes": lambda q: re.sub(r'"(\w[^"]*)"', r"“\1”", q).replace("'", "’"),
    "within quotation marks": lambda q: f"“{q}”",
    "full stop": lambda q: q.rstrip(" .,;:") + ".",
    "without last full stop": lambda q: q.rstrip("."),
    "hyphen at a line end": lambda q: re.sub(r"\b([a-z]{4})([a-z]{4,})\b", "\\1-\n\\2", q, count=1),
    "ligatures": lambda q: q.replace("fi", "\ufb01").replace("fl", "\ufb02").replace("ff", "\ufb00"),
    "soft hyphens": lambda q: re.sub(r"\b([a-z]{4})([a-z]{4,})\b", "\\1\u00ad\\2", q, count=2),
    "bullet": lambda q: f"• {q}",
    "commas left out": lambda q: re.sub(r"(?<=[a-z]),(?= [a-z])", "", q),
    "dashes": lambda q: re.sub(r"(?<=[a-z])-(?=[a-z])", "\u2010", q),
    "ellipsis at the ends": lambda q: f"… {q} …",
}


def quotes(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        for fold in FOLDS.values():
            quote = fold(site.citation["quote"])
            if quote != site.citation["quote"]:
                yield planted("quote", base, case, site, "full", {"quote": quote})


def joined(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The middle of a quote left out, marked; the parts hold what carries the value."""
    for site in sites(case):
        tokens = site.citation["quote"].split()
        if len(tokens) >= 16 and site.item == "answer":
            quote = " ".join(tokens[:7]) + " … " + " ".join(tokens[9:])
            yield planted("quote with an ellipsis", base, case, site, "full", {"quote": quote})
            yield planted("quote with an ellipsis", base, case, site, "full", {"quote": quote.replace("…", "[...]")})


def sections(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        found = re.fullmatch(r"(?:Section|Clause) (\d+(?:\.\d+)*)((?:\([a-z]+\))*)", site.citation["section"])
        if not found:
            continue
        number, letters = found[1], found[2]
        spellings = [
            f"Clause {number}{letters}",
            f"cl. {number}{letters}",
            f"Section {number}{letters}",
            f"§ {number}{letters}",
            f"{number}{letters}",
            f"Sec. {number}{letters}",
            f"section {number} {letters}".strip(),
            f"CLAUSE {number}{letters}",
        ]
        if letters and letters.count("(") == 1:
            spellings += [
                f"paragraph {letters} of Clause {number}",
                f"paragraph {letters} of Section {number}",
                f"Clause {number}, paragraph {letters}",
            ]
        for section in spellings:
            if section != site.citation["section"]:
                yield planted("section", base, case, site, "full", {"section": section})


def coarse(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A top-level number alone is right, with a finding; a required section of an answer is asked for as it is."""
    for site in sites(case):
        found = re.match(r"(?:Section|Clause) (\d+)\.", site.citation["section"])
        if found and case.capability != "document_qa":
            yield planted("section: top-level number", base, case, site, "full", {"section": f"Clause {found[1]}"}, code="SECTION_COARSE")


def pages(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        page = site.citation["page"]
        for form in (str(page), f"p. {page}", f"Page {page}", f"page {page}", f"p.{page}", f"pg. {page}"):
            yield planted("page", base, case, site, "full", {"page": form})


def printed_pages(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The printed number, read by plain text search in the page's last lines."""
    for site in sites(case):
        plain, page = text_of(base, site), site.citation["page"]
        if len(plain.pages_of(site.citation["quote"])) != 1:
            continue
        lines = [line.strip() for line in plain.pages[page - 1].splitlines() if line.strip()]
        found = [m for line in lines[-3:] + lines[:3] if (m := re.fullmatch(r"(?:-\s*)?(\d{1,3})(?:\s*-)?", line))]
        numbers = {int(m[1]) for m in found}
        if len(numbers) == 1 and (number := numbers.pop()) != page:
            yield planted("printed page", base, case, site, "full", {"page": number}, code="PAGE_BY_PRINTED_NUMBER")


# ---- terms ---------------------------------------------------------------------------------------------------------


def covenant_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    frequency = {
        "quarterly": ("Quarterly", "each quarter", "every quarter", "every three months", "at the end of each fiscal quarter"),
        "annual": ("annually", "yearly", "once a year", "Annual", "each financial year"),
        "monthly": ("Monthly", "each month", "every month"),
        "semi_annual": ("semi-annually", "half-yearly", "every six months"),
    }
    for n, covenant in _covenants(case):
        for form in frequency.get(covenant["testing_frequency"], ()):
            yield _covenant("frequency", base, case, n, "full", {"testing_frequency": form})
        yield _covenant("covenant type", base, case, n, "full", {"type": covenant["type"].upper()})
        yield _covenant("covenant type", base, case, n, "full", {"type": covenant["type"].capitalize()})
        item = f"covenants.{covenant['name']}"
        for name in (
            covenant["name"].upper(),
            covenant["name"].lower(),
            f"{covenant['name']} covenant",
            *case.gold["covenants"][n].get("aliases", ()),
        ):
            yield replace(_covenant("covenant name", base, case, n, "full", {"name": name}), item=item)
        yield _covenant("effective date", base, case, n, "full", {"effective_date": "Original"})


def flag_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        parts: list[dict[str, Any]] = []
        if flag["kind"] == "grace_period":
            days = str(flag["days"])
            number = NUMBER.search(days)
            unit = days[number.end() :].strip() if number else ""
            name = {"30": "thirty", "8": "eight", "20": "twenty"}[number.group()] if number else ""
            parts = [
                {"days": f"{name} {unit or 'days'}"},
                {"days": f"{name} ({number.group() if number else ''}) {unit or 'days'}"},
                {"days": f"{number.group() if number else ''} {unit or 'days'}"},
            ]
        elif flag["kind"] == "cross_default":
            own = re.fullmatch(r"(\$|GBP |EUR )([\d,]+)", flag["threshold"])
            if own:
                amount = int(own[2].replace(",", ""))
                parts = [
                    {"threshold": f"{own[1]}{amount}"},
                    {"threshold": f"{own[1]}{amount / 1000:g} thousand"},
                    {"threshold": f"{own[1]}{amount:,}.00"},
                ]
        elif flag["kind"] == "waiver":
            parts = [
                {"period": "from 1 July 2027 to 31 December 2027"},
                {"period": "1 July 2027 - 31 December 2027"},
                {"period": "2027-07-01 to 2027-12-31"},
                {"original_threshold": "4.00x"},
                {"waived_threshold": "5.25x"},
                {"waived_threshold": "5.25 to 1"},
            ]
        else:
            parts = [{"items": list(reversed(flag["items"]))}]
        for part in parts:
            yield _flag("flag parts", base, case, n, m, "full", part)


def benchmark_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "benchmark_validation" or case.gold["jurisdiction_ambiguous"]:
        return
    names = {"LMA": "Loan Market Association", "LSTA": "Loan Syndications and Trading Association"}
    family = case.output["benchmark"]
    for form in (family.lower(), names[family], f"{names[family]} ({family})", f"the {family}"):
        yield _head("benchmark family", base, case, "full", {"benchmark": form})
    for n, finding in _findings(case, "deviation"):
        gap, deal, bench = _in_bps(finding["gap"]), _in_bps(finding["deal_value"]), _in_bps(finding["benchmark_value"])
        if gap is None or deal is None or bench is None:
            continue
        for form in (
            f"{float(gap / 100):.2f}%",
            f"{int(gap)} basis points",
            f"{float(gap / 100):g} percentage points",
            f"+{int(gap)} bps" if deal > bench else f"-{int(gap)} bps",
            f"{int(gap)} bps higher" if deal > bench else f"{int(gap)} bps lower",
            f"{int(gap)}bps",
        ):
            yield _finding("gap", base, case, n, "full", {"gap": form})
        for part, value in (("deal_value", deal), ("benchmark_value", bench)):
            for form in (f"{int(value)} bps", f"{float(value / 100):.2f}%", f"{float(value / 100):g} per cent"):
                yield _finding("deal and benchmark value", base, case, n, "full", {part: form})
        for reference in case.gold["findings"][n]["accepted_references"]:
            yield _finding("benchmark reference", base, case, n, "full", {"benchmark_reference": reference})
    for n, finding in _findings(case, "conforming"):
        yield _finding("benchmark reference", base, case, n, "full", {"benchmark_reference": finding["benchmark_reference"].upper()})


def answers(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa":
        return
    answer = case.output["answer"]
    if case.gold["answerable"]:
        for form in (answer.upper(), f"{answer}.", f" {answer} ", answer.replace(" ", "  ")):
            yield _answer("answer", base, case, "full", {"answer": form})
        return
    bare = answer.split(". If this")[0].rstrip(".")
    for form in (
        bare,
        f"{bare}.",
        bare.upper(),
        bare.lower(),
        f"{bare}. If this information is required, it may be found in the fee letter.",
        bare.replace(" ", "  "),
    ):
        yield _answer("refusal", base, case, "full", {"answer": form})


VARIANTS: dict[str, Plant] = {
    "money": money,
    "currency": currency,
    "date": dates,
    "rate": rates,
    "period": periods,
    "party": parties,
    "law": laws,
    "type, repayment, reference rate, conditions": words,
    "yes / no": binaries,
    "confidence": confidence,
    "quote": quotes,
    "quote with an ellipsis": joined,
    "section": sections,
    "section: top-level number": coarse,
    "page": pages,
    "printed page": printed_pages,
    "covenant": covenant_words,
    "flag parts": flag_words,
    "benchmark": benchmark_words,
    "answer": answers,
}


def is_full(outcome: str, provenance_score: Any, is_required: bool) -> bool:
    return outcome in FULL and (not is_required or provenance_score == 1)
