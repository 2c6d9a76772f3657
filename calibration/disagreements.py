"""The items that a person should read first: verdicts where the judge was surest against the most united people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.labels import JUDGE
from calibration.sample import UNUSABLE_CODE, Sample

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One item where judge and majority differ. unity: share of its labels that are the majority's. judge: "" when unusable."""

    item_id: str
    cluster_id: str
    human: str
    judge: str
    confidence: float | None
    unity: float
    labels: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...]


def worst_disagreements(sample: Sample, most: int = MOST_SHOWN) -> tuple[Disagreement, ...]:
    """At most `most` of them: highest confidence first (unknown last), then the most united people, then by id."""
    judge, truth = sample.reading(JUDGE), sample.truth
    rows = np.flatnonzero((truth >= 0) & (judge != truth) & ((judge >= 0) | (judge == UNUSABLE_CODE))).tolist()
    unity = np.where(truth >= 0, (sample.humans == truth).sum(0) / np.maximum((sample.humans >= 0).sum(0), 1), 0.0)
    sure = np.nan_to_num(sample.confidence, nan=-1.0)
    order = sorted(rows, key=lambda row: (-sure[row], -unity[row], sample.items[row].item_id))[:most]
    return tuple(
        Disagreement(
            sample.items[row].item_id,
            sample.items[row].cluster_id,
            sample.labels[truth[row]],
            sample.labels[judge[row]] if judge[row] >= 0 else "",
            sample.items[row].confidence,
            float(unity[row]),
            sample.items[row].labels,
            sample.items[row].inputs,
        )
        for row in order
    )
