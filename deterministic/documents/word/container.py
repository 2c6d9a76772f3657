"""The parts of a Word file: a ZIP file with XML in it, opened within limits. Runs in a child process only.
Only the main document and the parts that it names inside the file are read: nothing outside it, no macros, no embedded files. XML with a
document type (where entities are declared, to grow without end or to fetch a file) is refused."""

import posixpath
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from deterministic.documents.kinds import ReadingError
from deterministic.lexicon.tables import forms, patterns

MOST_ENTRIES = 10_000
MOST_BYTES = 96 * 1024 * 1024
"""Of all parts that are read, unpacked; the text of a thousand pages takes a fifth of it."""
MOST_RATIO = 200
"""Unpacked to packed size of a part of more than a megabyte; XML of real documents has 10 to 40."""
_SMALL = 1024 * 1024
_WORDS = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_MAIN = (_WORDS + "document.main+xml", _WORDS + "template.main+xml")
_MACROS = ("application/vnd.ms-word.document.macroEnabled.main+xml", "application/vnd.ms-word.template.macroEnabledTemplate.main+xml")
_OTHERS = {"spreadsheetml": "an Excel workbook", "presentationml": "a PowerPoint file", "opendocument": "an OpenDocument file"}
_SPACES = forms("word_vocabularies")
_KNOWN = re.compile(patterns("known_vocabularies")["known"])
"""Vocabularies that Word knows: what a form of `mc:AlternateContent` requires of it."""
SHOWN = "is shown"
"""Of a `mc:Choice`: whether Word knows what it requires; it shows the first such one, else the fallback."""
Element = ElementTree.Element


class Relation(NamedTuple):
    """A part that another one names: `kind` is the last word of its type ("styles", "header"), `path` its name in the container."""

    kind: str
    path: str


class Container:
    """An opened Word file. Element and attribute names read as in Word's own files: "w:p", "w:val". Raises `ReadingError`."""

    def __init__(self, path: str) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise ReadingError("corrupt", "is a damaged or cut ZIP or Word file") from None
        self._names = {info.filename: info for info in self._zip.infolist()}
        self._left = MOST_BYTES
        if len(self._zip.infolist()) > MOST_ENTRIES:
            raise ReadingError("too_large", f"has more than {MOST_ENTRIES} parts, the limit for a Word file")
        if twice := [name for name, count in Counter(info.filename.casefold() for info in self._zip.infolist()).items() if count > 1]:
            raise ReadingError("corrupt", f"holds its part {twice[0]!r} twice, so that its text is ambiguous: save it anew in Word")
        self.main = self._main_part()

    def close(self) -> None:
        self._zip.close()

    def xml(self, path: str) -> Element:
        """The root of a part."""
        data = self._read(path)
        checker = expat.ParserCreate()
        checker.StartDoctypeDeclHandler = _refuse
        try:
            checker.Parse(data, True)
            root = ElementTree.fromstring(data)
            known = _known_prefixes(data) if b"AlternateContent" in data else set()
        except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError):
            raise ReadingError("corrupt", f"its part {path} is no well-formed XML") from None
        for element in root.iter():
            element.tag = _short(str(element.tag))
            if any("}" in name for name in element.attrib):
                element.attrib = {_short(name): value for name, value in element.attrib.items()}
            if element.tag == "mc:Choice":
                element.set(SHOWN, "1" if {*element.get("Requires", "?").split()} <= known else "")
        return root

    def relations(self, path: str) -> Iterator[Relation]:
        """The parts inside the file that a part names; those outside are never followed."""
        folder, name = posixpath.split(path)
        relations = posixpath.join(folder, "_rels", name + ".rels")
        for element in self.xml(relations) if relations in self._names else ():
            if element.get("TargetMode") == "External":
                continue
            target = posixpath.normpath(posixpath.join("/" + folder, element.get("Target", ""))).lstrip("/")
            if target in self._names:
                yield Relation(element.get("Type", "").rsplit("/", 1)[-1], target)

    def _main_part(self) -> str:
        if any(info.flag_bits & 1 for info in self._names.values()):
            raise ReadingError("unsupported", "is encrypted: save a copy without a password")
        main = next((relation.path for relation in self.relations("") if relation.kind == "officeDocument"), None)
        types = self.xml("[Content_Types].xml") if "[Content_Types].xml" in self._names else ElementTree.Element("")
        kind = next((t.get("ContentType", "") for t in types if main and t.get("PartName", "").lstrip("/") == main), "")
        if main is None or kind not in (*_MAIN, *_MACROS):
            mimetype = self._read("mimetype").decode("ascii", "replace") if "mimetype" in self._names else ""
            other = next((words for sign, words in _OTHERS.items() if sign in kind + mimetype), "a ZIP file that holds no Word document")
            raise ReadingError("unsupported", f"is {other}: save it as .docx or PDF")
        return main

    def _read(self, path: str) -> bytes:
        info = self._names[path]
        is_bomb = info.file_size > _SMALL and info.file_size > MOST_RATIO * max(info.compress_size, 1)
        if is_bomb or info.file_size > self._left:
            raise ReadingError("too_large", f"its part {path} unpacks to {info.file_size} bytes, more than the limits for a Word file")
        try:
            with self._zip.open(info) as file:
                data = file.read(min(info.file_size, self._left) + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
            raise ReadingError("corrupt", f"its part {path} is damaged") from None
        if len(data) > info.file_size:
            raise ReadingError("corrupt", f"its part {path} is longer than the file says")
        self._left -= len(data)
        return data


def _known_prefixes(data: bytes) -> set[str]:
    """The prefixes that a part declares for vocabularies that Word knows, each for one alone."""
    spaces: dict[str, set[str]] = {}
    for _, (prefix, space) in ElementTree.iterparse(BytesIO(data), events=("start-ns",)):
        spaces.setdefault(prefix, set()).add(space)
    return {prefix for prefix, names in spaces.items() if all(map(_KNOWN.fullmatch, names))}


def _refuse(*_: object) -> None:
    raise ReadingError("unsupported", "declares a document type, which Word files never do: save it anew in Word")


def _short(name: str) -> str:
    """ "w:p" of "{http://...}p"; names of other vocabularies keep their last word."""
    space, _, local = name.removeprefix("{").rpartition("}")
    prefix = _SPACES.get(space, "")
    return f"{prefix}:{local}" if prefix else local


def child(element: Element | None, *names: str) -> Element | None:
    """The first element of a name inside another one, then inside that one, and so on; None where there is none."""
    for name in names:
        element = next((inner for inner in element if inner.tag == name), None) if element is not None else None
    return element


def forms_of(alternatives: Element) -> Iterator[tuple[Element, bool]]:
    """What Word shows of `mc:AlternateContent`, then the forms that it does not show and whose words do not stand in the one it does."""
    choices = [form for form in alternatives if form.tag == "mc:Choice"]
    known = [form for form in choices if form.get(SHOWN)] + [form for form in alternatives if form.tag == "mc:Fallback"]
    # the first form of a drawing that holds text boxes, else the first: the others say the same for older programs
    chosen = next((form for form in known if any(True for _ in form.iter("w:txbxContent"))), known[0] if known else None)
    words = _words(chosen)
    yield from [(chosen, True)] if chosen is not None else []
    yield from ((form, False) for form in choices if not form.get(SHOWN) and _words(form) not in words)


def _words(form: Element | None) -> str:
    return "" if form is None else "".join("".join(form.itertext()).split())


def value(element: Element | None, *names: str) -> str | None:
    """The `w:val` of what `child` finds."""
    found = child(element, *names)
    return None if found is None else found.get("w:val")


def number(text: str | None, default: int) -> int:
    """A whole number of XML; `default` for none, or one that cannot be read."""
    try:
        return int(text or "")
    except ValueError:
        return default


def is_on(element: Element | None, *names: str) -> bool | None:
    """Whether a switch ("w:b", "w:vanish") is on; None where it is not set."""
    found = child(element, *names)
    return None if found is None else found.get("w:val", "1") not in ("0", "false", "off")
