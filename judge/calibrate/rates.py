"""The accepted share of each calibrated rubric in a run, three ways: as judged, corrected for the judge's errors, from the labels alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.calibrate.certification import read_records
from judge.calibrate.questions import MODELS
from judge.results.folder import QUESTIONS
from judge.results.reading import read_lines
from judge.settings import Settings

if TYPE_CHECKING:
    from calibration.decision.record import Record, RubricRecord
    from calibration.statistics.estimate import Estimate


def rates_of(settings: Settings) -> "RateTally | None":
    """The rates of a calibrated judge, when a record says how far it errs."""
    paths = settings.require_calibrated or settings.certified_threshold
    return RateTally(read_records(paths)) if paths else None


@dataclass(slots=True)
class RateTally:
    """How often a calibrated rubric accepted in a run, by case, from all its questions: an item of several questions shows the last one's
    answer alone. Only a model's verdicts count."""

    record: "Record"

    def document(self, folder: Path) -> dict[str, Any]:
        """For summary.json: rubric -> accepting labels and the three rates, each with value, interval, n, cases, method, or a reason.
        Questions of rubrics and kinds of cases that the record does not hold for are passed over."""
        found = {}
        for rubric, counts in sorted(self._counted(folder / QUESTIONS).items()):
            if (entry := self.record.rubric(rubric)) is not None and entry.positive:
                rates = correct_run(entry, *zip(*counts.values(), strict=True))
                found[rubric] = {"accepting": list(entry.positive), **{name: _figure(rate) for name, rate in rates.items()}}
        return found

    def _counted(self, path: Path) -> dict[str, dict[str, list[int]]]:
        from calibration.decision.record import unmeasured

        counts: dict[str, dict[str, list[int]]] = defaultdict(dict)
        known = set[int]()  # a case that was interrupted asks again
        for line in read_lines(path) if path.exists() else ():
            answer, entry = line.get("judge") or {}, self.record.rubric(line["rubric"])
            if answer.get("by") not in MODELS or entry is None or answer.get("verdict") not in entry.labels:
                continue
            if entry.covers and unmeasured(entry, line.get("kinds") or ()):
                continue
            if (key := hash((line["case_id"], line["rubric"], *sorted(line["inputs"].items())))) not in known:
                known.add(key)
                of_case = counts[line["rubric"]].setdefault(line["case_id"], [0, 0])
                of_case[0] += answer["verdict"] in entry.positive
                of_case[1] += 1
        return counts


def correct_run(entry: "RubricRecord", accepted: Sequence[float], asked: Sequence[float]) -> "dict[str, Estimate]":
    """The rates of a run: raw, corrected, labels_only. accepted, asked: verdicts of each case that accept, and that were given at all. The
    corrected one is refused (`judge_too_weak`) where the lower bound of sensitivity + specificity is at most 1, and taken to transfer:
    sensitivity and specificity change with the mix of cases, which no record can know."""
    from calibration.statistics.correction import corrected_rate, lower_sum
    from calibration.statistics.estimate import Estimate, undefined
    from calibration.statistics.intervals import clustered_proportion

    raw = clustered_proportion(accepted, asked)
    specificity, sensitivity, human = (
        Estimate(rate.value, rate.low, rate.high, rate.n, rate.clusters, effective_n=rate.effective_n)
        if rate and rate.value is not None
        else undefined("no_labels")
        for rate in (entry.specificity, entry.sensitivity, entry.human_rate)
    )
    if human.value is not None:
        human = replace(human, method="calibration labels, clustered Wilson")
    if raw.value is None or specificity.effective_n is None or sensitivity.effective_n is None:
        corrected = undefined("no_items" if raw.value is None else "no_class_rates", n=raw.n, clusters=raw.clusters)
    else:
        corrected = corrected_rate(raw, specificity, sensitivity, bounds_sum=lower_sum(specificity, sensitivity))
    return {"raw": raw, "corrected": corrected, "labels_only": human}


def _figure(estimate: "Estimate") -> dict[str, Any]:
    figure = {name: getattr(estimate, name) for name in ("value", "n", "method", "reason")}
    interval = None if estimate.low is None or estimate.high is None else [estimate.low, estimate.high]
    return {**figure, "interval": interval, "cases": estimate.clusters}
