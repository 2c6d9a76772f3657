"""The one command that comes next, from a run to a judge that may gate: each of at most six is printed by the one before it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from judge.calibrate.draws import FURTHER

if TYPE_CHECKING:
    from calibration.assessment import Assessment
    from judge.calibrate.assess import Calibration

RECORD = "record.json"


def next_commands(result: "Calibration", out: Path) -> Iterator[str]:
    """What to do now, with labels of a run; nothing for other labels, or where the judge is not trusted."""
    if result.run is None or not all(entry.covers for entry in result.record.rubrics):
        return
    by = {name: [one for one in result.assessments if one.trust.outcome == name] for name in ("trusted", "not_trusted", "inconclusive")}
    if any(check.rate.reason == "one_cluster" for one in by["inconclusive"] for check in one.trust.checks):
        yield "next: judge run a batch of more agreements: all labels of a class are of one agreement, which says nothing of others"
    elif still := by["inconclusive"]:
        names = ",".join(one.rubric for one in still)
        yield f"next: judge label {result.run} --for-calibration {names}{_how(still)}"
    elif by["trusted"]:
        yield f"next: judge run ... --require-calibrated {out / RECORD}"


def _how(still: "list[Assessment]") -> str:
    """What of labelling: the labels that are missing, the people who differ, or more of the draw."""
    left = [one.trust.left_out for one in still if one.trust.left_out is not None]
    if any(one.unlabelled for one in left):
        return ""
    if any(one.tied for one in left):
        return " --adjudicate"
    return f" --more {max(further(one.trust.labels_needed, one.items) for one in still)}"


def further(needed: int | None, labelled: int) -> int:
    """Labels of a further step: as many again where no number can be promised. A rate from few labels can ask for far too many, so a step
    asks for at most four times what is drawn."""
    return min(needed or max(FURTHER, labelled), max(FURTHER, 4 * labelled))
