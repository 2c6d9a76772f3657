"""Which items people should label next: what is divided, what was never labelled, and there the unsure and the rare first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.sample import Sample

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class NextLabel:
    """One item by its id, and why it comes next."""

    item_id: str
    cluster_id: str
    why: str


def next_labels(sample: Sample, most: int = MOST_SHOWN) -> tuple[NextLabel, ...]:
    """At most `most` items without a majority: those with divided labels first; then by rarity of the judge's verdict and confidence."""
    judge, sure = sample.reading(), np.nan_to_num(sample.confidence, nan=0.5)
    divided = np.any(sample.humans >= 0, axis=0) if len(sample.humans) else np.zeros(len(judge), bool)
    counts = np.bincount(sample.truth[sample.truth >= 0], minlength=len(sample.labels))
    rare = [int(counts[code]) if code >= 0 else -1 for code in judge.tolist()]
    rows = np.flatnonzero(sample.truth < 0).tolist()
    order = sorted(rows, key=lambda row: (not divided[row], rare[row], sure[row], sample.items[row].item_id))[:most]
    return tuple(NextLabel(sample.items[row].item_id, sample.items[row].cluster_id, _why(sample, row, bool(divided[row]))) for row in order)


def _why(sample: Sample, row: int, is_divided: bool) -> str:
    if is_divided:
        return "people are divided or could not tell"
    code, confidence = int(sample.reading()[row]), sample.items[row].confidence
    said = f"the judge said {sample.labels[code]!r}" if code >= 0 else "the judge gave no verdict"
    return said if confidence is None else f"{said} with confidence {confidence:.2f}"
