"""A document as text with pages and clauses, and the only way in which files become one: PDF, Word files, images of pages.
No document is ever opened in this process: a child process reads it within limits (`parsing`), and what it found is plain data that is kept
by content hash (`document_cache`)."""

import hashlib
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from deterministic.clauses.clause import Clause
from deterministic.documents import document_cache
from deterministic.documents.kinds import TRACKED, Cause, ReadingError, files_of, kind_of
from deterministic.documents.ocr import Ocr, recognised_texts
from deterministic.documents.page_numbers import Reach, missing_numbers
from deterministic.documents.page_states import has_common_words, language_of
from deterministic.documents.pages import CUT, DAMAGED, AlternativeText, MarkedSpan, MarkedText, Page, PageImage, PageState, Paging
from deterministic.documents.parsing import Worker, shared_worker
from deterministic.documents.running_lines import find_running_lines, starts_of
from deterministic.lexicon.folding import plain_letters

if TYPE_CHECKING:
    from deterministic.clauses.index import ClauseIndex

__all__ = [
    "AlternativeText", "Cause", "Clause", "Document", "DocumentError", "Limits", "MarkedSpan", "MarkedText", "Page", "PageImage",
    "PageState", "open_document", "open_documents",
]  # fmt: skip

T = TypeVar("T")

BEGINNING = 20_000  # characters


class DocumentError(Exception):
    """A document could not be opened; `str()` is one line that names the file and says what is wrong with it."""

    def __init__(self, name: str, cause: Cause, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.cause: Cause = cause
        self.message = message

    def __reduce__(self) -> "tuple[type[DocumentError], tuple[str, Cause, str]]":
        return DocumentError, (self.name, self.cause, self.message)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost before it is refused."""

    memory_bytes: int = 1 << 30
    """Address space of the process that reads it."""
    cpu_seconds: int = 120
    wall_seconds: float = 180.0
    file_bytes: int = 300 * 1024 * 1024
    pages: int = 5000
    characters: int = 50_000_000


DEFAULT_LIMITS = Limits()


class Document:
    """An opened document. Immutable for its users; built by `open_document` or, without a file, by `from_pages`. A document without pages
    (`paging` "none": a Word file) is one text, which stands as the first of its `pages`."""

    def __init__(
        self,
        name: str,
        sha256: str,
        pages: Sequence[Page],
        *,
        path: Path | None = None,
        notices: Sequence[str] = (),
        clause_rows: Sequence[Sequence[Any]] | None = None,
        listed: Sequence[str] = (),
        earlier_pages: Sequence[Reach] = (),
        ocr: Ocr | None = None,
        paging: Paging = "physical",
        cache_dir: Path | None = None,
    ) -> None:
        self.name = unicodedata.normalize("NFC", name)  # as people type it: macOS writes an accent apart
        self.paging: Paging = paging
        self.sha256 = sha256
        self.path = path
        self.cache_dir = cache_dir
        """Where second readings of its pages are kept; None for nowhere."""
        self.ocr = ocr
        """How unreadable pages are recognised when a quote may stand on them; None for not at all."""
        self.is_pictured = False
        """Whether pages that cannot be read as text are shown to the judge as pictures; set by who opens it."""
        self.pages = tuple(map(_with_plain_letters, pages))
        self.notices = tuple(notices)
        self.earlier_pages = tuple(earlier_pages)
        """Ranges of the text that were a page of an earlier print, or of Word when it last laid the text out."""
        self.text = "\n".join(page.body for page in self.pages)
        self.page_starts = tuple(starts_of([page.body for page in self.pages])[:-1])
        self.has_labels = any(page.label for page in self.pages)
        self.is_damaged = any(notice.startswith(DAMAGED) for notice in self.notices)
        """The file is broken and was rebuilt; what it lost is unknown."""
        self.is_cut = CUT in self.notices
        """Pages behind the last one may be lost."""
        unreadable = [page.number for page in self.pages if not page.is_readable]
        self.unreadable_pages = (*unreadable, *([len(self.pages) + 1] if self.is_cut else []))
        """Physical numbers; of a file that was cut the first number behind its last page stands for all that is lost."""
        self._memo: dict[Hashable, object] = {}
        self._clause_rows = clause_rows
        self._listed = tuple(listed)

    @property
    def is_readable(self) -> bool:
        """Every page could be read (and there is at least one), none of them by OCR: what it misread proves nothing to be missing."""
        return bool(self.pages) and not self.unreadable_pages and not any(page.is_recognised for page in self.pages)

    @property
    def is_tracked(self) -> bool:
        """It holds tracked changes, which are read as accepted."""
        return any(notice.startswith(TRACKED) for notice in self.notices)

    @property
    def kind(self) -> str:
        """What it is to whoever reads it: Word, PDF, or scan where most pages are pictures or were recognised by OCR."""
        if self.paging == "none":
            return "Word"
        pictured = self.cached("pictured", lambda: sum(page.is_recognised or page.state != "text" for page in self.pages))
        return "scan" if 2 * pictured > len(self.pages) else "PDF"

    @property
    def language(self) -> str:
        """The language of its text, by the beginning of it."""
        return self.cached("language", lambda: language_of(self.text[:BEGINNING]))

    @property
    def missing_pages(self) -> tuple[int, ...]:
        """Printed numbers of pages that are not in the file: the numbers at the edges of its pages jump over them."""
        return self.cached("missing pages", lambda: missing_numbers([page.printed for page in self.pages]))

    @property
    def clauses(self) -> "ClauseIndex":
        """The index of its provisions, made when first asked for."""

        def build() -> "ClauseIndex":
            from deterministic.clauses.index import ClauseIndex, build_index  # many patterns, for a run that judges

            if self._clause_rows is None:
                return build_index(self.text, self.page_starts)
            return ClauseIndex(self.text, [Clause(*row) for row in self._clause_rows], self._listed)

        return self.cached("clauses", build)

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
    def from_pages(cls, name: str, texts: Sequence[str], *, labels: Sequence[str] = (), states: Sequence[PageState] = ()) -> "Document":
        """A document without a PDF: one text a page. Missing labels are "", missing states "text"."""
        running = find_running_lines(texts)
        bodies = running.bodies(texts)
        label, state = dict(enumerate(labels)), dict(enumerate(states))
        pages = [Page(n + 1, text, bodies[n], label.get(n, ""), running.printed[n], state.get(n, "text")) for n, text in enumerate(texts)]
        return cls(name, "", pages, earlier_pages=running.earlier_pages(texts))


def _with_plain_letters(page: Page) -> Page:
    text = plain_letters(page.text)
    return page if text == page.text else replace(page, text=text, body=plain_letters(page.body))


def open_document(path: Path, *, cache_dir: Path | None = None, limits: Limits = DEFAULT_LIMITS, ocr: Ocr | None = None) -> Document:
    """Reads a file, from the cache when it was read before. Raises `DocumentError`, never anything else for a bad file."""
    return _open(Path(path), cache_dir, limits, shared_worker(limits.memory_bytes), ocr)


def open_documents(
    paths: Sequence[Path], *, cache_dir: Path | None = None, limits: Limits = DEFAULT_LIMITS, processes: int = 2, ocr: Ocr | None = None
) -> dict[str, Document | DocumentError]:
    """Several files at once, by file name, in the order given; a file that cannot be opened gives its error as value. `processes` workers
    read in parallel (1 or more) and stay for all files, so that their start is paid once."""
    paths = [Path(path) for path in paths]
    count = max(1, min(processes, len(paths)))
    with ThreadPoolExecutor(count) as pool:
        workers = [shared_worker(limits.memory_bytes)] + [Worker(limits.memory_bytes) for _ in range(count - 1)]
        free: SimpleQueue[Worker] = SimpleQueue()
        for worker in workers:
            free.put(worker)

        def opened_or_not(path: Path) -> Document | DocumentError:
            worker = free.get()
            try:
                return _open(path, cache_dir, limits, worker, ocr)
            except DocumentError as error:
                return error
            finally:
                free.put(worker)

        tasks = [pool.submit(opened_or_not, path) for path in paths]
        try:
            opened = [task.result() for task in tasks]
        except BaseException:
            for task in tasks:
                task.cancel()
            while wait(tasks, timeout=0.05).not_done:  # one may have begun with another file since
                for worker in workers:
                    worker.interrupt()
            raise
        finally:
            for worker in workers[1:]:
                worker.close()
    return {path.name: document for path, document in zip(paths, opened, strict=True)}


def _open(path: Path, cache_dir: Path | None, limits: Limits, worker: Worker, ocr: Ocr | None) -> Document:
    path = path.absolute()  # the reading process may have been started in another folder
    sha256 = _content_hash(path, limits)
    data = document_cache.read(entry := document_cache.entry_of(cache_dir, sha256), document_cache.is_document)
    if data is None:
        data = ask(worker, "parse", path, limits, pages=limits.pages, characters=limits.characters)
        if _content_hash(path, limits) != sha256:
            raise DocumentError(path.name, "corrupt", "changed while it was read")
        document_cache.write(entry, data)
    pages = [
        Page(n + 1, text, text if body is None else body, label, tuple(printed), cast(PageState, state), notes)
        for n, (text, body, label, printed, state, notes) in enumerate(data["pages"])
    ]
    if ocr is not None and data["paging"] == "physical" and any(page.state != "text" for page in pages):
        pages = _recognised(pages, ocr, path, sha256)
    is_as_parsed = not any(page.is_read_by_ocr for page in pages)
    return Document(
        path.name,
        sha256,
        pages,
        path=path.resolve(),
        notices=data["notices"],
        clause_rows=data["clauses"] if is_as_parsed else None,
        listed=data["listed"],
        earlier_pages=[(int(a), int(b), str(shown), bool(sure)) for a, b, shown, sure in data["earlier"]] if is_as_parsed else (),
        ocr=ocr,
        paging=data["paging"],
        cache_dir=cache_dir,
    )


_FEWEST = 20  # letters and digits that recognition must give for a page to count as read


def _recognised(pages: Sequence[Page], ocr: Ocr, path: Path, sha256: str) -> list[Page]:
    """The pages with the recognised text of those that have none to trust; the running lines and page numbers of all anew. Where letters
    are drawn that their font does not tell, they may be no letters at all: words show that they are."""
    texts = recognised_texts(ocr, path, sha256, [page.number for page in pages if page.state != "text"]).items()
    full = {number: text for number, text in texts if sum(map(str.isalnum, text)) >= _FEWEST}
    read = {number: text for number, text in full.items() if pages[number - 1].state != "garbled" or has_common_words(text)}
    if not read:
        return list(pages)
    all_texts = [read.get(page.number, page.text) for page in pages]
    running = find_running_lines(all_texts)
    return [
        replace(page, text=text, body=body, printed=printed, state="text", notes=page.notes + "rt") if page.number in read else page
        for page, text, body, printed in zip(pages, all_texts, running.bodies(all_texts), running.printed, strict=True)
    ]


def content_hash(path: Path) -> str:
    """SHA-256 of a document: of its file, or of the names and contents of a folder's files. Raises OSError, `ReadingError`."""
    if (files := files_of(path)) == [path]:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256("\n".join(f"{file.name} {content_hash(file)}" for file in files).encode()).hexdigest()


def refusal(path: Path, limits: Limits = DEFAULT_LIMITS) -> str:
    """Why a file is of no kind that can be read, and what to do about it; "" for one that is, be it damaged or not."""
    with suppress(OSError):
        try:
            if kind_of(path) == "zip":
                ask(shared_worker(limits.memory_bytes), "kind", path, limits)
        except (ReadingError, DocumentError) as error:
            return error.message if error.cause == "unsupported" else ""
    return ""


def _content_hash(path: Path, limits: Limits) -> str:
    try:
        if not path.exists():
            raise ReadingError("missing", "there is no such file")
        if (size := sum(file.stat().st_size for file in files_of(path))) > limits.file_bytes:
            raise ReadingError("too_large", f"has {size} bytes, more than the limit of {limits.file_bytes}")
        return content_hash(path)
    except ReadingError as error:
        raise DocumentError(path.name, error.cause, error.message) from None
    except OSError as error:
        raise DocumentError(path.name, "missing", f"cannot be read from disk ({error.strerror or error})") from None


def ask(worker: Worker, operation: str, path: Path, limits: Limits, **arguments: Any) -> Any:
    try:
        return worker.ask(operation, cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds, path=str(path), **arguments)
    except ReadingError as error:
        raise DocumentError(path.name, error.cause, error.message) from None
