"""The figures of a free text: amounts, percentages, dates and periods, as typed values."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from deterministic.documents.documents import Document
from deterministic.values import KINDS, Kind, Mention, Surroundings
from deterministic.values.figures import thresholds

FIGURES = {name: kind for name, kind in KINDS.items() if kind.is_figure}
_RATIO = re.compile(
    r"(?<![\w.,:])\d{1,3}(?:\.\d{1,3})?(?:\s?:\s?1(?:\.0+)?|\s?(?:x|×)|\s(?:times|to\s(?:1(?:\.0+)?|one)))(?![\w:]|\.\d)", re.IGNORECASE
)
_VALUES = {
    **FIGURES,
    "ratio": Kind(  # no field's, but what a quote can share with a claim that it supports
        lambda mine, other, *_: thresholds.compare_part(mine, other), thresholds.occurs, thresholds.supports,
        scan=lambda text: tuple(Mention(m.start(), m.end(), m[0], m[0]) for m in _RATIO.finditer(text)), is_computed=True,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as it stands in a text, and its kind of value."""

    kind: str
    text: str

    @property
    def value(self) -> str:
        """The figure as a value of its kind: without the bracket that a figure behind its words closes ("two (2) per cent.")."""
        return self.text.replace(")", " ", 1) if self.text.count(")") > self.text.count("(") else self.text


SCANNED_LENGTH = 20_000  # characters of an answer in which figures are looked for: far more than any answer has


@lru_cache(maxsize=4096)
def figures_in(text: str) -> tuple[Figure, ...]:
    """What an invented figure can be (design/answers.md): amounts, percentages and dates of a text, in the order of their kinds."""
    return tuple(Figure(name, m.text) for name, kind in FIGURES.items() if not kind.is_computed for m in kind.scan(text[:SCANNED_LENGTH]))


@lru_cache(maxsize=4096)
def values_in(text: str) -> tuple[Figure, ...]:
    """The figures of a text, its periods and its ratios."""
    scanned = text[:SCANNED_LENGTH]
    return (*figures_in(text), *(Figure(name, m.text) for name, kind in _VALUES.items() if kind.is_computed for m in kind.scan(scanned)))


def stands_in(figure: Figure, document: Document) -> bool:
    """Whether a figure stands in a document in any equivalent form."""
    return _VALUES[figure.kind].occurs(figure.value, document)


def invented_figures(text: str, question: str, documents: Collection[Document]) -> list[str]:
    """The figures of an answer that stand in no document and not in the question."""
    return [f.text for f in figures_in(text) if not holds_figure(f, question) and not any(stands_in(f, d) for d in documents)]


def holds_figure(figure: Figure, text: str) -> bool:
    """Whether a text holds a figure in an equivalent form."""
    return _VALUES[figure.kind].supports(figure.value, text)


Verdict = Literal["equal", "different", "open"]


def relation(mine: Figure, other: Figure) -> Verdict:
    """Whether two figures are one value. `open`: of two kinds, or of one kind that no rule compares."""
    if mine.kind != other.kind:
        return "open"
    found = _VALUES[mine.kind].compare(mine.value, other.value, (), Surroundings()).label
    return "equal" if found in ("correct", "semantic_match") else "different" if found == "wrong" else "open"


def whole_value(text: str) -> Figure | None:
    """The one value that a text is from its first to its last character; None where it says anything beside it (L2)."""
    bare = text.strip().rstrip(".")
    return next((figure for figure in values_in(bare) if figure.text.strip().rstrip(".") == bare), None) if bare else None


def shares_figure(figures: Sequence[Figure], text: str) -> bool:
    """Whether a text holds one of the figures in an equivalent form."""
    return any(holds_figure(figure, text) for figure in figures)


def others_in(text: str, figures: Sequence[Figure]) -> bool:
    """Whether a text has a figure that is of a kind of some given figures and none of them."""
    kinds = {figure.kind for figure in figures}
    return any(one.kind in kinds and not any(relation(one, figure) == "equal" for figure in figures) for one in values_in(text) if kinds)
