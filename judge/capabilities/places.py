"""Whether a quote stands at its cited place, where neither the index of provisions nor the numbers on the pages tell: the question `place`.

A place is settled before anything is made of the citation: with the answer, its page or section is right, wrong or non-existent as if the
index had known it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from deterministic.citations.check import CitationCheck, with_place
from deterministic.citations.section_claims import read_section_claim
from deterministic.citations.surroundings import page_as_printed, surroundings
from deterministic.documents.documents import Document
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict
from judge.capabilities.pictures import is_refused, picture_question, place_on_page, seen_branches, shown_page
from judge.records import Part, Question

RULE = "5.2 Wrong page or section"
_SECTION = {"at_place": "right", "beside": "wrong", "elsewhere": "wrong", "no_such_place": "not_in_document"}
_PAGE = {"at_place": "printed", "beside": "wrong", "elsewhere": "wrong", "no_such_place": "out_of_range"}


def place_question(context: Context, check: CitationCheck) -> Question | None:
    """The question for the part of a place that is not known; None where all of it is, or where there is nothing to show."""
    if check.open == "unreadable" or (check.is_seen and check.open is not None):
        return picture_question(context, check)
    document = context.documents.get(check.found_in or check.claim.document or "")
    if check.open not in ("section_unknown", "page_unknown") or document is None or not document.text.strip():
        return None
    is_section = check.open == "section_unknown"
    cited = str(check.claim.section if is_section else f"page {check.claim.page}")

    return _asked(context, check, document, cited, is_section=is_section)


def _asked(context: Context, check: CitationCheck, document: Document, cited: str, *, is_section: bool) -> Question | None:
    def shown() -> str:
        text = surroundings(document, check.spans[0] if check.spans else None, cited if is_section else None)
        page = check.claim.page
        if not is_section and isinstance(page, int) and 1 <= page <= len(document.pages):
            text += f"\n\nThe sheet that has this number in the file:\n{page_as_printed(document, page)}"
        return text

    passage = context.cached(("place", check.claim, document.name, cited), shown)
    return Question.of("place", cited=cited, quote=check.claim.quote or "", passage=passage) if passage else None


def stands_at(context: Context, check: CitationCheck, section: str) -> bool | Question | None:
    """Whether the quote of a citation stands in a section of the document in which it was found: told by rule or by an answer; the question
    where neither does; None where nobody can tell."""
    document = context.documents.get(check.found_in or "")
    if document is not None and check.is_seen and (shown := shown_page(context, check)) is not None:
        return _by_answer(context, place_on_page(*shown, section, check.claim.quote or ""))
    if document is None or not check.spans or check.quote == "unreadable":
        return None
    claim = read_section_claim(section, document)
    words = {claim.word_at(*span) for span in check.spans}
    if any(start < clause.end and clause.start < end for start, end in check.spans for clause in claim.clauses if claim.status == "found"):
        return True
    if words <= {"wrong"}:
        return False
    return _by_answer(context, _asked(context, check, document, section, is_section=True))


def _by_answer(context: Context, question: Question | None) -> bool | Question | None:
    """What was answered to a question `place`; the question where nothing was."""
    answer = context.answers.get(question) if question is not None else None
    if question is None or answer is None:
        return question
    return None if answer.verdict not in _SECTION else answer.verdict == "at_place"


def _branches(context: Context, check: CitationCheck) -> dict[str, CitationCheck]:
    if check.open == "unreadable":
        return seen_branches(context, check)
    if check.open == "section_unknown":
        return {verdict: with_place(check, section=word) for verdict, word in _SECTION.items()}
    return {verdict: with_place(check, page=word) for verdict, word in _PAGE.items()}


def settled(context: Context, check: CitationCheck) -> CitationCheck:
    """The check with what has been answered about its place."""
    while (question := place_question(context, check)) is not None:
        answer = context.answers.get(question)
        branches = _branches(context, check)
        if answer is None or answer.verdict not in branches:
            break
        check = branches[answer.verdict]
    return check


def place_part(context: Context, check: CitationCheck, locate: Callable[[CitationCheck], Part]) -> Part:
    """What a citation's location makes of an item, by the question where its place is not known. locate: of a check whose place is."""
    question = place_question(context, check)
    if question is None:
        return locate(check)
    if is_refused(context.answers.get(question)):
        part = locate(check)
        return replace(part, reason=f"{part.reason} The judge's model takes no pictures.", answer=None)
    branches = {verdict: partial(place_part, context, one, locate) for verdict, one in _branches(context, check).items()}
    return by_verdict(context.answers, question, branches, _reason(check), RULE)


def _reason(check: CitationCheck) -> str:
    """What was looked for and what was found there."""
    if check.open == "unreadable":
        return "The quote may stand where a page has no text."
    looked = f"page {check.claim.page}" if check.open == "page_unknown" else str(check.claim.section)
    pages = [f"page {n}" for n in check.pages_found[:1]]
    stands = ", ".join([*pages, *check.sections_found[:1]])
    if not check.spans:
        return f"Whether there is a place {looked} no numbering of the document tells."
    stands = stands or "a place without number or heading"
    return f"The quote stands at {stands}; whether that is {looked}, no numbering of the document tells."
