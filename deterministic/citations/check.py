"""One citation against the documents of its case: document name, page, section and quote, each judged and the worst of them named.
Whether the quote supports a value is decided above. Rules: design/places.md; words: docs/contract/formats.md."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from deterministic.citations.page_claims import NAMED, PageClaim, PageWord, page_in, printed_numbers, read_page_claim
from deterministic.citations.section_claims import SectionClaim, SectionWord, holds, is_coarse_at, read_section_claim, sections_at
from deterministic.documents.closer_looks import alternative_texts
from deterministic.documents.documents import Document
from deterministic.quotes.find import MOST, SHARE, find_quote
from deterministic.quotes.quote_match import Finding, Occurrence, QuoteMatch

ORDER = tuple("fabricated_location not_found unsupported absent unreadable wrong_page paraphrased incomplete normalised exact".split())
"""The overall words, worst first (design/places.md)."""

GoldPlace = tuple[str | None, int | None, str | None]
"""(document, physical page, section) of gold's own citation; None is not stated."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation as reported; None is not given."""

    document: str | None
    page: int | str | None
    section: str | None
    quote: str | None


@dataclass(frozen=True, slots=True)
class CitationPolicy:
    """The contract's numbers for quotes: least similarity (0..100) of a like place, share (0..1) of a rewording's content words in one
    place, words that may differ in a nearly verbatim quote."""

    paraphrase_lower: float
    rewording_share: float = SHARE
    most_edits: int = MOST


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """Location and quote of one citation, before it is known whether it supports a value."""

    claim: Claim
    outcome: str
    """The worst of the parts, one of `ORDER`."""
    quote: str
    page: str
    section: str
    document: str
    """"right", "imprecise" (letter case or extension differ), "unknown" (not of the case), "missing", "other" (the quote stands only in
    another document of the case)."""
    is_whole: bool
    """Document, page, section and quote were all given; the page is no part of it where the document has none."""
    pages_found: tuple[int, ...] = ()
    sections_found: tuple[str, ...] = ()
    match: float | None = None
    """Similarity 0..100; None without a quote or when it was not searched."""
    findings: tuple[Finding, ...] = ()
    open: str | None = None
    """"paraphrase" (a judge decides), "unreadable", "page_unknown", "section_unknown", or None when all is decided."""
    is_seen: bool = False
    """Somebody has looked for the quote on a page without text."""
    is_reworded: bool = False
    """Whether the quote is a rewording or invented is for a judge, whatever its place."""
    found_in: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    """Where the quote stands in the text of `found_in`."""
    cited_page_text: str = ""

    @property
    def both_wrong(self) -> bool:
        """Page and section are both wrong: the item fails unless the cited page contains the value."""
        return self.page == self.section == "wrong" and self.document != "other"


def check_citation(
    claim: Claim, documents: Sequence[Document], policy: CitationPolicy, *, gold_places: Sequence[GoldPlace] = ()
) -> CitationCheck:
    """Judge one citation. `documents` are the case's documents in order; one that could not be read has only unreadable pages."""
    if not _is_given(claim.page) and (page := page_in(claim.section)) is not None:
        claim = replace(claim, page=page)
    word, named = _named_documents(claim.document, documents)
    is_paged = any(document.paging == "physical" for document in named or documents)
    is_whole = all(_is_given(part) for part in (claim.document, claim.page if is_paged else "-", claim.section, claim.quote))
    if not any(_is_given(part) for part in (claim.page, claim.section, claim.quote)):
        return CitationCheck(claim, "absent", "missing", "missing", "missing", word, False)
    if word == "unknown":
        detail = f"{claim.document} is not a document of the case"
        return CitationCheck(claim, "unsupported", *_given_words(claim), "unknown", is_whole, findings=(("UNKNOWN_DOCUMENT", detail),))
    findings: tuple[Finding, ...] = ()
    if word == "imprecise":
        findings = (("DOCUMENT_NAME_IMPRECISE", f"{claim.document} for {named[0].name}"),)
    names = {document.name for document in documents}
    # Gold may have been written for the same agreement in another format: its clauses can be compared, its pages cannot.
    places = [place if place[0] is None or place[0] in names else (None, None, place[2]) for place in gold_places]
    checks = [_check_in(claim, document, policy, places) for document in named]
    if (best := max(checks, key=lambda check: ORDER.index(check.outcome), default=None)) is None:
        return CitationCheck(claim, "unreadable", *_given_words(claim), word, is_whole, open="unreadable")
    if word in ("right", "imprecise") and (other := _stands_elsewhere(claim, best, documents, named, policy)):
        best = other
        word = "other"
    outcome = min(best.outcome, "incomplete", key=ORDER.index) if word in ("imprecise", "missing") else best.outcome
    return replace(best, outcome=outcome, document=word, is_whole=is_whole, findings=(*findings, *best.findings))


def _is_given(part: int | str | None) -> bool:
    return part is not None and bool(str(part).strip())


def _given_words(claim: Claim) -> tuple[str, str, str]:
    """Words of quote, page and section that were not looked at: what is not given is missing, the rest is taken as it stands."""
    return (
        "not_found" if _is_given(claim.quote) else "missing",
        "wrong" if _is_given(claim.page) else "missing",
        "wrong" if _is_given(claim.section) else "missing",
    )


_EXTENSIONS = frozenset(".pdf .txt .docx .doc .tif .tiff .png .jpg .jpeg .pages".split())


def _named_documents(name: str | None, documents: Sequence[Document]) -> tuple[str, Sequence[Document]]:
    """How well the document is named, and the documents to look in: the named one, or all when none is named."""
    if name is None or not name.strip():
        return "missing", documents
    if exact := [document for document in documents if document.name == name]:
        return "right", exact[:1]
    if near := [document for document in documents if _bare(document.name) == _bare(name)]:
        return "imprecise", near[:1]
    return "unknown", ()


def _bare(name: str) -> str:
    """A file name without its extension, case folded."""
    path = PurePath(name.strip())
    return (path.stem if path.suffix.casefold() in _EXTENSIONS else path.name).casefold()


def _stands_elsewhere(
    claim: Claim, best: CitationCheck, documents: Sequence[Document], named: Sequence[Document], policy: CitationPolicy
) -> CitationCheck | None:
    """The check of a quote that stands only in another document of the case, None when it does not."""
    is_settled = best.quote in ("exact", "normalised", "missing", "unreadable") or best.outcome == "fabricated_location"
    if is_settled or not claim.quote:
        return None
    for document in documents:
        if document not in named and (found := _check_in(claim, document, policy, ())).quote in ("exact", "normalised"):
            page = f" (page {found.pages_found[0]})" if found.pages_found else ""
            said: tuple[Finding, ...] = (("OTHER_DOCUMENT", f"the quote stands in {document.name}{page}"),)
            shown = best.cited_page_text
            return replace(
                found, outcome="unsupported", page=best.page, section=best.section, findings=said, open=None, cited_page_text=shown
            )
    return None


@dataclass(frozen=True, slots=True)
class _Fit:
    """How one occurrence agrees with the cited page and section."""

    occurrence: Occurrence
    page: PageWord
    section: SectionWord

    @property
    def wrongs(self) -> int:
        return (self.page == "wrong") + (self.section == "wrong")


def _check_in(claim: Claim, document: Document, policy: CitationPolicy, gold_places: Sequence[GoldPlace]) -> CitationCheck:
    page, section = read_page_claim(claim.page, document), read_section_claim(claim.section, document)
    if also := page_in(claim.section):
        page = replace(page, also=(*page.also, read_page_claim(also, document)))
    match = _locate(claim, document, page, section, policy)
    fits = [_Fit(o, _page_word_at(page, o, document), section.word_at(o.start, o.end)) for o in match.occurrences]
    # page and section must be right for one and the same occurrence: the one that agrees best, the first of several
    fit = min(fits, key=lambda fit: (fit.wrongs, fit.page not in ("right", "missing"), fit.section != "right"), default=None)
    page_word = fit.page if fit else page.word
    section_word = fit.section if fit else section.word
    if section_word == "not_in_document" and _may_be_unseen(match, page, section, document):
        section_word = "unknown"
    if section_word == "unknown" and fit and match.is_verbatim and _is_golds_own(claim, fit.occurrence, document, gold_places):
        section_word = "right"
    # the occurrence that fits the citation first
    shown = [fit.occurrence, *(o for o in match.occurrences if o != fit.occurrence)] if fit else []
    check = CitationCheck(
        claim,
        "",
        "paraphrased" if match.verdict == "open" else match.verdict,
        page_word,
        section_word,
        "right",
        True,
        pages_found=_pages(shown, document) if match.verdict != "not_found" or match.findings else (),
        sections_found=sections_at(document, shown),
        match=None if match.verdict == "missing" else round(match.similarity, 1),
        findings=match.findings,
        is_reworded=match.verdict == "open",
        found_in=document.name if shown else None,
        spans=tuple((o.start, o.end) for o in shown),
        cited_page_text="\n".join(document.page_text(number) for number in page.pages),
    )
    check = with_place(check)
    if fit is None or match.verdict == "not_found":
        return check
    return replace(check, findings=(*match.findings, *_place_findings(check, fit, page, section, document, gold_places)))


def _may_be_unseen(match: QuoteMatch, page: PageClaim, section: SectionClaim, document: Document) -> bool:
    """The quote, or the cited number, stands in text that is not shown (in a layer that is off): nobody invented that provision."""
    if any(code == "HIDDEN_TEXT" for code, _ in match.findings):
        return True
    blank = [one.number for one in document.pages if one.may_hold_marks or not one.text.strip()]
    for number, found in alternative_texts(document, [*page.pages, *blank], plain=True).items():
        shown = _numbers_of(document.page_text(number))
        unseen = [_numbers_of(one.text) for one in found if one.source == "hidden"]
        if any(words.count(one.base) > shown.count(one.base) for words in unseen for one in section.references):
            return True
    return False


def _numbers_of(text: str) -> list[str]:
    return [word.strip(".,;:()") for word in text.split()]


READ_BY_OCR = "READ_BY_OCR"


def _locate(claim: Claim, document: Document, page: PageClaim, section: SectionClaim, policy: CitationPolicy) -> QuoteMatch:
    """OCR errs in single characters: what differs from recognised text is unreadable, never altered; what is like none is invented."""
    if not _is_given(claim.quote):
        return QuoteMatch("missing")
    match = find_quote(
        document,
        str(claim.quote),
        page_hint=page.pages[0] if page.pages else None,
        lower=policy.paraphrase_lower,
        share=policy.rewording_share,
        most=policy.most_edits,
        provisions=[(clause.start, clause.end) for clause in section.clauses],
    )
    pages = [document.pages[n - 1] for n in _pages(match.occurrences, document) if 1 <= n <= len(document.pages)]
    if not (recognised := [page for page in pages if page.is_recognised]) or match.verdict == "unreadable":
        return match
    if match.is_verbatim:
        read = [page.number for page in recognised if page.is_read_by_ocr]
        detail = f"page {' and '.join(map(str, read[:2]))}: the text is recognised from the page's image"
        is_told = not read or any(code == READ_BY_OCR for code, _ in match.findings)
        return match if is_told else replace(match, verdict="normalised", findings=(*match.findings, (READ_BY_OCR, detail)))
    return replace(match, verdict="unreadable", findings=()) if match.similarity >= policy.paraphrase_lower else match


def _page_word_at(page: PageClaim, occurrence: Occurrence, document: Document) -> PageWord:
    """Unknown where the cited number stands alone at the page's edge without counting with others; or where nobody's OCR kept the page
    numbers of this scan, and it could be the printed one: a little lower."""
    place = (occurrence.pages, occurrence.start, occurrence.end)
    if (word := page.word_at(*place)) != "wrong" or page.word != "right":
        return "unknown" if word in NAMED and any(one.word_at(*place) not in NAMED for one in page.also) else word
    shown = printed_numbers(document)
    is_lost = all(document.pages[n - 1].is_recognised and n not in shown for n in occurrence.pages)
    may_be = page.may_name(*place) or (is_lost and any(0 < occurrence.pages[0] - number <= _FRONT for number in page.physical))
    return "unknown" if may_be else "wrong"


_FRONT = 12  # pages before the first numbered one (cover, contents) at most


def with_place(check: CitationCheck, *, page: str | None = None, section: str | None = None) -> CitationCheck:
    """The check with the word of its page or section as somebody has settled it."""
    page, section, quote = page or check.page, section or check.section, check.quote
    is_named = check.document not in ("imprecise", "missing")
    outcomes = {
        "exact" if quote == "missing" else quote: True,
        "unsupported": any(code in ("HIDDEN_TEXT", "DELETED_TEXT") for code, _ in check.findings),
        "fabricated_location": page == "out_of_range" or section == "not_in_document",
        "wrong_page": "wrong" in (page, section),
        "incomplete": not is_named or "missing" in (quote, page, section) or section == "imprecise",
    }
    is_doubtful = any(code == "MAYBE_HIDDEN" for code, _ in check.findings)
    if is_doubtful or "unknown" in (page, section):
        outcomes["unreadable"] = True
    outcome = min((word for word, holds in outcomes.items() if holds), key=ORDER.index)
    left = {"unreadable": is_doubtful or quote == "unreadable", "section_unknown": section == "unknown", "page_unknown": page == "unknown"}
    left |= {"paraphrase": check.is_reworded}  # nothing when the outcome is worse whatever the answer
    is_open = next((word for word, holds in left.items() if holds and ORDER.index(outcome) >= ORDER.index("unreadable")), None)
    return replace(check, page=page, section=section, outcome=outcome, open=is_open)


def _pages(occurrences: Sequence[Occurrence], document: Document) -> tuple[int, ...]:
    return () if document.paging == "none" else tuple(dict.fromkeys(page for o in occurrences for page in o.pages))


def _place_findings(
    check: CitationCheck, fit: _Fit, page: PageClaim, section: SectionClaim, document: Document, gold_places: Sequence[GoldPlace]
) -> list[Finding]:
    findings: list[Finding] = []
    place, is_page_given = fit.occurrence, _is_given(check.claim.page)
    if fit.page in ("printed", "label"):
        code = "PAGE_BY_PRINTED_NUMBER" if fit.page == "printed" else "PAGE_BY_LABEL"
        findings.append((code, f"physical page {place.pages[0]}"))
        if others := [number for number in page.physical if number in check.pages_found and number not in place.pages]:
            findings.append(("PAGE_AMBIGUOUS", f"the number is also that of physical page {others[0]}, which holds the quote too"))
    is_off = page.word == "not_applicable" and not any(low < place.end and place.start < high for low, high in page.ranges)
    if is_off and is_page_given and document.earlier_pages:
        findings.append(("PAGE_NOT_IN_FORMAT", "a Word file has no pages, and this is not the one on which Word last showed the quote"))
    if is_coarse_at(section, document, place.start, place.end):
        findings.append(("SECTION_COARSE", ", ".join(sections_at(document, (place,)))))
    if gold_places and not fit.wrongs and not any(_is_at(place, gold, document) for gold in gold_places):
        findings.append(("OTHER_LOCATION", "another place than gold's"))
    return findings


def _is_golds_own(claim: Claim, place: Occurrence, document: Document, gold_places: Sequence[GoldPlace]) -> bool:
    """Gold names the section in the same words, on a page that holds the quote: where no numbering is known, gold knows it."""
    said = str(claim.section).casefold().split()
    own = ((page, (section or "").casefold().split()) for name, page, section in gold_places if name in (None, document.name))
    return any(page in place.pages and section == said for page, section in own)


def _is_at(place: Occurrence, gold: GoldPlace, document: Document) -> bool:
    """The place is gold's own: its page and, where both can be resolved, its section."""
    name, page, section = gold
    if name is not None and name != document.name:
        return False
    if page is not None and page not in place.pages and document.paging == "physical":
        return False
    claim = read_section_claim(section, document)
    return not claim.clauses or any(holds(clause, place.start, place.end) for clause in claim.clauses)


def with_quote(check: CitationCheck, document: Document, page: int, quote: str, *findings: Finding) -> CitationCheck:
    """The check with the word of its quote as read on a physical page: "normalised", "paraphrased", "not_found", or "unreadable" where it
    may stand on another page without text. No index of the text knows which section the page shows."""
    seen = replace(check, quote=quote, is_seen=True, is_reworded=False, findings=(*check.findings, *findings))
    if quote in ("not_found", "unreadable"):
        return with_place(seen)
    seen = replace(seen, found_in=document.name, pages_found=(page,), sections_found=(), spans=(), match=None)
    is_cited = read_section_claim(check.claim.section, document).word != "missing"
    claim, start = read_page_claim(check.claim.page, document), document.page_starts[page - 1]
    return with_place(seen, page=claim.word_at((page,), start, start), section="unknown" if is_cited else "missing")
