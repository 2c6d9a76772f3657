"""Which decided items people should label: seeded samples with the probability of each draw, so that rates can be weighted back."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the item came into the list: design, its stratum, and the probability with which it was drawn (0..1]."""

    design: str = "hand_picked"
    stratum: str = ""
    probability: float = 1.0


WHOLE_LIST = Sampling()


class Drawable(Protocol):
    """What can be drawn: it has a key of its own and an outcome, which is its stratum."""

    @property
    def key(self) -> tuple[str, str, str | None]: ...

    @property
    def outcome(self) -> str: ...


T = TypeVar("T", bound=Drawable)


def random_sample(items: Sequence[T], size: int, seed: int) -> list[tuple[T, Sampling]]:
    """`size` items, each with the same probability; in a shuffled order."""
    drawn = _shuffled(items, seed)[:size]
    probability = len(drawn) / len(items) if items else 1.0
    return [(item, Sampling("random", "", probability)) for item in drawn]


def stratified_sample(items: Sequence[T], size: int, seed: int) -> list[tuple[T, Sampling]]:
    """As equal a share of each outcome as there is, so that rare outcomes are seen; the probability differs by stratum."""
    strata: dict[str, list[T]] = defaultdict(list)
    for item in _shuffled(items, seed):
        strata[item.outcome].append(item)
    sizes = allocate({name: len(members) for name, members in strata.items()}, size)
    drawn = [
        (item, Sampling("stratified", name, sizes[name] / len(members)))
        for name, members in sorted(strata.items())
        for item in members[: sizes[name]]
    ]
    order = {item.key: n for n, item in enumerate(_shuffled([item for item, _ in drawn], seed))}
    return sorted(drawn, key=lambda pair: order[pair[0].key])


def allocate(pools: dict[str, int], size: int) -> dict[str, int]:
    """Equal numbers from each pool; what a small pool cannot give goes to the larger ones."""
    given = dict.fromkeys(sorted(pools), 0)
    left = min(size, sum(pools.values()))
    while left > 0:
        for name in given:
            if left > 0 and given[name] < pools[name]:
                given[name] += 1
                left -= 1
    return given


def _shuffled(items: Sequence[T], seed: int) -> list[T]:
    """An order that depends on the seed and the items alone, not on the Python version's random numbers."""

    def rank(item: T) -> bytes:
        return hashlib.sha256(f"{seed}\0{item.key}".encode("utf-8", "backslashreplace")).digest()

    return sorted(items, key=rank)
