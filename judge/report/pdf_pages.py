"""Texts, images and rectangles of the documents of a run, for reports and the label page; a file that is gone is no error."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from deterministic.documents.closer_looks import page_image, quote_rectangles
from deterministic.documents.documents import Document, DocumentError, PageImage, open_document
from deterministic.documents.ocr import Ocr
from judge.inputs.documents import ocr_of
from judge.printing import say
from judge.results.reading import Results

DPI = 100
_PART = 4000  # characters
_KEPT_DOCUMENTS = 64


@dataclass(eq=False)
class PdfPages:
    """Documents of one folder by bare file name; every method gives None or nothing for one that cannot be read. hashes: name -> SHA-256 as
    judged; a file that changed since is not shown. ocr: how pages without text are recognised, as where places were found; was_recognised:
    they were, so that without it a document with such pages is not shown: every place behind them would be another."""

    folder: Path
    cache_dir: Path | None
    hashes: Mapping[str, str] = field(default_factory=dict)
    _: KW_ONLY
    ocr: Ocr | None = None
    was_recognised: bool = False

    def __post_init__(self) -> None:
        self._open = lru_cache(maxsize=_KEPT_DOCUMENTS)(self._read)
        self.left_out: dict[str, str] = {}

    def _read(self, name: str) -> Document | None:
        if not name or Path(name).name != name or name in (".", ".."):
            return None
        path = self.folder / name
        if path.is_symlink() and not path.resolve().is_relative_to(self.folder.resolve()):
            return None
        try:
            document = open_document(path, cache_dir=self.cache_dir, ocr=self.ocr)
        except DocumentError as error:
            self.left_out[name] = str(error)
            return None
        if name in self.hashes and document.sha256 != self.hashes[name]:
            self.left_out[name] = f"{name}: is another file than the one that was judged"
            return None
        if self.was_recognised and self.ocr is None and document.unreadable_pages:
            self.left_out[name] = f"{name}: has pages that the run recognised; Tesseract, which is not here, is needed to show it"
            return None
        return document

    def text(self, name: str) -> str | None:
        """The text that spans point into."""
        document = self._open(name)
        return None if document is None else document.text

    def text_parts(self, name: str) -> Sequence[tuple[int, int]]:
        """(start, end) of the parts in which the text of a document without pages (Word, plain text) is shown; none for one with pages."""
        if (document := self._open(name)) is None or document.paging != "none":
            return ()
        ends, text = [0], document.text
        while ends[-1] < len(text):
            ends.append(text.rfind("\n", ends[-1] + _PART // 2, ends[-1] + _PART) + 1 or min(ends[-1] + _PART, len(text)))
        return tuple(pairwise(ends))

    def page_count(self, name: str) -> int:
        """Number of physical pages, 0 when the file cannot be read or has none."""
        document = self._open(name)
        return 0 if document is None or document.paging == "none" else len(document.pages)

    def leaf(self, name: str, page: int) -> PageImage | None:
        """The image of a physical page (1-based)."""
        if (document := self._open(name)) is None or document.path is None or not 1 <= page <= self.page_count(name):
            return None
        try:
            return page_image(document.path, page, dpi=DPI)
        except DocumentError:
            return None

    def rectangles(self, name: str, start: int, end: int) -> Sequence[tuple[int, float, float, float, float]]:
        """(page, x0, y0, x1, y1) of a range of the text, in points from the top left."""
        document = self._open(name)
        return () if document is None else quote_rectangles(document, start, end)

    def find(self, name: str, quote: str, page: int | None) -> Sequence[tuple[int, int]]:
        """Where a quote stands, those on the given page first; nothing for one that has no verbatim place."""
        from deterministic.quotes.find import find_quote

        if (document := self._open(name)) is None or not quote:
            return ()
        match = find_quote(document, quote, page_hint=page, lower=100)
        found = [o for o in match.occurrences if match.verdict in ("exact", "normalised")]
        return [(o.start, o.end) for o in sorted(found, key=lambda o: page not in o.pages)]


def pages_of_run(results: Results, documents: Path | None, cache_dir: Path | None) -> PdfPages | None:
    """The documents that a run was judged on: from `documents` or the folder that run.json names; None when it is not there."""
    named = results.run.get("documents_folder")
    if (folder := documents or (Path(str(named)) if named else None)) is None:
        return None
    if not folder.is_dir():
        say(f"{folder} is not there: no page of a document can be shown; give --documents")
        return None
    hashes, identity = results.run.get("documents"), results.run.get("identity")
    was_recognised = isinstance(identity, Mapping) and bool(identity.get("OCR"))
    ocr = ocr_of("auto", cache_dir.parent) if was_recognised and cache_dir else None
    return PdfPages(folder, cache_dir, hashes if isinstance(hashes, Mapping) else {}, ocr=ocr, was_recognised=was_recognised)
