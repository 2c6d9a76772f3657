"""What of the documents goes into a report: page images with the quote's rectangles, the passage around it, and the altered words.
Items that need attention come first; the budget bounds the images, so a report of any size stays openable."""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from judge.records import Item, Provenance
from judge.report.wording import OUTCOME_ORDER

if TYPE_CHECKING:
    from deterministic.documents.documents import PageImage
    from judge.report.pdf_pages import PdfPages

Rectangle = tuple[int, float, float, float, float]
Role = Literal["cited", "found", "both"]
Op = Literal["=", "-", "+"]
_EDGES = "\"'“”‘’«»().,;:[]{}"
_WORD = re.compile(r"\S+")
_QUOTE_MOST, _CHANGES_MOST, _AROUND, _RECTANGLES_MOST = 3000, 12, 180, 60
_CONTEXTS_MOST = 2000
_VIEWED_MOST = 800  # citations shown on their page: finding the rectangles of one costs 5 ms, more on a busy machine
VERBATIM = frozenset({"exact", "normalised"})  # what differs there is punctuation at the ends, or what the folding rules allow


@dataclass(frozen=True, slots=True)
class View:
    """One page shown for a citation. marks: (kind, page rectangle) with kind "hit" or "changed"."""

    document: str
    page: int
    role: Role
    marks: tuple[tuple[str, Rectangle], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Text around a quote; `changes` word by word when quote and document differ."""

    before: str
    found: str
    after: str
    changes: tuple[tuple[Op, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cuts:
    """passages and views by (item number, citation number); leaves by (document, page), in order of need."""

    passages: dict[tuple[int, int], Passage] = field(default_factory=dict)
    views: dict[tuple[int, int], tuple[View, ...]] = field(default_factory=dict)
    leaves: dict[tuple[str, int], PageImage] = field(default_factory=dict)


def attention_order(items: Sequence[Item]) -> list[int]:
    """Item numbers, worst outcome first, otherwise as given."""
    return sorted(range(len(items)), key=lambda n: OUTCOME_ORDER.index(items[n].outcome))


def cut_pages(items: Sequence[Item], pages: PdfPages, budget: int) -> Cuts:
    """Passages and page images for a bounded set of items. budget: bytes of images as they stand in the file (base64)."""
    cuts, left, contexts, viewed = Cuts(), budget, _CONTEXTS_MOST, _VIEWED_MOST
    for number in attention_order(items):
        for index, cited in enumerate(items[number].citations):
            if contexts > 0 and (passage := passage_of(cited, pages)) is not None:
                cuts.passages[number, index] = passage
                contexts -= 1
            if left > 0 and viewed > 0 and (views := views_of(cited, pages)):
                left -= _add_leaves(cuts, views, pages)
                cuts.views[number, index] = tuple(v for v in views if (v.document, v.page) in cuts.leaves)
                viewed -= 1
        if contexts <= 0 and (left <= 0 or viewed <= 0):
            break
    return cuts


def _add_leaves(cuts: Cuts, views: Iterable[View], pages: PdfPages) -> int:
    spent = 0
    for view in views:
        key = view.document, view.page
        if key not in cuts.leaves and (leaf := pages.leaf(*key)) is not None:
            cuts.leaves[key] = leaf
            spent += len(leaf.png) * 4 // 3
    return spent


def passage_of(cited: Provenance, pages: PdfPages) -> Passage | None:
    """What stands at the place of a quote, with its surroundings; None when it is not there or the document is gone."""
    text = pages.text(cited.document) if cited.spans and cited.document else None
    if text is None:
        return None
    start, end = cited.spans[0][0], min(cited.spans[-1][1], cited.spans[0][0] + _QUOTE_MOST)
    found = text[start:end]
    quote = cited.claim.quote[:_QUOTE_MOST]
    changes = word_changes(quote, found) if quote and cited.quote not in VERBATIM and _words(quote) != _words(found) else ()
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    whole = before[before.find(" ") + 1 :] if len(before) == _AROUND else before  # it begins with a whole word
    return Passage(_flat(whole), _flat(found), _flat(after).rstrip(), changes)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def word_changes(quote: str, found: str) -> tuple[tuple[Op, str], ...]:
    """The quote against the document, word by word: "=" in both, "-" only in the quote, "+" only in the document."""
    a, b = _words(quote), _words(found)
    changes: list[tuple[Op, str]] = []
    for tag, i, j, k, m in _opcodes(a, b):
        sides: tuple[tuple[Op, list[str]], ...] = (("=", a[i:j]),) if tag == "equal" else (("-", a[i:j]), ("+", b[k:m]))
        changes += [(op, " ".join(words)) for op, words in sides if words]
    return tuple(changes)


def _opcodes(quote: Sequence[str], found: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The differing words; punctuation around a word and letter case are no difference that a reader must see marked."""
    return difflib.SequenceMatcher(None, [_bare(w) for w in quote], [_bare(w) for w in found], autojunk=False).get_opcodes()


def _bare(word: str) -> str:
    return word.casefold().strip(_EDGES) or word


def views_of(cited: Provenance, pages: PdfPages) -> tuple[View, ...]:
    """The cited page and, when the quote stands on another one, that page too; marks only where the quote stands."""
    place = _found_view(cited, pages)
    claimed = _claimed_page(cited, pages, place)
    if place is None:
        return (View(cited.claim.document, claimed, "cited"),) if claimed else ()
    if claimed in (None, place.page) and cited.claim.document in ("", place.document):
        return (View(place.document, place.page, "both", place.marks),)
    return (View(cited.claim.document, claimed, "cited"), place) if claimed else (place,)


def _claimed_page(cited: Provenance, pages: PdfPages, place: View | None) -> int | None:
    """The physical page that the claim names; a printed number or label that is right names the page where the quote stands."""
    count = pages.page_count(cited.claim.document)
    if cited.page in ("printed", "label") and place is not None:
        return place.page
    digits = re.fullmatch(r"\s*(?:p\.?|page)?\s*(\d{1,6})\s*", str(cited.claim.page), re.IGNORECASE)
    number = int(digits.group(1)) if digits else 0
    return number if 1 <= number <= count else None


def _found_view(cited: Provenance, pages: PdfPages) -> View | None:
    """The page of the span that lies on the cited page, else of the first span."""
    if not cited.spans or not cited.document:
        return None
    by_span = [(span, pages.rectangles(cited.document, *span)) for span in cited.spans[:8]]
    if not (shown := [(span, found) for span, found in by_span if found]):
        return None
    span, found = next(((s, f) for s, f in shown if str(f[0][0]) == str(cited.claim.page).strip()), shown[0])
    page = found[0][0]
    marks = [("hit", r) for r in found if r[0] == page]
    marks += [("changed", r) for r in _changed_rectangles(cited, span, pages) if r[0] == page]
    return View(cited.document, page, "found", tuple(marks[:_RECTANGLES_MOST]))


def _changed_rectangles(cited: Provenance, span: tuple[int, int], pages: PdfPages) -> list[Rectangle]:
    text, quote = pages.text(cited.document), cited.claim.quote
    if text is None or not quote or len(quote) > _QUOTE_MOST or cited.quote in VERBATIM:
        return []
    words = list(_WORD.finditer(text[span[0] : span[1]]))
    opcodes = _opcodes(_words(quote), [w.group() for w in words])
    changed = [(k, m) for tag, _, _, k, m in opcodes if tag != "equal" and m > k]
    ranges = [(span[0] + words[k].start(), span[0] + words[m - 1].end()) for k, m in changed[:_CHANGES_MOST]]
    return [r for start, end in ranges for r in pages.rectangles(cited.document, start, end)]


def encoded(leaf: PageImage) -> str:
    """The image as base64 text."""
    return base64.b64encode(leaf.png).decode("ascii")
