"""Everything that a calibration says of one rubric, put together from the parts; still a pure function of the labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.decision.counted import count_items, notes_on
from calibration.decision.gate import Trust, checks_of, confused_classes, decide
from calibration.decision.objections import (
    Objection,
    Rules,
    SliceCheck,
    against_changes,
    against_floors,
    against_noise,
    against_probes,
    against_replies,
    against_slices,
    against_sources,
    slice_checks,
    slice_notes,
    unprobed,
)
from calibration.measures.alternative_annotator import AlternativeTest, Contest, compare_with_annotators
from calibration.measures.confidence import ConfidenceAudit, audit_confidence
from calibration.measures.humans import HumanAgreement, measure_humans
from calibration.measures.performance import Performance, measure_reading, share_of
from calibration.measures.probes import ProbeResult, measure_probes
from calibration.measures.retest import Drift, PositionFigures, Retest, measure_drift, measure_positions, measure_retest
from calibration.measures.sample import MISSING, UNUSABLE_CODE, Flags, Sample, label_values
from calibration.measures.selective import Certificate, certify
from calibration.statistics.correction import allocate_labels, corrected_rate, lower_sum, prediction_powered
from calibration.statistics.estimate import Estimate, undefined

NO_RULES = Rules()
MOST_SHOWN = 20  # disagreements


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


@dataclass(frozen=True, slots=True)
class Policy:
    """What is fixed before looking. rules: of the contract; risk and delta 0..1; epsilon of the alternative annotator test, None to leave
    it out; expert: the annotator held to be right in it, None for all alike. positive: accepting labels; empty: every class's recall is
    held against the lower bar. drift: (old reading, new reading). objections, notes: what whoever read the labels knows of them, see
    gate.py; failed: what probes showed when this judge was asked before. is_each_class_scored: a run gives each label its own score, so
    that none may be confused with another, ordered or not. is_ordered: the labels stand from best to worst."""

    positive: tuple[str, ...] = ()
    rules: Rules = NO_RULES
    objections: tuple[Objection, ...] = ()
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    is_each_class_scored: bool = False
    is_ordered: bool = False
    risk: float = 0.05
    delta: float = 0.05
    epsilon: float | None = None
    expert: str | None = None
    is_ordinal: bool = False
    drift: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Rates:
    """The share of accepting labels three (or four) ways. scored: which rows stand for the pool. allocation: (failures, passes) of the
    next 100 labels that would sharpen the corrected rate most, None where it cannot be said."""

    scored: str
    raw: Estimate
    corrected: Estimate
    labels_only: Estimate
    powered: Estimate
    allocation: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Assessment:
    """All results for one rubric; a part that the labels do not allow is None, or holds undefined estimates with their reasons."""

    rubric: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    items: int
    clusters: int
    sources: tuple[tuple[str, int], ...]
    designs: tuple[tuple[str, int], ...]
    is_weighted: bool
    trust: Trust
    performance: Performance
    constructed: Performance | None
    others: tuple[Performance, ...]
    humans: HumanAgreement
    alternative: AlternativeTest | None
    rates: Rates | None
    confidence_audit: ConfidenceAudit | None
    certificate: Certificate | None
    retest: Retest | None
    positions: tuple[tuple[str, PositionFigures], ...]
    probes: tuple[ProbeResult, ...]
    drift: Drift | None
    disagreements: tuple[Disagreement, ...]
    unprobed: tuple[str, ...] = ()
    slices: tuple[SliceCheck, ...] = ()


def assess(sample: Sample, policy: Policy) -> Assessment:
    """The whole calibration of one rubric. Human labels decide; constructed ones are shown apart, used alone only without any."""
    human = np.array([item.source == "human" for item in sample.items])
    main = sample.select(human) if human.any() and not human.all() else sample
    performance = _measure(main, "judge", policy)
    constructed = _measure(sample.select(~human), "judge", policy) if main is not sample else None
    probes = measure_probes(sample, policy.positive, is_ordered=policy.is_ordered) if policy.positive else ()
    retest, positions = measure_retest(main), _positions(main)
    counted, left = count_items(main, constructed=len(sample.items) - len(main.items))
    slices = slice_checks(counted, policy.positive, policy.rules)
    probed = against_probes(probes, sample, policy.positive, policy.rules)
    before = sorted({*policy.failed}.difference(one.sentence for one in probed))
    objections = [
        *policy.objections,
        *(Objection("fail", f"{said} (an earlier look at this judge with these labels)") for said in before),
        *against_floors(left, counted, policy.rules),
        *against_sources(main, constructed, policy.rules),
        *against_changes(main),
        *probed,
        *against_noise(retest, dict(positions).get("judge"), policy.rules),
        *against_replies(main, policy.rules),
        *against_slices(slices),
    ]
    if policy.positive and len(sample.labels) > 2 and (policy.is_each_class_scored or not policy.is_ordinal):
        objections += confused_classes(counted, policy.rules)
    checks = checks_of(counted, policy.positive, policy.rules)
    notes = (*policy.notes, *slice_notes(slices, is_drawn=sample.pool is not None), *notes_on(counted, left, unprobed(probes)))
    trust = decide(checks, objections, notes, left, is_drawn=sample.pool is not None)
    return Assessment(
        sample.rubric,
        sample.labels,
        policy.positive,
        len(sample.items),
        sample.clusters,
        _count([item.source for item in sample.items]),
        _count([item.sampled for item in sample.items]),
        sample.is_weighted,
        trust,
        performance,
        constructed,
        tuple(_measure(main, name, policy) for name in _other_readings(main)),
        measure_humans(main, is_ordinal=policy.is_ordinal),
        _alternative(main, policy),
        measure_rates(main, performance, policy) if policy.positive else None,
        audit_confidence(main),
        _certificate(counted, policy, is_trusted=trust.outcome == "trusted"),
        retest,
        positions,
        probes,
        measure_drift(main, *policy.drift, policy.positive) if policy.drift else None,
        worst_disagreements(main),
        unprobed(probes),
        slices,
    )


def _measure(sample: Sample, reading: str, policy: Policy) -> Performance:
    return measure_reading(sample, reading, policy.positive, is_ordinal=policy.is_ordinal)


def _other_readings(sample: Sample) -> list[str]:
    return [name for name in sorted(sample.readings) if name.startswith("other:") and not name.endswith("/swapped")]


def _count(values: Sequence[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, values.count(name)) for name in sorted(set(values)))


def _alternative(sample: Sample, policy: Policy) -> AlternativeTest | None:
    if policy.epsilon is None:
        return None
    judge = sample.reading()
    usable = np.where(judge >= 0, judge, MISSING)
    values = np.array(label_values(sample.labels)) if policy.is_ordinal else None
    expert = sample.annotators.index(policy.expert) if policy.expert in sample.annotators else None
    contest = Contest(sample.annotators, sample.humans, sample.cluster, policy.epsilon, values, expert)
    return compare_with_annotators(contest, usable, sample.labels)


def _positions(sample: Sample) -> tuple[tuple[str, PositionFigures], ...]:
    names = ("judge", *_other_readings(sample))
    found = ((name, measure_positions(sample, name)) for name in names)
    return tuple((name, figures) for name, figures in found if figures is not None)


def _certificate(sample: Sample, policy: Policy, *, is_trusted: bool) -> Certificate | None:
    """Of the distinct items that were drawn; without a majority an item counts as wrong, without a confidence as one of the surest."""
    rows = sample.reading() >= 0
    if not np.isfinite(sample.confidence[rows]).any():
        return None
    judge = sample.reading()[rows]
    confidence, cluster, weights = np.nan_to_num(sample.confidence[rows], nan=1.0), sample.cluster[rows], sample.weights[rows]
    wrong, label = judge != sample.truth[rows], [sample.labels[code] for code in judge.tolist()]
    return certify(confidence, wrong, cluster, label, risk=policy.risk, delta=policy.delta, weights=weights, is_trusted=is_trusted)


def measure_rates(sample: Sample, performance: Performance, policy: Policy) -> Rates:
    """Raw, corrected and labels-only rates of acceptance; PPI++ where the labels are a recorded random sample of the judged items. The pool
    is what was judged and not labelled; where everything is labelled, all of it (the corrected rate then has nothing to add)."""
    accepting = [sample.labels.index(label) for label in policy.positive]
    judge, labelled, usable = sample.reading(), sample.truth >= 0, sample.reading() >= 0
    fresh = usable & ~labelled
    pool = fresh if fresh.any() else usable
    said, good = np.isin(judge, accepting), np.isin(sample.truth, accepting)
    known = usable & labelled
    specificity, sensitivity = performance.specificity, performance.sensitivity
    bound = lower_sum(specificity, sensitivity)
    raw = share_of(sample, pool, said)
    parts = raw, share_of(sample, known & ~good, ~said), share_of(sample, known & good, said)
    why_not = "judge_too_weak" if (known & good).any() and (known & ~good).any() else "single_class"
    corrected = undefined(why_not) if bound is None else corrected_rate(*parts, bounds_sum=bound)
    return Rates(
        "judged and not labelled" if fresh.any() else "the label file (all of it is labelled)",
        raw,
        corrected,
        share_of(sample, labelled, good),
        _powered(sample, known, pool, good, said),
        _allocation(raw, specificity, sensitivity, int(known.sum())),
    )


def _allocation(raw: Estimate, specificity: Estimate | None, sensitivity: Estimate | None, pilot: int) -> tuple[int, int] | None:
    if specificity is None or sensitivity is None or raw.value is None or specificity.value is None or sensitivity.value is None:
        return None
    return allocate_labels(100, raw.value, specificity.value, sensitivity.value, pilot) if 0 < raw.value < 1 else None


def _powered(sample: Sample, known: Flags, pool: Flags, good: Flags, said: Flags) -> Estimate:
    labelled = [item for item, code in zip(sample.items, sample.truth.tolist(), strict=True) if code >= 0]
    if any(item.sampled != "random" for item in labelled) or sample.is_weighted:
        return undefined("labels are no recorded random sample")
    fresh = pool & (sample.truth < 0)
    return prediction_powered(sample.by_case(known, good), sample.by_case(known, said), sample.by_case(fresh, said))


def worst_disagreements(sample: Sample, most: int = MOST_SHOWN) -> tuple[Disagreement, ...]:
    """At most `most` of them: highest confidence first (unknown last), then the most united people, then by id."""
    judge, truth = sample.reading(), sample.truth
    rows = np.flatnonzero((truth >= 0) & (judge != truth) & ((judge >= 0) | (judge == UNUSABLE_CODE))).tolist()
    unity = np.where(truth >= 0, (sample.humans == truth).sum(0) / np.maximum((sample.humans >= 0).sum(0), 1), 0.0)
    sure = np.nan_to_num(sample.confidence, nan=-1.0)
    order = sorted(rows, key=lambda row: (-sure[row], -unity[row], sample.items[row].item_id))[:most]
    found = []
    for row in order:
        item, said = sample.items[row], sample.labels[judge[row]] if judge[row] >= 0 else ""
        about = sample.labels[truth[row]], said, item.confidence, float(unity[row])
        found.append(Disagreement(item.item_id, item.cluster_id, *about, item.labels, item.inputs))
    return tuple(found)
