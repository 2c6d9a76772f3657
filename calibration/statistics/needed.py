"""How many labels, in how many cases, until the trust gate's own interval clears its bar or is as narrow as wanted.
The exact bounds at the end answer for independent labels. All else asks the interval that the gate uses, on simulated further cases: their
sizes are drawn from the sizes seen, their rows share a rate of the case. The same seed gives the same answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import SEED, Cases
from calibration.statistics.distributions import normal_quantile, t_quantile
from calibration.statistics.estimate import LEVEL
from calibration.statistics.intervals import LEAST_DEGREES, effective_sizes

Floats = NDArray[np.float64]
POWER = 0.9
DETECTION_POWER = 0.8  # of the least change that is named
MARGIN = 0.02  # simulated power above the promised one, for its own noise
RUNS = 400
MOST_CASES = 5_000
MOST_DRAWN = 800_000  # simulated cases at a time, to bound memory
MOST_ALIKE = 0.9  # an intra-class correlation is taken to be no more


@dataclass(frozen=True, slots=True)
class Need:
    """Further labels and the further cases that hold them. rate: what the answer takes the true rate to be, 0..1."""

    labels: int
    cases: int
    rate: float


NOTHING = Cases(np.zeros(0), np.zeros(0))  # right verdicts and labels of each case, before the first label


@dataclass(frozen=True, slots=True)
class World:
    """What further cases are like. rate 0..1; sizes: labels a case, one of them drawn for each; alike: intra-class correlation, 0..1."""

    rate: float
    sizes: Floats
    alike: float


def ends(hits: Floats, sizes: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Both ends of the gate's interval for many proportions at once; the last axis holds the cases."""
    total = sizes.sum(-1)
    size = effective_sizes(hits, sizes)
    t = t_quantile(level, np.maximum(total**2 / (sizes**2).sum(-1) - 1, LEAST_DEGREES))
    share = hits.sum(-1) / total
    centre = (share + t * t / (2 * size)) / (1 + t * t / size)
    half = t / (1 + t * t / size) * np.sqrt(share * (1 - share) / size + t * t / (4 * size * size))
    return centre - half, centre + half


def draw(world: World, cases: int, runs: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """(hits, sizes) of simulated cases, each (runs, cases)."""
    sizes = generator.choice(world.sizes, size=(runs, cases))
    if world.alike <= 0 or world.sizes.max() <= 1:
        return generator.binomial(sizes.astype(int), world.rate).astype(float), sizes
    weight = (1 - world.alike) / world.alike
    rates = generator.beta(max(world.rate * weight, 1e-9), max((1 - world.rate) * weight, 1e-9), size=sizes.shape)
    return generator.binomial(sizes.astype(int), rates).astype(float), sizes


def world_of(seen: Cases) -> World:
    """What further cases are like, going by those seen: a rate drawn a little towards one half, a correlation that is rather too large."""
    total = float(seen.sizes.sum())
    size = float(effective_sizes(seen.sums, seen.sizes))
    worst = float((seen.sizes**2).sum()) / total
    alike = (total / size - 1) / (worst - 1) if worst > 1 else 0.0
    rate = (float(seen.sums.sum()) / total * size + 1) / (size + 2)
    return World(rate, seen.sizes[seen.sizes > 0], min(max(alike, 0.0), MOST_ALIKE))


def needed_for_bar(seen: Cases, bar: float, world: World, level: float = LEVEL, power: float = POWER) -> Need | None:
    """The fewest further cases with which the lower end reaches the bar in a share `power` of the runs; None where no number does."""
    if world.rate <= bar:
        return None
    return _fewest(seen, world, power, lambda hits, sizes: ends(hits, sizes, level)[0] >= bar)


def needed_for_width(half: float, world: World, level: float = LEVEL, power: float = POWER) -> Need | None:
    """The fewest cases with which the interval is at most `half` to either side, on average of the two, in a share `power` of the runs."""

    def is_narrow(hits: Floats, sizes: Floats) -> NDArray[np.bool_]:
        low, high = ends(hits, sizes, level)
        return (high - low) / 2 <= half

    return _fewest(NOTHING, world, power, is_narrow)


def _fewest(seen: Cases, world: World, power: float, holds: Callable[[Floats, Floats], NDArray[np.bool_]]) -> Need | None:
    before = int(np.count_nonzero(seen.sizes > 0))

    def is_enough(cases: int) -> bool:
        runs = max(100, min(RUNS, MOST_DRAWN // (before + cases)))
        hits, sizes = draw(world, cases, runs, np.random.default_rng([SEED, cases]))
        hits = np.concatenate([np.broadcast_to(seen.sums, (runs, len(seen.sums))), hits], axis=1)
        sizes = np.concatenate([np.broadcast_to(seen.sizes, (runs, len(seen.sizes))), sizes], axis=1)
        return float(np.mean(holds(hits, sizes))) >= min(power + MARGIN, 0.999)

    low, high = max(0, 1 - before), max(1, 2 - before)
    while not is_enough(high):
        if high >= MOST_CASES:
            return None
        low, high = high, min(MOST_CASES, high * 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return Need(max(1, round(high * float(world.sizes.mean()))), high, world.rate)


def labels_without_error(error: float, delta: float = 0.05) -> int:
    """How many labels without a single error show an error rate below `error` at level 1 - delta: 59 for 5 % at 95 %."""
    return math.ceil(math.log(delta) / math.log(1 - error))


def detectable_change(n: float, rate: float = 0.5, *, power: float = DETECTION_POWER, level: float = 0.95) -> float | None:
    """The least change of a share at `rate` that n rows show with the given power (normal approximation); None without rows."""
    if n <= 0:
        return None
    return (normal_quantile(level) + normal_quantile(2 * power - 1)) * math.sqrt(rate * (1 - rate) / n)
