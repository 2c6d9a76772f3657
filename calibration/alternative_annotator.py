"""May the judge stand in for a human annotator? The alternative annotator test (calibration.md 3.5).

Two additions to the published test: the decision uses an error by cluster (the published one, by item, is given beside it), and a judge
must also beat the best constant answer, because a judge that always says the same can pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.clusters import Codes, sum_by_cluster
from calibration.distributions import t_below
from calibration.intervals import clustered_variance
from calibration.paired import benjamini_yekutieli

LEAST_ITEMS = 30
FALSE_DISCOVERY = 0.05
PASSING_SHARE = 0.5
MISSING = -1  # no label
UNUSABLE = -2  # a judge's reply that is no label: equal to nobody's
_SAME = 1e-12  # shares of equal matches are compared with this tolerance, as their sums may be rounded differently


@dataclass(frozen=True, slots=True)
class Duel:
    """The judge against one annotator on the items that the annotator shares with others.

    advantage: mean of judge's wins, 0..1 (ties count for both). deficit: mean(annotator wins - judge wins), tested to be below epsilon.
    p_item, p_cluster: one-sided p values, rows taken as independent and by cluster.
    """

    annotator: str
    items: int
    advantage: float
    deficit: float
    p_item: float
    p_cluster: float
    is_won: bool = False


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """omega: share of annotators that the judge may replace, by cluster (omega_item: by item, as published); rho: mean advantage.

    constant: the best constant answer with its omega and rho. None values with `reason` when the test cannot be made.
    """

    epsilon: float
    omega: float | None
    omega_item: float | None
    rho: float | None
    constant_label: str | None
    constant_omega: float | None
    constant_rho: float | None
    is_passed: bool
    duels: tuple[Duel, ...]
    reason: str | None = None


def t_test_below(values: NDArray[np.float64], epsilon: float, cluster: Codes | None = None) -> float:
    """One-sided p that the mean is below epsilon; by cluster when given. Without variance: 0 below epsilon, else 1."""
    mean = float(values.mean())
    if cluster is None:
        groups, variance = len(values), float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0
    else:
        clusters = int(cluster.max()) + 1
        sums = sum_by_cluster(np.stack([values, np.ones(len(values))], axis=1), cluster, clusters)
        groups, variance = int(np.count_nonzero(sums[:, 1])), clustered_variance(sums[:, 0], sums[:, 1])
    if groups < 2:
        return 1.0
    if variance <= _SAME**2:
        return 0.0 if mean < epsilon - _SAME else 1.0
    return t_below((mean - epsilon) / math.sqrt(variance), groups - 1)


def fight(annotator: int, name: str, humans: Codes, judge: Codes, cluster: Codes, epsilon: float) -> Duel | None:
    """The duel with one annotator; None when fewer than two rows are shared. humans: (annotators, items) codes, MISSING where absent."""
    others = np.delete(humans, annotator, axis=0)
    present = others != MISSING
    rows = (humans[annotator] != MISSING) & present.any(0) & (judge != MISSING)
    if int(rows.sum()) < 2:
        return None
    others, present, own, machine = others[:, rows], present[:, rows], humans[annotator, rows], judge[rows]
    size = present.sum(0)
    score_own = ((others == own) & present).sum(0) / size
    score_judge = ((others == machine) & present).sum(0) / size
    judge_wins = (score_judge >= score_own - _SAME).astype(float)
    deficit = (score_own >= score_judge - _SAME).astype(float) - judge_wins
    p_item, p_cluster = t_test_below(deficit, epsilon), t_test_below(deficit, epsilon, cluster[rows])
    return Duel(name, int(rows.sum()), float(judge_wins.mean()), float(deficit.mean()), p_item, p_cluster)


def _fight_all(names: tuple[str, ...], humans: Codes, judge: Codes, cluster: Codes, epsilon: float) -> tuple[Duel, ...]:
    duels = [fight(number, name, humans, judge, cluster, epsilon) for number, name in enumerate(names)]
    return tuple(duel for duel in duels if duel is not None and duel.items >= LEAST_ITEMS)


def _share_won(p_values: list[float]) -> float:
    return sum(p <= FALSE_DISCOVERY for p in benjamini_yekutieli(p_values)) / len(p_values)


def _rate(duels: tuple[Duel, ...]) -> tuple[float, float]:
    return _share_won([duel.p_cluster for duel in duels]), sum(duel.advantage for duel in duels) / len(duels)


def compare_with_annotators(
    names: tuple[str, ...], humans: Codes, judge: Codes, cluster: Codes, labels: tuple[str, ...], epsilon: float
) -> AlternativeTest:
    """The whole test. Without two annotators who share 30 items or more there is no test (`reason`).

    epsilon: what the judge's saved effort is worth, fixed before looking: 0.2 for experts, 0.15 for skilled, 0.1 for crowd annotators.
    """
    duels = _fight_all(names, humans, judge, cluster, epsilon)
    if not duels:
        why = "fewer than two annotators" if len(names) < 2 else f"no annotator shares {LEAST_ITEMS} items with others and the judge"
        return AlternativeTest(epsilon, None, None, None, None, None, None, False, (), why)
    omega, rho = _rate(duels)
    constants = {}
    for code, label in enumerate(labels):
        always = np.where(judge == MISSING, MISSING, code)
        constants[label] = _rate(_fight_all(names, humans, always, cluster, epsilon))
    best = max(constants, key=lambda label: (constants[label][1], label))
    adjusted = benjamini_yekutieli([duel.p_cluster for duel in duels])
    told = tuple(
        Duel(d.annotator, d.items, d.advantage, d.deficit, d.p_item, d.p_cluster, p <= FALSE_DISCOVERY)
        for d, p in zip(duels, adjusted, strict=True)
    )
    passed = omega >= PASSING_SHARE and rho > constants[best][1] and omega >= constants[best][0]
    item = _share_won([duel.p_item for duel in duels])
    return AlternativeTest(epsilon, omega, item, rho, best, constants[best][0], constants[best][1], passed, told)
