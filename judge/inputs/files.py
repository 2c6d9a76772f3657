"""Where the entries of a batch or gold file stand, so that one entry at a time can be read again; and which documents may be named."""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from calibration.strict_json import JsonTextError, loads
from deterministic.documents.kinds import ReadingError, is_folder_of_pages
from deterministic.documents.kinds import files_of as files_of_document
from judge.errors import Problem, nearest
from judge.inputs.table import MARKDOWN, Place
from judge.printing import quoted
from rubrics.named_file import lines_of, open_named, read_named

BOM = b"\xef\xbb\xbf"
MOST_FILES = 1000  # pages of a folder of pictures: each is read whole, several times
_SPACE = re.compile(r"\s*")
_KINDS = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


def files_of(path: Path) -> list[Path]:
    """The files of an input: itself, or the `.json` files of a folder by name; where it has none, its cases in Markdown."""
    return (sorted(path.glob("*.json")) or case_files(path)) if path.is_dir() else [path]


def case_files(path: Path) -> list[Path]:
    """The cases in Markdown of a folder by name (a README is none), or the one that is named."""
    return sorted(file for file in path.glob("*.md") if file.stem.casefold() != "readme") if path.is_dir() else [path]


def places_of(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, bytes]]:
    """Every entry with its bytes: JSON Lines, one JSON array, one object in a `.json` file, one case in a `.md` file. What cannot be read
    goes to `problems`."""
    for file in files_of(path):
        try:
            if (suffix := file.suffix.lower()) in (".xlsx", ".xlsm", ".xls"):
                problems.append(Problem(str(file), None, "", "is an Excel file: `judge convert` makes a batch or gold of it"))
                continue
            with open_named(file) as opened:
                start = opened.read(4096).removeprefix(BOM).lstrip()[:1]
            if start == b"[" and suffix != MARKDOWN:
                yield from _places_of_array(file, problems)
            elif suffix in (".json", MARKDOWN):
                data = read_named(file)
                yield Place(file, 0, len(data), 1), data
            else:
                yield from _places_of_lines(file)
        except OSError as error:
            problems.append(Problem(str(file), None, "", f"cannot be read: {error.strerror or error}"))


def _places_of_lines(path: Path) -> Iterator[tuple[Place, bytes]]:
    offset = 0
    for number, line in enumerate(lines_of(path), 1):
        if line.removeprefix(BOM).strip():
            yield Place(path, offset, len(line), number), line
        offset += len(line)


def _places_of_array(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, bytes]]:
    """The elements of an array; their bounds only, each is read strictly afterwards."""
    try:
        text = read_named(path).decode("utf-8")
        decoder, at = json.JSONDecoder(parse_int=str), text.index("[") + 1  # a number may be longer than Python reads
        offset, line, counted = 0, 1, 0
        at = _skip(text, at)
        while text[at] != "]":
            end = decoder.raw_decode(text, at)[1]
            offset, line, counted = offset + len(text[counted:at].encode()), line + text.count("\n", counted, at), at
            data = text[at:end].encode()
            yield Place(path, offset, len(data), line), data
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
                if text[at] == "]":
                    raise JsonTextError("not JSON: a comma before the ]", text.count("\n", 0, at) + 1)
            elif text[at] != "]":
                raise JsonTextError("not JSON: a comma or ] is missing", text.count("\n", 0, at) + 1)
        if (rest := _skip(text, at + 1)) < len(text):
            raise JsonTextError("something stands behind the array: put all entries into one", text.count("\n", 0, rest) + 1)
    except json.JSONDecodeError as error:
        problems.append(Problem(str(path), error.lineno, "", f"not JSON: {error.msg} at column {error.colno}"))
    except JsonTextError as error:
        problems.append(Problem(str(path), error.line, "", error.message))
    except UnicodeDecodeError as error:
        problems.append(Problem(str(path), None, "", f"not UTF-8 at byte {error.start}: save the file as UTF-8"))
    except (IndexError, RecursionError):
        problems.append(Problem(str(path), None, "", "not JSON: the array does not end, or is nested too deeply"))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def read_entry(place: Place, data: bytes, problems: list[Problem]) -> dict[str, object] | None:
    """The JSON object of an entry, or the gold line of a case in Markdown; None and a problem when it is none."""
    if place.path.suffix.lower() == MARKDOWN:
        from judge.inputs.case_files import read_case_file

        case = read_case_file(place.path, data)
        problems.extend(case.problems)
        return None if case.problems else case.gold_line
    try:
        value = loads(data)
    except JsonTextError as error:
        problems.append(Problem(str(place.path), place.line + error.line - 1, "", error.message))
        return None
    if not isinstance(value, dict):
        problems.append(Problem(str(place.path), place.line, "", f"must be a JSON object, not {_KINDS[type(value)]}"))
        return None
    return value


class DocumentsFolder:
    """The folder that documents are looked up in, by bare file name only. Answers are remembered."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._root = folder, folder.resolve()
        self.problem_of = cache(self._problem_of)

    def path(self, name: str) -> Path:
        """Where a document that was found is: a file's letters may be written in pieces (NFD), as some systems keep names."""
        path = self.folder / name
        if name.isascii() or path.exists():
            return path
        wanted = unicodedata.normalize("NFC", name)
        same = (other for other in self._names() if unicodedata.normalize("NFC", other) == wanted)
        return self.folder / next(same, name)

    def _problem_of(self, name: str) -> str | None:
        """Why a document cannot be used, or None when it is there."""
        if not self.folder.is_dir():
            return None  # which is a problem of its own, and not one of every case
        if not name or "/" in name or "\\" in name or "\0" in name or name in (".", "..") or Path(name).is_absolute():
            return f"{quoted(name)} must be a bare file name: no path, no `..`; the file is looked up in {self.folder}"
        try:
            path = self.path(name)
            is_file = path.is_file() or is_folder_of_pages(path)
        except OSError as error:
            return f"document {quoted(name)} cannot be looked up in {self.folder}: {error.strerror}"
        if not is_file:
            names = self._names()
            if name in names:
                return f"{name!r} in {self.folder} is no file that can be read"
            near = nearest(name, names)
            return f"document {quoted(name)} is not in {self.folder}" + (f"; did you mean {near!r}?" if near else "")
        if not path.resolve().is_relative_to(self._root):
            return f"{name!r} is a link that leaves {self.folder}: copy the file into the folder"
        try:
            pages = files_of_document(path)
        except ReadingError as error:
            return f"document {quoted(name)}: {error.message}"
        return f"document {quoted(name)} has {len(pages)} files, more than {MOST_FILES}" if len(pages) > MOST_FILES else None

    def _names(self) -> list[str]:
        try:
            return sorted(p.name for p in self.folder.iterdir())
        except OSError:
            return []
