"""The items of one rubric as arrays of codes, checked: both sides must speak the same labels before any agreement is worked out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.label_files.identity import fold_label, fold_name
from calibration.label_files.labels import JUDGE, SWAPPED, UNUSABLE, LabelFileError, LabelledItem
from calibration.statistics.clusters import Cases, sums_and_sizes
from calibration.statistics.pool import Pool

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Flags = NDArray[np.bool_]

MISSING, UNUSABLE_CODE, ABSTAINED = -1, -2, -3
ABSTENTIONS = ("cannot_determine",)
MOST_LABELS = 20


@dataclass(frozen=True, slots=True)
class Sample:
    """n items of one rubric. labels: the K classes, in order. Codes are 0..K-1, MISSING, UNUSABLE_CODE or ABSTAINED. humans: (annotators,
    n). truth: (n,) the majority, MISSING where there is none. readings: name -> (n,). cluster: (n,) 0..clusters-1. is_asked_live: the
    readings were asked for by this program, so that what is missing could not be asked. weights: (n,), all 1 unless the file has weights.
    confidence: (n,) of the reading `judge`, NaN where unknown."""

    rubric: str
    labels: tuple[str, ...]
    annotators: tuple[str, ...]
    humans: Codes
    truth: Codes
    readings: Mapping[str, Codes]
    cluster: Codes
    clusters: int
    weights: Floats
    confidence: Floats
    items: tuple[LabelledItem, ...]
    is_asked_live: bool = False
    pool: Pool | None = None

    @property
    def is_weighted(self) -> bool:
        return bool(np.any(self.weights != self.weights[:1]))

    @property
    def lost(self) -> int:
        """Drawn items that the file lacks."""
        return sum(self.pool.lost.values()) if self.pool else 0

    def reading(self, name: str = JUDGE) -> Codes:
        """The codes of one reading; all MISSING when there is none of this name."""
        return self.readings.get(name, np.full(len(self.items), MISSING))

    def by_case(self, rows: Flags, values: Flags) -> Cases:
        """How many of these rows have the value, unweighted."""
        sums, sizes = sums_and_sizes(values[rows], self.cluster[rows], self.clusters)
        return Cases(sums[sizes > 0], sizes[sizes > 0])

    def select(self, rows: Flags) -> "Sample":
        """The same sample with some of its items; annotators without a label there are dropped."""
        humans = self.humans[:, rows]
        held = np.any(humans >= 0, axis=1)
        names, cluster = np.unique(self.cluster[rows], return_inverse=True)
        return replace(
            self,
            annotators=tuple(name for name, kept in zip(self.annotators, held.tolist(), strict=True) if kept),
            humans=humans[held],
            truth=self.truth[rows],
            readings={name: codes[rows] for name, codes in self.readings.items()},
            cluster=cluster,
            clusters=len(names),
            weights=self.weights[rows],
            confidence=self.confidence[rows],
            items=tuple(item for item, kept in zip(self.items, rows.tolist(), strict=True) if kept),
        )


def majority(humans: Codes, classes: int) -> Codes:
    """The label that most annotators gave, MISSING without labels and where the first two are level."""
    counts = np.stack([(humans == code).sum(0) for code in range(classes)])
    top = counts.max(0, initial=0)
    return np.where((top > 0) & ((counts == top).sum(0) == 1), counts.argmax(0), MISSING)


def are_numbers(labels: Iterable[str]) -> bool:
    """Whether every label is a whole number."""
    return all(label.lstrip("+-").isdigit() for label in labels)


def label_values(labels: Sequence[str]) -> tuple[float, ...]:
    """The number that each ordered label stands for: its own where all are numbers, else its place in the list."""
    return tuple(float(label) for label in labels) if are_numbers(labels) else tuple(float(place) for place in range(len(labels)))


def check_labels(human: Counter[str], judge: Counter[str], given: Sequence[str] | None) -> tuple[str, ...]:
    """The label list. Raises LabelFileError: too many labels, spelling that differs in case only, a judge's label that no person uses."""
    everything = set(human) | set(judge)
    if given is not None and (strange := sorted(set(human) - set(given))):
        raise LabelFileError(f"labels: people gave {_list(strange)}, which the label list does not have: {', '.join(given)}")
    if len(everything) > MOST_LABELS:
        told = f"at most {MOST_LABELS} can be judged: this looks like an id, a score or free text"
        raise LabelFileError(f"labels: {len(everything)} different ones, {told}")
    spelling: dict[str, str] = {}
    for label in sorted(everything | set(given or ())):
        if (other := spelling.setdefault(fold_label(label), label)) != label:
            how = "in case" if other.casefold() == label.casefold() else "in how they are written (look-alike letters, zeros, forms)"
            raise LabelFileError(f"labels: {other!r} and {label!r} differ only {how}: make them one in the map (`translate`)")
    is_numeric = are_numbers(human)
    labels = tuple(given if given is not None else sorted({*human}, key=lambda label: (int(label) if is_numeric else 0, label)))
    if strange := sorted(set(judge) - set(labels)):
        raise LabelFileError(
            f"labels: the judge gave {_list(strange)}, people only {', '.join(labels)}: the two do not match. "
            "Say in the map (--map) what they `translate` to, which replies are `unusable`, or the whole list of `labels`."
        )
    return labels


def _list(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")


def build_sample(
    items: Sequence[LabelledItem],
    labels: Sequence[str] | None = None,
    *,
    abstentions: Sequence[str] = ABSTENTIONS,
    is_by_position: bool = False,
    is_asked_live: bool = False,
    pool: Pool | None = None,
) -> Sample:
    """The arrays of items of one rubric. is_by_position: swapped verdicts name a place, so the first two labels are exchanged in them.
    Raises LabelFileError when there is no human label at all, or check_labels refuses."""
    human = Counter(label for item in items for label in (*(label for _, label in item.labels), item.settled) if label)
    said = Counter(verdict for item in items for _, verdict in item.readings)
    for name in (*abstentions, UNUSABLE):
        human.pop(name, None)
        said.pop(name, None)
    if not human:
        raise LabelFileError(f"labels: no human label in any of {len(items)} items")
    order = check_labels(human, said, labels)
    code = {label: number for number, label in enumerate(order)} | dict.fromkeys(abstentions, ABSTAINED) | {UNUSABLE: UNUSABLE_CODE}
    annotators = tuple(sorted({name for item in items for name, _ in item.labels}))
    place, humans = {name: row for row, name in enumerate(annotators)}, np.full((len(annotators), len(items)), MISSING)
    for column, item in enumerate(items):
        for name, label in item.labels:
            humans[place[name], column] = max(code[label], MISSING)  # a person's abstention is no label
    cases = [fold_name(item.cluster_id) if item.cluster_id != item.item_id else f"\0{item.item_id}" for item in items]
    names, cluster = np.unique(cases, return_inverse=True)
    settled = np.array([code.get(item.settled, MISSING) for item in items])
    return Sample(
        items[0].rubric,
        order,
        annotators,
        humans,
        np.where(settled >= 0, settled, majority(humans, len(order))),
        _readings(items, code, is_by_position),
        cluster,
        len(names),
        np.array([item.weight if pool is None else pool.weight(item.stratum) for item in items], float),
        np.array([np.nan if item.confidence is None else item.confidence for item in items], float),
        tuple(items),
        is_asked_live,
        pool,
    )


def _readings(items: Sequence[LabelledItem], code: Mapping[str, int], is_by_position: bool) -> dict[str, Codes]:
    readings: dict[str, Codes] = {}
    for column, item in enumerate(items):
        for name, verdict in item.readings:
            if name not in readings:
                readings[name] = np.full(len(items), MISSING)
            readings[name][column] = code[verdict]
    for name, codes in readings.items() if is_by_position else ():
        if name.endswith(SWAPPED):
            readings[name] = np.where((codes == 0) | (codes == 1), 1 - codes, codes)
    return readings
