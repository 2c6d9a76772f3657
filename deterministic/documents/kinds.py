"""The kind of a document by the first bytes of its file, never by its name: PDF, image, Word file, or nothing that can be read."""

import re
from pathlib import Path
from typing import Literal

FileKind = Literal["pdf", "image", "zip"]
"""A Word file is a ZIP file; whether a ZIP file is one, only its content tells (`container.Container`)."""

FOLDER = ".pages"
"""Ending of a folder whose image files, in the order of their names, are the pages of one document."""
READABLE = "PDF, Word (.docx), TIFF, PNG and JPEG are read"
TRACKED = "tracked:"
"""Beginning of the notice of a file with tracked changes."""
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OTHERS = (
    (b"{\\rtf", "a rich text file (RTF): save it as .docx or PDF"),
    (b"GIF8", "a GIF image: save it as PNG"),
    (b"BM", "a bitmap image: save it as PNG"),
    (b"<", "a file of markup (HTML or XML): print it to PDF"),
)
_HEAD, _TAIL = 1024, 2048
_PART = 1 << 20  # bytes


CONTRAST = 20
"""Grey levels (of 255) that words must differ from their background by to be seen, in PDF and Word alike."""


def grey(color: int) -> float:
    """Grey level (0-255) of an sRGB colour."""
    return 0.3 * (color >> 16 & 255) + 0.59 * (color >> 8 & 255) + 0.11 * (color & 255)


Cause = Literal["encrypted", "corrupt", "unsupported", "too_large", "timeout", "memory", "missing"]


class ReadingError(Exception):
    """A file that cannot be read, and what is wrong with it."""

    def __init__(self, cause: Cause, message: str) -> None:
        super().__init__(message)
        self.cause: Cause = cause
        self.message = message


def is_folder_of_pages(path: Path) -> bool:
    """Whether a path is a folder of page images that stands for one document."""
    return path.suffix.casefold() == FOLDER and path.is_dir()


def files_of(path: Path) -> list[Path]:
    """The files that a document consists of: itself, or the files of its folder, `page 2` before `page 10`. Raises `ReadingError` for a
    folder without files, or with one that lies elsewhere."""
    if not is_folder_of_pages(path):
        return [path]
    if not (files := sorted((file for file in path.iterdir() if not file.name.startswith(".")), key=_natural)):
        raise ReadingError("corrupt", "the folder holds no page")
    for file in files:
        if not file.is_file() or not file.resolve().is_relative_to(path.resolve()):
            raise ReadingError("unsupported", f"{file.name!r} in it is no image file")
        if file.name != file.name.encode("utf-8", "replace").decode():
            raise ReadingError("unsupported", f"{file.name!r} in it has a name that is not UTF-8: rename it")
    return files


def _natural(file: Path) -> tuple[list[tuple[int, str]], str]:
    parts = re.split(r"(\d+)", file.name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts], file.name


def kind_of(path: Path) -> FileKind:
    """The kind of a document. Raises `ReadingError` ("unsupported", with what to do about it) for anything else."""
    if not is_folder_of_pages(path):
        return _kind_of_file(path)
    for file in files_of(path):
        if _kind_of_file(file) != "image":
            raise ReadingError("unsupported", f"{file.name!r} in it is no image: a folder of pages holds TIFF, PNG or JPEG files only")
    return "image"


def _kind_of_file(path: Path) -> FileKind:
    with path.open("rb") as file:
        if not (head := file.read(_HEAD)):
            raise ReadingError("corrupt", "the file is empty")
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read()
    if head.startswith(_IMAGES):
        return "image"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if b"%PDF-" in head or b"%%EOF" in tail:
        return "pdf"
    raise ReadingError("unsupported", f"is {_other(path, head)} ({READABLE})")


def _holds(path: Path, sign: bytes) -> bool:
    """Whether the bytes stand anywhere in a file; read in parts, for a mapped file that is cut ends the process."""
    before = b""
    with path.open("rb") as file:
        while part := file.read(_PART):
            if sign in before + part:
                return True
            before = part[-len(sign) :]
    return False


def _other(path: Path, head: bytes) -> str:
    if head.startswith(_COMPOUND):
        if _holds(path, _ENCRYPTED):
            return "encrypted: open it in Word with its password and save it without one"
        return "an old Word, Excel or mail file (.doc, .xls, .msg): save it as .docx or PDF"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((words for sign, words in _OTHERS if start.startswith(sign)), "neither a PDF nor a Word file nor an image: save it as PDF")


def is_memory(error: BaseException) -> bool:
    """An allocation failed: the library says so in words, whatever the class of its exception."""
    words = str(error).casefold()
    return isinstance(error, MemoryError) or "alloc" in words or "memory" in words


def raise_if_memory(error: BaseException) -> None:
    """Passes a failed allocation on as `MemoryError`: it says nothing about the file."""
    if is_memory(error):
        raise MemoryError from None


def one_line(error: BaseException) -> str:
    """What an exception says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
