"""Gold against the documents, so that wrong gold is found before a system is blamed: GOLD_NOT_FOUND, with file, line and JSON path.

What is looked for is each capability's own (`gold_faults`). A document with unreadable pages proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from judge.capabilities.registry import capability_of
from judge.errors import Problem
from judge.inputs.documents import DocumentStore
from judge.session import Prepared

CODE = "GOLD_NOT_FOUND"


def gold_problems(prepared: Prepared, store: DocumentStore) -> Iterator[Problem]:
    """Everything that gold says and its documents do not, case by case."""
    for entry in chain.from_iterable(group for _, group in sorted(prepared.entries.by_documents().items())):
        if entry.gold is None or not entry.documents:
            continue
        documents = store.documents(entry.documents)
        if all(document.is_readable for document in documents.values()):
            faults = capability_of(entry.capability).gold_faults(prepared.index.load(entry), documents, prepared.contract)
            for path, message in faults:
                yield Problem(str(entry.gold.path), entry.gold.line, path, f"{CODE}: {message}")
