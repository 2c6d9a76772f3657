"""What a run that has not ended vouches for: behind each case, how far the files that it appends to went and their hash so far. A seal
takes its place at the end. Like the seal it is no signature: it shows what was changed since."""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from rubrics.named_file import lines_of, open_named

GROWTH = "growth.txt"
_LINE = re.compile(rb"(\d{1,15}):([0-9a-f]{32}) (\d{1,15}):([0-9a-f]{32})\n")


class Prefix:
    """The hash of a file up to a place that mostly moves on."""

    def __init__(self, path: Path) -> None:
        self.path, self.size, self._digest = path, 0, hashlib.sha256()

    def at(self, size: int | None = None) -> str:
        """The hash of the first bytes (None: of all); of fewer where the file is shorter."""
        if size is not None and size < self.size:
            self.size, self._digest = 0, hashlib.sha256()
        if self.path.exists():
            with open_named(self.path) as file:
                file.seek(self.size)
                while data := file.read(min(1 << 20, (1 << 20) if size is None else size - self.size)):
                    self._digest.update(data)
                    self.size += len(data)
        return self._digest.hexdigest()


class Growth:
    """The two files of a folder that grow together."""

    def __init__(self, *paths: Path) -> None:
        self._file, self._paths = paths[0].with_name(GROWTH), paths
        self._prefixes = [Prefix(path) for path in paths]

    def note(self) -> None:
        """Vouches for both files as they are now."""
        said = [(prefix.at(), prefix.size) for prefix in self._prefixes]
        with open_named(self._file, "ab") as file:
            file.write((" ".join(f"{size}:{digest[:32]}" for digest, size in said) + "\n").encode())

    def cut(self) -> int:
        """Takes away what is behind the last place up to which both files are as they were written; how many bytes of the first."""
        lines = [*lines_of(self._file)] if self._file.exists() else []
        best = self._last(lines[-1:]) or self._last(lines) or (0, 0)
        left = 0
        for path, size in zip(reversed(self._paths), reversed(best), strict=True):
            left = path.stat().st_size - size if path.exists() else 0
            if left:
                with open_named(path, "ab") as file:
                    os.truncate(file.fileno(), size)
        return left

    def _last(self, lines: Sequence[bytes]) -> tuple[int, int] | None:
        """The sizes of the last line that holds."""
        best, prefixes = None, [Prefix(path) for path in self._paths]
        for said in filter(None, map(_LINE.fullmatch, lines)):
            sizes = int(said[1]), int(said[3])
            told = zip(prefixes, sizes, (said[2], said[4]), strict=True)
            if all(prefix.at(size)[:32] == digest.decode() and prefix.size == size for prefix, size, digest in told):
                best = sizes
        return best
