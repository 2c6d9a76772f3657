"""Do the intervals that the product prints cover? Simulated clustered labels, several intra-class correlations, 20 to 200 clusters.

Also: is the selective bound violated in at most delta of the runs, are planted biases found inside their interval, and how often is a
probe without an effect flagged. One process; the numbers of docs/calibration.md come from the defaults.

    python benchmarks/calibration_coverage.py [--runs 400] [--resamples 500]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration import agreement
from calibration.confidence import clustered_auroc, clustered_brier
from calibration.correction import corrected_rate, prediction_powered
from calibration.estimate import Estimate
from calibration.humans import measure_humans
from calibration.labels import LabelledItem
from calibration.paired import compare_pairs
from calibration.performance import measure_reading, rate_of, share_of
from calibration.probes import measure_probes
from calibration.record import lower_sum
from calibration.retest import measure_retest
from calibration.sample import MISSING, Sample
from calibration.selective import certify

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
ICCS = (0.0, 0.1, 0.3, 0.6)
CLUSTERS = (20, 40, 80, 200)
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


def by_case(generator: np.random.Generator, mean: float, icc: float, clusters: int) -> Floats:
    """A rate for each case, beta distributed with this mean and intra-class correlation."""
    if icc == 0:
        return np.full(clusters, mean)
    weight = (1 - icc) / icc
    return generator.beta(mean * weight, (1 - mean) * weight, size=clusters)


def draw(generator: np.random.Generator, world: World, icc: float, clusters: int) -> Sample:
    """A sample with the truth as one careful person's label (or three imperfect people's), a judge, a repeat and a probe without effect."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    truth = generator.random(len(cluster)) < by_case(generator, world.prevalence, icc, clusters)[cluster]
    hit = by_case(generator, world.sensitivity, icc, clusters)[cluster]
    miss = by_case(generator, world.specificity, icc, clusters)[cluster]
    chance = np.where(truth, hit, 1 - miss)
    readings = {"judge": (generator.random(len(cluster)) < chance).astype(int)}
    return _sample(truth.astype(int)[None], readings, cluster, clusters, np.full(len(cluster), np.nan))


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


def agreement_run(generator: np.random.Generator, tally: Tally, world: World, icc: float, clusters: int, resamples: int) -> None:
    """Shares by class, coefficients, corrected rates."""
    sample = draw(generator, world, icc, clusters)
    found = measure_reading(sample, "judge", ("pass",), resamples=resamples)
    table = true_table(world)
    note(tally, "sensitivity", found.sensitivity, world.sensitivity)
    note(tally, "specificity", found.specificity, world.specificity)
    note(tally, "base rate", found.base_rate, world.prevalence)
    note(tally, "precision", found.classes[1].precision, float(agreement.precision_of(table, 1)))
    for name, estimate in found.statistics:
        note(tally, name, estimate, float(agreement.STATISTICS[name](table)))
    pool = draw(generator, world, icc, clusters * 2)
    everything = np.ones(len(pool.items), bool)
    known, good, said = np.ones(len(sample.items), bool), sample.truth == 1, sample.readings["judge"] == 1
    scored = rate_of(pool, everything, pool.readings["judge"] == 1)
    bound = lower_sum(found.specificity, found.sensitivity)
    if bound is not None:
        parts = rate_of(sample, known & ~good, ~said), rate_of(sample, known & good, said)
        note(tally, "corrected rate", corrected_rate(scored, *parts, bounds_sum=bound), world.prevalence)
    means = [values.reshape(-1, ROWS).mean(1) for values in (good, said, pool.readings["judge"] == 1)]
    note(tally, "PPI++", prediction_powered(*means), world.prevalence)


def weighted_run(generator: np.random.Generator, tally: Tally, icc: float, clusters: int, resamples: int) -> None:
    """Every refusal and one accepted row in five is labelled, with weights 1 and 5: the misses stand in few heavy rows."""
    world = WORLDS["rare failures"]
    sample = draw(generator, world, icc, 2 * clusters)
    refused = sample.readings["judge"] == 0
    sample = replace(sample, weights=np.where(refused, 1.0, 5.0)).select(refused | (generator.random(len(sample.items)) < 0.2))
    found = measure_reading(sample, "judge", ("pass",), resamples=resamples)
    note(tally, "sensitivity, weighted", found.sensitivity, world.sensitivity)
    note(tally, "specificity, weighted", found.specificity, world.specificity)
    for name, estimate in found.statistics:
        note(tally, f"{name}, weighted", estimate, float(agreement.STATISTICS[name](true_table(world))))


def people_run(generator: np.random.Generator, tally: Tally, world: World, icc: float, clusters: int, resamples: int) -> None:
    """Three people and a judge around a hidden truth: alpha, pairwise kappa, ceiling. The truth of each figure is a large draw's value."""
    found = measure_humans(draw_people(generator, world, icc, clusters), resamples=resamples)
    truth = people_truth(world, icc)
    for name, estimate in people_figures(found):
        note(tally, name, estimate, truth[name])


def draw_people(generator: np.random.Generator, world: World, icc: float, clusters: int) -> Sample:
    """Three people whose errors share the difficulty of the case."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    truth = (generator.random(len(cluster)) < by_case(generator, world.prevalence, icc, clusters)[cluster]).astype(int)
    right = by_case(generator, world.person, icc, clusters)[cluster]
    humans = np.stack([np.where(generator.random(len(cluster)) < right, truth, 1 - truth) for _ in range(3)])
    judge = np.where(generator.random(len(cluster)) < by_case(generator, world.sensitivity, icc, clusters)[cluster], truth, 1 - truth)
    return _sample(humans, {"judge": judge}, cluster, clusters, np.full(len(cluster), np.nan))


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
        found = measure_humans(draw_people(np.random.default_rng(99), world, icc, 40_000), resamples=2)
        _TRUTHS[world, icc] = {name: estimate.value for name, estimate in people_figures(found)}  # type: ignore[attr-defined]
    return _TRUTHS[world, icc]


def draw_ordered(generator: np.random.Generator, icc: float, clusters: int) -> Sample:
    """Four ordered labels, two people and a judge who are mostly right and else mostly one step off, with the case's own difficulty."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    centre = by_case(generator, 0.5, max(icc, 1e-3), clusters)[cluster]
    truth = generator.binomial(3, centre)

    def said(right: float) -> Codes:
        hit = generator.random(len(cluster)) < by_case(generator, right, icc, clusters)[cluster]
        step = np.where(generator.random(len(cluster)) < 0.5, -1, 1) * np.where(generator.random(len(cluster)) < 0.8, 1, 2)
        return np.where(hit, truth, np.clip(truth + step, 0, 3))

    humans = np.stack([said(0.9), said(0.9)])
    sample = _sample(humans, {"judge": said(0.8)}, cluster, clusters, np.full(len(cluster), np.nan))
    counts = np.stack([(humans == code).sum(0) for code in range(4)])
    level = counts.max(0) == 1
    return replace(sample, labels=("0", "1", "2", "3"), truth=np.where(level, MISSING, counts.argmax(0)))


def ordered_figures(sample: Sample, resamples: int) -> list[tuple[str, Estimate]]:
    """The figures of four ordered classes."""
    found = measure_reading(sample, "judge", ("2", "3"), is_ordinal=True, resamples=resamples)
    people = measure_humans(sample, is_ordinal=True, resamples=resamples)
    figures = [(f"{name}, 4 classes", estimate) for name, estimate in found.statistics]
    figures += [(f"recall of {own.label}, 4 classes", own.recall) for own in found.classes]
    figures += [(f"precision of {own.label}, 4 classes", own.precision) for own in found.classes]
    assert people.alpha_ordinal is not None and found.sensitivity is not None and found.specificity is not None
    figures += [("alpha, 4 classes", people.alpha), ("alpha ordinal, 4 classes", people.alpha_ordinal)]
    figures += [("sensitivity, 4 classes", found.sensitivity), ("specificity, 4 classes", found.specificity)]
    return [*figures, ("ceiling kappa_gap, 4 classes", people.ceiling.kappa_gap)]


_ORDERED: dict[float, dict[str, float]] = {}


def ordered_run(generator: np.random.Generator, tally: Tally, icc: float, clusters: int, resamples: int) -> None:
    """Four ordered classes; truths from a draw of 40,000 cases."""
    if icc not in _ORDERED:
        large = ordered_figures(draw_ordered(np.random.default_rng(97), icc, 40_000), 2)
        _ORDERED[icc] = {name: float(estimate.value or 0.0) for name, estimate in large}
    for name, estimate in ordered_figures(draw_ordered(generator, icc, clusters), resamples):
        note(tally, name, estimate, _ORDERED[icc][name])


def confidence_run(generator: np.random.Generator, tally: Tally, icc: float, clusters: int) -> None:
    """Brier score and AUROC of a confidence that is right on average; truths from a large draw."""
    sure, right, cluster = draw_confidence(generator, icc, clusters)
    note(tally, "Brier score", clustered_brier(sure, right, cluster, clusters), confidence_truth(icc)[0])
    note(tally, "AUROC", clustered_auroc(sure, right, cluster, clusters), confidence_truth(icc)[1])


def draw_confidence(generator: np.random.Generator, icc: float, clusters: int) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Confidence per row around the case's own level, correct with that probability."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    level = by_case(generator, 0.8, max(icc, 1e-3), clusters)[cluster]
    sure = np.clip(0.5 * level + 0.5 * generator.beta(4, 1, size=len(cluster)), 0.01, 0.99)
    return sure, (generator.random(len(cluster)) < sure).astype(float), cluster


_SURE: dict[float, tuple[float, float]] = {}


def confidence_truth(icc: float) -> tuple[float, float]:
    """Brier score and AUROC of 40,000 cases."""
    if icc not in _SURE:
        sure, right, cluster = draw_confidence(np.random.default_rng(98), icc, 40_000)
        found = clustered_brier(sure, right, cluster, 40_000).value, clustered_auroc(sure, right, cluster, 40_000).value
        _SURE[icc] = float(found[0] or 0), float(found[1] or 0)
    return _SURE[icc]


def change_run(generator: np.random.Generator, tally: Tally, icc: float, clusters: int, shift: float) -> None:
    """Paired change of accuracy between two judges that share the case's difficulty; a repeat's flip rate."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    before = generator.random(len(cluster)) < by_case(generator, 0.85, icc, clusters)[cluster]
    turned = generator.random(len(cluster)) < by_case(generator, shift, icc, clusters)[cluster]
    after = before & ~turned
    note(tally, "paired change", compare_pairs(before, after, cluster, clusters).change, -0.85 * shift)
    flips = generator.random(len(cluster)) < by_case(generator, 0.06, icc, clusters)[cluster]
    judge = before.astype(int)
    sample = _sample(
        np.ones((1, len(cluster)), int), {"judge": judge, "repeat:1": np.where(flips, 1 - judge, judge)}, cluster, clusters, judge * 1.0
    )
    retest = measure_retest(sample)
    assert retest is not None
    note(tally, "retest flip rate", retest.flip_rate, 0.06)
    note(tally, "share by hand", share_of(sample, np.ones(len(cluster), bool), judge == 1), 0.85)


def probe_run(generator: np.random.Generator, tally: Tally, flagged: Tally, icc: float, clusters: int, bias: float) -> None:
    """A judge with retest noise of 4 % and a planted bias: that share of refusals turns into acceptance under the probe."""
    cluster = np.repeat(np.arange(clusters), ROWS)
    base = (generator.random(len(cluster)) < by_case(generator, 0.5, icc, clusters)[cluster]).astype(int)

    def noisy(codes: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.where(generator.random(len(codes)) < 0.02, 1 - codes, codes)

    turned = generator.random(len(cluster)) < by_case(generator, bias, icc, clusters)[cluster] if bias else np.zeros(len(cluster), bool)
    readings = {"judge": noisy(base), "repeat:1": noisy(base), "probe:padding": noisy(np.where(turned, 1, base))}
    readings["probe:formatting"] = noisy(base)
    sample = _sample(base[None], readings, cluster, clusters, np.full(len(cluster), np.nan))
    results = {result.name: result for result in measure_probes(sample, ("pass",))}
    change = 0.5 * bias * (1 - 2 * 0.02)
    note(tally, f"probe change, planted {bias:g}", results["padding"].change, change)
    note(tally, f"probe excess, planted {bias:g}", results["padding"].excess, change * (1 - 2 * 0.02))
    flagged[f"planted {bias:g}"].append(int(results["padding"].is_flagged))
    flagged["unplanted"].append(int(results["formatting"].is_flagged))


def selective_run(generator: np.random.Generator, icc: float, clusters: int, delta: float = 0.1, risk: float = 0.1) -> int | None:
    """1 where the certified threshold's true risk is above `risk`, 0 where it is not, None where nothing was certified.

    The confidence of a row says little, so thresholds lie near the edge where a careless bound fails most.
    """
    cluster = np.repeat(np.arange(clusters), ROWS)
    level = by_case(generator, 0.5, max(icc, 1e-3), clusters)[cluster]
    sure = np.round(generator.random(len(cluster)), 2)
    wrong = generator.random(len(cluster)) < np.clip((0.05 + 0.2 * (1 - sure)) * 2 * level, 0, 1)
    found = certify(sure, wrong, cluster, ["x"] * len(cluster), risk=risk, delta=delta)
    if found.threshold is None:
        return None
    grid = np.arange(0, 101) / 100
    weight = np.where((grid == 0) | (grid == 1), 0.5, 1.0)
    kept = grid >= found.threshold
    truth = float(((0.05 + 0.2 * (1 - grid)) * weight)[kept].sum() / weight[kept].sum())
    return int(truth > risk)


def main() -> None:
    """Runs all studies and prints one table each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--parts", choices=("all", "ordered"), default="all")
    given = parser.parse_args()
    started = time.perf_counter()
    worst: dict[str, tuple[float, str]] = {}
    means: dict[str, list[float]] = defaultdict(list)
    flagged: Tally = defaultdict(list)
    violated: dict[float, list[int]] = {}
    for icc in ICCS:
        for clusters in CLUSTERS:
            generator = np.random.default_rng([int(icc * 10), clusters])
            tallies: dict[str, Tally] = {}
            for _ in range(given.runs // 2):
                ordered_run(generator, tallies.setdefault("4 classes", defaultdict(list)), icc, clusters, given.resamples)
            if given.parts == "ordered":
                _merge(tallies, worst, means, f"icc {icc:g}, {clusters} clusters")
                continue
            for name, world in WORLDS.items():
                tally = tallies.setdefault(name, defaultdict(list))
                for _ in range(given.runs):
                    agreement_run(generator, tally, world, icc, clusters, given.resamples)
                for _ in range(given.runs // 2):
                    people_run(generator, tally, world, icc, clusters, given.resamples)
            for _ in range(given.runs // 2):
                weighted_run(generator, tallies.setdefault("sampled thinly", defaultdict(list)), icc, clusters, given.resamples)
            for shift in (0.02, 0.2):
                tally = tallies.setdefault(f"shift {shift:g}", defaultdict(list))
                for _ in range(given.runs):
                    change_run(generator, tally, icc, clusters, shift)
                    confidence_run(generator, tally, icc, clusters)
            tally = tallies.setdefault("probes", defaultdict(list))
            for bias in (0.1, 0.3):
                for _ in range(given.runs):
                    probe_run(generator, tally, flagged, icc, clusters, bias)
            violated.setdefault(icc, []).extend(v for v in (selective_run(generator, icc, 4 * clusters) or 0 for _ in range(given.runs)))
            _merge(tallies, worst, means, f"icc {icc:g}, {clusters} clusters")
        print(f"icc {icc:g} done after {time.perf_counter() - started:.0f} s", flush=True)
    print(f"\n{'interval':<32}{'mean':>8}{'worst':>8}  where")
    for name, (share, where) in sorted(worst.items(), key=lambda entry: entry[1][0]):
        print(f"{name:<32}{np.mean(means[name]):8.3f}{share:8.3f}  {where}")
    print("\nshare of runs flagged:", {name: round(float(np.mean(values)), 4) for name, values in flagged.items()})
    print("selective bound violated (delta 0.1):", {icc: round(float(np.mean(values)), 4) for icc, values in violated.items()})
    print(f"{given.runs} runs a cell, {given.resamples} resamples, {time.perf_counter() - started:.0f} s")


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
