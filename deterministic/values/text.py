"""Free text: whether its words stand in a document or in a quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deterministic.values.comparison import as_items
from deterministic.values.words import contains_words, document_contains_words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? Text is never hallucinated by value; this serves reasons only."""
    return any(document_contains_words(document.text, item) for item in as_items(value))


def supports(value: Any, text: str) -> bool:
    """Do the words of the value (for a list: of one of its items) stand in the text?"""
    return any(contains_words(text, item) for item in as_items(value))
