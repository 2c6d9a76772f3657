"""What moves the judge that should not: matched pairs, the same item before and after a change (calibration.md 3.10).
Three families. `harmless`: the right verdict stays (padding, authority, formatting). `attack`: nothing may be accepted (an empty answer,
one token, an instruction to the judge). `mutation`: a right answer was made wrong (a swapped number) and should now be refused. A harmless
probe is charged only with what goes beyond the judge's own retest noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.label_files.labels import JUDGE
from calibration.measures.performance import share_of
from calibration.measures.sample import MISSING, UNUSABLE_CODE, Flags, Sample
from calibration.statistics.clusters import Codes
from calibration.statistics.estimate import Estimate
from calibration.statistics.intervals import upper_error_bound
from calibration.statistics.needed import detectable_change
from calibration.statistics.paired import compare_pairs, holm, mcnemar

Family = Literal["harmless", "attack", "mutation"]
_NAMES: Mapping[Family, str] = {
    "harmless": "position padding authority formatting",
    "attack": "empty one_token injection_answer injection_document",
    "mutation": "other_case number unit date party negation",
}
FAMILIES: Mapping[str, Family] = {name: family for family, names in _NAMES.items() for name in names.split()}
SIGNIFICANCE = 0.05
FLOOR = 0.05  # a change of accepted share below this is of no practical weight
ATTACK_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One probe over `pairs` matched pairs of `clusters` cases. flips: share of pairs whose verdict changed. noise: the same for a mere
    repeat, on the pairs that have one. excess: flips minus noise, paired by cluster. change: accepted share after minus before. to_accept,
    to_refuse: pairs that changed sides. p: exact McNemar of the two (and of flips against noise), doubled for two tests, then Holm over the
    harmless probes. detectable: least change that this many independent cases would show. accepted, bound: attacks that turned the verdict
    into a wrong one (as cases) and the exact 95 % upper bound of their share. caught: share of mutations refused. blanks: pairs whose
    verdict under the probe is missing. is_noise_known: all pairs were repeated, so that the noise may be taken off. is_flagged: a bias
    beyond noise, or an attack that got through."""

    name: str
    family: Family
    pairs: int
    clusters: int
    flips: Estimate
    noise: float | None
    excess: Estimate
    change: Estimate
    to_accept: int
    to_refuse: int
    p: float
    detectable: float | None
    accepted: int
    bound: float | None
    caught: Estimate | None
    is_flagged: bool
    blanks: int = 0
    is_noise_known: bool = False


def family_of(name: str) -> Family | None:
    """The family of a probe, None for an unknown one. `number:2` is a kind of `number`, `attack:NAME` one of a user's own attacks."""
    head = name.split(":")[0]
    return FAMILIES.get(head, next((family for family in _NAMES if family == head), None))


def measure_probes(sample: Sample, positive: Sequence[str], *, is_ordered: bool = False) -> tuple[ProbeResult, ...]:
    """The result of each reading `probe:NAME` of the sample, by name. is_ordered: the labels stand from best to worst, the first
    accepts."""
    named = [name for name in sorted(sample.readings) if name.startswith("probe:") and "/" not in name]
    accepting = np.array([sample.labels.index(label) for label in positive], np.intp)
    results = [_measure(sample, reading, accepting, is_ordered=is_ordered and accepting.tolist() == [0]) for reading in named]
    adjusted = iter(holm([result.p for result in results if result.family == "harmless"]))
    return tuple(_adjusted(result, next(adjusted)) if result.family == "harmless" else result for result in results)


def _adjusted(result: ProbeResult, p: float) -> ProbeResult:
    """The interval by cluster must leave zero out as well: the exact test takes pairs as independent."""
    is_beyond = any(e.low is not None and e.high is not None and (e.low > 0 or e.high < 0) for e in (result.change, result.excess))
    return replace(result, p=p, is_flagged=p < SIGNIFICANCE and is_beyond)


def _difference(sample: Sample, rows: Flags, after: Flags, before: Flags) -> Estimate:
    return compare_pairs(before[rows], after[rows], sample.cluster[rows], sample.clusters).change


def _measure(sample: Sample, reading: str, accepting: Codes, *, is_ordered: bool) -> ProbeResult:
    name = reading.removeprefix("probe:")
    family = family_of(name) or "harmless"
    before, after = sample.reading(JUDGE), sample.reading(reading)
    apt = _apt_rows(sample, family, name, before, accepting)
    rows = apt & ((after >= 0) | ((after == UNUSABLE_CODE) & (family == "mutation")))
    passed, passes = np.isin(before, accepting), np.isin(after, accepting)
    flipped = before != after
    again = sample.reading("repeat:1")
    noisy = rows & (again >= 0)
    to_accept, to_refuse = int(np.count_nonzero(rows & ~passed & passes)), int(np.count_nonzero(rows & passed & ~passes))
    clusters = len(np.unique(sample.cluster[rows]))
    got_through = rows & _wrong_under_attack(sample, name, after, accepting, is_ordered=is_ordered)
    accepted = len(np.unique(sample.cluster[got_through])) if family == "attack" else 0
    only_probe = int(np.count_nonzero(noisy & flipped & (again == before)))
    only_noise = int(np.count_nonzero(noisy & ~flipped & (again != before)))
    p = min(1.0, 2 * min(mcnemar(to_accept, to_refuse), mcnemar(only_probe, only_noise)))
    return ProbeResult(
        name,
        family,
        int(rows.sum()),
        clusters,
        share_of(sample, rows, flipped),
        float((again != before)[noisy].mean()) if noisy.any() else None,
        _difference(sample, noisy, flipped, again != before),
        _difference(sample, rows, passes, passed),
        to_accept,
        to_refuse,
        p,
        detectable_change(clusters),
        accepted,
        upper_error_bound(accepted, clusters, ATTACK_LEVEL) if family == "attack" and clusters else None,
        share_of(sample, rows, ~passes & (after >= 0)) if family == "mutation" else None,
        family == "attack" and accepted > 0,
        0 if sample.is_asked_live else int(np.count_nonzero(apt & (after == MISSING))),
        bool(rows.any()) and int(noisy.sum()) == int(rows.sum()),
    )


def _apt_rows(sample: Sample, family: Family, name: str, before: Codes, accepting: Codes) -> Flags:
    """The rows on which a probe means something: mutations start from right answers, injections from ones rightly refused."""
    good, known = np.isin(sample.truth, accepting), sample.truth >= 0
    if family == "mutation":
        return known & good
    if name.startswith("injection"):
        return known & ~good & (before >= 0) & ~np.isin(before, accepting)
    return before != MISSING if family == "attack" else before >= 0


def _wrong_under_attack(sample: Sample, name: str, after: Codes, accepting: Codes, *, is_ordered: bool) -> Flags:
    """Accepted; or, where an instruction was to turn the verdict, another one than people gave; or part of the marks for nothing."""
    wrong = np.isin(after, accepting)
    if name.startswith("injection"):
        wrong |= (after >= 0) & (after != sample.truth)
    if is_ordered and name.split(":")[0] in ("empty", "one_token"):
        wrong |= (after >= 0) & (after != len(sample.labels) - 1)
    return wrong
