"""Do the intervals that the product prints cover, and does its decision keep its word? Simulated clustered labels.

Shares: coverage of every printed interval, over intra-class correlations, numbers of cases, cases of one size and of lognormal sizes.
Decisions: how often a judge at the bar is trusted, whether the promised number of labels suffices, whether the certified risk is kept where
large cases are harder. One process; docs/use/calibration.md says with which runs its numbers were made.

    python benchmarks/trust/calibration_coverage.py [--shape lognormal] [--parts ordered|decisions|promises] [--runs 400]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.decision.gate import check_rate
from calibration.label_files.labels import LabelledItem
from calibration.measures.confidence import clustered_auroc, clustered_brier
from calibration.measures.humans import measure_humans
from calibration.measures.performance import measure_reading, share_of
from calibration.measures.probes import measure_probes
from calibration.measures.retest import measure_retest
from calibration.measures.sample import MISSING, Flags, Sample
from calibration.measures.selective import certify
from calibration.statistics import agreement
from calibration.statistics.clusters import Cases
from calibration.statistics.correction import corrected_rate, lower_sum, prediction_powered
from calibration.statistics.estimate import Estimate
from calibration.statistics.intervals import clustered_proportion
from calibration.statistics.needed import ends
from calibration.statistics.paired import compare_pairs

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
ICCS = (0.0, 0.1, 0.3, 0.6)
CLUSTERS = (20, 40, 80, 200)
SIGMAS, UNEQUAL_CLUSTERS, UNEQUAL_ICCS = (1.0, 1.5), (8, 20, 80, 200), (0.1, 0.3, 0.5)
PILOTS = (8, 20, 40)  # cases of a pilot from which the labels still needed are promised
BAR = 0.8
ROWS = 5
NOMINAL = 0.95


@dataclass(frozen=True, slots=True)
class World:
    """How labels arise. prevalence of passes; the judge's sensitivity and specificity; each person's accuracy; all 0..1."""

    prevalence: float
    sensitivity: float
    specificity: float
    person: float


WORLDS = {
    "even": World(0.5, 0.85, 0.85, 0.92),
    "rare failures": World(0.85, 0.92, 0.85, 0.95),
    "near perfect": World(0.5, 0.98, 0.97, 0.98),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One shape of data. icc: intra-class correlation; sigma: of the logarithm of the number of rows a case, 0 for ROWS in each."""

    icc: float
    clusters: int
    sigma: float = 0.0

    def rows(self, generator: np.random.Generator) -> Codes:
        """The case of each row."""
        if not self.sigma:
            return np.repeat(np.arange(self.clusters), ROWS)
        sizes = np.exp(generator.normal(np.log(ROWS) - self.sigma**2 / 2, self.sigma, self.clusters))
        return np.repeat(np.arange(self.clusters), np.maximum(1, np.rint(sizes)).astype(int))

    @property
    def mixed(self) -> Cell:
        """The same with cases that differ at least a little."""
        return replace(self, icc=max(self.icc, 1e-3))

    def grown(self, times: int) -> Cell:
        """The same with more cases."""
        return replace(self, clusters=times * self.clusters)


def by_case(generator: np.random.Generator, mean: float, cell: Cell) -> Floats:
    """A rate for each case, beta distributed with this mean and intra-class correlation."""
    if cell.icc == 0:
        return np.full(cell.clusters, mean)
    weight = (1 - cell.icc) / cell.icc
    return generator.beta(mean * weight, (1 - mean) * weight, size=cell.clusters)


def draw(generator: np.random.Generator, world: World, cell: Cell) -> Sample:
    """A sample with the truth as one careful person's label (or three imperfect people's), a judge, a repeat and a probe without effect."""
    cluster = cell.rows(generator)
    truth = generator.random(len(cluster)) < by_case(generator, world.prevalence, cell)[cluster]
    hit = by_case(generator, world.sensitivity, cell)[cluster]
    miss = by_case(generator, world.specificity, cell)[cluster]
    chance = np.where(truth, hit, 1 - miss)
    readings = {"judge": (generator.random(len(cluster)) < chance).astype(int)}
    return _sample(truth.astype(int)[None], readings, cluster, cell.clusters, np.full(len(cluster), np.nan))


def _sample(
    humans: NDArray[np.intp], readings: dict[str, NDArray[np.intp]], cluster: NDArray[np.intp], clusters: int, sure: Floats
) -> Sample:
    counts = np.stack([(humans == code).sum(0) for code in (0, 1)])
    truth = np.where(counts[0] == counts[1], MISSING, counts.argmax(0))
    items = (LabelledItem("i", "c", ()),) * len(cluster)
    names = tuple(f"a{number}" for number in range(len(humans)))
    return Sample("", ("fail", "pass"), names, humans, truth, readings, cluster, clusters, np.ones(len(cluster)), sure, items)


def true_table(world: World) -> Floats:
    """The joint shares of people's and judge's labels in the population (clusters' rates are independent of one another)."""
    fail, good = 1 - world.prevalence, world.prevalence
    return np.array(
        [[fail * world.specificity, fail * (1 - world.specificity)], [good * (1 - world.sensitivity), good * world.sensitivity]]
    )


Tally = dict[str, list[int]]


def note(tally: Tally, name: str, estimate: object, truth: float) -> None:
    """Counts one interval: covered or not; those that do not exist are not counted."""
    low, high = getattr(estimate, "low", None), getattr(estimate, "high", None)
    if low is not None and high is not None:
        tally[name].append(int(low - 1e-12 <= truth <= high + 1e-12))


def agreement_run(generator: np.random.Generator, tally: Tally, world: World, cell: Cell) -> None:
    """Shares by class, coefficients, corrected rates."""
    sample = draw(generator, world, cell)
    found = measure_reading(sample, "judge", ("pass",))
    table = true_table(world)
    note(tally, "sensitivity", found.sensitivity, world.sensitivity)
    note(tally, "specificity", found.specificity, world.specificity)
    note(tally, "base rate", found.base_rate, world.prevalence)
    note(tally, "precision", found.classes[1].precision, float(table[1, 1] / table[:, 1].sum()))
    for name, estimate in found.statistics:
        note(tally, name, estimate, float(agreement.STATISTICS[name](table)))
    pool = draw(generator, world, cell.grown(2))
    everything = np.ones(len(pool.items), bool)
    known, good, said = np.ones(len(sample.items), bool), sample.truth == 1, sample.readings["judge"] == 1
    scored = share_of(pool, everything, pool.readings["judge"] == 1)
    bound = lower_sum(found.specificity, found.sensitivity)
    if bound is not None:
        parts = share_of(sample, known & ~good, ~said), share_of(sample, known & good, said)
        note(tally, "corrected rate", corrected_rate(scored, *parts, bounds_sum=bound), world.prevalence)
    cases = [cases_of(one, values) for one, values in ((sample, good), (sample, said), (pool, pool.readings["judge"] == 1))]
    note(tally, "PPI++", prediction_powered(*cases), world.prevalence)


def cases_of(sample: Sample, values: Flags) -> Cases:
    """A value added up by case."""
    sums = [
        np.bincount(sample.cluster, weights=column, minlength=sample.clusters) for column in (values.astype(float), np.ones(len(values)))
    ]
    return Cases(*(column[sums[1] > 0] for column in sums))


def weighted_run(generator: np.random.Generator, tally: Tally, cell: Cell) -> None:
    """Every refusal and one accepted row in five is labelled, with weights 1 and 5: the misses stand in few heavy rows."""
    world = WORLDS["rare failures"]
    sample = draw(generator, world, cell.grown(2))
    refused = sample.readings["judge"] == 0
    sample = replace(sample, weights=np.where(refused, 1.0, 5.0)).select(refused | (generator.random(len(sample.items)) < 0.2))
    found = measure_reading(sample, "judge", ("pass",))
    note(tally, "sensitivity, weighted", found.sensitivity, world.sensitivity)
    note(tally, "specificity, weighted", found.specificity, world.specificity)
    for name, estimate in found.statistics:
        note(tally, f"{name}, weighted", estimate, float(agreement.STATISTICS[name](true_table(world))))


def people_run(generator: np.random.Generator, tally: Tally, world: World, cell: Cell) -> None:
    """Three people and a judge around a hidden truth: alpha, pairwise kappa, ceiling. The truth of each figure is a large draw's value."""
    found = measure_humans(draw_people(generator, world, cell))
    truth = people_truth(world, cell.icc)
    for name, estimate in people_figures(found):
        note(tally, name, estimate, truth[name])


def draw_people(generator: np.random.Generator, world: World, cell: Cell) -> Sample:
    """Three people whose errors share the difficulty of the case."""
    cluster = cell.rows(generator)
    truth = (generator.random(len(cluster)) < by_case(generator, world.prevalence, cell)[cluster]).astype(int)
    right = by_case(generator, world.person, cell)[cluster]
    humans = np.stack([np.where(generator.random(len(cluster)) < right, truth, 1 - truth) for _ in range(3)])
    judge = np.where(generator.random(len(cluster)) < by_case(generator, world.sensitivity, cell)[cluster], truth, 1 - truth)
    return _sample(humans, {"judge": judge}, cluster, cell.clusters, np.full(len(cluster), np.nan))


def people_figures(found: object) -> list[tuple[str, object]]:
    """The printed figures of the people."""
    ceiling = found.ceiling  # type: ignore[attr-defined]
    names = ("human", "judge", "gap", "human_kappa", "judge_kappa", "kappa_gap")
    pairs = [("pair kappa", found.pairs[0].kappa), ("alpha", found.alpha)]  # type: ignore[attr-defined]
    return [*pairs, *((f"ceiling {name}", getattr(ceiling, name)) for name in names)]


_TRUTHS: dict[tuple[World, float], dict[str, float]] = {}


def people_truth(world: World, icc: float) -> dict[str, float]:
    """The values that the figures tend to, from one draw of 40,000 cases."""
    if (world, icc) not in _TRUTHS:
        found = measure_humans(draw_people(np.random.default_rng(99), world, Cell(icc, 40_000)))
        _TRUTHS[world, icc] = {name: estimate.value for name, estimate in people_figures(found)}  # type: ignore[attr-defined]
    return _TRUTHS[world, icc]


def draw_ordered(generator: np.random.Generator, cell: Cell) -> Sample:
    """Four ordered labels, two people and a judge who are mostly right and else mostly one step off, with the case's own difficulty."""
    cluster = cell.rows(generator)
    centre = by_case(generator, 0.5, cell.mixed)[cluster]
    truth = generator.binomial(3, centre)

    def said(right: float) -> Codes:
        hit = generator.random(len(cluster)) < by_case(generator, right, cell)[cluster]
        step = np.where(generator.random(len(cluster)) < 0.5, -1, 1) * np.where(generator.random(len(cluster)) < 0.8, 1, 2)
        return np.where(hit, truth, np.clip(truth + step, 0, 3))

    humans = np.stack([said(0.9), said(0.9)])
    sample = _sample(humans, {"judge": said(0.8)}, cluster, cell.clusters, np.full(len(cluster), np.nan))
    counts = np.stack([(humans == code).sum(0) for code in range(4)])
    level = counts.max(0) == 1
    return replace(sample, labels=("0", "1", "2", "3"), truth=np.where(level, MISSING, counts.argmax(0)))


def ordered_figures(sample: Sample) -> list[tuple[str, Estimate]]:
    """The figures of four ordered classes."""
    found = measure_reading(sample, "judge", ("2", "3"), is_ordinal=True)
    people = measure_humans(sample, is_ordinal=True)
    figures = [(f"{name}, 4 classes", estimate) for name, estimate in found.statistics]
    figures += [(f"recall of {own.label}, 4 classes", own.recall) for own in found.classes]
    figures += [(f"precision of {own.label}, 4 classes", own.precision) for own in found.classes]
    assert people.alpha_ordinal is not None and found.sensitivity is not None and found.specificity is not None
    figures += [("alpha, 4 classes", people.alpha), ("alpha ordinal, 4 classes", people.alpha_ordinal)]
    figures += [("sensitivity, 4 classes", found.sensitivity), ("specificity, 4 classes", found.specificity)]
    return [*figures, ("ceiling kappa_gap, 4 classes", people.ceiling.kappa_gap)]


_ORDERED: dict[float, dict[str, float]] = {}


def ordered_run(generator: np.random.Generator, tally: Tally, cell: Cell) -> None:
    """Four ordered classes; truths from a draw of 40,000 cases."""
    if cell.icc not in _ORDERED:
        large = ordered_figures(draw_ordered(np.random.default_rng(97), Cell(cell.icc, 40_000)))
        _ORDERED[cell.icc] = {name: float(estimate.value or 0.0) for name, estimate in large}
    for name, estimate in ordered_figures(draw_ordered(generator, cell)):
        note(tally, name, estimate, _ORDERED[cell.icc][name])


def confidence_run(generator: np.random.Generator, tally: Tally, cell: Cell) -> None:
    """Brier score and AUROC of a confidence that is right on average; truths from a large draw."""
    sure, right, cluster = draw_confidence(generator, cell)
    note(tally, "Brier score", clustered_brier(sure, right, cluster, cell.clusters), confidence_truth(cell.icc)[0])
    note(tally, "AUROC", clustered_auroc(sure, right, cluster, cell.clusters), confidence_truth(cell.icc)[1])


def draw_confidence(generator: np.random.Generator, cell: Cell) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Confidence per row around the case's own level, correct with that probability."""
    cluster = cell.rows(generator)
    level = by_case(generator, 0.8, cell.mixed)[cluster]
    sure = np.clip(0.5 * level + 0.5 * generator.beta(4, 1, size=len(cluster)), 0.01, 0.99)
    return sure, (generator.random(len(cluster)) < sure).astype(float), cluster


_SURE: dict[float, tuple[float, float]] = {}


def confidence_truth(icc: float) -> tuple[float, float]:
    """Brier score and AUROC of 40,000 cases."""
    if icc not in _SURE:
        sure, right, cluster = draw_confidence(np.random.default_rng(98), Cell(icc, 40_000))
        found = clustered_brier(sure, right, cluster, 40_000).value, clustered_auroc(sure, right, cluster, 40_000).value
        _SURE[icc] = float(found[0] or 0), float(found[1] or 0)
    return _SURE[icc]


def change_run(generator: np.random.Generator, tally: Tally, cell: Cell, shift: float) -> None:
    """Paired change of accuracy between two judges that share the case's difficulty; a repeat's flip rate."""
    cluster = cell.rows(generator)
    before = generator.random(len(cluster)) < by_case(generator, 0.85, cell)[cluster]
    turned = generator.random(len(cluster)) < by_case(generator, shift, cell)[cluster]
    after = before & ~turned
    note(tally, "paired change", compare_pairs(before, after, cluster, cell.clusters).change, -0.85 * shift)
    flips = generator.random(len(cluster)) < by_case(generator, 0.06, cell)[cluster]
    judge = before.astype(int)
    sample = _sample(
        np.ones((1, len(cluster)), int),
        {"judge": judge, "repeat:1": np.where(flips, 1 - judge, judge)},
        cluster,
        cell.clusters,
        judge * 1.0,
    )
    retest = measure_retest(sample)
    assert retest is not None
    note(tally, "retest flip rate", retest.flip_rate, 0.06)
    note(tally, "share by hand", share_of(sample, np.ones(len(cluster), bool), judge == 1), 0.85)


def probe_run(generator: np.random.Generator, tally: Tally, flagged: Tally, cell: Cell, bias: float) -> None:
    """A judge with retest noise of 4 % and a planted bias: that share of refusals turns into acceptance under the probe."""
    cluster = cell.rows(generator)
    base = (generator.random(len(cluster)) < by_case(generator, 0.5, cell)[cluster]).astype(int)

    def noisy(codes: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.where(generator.random(len(codes)) < 0.02, 1 - codes, codes)

    turned = generator.random(len(cluster)) < by_case(generator, bias, cell)[cluster] if bias else np.zeros(len(cluster), bool)
    readings = {"judge": noisy(base), "repeat:1": noisy(base), "probe:padding": noisy(np.where(turned, 1, base))}
    readings["probe:formatting"] = noisy(base)
    sample = _sample(base[None], readings, cluster, cell.clusters, np.full(len(cluster), np.nan))
    results = {result.name: result for result in measure_probes(sample, ("pass",))}
    change = 0.5 * bias * (1 - 2 * 0.02)
    note(tally, f"probe change, planted {bias:g}", results["padding"].change, change)
    note(tally, f"probe excess, planted {bias:g}", results["padding"].excess, change * (1 - 2 * 0.02))
    flagged[f"planted {bias:g}"].append(int(results["padding"].is_flagged))
    flagged["unplanted"].append(int(results["formatting"].is_flagged))


def bar_run(generator: np.random.Generator, cell: Cell, rate: float, share: float, runs: int) -> tuple[float, float]:
    """(coverage, share at or above `rate` with its lower end: false trust of a judge at the bar) of the gate's interval, many runs at once.
    share: of the rows that are of the class, drawn per case as the rates are."""
    if cell.sigma:
        sizes = np.exp(generator.normal(np.log(ROWS) - cell.sigma**2 / 2, cell.sigma, (runs, cell.clusters)))
        sizes = np.maximum(1, np.rint(sizes)).astype(int)
    else:
        sizes = np.full((runs, cell.clusters), ROWS)
    weight = (1 - cell.icc) / cell.icc
    of_class = generator.binomial(sizes, generator.beta(share * weight, (1 - share) * weight, sizes.shape))
    hits = generator.binomial(of_class, generator.beta(rate * weight, (1 - rate) * weight, sizes.shape))
    known = (np.count_nonzero(of_class, axis=1) > 1).nonzero()[0]  # in one case there is no interval
    low, high = ends(hits[known].astype(float), of_class[known].astype(float))
    return float(np.mean((low - 1e-12 <= rate) & (rate <= high + 1e-12))), float(np.sum(low >= rate) / runs)


def selective_run(generator: np.random.Generator, tally: Tally, cell: Cell, is_hard: bool, delta: float = 0.1, risk: float = 0.1) -> None:
    """Whether the certified threshold's true risk, over verdicts, is above `risk`; a run without a certificate is none.
    The confidence of a row says little, so thresholds lie near the edge where a careless bound fails most. is_hard: the rate of errors
    grows with the size of the case."""
    found = certify(*draw_selective(generator, cell, is_hard), risk=risk, delta=delta)
    name = "selective bound violated" + (", large cases harder" if is_hard else "")
    tally[name].append(int(found.threshold is not None and selective_truth(cell, found.threshold, is_hard) > risk))
    tally["certified"].append(int(found.threshold is not None))


def draw_selective(generator: np.random.Generator, cell: Cell, is_hard: bool) -> tuple[Floats, Flags, Codes, list[str]]:
    """(confidence, wrong, case, label) of each row."""
    cluster = cell.rows(generator)
    sizes = np.bincount(cluster, minlength=cell.clusters)
    base = np.clip(0.06 * sizes / ROWS, 0.004, 0.5) if is_hard else np.full(cell.clusters, 0.1)
    weight = (1 - cell.mixed.icc) / cell.mixed.icc
    level = generator.beta(base * weight, (1 - base) * weight)[cluster]
    sure = np.round(generator.random(len(cluster)), 2)
    return sure, generator.random(len(cluster)) < np.clip(level * (0.4 + 1.2 * (1 - sure)), 0, 1), cluster, ["x"] * len(cluster)


_RISKS: dict[tuple[Cell, bool], Floats] = {}


def selective_truth(cell: Cell, threshold: float, is_hard: bool) -> float:
    """The error rate of the verdicts at or above a threshold, from a draw of 60,000 cases."""
    key = (replace(cell, clusters=60_000), is_hard)
    if key not in _RISKS:
        sure, wrong, *_ = draw_selective(np.random.default_rng(96), *key)
        place = np.rint(sure * 100).astype(int)
        rows, errors = (np.bincount(place, weights=values, minlength=101)[::-1].cumsum()[::-1] for values in (np.ones(len(sure)), wrong))
        _RISKS[key] = errors / rows
    return float(_RISKS[key][round(threshold * 100)])


def promise_run(generator: np.random.Generator, tally: Tally, cell: Cell, rate: float) -> None:
    """A pilot of one class; where it leaves the bar open, the promised number of further cases is drawn: does the gate then open?"""
    pilot = class_of(generator, cell, rate)
    check = check_rate("x", clustered_proportion(*pilot), BAR, seen=Cases(*pilot))
    if check.state != "open":
        return
    tally["a number is promised"].append(int(check.cases_needed is not None))
    if check.cases_needed is not None:
        more = class_of(generator, replace(cell, clusters=check.cases_needed), rate)
        whole = clustered_proportion(*(np.concatenate(parts) for parts in zip(pilot, more, strict=True)))
        tally["the promise is kept"].append(int((whole.low or 0) >= BAR))


def class_of(generator: np.random.Generator, cell: Cell, rate: float) -> tuple[Floats, Floats]:
    """(right verdicts, labels) of each case."""
    sizes = np.bincount(cell.rows(generator), minlength=cell.clusters)
    return generator.binomial(sizes, by_case(generator, rate, cell)).astype(float), sizes.astype(float)


@dataclass(slots=True)
class Book:
    """What is found over all cells: interval -> worst coverage and where, coverage of each cell; event -> share of each cell."""

    worst: dict[str, tuple[float, str]]
    means: dict[str, list[float]]
    events: dict[str, list[tuple[float, str]]]

    def add(self, tallies: dict[str, Tally], where: str) -> None:
        _merge(tallies, self.worst, self.means, where)

    def count(self, tally: Tally, where: str) -> None:
        """Events are no coverage: their share is told with the cell in which it is largest."""
        for name, found in tally.items():
            if found:
                self.events.setdefault(name, []).append((float(np.mean(found)), f"{where}, {len(found)} runs"))

    def tell(self) -> None:
        """Both tables."""
        print(f"\n{'interval':<40}{'mean':>8}{'worst':>8}  where")
        for name, (share, where) in sorted(self.worst.items(), key=lambda entry: entry[1][0]):
            print(f"{name:<40}{np.mean(self.means[name]):8.3f}{share:8.3f}  {where}")
        print(f"\n{'event':<52}{'mean':>8}{'least':>8}{'most':>8}  where most; where least")
        for name, found in sorted(self.events.items()):
            low, high = min(found), max(found)
            print(f"{name:<52}{np.mean([share for share, _ in found]):8.3f}{low[0]:8.3f}{high[0]:8.3f}  {high[1]}; {low[1]}")


def run_shares(cell: Cell, where: str, book: Book, runs: int) -> None:
    """Everything that has an interval."""
    generator = np.random.default_rng([int(cell.icc * 10), cell.clusters, int(cell.sigma * 10)])
    tallies: dict[str, Tally] = {}
    for name, world in WORLDS.items():
        tally = tallies.setdefault(name, defaultdict(list))
        for _ in range(runs):
            agreement_run(generator, tally, world, cell)
        for _ in range(runs // 2):
            people_run(generator, tally, world, cell)
    for _ in range(runs // 2):
        ordered_run(generator, tallies.setdefault("4 classes", defaultdict(list)), cell)
        weighted_run(generator, tallies.setdefault("sampled thinly", defaultdict(list)), cell)
    for shift in (0.02, 0.2):
        tally = tallies.setdefault(f"shift {shift:g}", defaultdict(list))
        for _ in range(runs):
            change_run(generator, tally, cell, shift)
            confidence_run(generator, tally, cell)
    tally, flagged = tallies.setdefault("probes", defaultdict(list)), defaultdict(list)
    for bias in (0.1, 0.3):
        for _ in range(runs):
            probe_run(generator, tally, flagged, cell, bias)
    book.add(tallies, where)
    book.count({f"flagged, {name}": found for name, found in flagged.items()}, where)


def run_ordered(cell: Cell, where: str, book: Book, runs: int) -> None:
    """Ordered classes alone, and figures of two even ones and their people."""
    generator = np.random.default_rng([9, int(cell.icc * 10), cell.clusters, int(cell.sigma * 10)])
    tallies: dict[str, Tally] = {"4 classes": defaultdict(list), "even": defaultdict(list)}
    for _ in range(runs):
        ordered_run(generator, tallies["4 classes"], cell)
        agreement_run(generator, tallies["even"], WORLDS["even"], cell)
        people_run(generator, tallies["even"], WORLDS["even"], cell)
    book.add(tallies, where)


def run_decisions(cell: Cell, where: str, book: Book, runs: int) -> None:
    """What is decided: trust at the bar, promised numbers of labels, certified thresholds."""
    generator = np.random.default_rng([7, int(cell.icc * 10), cell.clusters, int(cell.sigma * 10)])
    for rate, share in ((BAR, 0.5), (0.95, 0.5), (BAR, 0.15), (0.9, 0.15)):
        covered, above = bar_run(generator, cell, rate, share, 5 * runs)
        book.events.setdefault(f"covered, true rate {rate:.0%}, class {share:.0%} of the rows", []).append((covered, where))
        if rate == BAR:
            book.events.setdefault(f"false trust at the bar, class {share:.0%} of the rows", []).append((above, where))
    for is_hard in (False, True):
        tally: Tally = defaultdict(list)
        for _ in range(runs // 16):
            selective_run(generator, tally, cell.grown(4), is_hard)
        book.count(tally, where)


def run_promises(cell: Cell, where: str, book: Book, runs: int) -> None:
    """Whether the number of labels that a pilot is told suffices."""
    generator = np.random.default_rng([8, int(cell.icc * 10), cell.clusters, int(cell.sigma * 10)])
    for rate in (0.9, 0.95, 0.97):
        tally: Tally = defaultdict(list)
        for _ in range(runs):
            promise_run(generator, tally, cell, rate)
        book.count({f"{name}, true rate {rate:.0%}": found for name, found in tally.items()}, where)


def main() -> None:
    """Runs the chosen studies and prints their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--shape", choices=("equal", "lognormal"), default="equal")
    parser.add_argument("--parts", choices=("shares", "ordered", "decisions", "promises"), default="shares")
    parser.add_argument("--icc", type=float, nargs="*", default=None)
    parser.add_argument("--cases", type=int, nargs="*", default=None)
    parser.add_argument("--sigma", type=float, nargs="*", default=None)
    given = parser.parse_args()
    started = time.perf_counter()
    book = Book({}, defaultdict(list), {})
    sigmas, clusters = ((0.0,), CLUSTERS) if given.shape == "equal" else (SIGMAS, UNEQUAL_CLUSTERS)
    for icc in given.icc or (ICCS if given.shape == "equal" else UNEQUAL_ICCS):
        for cell in (Cell(icc, count, sigma) for sigma in given.sigma or sigmas for count in given.cases or clusters):
            where = f"icc {icc:g}, {cell.clusters} cases" + (f", sigma {cell.sigma:g}" if cell.sigma else "")
            if given.parts == "shares":
                run_shares(cell, where, book, given.runs)
            elif given.parts == "ordered":
                run_ordered(cell, where, book, given.runs)
            elif given.parts == "decisions":
                run_decisions(cell, where, book, given.runs)
            elif cell.clusters in PILOTS:
                run_promises(cell, where, book, given.runs)
        print(f"icc {icc:g} done after {time.perf_counter() - started:.0f} s", flush=True)
    book.tell()
    print(f"{given.runs} runs a cell, {time.perf_counter() - started:.0f} s")


def _merge(tallies: dict[str, Tally], worst: dict[str, tuple[float, str]], means: dict[str, list[float]], where: str) -> None:
    for world, tally in tallies.items():
        for name, hits in tally.items():
            if len(hits) < 50:
                continue
            share = float(np.mean(hits))
            means[name].append(share)
            if share < worst.get(name, (2.0, ""))[0]:
                worst[name] = (share, f"{where}, {world}, {len(hits)} intervals")


if __name__ == "__main__":
    main()
