"""Parsed documents, and second readings of their pages, on disk: JSON by content hash and parser version.

A broken entry is no entry; nothing is ever unpickled."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
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


def _entry(folder: Path, sha256: str) -> Path:
    return folder / "documents" / f"{sha256}-{parser_version()}.json"


def load(folder: Path, sha256: str) -> dict[str, Any] | None:
    """The parsed document, None when there is none or the entry is damaged."""
    data = read(_entry(folder, sha256))
    return data if is_whole(data) else None


def read(entry: Path) -> Any:
    """The JSON of a kept file; None when there is none, or it is damaged, too large or no file at all."""
    try:
        if entry.is_file() and entry.stat().st_size <= _MOST_BYTES:  # a pipe or device has no end
            return json.loads(entry.read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError, RecursionError):
        pass
    return None


def store(folder: Path, sha256: str, data: dict[str, Any]) -> None:
    """Keeps a parsed document."""
    write(_entry(folder, sha256), data)


def entry_of_reading(folder: Path, sha256: str, number: int, is_plain: bool) -> Path:
    """Where the second readings of a page are kept."""
    return _entry(folder, sha256).with_suffix("") / f"{number}{'-plain' if is_plain else ''}.json"


def load_readings(entry: Path) -> list[tuple[str, str]] | None:
    """Source and text of each second reading of a page, None when the page was not read again or the entry is damaged."""
    try:
        return [(str(source), str(text)) for source, text in read(entry)["readings"]]
    except (ValueError, KeyError, TypeError):
        return None


def write(entry: Path, data: dict[str, Any]) -> None:
    """Writes JSON in one step; a folder that cannot be written is no error, only no cache."""
    temporary = None
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=entry.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=True, separators=(",", ":"))
        os.replace(temporary, entry)
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def is_whole(data: object) -> bool:
    """Whether the data has the shape that `parsed_document.parse` gives."""
    if not isinstance(data, dict) or not all(
        isinstance(data.get(key), list) for key in ("pages", "earlier", "clauses", "listed", "notices")
    ):
        return False
    pages = all(
        isinstance(page, list)
        and len(page) == 6
        and isinstance(page[0], str)
        and (page[1] is None or isinstance(page[1], str))
        and isinstance(page[3], list)
        and all(isinstance(x, str) for x in (page[2], *page[3], *page[4:]))
        for page in data["pages"]
    )
    clauses = all(
        isinstance(row, list)
        and len(row) == 5
        and isinstance(row[0], str)
        and row[0]
        and isinstance(row[1], str)
        and all(isinstance(n, int) for n in row[2:])
        for row in data["clauses"]
    )
    earlier = all(isinstance(row, list) and [type(one) for one in row] == [int, int, str, bool] for row in data["earlier"])
    has_paging = data.get("paging") in ("physical", "none")
    return (
        pages
        and earlier
        and clauses
        and has_paging
        and bool(data["pages"])
        and all(isinstance(x, str) for x in data["listed"] + data["notices"])
    )
