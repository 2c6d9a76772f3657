"""The companion rubrics over items, cases and runs: what one item is worth, the dimensions of a case from those of its items, the scores of
an answer's citing and uncertainty, and the means over cases (companion.md sections 1 to 3). All as [worst, best], exactly."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from judge.capabilities import Scored
from judge.records import FALSE_NEGATIVES, FALSE_POSITIVES, INTERNAL_ERROR, SEVERITY, Bounds, CriteriaResult, Item, Outcome, Part
from rubrics.contract import Contract
from rubrics.contract_sections import Dimensions

ZERO, ONE = Fraction(0), Fraction(1)
NONE, FULL = (ZERO, ZERO), (ONE, ONE)
HALF = Fraction(1, 2)  # of accuracy, from which on an answer is more right than wrong (B10)
FLAG = "flags."
COVENANT_PARTS = {"D2": "type", "D3": "threshold", "D4": "frequency"}


def lowest(bounds: Iterable[Bounds]) -> Bounds:
    """The lowest of several scores, each [worst, best]."""
    found = list(bounds)
    return min(low for low, _ in found), min(high for _, high in found)


def weighted(scores: Iterable[tuple[Bounds, Fraction]]) -> Bounds:
    """The weighted sum of scores."""
    found = list(scores)
    return sum((low * weight for (low, _), weight in found), ZERO), sum((high * weight for (_, high), weight in found), ZERO)


def _by_rubric(scores: Mapping[str, Bounds], item: Item, rules: Dimensions) -> Bounds:
    return weighted((scores[name], weight) for name, weight in rules.weights[item.capability].items())


def mean(scores: Sequence[Bounds]) -> Bounds:
    """The plain mean of scores, at least one."""
    return sum((low for low, _ in scores), ZERO) / len(scores), sum((high for _, high in scores), ZERO) / len(scores)


def field_score(item: Item, rules: Dimensions) -> Bounds:
    """What one field is worth."""
    return item.dimensions["field"]


def of_fields(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """The mean of the fields, weighted by tier; the document's type is the standard's alone (B16)."""
    fields = [item for item in items if "field" in item.dimensions and item.weight]
    total = sum((item.weight for item in fields), ZERO)
    low, high = weighted([(item.dimensions["field"], item.weight) for item in fields])
    return {"score": (low / total, high / total) if total else FULL}


def covenant_score(item: Item, rules: Dimensions) -> Bounds:
    """What one covenant is worth by the rubric's own weights; nothing while it is missed."""
    found = item.dimensions["D1"]
    scores = {**item.dimensions, "D5": mean(_flags([item]) or [FULL])}
    low, high = _by_rubric(scores, item, rules) if found[1] else NONE
    return low * found[0], high


def of_covenants(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """D1 to D5 of a case: D1 stepped by the share found, D2 to D4 means over the found, D5 the mean over gold's flags (B8)."""
    gold, flags = [item for item in items if "D1" in item.dimensions], _flags(items)
    scores = {"D1": coverage(gold, rules), **{name: _mean_of_found(gold, name) if gold else FULL for name in COVENANT_PARTS}}
    is_extra = any(finding.code == "EXTRA_FLAG" for item in items for finding in item.findings)
    scores["D5"] = mean(flags) if flags else NONE if is_extra else FULL
    return {**scores, "score": _by_rubric(scores, items[0], rules)}


def _flags(items: Sequence[Item]) -> list[Bounds]:
    return [score for item in items for name, score in item.dimensions.items() if name.startswith(FLAG)]


def coverage(gold: Sequence[Item], rules: Dimensions) -> Bounds:
    """D1: the score of the first step that the share found reaches; of no gold at all the highest, of nothing found none."""

    def step(found: Fraction) -> Fraction:
        return next(step.score for step in rules.coverage if found / len(gold) >= step.found) if found else ZERO

    if not gold:
        return rules.coverage[0].score, rules.coverage[0].score
    return step(sum((item.dimensions["D1"][0] for item in gold), ZERO)), step(sum((item.dimensions["D1"][1] for item in gold), ZERO))


def _mean_of_found(gold: Sequence[Item], name: str) -> Bounds:
    """The mean over the found ones; one that may be found counts where it makes the mean worse, or better."""
    sure = [item.dimensions[name] for item in gold if item.dimensions["D1"][0]]
    may = [item.dimensions[name] for item in gold if not item.dimensions["D1"][0] and item.dimensions["D1"][1]]
    worst = _extreme([low for low, _ in sure], sorted(low for low, _ in may), is_worst=True)
    return worst, _extreme([high for _, high in sure], sorted((high for _, high in may), reverse=True), is_worst=False)


def _extreme(sure: list[Fraction], may: Iterable[Fraction], *, is_worst: bool) -> Fraction:
    total, count = sum(sure, ZERO), len(sure)
    for score in may if sure or not is_worst else ():
        if count and (score >= total / count if is_worst else score <= total / count):
            break
        total, count = total + score, count + 1
    return total / count if count else ZERO


@dataclass(frozen=True, slots=True)
class Sections:
    """The required sections that no citation meets, by position; unsure: of which nobody can tell. holds_figures: whether the citations at
    these positions hold every figure of the answer together."""

    missing: frozenset[int] = frozenset()
    unsure: frozenset[int] = frozenset()
    holds_figures: Mapping[frozenset[int], bool] = field(default_factory=dict)


def citing_word(worths: Sequence[Fraction], missing: frozenset[int], is_elsewhere: bool) -> str:
    """The word of D2. worths: of each citation, in order; missing: required sections without one; is_elsewhere: the citations that are
    worth something hold the answer's figures."""
    if not any(worths):
        return "none"
    uncited, halves = missing | {n for n, worth in enumerate(worths) if not worth}, sum(worth < 1 for worth in worths)
    if uncited and not (is_elsewhere and all(worths)):
        return "uncited_first" if 0 in uncited else "uncited_later"
    return "uncited_later" if halves > 1 else "half" if halves or uncited else "full"


def citing_score(each: Sequence[Bounds], sections: Sections, rules: Dimensions) -> Bounds:
    """D2 by what each citation is worth, with whatever is open at its worst and at its best."""
    scores = []
    for end, missing in ((0, sections.missing | sections.unsure), (1, sections.missing)):
        worths = [worth[end] for worth in each]
        held = frozenset(n for n, worth in enumerate(worths) if worth)
        scores.append(rules.citing[citing_word(worths, missing, sections.holds_figures.get(held, False))])
    return scores[0], scores[1]


def uncertainty_score(part: Part, accuracy: Bounds, rules: Dimensions) -> Bounds:
    """D4: a missing qualification is worth nothing beside an answer that is more wrong than right (B10)."""
    missing = [rules.uncertainty["partial" if score >= HALF else "fail"] for score in accuracy]
    right = rules.uncertainty["correct"]
    return right if part.worst is Outcome.CORRECT else missing[0], right if part.best is Outcome.CORRECT else missing[1]


def of_answer(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """D1 to D5 of the one answer."""
    if (answer := next((item for item in items if "D1" in item.dimensions), None)) is None:
        return {"score": (ZERO, ONE)}
    scores = {name: answer.dimensions[name] for name in rules.weights[answer.capability]}
    return {**scores, "score": _by_rubric(scores, answer, rules)}


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


def companion_of(items: Sequence[Item], contract: Contract, standard: Bounds, scored: Scored | None, *, has_gold: bool) -> Companion | None:
    """The companion scores of a case; None under a contract without dimensions, and for a capability that has none. standard: its score."""
    if contract.dimensions is None or not items or scored is None:
        return None
    items = [_by_person(item, contract.dimensions) for item in items]
    criteria = next((item.criteria for item in items if item.criteria is not None), None)
    told = [(name, item.dimensions[name][0]) for name in COUNTS for item in items if name in item.dimensions]
    counts = {name: int(sum(count for of, count in told if of == name)) for name, _ in told}
    scores = _scores(items, contract.dimensions, standard, scored) if has_gold else {}
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


def _scores(items: Sequence[Item], rules: Dimensions, standard: Bounds, scored: Scored) -> Scores:
    """By the rubric: 0 once anything is made up, and 0 at worst while something may be."""
    if any(item.item == INTERNAL_ERROR for item in items):
        return UNKNOWN
    if scored.composite is None:
        return {"score": standard}
    scores = scored.composite(items, rules)
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
