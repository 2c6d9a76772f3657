"""Parsed documents, and second readings of their pages, on disk: JSON by content hash and parser version.
A broken or edited entry is no entry; nothing is ever unpickled."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# The rooms whose code a parsed document depends on.
_PARSER = ("lexicon", "clauses", "documents")
_MOST_BYTES = 256 * 1024 * 1024


@lru_cache(maxsize=1)
def parser_version() -> str:
    """Changes with the code that parses and with the PDF libraries, so that no stale entry is read."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for file in sorted(file for room in _PARSER for file in (package / room).rglob("*.*") if file.suffix in (".py", ".txt")):
        digest.update(file.read_bytes())
    for library in ("pymupdf", "pypdfium2"):
        with contextlib.suppress(PackageNotFoundError):
            digest.update(version(library).encode())
    return digest.hexdigest()[:12]


def entry_of(folder: Path | None, sha256: str) -> Path | None:
    """Where a parsed document is kept; None without a folder."""
    return folder / "documents" / f"{sha256}-{parser_version()}.json" if folder is not None else None


def read(entry: Path | None, is_whole: Callable[[dict[str, Any]], bool]) -> Any:
    """What was written to a kept file; None when there is none, or it is damaged, edited, too large, no file at all or of another shape."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if entry is not None and entry.is_file() and entry.stat().st_size <= _MOST_BYTES:  # a pipe or device has no end
            digest, _, kept = entry.read_bytes().partition(b"\n")
            data = json.loads(kept) if digest == _digest(kept) else None
            return data if isinstance(data, dict) and is_whole(data) else None
    return None


def is_document(data: dict[str, Any]) -> bool:
    """Whether the data has the shape that `parsed_document.parse` gives."""
    if data.get("paging") not in ("physical", "none") or not data.get("pages"):
        return False
    if not _are_rows(data["pages"], str, str | None, str, list, str, str) or not _are_rows(data.get("clauses"), str, str, int, int, int):
        return False
    texts = [data.get("listed"), data.get("notices"), *(page[3] for page in data["pages"])]
    are_texts = all(isinstance(some, list) and all(isinstance(text, str) for text in some) for some in texts)
    return are_texts and _are_rows(data.get("earlier"), int, int, str, bool) and all(number for number, *_ in data["clauses"])


def are_readings(data: dict[str, Any]) -> bool:
    """Whether the data holds source and text of the second readings of a page."""
    return _are_rows(data.get("readings"), str, str)


def _are_rows(rows: object, *kinds: Any) -> bool:
    """A list of lists, each with values of these kinds."""
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == len(kinds) and all(map(isinstance, row, kinds)) for row in rows
    )


def entry_of_reading(folder: Path | None, sha256: str, number: int, is_plain: bool) -> Path | None:
    """Where the second readings of a page are kept."""
    entry = entry_of(folder, sha256)
    return entry.with_suffix("") / f"{number}{'-plain' if is_plain else ''}.json" if entry is not None else None


def _digest(kept: bytes) -> bytes:
    return hashlib.sha256(kept).hexdigest().encode()


def write(entry: Path | None, data: dict[str, Any]) -> None:
    """Writes JSON behind a line with its hash, in one step; a folder that cannot be written is no error, only no cache."""
    if entry is None:
        return
    temporary, kept = None, json.dumps(data, separators=(",", ":")).encode()
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=entry.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(kept) + b"\n" + kept)
        os.replace(temporary, entry)
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
