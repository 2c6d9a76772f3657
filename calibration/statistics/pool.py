"""A rate from labels that were drawn out of a run: the verdicts of all its questions are known, so labels are only needed for how many of
each verdict are right.
A class's rate is R / (R + B): R its rows that the judge got right, B those that it got wrong, each a sum over the verdicts (strata) of the
stratum's share of the pool times the share of its drawn rows. Each of these shares has its interval (a beta interval at the effective
number of rows, as Korn and Graubard, Survey Methodology 24, 1998, 193-201); they are put together by recovered variances (MOVER: Zou and
Donner, Statistics in Medicine 27, 2008, 1693-1702) of (1 - c) R - c B, and the interval's ends are the c at which its ends are 0. The hull
with the cluster-robust interval of the weighted ratio covers what cases share across verdicts."""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import count

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import SEED
from calibration.statistics.distributions import beta_ends, normal_quantile, t_quantile
from calibration.statistics.estimate import LEVEL, Estimate, undefined
from calibration.statistics.intervals import LEAST_DEGREES, clustered_mean, effective_sizes
from calibration.statistics.looks import level_of_look
from calibration.statistics.needed import MARGIN, POWER, RUNS

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """What was drawn from. counts: verdict -> questions of each case (agreement) with it, zeros included; sizes: labels drawn up to each
    step of the draw; drawn: questions drawn of each verdict; lost: those of them that the label file lacks;
    level: of all looks together; accepting: the verdicts that accept."""

    counts: Mapping[str, tuple[int, ...]]
    sizes: tuple[int, ...]
    drawn: Mapping[str, int]
    lost: Mapping[str, int]
    level: float = LEVEL
    accepting: tuple[str, ...] = ()

    @property
    def look_level(self) -> float:
        """The level of the interval at this step, with what looking before has cost."""
        return level_of_look(self.sizes, self.level)

    @property
    def strata(self) -> tuple[str, ...]:
        """The verdicts, in a fixed order."""
        return tuple(sorted(self.counts))

    @property
    def totals(self) -> Floats:
        """Questions of each verdict."""
        return np.array([sum(self.counts[name]) for name in self.strata], float)

    def weight(self, stratum: str) -> float:
        """How many questions of the pool a drawn one of this verdict stands for."""
        return sum(self.counts[stratum]) / self.drawn[stratum]

    def design_effects(self, rows: Floats) -> Floats:
        """How far more rows of each verdict, spread over the agreements, count for less at worst: rows of one agreement all alike."""
        found = np.ones(len(rows))
        for place, name in enumerate(self.strata):
            counts = np.array(self.counts[name], float)
            expected = counts * min(rows[place] / max(counts.sum(), 1.0), 1.0)
            part = expected % 1
            if rows[place] > 0:
                found[place] = max(1.0, (expected**2 + part * (1 - part)).sum() / rows[place])
        return found

    def share_sizes(self) -> Floats:
        """How many independent questions the share of each verdict in the pool is worth."""
        cases = np.array([self.counts[name] for name in self.strata], float)
        return effective_sizes(cases, np.broadcast_to(cases.sum(0), cases.shape))


@dataclass(frozen=True, slots=True)
class Parts:
    """Shares of the drawn rows of each stratum, the last axis: `right` of the class and got right, `wrong` of it and got wrong; rows,
    wrong_rows: what each is worth in independent rows. can_be_right, can_be_wrong: whether the stratum's verdict allows it at all.
    share, share_rows: of the pool, and what that is worth."""

    right: Floats
    wrong: Floats
    right_rows: Floats
    wrong_rows: Floats
    can_be_right: NDArray[np.bool_]
    can_be_wrong: NDArray[np.bool_]
    share: Floats
    share_rows: Floats


def ends(parts: Parts, level: float) -> tuple[float, float]:
    """Both ends of R / (R + B) of one draw; 0..1 where nothing was drawn."""
    spans = _spans(parts, level)
    return _end(parts, spans, is_low=True), _end(parts, spans, is_low=False)


def clears(parts: Parts, level: float, bar: float) -> NDArray[np.bool_]:
    """Whether the lower end is at the bar or above it."""
    return _is_inside(parts, _spans(parts, level), np.array(bar), is_low=True)


def _spans(parts: Parts, level: float) -> Mapping[str, tuple[Floats, Floats]]:
    spans = {}
    for name, value, rows, can in (
        ("right", parts.right, parts.right_rows, parts.can_be_right),
        ("wrong", parts.wrong, parts.wrong_rows, parts.can_be_wrong),
        ("share", parts.share, parts.share_rows, parts.share_rows > 0),
    ):
        low, high = beta_ends(value * rows, rows, level)
        spans[name] = np.where(can, value - low, 0.0), np.where(can, high - value, 0.0)
    return spans


def _is_inside(parts: Parts, spans: Mapping[str, tuple[Floats, Floats]], c: Floats, *, is_low: bool) -> NDArray[np.bool_]:
    """Whether the end of (1 - c) R - c B is above 0, which it is for a c below the rate's own end."""
    down, up = (0, 1) if is_low else (1, 0)
    c = c[..., None]
    of_stratum = (1 - c) * parts.right - c * parts.wrong
    squares = (parts.share * (1 - c) * spans["right"][down]) ** 2 + (parts.share * c * spans["wrong"][up]) ** 2
    squares = squares + (of_stratum * np.where(of_stratum > 0, spans["share"][down], spans["share"][up])) ** 2
    value, half = (parts.share * of_stratum).sum(-1), np.sqrt(squares.sum(-1))
    return np.asarray(value - half > 0 if is_low else value + half > 0)


def _end(parts: Parts, spans: Mapping[str, tuple[Floats, Floats]], *, is_low: bool) -> float:
    """The c at which that end is 0, on ever finer grids."""
    low, width = 0.0, 1.0
    for _ in range(5):  # to 1e-9
        grid = low + width * np.arange(1, 64) / 64
        low += width / 64 * int(np.count_nonzero(_is_inside(parts, spans, grid, is_low=is_low)))
        width /= 64
    return low if is_low else low + width


@dataclass(frozen=True, slots=True)
class Rows:
    """The drawn rows of all strata. stratum, cluster: codes; right, wrong: 0..1, how far a row is of the class and got right, or wrong
    (fractions where people are divided); n: labels of the class."""

    stratum: NDArray[np.intp]
    cluster: NDArray[np.intp]
    right: Floats
    wrong: Floats
    n: int


def rate_in(pool: Pool, rows: Rows, level: float, *, own: NDArray[np.bool_] | None, lost: Floats | None = None) -> Estimate:
    """The rate with its interval. own: the strata whose verdict is right of this class, where the strata are the verdicts that are rated;
    None where they are not (another judge on the same draw). lost: drawn rows of each stratum that are not among `rows`, each taken to be
    got wrong."""
    held = (rows.right + rows.wrong) > 0
    if not held.any():
        return undefined("no_items")
    missing = np.zeros(len(pool.strata)) if lost is None else lost
    parts, drawn = _parts(pool, rows, level, missing, own)
    weight = np.divide(pool.totals, drawn, out=np.zeros(len(drawn)), where=drawn > 0)[rows.stratum]
    sums = np.stack([np.bincount(rows.cluster, weights=weight * part) for part in (rows.right, rows.right + rows.wrong)])
    sums = sums[:, sums[1] > 0]
    right, wrong = (float((parts.share * part).sum()) for part in (parts.right, parts.wrong))
    value, groups = right / (right + wrong), sums.shape[1]
    robust = clustered_mean(sums[0], sums[1], level)
    if robust.value is None or robust.high is None:
        return Estimate(value, n=rows.n, clusters=groups, reason=robust.reason)
    (low, high), half = ends(parts, level), robust.high - robust.value
    low, high = max(0.0, min(low, value - half)), min(1.0, max(high, value + half))
    method = f"by verdict, beta intervals and recovered variances, or {robust.method} where wider"
    return Estimate(value, low, high, rows.n, groups, method, None, level, _worth(value, low, rows.n, level))


def _worth(value: float, low: float, n: int, level: float) -> float:
    """How many independent labels an interval with this lower end is worth (Wilson's turned round), at most n."""
    z = normal_quantile(level)
    spread = value - low
    found = z * z * low / max(1 - low, 1e-9) if value >= 1 else value * (1 - value) * (z / max(spread, 1e-9)) ** 2
    return min(float(n), max(found, 1e-6))


def _parts(pool: Pool, rows: Rows, level: float, lost: Floats, own: NDArray[np.bool_] | None) -> tuple[Parts, Floats]:
    strata, clusters = len(pool.strata), int(rows.cluster.max()) + 1
    place = rows.stratum * clusters + rows.cluster

    def by_case(values: Floats) -> Floats:
        return np.asarray(np.bincount(place, weights=values, minlength=strata * clusters).reshape(strata, clusters), float)

    sizes, right, wrong = by_case(np.ones(len(rows.right))), by_case(rows.right), by_case(rows.wrong)
    if lost.any():  # each a case of its own, got wrong
        extra = np.concatenate([np.eye(strata)[s][None].repeat(int(count), 0) for s, count in enumerate(lost)]).T
        sizes, wrong = np.concatenate([sizes, extra], 1), np.concatenate([wrong, extra], 1)
        right = np.concatenate([right, np.zeros_like(extra)], 1)
    drawn = sizes.sum(1)
    safe = np.where(drawn[:, None] > 0, sizes, 1.0)
    total = safe.sum(1)
    degrees = np.maximum(total**2 / (safe**2).sum(1) - 1, LEAST_DEGREES)
    shrink = np.where(drawn > 0, (normal_quantile(level) / t_quantile(level, degrees)) ** 2, 0.0)
    alone = max(max(counts) for counts in pool.counts.values()) <= 1  # questions that are cases of their own are binomial
    shrink = np.where(alone, 1.0, shrink) * (drawn > 0)
    right_rows, wrong_rows = effective_sizes(right, safe) * shrink, effective_sizes(wrong, safe) * shrink
    shares = [np.divide(part.sum(1), drawn, out=np.zeros(strata), where=drawn > 0) for part in (right, wrong)]
    can_right = np.ones(strata, bool) if own is None else own
    can_wrong = np.ones(strata, bool) if own is None else ~own
    found = Parts(shares[0], shares[1], right_rows, wrong_rows, can_right, can_wrong, pool.totals / pool.totals.sum(), pool.share_sizes())
    return (found if own is None or own.any() != own.all() else _with_unseen(found, is_right=not own.any())), drawn


def _with_unseen(parts: Parts, *, is_right: bool) -> Parts:
    """With the verdict that no question of the pool has, whose rows would all be right or all be wrong: a few questions of one verdict do
    not show that there is no other."""
    more = (float(is_right), float(not is_right), 1.0, 1.0, is_right, not is_right, 0.0, parts.share_rows.min())
    return Parts(*(np.append(getattr(parts, one.name), value) for one, value in zip(fields(Parts), more, strict=True)))


LIKELY = 0.95  # the rates that a draw is planned with before the first label
LEAST_DRAWN = 5  # of each verdict
LEAST_INSIDE = 0.02  # share of wrong verdicts that a draw is planned with: none seen in few rows is not none
Z = 1.96


def allocate(totals: Mapping[str, int], accepting: Sequence[str], size: int, bars: tuple[float, float]) -> dict[str, int]:
    """How many questions of each verdict a draw of this size takes, for the narrowest interval that decides. bars: of failures caught and
    of passes recognised. Neyman's allocation of (1 - bar) R - bar B for each side, at rates of LIKELY; the side that needs more decides; of
    every verdict at least LEAST_DRAWN."""
    names = sorted(totals)
    pooled = np.array([totals[name] for name in names], float)
    share = pooled / pooled.sum()
    says_good = np.array([name in accepting for name in names])
    said_good = float(share[says_good].sum())
    good = min(max((said_good - (1 - LIKELY)) / (2 * LIKELY - 1), 0.02), 0.98)
    wanted = np.zeros(len(names))
    for bar, mass, is_side in ((bars[0], 1 - good, ~says_good), (bars[1], good, says_good)):
        in_class = np.where(is_side, LIKELY, 1 - LIKELY) * mass
        group = np.where(is_side, share[is_side].sum(), share[~is_side].sum())
        inside = np.clip(in_class / np.maximum(group, 1e-9), LEAST_INSIDE, 1 - LEAST_INSIDE)
        part = np.where(is_side, 1 - bar, bar) * share * np.sqrt(inside * (1 - inside))
        slack = mass * ((1 - bar) * LIKELY - bar * (1 - LIKELY))
        wanted = np.maximum(wanted, Z * Z * part * part.sum() / slack**2)
    return _filled(pooled, wanted, size, names)


def _filled(there: Floats, wanted: Floats, size: int, names: Sequence[str]) -> dict[str, int]:
    """Whole numbers in proportion to what is wanted, none above what there is, of each the least."""
    size = min(size, int(there.sum()))
    given = np.minimum(there, LEAST_DRAWN)
    if given.sum() > size:
        given = np.floor(given * size / given.sum())
    while (left := size - int(given.sum())) > 0:
        lack = np.where(given < there, np.maximum(wanted, 1e-9) / wanted.sum() * size - given, -np.inf)
        place = int(lack.argmax())
        given[place] += max(1, min(left // 2, int(lack[place]) // 2, int(there[place] - given[place]))) if left > 8 else 1
    return {name: int(number) for name, number in zip(names, given, strict=True)}


FURTHER = (10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 85, 100, 120, 150, 200, 300, 500, 800, 1200)


@dataclass(frozen=True, slots=True)
class Growth:
    """A draw that can grow. in_class: rows of a class among the drawn ones of each verdict, further ones are taken to be like them; own:
    the verdicts that are right of it; bar: its; bars: of failures caught and of passes recognised. What they cannot be had of is not
    promised: the pool holds no more."""

    pool: Pool
    in_class: Mapping[str, float]
    own: Sequence[str]
    bar: float
    bars: tuple[float, float]

    def labels_next(self) -> int | None:
        """How many a next step asks for: three times the fewest that can do it, for a rate from few labels says little of what is needed;
        at most as many again as are drawn; at least half of that after the first step and all of it later, for every look costs. All this
        as many times as the verdicts, which are known of every question, are alike within an agreement (their design effect)."""
        pool, drawn, is_own = self.pool, self.pool.sizes[-1], np.array([name in self.own for name in self.pool.strata])
        fewest = self._fewest(is_own)
        asked = min(max(3 * fewest, drawn // 2 if len(pool.sizes) == 1 else drawn), drawn) if fewest else 0
        return int(asked * pool.totals.sum() / pool.share_sizes()[is_own].min(initial=pool.totals.sum())) or None

    def _fewest(self, is_own: NDArray[np.bool_]) -> int | None:
        """The fewest further labels that can do it: none of them wrong."""
        pool, totals = self.pool, {name: sum(self.pool.counts[name]) for name in self.pool.strata}
        before = np.array([pool.drawn.get(name, 0) for name in pool.strata], float)
        hits = np.array([self.in_class.get(name, 0.0) for name in pool.strata])
        share, share_rows = pool.totals / pool.totals.sum(), pool.share_sizes()

        def rows_with(more: int) -> Floats:
            given = allocate(totals, pool.accepting, int(before.sum()) + more, self.bars)
            return np.asarray(np.maximum(before, np.array([given[name] for name in pool.strata], float)))

        def is_enough(more: int) -> bool:
            rows = rows_with(more)
            found = (hits + np.where(is_own, (hits + 0.5) / (before + 1) * (rows - before), 0.0)) / np.maximum(rows, 1)
            rarer = np.minimum(found, 1 - found) * rows
            size = rows * (rarer + 2) / (rarer + 2 * pool.design_effects(rows))
            parts = _of_draws(found, size, is_own, share, share_rows)
            return bool(clears(parts, level_of_look((*pool.sizes, int(rows.sum())), pool.level), self.bar))

        place = bisect_left(FURTHER, True, key=is_enough)
        return None if place == len(FURTHER) else int(rows_with(FURTHER[place]).sum() - before.sum()) or None


def _of_draws(in_class: Floats, size: Floats, own: NDArray[np.bool_], share: Floats, share_rows: Floats) -> Parts:
    """Of simulated draws: shares of a class among the rows of each verdict, whose number is worth `size`."""
    return Parts(np.where(own, in_class, 0.0), np.where(own, 0.0, in_class), size, size, own, ~own, share, share_rows)


def first_labels(rate: float, failing: float, bars: tuple[float, float], level: float) -> int | None:
    """How many labels a first step takes for trust in nine of ten cases, before anything is known; failing: share that should be
    refused."""
    says_bad = failing * rate + (1 - failing) * (1 - rate)
    totals = {"accepts": round(10_000 * (1 - says_bad)), "refuses": round(10_000 * says_bad)}
    share, refuses = np.array([*totals.values()], float) / 10_000, np.array([False, True])
    bad = np.array([failing * (1 - rate), failing * rate]) / np.maximum(share, 1e-9)
    generator = np.random.default_rng(SEED)
    for size in (*range(20, 300, 10), *range(300, 2001, 50)):
        rows = np.array([*allocate(totals, ("accepts",), size, bars).values()], float)
        found = generator.binomial(rows.astype(int), np.clip(bad, 0, 1), size=(RUNS, 2)) / rows
        many, pooled, look = np.broadcast_to(rows, found.shape), np.full(2, 10_000.0), level_of_look((size,), level)
        passed = clears(_of_draws(found, many, refuses, share, pooled), look, bars[0])
        passed &= clears(_of_draws(1 - found, many, ~refuses, share, pooled), look, bars[1])
        if float(passed.mean()) >= POWER + MARGIN:
            return int(size)
    return None


DRAW_SEED = 0  # of the order in which questions are drawn; there is no other to choose


def hash_rank(name: str) -> bytes:
    """A place that follows from the name alone."""
    return hashlib.sha256(f"{DRAW_SEED}\0{name}".encode("utf-8", "backslashreplace")).digest()


def most_of_one(sizes: Sequence[int]) -> int:
    """How many questions of one agreement a draw may choose from: as many as the middle one has, or as many as leave half of all questions.
    A rate is worth as many agreements as there are only where none of them holds far more questions than the others."""
    middle = sorted(sizes)[len(sizes) // 2]
    return next(most for most in count(middle) if 2 * sum(min(size, most) for size in sizes) >= sum(sizes))


def spread(names: Sequence[str]) -> list[int]:
    """Places of a list that stands agreement by agreement: a systematic sample of any size (places in van der Corput's order), begun
    anywhere, so that rows of one agreement are drawn together only where there are more rows than agreements."""
    if not names:
        return []
    bits, start = (len(names) - 1).bit_length(), int.from_bytes(hash_rank("\0".join(names))) % len(names)
    reversed_ = (int(f"{place:b}".zfill(bits)[::-1], 2) if bits else 0 for place in range(1 << bits))
    return [(place + start) % len(names) for place in dict.fromkeys(value * len(names) >> bits for value in reversed_)]
