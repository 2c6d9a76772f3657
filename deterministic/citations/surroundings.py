"""Where a quote stands, as a reader with the file sees it: the printed pages with their numbers, the headings above, and where the cited
number or words stand, for the question whether a quote stands at its cited place; and a citation whose quote somebody has looked for."""

import re
from collections.abc import Iterator
from dataclasses import replace

from deterministic.citations.check import CitationCheck, with_place
from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.section_claims import read_section_claim
from deterministic.clauses.index import parse_reference
from deterministic.clauses.numerals import fold_words, number_key, spaced_pattern
from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import Finding

_BEFORE, _BEHIND = 1200, 600  # characters of the text on either side of the quote, or of the pages beside its own
_LONGEST_PAGE = 6000
_OUTLINE, _LINE, _REACH = 30, 90, 40_000  # lines of an outline, characters of each, and how far above the quote they are looked for
_PLACES, _ROOM = 4, 350  # places of the cited words, and characters of each
_NUMBERED = re.compile(
    r"^[ \t\xa0]*(?:(?:ARTICLE|Article|SECTION|Section|CLAUSE|Clause|SCHEDULE|Schedule|EXHIBIT|Exhibit|ANNEX|Annex|PART|Part|§)\s*\S+|"
    r"\d{1,3}[A-Z]?(?:\.\d{1,3})*[.)]?(?=\s+\S)|"
    r"\(\d{1,3}\)(?=\s+\S)|\(?[a-zA-Z]{1,4}[.)](?=\s+\S)|[“\"][^”\"\n]{1,60}[”\"]|[A-Z][A-Z ,&’'/-]{3,70}$)[^\n]*",
    re.M,
)

_TITLE = re.compile(r"^[ \t\xa0]*[A-Z][^\n.;:]{3,70}$", re.M)


def surroundings(document: Document, place: tuple[int, int] | None, section: str | None) -> str:
    """The quote's surroundings as printed; without a place, only where the cited words stand."""
    parts = []
    if place is not None:
        if outline := _outline(document.text[max(0, place[0] - _REACH) : place[0]], section or ""):
            parts.append("Numbered lines and headings above the quote, in order:\n" + "\n".join(outline))
        parts.append("Around the quote:\n" + "\n".join(_around(document, *place)))
    if section and (named := list(_named(document, section))):
        parts.append("Where the cited number or words stand:\n" + "\n---\n".join(named))
    return "\n\n".join(parts)


def page_as_printed(document: Document, number: int) -> str:
    """A sheet with all that is printed on it, its number in the file first."""
    return f"[sheet {number} of the file]\n{document.page_text(number).strip()[:_LONGEST_PAGE]}"


def _outline(text: str, cited: str) -> list[str]:
    """The last lines of a text that open a provision, and before them those that are words of the citation: a heading without a number."""
    lines = [(match.start(), match[0].strip()[:_LINE]) for match in _NUMBERED.finditer(text)][-_OUTLINE:]
    words = f" {fold_words(cited)} "
    named = [(m.start(), m[0].strip()) for m in _TITLE.finditer(text) if f" {fold_words(m[0])} " in words]
    return [line for _, line in sorted({*lines, *named[-_PLACES:]})]


def _around(document: Document, start: int, end: int) -> Iterator[str]:
    if document.paging == "none":
        yield document.text[max(0, start - 2 * _BEFORE) : end + 2 * _BEHIND]
        return
    pages = document.pages_of(start, end)
    first, last = pages[0], pages[-1]
    if first > 1:
        yield f"[end of sheet {first - 1} of the file]\n{document.page_text(first - 1).strip()[-_BEFORE:]}"
    yield from (page_as_printed(document, number) for number in pages[:3])
    if last < len(document.pages):
        yield f"[beginning of sheet {last + 1} of the file]\n{document.page_text(last + 1).strip()[:_BEHIND]}"


def _named(document: Document, section: str) -> Iterator[str]:
    """Places where a line begins with the cited number or words, else where they stand."""
    for reference in parse_reference(section)[:2]:
        wanted = reference.base.removeprefix("definition ").removeprefix("heading ")
        key = number_key(wanted.removeprefix("article ")) if reference.kind in ("clause", "article") else None
        words = r"\.0?".join(map(str, key)) if key and reference.kind == "clause" else spaced_pattern(wanted)
        if not words:
            continue
        found = [m.start() for m in re.finditer(rf"^\W*(?:[Ss]ection|SECTION|[Cc]lause|§)?\W*{words}(?!\w)", document.text, re.M | re.I)]
        found = found or [m.start() for m in re.finditer(rf"(?<!\w){words}(?!\w)", document.text, re.I)]
        for at in found[:_PLACES]:
            page = "" if document.paging == "none" else f"[sheet {document.pages_of(at, at + 1)[0]}] "
            yield page + document.text[at : at + _ROOM].strip()


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
