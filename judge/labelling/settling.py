"""A person's verdict on an item that nobody decided: appended to the result folder, with who, when and why; the gates are applied again.

People who disagree settle nothing: the item stays undecided until they agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.labelling.label_file import Label, append_durably
from judge.labelling.tasks import CANNOT_TELL
from judge.records import RIGHT, Item, Key, NonOutcome, Outcome
from judge.results.folder import VERDICTS, VerdictReader, program_items, read_cases
from judge.results.lines import verdict_line


class Settlement:
    """Writes people's verdicts into one result folder. label_scores: the contract's score of each outcome."""

    def __init__(self, folder: Path, label_scores: Mapping[str, Any]) -> None:
        self._verdicts = folder / VERDICTS
        self._scores = label_scores
        self._open_items = read_open_items(folder, label_scores)

    def settle(self, key: Key, labels: Sequence[Label]) -> Item:
        """Appends what the labels of an item amount to, and returns it."""
        item = settled(self._open_items[key], labels, self._scores)
        append_durably(self._verdicts, verdict_line(item))
        return item


def read_open_items(folder: Path, label_scores: Mapping[str, Any]) -> dict[Key, Item]:
    """The items that a person may settle, as the program wrote them: without what people said already."""
    programs = {item.key: item for item in program_items(folder)}
    reader = VerdictReader(folder / VERDICTS, label_scores)
    try:
        latest = [item for case in read_cases(folder) for item in reader.case(case.case_id) or ()]
    finally:
        reader.close()
    return {i.key: programs[i.key] for i in latest if (i.is_open or i.decided_by == "human") and i.key in programs}


def settled(before: Item, labels: Sequence[Label], label_scores: Mapping[str, Any]) -> Item:
    """What people's labels make of an open item. It stays open without labels, and where they disagree or cannot tell."""
    values = {label.value for label in labels}
    if not labels:
        return before
    by_person = replace(
        before,
        decided_by="human",
        reason=_reason(labels),
        who=", ".join(dict.fromkeys(label.annotator for label in labels)),
        when=labels[-1].when,
        why=" ".join(label.note for label in labels if label.note),
        uncertified=None,
        exception=None,
    )
    if len(values) > 1 or CANNOT_TELL in values:
        cause = "people_disagree" if len(values) > 1 else CANNOT_TELL
        return replace(by_person, outcome=NonOutcome.UNDECIDED, score=None, why_open=cause)
    outcome = Outcome(values.pop())
    score = float(label_scores[outcome])
    provenance = before.provenance
    if provenance.is_open:  # the full labels ask for a full citation (standard 1.1), the others do not have one
        provenance = replace(provenance, is_open=False, complete=outcome in RIGHT)
    bounds = (score, score)
    return replace(by_person, outcome=outcome, score=score, bounds=bounds, why_open="", can_hallucinate=False, provenance=provenance)


def _reason(labels: Sequence[Label]) -> str:
    """One sentence: who said what, and why."""
    return " ".join(f"{x.annotator} says {x.value.replace('_', ' ')}{f': {x.note}' if x.note else ''}." for x in labels)[:1000]
