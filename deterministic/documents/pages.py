"""One page of a document as plain text: the noun that travels from the PDF reader to everything above it."""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from deterministic.lexicon.records import record

DAMAGED = "damaged:"
"""Beginning of the notices of a file that is broken."""
UNOPENED = "unopened"
"""The notice of a document that stands for a file which could not be opened: nobody knows how many pages it has."""
CUT = "damaged: parts of it are missing, pages may be lost"
Paging = Literal["physical", "none"]
PageState = Literal["text", "empty", "garbled", "scan"]


@record
class Page:
    """A physical page. `state` says whether the text can be trusted: only "text" is readable. A page with nothing or only rules and borders
    on it is "text" too (there is nothing to misread) unless its file is damaged; "empty" is a page that shows something but has no text
    layer, "scan" an image with little or no text, "garbled" a text layer whose characters are not those that a reader sees."""

    number: int
    """Physical number, from 1."""
    text: str
    """Stored reading order, with running lines. Raised digits are written as superscripts (1.10² on the page is never 1.102)."""
    body: str
    """`text` without running lines (header, footer, page number, stamps), so that sentences join across page breaks."""
    label: str = ""
    """PDF page label ("xiv"), "" when the file has none."""
    printed: tuple[str, ...] = ()
    """Every page number printed on it ("14", "A-5"), the outermost first; a stamp's and a browser's count beside the document's own."""
    state: PageState = "text"
    notes: str = ""
    """What the page could hold beside its plain text, as `page_notes` writes it; only such pages are looked at closely."""

    @property
    def is_readable(self) -> bool:
        """All that a reader sees on it is text: no scan, no picture and no outlined letters beside it, unless OCR read them. Of a page
        whose content is torn, no OCR reads what was lost."""
        return self.state == "text" and "l" not in self.notes and ("p" not in self.notes or self.is_read_by_ocr)

    @property
    def may_hold_marks(self) -> bool:
        """Struck-out or hidden characters are possible."""
        return "m" in self.notes

    @property
    def may_read_otherwise(self) -> bool:
        """Another reading may give other words in another order, not only stray letters."""
        return "o" in self.notes or self.state != "text"

    @property
    def is_recognised(self) -> bool:
        """Its text is OCR of the page's image, this program's or somebody else's, which errs in single characters."""
        return "r" in self.notes

    @property
    def is_read_by_ocr(self) -> bool:
        """This program recognised it, since it had no text to trust."""
        return "t" in self.notes


@dataclass(frozen=True, slots=True)
class AlternativeText:
    """A second reading of a page."""

    source: str
    """"sorted", "columns", "unclipped", "form field", "annotation" or "pypdfium2"."""
    text: str


MarkKind = Literal["struck", "hidden", "doubtful"]


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    start: int
    end: int
    kind: MarkKind


@record
class MarkedText:
    """The full text of a page with the characters that a reader does not see as valid text."""

    text: str
    """Equal to the page's `text`."""
    spans: tuple[MarkedSpan, ...]
    """In order, not overlapping; offsets into `text`. "struck": crossed out. "hidden": invisible, white, tiny or covered; "doubtful": that
    cannot be told."""


LONGEST, MOST_BYTES, PIXELS_A_TOKEN = 1_600, 1_500_000, 750
"""Of a picture that is sent to a model: pixels of its longest side, bytes, and pixels that are taken for a token."""
MOST_TOKENS = -(-LONGEST * LONGEST // PIXELS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is sent to a model. number: physical page; kind: png or jpeg; width, height: pixels."""

    number: int
    kind: str
    width: int
    height: int
    data: bytes = field(repr=False)

    @property
    def sha256(self) -> str:
        """Of its bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def tokens(self) -> int:
        """Tokens that it is taken to cost: one for each 750 pixels or part of them."""
        return -(-self.width * self.height // PIXELS_A_TOKEN)

    def __str__(self) -> str:
        return f"page {self.number}, {self.width} x {self.height} pixels, sha256 {self.sha256[:32]}"


@dataclass(frozen=True, slots=True)
class PageImage:
    png: bytes
    width: int
    """Pixels."""
    height: int
    page_width: float
    """Points, so that a rectangle's place in the image is x / page_width * width."""
    page_height: float
