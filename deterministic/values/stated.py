"""Texts that state nothing: "not specified", "see original agreement", "illegible", a failed extraction (real_agreements.md R3)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_NOT_STATED = {
    "", "null", "none", "nil", "n/a", "na", "-", "tbc", "tbd", "to be confirmed", "to be determined", "to be agreed", "not stated",
    "not specified", "not applicable", "not available", "not provided", "not found", "unclear", "unknown", "undated", "various", "●",
}  # fmt: skip
# how a longer text says the same ("Unclear - see the conditions to effectiveness", "not stated in the amendment", "see original agreement")
_AT_ALL = re.compile(
    r"(?:(?:is|are|was|were|has|have)\s+)?(?:unclear|unknown|undated|not\s+(?:been\s+)?(?:explicitly\s+|expressly\s+|clearly\s+)?"
    r"(?:stated|specified|provided|available|given|clear|found|known|defined|mentioned|disclosed|identified|included|shown|set\s+out))\b\D*"
    r"|(?:see|refer\s+to|per|as\s+(?:per|in|stated\s+in|set\s+out\s+in)|(?:as\s+)?(?:stated|set\s+out)\s+in|unchanged\s*[-–—,;]?\s*(?:see|refer\s+to))"
    r"\s+(?:the\s+)?(?:original|existing|principal|underlying|facility|credit|loan)\s+[^\d]*"
    r"|no\s+(?:information|value|data|such\s+\w+|mention)\b\D*(?:found|available|provided|stated|given)?",
    re.IGNORECASE,
)
_ILLEGIBLE = re.compile(
    r"[(\[]?\s*(?:partly\s+|partially\s+)?(?:illegible|not\s+legible|unreadable|cannot\s+be\s+read|missing:?\s+page\s+\d+.*|page\s+\d+\s+is\s+(?:missing|not).*)\s*[)\]]?",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"[\W_]*(?:extraction|processing|parsing|llm|model)?[\s_]*(?:failed|failure|error|timed?[\s_]?out)\b.{0,80}", re.IGNORECASE
)
_UNCHANGED = re.compile(r"(?:unchanged|not\s+amended|no\s+change)\b(?:\W*(?:see|refer\s+to)\b[^\d]*)?\W*", re.IGNORECASE)


def is_stated(value: Any) -> bool:
    """Whether a value states anything ("unclear", "not stated in this letter", "illegible" and null do not)."""
    return _says_something(value) if isinstance(value, str) else value is not None


@lru_cache(maxsize=2048)
def _says_something(value: str) -> bool:
    text = _line(value).strip(" .[](){}").strip()
    return text.casefold() not in _NOT_STATED and not _AT_ALL.fullmatch(text) and not _ILLEGIBLE.fullmatch(text)


def has_failed(value: Any) -> bool:
    """Whether a value says that the extraction itself failed; that is told apart from "not in the document"."""
    return isinstance(value, str) and _FAILED.fullmatch(_line(value)) is not None


def says_unchanged(value: Any) -> bool:
    """The standard's words given as a value: "unchanged - refer to original agreement"."""
    return isinstance(value, str) and _UNCHANGED.fullmatch(_line(value)) is not None


def _line(text: str) -> str:
    return " ".join(text.split())
