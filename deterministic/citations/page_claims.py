"""What the page of a citation means: the physical page, a printed number, or a PDF label. Rules: judging.md section 1.2 (A12)."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Literal

from deterministic.pdf.documents import Document

Naming = Literal["physical", "label", "printed"]

UNOPENED = "unopened"
"""The notice of a document that stands for a file which could not be opened: nobody knows how many pages it has."""

_WORDED = re.compile(r"^(?:(?:at\s+)?(?:pages?|pgs?|pp?)\b\.?|page\s+no\.?)\s*(.+)$", re.I | re.S)
_NUMBER = re.compile(r"^[+]?(-?\d+)(?:\.0+)?(?:\s*(?:of|/)\s*\d+)?$")
_RANGE = re.compile(r"^(\d+)\s*(?:-|–|—|to|and|&|,)\s*(\d+)$", re.I)
_BETWEEN_DASHES = re.compile(r"^[-–—]\s*(\w+)\s*[-–—]$")
_LONGEST_RANGE = 5


@dataclass(frozen=True, slots=True)
class PageClaim:
    """The pages that a claim can mean, by the way it names them.

    `status`: "missing" (nothing usable is given), "out_of_range" (no page under any reading), "known".
    """

    status: Literal["missing", "out_of_range", "known"]
    physical: tuple[int, ...] = ()
    label: tuple[int, ...] = ()
    printed: tuple[int, ...] = ()

    @property
    def pages(self) -> tuple[int, ...]:
        """Every page it can mean, physical reading first."""
        return tuple(dict.fromkeys((*self.physical, *self.label, *self.printed)))

    def names(self, pages: tuple[int, ...]) -> Naming | None:
        """The first reading, physical, label, printed, under which it names one of `pages`."""
        readings: tuple[tuple[Naming, tuple[int, ...]], ...] = (
            ("physical", self.physical),
            ("label", self.label),
            ("printed", self.printed),
        )
        return next((naming for naming, meant in readings if set(meant) & set(pages)), None)


def read_page_claim(claim: int | str | None, document: Document) -> PageClaim:
    """The pages of `document` that a citation's `page` can mean."""
    text = _plain(claim)
    if not text:
        return PageClaim("missing")
    if UNOPENED in document.notices:
        return PageClaim("known", tuple(page.number for page in document.pages))
    labels = _labelled(document, text)
    numbers = _numbers(text)
    if not numbers:
        printed = tuple(n for n, shown in printed_numbers(document).items() if shown.casefold() == text.casefold())
        if labels or printed:
            return PageClaim("known", (), labels, printed)
        return PageClaim("out_of_range" if document.has_labels else "missing")
    physical = tuple(n for n in numbers if 1 <= n <= len(document.pages))
    labels = tuple(dict.fromkeys([*labels, *(page for n in numbers for page in _labelled(document, str(n)))]))
    shown = printed_numbers(document)
    printed = tuple(page for n in numbers for page in shown if shown[page] == str(n))
    is_known = bool(physical or labels or printed)
    return PageClaim("known" if is_known else "out_of_range", physical, labels, printed)


def _plain(claim: int | str | None) -> str:
    if claim is None or isinstance(claim, bool):
        return ""
    text = " ".join(str(claim).split())
    match = _WORDED.match(text)
    return _BETWEEN_DASHES.sub(r"\1", match[1] if match else text).strip(" .,;()[]")


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of "14", "14 of 60" or "14-15"; none for a label."""
    if (match := _NUMBER.match(text)) and len(match[1]) < 10:
        return (int(match[1]),)
    if match := _RANGE.match(text):
        first, last = int(match[1]), int(match[2])
        if first <= last < first + _LONGEST_RANGE:
            return tuple(range(first, last + 1))
    return ()


def _labelled(document: Document, text: str) -> tuple[int, ...]:
    return tuple(page.number for page in document.pages if page.label and page.label.casefold() == text.casefold())


def printed_numbers(document: Document) -> dict[int, str]:
    """Printed number of each physical page that has one; a gap between two pages of one count is filled (a number lost in a scan)."""
    return document.cached("citations: printed numbers", lambda: _fill_gaps({page.number: page.printed for page in document.pages}))


def _fill_gaps(printed: dict[int, str]) -> dict[int, str]:
    known = {number: int(shown) for number, shown in printed.items() if shown.isdecimal() and len(shown) < 7}
    filled = {number: str(known.get(number, shown)) for number, shown in printed.items()}
    numbers = sorted(known)
    for before, after in itertools.pairwise(numbers):
        if known[after] - known[before] == after - before:
            for number in range(before + 1, after):
                filled[number] = filled[number] or str(known[before] + number - before)
    return {number: shown for number, shown in filled.items() if shown}
