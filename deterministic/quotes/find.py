"""Locate a quote in a document and judge it: located first by key, judged second by the guarded comparison.
The order is fixed: the text as it is, without what a model wraps around a quote, with running lines, the parts of an ellipsis, the best
window, a second reading of the pages in question. "Not found" is said only after all of them, and never while a page that could hold the
quote cannot be read. Rules: design/quotes.md."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import SILENT, fold, plain_letters, silence_labels, without_struck
from deterministic.lexicon.records import record
from deterministic.quotes.edges import denied_before
from deterministic.quotes.guards import Reading
from deterministic.quotes.joins import INSERTED, find_joined
from deterministic.quotes.marks import check_marks, final_wording, read_again
from deterministic.quotes.nearly import Alike, compare_nearly
from deterministic.quotes.places import (
    Range,
    counter,
    keyed_body,
    running_line_readings,
    unbracketed_body,
    unlabelled_body,
    verbatim_readings,
    word_index,
)
from deterministic.quotes.quote_match import FULL, Finding, Occurrence, QuoteMatch, QuoteVerdict, occurrence
from deterministic.quotes.shares import farther_away
from deterministic.quotes.windows import WordIndex, candidate_windows
from deterministic.quotes.wrapping import (
    HEADED,
    barest,
    exchanged_reference,
    forms,
    is_informative,
    is_placeholder,
    reference_findings,
    without_label,
)

LONGEST = 1500
"""Characters up to which a quote is compared word by word. Of a longer one that does not stand letter for letter a rule sees whether its
beginning is in the document at all; a reader tells the rest."""

__all__ = ["Finding", "Occurrence", "QuoteMatch", "QuoteVerdict", "find_part", "find_quote"]

_NEARLY = 2.0
"""Points of similarity within which two windows count as equally good, so that one without alterations is preferred."""


@record
class Search:
    """What is asked of the search beside the quote itself. `page`: the physical page that the citation names, None when it names none.
    `provisions`: ranges of the provisions that it names. The contract's numbers: `lower`, least similarity (0..100) of a place that is like
    the quote; `share` (0..1) of a quote's content words that a place must have for it to be a rewording; `most` words that may differ in a
    nearly verbatim quote."""

    page: int | None
    provisions: tuple[Range, ...]
    lower: float
    share: float
    most: int
    is_inner: bool = False
    """The quote is a part that follows on another one."""

    def places(self, document: Document) -> tuple[Range, ...]:
        """The cited page and the cited provisions."""
        if self.page is None or not 1 <= self.page <= len(document.pages):
            return self.provisions
        start = document.page_starts[self.page - 1]
        return (*self.provisions, (start, start + len(document.pages[self.page - 1].body)))


SHARE, MOST = 0.5, 4
"""Where no contract is asked."""
_SIGNS = 12  # "...", "[—]", "(* * *)"


def find_quote(
    document: Document,
    quote: str,
    *,
    page_hint: int | None = None,
    lower: float,
    share: float = SHARE,
    most: int = MOST,
    provisions: Sequence[Range] = (),
) -> QuoteMatch:
    """Where and how well a quote stands in a document. `page_hint` and `provisions` are the physical page and the ranges of the provisions
    that the citation names; they decide which occurrences count where there are many, which pages are read a second time, whether an
    unreadable page leaves the question open, and where a rewording must have its words. `lower`, `share` and `most` are the contract's
    numbers, as in `Search`."""
    if (plain := plain_letters(quote)) != quote:  # letters that look alike are not the source's own characters
        found = find_quote(document, plain, page_hint=page_hint, lower=lower, share=share, most=most, provisions=provisions)
        return replace(found, verdict="normalised") if found.verdict == "exact" else found
    if not fold(quote) and len("".join(quote.split())) > _SIGNS:  # no quote, and none of the words that say so: a reader tells
        return QuoteMatch("open")
    if not fold(quote) or is_placeholder(quote) or not is_informative(document, quote):
        return QuoteMatch("missing")
    search = Search(page_hint, tuple(provisions), lower, share, most)
    kept = without_struck(quote)
    if kept != quote and fold(kept) and (final := _find_visible(document, kept, search)).is_verbatim:
        return final
    best = _find_visible(document, quote, search)
    if best.is_verbatim and kept != quote:  # the quote calls words struck out that are not: only a reader can tell what is meant
        return replace(best, verdict="open")
    return best if best.is_verbatim else _find_in_parts(document, quote, best, search)


def _find_visible(document: Document, quote: str, search: Search) -> QuoteMatch:
    """The quote letter for letter, in what a reader of the page sees as valid text."""
    best = check_marks(document, _find_single(document, quote, search), search.page)
    if best.is_verbatim and not any(code == "DELETED_TEXT" for code, _ in best.findings):
        return best
    return final_wording(document, barest(document, quote), search.places(document)) or best


def _find_in_parts(document: Document, quote: str, best: QuoteMatch, search: Search) -> QuoteMatch:
    inner = replace(search, is_inner=True)
    if joined := find_joined(document, quote, lambda part, is_inner: find_part(document, part, inner if is_inner else search)):
        return joined  # marks were looked for in its parts: what an ellipsis leaves out may be struck out
    return verdict_of_inexact(document, quote, best, search)


def find_part(document: Document, quote: str, search: Search) -> QuoteMatch:
    """A quote without ellipses, or one part of a quote that has them."""
    best = _find_visible(document, quote, search)
    return best if best.is_verbatim else verdict_of_inexact(document, quote, best, search)


def _find_single(document: Document, quote: str, search: Search) -> QuoteMatch:
    """The quote letter for letter: as it is, without what stands around it, with running lines, without labels of paragraphs."""
    body, is_word, within = keyed_body(document), counter(document), search.places(document)
    readings: list[Reading] = []
    for form in forms(document, quote):
        found = verbatim_readings(body, form.text, within=within, is_word=is_word, is_inner=search.is_inner)
        found = found if form.text == quote else [_unwrapped(reading, body.text, quote, form.text) for reading in found]
        readings += found
        if _has_full(found):
            match = from_readings(document, readings)
            if exchanged := exchanged_reference(document, form, match.occurrences):
                return replace(match, verdict="not_found", findings=(("ALTERED_QUOTE", exchanged),))
            beside = reference_findings(document, form.references, match.occurrences)
            return replace(match, findings=(*match.findings, *beside)) if beside else match
        if readings and len(quote) > LONGEST:
            break
    if readings and len(quote) > LONGEST:
        return from_readings(document, readings)
    plain = barest(document, quote)
    readings += running_line_readings(document, plain)
    if not _has_full(readings) and fold(bare := silence_labels(plain, is_quote=True)):
        unlabelled = unlabelled_body(document)
        found = verbatim_readings(unlabelled, bare, within=within, is_word=is_word)
        is_bare = fold(bare) == fold(plain)
        kept = [r for r in found if is_bare or _LIMB.search(unlabelled.text, max(0, r.start - 40), r.start)]
        readings += [_unwrapped(r, unlabelled.text, quote, bare) for r in kept]
    return from_readings(document, readings) if readings else QuoteMatch("not_found")


_LIMB = re.compile(rf"(?:\A|\n|[.;:,—–-]|\b(?:and|or))[\s{SILENT}“\"'(*•-]*\Z")
"""Before a place where a paragraph begins, so that the label before the quote can have been its own."""


def _unwrapped(reading: Reading, text: str, quote: str, bare: str) -> Reading:
    """The reading of a quote from which something was taken off: never exact, and altered when a negation went with it ("(a) to sell" of
    "(a) not to sell")."""
    if not fold(quote).startswith(fold(bare[:40])) and (denied := denied_before(text, reading.start)):
        return replace(reading, wording="altered", details=(denied,))
    return replace(reading, wording="normalised") if reading.wording == "exact" else reading


def _has_full(readings: Sequence[Reading]) -> bool:
    return any(reading.wording in FULL for reading in readings)


def from_readings(document: Document, readings: Sequence[Reading]) -> QuoteMatch:
    """The best verdict of several readings with the same letters and digits; the places of that verdict only."""
    if full := [reading for reading in readings if reading.wording in FULL]:
        is_exact = [r.wording == "exact" and _is_undivided(document, r.start, r.end) for r in full]
        verdict: QuoteVerdict = "exact" if any(is_exact) else "normalised"
        return _match(document, verdict, full)
    if doubtful := [reading for reading in readings if reading.wording == "doubtful"]:
        return _match(document, "open", doubtful)
    if lost := [reading for reading in readings if reading.wording == "mark_lost"]:
        return _match(document, "paraphrased", lost, (("QUOTE_MARK_LOST", "; ".join(lost[0].details)),))
    return _match(document, "not_found", readings, (("ALTERED_QUOTE", "; ".join(dict.fromkeys(readings[0].details))),))


def _match(document: Document, verdict: QuoteVerdict, readings: Sequence[Reading], findings: tuple[Finding, ...] = ()) -> QuoteMatch:
    places = tuple(occurrence(document, reading.start, reading.end) for reading in readings)
    first = readings[0]
    return QuoteMatch(verdict, places, max(r.similarity for r in readings), document.text[first.start : first.end], findings)


def _is_undivided(document: Document, start: int, end: int) -> bool:
    """No running line was taken out of the range: it lies on one page, or on pages without running lines."""
    pages = document.pages_of(start, end)
    return len(pages) == 1 or all(document.pages[n - 1].text.split() == document.pages[n - 1].body.split() for n in pages)


def verdict_of_inexact(document: Document, quote: str, best: QuoteMatch, search: Search) -> QuoteMatch:
    """The verdict on a quote that does not stand letter for letter in the document's text."""
    plain, is_doubtful = barest(document, quote), best.verdict == "open"
    if not best.occurrences:
        best = _compare(document, plain, search)
    if best.verdict == "paraphrased":
        return check_marks(document, best, search.page)
    again = None if is_doubtful else read_again(document, plain, best, search.page)  # another reading has the same running lines
    return again or _unless_unreadable(document, check_marks(document, best, search.page), search.page)


def _compare(document: Document, plain: str, search: Search) -> QuoteMatch:
    """The quote nearly verbatim, or farther away."""
    index = word_index(document)
    windows = candidate_windows(index, plain[:LONGEST])
    if len(plain) > LONGEST:
        places = [*search.places(document), *windows[:2]]
        return farther_away(document, plain[:LONGEST], QuoteMatch("not_found"), places, search.share, is_like=False)
    best, is_near = _best_window(document, index, plain, windows, search)
    if best.verdict == "normalised":
        return best
    if trimmed := [r for r in verbatim_readings(unbracketed_body(document), plain) if r.wording in FULL]:
        return _match(document, "paraphrased", trimmed)  # parentheses of the source are left out whole
    if is_near:  # an editor's [word], or a number between two pages, is no alteration that a rule could tell
        is_paged = len(best.occurrences[0].pages) > 1 and all(_A_NUMBER.fullmatch(told) for _, told in best.findings)
        is_unsure = (best.verdict == "not_found" and (INSERTED.search(plain) or is_paged)) or _is_labelled(document, plain)
        return replace(best, verdict="open", findings=()) if is_unsure else best
    is_like = best.verdict == "open" and best.similarity >= search.lower
    return farther_away(document, plain, best, [*search.places(document), *windows[:2]], search.share, is_like=is_like)


_A_NUMBER = re.compile(r"[\d/]+ added")


def _is_labelled(document: Document, quote: str) -> bool:
    """Verbatim but for a heading or a place in words before or behind it, as outputs write them: whether that alters it is a question."""
    _, text = without_label(document, quote, HEADED) or ("", "")
    rest = silence_labels(text, is_quote=True).strip(f"{SILENT} ")
    return len(rest.split()) > 2 and any(r.wording in FULL for r in verbatim_readings(keyed_body(document), rest))


_CLOSE = 90.0
"""Similarity, 0 to 100, from which an altered quote was surely taken from the place, whatever an unreadable page may hold."""


def _unless_unreadable(document: Document, best: QuoteMatch, page_hint: int | None) -> QuoteMatch:
    """Nothing is invented while a page that could hold it cannot be read. An altered quote whose place was found on the readable cited page
    (or is nearly the same) is altered whatever stands elsewhere, on that page in a picture too."""
    if best.verdict not in ("not_found", "open") or not document.unreadable_pages:
        return best
    is_cited_readable = page_hint is not None and page_hint not in document.unreadable_pages
    is_on_cited = any(page_hint in place.pages for place in best.occurrences)
    if document.is_damaged and not is_on_cited:
        return QuoteMatch("unreadable")  # what is left of a broken file need not be the page that was cited
    if best.verdict == "open" and is_cited_readable:
        return best
    if any(document.pages[number - 1].state == "garbled" for place in best.occurrences for number in place.pages):
        return replace(best, verdict="unreadable", findings=())  # of letters that are not those of the page
    is_altered = any(code == "ALTERED_QUOTE" for code, _ in best.findings) and best.similarity >= _CLOSE
    if is_altered and (page_hint is None or is_cited_readable or is_on_cited):
        return best
    return replace(best, verdict="unreadable", findings=())


def _best_window(document: Document, index: WordIndex, quote: str, windows: list[Range], search: Search) -> tuple[QuoteMatch, bool]:
    """The most similar place of the document, and whether its few edits decide."""
    for low, high in search.places(document)[-1:]:
        windows = windows + candidate_windows(index, quote, within=(low, high), most=2)
    alike: list[Alike] = []
    for low, high in _likely(index.text, quote, windows, search.lower):
        if not any(low < one.start and one.end < high and one.similarity >= search.lower for one in alike):  # else the same place again
            alike.append(compare_nearly(quote, index, low, high, search.most))
    if not alike:
        return QuoteMatch("not_found"), False
    top = max(one.similarity for one in alike)
    near = _one_a_place([one.reading for one in alike if one.similarity >= top - _NEARLY])
    best = min(near, key=lambda r: (_RANK[r.wording], -r.similarity, r.start))
    return judge_reading(document, best, search.lower), best.wording != "reworded" and best.similarity >= search.lower


_LIKELY = 3
"""Places that are compared word by word at most."""
_WITHIN = 15
"""Points of likeness, word for word, below the most alike place at which another one can still be the better one in order."""


def _likely(text: str, quote: str, windows: Sequence[Range], lower: float) -> list[Range]:
    """The places worth a comparison in order: those that share nearly as many words as the best one. Always one, if there is any."""
    words = Counter(map(fold, quote.split()))
    total = max(1, words.total())
    scored = [(100 * (words & Counter(map(fold, text[slice(*w)].split()))).total() / total, w) for w in dict.fromkeys(windows)]
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    least = max(scored[0][0] - _WITHIN, lower - 3 * _WITHIN) if scored else 0.0
    return [window for n, (score, window) in enumerate(scored[:_LIKELY]) if n == 0 or score >= least]


def _one_a_place(readings: Sequence[Reading]) -> list[Reading]:
    """Of readings of overlapping places the most similar; of equally good ones the stricter."""
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda r: (-r.similarity, -_RANK[r.wording], r.start)):
        if not any(reading.start < other.end and other.start < reading.end for other in kept):
            kept.append(reading)
    return kept


_RANK = {"exact": 0, "normalised": 0, "mark_lost": 1, "changed": 1, "glyphs": 2, "doubtful": 2, "reworded": 3, "altered": 3}


def judge_reading(document: Document, reading: Reading, lower: float) -> QuoteMatch:
    """The verdict on the most similar place; "open" where its edits do not decide."""
    details = "; ".join(dict.fromkeys(reading.details))
    if reading.similarity < lower:
        return _match(document, "not_found", [reading])
    if reading.wording in FULL:
        return _match(document, "normalised", [reading])
    if reading.wording == "glyphs":
        return _match(document, "unreadable", [reading])
    if reading.wording == "mark_lost":
        return _match(document, "paraphrased", [reading], (("QUOTE_MARK_LOST", details),))
    if reading.wording == "changed":
        return _match(document, "paraphrased", [reading], reading.findings)
    if reading.wording == "altered":
        return _match(document, "not_found", [reading], (("ALTERED_QUOTE", details),))
    return _match(document, "open", [reading])
