"""Records that are made many times a case."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A dataclass that nobody may change, as the type checker sees to; a frozen one costs three times as much to make. It is compared and
    hashed by its fields like a frozen one. For records of which a case makes a dozen or more; others are frozen."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
