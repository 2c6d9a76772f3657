"""May this judge gate? Trusted, not trusted or inconclusive, each with its reasons in plain words (calibration.md 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.estimate import Estimate
from calibration.performance import Performance
from calibration.planning import labels_above_bar
from calibration.probes import ProbeResult

Outcome = Literal["trusted", "not_trusted", "inconclusive"]
State = Literal["pass", "fail", "open"]
ONE_SIDED = 0.025  # the lower end of a 95 % interval


@dataclass(frozen=True, slots=True)
class Check:
    """One class's rate against its bar. labels_needed: more labels of this class for a fair chance (80 %) of passing, None when no number
    would do at the rate seen, or when nothing is needed."""

    name: str
    rate: Estimate
    bar: float
    state: State
    labels_needed: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Trust:
    """The answer. sentence: one plain sentence with the reason; reasons: all of them; labels_needed: over all checks, None if unknown."""

    outcome: Outcome
    sentence: str
    checks: tuple[Check, ...]
    reasons: tuple[str, ...]
    labels_needed: int | None


def check_rate(name: str, rate: Estimate, bar: float) -> Check:
    """Pass when the lower end is at the bar or above, fail when the upper end is below it, else open."""
    if rate.value is None or rate.low is None or rate.high is None:
        needed = labels_above_bar(max(bar + 0.1, 0.95) if bar < 0.9 else 0.99, bar, delta=ONE_SIDED)
        count = max(needed[0] - rate.n, 1) if needed else None
        hint = f"; about {count} labels of this class are needed" if count else ""
        return Check(name, rate, bar, "open", count, f"{name}: {_lack(rate)}{hint}")
    said = f"{name}: {rate.value:.1%}, interval {rate.low:.1%} to {rate.high:.1%} ({rate.n} labels in {rate.clusters} cases)"
    if rate.low >= bar:
        return Check(name, rate, bar, "pass", None, f"{said}, above the bar of {bar:.0%}")
    if rate.high < bar:
        return Check(name, rate, bar, "fail", None, f"{said}, below the bar of {bar:.0%}")
    more = labels_still_needed(rate, bar)
    hint = f"about {more} more labels of this class are needed" if more else "at this rate no number of labels would do"
    return Check(name, rate, bar, "open", more, f"{said}, the bar of {bar:.0%} lies inside: {hint}")


def _lack(rate: Estimate) -> str:
    if rate.value is None:
        return "there is no label of this class" if rate.reason == "no_items" else f"undefined ({rate.reason})"
    return f"all {rate.n} labels of this class come from one case, so nothing can be said of other cases"


def labels_still_needed(rate: Estimate, bar: float) -> int | None:
    """More labels of this class, at the rate and the design effect seen, for the lower end to pass the bar with 80 % power."""
    if rate.value is None or rate.n == 0:
        return None
    plan = labels_above_bar(min(rate.value, 0.995), bar, delta=ONE_SIDED)
    if plan is None:
        return None
    effect = rate.n / rate.effective_n if rate.effective_n else 1.0
    return max(1, math.ceil(plan[0] * effect) - rate.n)


def decide(checks: Sequence[Check], *, sources: Sequence[str], probes: Sequence[ProbeResult] = ()) -> Trust:
    """Puts the checks together: a failed check or an attack that got through: not trusted; an open one, or no human label: inconclusive."""
    pierced = [p for p in probes if p.family == "attack" and p.accepted]
    told = [f"{p.accepted} of {p.clusters} cases accepted under the probe {p.name!r}, none may be" for p in pierced]
    failed = [check.sentence for check in checks if check.state == "fail"]
    still = [check.sentence for check in checks if check.state == "open"]
    made = [] if "human" in sources else ["all labels are constructed: only labels that people gave can make a judge trusted"]
    needs = [check.labels_needed for check in checks if check.state == "open"]
    needed = sum(need for need in needs if need is not None) if needs and None not in needs else None
    if failed or told:
        reasons = (*failed, *told)
        return Trust("not_trusted", f"No, this judge may not gate: {reasons[0]}.", tuple(checks), (*reasons, *still, *made), None)
    if still or made or not checks:
        reasons = (*still, *made) or ("there is nothing to check",)
        more = f" About {needed} more labels are needed in all." if needed and len(needs) > 1 else ""
        return Trust("inconclusive", f"It cannot be told yet if this judge may gate: {reasons[0]}.{more}", tuple(checks), reasons, needed)
    reasons = tuple(check.sentence for check in checks)
    return Trust("trusted", f"Yes, this judge may gate: {'; '.join(reasons)}.", tuple(checks), reasons, None)


def checks_of(performance: Performance, positive: Sequence[str], sensitivity_bar: float, specificity_bar: float) -> tuple[Check, ...]:
    """The failure class first. Unusable replies count as wrong here. Without accepting labels every class's recall must pass its bar."""
    if performance.sensitivity_all is not None and performance.specificity_all is not None:
        accepted = " or ".join(positive)
        return (
            check_rate(f"failures caught (specificity, not {accepted})", performance.specificity_all, specificity_bar),
            check_rate(f"passes recognised (sensitivity, {accepted})", performance.sensitivity_all, sensitivity_bar),
        )
    return tuple(check_rate(f"recall of {own.label!r}", own.recall, min(sensitivity_bar, specificity_bar)) for own in performance.classes)
