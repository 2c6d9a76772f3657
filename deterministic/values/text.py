"""Free text: equal but for case and white space is correct, everything else is the judge's (judging.md section 2, row "text")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deterministic.values.comparison import Comparison, Grammar, Reading, Surroundings, as_items, compare_read
from deterministic.values.words import contains_words, words

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

_GRAMMAR = Grammar("text", lambda text: Reading(None), lambda given, expected: Comparison("open", "may be"))


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" for values that no grammar reads: equal, equal but for punctuation, or open."""
    return compare_read(_GRAMMAR, reported, gold, accepted, surroundings)


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? Text is never hallucinated by value; this serves reasons only."""
    line = document.cached(("values.text", "words"), lambda: " " + " ".join(words(document.text)) + " ")
    keys = [" ".join(words(item)) for item in as_items(value)]
    return any(key and f" {key} " in line for key in keys)


def supports(value: Any, text: str) -> bool:
    """Do the words of the value (for a list: of one of its items) stand in the text?"""
    return any(contains_words(text, item) for item in as_items(value))
