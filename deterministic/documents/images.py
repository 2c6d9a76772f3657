"""Image files (TIFF, PNG, JPEG) as pages of a document, without a text layer, as those of a scan. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pymupdf

from deterministic.documents.kinds import ReadingError, files_of
from deterministic.documents.pages import CUT

_ENDS_EARLY = re.compile(r"premature end|unexpected end|truncated|not enough|corrupt", re.I)
_PREVIEW = 20  # dots per inch at which a page is drawn to see whether its image is whole


class Images:
    """The frames of one image file, or of the files of a folder one after the other. Raises `ReadingError` for a file that is no image."""

    def __init__(self, path: str) -> None:
        self._files = [_open(file) for file in files_of(Path(path))]
        self._frames = [(file, number) for file in self._files for number in range(file.page_count)]
        self.page_count = len(self._frames)

    def load_page(self, number: int) -> pymupdf.Page:
        """A page, from 0."""
        file, frame = self._frames[number]
        page: pymupdf.Page = file.load_page(frame)
        return page

    def close(self) -> None:
        for file in self._files:
            file.close()


def _open(file: Path) -> pymupdf.Document:
    try:
        return pymupdf.open(str(file))
    except Exception as error:
        if is_memory(error):
            raise MemoryError from None
        raise ReadingError("corrupt", f"the image {file.name} cannot be read ({one_line(error)})") from None


def parse_images(path: str, *, pages: int) -> dict[str, Any]:
    """As `parsed_document.parse`: pages that show something and have no text. A frame that ends early may hide what stood on it."""
    images = Images(path)
    try:
        if images.page_count > pages:
            raise ReadingError("too_large", f"has {images.page_count} pages, more than the limit of {pages}")
        broken = [number for number in range(images.page_count) if not _is_whole(images, number)]
    finally:
        images.close()
    return {
        "paging": "physical",
        "pages": [["", None, "", [], "scan", ""] for _ in range(images.page_count)],
        "earlier": [],
        "clauses": [],
        "listed": [],
        "notices": [*(f"damaged: the image of page {number + 1} ends early" for number in broken[:20]), *([CUT] if broken else [])],
    }


def _is_whole(images: Images, number: int) -> bool:
    try:
        pymupdf.TOOLS.reset_mupdf_warnings()
        images.load_page(number).get_pixmap(dpi=_PREVIEW)
    except Exception as error:
        if is_memory(error):
            raise MemoryError from None
        return False
    return not _ENDS_EARLY.search(pymupdf.TOOLS.mupdf_warnings())


def is_memory(error: BaseException) -> bool:
    """An allocation failed: the library says so in words, whatever the class of its exception."""
    words = str(error).casefold()
    return isinstance(error, MemoryError) or "alloc" in words or "memory" in words


def one_line(error: BaseException) -> str:
    """What an exception says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
