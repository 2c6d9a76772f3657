"""The questions that a run would ask first, without asking them: for `--dry-run` and for the estimate of `judge check`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from judge.capabilities.case_criteria import decisions_of
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.engines.session import Prepared
from judge.inputs.documents import DocumentStore
from judge.records import Question


def open_questions(prepared: Prepared, store: DocumentStore) -> Iterator[Question]:
    """Every question of the first round, once; later rounds depend on the answers. Cases of one document come together."""
    seen = set[Question]()
    for entry in chain.from_iterable(group for _, group in sorted(prepared.entries.by_documents().items())):
        context = Context(prepared.index.load(entry), store.documents(entry.documents), prepared.contract)
        for decision in decisions_of(capability_of(entry.capability), context):
            for question in decision.questions:
                if question not in seen:
                    seen.add(question)
                    yield question
