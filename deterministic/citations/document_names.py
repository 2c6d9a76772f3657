"""Which document of a case a citation names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from deterministic.documents.documents import Document

DocumentWord = Literal["right", "imprecise", "unknown", "missing", "other"]
"""How a citation names its document; "other": the quote stands only in another one."""


def named_documents(name: str | None, documents: Sequence[Document]) -> tuple[DocumentWord, Sequence[Document]]:
    """How well the document is named, and the documents to look in: the named one, or all when none is named."""
    if name is None or not name.strip():
        return "missing", documents
    if exact := [document for document in documents if document.name == name]:
        return "right", exact[:1]
    if near := [document for document in documents if _bare(document.name) == _bare(name)]:
        return "imprecise", near[:1]
    return "unknown", ()


def _bare(name: str) -> str:
    """A file name without its extension, case folded."""
    path = PurePath(name.strip())
    return (
        path.stem
        if path.suffix.casefold() in (".pdf", ".txt", ".docx", ".doc", ".tif", ".tiff", ".png", ".jpg", ".jpeg", ".pages")
        else path.name
    ).casefold()
