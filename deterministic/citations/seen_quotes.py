"""A citation whose quote somebody has looked for on a page that has no text."""

from __future__ import annotations

from dataclasses import replace

from deterministic.citations.check import CitationCheck, with_place
from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.section_claims import read_section_claim
from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import Finding


def with_quote(check: CitationCheck, document: Document, page: int, quote: str, *findings: Finding) -> CitationCheck:
    """The check with the word of its quote as read on a physical page: "normalised", "paraphrased", "not_found", or "unreadable" where it
    may stand on another page without text. No index of the text knows which section the page shows."""
    seen = replace(check, quote=quote, is_seen=True, is_reworded=False, findings=(*check.findings, *findings))
    if quote in ("not_found", "unreadable"):
        return with_place(seen)
    seen = replace(seen, found_in=document.name, pages_found=(page,), sections_found=(), spans=(), match=None)
    is_cited = read_section_claim(check.claim.section, document).status != "missing"
    return with_place(seen, page=_page_word(check, document, page), section="unknown" if is_cited else "missing")


def _page_word(check: CitationCheck, document: Document, page: int) -> str:
    claim, start = read_page_claim(check.claim.page, document), document.page_starts[page - 1]
    if claim.status != "known":
        return {"lost": "wrong"}.get(claim.status, claim.status)
    return {"physical": "right", "label": "label", "printed": "printed"}.get(claim.names((page,), start, start) or "", "wrong")
