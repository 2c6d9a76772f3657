"""What every kind of value answers: how a reported value compares with the expected one.

A comparison never guesses. `open` means that no rule of judging.md section 2 decides and a judge has to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

Label = Literal["correct", "semantic_match", "partial", "wrong", "open"]

_RANK: dict[Label, int] = {"correct": 0, "semantic_match": 1, "partial": 2, "open": 3, "wrong": 4}


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


def as_text(value: Any) -> str:
    """The value as one line of text; "" for None and for values that are no single text (lists, objects)."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return str(value).lower() if isinstance(value, bool) else ""
    return " ".join(str(value).split())


def as_items(value: Any) -> tuple[str, ...]:
    """The texts of a list value; a single text is a list of one; empty entries are left out."""
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(text for text in map(as_text, entries) if text)


def is_verbatim(value: str, quotes: Sequence[str], *, ignore_case: bool) -> bool:
    """Does the value stand in one of the quotes, character for character but for runs of white space, on token boundaries?"""
    if not value:
        return False
    pattern = r"(?<!\w)(?<!\d[.,])" if value[0].isalnum() else ""
    pattern += r"\s+".join(re.escape(word) for word in value.split())
    pattern += r"(?!\w|[.,]\d)" if value[-1].isalnum() else ""
    flags = re.IGNORECASE if ignore_case else 0
    return any(re.search(pattern, quote, flags) for quote in quotes)


def raise_verbatim(comparison: Comparison, reported: str, surroundings: Surroundings, *, ignore_case: bool) -> Comparison:
    """A value equal to gold by type that stands verbatim in its own located quote matches the source: correct (judging.md 2)."""
    if comparison.label == "semantic_match" and is_verbatim(reported, surroundings.quotes, ignore_case=ignore_case):
        return Comparison("correct", f"{comparison.reason} It stands so in its own quote.", comparison.codes)
    return comparison


def best_of(
    compare: Callable[[Any, Any], Comparison],
    reported: Any,
    gold: Any,
    accepted: tuple[Any, ...],
) -> Comparison:
    """Compare with gold, then with each accepted alternative; an alternative is worth a semantic match at most.

    `open` ranks above `wrong`: while one alternative is undecided, the value is not wrong.
    """
    best = compare(reported, gold)
    for alternative in accepted:
        candidate = compare(reported, alternative)
        if candidate.label == "correct":
            candidate = Comparison("semantic_match", f"{shown(reported)} is an accepted form of {shown(gold)}.", candidate.codes)
        if _RANK[candidate.label] < _RANK[best.label]:
            best = candidate
    return best


def shown(value: Any) -> str:
    """The value as it is quoted in a reason."""
    items = as_items(value)
    return '"' + "; ".join(items) + '"' if items else "nothing"
