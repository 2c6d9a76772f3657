"""What a model puts around the words that it quotes: escapes, references before and behind, headings, and words that are no quote at all.
Rules: design/quotes.md."""

import re
from collections.abc import Iterator

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import fold, unwrap
from deterministic.lexicon.phrases import FINITE_VERBS, FUNCTION_WORDS, PLACEHOLDERS
from deterministic.lexicon.records import record
from deterministic.quotes.places import counter
from deterministic.quotes.quote_match import Finding, Occurrence
from deterministic.quotes.tokens import tokenize

_LABELS = r"(?:\s?\([A-Za-z0-9]{1,4}\))"
_NUMBER = rf"\d{{1,3}}[A-Za-z]?(?:\.\d{{1,3}})*{_LABELS}*"
_OWN_NUMBER = rf"(?:\d{{1,3}}(?:\.\d{{1,3}})+{_LABELS}*|\d{{1,3}}{_LABELS}+|\d{{1,3}}(?=[.:)]\s))"
_WORD = r"(?i:clauses?|cl\.|sections?|sec\.|§{1,2}|articles?|art\.|schedules?|exhibits?|annex|appendix|paragraphs?|para\.?|definition)"
_PAGE = r"(?i:p{1,2}\.|pg\.?|pages?|page no\.?)\s?\d{1,4}"
_REFERENCE = rf"(?:{_WORD}\s?(?:{_NUMBER}|[A-Z]|[IVXL]+)(?:\s?\([^()]{{2,60}}\))?|{_PAGE})"
_LEADING = re.compile(
    rf"[\s“\"'*_>#\[(]*(?:(?P<reference>{_REFERENCE}(?:\s?,\s?{_REFERENCE})*)|(?P<number>{_OWN_NUMBER})(?=[.:)\]]*\s+[“\"A-Z(])|\[(?P<note>\d{{1,3}})\])"
    r"[\s.:,;)\]*_–—-]*(?=\S)"
)
"""Matches "Section 6.6. ", "6.1(b) The", "(p. 12) ", "[1] "; not "30 days", "2.50:1", "5 Business Days"."""
_TRAILING = re.compile(
    rf"[\s*_]*(?:[(\[–—-]\s*(?i:see\s+|source:\s*)?(?:(?P<reference>{_REFERENCE}(?:\s?[,;]\s?{_REFERENCE})*)|(?P<number>\d{{1,3}}(?:\.\d{{1,3}})+{_LABELS}*))"
    r"\s*[)\]]?|\[\^?(?P<note>\d{1,3})\])[\s.”\"'*_]*\Z"
)
"""Matches " (Section 2.1)", " [Clause 5.1(a)]", " (p. 12)", "[1]", " - Clause 2.3"; not "thirty (30)"."""


@record
class Form:
    """A quote without something around it. `references`: what was taken off."""

    text: str
    references: tuple[str, ...] = ()


_ENOUGH = 400
"""Characters of a quote in which an informative word is looked for, and at its ends in which a reference is."""
_LONGEST_PLACEHOLDER = 200
_WORDS = re.compile(r"[^\W_]+")

_LONGEST_WORD = 30
"""Letters from which one word is several without their spaces."""


def is_placeholder(quote: str) -> bool:
    """Words that say that there is no quote: N/A, not found, "Not provided in this section"."""
    return len(quote) < _LONGEST_PLACEHOLDER and PLACEHOLDERS.fullmatch(" ".join(_WORDS.findall(quote.casefold()))) is not None


def is_informative(document: Document, quote: str) -> bool:
    """It has at least one whole name, noun or verb, or a number that says what it counts; one word alone is one of the document."""
    text = unwrap(quote[:_ENOUGH])
    tokens = tokenize(text)
    for token in tokens:
        is_long = len(token.folded) > 2 or not token.folded.isascii()
        says_something = token.kind in ("word", "name") and token.folded not in FUNCTION_WORDS and is_long
        if says_something and (len(tokens) > 1 or len(token.folded) > _LONGEST_WORD or counter(document)(token.folded)):
            return True
        if token.kind in ("currency", "unit", "party", "month", "opposite", "standard") and len(token.folded) > 2:
            return True
    numbers = [token for token in tokens if token.kind == "number"]
    return any(len(token.folded) > 3 or token.bracket in ("figure", "square") for token in numbers) or (bool(numbers) and len(tokens) > 1)


def forms(document: Document, quote: str) -> Iterator[Form]:
    """The quote as it is, then without more and more of what stands around it."""
    yield Form(quote)
    plain = unwrap(quote)
    if fold(plain) and plain != quote:
        yield Form(plain)
    trimmed = _trimmed(document, Form(plain))
    if trimmed.text != plain:
        yield trimmed


def barest(document: Document, quote: str) -> str:
    """The quote without escapes and references, for comparing it word by word."""
    return _trimmed(document, Form(unwrap(quote))).text


def _trimmed(document: Document, form: Form) -> Form:
    """Without references before and behind; nothing is taken off that would leave less than three words. A number without a word like
    "Clause" must be that of a provision of the document."""
    text, references = form.text, list(form.references)
    for pattern, is_leading in ((_LEADING, True), (_TRAILING, False), (_TRAILING, False)):
        match = pattern.match(text) if is_leading else pattern.search(text, max(0, len(text) - _ENOUGH))
        if match is None:
            continue
        rest = text[match.end() :] if is_leading else text[: match.start()]
        is_own = not match["number"] or document.clauses.find(match["number"]).status in ("found", "imprecise")
        if is_own and len(rest.split()) >= 3 and fold(rest):
            text = rest
            references += [one for one in (match["reference"], match["number"]) if one]
    if named := without_label(document, text, _NAMED):
        place, rest = named
        is_short = len(place.split()) <= _MOST_WORDS and not FINITE_VERBS.intersection(map(fold, place.split()))
        if is_short and len(rest.split()) >= 3:
            return Form(rest, (*references, place))
    return Form(text, tuple(references))


def without_label(document: Document, text: str, label: re.Pattern[str]) -> tuple[str, str] | None:
    """The place of the document that stands before or behind a text, and the text without it; None where no label names one."""
    if (found := label.match(text) or label.search(text, max(0, len(text) - _ENOUGH))) is None:
        return None
    place = found[0].strip(" \t\n*_>#[]().:–—”\"'")
    return (place, text[: found.start()] + text[found.end() :]) if document.clauses.find(place).status == "found" else None


_PLACE = r"\b(?:clauses?|sections?|schedules?|parts?|articles?|annex|exhibits?|recitals?|preamble|parties|definitions?|signatures?|cover)\b"
_NAMED = re.compile(
    rf"^[\s*_>#]*\[(?=[^\]]*{_PLACE})[^\[\]\n]{{3,80}}\]\s+|^(?=[^:]*{_PLACE})[^:;\n“\"]{{3,80}}:\s+"
    rf"|[\s*_]*[(\[](?=[^)\]]*{_PLACE})[^()\[\]\n]{{3,80}}[)\]][\s.*_]*$",
    re.I,
)
"""Matches "Recital 2: ", "[Part I of Schedule 2] " and " (definition of Margin in Clause 1.1)", " (Parties)"."""
HEADED = re.compile(r"^[^:.\n“”\"]{2,80}(?:[:.–—]\s|\n)\s*|^\s*[\[(][^\[\]()]{2,80}[\])]\s*|\s*[\[(][^\[\]()]{2,80}[\])][\s.”\"'*_]*$")
"""Matches any words that may be a heading: "Interest Periods. ", "Amendment\\n", "(Margin) "."""
_MOST_WORDS = 10
"""Words of a place that is named in words; a sentence that mentions a provision has a verb."""


def reference_findings(document: Document, references: tuple[str, ...], places: tuple[Occurrence, ...]) -> tuple[Finding, ...]:
    """A finding for every reference around the quote that names another place than the one where the quote stands."""
    others = (one for one in references if _contradicts(document, one, places))
    return tuple(("QUOTE_REFERENCE", f"{one} stands beside a quote of another place") for one in others)


_BEFORE_PLACE = re.compile(rf"(?P<reference>{_REFERENCE})\s*\Z")


def exchanged_reference(document: Document, form: Form, places: tuple[Occurrence, ...]) -> str:
    """How the reference in front of a quote differs from the one in front of all its places, in words, where it is the subject of that
    sentence and no label ("Section 5.4 shall not apply" of "Section 5.3 shall not apply"); "" where it does not, or is a label."""
    told = next(iter(form.references), "")
    if not told or not form.text[:1].islower() or not _contradicts(document, told, places):
        return ""
    before = [_BEFORE_PLACE.search(document.text, max(0, place.start - 60), place.start) for place in places]
    names = [found["reference"] for found in before if found is not None]
    return f"the quote says {told}, the document {names[0]}" if names and len(names) == len(before) else ""


def _contradicts(document: Document, reference: str, places: tuple[Occurrence, ...]) -> bool:
    if page := re.search(rf"{_PAGE}", reference, re.I):
        number = re.findall(r"\d+", page[0])[-1]
        pages = [document.pages[n - 1] for place in places for n in place.pages if 1 <= n <= len(document.pages)]
        return not any(number in (str(page.number), *page.printed, page.label) for page in pages)
    if re.fullmatch(r"\W*\d{1,3}\W*", reference):
        return False
    resolution = document.clauses.find(reference)
    if resolution.status not in ("found", "imprecise"):
        return resolution.status == "not_in_document"
    return not any(clause.start < place.end and place.start < clause.end for clause in resolution.clauses for place in places)
