"""The documents of the cases in work: opened a few at a time on all cores, kept while they are needed, bounded in memory."""

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from pathlib import Path

from deterministic.documents.documents import Document, DocumentError, Limits, content_hash, open_documents, refusal
from deterministic.documents.ocr import Ocr, why_unavailable
from deterministic.documents.pages import DAMAGED, UNOPENED
from judge.errors import InputError, Problem
from judge.inputs.files import DocumentsFolder
from judge.printing import say
from judge.records import Finding

MAX_CHARACTERS = 4_000_000
_PROCESSES = max(1, len(os.sched_getaffinity(0)))


def stand_in(name: str) -> Document:
    """What stands for a file that could not be opened: one page that cannot be read."""
    return Document(name, "", Document.from_pages(name, [""], states=["scan"]).pages, notices=[UNOPENED])


def damage_of(document: Document) -> str:
    """One line on what a damaged file may have lost, "" for a whole one."""
    if not document.is_damaged:
        return ""
    told = "; ".join(notice.removeprefix(DAMAGED).strip() for notice in document.notices if notice.startswith(DAMAGED))
    lost = f"; it hides what stood on {len(document.unreadable_pages)} page(s)" if document.unreadable_pages else ""
    return f"{document.name}: the file is damaged: {told}{lost}"


ONCE_A_CASE = ("TRACKED_CHANGES", "PAGES_MISSING")
"""Findings of a document that stand beside the first item of a case only: they cost nothing and open nothing."""


def findings_of(document: Document, trouble: str) -> Iterator[Finding]:
    """What must be said of a document; `trouble`: why it could not be read, or what it lost."""
    if trouble:
        yield Finding("DOCUMENT_UNREADABLE" if UNOPENED in document.notices else "DOCUMENT_DAMAGED", trouble)
    if document.is_tracked:
        yield Finding("TRACKED_CHANGES", f"{document.name}: tracked changes are read as accepted; what they delete is struck out")
    if document.missing_pages:
        numbers = ", ".join(map(str, document.missing_pages[:20]))
        yield Finding("PAGES_MISSING", f"{document.name}: the printed page numbers jump over {numbers}: not in the file")


@dataclass(eq=False)
class DocumentStore:
    """Opens documents by bare file name. `trouble` holds one line for each that could not be read or is damaged; one that could not be read
    has no readable page. `hashes`: what was attested of the files; one that has changed since is not read.
    `is_pictured`: the judge may be shown pages without text as pictures."""

    folder: DocumentsFolder
    _: KW_ONLY
    cache_dir: Path | None
    limits: Limits = field(default_factory=Limits)
    max_characters: int = MAX_CHARACTERS
    ocr: Ocr | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    is_pictured: bool = False
    chunk = 2 * _PROCESSES  # how many documents are worth opening together

    def __post_init__(self) -> None:
        self._open: OrderedDict[str, Document] = OrderedDict()
        self.trouble: dict[str, str] = {}
        self._damaged: set[str] = set()

    def has(self, names: Iterable[str]) -> bool:
        """Whether all are open."""
        return all(name in self._open for name in names)

    def prefetch(self, names: Sequence[str]) -> None:
        """Opens what is not open yet; the least recently used others make room."""
        if wanted := [name for name in dict.fromkeys(names) if name not in self._open]:
            paths = [self.folder.path(name) for name in wanted]
            opened = open_documents(paths, cache_dir=self.cache_dir, limits=self.limits, processes=_PROCESSES, ocr=self.ocr)
            for name, path in zip(wanted, paths, strict=True):
                self._open[name] = self._usable(name, opened[path.name])
        for name in names:
            self._open.move_to_end(name)
        total, keep = sum(len(document.text) for document in self._open.values()), len(set(names))
        while total > self.max_characters and len(self._open) > keep:
            total -= len(self._open.popitem(last=False)[1].text)

    def release(self, names: Iterable[str]) -> None:
        """Closes documents that no later case names; cases in work keep theirs."""
        for name in names:
            self._open.pop(name, None)

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        """The documents of a case, in its order."""
        self.prefetch(names)
        return {name: self._open[name] for name in names}

    def findings(self, documents: Mapping[str, Document]) -> tuple[Finding, ...]:
        """What must be said of a case's documents that could not be read or lost something, or that hold more than their final text."""
        return tuple(finding for name, found in documents.items() for finding in findings_of(found, self.trouble.get(name, "")))

    def unopened(self) -> tuple[str, ...]:
        """The lines of the documents that no run can read."""
        return tuple(line for name, line in self.trouble.items() if name not in self._damaged)

    def _usable(self, name: str, found: Document | DocumentError) -> Document:
        if isinstance(found, Document) and found.sha256 == self.hashes.get(name, found.sha256):
            found.is_pictured = self.is_pictured
            if found.is_damaged:
                self._damaged.add(name)
                self.trouble[name] = damage_of(found)
            return found
        self.trouble[name] = f"{name}: the file changed after the run had begun" if isinstance(found, Document) else str(found)
        return stand_in(name)


def hash_documents(folder: DocumentsFolder, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each document, by name. Raises `InputError` when one is of no kind that can be read."""
    paths = {name: folder.path(name) for name in sorted(names)}
    if problems := [Problem(str(path), None, "", why) for path in paths.values() if (why := refusal(path))]:
        raise InputError(problems)
    return {name: content_hash(path) for name, path in paths.items()}


def ocr_of(mode: str, cache_dir: Path) -> Ocr | None:
    """How pages without a text layer are recognised; None for "off", or where it is not possible, which is said once if it is "on"."""
    is_wanted = mode != "off" and _is_available(mode == "on")
    return Ocr(cache_dir=cache_dir.absolute() / "ocr", tell=say) if is_wanted else None


@lru_cache(maxsize=8)
def _is_available(is_asked_for: bool) -> bool:
    if (why := why_unavailable()) and is_asked_for:
        install = "apt-get install tesseract-ocr tesseract-ocr-eng, or set TESSDATA_PREFIX to the folder of its data files"
        say(f"OCR not available: {why}; install it ({install}). The run goes on without OCR.")
    return not why
