"""The figures of a free text: amounts, percentages, dates and periods, as typed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from deterministic.documents import Document
from deterministic.values import KINDS, amounts, dates, periods, rate_forms

SCANNERS = {"money": amounts.scan, "rate": rate_forms.scan, "date": dates.scan}
WITH_PERIODS = {**SCANNERS, "period": periods.scan}


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as it stands in a text, and its kind of value."""

    kind: str
    text: str


@lru_cache(maxsize=4096)
def figures_in(text: str, with_periods: bool = False) -> tuple[Figure, ...]:
    """Amounts, percentages and dates of a text (and periods where asked), in the order of their kinds."""
    scanners = WITH_PERIODS if with_periods else SCANNERS
    return tuple(Figure(kind, m.text) for kind, scan in scanners.items() for m in scan(text))


def stands_in(figure: Figure, document: Document) -> bool:
    """Whether a figure stands in a document in any equivalent form."""
    return KINDS[figure.kind].occurs(figure.text, document)


def shares_figure(figures: Sequence[Figure], text: str) -> bool:
    """Whether a text holds one of the figures in an equivalent form."""
    return any(KINDS[f.kind].supports(f.text, text) for f in figures)
