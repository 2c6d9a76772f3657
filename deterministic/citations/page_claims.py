"""What the page of a citation means: the physical page, a printed number, or a PDF label. Rules: design/places.md (A12)."""

import itertools
import re
from dataclasses import dataclass
from typing import Literal

from deterministic.clauses.numerals import number_key
from deterministic.documents.documents import Document
from deterministic.documents.page_numbers import EDGE
from deterministic.documents.pages import UNOPENED

PageWord = Literal["right", "printed", "label", "wrong", "missing", "out_of_range", "unknown", "not_applicable"]
"""The page of a citation; "out_of_range": no page under any reading; "unknown": the quote stands on a page whose printed number somebody's
OCR has left out, or on one that the file has lost; "not_applicable": the document has no pages."""

_WORDED = re.compile(
    r"^(?:at\s+|on\s+)?(?:the\s+)?(?:pdf\s+)?(?:(?:pages?|pgs?|pp?)\b\.?|p(?=\d)|s\.(?=\s))\s*(?:no\.?|number)?\s*[:#]?\s*(.+)$",
    re.I | re.S,
)
"""Matches "Page 14", "p2", "pp. 3-4", "PDF page: 10", "S. 2"; not "Part 2" nor "signature page"."""
_NUMBER = re.compile(r"^[+#]?\s*(-?\d+)(?:\.0+)?$")
_NTH = re.compile(r"^(\w+?)(?:st|nd|rd|th)?\s+page$", re.I)
_RANGE = re.compile(r"^(\d{1,9})\s*(?:-|–|—|to)\s*(\d{1,9})$", re.I)
_PARTED = re.compile(
    r"\s*(?:[(\[/,;&]|\b(?:and|of)\b)\s*(?:(?:printed|pdf|file|physical|labell?ed|numbered|as|pages?|pgs?|p)\b\.?\s*)*", re.I
)
"""Between two pages, or two numbers of one: "195 (printed 192", "12 (PDF page 15", "iv / 6", "3, 90", "12, 13 and 14"."""
_BETWEEN_DASHES = re.compile(r"^[-–—]\s*(\w+)\s*[-–—]$")
_TOTAL = re.compile(r"\w+\s*(?:of|/)\s*\d+", re.I)
NAMED: tuple[PageWord, ...] = ("right", "label", "printed")
_LONGEST_RANGE = 5
_LONG = re.compile(r"(?<!\d)(?=\d{10})0*(\d{1,9})\d*")  # nine digits tell as well as all of them that no document has such a page


@dataclass(frozen=True, slots=True)
class PageClaim:
    """The pages that a claim can mean, by the way it names them. `word`: without a place of the quote; "right" where it names a page,
    "unknown" where the file's printed numbers jump over it."""

    word: PageWord
    physical: tuple[int, ...] = ()
    label: tuple[int, ...] = ()
    printed: tuple[int, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    """Ranges of the text that were the page of this number in an earlier print, or when Word last laid the text out."""
    unsure: tuple[int, ...] = ()
    """Pages at whose edge the number stands alone, though it belongs to no numbering that was recognised."""
    unsure_ranges: tuple[tuple[int, int], ...] = ()
    """Ranges that may have been that page: where nothing tells whether a number stood at the head or at the foot of its page."""
    also: tuple["PageClaim", ...] = ()
    """What else the citation says of its page, each a claim of its own."""

    @property
    def pages(self) -> tuple[int, ...]:
        """Every page it can mean, physical reading first."""
        return tuple(dict.fromkeys((*self.physical, *self.label, *self.printed)))

    def word_at(self, pages: tuple[int, ...], start: int, end: int) -> PageWord:
        """The page's word for a quote on `pages`, at [start, end) of the text: that of the first reading which names one of them."""
        if self.word != "right":
            return "wrong" if self.word == "unknown" else self.word
        readings: dict[PageWord, tuple[int, ...]] = {"right": self.physical, "label": self.label, "printed": self.printed}
        named = next((word for word, meant in readings.items() if set(meant) & set(pages)), None)
        return named or ("printed" if any(low < end and start < high for low, high in self.ranges) else "wrong")

    def may_name(self, pages: tuple[int, ...], start: int, end: int) -> bool:
        """It could be one of `pages`, or a part of [start, end) of the text."""
        return bool(set(self.unsure) & set(pages)) or any(low < end and start < high for low, high in self.unsure_ranges)


_IN_SECTION = re.compile(
    r"\b(?:pages?|pgs?|pp?)\b\.?\s*(?:no\.?\s*)?(\d+(?:\s*[-–—]\s*\d+)?(?:\s+of\s+\d+)?|[ivxlc]{1,6}\b)(?!\.?\d)|\bp(\d+)\b",
    re.I,
)


def page_in(section: str | None) -> str | None:
    """The page that a section names along ("Page 2, Clause 2.1"), None for none."""
    match = _IN_SECTION.search(section or "")
    return (match[1] or match[2]) if match else None


def read_page_claim(claim: int | str | None, document: Document) -> PageClaim:
    """The pages of `document` that a citation's `page` can mean. Words that name no page ("N/A", "cover") are none given."""
    text = _plain(claim)
    if document.paging == "none":
        return PageClaim("not_applicable", ranges=_named_ranges(document, {text.casefold(), *map(str, _numbers(text))}, is_sure=True))
    if not text:
        return PageClaim("missing")
    if UNOPENED in document.notices:
        return PageClaim("right", tuple(page.number for page in document.pages))
    named = _members(text, document)
    numbers = tuple(number for one in named for number in _numbers(one))
    spellings = {text.casefold(), *(one.casefold() for one in named), *map(str, numbers)}
    by_label, by_number = document.cached("citations: names of pages", lambda: _named_pages(document))
    labels, printed = (tuple(sorted({page for one in spellings for page in pages.get(one, ())})) for pages in (by_label, by_number))
    physical = tuple(n for n in numbers if 1 <= n <= len(document.pages) or (document.is_cut and n > 0))
    ranges, unsure_ranges = (_named_ranges(document, spellings, is_sure=is_sure) for is_sure in (True, False))
    at_edges = document.cached("citations: numbers at edges", lambda: _numbers_at_edges(document))
    unsure = tuple(page for n in numbers for page in at_edges.get(n, ()))
    if physical or labels or printed or ranges or unsure or unsure_ranges:
        also = tuple(read_page_claim(one, document) for one in named if one != text)
        return PageClaim("right", physical, labels, printed, ranges, unsure, unsure_ranges, also)
    if set(numbers) & set(document.missing_pages):
        return PageClaim("unknown")
    if numbers and document.earlier_pages:  # an earlier print had pages beyond those that are known
        known = document.earlier_pages
        return PageClaim("right", unsure_ranges=((0, known[0][0]), (max(end for _, end, *_ in known), len(document.text))))
    return PageClaim("out_of_range" if numbers or _is_like_a_label(text, document) else "missing")


def _members(text: str, document: Document) -> list[str]:
    """The pages that a text names one by one ("7, 9", "7 / 8"), without a total that the document has ("14 of 60", "14/60" of 60 pages)."""
    named = [one for one in _PARTED.split(text)[: _LONGEST_RANGE + 1] if one]
    last = read_page_claim(named[-1], document) if _TOTAL.fullmatch(text) else PageClaim("wrong")
    return named[:1] if last.word == "right" and ("/" not in text or len(document.pages) in last.pages) else named


def _named_pages(document: Document) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Physical pages by label and by printed number, case folded."""
    labels: dict[str, list[int]] = {}
    printed: dict[str, list[int]] = {}
    for page in document.pages:
        labels.setdefault(page.label.casefold(), []).append(page.number)
    labels.pop("", None)
    for number, shown in printed_numbers(document).items():
        for one in shown:
            printed.setdefault(one.casefold(), []).append(number)
    return labels, printed


_EDGE_NUMBER = re.compile(r"(?:^\W*|(?<=\s))(\d{1,4})(?=\W*$)|(?<!\S)(?:[-–—]\s?(\d{1,4})\s?[-–—]|Page\s(\d{1,4}))(?!\S)", re.I)


def _numbers_at_edges(document: Document) -> dict[int, list[int]]:
    """Physical pages by the numbers that open or close one of their outermost lines."""
    found: dict[int, list[int]] = {}
    for page in document.pages:
        lines = [line for line in page.text.split("\n") if line.strip()]
        for match in (match for line in {*lines[:EDGE], *lines[-EDGE:]} for match in _EDGE_NUMBER.finditer(line)):
            found.setdefault(int(match[match.lastindex or 0]), []).append(page.number)
    return found


def _named_ranges(document: Document, spellings: set[str], *, is_sure: bool) -> tuple[tuple[int, int], ...]:
    return tuple((a, b) for a, b, number, sure in document.earlier_pages if sure is is_sure and number.casefold() in spellings)


def _is_like_a_label(text: str, document: Document) -> bool:
    """A label of a shape that this document's pages have ("F-9", "xiv"): it claims a page, which is not there."""
    shape, *shapes = (re.sub(r"\d+", "#", one.casefold()) for one in (text, *(page.label for page in document.pages if page.label)))
    return ("#" in shape and shape in shapes) or (document.has_labels and number_key(text) is not None)


def _plain(claim: int | str | None) -> str:
    if claim is None or isinstance(claim, bool):
        return ""
    text = " ".join(str(claim).split()).strip(" .,;()[]")
    match = _WORDED.match(text)
    return _BETWEEN_DASHES.sub(r"\1", match[1] if match else text).strip(" .,;()[]")


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of "14", "2nd page", "two" or "14-15"; none for a label."""
    if nth := _NTH.match(text):
        text = nth[1]
    text = _LONG.sub(r"\1", text)
    if match := _NUMBER.match(text):
        return (int(match[1]),)
    if match := _RANGE.match(text):
        first, last = int(match[1]), int(match[2])
        if first <= last < first + _LONGEST_RANGE:
            return tuple(range(first, last + 1))
    if len(text) > 2 and len(key := number_key(text) or ()) == 1 and not set(text.casefold()) <= set("ivxlc"):
        return key
    return ()


def printed_numbers(document: Document) -> dict[int, tuple[str, ...]]:
    """Printed numbers of each physical page that has any; gaps in a count are filled (a number lost in a scan or on a first page)."""
    return document.cached("citations: printed numbers", lambda: _fill_gaps({page.number: page.printed for page in document.pages}))


def _fill_gaps(printed: dict[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Every offset between printed and physical numbers that two pages share counts for the pages between them."""
    filled = {number: list(shown) for number, shown in printed.items()}
    offsets: dict[int, list[int]] = {}
    for number, shown in printed.items():
        for one in shown:
            if one.isdecimal() and len(one) < 7:
                offsets.setdefault(int(one) - number, []).append(number)
    for offset, numbers in offsets.items():
        for before, after in itertools.pairwise(sorted(set(numbers))):
            for number in range(before + 1, after):
                if not any(one.isdecimal() for one in printed[number]) or after - before <= 3:
                    filled[number].append(str(number + offset))
    return {number: tuple(dict.fromkeys(shown)) for number, shown in filled.items() if shown}
