"""Item items -> case scores -> gates -> one verdict and exit code (standard section 6, design/gates.md, docs/contract/formats.md).
Everything is a sum of exact fractions that grows case by case, so memory does not depend on the batch. Every value is a pair [worst, best]
of what it can still become; a gate passes if even the worst passes and fails if even the best fails."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from judge.capabilities import REFUSALS, TIER1_FIELDS
from judge.capabilities.registry import SHIPPED, capability_of, field_of, is_known
from judge.capabilities.scoring.dimensions import ONE, ZERO, Companion, CompanionSums, OpenShare, accepted, companion_of, mean
from judge.records import INTERNAL_ERROR, Bounds, Item, NonOutcome, Outcome, grouped
from judge.records.line_parts import exact, exactly
from judge.results.decisions import certified, corrected
from judge.results.intervals import ScoreSums
from judge.results.lines import CaseResult, Gate, GateResult, listed
from rubrics.contract import Contract

RunVerdict = Literal["pass", "fail", "inconclusive", "judge_errors", "nothing_evaluated", "budget_reached", "interrupted"]
EXIT_CODES: Mapping[RunVerdict, int] = {
    "pass": 0, "fail": 1, "judge_errors": 3, "inconclusive": 4, "nothing_evaluated": 5, "budget_reached": 6, "interrupted": 130,
}  # fmt: skip
COMPANION = "companion_score"


def case_bounds(items: Sequence[Item]) -> Bounds:
    """[worst, best] score of a case: the weighted mean over its items, 0 once anything in it is a hallucination (standard 1.1). Whatever
    could still turn out to be one (open items, a wrong value in a document with unreadable pages) makes the worst 0."""
    if any(map(is_hallucinated, items)):
        return ZERO, ZERO
    weights: dict[tuple[float, float], Fraction] = {}  # of the items with the same bounds
    for item in items:
        weights[item.bounds] = weights.get(item.bounds, ZERO) + item.weight
    if (total := sum(weights.values(), ZERO)) == 0:
        return ONE, ONE  # nothing to score: an output of extras only against gold without covenants
    worst, best = (sum((weight * exact(bounds[end]) for bounds, weight in weights.items()), ZERO) / total for end in (0, 1))
    return (ZERO if any(item.can_hallucinate for item in items) else worst), best


def is_hallucinated(item: Item) -> bool:
    """A fabricated output."""
    return item.outcome is Outcome.HALLUCINATION


def with_exception(item: Item) -> Item:
    """An accepted deviation counts as 1.0 and complete; what is or may become a hallucination cannot be accepted away."""
    if item.exception is None or is_hallucinated(item):
        return item
    provenance = replace(item.provenance, complete=True, is_open=False)
    return accepted(replace(item, bounds=(0.0 if item.can_hallucinate else 1.0, 1.0), provenance=provenance))


Worth = tuple[Bounds, Companion | None]
"""Of a case: the bounds of its score, and what it is worth beside the standard."""


@dataclass(slots=True)
class Sums:
    """All sums behind the gates, over the cases added so far. fabrication counts as in design/gates.md, with what may still become one."""

    contract: Contract
    has_gold: bool
    capabilities: dict[str, OpenShare] = field(default_factory=dict)
    fields: dict[str, OpenShare] = field(default_factory=dict)
    provenance: OpenShare = field(default_factory=OpenShare)
    refusals: dict[str, OpenShare] = field(default_factory=dict)
    companion: dict[str, CompanionSums] = field(default_factory=dict)
    hallucinated: int = 0
    may_hallucinate: int = 0
    uncounted_may_hallucinate: int = 0
    denominator: int = 0
    open_items: int = 0

    def add(self, capability: str, weight: Fraction, items: Sequence[Item], worth: Worth) -> None:
        """Adds one judged case."""
        bounds, companion = worth
        self.capabilities.setdefault(capability, OpenShare()).add(bounds, weight)
        own_gates = capability_of(capability).gates
        if TIER1_FIELDS in own_gates:
            self._add_fields(items)
        for item in items:
            found = item.provenance
            if found.is_required:
                self.provenance.add((0, 1) if found.is_open else (int(found.complete), int(found.complete)))
            if item.is_unanswerable and REFUSALS in own_gates:
                self.refusals.setdefault(capability, OpenShare()).add((int(item.bounds[0] == 1), int(item.bounds[1] == 1)))
            self._add_fabrication(item)
        if companion is not None:
            self.companion.setdefault(capability, CompanionSums()).add(companion, weight)

    def add_unknown(self, capability: str, weight: Fraction) -> None:
        """Adds a case whose score can be anything."""
        self.capabilities.setdefault(capability, OpenShare()).add((0, 1), weight)
        if TIER1_FIELDS in capability_of(capability).gates:
            for key in self.contract.tier1_fields:
                self.fields.setdefault(key, OpenShare()).add((0, 1))
        if self.contract.dimensions is not None and capability_of(capability).scored is not None and self.has_gold:
            names = ("score", *self.contract.dimensions.weights.get(capability, ()))
            unknown = Companion(dict.fromkeys(names, (ZERO, ONE)))
            self.companion.setdefault(capability, CompanionSums()).add(unknown, weight)

    def _add_fields(self, items: Sequence[Item]) -> None:
        gated = self.contract.tier1_fields
        own = ((field_of(item), exactly(item.bounds)) for item in items if item.counts_for_field and field_of(item) in gated)
        for key, scores in grouped(own).items():
            self.fields.setdefault(key, OpenShare()).add(mean(scores))

    def _add_fabrication(self, item: Item) -> None:
        """Hallucinated items / (scored items + fabricated extras); without gold, / every reported item (design/gates.md)."""
        is_open, is_made_up = item.is_open and self.has_gold, is_hallucinated(item)
        is_counted = (item.weight > 0 and not is_open) or not self.has_gold
        may = item.can_hallucinate and not is_made_up
        self.hallucinated += is_made_up
        self.denominator += is_counted or is_made_up
        self.open_items += is_open and item.weight > 0
        self.may_hallucinate += may
        self.uncounted_may_hallucinate += may and not is_counted

    def copied(self) -> "Sums":
        """The same sums, to be continued apart."""
        return deepcopy(self, {id(self.contract): self.contract})

    @property
    def hallucination_rate(self) -> Fraction | None:
        """The rate among what is scored so far; None when nothing is."""
        return Fraction(self.hallucinated, self.denominator) if self.denominator else None

    def hallucination_bounds(self) -> Bounds | None:
        """[least, most] rate that the open items leave: none of them a hallucination, or all that may be one; None without items."""
        least_of, most_of = self.denominator + self.open_items, self.denominator + self.uncounted_may_hallucinate
        if not (least_of or most_of):
            return None
        least = Fraction(self.hallucinated, least_of) if least_of else ZERO
        return least, Fraction(self.hallucinated + self.may_hallucinate, most_of) if most_of else least


@dataclass(slots=True)
class Tally:
    """A run as the gates see it: the sums as judged and, once there is an exception, with exceptions; counts; cases not judged."""

    contract: Contract
    has_gold: bool = True
    plain: Sums = field(init=False)
    excepted: Sums | None = None
    scores: dict[str, ScoreSums] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    made_up: Counter[str] = field(default_factory=Counter)  # hallucinated items by capability, and those that may still be
    may_be_made_up: Counter[str] = field(default_factory=Counter)
    skipped: int = 0

    def __post_init__(self) -> None:
        self.plain = Sums(self.contract, self.has_gold)

    def add_case(self, case_id: str, capability: str, weight: Fraction, items: Sequence[Item]) -> CaseResult:
        """Adds a judged case and returns its line."""
        judged = [certified(item) for item in items]
        items = [corrected(item, self.contract) for item in judged]
        if overruled := sum(one is not item for one, item in zip(items, judged, strict=True)):
            self.counts["as_corrected"] += overruled
        if self.excepted is None and any(item.exception is not None for item in items):
            self.excepted = self.plain.copied()
        worth = self._worth(items)
        self.plain.add(capability, weight, items, worth)
        if self.excepted is not None:
            counted = [with_exception(item) for item in items]
            self.excepted.add(capability, weight, counted, worth if counted == items else self._worth(counted))
        bounds, companion = worth[0], worth[1] or Companion()
        self.scores.setdefault(capability, ScoreSums()).add(bounds, weight)
        self.cases[capability] += 1
        self._count(items)
        self.made_up[capability] += sum(map(is_hallucinated, items))
        self.may_be_made_up[capability] += sum(item.can_hallucinate and not is_hallucinated(item) for item in items)
        outcomes = dict(sorted(Counter(str(item.outcome) for item in items).items()))
        return CaseResult(
            case_id,
            capability,
            _number(_value(bounds)),
            _numbers(bounds),
            any(map(is_hallucinated, items)),
            weight,
            outcomes,
            companion=companion.scores,
            provenance_score=companion.provenance,
            criteria=companion.criteria,
            counts=companion.counts,
        )

    def _worth(self, items: Sequence[Item]) -> Worth:
        bounds = case_bounds(items)
        scored = capability_of(items[0].capability).scored if items and is_known(items[0].capability) else None
        return bounds, companion_of(items, self.contract, bounds, scored, has_gold=self.has_gold)

    def add_skipped(self, capability: str, weight: Fraction) -> None:
        """A case that the run did not reach: its score can be anything."""
        for sums in (self.plain, self.excepted):
            if sums is not None:
                sums.add_unknown(capability, weight)
        self.scores.setdefault(capability, ScoreSums()).add((ZERO, ONE), weight)
        self.skipped += 1

    def _count(self, items: Iterable[Item]) -> None:
        for item in items:
            self.counts["items"] += 1
            self.counts["open"] += item.is_waiting
            if item.correction is not None:
                self.counts["corrected" if item.correction.is_confirmed else "correction_proposed"] += 1
            self.counts["hallucinated"] += is_hallucinated(item)
            self.counts["internal_error"] += item.item == INTERNAL_ERROR
            is_scored = not item.is_open and item.outcome is not NonOutcome.EXTRA
            self.counts["scored" if is_scored else str(item.outcome)] += 1

    def gates(self) -> list[Gate]:
        """All gates of the standard, in its order; those with nothing to judge are `not_applicable`."""
        limits = self.contract.gates
        names = (*SHIPPED, *sorted(self.scores.keys() - SHIPPED))
        with_companion = [name for name in names if capability_of(name).scored is not None]
        standard = [name for name in names if limits.basis != "companion" or name not in with_companion]
        gates = [self._at_least("capability_score", name, limits.capability_score) for name in standard]
        if limits.companion_score is not None and limits.basis != "standard":
            gates += [self._at_least(COMPANION, name, limits.companion_score) for name in with_companion]
        gates += [self._at_least(TIER1_FIELDS, key, limits.tier1_field_score) for key in self.contract.tier1_fields]
        gates.append(self._fabrication())
        gates.append(self._at_least("provenance_completeness", "all", limits.provenance_completeness))
        with_refusals = [name for name in names if REFUSALS in capability_of(name).gates]
        gates += [self._at_least(REFUSALS, name, limits.grounded_refusal_accuracy) for name in with_refusals]
        return gates

    def _bounds(self, sums: Sums, name: str, scope: str) -> Bounds | None:
        if name == "provenance_completeness":
            return sums.provenance.bounds
        if not self.has_gold:
            return None
        if name == COMPANION:
            return sums.companion[scope].means().get("score") if scope in sums.companion else None
        shares = {"capability_score": sums.capabilities, TIER1_FIELDS: sums.fields, REFUSALS: sums.refusals}[name]
        return shares[scope].bounds if scope in shares else None

    def _at_least(self, name: str, scope: str, threshold: Fraction) -> Gate:
        plain, excepted = (self._bounds(sums, name, scope) for sums in (self.plain, self.excepted or self.plain))
        if plain is None or excepted is None:
            return Gate(name, scope, None, None, float(threshold), "not_applicable")
        is_unknown = self.skipped > 0 and name in ("provenance_completeness", REFUSALS)
        result: GateResult = "inconclusive" if is_unknown else _result(excepted, threshold)
        gate = Gate(name, scope, _number(_value(plain)), _numbers(plain), float(threshold), result)
        if plain == excepted:
            return gate
        is_by_exception = result == "pass" and _result(plain, threshold) != "pass"
        value, bounds = _number(_value(excepted)), _numbers(excepted)
        return replace(gate, value_with_exceptions=value, bounds_with_exceptions=bounds, is_by_exception=is_by_exception)

    def _fabrication(self) -> Gate:
        threshold, bounds = self.contract.gates.hallucination_rate, self.plain.hallucination_bounds()
        if bounds is None:
            return Gate("hallucination_rate", "all", None, None, float(threshold), "not_applicable")
        most = ONE if self.skipped else bounds[1]
        result: GateResult = "fail" if bounds[0] > threshold else "pass" if most <= threshold else "inconclusive"
        value, worst_first = _number(self.plain.hallucination_rate), (float(bounds[1]), float(bounds[0]))  # a rate is worse when higher
        return Gate("hallucination_rate", "all", value, worst_first, float(threshold), result)


def _value(bounds: Bounds) -> Fraction | None:
    return bounds[0] if bounds[0] == bounds[1] else None


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _numbers(bounds: Bounds) -> tuple[float, float]:
    return float(bounds[0]), float(bounds[1])


def _result(bounds: Bounds, threshold: Fraction) -> GateResult:
    if bounds[0] >= threshold:
        return "pass"
    return "fail" if bounds[1] < threshold else "inconclusive"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, beside what it judged. max_judge_errors: allowed share of all items, 0..1. model_trouble: why no calibration record
    holds for the models that answered, where one is required. regression: "" without a baseline, else the decision of the paired comparison
    and `regression_why` its sentence; `baseline`: the folder that was compared with."""

    max_judge_errors: Fraction = ZERO
    is_empty_allowed: bool = False
    is_interrupted: bool = False
    is_budget_reached: bool = False
    endpoint_error: str = ""
    model_trouble: str = ""
    regression: Literal["", "no_regression", "regression", "cannot_tell"] = ""
    regression_why: str = ""
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict of a run and the exit code that goes with it; `why` is one sentence."""

    verdict: RunVerdict
    exit_code: int
    why: str


def rule(tally: Tally, gates: Sequence[Gate], ending: Ending) -> Ruling:
    """The only place that decides verdict and exit code: 130, then 1 over 3 over 6 over 4; nothing evaluated is never a pass."""
    if ending.is_interrupted:
        return _ruling("interrupted", f"interrupted with {tally.skipped} case(s) not judged; the same command goes on from here")
    if tally.cases.total() + tally.skipped == 0:
        code = 0 if ending.is_empty_allowed else EXIT_CODES["nothing_evaluated"]
        return Ruling("nothing_evaluated", code, "no case was evaluated")
    failed = [gate for gate in gates if gate.result == "fail"]
    compared = [f"{_COMPARED[ending.regression]} against the baseline ({ending.regression_why.rstrip('.')})"] if ending.regression else []
    if failed or ending.regression == "regression":
        return _ruling("fail", "failed: " + "; ".join([listed(failed)] * bool(failed) + compared))
    if trouble := _judge_trouble(tally, ending):
        return _ruling("judge_errors", trouble)
    if ending.is_budget_reached:
        return _ruling("budget_reached", "the budget was reached; what was judged is saved")
    if (waiting := [gate for gate in gates if gate.result == "inconclusive"]) or ending.regression == "cannot_tell":
        return _ruling("inconclusive", "left open: " + "; ".join([listed(waiting)] * bool(waiting) + compared))
    if ending.model_trouble:
        return _ruling("inconclusive", f"no calibration record holds for this run: {ending.model_trouble}")
    overruled = [f"{n} of the program's verdicts as corrected by people"] if (n := tally.counts["as_corrected"]) else []
    accepted = [f"{n} by exception"] if (n := sum(gate.is_by_exception for gate in gates)) else []
    return _ruling("pass", "; ".join([", ".join(["every gate passes", *accepted]), *overruled, *compared]))


_COMPARED = {"regression": "regression", "no_regression": "no regression", "cannot_tell": "regression not excluded"}


def _judge_trouble(tally: Tally, ending: Ending) -> str:
    errors, items = tally.counts["judge_error"], tally.counts["items"]
    if ending.endpoint_error:
        return f"the judge's endpoint cannot be used: {ending.endpoint_error}"
    if tally.counts["internal_error"]:
        return f"{tally.counts['internal_error']} case(s) could not be judged because of an internal error"
    if errors > ending.max_judge_errors * items:
        return f"{errors} of {items} items have a judge error, above the allowed share of {float(ending.max_judge_errors):g}"
    return ""


def _ruling(verdict: RunVerdict, why: str) -> Ruling:
    return Ruling(verdict, EXIT_CODES[verdict], why)
