"""How far annotators agree so far: shown while they label, so that a misread instruction is seen after ten items, not after a thousand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from calibration.agreement import confusion, measure
from judge.labelling.label_file import Label
from judge.records import folded_name


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two people on the tasks that both labelled. kappa: Cohen's, None where it is undefined (a single class)."""

    first: str
    second: str
    items: int
    agreed: int
    kappa: float | None


def pairwise_agreement(labels: Iterable[Label]) -> tuple[PairAgreement, ...]:
    """Every pair of annotators with a task in common, by name."""
    names: dict[str, str] = {}
    by_annotator: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for label in labels:
        name = names.setdefault(folded_name(label.annotator), label.annotator)
        by_annotator[name][label.rubric, label.task_id] = label.value
    pairs = []
    for first, second in combinations(sorted(by_annotator), 2):
        shared = sorted(by_annotator[first].keys() & by_annotator[second].keys())
        if shared:
            pairs.append(_agreement(first, second, [(by_annotator[first][k], by_annotator[second][k]) for k in shared]))
    return tuple(pairs)


def _agreement(first: str, second: str, pairs: list[tuple[str, str]]) -> PairAgreement:
    names = sorted({value for pair in pairs for value in pair})
    rows, columns = (np.array([names.index(pair[side]) for pair in pairs], dtype=np.intp) for side in (0, 1))
    table = confusion(rows, columns, len(names))
    return PairAgreement(first, second, len(pairs), sum(a == b for a, b in pairs), measure("kappa", table))
