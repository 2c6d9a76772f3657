"""Covenants under the companion rubric: each covenant's own scores, and the five dimensions of a case over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold
from judge.capabilities.decisions import Aside, figure_fact, form_fact
from judge.capabilities.measures import score_of, weighted
from judge.capabilities.provenance import Assessed
from judge.capabilities.wording import unique_names
from judge.records import Bounds, Fact, Item, Part
from rubrics.contract import Dimensions

FLAG = "flags."
ZERO, ONE = Fraction(0), Fraction(1)
PARTS = {"D2": "type", "D3": "threshold", "D4": "frequency"}


def flag_names(true: CovenantGold) -> list[str]:
    """The names of gold's flags as parts: `flags.carve_out`, a second of one kind with `#2`."""
    return unique_names([f"{FLAG}{flag.kind}" for flag in true.flags])


def covenant_aside(
    context: Context, true: CovenantGold, parts: Mapping[str, Part], assessed: Assessed | None = None, mine: Covenant | None = None
) -> Aside | None:
    """The scores of one gold covenant: D1 whether it is found, D2 to D4 while it can be, each flag; None without dimensions.

    parts: `found` alone for a missed one.
    """
    if (rules := context.contract.dimensions) is None:
        return None
    is_asked = assessed is not None and not parts["found"].questions
    found = _found(parts["found"])
    dimensions: dict[str, Bounds] = {"D1": found}
    if found[1]:
        dimensions |= {name: score_of(parts[part], getattr(rules, part)) for name, part in PARTS.items()}
    for name in flag_names(true):
        low, high = score_of(parts[name], rules.flag) if name in parts else (ZERO, ZERO)
        dimensions[name] = (low * found[0], high * found[1])
    measured = assessed.measure.dimensions if assessed is not None and assessed.measure is not None else {}
    asked = (*parts.values(), *(assessed.asked if assessed else ())) if is_asked else (parts["found"],)
    shown = {**parts, **({"provenance": assessed.part} if assessed else {})}
    return Aside({**dimensions, **measured}, shown, asked, _facts(parts, mine, true))


def _found(part: Part) -> Bounds:
    return Fraction(not part.is_open and part.best.value == "correct"), Fraction(part.best.value == "correct")


def _facts(parts: Mapping[str, Part], mine: Covenant | None, true: CovenantGold) -> Mapping[str, Fact]:
    """Of the threshold: whether it is gold's figure, and in gold's characters; an invented one of a known covenant is a wrong one."""
    if mine is None or mine.threshold is None:
        return {}
    return {"figure": figure_fact(parts["threshold"], False), "form": form_fact(mine.threshold, true.threshold)}


# ---- a case ------------------------------------------------------------------------------------------------------


def composite(items: Sequence[Item], rules: Dimensions) -> dict[str, Bounds]:
    """D1 to D5 of a case: D1 stepped by the share found, D2 to D4 means over the found, D5 the mean over gold's flags (B8)."""
    gold = [item for item in items if "D1" in item.dimensions]
    scores = {"D1": _coverage(gold, rules)}
    for name in PARTS:
        scores[name] = _mean_of_found(gold, name) if gold else (ONE, ONE)
    flags = list(_flags(items))
    if flags:
        scores["D5"] = (sum((low for low, _ in flags), ZERO) / len(flags), sum((high for _, high in flags), ZERO) / len(flags))
    else:
        score = ZERO if any(finding.code == "EXTRA_FLAG" for item in items for finding in item.findings) else ONE
        scores["D5"] = (score, score)
    return {**scores, "score": weighted(scores, rules.weights[items[0].capability])}


def _flags(items: Sequence[Item]) -> Iterator[Bounds]:
    for item in items:
        yield from (score for name, score in item.dimensions.items() if name.startswith(FLAG))


def _coverage(gold: Sequence[Item], rules: Dimensions) -> Bounds:
    low, high = (sum((item.dimensions["D1"][end] for item in gold), ZERO) for end in (0, 1))
    return _step(low, len(gold), rules), _step(high, len(gold), rules)


def _step(found: Fraction, of: int, rules: Dimensions) -> Fraction:
    """The score of the first step that the share reaches; of no gold at all the highest, of nothing found none."""
    if not of:
        return rules.coverage[0].score
    return next(step.score for step in rules.coverage if found / of >= step.found) if found else ZERO


def _mean_of_found(gold: Sequence[Item], name: str) -> Bounds:
    """The mean over the found ones; one that may be found counts where it makes the mean worse, or better."""
    sure = [item.dimensions[name] for item in gold if item.dimensions["D1"][0]]
    may = [item.dimensions[name] for item in gold if not item.dimensions["D1"][0] and item.dimensions["D1"][1]]
    worst = _extreme([low for low, _ in sure], sorted(low for low, _ in may), is_worst=True)
    best = _extreme([high for _, high in sure], sorted((high for _, high in may), reverse=True), is_worst=False)
    return worst, best


def _extreme(sure: list[Fraction], may: Sequence[Fraction], *, is_worst: bool) -> Fraction:
    if not sure and (is_worst or not may):
        return ZERO  # none found
    total, count = sum(sure, ZERO), len(sure)
    for score in may:
        if count and (score >= total / count if is_worst else score <= total / count):
            break
        total, count = total + score, count + 1
    return total / count


def item_score(item: Item, rules: Dimensions) -> Bounds:
    """What one covenant is worth by the rubric's own weights; nothing while it is missed."""
    found = item.dimensions["D1"]
    if not found[1]:
        return ZERO, ZERO
    flags = list(_flags([item])) or [(ONE, ONE)]
    mean = (sum((low for low, _ in flags), ZERO) / len(flags), sum((high for _, high in flags), ZERO) / len(flags))
    low, high = weighted({**{name: item.dimensions[name] for name in PARTS}, "D1": found, "D5": mean}, rules.weights[item.capability])
    return low * found[0], high
