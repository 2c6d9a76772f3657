"""What a page's content and resources say of its letters before they are read: fonts, and states that fade or hide them.

Runs in a child process only.
"""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

import pymupdf

_NAME = 31  # letters of a font's name that the library keeps
_POINTER = re.compile(r"(\d+) 0 R")
_IS_STATE = re.compile(r"/Type ?/ExtGState|/(?:ca|CA|SMask|BM|SA|LW|OP|op|AIS) ?[^ ]")
_FADED = re.compile(r"/ca(?! ?1(?:\.0*)?[\s/>])|/Font\b", re.I)
_STATES = re.compile(rb"gs(?<=[\s\0]gs)(?![^\s\0/\[(<%])")
_UNDRAWN = [re.compile(rb"Tr(?<=[\s\0]Tr)(?<![\s\0]0[\s\0]Tr)(?![^\s\0/\[(<%])"), re.compile(rb"scn(?<![\d.][\s\0]scn)")]
"""Operators that make letters not be filled, or filled with a pattern."""
_FONT = re.compile(rb"/([^\s\0()<>\[\]{}/%]+)[\s\0]+[-+.\d]+[\s\0]+Tf")
_TOKEN = re.compile(
    rb"\((?:[^()\\]+|\\.)*\)|<[0-9A-Fa-f\s]+>|" + _FONT.pattern + rb"|q(?<=[\s\0]q)(?=[\s\0])()|Q(?<=[\s\0]Q)(?=[\s\0])()", re.S
)
"""A string, the choice of a font, the keeping and giving back of what was chosen. Each begins with a letter of its own, which is fast."""
_FONT_OF = re.compile(r"/([^\s()<>\[\]{}/%]+) ?(\d+) 0 R")


class Resources(NamedTuple):
    """Of a page or form."""

    fonts: dict[bytes, str]
    """Their names as the lines of a page tell them, by their names in its content."""
    states: list[str]
    """What sets its graphics: masks, nearly transparent paint or blending can make drawn text vanish."""


class PageResources:
    """The resources of one file's pages; what one page has, the next one often has too."""

    def __init__(self, pdf: pymupdf.Document) -> None:
        self._pdf = pdf
        self._objects: dict[int, str] = {}
        self._known: dict[str, Resources] = {}
        self._of: dict[int, Resources] = {}

    def of(self, number: int) -> Resources:
        """Of the page or form that is this object of the file."""
        if number not in self._of:
            kind, text = self._pdf.xref_get_key(number, "Resources")
            if kind == "null" or text not in self._known:
                self._known[text] = Resources(self._fonts(number), self._states(number))
            self._of[number] = self._known[text]
        return self._of[number]

    def is_plain(self, number: int, content: bytes, fonts: Set[str]) -> bool:
        """The content fills its letters, opaque, in these fonts alone."""
        if not fonts:
            return False
        resources = self.of(number)
        if any(pattern.search(content) for pattern in _UNDRAWN) or (_STATES.search(content) and not _are_opaque(resources.states)):
            return False
        known = {name for name, font in resources.fonts.items() if font in fonts}
        return known.issuperset(_FONT.findall(content)) or known.issuperset(_fonts_of_words(content))

    def _fonts(self, number: int) -> dict[bytes, str]:
        text = self._resource(number, "Font")
        if pointer := _POINTER.fullmatch(text):
            text = self._object(int(pointer[1]))
        return {name.encode(): self._font_name(int(font)) for name, font in _FONT_OF.findall(text)}

    def _resource(self, number: int, name: str) -> str:
        kind, text = self._pdf.xref_get_key(number, f"Resources/{name}")
        if kind == "null":
            kind, text = self._pdf.xref_get_key(number, f"Parent/Resources/{name}")
        return "" if kind == "null" else text

    def _font_name(self, number: int) -> str:
        name: str = self._pdf.xref_get_key(number, "BaseFont")[1].removeprefix("/")[:_NAME]
        return name[7:] if name[6:7] == "+" else name

    def _states(self, number: int) -> list[str]:
        states = self._resource(number, "ExtGState")
        found, waiting = [states] if states else [], _POINTER.findall(states)
        seen: set[str] = set()  # a state that points to itself ends here
        while waiting:
            pointer = waiting.pop()
            if pointer not in seen:
                seen.add(pointer)
                found.append(text := self._object(int(pointer)))
                waiting += [] if _IS_STATE.search(text) else _POINTER.findall(text)
        return found

    def _object(self, number: int) -> str:
        if number not in self._objects:
            self._objects[number] = self._pdf.xref_object(number, compressed=True)
        return self._objects[number]


def _are_opaque(states: list[str]) -> bool:
    return bool(states) and not any(map(_FADED.search, states))


def _fonts_of_words(content: bytes) -> set[bytes]:
    """Names of the fonts in which strings stand; writers choose others and show nothing in them."""
    font, kept, found = b"", [], set()
    for token in _TOKEN.finditer(content):
        if (kind := token.lastindex) == 1:
            font = token[1]
        elif kind == 2:
            kept.append(font)
        elif kind == 3:
            font = kept.pop() if kept else b""
        else:
            found.add(font)
    return found
