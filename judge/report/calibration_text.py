"""How the figures of a calibration are put into words: shared by terminal, Markdown and HTML."""

import math

from calibration.decision.assessment import Assessment
from calibration.decision.counted import said_drawn
from calibration.decision.gate import Check
from calibration.measures.alternative_annotator import AlternativeTest
from calibration.measures.performance import Performance
from calibration.measures.probes import FLOOR, ProbeResult
from calibration.statistics.estimate import Estimate
from judge.records import grouped
from judge.report.wording import WORDS
from judge.report.wording import counted as counted  # for the templates

TITLES, REASONS, OF_A_HUNDRED, SLICE_STATES, OUTCOMES = map(WORDS.__getitem__, "figures reasons of_a_hundred slice_states trust".split())


def reason(estimate: Estimate) -> str:
    """Why there is no value or no interval, in words."""
    return str(REASONS.get(estimate.reason or "", estimate.reason or ""))


def figure(estimate: Estimate | None, digits: int = 3) -> str:
    """`0.716 [0.670, 0.757]`, or `none (why)`."""
    if estimate is None:
        return "none"
    if estimate.value is None:
        return f"none ({reason(estimate)})"
    value = number(estimate.value, digits)
    if estimate.low is None or estimate.high is None:
        return f"{value} (no interval: {reason(estimate)})"
    return f"{value} [{number(estimate.low, digits)}, {number(estimate.high, digits)}]"


def number(value: float | None, digits: int = 3) -> str:
    """A number with fixed decimals, or `none`."""
    return "none" if value is None else f"{value:.{digits}f}"


def p_value(p: float) -> str:
    """A p value with four decimals, and never 0."""
    return f"{p:.4f}" if p >= 0.0001 else "below 0.0001"


def harmless_result(probe: ProbeResult) -> str:
    """What a harmless probe showed; "no effect" is said only where an effect of FLOOR could have been seen."""
    if probe.is_flagged:
        return "moves the verdict"
    if probe.detectable is None or probe.detectable > FLOOR:
        return f"no effect seen, too few cases to see {FLOOR:.0%}"
    return "no effect seen"


def in_a_hundred(check: Check) -> str:
    """What a rate means: how many of a hundred outputs go wrong, at worst, and how many the bar allows; "" without labels."""
    if check.rate.value is None:
        return ""
    what, fate = next((words for name, words in OF_A_HUNDRED.items() if name in check.name), (f"items ({check.name})", "are missed"))
    lows = [rate.low for rate in (check.rate, check.worst) if rate is not None and rate.low is not None]
    worst = f"at worst {math.ceil(100 * (1 - min(lows)) - 1e-9)}" if lows else "at worst all"
    bar = f"the bar of {check.bar:.0%} allows {100 * (1 - check.bar):.0f}"
    return f"Of 100 {what}, {100 * (1 - check.rate.value):.0f} {fate}, {worst}; {bar}."


def headline(assessment: Assessment) -> str:
    """The one sentence above the page: the answer, and where it is yes what slips through."""
    trust = assessment.trust
    if trust.outcome != "trusted" or not (said := in_a_hundred(trust.checks[0])):
        return trust.sentence
    return f"Yes, this judge may gate: {said[:1].lower()}{said[1:]}"


def further_notes(assessment: Assessment) -> list[str]:
    """The notes that the page does not show in a row of their own."""
    return [note for note in assessment.trust.notes if not note.startswith(("not among", "not probed"))]


def left_out_lines(assessment: Assessment) -> list[str]:
    """What the rates do not see, each kind with its number; one line that nothing is where nothing is."""
    return [said_drawn(left)] if (left := assessment.trust.left_out) else []


def methods_of(performance: Performance) -> list[tuple[str, str]]:
    """(titles, how the interval was made) of the shown figures, equal methods together."""
    found = grouped((estimate.method, title) for title, estimate in statistics_of(performance) if estimate.method)
    return [(", ".join(titles), method) for method, titles in found.items()]


def reading_title(name: str) -> str:
    """`other:gpt` -> `gpt`; `judge` stays."""
    return name.removeprefix("other:")


def statistics_of(performance: Performance) -> list[tuple[str, Estimate]]:
    """The named figures of one reading, in the order in which they are shown; the failure class first."""
    shown = [("Specificity (failures caught)", performance.specificity), ("Sensitivity (passes recognised)", performance.sensitivity)]
    if performance.unusable:
        shown.append(("Specificity, unusable replies counted wrong", performance.specificity_all))
        shown.append(("Sensitivity, unusable replies counted wrong", performance.sensitivity_all))
    found = [(title, estimate) for title, estimate in shown if estimate is not None]
    found += [(TITLES[name], estimate) for name, estimate in performance.statistics]
    if performance.unusable:
        found.insert(-len(performance.statistics) + 1, ("Accuracy, unusable replies counted wrong", performance.accuracy_all))
    return found


def alternative_figures(test: AlternativeTest) -> str:
    """omega and rho of the alternative annotator test, with what they are held against."""
    kind = test.score + (f", expert {test.expert}" if test.expert else "")
    best = f"best constant {test.constant_label}: {number(test.constant_rho, 6)}"
    return f"{number(test.omega, 6)}, {number(test.rho, 6)} ({kind}; {best})"


def probe_figures(probe: ProbeResult) -> str:
    """What came of a probe, as its family asks for."""
    if probe.family == "attack":
        return f"accepted {probe.accepted} of {probe.clusters}, at most {number(probe.bound)}"
    return f"refused {figure(probe.caught)}" if probe.caught else f"flips {figure(probe.flips)}, p {p_value(probe.p)}"
