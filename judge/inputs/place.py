"""Where one entry of a batch or gold file stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rubrics.named_file import open_named

MARKDOWN = ".md"


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of a file: bytes [offset, offset + length), starting on `line` (from 1)."""

    path: Path
    offset: int
    length: int
    line: int

    def read(self) -> bytes:
        """The bytes of the entry."""
        with open_named(self.path) as file:
            file.seek(self.offset)
            return file.read(self.length)
