"""A document as text with pages and clauses, and the only door through which PDF files come in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, cast

from deterministic.clauses import ClauseIndex, build_index
from deterministic.pages import Page, PageState

T = TypeVar("T")

Cause = Literal["encrypted", "corrupt", "not_pdf", "too_large", "timeout", "memory", "missing"]


class DocumentError(Exception):
    """A document could not be opened; `str()` is one line that says what to do."""

    def __init__(self, name: str, cause: Cause, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.cause: Cause = cause
        self.message = message


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost before it is refused."""

    memory_bytes: int = 1 << 30
    cpu_seconds: int = 120
    wall_seconds: float = 180.0
    file_bytes: int = 300 * 1024 * 1024
    pages: int = 5000
    characters: int = 50_000_000


class Document:
    """An opened document. Immutable for its users; built by `open_document` or, without a PDF, by `from_pages`."""

    __slots__ = ("_memo", "has_labels", "name", "notices", "page_starts", "pages", "path", "sha256", "text", "unreadable_pages")

    def __init__(self, name: str, sha256: str, pages: Sequence[Page], *, path: Path | None = None, notices: Sequence[str] = ()) -> None:
        self.name = name
        self.sha256 = sha256
        self.path = path
        self.pages = tuple(pages)
        self.notices = tuple(notices)
        self.text = "\n".join(page.body for page in self.pages)
        starts, offset = [], 0
        for page in self.pages:
            starts.append(offset)
            offset += len(page.body) + 1
        self.page_starts = tuple(starts)
        self.has_labels = any(page.label for page in self.pages)
        self.unreadable_pages = tuple(page.number for page in self.pages if page.state != "text")
        self._memo: dict[Hashable, object] = {}

    @property
    def is_readable(self) -> bool:
        """Every page could be read (and there is at least one)."""
        return bool(self.pages) and not self.unreadable_pages

    @property
    def clauses(self) -> ClauseIndex:
        return self.cached("clauses", lambda: build_index(self.text, self.page_starts))

    def page_at(self, offset: int) -> int:
        """Physical page that holds the character at `offset` of `text`; offsets outside go to the first or last page. 0 without pages."""
        return max(bisect_right(self.page_starts, offset), min(1, len(self.pages)))

    def pages_of(self, start: int, end: int) -> tuple[int, ...]:
        """Physical pages that the range [start, end) touches."""
        return tuple(range(self.page_at(start), self.page_at(max(start, end - 1)) + 1))

    def page_text(self, number: int) -> str:
        """Full text of a physical page, running lines included; "" when there is no such page."""
        return self.pages[number - 1].text if 1 <= number <= len(self.pages) else ""

    def cached(self, key: Hashable, build: Callable[[], T]) -> T:
        """The value of `build()`, computed once per document and key."""
        if key not in self._memo:
            self._memo[key] = build()
        return cast(T, self._memo[key])

    @classmethod
    def from_pages(cls, name: str, texts: Sequence[str], *, labels: Sequence[str] = (), states: Sequence[PageState] = ()) -> Document:
        """A document without a PDF: one text a page. Missing labels are "", missing states "text"."""
        from deterministic.running_lines import strip_running_lines

        bodies, printed = strip_running_lines(texts)
        pages = [
            Page(
                number=n + 1,
                text=text,
                body=bodies[n],
                label=labels[n] if n < len(labels) else "",
                printed=printed[n],
                state=states[n] if n < len(states) else "text",
            )
            for n, text in enumerate(texts)
        ]
        return cls(name, "", pages)


def open_document(path: Path, *, cache_dir: Path | None = None, limits: Limits = Limits()) -> Document:
    """Read a PDF file. Raises `DocumentError`."""
    import hashlib

    import pymupdf

    from deterministic.running_lines import strip_running_lines

    path = Path(path)
    if not path.is_file():
        raise DocumentError(path.name, "missing", "no such file")
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        pdf = pymupdf.open(path)
    except Exception as error:
        raise DocumentError(path.name, "corrupt", f"cannot be read as PDF ({error})") from None
    if not pdf.is_pdf:
        raise DocumentError(path.name, "not_pdf", "is not a PDF")
    if pdf.needs_pass:
        raise DocumentError(path.name, "encrypted", "is encrypted; remove the password")
    texts = [page.get_text() for page in pdf]
    labels = [page.get_label() for page in pdf]
    bodies, printed = strip_running_lines(texts)
    pages = [Page(n + 1, t, b, la, p) for n, (t, b, la, p) in enumerate(zip(texts, bodies, labels, printed, strict=True))]
    return Document(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), pages, path=path)
