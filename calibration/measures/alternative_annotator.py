"""May the judge stand in for a human annotator? The alternative annotator test (calibration.md 3.5).
Two additions to the published test: the decision uses an error by cluster (the published one, by item, is given beside it), and a judge
must also beat the best constant answer, because a judge that always says the same can pass."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.statistics.clusters import Codes, sums_and_sizes
from calibration.statistics.distributions import t_below
from calibration.statistics.intervals import clustered_variance, degrees_of_freedom
from calibration.statistics.paired import benjamini_yekutieli

Floats = NDArray[np.float64]
LEAST_ITEMS = 30
FALSE_DISCOVERY = 0.05
PASSING_SHARE = 0.5
MISSING = -1  # no label
_SAME = 1e-12  # shares of equal matches are compared with this tolerance, as their sums may be rounded differently


@dataclass(frozen=True, slots=True)
class Duel:
    """The judge against one annotator on the items that the annotator shares with others. advantage: mean of judge's wins, 0..1 (ties count
    for both). deficit: mean(annotator wins - judge wins), tested to be below epsilon. p_item, p_cluster: one-sided p values, rows taken as
    independent and by cluster."""

    annotator: str
    items: int
    advantage: float
    deficit: float
    p_item: float
    p_cluster: float
    is_won: bool = False


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """omega: share of annotators that the judge may replace, by cluster (omega_item: by item, as published); rho: mean advantage. constant:
    the best constant answer with its omega and rho. score: what labels are compared by. expert: the annotator held to be right, None where
    all are held against each other. None values with `reason` when the test cannot be made."""

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
    score: str = "exact match"
    expert: str | None = None


def t_test_below(values: NDArray[np.float64], epsilon: float, cluster: Codes | None = None) -> float:
    """One-sided p that the mean is below epsilon; by cluster when given. Without variance: 0 below epsilon, else 1."""
    mean, place = float(values.mean()), np.arange(len(values)) if cluster is None else cluster
    sums, sizes = sums_and_sizes(values, place, int(place.max()) + 1)
    groups, variance, degrees = int(np.count_nonzero(sizes)), clustered_variance(sums, sizes), degrees_of_freedom(sizes)
    if groups < 2:
        return 1.0
    if variance <= _SAME**2:
        return 0.0 if mean < epsilon - _SAME else 1.0
    return t_below((mean - epsilon) / math.sqrt(variance), degrees)


@dataclass(frozen=True, slots=True)
class Contest:
    """How labels are held against those of others. humans: (annotators, items) codes, MISSING where absent. values: the number that each
    label stands for: the score of a label is then minus its root mean square distance from the others' (RMSE, for ordered labels); None:
    the share of others who gave the same. expert: row of the one annotator who is held to be right; all others and the judge are then
    compared in how well they meet that one (the single-expert variant)."""

    names: tuple[str, ...]
    humans: Codes
    cluster: Codes
    epsilon: float
    values: Floats | None = None
    expert: int | None = None

    def score(self, label: Codes, others: Codes) -> Floats:
        """How well each item's label meets the others' labels of the item. others: (people, items), MISSING where absent."""
        present = others != MISSING
        if self.values is None:
            return np.asarray(((others == label) & present).sum(0) / present.sum(0), float)
        gaps = np.where(present, self.values[others] - self.values[label], 0.0)
        return np.asarray(-np.sqrt((gaps**2).sum(0) / present.sum(0)), float)


def fight(contest: Contest, annotator: int, judge: Codes) -> Duel | None:
    """The duel with one annotator; None when fewer than two rows are shared."""
    humans = contest.humans
    others = np.delete(humans, annotator, axis=0) if contest.expert is None else humans[contest.expert][None]
    rows = (humans[annotator] != MISSING) & np.any(others != MISSING, axis=0) & (judge != MISSING)
    if int(rows.sum()) < 2:
        return None
    score_own, score_judge = (contest.score(label[rows], others[:, rows]) for label in (humans[annotator], judge))
    judge_wins = (score_judge >= score_own - _SAME).astype(float)
    deficit = (score_own >= score_judge - _SAME).astype(float) - judge_wins
    p_item, p_cluster = t_test_below(deficit, contest.epsilon), t_test_below(deficit, contest.epsilon, contest.cluster[rows])
    return Duel(contest.names[annotator], int(rows.sum()), float(judge_wins.mean()), float(deficit.mean()), p_item, p_cluster)


def _fight_all(contest: Contest, judge: Codes) -> tuple[Duel, ...]:
    duels = [fight(contest, number, judge) for number in range(len(contest.names)) if number != contest.expert]
    return tuple(duel for duel in duels if duel is not None and duel.items >= LEAST_ITEMS)


def _won(p_values: Sequence[float]) -> list[bool]:
    return [p <= FALSE_DISCOVERY for p in benjamini_yekutieli(p_values)]


def _rate(duels: tuple[Duel, ...]) -> tuple[float, float]:
    """omega and rho by cluster."""
    return sum(_won([duel.p_cluster for duel in duels])) / len(duels), sum(duel.advantage for duel in duels) / len(duels)


def compare_with_annotators(contest: Contest, judge: Codes, labels: tuple[str, ...]) -> AlternativeTest:
    """The whole test. Without two annotators who share 30 items or more there is no test (`reason`). epsilon: what the judge's saved effort
    is worth, fixed before looking: 0.2 for experts, 0.15 for skilled, 0.1 for crowd annotators."""
    duels, score = _fight_all(contest, judge), "exact match" if contest.values is None else "RMSE"
    expert = None if contest.expert is None else contest.names[contest.expert]
    if not duels:
        why = f"no annotator shares {LEAST_ITEMS} items with others and the judge"
        why = "fewer than two annotators" if len(contest.names) < 2 else why
        return AlternativeTest(contest.epsilon, None, None, None, None, None, None, False, (), why, score, expert)
    omega, rho = _rate(duels)
    rates = {label: _rate(_fight_all(contest, np.where(judge == MISSING, MISSING, code))) for code, label in enumerate(labels)}
    constant = max(labels, key=lambda label: (rates[label][1], label))
    told = tuple(replace(duel, is_won=won) for duel, won in zip(duels, _won([duel.p_cluster for duel in duels]), strict=True))
    passed = omega >= PASSING_SHARE and rho > rates[constant][1] and omega >= rates[constant][0]
    item = sum(_won([duel.p_item for duel in duels])) / len(duels)
    return AlternativeTest(contest.epsilon, omega, item, rho, constant, *rates[constant], passed, told, None, score, expert)
