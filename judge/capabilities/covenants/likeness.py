"""What speaks for a reported covenant being a gold one beside an equal name: usual other names and initials, and the provision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from rapidfuzz import fuzz

from deterministic.citations.section_claims import deepest_clause, holds, read_section_claim
from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.lexicon.covenant_names import has_initials, usual_name
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.provenance import check_claim
from judge.capabilities.wording import GENERIC, fold_text, name_words

# how much each likeness says, of 100: names most, then what the covenants demand and where they stand
SHARES = {"name": 70, "threshold": 15, "section": 10, "type": 5}

Name = Literal["one", "part", "other"]
Place = Literal["same", "limb", "cited", "page", "unknown", "other"]
Kinship = Literal["sure", "possible", "unlike"]
"""Whether a reported covenant is a gold one by name and place: "possible" is a question, "unlike" leaves it to the similarity."""

_REFERENCE = re.compile(
    r"\s*[(\[,–—-]?\s*(?:section|clause|sec\.|cl\.|§)?\s*(?P<place>\d+(?:\.\d+)+(?:\([A-Za-z0-9]{1,4}\))*)\s*[)\]]?\s*$", re.IGNORECASE
)
_AROUND = re.compile(
    r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?=\S)|\s*[(\[](?:financial|information|negative|positive|affirmative)(?:\s+(?:covenant|undertaking))?[)\]]\s*$",
    re.IGNORECASE,
)  # the mark of a list before a name, the class of the covenant behind it


def name_of(mine: Covenant) -> str:
    """A reported name without the mark of a list, its class in brackets, and the place behind it, "Limitation on Liens (5.02(b))", where
    the covenant's own citation is of that place."""
    name = _AROUND.sub("", mine.name)
    match = _REFERENCE.search(name)
    if match is None or not match.start():
        return name
    cited = any(re.search(rf"(?<![\d.]){re.escape(match['place'])}(?![\d.])", claim.section or "") for claim in mine.claims)
    return name[: match.start()] if cited else name


def similarity(mine: Covenant, true: CovenantGold) -> float:
    """0..100: how alike two covenants are in name, threshold, cited section and type."""
    names = [fuzz.token_sort_ratio(fold_text(name_of(mine)), fold_text(name)) for name in (true.name, *true.aliases)]
    total = SHARES["name"] * max(names) / 100
    if mine.threshold and true.threshold and fold_text(mine.threshold) == fold_text(true.threshold):
        total += SHARES["threshold"]
    mine_sections, true_sections = ({fold_text(c.section) for c in x.claims if c.section} for x in (mine, true))
    if mine_sections & true_sections:
        total += SHARES["section"]
    if mine.type and fold_text(mine.type) == fold_text(true.type):
        total += SHARES["type"]
    return total


def kinship(context: Context, mine: Covenant, true: CovenantGold) -> Kinship:
    """By name and place together; a name alone counts as long as no place contradicts it, a place alone only where its heading names
    nothing but the gold covenant."""
    name, place = _name(mine, true), _place(context, mine, true)
    if name == "one":
        return "possible" if place == "other" else "sure"
    if name == "part":
        return "unlike" if place == "other" else "sure" if place in ("same", "limb", "cited") else "possible"
    if place in ("same", "limb"):
        return "sure" if place == "same" and _is_headed(context, true) else "possible"
    is_of_type = mine.type is None or fold_text(mine.type) == fold_text(true.type)
    return "possible" if is_of_type and (place == "page" or not mine.claims) else "unlike"


# ---- the name ----------------------------------------------------------------------------------------------------


def _subject(name: str) -> frozenset[str]:
    return name_words(usual_name(fold_text(name)))


def _name(mine: Covenant, true: CovenantGold) -> Name:
    """ "one": the same words up to usual other names, or initials of them; "part": all words of one name are in the other."""
    reported = fold_text(name_of(mine))
    said = _subject(reported)
    subjects = [_subject(name) for name in (true.name, *true.aliases)]
    if said in subjects or any(_are_initials(reported, fold_text(name)) for name in (true.name, *true.aliases)):
        return "one" if said else "other"
    return "part" if said and any(subject and (said <= subject or subject <= said) for subject in subjects) else "other"


def _are_initials(first: str, second: str) -> bool:
    for short, long in ((first, second), (second, first)):
        told = [word for word in short.split() if word not in GENERIC]
        if len(told) == 1 and has_initials(long.split(), told[0], GENERIC):
            return True
    return False


# ---- the place ---------------------------------------------------------------------------------------------------


def _place(context: Context, mine: Covenant, true: CovenantGold) -> Place:
    """Where the reported covenant stands beside gold's own provision, by the citation that comes nearest.

    "same": its quote stands there (without a quote: it cites it); "limb": in a paragraph of it; "cited": cited for a quote that is not
    there; "page": on gold's page, where gold's provision is not known; "unknown": one of the two places is not known.
    """
    places = [_place_of(context, claim, true) for claim in mine.claims] or ["unknown"]
    return next(place for place in ("same", "limb", "cited", "page", "unknown", "other") if place in places)


def _place_of(context: Context, claim: Citation, true: CovenantGold) -> Place:
    check = check_claim(context, claim)
    document = context.documents.get(check.found_in or claim.document or "") or next(iter(context.documents.values()), None)
    if document is None:
        return "unknown"
    provisions = list(_provisions(context, document, true))
    if not provisions:
        is_near = any(gold.page in check.pages_found for gold in true.claims) and not any(gold.section for gold in true.claims)
        return "page" if is_near else "unknown"
    section = read_section_claim(claim.section, document)
    is_limb = any(_is_inside(clause, gold) for clause in section.clauses for gold in provisions)
    is_found = check.found_in == document.name and check.quote in ("exact", "normalised", "paraphrased")
    for start, end in check.spans if is_found else ():
        if any(holds(gold, start, end) for gold in provisions):
            inner = deepest_clause(document, start, end)
            return "limb" if is_limb or (inner is not None and any(_is_inside(inner, gold) for gold in provisions)) else "same"
    if section.status in ("found", "imprecise") and not section.is_coarse and _overlap(section.clauses, provisions):
        return "cited" if check.quote != "missing" else "limb" if is_limb else "same"
    return "other" if is_found or section.status in ("found", "fabricated") else "unknown"


def _is_inside(clause: Clause, provision: Clause) -> bool:
    return provision.start < clause.start and clause.end <= provision.end


def _overlap(cited: tuple[Clause, ...], provisions: list[Clause]) -> bool:
    return any(mine.start < gold.end and gold.start < mine.end for mine in cited for gold in provisions)


def _provisions(context: Context, document: Document, true: CovenantGold) -> Iterator[Clause]:
    """Gold's own provisions in a document; a top-level number that has clauses of its own says too little."""
    others = set(context.documents) - {document.name}
    for gold in true.claims:
        section = read_section_claim(gold.section, document)
        if gold.document not in others and section.status == "found" and not section.is_coarse:
            yield from section.clauses


def _is_headed(context: Context, true: CovenantGold) -> bool:
    """Whether the heading of gold's provision has words of gold's names and no others."""
    known = frozenset().union(*(_subject(name) for name in (true.name, *true.aliases)))
    titles = [_subject(clause.title) for document in context.documents.values() for clause in _provisions(context, document, true)]
    return any(titles) and all(title <= known for title in titles)
