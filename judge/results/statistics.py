"""Figures that the reports add to summary.json: fields, covenants found, models needed, the judged system's own confidence.
Scores and shares are 0..1. Intervals are Wilson's with the number of cases as n: a mean of scores within 0..1 has no more variance than a
proportion, so they are at least as wide as they must be, and never have zero width (calibration.md 3.3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from calibration.statistics.estimate import wilson
from judge.capabilities.registry import field_of, groups_of
from judge.records import RIGHT, Item, NonOutcome, grouped
from rubrics.contract_sections import BANDS, Confidence

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FieldScore:
    """One field of one capability. score: mean over cases, None while open items leave `bounds` apart. needed_model: share of items."""

    capability: str
    field: str
    cases: int
    items: int
    score: float | None
    bounds: Interval
    interval: Interval
    outcomes: Mapping[str, int]
    needed_model: float


@dataclass(frozen=True, slots=True)
class Proportion:
    """k of n with its Wilson interval; value and interval None when n is 0."""

    k: int
    n: int
    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of a group that gold lists. recall: of gold that was reported; precision: of what was reported that gold has; right: of it, fully."""

    noun: str
    recall: Proportion
    precision: Proportion
    right: Proportion


@dataclass(frozen=True, slots=True)
class Band:
    """One confidence band of the standard (1.6) or one bin of the reliability diagram: mean confidence None when given by name only."""

    name: str
    items: int
    right: Proportion
    mean_confidence: float | None


@dataclass(frozen=True, slots=True)
class ConfidenceAudit:
    """How far the judged system's confidence can be trusted. ece: expected calibration error over `bins` (10 of equal width, (lo, hi])."""

    bands: tuple[Band, ...]
    bins: tuple[Band, ...]
    ece: float | None
    items: int


def share_of(k: int, n: int, level: float) -> Proportion:
    """k of n as a share."""
    return Proportion(k, n, k / n if n else None, wilson(k, n, level) if n else None)


def field_scores(items: Iterable[Item], level: float) -> tuple[FieldScore, ...]:
    """Every field with a weight, in order of first appearance."""
    groups = grouped(((item.capability, field_of(item)), item) for item in items if item.weight > 0)
    return tuple(_field_score(capability, name, members, level) for (capability, name), members in groups.items())


def _field_score(capability: str, name: str, items: Sequence[Item], level: float) -> FieldScore:
    by_case = grouped((item.case_id, item) for item in items)
    low, high = (fmean(fmean(i.bounds[end] for i in members) for members in by_case.values()) for end in (0, 1))
    cases = len(by_case)
    needed = sum(i.decided_by in ("llm", "panel") or bool(i.rubric) for i in items)
    interval = wilson(low * cases, cases, level)[0], wilson(high * cases, cases, level)[1]
    value, outcomes = low if high - low < 1e-12 else None, dict(Counter(str(i.outcome) for i in items))
    return FieldScore(capability, name, cases, len(items), value, (low, high), interval, outcomes, needed / len(items))


def list_coverage(items: Iterable[Item], capability: str, level: float) -> Iterator[Coverage]:
    """How complete and how clean each group is that the capability's gold lists; groups without items are left out."""
    for name, group in groups_of(capability).items():
        members = [i for i in items if i.capability == capability and i.item.startswith(f"{name}.")]
        if group.is_list and members:
            gold = [i for i in members if not i.item.startswith(f"{name}.+")]
            found = [i for i in gold if i.reported]
            reported = len(found) + len(members) - len(gold)
            right = sum(i.outcome in RIGHT for i in found)
            counts = ((len(found), len(gold)), (len(found), reported), (right, reported))
            yield Coverage(group.noun, *(share_of(k, n, level) for k, n in counts))


def confidence_audit(items: Iterable[Item], policy: Confidence, level: float) -> ConfidenceAudit | None:
    """Accuracy by confidence; open items and extras are left out. None when no judged item has a confidence."""
    judged = [i for i in items if i.confidence is not None and not i.is_open and i.outcome is not NonOutcome.EXTRA]
    if not judged:
        return None
    bands = tuple(_band(name, [i for i in judged if policy.band_of(i.confidence) == name], level) for name in BANDS)
    numeric = [i for i in judged if not isinstance(i.confidence, str)]
    # bins are open below and closed above, so 0.9 belongs to 0.8 to 0.9; the tolerance keeps 0.3 = 0.1 * 3 where it belongs
    by_bin = grouped((max(0, min(9, -int(-(_number(item) * 10 - 1e-9) // 1) - 1)), item) for item in numeric)
    bins = tuple(_band(f"{n / 10:.1f} to {(n + 1) / 10:.1f}", by_bin[n], level) for n in sorted(by_bin))
    gaps = [(b.items, abs((b.right.value or 0.0) - (b.mean_confidence or 0.0))) for b in bins]
    ece = sum(n * gap for n, gap in gaps) / len(numeric) if numeric else None
    return ConfidenceAudit(bands, bins, ece, len(judged))


def _number(item: Item) -> float:
    return float(item.confidence) if isinstance(item.confidence, int | float) else 0.0


def _band(name: str, items: Sequence[Item], level: float) -> Band:
    right = share_of(sum(i.outcome in RIGHT for i in items), len(items), level)
    numbers = [_number(i) for i in items if not isinstance(i.confidence, str)]
    return Band(name, len(items), right, fmean(numbers) if numbers else None)
