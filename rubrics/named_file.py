"""The one way to open a file that a person, or a folder that may be anybody's, names: a regular file of a bounded size."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal

MOST_BYTES = 512 * 1024 * 1024
MOST_SETTINGS = 1024 * 1024  # of files that people write by hand: settings, contracts, rubrics, prices, maps
MOST_PARTS = 500  # of a line of those, for readers of TOML hardly end with names of more parts
MOST_LINE = 64 * 1024 * 1024  # of a file that is read line by line, and so may be longer


class NamedFileError(OSError):
    """Such a file cannot be opened or is another kind of thing."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def open_named(path: Path, mode: Literal["rb", "ab", "ab+"] = "rb") -> BinaryIO:
    """The file to read, or to add to. Raises NamedFileError, also for a pipe or device, which would be waited for without end."""
    try:
        file: BinaryIO = open(path, mode, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK, 0o666))  # noqa: SIM115
    except OSError as error:
        raise NamedFileError(error.errno, error.strerror or str(error), str(path)) from None
    except ValueError:
        raise NamedFileError(errno.EINVAL, "no file has such a name", str(path)) from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NamedFileError(errno.EINVAL, "it is no regular file; save it to one", str(path))
    return file


def read_named(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content. Raises NamedFileError, also for more than `most` bytes."""
    with open_named(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(min(size, most) + 1)  # no more room than the file needs
        data += file.read(most + 1 - len(data)) if len(data) > size else b""
    if size > most or len(data) > most:
        raise NamedFileError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file of any size, each with its line feed but for one that was cut short. Raises NamedFileError."""
    with open_named(path) as file:
        while line := file.readline(MOST_LINE):
            if len(line) == MOST_LINE:
                raise NamedFileError(errno.EFBIG, f"it has a line of more than {MOST_LINE:,} bytes", str(path))
            yield line


def read_settings(path: Path) -> str:
    """The text of a file that a person wrote, with or without a byte order mark. Raises OSError, UnicodeDecodeError."""
    text = read_named(path, MOST_SETTINGS).decode("utf-8-sig")
    if any(line.count(".") > MOST_PARTS for line in text.split("\n")):
        raise NamedFileError(errno.EFBIG, f"it has a line with more than {MOST_PARTS} full stops", str(path))
    return text
