"""The accepted share of each calibrated rubric in a run, three ways: as judged, corrected for the judge's errors, from the labels alone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from calibration.run_rates import correct_run
from judge.records import Item

if TYPE_CHECKING:
    from calibration.estimate import Estimate
    from calibration.record import Record


MODELS = ("llm", "panel")


@dataclass(slots=True)
class RateTally:
    """Counts, from the verdict lines of a run, how often a calibrated rubric accepted, by case. Only a model's verdicts count."""

    record: Record
    _counts: dict[str, dict[str, list[int]]] = field(default_factory=lambda: defaultdict(dict))

    def see(self, item: Item) -> None:
        """Looks at one item; those that no model decided, and rubrics that the record does not know, are passed over."""
        answer, entry = item.judge, self.record.rubric(item.rubric)
        if answer is None or answer.by not in MODELS or entry is None or answer.verdict not in entry.labels:
            return
        counts = self._counts[item.rubric].setdefault(item.case_id, [0, 0])
        counts[0] += answer.verdict in entry.positive
        counts[1] += 1

    def document(self) -> dict[str, Any]:
        """For summary.json: rubric -> accepting labels and the three rates, each with value, interval, n, cases, method, or a reason."""
        found = {}
        for rubric in sorted(self._counts):
            entry = self.record.rubric(rubric)
            if entry is None or not entry.positive:
                continue
            cases = self._counts[rubric].values()
            rates = correct_run(entry, [hits for hits, _ in cases], [asked for _, asked in cases])
            found[rubric] = {
                "accepting": list(entry.positive),
                "raw": _figure(rates.raw),
                "corrected": _figure(rates.corrected),
                "labels_only": _figure(rates.labels_only),
            }
        return found


def _figure(estimate: Estimate) -> dict[str, Any]:
    interval = None if estimate.low is None or estimate.high is None else [estimate.low, estimate.high]
    return {
        "value": estimate.value,
        "interval": interval,
        "n": estimate.n,
        "cases": estimate.clusters,
        "method": estimate.method,
        "reason": estimate.reason,
    }
