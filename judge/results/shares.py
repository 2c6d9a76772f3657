"""Means with open parts, exactly: the gates' and the companion scores' one way to sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judge.records import Bounds


@dataclass(slots=True)
class Share:
    """A share or a weighted mean with open parts: sums of the worst, the best, and the weight. Plain counts stay whole numbers (fast)."""

    worst: Fraction | int = 0
    best: Fraction | int = 0
    weight: Fraction | int = 0

    def add(self, bounds: tuple[Fraction | int, Fraction | int], weight: Fraction | int = 1) -> None:
        """Adds one observation."""
        self.worst += weight * bounds[0]
        self.best += weight * bounds[1]
        self.weight += weight

    @property
    def bounds(self) -> Bounds | None:
        """[worst, best]; None when nothing was added."""
        return (Fraction(self.worst) / self.weight, Fraction(self.best) / self.weight) if self.weight else None


def mean(scores: Sequence[Bounds]) -> Bounds:
    """The plain mean of scores with bounds, at least one."""
    low, high = (sum((score[end] for score in scores), Fraction(0)) / len(scores) for end in (0, 1))
    return low, high
