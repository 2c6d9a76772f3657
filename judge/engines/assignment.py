"""What an engine is given, and what it gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from judge.engines.run_file import Prepared
from judge.inputs.documents import DocumentStore
from judge.records import JudgedCase
from judge.results.exceptions import Exceptions
from judge.settings import Settings


class Sink(Protocol):
    """Where finished cases go."""

    def append(self, case: JudgedCase) -> None: ...


@dataclass
class Control:
    """What stops the loop: a person, the budget, or an endpoint that cannot be used. `advance` is called once a case."""

    is_stopping: bool = False
    is_budget_reached: bool = False
    endpoint_error: str = ""
    advance: Callable[[], None] = lambda: None

    @property
    def is_over(self) -> bool:
        """No further case is begun and no further question asked."""
        return self.is_stopping or bool(self.endpoint_error)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an engine is given: the cases to judge, and where their parts and their results are."""

    prepared: Prepared
    store: DocumentStore
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
