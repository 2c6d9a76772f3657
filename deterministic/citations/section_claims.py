"""What the section of a citation means and whether it holds a place of the text. Rules: design/places.md."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deterministic.clauses.clause import Resolution, Status, clause_name
from deterministic.clauses.index import Clause, ClauseIndex, Reference, parse_reference
from deterministic.clauses.numerals import ATTACHMENTS
from deterministic.clauses.outline import heading_parts, names_heading
from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import Occurrence

SectionWord = Literal["right", "imprecise", "wrong", "missing", "not_in_document", "unknown"]

_TOP_LEVEL = re.compile(r"(?:article [ivxlc\d]+|\d+)$")
_SUB_CLAUSE = re.compile(r"\d+\.\d")
_MATTER = frozenset(("parties", "preamble", "recitals", "recital", "cover", "contents", "lists", "signature"))
"""Front and back matter: what stands around the provisions."""
_MOST = 5  # provisions that one citation can name and still say where its quote stands


def _kind(clause: Clause) -> str:
    return re.split(r"[ (]", clause.number)[0]


_WORDS: dict[Status, SectionWord] = {
    "found": "right", "imprecise": "imprecise", "mentioned": "unknown", "not_in_document": "not_in_document", "empty": "missing",
}  # fmt: skip
_EMPTY = Resolution("empty")


@dataclass(frozen=True, slots=True)
class SectionClaim:
    """`word`: without a place of the quote; "right" where the provision exists, "imprecise" where only the base clause does,
    "not_in_document" where every page could be read and no such provision is there."""

    word: SectionWord
    found: Resolution = _EMPTY
    index: ClauseIndex | None = None
    references: tuple[Reference, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Every provision that it can mean, one for each numbering, or that is around it."""
        return self.found.clauses

    def word_at(self, start: int, end: int) -> SectionWord:
        """The section's word for a quote at [start, end) of the text; "unknown" where the index is not sure enough of either place."""
        term = self.references[0].base.removeprefix("definition ") if [one.kind for one in self.references] == ["definition"] else ""
        if term and self.index and not (self.clauses or self.references[0].inside) and self.index.is_defined_alone(term, start, end):
            return "right"  # inside a sentence
        around = [clause for clause in self.clauses if holds(clause, start, end)]
        if self.index is None or around:
            is_other_term = self.index and all(_kind(clause) == "definition" and self.index.begins_term(clause, start) for clause in around)
            return "unknown" if is_other_term else self.word
        if not self.clauses:
            is_matter = self.references and all(one.kind in ("named", "recital") for one in self.references)
            return "wrong" if is_matter and self._is_between_provisions(start) else self.word
        return "wrong" if self._is_known_at(start, end) else "unknown"

    def _is_known_at(self, start: int, end: int) -> bool:
        """Whether the index knows the place of the quote well enough to contradict the citation. It does not where the quote stands in the
        cited base clause, but in no paragraph as deep as the label; where front or back matter is cited and the quote lies in no provision;
        and where it lies in nothing at all."""
        assert self.index is not None  # of a claim with provisions
        around = [clause for clause in self.index.at(start, start + 1) if _kind(clause) != "definition"]
        if any(clause.number == "unplaced" for clause in around):
            return False
        bases = self.index.bases_of(self.references) if self.word == "right" else ()
        if any(holds(base, start, end) for base in bases):
            levels = [c for c in around if "(" in c.number or " paragraph " in c.number or c.number[:1].isdigit()]
            inside = {c.start for c in levels if any(base.start < c.start and c.end <= base.end for base in bases)}
            return not self.index.counts_anew(start) and len(inside) >= max(len(reference.parts) for reference in self.references)
        if all(_kind(clause) in _MATTER for clause in self.clauses):
            return self._is_between_provisions(start) or any(_kind(clause) in ATTACHMENTS for clause in around)
        words = [part for one in self.references if one.kind == "words" for part in (one.base, *heading_parts(one.title))]
        terms = (one.base.removeprefix("definition ") for one in self.references if one.kind == "definition")
        if any(self.index.is_defined(term, start, end) for term in terms):
            return False  # a sentence that defines the term
        if any(self.index.may_hold(clause, start) for clause in self.clauses if _kind(clause) == "definition"):
            return False
        if any(names_heading(cited, clause.title) for clause in around for cited in words):
            return False  # a longer heading with the cited words, or the same one in the plural
        is_entry = any(_kind(clause) == "contents" for clause in around)  # which names the cited provision
        return bool(around) and not (is_entry and any(self.index.stands(clause.title, start, end) for clause in self.clauses))

    def _is_between_provisions(self, at: int) -> bool:
        """A numbered clause holds the place. The last of a numbering need not end before the signatures, and a first one without title may
        be a count of recitals."""
        assert self.index is not None
        numbered = [c for c in self.index.clauses if "(" not in c.number and (c.number[:1].isdigit() or c.number.startswith("article "))]
        if not (own := max((c for c in numbered if c.start <= at < c.end), key=lambda c: (c.start, -c.end), default=None)):
            return False
        starts = [clause.start for clause in numbered if clause.numbering == own.numbering]
        if all(reference.base == "signature" for reference in self.references):
            return own.start < max(starts)
        return bool(own.title) or own.start > min(starts)


def holds(clause: Clause, start: int, end: int) -> bool:
    """The clause holds the quote: all of it, or the beginning of one that runs on, or most of one whose heading was quoted along."""
    overlap = min(end, clause.end) - max(start, clause.start)
    return overlap > 0 and (clause.start <= start or overlap * 2 >= end - start)


def read_section_claim(claim: str | None, document: Document) -> SectionClaim:
    """The provisions of `document` that a citation's `section` can mean."""
    if claim is None or not claim.strip():
        return SectionClaim("missing")
    index, references, words = document.clauses, parse_reference(claim), claim.casefold().split()
    is_one_of_several = any(word == "or" and any(map(str.isdigit, "".join(words[n + 1 : n + 3]))) for n, word in enumerate(words))
    if is_one_of_several or len(references) > _MOST or not all(index.explains(one, document.name) for one in references):
        return SectionClaim("unknown")
    found, word = index.find(claim), _WORDS[index.find(claim).status]
    if word == "missing" and any(map(str.isalnum, claim)):
        word = "imprecise"
    if word == "not_in_document" and not (index.has_numbering and document.is_readable and not document.missing_pages):
        word = "unknown"
    return SectionClaim(word, found, index, references)


def is_coarse_at(claim: SectionClaim, document: Document, start: int, end: int) -> bool:
    """A top-level number alone for text that stands in one of its numbered clauses (Clause 5 for text in 5.1)."""
    tops = [_TOP_LEVEL.match(clause.number) for clause in claim.clauses if holds(clause, start, end)]
    is_top = claim.word == "right" and claim.found.is_coarse and bool(tops) and all(tops)
    return is_top and any(_SUB_CLAUSE.match(clause.number) for clause in document.clauses.at(start, max(start, min(end, start + 1))))


def deepest_clause(document: Document, start: int, end: int) -> Clause | None:
    """The innermost provision that holds the range; definitions give way to the clause that they stand in, headings of the cover to
    parties and recitals."""
    found = [clause for clause in document.clauses.at(start, end) if not clause.number.startswith("definition")]
    found = [clause for clause in found if clause.number.startswith(("parties(", "recital "))] or found
    return max(found, key=lambda clause: (clause.start, -clause.end), default=None)


def sections_at(document: Document, places: Sequence[Occurrence]) -> tuple[str, ...]:
    """Names of the innermost provisions at the places, each once: "Clause 5.1(a)", "Parties"."""
    clauses = (deepest_clause(document, place.start, place.end) for place in places[:20])
    return tuple(dict.fromkeys(clause_name(clause) for clause in clauses if clause is not None))
