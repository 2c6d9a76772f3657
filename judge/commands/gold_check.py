"""Gold against the documents, so that wrong gold is found before a system is blamed: GOLD_NOT_FOUND, with file, line and JSON path.

What is looked for is each capability's own (`gold_faults`). A document with unreadable pages proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from judge.capabilities.case_criteria import missed_by_gold
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.engines.session import Prepared
from judge.errors import Problem
from judge.inputs.case_files.reader import line_at
from judge.inputs.documents import DocumentStore
from rubrics.contract import load_contract

CODE = "GOLD_NOT_FOUND"
WITH_DIMENSIONS = "companion"  # the contract under which an item keeps what a row's rule asks for
UNMET = "gold as an output does not meet the rule of row {row!r}, which is for a right one"


def gold_problems(prepared: Prepared, store: DocumentStore) -> Iterator[Problem]:
    """Everything that gold says and its documents do not, case by case."""
    for entry in chain.from_iterable(group for _, group in sorted(prepared.entries.by_documents().items())):
        if entry.gold is None or not entry.documents:
            continue
        documents = store.documents(entry.documents)
        if all(document.is_readable for document in documents.values()):
            faults = capability_of(entry.capability).gold_faults(prepared.index.load(entry), documents, prepared.contract)
            for path, message in faults:
                yield Problem(str(entry.gold.path), line_at(entry.gold, path), path, f"{CODE}: {message}")


def criteria_warnings(prepared: Prepared, store: DocumentStore) -> Iterator[Problem]:
    """Cases whose gold misses the row of their own table that stands for a right output."""
    contract = prepared.contract if prepared.contract.dimensions is not None else load_contract(WITH_DIMENSIONS)
    for entry in chain.from_iterable(group for _, group in sorted(prepared.entries.by_documents().items())):
        if entry.gold is None or not entry.documents or not (case := prepared.index.load(entry)).criteria:
            continue
        context = Context(case, store.documents(entry.documents), contract)
        for row in missed_by_gold(capability_of(entry.capability), context):
            yield Problem(str(entry.gold.path), line_at(entry.gold, "criteria"), "criteria", UNMET.format(row=row))
