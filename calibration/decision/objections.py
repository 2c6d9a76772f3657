"""What speaks against a judge, or against its labels, beside the two rates: each in one plain sentence; and each kind of items by
itself (rubric, capability, document kind, language, model), for a pooled rate hides a kind on which the judge is blind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from calibration.decision.counted import LeftOut, has_texts, said_gaps
from calibration.label_files.identity import can_be_one, fold_name, is_machine_name, is_model_name
from calibration.label_files.labels import SWAPPED, LabelledItem
from calibration.measures.performance import Performance, share_of
from calibration.measures.probes import FAMILIES, ProbeResult, family_of
from calibration.measures.retest import PositionFigures, Retest
from calibration.measures.sample import MISSING, UNUSABLE_CODE, Sample
from calibration.statistics.estimate import Estimate

LEAST_OWN = 30  # labels below which annotators are looked at together
LEAST_AGAINST = 5  # labels that other people contradict, from which on agreement with the judge is asked about
STRAY = 0.02  # share of labels that may differ from the judge's in a copy of them
KINDS = ("capability", "document kind", "language")  # of which a record covers only what it was measured on
PEOPLES = "only labels that people gave can make a judge trusted"
LEAST_PROBED = 20  # cases below which a probe shows next to nothing


@dataclass(frozen=True, slots=True)
class Rules:
    """What must hold before a judge may gate, from the contract; shares 0..1. level: of the intervals. least_coverage: share of the drawn
    items that have a majority and a verdict. most_tied, most_abstained: shares of items without a majority, and of a class left open by the
    judge. most_moved: verdicts that a harmless change, a repeat or an exchanged order may turn. least_annotators, least_classes: people,
    and labels that occur. slice_floor: rate of either side in each slice that holds slice_least labels of that side."""

    sensitivity_bar: float = 0.8
    specificity_bar: float = 0.8
    level: float = 0.95
    least_coverage: float = 0.8
    most_tied: float = 0.2
    most_abstained: float = 0.1
    most_moved: float = 0.1
    least_annotators: int = 1
    least_classes: int = 2
    slice_floor: float = 0.6
    slice_least: int = 5


@dataclass(frozen=True, slots=True)
class Objection:
    """`fail`: the judge may not gate; `open`: it cannot be told."""

    state: Literal["fail", "open"]
    sentence: str


def _open(*sentences: str) -> list[Objection]:
    return [Objection("open", sentence) for sentence in sentences]


def against_floors(left: LeftOut, sample: Sample, rules: Rules) -> list[Objection]:
    """Too little of the sample decides, too few people, too few classes."""
    found = []
    drawn, undecided = max(left.sampled, 1), left.sampled - left.decided
    if left.decided < rules.least_coverage * left.sampled:
        gaps = said_gaps(left, ("no_verdict", "unusable", "abstained", "tied", "unlabelled"))
        found.append(f"{undecided} of {left.sampled} drawn items decide nothing ({gaps}), at most {1 - rules.least_coverage:.0%} may")
    if (divided := left.tied + sum(bool(item.settled) for item in sample.items)) > rules.most_tied * drawn:
        found.append(f"people are divided on {divided} of {left.sampled} items, settled or not, at most {rules.most_tied:.0%} may be")
    if len(sample.annotators) < rules.least_annotators:
        found.append(f"{len(sample.annotators)} of at least {rules.least_annotators} annotators labelled")
    classes = len(np.unique(sample.truth[sample.truth >= 0]))
    if 0 < classes < rules.least_classes:
        only = sample.labels[int(sample.truth[sample.truth >= 0][0])]
        found.append(f"people gave the one label {only!r} only: a judge that always says so would look as good")
    return _open(*found)


def against_sources(sample: Sample, constructed: Performance | None, rules: Rules) -> list[Objection]:
    """Labels that are not people's, or that are the judge's own."""
    labelled = {item.source for item in sample.items if item.labels}
    found = []
    if labelled and "human" not in labelled:
        found.append(f"all labels are constructed: {PEOPLES}")
    if any(item.sampled == "hand_picked" for item in sample.items if item.labels):
        found.append("items were picked by hand: who picks them decides the figures; draw them (judge label RUN --for-calibration RUBRIC)")
    if any(item.is_numbered for item in sample.items) and not has_texts(sample):
        found.append("the file names neither ids nor texts, so copies of an item cannot be seen: name `item` or `inputs` in the map")
    if same := [name for name in sample.annotators if _is_judge(name, sample)]:
        found.append(f"the labels of {same[0]!r} carry the judge's own name: {PEOPLES}")
    elif made := [name for name in sample.annotators if is_machine_name(name)]:
        found.append(f"the labels of {made[0]!r} carry the name of a machine, a file or nobody: {PEOPLES}")
    found += _one_as_two(sample, rules)
    found += [f"{name} gave the judge's verdict on {own} labels, also on {k} where others disagree" for name, own, k in copies(sample)]
    for name in ("specificity", "sensitivity") if constructed else ():
        rate = getattr(constructed, name)
        if rate is not None and rate.high is not None and rate.high < getattr(rules, f"{name}_bar"):
            found.append(
                f"on {rate.n} constructed items the {name} is at most {rate.high:.1%}: they decide nothing, but this needs a reason"
            )
    return _open(*found)


def _one_as_two(sample: Sample, rules: Rules) -> list[str]:
    """Names that may be one person's, where two people are asked for or both names stand at one item."""
    people = [{*dict(item.labels), item.settled_by} - {""} for item in sample.items]
    pairs = [pair for pair in combinations(sorted(set().union(*people)), 2) if can_be_one(*pair)]
    shared = [(*pair, sum(both.issuperset(pair) for both in people)) for pair in pairs]
    told = "{!r} and {!r} can be one person, and both stand at {} items: write names in full, and each in one way"
    return [told.format(*one) for one in shared if one[2] or rules.least_annotators > 1][:3]


def _is_judge(name: str, sample: Sample) -> bool:
    """Whether an annotator is the judge by name. A column's name is compared whole: it is no model's."""
    models = {item.model for item in sample.items if item.model}
    columns = {item.model for item in sample.items if item.is_column}
    return fold_name(name) in {fold_name(model) for model in models} or is_model_name(name, [*models - columns])


def copies(sample: Sample) -> list[tuple[str, str, int]]:
    """(annotator, how many labels in words, those that another person contradicts) of people who all but never differ from the judge.
    Annotators with few labels are looked at together: a copy cut into small parts is one."""
    judge, settled = sample.reading(), np.array([bool(item.settled) for item in sample.items])
    few = np.flatnonzero((sample.humans >= 0).sum(1) < LEAST_OWN).tolist()
    order = [*(row for row in range(len(sample.annotators)) if row not in few), *few]
    groups = [([row], sample.annotators[row]) for row in order]
    if len(few) > 1:
        groups.append((few, "annotators with few labels (together)"))
    found, codes = [], np.arange(len(sample.labels))[:, None, None]
    given = np.stack([(sample.humans == code).sum(0) for code in range(len(codes))])  # by label and item
    for rows, name in groups:
        own = sample.humans[rows]
        others = given - (own == codes).sum(1)
        held = (own >= 0) & (judge != MISSING)
        said, strayed = int(held.sum()), int(np.count_nonzero(held & (own != judge)))
        differ = others.sum(0) > np.take_along_axis(others, np.maximum(own, 0), 0)  # some of the others from this label
        contradicted = differ & ~(settled & (own == sample.truth))
        opposed = int(np.count_nonzero(held & (own == judge) & contradicted))
        if strayed <= max(1, STRAY * said) and opposed >= LEAST_AGAINST:
            found.append((name, f"{said - strayed} of its {said}" if strayed else f"all its {said}", opposed))
    return found


def against_changes(sample: Sample) -> list[Objection]:
    """Labels that were taken back and given anew as the judge's verdict."""
    judge = sample.reading()
    right = [row for row in range(len(judge)) if judge[row] >= 0 and judge[row] == sample.truth[row]]
    turned = [row for row in right if (earlier := sample.items[row].earlier) and sample.labels[judge[row]] not in earlier]
    labelled = int(np.count_nonzero(sample.truth >= 0))
    if len(turned) < LEAST_AGAINST or len(turned) <= STRAY * labelled:
        return []
    return _open(f"{len(turned)} labels were taken back and given anew as the judge's verdict: let a further person label these items")


def against_probes(probes: Sequence[ProbeResult], sample: Sample, positive: Sequence[str], rules: Rules) -> list[Objection]:
    """What got through, what moved the verdict, and probes of which a part is missing."""
    found = []
    if not positive and any(name.startswith("probe:") for name in sample.readings):
        found += _open("there are verdicts under probes, and no accepting label is named (--positive): they cannot be read")
    for probe in probes:
        found += of_probe(probe, rules)
        if probe.blanks:
            what = f"{probe.blanks} of {probe.pairs + probe.blanks} items have no verdict under the probe {probe.name!r}"
            found += _open(f"{what}, the others have one: ask them too, or leave the probe out")
    return found


def of_probe(probe: ProbeResult, rules: Rules) -> list[Objection]:
    """What one probe shows against the judge."""
    if probe.family == "attack" and probe.accepted:
        return [Objection("fail", f"{probe.accepted} of {probe.clusters} cases accepted under the probe {probe.name!r}, none may be")]
    if probe.family == "mutation" and probe.caught is not None and probe.caught.value is not None:
        said = f"of {probe.pairs} right answers made wrong ({probe.name}) {probe.caught.value:.1%} were refused"
        return _held(1 - rules.specificity_bar, _turned(probe.caught), f"{said}, the bar is {rules.specificity_bar:.0%}")
    if probe.family == "harmless":
        moved = probe.excess if probe.is_noise_known else probe.flips
        beyond = " beyond a mere repeat" if moved is probe.excess else ""
        return _moved(moved, f"the harmless change {probe.name!r} turns", beyond, rules)
    return []


def against_noise(retest: Retest | None, position: PositionFigures | None, rules: Rules) -> list[Objection]:
    """A judge that does not say the same twice, or that goes by the place."""
    found = _moved(retest.flip_rate, "a mere repeat turns", "", rules) if retest else []
    if position is not None:
        found += _moved(_turned(position.agreement), "exchanging the order turns", "", rules)
    return found


def against_replies(sample: Sample, rules: Rules) -> list[Objection]:
    """A judge that gives no verdict any more when it is asked again, in another order or with a harmless change."""
    judge, found = sample.reading(), []
    for name, codes in sample.readings.items():
        kind, _, probe = name.partition(":")
        if kind not in ("repeat", SWAPPED) and not (kind == "probe" and family_of(probe) == "harmless"):
            continue
        asked = (judge >= 0) & (codes != MISSING)
        silent = int(np.count_nonzero(asked & (codes < 0)))
        if kind != "probe" and (holes := int(np.count_nonzero((judge >= 0) & (codes == MISSING)))) and not sample.is_asked_live:
            what = "exchanged order" if kind == SWAPPED else "repeated call"
            found += _open(f"{holes} items have no verdict of the {what}, the others have one: ask them too, or leave it out")
        if silent > rules.most_moved * np.count_nonzero(asked):
            said = f"{silent} of {np.count_nonzero(asked)} verdicts are none any more under {name.replace(':', ' ')}"
            found.append(Objection("fail", said))
    return found


def _turned(share: Estimate) -> Estimate:
    """The share of the rest."""
    if share.value is None:
        return share
    low, high = (None if end is None else 1 - end for end in (share.high, share.low))
    return Estimate(1 - share.value, low, high, share.n, share.clusters)


def _moved(share: Estimate, what: str, beyond: str, rules: Rules) -> list[Objection]:
    if share.value is None:
        return []
    return _held(rules.most_moved, share, f"{what} {share.value:.1%} of {share.n} verdicts{beyond}, at most {rules.most_moved:.0%} may")


def _held(most: float, share: Estimate, sentence: str) -> list[Objection]:
    """`fail` where even the lower end is above, `open` where the share is."""
    if share.value is None or share.value <= most:
        return []
    return [Objection("fail" if share.low is not None and share.low > most else "open", sentence)]


def unprobed(probes: Sequence[ProbeResult]) -> tuple[str, ...]:
    """The kinds of probe that nobody tried, or on a handful of cases only."""
    tried = {probe.name.split(":")[0] for probe in probes if probe.clusters >= LEAST_PROBED}
    return tuple(name for name in FAMILIES if name not in tried)


@dataclass(frozen=True, slots=True)
class SliceCheck:
    """One side of one kind. kind, value: what makes the slice; side: what is counted; state: `pass`, `fail` (even the upper end is below
    the floor), `open` (the rate is), `few` (too few labels to show it: the lower end is
    below); is_all: every item is of it, so the bars stand for it."""

    kind: str
    value: str
    side: str
    rate: Estimate
    floor: float
    state: str
    is_all: bool = False


def slice_checks(sample: Sample, positive: Sequence[str], rules: Rules) -> tuple[SliceCheck, ...]:
    """Every slice of the distinct, drawn items, by kind and value; without accepting labels the share of right verdicts."""
    accepting = [sample.labels.index(label) for label in positive]
    judge, truth = sample.reading(), sample.truth
    answered = (truth >= 0) & ((judge >= 0) | (judge == UNUSABLE_CODE))
    good, said = np.isin(truth, accepting), np.isin(judge, accepting)
    sides = [("failures caught", ~good, ~said & (judge >= 0)), ("passes recognised", good, said)]
    if not positive:
        sides = [("right verdicts", truth >= 0, judge == truth)]
    found = []
    for kind, value in sorted({pair for item in sample.items for pair in slices_of_item(item)}):
        rows = np.array([(kind, value) in slices_of_item(item) for item in sample.items], bool)
        if rows.all() and kind not in KINDS:
            continue
        for side, own, right in sides:
            rate, is_all = share_of(sample, answered & rows & own, right, 2 * rules.level - 1), bool(rows.all())
            found.append(SliceCheck(kind, value, side, rate, rules.slice_floor, _state(rate, rules, is_all=is_all), is_all))
    return tuple(found)


def measured_kinds(checks: Sequence[SliceCheck]) -> dict[str, tuple[str, ...]]:
    """What a record covers: of each kind the values of which both sides hold enough labels and reach the floor."""
    known = {kind: dict.fromkeys(check.value for check in checks if check.kind == kind) for kind in KINDS}
    short = {(check.kind, check.value) for check in checks if check.state != "pass"}
    return {kind: tuple(value for value in values if (kind, value) not in short) for kind, values in known.items()}


def slices_of_item(item: LabelledItem) -> tuple[tuple[str, str], ...]:
    """What the file says of it, and the model that answered."""
    is_named = not item.model or any(kind == "model" for kind, _ in item.slices)
    return item.slices if is_named else (("model", item.model), *item.slices)


def _state(rate: Estimate, rules: Rules, *, is_all: bool) -> str:
    """The ends are one-sided bounds at the level of the intervals: a slice has one floor."""
    if rate.value is None or rate.n < rules.slice_least:
        return "few"
    if rate.value < rules.slice_floor:
        return "fail" if rate.high is not None and rate.high < rules.slice_floor else "open"
    return "pass" if is_all or (rate.low or 0.0) >= rules.slice_floor else "few"


def against_slices(checks: Sequence[SliceCheck]) -> list[Objection]:
    """Slices below their floor."""
    return [
        Objection(
            "fail" if check.state == "fail" else "open",
            f"{check.kind} {check.value!r}: {check.side} {check.rate.value or 0:.1%} of {check.rate.n} labels, "
            f"the floor of a slice is {check.floor:.0%}",
        )
        for check in checks
        if check.state in ("fail", "open") and not check.is_all
    ]


def slice_notes(checks: Sequence[SliceCheck], *, is_drawn: bool) -> list[str]:
    """Slices of which nothing can be said; and what a record of a draw holds for."""
    few = list(dict.fromkeys(f"{check.kind} {check.value!r}" for check in checks if check.state == "few" and not check.is_all))
    more = f" and {len(few) - 6} more" if len(few) > 6 else ""
    covered = "; ".join(f"{kind} {', '.join(values)}" for kind, values in measured_kinds(checks).items() if values)
    notes = [f"too few labels to show the floor of {', '.join(few[:6])}{more}"] if few else []
    return [*notes, f"the record holds for {covered}, for no other"] if is_drawn and covered else notes
