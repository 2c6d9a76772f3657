"""Page and section of quotes that stand in the documents. Derived places are kept apart: nothing counts them as the system's own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deterministic.citations.section_claims import sections_at
from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from judge.convert.cases import Converted, Target
from judge.inputs.documents import DocumentStore
from judge.inputs.files import DocumentsFolder

Citations = Iterator[tuple[str, dict[str, Any]]]
DERIVED = "derived_citations"


def complete_citations(converted: Converted, documents: Path, target: Target, cache_dir: Path | None) -> int:
    """Looks up every quote that lacks page or section, and returns how many were found at one place.
    In a batch the places go to `metadata`, which no judgement reads; in gold, which people vouch for, also into the
    citation. A quote that stands at several places stays as it is."""
    folder = DocumentsFolder(documents)
    store = DocumentStore(folder, cache_dir=cache_dir)
    found = 0
    for line in converted.lines:
        derived: dict[str, dict[str, Any]] = {}
        for path, citation in _citations(line["gold" if target == "gold" else "output"], ""):
            names = converted.documents[line["case_id"]]
            name = str(citation.get("document") or (names[0] if len(names) == 1 else ""))
            is_whole = citation.get("page") and citation.get("section")
            if not name or not citation.get("quote") or is_whole or folder.problem_of(name):
                continue
            place = _place(store.documents([name])[name], str(citation["quote"]))
            missing = {key: value for key, value in {"document": name, **place}.items() if place and citation.get(key) is None}
            if missing:
                derived[path] = missing
                if target == "gold":
                    citation.update(missing)
        if derived:
            line.setdefault("metadata", {})[DERIVED] = derived
            found += len(derived)
    return found


def _place(document: Document, quote: str) -> dict[str, Any]:
    """The one page and the innermost provision where a quote stands verbatim; nothing where there are several or none."""
    match = find_quote(document, quote, lower=100.0)
    if match.verdict not in ("exact", "normalised") or len(match.occurrences) != 1:
        return {}
    sections = sections_at(document, match.occurrences)
    page = {} if document.paging == "none" else {"page": match.occurrences[0].pages[0]}
    return {**page, **({"section": sections[0]} if len(sections) == 1 else {})}


def _citations(value: Any, path: str) -> Citations:
    """Every citation below a value, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            below = f"{path}.{key}".strip(".")
            if key == "citation" and isinstance(inner, dict):
                yield below, inner
            elif key == "citations" and isinstance(inner, list):
                yield from ((f"{below}[{n}]", entry) for n, entry in enumerate(inner))
            else:
                yield from _citations(inner, below)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _citations(inner, f"{path}[{n}]")
