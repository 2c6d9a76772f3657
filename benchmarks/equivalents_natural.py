"""Right outputs as real systems write them (real_agreements.md R1 to R3): roles, remarks, titles, list marks, synonyms and several
references around what is right. Nothing may be lost by any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import date
from random import Random

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_fields import _amount, _percent, entries, extracted
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_natural_fields import SIGNS, _tranche
from benchmarks.mutation_quotes import MONTHS, Plant, planted, sites
from benchmarks.mutation_terms import _answer, _covenant, _covenants, _finding, _findings

FULL = "full"


def values(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for entry in extracted(case, "facility_amount"):
        if own := _amount(entry):
            million = f"{own[1] / 10**6:g}"
            for value in (
                f"{SIGNS[own[0]]}{million}m (committed)",
                f"an aggregate of {own[0]} {own[1]:,}",
                f"{own[0]} {million} million ({own[0]} {own[1]:,})",
            ):
                yield entry.mutant("value with words around it", base, FULL, {"value": value})
    for entry in extracted(case, "borrower", "facility_agent"):
        role = "the Borrower" if entry.key == "borrower" else "the Agent"
        for value in (f"{entry.reported['value']} ({role})", f"{entry.reported['value']}, as {role.removeprefix('the ')}"):
            yield entry.mutant("party with its role", base, FULL, {"value": value})
    for entry in extracted(case, "maturity_date"):
        day = date.fromisoformat(entry.reported["value"])
        text = f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        for value in (f"{text} (Termination Date)", f"{entry.reported['value']} ({text})", f"the Maturity Date, being {text}"):
            yield entry.mutant("date with words around it", base, FULL, {"value": value})
    for entry in extracted(case, "margin", "commitment_fee"):
        if (own_rate := _percent(entry)) is not None:
            p = f"{float(own_rate):g}"
            for value in (f"{p}% ({float(own_rate * 100):g} bps)", f"{p}% per annum (fixed)", f"Margin of {p} per cent. per annum"):
                yield entry.mutant("rate with words around it", base, FULL, {"value": value})
    for entry in extracted(case, "mac_clause", "negative_pledge"):
        section = entry.reported.get("citation", {}).get("section")
        for value in ("Yes.", "Y (present)", f"Yes - see {section}"):
            yield entry.mutant("yes / no with a remark", base, FULL, {"value": value})
    for entry in extracted(case, "governing_law"):
        for value in (f"{entry.reported['value']} (governing law)", f"Governed by {entry.reported['value']}"):
            yield entry.mutant("law with words around it", base, FULL, {"value": value})


def nothing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A field that is absent, reported in words, or with a real citation beside it."""
    cited = next((e.reported["citation"] for e in extracted(case) if "citation" in e.reported), None)
    for entry in entries(case):
        if entry.reported["status"] == "absent":
            for value in ("N/A", "not stated", "None - not specified in the agreement"):
                yield entry.mutant("absent field in words", base, FULL, {"status": "extracted", "value": value})
            if cited:
                yield entry.mutant("absent, with a real citation", base, FULL, {"citation": cited})


SYNONYMS = {
    "Facility A": ("Term Loan Facility", "Facility A (Term Loan)", "Tranche A", "FACILITY A"),
    "Facility B": ("RCF", "Revolving Credit Facility", "Facility B (RCF)", "Revolver"),
    "Delayed Draw Term A Loans": ("Delayed Draw Term A Loan", "DDTL A", "delayed draw term A loans"),
    "Delayed Draw Term B Loans": ("Delayed Draw Term B Loan", "DDTL B", "delayed draw term B loans"),
}


def tranches(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, tranche in enumerate(case.output.get("tranches", ()) if case.capability == "loan_onboarding" else ()):
        if tranche["fields"].get("facility_amount", {}).get("status") != "extracted":
            continue
        for label in SYNONYMS.get(tranche["label"], ()):
            output = deepcopy(case.output)
            output["tranches"][n]["label"] = label
            for fields in (output["fields"], *(t["fields"] for t in output["tranches"])):
                for reported in fields.values():
                    if "scope" in reported:
                        reported["scope"] = [label if s == tranche["label"] else s for s in reported["scope"]]
            item = f"tranches.{tranche['label']}.facility_amount"
            yield _tranche("tranche by another name", base, case, item, output, FULL, tranche=tranche["label"], touches_others=True)


def quotes(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        cited = site.citation
        for quote in (
            f"{cited['section']}: {cited['quote']}",
            f"{cited['quote']} ({cited['section']})",
            f"[{cited['section']}] {cited['quote']}",
            f"{cited['quote']} (p. {cited['page']})",
            f"{cited['quote']} [1]",
            f"**{cited['quote']}**",
            f"> {cited['quote']}",
            f"- {cited['quote']}",
            f"`{cited['quote']}`",
            re.sub(r"([*_()])", r"\\\1", cited["quote"]),
        ):
            if quote != cited["quote"]:
                yield planted("quote with marks and references", base, case, site, FULL, {"quote": quote})


def places(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        section, page = site.citation["section"], site.citation["page"]
        if re.fullmatch(r"(?:Section|Clause) \d+\.\d+(?:\([a-z]+\))*", section) and case.capability != "document_qa":
            for text in (f"{section}; Clause 1.1", f"{section} and {section}", f"{section} of the Agreement", f"see {section}"):
                yield planted("section among others", base, case, site, FULL, {"section": text})
        if base.is_paged:
            count = len(base.texts[site.citation["document"]].pages)
            for text in (f"{page}/{count}", f"page {page} of {count}", f"PDF p. {page}"):
                yield planted("page in words", base, case, site, FULL, {"page": text})


def terms(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        item = f"covenants.{covenant['name']}"
        for name in (f"{covenant['name']} ({covenant['type']} covenant)", f"{n + 1}. {covenant['name']}", f"**{covenant['name']}**"):
            yield replace(_covenant("covenant name with more", base, case, n, FULL, {"name": name}), item=item)
        frequency = {"quarterly": "each Quarter Date", "annual": "each of its Financial Years", "monthly": "each calendar month"}
        if covenant["testing_frequency"] in frequency:
            parts = {"testing_frequency": frequency[covenant["testing_frequency"]]}
            yield _covenant("frequency in the agreement's words", base, case, n, FULL, parts)
        if covenant["testing_frequency"] == "none":
            yield _covenant("no test: null for none", base, case, n, FULL, {"testing_frequency": None})
    for n, finding in _findings(case):
        term = finding["term"].replace("_", " ")
        output = deepcopy(case.output)
        for text in (term, term.title(), f"{term.capitalize()} "):
            output = deepcopy(case.output)
            output["findings"][n]["term"] = text
            found = _finding("benchmark term in words", base, case, n, FULL, {})
            yield replace(found, output=output, item=f"findings.{finding['term']}")


def texts(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa":
        return
    answer = case.output["answer"]
    if case.gold["answerable"]:
        for text in (f"**{answer}**", f"Answer: {answer}", f"According to the agreement: {answer}", f"{answer} (see the cited clause)"):
            yield _answer("answer with an introduction", base, case, FULL, {"answer": text})
        return
    for text in (f"**{answer}**", f"“{answer}”", f"> {answer}", f"{answer}\n"):
        yield _answer("refusal with marks", base, case, FULL, {"answer": text})


NATURAL_VARIANTS: dict[str, Plant] = {
    "values with words around them": values,
    "absent fields in words": nothing,
    "tranches by other names": tranches,
    "quotes with marks and references": quotes,
    "places in words": places,
    "terms in words": terms,
    "answers and refusals with marks": texts,
}
