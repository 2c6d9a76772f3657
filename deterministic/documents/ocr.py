"""Recognised text of pages that have no text layer to trust: off unless asked for, and no more than a further reading.
The child process that reads PDFs recognises a page within its limits; what it gave is kept on disk, so that a second run pays nothing.
Recognition errs, so its text proves that a quote stands on a page and never that it does not."""

import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from deterministic.documents import document_cache
from deterministic.documents.kinds import ReadingError
from deterministic.documents.parsing import shared_worker

_TOLD_S = 15.0
_SECONDS = 60  # processor time for one page, and a third of the longest wait; one that takes longer counts as not recognised


@dataclass(frozen=True, slots=True)
class Ocr:
    """How pages are recognised. `cache_dir`: where page texts are kept, None for nowhere."""

    cache_dir: Path | None = None
    memory_bytes: int = 1 << 30
    """Address space of the process that recognises."""
    pages: int = 500
    """Of one document; further ones stay unread."""
    tell: Callable[[str], object] | None = None
    """Gets a line now and then while a document takes long, and one where pages stay unread."""


_PACKAGED = Path("/usr/share/tesseract-ocr")
"""Debian's folder, one below it a version: looked at first, because asking the program costs a start of it."""


def why_unavailable() -> str:
    """What is missing for recognition on this machine, "" when nothing is."""
    try:
        return find_data() and ""
    except ReadingError as error:
        return error.message


def find_data() -> str:
    """Folder of the data files. Raises `ReadingError` when that for English is missing."""
    folder = os.environ.get("TESSDATA_PREFIX") or max(map(str, _PACKAGED.glob("*/tessdata")), default="") or _as_the_program_says()
    if not folder:
        raise ReadingError("missing", "Tesseract is not installed")
    if not (Path(folder) / "eng.traineddata").is_file():
        raise ReadingError("missing", f"Tesseract has no data for the language 'eng' in {folder}")
    return folder


def _as_the_program_says() -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, timeout=20, check=False).stdout
        return told.partition('List of available languages in "')[2].partition('"')[0]
    return ""


def recognised_texts(ocr: Ocr, path: Path, sha256: str, numbers: Sequence[int]) -> dict[int, str]:
    """The texts of the first `ocr.pages` of some physical pages, by number."""
    tell, texts, said = ocr.tell or str, dict[int, str](), time.monotonic()
    for number in numbers[: ocr.pages]:
        texts[number] = recognised_text(ocr, path, sha256, number)
        if time.monotonic() > said + _TOLD_S:
            said = time.monotonic()
            tell(f"{path.name}: {len(texts)} of {min(len(numbers), ocr.pages)} pages recognised")
    if len(numbers) > len(texts):
        tell(f"{path.name}: {len(numbers)} pages without text: the first {ocr.pages} are recognised, the others stay unread")
    return texts


def recognised_text(ocr: Ocr, path: Path, sha256: str, number: int) -> str:
    """Text of a physical page as recognised, "" when nothing is or recognition fails (a closer look never fails a case)."""
    entry = ocr.cache_dir / sha256 / f"{number}-{_version()}.json" if ocr.cache_dir is not None and sha256 else None
    if (kept := document_cache.read(entry, lambda kept: isinstance(kept.get("text"), str))) is not None:
        return str(kept["text"])
    try:
        worker = shared_worker(ocr.memory_bytes)
        text = str(worker.ask("ocr", cpu_seconds=_SECONDS, wall_seconds=3.0 * _SECONDS, path=str(path), number=number))
    except ReadingError:
        return ""  # not kept: a faster machine, or one with the data files, may do better
    document_cache.write(entry, {"text": text})
    return text


@lru_cache(maxsize=1)
def _version() -> str:
    digest = hashlib.sha256(Path(__file__).with_name("page_images.py").read_bytes())
    with suppress(PackageNotFoundError):
        digest.update(version("pymupdf").encode())
    return digest.hexdigest()[:12]
