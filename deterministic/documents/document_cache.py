"""Parsed documents, and second readings of their pages, on disk: JSON by content hash and parser version.
A broken or edited entry is no entry; nothing is ever unpickled."""

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


def entry_of(folder: Path, sha256: str) -> Path:
    """Where a parsed document is kept."""
    return folder / "documents" / f"{sha256}-{parser_version()}.json"


def read(entry: Path) -> Any:
    """The JSON of a kept file; None when there is none, or it is damaged, edited, too large or no file at all."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if entry.is_file() and entry.stat().st_size <= _MOST_BYTES:  # a pipe or device has no end
            digest, _, kept = entry.read_bytes().partition(b"\n")
            return json.loads(kept) if digest == _digest(kept) else None
    return None


def load(folder: Path, sha256: str) -> dict[str, Any] | None:
    """The parsed document, None when there is none or the entry is damaged."""
    data = read(entry_of(folder, sha256))
    return data if is_whole(data) else None


def entry_of_reading(folder: Path, sha256: str, number: int, is_plain: bool) -> Path:
    """Where the second readings of a page are kept."""
    return entry_of(folder, sha256).with_suffix("") / f"{number}{'-plain' if is_plain else ''}.json"


def load_readings(entry: Path) -> list[tuple[str, str]] | None:
    """Source and text of each second reading of a page, None when the page was not read again or the entry is damaged."""
    data = read(entry)
    kept: Any = data.get("readings") if isinstance(data, dict) else None
    return [(source, text) for source, text in kept] if _are(kept, str, str) else None


def _digest(kept: bytes) -> bytes:
    return hashlib.sha256(kept).hexdigest().encode()


def write(entry: Path, data: dict[str, Any]) -> None:
    """Writes JSON behind a line with its hash, in one step; a folder that cannot be written is no error, only no cache."""
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


def is_whole(data: Any) -> bool:
    """Whether the data has the shape that `parsed_document.parse` gives."""
    if not isinstance(data, dict) or data.get("paging") not in ("physical", "none") or not data.get("pages"):
        return False
    if not _are(data["pages"], str, str | None, str, list, str, str) or not _are(data.get("clauses"), str, str, int, int, int):
        return False
    texts = [data.get("listed"), data.get("notices"), *(page[3] for page in data["pages"])]
    return (
        all(isinstance(some, list) and all(isinstance(text, str) for text in some) for some in texts)
        and _are(data.get("earlier"), int, int, str, bool)
        and all(number for number, *_ in data["clauses"])
    )


def _are(rows: object, *kinds: Any) -> bool:
    """A list of lists, each with values of these kinds."""
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == len(kinds) and all(map(isinstance, row, kinds)) for row in rows
    )
