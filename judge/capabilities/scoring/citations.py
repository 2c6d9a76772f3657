"""A citation under the companion rubrics (companion.md section 2): A the document's name, B the place, C the quote, and what the whole
citation is worth to a field. All as [worst, best], exactly; pure functions of the located citation."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from pathlib import PurePath

from deterministic.citations.check import CitationCheck
from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.section_claims import holds, read_section_claim
from deterministic.documents.documents import Document
from deterministic.quotes.joins import split_ellipsis
from judge.capabilities.decisions import marks_of
from judge.capabilities.scoring.dimensions import lowest
from judge.records import SEVERITY, Bounds, Outcome, Part, Provenance
from rubrics.contract_sections import Dimensions

GoldPlaces = tuple[tuple[str | None, int | None, str | None], ...]
RIGHT_PAGES = frozenset({"right", "printed", "label"})
RIGHT_SECTIONS = frozenset({"right", "imprecise"})  # an imprecise sub-paragraph is a right clause (B3)
# the word of a citation that is still open, by the labels that it can get
_WORDS = {
    Outcome.CORRECT: "exact", Outcome.SEMANTIC_MATCH: "exact", Outcome.PARTIAL: "wrong_page", Outcome.FAIL: "unsupported",
    Outcome.HALLUCINATION: "not_found",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """One citation, or several as one. worth: as a field's score reads it."""

    document: Bounds
    place: Bounds
    quote: Bounds
    worth: Bounds

    @property
    def dimensions(self) -> dict[str, Bounds]:
        """A, B and C."""
        return {"A": self.document, "B": self.place, "C": self.quote}


def worst_measure(measures: Sequence[Measure]) -> Measure:
    """Citations that all count, dimension by dimension."""
    return Measure(*(lowest(getattr(m, name) for m in measures) for name in ("document", "place", "quote", "worth")))


def score_of(part: Part, table: Mapping[str, Fraction]) -> Bounds:
    """What a part is worth in a table of the contract's dimensions: by its mark, or its label."""
    scores = []
    for mark in marks_of(part):
        if mark not in table:  # a label that the table does not have is the next worse one that it has
            mark = "correct" if SEVERITY[Outcome(mark)] < SEVERITY[Outcome.PARTIAL] else "fail"
        scores.append(table[mark])
    return min(scores), max(scores)


def shortened(name: str | None, documents: Iterable[str], letters: int) -> str | None:
    """The one file that a name shortens: its first letters, or some of its words in order, the first ones whole to that many letters."""
    claimed = _words(name or "")
    joined = "".join(claimed)
    if len(joined) < letters:
        return None
    found = []
    for file in documents:
        rest, whole = iter(_words(file)), "".join(_words(file))
        in_order = whole[:letters] == joined[:letters] and all(any(word.startswith(one) for word in rest) for one in claimed)
        found += [file] * (whole.startswith(joined) or in_order)
    return found[0] if len(found) == 1 else None


def _words(name: str) -> list[str]:
    path = PurePath(name.strip())
    stem = path.stem if re.fullmatch(r"\.[A-Za-z]{3,4}", path.suffix) else path.name
    return re.findall(r"[^\W_]+", stem.casefold())


def document_score(check: CitationCheck, rules: Dimensions) -> Bounds:
    """The score of dimension A: does the citation name the document in which it is found?"""
    score = rules.document[check.document if check.document in ("right", "imprecise") else "other"]
    return score, score


def place_score(check: CitationCheck, documents: Mapping[str, Document], rules: Dimensions, gold_places: GoldPlaces) -> Bounds:
    """The score of dimension B, page and section. A quote that is nowhere in the document has no place of its own, whatever it is a little
    like: what counts is whether gold cites the page and clause."""
    if check.outcome == "absent" or check.document in ("unknown", "other"):
        return rules.place["nothing"], rules.place["nothing"]
    page, section = _side(check.page, RIGHT_PAGES), _side(check.section, RIGHT_SECTIONS)
    is_lost = check.quote == "not_found" and not any(code == "ALTERED_QUOTE" for code, _ in check.findings)
    if is_lost and _is_gold_place(check, documents, gold_places):
        page, section = "right" if check.page == "wrong" else page, "right" if check.section == "wrong" else section
    elif is_lost:
        page, section = (word if word in ("missing", "not_applicable") else "wrong" for word in (page, section))
    pages, sections = {page}, {section}
    pages = {"right", "wrong"} if pages == {"unknown"} else pages
    sections = {"right", "wrong"} if sections == {"unknown"} else sections
    scores = [rules.place[_place_word(page, section, check, documents, rules)] for page in pages for section in sections]
    return min(scores), max(scores)


def _side(word: str, right: frozenset[str]) -> str:
    if word in right:
        return "right"
    return word if word in ("missing", "unknown", "not_applicable") else "wrong"


def _place_word(page: str, section: str, check: CitationCheck, documents: Mapping[str, Document], rules: Dimensions) -> str:
    if page in ("right", "not_applicable") and section == "right":
        return "page_and_clause"
    if page == "right":
        return "page_alone" if section == "missing" else "clause_wrong"
    if section == "right":
        is_near = page == "wrong" and (off := _pages_off(check, documents)) is not None and off <= rules.near_pages
        return "clause_alone" if page == "missing" else "clause_near" if is_near else "clause_far"
    return "page_wrong" if page == "wrong" and section == "missing" else "nothing"


def _pages_off(check: CitationCheck, documents: Mapping[str, Document]) -> int | None:
    """Pages between the cited one and the nearest occurrence in the cited clause; None where nothing tells."""
    if (document := documents.get(check.found_in or "")) is None:
        return None
    number = re.search(r"\d+", str(check.claim.page))
    cited = read_page_claim(check.claim.page, document).pages or ((int(number[0]),) if number else ())
    clauses = read_section_claim(check.claim.section, document).clauses
    inside = [span for span in check.spans if any(holds(clause, *span) for clause in clauses)] or list(check.spans)
    offsets = [abs(page - other) for span in inside for page in document.pages_of(*span) for other in cited]
    return min(offsets, default=None)


def _is_gold_place(check: CitationCheck, documents: Mapping[str, Document], gold_places: GoldPlaces) -> bool:
    for name, page, section in gold_places:
        for document in [one for one in documents.values() if name in (None, one.name)]:
            is_page = document.paging == "none" or (page is not None and page in read_page_claim(check.claim.page, document).pages)
            mine, theirs = (read_section_claim(text, document).clauses for text in (check.claim.section, section))
            if is_page and (not mine or not theirs or any(a == b for a in mine for b in theirs)):
                return True
    return False


def quote_score(
    check: CitationCheck, documents: Mapping[str, Document], rules: Dimensions, located: Part, supported: Part | None, shows: Part | None
) -> Bounds:
    """The score of dimension C, wording and support. located: the citation's place and wording; supported: whether the quote supports the
    claim; shows: what is known of the content that the quote does not show (None where it shows it)."""
    score, unsupported = _wording_score(check, documents, rules, located), rules.quote["unsupported"]
    return _unless_shown(_unless_shown(score, supported, unsupported), shows, unsupported)


def _wording_score(check: CitationCheck, documents: Mapping[str, Document], rules: Dimensions, located: Part) -> Bounds:
    table = rules.quote
    if check.quote == "unreadable":
        return table["not_found"], table["exact"]
    if check.outcome == "unsupported":  # struck or hidden text, or the text of another document
        word = "unsupported"
    elif check.quote == "paraphrased":
        if check.open == "paraphrase" and located.is_open:
            return table["not_found"], table["paraphrased"]
        word = "paraphrased" if check.open != "paraphrase" or located.best is Outcome.PARTIAL else "not_found"
    elif check.quote not in ("exact", "normalised"):
        word = "not_found"
    else:
        word = "folded" if check.quote == "normalised" and _is_folded(check, documents) else check.quote
    return table[word], table[word]


def _is_folded(check: CitationCheck, documents: Mapping[str, Document]) -> bool:
    """Whether the quote's own signs differ from the text's; those of recognised text are not the document's to hold against a quote."""
    document = documents.get(check.found_in or "")
    if document is None or not check.spans or any(document.pages[n - 1].is_recognised for n in document.pages_of(*check.spans[0])):
        return False
    return is_folded(check.claim.quote or "", document.text[slice(*check.spans[0])])


_LONGEST = 4000
"""Characters that are aligned one by one; a longer quote that differs is folded."""
_ALIKE = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": "'"})
_SILENT = re.compile(r"[\s\u00ad\u200b-\u200d\u2060\ufeff\-‐‑‒–—−*_#>|]+")
"""White space, hyphens and dashes, marks of markdown: none of them is the writer's."""


def is_folded(quote: str, source: str) -> bool:
    """Whether a quote's own signs differ from the text at its place: letter case, punctuation, an ellipsis. source: the characters of that
    place; letters that only it has are running lines or footnote marks."""
    mine, theirs = _own_signs(quote), _own_signs(source)
    if len(split_ellipsis(quote)) > 1 or max(len(mine), len(theirs)) > _LONGEST:
        return theirs != "" and mine not in theirs
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if mine not in theirs else ()
    return theirs != "" and any(mine[a:b] or not any(map(str.isalnum, theirs[c:d])) for kind, a, b, c, d in codes if kind != "equal")


def _own_signs(text: str) -> str:
    """The letters, digits and signs of a text without what files and readers change, and without signs around it."""
    return re.sub(r"^[^\w]+|[^\w]+$", "", _SILENT.sub("", unicodedata.normalize("NFKC", text).translate(_ALIKE)))


def worth_of(part: Part, provenance: Provenance, rules: Dimensions, shows: Part | None = None) -> Bounds:
    """By the word of the provenance block; of an open citation, or one that owes no provenance, by its labels. shows: as in C."""
    if not part.is_open and provenance.outcome in rules.citation:
        scores = [rules.citation[provenance.outcome]]
    else:
        scores = [rules.citation[_WORDS[outcome]] for outcome in (part.worst, part.best)]
    return _unless_shown((min(scores), max(scores)), shows, rules.citation["unsupported"])


def _unless_shown(score: Bounds, part: Part | None, unsupported: Fraction) -> Bounds:
    """A score that a quote loses when it does not show what it is cited for."""
    if part is None or SEVERITY[part.worst] < SEVERITY[Outcome.FAIL]:
        return score
    is_sure = SEVERITY[part.best] >= SEVERITY[Outcome.FAIL]
    return min(score[0], unsupported), min(score[1], unsupported) if is_sure else score[1]
