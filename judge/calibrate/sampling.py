"""Which decided items people should label: seeded samples with the probability of each draw, so that rates can be weighted back."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from judge.records import Item, grouped


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the item came into the list: design, its stratum, and the probability with which it was drawn (0..1]."""

    design: str = "hand_picked"
    stratum: str = ""
    probability: float = 1.0


WHOLE_LIST = Sampling()


def draw_sample(items: Sequence[Item], size: int, seed: int, *, is_stratified: bool) -> list[tuple[Item, Sampling]]:
    """`size` items in a shuffled order, each with the same probability; stratified: as equal a share of each outcome as there is, so that
    rare outcomes are seen, with a probability by stratum. The order depends on the seed and the items alone."""
    shuffled = sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{item.key}".encode("utf-8", "backslashreplace")).digest())
    strata = grouped((str(item.outcome) if is_stratified else "", item) for item in shuffled)
    sizes, design = allocate({name: len(members) for name, members in strata.items()}, size), "stratified" if is_stratified else "random"
    drawn = {one.key: Sampling(design, name, sizes[name] / len(some)) for name, some in strata.items() for one in some[: sizes[name]]}
    return [(item, drawn[item.key]) for item in shuffled if item.key in drawn]


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
