"""The numbers of a whole document, found once."""

from __future__ import annotations

from deterministic.documents.documents import Document
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers


def numbers_of(document: Document) -> tuple[NumberMention, ...]:
    """The numbers of a document, found once."""
    return document.cached("values.numbers", lambda: scan_numbers(folded_of(document)))


def folded_of(document: Document) -> str:
    """The folded text of a document, made once."""
    return document.cached("values.folded", lambda: fold(document.text))
