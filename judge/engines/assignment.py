"""What an engine is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.engines.loop import Control, Sink
    from judge.inputs.documents import DocumentStore
    from judge.inputs.index import CaseIndex
    from judge.inputs.table import CaseSelection
    from judge.results.exceptions import Exceptions
    from judge.settings import Settings
    from rubrics.contract import Contract


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an engine is given: the cases to judge, and where their parts and their results are."""

    index: CaseIndex
    entries: CaseSelection
    store: DocumentStore
    document_hashes: Mapping[str, str]
    contract: Contract
    exceptions: Exceptions | None
    settings: Settings
    sink: Sink
    control: Control


@dataclass(frozen=True, slots=True)
class Account:
    """What the judging took. usage, fingerprint: of the judge, empty when none was asked; uncovered: rubric -> why it does not count for
    the gates; trouble: document -> why it could not be read."""

    usage: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    uncovered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trouble: Mapping[str, str] = field(default_factory=dict)


Engine = Callable[[Assignment], Account]
