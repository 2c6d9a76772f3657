"""Whether a quote stands at its cited place, as far as neither the index of provisions nor printed numbers tell, and what is said of it.
A place is settled before anything is made of the citation: with the answer to `place`, its page or section is right, wrong or non-existent
as if the index had known it. A page that cannot be read is shown to a judge whose model reads pictures (`--judge-images`), one a question:
the cited page, or the only one without text; `quote_picture` says whether the quote stands there."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from calibration.words import table
from deterministic.citations.check import CitationCheck, with_place, with_quote
from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.section_claims import read_section_claim
from deterministic.documents.closer_looks import page_picture
from deterministic.documents.documents import Document
from deterministic.documents.pages import PagePicture
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict
from judge.capabilities.extracts import ROOM, page_as_printed, shortened, surroundings
from judge.records import Answer, Part, Question

MOST_PICTURES = 2  # of one question
SEEN = "READ_BY_JUDGE"
ALTERED = "ALTERED_QUOTE"


def is_refused(answer: Answer | None) -> bool:
    """Whether a question has no answer because the model takes no pictures."""
    return answer is not None and answer.error == "no_pictures"


def shown_page(context: Context, check: CitationCheck) -> tuple[Document, PagePicture] | None:
    """The page, not all text, that a citation is about, as a picture; None where pictures are off or no one page is meant."""
    name = check.found_in or check.claim.document or next(iter(context.documents), "")
    if (document := context.documents.get(name)) is None or not document.is_pictured or not check.claim.quote:
        return None
    without = [page.number for page in document.pages if not page.is_readable]
    cited = [number for number in read_page_claim(check.claim.page, document).pages if number in without]
    number = check.pages_found[0] if check.is_seen and check.pages_found else cited[0] if cited else without[0] if len(without) == 1 else 0
    picture = page_picture(document, number) if number else None
    return None if picture is None else (document, picture)


def picture_question(context: Context, check: CitationCheck) -> Question | None:
    """Whether the quote stands on the page, then whether the page is the cited section; None where neither can be asked."""
    if (check.is_seen and check.open not in ("section_unknown", "page_unknown")) or (shown := shown_page(context, check)) is None:
        return None
    quote, (document, picture) = check.claim.quote or "", shown
    if not check.is_seen:
        return replace(Question.of("quote_picture", quote=quote, page=str(picture)), pictures=(picture,))
    cited = str(check.claim.section if check.open == "section_unknown" else f"page {check.claim.page}")
    return place_on_page(document, picture, cited, quote)


def place_on_page(document: Document, picture: PagePicture, cited: str, quote: str) -> Question:
    """Whether a quote that stands on a pictured page stands at a cited place."""
    before = page_as_printed(document, picture.number - 1) if picture.number > 1 else ""
    passage = "\n\n".join([picture_note(picture), *([f"The page before it:\n{shortened(before, 2 * ROOM)}"] if before.strip() else [])])
    return replace(Question.of("place", cited=cited, quote=quote, passage=passage), pictures=(picture,))


def pictures_of(context: Context, checks: Sequence[CitationCheck]) -> tuple[PagePicture, ...]:
    """The pages on which the judge has found quotes of some citations, each once, so many as a question may show."""
    shown = [shown_page(context, check) for check in checks if check.is_seen and check.quote != "unreadable"]
    return tuple(dict.fromkeys(one[1] for one in shown if one))[:MOST_PICTURES]


def picture_note(picture: PagePicture) -> str:
    """What stands in place of a passage."""
    return f"[{picture}: it cannot all be read as text, and is shown as a picture after these texts]"


def seen_branches(context: Context, check: CitationCheck) -> dict[str, CitationCheck]:
    """What each verdict of `quote_picture` makes of a citation. A quote that is not on the page is invented only where no other page of the
    case lacks text."""
    if (shown := shown_page(context, check)) is None:
        return {}
    document, number = shown[0], shown[1].number
    others = sum(not page.is_readable for one in context.documents.values() for page in one.pages) > 1 or document.is_cut
    where = f"page {number} cannot all be read as text; the judge read it as a picture"
    return {
        "verbatim": with_quote(check, document, number, "normalised", (SEEN, where)),
        "paraphrase": with_quote(check, document, number, "paraphrased", (SEEN, where)),
        "altered": with_quote(check, document, number, "not_found", (SEEN, where), (ALTERED, "the page says something else")),
        "not_there": with_quote(check, document, number, "unreadable" if others else "not_found", (SEEN, where)),
    }


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
    if any(start < clause.end and clause.start < end for start, end in check.spans for clause in claim.clauses if claim.word == "right"):
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


def with_answered_place(context: Context, check: CitationCheck) -> CitationCheck:
    """The check with what has been answered about its place."""
    while (question := place_question(context, check)) is not None:
        answer = context.answers.get(question)
        branches = _branches(context, check)
        if answer is None or answer.verdict not in branches:
            break
        check = branches[answer.verdict]
    return check


def place_part(context: Context, check: CitationCheck, locate: Callable[[CitationCheck], Part]) -> Part:
    """What a citation's location makes of an item: `locate` of the check, or while its place is not known of each answer's check."""
    if (question := place_question(context, check)) is None:
        return locate(check)
    if is_refused(context.answers.get(question)):
        part = locate(check)
        return replace(part, reason=f"{part.reason} The judge's model takes no pictures.", answer=None)
    branches = {verdict: partial(place_part, context, one, locate) for verdict, one in _branches(context, check).items()}
    return by_verdict(context.answers, question, branches, _reason(check), RULE)


def _reason(check: CitationCheck) -> str:
    if check.open == "unreadable":
        return "The quote may stand where a page has no text."
    looked = f"page {check.claim.page}" if check.open == "page_unknown" else str(check.claim.section)
    if not check.spans:
        return f"Whether there is a place {looked} no numbering of the document tells."
    stands = [*(f"page {n}" for n in check.pages_found[:1]), *check.sections_found[:1]]
    standing = ", ".join(stands) or "a place without number or heading"
    return f"The quote stands at {standing}; whether that is {looked}, no numbering of the document tells."


_WORDS = table("judge.capabilities", "citations.toml")
_SENTENCES: dict[str, str] = _WORDS["sentences"]
FAULTS, MISPLACED = (
    {(part, word): said for part, own in _WORDS[name].items() for word, said in own.items()} for name in ("faults", "places")
)
"""What keeps a citation from being whole; where its place is another than its quote's."""


def sentence(check: CitationCheck) -> str:
    """One plain sentence: what was cited and where it stands."""
    claim = check.claim
    cited = ", ".join(str(x) for x in (claim.document, f"page {claim.page}" if claim.page not in (None, "") else None, claim.section) if x)
    around = check.sections_found[:3] or ([f"outside {claim.section}"] if check.section == "wrong" else [])
    stands = ", ".join([*(f"page {n}" for n in check.pages_found[:3]), *around])
    if check.outcome == "incomplete":
        lacking = " and ".join(said for (part, word), said in FAULTS.items() if getattr(check, part) == word) or "lacks an element"
        return f"The citation ({cited or 'a quote alone'}) {lacking}."
    if check.outcome == "not_found":
        altered = next((f"differs from the document: {detail}" for code, detail in check.findings if code == ALTERED), None)
        return f"The quote {altered or 'cannot be found in the document'} (cited: {cited})."
    return _SENTENCES[check.outcome].format(cited=cited, stands=stands or cited, elsewhere=stands or "another place")
