"""Hidden and struck-out text: what a reader of the page does not see, or sees as deleted, supports nothing.
It is looked for only on the pages that a quote touches. Rules: design/quotes.md."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from deterministic.documents.closer_looks import alternative_texts, struck_or_hidden
from deterministic.documents.documents import Document, MarkedSpan
from deterministic.lexicon.folding import SILENT, fold
from deterministic.quotes.guards import Reading
from deterministic.quotes.places import KeyedText, Range, full_text, verbatim_readings, word_index
from deterministic.quotes.quote_match import FULL, Finding, Occurrence, QuoteMatch, occurrence
from deterministic.quotes.windows import candidate_windows

_FURTHER = 10
_LABEL = re.compile(r"\s*\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,2})[.)]\s*")
"""A struck-out label of a paragraph, beside the one that it has now: no wording."""
_CODES = {"hidden": "HIDDEN_TEXT", "struck": "DELETED_TEXT", "doubtful": "MAYBE_HIDDEN"}
_SAID = {"hidden": "hidden", "struck": "struck-out", "doubtful": "possibly hidden"}


def marked_ranges(document: Document, page: int) -> tuple[MarkedSpan, ...]:
    """Marked stretches of a page, as offsets into the document's text; those of running lines are left out."""
    return document.cached(("quotes: marked", page), lambda: tuple(_in_text(document, page)))


_ALL_STRUCK, _PAGES_ASKED = 0.9, 8
"""Share of a page's characters from which on all of it is struck out, and pages that tell whether a file is."""


def is_struck_throughout(document: Document) -> bool:
    """A file that is struck out from end to end is no redline (a filing marks whole columns so): its text is read as living."""

    def build() -> bool:
        told = [page.number for page in document.pages if page.text.strip()]
        asked = told[:: max(1, len(told) // _PAGES_ASKED)]
        return bool(asked) and all(_struck_share(document, number) > _ALL_STRUCK for number in asked)

    return document.cached("quotes: struck throughout", build)


def _struck_share(document: Document, page: int) -> float:
    found = struck_or_hidden(document, page)
    struck = sum(len(found.text[span.start : span.end].split()) for span in found.spans if span.kind == "struck")
    return struck / max(1, len(found.text.split()))


STRUCK_THROUGHOUT = "STRUCK_THROUGHOUT"
_TOLD = "a line runs through all text of this file; it is read as valid: see whether the file is a deleted version"


def _is_read_as_living(document: Document, page: int) -> bool:
    return _struck_share(document, page) > _ALL_STRUCK and is_struck_throughout(document)


def _in_text(document: Document, page: int) -> Iterator[MarkedSpan]:
    spans = struck_or_hidden(document, page).spans
    if _is_read_as_living(document, page):
        spans = tuple(span for span in spans if span.kind != "struck")
    if spans:
        full = full_text(document)
        base = full.page_offset(page)
        ranges = [(full.range(base + span.start, base + span.end), span.kind) for span in spans]
        yield from (MarkedSpan(start, end, kind) for (start, end), kind in ranges if start < end)


def check_marks(document: Document, match: QuoteMatch, page_hint: int | None) -> QuoteMatch:
    """A found quote without the places at which it leans on hidden or struck-out characters; a finding when there is no other place. Looked
    at are the places on the cited page, else the first one, and further ones only while none is clean."""
    if match.verdict in ("not_found", "unreadable", "missing") or not match.occurrences or document.path is None:
        return match
    cited = [place for place in match.occurrences if page_hint in place.pages]
    rest = [place for place in match.occurrences if page_hint not in place.pages]
    looked_at = cited or rest[:1]
    marked = {place: kind for place in looked_at if (kind := _kind(document, place))}
    if len(marked) == len(looked_at):
        for place in [place for place in rest if place not in marked][:_FURTHER]:
            if (kind := _kind(document, place)) is None:
                break
            marked[place] = kind
    if not marked:
        is_told = any(code == STRUCK_THROUGHOUT for code, _ in match.findings)
        is_living = not is_told and any(_is_read_as_living(document, number) for place in looked_at for number in place.pages)
        return replace(match, findings=(*match.findings, (STRUCK_THROUGHOUT, _TOLD))) if is_living else match
    if clean := tuple(place for place in match.occurrences if place not in marked):
        return replace(match, occurrences=clean, window=document.text[clean[0].start : clean[0].end])
    kind = next(iter(marked.values()))
    page = "" if document.paging == "none" else f"page {match.occurrences[0].pages[0]}: "
    detail = f"{page}only {_SAID[kind]} characters give the quote"
    return replace(match, findings=(*match.findings, (_CODES[kind], detail)))


def _kind(document: Document, place: Occurrence) -> str | None:
    """The kind of mark on a letter or digit of the place, None when there is none."""
    for number in place.pages:
        for span in marked_ranges(document, number):
            low, high = max(span.start, place.start), min(span.end, place.end)
            words = document.text[low:high]
            if low < high and fold(words) and not (span.kind == "struck" and _LABEL.fullmatch(words)):
                return span.kind
    return None


_LIKE = 50.0
"""Similarity below which a place has nothing of the quote: with struck-out words in between it would still have more."""

_CLEAR = 90.0
_BLANK = 50  # pages without any text that are looked at


def read_again(document: Document, quote: str, best: QuoteMatch, page_hint: int | None) -> QuoteMatch | None:
    """The quote in another reading of the cited page, its neighbours, or the pages of the best window; None when it stands in none."""
    pages = pages_in_question(document, best, page_hint)
    is_altered = best.similarity >= _CLEAR and any(code == "ALTERED_QUOTE" for code, _ in best.findings)
    found = _in_alternatives(document, quote, pages, best.similarity < _LIKE)
    # two readings of one page contradict each other (2.75 with a raised 2 read as 2.752): which one it shows only a reader can tell
    if found and is_altered and found.findings[0][0] != "HIDDEN_TEXT":
        return replace(found, verdict="open", occurrences=best.occurrences)
    return found


def pages_in_question(document: Document, best: QuoteMatch, page_hint: int | None) -> list[int]:
    """The cited page, where something like the quote stands the pages of that place, and those that show no text, whose text can be in a
    layer that is off; physical numbers that exist."""
    wanted = [] if page_hint is None else [page_hint]
    if best.similarity >= _LIKE or page_hint is None:
        wanted += [page for place in best.occurrences[:2] for page in place.pages]
    wanted += [page.number for page in document.pages if page.state == "text" and not page.text.strip()][:_BLANK]
    return [page for page in dict.fromkeys(wanted) if 1 <= page <= len(document.pages)]


def final_wording(document: Document, quote: str, places: Sequence[Range]) -> QuoteMatch | None:
    """A redlined copy runs deleted and new words together: a quote of the final wording leaves the deleted ones out and is right. `places`:
    where the citation says that it stands. The pages of the likeliest places are read without their struck-out words, each together with
    the pages onto which the quote can run over."""
    if not any(page.may_hold_marks for page in document.pages):
        return None
    index = word_index(document)
    windows = candidate_windows(index, quote)[:2]
    windows += [window for place in places for window in candidate_windows(index, quote, within=place, most=1)]
    runs = dict.fromkeys(document.pages_of(max(0, low - len(quote)), high + len(quote)) for low, high in windows)
    spans = sorted({(r.start, r.end) for run in runs for r in _in_final_text(document, quote, run) if r.wording in FULL})
    found = tuple(occurrence(document, *span) for span in spans)
    return QuoteMatch("normalised", found, 100.0, document.text[slice(*spans[0])]) if found else None


def _in_final_text(document: Document, quote: str, pages: Sequence[int]) -> list[Reading]:
    """The readings of the quote on pages that follow one another, struck-out words left out; none where nothing is struck out."""
    if not (struck := [span for number in pages for span in marked_ranges(document, number) if span.kind == "struck"]):
        return []
    base = document.page_starts[pages[0] - 1]

    def build() -> KeyedText:
        text = document.text[base : document.page_starts[pages[-1] - 1] + len(document.pages[pages[-1] - 1].body)]
        for low, high in ((span.start - base, span.end - base) for span in struck):
            text = text[:low] + SILENT * (high - low) + text[high:]
        return KeyedText.of(text)

    keyed = document.cached(("quotes: final", *pages), build)
    return [replace(r, start=base + r.start, end=base + r.end) for r in verbatim_readings(keyed, quote)]


def _in_alternatives(document: Document, quote: str, pages: list[int], is_unlike: bool) -> QuoteMatch | None:
    """`is_unlike`: nothing like the quote stands there, so on a plain page single letters read otherwise would not help."""
    plain = [number for number in pages if is_unlike and not document.pages[number - 1].may_read_otherwise]
    rest = [number for number in pages if number not in plain]
    texts = {**alternative_texts(document, plain, plain=True), **alternative_texts(document, rest)}
    for number in pages:
        for alternative in texts.get(number, ()):
            if alternative.source == "hidden" and document.pages[number - 1].state == "garbled":
                continue  # where letters are not those of the page, no text proves to be hidden
            keyed = document.cached(("quotes: second", number, alternative.source), lambda text=alternative.text: KeyedText.of(text))  # type: ignore[misc]
            found = next((reading for reading in verbatim_readings(keyed, quote) if reading.wording in FULL), None)
            if found is not None:
                start = document.page_starts[number - 1]
                low, high = _anchored(document.pages[number - 1].body, alternative.text, found.start)
                place = Occurrence(start + low, start + high, (number,))
                return QuoteMatch("normalised", (place,), 100.0, quote, (_finding(number, alternative.source),))
    return None


_ANCHORS = (60, 40, 25, 14)
"""Characters of another reading by which a place of it is found in the page's own text, the surest first."""


def _anchored(body: str, text: str, at: int) -> tuple[int, int]:
    """Where in a page's body a place of another reading of it stands: by the words there, else by those before it; else the whole page."""
    for size in _ANCHORS:
        behind, before = text[at : at + size].split("\n")[0], text[max(0, at - size) : at].strip().split("\n")[-1]
        for words, is_before in ((behind, False), (before, True)):
            place = body.find(words) if len(words) > _ANCHORS[-1] // 2 else -1
            if place >= 0 and body.find(words, place + 1) < 0:
                start = place + len(words) if is_before else place
                return min(start, max(0, len(body) - 1)), min(start + 1, len(body))
    return 0, len(body)


def _finding(number: int, source: str) -> Finding:
    if source == "hidden":
        return "HIDDEN_TEXT", f"page {number}: only text that is not shown on the page gives the quote"
    if source == "layers":
        return "MAYBE_HIDDEN", f"page {number}: only a reader that shows every layer gives the quote"
    return "SECOND_READING", f"page {number}: {source}"
