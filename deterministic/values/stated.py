"""Texts that state nothing: "not specified", "see original agreement", "illegible", a failed extraction (design/values.md)."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from deterministic.lexicon.labels import NOTHING

_NOT_STATED = NOTHING["value"] | {""}
# how a longer text says the same ("Unclear - see the conditions to effectiveness", "not stated in the amendment", "see original agreement")
_AT_ALL = re.compile(
    r"(?:(?:is|are|was|were|has|have)\s+)?(?:unclear|unknown|undated|not\s+(?:been\s+)?(?:explicitly\s+|expressly\s+|clearly\s+)?"
    r"(?:stated|specified|provided|available|given|clear|found|known|defined|mentioned|disclosed|identified|included|shown|set\s+out))\b\D*"
    r"|(?:see|refer\s+to|per|as\s+(?:per|in|stated\s+in|set\s+out\s+in)|(?:as\s+)?(?:stated|set\s+out)\s+in|unchanged\s*[-–—,;]?\s*(?:see|refer\s+to))"
    r"\s+(?:the\s+)?(?:original|existing|principal|underlying|facility|facilities|credit|loan)\s+[^\d]*"
    r"|(?:none|nil|n/?a)\b[\s\W]*(?:(?:not\s+)?(?:stated|specified|given|provided|found|identified|applicable|mentioned|named|disclosed)\b(?:\s+(?:in|by|within|under)\s+(?:the|this|any)\s+[^\W\d][^\d,;.]{1,40})?|no\s+[\w\s-]{2,40})\W*"
    r"|no\s+[a-z][a-z\s-]{2,40}?\s+(?:is|are)\s+(?:payable|charged|applicable|due)\W*"
    r"|no\s+(?:information|value|data|such\s+\w+|mention)\b\D*(?:found|available|provided|stated|given)?",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"(?:missing|lost)\b[^\w\d]*(?:(?:on|with|the|from)\s+)*(?:pages?|pp?\.)\s*(?P<page>\d{1,6})\b(?P<note>.*)"
    r"|(?:(?:on|the)\s+)*(?:page|p\.)\s*(?P<other>\d{1,6})\b"
    r"(?P<why>.*\b(?:missing|lost|absent|not\s+(?:in|there|part|included|provided|available)|lack(?:s|ing)?)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_UNREADABLE = r"(?:illegible|unreadable|not\s+legible|not\s+readable|cannot\s+be\s+read)"
_ILLEGIBLE = re.compile(
    rf"(?:(?:partly|partially|largely|mostly)\s+)?{_UNREADABLE}\b(?P<rest>.*)"
    r"|(?:partly|partially)\s+(?:legible|readable|visible)\b(?P<part>.*)"
    rf"|(?P<seen>[^(\[]+?)[\s.…]*[(\[]\s*(?:[^()\[\]\d]{{1,30}}?\s+)?{_UNREADABLE}\s*[)\]]",
    re.IGNORECASE | re.DOTALL,
)
_VISIBLE = re.compile(
    r"[\s,;:.–—-]*\(?\s*(?:(?:only\s+)?(?:visible|legible|readable|can\s+be\s+read)\s*(?:is|are)?\s*[:=]?|:?\s*(?=[\"“‘]))\s*(?P<text>.+)",
    re.IGNORECASE | re.DOTALL,
)
_TELLING = re.compile(r"legib|readab|missing|lost|\bread\b|\bpage\b|\bp\.|visible", re.IGNORECASE)
_LONGEST = 400  # characters of a text that says no more than that something cannot be read
_PLACE = re.compile(r"\b(?:of|pages?|clauses?|sections?|schedules?|paragraphs?|articles?|p\.)\s*[\d.]+(?:\([a-z\d]+\))*", re.IGNORECASE)
# what a note on a page or passage that cannot be read does not say, unless it gives a value all the same
_GUESS = re.compile(
    r"\d|%|\b(?:assum|likely|probab|presum|appears|seems|expect|suppos|inferr|guess|would\s+be|bullet|amorti|instal|per\s+cent)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"[\W_]*(?:extraction|processing|parsing|llm|model)?[\s_]*(?:failed|failure|error|timed?[\s_]?out)\b.{0,80}", re.IGNORECASE
)
_UNCHANGED = re.compile(r"(?:unchanged|not\s+amended|no\s+change)\b(?:\W*(?:see|refer\s+to)\b[^\d]*)?\W*", re.IGNORECASE)


class Illegible(NamedTuple):
    """A value that says that it cannot be read. page: the one that the file lacks; visible: what can be read; note: what else it says."""

    page: int | None = None
    visible: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_value(self) -> bool:
        """Whether it gives something all the same: letters, or a guess beside."""
        return bool(self.visible) or _GUESS.search(_PLACE.sub("", self.note)) is not None


def read_illegible(value: Any) -> Illegible | None:
    """What "illegible", "MISSING: page 12 is not in the scan", "[partly legible: Fairw…]" or "Fairw… (rest illegible)" say, else None. A
    closed list of forms; brackets and dashes around and within them do not matter."""
    if not isinstance(value, str) or len(value) > _LONGEST or not _TELLING.search(value):
        return None
    text = _bare(_line(value))
    if found := _MISSING.fullmatch(text):
        return Illegible(int(found["page"] or found["other"]), note=found["note"] or found["why"] or "")
    if not (found := _ILLEGIBLE.fullmatch(text)):
        return None
    rest = found["rest"] or found["part"] or ""
    seen = found["seen"] or ((match := _VISIBLE.fullmatch(rest)) and match["text"]) or (found["part"] or "")
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
    if text.casefold() in _NOT_STATED or _AT_ALL.fullmatch(text):
        return False
    illegible = read_illegible(value)
    return illegible is None or illegible.is_value


def has_failed(value: Any) -> bool:
    """Whether a value says that the extraction itself failed; that is told apart from "not in the document"."""
    return isinstance(value, str) and _FAILED.fullmatch(_line(value)) is not None


def says_unchanged(value: Any) -> bool:
    """The standard's words given as a value: "unchanged - refer to original agreement"."""
    return isinstance(value, str) and _UNCHANGED.fullmatch(_line(value)) is not None


def _line(text: str) -> str:
    return " ".join(text.split())
