"""May this judge gate? Trusted, not trusted or inconclusive, each with its reasons in plain words (calibration.md 2).
The rates must clear their bars as they are and at worst (see counted.py), and nothing may speak against the judge (see objections.py)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.decision.counted import ClassRate, LeftOut, measure_class
from calibration.decision.objections import Objection, Rules
from calibration.measures.sample import Sample
from calibration.statistics.clusters import Cases
from calibration.statistics.estimate import Estimate
from calibration.statistics.needed import MOST_ALIKE, NOTHING, Need, World, needed_for_bar, world_of
from calibration.statistics.pool import LIKELY, Growth

Outcome = Literal["trusted", "not_trusted", "inconclusive"]
State = Literal["pass", "fail", "open"]


@dataclass(frozen=True, slots=True)
class Check:
    """One class's rate against its bar. worst: the rate if everything that is not known spoke against the judge. labels_needed,
    cases_needed: further labels of this class, and cases that hold them, for a 90 % chance of passing; None when no number can be promised
    at the rate seen, or when it is not labels that are missing. Of a draw: all labels that its next step asks
    for. by_case: (right verdicts, labels) of each case."""

    name: str
    rate: Estimate
    bar: float
    state: State
    labels_needed: int | None
    sentence: str
    worst: Estimate | None = None
    cases_needed: int | None = None
    by_case: tuple[tuple[float, float], ...] = ()

    @property
    def seen(self) -> Cases:
        """The labels by case, for planning."""
        return Cases(*np.array(self.by_case, float).reshape(-1, 2).T)


@dataclass(frozen=True, slots=True)
class Trust:
    """The answer. sentence: one plain sentence with the reason; reasons: all of them; labels_needed: over all checks, None if unknown.
    notes: what the reader must know even where the judge is trusted. left_out: what the rates do not see, None where nothing was
    sampled."""

    outcome: Outcome
    sentence: str
    checks: tuple[Check, ...]
    reasons: tuple[str, ...]
    labels_needed: int | None
    notes: tuple[str, ...] = ()
    left_out: LeftOut | None = None


def checks_of(sample: Sample, positive: Sequence[str], rules: Rules) -> tuple[Check, ...]:
    """The checks of distinct, drawn items: failures caught first; without accepting labels every class's recall. Weights of a file that is
    no draw of a run are believed nothing: the rates must clear the bar without them as well."""
    codes = range(len(sample.labels))
    if positive:
        good = [sample.labels.index(label) for label in positive]
        words = ", ".join(positive)
        sides = [
            (f"failures caught (specificity, not {words})", [code for code in codes if code not in good], rules.specificity_bar),
            (f"passes recognised (sensitivity, {words})", good, rules.sensitivity_bar),
        ]
    else:
        bar = min(rules.sensitivity_bar, rules.specificity_bar)
        sides = [(f"recall of {label!r}", [code], bar) for code, label in enumerate(sample.labels)]
    found = ((measure_class(sample, name, own, rules.level, rules.most_abstained), own, bar) for name, own, bar in sides)
    return tuple(_check(one, bar, rules, _further(sample, own, bar, rules)) for one, own, bar in found)


def _further(sample: Sample, classes: Sequence[int], bar: float, rules: Rules) -> Growth | None:
    """The draw of a check, and how it can grow; None where the labels are no draw."""
    if sample.pool is None:
        return None
    counts = Counter(item.stratum for item, code in zip(sample.items, sample.truth.tolist(), strict=True) if code in classes)
    own = [sample.labels[code] for code in classes]
    return Growth(sample.pool, counts, own, bar, (rules.specificity_bar, rules.sensitivity_bar))


def _check(found: ClassRate, bar: float, rules: Rules, further: Growth | None) -> Check:
    by_case = tuple(zip(found.seen.sums.tolist(), found.seen.sizes.tolist(), strict=True))
    rated = check_rate(found.name, found.rate, bar, seen=found.seen, level=rules.level, further=further)
    check, why = replace(rated, worst=found.worst, by_case=by_case), ""
    low, value = found.worst.low or 0.0, found.worst.value or 0.0
    if low < bar:
        why = f"were it wrong in all items {found.doubts}, {value:.1%}, interval from {low:.1%}, and the bar is {bar:.0%}"
    elif (plain := found.plain) is not None and (plain.low or 0.0) < bar:
        why = f"without the file's weights {plain.value or 0:.1%}, interval from {plain.low or 0:.1%}, and the bar is {bar:.0%}"
        why += " (the weights were not held against a run)"
    if check.state != "pass" or not why:
        return check
    return replace(check, state="open", sentence=f"{found.name}: {found.rate.value:.1%} of what was decided; {why}")


def confused_classes(sample: Sample, rules: Rules) -> list[Objection]:
    """Classes beyond accepting and refusing that the judge demonstrably does not know: each has its own consequence in a run."""
    bar = min(rules.sensitivity_bar, rules.specificity_bar)
    found = [measure_class(sample, f"recall of {label!r}", [code], rules.level, 1.0) for code, label in enumerate(sample.labels)]
    return [
        Objection("fail", f"{own.name}: {own.rate.value:.1%}, interval up to {own.rate.high:.1%}, below the bar of {bar:.0%}")
        for own in found
        if own.rate.value is not None and own.rate.high is not None and own.rate.high < bar
    ]


def check_rate(
    name: str, rate: Estimate, bar: float, *, seen: Cases = NOTHING, level: float = 0.95, further: Growth | None = None
) -> Check:
    """Pass when the lower end is at the bar or above, fail when the upper end is below it, else open with what is still needed. further:
    the draw that can grow, where the labels are one."""
    if rate.value is None or rate.low is None or rate.high is None:
        world = World(max(LIKELY, (1 + bar) / 2), seen.sizes if len(seen.sizes) else np.ones(1), MOST_ALIKE)
        lack = f"every label of this class ({rate.n}) is of one case, so nothing can be said of other cases"
        if rate.value is None:
            lack = "there is no label of this class" if rate.reason == "no_items" else f"undefined ({rate.reason})"
        return _open(name, rate, bar, needed_for_bar(NOTHING, bar, world, level), f"{name}: {lack}")
    said = f"{name}: {rate.value:.1%}, interval {rate.low:.1%} to {rate.high:.1%} ({rate.n} labels in {rate.clusters} cases)"
    if rate.low >= bar:
        return Check(name, rate, bar, "pass", None, f"{said}, above the bar of {bar:.0%}")
    if rate.high < bar:
        return Check(name, rate, bar, "fail", None, f"{said}, below the bar of {bar:.0%}")
    if further is not None:
        more = further.labels_next()
        hint = f"{more} more labels of this draw can do" if more else "at this rate no number of this run's questions can be promised to do"
        return Check(name, rate, bar, "open", more, f"{said}, the bar of {bar:.0%} lies inside: {hint}")
    needed = needed_for_bar(seen, bar, world_of(seen), level) if len(seen.sizes) else None
    return _open(name, rate, bar, needed, f"{said}, the bar of {bar:.0%} lies inside")


def _open(name: str, rate: Estimate, bar: float, needed: Need | None, sentence: str) -> Check:
    if needed is None:
        return Check(name, rate, bar, "open", None, f"{sentence}: at this rate no number of labels can be promised to do")
    hint = f"about {needed.labels} more labels of this class in {needed.cases} further cases are needed"
    return Check(name, rate, bar, "open", needed.labels, f"{sentence}: {hint}", None, needed.cases)


def decide(
    checks: Sequence[Check],
    objections: Sequence[Objection] = (),
    notes: Sequence[str] = (),
    left_out: LeftOut | None = None,
    *,
    is_drawn: bool = False,
) -> Trust:
    """Puts it together: anything that fails: not trusted; anything open: inconclusive; else trusted, with the notes said as well."""
    failed = [check.sentence for check in checks if check.state == "fail"] + [o.sentence for o in objections if o.state == "fail"]
    still = [o.sentence for o in objections if o.state == "open"] + [check.sentence for check in checks if check.state == "open"]
    needs = [check.labels_needed for check in checks if check.state == "open"]
    known = [need for need in needs if need is not None]
    needed = (max(known) if is_drawn else sum(known)) if needs and None not in needs else None
    outcome: Outcome
    if failed:
        outcome, reasons, sentence, needed = "not_trusted", (*failed, *still), f"No, this judge may not gate: {failed[0]}.", None
    elif still or not checks:
        outcome, reasons = "inconclusive", tuple(still) or ("there is nothing to check",)
        more = f" About {needed} more labels are needed in all." if needed and len(needs) > 1 and not is_drawn else ""
        more += f" {left_out.repeated} copies of items count once each." if left_out and left_out.repeated else ""
        sentence = f"It cannot be told yet if this judge may gate: {reasons[0]}.{more}"
    else:
        outcome, reasons, needed = "trusted", tuple(check.sentence for check in checks), None
        said = "".join(f" {note[:1].upper()}{note[1:]}." for note in notes)
        sentence = f"Yes, this judge may gate: {'; '.join(reasons)}.{said}"
    return Trust(outcome, sentence, tuple(checks), reasons, needed, tuple(notes), left_out)
