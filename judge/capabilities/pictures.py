"""Pages that cannot be read as text, shown to a judge whose model reads pictures (`--judge-images`): one page a question.

Which page: the cited one, or, where the citation names none that lacks text, the only one of the document. The question `quote_picture`
says whether the quote stands there; what hangs on it (its section, whether it supports a value) is asked with the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deterministic.citations.check import CitationCheck
from deterministic.citations.page_claims import read_page_claim
from deterministic.citations.passages import ROOM, shortened
from deterministic.citations.seen_quotes import with_quote
from deterministic.citations.surroundings import page_as_printed
from deterministic.documents.closer_looks import page_picture
from deterministic.documents.documents import Document
from deterministic.documents.pages import PagePicture
from judge.capabilities.context import Context
from judge.records import Answer, Question

MOST_PICTURES = 2  # of one question
SEEN = "READ_BY_JUDGE"
ALTERED = "ALTERED_QUOTE"


def is_refused(answer: Answer | None) -> bool:
    """Whether a question has no answer because the model takes no pictures."""
    return answer is not None and answer.error == "no_pictures"


def shown_page(context: Context, check: CitationCheck) -> tuple[Document, PagePicture] | None:
    """The page, not all text, that a citation is about, as a picture; None where pictures are off or no one page is meant."""
    name = check.found_in or check.claim.document or next(iter(context.documents), "")
    document = context.documents.get(name)
    if document is None or not document.is_pictured or not check.claim.quote:
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
    passage = "\n\n".join([told(picture), *([f"The page before it:\n{shortened(before, 2 * ROOM)}"] if before.strip() else [])])
    question = Question.of("place", cited=cited, quote=quote, passage=passage)
    return replace(question, pictures=(picture,))


def pictures_of(context: Context, checks: Sequence[CitationCheck]) -> tuple[PagePicture, ...]:
    """The pages on which the judge has found quotes of some citations, each once, so many as a question may show."""
    shown = [shown_page(context, check) for check in checks if check.is_seen and check.quote != "unreadable"]
    return tuple(dict.fromkeys(one[1] for one in shown if one))[:MOST_PICTURES]


def told(picture: PagePicture) -> str:
    """What stands in place of a passage."""
    return f"[{picture}: it cannot all be read as text, and is shown as a picture after these texts]"


def seen_branches(context: Context, check: CitationCheck) -> dict[str, CitationCheck]:
    """What each verdict of `quote_picture` makes of a citation.

    A quote that is not on the page is invented only where no other page of the case lacks text.
    """
    shown = shown_page(context, check)
    if shown is None:
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
