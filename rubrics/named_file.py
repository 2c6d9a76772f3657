"""The one way to read a file that a person, or a folder that may be anybody's, names: a regular file of a bounded size."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 512 * 1024 * 1024
MOST_SETTINGS = 1024 * 1024  # of files that people write by hand: settings, contracts, rubrics, prices, maps


def read_named(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content. Raises OSError, also for a pipe or device, which would be waited for without end, and for more than `most` bytes."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
        return file.read(most + 1)


def read_settings(path: Path) -> str:
    """The text of a file that a person wrote, with or without a byte order mark. Raises OSError, UnicodeDecodeError."""
    return read_named(path, MOST_SETTINGS).decode("utf-8-sig")
