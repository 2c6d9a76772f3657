"""Does the judge give the same verdict again? Repeated calls on the same items (calibration.md 3.9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.clusters import sum_by_cluster
from calibration.estimate import Estimate
from calibration.intervals import clustered_proportion
from calibration.krippendorff import fleiss_kappa
from calibration.labels import JUDGE
from calibration.performance import share_of
from calibration.sample import Sample, majority


@dataclass(frozen=True, slots=True)
class Retest:
    """runs: calls an item, the first included. unanimity: items where all usable runs agree. flip_rate: mean share of differing pairs.

    fleiss: over the items with every run usable. single, voted: accuracy of the first run and of the majority of the runs.
    A cached reply is no repeat; whoever records repeats has to bypass the cache.
    """

    runs: int
    items: int
    unanimity: Estimate
    flip_rate: Estimate
    fleiss: float | None
    single: Estimate
    voted: Estimate


def measure_retest(sample: Sample) -> Retest | None:
    """None where the file holds no repeats."""
    names = sorted((name for name in sample.readings if name.startswith("repeat:")), key=lambda name: (len(name), name))
    if not names:
        return None
    runs = np.stack([sample.reading(name) for name in (JUDGE, *names)])
    classes = len(sample.labels)
    counts = np.stack([(runs == code).sum(0) for code in range(classes)], axis=1).astype(float)
    sizes = counts.sum(1)
    rows = sizes > 1
    pairs = np.where(rows, sizes * (sizes - 1), 1.0)
    flips = 1 - (counts * (counts - 1)).sum(1) / pairs
    sums = sum_by_cluster(np.stack([flips * rows, rows.astype(float)], axis=1), sample.cluster, sample.clusters)
    whole = counts[sizes == len(runs)]
    labelled = sample.truth >= 0
    voted = majority(runs, classes)
    return Retest(
        len(runs),
        int(rows.sum()),
        share_of(sample, rows, counts.max(1) == sizes),
        clustered_proportion(sums[:, 0], sums[:, 1]),
        fleiss_kappa(whole) if len(whole) else None,
        share_of(sample, labelled & (runs[0] >= 0), runs[0] == sample.truth),
        share_of(sample, labelled & (voted >= 0), voted == sample.truth),
    )
