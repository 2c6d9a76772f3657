"""A case under the companion rubrics: the dimensions of its items summed to those of the case, exactly (companion.md sections 1 to 3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from judge.capabilities.registry import capability_of, is_known
from judge.capabilities.scoring.dimensions import ONE, ZERO, mean
from judge.records import FALSE_NEGATIVES, FALSE_POSITIVES, SEVERITY, Bounds, CriteriaResult, Item, Outcome
from judge.results.lines import INTERNAL_ERROR
from rubrics.contract import Contract
from rubrics.contract_sections import Dimensions


@dataclass(slots=True)
class OpenShare:
    """A share or a weighted mean with open parts: sums of the worst, the best, and the weight. Plain counts stay whole numbers (fast)."""

    worst: Fraction | int = 0
    best: Fraction | int = 0
    weight: Fraction | int = 0

    def add(self, bounds: tuple[Fraction | int, Fraction | int], weight: Fraction | int = 1) -> None:
        """Adds one observation."""
        self.worst += weight * bounds[0]
        self.best += weight * bounds[1]
        self.weight += weight

    @property
    def bounds(self) -> Bounds | None:
        """[worst, best]; None when nothing was added."""
        return (Fraction(self.worst) / self.weight, Fraction(self.best) / self.weight) if self.weight else None


Scores = Mapping[str, Bounds]
UNKNOWN: Scores = {"score": (ZERO, ONE)}
PROVENANCE = ("A", "B", "C")
COUNTS = (FALSE_POSITIVES, FALSE_NEGATIVES)


@dataclass(frozen=True, slots=True)
class Companion:
    """What a case is worth beside the standard. scores: `score` and, where they differ or exist, `rubric` and D1, D2, ... provenance:
    `score`, A, B and C over the outputs that need provenance; empty when none does. counts: of benchmark findings."""

    scores: Scores = field(default_factory=dict)
    provenance: Scores = field(default_factory=dict)
    criteria: CriteriaResult | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


def companion_of(items: Sequence[Item], contract: Contract, standard: Bounds, *, has_gold: bool) -> Companion | None:
    """The companion scores of a case; None under a contract without dimensions, and for a capability that has none. standard: its score."""
    if contract.dimensions is None or not items or not is_known(items[0].capability) or capability_of(items[0].capability).scored is None:
        return None
    items = [_by_person(item, contract.dimensions) for item in items]
    criteria = next((item.criteria for item in items if item.criteria is not None), None)
    told = [(name, item.dimensions[name][0]) for name in COUNTS for item in items if name in item.dimensions]
    counts = {name: int(sum(count for of, count in told if of == name)) for name, _ in told}
    scores = _scores(items, contract, standard) if has_gold else {}
    if criteria is not None and scores and contract.criteria is not None and contract.criteria.wins:
        scores = {**scores, "rubric": scores["score"], "score": criteria.bounds}
    return Companion(scores, provenance_scores(items), criteria, counts)


def _by_person(item: Item, rules: Dimensions) -> Item:
    """A person's label settles a field, and with full marks every other item; its quote and place stay as they were found."""
    if item.decided_by != "human" or not isinstance(item.outcome, Outcome):
        return item
    if SEVERITY[item.outcome] == 0:
        return accepted(item)
    if "field" not in item.dimensions:
        return item
    score = rules.content.get(item.outcome.value, rules.content["fail"])
    return replace(item, dimensions={**item.dimensions, "field": (score, score)})


def _scores(items: Sequence[Item], contract: Contract, standard: Bounds) -> Scores:
    """By the rubric: 0 once anything is made up, and 0 at worst while something may be."""
    scored = capability_of(items[0].capability).scored
    if any(item.item == INTERNAL_ERROR for item in items):
        return UNKNOWN
    if scored is None or scored.composite is None or contract.dimensions is None:
        return {"score": standard}
    scores = scored.composite(items, contract.dimensions)
    if any(item.outcome is Outcome.HALLUCINATION for item in items):
        return {**scores, "score": (ZERO, ZERO)}
    low, high = scores["score"]
    return {**scores, "score": (ZERO if any(item.can_hallucinate for item in items) else low, high)}


def provenance_scores(items: Sequence[Item]) -> Scores:
    """The means of A, B and C over the outputs that need provenance, and their mean (B5)."""
    if not (cited := [item.dimensions for item in items if "A" in item.dimensions]):
        return {}
    means = {name: mean([scores[name] for scores in cited]) for name in PROVENANCE}
    return {"score": mean(list(means.values())), **means}


def accepted(item: Item) -> Item:
    """An item whose deviation a person accepted: full marks in every dimension but the provenance's."""
    full = {name: (ONE, ONE) for name in item.dimensions if name not in (*PROVENANCE, *COUNTS)}
    return replace(item, dimensions={**item.dimensions, **full})


@dataclass(slots=True)
class CompanionSums:
    """The companion scores of a capability over its cases: weighted by case, those of provenance by the cases that have some."""

    scores: dict[str, OpenShare] = field(default_factory=dict)
    provenance: dict[str, OpenShare] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, companion: Companion, weight: Fraction) -> None:
        """Adds a case."""
        for sums, scores in ((self.scores, companion.scores), (self.provenance, companion.provenance)):
            for name, bounds in scores.items():
                sums.setdefault(name, OpenShare()).add(bounds, weight)
        self.counts.update(companion.counts)

    def means(self, of: str = "scores") -> dict[str, Bounds]:
        """The mean of each score."""
        sums: dict[str, OpenShare] = getattr(self, of)
        return {name: bounds for name, share in sums.items() if (bounds := share.bounds) is not None}
