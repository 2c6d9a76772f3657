"""What every kind of value answers: how a reported value compares with the expected one.

A comparison never guesses. `open` means that no rule of judging.md section 2 decides and a judge has to be asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from deterministic.documents import Document

Label = Literal["correct", "semantic_match", "partial", "wrong", "open"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A label with one plain sentence that names both values, and the finding codes that go with it."""

    label: Label
    reason: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a comparison may look at beside the two values.

    `quotes` are the texts that stand at the value's own located quotes, in source characters; `document_text` is the whole
    text of the case's documents (do several dollars occur?); `siblings` are gold's values of the same field in other tranches.
    """

    quotes: tuple[str, ...] = ()
    document_text: str = ""
    siblings: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A value that stands in running text: its half-open range of offsets, the parsed value and the characters."""

    start: int
    end: int
    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """The rules of one kind of value.

    `compare(reported, gold, accepted, surroundings)`; `occurs(value, document)` says whether the value stands anywhere in the
    document in an equivalent form; `supports(value, text)` whether a text contains it. A wrong value of a literal kind that
    occurs nowhere in the document is a hallucination.
    """

    compare: Callable[[Any, Any, tuple[Any, ...], Surroundings], Comparison]
    occurs: Callable[[Any, Document], bool]
    supports: Callable[[Any, str], bool]
    is_literal: bool
