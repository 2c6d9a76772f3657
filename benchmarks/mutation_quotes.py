"""Faults of citations (standard 5, judging.md 1), planted in every capability: document, page, section, quote, support."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.mutation_bases import Base, BaseCase, PlainText
from benchmarks.mutation_judge import Mutant

Plant = Callable[[Base, BaseCase, Random], Iterator[Mutant]]


@dataclass(frozen=True)
class Site:
    """One citation that alone carries an item: where it is in the output, and which item it decides."""

    path: tuple[Any, ...]
    item: str
    tranche: str | None
    citation: dict[str, Any]
    values: tuple[str, ...]
    is_field: bool = False

    def changed(self, output: dict[str, Any], **parts: Any) -> dict[str, Any]:
        """A copy of the output with other parts in this citation."""
        copy = deepcopy(output)
        holder: Any = copy
        for step in self.path:
            holder = holder[step]
        holder.update(parts)
        return copy


def sites(case: BaseCase) -> Iterator[Site]:
    """All single citations of a case; items with several are left to the capability's own kinds, but an answer's all count."""
    for item, tranche, path, holder in _holders(case):
        values = _values(holder)
        if "citation" in holder:
            yield Site((*path, "citation"), item, tranche, holder["citation"], values, case.capability == "loan_onboarding")
        elif item == "answer":
            for n, citation in enumerate(holder.get("citations", ())):
                yield Site((*path, "citations", n), item, tranche, citation, values)


def _holders(case: BaseCase) -> Iterator[tuple[str, str | None, tuple[Any, ...], dict[str, Any]]]:
    output = case.output
    if case.capability == "loan_onboarding":
        for key, entry in output["fields"].items():
            yield f"fields.{key}", None, ("fields", key), entry
        for n, tranche in enumerate(output.get("tranches", ())):
            for key, entry in tranche["fields"].items():
                yield f"tranches.{tranche['label']}.{key}", tranche["label"], ("tranches", n, "fields", key), entry
    elif case.capability == "covenant_monitoring":
        for n, covenant in enumerate(output["covenants"]):
            yield f"covenants.{covenant['name']}", None, ("covenants", n), covenant
            for m, flag in enumerate(covenant["flags"]):
                yield f"covenants.{covenant['name']}", None, ("covenants", n, "flags", m), flag
    elif case.capability == "benchmark_validation":
        for n, finding in enumerate(output["findings"]):
            yield f"findings.{finding['term']}", None, ("findings", n), finding
    else:
        yield "answer", None, (), output


def _values(holder: dict[str, Any]) -> tuple[str, ...]:
    found = [holder.get(k) for k in ("value", "new_value", "threshold", "deal_value", "answer", "days")]
    flat = [v for value in found for v in (value if isinstance(value, list) else [value])]
    return tuple(str(v) for v in flat if v not in (None, ""))


def planted(kind: str, base: Base, case: BaseCase, site: Site, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    return Mutant(
        kind,
        base.name,
        case.case_id,
        case.capability,
        more.pop("documents", case.documents),
        site.item,
        site.changed(case.output, **parts),
        case.gold,
        case.input,
        expected,
        tranche=site.tranche,
        **more,
    )


def text_of(base: Base, site: Site) -> PlainText:
    return base.texts[site.citation["document"]]


def _unique(base: Base, case: BaseCase) -> Iterator[Site]:
    """Sites whose quote stands once in its document, so that one page and one clause are right."""
    return (s for s in sites(case) if text_of(base, s).count(s.citation["quote"]) == 1)


# ---- document ------------------------------------------------------------------------------------------------------


def document_name_imprecise(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        name = site.citation["document"]
        stem, _, extension = name.rpartition(".")
        for other in (name.upper(), stem, f"{stem}.{'docx' if extension == 'pdf' else 'pdf'}"):
            yield planted("document name imprecise", base, case, site, "partial", {"document": other}, code="DOCUMENT_NAME_IMPRECISE")


def document_unknown(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        yield planted(
            "document wrong", base, case, site, "fail", {"document": "other-deal.pdf"}, code="UNKNOWN_DOCUMENT", provenance="unsupported"
        )


def document_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        yield planted("document missing", base, case, site, "partial", {"document": None}, provenance="incomplete")


# ---- page ----------------------------------------------------------------------------------------------------------


def _other_pages(base: Base, site: Site) -> list[int]:
    """Pages that do not hold the quote under any reading of their number."""
    plain = text_of(base, site)
    right = set(plain.pages_of(site.citation["quote"])) | {site.citation["page"]}
    near = {p + d for p in right for d in (-1, 0, 1)}
    printed = {n for p in right for n in plain.lone_numbers(p)}
    return [p for p in range(1, len(plain.pages) + 1) if p not in near and p not in printed]


def page_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in _unique(base, case):
        pages = _other_pages(base, site)
        for page in rng.sample(pages, min(2, len(pages))):
            yield planted("page wrong", base, case, site, "partial", {"page": page}, provenance="wrong_page")


def page_beyond(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case) if base.is_paged else ():
        page = rng.choice((2014, 4711, "p. 3555"))
        yield planted("page beyond the end", base, case, site, "hallucination", {"page": page}, provenance="fabricated_location")


def page_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case) if base.is_paged else ():
        yield planted("page missing", base, case, site, "partial", {"page": None}, provenance="incomplete")


# ---- section -------------------------------------------------------------------------------------------------------


def _base_number(section: str) -> str:
    found = re.search(r"\d+(?:\.\d+)*", section)
    return found.group() if found else section.casefold()


def section_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    all_sites = [s for c in base.cases for s in sites(c)]
    for site in _unique(base, case):
        own = site.citation
        if not re.search(r"\d\.\d", own["section"] or ""):
            continue
        others = sorted(
            {
                s.citation["section"]
                for s in all_sites
                if s.citation["document"] == own["document"]
                and re.match(r"(Section|Clause) \d+\.\d", s.citation["section"])
                and _base_number(s.citation["section"]) != _base_number(own["section"])
            }
        )
        for section in rng.sample(others, min(2, len(others))):
            yield planted("section wrong", base, case, site, "partial", {"section": section}, provenance="wrong_page")


def section_nonexistent(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        section = rng.choice(("Section 97.3", "Clause 88.12(a)", "Schedule 67"))
        yield planted("section nonexistent", base, case, site, "hallucination", {"section": section}, provenance="fabricated_location")


def sub_paragraph_nonexistent(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        plain = text_of(base, site)
        near = {q for p in plain.pages_of(site.citation["quote"]) for q in range(p - 3, p + 6) if 1 <= q <= len(plain.pages)}
        has_letter = any("(w)" in plain.pages[p - 1] for p in near)
        is_definitions = re.search(r"1\.0?1$", site.citation["section"])  # definitions have lists of their own, up to any letter
        if re.fullmatch(r"(Section|Clause) \d+\.\d+(\([a-z]\))?", site.citation["section"]) and not has_letter and not is_definitions:
            section = re.sub(r"(\d+\.\d+).*", r"\1(w)", site.citation["section"])
            yield planted("sub-paragraph nonexistent", base, case, site, "partial", {"section": section}, provenance="incomplete")


def section_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        expected = "fail" if case.capability == "document_qa" and not site.citation["quote"] else "partial"
        yield planted("section missing", base, case, site, expected, {"section": None}, provenance="incomplete")


def page_and_section_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The cited page does not hold the value in any form: the item fails (judging.md 1.4)."""
    if case.capability != "loan_onboarding":
        return
    for mutant in section_wrong(base, case, rng):
        site = next(s for s in sites(case) if s.item == mutant.item and s.tranche == mutant.tranche)
        key = mutant.item.rsplit(".", 1)[-1]
        if key not in ("borrower", "facility_agent", "facility_amount", "maturity_date", "governing_law"):
            continue
        plain = text_of(base, site)
        empty = [p for p in _other_pages(base, site) if not _holds(plain.pages[p - 1], key, site.values)]
        if empty:
            section = mutant.output["fields"][key]["citation"]["section"] if mutant.tranche is None else None
            if section:
                yield planted(
                    "page and section wrong",
                    base,
                    case,
                    site,
                    "fail",
                    {"page": rng.choice(empty), "section": section},
                    provenance="wrong_page",
                )


def _holds(page: str, key: str, values: tuple[str, ...]) -> bool:
    """Whether a page could hold a value in some form: any distinctive word or number of it."""
    text = page.casefold()
    tokens = {t for value in values for t in re.findall(r"[a-z]{4,}|\d{2,}", value.casefold())}
    return any(t in text for t in tokens) or (key == "maturity_date" and bool(re.search(r"\b(19|20)\d\d\b", text)))


# ---- quote ---------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")
NEGATIVES = re.compile(r"\b(not|no|nor|neither|none|without|never)\b", re.I)
OPPOSITES = (
    ("not less than", "not more than"),
    ("not more than", "not less than"),
    ("no more than", "no less than"),
    ("not to exceed", "not to fall below"),
    ("not exceeding", "not falling below"),
    ("shall not exceed", "shall exceed"),
    ("not later than", "not earlier than"),
    ("at least", "at most"),
    ("equal to or greater than", "equal to or less than"),
    ("or more", "or less"),
    ("less than", "more than"),
    ("except", "including"),
)
MONTHS = "January February March April May June July August September October November December".split()
SYNONYMS = (
    ("aggregate", "combined"),
    ("available", "accessible"),
    ("obligation", "duty"),
    ("whatever", "any"),
    ("fiscal", "financial"),
    ("resolution", "decision"),
    ("property", "belongings"),
    ("continue", "persist"),
    ("continues", "persists"),
    ("shall have received", "shall have obtained"),
    ("provided to", "given to"),
    ("pay off", "discharge"),
    ("has occurred", "has happened"),
    ("ordinary wear", "usual wear"),
    ("duly executed", "properly signed"),
    ("payable", "owed"),
    ("relevant", "pertinent"),
    ("outstanding", "unpaid"),
    ("remedied", "cured"),
    ("furnish", "supply"),
    ("commencing", "starting"),
)
INVENTED = (
    "The Borrower undertakes to plant seven thousand birch saplings along the northern embankment before midsummer",
    "Each Lender shall receive a quarterly hamper of smoked fish and cloudberry preserve delivered by tram",
    "Any dispute over telescope maintenance is settled by drawing lots in the observatory courtyard",
)


def _altered(
    kind: str,
    change: Callable[[str, Random], str | None],
    expected: str = "hallucination",
    provenance: str = "not_found",
    code: str = "",
    note: str = "",
) -> Plant:
    def plant(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
        for site in sites(case):
            quote = site.citation["quote"]
            other = change(quote, rng)
            if other is None or other == quote or (expected == "hallucination" and text_of(base, site).count(other)):
                continue
            yield planted(
                kind,
                base,
                case,
                site,
                expected,
                {"quote": other},
                provenance=provenance,
                code=code,
                verdicts={"quote_paraphrase": "fabricated" if expected == "hallucination" else "paraphrase"},
            )

    return plant


def digit_altered(quote: str, rng: Random) -> str | None:
    found = list(re.finditer(r"\d", quote))
    if not found:
        return None
    at = rng.choice(found).start()
    return quote[:at] + str((int(quote[at]) + rng.randint(1, 8)) % 9 + (1 if int(quote[at]) == 0 else 0)) + quote[at + 1 :]


def decimal_moved(quote: str, rng: Random) -> str | None:
    found = [m for m in NUMBER.finditer(quote) if re.fullmatch(r"\d\.\d\d?", m.group()) and quote[m.end() : m.end() + 1] != "("]
    if not found:
        return None
    number = rng.choice(found)
    digits = number.group().replace(".", "")
    return quote[: number.start()] + digits[:2] + "." + (digits[2:] or "0") + quote[number.end() :]


def negation_changed(quote: str, rng: Random) -> str | None:
    for pattern, other in (
        (r"\bshall not\b", "shall"),
        (r"\bmay not\b", "may"),
        (r"\bshall\b(?! not)", "shall not"),
        (r"\bmay\b(?! not)", "may not"),
        (r"\bis\b(?! not)", "is not"),
        (r"\bmeans\b", "does not mean"),
    ):
        if re.search(pattern, quote):
            return re.sub(pattern, other, quote, count=1)
    return None


def limit_turned(quote: str, rng: Random) -> str | None:
    for word, other in OPPOSITES:
        if re.search(rf"\b{word}\b", quote):
            return re.sub(rf"\b{word}\b", other, quote, count=1)
    return None


def modal_turned(quote: str, rng: Random) -> str | None:
    if NEGATIVES.search(quote):
        return None
    for word, other in (("shall", "may"), ("may", "shall"), ("must", "can"), ("will", "may")):
        if re.search(rf"\b{word}\b", quote):
            return re.sub(rf"\b{word}\b", other, quote, count=1)
    return None


def connective_turned(quote: str, rng: Random) -> str | None:
    for word, other in ((" and ", " or "), (" or ", " and ")):
        if word in quote:
            return quote.replace(word, other, 1)
    return None


def currency_turned(quote: str, rng: Random) -> str | None:
    for pattern, other in (
        (r"U\.S\. dollars", "Canadian dollars"),
        (r"\$(?=\d)", "€"),
        (r"£(?=\d)", "€"),
        (r"\bGBP\b", "USD"),
        (r"\bEUR\b", "GBP"),
        (r"\bsterling\b", "euro"),
    ):
        if re.search(pattern, quote):
            return re.sub(pattern, other, quote, count=1)
    return None


def unit_turned(quote: str, rng: Random) -> str | None:
    for pattern, other in (
        (r"\bdays\b", "weeks"),
        (r"\bmonths\b", "years"),
        (r"\bweeks\b", "months"),
        (r"(?<=\d) ?%", " bps"),
        (r"per cent\.", "basis points"),
        (r"\byear\b", "month"),
        (r"\bquarter\b", "month"),
    ):
        if re.search(pattern, quote):
            return re.sub(pattern, other, quote, count=1)
    return None


def date_altered(quote: str, rng: Random) -> str | None:
    found = re.search(rf"\b({'|'.join(MONTHS)})\b(?=[ ,]+\d)|(?<=\d )({'|'.join(MONTHS)})\b", quote)
    if not found:
        return None
    other = MONTHS[(MONTHS.index(found.group()) + rng.randint(1, 11)) % 12]
    return quote[: found.start()] + other + quote[found.end() :]


def party_altered(quote: str, rng: Random) -> str | None:
    found = re.search(
        r"\b(?:[A-Z][\w&.’'-]+ ){1,4}(?:LIMITED|PLC|LLC|Limited|plc|Corporation|Association|INC\.|LIMITED|S\.A\.|B\.V\.|LLP)", quote
    )
    if not found:
        return None
    first, *rest = found.group().split(" ")
    return quote[: found.start()] + " ".join(["WESTMERE" if first.isupper() else "Westmere", *rest]) + quote[found.end() :]


def number_cut(quote: str, rng: Random) -> str | None:
    found = list(re.finditer(r"\d{1,3}(?:,\d{3})+", quote))
    if not found:
        return None
    number = rng.choice(found)
    return quote[: number.start()] + number.group().rsplit(",", 1)[0] + quote[number.end() :]


def mark_lost(quote: str, rng: Random) -> str | None:
    found = re.search(r"[$€£%](?=\d)|(?<=\d)%|\((?=\d+%?\))", quote)
    if not found:
        return None
    if found.group() == "(":
        end = quote.index(")", found.start())
        return quote[: found.start()] + quote[found.start() + 1 : end] + quote[end + 1 :]
    return quote[: found.start()] + quote[found.end() :]


def reworded(quote: str, rng: Random) -> str | None:
    found = [(a, b) for a, b in SYNONYMS if re.search(rf"\b{a}\b", quote)]
    if not found or len(quote) < 60:
        return None
    word, other = rng.choice(found)
    return re.sub(rf"\b{word}\b", other, quote, count=1)


def quote_invented(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        yield planted(
            "quote invented",
            base,
            case,
            site,
            "hallucination",
            {"quote": rng.choice(INVENTED)},
            provenance="not_found",
            verdicts={"quote_paraphrase": "fabricated"},
        )


def quote_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        yield planted("quote missing", base, case, site, "partial", {"quote": None}, provenance="incomplete")


def citation_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for site in sites(case):
        if site.path[-1] != "citation":
            continue
        yield planted(
            "citation missing", base, case, site, "fail", dict.fromkeys(("document", "page", "section", "quote")), provenance="absent"
        )


def quote_joined(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Two verbatim parts of two clauses, joined: the first part is the item's own."""
    if case.capability == "document_qa":
        return
    own = list(_unique(base, case))
    for site in own:
        others = [
            s
            for s in own
            if s.citation["document"] == site.citation["document"]
            and _base_number(s.citation["section"]) != _base_number(site.citation["section"])
            and text_of(base, s).whole.find(_key(s)) > text_of(base, site).whole.find(_key(site))
        ]
        if others:
            other = rng.choice(others).citation["quote"]
            quote = f"{site.citation['quote']} … {other}"
            yield planted(
                "quote joined across clauses", base, case, site, "partial", {"quote": quote}, code="JOIN_BROKEN", provenance="paraphrased"
            )


def _key(site: Site) -> str:
    from benchmarks.mutation_bases import squeezed

    return squeezed(site.citation["quote"])


def quote_unsupporting(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A verbatim quote at its own right place that says nothing of the value: only a judge can tell."""
    if case.capability == "document_qa":
        return
    everything = [s for c in base.cases if c.documents == case.documents for s in sites(c)]
    for site in sites(case):
        if site.item.endswith(".currency"):  # any amount of the agreement shows its currency
            continue
        told = " ".join(
            (*site.values, site.citation["quote"], site.item.replace("_", " "))
        ).casefold()  # words of the right quote may be defined terms that lead on
        words = set(re.findall(r"[a-z]{4,}|\d+", told))
        others = [
            s
            for s in everything
            if s.item != site.item
            and not any(w in s.citation["quote"].casefold() for w in words)
            and _base_number(s.citation["section"]) not in ("1.1", "1.01")
        ]
        if others and words:
            cited = rng.choice(others).citation
            yield planted(
                "quote does not support",
                base,
                case,
                site,
                "fail",
                cited,
                provenance="unsupported",
                verdicts={"quote_support": "does_not_support", "flag_content": "complete"},
            )


def quote_of_other_document(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The case gets another document of the deal, and the quote is one that stands only there."""
    others = [name for name in base.texts if name not in case.documents]
    if not others or case.capability == "document_qa":
        return
    for site in sites(case):
        name = rng.choice(others)
        lines = [" ".join(line.split()) for line in "\n".join(base.texts[name].pages).splitlines() if len(line.split()) >= 9]
        quotes = [line for line in lines if not any(base.texts[d].count(line) for d in case.documents)]
        if quotes:
            yield planted(
                "quote of another document",
                base,
                case,
                site,
                "fail",
                {"quote": rng.choice(quotes)},
                code="OTHER_DOCUMENT",
                provenance="unsupported",
                documents=(*case.documents, name),
                verdicts={"quote_paraphrase": "fabricated"},
            )


QUOTE_KINDS: dict[str, Plant] = {
    "document name imprecise": document_name_imprecise,
    "document wrong": document_unknown,
    "document missing": document_missing,
    "page wrong": page_wrong,
    "page beyond the end": page_beyond,
    "page missing": page_missing,
    "section wrong": section_wrong,
    "section nonexistent": section_nonexistent,
    "sub-paragraph nonexistent": sub_paragraph_nonexistent,
    "section missing": section_missing,
    "page and section wrong": page_and_section_wrong,
    "quote: digit altered": _altered("quote: digit altered", digit_altered),
    "quote: decimal moved": _altered("quote: decimal moved", decimal_moved),
    "quote: negation changed": _altered("quote: negation changed", negation_changed),
    "quote: limit turned": _altered("quote: limit turned", limit_turned),
    "quote: modal turned": _altered("quote: modal turned", modal_turned),
    "quote: and / or turned": _altered("quote: and / or turned", connective_turned),
    "quote: currency turned": _altered("quote: currency turned", currency_turned),
    "quote: unit turned": _altered("quote: unit turned", unit_turned),
    "quote: date altered": _altered("quote: date altered", date_altered),
    "quote: party altered": _altered("quote: party altered", party_altered),
    "quote: number cut": _altered("quote: number cut", number_cut),
    "quote: mark lost": _altered("quote: mark lost", mark_lost, "partial", "paraphrased", "QUOTE_MARK_LOST"),
    "quote paraphrased": _altered("quote paraphrased", reworded, "partial", "paraphrased"),
    "quote invented": quote_invented,
    "quote missing": quote_missing,
    "citation missing": citation_missing,
    "quote joined across clauses": quote_joined,
    "quote does not support": quote_unsupporting,
    "quote of another document": quote_of_other_document,
}
