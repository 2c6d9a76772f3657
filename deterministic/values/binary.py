"""Yes or no (judging.md section 2, row "binary"): notations agree or the value is wrong. Never hallucinated by value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deterministic.values.comparison import Comparison, Surroundings, as_text, shown

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

_WORDS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
_LED = re.compile(r"(?P<word>yes|true|no|false|[yn])\s*[,.;:(–—-]\s*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)


def parse(value: Any) -> bool | None:
    """Y/N, yes/no, true/false in any case, or a JSON boolean; None for everything else.

    Where it stands may follow a mark ("Yes (Clause 23.15)", "N - no such clause"), another yes or no may not.
    """
    text = as_text(value).rstrip(".")
    led = _LED.fullmatch(text)
    if led and led["rest"].casefold() not in _WORDS:
        text = led["word"]
    return _WORDS.get(text.casefold())


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Agreeing notations are correct; any other answer, also one that is neither yes nor no, is wrong."""
    given, expected = parse(reported), parse(gold)
    if expected is None:
        return Comparison("open", f"The expected value {shown(gold)} is neither yes nor no.")
    if given is expected:
        return Comparison("correct", f"{shown(reported)} agrees with {shown(gold)}.")
    return Comparison("wrong", f"{shown(reported)} does not agree with {shown(gold)}.")


def occurs(value: Any, document: Document) -> bool:
    """A yes or no is never written as such; it can be wrong but not invented."""
    return True


def supports(value: Any, text: str) -> bool:
    """No text contains a yes or no; whether a clause is there is for the judge to say."""
    return False
