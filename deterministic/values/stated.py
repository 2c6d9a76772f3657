"""Texts that state nothing: "not specified", "see original agreement", "illegible", a failed extraction (design/values.md)."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from deterministic.lexicon.labels import NOTHING
from deterministic.lexicon.tables import patterns

_NOT_STATED = NOTHING["value"] | {""}
_FORMS = {name: re.compile(form, re.IGNORECASE | re.DOTALL) for name, form in patterns("nothing_forms").items()}
_LONGEST = 400  # characters of a text that says no more than that something cannot be read


class Illegible(NamedTuple):
    """A value that says that it cannot be read. page: the one that the file lacks; visible: what can be read; note: what else it says."""

    page: int | None = None
    visible: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_value(self) -> bool:
        """Whether it gives something all the same: letters, or a guess beside."""
        return bool(self.visible) or _FORMS["guess"].search(_FORMS["place"].sub("", self.note)) is not None


def read_illegible(value: Any) -> Illegible | None:
    """What "illegible", "MISSING: page 12 is not in the scan", "[partly legible: Fairw…]" or "Fairw… (rest illegible)" say, else None. A
    closed list of forms; brackets and dashes around and within them do not matter."""
    if not isinstance(value, str) or len(value) > _LONGEST or not _FORMS["telling"].search(value):
        return None
    text = _bare(_line(value))
    if found := _FORMS["missing"].fullmatch(text):
        return Illegible(int(found["page"] or found["other"]), note=found["note"] or found["why"] or "")
    if not (found := _FORMS["illegible"].fullmatch(text)):
        return None
    rest = found["rest"] or found["part"] or ""
    seen = found["seen"] or ((match := _FORMS["visible"].fullmatch(rest)) and match["text"]) or (found["part"] or "")
    parts = tuple(part for one in re.split(r"\s*;\s*", seen) if (part := _letters(one)))
    return Illegible(None, parts, "" if parts else rest)


def _bare(text: str) -> str:
    """A text without the brackets, marks and dashes around the whole of it."""
    text = text.strip(" .*_`–—-")
    pairs = {"[": "]", "(": ")", "{": "}"}
    while len(text) > 1 and pairs.get(text[0]) == text[-1] and text.count(text[0]) == 1:
        text = text[1:-1].strip(" .*_`–—-")
    return text


def _letters(text: str) -> str:
    """The letters that can be read, without quotation marks and the dots for those that cannot."""
    return text.strip(" :\"'“”‘’«»()[]").strip(" .…–—_-").strip(" \"'“”‘’")


def is_stated(value: Any) -> bool:
    """Whether a value states anything ("unclear", "not stated in this letter", "illegible" and null do not)."""
    return _says_something(value) if isinstance(value, str) else value is not None


@lru_cache(maxsize=2048)
def _says_something(value: str) -> bool:
    text = _line(value).strip(" .[](){}").strip()
    if text.casefold() in _NOT_STATED or _FORMS["at all"].fullmatch(text):
        return False
    illegible = read_illegible(value)
    return illegible is None or illegible.is_value


def has_failed(value: Any) -> bool:
    """Whether a value says that the extraction itself failed; that is told apart from "not in the document"."""
    return isinstance(value, str) and _FORMS["failed"].fullmatch(_line(value)) is not None


def says_unchanged(value: Any) -> bool:
    """The standard's words given as a value: "unchanged - refer to original agreement"."""
    return isinstance(value, str) and _FORMS["unchanged"].fullmatch(_line(value)) is not None


def _line(text: str) -> str:
    return " ".join(text.split())
